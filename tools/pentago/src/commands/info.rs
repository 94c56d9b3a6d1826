//! `pentago info`: the tables in a folder, as a list and as a chart.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pentago::probe::{TableSet, Tables};
use pentago::tables::Listed;
use pentago::values::{ENTRY_BYTES, WdlCounts};
use serde::Serialize;

use crate::exit::bad_input;
use crate::games::tables::{OtherTables, SliceInfo, TargetInfo};
use crate::output::{bytes, thousands};
use crate::{chart, folder, output};

/// List tables with their rules, slices, sizes, wins, draws and losses
///
/// An entry holds the values of a board for all 256 rotations of its quadrants, 64 bytes before
/// compression; the ratio is compressed to uncompressed size. Wins, draws and losses are those of
/// the side to move. Below a root, they count all 256 rotations of each entry; in a complete game,
/// they count each position once.
///
/// For Pentago XL, an entry is a board at all 65,536 rotations, and the counts are those of the
/// side to move. For Pente, there is a table for each pair of numbers of captured stones (by X and
/// by O), and positions are counted once up to symmetry.
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
    #[serde(serialize_with = "output::path")]
    folder: PathBuf,
    targets: Vec<TargetInfo>,
    /// The errors of files that can't be read as tables.
    damaged: Vec<String>,
    #[serde(serialize_with = "output::paths")]
    unfinished: Vec<PathBuf>,
}

/// What there is to say about a table of Pentago.
fn slice(listed: &Listed) -> SliceInfo {
    let header = &listed.header;
    let WdlCounts { wins, draws, losses } = header.counts;
    let (entries, bytes) = (header.entries, header.file_bytes);
    SliceInfo {
        marbles: Some(header.slice),
        captures: None,
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

/// What there is to say about a target of Pentago.
fn target(family: &TableSet) -> TargetInfo {
    let slices: Vec<SliceInfo> = family.listed().map(slice).collect();
    TargetInfo {
        target: family.target().to_string(),
        rules: family.target().rules.to_string(),
        bytes: slices.iter().map(|s| s.bytes).sum(),
        slices,
    }
}

impl Info {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.plot.as_ref().is_some_and(|file| file.extension().is_none_or(|e| e != "svg")) {
            return Err(bad_input("charts are SVG files: the name must end in .svg".to_owned()).into());
        }
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::look(&path, self.json)?;
        let others = OtherTables::open(&path, None)?;
        if others.is_empty() {
            folder::not_empty(&tables)?;
        }
        if !self.json {
            others.note_damaged();
        }
        let others_listed = others.list()?;
        if let Some(file) = &self.plot {
            let bars = |family: &TableSet| chart::Bars {
                title: family.target().to_string(),
                bars: family.listed().map(|l| (l.header.slice, shares(l.header.counts))).collect(),
            };
            let mut all: Vec<chart::Bars> = tables.families().iter().map(bars).collect();
            all.extend(others_listed.iter().filter_map(bars_of_other));
            chart::write(file, &all)?;
        }
        let report = Report {
            folder: path,
            targets: tables.families().iter().map(target).chain(others_listed).collect(),
            damaged: tables.damaged().iter().chain(&others.damaged).map(ToString::to_string).collect(),
            unfinished: tables.unfinished().to_vec(),
        };
        let mut out = output::stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write(&mut out, &tables, &report)?;
        }
        Ok(out.flush()?)
    }
}

/// The bars of the tables of another game that have a number of marbles each.
fn bars_of_other(target: &TargetInfo) -> Option<chart::Bars> {
    let bar = |s: &SliceInfo| {
        let &SliceInfo { wins, draws, losses, .. } = s;
        Some((s.marbles?, shares(WdlCounts { wins, draws, losses })))
    };
    let bars: Vec<_> = target.slices.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| chart::Bars { title: target.target.clone(), bars })
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
    writeln!(out, "{files} tables, {}, in {}", bytes(size), tables.path().display())
}
