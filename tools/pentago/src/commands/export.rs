//! `pentago export`: the values of a table as text.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use pentago::answer::Value;
use pentago::probe::{Location, TableSet, Tablebase};
use pentago::rules::Position;
use pentago::tables::Table;
use pentago::values::{BlockId, Entry};
use serde::Serialize;

use crate::exit::{bad_input, missing_data};
use crate::folder;
use crate::output::thousands;

/// Write the positions of a table and their values as CSV or JSON lines
///
/// Each stored position comes once: below a root every board with the root's marbles, its blocks turned in every way; in a whole game
/// the boards of the stored sections. The same positions seen from another side of the board aren't written. The value is
/// that for the side to move; `over` says that the game has ended there.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago export --tables tables --marbles 28 --limit 1000 > values.csv")]
pub struct Export {
    /// The folder of tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// The table: that of positions with so many marbles
    #[arg(long, value_name = "N")]
    marbles: u8,

    /// The number of the target as `pentago info` lists it, where there are several
    #[arg(long, value_name = "NUMBER")]
    target: Option<usize>,

    /// The form of a position and its value
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,

    /// Stop after so many positions
    #[arg(long, value_name = "K", conflicts_with = "all")]
    limit: Option<u64>,

    /// Write everything, however much it is
    #[arg(long)]
    all: bool,
}

/// The forms.
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

/// More rows than these are only written if that is said.
const MOST_ROWS: u64 = 10_000_000;

impl Export {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let tables = folder::open(&folder::tables(self.tables.as_deref())?, true)?;
        let (family, table) = self.find(&tables)?;
        let rows = 256 * table.header().entries;
        if rows > MOST_ROWS && !self.all && self.limit.is_none() {
            let rows = thousands(rows);
            let text =
                format!("this table has up to {rows} positions: give --limit K, or --all to write them all");
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

    /// Writes the positions of one entry that aren't the same as others.
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
            // A board whose blocks look the same turned is stored several times, and found in one place.
            if family.locate(board) != Some(place) {
                continue;
            }
            let position =
                Position::of(rules.shape, board).context("a stored board that no game leads to")?;
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

    fn find<'t>(&self, tables: &'t Tablebase) -> anyhow::Result<(&'t TableSet, &'t Table)> {
        let folder = tables.path().display();
        let families = tables.families();
        let number = match (self.target, families.len()) {
            (Some(number), count) if (1..=count).contains(&number) => number,
            (Some(number), count) => {
                return Err(
                    bad_input(format!("there is no target {number}: {folder} has 1 to {count}")).into()
                );
            }
            (None, 1) => 1,
            (None, count) => {
                let text = format!(
                    "{folder} has {count} targets: choose one with --target, see `pentago info {folder}`"
                );
                return Err(bad_input(text).into());
            }
        };
        let family = &families[number - 1];
        let missing = || {
            let there: Vec<String> = family.listed().map(|l| l.header.slice.to_string()).collect();
            let (marbles, there) = (self.marbles, there.join(", "));
            missing_data(format!(
                "no table of positions with {marbles} marbles in {folder}: there are those with {there}"
            ))
        };
        Ok((family, family.table(self.marbles)?.ok_or_else(missing)?))
    }
}
