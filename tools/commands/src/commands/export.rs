//! `pentago export`: writes the values of a table as text, or random boards as a data set.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pentago::{Position, Shuffle, TableInfo, Tablebase, Value};
use pentago_base::counted;
use serde_json::json;

use crate::dataset::DataSet;
use crate::exit::{bad_input, missing_data};
use crate::options::{MOST_MARBLES, Overwrite, number};
use crate::output::{note, plain_stdout, quoted_path, ranges, shown_path, thousands};
use crate::{folder, interrupt};

/// Export the values of a table as CSV, JSON lines or NumPy arrays
///
/// CSV and JSON lines go to standard output. They list every stored position once, with its
/// quadrants turned in every way, and its value for the side to move; `over` is true where the game
/// has ended. Most symmetric copies of a position are left out, but not all: a position and its
/// mirror image may both be written.
///
/// --format npz writes a data set for training to the file --out. Its boards are drawn uniformly
/// and without repetition, in random order; the same seed gives the same file on every machine.
/// With --up-to-symmetry, the data set has one position of each symmetric set.
///
/// The file is an archive of int8 arrays, which `numpy.load` reads. `boards` has shape (n, 6, 6),
/// or (n, 4, 4) for Mini-Pentago, with rows from the top: 0 is empty, 1 a marble of X, 2 one of O.
/// `values` has shape (n): 1 is a win for the side to move, 0 a draw, -1 a loss. `moves`, with
/// --moves, has shape (n, 36, 9) or (n, 16, 9).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago export --tables tables --marbles 28 --limit 1000 > values.csv
  pentago export --tables tables --marbles 27 --format npz --limit 100000 --seed 7 --out train.npz")]
pub struct Export {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Number of marbles of the positions to export
    #[arg(long, value_name = "N", value_parser = number(0..=MOST_MARBLES))]
    marbles: u8,

    /// Target in the list of `pentago info`: its name, such as mini, or its number, which changes
    /// with the tables; required if several targets have such a table
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,

    /// Largest number of positions [default: all]
    #[arg(long, value_name = "K", value_parser = number(0..=u64::MAX), conflicts_with = "all")]
    limit: Option<u64>,

    /// File for a data set
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,

    /// Seed for the order of a data set [default: 0]
    #[arg(long, value_name = "S", value_parser = number(0..=u64::MAX))]
    seed: Option<u64>,

    /// In a data set, include only the canonical form of each set of symmetric boards
    #[arg(long)]
    up_to_symmetry: bool,

    /// In a data set, include boards on which the game is over
    #[arg(long)]
    finished: bool,

    /// In a data set, include the values of all moves
    ///
    /// Each socket has nine numbers: the eight turns (quadrant by quadrant, clockwise first), then
    /// the placement without a turn, which ends the game or declines the turn. -127 marks an
    /// illegal move,
    /// -128 an unknown value, because the next slice isn't stored.
    #[arg(long)]
    moves: bool,

    /// Export all positions, even if there are more than 10 million
    #[arg(long)]
    all: bool,
}

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// position,value,over
    Csv,
    /// {"position":...,"value":...,"over":...}
    Jsonl,
    /// A data set as an archive of NumPy arrays
    Npz,
}

/// The largest number of rows without `--all` or `--limit`.
const MOST_ROWS: u64 = 10_000_000;

/// The number of positions that are held in memory at a time.
const BATCH: usize = 1 << 16;

impl Export {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let for_data_sets =
            self.out.is_some() || self.moves || self.finished || self.up_to_symmetry || self.seed.is_some();
        if for_data_sets && self.format != Format::Npz {
            let text = "--out, --seed, --moves, --finished and --up-to-symmetry need \
                        --format npz";
            return Err(bad_input(text));
        }
        let path = folder::tables(self.tables.as_deref())?;
        let tables = folder::open(&path)?;
        let (tablebase, family, table) = self.find(tables)?;
        let rows = 256 * table.entries;
        if rows > MOST_ROWS && !self.all && self.limit.is_none() {
            let rows = thousands(rows);
            let text = format!(
                "this table has up to {rows} positions: use --limit K, or --all to export all of them"
            );
            return Err(bad_input(text));
        }
        if self.format == Format::Npz {
            return self.data_set(&tablebase, family);
        }
        let mut out = BufWriter::new(plain_stdout());
        if self.format == Format::Csv {
            writeln!(out, "position,value,over")?;
        }
        let rules = table.rules;
        let most = self.limit.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
        for value in Arc::new(tablebase).walk(table.number)?.take(most) {
            let (position, wdl) = value?;
            let text = rules.format_position(&position);
            let (value, over) = (Value::from(wdl).name(), rules.outcome(&position).is_some());
            if self.format == Format::Csv {
                writeln!(out, "{text},{value},{over}")?;
            } else {
                writeln!(out, "{}", json!({ "position": text, "value": value, "over": over }))?;
            }
        }
        Ok(out.flush()?)
    }

    /// Writes random boards to a file.
    fn data_set(&self, tables: &Tablebase, family: usize) -> anyhow::Result<()> {
        let Some(path) = self.out.as_ref().filter(|path| path.as_os_str() != "-") else {
            return Err(bad_input("data sets are binary files: name a file with --out FILE"));
        };
        let mut shuffle = Shuffle::new(self.seed.unwrap_or(0))
            .marbles(&[self.marbles])
            .up_to_symmetry(self.up_to_symmetry)
            .finished(self.finished)
            .of_target(family);
        let mut file = DataSet::new(path, &tables.rules(), self.moves)?;
        self.overwrite.check(path, &["boards.npy"])?;
        let (mut left, mut written) = (self.limit.unwrap_or(u64::MAX), 0);
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(BATCH).min(BATCH);
            let drawn = tables.draw(&mut shuffle, most, interrupt::control())?;
            if drawn.is_empty() {
                break;
            }
            if written == 0 {
                // The estimate of the number of boards has a standard error below 0.5%. A data set
                // that would fit must not be refused.
                let boards = 0.98 * drawn.len() as f64 / shuffle.share();
                file.check_space((boards as u64).max(drawn.len() as u64).min(left))?;
            }
            let moves = if self.moves {
                let positions: Vec<Position> = drawn.iter().map(|(position, _)| *position).collect();
                Some(tables.move_values(&positions, interrupt::control())?)
            } else {
                None
            };
            file.write(&drawn, moves.as_deref())?;
            written += drawn.len() as u64;
            left -= drawn.len() as u64;
        }
        file.finish()?;
        if written == 0 && !self.finished && self.limit != Some(0) {
            note("the game is over on all these boards: --finished includes them");
        }
        note(format_args!("{} in {}", counted(written, "board"), shown_path(path)));
        Ok(())
    }

    /// Returns the tables of Pentago, the index of the target among the targets of these tables,
    /// and the table of the target with the requested number of marbles.
    fn find(&self, tables: pentago_games::Tablebase) -> anyhow::Result<(Tablebase, usize, TableInfo)> {
        let folder = quoted_path(&tables.path);
        folder::of_pentago(&tables)?;
        let targets = folder::targets(&tables)?;
        let has = |(_, list): &folder::Target| list.iter().any(|table| table.marbles == Some(self.marbles));
        let name = |target: &folder::Target| target.0.target();
        let chosen = targets.iter().zip(1..).filter(|(target, number)| match &self.target {
            Some(text) => name(target) == *text || number.to_string() == *text,
            None => targets.len() == 1 || has(target),
        });
        let mut chosen: Vec<String> = chosen.map(|(target, _)| name(target)).collect();
        chosen.dedup();
        let marbles = counted(self.marbles, "marble");
        let target = match (&chosen[..], &self.target) {
            ([target], _) => target,
            ([], Some(text)) => {
                let names = targets.iter().map(name).collect::<Vec<_>>().join(", ");
                return Err(missing_data(format!("{folder} has no target {text}: it has {names}")));
            }
            ([], None) => {
                let text = format!("`pentago info {folder}` lists the tables");
                return Err(missing_data(format!("no table has positions with {marbles}: {text}")));
            }
            _ => {
                let options = chosen.iter().map(|name| format!("--target '{name}'")).collect::<Vec<_>>();
                let (count, options) = (chosen.len(), options.join(" or "));
                let text = format!("{count} targets in {folder} have such a table: choose {options}");
                return Err(bad_input(text));
            }
        };
        let tablebase = tables.into_game::<Tablebase>().expect("the tables were found").without_openings();
        let list = tablebase.list();
        let mut families: Vec<&str> = list.iter().map(|table| &*table.target).collect();
        families.dedup();
        let Some(family) = families.iter().position(|family| family == target) else {
            let text = format!("export supports Pentago and Mini-Pentago tables only, not those of {target}");
            return Err(bad_input(text));
        };
        let of_target = || list.iter().filter(|table| table.target == *target);
        let shards = of_target().filter(|table| table.marbles == self.marbles);
        // If several tables hold the slice, choose a table with the most entries.
        let Some(table) = shards.min_by_key(|table| std::cmp::Reverse(table.entries)) else {
            let there = ranges(of_target().map(|table| table.marbles).collect());
            return Err(missing_data(format!(
                "{target} in {folder} has no table of positions with {marbles}, only with {there}"
            )));
        };
        Ok((tablebase.with_rules(table.rules), family, table.clone()))
    }
}
