//! Tables of the other games at the same commands: `build`, `plan`, `query`, `info`, `verify`.
//!
//! | file | what it represents |
//! |---|---|
//! | `xl_tables`, `pente_tables` | what a game's tables need of the commands |
//! | this one | what both share: the folder, progress, reports |

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pentago::tables::TableError;
use pentago_store::{BuildError, VerifyError};
use serde::Serialize;
use serde_json::json;

use super::{Other, pente_tables, xl_tables};
use crate::args::SolverArgs;
use crate::commands::plan;
use crate::exit::{bad_input, failed};
use crate::output::{bytes, duration, note, path_text, stdout, thousands};
use crate::rates::MachineRates;
use crate::{engine, folder, input};

/// What is built of another game.
#[derive(Debug, Clone)]
pub enum Task {
    /// Everything below a position of Pentago XL.
    Root(pentago_xl::tables::RootBuild),
    /// A complete game of Pente.
    Game(pentago_pente::tables::GameBuild),
}

/// What building takes.
pub struct Needs {
    /// Boards or positions, and what they are called.
    pub boards: (u64, &'static str),
    /// Of these, kept.
    pub kept: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of the values before compression.
    pub raw_bytes: u64,
    /// Bytes of the tables.
    pub bytes: u64,
    /// Seconds.
    pub seconds: f64,
}

/// The machine that a build is planned for.
pub struct Machine {
    pub cores: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of the disk, if they matter.
    pub disk: Option<u64>,
    /// Bytes per second that the disk writes, if that matters.
    pub disk_speed: Option<u64>,
}

/// What was built.
pub struct Done {
    pub paths: Vec<PathBuf>,
    pub bytes: u64,
    pub already: bool,
}

/// Larger builds are announced with an estimate.
const ANNOUNCED_BYTES: u64 = 2_000_000_000;

impl Task {
    /// What the tables are about.
    pub fn target(&self) -> String {
        match self {
            Task::Root(build) => build.target().to_string(),
            Task::Game(build) => build.rules().to_string(),
        }
    }

    /// The same at another level of zstd.
    pub fn level(self, level: u8) -> Task {
        match self {
            Task::Root(build) => Task::Root(build.level(level)),
            Task::Game(build) => Task::Game(build.level(level)),
        }
    }

    fn estimate(&self, cores: usize, rates: &MachineRates) -> Needs {
        match self {
            Task::Root(build) => xl_tables::estimate(build, cores, rates),
            Task::Game(build) => pente_tables::estimate(build, cores, rates),
        }
    }

    /// `pentago plan`.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn plan(&self, json: bool, machine: &Machine, rates: &MachineRates) -> anyhow::Result<()> {
        let mut needs = self.estimate(machine.cores, rates);
        let disk = machine.disk_speed.map_or(0.0, |speed| needs.bytes as f64 / speed.max(1) as f64);
        needs.seconds = needs.seconds.max(disk);
        let mut out = stdout();
        if json {
            let object = json!({
                "target": self.target(),
                "boards": needs.boards.0,
                "kept_boards": needs.kept,
                "memory_bytes": needs.memory,
                "scratch_bytes": 0,
                "raw_bytes": needs.raw_bytes,
                "kept_bytes": needs.bytes,
                "cores": machine.cores,
                "seconds": needs.seconds,
                "rates": rates.machine,
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{}", needs.text())?;
            writeln!(out, "{}", plan::fit([needs.memory, needs.bytes], machine.memory, machine.disk))?;
            writeln!(out, "{}", plan::of_rates(&rates.machine))?;
        }
        Ok(out.flush()?)
    }

    /// `pentago build`.
    ///
    /// # Errors
    /// If memory doesn't suffice, the disk is full, somebody else builds there, or it was
    /// interrupted.
    pub fn build(&self, out: &Path, json: bool, args: &SolverArgs) -> anyhow::Result<()> {
        let began = Instant::now();
        let pool = engine::pool(args.threads())?;
        let memory = match self {
            Task::Root(build) => build.memory(),
            Task::Game(build) => build.memory(),
        };
        if memory <= args.memory() && memory >= ANNOUNCED_BYTES && !args.quiet {
            note(self.estimate(args.threads().get(), &MachineRates::load()?).text());
        }
        let built = match self {
            Task::Root(build) => xl_tables::build(build, out, &pool, args),
            Task::Game(build) => pente_tables::build(build, out, &pool, args),
        };
        let built = built.map_err(|error| error.context(format!("building {}", self.target())))?;
        let seconds = began.elapsed().as_secs_f64();
        let mut stdout = stdout();
        if json {
            let tables =
                built.paths.iter().map(|path| path_text(path)).collect::<anyhow::Result<Vec<_>>>()?;
            let object = json!({
                "target": self.target(),
                "tables": tables,
                "bytes": built.bytes,
                "scratch_bytes": 0,
                "already_there": built.already,
                "seconds": seconds,
            });
            writeln!(stdout, "{object}")?;
        } else {
            for path in &built.paths {
                writeln!(stdout, "{}", path.display())?;
            }
            if !args.quiet {
                let there = if built.already { "existed already" } else { "built" };
                let (count, size) = (built.paths.len(), bytes(built.bytes));
                note(format_args!("{count} tables, {size}, {there}, {seconds:.1} s"));
            }
        }
        Ok(stdout.flush()?)
    }
}

impl Needs {
    fn text(&self) -> String {
        let (boards, what) = self.boards;
        let kept = match self.kept {
            kept if kept == boards => String::new(),
            kept => format!(", of which {} are kept", thousands(kept)),
        };
        format!(
            "{what:<10} {}{kept}\nmemory     {}\ntables     {}, {} before compression\ntime       {}",
            thousands(boards),
            bytes(self.memory),
            bytes(self.bytes),
            bytes(self.raw_bytes),
            duration(self.seconds)
        )
    }
}

/// The message for lack of memory.
pub fn memory_text(needed: u64, limit: u64) -> String {
    format!(
        "at least {} of memory are needed, but the limit is {}:\n  raise --memory, or choose a later \
         position or a smaller board",
        bytes(needed),
        bytes(limit)
    )
}

/// The tables of other games in a folder.
pub struct OtherTables {
    pub xl: Vec<pentago_xl::tables::TableSet>,
    pub pente: Vec<pentago_pente::tables::TableSet>,
    /// Tables of these games that are of no use.
    pub damaged: Vec<TableError>,
}

/// Decoded blocks that are kept for a few positions.
const CACHE_BYTES: usize = 64 << 20;

impl OtherTables {
    /// Opens a folder; `cache` bytes of decoded blocks are kept for each game.
    ///
    /// # Errors
    /// If it isn't there, or can't be read.
    pub fn open(path: &Path, cache: Option<usize>) -> anyhow::Result<OtherTables> {
        folder::exists(path)?;
        let cache = cache.unwrap_or(CACHE_BYTES);
        let (xl, mut damaged) = pentago_xl::tables::TableSet::find(path, cache)?;
        let (pente, more) = pentago_pente::tables::TableSet::find(path, cache)?;
        damaged.extend(more);
        Ok(OtherTables { xl, pente, damaged })
    }

    /// Names the damaged tables on standard error.
    pub fn note_damaged(&self) {
        self.damaged.iter().for_each(|error| note(format_args!("skipped: {error}")));
    }

    /// Whether there is no table of these games.
    pub fn is_empty(&self) -> bool {
        self.xl.is_empty() && self.pente.is_empty()
    }

    /// What `info` says about each target.
    pub fn list(&self) -> anyhow::Result<Vec<TargetInfo>> {
        let mut all = Vec::new();
        for set in &self.xl {
            all.push(xl_tables::info(set)?);
        }
        for set in &self.pente {
            all.push(pente_tables::info(set)?);
        }
        Ok(all)
    }
}

/// The tables of a target, as `info` lists them.
#[derive(Debug, Serialize)]
pub struct TargetInfo {
    pub target: String,
    pub rules: String,
    pub bytes: u64,
    pub slices: Vec<SliceInfo>,
}

/// A table.
#[derive(Debug, Serialize)]
pub struct SliceInfo {
    /// Marbles on all boards of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marbles: Option<u8>,
    /// Pente: stones that each player has captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    #[serde(serialize_with = "crate::output::path")]
    pub file: PathBuf,
    /// Arrays of the table: the sections of a game of Pentago.
    pub sections: u32,
    pub entries: u64,
    pub bytes: u64,
    /// Size of the file to the size of its values.
    pub ratio: f64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub program: String,
}

impl SliceInfo {
    /// What tells it from other tables of the target.
    pub fn label(&self) -> String {
        match (&self.marbles, &self.captures) {
            (Some(marbles), _) => marbles.to_string(),
            (None, Some(captures)) => format!("{}-{}", captures["x"], captures["o"]),
            (None, None) => String::new(),
        }
    }
}

/// What `verify` is asked for.
pub struct Verification<'a> {
    pub hash: bool,
    pub sample: Option<u64>,
    pub seed: u64,
    pub full: bool,
    pub counts: bool,
    pub marbles: Option<u8>,
    pub solver: &'a SolverArgs,
}

impl OtherTables {
    /// `pentago verify`: says what was compared, and found to be right.
    ///
    /// # Errors
    /// The first damaged file or wrong value; or it was interrupted.
    pub fn verify(&self, out: &mut impl Write, asked: &Verification) -> anyhow::Result<()> {
        if let Some(damaged) = self.damaged.first() {
            return Err(failed(damaged));
        }
        for set in &self.xl {
            xl_tables::verify(out, set, asked)?;
        }
        // A layer of Pente has positions with any number of stones.
        for set in self.pente.iter().filter(|_| asked.marbles.is_none()) {
            pente_tables::verify(out, set, asked)?;
        }
        Ok(())
    }

    /// Whether there are tables with so many marbles.
    pub fn has_marbles(&self, marbles: u8) -> bool {
        self.xl.iter().any(|set| set.listed().any(|l| l.header.marbles == usize::from(marbles)))
    }
}

/// The error of a build as one of the program.
pub fn build_error(error: BuildError) -> anyhow::Error {
    match error {
        BuildError::Table(error) => error.into(),
        BuildError::Stopped(stopped) => stopped.into(),
        BuildError::Memory { needed, limit } => anyhow::anyhow!(memory_text(needed, limit)),
        BuildError::TooLarge(error) => bad_input(error.to_string()).into(),
        other @ BuildError::Solver(_) => other.into(),
    }
}

/// The error of a verification as one of the program.
pub fn verify_error(error: VerifyError) -> anyhow::Error {
    match error {
        VerifyError::Stopped(stopped) => stopped.into(),
        other => failed(other),
    }
}

/// The build that is asked for: of Pentago XL below a root, of Pente a complete game.
///
/// # Errors
/// If there is none.
pub fn task(other: Other, root: Option<&str>, keep: Option<u32>) -> anyhow::Result<Task> {
    match (other, root) {
        (Other::Xl(rules), Some(text)) => {
            let text = input::text(text)?;
            let position = rules.parse_position(&text).map_err(|e| bad_input(e.to_string()))?;
            let keep = keep.map(|marbles| marbles as usize);
            let build = pentago_xl::tables::RootBuild::new(rules, &position, keep);
            Ok(Task::Root(build.map_err(|e| bad_input(e.to_string()))?))
        }
        (Other::Xl(_), None) => Err(bad_input(
            "tables of Pentago XL hold everything below a position: name one with root:POSITION",
        )
        .into()),
        (Other::Pente(_), Some(_)) => Err(bad_input(
            "tables of Pente hold complete games on small boards: build pente:n=4,k=4,opening=free, say, \
             instead of a root",
        )
        .into()),
        (Other::Pente(_), None) if keep.is_some() => {
            Err(bad_input("--keep applies to a root only: of a game, everything is kept").into())
        }
        (Other::Pente(rules), None) => pente_tables::task(rules).map(Task::Game),
    }
}
