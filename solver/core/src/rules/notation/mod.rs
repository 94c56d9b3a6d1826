//! Parses and writes positions and moves as text.
//!
//! Each position and each move has one canonical text, which the program writes. The parsers accept
//! other forms, too. No text makes a parser panic. For a text that can't be parsed, the parser
//! returns a [`ParseError`] with the range of the characters in error.
//!
//! [`ParseError`]: super::ParseError

mod forms;
mod moves;
mod position;
