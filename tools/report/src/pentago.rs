//! An answer for a position of Pentago as JSON: one object, values for the side that moves at the
//! root.

use std::time::Duration;

use ::pentago::Kernel;
use ::pentago::rules::{Move, Position, Rules};
use ::pentago::{Answer, MoveEval, Origin, Request, RuledOut, Value};
use serde::Serialize;

/// The JSON object for one position.
#[derive(Debug, Serialize)]
pub struct Report {
    position: String,
    rules: String,
    /// `x` or `o`.
    to_move: char,
    /// The marble of this move is placed, its turn is still to be made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pending: bool,
    /// `win`, `draw`, `loss`, or `unknown`, which comes with `proved` and `full`.
    value: &'static str,
    #[serde(flatten)]
    origin: Option<OriginReport>,
    /// How the value was found, if it was not looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Found>,
    /// Plies to the end of the game, if asked for.
    distance: Option<usize>,
    best: Vec<String>,
    moves: Vec<MoveReport>,
    /// Best moves of both sides to the end, if distances were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proved: Option<Proved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<Full>,
    /// How many plies were looked ahead in full width.
    plies: usize,
    boards: u64,
    seconds: f64,
    kernel: &'static str,
}

/// A legal move.
#[derive(Debug, Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    text: String,
    value: &'static str,
    #[serde(flatten)]
    origin: Option<OriginReport>,
    /// The proof, where its value was found by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Found>,
    distance: Option<usize>,
    /// The position that it leads to.
    position: String,
    /// Where its value is unknown: what is known, counted from the position that it was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved: Option<Proved>,
}

/// Where a value comes from, in answers from tables.
#[derive(Debug, Serialize)]
struct OriginReport {
    /// `rules` (the game ends there), `table`, `published`, `solved`, `proof`, or `unknown`, which
    /// comes with `reason`.
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl OriginReport {
    fn of(source: &Origin) -> OriginReport {
        let reason = match source {
            Origin::Unknown(unknown) => Some(unknown.to_string()),
            _ => None,
        };
        OriginReport { source: source.name(), reason }
    }
}

/// How a value was found.
#[derive(Debug, Serialize)]
#[serde(tag = "by")]
enum Found {
    /// All moves of both sides, this many plies ahead.
    #[serde(rename = "full width")]
    FullWidth { plies: usize },
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

impl Found {
    fn of(origin: &Origin, plies: usize) -> Option<Found> {
        match *origin {
            Origin::Proof { sockets, depth, within } => Some(Found::Proof { sockets, depth, within }),
            Origin::Solved if plies > 0 => Some(Found::FullWidth { plies }),
            _ => None,
        }
    }
}

/// What is proved of an unknown value: see [`RuledOut`].
#[derive(Debug, Serialize)]
struct Proved {
    no_win_within: usize,
    no_loss_within: usize,
}

impl Proved {
    fn of(value: Value, ruled_out: RuledOut) -> Option<Proved> {
        let RuledOut { win, loss } = ruled_out;
        (value == Value::Unknown && !ruled_out.is_nothing())
            .then_some(Proved { no_win_within: win, no_loss_within: loss })
    }
}

/// What the full solution takes.
#[derive(Debug, Serialize)]
struct Full {
    boards: u64,
    bytes: u64,
}

impl Report {
    /// The report of an answer that took `time` with `kernel`; `origins`: with where each value
    /// comes from, as is always said of published values.
    pub fn new(
        rules: &Rules,
        position: &Position,
        request: &Request,
        answer: &Answer,
        time: Duration,
        kernel: Kernel,
        origins: bool,
    ) -> Report {
        let published = |m: &MoveEval| m.origin == Origin::Published;
        let origins = origins || answer.origin == Origin::Published || answer.moves.iter().any(published);
        let origin = |origin: &Origin| origins.then(|| OriginReport::of(origin));
        let texts = |moves: &mut dyn Iterator<Item = Move>| -> Vec<String> {
            moves.map(|m| rules.format_move(m)).collect()
        };
        let unknown = answer.value == Value::Unknown;
        Report {
            position: rules.format_position(position),
            rules: rules.to_string(),
            to_move: position.to_move().letter(),
            pending: position.pending(),
            value: answer.value.name(),
            origin: origin(&answer.origin),
            found: Found::of(&answer.origin, answer.plies),
            distance: answer.distance,
            best: texts(&mut answer.moves[..answer.best].iter().map(|m| m.mv)),
            moves: answer
                .moves
                .iter()
                .map(|m| MoveReport {
                    text: rules.format_move(m.mv),
                    value: m.value.name(),
                    origin: origin(&m.origin),
                    found: Found::of(&m.origin, 0),
                    distance: m.distance,
                    position: rules.format_position(&m.position),
                    proved: Proved::of(m.value, answer.ruled_out),
                })
                .collect(),
            line: request.distance.then(|| texts(&mut answer.line.iter().copied())),
            proved: Proved::of(answer.value, answer.ruled_out),
            full: unknown.then_some(Full { boards: answer.full.boards, bytes: answer.full.bytes }),
            plies: answer.plies,
            boards: answer.boards,
            // Microseconds are as fine as the clock is worth.
            seconds: (time.as_secs_f64() * 1e6).round() / 1e6,
            kernel: kernel.name(),
        }
    }
}
