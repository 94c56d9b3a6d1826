//! The rule options of a game, and its named rule sets.

use serde::Serialize;

/// A rule set with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// The name, as `--rules` takes it.
    pub name: &'static str,
    /// A title for people.
    #[serde(skip)]
    pub title: &'static str,
    /// The options that the name stands for; empty if all have their defaults.
    pub options: &'static str,
    /// A sentence about the rules, without its full stop.
    pub explanation: &'static str,
}

impl Preset {
    /// Returns the explanation as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let mut chars = self.explanation.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).chain(['.']).collect()
    }
}

/// A rule option.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The name before the `=`.
    pub key: &'static str,
    /// The question that the option decides; empty if the values explain themselves.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub question: &'static str,
    /// The rule sheet with values other than the default.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub sheet: &'static str,
    /// The values, the default first.
    pub values: &'static [Meaning],
}

impl Choice {
    /// Returns an option that appears on no rule sheet.
    pub(crate) const fn of(key: &'static str, values: &'static [Meaning]) -> Choice {
        Choice { key, question: "", sheet: "", values }
    }
}

/// A value of a rule option.
#[derive(Debug, Serialize)]
pub struct Meaning {
    /// The text after the `=`.
    pub value: &'static str,
    /// The meaning of the value.
    pub explanation: &'static str,
}

impl Meaning {
    pub(crate) const fn new(value: &'static str, explanation: &'static str) -> Meaning {
        Meaning { value, explanation }
    }
}
