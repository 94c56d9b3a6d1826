//! What would fit where memory doesn't suffice.

use pentago_core::answer::{Estimate, Request};
use pentago_core::rules::Position;
use pentago_core::solve::RootedSolver;

/// A question takes more memory than the solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solution takes {} bytes of memory, but the limit is {limit}", asked.bytes)]
pub struct NotEnoughMemory {
    /// The solution that was asked for.
    pub asked: Estimate,
    /// Whether it goes to the end of the game.
    pub full: bool,
    /// The limit in bytes.
    pub limit: u64,
    /// The deepest solution that fits, if any does.
    pub fits: Option<Estimate>,
}

impl NotEnoughMemory {
    /// What a request takes, and what would fit.
    pub(super) fn of(solver: &RootedSolver, position: &Position, request: &Request) -> NotEnoughMemory {
        let all = solver.all_plies(position);
        let plies = request.depth.filter(|_| !request.exact).unwrap_or(all);
        let limit = solver.memory();
        let less = (1..plies.min(all)).rev().map(|plies| solver.estimate(position, plies));
        NotEnoughMemory {
            asked: solver.estimate(position, plies),
            full: plies >= all,
            limit,
            fits: { less }.find(|estimate| estimate.bytes <= limit),
        }
    }
}
