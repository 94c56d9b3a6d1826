//! `pentago verify`: whether tables are intact and right.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use pentago::probe::{TableSet, Tables};
use pentago::rules::Rules;
use pentago::solve::RootedSolver;
use pentago::tables::{PentagoSchema, Table};
use pentago::verify;
use pentago::verify::{SampleReport, VerifyError};
use pentago_base::counted;
use pentago_store::Definition;

use crate::args::SolverArgs;
use crate::exit::{failed, missing_data};
use crate::games::tables::{OtherTables, Verification};
use crate::output::{stdout, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt, scoreboard};

/// Verify tables: checksums, values, and counts
///
/// There are three levels of verification, and a comparison with known counts. Without any of these
/// options, --hash is assumed.
///
/// --hash reads every byte and compares the checksums of all blocks and files. This finds damaged
/// files, but not wrong values.
///
/// --sample draws random positions and compares the value of each with the stored values of its
/// moves, and with the solver where that is quick (up to 18 empty sockets, or where the moves
/// aren't stored). If N positions are all right, fewer than about 3/N of all values are wrong, at
/// 95% confidence.
///
/// --full compares every stored value with the values of its moves, using a plain implementation of
/// the rules that shares no code with the solver. Where the next slice isn't stored, positions are
/// sampled and solved instead, and the output says so.
///
/// --counts compares the wins, draws and losses of complete games with known counts: those
/// published for Pentago (whole slices of 0 to 35 marbles are built in, sections are read from the
/// files of --against), and those of all positions reachable in Mini-Pentago. For each slice it
/// prints how many sections agree, how many are stored, and how many the game has.
///
/// The exit status is 1 if anything is wrong; the first wrong position, damaged block or wrong
/// section is named.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago verify tables --hash --sample 1000 --seed 7")]
pub struct Verify {
    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Compare the checksums of all blocks and files
    #[arg(long)]
    hash: bool,

    /// Compare N random positions with their moves and with the solver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Seed for the random positions
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Compare every stored value with those of its moves
    #[arg(long)]
    full: bool,

    /// Compare wins, draws and losses with known counts
    #[arg(long)]
    counts: bool,

    /// Published counts by section: tab-separated text, or counts-N.npy of the published solution
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "counts")]
    against: Vec<PathBuf>,

    /// Only verify tables of positions with N marbles
    #[arg(long, value_name = "N")]
    marbles: Option<u8>,

    #[command(flatten)]
    solver: SolverArgs,
}

/// Positions that are sampled from a slice that `--full` can't compare.
const LAST_SLICE_SAMPLE: u64 = 200;

fn cli_error(error: VerifyError) -> anyhow::Error {
    match error {
        error @ (VerifyError::Stopped(_) | VerifyError::Solver(_)) => error.into(),
        VerifyError::Table(error) => failed(error),
        wrong @ VerifyError::Wrong(_) => failed(wrong),
    }
}

impl Verify {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let published = scoreboard::read(&self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::look(&path, true)?;
        let others = OtherTables::open(&path, Some(self.cache()))?;
        // Files that can't even be opened come first.
        if let Some(damaged) = tables.damaged().first() {
            return Err(failed(damaged));
        }
        let mut out = stdout();
        let of_others = match self.marbles {
            Some(marbles) => others.has_marbles(marbles),
            None => !others.is_empty(),
        };
        let asked = Verification {
            hash: self.hash || self.sample.is_none() && !self.full && !self.counts,
            sample: self.sample,
            seed: self.seed,
            full: self.full,
            counts: self.counts,
            marbles: self.marbles,
            solver: &self.solver,
        };
        others.verify(&mut out, &asked)?;
        if of_others && (tables.families().is_empty() || self.marbles.is_some_and(|n| !holds(&tables, n))) {
            return Ok(out.flush()?);
        }
        if others.is_empty() {
            folder::not_empty(&tables)?;
        }
        let opened = self.opened(&tables)?;
        if self.hash || self.sample.is_none() && !self.full && !self.counts {
            self.hash(&mut out, &opened)?;
        }
        if let Some(count) = self.sample {
            self.sample(&mut out, &opened, count)?;
        }
        if self.full {
            self.full(&mut out, &opened)?;
        }
        if self.counts {
            let pool = engine::pool(self.solver.threads())?;
            scoreboard::compare(&mut out, &tables, published.as_ref(), self.marbles, &pool)?;
        }
        Ok(out.flush()?)
    }

    /// Bytes of decoded blocks of other games that are kept while their values are compared.
    fn cache(&self) -> usize {
        let memory = if self.full { self.solver.memory() / 2 } else { 64 << 20 };
        usize::try_from(memory).unwrap_or(1 << 30)
    }

    /// All tables that are to be verified.
    fn opened<'t>(&self, tables: &'t Tables) -> anyhow::Result<Vec<(&'t TableSet, &'t Table)>> {
        let mut opened = Vec::new();
        for family in tables.families() {
            let mut slices: Vec<u8> = family.listed().map(|l| l.header.slice).collect();
            slices.dedup();
            for slice in slices.into_iter().filter(|&slice| self.marbles.is_none_or(|n| n == slice)) {
                let tables = family.tables(slice).map_err(failed)?;
                opened.extend(tables.into_iter().map(|table| (family, table)));
            }
        }
        match self.marbles {
            Some(marbles) if opened.is_empty() => {
                let folder = tables.path().display();
                Err(missing_data(format!(
                    "no table of positions with {} in {folder}: \
                     `pentago info {folder}` lists the tables",
                    counted(marbles, "marble")
                ))
                .into())
            }
            _ => Ok(opened),
        }
    }

    fn hash(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)]) -> anyhow::Result<()> {
        let control = interrupt::control();
        let bytes: u64 = tables.iter().map(|(_, table)| table.header().file_bytes).sum();
        Progress::during(control, 1, self.solver.quiet, |_| {
            tables.iter().try_for_each(|(_, table)| verify::hash(table, control))
        })
        .map_err(cli_error)?;
        let (files, bytes) = (tables.len(), thousands(bytes));
        Ok(writeln!(out, "hash: all {bytes} bytes of {files} tables are intact")?)
    }

    /// Compares a random sample, with notes on the progress.
    fn draw(&self, tables: &[(&TableSet, &Table)], count: u64) -> anyhow::Result<SampleReport> {
        let threads = self.solver.threads();
        let pool = engine::pool(threads)?;
        let memory = self.solver.memory();
        let solver = |rules: Rules| RootedSolver::new(rules, self.solver.kernel(), threads, memory);
        let control = interrupt::control();
        let sampled = Progress::during(control, threads.get(), self.solver.quiet, |_| {
            pool.install(|| verify::random(tables, count, self.seed, solver, control))
        });
        sampled.map_err(cli_error)
    }

    fn sample(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)], count: u64) -> anyhow::Result<()> {
        let sampled = self.draw(tables, count)?;
        writeln!(out, "sample: {}", sampled.text(PentagoSchema::SOLVER))?;
        Ok(())
    }

    fn full(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)]) -> anyhow::Result<()> {
        let threads = self.solver.threads();
        let pool = engine::pool(threads)?;
        let control = interrupt::control();
        for &(family, table) in tables {
            let header = table.header();
            let name = format!("{}, {}", header.target, counted(header.slice, "marble"));
            let checked = Progress::during(control, threads.get(), self.solver.quiet, |_| {
                pool.install(|| verify::full(family, table, control))
            });
            let checked = checked.map_err(cli_error).with_context(|| format!("verifying {name}"))?;
            if checked.entries > 0 {
                let (entries, values) = (thousands(checked.entries), thousands(256 * checked.entries));
                writeln!(
                    out,
                    "full: {name}: all {values} values of {entries} entries agree with their moves"
                )?;
            }
            if checked.without_moves > 0 {
                let sampled = self.draw(&[(family, table)], LAST_SLICE_SAMPLE)?;
                let entries = thousands(checked.without_moves);
                let sampled = sampled.text(PentagoSchema::SOLVER);
                writeln!(
                    out,
                    "full: {name}: NOT compared: {entries} entries, because their moves aren't stored; \
                     sampled instead: {sampled}"
                )?;
            }
            out.flush()?;
        }
        Ok(())
    }
}

/// Whether there is a table of Pentago with so many marbles.
fn holds(tables: &Tables, marbles: u8) -> bool {
    tables.families().iter().any(|family| family.listed().any(|l| l.header.slice == marbles))
}
