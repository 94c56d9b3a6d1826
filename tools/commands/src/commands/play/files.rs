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
use crate::output::write_file;

/// Loads a game from a file. The name `-` stands for standard input.
///
/// # Errors
/// If the file can't be read, or holds no game.
pub fn load(file: &Path) -> anyhow::Result<Record> {
    load_as(None, file)
}

/// Loads a game from a file. `game` gives the rules for a record without a rules tag.
///
/// # Errors
/// Those of [`load`].
pub fn load_as(game: Option<&Arc<dyn Game>>, file: &Path) -> anyhow::Result<Record> {
    let is_input = file.as_os_str() == "-";
    let name = if is_input { "standard input".to_owned() } else { file.display().to_string() };
    let mut text = String::new();
    // One byte more than a record may have, so that the parser sees when a text is too long.
    let most = MAX_RECORD as u64 + 1;
    let read = match is_input {
        true => io::stdin().lock().take(most).read_to_string(&mut text),
        false => storage::open_file(file).and_then(|file| file.take(most).read_to_string(&mut text)),
    };
    if let Err(error) = read {
        let text = format!("loading {name}: ");
        return Err(match error.kind() {
            io::ErrorKind::NotFound => missing_data(text + &error.to_string()),
            io::ErrorKind::InvalidData => {
                bad_input(text + "it isn't valid UTF-8: expected the text of a game")
            }
            io::ErrorKind::InvalidInput if !file.is_dir() => {
                bad_input(format!("{text}{error}; - reads standard input"))
            }
            io::ErrorKind::InvalidInput => bad_input(text + &error.to_string()),
            _ => anyhow::Error::new(error).context(format!("loading {name}")),
        });
    }
    Record::read_as(game, kinds(), &text).with_context(|| name)
}

/// Saves a game to a file. An existing file is overwritten only if it holds a game.
///
/// # Errors
/// If the file exists and holds no game, or can't be written.
pub fn save(file: &Path, record: &Record) -> anyhow::Result<()> {
    let name = file.display();
    match fs::symlink_metadata(file) {
        Ok(_) if load(file).is_err() => {
            let message = format!("{name} exists already and isn't a saved game: choose another name");
            return Err(bad_input(message));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(bad_input(format!("saving {name}: there is no folder {}", folder.display())));
            }
        }
        Err(error) => return Err(error).with_context(|| format!("saving {name}")),
    }
    let text = record.write();
    write_file(file, text.as_bytes())
}
