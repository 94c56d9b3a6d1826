//! What is done for one question: its solutions, the boards that they took, and the time.

use pentago_base::{Control, Stage};
use pentago_core::answer::Request;
use pentago_core::rules::Position;
use pentago_core::solve::{RootedSolver, Solution, SolveError};
use std::time::Duration;

/// Counts boards, tells the caller what comes next, and knows when the time is up.
pub(super) struct Work<'a> {
    pub solver: &'a mut RootedSolver,
    pub control: &'a Control,
    pub request: &'a Request,
    /// Boards computed so far.
    pub boards: u64,
    /// The clock's time when it began.
    pub began: Option<Duration>,
}

impl<'a> Work<'a> {
    /// Begins now.
    pub fn new(solver: &'a mut RootedSolver, control: &'a Control, request: &'a Request) -> Work<'a> {
        let began = solver.clock().now();
        Work { solver, control, request, boards: 0, began }
    }

    /// Solves a position to a depth.
    pub fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory() {
            let to_the_end = plies >= self.solver.all_plies(position);
            self.control.begin(Stage::rooted(estimate, to_the_end));
        }
        let solution = self.solver.solve(position, plies, self.control)?;
        self.boards += solution.boards;
        Ok(solution)
    }

    /// Whether a solution of this number of boards can be expected to end in time, at the rate of those before.
    pub fn in_time(&self, boards: u64) -> bool {
        let Some(time) = self.request.time else { return true };
        let spent = self.solver.clock().since(self.began).as_secs_f64();
        // The first solutions are too small to tell.
        let expected = self.solver.seconds_per_board().map_or(0.0, |seconds| boards as f64 * seconds);
        spent + expected <= time.as_secs_f64()
    }
}
