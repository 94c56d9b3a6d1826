//! Parses and writes rules: a name, optionally with options, as in `name:key=value,key=value`.

use std::ops::RangeInclusive;

use crate::{MAX_TEXT, ParseError, Word};

/// A parsed rules string: a name and its options.
pub struct RulesText<'a> {
    text: &'a str,
    /// The name of the rules, before the colon.
    pub name: Word<'a>,
    /// The text after the colon, if there is a colon.
    list: Option<Word<'a>>,
}

/// One option of a rules string.
pub struct RuleOption<'a> {
    text: &'a str,
    /// The key of the option, before `=`.
    pub key: Word<'a>,
    /// The value of the option, after `=`.
    pub value: Word<'a>,
}

impl<'a> RulesText<'a> {
    /// Parses a rules string, which white space may surround.
    ///
    /// # Errors
    /// If the text is longer than [`MAX_TEXT`].
    pub fn new(text: &'a str) -> Result<RulesText<'a>, ParseError> {
        ParseError::check_length(text, MAX_TEXT)?;
        let (at, own) = (text.len() - text.trim_start().len(), text.trim());
        let (name, list) = own.split_once(':').map_or((own, None), |(name, list)| (name, Some(list)));
        let list = list.map(|list| Word { text: list, at: at + name.len() + 1 });
        Ok(RulesText { text, name: Word { text: name, at }, list })
    }

    /// Parses the options one by one. `keys` lists the known keys for messages.
    ///
    /// # Errors
    /// For an option without `=`, and for a key that occurred before.
    pub fn options(&self, keys: &str) -> impl Iterator<Item = Result<RuleOption<'a>, ParseError>> {
        let (text, mut at) = (self.text, self.list.map_or(0, |list| list.at));
        let mut seen = Vec::new();
        let none = format!("expected key=value, with one of the keys {keys}");
        self.list.into_iter().flat_map(|list| list.text.split(',')).map(move |option| {
            let whole = Word { text: option, at };
            at += option.len() + 1;
            let Some((key, value)) = option.split_once('=') else {
                return Err(ParseError::new(text, whole.span(), none.as_str()));
            };
            let value = Word { text: value, at: whole.at + key.len() + 1 };
            let option = RuleOption { text, key: Word { text: key, at: whole.at }, value };
            if seen.contains(&key) {
                return Err(option.wrong_key(format!("the option {key} is given twice")));
            }
            seen.push(key);
            Ok(option)
        })
    }

    /// Creates an error about the name. `expected` lists the known names.
    #[must_use]
    pub fn unknown_name(&self, expected: &str) -> ParseError {
        let named = if self.name.text.is_empty() { "no rules are named" } else { "unknown rules" };
        ParseError::new(self.text, self.name.span(), format!("{named}: expected {expected}"))
    }

    /// Creates an error about all options together.
    #[must_use]
    pub fn wrong(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.list.unwrap_or(self.name).span(), message)
    }
}

impl RuleOption<'_> {
    /// Looks the value up in a list of the known values with their meanings, and returns its
    /// meaning.
    ///
    /// # Errors
    /// If the value is unknown.
    pub fn choose<T: Copy>(&self, values: &[(&str, T)]) -> Result<T, ParseError> {
        let meant = values.iter().find(|(known, _)| *known == self.value.text);
        meant.map(|(_, meant)| *meant).ok_or_else(|| {
            let known: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
            self.wrong_value(&known.join(" or "))
        })
    }

    /// Parses the value as a number, without a sign and without leading zeros.
    ///
    /// # Errors
    /// If the value isn't a number in the range.
    pub fn number(&self, range: RangeInclusive<u16>) -> Result<u16, ParseError> {
        let value = self.value.text;
        let number = value.parse().ok().filter(|_| !value.starts_with(['+', '0']));
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.wrong_value(&format!("a number from {} to {}", range.start(), range.end())))
    }

    fn wrong_value(&self, expected: &str) -> ParseError {
        ParseError::new(self.text, self.value.span(), format!("unknown value: expected {expected}"))
    }

    /// Creates an error about the key.
    #[must_use]
    pub fn wrong_key(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.key.span(), message)
    }

    /// Creates an error for an unknown key. `keys` lists the known keys.
    #[must_use]
    pub fn unknown(&self, keys: &str) -> ParseError {
        self.wrong_key(format!("unknown option: the options are {keys}"))
    }
}

/// Writes the text of rules: the name, and each option that isn't `None`.
#[must_use]
pub fn rules_text(name: &str, options: impl IntoIterator<Item = Option<String>>) -> String {
    let options: Vec<String> = options.into_iter().flatten().collect();
    if options.is_empty() { name.to_owned() } else { format!("{name}:{}", options.join(",")) }
}

/// Writes an option as `key=value`. Returns `None` for the default, which is the first of `values`.
pub fn unless_first<T: PartialEq>(values: &[(&str, T)], key: &str, value: T) -> Option<String> {
    let at = values.iter().position(|(_, known)| *known == value)?;
    (at > 0).then(|| format!("{key}={}", values[at].0))
}
