//! `pentago import`: the published solution's files as tables.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pentago::published::{ImportError, Imported, Published, PublishedSlice, import};
use pentago::solve::{SolveError, Stopped};
use serde::Serialize;

use crate::args::Threads;
use crate::output::{note, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt};

/// Make tables of the published solution's files
///
/// The values of all positions with up to 18 marbles have been published (G. Irving, "Pentago is a first player win", 2014), a file
/// for each number of marbles: slice-0.pentago, slice-1.pentago and so on, or single sections of a slice. Each file becomes a table
/// of the whole game with the usual rules, which `query`, `info`, `verify` and `export` read like any other. Importing goes on where it
/// was stopped; a table that is there already is left as it is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write one JSON object a line, for each file
    #[arg(long)]
    json: bool,

    /// Threads [default: one for each processor that may be used]
    #[arg(long, value_name = "N")]
    threads: Option<Threads>,

    /// No progress and no notes on standard error
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago import slice-4.pentago slice-5.pentago slice-6.pentago --out tables";

/// What became of a file, as it is told.
#[derive(Debug, Serialize)]
struct Report {
    file: PathBuf,
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
        let [entries, boards, before, after] =
            [self.entries, self.boards, self.file_bytes, self.bytes].map(thousands);
        write!(
            f,
            "{}: {marbles} marbles, {sections} sections, {entries} entries, {boards} boards: ",
            file.display()
        )?;
        write!(f, "{before} bytes, {after} in {}", table.display())?;
        if self.already_there { write!(f, ", which was there already") } else { Ok(()) }
    }
}

impl Import {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let out = folder::tables(self.out.as_deref())?;
        let threads = Threads::or_all(self.threads);
        let pool = engine::pool(threads)?;
        let control = interrupt::control();
        let mut stdout = anstream::stdout().lock();
        for path in &self.files {
            let began = Instant::now();
            let slice = PublishedSlice::new(Published::open(path)?);
            let imported = Progress::during(control, threads, self.quiet, |progress| {
                progress.work(
                    &format!("{} marbles", slice.file().marbles()),
                    slice.manifest().entries(),
                    1,
                    0,
                );
                pool.install(|| import(&slice, &out, control))
            });
            let imported = imported.map_err(told)?;
            if imported.lacking > 0 && !self.quiet {
                note(format_args!(
                    "{} lacks {} sections of {}: delete it to make a new one",
                    imported.path.display(),
                    imported.lacking,
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
fn told(error: ImportError) -> anyhow::Error {
    match error {
        ImportError::Published(error) => error.into(),
        ImportError::Table(error) => error.into(),
        ImportError::Cancelled(cancelled) => SolveError::from(Stopped::from(cancelled)).into(),
    }
}
