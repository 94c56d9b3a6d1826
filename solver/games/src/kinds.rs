//! Functions that parse rules and open tables, for the games of a list.

use std::path::Path;
use std::sync::Arc;

use ::pentago::ParseError;
use serde::Serialize;

use crate::error::Result;
use crate::game::{Game, Kind, first_word};
use crate::tables::Tablebase;
use crate::{Board, Preset};

impl Tablebase {
    /// Opens the tables in a folder, or the embedded tables if there is no folder. `cache` is the
    /// cache size for decoded blocks of each game, in bytes.
    ///
    /// # Errors
    /// If the folder can't be read. Damaged tables cause no error: `Tablebase::damaged` lists them.
    pub fn open(kinds: &[&Kind], path: Option<&Path>, cache: usize) -> Result<Tablebase> {
        let mut tablebase = Tablebase::new(path);
        for open in kinds.iter().filter_map(|kind| kind.open) {
            open(&mut tablebase, path, cache)?;
        }
        Ok(tablebase)
    }
}

/// A rule set with its board, for display in lists.
#[derive(Debug, Serialize)]
pub struct Sheet {
    /// The name of the preset, or the text of the rules if they are no preset.
    pub name: String,
    /// The title of the preset, or an empty text if the rules are no preset.
    pub title: String,
    /// A sentence about the preset, or an empty text if the rules are no preset.
    pub sentence: String,
    /// The board of the game under these rules.
    pub board: Board,
}

impl Sheet {
    /// Describes the rules of a game. If a preset has the same rules, uses the name and title of
    /// the preset.
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

    /// Describes each preset of the games. Presets that are named by one word come before presets
    /// that are named by options.
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

/// Parses the rules of one of the given games.
///
/// # Errors
/// [`Input`](::pentago::ErrorKind::Input) if the text doesn't describe rules of these games.
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

/// Returns all names of a kind, each with the text of its rules: its own name, the names of its
/// presets, and its names in other programs.
pub(crate) fn titles(kind: &Kind) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let presets = kind.presets.iter().map(|preset| (preset.title, preset.name));
    std::iter::once((kind.title, kind.name)).chain(presets).chain(kind.names.iter().copied())
}

/// Finds a game by its title, by the title of a preset, or by its name in another program.
pub(crate) fn rules_named(kinds: &[&Kind], name: &str) -> Result<Arc<dyn Game>> {
    let all = || kinds.iter().flat_map(|kind| titles(kind));
    let Some((_, rules)) = all().find(|(title, _)| title.eq_ignore_ascii_case(name)) else {
        let mut known: Vec<&str> = all().map(|(title, _)| title).collect();
        known.sort_unstable();
        known.dedup();
        let message = format!("unknown game: expected one of: {}", known.join("; "));
        return Err(ParseError::new(name, 0..name.len(), message).into());
    };
    read_rules_of(kinds, rules)
}
