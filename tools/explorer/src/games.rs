//! A position of any game as a request names it.

use pentago::Control;
use pentago::rules::{Position, Rules};
use std::time::Duration;

use crate::failure::Failure;

/// The games besides Pentago, which the server leaves to its caller.
pub trait OtherGames: Send + Sync {
    /// Reads rules and a position; none if no other game has these rules' name.
    ///
    /// # Errors
    /// Why they can't be read.
    fn read(&self, rules: &str, position: &str) -> Option<Result<OtherPosition, Failure>>;

    /// The answer for a position as a JSON object, and whether it holds for ever: nothing in it is
    /// unknown.
    ///
    /// # Errors
    /// If it was stopped, or takes more memory than it may.
    fn answer(
        &self,
        position: &OtherPosition,
        question: &OtherQuestion,
        control: &Control,
    ) -> Result<(String, bool), Failure>;
}

/// A position of another game, by its canonical texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPosition {
    /// The rules.
    pub rules: String,
    /// The position.
    pub position: String,
}

/// What is asked of a position of another game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherQuestion {
    /// With the distance to the end.
    pub distance: bool,
    /// The time for it.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
}

/// A position of any game.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// Of Pentago or Mini-Pentago.
    Pentago(Rules, Position),
    /// Of another game.
    Other(OtherPosition),
}

/// A question: a position, and what is asked of it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub asked: Asked,
    pub distance: bool,
}

impl Asked {
    /// The canonical text of the rules.
    pub fn rules(&self) -> String {
        match self {
            Asked::Pentago(rules, _) => rules.to_string(),
            Asked::Other(other) => other.rules.clone(),
        }
    }

    /// The canonical text of the position.
    pub fn position(&self) -> String {
        match self {
            Asked::Pentago(rules, position) => rules.format_position(position),
            Asked::Other(other) => other.position.clone(),
        }
    }
}

impl Question {
    /// The one text of a question: equal questions have equal answers.
    pub fn key(&self) -> String {
        let distance = if self.distance { " distance" } else { "" };
        format!("{} {}{distance}", self.asked.rules(), self.asked.position())
    }
}
