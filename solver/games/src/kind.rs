//! The list of games, each with its name, its presets and the options of its rules.

#[cfg(feature = "tables")]
use std::path::Path;
use std::sync::Arc;

use ::pentago::ParseError;
#[cfg(feature = "tables")]
use pentago_store::Access;
use serde::Serialize;

use crate::game::first_word;
#[cfg(feature = "tables")]
use crate::tables::Tablebase;
use crate::{Board, Format, Game, Result, bad_input, pentago, pente, xl};

/// A game without its rules.
pub struct Kind {
    /// The name, with which the text of rules begins, unless that is a preset's.
    pub name: &'static str,
    /// The name in a sentence.
    pub title: &'static str,
    /// Rule sets with a name, the game's own first.
    pub presets: &'static [Preset],
    /// The options of the rules.
    pub options: &'static [Choice],
    /// Whether proofs can be limited by a number of boards, or be all that is asked for.
    pub proofs: bool,
    /// Reads rules; none if the text doesn't begin with the name of this game or of a preset.
    pub read: Read<Arc<dyn Game>>,
    /// Names of games as other programs write them, each with its rules.
    pub names: &'static [(&'static str, &'static str)],
    /// Texts of played games that other programs write, or older versions of this one.
    pub formats: &'static [Format],
    /// Opens the tables in a folder, or without one those that are part of the program.
    #[cfg(feature = "tables")]
    pub open: Option<Open>,
}

/// Reads a text, if it is one of the game.
pub type Read<T> = fn(&str) -> Option<Result<T>>;

/// Opens the tables in a folder, and adds them to the tablebase. The number is the size of the cache of
/// decoded blocks in bytes.
#[cfg(feature = "tables")]
pub type Open = fn(&mut Tablebase, Option<&Path>, Access, usize) -> Result<()>;

/// The games of this crate.
pub static KINDS: &[&Kind] = &[&pentago::KIND, &xl::KIND, &pente::KIND];

/// A rule set with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// The name, as `--rules` takes it.
    pub name: &'static str,
    /// A title for people.
    #[serde(skip)]
    pub title: &'static str,
    /// The options that the name stands for; empty where all are at their defaults.
    pub options: &'static str,
    /// What these rules do, in a sentence without its full stop.
    pub explanation: &'static str,
}

/// A rule set as it is listed for people, with its board.
#[derive(Debug, Serialize)]
pub struct Sheet {
    /// The name of a preset, or the text of the rules.
    pub name: String,
    /// A title; empty where nobody has given one.
    pub title: String,
    /// What the rules do, in a sentence.
    pub sentence: String,
    /// The board.
    pub board: Board,
}

impl Sheet {
    /// The sheet of rules: that of a preset, if they are one.
    #[must_use]
    pub fn of(game: &dyn Game) -> Sheet {
        let rules = game.rules();
        let kind = game.kind();
        let is_it = |preset: &&Preset| {
            (kind.read)(preset.name).is_some_and(|read| read.is_ok_and(|of| of.rules() == rules))
        };
        let known = kind.presets.iter().find(is_it);
        Sheet {
            name: rules,
            title: known.map_or_else(String::new, |preset| preset.title.to_owned()),
            sentence: known.map_or_else(String::new, Preset::sentence),
            board: game.board(),
        }
    }

    /// The presets of these games: those without options in their names first.
    #[must_use]
    pub fn presets(kinds: &[&Kind]) -> Vec<Sheet> {
        let mut presets: Vec<&Preset> = kinds.iter().flat_map(|kind| kind.presets).collect();
        presets.sort_by_key(|preset| preset.name.contains(':'));
        let games =
            presets.into_iter().filter_map(|preset| Some((preset, read_rules_of(kinds, preset.name).ok()?)));
        games
            .map(|(preset, game)| Sheet {
                name: preset.name.to_owned(),
                title: preset.title.to_owned(),
                sentence: preset.sentence(),
                board: game.board(),
            })
            .collect()
    }
}

impl Preset {
    /// The explanation as a sentence.
    fn sentence(&self) -> String {
        let mut chars = self.explanation.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).chain(['.']).collect()
    }
}

/// An option of rules.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// What stands before the `=`.
    pub key: &'static str,
    /// What the option decides; empty where the values speak for themselves.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub question: &'static str,
    /// Where the values other than the default come from.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub sheet: &'static str,
    /// The default first.
    pub values: &'static [Meaning],
}

impl Choice {
    /// An option that no sheet of rules asks about.
    pub(crate) const fn of(key: &'static str, values: &'static [Meaning]) -> Choice {
        Choice { key, question: "", sheet: "", values }
    }
}

/// A value of an option.
#[derive(Debug, Serialize)]
pub struct Meaning {
    /// What stands behind the `=`.
    pub value: &'static str,
    /// What the value means.
    pub explanation: &'static str,
}

impl Meaning {
    pub(crate) const fn new(value: &'static str, explanation: &'static str) -> Meaning {
        Meaning { value, explanation }
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Reads the rules of any game of this crate.
///
/// # Errors
/// [`Input`](::pentago::ErrorKind::Input) if they can't be read.
pub fn read_rules(text: &str) -> Result<Arc<dyn Game>> {
    read_rules_of(KINDS, text)
}

/// Reads the rules of one of these games.
///
/// # Errors
/// [`Input`](::pentago::ErrorKind::Input) if they can't be read.
pub fn read_rules_of(kinds: &[&Kind], text: &str) -> Result<Arc<dyn Game>> {
    if let Some(read) = kinds.iter().find_map(|kind| (kind.read)(text)) {
        return read;
    }
    let names: Vec<&str> = kinds.iter().flat_map(|kind| kind.presets).map(|preset| preset.name).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.contains(':')).collect();
    let word = first_word(text);
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    let named = if word.is_empty() { "no rules are named" } else { "unknown rules" };
    let message = format!("{named}: expected one of {}", names.join(", "));
    Err(ParseError::new(text, at..at + word.len(), message).into())
}

/// The game of these kinds that has a name: a kind's title, a preset's, or another program's.
pub(crate) fn rules_named(kinds: &[&Kind], name: &str) -> Result<Arc<dyn Game>> {
    let of_kind = |kind: &&Kind| {
        let titles = std::iter::once((kind.title, kind.name))
            .chain(kind.presets.iter().map(|preset| (preset.title, preset.name)))
            .chain(kind.names.iter().copied());
        let mut named = titles.filter(|(title, _)| title.eq_ignore_ascii_case(name));
        named.next().map(|(_, rules)| rules)
    };
    let Some(rules) = kinds.iter().find_map(of_kind) else {
        let presets = |kind: &&Kind| kind.presets.iter().map(|preset| preset.title);
        let titles = kinds.iter().flat_map(|kind| std::iter::once(kind.title).chain(presets(kind)));
        let mut known: Vec<&str> = titles.collect();
        known.dedup();
        let known = known.join(", ");
        return Err(bad_input(format!("the rules of this game are not known: expected one of {known}")));
    };
    read_rules_of(kinds, rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_explained_and_spelled_out() {
        for kind in KINDS {
            for preset in kind.presets {
                assert!(!preset.explanation.is_empty() && !preset.title.is_empty(), "{}", preset.name);
                let game = read_rules(preset.name).expect("a preset");
                assert_eq!(game.kind().name, kind.name);
                let options = preset.options;
                let text =
                    if options.is_empty() { kind.name.into() } else { format!("{}:{options}", kind.name) };
                assert_eq!(read_rules(&text).expect("rules").rules(), game.rules(), "{text}");
            }
        }
        assert_eq!(pentago::KIND.presets.len(), ::pentago::Rules::presets().len());
    }

    #[test]
    fn every_value_is_one_and_the_default_is_the_first() {
        for kind in KINDS {
            for choice in kind.options {
                for (i, meaning) in choice.values.iter().enumerate() {
                    let option = format!("{}={}", choice.key, meaning.value);
                    // The size of Pentago's board is spelled out by three options at once; teams need
                    // four seats.
                    let size = kind.name == "pentago" && matches!(choice.key, "n" | "bs" | "k") && i > 0;
                    let game = if size { "mini" } else { kind.name };
                    let more = if option == "mode=2v2" { ",seats=4" } else { "" };
                    let rules = read_rules(&format!("{game}:{option}{more}")).expect("rules");
                    assert_eq!(rules.rules() == kind.name, i == 0, "{option}");
                }
            }
        }
    }

    #[test]
    fn unknown_rules_name_all_games() {
        let error = read_rules("pentagon").unwrap_err();
        assert_eq!(error.kind(), ::pentago::ErrorKind::Input);
        for kind in KINDS {
            assert!(error.to_string().contains(kind.name), "{error}");
        }
    }
}
