//! [`Build`]: builds tables.

use super::{DEFAULT_MEMORY, Threads};
use crate::error::{Error, ErrorKind};
use crate::estimate::BuildEstimate;
use crate::make::{Built, GameBuild, Resources, RootBuild};
use crate::rates::Rates;
use pentago_base::Control;
use pentago_core::kernel::Kernel;
use pentago_core::rules::{Position, Rules};
use pentago_tables::codec::Codec;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A build of tables: all positions below a root, or a whole game.
///
/// A build that was stopped, killed or ran out of disk space resumes when the same build runs
/// again. The bytes of the tables don't depend on memory, threads or CPU.
///
/// ```
/// use pentago::{Build, Position, Rules, Tablebase};
///
/// let folder = tempfile::tempdir()?;
/// let root: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// Build::root(Rules::default(), root).keep(28).memory(200_000_000).run(folder.path())?;
/// let value = Tablebase::open(folder.path())?.probe(&root)?;
/// assert!(value.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Build<T> {
    what: T,
    memory: u64,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    scratch: Option<PathBuf>,
    scratch_limit: u64,
    codec: Codec,
    control: Arc<Control>,
    rates: Option<Rates>,
}

/// The subject of a [`Build`]: [`BelowRoot`] or [`WholeGame`].
pub trait Buildable {
    #[doc(hidden)]
    fn job(&self, codec: Codec) -> Result<Job, Error>;
}

/// The tables of all positions below a root.
#[derive(Clone, Copy, Debug)]
pub struct BelowRoot {
    rules: Rules,
    root: Position,
    keep: Option<u32>,
}

/// The tables of a whole game.
#[derive(Clone, Copy, Debug)]
pub struct WholeGame {
    rules: Rules,
    down_to: u8,
}

impl Buildable for BelowRoot {
    fn job(&self, codec: Codec) -> Result<Job, Error> {
        Ok(Job::Root(RootBuild::new(self.rules, &self.root, self.keep)?.codec(codec)))
    }
}

impl Buildable for WholeGame {
    fn job(&self, codec: Codec) -> Result<Job, Error> {
        let (down_to, most) = (self.down_to, self.rules.shape.sockets());
        if usize::from(down_to) > most {
            let text = format!("slices have 0 to {most} marbles, not {down_to}");
            return Err(Error::new(ErrorKind::Input, text));
        }
        Ok(Job::Game(GameBuild::new(self.rules, down_to).codec(codec)))
    }
}

impl Build<BelowRoot> {
    /// Builds the tables of all positions below a root, in all rotations and symmetries. Late
    /// positions, which are quick to solve, are not kept: see [`Build::keep`].
    pub fn root(rules: Rules, position: Position) -> Build<BelowRoot> {
        Build::new(BelowRoot { rules, root: position, keep: None })
    }

    /// Keeps the slices with at most this number of marbles.
    pub fn keep(mut self, marbles: u8) -> Build<BelowRoot> {
        self.what.keep = Some(marbles.into());
        self
    }
}

impl Build<WholeGame> {
    /// Builds the tables of all positions of a game, from the full board down to the empty one. A
    /// build of Mini-Pentago takes a second. For Pentago, only slices of many marbles are feasible
    /// ([`Build::down_to`]).
    pub fn game(rules: Rules) -> Build<WholeGame> {
        Build::new(WholeGame { rules, down_to: 0 })
    }

    /// Stops after the slice with this number of marbles.
    pub fn down_to(mut self, marbles: u8) -> Build<WholeGame> {
        self.what.down_to = marbles;
        self
    }
}

impl<T: Buildable> Build<T> {
    fn new(what: T) -> Build<T> {
        Build {
            what,
            memory: DEFAULT_MEMORY,
            threads: None,
            kernel: None,
            scratch: None,
            scratch_limit: u64::MAX,
            codec: Codec::QUICK,
            control: Arc::default(),
            rates: None,
        }
    }

    /// Sets the memory limit in bytes. The default is 4 GB.
    pub fn memory(mut self, bytes: u64) -> Build<T> {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads. The default is one per CPU that this process may use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Build<T> {
        self.threads = Some(threads);
        self
    }

    /// Sets the kernel. The default is the fastest that this CPU supports.
    pub fn kernel(mut self, kernel: Kernel) -> Build<T> {
        self.kernel = Some(kernel);
        self
    }

    /// Sets the folder for temporary files and their size limit in bytes. The default is the folder
    /// of the tables, without a limit.
    pub fn scratch(mut self, folder: impl Into<PathBuf>, limit: u64) -> Build<T> {
        self.scratch = Some(folder.into());
        self.scratch_limit = limit;
        self
    }

    /// Sets the compression. The default is [`Codec::QUICK`].
    pub fn codec(mut self, codec: Codec) -> Build<T> {
        self.codec = codec;
        self
    }

    /// Sets the control, which cancels the build from another thread and reports the progress.
    pub fn control(mut self, control: Arc<Control>) -> Build<T> {
        self.control = control;
        self
    }

    /// Sets the rates of the estimate, such as the result of [`Rates::measure`]. The default is the
    /// rates of a named machine.
    pub fn rates(mut self, rates: Rates) -> Build<T> {
        self.rates = Some(rates);
        self
    }

    /// Builds the missing tables in a folder. Finished tables are kept if the build fails.
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables,
    /// [`Environment`](crate::ErrorKind::Environment) if memory or disk don't suffice, or another
    /// process builds there, [`Cancelled`](crate::ErrorKind::Cancelled) if the build was cancelled.
    pub fn run(self, folder: impl AsRef<Path>) -> Result<Built, Error> {
        let folder = folder.as_ref();
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, folder);
        let control = &*self.control;
        match self.what.job(self.codec)? {
            Job::Root(build) => Ok(threads.run(|| build.run(folder, &resources, control))?),
            Job::Game(build) => Ok(threads.run(|| build.run(folder, &resources, control))?),
        }
    }

    /// Estimates the cost of the build: exact counts times [rates](Build::rates).
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables.
    pub fn estimate(&self) -> Result<BuildEstimate, Error> {
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, Path::new(""));
        let rates = match &self.rates {
            Some(rates) => rates,
            None => Rates::built_in(),
        };
        Ok(match self.what.job(self.codec)? {
            Job::Root(build) => build.estimate(&resources, None, rates),
            Job::Game(build) => build.estimate(&build.slices(), &resources, None, rates),
        })
    }

    fn resources(&self, threads: &Threads, folder: &Path) -> Resources {
        Resources {
            kernel: self.kernel.unwrap_or_else(Kernel::best),
            threads: threads.count,
            memory: self.memory,
            scratch: self.scratch.clone().unwrap_or_else(|| folder.to_owned()),
            scratch_limit: self.scratch_limit,
        }
    }
}

/// A valid build.
#[doc(hidden)]
pub enum Job {
    Root(RootBuild),
    Game(GameBuild),
}
