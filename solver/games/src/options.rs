//! The rule options of a game, and its named rule sets.

use serde::Serialize;

/// A rule set with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// The name in the syntax of `--rules`.
    pub name: &'static str,
    /// The title for display.
    #[serde(skip)]
    pub title: &'static str,
    /// The options that the name stands for; empty if all options have their defaults.
    pub options: &'static str,
    /// A sentence about the rules, without the initial capital and the full stop.
    pub explanation: &'static str,
}

impl Preset {
    /// Returns the explanation as a sentence with an initial capital and a full stop.
    pub(crate) fn sentence(&self) -> String {
        let mut chars = self.explanation.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).chain(['.']).collect()
    }
}

/// A rule option.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The name of the option, which stands before the `=`.
    pub key: &'static str,
    /// The question that the option decides; empty if the values explain themselves.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub question: &'static str,
    /// The printed rule sheet that uses another value than the default; empty if there is none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub sheet: &'static str,
    /// The possible values, the default value first.
    pub values: &'static [Meaning],
}

impl Choice {
    /// Returns an option that has no question and that differs on no printed rule sheet.
    pub(crate) const fn of(key: &'static str, values: &'static [Meaning]) -> Choice {
        Choice { key, question: "", sheet: "", values }
    }
}

/// A value of a rule option.
#[derive(Debug, Serialize)]
pub struct Meaning {
    /// The text of the value, which stands after the `=`.
    pub value: &'static str,
    /// The meaning of the value, in words.
    pub explanation: &'static str,
}

impl Meaning {
    pub(crate) const fn new(value: &'static str, explanation: &'static str) -> Meaning {
        Meaning { value, explanation }
    }
}
