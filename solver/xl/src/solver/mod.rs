//! The front door: what is a position worth? Chooses among the engines.
//!
//! 1. The look-ahead of one ply, which knows at once whether the seat to move wins at once.
//! 2. The dense solution, where it is so small that nothing is faster.
//! 3. Forward proofs, within a number of moves.
//! 4. The dense solution, where it fits in memory.
//! 5. What has been proved till then.
//!
//! With `continue=yes` all play is walked through instead, if it is short enough.

mod question;
mod turn;

use pentago_base::Kernel;
use pentago_search::Table as SearchTable;

use crate::answer::{Answer, Bounds, Engine, MoveValue};
use crate::dense::{DenseEstimate, dense_estimate};
use crate::options::Rules;
use crate::outcome::{Outcome, Value};
use crate::position::{ImpossiblePosition, Position};
use crate::seat::Seat;
use pentago_base::Control;

use self::question::Question;

/// What to find out, besides the value of each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// The value of every move.
    pub moves: bool,
    /// The plies to the end of forced wins.
    pub distance: bool,
    /// The max^n vector.
    pub vector: bool,
    /// Where the value stays unknown: can a side force a win within this number of plies?
    pub win_within: Option<u32>,
}

/// How much may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Moves that forward searches and walks may make, for everything that was asked together.
    pub nodes: u64,
    /// Bytes of the table of forward searches.
    pub table_bytes: usize,
    /// Bytes that a dense solution may use.
    pub memory: u64,
    /// The one engine to use, or nothing to choose.
    pub engine: Option<Engine>,
}

impl Default for Limits {
    /// Two million moves, a table of 64 MiB, and 2 GiB for dense solutions.
    fn default() -> Limits {
        Limits { nodes: 2_000_000, table_bytes: 64 << 20, memory: 2 << 30, engine: None }
    }
}

/// Why a position could not be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// No game leads to it.
    #[error("no game leads here: {0}")]
    Impossible(#[from] ImpossiblePosition),
    /// The table of the forward searches does not fit in memory.
    #[error(transparent)]
    Table(#[from] pentago_search::TableTooLarge),
}

/// Finds values of positions under one set of rules. Keeps a table of what forward searches found,
/// so it is best used for one position after another.
pub struct Solver {
    rules: Rules,
    kernel: Kernel,
    limits: Limits,
    table: SearchTable,
}

impl Solver {
    /// A solver for these rules.
    ///
    /// # Errors
    /// If the table for forward searches does not fit in memory.
    pub fn new(rules: Rules, limits: Limits, kernel: Kernel) -> Result<Solver, SolveError> {
        Ok(Solver { rules, kernel, limits, table: SearchTable::new(limits.table_bytes)? })
    }

    /// Its rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns what a dense solution of a position would take, or nothing if there can be none.
    #[must_use]
    pub fn estimate(&self, p: &Position) -> Option<DenseEstimate> {
        dense_estimate(&self.rules, p, None)
    }

    /// Returns what is known about a position. If `control` is cancelled, that is less.
    ///
    /// # Errors
    /// If no game leads to the position.
    pub fn solve(
        &mut self,
        p: &Position,
        request: &Request,
        control: &Control,
    ) -> Result<Answer, SolveError> {
        self.rules.check(p)?;
        if let Some(outcome) = self.rules.outcome(p) {
            return Ok(self.ended(&outcome));
        }
        let mut answer = NOTHING_KNOWN;
        self.rules.everyone().iter().for_each(|seat| answer.seats[seat.index()] = Bounds::UNKNOWN);
        if request.moves {
            let all = self.rules.moves(p).into_iter();
            answer.moves = all.map(|m| MoveValue { m, bounds: Bounds::UNKNOWN, plies: None }).collect();
        }
        Ok(Question::new(self, p, request, control, answer).run())
    }

    /// The answer where the game is over.
    fn ended(&self, outcome: &Outcome) -> Answer {
        let mut answer = Answer {
            outcome: Some(*outcome),
            half_points: Some([0; 4]),
            plies: Some(0),
            engine: Engine::Over,
            ..NOTHING_KNOWN
        };
        let points = answer.half_points.iter_mut().flatten();
        for (seat, points) in Seat::ALL.into_iter().zip(points).filter(|(seat, _)| self.plays(*seat)) {
            answer.seats[seat.index()] = Bounds::exactly(outcome.value(&self.rules, seat));
            *points = outcome.half_points(seat);
        }
        answer
    }

    fn plays(&self, seat: Seat) -> bool {
        self.rules.everyone().has(seat)
    }
}

/// An answer that says nothing yet.
const NOTHING_KNOWN: Answer = Answer {
    outcome: None,
    seats: [Bounds::exactly(Value::Loss); 4],
    half_points: None,
    moves: Vec::new(),
    best: None,
    plies: None,
    no_win_within: None,
    vector: None,
    engine: Engine::None,
    nodes: 0,
};
