//! `pentago build` and `pentago plan`: tables, and what they take.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use pentago_solver::build::{BuildError, Built, GameBuild, Means, RootBuild};
use pentago_solver::rules::{Rules, Shape};
use pentago_solver::solve::downstream::Needs;
use pentago_solver::solve::{Control, SolveError};
use pentago_solver::table::Target;
use serde::Serialize;

use crate::args::{RulesArg, SolverArgs};
use crate::exit::BadInput;
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
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        match text.split_once(':') {
            Some(("root", position)) => Ok(Wanted::Root(position.to_owned())),
            _ => match text.parse::<Rules>() {
                Ok(rules) if matches!(rules.shape, Shape::Mini { .. }) => Ok(Wanted::Game(rules)),
                _ => Err("expected root:POSITION, or mini, with or without options".to_owned()),
            },
        }
    }
}

/// What is built and with what.
#[derive(Debug, Args)]
pub struct Work {
    /// What to build: root:POSITION, everything downstream of a position; mini, the complete Mini-Pentago, or with
    /// options as in mini:dir=cw
    #[arg(value_name = "TARGET")]
    wanted: Wanted,

    #[command(flatten)]
    rules: RulesArg,

    /// Keep the slices of a root up to so many marbles [default: as far as a position is slow to solve on demand]
    #[arg(long, value_name = "MARBLES")]
    keep: Option<u32>,

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
  pentago build 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --out tables";

/// What building will take: boards, memory, disk, time
///
/// Measures this machine for a few seconds on a part of the problem itself, and says what `build` with the same options will
/// take.
#[derive(Debug, Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    work: Work,

    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

const PLAN_EXAMPLES: &str = "\
Example:
  pentago plan 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --memory 4G";

impl Work {
    fn rules(&self) -> Rules {
        self.rules.rules
    }

    fn job(&self) -> anyhow::Result<Job> {
        match &self.wanted {
            Wanted::Root(text) => {
                let position = input::position(&self.rules(), text)?;
                Ok(Job::Root(RootBuild::new(self.rules(), &position, self.keep)?))
            }
            Wanted::Game(_) if self.keep.is_some() => {
                Err(BadInput("--keep is for roots: a complete game keeps all slices".to_owned()).into())
            }
            Wanted::Game(rules) => Ok(Job::Game(GameBuild::new(*rules, 0))),
        }
    }

    fn means(&self, out: PathBuf) -> Means {
        Means {
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

    fn forecast(&self, means: &Means, control: &Control) -> anyhow::Result<Forecast> {
        let target = self.target().to_string();
        Ok(match self {
            Job::Root(root) => {
                let forecast = root.forecast(means, control).map_err(|e| explained(e.into()))?;
                Forecast {
                    target,
                    top_sockets: forecast.needs.top,
                    boards: forecast.needs.boards,
                    kept_boards: forecast.kept_boards,
                    memory_bytes: forecast.needs.memory,
                    scratch_bytes: forecast.scratch_bytes,
                    kept_bytes: forecast.kept_bytes,
                    seconds: forecast.seconds,
                }
            }
            Job::Game(_) => {
                let text = "no plan is needed: it is built in less than a second, in 300 kB";
                return Err(BadInput(format!("{target}: {text}")).into());
            }
        })
    }

    fn run(
        &self,
        out: &Path,
        means: &Means,
        control: &Control,
        progress: &Progress,
    ) -> Result<Built, BuildError> {
        match self {
            Job::Root(root) => {
                let mut stage = |needs: &Needs, earlier: u64| {
                    if earlier > 0 {
                        let share = 100.0 * earlier as f64 / (4 * needs.boards) as f64;
                        progress.note(format_args!("going on: {share:.0}% were done before"));
                    }
                    progress.work("all plies", needs.boards, 4, earlier);
                };
                root.run(out, means, control, &mut stage)
            }
            Job::Game(game) => {
                progress.work("all slices", game.entries(means), 1, 0);
                game.run(out, means, control)
            }
        }
    }
}

/// The error with what to do about it.
fn explained(error: BuildError) -> anyhow::Error {
    let BuildError::Solve(SolveError::Memory { need, limit }) = &error else { return error.into() };
    let text = format!(
        "it takes at least {} of memory, however it is cut, and {} may be used:\n  \
         allow more with --memory, or take a position with more marbles",
        bytes(*need),
        bytes(*limit)
    );
    anyhow::Error::from(error).context(text)
}

/// A forecast as it is told.
#[derive(Debug, Serialize)]
struct Forecast {
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

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Forecast { boards, kept_boards, memory_bytes, scratch_bytes, kept_bytes, seconds, .. } = self;
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
        let means = self.work.means(PathBuf::new());
        let pool = engine::pool(means.threads)?;
        let forecast = pool.install(|| job.forecast(&means, interrupt::control()))?;
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&forecast)?)?;
        } else {
            writeln!(out, "{forecast}")?;
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
    seconds: f64,
}

/// Builds that take less are not announced.
const ANNOUNCED_BOARDS: u128 = 500_000_000;

impl Build {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let job = self.work.job()?;
        let out = folder::tables(self.out.as_deref())?;
        let means = self.work.means(out.clone());
        let pool = engine::pool(means.threads)?;
        let control = interrupt::control();
        let quiet = self.work.solver.quiet;
        let began = Instant::now();
        let built = Progress::during(control, means.threads, quiet, |progress| -> anyhow::Result<Built> {
            if let Job::Root(root) = &job
                && !quiet
                && root.boards() >= ANNOUNCED_BOARDS
                && !root.is_built(&out)?
            {
                let forecast = pool.install(|| job.forecast(&means, control))?;
                progress.note(forecast);
            }
            let built = pool.install(|| job.run(&out, &means, control, progress)).map_err(explained);
            built.with_context(|| format!("building {}", job.target()))
        })?;
        let report = Report {
            target: job.target().to_string(),
            tables: built.paths,
            bytes: built.bytes,
            scratch_bytes: built.scratch_bytes,
            already_there: built.already,
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
