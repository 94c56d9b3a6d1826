//! A request to the solver, and the limits on its work and memory.

use crate::answer::Engine;

/// The results to compute besides the value of each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// `true` to compute the value of every move.
    pub moves: bool,
    /// `true` to compute the number of plies to the end of forced wins.
    pub distance: bool,
    /// If a value stays unknown, the solver searches for a win that a side can force within this
    /// number of plies. `None` omits this search.
    pub win_within: Option<u32>,
}

/// The limits on the work for one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of moves that all forward searches and walks make together.
    pub nodes: u64,
    /// The size in bytes of the table that stores the results of forward searches.
    pub table_bytes: usize,
    /// The maximum memory of a dense solution, in bytes.
    pub memory: u64,
    /// The only engine that the solver may use. `None` allows all engines.
    pub engine: Option<Engine>,
}

impl Default for Limits {
    /// Returns limits of two million moves, a table of 64 MiB, and 2 GiB for a dense solution.
    /// Allows all engines.
    fn default() -> Limits {
        Limits { nodes: 2_000_000, table_bytes: 64 << 20, memory: 2 << 30, engine: None }
    }
}
