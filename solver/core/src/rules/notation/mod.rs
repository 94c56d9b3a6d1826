//! The text of positions and moves.
//!
//! Each position and each move has one canonical text, which the program writes. The parsers accept
//! other forms, too. No text makes a parser panic: a text that can't be parsed gives a
//! [`ParseError`] with the range of the fault.
//!
//! [`ParseError`]: super::ParseError

mod forms;
mod moves;
mod position;
