//! Files with the record of a game.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use pentago_games::{Game, MAX_RECORD, Record};
use pentago_store::storage;

use crate::exit::{bad_input, missing_data};
use crate::games::kinds;
use crate::input;
use crate::output::{shown_path, write_file};

/// Loads a game from a file. A record without a rules tag is parsed by the rules of `game`. If the
/// file is the argument of a command, not of a line of `play`, the file may be a pipe that the
/// program has open, and the name `-` stands for standard input.
///
/// # Errors
/// If the file can't be read, or does not contain a game.
pub fn load(game: Option<&Arc<dyn Game>>, file: &Path, is_argument: bool) -> anyhow::Result<Record> {
    let is_input = is_argument && file.as_os_str() == "-";
    let open = if is_argument { storage::open_once } else { storage::open_file };
    let name = if is_input { "standard input".to_owned() } else { shown_path(file) };
    let mut text = String::new();
    let most = input::most_bytes(MAX_RECORD);
    let read = match is_input {
        true => input::stdin().take(most).read_to_string(&mut text),
        false => open(file).and_then(|file| file.take(most).read_to_string(&mut text)),
    };
    if let Err(error) = read {
        let why = match error.kind() {
            io::ErrorKind::InvalidData => "it isn't valid UTF-8: expected the text of a game".to_owned(),
            io::ErrorKind::InvalidInput if is_argument && !file.is_dir() => {
                format!("{error}; - reads standard input")
            }
            _ => error.to_string(),
        };
        let why = format!("loading {name}: {why}");
        return Err(match error.kind() {
            io::ErrorKind::NotFound => missing_data(why),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => bad_input(why),
            _ => anyhow::Error::new(error).context(format!("loading {name}")),
        });
    }
    Record::read_as(game, kinds(), &text).with_context(|| name)
}

/// Saves a game to a file. An existing file is overwritten only if it contains a game.
///
/// # Errors
/// If the file exists and does not contain the same game, or can't be written.
pub fn save(file: &Path, record: &Record) -> anyhow::Result<()> {
    let name = shown_path(file);
    let found = fs::symlink_metadata(file);
    // A save replaces an earlier or later state of the same game, and no other file.
    let is_same = |old: Record| {
        old.start() == record.start()
            && old.game().rules() == record.game().rules()
            && old.moves().zip(record.moves()).all(|(old, new)| old == new)
    };
    if found.is_ok() && !load(None, file, false).is_ok_and(is_same) {
        let message = format!("{name} exists already and isn't this game: choose another name");
        return Err(bad_input(message));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
    match (found, folder) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
            return Err(bad_input(format!("saving {name}: there is no folder {}", shown_path(folder))));
        }
        (Err(error), _) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("saving {name}"));
        }
        _ => {}
    }
    write_file(file, record.write()?.as_bytes())
}
