//! A request to the solver, and its limits of work and memory.

use crate::answer::Engine;

/// The results that a caller wants besides the value of each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// The value of every move.
    pub moves: bool,
    /// The number of plies to the end of forced wins.
    pub distance: bool,
    /// A number of plies. If the value stays unknown, the solver looks for a win that a side can
    /// force within this number.
    pub win_within: Option<u32>,
}

/// The limits of the work for one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of moves that all forward searches and walks may make together.
    pub nodes: u64,
    /// The size of the table of forward searches, in bytes.
    pub table_bytes: usize,
    /// The memory that a dense solution may use, in bytes.
    pub memory: u64,
    /// The only engine that the solver may use. `None` allows all engines.
    pub engine: Option<Engine>,
}

impl Default for Limits {
    /// Returns two million moves, a table of 64 MiB, and 2 GiB for dense solutions.
    fn default() -> Limits {
        Limits { nodes: 2_000_000, table_bytes: 64 << 20, memory: 2 << 30, engine: None }
    }
}
