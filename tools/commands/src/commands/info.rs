//! `pentago info`: the tables in a folder, as a list and as a chart.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pentago_base::counted;
use pentago_games::{Set, TableInfo};
use serde::Serialize;

use crate::exit::{bad_input, missing_data};
use crate::output::{bytes, thousands};
use crate::{chart, folder, output};

/// List tables with their rules, slices, sizes, wins, draws and losses
///
/// An entry holds the values of a board for all 256 rotations of its quadrants, 64 bytes before
/// compression; the ratio is compressed to uncompressed size. Wins, draws and losses are those of
/// the side to move. Below a root, they count all 256 rotations of each entry; in a complete game,
/// they count each position of the stored sections once. Of symmetric sections only one is stored:
/// `pentago counts` counts the positions of all of them.
///
/// For Pentago XL, an entry is a board at all 65,536 rotations, and the counts are those of the
/// side to move. For Pente, there is a table for each pair of numbers of captured stones (by X and
/// by O), and positions are counted once up to symmetry.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago info tables --plot tables.svg")]
pub struct Info {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Write the list as one JSON object
    #[arg(long)]
    json: bool,

    /// Draw a chart of wins, draws and losses by slice, as an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Write no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

/// All tables of a folder.
#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "output::path")]
    folder: PathBuf,
    targets: Vec<TargetInfo>,
    /// The errors of files that can't be read as tables.
    damaged: Vec<String>,
    #[serde(serialize_with = "output::paths")]
    unfinished: Vec<PathBuf>,
}

/// The tables of a target.
#[derive(Debug, Serialize)]
struct TargetInfo {
    target: String,
    rules: String,
    bytes: u64,
    slices: Vec<TableInfo>,
}

/// What there is to say about a target.
fn target(set: &dyn Set) -> Result<TargetInfo, pentago::Error> {
    let slices = set.list()?;
    let bytes = slices.iter().map(|s| s.bytes).sum();
    Ok(TargetInfo { target: set.target(), rules: set.rules(), bytes, slices })
}

impl Info {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.plot.as_ref().is_some_and(|file| file.extension().is_none_or(|e| e != "svg")) {
            return Err(bad_input("charts are SVG files: the name must end in .svg".to_owned()).into());
        }
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::open(&path, self.json || self.quiet)?;
        let report = Report {
            folder: tables.path().to_owned(),
            targets: tables.sets().map(target).collect::<Result<_, _>>()?,
            damaged: tables.damaged().collect(),
            unfinished: tables.unfinished().map(Path::to_owned).collect(),
        };
        if let Some(file) = &self.plot {
            let all: Vec<chart::Bars> = report.targets.iter().filter_map(bars).collect();
            if all.is_empty() {
                let text = "--plot: nothing to draw: it shows tables that have a number of marbles each";
                return Err(missing_data(text).into());
            }
            chart::write(file, &all)?;
        }
        let mut out = output::stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write(&mut out, &report)?;
        }
        Ok(out.flush()?)
    }
}

/// The bars of a target whose tables have a number of marbles each.
fn bars(target: &TargetInfo) -> Option<chart::Bars> {
    let bar = |s: &TableInfo| {
        let counts = [s.wins, s.draws, s.losses];
        let all = counts.iter().sum::<u64>().max(1) as f64;
        Some((s.marbles?, counts.map(|n| n as f64 / all)))
    };
    let bars: Vec<_> = target.slices.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| chart::Bars { title: target.target.clone(), bars })
}

fn write(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    for (number, target) in (1..).zip(&report.targets) {
        writeln!(out, "{number}. {} ({})", target.target, bytes(target.bytes))?;
        writeln!(
            out,
            "{:>7} {:>14} {:>10} {:>6} {:>19} {:>19} {:>19}",
            if target.slices.iter().all(|s| s.marbles.is_some()) { "marbles" } else { "taken" },
            "entries",
            "size",
            "ratio",
            "wins",
            "draws",
            "losses"
        )?;
        for slice in &target.slices {
            writeln!(
                out,
                "{:>7} {:>14} {:>10} {:>6.3} {:>19} {:>19} {:>19}",
                slice.label(),
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
    writeln!(out, "{}, {}, in {}", counted(files as u64, "table"), bytes(size), report.folder.display())
}
