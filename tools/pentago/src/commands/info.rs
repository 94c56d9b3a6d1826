//! `pentago info`: the tables in a folder, as a list and as a chart.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pentago::probe::{TableSet, Tables};
use pentago::tables::Listed;
use pentago::values::{ENTRY_BYTES, WdlCounts};
use serde::Serialize;

use crate::exit::bad_input;
use crate::output::{bytes, thousands};
use crate::{chart, folder};

/// List tables with their rules, slices, sizes, wins, draws and losses
///
/// An entry holds the values of a board for all 256 rotations of its quadrants, 64 bytes before
/// compression; the ratio is compressed to uncompressed size. Wins, draws and losses are those of
/// the side to move. Below a root, they count all 256 rotations of each entry; in a complete game,
/// they count each position once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago info tables --plot tables.svg")]
pub struct Info {
    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Write the list as one JSON object
    #[arg(long)]
    json: bool,

    /// Draw a chart of wins, draws and losses by slice, as an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// All tables of a folder.
#[derive(Serialize)]
struct Report {
    folder: PathBuf,
    targets: Vec<Target>,
    /// The errors of files that can't be read as tables.
    damaged: Vec<String>,
    unfinished: Vec<PathBuf>,
}

/// The tables of one target.
#[derive(Serialize)]
struct Target {
    target: String,
    rules: String,
    bytes: u64,
    slices: Vec<Slice>,
}

/// One table.
#[derive(Serialize)]
struct Slice {
    marbles: u8,
    file: PathBuf,
    sections: u32,
    entries: u64,
    bytes: u64,
    /// Size of the file to the size of its entries.
    ratio: f64,
    wins: u64,
    draws: u64,
    losses: u64,
    program: String,
}

impl Slice {
    fn new(listed: &Listed) -> Slice {
        let header = &listed.header;
        let WdlCounts { wins, draws, losses } = header.counts;
        let (entries, bytes) = (header.entries, header.file_bytes);
        Slice {
            marbles: header.slice,
            file: listed.path.clone(),
            sections: header.arrays,
            entries,
            bytes,
            ratio: bytes as f64 / (entries as f64 * ENTRY_BYTES as f64),
            wins,
            draws,
            losses,
            program: header.program.clone(),
        }
    }
}

impl Target {
    fn new(family: &TableSet) -> Target {
        let slices: Vec<Slice> = family.listed().map(Slice::new).collect();
        Target {
            target: family.target().to_string(),
            rules: family.target().rules.to_string(),
            bytes: slices.iter().map(|s| s.bytes).sum(),
            slices,
        }
    }
}

impl Info {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.plot.as_ref().is_some_and(|file| file.extension().is_none_or(|e| e != "svg")) {
            return Err(bad_input("charts are SVG files: the name must end in .svg".to_owned()).into());
        }
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::open(&path, self.json)?;
        if let Some(file) = &self.plot {
            let bars = |family: &TableSet| chart::Bars {
                title: family.target().to_string(),
                bars: family.listed().map(|l| (l.header.slice, shares(l.header.counts))).collect(),
            };
            chart::write(file, &tables.families().iter().map(bars).collect::<Vec<_>>())?;
        }
        let report = Report {
            folder: path,
            targets: tables.families().iter().map(Target::new).collect(),
            damaged: tables.damaged().iter().map(ToString::to_string).collect(),
            unfinished: tables.unfinished().to_vec(),
        };
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write(&mut out, &tables, &report)?;
        }
        Ok(out.flush()?)
    }
}

/// The shares of wins, draws and losses.
fn shares(counts: WdlCounts) -> [f64; 3] {
    let all = counts.total().max(1) as f64;
    [counts.wins, counts.draws, counts.losses].map(|n| n as f64 / all)
}

fn write(out: &mut impl Write, tables: &Tables, report: &Report) -> std::io::Result<()> {
    for (number, target) in (1..).zip(&report.targets) {
        writeln!(out, "{number}. {} ({})", target.target, bytes(target.bytes))?;
        writeln!(
            out,
            "{:>7} {:>14} {:>10} {:>6} {:>19} {:>19} {:>19}",
            "marbles", "entries", "size", "ratio", "wins", "draws", "losses"
        )?;
        for slice in &target.slices {
            writeln!(
                out,
                "{:>7} {:>14} {:>10} {:>6.3} {:>19} {:>19} {:>19}",
                slice.marbles,
                thousands(slice.entries),
                bytes(slice.bytes),
                slice.ratio,
                thousands(slice.wins),
                thousands(slice.draws),
                thousands(slice.losses)
            )?;
        }
        writeln!(out)?;
    }
    let files: usize = report.targets.iter().map(|t| t.slices.len()).sum();
    let size = report.targets.iter().map(|t| t.bytes).sum();
    writeln!(out, "{files} tables, {}, in {}", bytes(size), tables.path().display())
}
