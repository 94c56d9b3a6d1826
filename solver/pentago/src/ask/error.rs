//! The errors of a search, with what would fit if memory doesn't suffice.

use pentago_core::answer::{Estimate, Question};
use pentago_core::rules::Position;
use pentago_core::solve::{RootedSolver, SolveError};

/// The reason why a search has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A table is damaged or unreadable.
    #[cfg(feature = "tables")]
    #[error(transparent)]
    Table(#[from] pentago_tables::tables::TableError),
    /// A table holds a wrong value.
    #[cfg(feature = "tables")]
    #[error(transparent)]
    Contradiction(#[from] super::stored::Contradiction),
    /// The required solution exceeds the memory limit.
    #[error(transparent)]
    Memory(#[from] NotEnoughMemory),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// The error for a question that needs more memory than the solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the solution takes {} bytes of memory, but the limit is {limit}", asked.bytes)]
pub struct NotEnoughMemory {
    /// The size of the required solution.
    pub asked: Estimate,
    /// `true` if the required solution goes to the end of the game.
    pub full: bool,
    /// The limit in bytes.
    pub limit: u64,
    /// The size of the deepest solution that fits, or `None` if none fits.
    pub fits: Option<Estimate>,
}

impl NotEnoughMemory {
    /// Estimates the required solution of a question, and the deepest one that fits.
    pub(super) fn of(solver: &RootedSolver, position: &Position, question: &Question) -> NotEnoughMemory {
        let all = solver.all_plies(position);
        let plies = question.depth.filter(|_| !question.exact).map_or(all, |plies| plies as usize);
        let limit = solver.memory;
        let less = (1..plies.min(all)).rev().map(|plies| solver.estimate(position, plies));
        NotEnoughMemory {
            asked: solver.estimate(position, plies),
            full: plies >= all,
            limit,
            fits: { less }.find(|estimate| estimate.bytes <= limit),
        }
    }
}
