//! How much a search may do: positions made, and a caller's wish to stop.

/// The work that searches may do together, and what they have done.
///
/// A node is one move made. Without a `stop` that says yes, the same searches with the same budget
/// do the same, on every machine.
pub struct Budget<'a> {
    limit: u64,
    nodes: u64,
    stop: Option<&'a mut dyn FnMut() -> bool>,
    stopped: bool,
}

/// A search ended before it knew the answer: its budget is spent, or it was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before it was decided")]
pub struct Stopped;

/// Asking a clock costs about as much as making a few moves, so it isn't asked for each node.
const NODES_BETWEEN_QUESTIONS: u64 = 1024;

impl<'a> Budget<'a> {
    /// At most so many nodes.
    #[must_use]
    pub fn nodes(limit: u64) -> Self {
        Self { limit, nodes: 0, stop: None, stopped: false }
    }

    /// At most so many nodes, and only until `stop` says true: it is asked every 1,024 nodes, and
    /// not again once it did. A clock or a cancel button goes here.
    #[must_use]
    pub fn with_stop(limit: u64, stop: &'a mut dyn FnMut() -> bool) -> Self {
        Self { limit, nodes: 0, stop: Some(stop), stopped: false }
    }

    /// The nodes that were counted so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.nodes
    }

    /// Counts one node.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.limit || self.stopped {
            return Err(Stopped);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN_QUESTIONS) { self.ask() } else { Ok(()) }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Stopped> {
        self.stopped = self.stop.as_mut().is_some_and(|stop| stop());
        if self.stopped { Err(Stopped) } else { Ok(()) }
    }
}
