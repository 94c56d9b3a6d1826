//! The text of rules: a name alone, or with options, `name:key=value,key=value`.

use std::ops::RangeInclusive;

use crate::{MAX_TEXT, ParseError, Word};

/// A text of rules, with its name and options.
pub struct RulesText<'a> {
    text: &'a str,
    /// The name.
    pub name: Word<'a>,
    /// What stands behind the colon, if there is one.
    list: Option<Word<'a>>,
}

/// An option.
pub struct RuleOption<'a> {
    text: &'a str,
    /// Its key.
    pub key: Word<'a>,
    /// Its value.
    pub value: Word<'a>,
}

impl<'a> RulesText<'a> {
    /// The rules that a text says, with white space around them.
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

    /// The options one after the other, each with its value and none twice; `keys` are all that there
    /// are, in messages.
    ///
    /// # Errors
    /// Of an option: if it isn't one, or was there before.
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

    /// An error about the name: `expected` are those that are known.
    #[must_use]
    pub fn unknown_name(&self, expected: &str) -> ParseError {
        let named = if self.name.text.is_empty() { "no rules are named" } else { "unknown rules" };
        ParseError::new(self.text, self.name.span(), format!("{named}: expected {expected}"))
    }

    /// An error about all options together.
    #[must_use]
    pub fn wrong(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.list.unwrap_or(self.name).span(), message)
    }
}

impl RuleOption<'_> {
    /// The meaning of the value.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn choose<T: Copy>(&self, values: &[(&str, T)]) -> Result<T, ParseError> {
        let meant = values.iter().find(|(known, _)| *known == self.value.text);
        meant.map(|(_, meant)| *meant).ok_or_else(|| {
            let known: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
            self.wrong_value(&known.join(" or "))
        })
    }

    /// The value as a number, without sign and leading zeros.
    ///
    /// # Errors
    /// If it is none of the range.
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

    /// An error about the key.
    #[must_use]
    pub fn wrong_key(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.key.span(), message)
    }

    /// An error about the key, of which there is none of this name; `keys` are all that there are.
    #[must_use]
    pub fn unknown(&self, keys: &str) -> ParseError {
        self.wrong_key(format!("unknown option: the options are {keys}"))
    }
}

/// The text of rules: the name, and options that differ from the default.
#[must_use]
pub fn rules_text(name: &str, options: impl IntoIterator<Item = Option<String>>) -> String {
    let options: Vec<String> = options.into_iter().flatten().collect();
    if options.is_empty() { name.to_owned() } else { format!("{name}:{}", options.join(",")) }
}

/// `key=value`, or nothing for the default, which stands first.
pub fn unless_first<T: PartialEq>(values: &[(&str, T)], key: &str, value: T) -> Option<String> {
    let at = values.iter().position(|(_, known)| *known == value)?;
    (at > 0).then(|| format!("{key}={}", values[at].0))
}
