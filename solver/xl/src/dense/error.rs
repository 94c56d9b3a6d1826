//! The reasons why a position has no dense solution.

use pentago_base::Stopped;

use super::numbers::MOST_EMPTY;

/// The reason why there is no dense solution.
#[derive(Debug, thiserror::Error)]
pub enum DenseError {
    /// The position has too many free sockets, or the rules have `continue=yes`.
    #[error("a dense solution needs at most {MOST_EMPTY} free sockets and continue=no")]
    Unfit,
    /// The solution needs more memory than the limit.
    #[error("a dense solution needs {needed} bytes of memory, the limit is {limit} bytes")]
    Memory {
        /// The memory that the solution needs, in bytes.
        needed: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The system refused to allocate memory.
    #[error("cannot allocate the memory for a dense solution: {0}")]
    System(#[from] std::io::Error),
    /// The caller cancelled the computation.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}
