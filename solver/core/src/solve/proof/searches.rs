//! The searches of both players, which run in alternating or parallel stints.

use super::counted::Workspace;
use super::full_width::WinTable;
use super::search::{Limits, Progress, ProofSearch};
use super::table::ResultTable;
use crate::answer::RuledOut;
use crate::rules::Position;
use crate::threads;
use pentago_base::{Clock, Control, Stopped};

/// The searches for the wins of both players. Both searches run in *stints* of equally many boards
/// of counted proofs, sequentially or in parallel. After each stint the searches exchange their
/// results, so the results don't depend on the number of threads.
pub(super) struct Searches<'a> {
    /// The searches, indexed by attacker.
    pub each: [ProofSearch; 2],
    parallel: bool,
    /// The control of the whole question. If it is cancelled, the methods return an error.
    whole: &'a Control,
    /// The control of both searches: stops them when `whole` is cancelled or the time limit of the
    /// searches expires.
    part: Control,
}

impl<'a> Searches<'a> {
    /// Creates both searches. Each table of results and each table of a full-width search takes at
    /// most `table` bytes. A counted proof has at most `sockets` sockets.
    pub fn new(
        workspaces: [Workspace; 2],
        table: u64,
        sockets: usize,
        limits: &Limits,
        control: &'a Control,
    ) -> Searches<'a> {
        let parallel = workspaces[0].threads > 1;
        let part = control.until(&limits.clock, limits.end);
        let search = |attacker, workspace| ProofSearch {
            attacker,
            workspace,
            table: ResultTable::new(table),
            theirs: ResultTable::new(table),
            most: sockets,
            control: part.clone(),
            progress: Progress::BEGIN,
            full_width: WinTable::new(table),
            wins: Vec::new(),
            budget: limits.boards / 2,
            pause: u64::MAX,
            paused: false,
        };
        let [first, second] = workspaces;
        let each = [search(0, first), search(1, second)];
        Searches { each, parallel, whole: control, part }
    }

    /// Returns the number of boards that both searches have computed.
    pub fn boards(&self) -> u64 {
        self.each.iter().map(|search| search.progress.boards()).sum()
    }

    /// Returns the cost of both searches so far, in boards of counted proofs.
    pub fn cost(&self) -> u64 {
        self.each.iter().map(|search| search.progress.cost()).sum()
    }

    /// Returns the numbers of plies within which the two players have no forced win of the
    /// position. The bounds also hold for each undecided move of the position.
    pub fn ruled_out(&self, position: &Position) -> RuledOut {
        // If a turn is pending, the search covers several rotations at once. The bound of the
        // search then doesn't apply to each single rotation, so return 0.
        let plies = |search: &ProofSearch| if position.pending() { 0 } else { search.progress.ruled_out };
        let [win, loss] = self.each.each_ref().map(plies);
        RuledOut { win, loss }
    }

    /// Starts a stint. Each search pauses once it has computed more than `boards` boards of counted
    /// proofs since its creation. A search that decides the position cancels the control of the
    /// stint, which also stops the other search.
    pub fn begin(&mut self, boards: u64) {
        let stint = self.part.until(&Clock::none(), None);
        for search in &mut self.each {
            (search.control, search.pause, search.paused) = (stint.clone(), boards, false);
        }
    }

    /// Runs `work` on both searches. Returns the result for each search.
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

    /// Copies the table of each search to the other search.
    pub fn compare(&mut self) {
        let [first, second] = &mut self.each;
        first.theirs.copy_from(&second.table);
        second.theirs.copy_from(&first.table);
    }
}
