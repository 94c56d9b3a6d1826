//! `pentago verify`: whether tables hold what they should.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use pentago::probe::{TableSet, Tablebase};
use pentago::rules::Rules;
use pentago::solve::Solver;
use pentago::tables::Table;
use pentago::verify;
use pentago::verify::{SampleReport, VerifyError};

use crate::args::SolverArgs;
use crate::exit::{failed, missing_data};
use crate::output::thousands;
use crate::progress::Progress;
use crate::{engine, folder, interrupt, scoreboard};

/// Verify tables, in three depths, and against known counts
///
/// --hash reads every byte and compares the checksum of each block and the hash of each file: the files are those that were
/// written. It says nothing about the values.
///
/// --sample draws stored positions at random, and compares the value of each with the stored values of all its moves, and with the
/// rooted solver where that is quick (always where the moves aren't stored, up to 18 empty sockets). If none of N is wrong, the
/// share of wrong values is below about 3/N with a confidence of 95%.
///
/// --full compares every stored value with those of its moves, by the plain definition, which shares no code with the solver. A slice
/// whose next slice isn't stored can't be compared so; it is sampled with the solver, and that is said.
///
/// --counts compares what the tables say of whole games with what is known from elsewhere: the published wins and draws of every slice
/// of Pentago with 0 to 35 marbles, those of its sections in the files of --against, and of Mini-Pentago the positions that play
/// reaches. The scoreboard says of every slice how many sections are as published, how many are stored, and how many the game has.
///
/// Without any of them, --hash is meant. The status is 1 where something is wrong; the first wrong position, damaged block or wrong
/// section is named.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago verify tables --hash --sample 1000 --seed 7")]
pub struct Verify {
    /// The folder of tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Every byte: checksums and hashes
    #[arg(long)]
    hash: bool,

    /// So many random positions: their values against those of their moves, and against the solver
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Seed of the random positions
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Every stored value against those of its moves
    #[arg(long)]
    full: bool,

    /// How many boards each player wins, against known counts
    #[arg(long)]
    counts: bool,

    /// Published counts by section: tab-separated text, or counts-N.npy of the published solution
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "counts")]
    against: Vec<PathBuf>,

    /// Only tables of positions with so many marbles
    #[arg(long, value_name = "N")]
    marbles: Option<u8>,

    #[command(flatten)]
    solver: SolverArgs,
}

/// Positions that are drawn from a slice that `--full` can't compare.
const LAST_SLICE_SAMPLE: u64 = 200;
/// How often it is said how far sampling is.
const SAID_EVERY: Duration = Duration::from_secs(10);

fn told(error: VerifyError) -> anyhow::Error {
    match error {
        VerifyError::Solve(error) => error.into(),
        VerifyError::Table(error) => failed(error),
        wrong @ VerifyError::Wrong(_) => failed(wrong),
    }
}

impl Verify {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let published = scoreboard::read(&self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::open(&path, true)?;
        // What can't even be opened is told first.
        if let Some(damaged) = tables.damaged().first() {
            return Err(failed(damaged));
        }
        let mut out = anstream::stdout().lock();
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

    /// All tables that are asked for.
    fn opened<'t>(&self, tables: &'t Tablebase) -> anyhow::Result<Vec<(&'t TableSet, &'t Table)>> {
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
                    "no table of positions with {marbles} marbles in {folder}: `pentago info {folder}` says what there is"
                ))
                .into())
            }
            _ => Ok(opened),
        }
    }

    fn hash(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)]) -> anyhow::Result<()> {
        let mut bytes = 0;
        for (_, table) in tables {
            table.verify_hash(&mut |_| {}).map_err(failed)?;
            bytes += table.header().file_bytes;
        }
        let (files, bytes) = (tables.len(), thousands(bytes));
        Ok(writeln!(out, "hash: all {bytes} bytes of {files} tables are as they were written")?)
    }

    /// Draws positions, with a note now and then.
    fn draw(&self, tables: &[(&TableSet, &Table)], count: u64) -> anyhow::Result<SampleReport> {
        let threads = self.solver.threads();
        let pool = engine::pool(threads)?;
        let memory = self.solver.memory();
        let solver = |rules: Rules| Solver::new(rules, self.solver.kernel(), threads, memory);
        let mut said = Instant::now();
        let mut each = |sampled: &SampleReport| {
            if !self.solver.quiet && said.elapsed() >= SAID_EVERY {
                crate::output::note(format_args!("{} of {count} positions", sampled.positions));
                said = Instant::now();
            }
        };
        let control = interrupt::control();
        pool.install(|| verify::random(tables, count, self.seed, solver, control, &mut each)).map_err(told)
    }

    fn sample(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)], count: u64) -> anyhow::Result<()> {
        let sampled = self.draw(tables, count)?;
        writeln!(out, "sample: {}", told_sample(&sampled))?;
        Ok(())
    }

    fn full(&self, out: &mut impl Write, tables: &[(&TableSet, &Table)]) -> anyhow::Result<()> {
        let threads = self.solver.threads();
        let pool = engine::pool(threads)?;
        let control = interrupt::control();
        for &(family, table) in tables {
            let header = table.header();
            let name = format!("{}, {} marbles", header.target, header.slice);
            let checked = Progress::during(control, threads, self.solver.quiet, |progress| {
                progress.work(&name, header.entries, 1, 0);
                pool.install(|| verify::full(family, table, control))
            });
            let checked = checked.map_err(told).with_context(|| format!("verifying {name}"))?;
            if checked.entries > 0 {
                let (entries, values) = (thousands(checked.entries), thousands(256 * checked.entries));
                writeln!(
                    out,
                    "full: {name}: all {values} values of {entries} entries follow from their moves"
                )?;
            }
            if checked.without_children > 0 {
                let sampled = self.draw(&[(family, table)], LAST_SLICE_SAMPLE)?;
                let entries = thousands(checked.without_children);
                let sampled = told_sample(&sampled);
                writeln!(
                    out,
                    "full: {name}: the moves of {entries} entries aren't stored, so these are NOT compared one by one; \
                     sampled instead: {sampled}"
                )?;
            }
            out.flush()?;
        }
        Ok(())
    }
}

fn told_sample(sampled: &SampleReport) -> String {
    let SampleReport { positions, over, by_moves, by_solver, unchecked } = *sampled;
    let compared = positions - unchecked;
    let bound = match compared {
        0 => "nothing is said about the others".to_owned(),
        _ => format!(
            "with a confidence of 95% fewer than {:.2}% of all values are wrong (3/N)",
            (300.0 / compared as f64).min(100.0)
        ),
    };
    let left = match unchecked {
        0 => String::new(),
        _ => format!(", {unchecked} not compared (moves not stored, solving takes too long)"),
    };
    format!(
        "{positions} random positions, none wrong: {over} over, {by_moves} compared with their moves, {by_solver} with the \
         solver{left}; {bound}"
    )
}
