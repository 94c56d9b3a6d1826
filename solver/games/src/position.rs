//! A position, and how a game ended.

use std::any::Any;
use std::sync::Arc;

use ::pentago::{Error, Outcome, Value};

use crate::error::{Result, bad_input};

/// A position that a game has parsed.
///
/// The position also stores the game's own representation, so no method parses the text again. Two
/// positions are equal if their public fields are equal.
#[derive(Debug, Clone)]
pub struct Position {
    /// The canonical text of the position.
    pub text: String,
    /// The letter of the seat to move.
    pub to_move: char,
    /// `true` if the seat to move has placed its marble and must still turn a quadrant or block.
    pub pending: bool,
    /// The ending, or `None` if the game is not over. The text of a position doesn't always show
    /// that the game is over.
    pub over: Option<Ending>,
    /// The number of marbles or stones on the board.
    pub marbles: usize,
    parsed: Arc<dyn Any + Send + Sync>,
}

impl Position {
    /// Makes a position from a game's own representation.
    pub fn new<P: Any + Send + Sync>(
        parsed: P,
        text: String,
        to_move: char,
        pending: bool,
        marbles: usize,
        over: Option<Ending>,
    ) -> Position {
        Position { text, to_move, pending, over, marbles, parsed: Arc::new(parsed) }
    }

    /// Returns the game's own representation.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if another game made the position.
    pub fn parsed<P: Any>(&self) -> Result<&P> {
        let parsed = self.parsed.downcast_ref();
        parsed.ok_or_else(|| bad_input(format!("{} is a position of another game", self.text)))
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        let fields = |p: &Position| (p.to_move, p.pending, p.marbles);
        fields(self) == fields(other) && self.text == other.text && self.over == other.over
    }
}

impl Eq for Position {}

/// The end of a game: the winners, and texts of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The letters of the seats that have won or share the first place; empty after a draw.
    pub winners: String,
    /// The result in words, with its reason if known: `x has won (5 in a row)`, `a draw`.
    pub words: String,
    /// The text of the result in JSON.
    pub text: String,
}

impl Ending {
    /// Returns the ending in which `seats` have won, or a draw if `seats` is empty.
    pub fn won_by(seats: &str) -> Ending {
        let names: Vec<String> = seats.chars().map(String::from).collect();
        let words = match seats.len() {
            0 => "a draw".to_owned(),
            1 => format!("{seats} has won"),
            _ => format!("{} have won", names.join(" and ")),
        };
        Ending { winners: seats.to_owned(), text: words.clone(), words }
    }

    /// Returns the ending of a game of X and O with this outcome.
    pub fn of(outcome: Outcome) -> Ending {
        match outcome {
            Outcome::Win(color) => Ending::won_by(&color.letter().to_string()),
            Outcome::Draw => Ending::draw(),
        }
    }

    /// Returns the ending of a drawn game.
    pub fn draw() -> Ending {
        Ending::won_by("")
    }

    /// Adds the reason to the result in words: `x has won (5 in a row)`.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Ending {
        self.words += &format!(" ({reason})");
        self
    }

    /// Returns the error for a move after this ending.
    pub fn no_more_moves(&self) -> Error {
        bad_input(format!("the game is over: {}", self.words))
    }

    /// Returns the value of the ending for a seat.
    pub fn value_for(&self, seat: char) -> Value {
        match self.winners.as_str() {
            "" => Value::Draw,
            winners if winners.contains(seat) => Value::Win,
            _ => Value::Loss,
        }
    }
}
