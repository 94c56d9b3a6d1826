//! What is done for one question: its solutions, the boards that they took, and the time.

use crate::answer::Request;
use crate::rules::Position;
use crate::solve::{RootedSolver, Solution, SolveError};
use pentago_base::{Control, Stage};
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
    /// Boards of the full-width solutions, and the time that they took.
    full_width: (u64, Duration),
}

impl<'a> Work<'a> {
    /// Begins now.
    pub fn new(solver: &'a mut RootedSolver, control: &'a Control, request: &'a Request) -> Work<'a> {
        let began = solver.clock().now();
        Work { solver, control, request, boards: 0, began, full_width: (0, Duration::ZERO) }
    }

    /// Solves a position to a depth.
    pub fn solve(&mut self, position: &Position, plies: usize) -> Result<Solution, SolveError> {
        let estimate = self.solver.estimate(position, plies);
        if estimate.bytes <= self.solver.memory() {
            let to_the_end = plies >= self.solver.all_plies(position);
            self.control.begin(Stage::rooted(estimate, to_the_end));
        }
        let began = self.solver.clock().now();
        let solution = self.solver.solve(position, plies, self.control)?;
        self.boards += solution.boards;
        self.full_width.0 += solution.boards;
        self.full_width.1 += self.solver.clock().since(began);
        Ok(solution)
    }

    /// Whether a solution of this number of boards can be expected to end in time, at the rate so far.
    pub fn in_time(&self, boards: u64) -> bool {
        let Some(time) = self.request.time else { return true };
        let spent = self.solver.clock().since(self.began).as_secs_f64();
        // The rate of proofs is another one. The first solutions are too small to tell theirs.
        let (done, took) = self.full_width;
        let rate = done.max(1) as f64 / took.as_secs_f64().max(1e-3);
        let expected = if done < 1_000_000 { 0.0 } else { boards as f64 / rate };
        spent + expected <= time.as_secs_f64()
    }
}
