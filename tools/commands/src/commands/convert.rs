//! `pentago convert`: converts the record of a game to another format.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pentago_games::{FORMATS, Game};

use super::play::files;
use crate::exit::bad_input;
use crate::options::game;
use crate::output::{note, stdout};

/// The name of the program's own record format.
const RECORD: &str = "record";

/// Convert the record of a game to another format
///
/// The formats are record (tags and numbered moves, as `play` saves them), openspiel (OpenSpiel's
/// actions), numbers (the positions as perfect-pentago.net numbers) and pente.org. The format of
/// the input is detected; the older record formats of this program are also accepted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago convert game.txt --to numbers
  echo 'a1s c4t' | pentago convert -")]
pub struct Convert {
    /// File with the game, or - for standard input
    file: PathBuf,

    /// Format to write
    #[arg(long, value_name = "FORMAT", default_value = RECORD)]
    to: String,

    /// Rules for a game without a rules tag; a tag takes precedence [default: the first game that
    /// can play the moves]
    #[arg(long, value_name = "RULES", value_parser = game)]
    rules: Option<Arc<dyn Game>>,
}

impl Convert {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let format = FORMATS.into_iter().find(|format| format.name == self.to);
        if format.is_none() && self.to != RECORD {
            let names = FORMATS.map(|format| format.name).join(", ");
            return Err(bad_input(format!("--to {}: expected {RECORD} or one of {names}", self.to)));
        }
        let record = files::load(self.rules.as_ref(), &self.file, true)?;
        let own = record.game().rules();
        if let Some(rules) = self.rules.map(|game| game.rules()).filter(|rules| *rules != own) {
            note(format_args!("the game has a tag with its rules, {own}: --rules {rules} is ignored"));
        }
        let text = match format {
            None => record.write()?,
            Some(format) => (format.write)(&record)?,
        };
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }
}
