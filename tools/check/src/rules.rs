//! The interface between the checker and the rules of a game.

use std::hash::Hash;

/// The place of each seat at the end of the game. 1 is the first place. If two seats share the
/// first place, the places are 1, 1 and 3. Seats that don't exist have 0.
pub type Places = [u8; 4];

/// A move: a placement, possibly followed by a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The socket or point, as the number `row * width + column`. Rows count from the top, and
    /// columns from the left.
    pub point: u16,
    /// The turn after the placement.
    pub turn: Turn,
}

/// The second half of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// No turn, as in `c4`. In Pentago, this means that the placement has ended the game.
    None,
    /// A declined turn, as in `c4/0`.
    Declined,
    /// The turn of a block. The number is the index of the block in reading order, from 0. The flag
    /// is `true` for a clockwise turn (`c4/2+`), and `false` for a counter-clockwise turn
    /// (`c4/2-`).
    Block(u8, bool),
}

/// The result of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveResult<S> {
    /// The game is over, and the seats have these places.
    Over(Places),
    /// The game continues from this position.
    Goes(S),
}

/// The rules of one game with its options.
pub trait Rules {
    /// The type of a position, with all information that the rest of the game depends on.
    type State: Clone + Eq + Hash;

    /// Parses a position. Accepts any arrangement of marbles. [`possible`](Self::possible) checks
    /// whether the position can occur in play.
    ///
    /// # Errors
    /// If the text isn't a position.
    fn position(&self, text: &str) -> Result<Self::State, String>;

    /// Rejects positions whose numbers of marbles can't occur in play, and positions in which the
    /// game is over.
    ///
    /// # Errors
    /// The reason why the position is impossible.
    fn possible(&self, state: &Self::State) -> Result<(), String>;

    /// Parses the side of a claim, such as `x`, `b` or `ac`. Returns a flag for each seat, `true`
    /// if the seat belongs to the side. Returns `None` if the game has no such side.
    fn side(&self, text: &str) -> Option<[bool; 4]>;

    /// Returns the index of the seat to move.
    fn to_move(&self, state: &Self::State) -> usize;

    /// Appends every legal move to `out`, in the order that certificates use. Sockets are in
    /// reading order. For each socket, the move without a turn or with a declined turn comes first,
    /// followed by the turns of each block, clockwise before counter-clockwise.
    fn moves(&self, state: &Self::State, out: &mut Vec<Move>);

    /// Plays a move in a position.
    ///
    /// # Errors
    /// The reason why the move isn't legal.
    fn play(&self, state: &Self::State, mv: Move) -> Result<MoveResult<Self::State>, &'static str>;

    /// Returns the places if a move ends the game, like [`play`](Self::play). Games override this
    /// function if they can find the places without playing the move. May return `None` for a draw.
    /// Returns `None` for an illegal move.
    fn won_by(&self, state: &Self::State, mv: Move) -> Option<Places> {
        match self.play(state, mv) {
            Ok(MoveResult::Over(places)) => Some(places),
            _ => None,
        }
    }

    /// Parses a move, or returns `None` if the text isn't a move. [`play`](Self::play) checks
    /// whether the move is legal.
    fn read_move(&self, text: &str) -> Option<Move>;
}

/// The options of a game, as pairs of a key and a value.
pub type RuleOptions<'a> = Vec<(&'a str, &'a str)>;

/// Splits `name:key=value,key=value` into the name and the options.
///
/// # Errors
/// If an option isn't `key=value` or is given twice.
pub fn options(text: &str) -> Result<(&str, RuleOptions<'_>), String> {
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

/// Finds an option's value in a list of texts and meanings. Returns the meaning.
///
/// # Errors
/// If the list doesn't contain the value.
pub fn one_of<T: Copy>(key: &str, value: &str, values: &[(&str, T)]) -> Result<T, String> {
    let found = values.iter().find(|(text, _)| *text == value);
    found.map(|&(_, meaning)| meaning).ok_or(format!("{key}={value}: unknown value"))
}

/// Parses a number. Returns `None` if the text has leading zeros or characters other than digits.
pub fn number(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !(text.len() > 1 && text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// Parses the rows of a position, which contain letters, and numbers for runs of empty places.
/// Returns the content of each place, from the top left: an index into `letters`, or `None` if the
/// place is empty.
///
/// # Errors
/// If the text isn't `height` rows of `width` places.
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
