//! `pentago import`: converts files of the published solution into tables.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pentago::{Codec, Imported, Published, PublishedSlice, import};
use pentago_base::counted;
use serde_json::json;

use crate::options::{threads, threads_or_all};
use crate::output::{counted_entries, note, shown_path, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt, output};

/// Convert files of the published solution into tables
///
/// The published solution (G. Irving, "Pentago is a first player win", 2014) has the values of all
/// positions with up to 18 marbles, in one file per number of marbles: slice-0.pentago,
/// slice-1.pentago and so on. The files for 0 to 8 marbles are public, in the folder `data` of
/// github.com/girving/pentago. The wins, draws and losses of each file are first compared with the
/// published counts. Then each file of a slice, or of a single section, becomes a table of the
/// complete game under the default rules, which `query`, `info`, `verify` and `export` read like
/// any other. To resume an interrupted import, run the same command again. Existing tables are
/// kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago import slice-4.pentago slice-5.pentago slice-6.pentago --out tables")]
pub struct Import {
    /// Files to convert
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three
    /// quarters of the size; 30 times as slow to write), or zstd:LEVEL with a level from 1 to 19
    #[arg(long, value_name = "CODEC", default_value_t = Codec::COMPACT)]
    codec: Codec,

    /// Write one JSON object per file
    #[arg(long)]
    json: bool,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZero<usize>>,
}

impl Import {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let out = folder::to_write(self.out.as_deref())?;
        let threads = threads_or_all(self.threads);
        let pool = engine::pool(threads)?;
        let control = interrupt::control();
        let mut stdout = output::results();
        for path in &self.files {
            let began = Instant::now();
            let slice = PublishedSlice::new(Published::open(path)?);
            let imported = Progress::during(control, threads.get(), |_| {
                pool.install(|| import(&slice, &out, self.codec, control))
            })?;
            if imported.lacking > 0 {
                let (table, file) = (shown_path(&imported.path), shown_path(path));
                let lacking = counted(imported.lacking as u64, "section");
                note(format_args!(
                    "{table} lacks {lacking} of {file}: delete it and import again to add them"
                ));
            }
            let seconds = began.elapsed().as_secs_f64();
            if self.json {
                let report = json!({
                    "file": output::json_path(path)?, "table": output::json_path(&imported.path)?,
                    "marbles": slice.file.marbles, "sections": imported.header.arrays,
                    "entries": imported.header.entries, "boards": imported.header.counts.total() as u64,
                    "file_bytes": slice.file.bytes(), "bytes": imported.header.file_bytes,
                    "already_there": imported.already, "seconds": seconds,
                });
                writeln!(stdout, "{report}")?;
            } else {
                writeln!(stdout, "{}", describe(&slice, &imported))?;
            }
            stdout.flush()?;
        }
        stdout.end()
    }
}

/// Describes the table of a file in one line.
fn describe(slice: &PublishedSlice, imported: &Imported) -> String {
    let (file, table) = (&slice.file, shown_path(&imported.path));
    let [before, after] = [file.bytes(), imported.header.file_bytes].map(thousands);
    let marbles = counted(file.marbles, "marble");
    let sections = counted(u64::from(imported.header.arrays), "section");
    let (entries, boards) =
        (counted_entries(imported.header.entries), counted(imported.header.counts.total() as u64, "board"));
    let existed = if imported.already { ", which existed already" } else { "" };
    format!(
        "{}: {marbles}, {sections}, {entries}, {boards}: {before} bytes, {after} in {table}{existed}",
        shown_path(&file.path)
    )
}
