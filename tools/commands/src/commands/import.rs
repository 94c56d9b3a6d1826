//! `pentago import`: files of the published solution become tables.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pentago::{Codec, ImportError, Imported, Published, PublishedSlice, import};
use pentago_base::counted;
use serde::Serialize;

use crate::args::Threads;
use crate::exit::failed;
use crate::output::{counted_entries, note, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt, output};

/// Convert files of the published solution into tables
///
/// The values of all positions with up to 18 marbles have been published (G. Irving, "Pentago is a
/// first player win", 2014), in one file per number of marbles: slice-0.pentago, slice-1.pentago
/// and so on. The files for 0 to 8 marbles are public: the folder `data` of
/// github.com/girving/pentago has them. Each file of a slice, or of a single section, becomes a table
/// of the complete game under the default rules, after its wins, draws and losses were compared with
/// the published counts. `query`, `info`, `verify` and `export` read it like any other. An interrupted
/// import is resumed by running the same command again. Existing tables are kept.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// The files to convert
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three quarters
    /// of the size; 30 times as slow to write), or zstd:LEVEL with a level from 1 to 19
    #[arg(long, value_name = "CODEC", default_value_t = Codec::COMPACT)]
    codec: Codec,

    /// Write one JSON object per file
    #[arg(long)]
    json: bool,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N")]
    threads: Option<Threads>,

    /// Write no progress and no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago import slice-4.pentago slice-5.pentago slice-6.pentago --out tables";

/// The result for one file.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(serialize_with = "output::path")]
    file: PathBuf,
    #[serde(serialize_with = "output::path")]
    table: PathBuf,
    marbles: u8,
    sections: u32,
    entries: u64,
    boards: u64,
    file_bytes: u64,
    bytes: u64,
    already_there: bool,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { file, table, marbles, sections, .. } = self;
        let [before, after] = [self.file_bytes, self.bytes].map(thousands);
        let (entries, boards) = (counted_entries(self.entries), counted(self.boards, "board"));
        write!(
            f,
            "{}: {}, {}, {entries}, {boards}: ",
            file.display(),
            counted(*marbles, "marble"),
            counted(*sections as u64, "section")
        )?;
        write!(f, "{before} bytes, {after} in {}", table.display())?;
        if self.already_there { write!(f, ", which existed already") } else { Ok(()) }
    }
}

impl Import {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let out = folder::to_write(self.out.as_deref())?;
        let threads = Threads::or_all(self.threads);
        let pool = engine::pool(threads)?;
        let control = interrupt::control();
        let mut stdout = output::stdout();
        for path in &self.files {
            let began = Instant::now();
            let slice = PublishedSlice::new(Published::open(path)?);
            let imported = Progress::during(control, threads.get(), self.quiet, |_| {
                pool.install(|| import(&slice, &out, self.codec, control))
            });
            let imported = imported.map_err(cli_error)?;
            if imported.lacking > 0 && !self.quiet {
                note(format_args!(
                    "{} lacks {} of {}: delete it and import again to add them",
                    imported.path.display(),
                    counted(imported.lacking as u64, "section"),
                    path.display()
                ));
            }
            let report = Report::new(&slice, imported, began.elapsed().as_secs_f64());
            if self.json {
                writeln!(stdout, "{}", serde_json::to_string(&report)?)?;
            } else {
                writeln!(stdout, "{report}")?;
            }
            stdout.flush()?;
        }
        Ok(())
    }
}

impl Report {
    fn new(slice: &PublishedSlice, imported: Imported, seconds: f64) -> Report {
        Report {
            file: slice.file().path().to_owned(),
            table: imported.path,
            marbles: slice.file().marbles(),
            sections: imported.sections,
            entries: imported.entries,
            boards: imported.counts.total() as u64,
            file_bytes: slice.file().bytes(),
            bytes: imported.bytes,
            already_there: imported.already,
            seconds,
        }
    }
}

/// The error as one that the program knows.
fn cli_error(error: ImportError) -> anyhow::Error {
    match error {
        ImportError::Published(error) => error.into(),
        ImportError::Table(error) => error.into(),
        error @ ImportError::Wrong { .. } => failed(error),
        ImportError::Stopped(stopped) => stopped.into(),
    }
}
