//! The limit on the number of moves that a search may make.

use crate::{Control, Stopped};

/// A counter of the moves that one or several searches make, with a limit on the total.
///
/// Each move that a search makes counts as one node. With the same limit, a search returns the same
/// result on every machine, unless its [`Control`] stops the search.
///
/// ```
/// use pentago_base::{Budget, Stopped};
///
/// let mut budget = Budget::nodes(2);
/// assert_eq!([(); 3].map(|()| budget.tick()), [Ok(()), Ok(()), Err(Stopped)]);
/// assert_eq!(budget.spent(), 2);
/// ```
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    spent: u64,
    control: Option<Control>,
}

/// The number of nodes between two checks of the control. Checks are rare because reading the clock
/// takes about as long as making a few moves.
const NODES_BETWEEN_QUESTIONS: u64 = 1024;

impl Budget {
    /// Creates a budget of `limit` nodes.
    pub fn nodes(limit: u64) -> Budget {
        Budget { limit, spent: 0, control: None }
    }

    /// Creates a budget of `limit` nodes that is also exhausted when `control` is cancelled or its
    /// time is up. The control is checked every 1,024 nodes. Once the control has stopped the
    /// search, the budget stays exhausted.
    pub fn watched(limit: u64, control: &Control) -> Budget {
        Budget { limit, spent: 0, control: Some(control.clone()) }
    }

    /// Returns the number of nodes counted so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Counts one node and checks the limits.
    ///
    /// # Errors
    /// If the limit is reached, or the control stops the search.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Stopped> {
        if self.spent >= self.limit {
            return Err(Stopped);
        }
        self.spent += 1;
        if self.spent.is_multiple_of(NODES_BETWEEN_QUESTIONS) { self.ask() } else { Ok(()) }
    }

    /// Counts the nodes of another search and checks the limits.
    ///
    /// # Errors
    /// If the nodes exceed the limit, or the control stops the search.
    pub fn spend(&mut self, nodes: u64) -> Result<(), Stopped> {
        let spent = self.spent.saturating_add(nodes);
        self.spent = spent.min(self.limit);
        if spent > self.limit { Err(Stopped) } else { self.ask() }
    }

    /// Returns a budget of the nodes that are left, with the same control.
    pub fn rest(&self) -> Budget {
        Budget { limit: self.limit - self.spent, spent: 0, control: self.control.clone() }
    }

    /// Reports the current step of the search, if the budget has a control.
    pub fn report(&self, step: impl Into<String>) {
        if let Some(control) = &self.control {
            control.mark(Control::STEP, step);
        }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Stopped> {
        if self.control.as_ref().is_some_and(Control::is_cancelled) {
            self.limit = self.spent;
            return Err(Stopped);
        }
        Ok(())
    }
}
