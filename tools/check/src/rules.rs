//! What the checker knows of a game.

use std::hash::Hash;

/// The place of each seat when the game is over, 1 for the first; joint places are 1, 1, 3. Seats
/// that don't exist have 0.
pub type Places = [u8; 4];

/// A move: a socket or point, and a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Row from the top and column from the left, as `row * width + column`.
    pub point: u16,
    /// What follows the placement.
    pub turn: Turn,
}

/// What follows a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Nothing: `c4`. In Pentago the placement has ended the game.
    None,
    /// The player declines to turn a quadrant (a block of Pentago XL): `c4/0`.
    Declined,
    /// A block, counted from 0 in reading order, turns clockwise (`c4/2+`) or not (`c4/2-`).
    Block(u8, bool),
}

/// What a move leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveResult<S> {
    /// The game is over.
    Over(Places),
    /// The game goes on.
    Goes(S),
}

/// The rules of one game with its options.
pub trait Rules {
    /// A position: everything that the rest of the game depends on.
    type State: Clone + Eq + Hash;

    /// Reads a position. Any placing of marbles is read; whether play can lead there, is another
    /// question: [`possible`](Self::possible).
    ///
    /// # Errors
    /// If the text is not a position.
    fn position(&self, text: &str) -> Result<Self::State, String>;

    /// Refuses positions that no play can lead to, for their numbers of marbles, and positions
    /// where the game is over.
    ///
    /// # Errors
    /// Why the position is impossible.
    fn possible(&self, state: &Self::State) -> Result<(), String>;

    /// The seats of a side in a claim: `x`, `b`, `ac`.
    fn side(&self, text: &str) -> Option<[bool; 4]>;

    /// The seat to move.
    fn to_move(&self, state: &Self::State) -> usize;

    /// Appends every legal move, in the order of certificates: sockets in reading order; for each
    /// no turn or a declined one first, then the blocks, clockwise before counter-clockwise.
    fn moves(&self, state: &Self::State, out: &mut Vec<Move>);

    /// Plays a move.
    ///
    /// # Errors
    /// Why it is not legal.
    fn play(&self, state: &Self::State, mv: Move) -> Result<MoveResult<Self::State>, &'static str>;

    /// How the game is over after a move, if it is: as [`play`](Self::play) says, for games where
    /// that is known without playing. Draws can be left out. An illegal move ends nothing.
    fn won_by(&self, state: &Self::State, mv: Move) -> Option<Places> {
        match self.play(state, mv) {
            Ok(MoveResult::Over(places)) => Some(places),
            _ => None,
        }
    }

    /// Reads a move. Whether it is legal is left to [`play`](Self::play).
    fn read_move(&self, text: &str) -> Option<Move>;
}

/// Splits `name:key=value,key=value`.
///
/// # Errors
/// If an option is not `key=value`, or is given twice.
pub fn options(text: &str) -> Result<(&str, Vec<(&str, &str)>), String> {
    let Some((name, rest)) = text.split_once(':') else { return Ok((text, Vec::new())) };
    let mut list = Vec::new();
    for option in rest.split(',') {
        let (key, value) = option.split_once('=').ok_or(format!("{option}: expected key=value"))?;
        if list.iter().any(|&(known, _)| known == key) {
            return Err(format!("the option {key} is given twice"));
        }
        list.push((key, value));
    }
    Ok((name, list))
}

/// The meaning of an option's value.
///
/// # Errors
/// If it is none of the values.
pub fn one_of<T: Copy>(key: &str, value: &str, values: &[(&str, T)]) -> Result<T, String> {
    let found = values.iter().find(|(text, _)| *text == value);
    found.map(|&(_, meaning)| meaning).ok_or(format!("{key}={value}: unknown value"))
}

/// A number written in digits alone, without leading zeros.
#[must_use]
pub fn number(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !(text.len() > 1 && text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// Reads the rows of a position: letters, and runs of empty places as numbers. Gives each place,
/// from the top left, its letter's position in `letters`, or none.
///
/// # Errors
/// If it isn't `height` rows of `width` places.
pub fn rows(text: &str, width: usize, height: usize, letters: &str) -> Result<Vec<Option<usize>>, String> {
    let mut places = Vec::with_capacity(width * height);
    for row in text.split('/') {
        let start = places.len();
        let mut rest = row;
        while let Some(first) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let run = number(&rest[..digits]).filter(|&run| (1..=width).contains(&run));
                let run = run.ok_or(format!("{}: not a run of empty places", &rest[..digits]))?;
                places.resize(places.len() + run, None);
                rest = &rest[digits..];
            } else {
                let letter = letters.find(first).ok_or(format!("{first}: expected one of {letters}"))?;
                places.push(Some(letter));
                rest = &rest[1..];
            }
            if places.len() > start + width {
                break;
            }
        }
        if places.len() != start + width {
            return Err(format!("a row doesn't have {width} places: {row}"));
        }
        if places.len() > width * height {
            break;
        }
    }
    if places.len() == width * height { Ok(places) } else { Err(format!("expected {height} rows")) }
}
