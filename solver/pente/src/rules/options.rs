//! The rule options, and their text.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::{Color, Point};
use pentago_base::{MAX_TEXT, ParseError};

/// The longest side of a board.
pub const MAX_SIDE: u8 = 19;

/// The most captured stones that can be asked for a win.
pub const MAX_WIN: u16 = 400;

/// Where the first player may place his first two stones (`opening`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Opening {
    /// The first on the centre, the second three or more points away from it in some axis.
    #[default]
    Pro,
    /// Anywhere.
    Free,
}

/// How many stones between two of the mover's are captured (`cap`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Capture {
    /// Exactly two.
    #[default]
    Two,
    /// Two or three (Keryo-Pente).
    TwoOrThree,
    /// None (Gomoku).
    Never,
}

impl Capture {
    /// Returns whether a row of `stones` stones, flanked on both sides, is captured.
    #[must_use]
    pub const fn takes(self, stones: usize) -> bool {
        match self {
            Capture::Two => stones == 2,
            Capture::TwoOrThree => stones == 2 || stones == 3,
            Capture::Never => false,
        }
    }

    /// The most stones that one move can capture: in each of the eight directions.
    #[must_use]
    pub const fn most(self) -> u16 {
        match self {
            Capture::Two => 16,
            Capture::TwoOrThree => 24,
            Capture::Never => 0,
        }
    }
}

/// What a row of more than `k` stones is worth (`over`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Over {
    /// It wins like one of `k`.
    #[default]
    Wins,
    /// Nothing: only exactly `k` stones win.
    Nothing,
}

/// All options, as values that need not go together; [`Rules::new`] checks that they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Options {
    /// Files of the board.
    pub width: u8,
    /// Ranks of the board.
    pub height: u8,
    /// Stones in line that win.
    pub k: u8,
    /// The first player's first two stones.
    pub opening: Opening,
    /// What is captured.
    pub capture: Capture,
    /// Captured stones that win.
    pub win: u16,
    /// Rows of more than `k`.
    pub over: Over,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            width: 19,
            height: 19,
            k: 5,
            opening: Opening::Pro,
            capture: Capture::Two,
            win: 10,
            over: Over::Wins,
        }
    }
}

/// Why options do not make a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadRules {
    /// A side of the board.
    #[error("a board has 1 to {MAX_SIDE} points on each side, not {0}")]
    Side(u8),
    /// Stones in line.
    #[error("2 to {MAX_SIDE} stones in line can be asked for, not {0}")]
    Line(u8),
    /// Captured stones.
    #[error("1 to {MAX_WIN} captured stones can be asked for, not {0}")]
    Win(u16),
    /// The pro opening on this board.
    #[error(
        "opening=pro needs a centre and a point three away from it: odd sides, one of them 7 or more; \
         this board is {0}x{1} (opening=free has no such need)"
    )]
    Pro(u8, u8),
}

/// The rules of a game of Pente. The default is Pente with the pro opening on 19x19.
///
/// Text is `pente`, or `pente:` with options: `pente:n=4,k=4,opening=free`. [`fmt::Display`] writes
/// the one canonical text: the options that differ from the default, in the order n (or w, h), k,
/// opening, cap, win, over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rules(Options);

/// The options in their canonical order.
const KEYS: &str = "n, w, h, k, opening, cap, win, over";

const OPENING: [(&str, Opening); 2] = [("pro", Opening::Pro), ("free", Opening::Free)];
const CAPTURE: [(&str, Capture); 3] =
    [("2", Capture::Two), ("2+3", Capture::TwoOrThree), ("0", Capture::Never)];
const OVER: [(&str, Over); 2] = [("yes", Over::Wins), ("no", Over::Nothing)];

impl Rules {
    /// The rules with these options.
    ///
    /// # Errors
    /// If a number is out of range, or the board has no place for the pro opening.
    pub fn new(options: Options) -> Result<Rules, BadRules> {
        let Options { width, height, k, win, .. } = options;
        for side in [width, height] {
            if !(1..=MAX_SIDE).contains(&side) {
                return Err(BadRules::Side(side));
            }
        }
        if !(2..=MAX_SIDE).contains(&k) {
            return Err(BadRules::Line(k));
        }
        if !(1..=MAX_WIN).contains(&win) {
            return Err(BadRules::Win(win));
        }
        let has_room = width % 2 == 1 && height % 2 == 1 && width.max(height) >= 7;
        if options.opening == Opening::Pro && !has_room {
            return Err(BadRules::Pro(width, height));
        }
        Ok(Rules(options))
    }

    /// All options.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.0
    }

    /// Files of the board.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.0.width as usize
    }

    /// Ranks of the board.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.0.height as usize
    }

    /// Points of the board.
    #[must_use]
    pub const fn points(&self) -> usize {
        self.width() * self.height()
    }

    /// Stones in line that win.
    #[must_use]
    pub const fn k(&self) -> usize {
        self.0.k as usize
    }

    /// The point on a file and a rank, both counted from 0 at the lower left corner.
    #[must_use]
    pub fn point(&self, file: usize, rank: usize) -> Option<Point> {
        let inside = file < self.width() && rank < self.height();
        inside.then(|| Point((rank * self.width() + file) as u16))
    }

    /// File and rank of a point of this board, both counted from 0.
    #[must_use]
    pub fn file_rank(&self, p: Point) -> (usize, usize) {
        (p.index() % self.width(), p.index() / self.width())
    }

    /// Returns the point that is `files` files and `ranks` ranks away.
    #[must_use]
    pub fn step(&self, p: Point, files: isize, ranks: isize) -> Option<Point> {
        let (file, rank) = self.file_rank(p);
        self.point(file.checked_add_signed(files)?, rank.checked_add_signed(ranks)?)
    }

    /// The point in the middle of a board with odd sides.
    #[must_use]
    pub fn centre(&self) -> Option<Point> {
        let odd = self.width() % 2 == 1 && self.height() % 2 == 1;
        if odd { self.point(self.width() / 2, self.height() / 2) } else { None }
    }

    /// The points of the board, in the order of their numbers.
    pub fn all_points(&self) -> impl Iterator<Item = Point> + use<> {
        (0..self.points() as u16).map(Point)
    }

    /// Returns whether the pro opening forbids a stone of `player` on `p` as ply `ply`, counted
    /// from 0.
    pub(crate) fn opening_forbids(&self, player: Color, ply: usize, p: Point) -> Option<OpeningRule> {
        let centre = self.centre().filter(|_| self.0.opening == Opening::Pro && player == Color::X)?;
        match ply {
            0 if p != centre => Some(OpeningRule::Centre),
            2 if self.distance(p, centre) < 3 => Some(OpeningRule::Distance),
            _ => None,
        }
    }

    /// Files or ranks between two points, whichever is more.
    pub(crate) fn distance(&self, a: Point, b: Point) -> usize {
        let ((af, ar), (bf, br)) = (self.file_rank(a), self.file_rank(b));
        af.abs_diff(bf).max(ar.abs_diff(br))
    }
}

/// What the pro opening asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpeningRule {
    Centre,
    Distance,
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { width, height, k, opening, capture, win, over } = self.0;
        let plain = Options::default();
        let mut options = Vec::new();
        if width == height {
            if width != plain.width {
                options.push(format!("n={width}"));
            }
        } else {
            options.extend([format!("w={width}"), format!("h={height}")]);
        }
        if k != plain.k {
            options.push(format!("k={k}"));
        }
        options.extend(text_of(&OPENING, "opening", opening));
        options.extend(text_of(&CAPTURE, "cap", capture));
        if win != plain.win {
            options.push(format!("win={win}"));
        }
        options.extend(text_of(&OVER, "over", over));
        if options.is_empty() { f.pad("pente") } else { f.pad(&format!("pente:{}", options.join(","))) }
    }
}

/// `key=value`, or nothing for the default, which stands first.
fn text_of<T: PartialEq>(values: &[(&str, T)], key: &str, value: T) -> Option<String> {
    let at = values.iter().position(|(_, v)| *v == value)?;
    (at > 0).then(|| format!("{key}={}", values[at].0))
}

impl FromStr for Rules {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rules, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let from = text.len() - text.trim_start().len();
        Rules::read(text, from..from + text.trim().len())
    }
}

impl Rules {
    /// Reads the rules in a part of a text; errors are about the whole text.
    pub(crate) fn read(text: &str, part: Range<usize>) -> Result<Rules, ParseError> {
        let error = |span: Range<usize>, message: String| ParseError::new(text, span, message);
        let own = &text[part.clone()];
        let name = own.split_once(':').map_or(own, |(name, _)| name);
        if name != "pente" {
            let named = if name.is_empty() { "no rules are named" } else { "unknown rules" };
            return Err(error(part.start..part.start + name.len(), format!("{named}: expected pente")));
        }
        let mut options = Options::default();
        let Some((_, list)) = own.split_once(':') else {
            return Ok(Rules(options));
        };
        let start = part.start + name.len() + 1;
        let mut at = start;
        let mut seen: Vec<&str> = Vec::new();
        for option in list.split(',') {
            let span = at..at + option.len();
            at = span.end + 1;
            let Some((key, value)) = option.split_once('=') else {
                return Err(error(span, format!("expected key=value, with one of the keys {KEYS}")));
            };
            let key_span = span.start..span.start + key.len();
            let value_span = key_span.end + 1..span.end;
            if seen.contains(&key) {
                return Err(error(key_span, format!("the option {key} is given twice")));
            }
            let clash = if key == "n" { ["w", "h"] } else { ["n", "n"] };
            if matches!(key, "n" | "w" | "h") && seen.iter().any(|known| clash.contains(known)) {
                return Err(error(key_span, "n is both sides of the board: give n, or w and h".into()));
            }
            seen.push(key);
            let number = |most: u16| match value.parse::<u16>() {
                Ok(number) if (1..=most).contains(&number) && !value.starts_with(['+', '0']) => Ok(number),
                _ => {
                    let message = format!("unknown value: expected a number from 1 to {most}");
                    Err(error(value_span.clone(), message))
                }
            };
            let side = u16::from(MAX_SIDE);
            match key {
                "n" => {
                    options.width = number(side)? as u8;
                    options.height = options.width;
                }
                "w" => options.width = number(side)? as u8,
                "h" => options.height = number(side)? as u8,
                "k" => options.k = number(side)? as u8,
                "win" => options.win = number(MAX_WIN)?,
                "opening" => options.opening = choose(text, value_span, &OPENING)?,
                "cap" => options.capture = choose(text, value_span, &CAPTURE)?,
                "over" => options.over = choose(text, value_span, &OVER)?,
                _ => {
                    return Err(error(key_span, format!("unknown option: the options are {KEYS}")));
                }
            }
        }
        Rules::new(options).map_err(|bad| error(start..part.end, bad.to_string()))
    }
}

/// The meaning of a value.
fn choose<T: Copy>(text: &str, span: Range<usize>, values: &[(&str, T)]) -> Result<T, ParseError> {
    match values.iter().find(|(known, _)| *known == &text[span.clone()]) {
        Some((_, meant)) => Ok(*meant),
        None => {
            let known: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
            Err(ParseError::new(text, span, format!("unknown value: expected {}", known.join(" or "))))
        }
    }
}
