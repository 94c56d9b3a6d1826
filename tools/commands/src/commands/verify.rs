//! `pentago verify`: whether tables are intact and right.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use pentago_base::counted;
use pentago_games::{Compared, KnownCounts, Resources, Sample, Set, TableInfo, Tables, VerifyError};
use rayon::ThreadPool;

use crate::args::SolverArgs;
use crate::exit::{failed, missing_data};
use crate::output::{bytes, stdout, thousands};
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
/// The exit status is 1 if anything is wrong; the first wrong position, damaged block or wrong
/// section is named.
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

/// Writes a line.
type Say<'a> = &'a mut dyn FnMut(String) -> anyhow::Result<()>;

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
        let known = KnownCounts::read(self.marbles, &self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::look(Some(&path), self.cache(), true)?;
        // Files that can't even be opened come first.
        if let Some(damaged) = tables.damaged().next() {
            return Err(failed(damaged));
        }
        folder::not_empty(&tables)?;
        let chosen = self.chosen(&tables)?;
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
        let mut out = stdout();
        for (number, chosen) in (1..).zip(&chosen) {
            if chosen.tables.is_empty() {
                continue;
            }
            let mut heading = Some(format!("{number}. {}\n", chosen.set.target()));
            let mut say = |line: String| {
                writeln!(out, "{}{line}", heading.take().unwrap_or_default())?;
                Ok(out.flush()?)
            };
            let verified = self.set(&mut say, chosen, &means);
            verified.with_context(|| format!("verifying {}", chosen.set.target()))?;
        }
        if self.counts {
            let mut lines = Vec::new();
            let compared = means.pool.install(|| tables.counts(&known, &mut lines));
            out.write_all(&lines)?;
            compared?;
        }
        let files: usize = chosen.iter().map(|chosen| chosen.tables.len()).sum();
        let size = chosen.iter().flat_map(|chosen| &chosen.tables).map(|table| table.bytes).sum();
        writeln!(out, "nothing wrong in {}, {}", counted(files as u64, "table"), bytes(size))?;
        Ok(out.flush()?)
    }

    /// Bytes of decoded blocks that are kept for each kind of game.
    fn cache(&self) -> usize {
        let memory = if self.full { self.solver.memory() / 2 } else { 64 << 20 };
        usize::try_from(memory).unwrap_or(1 << 30)
    }

    /// All tables that are to be verified.
    fn chosen<'t>(&self, tables: &'t Tables) -> anyhow::Result<Vec<Chosen<'t>>> {
        let mut all = Vec::new();
        for set in tables.sets() {
            let mut tables = set.list().map_err(failed)?;
            tables.retain(|table| self.marbles.is_none() || table.marbles == self.marbles);
            all.push(Chosen { set, tables });
        }
        match self.marbles {
            Some(marbles) if all.iter().all(|chosen| chosen.tables.is_empty()) => {
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
    fn set(&self, say: Say, chosen: &Chosen, means: &Means) -> anyhow::Result<()> {
        let (set, slices) = (chosen.set, chosen.slices());
        if self.hash || self.sample.is_none() && !self.full && !self.counts {
            let hash = |&slice| set.hash(slice, interrupt::control());
            let size: u64 = means.run(|| slices.iter().map(hash).sum())?;
            let (size, files) = (thousands(size), counted(chosen.tables.len() as u64, "table"));
            let are = if chosen.tables.len() == 1 { "is" } else { "are" };
            say(format!("hash: all {size} bytes of {files} {are} intact"))?;
        }
        if let Some(count) = self.sample {
            say(format!("sample: {}", means.sample(set, &slices, count, self.seed)?))?;
        }
        if self.full {
            for slice in slices {
                self.full(say, chosen, slice, means)?;
            }
        }
        Ok(())
    }

    /// Compares every value of a slice.
    fn full(&self, say: Say, chosen: &Chosen, slice: usize, means: &Means) -> anyhow::Result<()> {
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
            say(format!("full: {name}: all {values} values{of} agree with their moves"))?;
        }
        if without_moves > 0 {
            let sampled = means.sample(set, &[slice], LAST_SLICE_SAMPLE, self.seed)?;
            let entries = counted(without_moves);
            say(format!(
                "full: {name}: NOT compared: {entries}, because the moves aren't stored; sampled instead: \
                 {sampled}"
            ))?;
        }
        Ok(())
    }
}
