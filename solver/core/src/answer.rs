//! The answer to a question about a position: the values of the position and of its moves, and the
//! source of each value.
//!
//! The values in an [`Answer`] come from the rules, tables, proofs or solutions. All values are for
//! the side to move in the position of the question.

pub use pentago_base::{Estimate, Question, Value};

use crate::index::Section;
use crate::rules::{Move, Position, Rules};
use pentago_base::{counted, counted_plies};
use std::cmp::Reverse;
use std::fmt;

/// A legal move with its value for the player who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEval {
    /// The move.
    pub mv: Move,
    /// The position after the move.
    pub position: Position,
    /// The value for the player who makes the move.
    pub value: Value,
    /// The number of plies to the end of the game, including this move, if the winner hurries and
    /// the loser delays. `None` for draws, and if the question did not ask for distances.
    pub distance: Option<usize>,
    /// The source of the value.
    pub origin: Origin,
    /// The expected score in thousandths, estimated by evaluation. `None` if the value of the move
    /// is known, or if some move is known to achieve the value of the position.
    pub guess: Option<u16>,
}

/// The answer to a question about one position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The value for the side to move.
    pub value: Value,
    /// The source of the value.
    pub origin: Origin,
    /// The number of plies to the end of the game. `None` for draws, and if the question did not
    /// ask for distances.
    pub distance: Option<usize>,
    /// All legal moves, best first; empty if the game is over.
    pub moves: Vec<MoveEval>,
    /// The number of best moves: the moves that are known to achieve the value of the position. If
    /// no such move is known, the number of moves with the best guess ([`MoveEval::guess`]).
    pub best: usize,
    /// The depth of the solution in plies, or 0 if nothing was solved.
    pub plies: usize,
    /// The results that are ruled out for every unknown value, of the position and of its moves.
    pub ruled_out: RuledOut,
    /// A lower bound on the value of the position, from the stored values of its parents. `None` if
    /// the value is known, or if no stored parent yields a bound.
    pub at_least: Option<Value>,
    /// `true` if the value of the position and the values of all moves are known.
    pub complete: bool,
    /// The number of boards computed for the answer. A board that was computed several times counts
    /// each time.
    pub boards: u64,
    /// The best moves of both sides to the end of the game. Empty if the question did not ask for
    /// distances, or if no distance was found.
    pub line: Vec<Move>,
    /// The estimated cost of the full solution.
    pub full: Estimate,
}

impl Answer {
    /// Returns the best moves: the first [`Answer::best`] moves.
    pub fn best_moves(&self) -> &[MoveEval] {
        &self.moves[..self.best]
    }

    /// Replaces unknown values by those of `proved`, an answer found by proofs, and adds the
    /// results that `proved` rules out.
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

    /// Stores `guesses` in the moves of unknown value: the first guess in the first such move, and
    /// so on.
    pub fn add_guesses(&mut self, guesses: Vec<Option<u16>>) {
        let unknown = self.moves.iter_mut().filter(|m| m.value == Value::Unknown);
        unknown.zip(guesses).for_each(|(m, guess)| m.guess = guess);
        self.order();
    }

    /// Adds `more` to the results that are ruled out for all unknown values.
    pub fn rule_out(&mut self, more: RuledOut) {
        self.ruled_out = self.ruled_out.or(more);
        let origins = self.moves.iter_mut().map(|m| &mut m.origin).chain([&mut self.origin]);
        for origin in origins {
            if let Origin::Unknown(Unknown { unsolved: Unsolved::Open { ruled_out }, .. }) = origin {
                *ruled_out = self.ruled_out;
            }
        }
    }

    /// Sorts the moves, best first, and counts the best moves.
    pub fn order(&mut self) {
        self.moves.sort_by_key(|m| (m.value.order(m.distance), Reverse(m.guess)));
        let (value, distance) = (self.value, self.distance);
        let is_best = |m: &&MoveEval| m.value == value && m.distance == distance;
        self.best = match value {
            Value::Unknown => 0,
            // Sorting has put the moves with the value of the position first.
            _ => self.moves.iter().filter(is_best).count(),
        };
        let best_guess = self.moves.iter().filter_map(|m| m.guess).max();
        if let (0, Some(guess)) = (self.best, best_guess) {
            // A known draw is worth half a win.
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

/// The results that are ruled out for unknown values. All plies are counted from the position of
/// the question, even for its moves. 0 plies rule out nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuledOut {
    /// The side to move can't force a win within this number of plies.
    pub win: usize,
    /// The other side can't force a win within this number of plies.
    pub loss: usize,
}

impl RuledOut {
    /// Returns a `RuledOut` that excludes a win of either side within `plies` plies.
    pub fn within(plies: usize) -> RuledOut {
        RuledOut { win: plies, loss: plies }
    }

    /// Combines the results of two searches: keeps the larger number of plies for each side.
    #[must_use]
    pub fn or(self, other: RuledOut) -> RuledOut {
        RuledOut { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }

    /// Returns `true` if nothing is ruled out.
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

/// The source of a value. The variants are listed from the most certain source to the least
/// certain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The rules: the game is over.
    #[default]
    Rules,
    /// A table.
    Table,
    /// The published values of positions after the first few plies, which are embedded in the
    /// program.
    Published,
    /// The rooted solver.
    Solved,
    /// A proof in which the winner uses only some of the possible moves.
    Proof {
        /// The number of sockets that the winner may use.
        sockets: u8,
        /// The depth in plies of the search in which the proof was found, or 0 if no search
        /// preceded the proof.
        depth: u8,
        /// An upper bound on the number of plies to the end of the game. The exact distance may be
        /// smaller.
        within: usize,
    },
    /// No source: the value is unknown, for this reason.
    Unknown(Unknown),
}

impl Origin {
    /// Returns the origin of a value that is still unknown after a search.
    pub fn open(ruled_out: RuledOut) -> Origin {
        Origin::Unknown(Unknown { missing: None, unsolved: Unsolved::Open { ruled_out } })
    }

    /// Returns `rules`, `table`, `published`, `solved`, `proof` or `unknown`.
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

    /// Returns the rank of the source. The most certain source has rank 0. A value that follows
    /// from several values is attributed to the source of the highest rank.
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

/// The reasons for an unknown value: one from the tables, one from the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The reason why no table holds the value. `None` if no tables were consulted.
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
        /// The memory in bytes that the full solution requires.
        need: u64,
        /// The memory limit in bytes.
        limit: u64,
    },
    /// Proofs and a limited search did not decide the value.
    Open {
        /// The results that the search ruled out.
        ruled_out: RuledOut,
    },
}

const MEGA: u64 = 1_000_000;

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(missing) = &self.missing {
            write!(f, "{missing}; ")?;
        }
        match self.unsolved {
            Unsolved::NotAsked => write!(f, "solving was disabled"),
            Unsolved::Memory { need, limit } => {
                let limit =
                    if limit < MEGA { counted(limit, "byte") } else { format!("{} MB", limit / MEGA) };
                write!(f, "solving it takes {} MB of memory, but the limit is {limit}", need.div_ceil(MEGA))
            }
            Unsolved::Open { ruled_out } => write!(f, "{ruled_out}"),
        }
    }
}

/// The reason why no table holds a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The folder has no table for these rules.
    Rules(Rules),
    /// The position is below none of the stored roots, and the folder holds no complete game.
    Elsewhere,
    /// The tables cover the position, but the table of its slice is missing.
    Slice {
        /// The number of marbles of the position.
        marbles: u32,
        /// The smallest number of marbles of a stored slice.
        first: u8,
        /// The largest number of marbles of a stored slice.
        last: u8,
    },
    /// The table of the slice lacks this section.
    Section(Section),
    /// The turn is pending: tables hold only positions at the start of a move.
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
    /// Returns the rank of the reason. If there are several reasons, only the reason with the
    /// highest rank is reported.
    pub fn weight(&self) -> u8 {
        match self {
            Missing::Rules(_) => 0,
            Missing::Elsewhere => 1,
            Missing::Slice { .. } => 2,
            Missing::Section(_) | Missing::Pending => 3,
        }
    }
}
