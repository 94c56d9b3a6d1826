//! `pentago verify`: checks that tables are intact and correct.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use pentago::Rules;
use pentago_base::counted;
use pentago_games::{
    Compared, KnownCounts, Resources, Sample, TableInfo, Tablebase, TargetTables, VerifyError,
};
use pentago_store::{EXTENSION, is_address, unlike_list};
use rayon::ThreadPool;
use serde_json::{Value, json};

use crate::counts::write_sections;
use crate::exit::{Exit, bad_input, failed, missing_data};
use crate::folder::Target;
use crate::games::kinds;
use crate::options::{MOST_MARBLES, SolverArgs, number};
use crate::output::{self, bytes, quoted_path, ranges, results, shown_path, thousands};
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
/// moves. Where a solution is quick (up to 14 empty sockets, or up to 18 if the moves aren't
/// stored), it also compares the value with the solver. The time is proportional to N: a few
/// milliseconds for a position whose moves are stored, up to half a second for any other. If N
/// positions are all right, fewer than about 3/N of all values are wrong, at 95% confidence.
///
/// --full compares every stored value with the values of its moves. It uses a plain implementation
/// of the rules and none of the solver's kernels; rotations, symmetries and the index of positions
/// are shared with the solver. Where the next slice isn't stored, --full samples and solves
/// positions instead, and says so.
///
/// --counts compares the wins, draws and losses of complete games with known counts. For Pentago,
/// these are the published counts: those of whole slices with 0 to 35 marbles are built in, those
/// of sections are read from the files of --against. For Mini-Pentago, they are the counts of all
/// reachable positions. For each slice, --counts prints how many sections agree, how many are
/// stored, and how many the game has. `pentago info --counts` prints the counts themselves.
///
/// All tables are checked, even after one has failed. For each slice, the report names the first
/// damaged block, or the first wrong position or section. The exit status is 1 then. If the folder
/// was published, each table that is missing, new or changed since then is an error. After adding
/// tables, run `pentago publish` again. A table with the file name of another slice is an error,
/// too. `build` writes the plan of its slices into the folder. A planned slice without a table is
/// reported as missing, but is no error. The last line counts the tables that were checked, skipped
/// and missing.
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
    #[arg(long, value_name = "S", value_parser = number(0..=u64::MAX))]
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

/// The number of positions that `--full` samples from a slice if the next slice isn't stored.
const LAST_SLICE_SAMPLE: u64 = 200;

/// The code that `--full` shares with the solver.
const SHARED: &str = "the rules, rotations, symmetries, canonical forms and the index of\n  \
                      positions are shared with the solver; an error there could pass";

/// Converts the error of a check. A table that is damaged or can't be read fails the verification.
fn cli_error(error: VerifyError) -> anyhow::Error {
    match error {
        VerifyError::Table(error) if !error.is_external() => failed(error),
        error => error.into(),
    }
}

/// The state of the checks.
struct Checker<'c> {
    args: &'c Verify,
    pool: ThreadPool,
    resources: Resources,
    out: &'c mut dyn Write,
    /// The target whose tables are being verified.
    target: String,
    /// The heading of the target, or `None` once the heading is written.
    heading: Option<String>,
    /// The checks that passed, as JSON objects.
    checks: Vec<Value>,
    problems: Vec<String>,
    /// The names of missing tables.
    missing: Vec<String>,
}

impl Checker<'_> {
    /// Writes the result of a check that passed (`hash`, `sample` or `full`), and stores it for the
    /// JSON report.
    fn pass(&mut self, check: &str, text: String) -> anyhow::Result<()> {
        if !self.args.json {
            if let Some(heading) = self.heading.take() {
                writeln!(self.out, "{heading}")?;
            }
            writeln!(self.out, "{check}: {text}")?;
            self.out.flush()?;
        }
        self.checks.push(json!({ "target": self.target, "check": check, "text": text }));
        Ok(())
    }

    /// Returns the value of a check that passed. If the check found a problem with the tables,
    /// writes and stores the problem, and returns `None`, so that the next check can run.
    ///
    /// # Errors
    /// Any other error, such as Ctrl-C or a lack of memory.
    fn keep<T>(&mut self, checked: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match checked {
            Ok(value) => Ok(Some(value)),
            Err(error) if Exit::of(&error) != Exit::Verification => Err(error),
            Err(error) => {
                if !self.args.json {
                    output::error(&error);
                }
                self.problems.push(output::causes(&error));
                Ok(None)
            }
        }
    }

    /// Writes a line of the text report.
    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        if !self.args.json {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Reports slices without a table, tables with the name of another slice, and differences from
    /// the list of a published folder. A slice without a table is missing only if the plan in the
    /// folder names it.
    fn survey(&mut self, folder: &Path, targets: &[Target]) -> anyhow::Result<()> {
        for (set, tables) in targets {
            let mut gaps = set.gaps(tables);
            let stored: BTreeSet<u8> = tables.iter().filter_map(|table| table.marbles).collect();
            let plan = folder::planned(tables);
            if let Some(plan) = plan.as_ref().filter(|plan| !plan.is_empty()) {
                if gaps.iter().any(|(marbles, _)| marbles.is_some_and(|slice| !plan.contains(&slice))) {
                    let held = ranges(plan.iter().copied().collect());
                    self.say(&format!("{}: built to hold the slices with {held} marbles", set.target()))?;
                }
                let missing = plan.difference(&stored);
                gaps = missing.map(|&slice| (Some(slice), counted(slice, "marble"))).collect();
            }
            let (marbles, names): (Vec<Option<u8>>, Vec<String>) = gaps.into_iter().unzip();
            let by_marbles: Vec<u8> = marbles.into_iter().flatten().collect();
            let all = match by_marbles.len() {
                0 | 1 => names.join(", "),
                _ => format!("{} marbles", ranges(by_marbles)),
            };
            match (names.is_empty(), plan) {
                (true, _) => {}
                (false, None) => {
                    let text = format!("slices with {all}: no usable table, and no plan of what was built");
                    self.say(&format!("{}: {text}", set.target()))?;
                    self.checks.push(json!({ "target": set.target(), "check": "slices", "text": text }));
                }
                (false, Some(_)) => {
                    self.say(&format!("missing: {}: no usable table with {all}", set.target()))?;
                    self.missing.extend(names.iter().map(|name| format!("{}: {name}", set.target())));
                }
            }
            for text in tables.iter().filter_map(folder::other_name) {
                self.keep::<()>(Err(failed(text)))?;
            }
        }
        let unlike = if is_address(folder) { Ok(Vec::new()) } else { unlike_list(folder) };
        let unlike = self.keep(unlike.map_err(|error| failed(error.to_string())))?.unwrap_or_default();
        for (path, what) in &unlike {
            let text = "since the folder was published: run `pentago publish` again, or copy it again";
            self.keep::<()>(Err(failed(format!("{} {what} {text}", shown_path(path)))))?;
        }
        // A missing table of a published folder may also be a gap, which counts once.
        let lost = unlike.iter().filter(|(_, what)| *what == "is missing");
        let missing: Vec<_> = lost.map(|(path, _)| shown_path(path)).collect();
        if missing.len() >= self.missing.len() {
            self.missing = missing;
        }
        Ok(())
    }

    /// Writes the final report. `counts` holds the numbers of tables: all to verify, checked, and
    /// skipped. `size` is the size of all tables to verify in bytes, `lines` the result of
    /// `--counts`.
    ///
    /// # Errors
    /// If there are problems.
    fn report(self, path: &Path, counts: [usize; 3], size: u64, lines: &[u8]) -> anyhow::Result<()> {
        let Checker { args, out, checks, problems, missing, .. } = self;
        let [tables, checked, skipped] = counts;
        let all = format!(
            "{}, {}; checked {checked}, skipped {skipped}, missing {}",
            counted(tables as u64, "table"),
            bytes(size),
            missing.len()
        );
        if args.json {
            let counts = String::from_utf8_lossy(lines);
            let report = json!({
                "folder": output::json_path(path)?, "passed": problems.is_empty(), "tables": tables,
                "bytes": size, "checked": checked, "skipped": skipped, "missing": missing,
                "checks": checks, "counts": counts.lines().collect::<Vec<_>>(), "problems": problems,
            });
            writeln!(out, "{report}")?;
        } else if problems.is_empty() {
            if args.full {
                writeln!(out, "full: {SHARED}")?;
            }
            writeln!(out, "nothing wrong in {all}")?;
        }
        match problems.len() {
            0 => Ok(()),
            count => Err(failed(format!("{} in {all}", counted(count as u64, "problem")))),
        }
    }

    /// Runs a check with all threads, and shows its progress.
    fn run<T: Send>(&self, check: impl FnOnce() -> Result<T, VerifyError> + Send) -> anyhow::Result<T> {
        let (control, threads) = (interrupt::control(), self.resources.threads.get());
        Progress::during(control, threads, |_| self.pool.install(check)).map_err(cli_error)
    }

    /// Verifies a random sample of positions, and returns the result as a line of text.
    fn sample(&self, set: &dyn TargetTables, slices: &[usize], count: u64) -> anyhow::Result<String> {
        let resources = &self.resources;
        let draw = Sample { count, seed: self.args.seed.unwrap_or(0), resources };
        self.run(|| set.sample(slices, draw, interrupt::control()))
    }

    /// Verifies the tables of a target.
    fn set(&mut self, set: &dyn TargetTables, tables: &[TableInfo]) -> anyhow::Result<()> {
        let args = self.args;
        let mut slices: Vec<usize> = tables.iter().map(|table| table.slice).collect();
        slices.dedup();
        if args.hash || args.sample.is_none() && !args.full && !args.counts {
            // Drop the damaged slices from the list, so that the other checks skip them.
            slices = self.hash(set, tables, &slices)?;
        }
        if let Some(count) = args.sample.filter(|_| !slices.is_empty()) {
            let sampled = self.sample(set, &slices, count);
            if let Some(text) = self.keep(sampled)? {
                self.pass("sample", text)?;
            }
        }
        for slice in slices.into_iter().filter(|_| args.full) {
            let compared = self.full(set, tables, slice);
            self.keep(compared)?;
        }
        Ok(())
    }

    /// Compares the checksums of the tables of some slices, and returns the intact slices.
    fn hash(
        &mut self,
        set: &dyn TargetTables,
        tables: &[TableInfo],
        slices: &[usize],
    ) -> anyhow::Result<Vec<usize>> {
        let (mut size, mut intact) = (0, Vec::new());
        for &slice in slices {
            let hashed = self.run(|| set.hash(slice, interrupt::control()));
            if let Some(bytes) = self.keep(hashed)? {
                size += bytes;
                intact.push(slice);
            }
        }
        let files = tables.iter().filter(|table| intact.contains(&table.slice)).count();
        let (size, all) = (thousands(size), tables.len());
        if files == all {
            let all = counted(all as u64, "table");
            self.pass("hash", format!("all {size} bytes of {all} are intact"))?;
        } else if files > 0 {
            self.pass("hash", format!("{size} bytes of {files} of {all} tables are intact"))?;
        }
        Ok(intact)
    }

    /// Compares every value of a slice with the values of its moves.
    fn full(&mut self, set: &dyn TargetTables, tables: &[TableInfo], slice: usize) -> anyhow::Result<()> {
        let table = tables.iter().find(|table| table.slice == slice);
        let name = table.map(TableInfo::name).unwrap_or_default();
        let compared = self.run(|| set.full(slice, interrupt::control()));
        let Compared { values, entries, without_moves, unit } =
            compared.with_context(|| format!("comparing {name}"))?;
        let counted = |entries| format!("{} {}", thousands(entries), unit[usize::from(entries != 1)]);
        if entries > 0 {
            let of = if values == entries { String::new() } else { format!(" of {}", counted(entries)) };
            let values = thousands(values);
            self.pass("full", format!("{name}: all {values} values{of} agree with their moves"))?;
        }
        if without_moves > 0 {
            let sampled = self.sample(set, &[slice], LAST_SLICE_SAMPLE)?;
            let entries = counted(without_moves);
            let text = format!(
                "{name}: NOT compared: {entries}, because the moves aren't stored; sampled instead: {sampled}"
            );
            self.pass("full", text)?;
        }
        Ok(())
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
        folder::exists(&path)?;
        let memory = if self.full { self.solver.memory() / 2 } else { 64 << 20 };
        let tables = Tablebase::open(kinds(), Some(&path), usize::try_from(memory).unwrap_or(1 << 30))?;
        let mut lines_out = results();
        let resources = self.solver.resources(PathBuf::new(), 0);
        let (pool, (target, heading, checks, problems, missing)) =
            (engine::pool(resources.threads)?, Default::default());
        let out = &mut lines_out;
        let mut checker =
            Checker { args: &self, pool, resources, out, target, heading, checks, problems, missing };
        for error in &tables.damaged {
            checker.keep::<()>(Err(failed(error)))?;
        }
        let damaged = tables.damaged.len();
        if damaged == 0 {
            folder::not_empty(&tables)?;
        }
        let all = folder::targets(&tables).map_err(failed)?;
        let count = |targets: &[Target]| targets.iter().map(|(_, tables)| tables.len()).sum::<usize>();
        let part = |path: &&PathBuf| path.extension().is_some_and(|end| end == "part" || end == EXTENSION);
        let unfinished = tables.unfinished.iter().filter(part).count();
        let found = count(&all) + damaged + unfinished;
        if self.marbles.is_none() {
            checker.survey(&path, &all)?;
        }
        let chosen = self.chosen(&tables, all, damaged > 0)?;
        let (mut lines, mut checked) = (Vec::new(), count(&chosen));
        if self.counts {
            let compared = checker.pool.install(|| self.compare_counts(&tables, &known, &mut lines));
            if !self.json {
                checker.out.write_all(&lines)?;
            }
            // The other checks, if there are any, have looked at all chosen tables.
            if let Some(compared) = checker.keep(compared)?.filter(|_| !self.hash && !self.full) {
                checked = if self.sample.is_none() { compared } else { checked };
            }
        }
        for (number, (set, tables)) in (1..).zip(&chosen) {
            if !tables.is_empty() {
                checker.target = set.target();
                checker.heading = Some(format!("{number}. {}", checker.target));
                checker.set(*set, tables)?;
            }
        }
        let size = chosen.iter().flat_map(|(_, tables)| tables).map(|table| table.bytes).sum();
        let counts = [damaged + count(&chosen), checked, found.saturating_sub(checked)];
        checker.report(&path, counts, size, &lines)?;
        lines_out.end()
    }

    /// Keeps the tables to verify of each target. If there are no such tables, returns an error
    /// unless `none` is `true`.
    fn chosen<'t>(
        &self,
        tables: &Tablebase,
        mut chosen: Vec<Target<'t>>,
        none: bool,
    ) -> anyhow::Result<Vec<Target<'t>>> {
        for (_, tables) in &mut chosen {
            tables.retain(|table| self.marbles.is_none() || table.marbles == self.marbles);
        }
        match self.marbles {
            Some(marbles) if !none && chosen.iter().all(|(_, tables)| tables.is_empty()) => {
                let (folder, marbles) = (quoted_path(&tables.path), counted(marbles, "marble"));
                let text = format!("`pentago info {folder}` lists the tables");
                Err(missing_data(format!("no table of positions with {marbles} in {folder}: {text}")))
            }
            _ => Ok(chosen),
        }
    }

    /// Compares the counts of complete games with known counts. Writes the results to `lines`.
    fn compare_counts(
        &self,
        tables: &Tablebase,
        known: &KnownCounts,
        lines: &mut Vec<u8>,
    ) -> anyhow::Result<usize> {
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
