//! The searches of both players, which run in alternating or parallel stints.

use super::counted::Workspace;
use super::search::{Limits, Progress, ProofSearch};
use super::table::{BoardResult, ResultTable};
use crate::answer::RuledOut;
use crate::rules::Position;
use crate::threads;
use pentago_base::{Clock, Control, Stopped};

/// The searches for the wins of either player. Both searches run for *stints* of equally many
/// boards of counted proofs, sequentially or in parallel. They exchange their results after each
/// stint, so the results don't depend on the number of threads.
pub(super) struct Searches<'a> {
    /// The search of each attacker.
    pub each: [ProofSearch<'a>; 2],
    parallel: bool,
    /// Cancels the whole question.
    whole: &'a Control,
    /// Ends the two searches, when `whole` is cancelled or the time of the searches is up.
    part: Control,
}

impl<'a> Searches<'a> {
    /// Creates both searches, whose tables take `table` bytes each. A proof has at most `sockets`
    /// sockets, and a located proof takes at most `memory` bytes.
    pub fn new(
        workspaces: [Workspace; 2],
        [table, memory]: [u64; 2],
        sockets: usize,
        limits: &'a Limits,
        control: &'a Control,
    ) -> Searches<'a> {
        let parallel = workspaces[0].threads > 1;
        let part = control.until(&limits.clock, limits.end);
        let search = |attacker, workspace| ProofSearch {
            attacker,
            workspace,
            table: ResultTable::new(table),
            theirs: ResultTable::new(table),
            limits,
            most: sockets,
            control: part.clone(),
            progress: Progress::BEGIN,
            pace: None,
            memory,
            wins: Vec::new(),
            budget: limits.boards / 2,
            pause: u64::MAX,
            paused: false,
        };
        let [first, second] = workspaces;
        let each = [search(0, first), search(1, second)];
        Searches { each, parallel, whole: control, part }
    }

    /// Returns the number of computed boards.
    pub fn boards(&self) -> u64 {
        self.each.iter().map(|search| search.progress.boards).sum()
    }

    /// Returns the plies within which neither player has a forced win of the position. The bounds
    /// also hold for each of its undecided moves.
    pub fn ruled_out(&self, position: &Position) -> RuledOut {
        // The search of a pending turn covers several rotations at once, so it rules out nothing.
        let plies = |search: &ProofSearch| if position.pending() { 0 } else { search.progress.ruled_out };
        let [win, loss] = self.each.each_ref().map(plies);
        RuledOut { win, loss }
    }

    /// Starts a stint. A search pauses once it has computed `boards` boards in total. A search that
    /// decides the position ends the stint of both searches by cancelling the control.
    pub fn begin(&mut self, boards: u64) {
        let stint = self.part.until(&Clock::none(), None);
        for search in &mut self.each {
            (search.control, search.pause, search.paused) = (stint.clone(), boards, false);
        }
    }

    /// Runs `work` on both searches.
    ///
    /// # Errors
    /// If the question is cancelled.
    pub fn run<R: Send>(
        &mut self,
        work: impl Fn(&mut ProofSearch) -> Result<R, Stopped> + Sync,
    ) -> Result<[Result<R, Stopped>; 2], Stopped> {
        let [first, second] = &mut self.each;
        let (first, second) = threads::join(self.parallel, || work(first), || work(second));
        if first.is_err() || second.is_err() {
            self.whole.check()?;
        }
        Ok([first, second])
    }

    /// Runs the located proofs that are due, one after the other, since each proof uses all threads
    /// and all the memory. If a proof ends its search, returns the results of both searches,
    /// otherwise `None`.
    ///
    /// # Errors
    /// If the question is cancelled.
    pub fn locate(
        &mut self,
        work: impl Fn(&mut ProofSearch) -> Result<Option<BoardResult>, Stopped>,
    ) -> Result<Option<[Result<BoardResult, Stopped>; 2]>, Stopped> {
        for search in &mut self.each {
            let Some(end) = work(search).transpose() else { continue };
            if end.is_err() {
                self.whole.check()?;
            }
            let mut ends = [Err(Stopped), Err(Stopped)];
            ends[search.attacker] = end;
            return Ok(Some(ends));
        }
        Ok(None)
    }

    /// Copies the results of each search to the other one.
    pub fn compare(&mut self) {
        let [first, second] = &mut self.each;
        first.theirs.copy_from(&second.table);
        second.theirs.copy_from(&first.table);
        let pace = first.pace.max(second.pace);
        (first.pace, second.pace) = (pace, pace);
    }
}
