//! The answer to a question about a position, as data and as JSON. All values are for the side to
//! move.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::Duration;

use ::pentago::{Error, ErrorKind, Estimate, Question, Value};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Position, Result};

/// The values of a position and of its moves. The JSON form is one object, which omits the fields
/// that do not apply to the game.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Answer {
    /// The canonical text of the position.
    pub position: String,
    /// The rules, in the syntax of `--rules`.
    pub rules: String,
    /// The letter of the seat to move.
    pub to_move: char,
    /// `true` if the seat to move has placed its marble and must still turn a quadrant or block.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// The value for the side to move.
    #[serde(serialize_with = "value_name")]
    pub value: Value,
    /// A lower bound on an unknown value, from the stored value of a position that leads here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<&'static str>,
    /// A guess of the expected score of the side to move, from 0 to 1. `None` unless `best_guess`
    /// has moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<f64>,
    /// The source of the value: `rules` (the game is over), `table`, `certificate`, `published`,
    /// `solved`, `proof` or `unknown`.
    pub source: &'static str,
    /// The reason why the value is unknown, if a reason is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The guaranteed value of each seat, keyed by seat, in games of more than two seats. Partners
    /// share a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<BTreeMap<String, &'static str>>,
    /// The number of stones that each player of Pente has captured, keyed by `x` and `o`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    /// The evidence for the value, if a search or a proof found the value.
    #[serde(rename = "found", skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The number of plies to the end of the game, if the question asked for distances.
    pub distance: Option<usize>,
    /// The moves that are known to keep the value.
    pub best: Vec<String>,
    /// If no move is known to keep the value, the moves with the best guess.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best_guess: Vec<String>,
    /// All legal moves.
    pub moves: Vec<MoveAnswer>,
    /// Best moves of both sides to the end of the game, if the question asked for distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    /// The name of the engine that found the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The facts that are proven about an unknown value, such as the number of plies within which
    /// no side can force a win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<Proved>,
    /// The estimated cost of the full solution, for a position of unknown value.
    #[serde(serialize_with = "cost", skip_serializing_if = "Option::is_none")]
    pub full: Option<Estimate>,
    /// The depth in plies to which all moves were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
    /// The number of boards computed, each for all rotations of the quadrants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boards: Option<u64>,
    /// The number of positions searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The duration of the search in seconds.
    pub seconds: f64,
    /// The name of the kernel that computed the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<&'static str>,
    /// The result of the game, if the game is over. Always `None` for Pentago.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

/// A legal move with its value.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MoveAnswer {
    /// The canonical text of the move.
    #[serde(rename = "move")]
    pub text: String,
    /// The value for the side that makes the move.
    #[serde(serialize_with = "value_name")]
    pub value: Value,
    /// A guess of the expected score of the side that makes the move, from 0 to 1, or `None` if no
    /// guess was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<f64>,
    /// The source of the value, as in [`Answer::source`].
    pub source: &'static str,
    /// The reason why the value is unknown, if a reason is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The evidence for the value, if a proof found the value.
    #[serde(rename = "found", skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The number of plies to the end of the game, including this move.
    pub distance: Option<usize>,
    /// The canonical text of the position after the move.
    pub position: String,
    /// The facts that are proven about an unknown value. Plies count from the position before the
    /// move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<Proved>,
}

impl MoveAnswer {
    /// Returns a move with its value, its source and the position after it. All optional fields are
    /// `None`.
    pub fn new(text: String, value: Value, source: &'static str, position: String) -> MoveAnswer {
        MoveAnswer { text, value, source, position, ..MoveAnswer::default() }
    }
}

/// The evidence for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "by")]
pub enum Evidence {
    /// A search of all moves of both sides.
    #[serde(rename = "full width")]
    FullWidth {
        /// The depth of the search in plies.
        plies: usize,
    },
    /// A proof in which the winner uses only some of the possible moves.
    #[serde(rename = "proof")]
    Proof {
        /// The number of sockets that the winner uses.
        sockets: u8,
        /// The depth in plies of the search that led to the proof.
        depth: u8,
        /// An upper bound on the number of plies to the end of the game. The exact distance may be
        /// smaller.
        within: usize,
    },
    /// A certificate.
    #[serde(rename = "certificate")]
    Certificate {
        /// An upper bound on the number of plies to the end of the game.
        within: usize,
    },
}

/// The facts that are proven about an unknown value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Proved {
    /// For each side, the number of plies within which the side cannot force a win. The number 0
    /// excludes nothing.
    Within {
        /// The number of plies within which the side to move cannot force a win.
        no_win_within: usize,
        /// The number of plies within which the other side cannot force a win.
        no_loss_within: usize,
    },
    /// Sentences that state the proven facts.
    Said(Vec<String>),
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            &Proved::Within { no_win_within: win, no_loss_within: loss } => {
                ::pentago::RuledOut { win, loss }.fmt(f)
            }
            Proved::Said(said) => f.write_str(&said.join(", ")),
        }
    }
}

/// Returns the source of a computed value. `over` is `true` if the game is over, so that the value
/// follows from the rules.
pub(crate) fn source(value: Value, over: bool) -> &'static str {
    match value {
        _ if over => "rules",
        Value::Unknown => "unknown",
        _ => "solved",
    }
}

/// Serializes a value by its name.
pub(crate) fn value_name<S: Serializer>(
    value: &Value,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

/// Serializes the fields `boards` and `bytes` of an estimate, and no other fields.
fn cost<S: Serializer>(full: &Option<Estimate>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let Estimate { boards, bytes, .. } = full.unwrap_or_default();
    let mut cost = serializer.serialize_struct("Estimate", 2)?;
    cost.serialize_field("boards", &boards)?;
    cost.serialize_field("bytes", &bytes)?;
    cost.end()
}

impl Answer {
    /// Returns an answer without moves. The value follows from the ending if the game is over, and
    /// is unknown otherwise.
    pub fn unknown(rules: String, position: &Position) -> Answer {
        let over = position.over.as_ref();
        Answer {
            position: position.text.clone(),
            rules,
            to_move: position.to_move,
            pending: position.pending,
            value: over.map_or(Value::Unknown, |over| over.value_for(position.to_move)),
            source: source(Value::Unknown, over.is_some()),
            over: over.map(|over| over.text.clone()),
            ..Answer::default()
        }
    }

    /// Sets the duration of the search.
    #[must_use]
    pub fn after(self, time: Duration) -> Answer {
        // Round to microseconds, because the clock is no more precise.
        Answer { seconds: (time.as_secs_f64() * 1e6).round() / 1e6, ..self }
    }

    /// Returns `true` if the value of the position and the values of all moves are known.
    pub fn is_complete(&self) -> bool {
        self.value != Value::Unknown && self.unknown_moves() == 0
    }

    /// Returns `true` if no value or bound is known, except the values of moves that end the game.
    pub fn is_empty(&self) -> bool {
        self.value == Value::Unknown
            && self.proved.is_none()
            && self.moves.iter().all(|m| m.value == Value::Unknown || m.source == "rules")
    }

    /// Returns the moves that keep the value, or else the moves with the best guess.
    pub fn advised(&self) -> &[String] {
        if self.best.is_empty() { &self.best_guess } else { &self.best }
    }

    /// Moves the best moves to the front of the list of moves.
    #[must_use]
    pub fn best_first(mut self) -> Answer {
        let best: HashSet<String> = self.advised().iter().cloned().collect();
        self.moves.sort_by_key(|m| !best.contains(&m.text));
        self
    }

    /// Returns the number of moves of unknown value.
    pub fn unknown_moves(&self) -> usize {
        self.moves.iter().filter(|m| m.value == Value::Unknown).count()
    }

    /// Returns the proven facts of the first move that has such facts, or `None` if there is no
    /// such move.
    pub fn open_moves(&self) -> Option<&Proved> {
        self.moves.iter().find_map(|m| m.proved.as_ref())
    }

    /// Returns the number of computed boards if it is known, and otherwise the number of searched
    /// positions.
    pub fn work(&self) -> u64 {
        self.boards.or(self.nodes).unwrap_or(0)
    }

    /// Returns the answer unless the question requires an exact value that is unknown.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) for an unknown value.
    pub(crate) fn required(self, question: &Question) -> Result<Answer> {
        if !question.exact || self.value != Value::Unknown {
            return Ok(self);
        }
        let proved = self.proved.as_ref().map(|proved| format!(" ({proved})")).unwrap_or_default();
        Err(Error::new(
            ErrorKind::Missing,
            format!(
                "the value was not found{proved}: allow more with --time and --memory, or leave out --exact"
            ),
        ))
    }

    /// Fills the gaps of the answer `stored` from `solve`, unless the question allows only tables.
    /// If there is no stored answer, returns the result of `solve`. A move that wins by a
    /// certificate leaves no gap.
    pub(crate) fn stored_or_solved(
        stored: Option<Answer>,
        question: &Question,
        solve: impl FnOnce() -> Result<Answer>,
    ) -> Result<Answer> {
        let Some(mut answer) = stored else { return solve() };
        let proved = answer.moves.iter().any(|m| m.source == "certificate" && m.value == Value::Win);
        let complete = answer.is_complete() || proved;
        let open = answer.over.is_none() && (!complete || question.distance);
        if open && !question.tables_only {
            answer.complete(solve()?);
        }
        Ok(answer)
    }

    /// Fills in unknown values and distances from `solved`, and sorts the moves in the order of
    /// `solved`.
    fn complete(&mut self, solved: Answer) {
        if self.value == Value::Unknown {
            self.value = solved.value;
            self.seats = solved.seats;
            self.proved = solved.proved;
            self.engine = solved.engine;
            (self.source, self.reason) = (solved.source, solved.reason);
        }
        self.distance = self.distance.or(solved.distance);
        for m in &mut self.moves {
            let Some(known) = solved.moves.iter().find(|s| s.text == m.text) else { continue };
            if m.value == Value::Unknown && known.value != Value::Unknown {
                (m.value, m.source, m.reason) = (known.value, known.source, known.reason.clone());
            }
            if m.value == known.value {
                m.distance = m.distance.or(known.distance);
            }
        }
        let place = |m: &MoveAnswer| solved.moves.iter().position(|s| s.text == m.text);
        self.moves.sort_by_cached_key(|m| place(m).unwrap_or(usize::MAX));
        self.nodes = Some(self.nodes.unwrap_or(0) + solved.nodes.unwrap_or(0));
        self.choose_best();
    }

    /// Adds a guess to each move of unknown value, and sorts the moves by value or guess, best
    /// first. Does nothing if a best move is known.
    pub(crate) fn add_guesses(&mut self, expected: impl Fn(&str) -> Option<f64>) {
        if self.value != Value::Unknown && !self.best.is_empty() {
            return;
        }
        for m in self.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            // Round guesses to thousandths from 0.001 to 0.999, because a guess never claims
            // certainty.
            m.guess = expected(&m.text).map(|guess| (guess * 1000.0).round().clamp(1.0, 999.0) / 1000.0);
        }
        if self.moves.iter().all(|m| m.guess.is_none()) {
            return;
        }
        let worth = |m: &MoveAnswer| match m.value {
            Value::Win => 1.0,
            // A known draw is worth half a win.
            Value::Draw => 0.5,
            Value::Unknown => m.guess.unwrap_or(0.0),
            Value::Loss => -1.0,
        };
        self.moves.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let best = worth(&self.moves[0]);
        let best = self.moves.iter().take_while(|m| worth(m) == best);
        self.best_guess = best.map(|m| m.text.clone()).collect();
        self.guess = self.moves[0].guess;
    }

    /// Sets `best` to the moves that keep the value. If the distances of the position and of such a
    /// move are known, the moves must also keep the distance. If the value is unknown, `best`
    /// becomes empty.
    pub fn choose_best(&mut self) {
        let known = self.value != Value::Unknown;
        let keeps = |m: &&MoveAnswer| known && m.value == self.value;
        let keeps_distance = |m: &&MoveAnswer| keeps(m) && m.distance == self.distance;
        let exact = self.distance.is_some() && self.moves.iter().any(|m| keeps_distance(&m));
        let best = self.moves.iter().filter(|m| if exact { keeps_distance(m) } else { keeps(m) });
        self.best = best.map(|m| m.text.clone()).collect();
    }
}
