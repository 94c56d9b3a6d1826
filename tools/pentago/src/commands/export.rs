//! `pentago export`: the values of a table as text.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use pentago::answer::Value;
use pentago::probe::{Location, TableSet, Tables};
use pentago::rules::Position;
use pentago::tables::Table;
use pentago::values::{BlockId, Entry};
use pentago_text::counted;
use serde::Serialize;

use crate::exit::{bad_input, missing_data};
use crate::folder;
use crate::output::thousands;

/// Export the values of a table as CSV or JSON lines
///
/// Writes every stored position once, with its quadrants turned in every way, and its value for the
/// side to move; `over` tells whether the game has ended there. Symmetric copies of a position
/// aren't written.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago export --tables tables --marbles 28 --limit 1000 > values.csv")]
pub struct Export {
    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Export the positions with N marbles
    #[arg(long, value_name = "N")]
    marbles: u8,

    /// Number of the target in the list of `pentago info`, if there are several
    #[arg(long, value_name = "NUMBER")]
    target: Option<usize>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,

    /// Stop after K positions
    #[arg(long, value_name = "K", conflicts_with = "all")]
    limit: Option<u64>,

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
}

#[derive(Serialize)]
struct Row<'a> {
    position: &'a str,
    value: &'static str,
    over: bool,
}

/// More rows than these are only written with `--all` or `--limit`.
const MOST_ROWS: u64 = 10_000_000;

impl Export {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let tables = folder::open(&folder::tables(self.tables.as_deref())?, true)?;
        let (family, table) = self.find(&tables)?;
        let rows = 256 * table.header().entries;
        if rows > MOST_ROWS && !self.all && self.limit.is_none() {
            let rows = thousands(rows);
            let text = format!(
                "this table has up to {rows} positions: use --limit K, or --all to export all of them"
            );
            return Err(bad_input(text).into());
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        if self.format == Format::Csv {
            writeln!(out, "position,value,over")?;
        }
        let mut left = self.limit.unwrap_or(u64::MAX);
        for (array, record) in (0..).zip(table.arrays()) {
            for block in 0..record.array.grid.blocks() {
                let entries = table.block(BlockId { array, block })?;
                let ranges = record.array.grid.ranges(block);
                let lens = ranges.each_ref().map(|r| r.end - r.start);
                let of_block = pentago::values::Grid { extents: lens, edges: lens };
                for (number, entry) in (0..).zip(entries.iter()) {
                    let at = of_block.index(number);
                    let index = std::array::from_fn(|axis| ranges[axis].start + at[axis]);
                    let key = record.array.key;
                    self.entry(
                        &mut out,
                        family,
                        table,
                        Location { key, index, rotation: [0; 4], symmetry: 0 },
                        entry,
                        &mut left,
                    )?;
                    if left == 0 {
                        return Ok(out.flush()?);
                    }
                }
            }
        }
        Ok(out.flush()?)
    }

    /// Writes the positions of one entry, except copies of others.
    fn entry(
        &self,
        out: &mut impl Write,
        family: &TableSet,
        table: &Table,
        place: Location,
        entry: &Entry,
        left: &mut u64,
    ) -> anyhow::Result<()> {
        let rules = family.target().rules;
        for turns in 0..256u32 {
            if *left == 0 {
                return Ok(());
            }
            let place = Location { rotation: [6, 4, 2, 0].map(|shift| (turns >> shift) as u8 % 4), ..place };
            let board = family.board(table.header().slice, place.key, place.index, place.rotation);
            // A board with symmetric quadrants is stored several times, and written for the place
            // where it is found.
            if family.locate(board) != Some(place) {
                continue;
            }
            let position =
                Position::of(rules.shape, board).context("a stored board can't occur in a game")?;
            let text = rules.format_position(&position);
            let (value, over) =
                (Value::from(entry.get(place.rotation)).name(), rules.outcome(&position).is_some());
            match self.format {
                Format::Csv => writeln!(out, "{text},{value},{over}")?,
                Format::Jsonl => {
                    let row = Row { position: &text, value, over };
                    writeln!(out, "{}", serde_json::to_string(&row)?)?;
                }
            }
            *left -= 1;
        }
        Ok(())
    }

    fn find<'t>(&self, tables: &'t Tables) -> anyhow::Result<(&'t TableSet, &'t Table)> {
        let folder = tables.path().display();
        let families = tables.families();
        let number = match (self.target, families.len()) {
            (Some(number), count) if (1..=count).contains(&number) => number,
            (Some(number), count) => {
                return Err(bad_input(format!(
                    "there is no target {number}: {folder} has targets 1 to {count}"
                ))
                .into());
            }
            (None, 1) => 1,
            (None, count) => {
                let text = format!(
                    "{folder} has {count} targets: choose one with --target (see `pentago info {folder}`)"
                );
                return Err(bad_input(text).into());
            }
        };
        let family = &families[number - 1];
        let missing = || {
            let there: Vec<String> = family.listed().map(|l| l.header.slice.to_string()).collect();
            let (marbles, there) = (counted(self.marbles, "marble"), there.join(", "));
            missing_data(format!("no table of positions with {marbles} in {folder}, only with {there}"))
        };
        Ok((family, family.table(self.marbles)?.ok_or_else(missing)?))
    }
}
