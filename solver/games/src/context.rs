//! The resources for answering questions: memory, threads, tables, and the control that stops the
//! work.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::pentago::{Clock, Control, Kernel, Question};
use ::pentago_core::solve::ProofCache;
use ::pentago_core::solve::rooted::gpu::Outside;

use crate::Tablebase;
use crate::error::Result;

/// The resources that a game may use to answer a [`Question`].
#[derive(Debug, Clone, Copy)]
pub struct SearchContext<'a> {
    /// The memory limit in bytes.
    pub memory: u64,
    /// The number of threads of the current rayon pool. With one thread, the calling thread does
    /// all work.
    pub threads: NonZeroUsize,
    /// The kernel to use. `None` selects the fastest kernel.
    pub kernel: Option<Kernel>,
    /// The control that cancels the work and reports the progress.
    pub control: &'a Control,
    /// The clock for time limits and for the durations of searches.
    pub clock: &'a Clock,
    /// The time in seconds to compute a board of Pentago on one thread, until it is measured.
    /// `None` selects the built-in rate.
    pub rate: Option<f64>,
    /// A cache of proof results for later questions. An answer that uses the cache depends on
    /// earlier questions. Only Pentago uses the cache.
    pub kept: Option<&'a Arc<ProofCache>>,
    /// A GPU outside of the process, for large solutions of Pentago. If the GPU must compute first,
    /// the answer is the error [`SolveError::Device`](::pentago_core::solve::SolveError::Device).
    pub outside: Option<&'a Arc<Outside>>,
    /// The file with the failures of a long proof, so that a later proof continues from there. Only
    /// Pentago XL uses this file.
    pub journal: Option<&'a Path>,
    /// The tables to consult before anything is computed.
    pub tables: Option<&'a Tablebase>,
}

impl<'a> SearchContext<'a> {
    /// Returns a context for one thread, with a memory limit in bytes and without tables.
    pub fn new(memory: u64, control: &'a Control) -> SearchContext<'a> {
        static CLOCK: OnceLock<Clock> = OnceLock::new();
        SearchContext {
            memory,
            threads: NonZeroUsize::MIN,
            kernel: None,
            control,
            clock: CLOCK.get_or_init(Clock::default),
            rate: None,
            kept: None,
            outside: None,
            journal: None,
            tables: None,
        }
    }

    /// Returns a control for work that starts now. The control stops the work when the time limit
    /// of the question expires.
    pub(crate) fn in_time(&self, question: &Question) -> Control {
        self.within(time(question))
    }

    /// Returns a control for work that starts now and takes at most `time`.
    pub(crate) fn within(&self, time: Duration) -> Control {
        self.control.until(self.clock, self.clock.now().map(|now| now.saturating_add(time)))
    }

    /// Returns an error if the work was cancelled.
    pub(crate) fn not_cancelled(&self) -> Result<()> {
        Ok(self.control.check()?)
    }
}

/// Returns the time limit of a question, or the longest duration if there is none.
pub(crate) fn time(question: &Question) -> Duration {
    question.time.unwrap_or(Duration::MAX)
}
