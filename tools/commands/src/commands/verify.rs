//! `pentago verify`: whether tables are intact and right.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use pentago_base::counted;
use pentago_games::{Compared, KnownCounts, Resources, Sample, Set, TableInfo, Tables, VerifyError};
use pentago_store::Reason;
use rayon::ThreadPool;
use serde::Serialize;

use crate::exit::{Exit, bad_input, failed, missing_data};
use crate::options::{MOST_MARBLES, SolverArgs, number, whole};
use crate::output::{self, bytes, stdout, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt};

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
/// All tables are looked at, also if something is wrong. What is wrong is listed: of each slice the
/// first damaged block, or the first wrong position or section. The exit status is 1 then.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago verify tables --hash --sample 1000 --seed 7")]
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

    /// Only verify tables of positions with N marbles
    #[arg(long, value_name = "N", value_parser = number(0..=MOST_MARBLES))]
    marbles: Option<u8>,

    /// Write what was found as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    solver: SolverArgs,
}

/// Positions that are sampled from a slice that `--full` can't compare.
const LAST_SLICE_SAMPLE: u64 = 200;

fn cli_error(error: VerifyError) -> anyhow::Error {
    let of_host =
        |reason: &Reason| matches!(reason, Reason::Io { error, .. } if error.kind() == ErrorKind::Other);
    match error {
        error @ (VerifyError::Stopped(_) | VerifyError::Solver(_)) => error.into(),
        // A host that can't be asked says nothing about its tables.
        VerifyError::Table(error) if of_host(&error.reason) => error.into(),
        VerifyError::Table(error) => failed(error),
        wrong @ VerifyError::Wrong(_) => failed(wrong),
    }
}

/// A set of tables, and those of them that are verified.
struct Chosen<'t> {
    set: &'t dyn Set,
    tables: Vec<TableInfo>,
}

impl Chosen<'_> {
    /// The numbers of the slices.
    fn slices(&self) -> Vec<usize> {
        let mut slices: Vec<usize> = self.tables.iter().map(|table| table.slice).collect();
        slices.dedup();
        slices
    }
}

/// What was found, in the order of the checks.
struct Findings<'o> {
    out: &'o mut dyn Write,
    json: bool,
    /// The target whose tables are verified, and its heading while that isn't written.
    target: String,
    heading: Option<String>,
    checks: Vec<Check>,
    problems: Vec<String>,
}

/// A check that was passed.
#[derive(Serialize)]
struct Check {
    target: String,
    /// `hash`, `sample` or `full`.
    check: &'static str,
    text: String,
}

/// The JSON object.
#[derive(Serialize)]
struct Report<'f> {
    #[serde(serialize_with = "output::path")]
    folder: PathBuf,
    passed: bool,
    tables: usize,
    bytes: u64,
    checks: &'f [Check],
    /// Lines of the comparison with known counts.
    counts: Vec<&'f str>,
    problems: &'f [String],
}

impl Findings<'_> {
    /// Writes what a check has shown.
    fn say(&mut self, check: &'static str, text: String) -> anyhow::Result<()> {
        if !self.json {
            if let Some(heading) = self.heading.take() {
                writeln!(self.out, "{heading}")?;
            }
            writeln!(self.out, "{check}: {text}")?;
            self.out.flush()?;
        }
        self.checks.push(Check { target: self.target.clone(), check, text });
        Ok(())
    }

    /// Keeps and writes what a check has found to be wrong, so that others follow; what keeps them
    /// from following is an error.
    fn look<T>(&mut self, checked: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        let error = match checked {
            Ok(value) => return Ok(Some(value)),
            Err(error) if Exit::of(&error) != Exit::Verification => return Err(error),
            Err(error) => error,
        };
        if !self.json {
            output::error(&error);
        }
        self.problems.push(output::causes(&error));
        Ok(None)
    }
}

/// What work is done with.
struct Means {
    pool: ThreadPool,
    resources: Resources,
    quiet: bool,
}

impl Means {
    fn run<T: Send>(&self, work: impl FnOnce() -> Result<T, VerifyError> + Send) -> anyhow::Result<T> {
        let (control, threads) = (interrupt::control(), self.resources.threads.get());
        Progress::during(control, threads, self.quiet, |_| self.pool.install(work)).map_err(cli_error)
    }

    /// Compares a random sample; the result as a line.
    fn sample(&self, set: &dyn Set, slices: &[usize], count: u64, seed: u64) -> anyhow::Result<String> {
        let draw = Sample { count, seed, resources: &self.resources };
        self.run(|| set.sample(slices, draw, interrupt::control()))
    }
}

impl Verify {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.seed.is_some() && self.sample.is_none() && !self.full {
            return Err(bad_input("--seed is for --sample N, and for what --full samples").into());
        }
        let known = KnownCounts::read(self.marbles, &self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::look(Some(&path), self.cache(), true)?;
        let mut out = stdout();
        let json = self.json;
        let mut found = Findings {
            out: &mut out,
            json,
            target: String::new(),
            heading: None,
            checks: Vec::new(),
            problems: Vec::new(),
        };
        // Files that can't even be opened come first.
        let damaged = tables.damaged().count();
        for error in tables.damaged() {
            found.look::<()>(Err(failed(error)))?;
        }
        if damaged == 0 {
            folder::not_empty(&tables)?;
        }
        let chosen = self.chosen(&tables, damaged > 0)?;
        let threads = self.solver.threads();
        let means = Means {
            pool: engine::pool(threads)?,
            resources: Resources {
                kernel: self.solver.kernel(),
                threads,
                memory: self.solver.memory(),
                scratch: PathBuf::new(),
                scratch_limit: 0,
            },
            quiet: self.solver.quiet,
        };
        for (number, chosen) in (1..).zip(&chosen) {
            if chosen.tables.is_empty() {
                continue;
            }
            found.target = chosen.set.target();
            found.heading = Some(format!("{number}. {}", found.target));
            self.set(&mut found, chosen, &means)?;
        }
        let mut lines = Vec::new();
        if self.counts {
            let compared = means.pool.install(|| tables.counts(&known, &mut lines));
            if !json {
                found.out.write_all(&lines)?;
            }
            found.look(compared.map_err(Into::into))?;
        }
        let files = chosen.iter().map(|chosen| chosen.tables.len()).sum::<usize>() + damaged;
        let size = chosen.iter().flat_map(|chosen| &chosen.tables).map(|table| table.bytes).sum();
        let Findings { checks, problems, .. } = found;
        let all = format!("{}, {}", counted(files as u64, "table"), bytes(size));
        if json {
            let counts = String::from_utf8_lossy(&lines);
            let (passed, counts) = (problems.is_empty(), counts.lines().collect());
            let (checks, problems) = (&checks[..], &problems[..]);
            let report =
                Report { folder: path, passed, tables: files, bytes: size, checks, counts, problems };
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else if problems.is_empty() {
            writeln!(out, "nothing wrong in {all}")?;
        }
        out.flush()?;
        match problems.len() {
            0 => Ok(()),
            count => Err(failed(format!("{} in {all}", counted(count as u64, "problem")))),
        }
    }

    /// Bytes of decoded blocks that are kept for each kind of game.
    fn cache(&self) -> usize {
        let memory = if self.full { self.solver.memory() / 2 } else { 64 << 20 };
        usize::try_from(memory).unwrap_or(1 << 30)
    }

    /// All tables that are to be verified; `none`: there may be none.
    fn chosen<'t>(&self, tables: &'t Tables, none: bool) -> anyhow::Result<Vec<Chosen<'t>>> {
        let mut all = Vec::new();
        for set in tables.sets() {
            let mut tables = set.list().map_err(failed)?;
            tables.retain(|table| self.marbles.is_none() || table.marbles == self.marbles);
            all.push(Chosen { set, tables });
        }
        match self.marbles {
            Some(marbles) if !none && all.iter().all(|chosen| chosen.tables.is_empty()) => {
                let folder = tables.path().display();
                Err(missing_data(format!(
                    "no table of positions with {} in {folder}: \
                     `pentago info {folder}` lists the tables",
                    counted(marbles, "marble")
                ))
                .into())
            }
            _ => Ok(all),
        }
    }

    /// Verifies the tables of a target.
    fn set(&self, found: &mut Findings, chosen: &Chosen, means: &Means) -> anyhow::Result<()> {
        let (set, mut slices) = (chosen.set, chosen.slices());
        if self.hash || self.sample.is_none() && !self.full && !self.counts {
            let (mut size, mut intact) = (0, Vec::new());
            for slice in slices {
                let hashed = means.run(|| set.hash(slice, interrupt::control()));
                if let Some(bytes) = found.look(hashed)? {
                    size += bytes;
                    intact.push(slice);
                }
            }
            // What is damaged isn't looked at any further.
            slices = intact;
            let files = chosen.tables.iter().filter(|table| slices.contains(&table.slice)).count();
            let size = thousands(size);
            let text = match (files, chosen.tables.len()) {
                (0, _) => None,
                (files, all) if files == all => {
                    Some(format!("all {size} bytes of {}", counted(files as u64, "table")))
                }
                (files, all) => Some(format!("{size} bytes of {files} of {all} tables")),
            };
            if let Some(text) = text {
                found.say("hash", format!("{text} are intact"))?;
            }
        }
        if let Some(count) = self.sample.filter(|_| !slices.is_empty())
            && let Some(text) = found.look(means.sample(set, &slices, count, self.seed.unwrap_or(0)))?
        {
            found.say("sample", text)?;
        }
        if self.full {
            for slice in slices {
                let compared = self.full(found, chosen, slice, means);
                found.look(compared)?;
            }
        }
        Ok(())
    }

    /// Compares every value of a slice.
    fn full(&self, found: &mut Findings, chosen: &Chosen, slice: usize, means: &Means) -> anyhow::Result<()> {
        let set = chosen.set;
        let table = chosen.tables.iter().find(|table| table.slice == slice);
        let name = table.map(TableInfo::name).unwrap_or_default();
        let compared = means.run(|| set.full(slice, interrupt::control()));
        let Compared { values, entries, without_moves, unit } =
            compared.with_context(|| format!("comparing {name}"))?;
        let counted = |entries| format!("{} {}", thousands(entries), unit[usize::from(entries != 1)]);
        if entries > 0 {
            let of = if values == entries { String::new() } else { format!(" of {}", counted(entries)) };
            let values = thousands(values);
            found.say("full", format!("{name}: all {values} values{of} agree with their moves"))?;
        }
        if without_moves > 0 {
            let sampled = means.sample(set, &[slice], LAST_SLICE_SAMPLE, self.seed.unwrap_or(0))?;
            let entries = counted(without_moves);
            let text = format!(
                "{name}: NOT compared: {entries}, because the moves aren't stored; sampled instead: {sampled}"
            );
            found.say("full", text)?;
        }
        Ok(())
    }
}
