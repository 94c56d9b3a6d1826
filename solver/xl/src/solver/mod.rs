//! The solver: finds the value of a position with the engine that is likely to be fastest.
//!
//! The solver tries the engines in this order until every value is known:
//!
//! 1. The look-ahead of one ply, which finds an immediate win of the seat to move.
//! 2. The dense solution, if the position is so small that no engine is faster.
//! 3. Forward proofs, with a limit on the number of moves.
//! 4. The dense solution, if it fits in memory.
//!
//! If a value stays unknown, the answer holds bounds on the value.
//!
//! With `continue=yes`, the solver has two engines. The look-ahead finds the moves that give the
//! seat to move a place. The walk plays all games to their end, with the same limit on the number
//! of moves.

mod question;
mod request;
mod turn;

pub use request::{Limits, Request};

use pentago_base::{Control, Kernel, Refusal};
use pentago_search::{Table as SearchTable, TableTooLarge};

use self::question::Question;
use crate::answer::{Answer, Bounds, Engine, MoveValue};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;

/// A solver for positions under one set of rules.
///
/// The solver stores the results of forward searches in a table. Use one solver for several
/// positions of the same game, so that later positions reuse these results.
pub struct Solver {
    rules: Rules,
    kernel: Kernel,
    limits: Limits,
    table: SearchTable,
}

impl Solver {
    /// Creates a solver for these rules.
    ///
    /// # Errors
    /// If the table of the forward searches does not fit in memory.
    pub fn new(rules: Rules, limits: Limits, kernel: Kernel) -> Result<Solver, TableTooLarge> {
        Ok(Solver { rules, kernel, limits, table: SearchTable::new(limits.table_bytes)? })
    }

    /// Returns the rules under which the solver solves positions.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Finds the value of a position for each seat, and the other results that `request` asks for.
    /// If `control` is cancelled, the answer holds the bounds that were proved before.
    ///
    /// # Errors
    /// If no game leads to the position.
    pub fn solve(&mut self, p: &Position, request: &Request, control: &Control) -> Result<Answer, Refusal> {
        let (rules, limits) = (self.rules, self.limits);
        rules.check(p)?;
        if let Some(outcome) = rules.outcome(p) {
            return Ok(self.ended(&outcome));
        }
        let mut answer = Answer::EMPTY;
        rules.everyone().iter().for_each(|seat| answer.seats[seat.index()] = Bounds::UNKNOWN);
        if request.moves {
            let all = rules.moves(p).into_iter();
            answer.moves = all.map(|m| MoveValue { m, bounds: Bounds::UNKNOWN, plies: None }).collect();
        }
        let (kernel, table, left) = (self.kernel, &mut self.table, limits.nodes);
        Ok(Question { rules, kernel, limits, table, p, request, control, answer, left }.run())
    }

    /// Returns the answer for a game that is over.
    fn ended(&self, outcome: &Outcome) -> Answer {
        let mut answer = Answer { plies: Some(0), engine: Engine::Over, ..Answer::EMPTY };
        for seat in self.rules.everyone().iter() {
            answer.seats[seat.index()] = Bounds::exactly(outcome.value(&self.rules, seat));
        }
        answer
    }
}
