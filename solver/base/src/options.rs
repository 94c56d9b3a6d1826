//! Parses and writes rules: a name, which options may follow, as in `name:key=value,key=value`.

use std::ops::RangeInclusive;

use crate::{MAX_TEXT, ParseError, Word};

/// A parsed rules string: a name and its options.
pub struct RulesText<'a> {
    text: &'a str,
    /// The name of the rules: the text up to the colon.
    pub name: Word<'a>,
    /// The list of options: the text after the colon, or `None` without a colon.
    list: Option<Word<'a>>,
}

/// One option of a rules string.
pub struct RuleOption<'a> {
    text: &'a str,
    /// The key of the option: the text to the left of `=`.
    pub key: Word<'a>,
    /// The value of the option: the text to the right of `=`.
    pub value: Word<'a>,
}

impl<'a> RulesText<'a> {
    /// Splits a rules string at the colon. White space around the string is ignored.
    ///
    /// # Errors
    /// If the text is longer than [`MAX_TEXT`].
    pub fn new(text: &'a str) -> Result<RulesText<'a>, ParseError> {
        let text = ParseError::checked(text, MAX_TEXT)?;
        let (at, own) = (text.len() - text.trim_start().len(), text.trim());
        let (name, list) = own.split_once(':').map_or((own, None), |(name, list)| (name, Some(list)));
        let list = list.map(|list| Word { text: list, at: at + name.len() + 1 });
        Ok(RulesText { text, name: Word { text: name, at }, list })
    }

    /// Parses the options one by one. Error messages quote `keys`, a list of the known keys.
    ///
    /// # Errors
    /// For an option without `=`, and for a key that has already occurred.
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

    /// Creates the error for an unknown or missing name. The message quotes `expected`, a list of
    /// the known names.
    pub fn unknown_name(&self, expected: &str) -> ParseError {
        let named = if self.name.text.is_empty() { "no rules are named" } else { "unknown rules" };
        ParseError::new(self.text, self.name.span(), format!("{named}: expected {expected}"))
    }

    /// Creates an error whose range covers all options, or the name if there are no options.
    pub fn wrong(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.list.unwrap_or(self.name).span(), message)
    }
}

impl RuleOption<'_> {
    /// Returns the meaning of the option's value. `values` lists each known value with its meaning.
    ///
    /// # Errors
    /// If the list doesn't contain the value.
    pub fn choose<T: Copy>(&self, values: &[(&str, T)]) -> Result<T, ParseError> {
        let meant = values.iter().find(|(known, _)| *known == self.value.text);
        meant.map(|(_, meant)| *meant).ok_or_else(|| {
            let known: Vec<&str> = values.iter().map(|(known, _)| *known).collect();
            self.wrong_value(&known.join(" or "))
        })
    }

    /// Parses the option's value as a number in `range`. Signs and leading zeros are not allowed.
    ///
    /// # Errors
    /// If the value isn't such a number.
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

    /// Creates an error whose range covers the key of the option.
    pub fn wrong_key(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, self.key.span(), message)
    }

    /// Creates the error for an unknown key. The message quotes `keys`, a list of the known keys.
    pub fn unknown(&self, keys: &str) -> ParseError {
        self.wrong_key(format!("unknown option: the options are {keys}"))
    }
}

/// Returns the notation of rules: the name, then the options that aren't `None`.
pub fn rules_text(name: &str, options: impl IntoIterator<Item = Option<String>>) -> String {
    let options: Vec<String> = options.into_iter().flatten().collect();
    if options.is_empty() { name.to_owned() } else { format!("{name}:{}", options.join(",")) }
}

/// Returns an option as `key=value`, or `None` if `value` is the default. The default is the first
/// of `values`.
pub fn unless_first<T: PartialEq>(values: &[(&str, T)], key: &str, value: T) -> Option<String> {
    let at = values.iter().position(|(_, known)| *known == value)?;
    (at > 0).then(|| format!("{key}={}", values[at].0))
}
