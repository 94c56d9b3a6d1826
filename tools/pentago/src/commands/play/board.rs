//! What a session asks of a game.

use std::io::Write;
use std::time::Duration;

use crate::picture::Look;

/// A game that is being played, with the program as a player. Moves and seats are texts here, read
/// by the game itself.
pub trait Board {
    /// The rules, as `--rules` reads them.
    fn rules(&self) -> String;

    /// The letters of the seats in the order of their turns.
    fn seats(&self) -> &'static str;

    /// The seats of a seat's side: itself, and its partners.
    fn side_of(&self, seat: char) -> String {
        seat.to_string()
    }

    /// A move, as an example for a person.
    fn example(&self) -> &'static str;

    /// The lines of the help about moves.
    fn help(&self) -> &'static str;

    /// The seat to move.
    fn to_move(&self) -> char;

    /// How the game has ended, if it has: `x has won`.
    fn over(&self) -> Option<String>;

    /// The seat that made each move.
    fn movers(&self) -> Vec<char>;

    /// Plays a move.
    ///
    /// # Errors
    /// Why it can't be read, or isn't legal.
    fn play(&mut self, text: &str) -> Result<(), String>;

    /// The seat to move gives the game up. False if the others have to play on without it.
    fn resign(&mut self) -> bool;

    /// Whether the game has ended by resigning.
    fn is_resigned(&self) -> bool;

    /// Takes back the last move, or a resignation.
    fn take_back(&mut self);

    /// The program's move in the position, whose game is not over, after about so much time.
    ///
    /// # Errors
    /// If it was stopped, or there isn't enough memory.
    fn think(&mut self, time: Duration) -> anyhow::Result<Thought>;

    /// Writes all moves with their values, as far as they are found out in about so much time.
    ///
    /// # Errors
    /// If it was stopped, there isn't enough memory, or they can't be written.
    fn moves(&mut self, time: Duration, out: &mut dyn Write) -> anyhow::Result<()>;

    /// Writes what the position is worth, as far as that is found out in about so much time.
    ///
    /// # Errors
    /// As for [`Board::moves`].
    fn value(&mut self, time: Duration, out: &mut dyn Write) -> anyhow::Result<()>;

    /// The board, without the side to move, on lines that each end in a line break.
    fn drawing(&self, look: Look) -> String;

    /// The game as it is saved.
    fn record(&self) -> String;
}

/// What the program would play.
pub struct Thought {
    /// The move.
    pub mv: String,
    /// What it knows of the position.
    pub says: String,
}

/// Lines of the help for games with blocks that turn.
pub const TURNS: &str =
    "  c4/2+      a marble on c4, then quadrant 2 (of 1 2 above 3 4) clockwise; - is counterclockwise
  c4         a placement that ends the game";

/// The same for Pentago XL.
pub const XL_TURNS: &str =
    "  c4/2+      a marble on c4, then block 2 (of 1 2 3, 4 5 6, 7 8 9) clockwise; - is counterclockwise
  c4         a placement that makes five in a line";

/// The same for Pente.
pub const STONES: &str = "  K10        a stone on K10; there is no file I";
