//! The reason why rules, a position or a move is refused.

use std::borrow::Cow;
use std::ops::Range;

use crate::ParseError;

/// The reason why rules, a position or a move is refused. If a position is refused, the refusal
/// also contains the index of the word that the reason concerns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    reason: Cow<'static, str>,
    word: usize,
}

impl Refusal {
    /// Creates the refusal of rules or of a move.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { reason: reason.into(), word: 0 }
    }

    /// Creates the refusal of a position that no game can reach. `word` is the index of the word
    /// that the reason concerns: 0 for the board, 1 for the side to move.
    pub fn no_game(word: usize, reason: &str) -> Refusal {
        Refusal { reason: format!("no game leads here: {reason}").into(), word }
    }

    /// Returns the parse error for `text`, the text of the refused position. `words` holds the byte
    /// range of each word.
    ///
    /// # Panics
    /// If `words` lacks the word that the reason concerns.
    pub fn in_position(&self, text: &str, words: &[Range<usize>]) -> ParseError {
        ParseError::new(text, words[self.word].clone(), self.to_string())
    }
}
