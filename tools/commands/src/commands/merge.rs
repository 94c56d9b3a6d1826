//! `pentago merge`: merges the shards of a slice into one table.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pentago::merge;
use pentago_base::counted;

use crate::exit::bad_input;
use crate::interrupt;
use crate::output::{bytes, check_file, counted_entries, note, shown_path, stdout};
use crate::progress::Progress;

/// Merge the shards of a slice into one table
///
/// `pentago-cluster` builds each slice of a game as shards: files that hold parts of the slice. All
/// commands read the shards in a folder like one table, so merging is optional. The merged file
/// equals the table that `pentago build` writes, byte for byte. Every block is compared with its
/// checksum. To resume an interrupted merge, run the same command again.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago merge tables/pentago/slice-34-shard-*-of-8.pentago --out slice-34.pentago")]
pub struct Merge {
    /// All shards of one slice
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,

    /// File for the table
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Allow sections to be missing, as in a build of single sections
    #[arg(long)]
    partial: bool,
}

impl Merge {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.out.as_os_str() == "-" {
            return Err(bad_input("a table is a binary file: name a file with --out FILE"));
        }
        check_file(&self.out)?;
        let control = interrupt::control();
        let table = Progress::during(control, 1, |_| merge(&self.shards, &self.out, self.partial, control))?;
        let mut out = stdout();
        writeln!(out, "{}", shown_path(&self.out))?;
        let (header, shards) = (table.header(), self.shards.len());
        let (entries, size) = (counted_entries(header.entries), bytes(header.file_bytes));
        let shards = counted(shards as u64, "shard");
        note(format_args!("{shards}, {entries}, {size}"));
        Ok(out.flush()?)
    }
}
