//! `pentago build` and `pentago plan`: tables, and what they take.

use std::fmt;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use pentago::codec::Level;
use pentago::index::Section;
use pentago::pipeline::{BuildError, Built, GameBuild, GameEstimate, Resources, RootBuild, SliceEstimate};
use pentago::rules::{Rules, Shape};
use pentago::solve::rooted::downstream::DownstreamEstimate;
use pentago::solve::{Control, SolveError};
use pentago::tables::Target;
use serde::Serialize;

use crate::args::{RulesArg, SolverArgs};
use crate::exit::bad_input;
use crate::output::{bytes, note, thousands};
use crate::progress::Progress;
use crate::{engine, folder, input, interrupt, memory};

/// What to build
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Everything downstream of a position, as text.
    Root(String),
    /// A complete game.
    Game(Rules),
    /// A slice of the game that the rules are for, and those after it.
    Slice(u8),
    /// A section of that game, and all that it depends on.
    Section(Section),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        match text.split_once(':') {
            Some(("root", position)) => Ok(Wanted::Root(position.to_owned())),
            Some(("slice", marbles)) => {
                let marbles =
                    marbles.parse().map_err(|_| "expected slice: and a number of marbles".to_owned());
                marbles.map(Wanted::Slice)
            }
            Some(("section", counts)) => match counts.parse() {
                Ok(section) => Ok(Wanted::Section(section)),
                Err(error) => Err(error.to_string()),
            },
            None if text == "game" => Ok(Wanted::Slice(0)),
            _ => match text.parse::<Rules>() {
                Ok(rules) if matches!(rules.shape, Shape::Mini { .. }) => Ok(Wanted::Game(rules)),
                _ => {
                    let text = "expected root:POSITION, slice:MARBLES, section:COUNTS such as section:54,45,44,33, game, or \
                                mini, with or without options";
                    Err(text.to_owned())
                }
            },
        }
    }
}

fn parse_level(text: &str) -> Result<Level, String> {
    let level = text.parse().ok().and_then(Level::new);
    level.ok_or_else(|| "expected a number from 1 to 19".to_owned())
}

/// What is built and with what.
#[derive(Debug, Args)]
pub struct Work {
    /// What to build: root:POSITION, everything downstream of a position; slice:MARBLES, all positions with so many
    /// marbles or more, on from the next slice that is there; section:COUNTS, the positions with so many marbles of X and O in
    /// each block, as in section:54,45,44,33, and all that they depend on; mini, the complete Mini-Pentago, or with
    /// options as in mini:dir=cw; game, the complete Pentago
    #[arg(value_name = "TARGET")]
    wanted: Wanted,

    #[command(flatten)]
    rules: RulesArg,

    /// Keep the slices of a root up to so many marbles [default: as far as a position is slow to solve on demand]
    #[arg(long, value_name = "MARBLES")]
    keep: Option<u32>,

    /// Of the last slice count the values only, and don't keep them
    #[arg(long)]
    counts_only: bool,

    /// How small the tables of a game are made: 1, fast, to 19, small [default: 9]
    #[arg(long, value_name = "N", value_parser = parse_level)]
    level: Option<Level>,

    /// Go on from the lowest slice in this folder
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Folder for what doesn't fit in memory [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Disk that scratch files may take, as in 60G [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    scratch_limit: Option<u64>,

    #[command(flatten)]
    solver: SolverArgs,
}

/// Build tables: values to be looked up for ever
///
/// The tables of a root hold the values of its slices, one file for each number of marbles, for all ways to turn
/// the blocks and all symmetries of the board. Building goes on where it was stopped, however it was: give the same
/// command again. What was built already is left as it is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    #[command(flatten)]
    work: Work,

    /// The folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write one JSON object about what was built
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago build 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --out tables
  pentago build section:54,45,44,33 --out tables
  pentago build slice:34 --counts-only --out tables";

/// What building will take: boards, memory, disk, time
///
/// Measures this machine for a few seconds on a part of the problem itself, and says what `build` with the same options will
/// take. Of a game it says that slice by slice, on this machine or as many of its cores, --memory and --disk as are given.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    work: Work,

    /// Cores of the machine that a game is planned for [default: --threads]
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,

    /// Disk of that machine, as in 20T
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    disk: Option<u64>,

    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

const PLAN_EXAMPLES: &str = "\
Example:
  pentago plan 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --memory 4G
  pentago plan game --cores 64 --memory 256G --disk 30T";

impl Work {
    fn rules(&self) -> Rules {
        self.rules.rules
    }

    fn job(&self) -> anyhow::Result<Job> {
        match &self.wanted {
            Wanted::Root(_) if self.counts_only || self.from.is_some() || self.level.is_some() => {
                let text = "--counts-only, --from and --level are for slices of a game";
                Err(bad_input(text.to_owned()).into())
            }
            Wanted::Root(text) => {
                let position = input::position(&self.rules(), text)?;
                Ok(Job::Root(RootBuild::new(self.rules(), &position, self.keep)?))
            }
            _ if self.keep.is_some() => {
                Err(bad_input("--keep is for roots: of a game all slices are kept".to_owned()).into())
            }
            Wanted::Game(rules) => Ok(self.game(GameBuild::new(*rules, 0))),
            &Wanted::Slice(marbles) => {
                let most = self.rules().shape.sockets();
                if usize::from(marbles) > most {
                    return Err(bad_input(format!(
                        "the slices of this game are those of 0 to {most} marbles"
                    ))
                    .into());
                }
                Ok(self.game(GameBuild::new(self.rules(), marbles)))
            }
            &Wanted::Section(section) => Ok(self.game(GameBuild::of_section(self.rules(), section)?)),
        }
    }

    fn game(&self, build: GameBuild) -> Job {
        let build = if self.counts_only { build.counts_only() } else { build };
        let build = if let Some(level) = self.level { build.level(level) } else { build };
        Job::Game(match &self.from {
            Some(folder) => build.going_on_from(folder.clone()),
            None => build,
        })
    }

    fn resources(&self, out: PathBuf) -> Resources {
        Resources {
            kernel: self.solver.kernel(),
            threads: self.solver.threads(),
            memory: self.solver.memory(),
            scratch: self.scratch.clone().unwrap_or(out),
            scratch_limit: self.scratch_limit.unwrap_or(u64::MAX),
        }
    }
}

/// What is to be built.
enum Job {
    Root(RootBuild),
    Game(GameBuild),
}

impl Job {
    fn target(&self) -> Target {
        match self {
            Job::Root(root) => root.target(),
            Job::Game(game) => game.target(),
        }
    }

    /// What it will take: of a game the given slices.
    fn estimate(&self, slices: &[u8], resources: &Resources, control: &Control) -> anyhow::Result<Estimate> {
        let target = self.target().to_string();
        Ok(match self {
            Job::Root(root) => {
                let estimate = root.estimate(resources, control).map_err(|e| explained(e.into()))?;
                Estimate::Root(RootPlan {
                    target,
                    top_sockets: estimate.needs.top,
                    boards: estimate.needs.boards,
                    kept_boards: estimate.kept_boards,
                    memory_bytes: estimate.needs.memory,
                    scratch_bytes: estimate.scratch_bytes,
                    kept_bytes: estimate.kept_bytes,
                    seconds: estimate.seconds,
                })
            }
            Job::Game(game) => {
                let estimate = game.estimate(slices, resources, control).map_err(|e| explained(e.into()))?;
                Estimate::Game(GamePlan::new(target, &estimate, resources.threads))
            }
        })
    }

    /// The slices of a game that are missing under a folder.
    fn missing(&self, out: &Path) -> Result<Vec<u8>, BuildError> {
        match self {
            Job::Root(_) => Ok(Vec::new()),
            Job::Game(game) => game.missing(out),
        }
    }

    fn run(
        &self,
        out: &Path,
        missing: &[u8],
        resources: &Resources,
        control: &Control,
        progress: &Progress,
    ) -> Result<Built, BuildError> {
        match self {
            Job::Root(root) => {
                let mut stage = |needs: &DownstreamEstimate, earlier: u64| {
                    if earlier > 0 {
                        let share = 100.0 * earlier as f64 / (4 * needs.boards) as f64;
                        progress.note(format_args!("going on: {share:.0}% were done before"));
                    }
                    progress.work("all plies", needs.boards, 4, earlier);
                };
                root.run(out, resources, control, &mut stage)
            }
            Job::Game(game) => {
                progress.work("all slices", game.entries(missing), 1, 0);
                game.run(out, resources, control)
            }
        }
    }
}

/// The error with what to do about it.
fn explained(error: BuildError) -> anyhow::Error {
    let BuildError::Solve(SolveError::Memory { need, limit }) = &error else { return error.into() };
    let text = format!(
        "it takes at least {} of memory, however it is cut, and {} may be used:\n  \
         allow more with --memory, take fewer --threads, or a position or slice with more marbles",
        bytes(*need),
        bytes(*limit)
    );
    anyhow::Error::from(error).context(text)
}

/// A forecast as it is told.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Estimate {
    Root(RootPlan),
    Game(GamePlan),
}

/// The forecast of a root.
#[derive(Debug, Serialize)]
struct RootPlan {
    target: String,
    /// Empty sockets that groups of boards agree on: 0 where everything fits in memory.
    top_sockets: usize,
    boards: u64,
    kept_boards: u64,
    memory_bytes: u64,
    scratch_bytes: u64,
    kept_bytes: u64,
    seconds: f64,
}

/// The forecast of slices of a game.
#[derive(Debug, Serialize)]
struct GamePlan {
    target: String,
    slices: Vec<SlicePlan>,
    entries: u64,
    raw_bytes: u64,
    kept_bytes: u64,
    /// Two neighbouring slices: what must lie on the disk where those before are put elsewhere.
    two_slices_bytes: u64,
    memory_bytes: u64,
    core_hours: f64,
    cores: usize,
    seconds: f64,
}

/// One slice of it.
#[derive(Debug, Serialize)]
struct SlicePlan {
    marbles: u8,
    sections: u64,
    entries: u64,
    raw_bytes: u64,
    kept_bytes: u64,
    memory_bytes: u64,
    core_hours: f64,
}

impl GamePlan {
    fn new(target: String, estimate: &GameEstimate, cores: usize) -> GamePlan {
        let slice = |s: &SliceEstimate| SlicePlan {
            marbles: s.marbles,
            sections: s.sections,
            entries: s.entries,
            raw_bytes: s.raw_bytes,
            kept_bytes: s.kept_bytes,
            memory_bytes: s.memory_bytes,
            core_hours: s.core_seconds / 3600.0,
        };
        let slices: Vec<SlicePlan> = estimate.slices.iter().map(slice).collect();
        GamePlan {
            target,
            entries: slices.iter().map(|s| s.entries).sum(),
            raw_bytes: slices.iter().map(|s| s.raw_bytes).sum(),
            kept_bytes: estimate.kept_bytes(),
            two_slices_bytes: estimate.two_bytes(),
            memory_bytes: estimate.memory_bytes(),
            core_hours: slices.iter().map(|s| s.core_hours).sum(),
            cores,
            seconds: estimate.seconds(cores),
            slices,
        }
    }

    /// What it takes in all.
    fn total(&self) -> String {
        let GamePlan { entries, raw_bytes, kept_bytes, memory_bytes, cores, seconds, .. } = self;
        format!(
            "supers    {}, {} raw\nmemory    {} at least\ntables    {}, {} where only two slices are on the disk\n\
             time      {} on {cores} cores, {:.1} core-hours",
            thousands(*entries),
            bytes(*raw_bytes),
            bytes(*memory_bytes),
            bytes(*kept_bytes),
            bytes(self.two_slices_bytes),
            duration(*seconds),
            self.core_hours,
        )
    }

    /// Whether it fits in the memory and on the disk that there are.
    fn fit(&self, memory: u64, disk: Option<u64>) -> String {
        let word = |need: u64, have: u64| if need <= have { "fits" } else { "does NOT fit" };
        let memory = format!("memory    {} in {}", word(self.memory_bytes, memory), bytes(memory));
        match disk {
            None => memory,
            Some(disk) => format!(
                "{memory}\ndisk      all tables: {} in {}; two slices: {}",
                word(self.kept_bytes, disk),
                bytes(disk),
                word(self.two_slices_bytes, disk)
            ),
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Estimate::Root(root) => root.fmt(f),
            Estimate::Game(game) => {
                writeln!(
                    f,
                    "{:>7} {:>8} {:>21} {:>9} {:>9} {:>9} {:>10}",
                    "marbles", "sections", "supers", "raw", "kept", "memory", "core-hours"
                )?;
                for s in &game.slices {
                    writeln!(
                        f,
                        "{:>7} {:>8} {:>21} {:>9} {:>9} {:>9} {:>10.3}",
                        s.marbles,
                        thousands(s.sections),
                        thousands(s.entries),
                        bytes(s.raw_bytes),
                        bytes(s.kept_bytes),
                        bytes(s.memory_bytes),
                        s.core_hours
                    )?;
                }
                f.write_str(&game.total())
            }
        }
    }
}

impl fmt::Display for RootPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RootPlan { boards, kept_boards, memory_bytes, scratch_bytes, kept_bytes, seconds, .. } = self;
        writeln!(f, "boards    {}, of them {} kept", thousands(*boards), thousands(*kept_boards))?;
        writeln!(f, "memory    {}", bytes(*memory_bytes))?;
        writeln!(f, "scratch   {}", bytes(*scratch_bytes))?;
        writeln!(f, "tables    {}", bytes(*kept_bytes))?;
        write!(f, "time      {}", duration(*seconds))
    }
}

/// Seconds, or minutes, or hours.
fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..600_000.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

impl Plan {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let job = self.work.job()?;
        let mut resources = self.work.resources(PathBuf::new());
        let pool = engine::pool(resources.threads)?;
        let slices = match &job {
            Job::Game(game) => game.slices(),
            Job::Root(_) if self.cores.is_some() || self.disk.is_some() => {
                return Err(bad_input("--cores and --disk are for slices of a game".to_owned()).into());
            }
            Job::Root(_) => Vec::new(),
        };
        resources.threads = self.cores.map_or(resources.threads, NonZeroUsize::get);
        let estimate = pool.install(|| job.estimate(&slices, &resources, interrupt::control()))?;
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&estimate)?)?;
        } else {
            writeln!(out, "{estimate}")?;
            if let Estimate::Game(game) = &estimate {
                writeln!(out, "{}", game.fit(resources.memory, self.disk))?;
            }
        }
        Ok(out.flush()?)
    }
}

/// What was built, as it is told.
#[derive(Debug, Serialize)]
struct Report {
    target: String,
    tables: Vec<PathBuf>,
    bytes: u64,
    scratch_bytes: u64,
    already_there: bool,
    /// Of a game: how often blocks of the next slices were decoded, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks_decoded: Option<[u64; 2]>,
    seconds: f64,
}

/// Builds that take less are not announced.
const ANNOUNCED_BOARDS: u128 = 500_000_000;
const ANNOUNCED_ENTRIES: u64 = 50_000_000;

impl Build {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let job = self.work.job()?;
        let out = folder::tables(self.out.as_deref())?;
        let resources = self.work.resources(out.clone());
        let pool = engine::pool(resources.threads)?;
        let control = interrupt::control();
        let quiet = self.work.solver.quiet;
        let began = Instant::now();
        let built =
            Progress::during(control, resources.threads, quiet, |progress| -> anyhow::Result<Built> {
                let missing = job.missing(&out)?;
                let long = match &job {
                    Job::Root(root) => root.boards() >= ANNOUNCED_BOARDS && !root.is_built(&out)?,
                    Job::Game(game) => game.entries(&missing) >= ANNOUNCED_ENTRIES,
                };
                if long && !quiet {
                    let estimate = pool.install(|| job.estimate(&missing, &resources, control))?;
                    progress.note(estimate);
                }
                let built = pool
                    .install(|| job.run(&out, &missing, &resources, control, progress))
                    .map_err(explained);
                built.with_context(|| format!("building {}", job.target()))
            })?;
        let report = Report {
            target: job.target().to_string(),
            tables: built.paths,
            bytes: built.bytes,
            scratch_bytes: built.scratch_bytes,
            already_there: built.already,
            blocks_decoded: (built.decoded.once > 0).then_some([built.decoded.all, built.decoded.once]),
            seconds: began.elapsed().as_secs_f64(),
        };
        let mut stdout = anstream::stdout().lock();
        if self.json {
            writeln!(stdout, "{}", serde_json::to_string(&report)?)?;
        } else {
            for path in &report.tables {
                writeln!(stdout, "{}", path.display())?;
            }
            if !quiet {
                let there = if report.already_there { "were there already" } else { "built" };
                let (count, size, seconds) = (report.tables.len(), bytes(report.bytes), report.seconds);
                let scratch = match report.scratch_bytes {
                    0 => String::new(),
                    scratch => format!(", {} of scratch at most", bytes(scratch)),
                };
                note(format_args!("{count} tables, {size}, {there}, {seconds:.1} s{scratch}"));
            }
        }
        Ok(stdout.flush()?)
    }
}
