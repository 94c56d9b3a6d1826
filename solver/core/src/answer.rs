//! The answer for a position: its value, the value of every move, and their sources.
//!
//! Rules, tables, proofs and solutions fill an [`Answer`]. All values are for the side to
//! move in the given position.

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
    /// For a win or loss, if requested: plies to the end of the game, including this move, if the
    /// winner hurries and the loser delays.
    pub distance: Option<usize>,
    /// The source of the value.
    pub origin: Origin,
    /// Where no move is known to keep the value of the position: the expected score of this one
    /// in thousandths, by evaluation. A guess, not a value.
    pub guess: Option<u16>,
}

/// The answer for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value for the side to move.
    pub value: Value,
    /// The source of that value.
    pub origin: Origin,
    /// For a win or loss, if requested: plies to the end of the game.
    pub distance: Option<usize>,
    /// All legal moves, best first; none if the game is over.
    pub moves: Vec<MoveEval>,
    /// The number of best moves: those that keep the value of the position, as far as was searched.
    /// Where none is known to, those with the best guess, if there is one ([`MoveEval::guess`]).
    pub best: usize,
    /// The depth of the search in plies.
    pub plies: usize,
    /// What is ruled out of a value that is unknown: that of the position, or of one of its moves.
    pub ruled_out: RuledOut,
    /// The least that a value which is unknown can be, if tables say so of the positions before this
    /// one.
    pub at_least: Option<Value>,
    /// Whether it was searched to the end of the game: nothing is unknown.
    pub complete: bool,
    /// Boards computed for the answer, repetitions included.
    pub boards: u64,
    /// Best moves of both sides to the end of the game, if a distance was requested and found.
    pub line: Vec<Move>,
    /// The estimate of the full solution.
    pub full: Estimate,
}

impl Answer {
    /// The best moves: those that keep the value of the position, as far as was searched, or else
    /// those with the best guess ([`MoveEval::guess`]).
    #[must_use]
    pub fn best_moves(&self) -> &[MoveEval] {
        &self.moves[..self.best]
    }

    /// Adds what proofs decided, and what they rule out, to what a search of a few plies left open.
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

    /// Gives the moves whose value is unknown these guesses, in their order.
    pub fn add_guesses(&mut self, guesses: Vec<Option<u16>>) {
        let unknown = self.moves.iter_mut().filter(|m| m.value == Value::Unknown);
        unknown.zip(guesses).for_each(|(m, guess)| m.guess = guess);
        self.order();
    }

    /// Says of what is unknown that this is ruled out, too.
    pub fn rule_out(&mut self, more: RuledOut) {
        self.ruled_out = self.ruled_out.or(more);
        let origins = self.moves.iter_mut().map(|m| &mut m.origin).chain([&mut self.origin]);
        for origin in origins {
            if let Origin::Unknown(Unknown { unsolved: Unsolved::Open { ruled_out }, .. }) = origin {
                *ruled_out = self.ruled_out;
            }
        }
    }

    /// Sorts the moves, best first, and counts those that keep the value, as far as is known.
    pub fn order(&mut self) {
        self.moves.sort_by_key(|m| (m.value.order(m.distance), Reverse(m.guess)));
        let (value, distance) = (self.value, self.distance);
        let is_best = |m: &&MoveEval| m.value == value && m.distance == distance;
        self.best = match value {
            Value::Unknown => 0,
            // Best moves lead the list: a value ranks before all that are worse.
            _ => self.moves.iter().filter(is_best).count(),
        };
        let best_guess = self.moves.iter().filter_map(|m| m.guess).max();
        if let (0, Some(guess)) = (self.best, best_guess) {
            // A draw that is known is half a win.
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

/// What is ruled out of unknown values: counted in plies from the position that was asked about, also
/// for its moves. 0 if nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuledOut {
    /// The side to move can't force a win within so many plies.
    pub win: usize,
    /// Nor can the other side.
    pub loss: usize,
}

impl RuledOut {
    /// By a search of so many plies for the wins of both sides.
    #[must_use]
    pub fn within(plies: usize) -> RuledOut {
        RuledOut { win: plies, loss: plies }
    }

    /// By this or by something else.
    #[must_use]
    pub fn or(self, other: RuledOut) -> RuledOut {
        RuledOut { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }

    /// Whether nothing is ruled out.
    #[must_use]
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

/// The options of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Limit the search to this number of plies.
    pub depth: Option<usize>,
    /// Search to the end of the game, or fail.
    pub exact: bool,
    /// Find distances and the principal variation.
    pub distance: bool,
    /// Time budget for deepening: a deeper search that is expected to exceed it isn't started.
    /// Proofs, which come first, take nine tenths of it at most.
    pub time: Option<Duration>,
    /// Boards that proofs may compute before anything else is tried; 0 for no proofs. Where neither
    /// time nor memory ends them first, the same number gives the same answer. If none is given, 2 billion, or
    /// as many as there is time for.
    pub proof_boards: Option<u64>,
    /// Where the full solution doesn't fit, be content with what proofs show, and take all of the
    /// time for them.
    pub proofs_only: bool,
    /// Boards that are evaluated for a guess, where no move is known to keep the value; 0 for no
    /// guess. If none is given, half a million, or as many as there is time for.
    pub guess_boards: Option<u64>,
    /// Only look the position up, and solve nothing. Without tables it means nothing.
    pub tables_only: bool,
}

/// The source of a value, most certain first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The game ends there.
    Rules,
    /// A table.
    Table,
    /// The published values of the first plies, which are part of the program.
    Published,
    /// The rooted solver.
    Solved,
    /// A proof in which the winner uses some of his moves only.
    Proof {
        /// Sockets that he may use in the proof of the position.
        sockets: u8,
        /// Plies that were searched before that.
        depth: u8,
        /// The game ends within this many plies: a bound, not the distance.
        within: usize,
    },
    /// The value is unknown.
    Unknown(Unknown),
}

impl Origin {
    /// Unknown, but for what is ruled out.
    pub fn open(ruled_out: RuledOut) -> Origin {
        Origin::Unknown(Unknown { missing: None, unsolved: Unsolved::Open { ruled_out } })
    }

    /// `rules`, `table`, `published`, `solved`, `proof` or `unknown`.
    #[must_use]
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

    #[cfg(feature = "parallel")]
    /// Returns the rank of the source: of the sources of several values the one of the highest rank is named.
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

/// Why a value is unknown: no table has it, and the solver doesn't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What the tables lack, if there are any.
    pub missing: Option<Missing>,
    /// What the solver lacks.
    pub unsolved: Unsolved,
}

/// Why the solver has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsolved {
    /// Solving was disabled.
    NotAsked,
    /// The full solution doesn't fit in the memory limit.
    Memory {
        /// Bytes required.
        need: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Proofs and a limited search didn't decide it.
    Open {
        /// What they rule out.
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
                write!(f, "solving it takes {need} MB of memory, but the limit is {limit} MB")
            }
            Unsolved::Open { ruled_out } => write!(f, "{ruled_out}"),
        }
    }
}

/// Why no table holds a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// There is nothing for these rules.
    Rules(Rules),
    /// It is below none of the roots, and there is no whole game.
    Elsewhere,
    /// It belongs to a target, but its slice isn't there.
    Slice {
        /// Its marbles.
        marbles: u32,
        /// The least marbles of the target's tables.
        first: u8,
        /// The most.
        last: u8,
    },
    /// The table of its slice doesn't hold its section.
    Section(Section),
    /// The turn is still to come: tables hold positions at the beginning of a move.
    Pending,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Rules(rules) => write!(f, "there is no table for the rules {rules}"),
            Missing::Elsewhere => write!(f, "no table holds it: it is not below any root"),
            Missing::Slice { marbles, first, last } => {
                let with = counted(*marbles, "marble");
                if (u32::from(*first)..u32::from(*last)).contains(marbles) {
                    return write!(f, "no table holds it: there is none of positions with {with}");
                }
                let to = if first == last { String::new() } else { format!(" to {last}") };
                write!(f, "no table holds it: it has {with}, but only positions with {first}{to} are stored")
            }
            Missing::Section(section) => write!(f, "no table holds it: its section {section} is missing"),
            Missing::Pending => write!(f, "no table holds it: its turn is pending"),
        }
    }
}

impl Missing {
    /// How much it tells: the most specific reason is given.
    #[cfg(feature = "parallel")]
    /// Returns the rank of the source: of the sources of several values the one of the highest rank is named.
    pub fn weight(&self) -> u8 {
        match self {
            Missing::Rules(_) => 0,
            Missing::Elsewhere => 1,
            Missing::Slice { .. } => 2,
            Missing::Section(_) | Missing::Pending => 3,
        }
    }
}
