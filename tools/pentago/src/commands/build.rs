//! `pentago build`: tables of a game, of some of its slices, or of everything below a position.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use pentago::Control;
use pentago::build::{BuildError, Built, GameBuild, Resources, RootBuild};
use pentago::codec::Codec;
use pentago::index::Section;
use pentago::rules::{Rules, Shape};
use pentago::solve::SolveError;
use pentago::tables::Target;
use serde::Serialize;

use super::plan::{Estimate, Planned};
use crate::args::SolverArgs;
use crate::exit::bad_input;
use crate::games::tables::{self, Task};
use crate::games::{GameArg, GameRules, Other};
use crate::output::{bytes, note};
use crate::progress::Progress;
use crate::rates::MachineRates;
use crate::{engine, folder, input, interrupt, output};

/// What to build, as the user names it.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Everything downstream of a position, which is read by `--rules`.
    Root(String),
    /// The complete game of these rules.
    Game(Rules),
    /// The slice with this number of marbles and all later ones, by `--rules`.
    Slice(u8),
    /// A section and everything that it depends on, by `--rules`.
    Section(Section),
    /// A complete game of Pente.
    Other(Other),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        match text.split_once(':') {
            Some(("root", "")) => Err("expected a position behind root:, rows from the top".to_owned()),
            Some(("root", position)) => Ok(Wanted::Root(position.to_owned())),
            Some(("slice", marbles)) => {
                let marbles =
                    marbles.parse().map_err(|_| "expected a number of marbles, as in slice:34".to_owned());
                marbles.map(Wanted::Slice)
            }
            Some(("section", counts)) => match counts.parse() {
                Ok(section) => Ok(Wanted::Section(section)),
                Err(error) => Err(error.to_string()),
            },
            None if text == "game" => Ok(Wanted::Slice(0)),
            Some(("pente", _)) => match text.parse()? {
                GameRules::Other(other) => Ok(Wanted::Other(other)),
                GameRules::Pentago(rules) => Ok(Wanted::Game(rules)),
            },
            _ => match text.parse::<Rules>() {
                Ok(rules) if matches!(rules.shape, Shape::Mini { .. }) => Ok(Wanted::Game(rules)),
                _ => {
                    let text = "expected root:POSITION, slice:MARBLES, section:COUNTS (such as \
                                section:54,45,44,33), game, mini, or pente:OPTIONS";
                    Err(text.to_owned())
                }
            },
        }
    }
}

/// Slices by their numbers of marbles, both included.
fn parse_slices(text: &str) -> Result<RangeInclusive<u8>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u8>| !range.is_empty())
        .ok_or_else(|| "expected two numbers of marbles, as in 0..18".to_owned())
}

/// What `build` and `plan` have in common: what is built, and with which resources.
#[derive(Debug, Args)]
pub struct Work {
    /// What to build
    ///
    /// root:POSITION   all positions that can follow POSITION
    /// slice:MARBLES   all positions with MARBLES or more marbles; existing slices are kept
    /// section:COUNTS  one section and everything that it depends on; COUNTS are the marbles of X
    ///                 and O in each quadrant, such as 54,45,44,33
    /// game            the complete game of Pentago
    /// mini            the complete Mini-Pentago, also with options, such as mini:dir=cw
    /// pente:OPTIONS   complete Pente on a small board, such as pente:n=4,k=4,opening=free
    ///
    /// With --rules xl or xl:OPTIONS, root:POSITION is a position of Pentago XL.
    #[arg(value_name = "TARGET", verbatim_doc_comment)]
    wanted: Wanted,

    #[command(flatten)]
    rules: GameArg,

    /// Of a root, keep the slices with up to MARBLES marbles [default: those whose positions are
    /// slow to solve on demand]
    #[arg(long, value_name = "MARBLES")]
    keep: Option<u32>,

    /// Count the values of the last slice without storing them
    #[arg(long)]
    counts_only: bool,

    /// How tables are compressed: transit (large, quick to make and read), fast, small (slow), or
    /// zstd:LEVEL with a level from 1 to 19. A slice of a game that another one is computed from is
    /// compressed with transit first, and with CODEC when it is finished; the first copy is freed
    /// while the other slice is computed [default: fast; for Pentago XL and Pente, which know zstd
    /// only, a level of their own]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Of a game, keep the slices with FROM to TO marbles, such as 0..18. Each other slice is
    /// compressed with transit, and deleted piece by piece while the next one is built [default: all
    /// slices are kept]
    #[arg(long, value_name = "FROM..TO", value_parser = parse_slices)]
    keep_slices: Option<RangeInclusive<u8>>,

    /// Start from the lowest slice in this folder
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Folder for temporary data that doesn't fit in memory [default: the folder of the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,

    /// Disk space for temporary data, such as 60G [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_size)]
    scratch_limit: Option<u64>,

    #[command(flatten)]
    pub solver: SolverArgs,
}

/// Build tables of exact values
///
/// There is one table (a file) per number of marbles. It holds the values of all its positions,
/// whichever way their quadrants are turned. An interrupted or killed build is resumed by running
/// the same command again. Existing tables are never changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    #[command(flatten)]
    work: Work,

    /// Folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write a report as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago build 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --out tables
  pentago build section:54,45,44,33 --out tables
  pentago build slice:34 --counts-only --out tables
  pentago build pente:n=4,k=4,opening=free --out tables";

impl Work {
    /// What is built of another game, if that is asked for.
    ///
    /// # Errors
    /// If the target doesn't exist, or the options don't fit it.
    pub fn other(&self) -> anyhow::Result<Option<Task>> {
        let (other, root) = match (&self.wanted, self.rules.rules) {
            (Wanted::Other(other), _) => (*other, None),
            (Wanted::Root(root), GameRules::Other(other)) => (other, Some(root.as_str())),
            (Wanted::Slice(0), GameRules::Other(other)) => (other, None),
            (_, GameRules::Other(other)) => {
                let target = match other {
                    Other::Xl(_) => "root:POSITION",
                    Other::Pente(_) => "game, or pente:OPTIONS",
                };
                let text = format!("{} has no such tables: build {target}", other.name());
                return Err(bad_input(text).into());
            }
            (_, GameRules::Pentago(_)) => return Ok(None),
        };
        if self.counts_only
            || self.from.is_some()
            || self.scratch.is_some()
            || self.scratch_limit.is_some()
            || self.keep_slices.is_some()
        {
            let text = format!(
                "--counts-only, --from, --keep-slices, --scratch and --scratch-limit don't apply to {}",
                other.name()
            );
            return Err(bad_input(text).into());
        }
        let task = tables::task(other, root, self.keep)?;
        Ok(Some(match self.codec {
            Some(Codec::Zstd(level)) => task.level(level.number()),
            Some(codec) => {
                let text = format!("tables of {} are compressed with zstd:LEVEL, not {codec}", other.name());
                return Err(bad_input(text).into());
            }
            None => task,
        }))
    }

    fn rules(&self) -> Rules {
        match self.rules.rules {
            GameRules::Pentago(rules) => rules,
            // `other` comes first.
            GameRules::Other(_) => Rules::default(),
        }
    }

    /// The build that is asked for.
    ///
    /// # Errors
    /// If the target doesn't exist, or the options don't fit it.
    pub fn job(&self) -> anyhow::Result<Job> {
        match &self.wanted {
            Wanted::Root(_) if self.counts_only || self.from.is_some() || self.keep_slices.is_some() => {
                let text =
                    "--counts-only, --from and --keep-slices apply to games and their slices, not to a root";
                Err(bad_input(text).into())
            }
            Wanted::Root(text) => {
                let position = self.rules().parse_position(&input::text(text)?)?;
                let build = RootBuild::new(self.rules(), &position, self.keep)?;
                Ok(Job::Root(self.codec.map_or(build.clone(), |codec| build.codec(codec))))
            }
            _ if self.keep.is_some() => {
                Err(bad_input("--keep applies to a root only: of a game, use --keep-slices".to_owned())
                    .into())
            }
            Wanted::Other(other) => Err(bad_input(format!("{} is built by itself", other.name())).into()),
            Wanted::Game(rules) => Ok(self.game(GameBuild::new(*rules, 0))),
            &Wanted::Slice(marbles) => {
                let most = self.rules().shape.sockets();
                if usize::from(marbles) > most {
                    return Err(bad_input(format!("this game has slices of 0 to {most} marbles")).into());
                }
                Ok(self.game(GameBuild::new(self.rules(), marbles)))
            }
            &Wanted::Section(section) => Ok(self.game(GameBuild::of_section(self.rules(), section)?)),
        }
    }

    fn game(&self, build: GameBuild) -> Job {
        let build = if self.counts_only { build.counts_only() } else { build };
        let build = if let Some(codec) = self.codec { build.codec(codec) } else { build };
        let build = if let Some(kept) = &self.keep_slices { build.keep_slices(kept.clone()) } else { build };
        Job::Game(match &self.from {
            Some(folder) => build.going_on_from(folder.clone()),
            None => build,
        })
    }

    /// The resources to build with, temporary data beside the tables in `out` by default.
    pub fn resources(&self, out: PathBuf) -> Resources {
        Resources {
            kernel: self.solver.kernel(),
            threads: self.solver.threads(),
            memory: self.solver.memory(),
            scratch: self.scratch.clone().unwrap_or(out),
            scratch_limit: self.scratch_limit.unwrap_or(u64::MAX),
        }
    }
}

/// A build that is ready to run.
pub enum Job {
    Root(RootBuild),
    Game(GameBuild),
}

impl Job {
    /// What is built.
    pub fn target(&self) -> Target {
        match self {
            Job::Root(root) => root.target(),
            Job::Game(game) => game.target(),
        }
    }

    /// Estimates what building takes; of a game, building the given slices.
    ///
    /// # Errors
    /// If it can't be done with so little memory.
    pub fn estimate(
        &self,
        slices: &[u8],
        resources: &Resources,
        disk_speed: Option<u64>,
        rates: &MachineRates,
    ) -> anyhow::Result<Estimate> {
        let rates = &rates.pentago;
        let what = match self {
            Job::Root(root) => {
                Planned::Root(root.estimate(resources, rates).map_err(|e| explained(e.into()))?)
            }
            Job::Game(game) => Planned::Game(game.estimate(slices, resources, rates)),
        };
        Ok(Estimate { what, cores: resources.threads.get(), disk_speed })
    }

    /// The slices of a game that don't exist in the folder `out` yet.
    fn missing(&self, out: &Path) -> Result<Vec<u8>, BuildError> {
        match self {
            Job::Root(_) => Ok(Vec::new()),
            Job::Game(game) => game.missing(out),
        }
    }

    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, BuildError> {
        match self {
            Job::Root(root) => root.run(out, resources, control),
            Job::Game(game) => game.run(out, resources, control),
        }
    }
}

/// The error, for lack of memory with what to do about it.
pub fn explained(error: BuildError) -> anyhow::Error {
    let BuildError::Solve(SolveError::Memory { need, limit }) = &error else { return error.into() };
    let text = format!(
        "at least {} of memory are needed, but the limit is {}:\n  \
         raise --memory, use fewer --threads, or choose a position or slice with more marbles",
        bytes(*need),
        bytes(*limit)
    );
    anyhow::Error::from(error).context(text)
}

/// What was built.
#[derive(Debug, Serialize)]
struct Report {
    target: String,
    #[serde(serialize_with = "output::paths")]
    tables: Vec<PathBuf>,
    bytes: u64,
    scratch_bytes: u64,
    already_there: bool,
    /// For a game: how often blocks of the next slices were decoded, and how many such blocks there
    /// are.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks_decoded: Option<[u64; 2]>,
    seconds: f64,
}

/// Only larger builds are announced with an estimate.
const ANNOUNCED_BOARDS: u128 = 500_000_000;
const ANNOUNCED_ENTRIES: u64 = 50_000_000;

impl Build {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(task) = self.work.other()? {
            let out = folder::tables(self.out.as_deref())?;
            return task.build(&out, self.json, &self.work.solver);
        }
        let job = self.work.job()?;
        let out = folder::tables(self.out.as_deref())?;
        let resources = self.work.resources(out.clone());
        let pool = engine::pool(resources.threads)?;
        let control = interrupt::control();
        let quiet = self.work.solver.quiet;
        let began = Instant::now();
        let built =
            Progress::during(control, resources.threads.get(), quiet, |progress| -> anyhow::Result<Built> {
                if let Job::Root(root) = &job {
                    root.fits_tables(&resources).with_context(|| format!("building {}", job.target()))?;
                }
                let missing = job.missing(&out)?;
                let long = match &job {
                    Job::Root(root) => root.boards() >= ANNOUNCED_BOARDS && !root.is_built(&out)?,
                    Job::Game(game) => game.entries(&missing) >= ANNOUNCED_ENTRIES,
                };
                if long && !quiet {
                    let estimate = job.estimate(&missing, &resources, None, &MachineRates::load()?)?;
                    progress.note(estimate);
                }
                let built = pool.install(|| job.run(&out, &resources, control)).map_err(explained);
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
        let mut stdout = output::stdout();
        if self.json {
            writeln!(stdout, "{}", serde_json::to_string(&report)?)?;
        } else {
            for path in &report.tables {
                writeln!(stdout, "{}", path.display())?;
            }
            if !quiet {
                let there = if report.already_there { "existed already" } else { "built" };
                let (count, size, seconds) = (report.tables.len(), bytes(report.bytes), report.seconds);
                let scratch = match report.scratch_bytes {
                    0 => String::new(),
                    scratch => format!(", at most {} of temporary data", bytes(scratch)),
                };
                note(format_args!("{count} tables, {size}, {there}, {seconds:.1} s{scratch}"));
            }
        }
        Ok(stdout.flush()?)
    }
}
