//! Saved games: which game a text is of, and files that hold one.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ::pentago::probe::Tables;
use ::pentago::tables::{durable, storage};
use anyhow::Context;

use super::board::Board;
use super::pentago::PentagoBoard;
use super::pente::PenteBoard;
use super::xl::XlBoard;
use crate::args::SolverArgs;
use crate::exit::bad_input;

/// Limit on the size of a saved game, which is much shorter.
const MOST_BYTES: u64 = 65_536;

/// A game in the text of any of the games: Pentago XL's begins with its rules behind `game`,
/// Pente's with a header in brackets or the number of a move, Pentago's with its rules behind
/// `rules`.
///
/// # Errors
/// The line that can't be read or played, and why.
pub fn parse(text: &str, args: &SolverArgs, tables: &Arc<Tables>) -> anyhow::Result<Box<dyn Board>> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default();
    Ok(if first.split_whitespace().next() == Some("game") {
        Box::new(XlBoard::load(text, args)?)
    } else if first.starts_with('[') || first.starts_with("1.") {
        Box::new(PenteBoard::load(text, args)?)
    } else {
        Box::new(PentagoBoard::load(text, args, tables.clone())?)
    })
}

/// Loads a game.
///
/// # Errors
/// If the file can't be read, or is no game.
pub fn load(file: &Path, args: &SolverArgs, tables: &Arc<Tables>) -> anyhow::Result<Box<dyn Board>> {
    let name = file.display();
    let mut text = String::new();
    storage::open_file(file)
        .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
        .with_context(|| format!("loading {name}"))?;
    parse(&text, args, tables).with_context(|| name.to_string())
}

/// Saves a game. Only a saved game is overwritten.
///
/// # Errors
/// If the file is something else, or can't be written.
pub fn save(file: &Path, board: &dyn Board, args: &SolverArgs, tables: &Arc<Tables>) -> anyhow::Result<()> {
    let name = file.display();
    match fs::symlink_metadata(file) {
        Ok(_) if load(file, args, tables).is_err() => {
            let message = format!("{name} exists already and isn't a saved game: choose another name");
            return Err(bad_input(message).into());
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(
                    bad_input(format!("saving {name}: there is no folder {}", folder.display())).into()
                );
            }
        }
        Err(error) => return Err(error).with_context(|| format!("saving {name}")),
    }
    let text = board.record();
    durable::replace(file, |to| to.write_all(text.as_bytes())).with_context(|| format!("saving {name}"))
}
