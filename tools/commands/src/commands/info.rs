//! `pentago info`: the tables in a folder as a list or a chart, and the counts of complete games.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pentago_base::counted;
use pentago_games::{TableInfo, Tablebase};
use serde_json::json;

use crate::counts::{write_sections, write_slices};
use crate::exit::{bad_input, missing_data};
use crate::folder::Target;
use crate::options::{MOST_MARBLES, Overwrite, number};
use crate::output::{bytes, quoted_path, shown_path, thousands};
use crate::{chart, folder, output};

/// List tables with their rules, slices, sizes, wins, draws and losses
///
/// A root is listed in its canonical form: the same position up to rotations of quadrants and
/// symmetries of the board.
///
/// An entry holds the values of a board for all 256 rotations of its quadrants, in 64 bytes before
/// compression. The ratio is the compressed size divided by the uncompressed size. Wins, draws and
/// losses are for the side to move. Below a root, these counts include all 256 rotations of each
/// entry. In a complete game, they count each position of the stored sections once. Of symmetric
/// sections, only one is stored.
///
/// --counts counts the positions of all symmetric sections in complete games of Pentago and
/// Mini-Pentago. It counts every board once, in all rotations of its quadrants, including finished
/// games and boards that can't be reached. X is the player who moved first. The total of a slice is
/// the sum over its sections, each multiplied by its number of images under the symmetries of the
/// board. The sum lacks sections that no table holds. `pentago verify --counts` compares these
/// counts with published ones.
///
/// For Pentago XL, an entry is a board at all 65,536 rotations. For Pente, there is a table for
/// each pair of numbers of captured stones (by X and by O), and positions are counted once up to
/// symmetry. An entry of a certificate is a lemma, which is counted as a win.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago info tables --plot tables.svg
  pentago info tables --counts --sections --marbles 4")]
pub struct Info {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Write the list as one JSON object; with --counts, one JSON object per line
    #[arg(long)]
    json: bool,

    /// Draw a chart of wins, draws and losses by slice, as an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Print the wins, draws and losses of complete games instead, one line per slice
    #[arg(long, conflicts_with = "plot")]
    counts: bool,

    /// With --counts, print one line per section
    #[arg(long, requires = "counts")]
    sections: bool,

    /// With --counts, only count positions with N marbles
    #[arg(long, value_name = "N", requires = "counts", value_parser = number(0..=MOST_MARBLES))]
    marbles: Option<u8>,

    #[command(flatten)]
    overwrite: Overwrite,
}

impl Info {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.plot.as_ref().is_some_and(|file| file.extension().is_none_or(|e| e != "svg")) {
            return Err(bad_input("charts are SVG files: the name must end in .svg".to_owned()));
        }
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::open(&path)?;
        if self.counts {
            return self.write_counts(&tables);
        }
        let targets = folder::targets(&tables)?;
        if let Some(file) = &self.plot {
            let all: Vec<_> = targets.iter().map(bars).filter(|(_, bars)| !bars.is_empty()).collect();
            if all.is_empty() {
                let text = "--plot: nothing to draw: charts show tables that have a number of marbles each";
                return Err(missing_data(text));
            }
            self.overwrite.check(file, &[chart::MARK])?;
            chart::write(file, &all)?;
        }
        let mut out = output::stdout();
        if self.json {
            write_json(&mut out, &tables, &targets)?;
        } else {
            write_text(&mut out, &tables.path, &targets)?;
        }
        Ok(out.flush()?)
    }

    /// Writes the counts of the complete games among the tables.
    fn write_counts(&self, tables: &Tablebase) -> anyhow::Result<()> {
        let wanted = |slice| self.marbles.is_none_or(|marbles| marbles == slice);
        let mut games = folder::of_pentago(tables)?.counts(wanted)?;
        games.retain(|game| !game.slices.is_empty());
        if games.is_empty() {
            let folder = quoted_path(&tables.path);
            let text = format!("`pentago info {folder}` lists the tables");
            return Err(missing_data(format!("{folder} has no such tables of a complete game: {text}")));
        }
        let mut out = output::stdout();
        for game in &games {
            if self.sections {
                write_sections(&mut out, game, self.json, None)?;
            } else {
                write_slices(&mut out, game, self.json)?;
            }
        }
        Ok(out.flush()?)
    }
}

/// Returns the title of a target, and the bars of its slices. A bar has a number of marbles and the
/// shares of wins, draws and losses. Slices without a number of marbles have no bar.
fn bars((set, slices): &Target) -> (String, Vec<chart::Bar>) {
    let bar = |slice: &TableInfo| {
        let counts = [slice.wins, slice.draws, slice.losses];
        let all = counts.iter().sum::<u64>().max(1) as f64;
        Some((slice.marbles?, counts.map(|n| n as f64 / all)))
    };
    (set.target(), slices.iter().filter_map(bar).collect())
}

/// Returns the total size of tables in bytes.
fn size(slices: &[TableInfo]) -> u64 {
    slices.iter().map(|slice| slice.bytes).sum()
}

fn write_json(out: &mut impl Write, tables: &Tablebase, targets: &[Target]) -> anyhow::Result<()> {
    let mut list = Vec::new();
    for (set, slices) in targets {
        let (target, rules, bytes) = (set.target(), set.rules(), size(slices));
        let slices = serde_json::to_value(slices)?;
        list.push(json!({ "target": target, "rules": rules, "bytes": bytes, "slices": slices }));
    }
    let report = json!({
        "folder": output::json_path(&tables.path)?,
        "targets": list,
        "damaged": tables.damaged,
        "unfinished": output::json_paths(&tables.unfinished)?,
    });
    Ok(writeln!(out, "{report}")?)
}

fn write_text(out: &mut impl Write, folder: &Path, targets: &[Target]) -> std::io::Result<()> {
    let (mut files, mut all) = (0, 0);
    for (number, (set, slices)) in (1..).zip(targets) {
        files += slices.len() as u64;
        all += size(slices);
        let by_marbles = slices.iter().all(|slice| slice.marbles.is_some());
        let first = if by_marbles { "marbles" } else { "taken" };
        writeln!(out, "{number}. {} ({})", set.target(), bytes(size(slices)))?;
        let heading = [first, "entries", "size", "ratio", "wins", "draws", "losses"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for slice in slices {
            let ratio = format!("{:.3}", slice.ratio);
            let mut row = vec![slice.label(), thousands(slice.entries), bytes(slice.bytes), ratio];
            row.extend([slice.wins, slice.draws, slice.losses].map(thousands));
            rows.push(row);
        }
        writeln!(out, "{}", output::columns(&rows))?;
    }
    writeln!(out, "{}, {}, in {}", counted(files, "table"), bytes(all), shown_path(folder))
}
