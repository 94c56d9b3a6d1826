//! The answer for a position: its value, the value of every move, and their sources.
//!
//! Rules, tables, proofs and solutions fill an [`Answer`]. All values are for the side to move in
//! the given position.

pub use pentago_base::{Estimate, Value};

use crate::index::Section;
use crate::rules::{Move, Position, Rules};
use pentago_base::{counted, counted_plies};
use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

/// A legal move with its value for the player who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEval {
    /// The move.
    pub mv: Move,
    /// The position after the move.
    pub position: Position,
    /// The value for the mover.
    pub value: Value,
    /// The number of plies to the end of the game, including this move, if the winner hurries and
    /// the loser delays. `None` if it wasn't requested, or the value is neither a win nor a loss.
    pub distance: Option<usize>,
    /// The source of the value.
    pub origin: Origin,
    /// The expected score of a move of unknown value, in thousandths, by evaluation. `None` if some
    /// move is known to keep the value of the position, or no guess was made.
    pub guess: Option<u16>,
}

/// The answer for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value for the side to move.
    pub value: Value,
    /// The source of the value.
    pub origin: Origin,
    /// The number of plies to the end of the game. `None` if it wasn't requested, or the value is
    /// neither a win nor a loss.
    pub distance: Option<usize>,
    /// All legal moves, best first; none if the game is over.
    pub moves: Vec<MoveEval>,
    /// The number of best moves, which lead the list of moves. A best move keeps the value of the
    /// position, as far as was searched. If no move is known to keep the value, the best moves have
    /// the best guess ([`MoveEval::guess`]).
    pub best: usize,
    /// The depth of the search in plies.
    pub plies: usize,
    /// The results that are ruled out where the value of the position or of a move is unknown.
    pub ruled_out: RuledOut,
    /// A lower bound on the value of the position if it is unknown. It comes from tables that hold
    /// a parent of the position. `None` if there is no such bound.
    pub at_least: Option<Value>,
    /// `true` if the search reached the end of the game everywhere, so that no value is unknown.
    pub complete: bool,
    /// The number of boards computed for the answer, repetitions included.
    pub boards: u64,
    /// Best moves of both sides to the end of the game. Empty unless a distance was requested and
    /// found.
    pub line: Vec<Move>,
    /// The estimated cost of the full solution.
    pub full: Estimate,
}

impl Answer {
    /// Returns the best moves: the moves that keep the value of the position, as far as was
    /// searched. If no move is known to keep the value, returns the moves with the best guess
    /// ([`MoveEval::guess`]).
    pub fn best_moves(&self) -> &[MoveEval] {
        &self.moves[..self.best]
    }

    /// Adds the results of proofs to the answer of a shallow search: values that are unknown here
    /// are taken from `proved`, and so are the results that are ruled out.
    pub fn add_proofs(&mut self, proved: &Answer) {
        for m in self.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            if let Some(by_proof) = proved.moves.iter().find(|other| other.mv == m.mv) {
                *m = by_proof.clone();
            }
        }
        if self.value == Value::Unknown && proved.value != Value::Unknown {
            (self.value, self.origin) = (proved.value, proved.origin.clone());
        }
        self.rule_out(proved.ruled_out);
        self.order();
    }

    /// Sets the guesses of the moves of unknown value. `guesses` has one for each of these moves,
    /// in the order of the moves.
    pub fn add_guesses(&mut self, guesses: Vec<Option<u16>>) {
        let unknown = self.moves.iter_mut().filter(|m| m.value == Value::Unknown);
        unknown.zip(guesses).for_each(|(m, guess)| m.guess = guess);
        self.order();
    }

    /// Adds results that are ruled out, for the position and for each move of unknown value.
    pub fn rule_out(&mut self, more: RuledOut) {
        self.ruled_out = self.ruled_out.or(more);
        let origins = self.moves.iter_mut().map(|m| &mut m.origin).chain([&mut self.origin]);
        for origin in origins {
            if let Origin::Unknown(Unknown { unsolved: Unsolved::Open { ruled_out }, .. }) = origin {
                *ruled_out = self.ruled_out;
            }
        }
    }

    /// Sorts the moves, best first, and counts the best moves ([`Answer::best`]).
    pub fn order(&mut self) {
        self.moves.sort_by_key(|m| (m.value.order(m.distance), Reverse(m.guess)));
        let (value, distance) = (self.value, self.distance);
        let is_best = |m: &&MoveEval| m.value == value && m.distance == distance;
        self.best = match value {
            Value::Unknown => 0,
            _ => self.moves.iter().filter(is_best).count(),
        };
        let best_guess = self.moves.iter().filter_map(|m| m.guess).max();
        if let (0, Some(guess)) = (self.best, best_guess) {
            // A known draw counts as half a win.
            let worth = |m: &MoveEval| match m.value {
                Value::Win => 1000,
                Value::Draw => 500,
                Value::Unknown => m.guess.unwrap_or(0),
                Value::Loss => 0,
            };
            self.moves.sort_by_key(|m| Reverse((m.value != Value::Loss, worth(m))));
            let best = guess.max(worth(&self.moves[0]));
            self.best = self.moves.iter().take_while(|m| worth(m) == best).count();
        }
    }
}

/// Results that are ruled out where a value is unknown. Plies are counted from the position of the
/// question, for the values of its moves, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuledOut {
    /// The side to move can't force a win within this number of plies. 0 rules out nothing.
    pub win: usize,
    /// The other side can't force a win within this number of plies. 0 rules out nothing.
    pub loss: usize,
}

impl RuledOut {
    /// Returns the result of a search of `plies` plies that found no win of either side.
    pub fn within(plies: usize) -> RuledOut {
        RuledOut { win: plies, loss: plies }
    }

    /// Returns all that one of the two rules out.
    #[must_use]
    pub fn or(self, other: RuledOut) -> RuledOut {
        RuledOut { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }

    /// Returns whether nothing is ruled out.
    pub fn is_nothing(self) -> bool {
        self == RuledOut::default()
    }
}

impl fmt::Display for RuledOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuledOut { win, loss } = *self;
        match (win, loss) {
            (0, 0) => write!(f, "no proof was found"),
            (_, 0) => write!(f, "no win within {}", counted_plies(win)),
            (0, _) => write!(f, "no loss within {}", counted_plies(loss)),
            _ if win == loss => write!(f, "no win or loss within {}", counted_plies(win)),
            _ => write!(f, "no win within {}, no loss within {loss}", counted_plies(win)),
        }
    }
}

/// The options of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The maximum depth of the search in plies. `None` for no limit.
    pub depth: Option<usize>,
    /// Searches to the end of the game, or fails.
    pub exact: bool,
    /// Finds distances and the principal variation.
    pub distance: bool,
    /// The time budget for iterative deepening: a deeper search that is expected to exceed the
    /// budget isn't started. Proofs run before the search and take at most nine tenths of the
    /// budget.
    pub time: Option<Duration>,
    /// The number of boards that proofs may compute before any other search; 0 for no proofs. The
    /// number determines the answer unless time or memory runs out first. The default is 2 billion,
    /// or no limit if there is a time budget.
    pub proof_boards: Option<u64>,
    /// Tries only proofs if the full solution doesn't fit in memory. The proofs may then take the
    /// whole time budget.
    pub proofs_only: bool,
    /// The number of boards to evaluate for a guess if no move is known to keep the value; 0 for no
    /// guess. The default is half a million, or no limit if there is a time budget.
    pub guess_boards: Option<u64>,
    /// Looks the position up in tables, and solves nothing. Without tables the option has no
    /// effect.
    pub tables_only: bool,
}

/// The source of a value, most certain first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The rules: the game is over.
    Rules,
    /// A table.
    Table,
    /// The published values of the first plies, which are compiled into the program.
    Published,
    /// The rooted solver.
    Solved,
    /// A proof in which the winner considers only some of his moves.
    Proof {
        /// The number of sockets that the winner may use in the proof of the position.
        sockets: u8,
        /// The number of plies that were searched before the proof of the position.
        depth: u8,
        /// An upper bound on the distance in plies.
        within: usize,
    },
    /// The value is unknown.
    Unknown(Unknown),
}

impl Origin {
    /// Returns the source of an unknown value that tables lack and a limited search left open.
    pub fn open(ruled_out: RuledOut) -> Origin {
        Origin::Unknown(Unknown { missing: None, unsolved: Unsolved::Open { ruled_out } })
    }

    /// Returns the name in text and JSON: `rules`, `table`, `published`, `solved`, `proof` or
    /// `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Origin::Rules => "rules",
            Origin::Table => "table",
            Origin::Published => "published",
            Origin::Solved => "solved",
            Origin::Proof { .. } => "proof",
            Origin::Unknown(_) => "unknown",
        }
    }

    /// Returns the rank of the source. An answer that combines several values names the source of
    /// the highest rank.
    pub fn weight(&self) -> u8 {
        match self {
            Origin::Rules => 0,
            Origin::Table => 1,
            Origin::Published => 2,
            Origin::Solved => 3,
            Origin::Proof { .. } => 4,
            Origin::Unknown(_) => 5,
        }
    }
}

/// The reason for an unknown value: no table holds the position, and the solver found no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The reason why no table holds the position. `None` if there are no tables.
    pub missing: Option<Missing>,
    /// The reason why the solver has no value.
    pub unsolved: Unsolved,
}

/// The reason why the solver has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsolved {
    /// Solving was disabled.
    NotAsked,
    /// The full solution doesn't fit in the memory limit.
    Memory {
        /// The memory required, in bytes.
        need: u64,
        /// The memory limit in bytes.
        limit: u64,
    },
    /// Proofs and a limited search didn't decide the value.
    Open {
        /// The results that they rule out.
        ruled_out: RuledOut,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(missing) = &self.missing {
            write!(f, "{missing}; ")?;
        }
        match self.unsolved {
            Unsolved::NotAsked => write!(f, "solving was disabled"),
            Unsolved::Memory { need, limit } => {
                let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
                let (need, limit) = (megabytes(need), limit / 1_000_000);
                write!(f, "solving the position takes {need} MB of memory, but the limit is {limit} MB")
            }
            Unsolved::Open { ruled_out } => write!(f, "{ruled_out}"),
        }
    }
}

/// The reason why no table holds a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// There is no table for these rules.
    Rules(Rules),
    /// The position is below no root, and there are no tables of the whole game.
    Elsewhere,
    /// The tables of a root or of the whole game lack the slice of the position.
    Slice {
        /// The number of marbles of the position.
        marbles: u32,
        /// The least number of marbles in these tables.
        first: u8,
        /// The largest number of marbles in these tables.
        last: u8,
    },
    /// The table of the slice lacks the section of the position.
    Section(Section),
    /// The turn is pending: tables hold only positions at the beginning of a move.
    Pending,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Rules(rules) => write!(f, "there is no table for the rules {rules}"),
            Missing::Elsewhere => write!(f, "no table holds the position: it is not below any root"),
            Missing::Slice { marbles, first, last } => {
                let with = counted(*marbles, "marble");
                if (u32::from(*first)..u32::from(*last)).contains(marbles) {
                    return write!(f, "no table holds the position: there is no table for {with}");
                }
                let to = if first == last { String::new() } else { format!(" to {last}") };
                write!(f, "no table holds the position: it has {with}, but tables have {first}{to}")
            }
            Missing::Section(section) => {
                write!(f, "no table holds the position: its section {section} is missing")
            }
            Missing::Pending => write!(f, "no table holds the position: its turn is pending"),
        }
    }
}

impl Missing {
    /// Returns the rank of the reason. Of several reasons, the most specific has the highest rank.
    pub fn weight(&self) -> u8 {
        match self {
            Missing::Rules(_) => 0,
            Missing::Elsewhere => 1,
            Missing::Slice { .. } => 2,
            Missing::Section(_) | Missing::Pending => 3,
        }
    }
}
