//! `pentago verify`: checks that tables are intact and right.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use pentago::Rules;
use pentago_base::counted;
use pentago_games::{
    Compared, KnownCounts, Resources, Sample, TableInfo, Tablebase, TargetTables, VerifyError,
};
use pentago_store::Reason;
use rayon::ThreadPool;
use serde_json::{Value, json};

use crate::counts::write_sections;
use crate::exit::{Exit, bad_input, failed, missing_data};
use crate::options::{MOST_MARBLES, SolverArgs, number, whole};
use crate::output::{self, bytes, stdout, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt};

/// Verify tables: checksums, values and counts
///
/// There are three levels of verification, and a comparison with known counts. Without any of these
/// options, --hash is assumed.
///
/// --hash reads every byte and compares the checksums of all blocks and files. This finds damaged
/// files, but not wrong values.
///
/// --sample draws random positions and compares the value of each with the stored values of its
/// moves. Where a solution is quick (up to 18 empty sockets), or the moves aren't stored, it also
/// compares the value with the solver. If N positions are all right, fewer than about 3/N of all
/// values are wrong, at 95% confidence.
///
/// --full compares every stored value with the values of its moves. It uses a plain implementation
/// of the rules and none of the solver's kernels; rotations, symmetries and the index of positions
/// are shared with the solver. Where the next slice isn't stored, --full samples and solves
/// positions instead, and says so.
///
/// --counts compares the wins, draws and losses of complete games with known counts. For Pentago,
/// these are the published counts: those of whole slices with 0 to 35 marbles are built in, those of
/// sections are read from the files of --against. For Mini-Pentago, they are the counts of all
/// reachable positions. For each slice, --counts prints how many sections agree, how many are
/// stored, and how many the game has. `pentago info --counts` prints the counts themselves.
///
/// All tables are checked, even after one has failed. For each slice, the report names the first
/// damaged block, or the first wrong position or section. The exit status is 1 then.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago verify tables --hash --sample 1000 --seed 7
  pentago verify tables --counts --against counts-35.npy")]
pub struct Verify {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Compare the checksums of all blocks and files
    #[arg(long)]
    hash: bool,

    /// Compare N random positions with their moves and with the solver
    #[arg(long, value_name = "N", value_parser = number(1..=u64::MAX))]
    sample: Option<u64>,

    /// Seed for the random positions [default: 0]
    #[arg(long, value_name = "S", value_parser = whole)]
    seed: Option<u64>,

    /// Compare every stored value with those of its moves
    #[arg(long)]
    full: bool,

    /// Compare wins, draws and losses with known counts
    #[arg(long)]
    counts: bool,

    /// Published counts by section: tab-separated text, or counts-N.npy of the published solution
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "counts")]
    against: Vec<PathBuf>,

    /// Also list each section with its counts, and whether they agree with those of --against
    #[arg(long, requires = "against")]
    sections: bool,

    /// Only verify tables of positions with N marbles
    #[arg(long, value_name = "N", value_parser = number(0..=MOST_MARBLES))]
    marbles: Option<u8>,

    /// Write the result as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    solver: SolverArgs,
}

/// The number of positions that `--full` samples from a slice whose moves aren't stored.
const LAST_SLICE_SAMPLE: u64 = 200;

fn cli_error(error: VerifyError) -> anyhow::Error {
    match error {
        error @ (VerifyError::Stopped(_) | VerifyError::Solver(_)) => error.into(),
        VerifyError::Table(error) => match &error.reason {
            // The host of the tables gave no answer, which is no fault of the tables.
            Reason::Io { error: cause, .. } if cause.kind() == ErrorKind::Other => error.into(),
            _ => failed(error),
        },
        wrong @ VerifyError::Wrong(_) => failed(wrong),
    }
}

/// The results of all checks so far.
struct Findings<'o> {
    out: &'o mut dyn Write,
    json: bool,
    /// The target whose tables are being verified.
    target: String,
    /// The heading of the target, until it is written.
    heading: Option<String>,
    /// The checks that were passed, as JSON objects.
    checks: Vec<Value>,
    problems: Vec<String>,
}

impl<'o> Findings<'o> {
    fn new(out: &'o mut dyn Write, json: bool) -> Findings<'o> {
        Findings { out, json, target: String::new(), heading: None, checks: Vec::new(), problems: Vec::new() }
    }

    /// Writes and keeps the result of a check that was passed: `hash`, `sample` or `full`.
    fn pass(&mut self, check: &str, text: String) -> anyhow::Result<()> {
        if !self.json {
            if let Some(heading) = self.heading.take() {
                writeln!(self.out, "{heading}")?;
            }
            writeln!(self.out, "{check}: {text}")?;
            self.out.flush()?;
        }
        self.checks.push(json!({ "target": self.target, "check": check, "text": text }));
        Ok(())
    }

    /// Writes and keeps a problem with the tables, and returns `None`, so that the next check runs.
    ///
    /// # Errors
    /// Any other error, such as Ctrl-C or a lack of memory.
    fn keep<T>(&mut self, checked: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match checked {
            Ok(value) => Ok(Some(value)),
            Err(error) if Exit::of(&error) != Exit::Verification => Err(error),
            Err(error) => {
                if !self.json {
                    output::error(&error);
                }
                self.problems.push(output::causes(&error));
                Ok(None)
            }
        }
    }
}

/// The threads and the memory of the checks.
struct Workers {
    pool: ThreadPool,
    resources: Resources,
    quiet: bool,
}

impl Workers {
    /// Runs a check with all threads, and shows its progress.
    fn run<T: Send>(&self, check: impl FnOnce() -> Result<T, VerifyError> + Send) -> anyhow::Result<T> {
        let (control, threads) = (interrupt::control(), self.resources.threads.get());
        Progress::during(control, threads, self.quiet, |_| self.pool.install(check)).map_err(cli_error)
    }

    /// Compares a random sample, and returns the result as a line.
    fn sample(
        &self,
        set: &dyn TargetTables,
        slices: &[usize],
        count: u64,
        seed: u64,
    ) -> anyhow::Result<String> {
        let draw = Sample { count, seed, resources: &self.resources };
        self.run(|| set.sample(slices, draw, interrupt::control()))
    }
}

impl Verify {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.seed.is_some() && self.sample.is_none() && !self.full {
            return Err(bad_input("--seed needs --sample N or --full"));
        }
        let known = KnownCounts::read(self.marbles, &self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::look(Some(&path), self.cache(), true)?;
        let mut out = stdout();
        let mut findings = Findings::new(&mut out, self.json);
        let mut damaged = 0;
        for error in tables.damaged() {
            findings.keep::<()>(Err(failed(error)))?;
            damaged += 1;
        }
        if damaged == 0 {
            folder::not_empty(&tables)?;
        }
        let chosen = self.chosen(&tables, damaged > 0)?;
        let workers = self.workers()?;
        for (number, (set, tables)) in (1..).zip(&chosen) {
            if !tables.is_empty() {
                findings.target = set.target();
                findings.heading = Some(format!("{number}. {}", findings.target));
                self.set(&mut findings, *set, tables, &workers)?;
            }
        }
        let mut lines = Vec::new();
        if self.counts {
            let compared = workers.pool.install(|| self.compare_counts(&tables, &known, &mut lines));
            if !self.json {
                findings.out.write_all(&lines)?;
            }
            findings.keep(compared)?;
        }
        let Findings { checks, problems, .. } = findings;
        let mut files = damaged;
        let mut size = 0;
        for table in chosen.iter().flat_map(|(_, tables)| tables) {
            files += 1;
            size += table.bytes;
        }
        let all = format!("{}, {}", counted(files as u64, "table"), bytes(size));
        if self.json {
            let folder = output::json_path(&path)?;
            let (counts, passed) = (String::from_utf8_lossy(&lines), problems.is_empty());
            let counts: Vec<&str> = counts.lines().collect();
            let report = json!({
                "folder": folder, "passed": passed, "tables": files, "bytes": size,
                "checks": checks, "counts": counts, "problems": problems,
            });
            writeln!(out, "{report}")?;
        } else if problems.is_empty() {
            writeln!(out, "nothing wrong in {all}")?;
        }
        out.flush()?;
        match problems.len() {
            0 => Ok(()),
            count => Err(failed(format!("{} in {all}", counted(count as u64, "problem")))),
        }
    }

    /// Returns the size of the cache of decoded blocks for each kind of game, in bytes.
    fn cache(&self) -> usize {
        let memory = if self.full { self.solver.memory() / 2 } else { 64 << 20 };
        usize::try_from(memory).unwrap_or(1 << 30)
    }

    fn workers(&self) -> anyhow::Result<Workers> {
        let threads = self.solver.threads();
        let resources = Resources {
            kernel: self.solver.kernel(),
            threads,
            memory: self.solver.memory(),
            scratch: PathBuf::new(),
            scratch_limit: 0,
        };
        Ok(Workers { pool: engine::pool(threads)?, resources, quiet: self.solver.quiet })
    }

    /// Returns each target with the tables to verify. `none` allows that there are no tables.
    fn chosen<'t>(
        &self,
        tables: &'t Tablebase,
        none: bool,
    ) -> anyhow::Result<Vec<(&'t dyn TargetTables, Vec<TableInfo>)>> {
        let mut chosen = Vec::new();
        for set in tables.targets() {
            let mut tables = set.list().map_err(failed)?;
            tables.retain(|table| self.marbles.is_none() || table.marbles == self.marbles);
            chosen.push((set, tables));
        }
        match self.marbles {
            Some(marbles) if !none && chosen.iter().all(|(_, tables)| tables.is_empty()) => {
                let folder = tables.path().display();
                Err(missing_data(format!(
                    "no table of positions with {} in {folder}: \
                     `pentago info {folder}` lists the tables",
                    counted(marbles, "marble")
                )))
            }
            _ => Ok(chosen),
        }
    }

    /// Verifies the tables of a target.
    fn set(
        &self,
        findings: &mut Findings,
        set: &dyn TargetTables,
        tables: &[TableInfo],
        workers: &Workers,
    ) -> anyhow::Result<()> {
        let mut slices: Vec<usize> = tables.iter().map(|table| table.slice).collect();
        slices.dedup();
        if self.hash || self.sample.is_none() && !self.full && !self.counts {
            // The other checks skip damaged slices.
            slices = hash(findings, set, tables, &slices, workers)?;
        }
        if let Some(count) = self.sample.filter(|_| !slices.is_empty())
            && let Some(text) = findings.keep(workers.sample(set, &slices, count, self.seed.unwrap_or(0)))?
        {
            findings.pass("sample", text)?;
        }
        if self.full {
            for slice in slices {
                let compared = self.full(findings, set, tables, slice, workers);
                findings.keep(compared)?;
            }
        }
        Ok(())
    }

    /// Compares every value of a slice with the values of its moves.
    fn full(
        &self,
        findings: &mut Findings,
        set: &dyn TargetTables,
        tables: &[TableInfo],
        slice: usize,
        workers: &Workers,
    ) -> anyhow::Result<()> {
        let table = tables.iter().find(|table| table.slice == slice);
        let name = table.map(TableInfo::name).unwrap_or_default();
        let compared = workers.run(|| set.full(slice, interrupt::control()));
        let Compared { values, entries, without_moves, unit } =
            compared.with_context(|| format!("comparing {name}"))?;
        let counted = |entries| format!("{} {}", thousands(entries), unit[usize::from(entries != 1)]);
        if entries > 0 {
            let of = if values == entries { String::new() } else { format!(" of {}", counted(entries)) };
            let values = thousands(values);
            findings.pass("full", format!("{name}: all {values} values{of} agree with their moves"))?;
        }
        if without_moves > 0 {
            let sampled = workers.sample(set, &[slice], LAST_SLICE_SAMPLE, self.seed.unwrap_or(0))?;
            let entries = counted(without_moves);
            let text = format!(
                "{name}: NOT compared: {entries}, because the moves aren't stored; sampled instead: {sampled}"
            );
            findings.pass("full", text)?;
        }
        Ok(())
    }

    /// Compares the counts of complete games with known ones, and writes lines about them.
    fn compare_counts(
        &self,
        tables: &Tablebase,
        known: &KnownCounts,
        lines: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        if self.sections {
            let wanted = |slice| self.marbles.is_none_or(|marbles| marbles == slice);
            for game in folder::of_pentago(tables)?.counts(wanted)? {
                if game.rules == Rules::default() {
                    write_sections(lines, &game, false, known.published.as_ref())?;
                }
            }
        }
        Ok(tables.counts(known, lines)?)
    }
}

/// Compares the checksums of the tables of some slices, and returns the intact slices.
fn hash(
    findings: &mut Findings,
    set: &dyn TargetTables,
    tables: &[TableInfo],
    slices: &[usize],
    workers: &Workers,
) -> anyhow::Result<Vec<usize>> {
    let (mut size, mut intact) = (0, Vec::new());
    for &slice in slices {
        let hashed = workers.run(|| set.hash(slice, interrupt::control()));
        if let Some(bytes) = findings.keep(hashed)? {
            size += bytes;
            intact.push(slice);
        }
    }
    let files = tables.iter().filter(|table| intact.contains(&table.slice)).count();
    let size = thousands(size);
    if files == tables.len() {
        let all = counted(files as u64, "table");
        findings.pass("hash", format!("all {size} bytes of {all} are intact"))?;
    } else if files > 0 {
        let text = format!("{size} bytes of {files} of {} tables are intact", tables.len());
        findings.pass("hash", text)?;
    }
    Ok(intact)
}
