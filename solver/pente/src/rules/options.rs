//! The rule options, and their text.

use std::fmt;
use std::str::FromStr;

use super::Point;
use pentago_base::{ParseError, Refusal, RulesText, rules_text, unless_first};

/// The largest number of points on a side of the board.
pub const MAX_SIDE: u8 = 19;

/// The largest number of captured stones that a game can require for a win.
pub const MAX_WIN: u16 = 400;

/// The restriction on the first two stones of the first player (option `opening`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opening {
    /// The first stone must be on the centre. The second must be three or more files or ranks away
    /// from the centre.
    Pro,
    /// No restriction.
    Free,
}

/// The lengths of the enemy rows that a move can capture between two own stones (option `cap`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capture {
    /// Rows of exactly two stones.
    Two,
    /// Rows of two or three stones (Keryo-Pente).
    TwoOrThree,
    /// No captures (Gomoku).
    Never,
}

impl Capture {
    /// Returns the lengths of the rows that can be captured.
    pub(crate) const fn lengths(self) -> &'static [usize] {
        match self {
            Capture::Two => &[2],
            Capture::TwoOrThree => &[2, 3],
            Capture::Never => &[],
        }
    }

    /// Returns the length of the longest row that can be captured.
    pub(crate) const fn longest_row(self) -> u16 {
        if let Capture::TwoOrThree = self { 3 } else { 2 }
    }

    /// Returns `true` if the captures of one side can add up to exactly this number of stones.
    pub(crate) fn sums_to(self, stones: u16) -> bool {
        match self {
            Capture::Two => stones.is_multiple_of(2),
            Capture::TwoOrThree => stones != 1,
            Capture::Never => stones == 0,
        }
    }

    /// Returns the largest number of stones that one move can capture, in all eight directions.
    pub const fn most(self) -> u16 {
        match self {
            Capture::Two => 16,
            Capture::TwoOrThree => 24,
            Capture::Never => 0,
        }
    }
}

/// The effect of an overline, a line of more than `k` stones (option `over`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Overline {
    /// An overline wins.
    Wins,
    /// An overline does not win: only a line of exactly `k` stones wins.
    Nothing,
}

/// The rule options. The combination of options may be invalid; [`Rules::new`] checks the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleOptions {
    /// The number of files of the board.
    pub width: u8,
    /// The number of ranks of the board.
    pub height: u8,
    /// The number of stones in a row that wins the game.
    pub k: u8,
    /// The restriction on the first player's first two stones.
    pub opening: Opening,
    /// The lengths of the rows that a move can capture.
    pub capture: Capture,
    /// The number of captured stones that wins the game.
    pub win: u16,
    /// The effect of a line of more than `k` stones.
    pub over: Overline,
}

impl Default for RuleOptions {
    fn default() -> RuleOptions {
        RuleOptions {
            width: 19,
            height: 19,
            k: 5,
            opening: Opening::Pro,
            capture: Capture::Two,
            win: 10,
            over: Overline::Wins,
        }
    }
}

/// The rules of a game of Pente. The default is Pente with the pro opening on 19x19.
///
/// The text of the rules is `pente`, or `pente:` with options: `pente:n=4,k=4,opening=free`.
/// [`fmt::Display`] writes the one canonical text. The canonical text lists the options that differ
/// from the default, in the order n (or w, h), k, opening, cap, win, over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rules(RuleOptions);

/// The keys of the options in canonical order.
const KEYS: &str = "n, w, h, k, opening, cap, win, over";

/// The values of option `opening`, the default first. Tables store the index of a value.
pub(crate) const OPENINGS: [(&str, Opening); 2] = [("pro", Opening::Pro), ("free", Opening::Free)];
/// The values of option `cap`, the default first. Tables store the index of a value.
pub(crate) const CAPTURES: [(&str, Capture); 3] =
    [("2", Capture::Two), ("2+3", Capture::TwoOrThree), ("0", Capture::Never)];
/// The values of option `over`, the default first. Tables store the index of a value.
pub(crate) const OVERLINES: [(&str, Overline); 2] = [("yes", Overline::Wins), ("no", Overline::Nothing)];

impl Rules {
    /// Makes the rules with these options.
    ///
    /// # Errors
    /// If a number is out of range, or the board has no room for the pro opening.
    pub fn new(options: RuleOptions) -> Result<Rules, Refusal> {
        let RuleOptions { width, height, k, win, opening, .. } = options;
        let has_room = width % 2 == 1 && height % 2 == 1 && width.max(height) >= 7;
        let sides = 1..=MAX_SIDE;
        let why = if let Some(side) = [width, height].iter().find(|side| !sides.contains(side)) {
            format!("a side of the board must have 1 to {MAX_SIDE} points, not {side}")
        } else if !(2..=MAX_SIDE).contains(&k) {
            format!("a winning line must have 2 to {MAX_SIDE} stones, not {k}")
        } else if !(1..=MAX_WIN).contains(&win) {
            format!("the number of captured stones that wins must be 1 to {MAX_WIN}, not {win}")
        } else if opening == Opening::Pro && !has_room {
            format!(
                "opening=pro needs a centre and a point three away from the centre: odd sides, one of them \
                 7 or more; this board is {width}x{height} (opening=free has no such need)"
            )
        } else {
            return Ok(Rules(options));
        };
        Err(Refusal::new(why))
    }

    /// Returns all options.
    pub const fn options(&self) -> RuleOptions {
        self.0
    }

    /// Returns the number of files of the board.
    pub const fn width(&self) -> usize {
        self.0.width as usize
    }

    /// Returns the number of ranks of the board.
    pub const fn height(&self) -> usize {
        self.0.height as usize
    }

    /// Returns the number of points of the board.
    pub const fn points(&self) -> usize {
        self.width() * self.height()
    }

    /// Returns the number of stones in a row that wins the game.
    pub const fn k(&self) -> usize {
        self.0.k as usize
    }

    /// Returns the point at a file and a rank, both counted from 0 at the lower left corner.
    /// Returns `None` if the point would be outside the board.
    pub fn point(&self, file: usize, rank: usize) -> Option<Point> {
        let inside = file < self.width() && rank < self.height();
        inside.then(|| Point((rank * self.width() + file) as u16))
    }

    /// Returns the file and the rank of a point of this board, both counted from 0.
    pub fn file_rank(&self, p: Point) -> (usize, usize) {
        (p.index() % self.width(), p.index() / self.width())
    }

    /// Returns the point that is `files` files and `ranks` ranks away from `p`, or `None` if that
    /// point would be outside the board.
    pub fn step(&self, p: Point, files: isize, ranks: isize) -> Option<Point> {
        let (file, rank) = self.file_rank(p);
        self.point(file.checked_add_signed(files)?, rank.checked_add_signed(ranks)?)
    }

    /// Returns the centre of a board with odd sides, or `None` if a side is even.
    pub fn centre(&self) -> Option<Point> {
        let odd = self.width() % 2 == 1 && self.height() % 2 == 1;
        if odd { self.point(self.width() / 2, self.height() / 2) } else { None }
    }

    /// Iterates over the points of the board in ascending order of their indices.
    pub fn all_points(&self) -> impl Iterator<Item = Point> + use<> {
        (0..self.points() as u16).map(Point)
    }

    /// Returns the distance between two points: the larger of their differences in files and ranks.
    pub(crate) fn distance(&self, a: Point, b: Point) -> usize {
        let ((af, ar), (bf, br)) = (self.file_rank(a), self.file_rank(b));
        af.abs_diff(bf).max(ar.abs_diff(br))
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleOptions { width, height, k, opening, capture, win, over } = self.0;
        let plain = RuleOptions::default();
        let number = |key: &str, value: u16, usual: u16| (value != usual).then(|| format!("{key}={value}"));
        let square = width == height;
        f.pad(&rules_text(
            "pente",
            [
                number("n", width.into(), plain.width.into()).filter(|_| square),
                (!square).then(|| format!("w={width},h={height}")),
                number("k", k.into(), plain.k.into()),
                unless_first(&OPENINGS, "opening", opening),
                unless_first(&CAPTURES, "cap", capture),
                number("win", win, plain.win),
                unless_first(&OVERLINES, "over", over),
            ],
        ))
    }
}

impl FromStr for Rules {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rules, ParseError> {
        let read = RulesText::new(text)?;
        if read.name.text != "pente" {
            return Err(read.unknown_name("pente"));
        }
        let mut options = RuleOptions::default();
        let mut sides: Vec<&str> = Vec::new();
        for option in read.options(KEYS) {
            let option = option?;
            let key = option.key.text;
            if matches!(key, "n" | "w" | "h") {
                if sides.iter().any(|&known| (key == "n") != (known == "n")) {
                    return Err(option.wrong_key("n is both sides of the board: give n, or w and h"));
                }
                sides.push(key);
            }
            let side = || option.number(1..=MAX_SIDE.into()).map(|number| number as u8);
            match key {
                "n" => (options.width, options.height) = (side()?, side()?),
                "w" => options.width = side()?,
                "h" => options.height = side()?,
                "k" => options.k = option.number(2..=MAX_SIDE.into())? as u8,
                "win" => options.win = option.number(1..=MAX_WIN)?,
                "opening" => options.opening = option.choose(&OPENINGS)?,
                "cap" => options.capture = option.choose(&CAPTURES)?,
                "over" => options.over = option.choose(&OVERLINES)?,
                _ => return Err(option.unknown(KEYS)),
            }
        }
        Rules::new(options).map_err(|bad| read.wrong(bad.to_string()))
    }
}
