//! What is known about a position, as data and as JSON: values are for the side to move in it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use ::pentago::Value;
use serde::Serialize;

use crate::Position;

/// What is known about a position and its moves. Its JSON is one object; what a game doesn't know
/// is left out.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// The position.
    pub position: String,
    /// The rules.
    pub rules: String,
    /// The seat to move.
    pub to_move: char,
    /// The marble is placed, its turn is still to be made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// The value for the side to move.
    #[serde(serialize_with = "name")]
    pub value: Value,
    /// The least that an unknown value can be, as tables say of the positions before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<&'static str>,
    /// If the best moves are those of a guess: the expected score of the side to move, 0 to 1. It is
    /// no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<f64>,
    /// Where the value comes from.
    #[serde(flatten)]
    pub source: Source,
    /// With more than two seats: what each can be sure of; partners share theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<BTreeMap<String, &'static str>>,
    /// Stones that each player has captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    /// How the value was found, if that is worth saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// Plies to the end of the game, if they were asked for and found.
    pub distance: Option<usize>,
    /// The moves that keep the value, as far as is known; where none is known to, those with the best
    /// guess, if the game has one.
    pub best: Vec<String>,
    /// All legal moves.
    pub moves: Vec<MoveAnswer>,
    /// Best moves of both sides to the end, if a distance was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    /// What gave the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What is proved of an unknown value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<Proved>,
    /// What the full solution takes, if the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<Full>,
    /// Plies that were looked ahead in full width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
    /// Boards that were computed, each standing for all rotations of its quadrants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boards: Option<u64>,
    /// Positions that were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The time that it took.
    pub seconds: f64,
    /// The kernel that computed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<&'static str>,
    /// How the game has ended, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// How the game has ended in words, if it is over.
    #[serde(skip)]
    pub over_words: Option<String>,
    /// What is ruled out of moves whose value is unknown, in words.
    #[serde(skip)]
    pub open: Option<String>,
}

/// A legal move.
#[derive(Debug, Clone, Serialize)]
pub struct MoveAnswer {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its value for the side that makes it.
    #[serde(serialize_with = "name")]
    pub value: Value,
    /// The expected score of that side, 0 to 1, where the best moves are those of a guess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess: Option<f64>,
    /// Where the value comes from.
    #[serde(flatten)]
    pub source: Source,
    /// The proof, where the value was found by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// Plies to the end of the game, this move included.
    pub distance: Option<usize>,
    /// The position that it leads to.
    pub position: String,
    /// What is proved of an unknown value, counted from the position that the move is made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<Proved>,
}

impl MoveAnswer {
    /// A move with its value, of which nothing else is known.
    #[must_use]
    pub fn new(text: String, value: Value, source: Source, position: String) -> MoveAnswer {
        MoveAnswer { text, value, guess: None, source, found: None, distance: None, position, proved: None }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// `rules` (the game ends there), `table`, `published`, `solved`, `proof`, or `unknown`.
    pub source: &'static str,
    /// Why the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Source {
    /// A source without a reason.
    #[must_use]
    pub fn of(source: &'static str) -> Source {
        Source { source, reason: None }
    }

    /// The source of a value that was computed, at the end of the game by the rules alone.
    #[must_use]
    pub fn computed(value: Value, over: bool) -> Source {
        Source::of(match value {
            _ if over => "rules",
            Value::Unknown => "unknown",
            _ => "solved",
        })
    }

    /// Whether the rules alone give the value.
    #[must_use]
    pub fn is_rules(&self) -> bool {
        self.source == "rules"
    }
}

/// How a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "by")]
pub enum Found {
    /// All moves of both sides, this many plies ahead.
    #[serde(rename = "full width")]
    FullWidth {
        /// Plies ahead.
        plies: usize,
    },
    /// A proof in which the winner uses some of his moves only.
    #[serde(rename = "proof")]
    Proof {
        /// Sockets that he uses in the proof of the position.
        sockets: u8,
        /// Plies searched before that.
        depth: u8,
        /// The game ends within this many plies: a bound, not the distance.
        within: usize,
    },
}

/// What is proved of an unknown value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Proved {
    /// Plies within which neither side can force a win; 0 where nothing is ruled out.
    Within {
        /// For the side to move.
        no_win_within: usize,
        /// For the other side.
        no_loss_within: usize,
    },
    /// Sentences.
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

/// What the full solution takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Full {
    /// Boards.
    pub boards: u64,
    /// Bytes of memory.
    pub bytes: u64,
}

fn name<S: serde::Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

impl Answer {
    /// That a position's value is unknown; that of the ending if the game is over.
    #[must_use]
    pub fn unknown(rules: String, position: &Position) -> Answer {
        let over = position.over.as_ref();
        Answer {
            position: position.text.clone(),
            rules,
            to_move: position.to_move,
            pending: position.pending,
            value: over.map_or(Value::Unknown, |over| over.value_for(position.to_move)),
            at_least: None,
            guess: None,
            source: Source::of(if over.is_some() { "rules" } else { "unknown" }),
            seats: None,
            captures: None,
            found: None,
            distance: None,
            best: Vec::new(),
            moves: Vec::new(),
            line: None,
            engine: None,
            proved: None,
            full: None,
            plies: None,
            boards: None,
            nodes: None,
            seconds: 0.0,
            kernel: None,
            over: over.map(|over| over.text.clone()),
            over_words: over.map(|over| over.words.clone()),
            open: None,
        }
    }

    /// The answer with the time that it took.
    #[must_use]
    pub fn after(self, time: Duration) -> Answer {
        // Microseconds are as fine as the clock is worth.
        Answer { seconds: (time.as_secs_f64() * 1e6).round() / 1e6, ..self }
    }

    /// Whether the value and that of every move are known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.value != Value::Unknown && self.moves.iter().all(|m| m.value != Value::Unknown)
    }

    /// Whether neither the value nor that of any move is known, and nothing is ruled out. What only
    /// the rules know of a move is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value == Value::Unknown
            && self.proved.is_none()
            && self.moves.iter().all(|m| m.value == Value::Unknown || m.source.is_rules())
    }

    /// The answer with the moves that keep the value before all others.
    #[must_use]
    pub fn best_first(mut self) -> Answer {
        let best: std::collections::HashSet<&str> = self.best.iter().map(String::as_str).collect();
        self.moves.sort_by_key(|m| !best.contains(m.text.as_str()));
        self
    }

    /// The number of moves whose value is unknown.
    #[must_use]
    pub fn unknown_moves(&self) -> usize {
        self.moves.iter().filter(|m| m.value == Value::Unknown).count()
    }

    /// Positions or boards that were computed for the answer.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.boards.or(self.nodes).unwrap_or(0)
    }

    /// Takes what is unknown, distances, and the order of moves, from an answer about the same
    /// position that was computed.
    pub fn complete(&mut self, solved: Answer) {
        if self.value == Value::Unknown {
            self.value = solved.value;
            self.seats = solved.seats;
            self.proved = solved.proved;
            self.engine = solved.engine;
            self.source = solved.source;
        }
        self.distance = self.distance.or(solved.distance);
        for m in &mut self.moves {
            let Some(known) = solved.moves.iter().find(|s| s.text == m.text) else { continue };
            if m.value == Value::Unknown && known.value != Value::Unknown {
                m.value = known.value;
                m.source = known.source.clone();
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

    /// Adds a guess to each move whose value is unknown, if no move is known to keep the value, and
    /// orders the moves by it: those that are known to lose come last.
    pub(crate) fn add_guesses(&mut self, expected: impl Fn(&str) -> Option<f64>) {
        if self.value != Value::Unknown && !self.best.is_empty() {
            return;
        }
        for m in self.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            // In thousandths, and never as if it were sure.
            m.guess = expected(&m.text).map(|guess| (guess * 1000.0).round().clamp(1.0, 999.0) / 1000.0);
        }
        if self.moves.iter().all(|m| m.guess.is_none()) {
            return;
        }
        let worth = |m: &MoveAnswer| match m.value {
            Value::Win => 1.0,
            // A draw that is known is half a win.
            Value::Draw => 0.5,
            Value::Unknown => m.guess.unwrap_or(0.0),
            Value::Loss => -1.0,
        };
        self.moves.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let best = worth(&self.moves[0]);
        self.best = self.moves.iter().take_while(|m| worth(m) == best).map(|m| m.text.clone()).collect();
        self.guess = self.moves[0].guess;
    }

    /// Lists the moves that keep the value, if it is known.
    pub fn choose_best(&mut self) {
        let known = self.value != Value::Unknown;
        let keeps = |m: &&MoveAnswer| {
            known && m.value == self.value && (m.distance == self.distance || self.distance.is_none())
        };
        self.best = self.moves.iter().filter(keeps).map(|m| m.text.clone()).collect();
    }
}
