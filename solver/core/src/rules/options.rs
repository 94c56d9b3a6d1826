//! The rule options, in which the rule sheets differ, the presets of options, and the text of
//! rules.

use std::fmt;
use std::str::FromStr;

use super::{Position, Shape};
use pentago_base::{ParseError, RulesText, rules_text, unless_first};

/// The directions in which a quadrant may turn (`dir`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dir {
    /// Clockwise or counterclockwise.
    #[default]
    Both,
    /// Clockwise only (Basque sheet). This breaks the mirror symmetry of the board.
    Cw,
}

/// The outcome after a turn that completes a line for each player (`both`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Both {
    /// A draw.
    #[default]
    Draw,
    /// The player who made the turn wins (Finnish sheet).
    Mover,
}

/// The reply that the opponent may make to a line made by a turn (`reply`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Reply {
    /// No reply: the line wins.
    #[default]
    None,
    /// If only the mover has a line after the turn, and a socket is free, the opponent may place
    /// one marble without a turn. If the opponent then has a line, the game is drawn (Czech and
    /// Slovak sheets).
    Place,
}

/// The condition under which the mover may decline the turn (`skip`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Skip {
    /// The mover may never decline the turn.
    #[default]
    Never,
    /// The mover may decline the turn while some quadrant is empty after the placement (Finnish
    /// sheet).
    Empty,
    /// The mover may decline the turn while some quadrant is empty after the placement, or holds
    /// only a marble in its centre.
    Neutral,
}

/// Whether a turn follows a placement that fills the board without making a line (`last`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Last {
    /// The turn is made, as after any other placement.
    #[default]
    Turn,
    /// No turn: the game is drawn (Dutch sheet, read literally).
    Stop,
}

/// The moment at which a line made by a placement counts (`place`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Place {
    /// Before the turn: the line wins immediately, and there is no turn.
    #[default]
    Wins,
    /// After the turn, if the line is still complete (OpenSpiel). Every move then has a turn, so
    /// neither `reply=place` nor `last=stop` is allowed.
    Turn,
}

/// The rules of a game. The default is Pentago with all options at their default.
///
/// Rules are written as the name of a preset, with or without options: `pentago`, `pentago-fi`,
/// `pentago:dir=cw,last=stop`, `mini:k=3`. [`fmt::Display`] writes the canonical text of the rules.
/// If a preset has these rules, the canonical text is its name. Otherwise the canonical text is
/// `pentago:`, followed by the options that differ from the default, in the order dir, both, reply,
/// skip, last, place, n, bs, k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rules {
    /// The shape of the board, and the length of a winning line.
    pub shape: Shape,
    /// The directions in which a quadrant may turn.
    pub dir: Dir,
    /// The result if both players have a line after a turn.
    pub both: Both,
    /// The reply that is allowed to a line made by a turn.
    pub reply: Reply,
    /// The condition under which the mover may decline the turn.
    pub skip: Skip,
    /// Whether a turn follows a placement that fills the board.
    pub last: Last,
    /// The moment at which a line made by a placement counts.
    pub place: Place,
}

const PENTAGO: Rules = Rules {
    shape: Shape::Pentago,
    dir: Dir::Both,
    both: Both::Draw,
    reply: Reply::None,
    skip: Skip::Never,
    last: Last::Turn,
    place: Place::Wins,
};

const PRESETS: [(&str, Rules); 6] = [
    ("pentago", PENTAGO),
    ("pentago-eu", Rules { dir: Dir::Cw, ..PENTAGO }),
    ("pentago-fi", Rules { both: Both::Mover, skip: Skip::Empty, ..PENTAGO }),
    ("pentago-cs", Rules { reply: Reply::Place, ..PENTAGO }),
    ("pentago-nl", Rules { last: Last::Stop, ..PENTAGO }),
    ("mini", Rules { shape: Shape::Mini4, ..PENTAGO }),
];

/// The error message for options that [`Rules::fit`] rejects.
pub const DONT_FIT: &str = "place=turn goes with neither reply=place nor last=stop";

/// The keys of the options, in canonical order.
const KEYS: &str = "dir, both, reply, skip, last, place, n, bs, k";

const DIR: [(&str, Dir); 2] = [("both", Dir::Both), ("cw", Dir::Cw)];
const BOTH: [(&str, Both); 2] = [("draw", Both::Draw), ("mover", Both::Mover)];
const REPLY: [(&str, Reply); 2] = [("none", Reply::None), ("place", Reply::Place)];
const SKIP: [(&str, Skip); 3] = [("never", Skip::Never), ("empty", Skip::Empty), ("neutral", Skip::Neutral)];
const LAST: [(&str, Last); 2] = [("turn", Last::Turn), ("stop", Last::Stop)];
const PLACE: [(&str, Place); 2] = [("wins", Place::Wins), ("turn", Place::Turn)];

impl Default for Rules {
    fn default() -> Rules {
        PENTAGO
    }
}

impl Rules {
    /// Returns the presets with their names.
    pub fn presets() -> &'static [(&'static str, Rules)] {
        &PRESETS
    }

    /// Returns the position before the first move.
    pub const fn start(&self) -> Position {
        Position::start(self.shape)
    }

    /// Returns the rules of Mini-Pentago: 4x4 sockets, quadrants of 2x2, four in a row.
    pub const fn mini() -> Rules {
        Rules { shape: Shape::Mini4, ..PENTAGO }
    }

    /// Returns `true` if the options are compatible. With `place=turn` every move must have a turn,
    /// so neither `reply=place` nor `last=stop` is allowed.
    pub fn fit(&self) -> bool {
        self.place == Place::Wins || self.reply == Reply::None && self.last == Last::Turn
    }

    /// Returns `true` if a placement on a board with `marbles` marbles is followed by a turn,
    /// unless the placement wins. Returns `false` for a full board.
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
            unless_first(&DIR, "dir", self.dir),
            unless_first(&BOTH, "both", self.both),
            unless_first(&REPLY, "reply", self.reply),
            unless_first(&SKIP, "skip", self.skip),
            unless_first(&LAST, "last", self.last),
            unless_first(&PLACE, "place", self.place),
        ];
        if self.shape != Shape::Pentago {
            options.push(Some(format!("n=4,bs=2,k={}", self.shape.run())));
        }
        f.pad(&rules_text("pentago", options))
    }
}

impl FromStr for Rules {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rules, ParseError> {
        let read = RulesText::new(text)?;
        let Some((_, preset)) = PRESETS.iter().find(|(known, _)| *known == read.name.text) else {
            let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
            return Err(read.unknown_name(&format!("one of {}", names.join(", "))));
        };
        let mut rules = *preset;
        let shape = rules.shape;
        let (mut n, mut bs, mut k) = (shape.size(), shape.quadrant_side(), shape.run());
        for option in read.options(KEYS) {
            let option = option?;
            match option.key.text {
                "dir" => rules.dir = option.choose(&DIR)?,
                "both" => rules.both = option.choose(&BOTH)?,
                "reply" => rules.reply = option.choose(&REPLY)?,
                "skip" => rules.skip = option.choose(&SKIP)?,
                "last" => rules.last = option.choose(&LAST)?,
                "place" => rules.place = option.choose(&PLACE)?,
                "n" => n = option.choose(&[("4", 4), ("6", 6)])?,
                "bs" => bs = option.choose(&[("2", 2), ("3", 3)])?,
                "k" => k = option.choose(&[("3", 3), ("4", 4), ("5", 5)])?,
                _ => return Err(option.unknown(KEYS)),
            }
        }
        if !rules.fit() {
            return Err(read.wrong(DONT_FIT));
        }
        rules.shape = match (n, bs, k) {
            (6, 3, 5) => Shape::Pentago,
            (4, 2, 3) => Shape::Mini3,
            (4, 2, 4) => Shape::Mini4,
            (4, ..) => {
                return Err(read.wrong(format!("n=4 needs bs=2 and k=3 or k=4, here bs={bs} and k={k}")));
            }
            _ => return Err(read.wrong(format!("n={n} needs bs=3 and k=5, here bs={bs} and k={k}"))),
        };
        Ok(rules)
    }
}
