//! Rule options for the differences between the rule sheets, presets, and their text.

use std::fmt;
use std::str::FromStr;

use super::{MiniRun, Position, Shape};
use pentago_base::{MAX_TEXT, ParseError};

/// The directions in which a quadrant may turn (`dir`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dir {
    /// Either direction.
    #[default]
    Both,
    /// Clockwise only (Basque sheet). This breaks the mirror symmetry of the board.
    Cw,
}

/// The result of a turn that gives both players a line (`both`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Both {
    /// A draw.
    #[default]
    Draw,
    /// The player who made the turn wins (Finnish sheet).
    Mover,
}

/// Whether a line made by a turn may be answered (`reply`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Reply {
    /// No.
    #[default]
    None,
    /// If only the mover has a line after the turn and a socket is free, the opponent may place one
    /// marble without a turn; a line then makes it a draw (Czech and Slovak sheets).
    Place,
}

/// When the mover may decline the turn (`skip`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Skip {
    /// Never.
    #[default]
    Never,
    /// While some quadrant is empty after the placement (Finnish sheet).
    Empty,
    /// While some quadrant is empty after the placement, or holds only a centre marble.
    Neutral,
}

/// What follows a placement that fills the board without making a line (`last`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Last {
    /// A turn, as always.
    #[default]
    Turn,
    /// Nothing; the game is drawn (Dutch sheet, read literally).
    Stop,
}

/// The rules of a game. The default is Pentago with all options at their default.
///
/// The text is the name of a preset, with or without options: `pentago`, `pentago-fi`,
/// `pentago:dir=cw,last=stop`, `mini:k=3`. [`fmt::Display`] writes the one canonical text of the
/// rules: the preset's name if there is one, else `pentago:` with the options that differ from the
/// default, in the order dir, both, reply, skip, last, n, bs, k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rules {
    /// The board.
    pub shape: Shape,
    /// The directions of turns.
    pub dir: Dir,
    /// If both players have a line after a turn.
    pub both: Both,
    /// The answer to a line made by a turn.
    pub reply: Reply,
    /// Declining the turn.
    pub skip: Skip,
    /// The turn after the last marble.
    pub last: Last,
}

const PENTAGO: Rules = Rules {
    shape: Shape::Pentago,
    dir: Dir::Both,
    both: Both::Draw,
    reply: Reply::None,
    skip: Skip::Never,
    last: Last::Turn,
};

const PRESETS: [(&str, Rules); 6] = [
    ("pentago", PENTAGO),
    ("pentago-eu", Rules { dir: Dir::Cw, ..PENTAGO }),
    ("pentago-fi", Rules { both: Both::Mover, skip: Skip::Empty, ..PENTAGO }),
    ("pentago-cs", Rules { reply: Reply::Place, ..PENTAGO }),
    ("pentago-nl", Rules { last: Last::Stop, ..PENTAGO }),
    ("mini", Rules { shape: Shape::Mini { run: MiniRun::Four }, ..PENTAGO }),
];

/// The options in their canonical order.
const KEYS: &str = "dir, both, reply, skip, last, n, bs, k";

const DIR: [(&str, Dir); 2] = [("both", Dir::Both), ("cw", Dir::Cw)];
const BOTH: [(&str, Both); 2] = [("draw", Both::Draw), ("mover", Both::Mover)];
const REPLY: [(&str, Reply); 2] = [("none", Reply::None), ("place", Reply::Place)];
const SKIP: [(&str, Skip); 3] = [("never", Skip::Never), ("empty", Skip::Empty), ("neutral", Skip::Neutral)];
const LAST: [(&str, Last); 2] = [("turn", Last::Turn), ("stop", Last::Stop)];

impl Default for Rules {
    fn default() -> Rules {
        PENTAGO
    }
}

impl Rules {
    /// The presets, with their names.
    #[must_use]
    pub fn presets() -> &'static [(&'static str, Rules)] {
        &PRESETS
    }

    /// The position before the first move.
    #[must_use]
    pub const fn start(&self) -> Position {
        Position::start(self.shape)
    }

    /// Mini-Pentago: 4x4, 2x2 quadrants, four in a row.
    #[must_use]
    pub const fn mini() -> Rules {
        Rules { shape: Shape::Mini { run: MiniRun::Four }, ..PENTAGO }
    }

    /// Returns whether a placement that leads to `marbles` marbles is followed by a turn, unless it
    /// ends the game.
    #[must_use]
    pub const fn has_turn(&self, marbles: usize) -> bool {
        let free = self.shape.sockets() - marbles;
        match self.last {
            Last::Turn => free > 0,
            Last::Stop => free > 1,
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = PRESETS.iter().find(|(_, rules)| rules == self) {
            return f.pad(name);
        }
        let mut options = vec![
            text_of(&DIR, "dir", self.dir),
            text_of(&BOTH, "both", self.both),
            text_of(&REPLY, "reply", self.reply),
            text_of(&SKIP, "skip", self.skip),
            text_of(&LAST, "last", self.last),
        ];
        if let Shape::Mini { .. } = self.shape {
            options.push(Some(format!("n=4,bs=2,k={}", self.shape.run())));
        }
        let options: Vec<String> = options.into_iter().flatten().collect();
        f.pad(&format!("pentago:{}", options.join(",")))
    }
}

/// `key=value`, or nothing for the default, which comes first.
fn text_of<T: PartialEq>(values: &[(&str, T)], key: &str, value: T) -> Option<String> {
    let at = values.iter().position(|(_, v)| *v == value)?;
    (at > 0).then(|| format!("{key}={}", values[at].0))
}

impl FromStr for Rules {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rules, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        OptionReader { text, from: text.len() - text.trim_start().len() }.rules(text.trim())
    }
}

/// A parser for the text of rules: the whole text, for errors, and the offset of the next piece.
struct OptionReader<'a> {
    text: &'a str,
    from: usize,
}

impl<'a> OptionReader<'a> {
    fn rules(mut self, trimmed: &'a str) -> Result<Rules, ParseError> {
        let (name, options) = match trimmed.split_once(':') {
            Some((name, options)) => (name, Some(options)),
            None => (trimmed, None),
        };
        let Some((_, preset)) = PRESETS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
            let named = if name.is_empty() { "no rules are named" } else { "unknown rules" };
            let expected = names.join(", ");
            return Err(self.error(name, format!("{named}: expected one of {expected}")));
        };
        self.from += name.len() + 1;
        let mut rules = *preset;
        let mut size = Size::of(rules.shape);
        let mut seen = Vec::new();
        let Some(options) = options else {
            return Ok(rules);
        };
        let start = self.from;
        for option in options.split(',') {
            let Some((key, value)) = option.split_once('=') else {
                let message = format!("expected key=value, with one of the keys {KEYS}");
                return Err(self.error(option, message));
            };
            if seen.contains(&key) {
                return Err(self.error(key, format!("the option {key} is given twice")));
            }
            seen.push(key);
            let at = OptionReader { text: self.text, from: self.from + key.len() + 1 };
            match key {
                "dir" => rules.dir = at.choose(value, &DIR)?,
                "both" => rules.both = at.choose(value, &BOTH)?,
                "reply" => rules.reply = at.choose(value, &REPLY)?,
                "skip" => rules.skip = at.choose(value, &SKIP)?,
                "last" => rules.last = at.choose(value, &LAST)?,
                "n" => size.n = at.choose(value, &[("4", 4), ("6", 6)])?,
                "bs" => size.bs = at.choose(value, &[("2", 2), ("3", 3)])?,
                "k" => size.k = at.choose(value, &[("3", 3), ("4", 4), ("5", 5)])?,
                _ => {
                    let message = format!("unknown option: the options are {KEYS}");
                    return Err(self.error(key, message));
                }
            }
            self.from += option.len() + 1;
        }
        let message = match size {
            Size { n: 6, bs: 3, k: 5 } => {
                rules.shape = Shape::Pentago;
                return Ok(rules);
            }
            Size { n: 4, bs, k } => match MiniRun::new(k) {
                Some(run) if bs == 2 => {
                    rules.shape = Shape::Mini { run };
                    return Ok(rules);
                }
                _ => format!("n=4 needs bs=2 and k=3 or k=4, here bs={bs} and k={k}"),
            },
            Size { n, bs, k } => format!("n={n} needs bs=3 and k=5, here bs={bs} and k={k}"),
        };
        self.from = start;
        Err(self.error(options, message))
    }

    fn choose<T: Copy>(&self, value: &str, values: &[(&str, T)]) -> Result<T, ParseError> {
        match values.iter().find(|(text, _)| *text == value) {
            Some((_, meant)) => Ok(*meant),
            None => {
                let known: Vec<&str> = values.iter().map(|(text, _)| *text).collect();
                Err(self.error(value, format!("unknown value: expected {}", known.join(" or "))))
            }
        }
    }

    /// An error about `piece`, which starts where the reader is.
    fn error(&self, piece: &str, message: String) -> ParseError {
        ParseError::new(self.text, self.from..self.from + piece.len(), message)
    }
}

/// The numbers that make a shape, as the options give them.
struct Size {
    n: u8,
    bs: u8,
    k: u8,
}

impl Size {
    fn of(shape: Shape) -> Size {
        Size { n: shape.size() as u8, bs: shape.quadrant_side() as u8, k: shape.run() as u8 }
    }
}
