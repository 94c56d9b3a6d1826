//! `pentago build`: tables of a game, of some of its slices, or of everything below a position.

use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use pentago::Codec;
use pentago_base::counted;
use pentago_games::{Game, Machine, Order, Resources, TooLittleMemory, Wanted};
use serde::Serialize;

use super::export::ranges;
use super::plan;
use crate::args::{GameArg, MOST_MARBLES, SolverArgs, game, number};
use crate::exit::bad_input;
use crate::output::{bytes, check_folder, note};
use crate::progress::{Progress, ProgressFile};
use crate::verdict::{Room, Trial, Verdict};
use crate::{engine, folder, input, interrupt, output, rates};

/// The forms of a target.
const EXPECTED: &str = "expected root:POSITION, slice:MARBLES, section:COUNTS (such as \
                        section:54,45,44,33), game, or rules such as mini or pente:n=4,k=4,opening=free";

/// What to build, as the user names it.
#[derive(Debug, Clone)]
pub enum Target {
    /// Everything below a position, which is read by `--rules`.
    Root(String),
    /// A part of the game of `--rules`.
    Part(Wanted),
    /// The complete game of these rules.
    Rules(Arc<dyn Game>),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text.split_once(':') {
            Some(("root", "")) => Err("expected a position behind root:, rows from the top".to_owned()),
            Some(("root", position)) => Ok(Target::Root(position.to_owned())),
            Some(("slice", marbles)) => {
                let marbles =
                    marbles.parse().map_err(|_| "expected a number of marbles, as in slice:34".to_owned());
                Ok(Target::Part(Wanted::Slice(marbles?)))
            }
            Some(("section", counts)) => Ok(Target::Part(Wanted::Section(counts.to_owned()))),
            None if text == "game" => Ok(Target::Part(Wanted::Game)),
            // Whole games of the usual size are asked for by `game`.
            None if game(text).is_ok_and(|game| game.rules() == game.kind().name) => Err(EXPECTED.to_owned()),
            named => game(text).map(Target::Rules).map_err(|error| match named {
                Some(_) if !error.starts_with("unknown rules") => error,
                _ => EXPECTED.to_owned(),
            }),
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
    target: Target,

    #[command(flatten)]
    rules: GameArg,

    /// Of a root, keep the slices with up to MARBLES marbles [default: those whose positions are
    /// slow to solve on demand]
    #[arg(long, value_name = "MARBLES", value_parser = number(0..=u32::from(MOST_MARBLES)))]
    keep: Option<u32>,

    /// Count the values of the last slice without storing them
    #[arg(long)]
    counts_only: bool,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three quarters
    /// of the size; 30 times as slow to write), or zstd:LEVEL with a level from 1 to 19. With another
    /// codec than quick, a slice of a game that the next one is computed from is compressed with
    /// quick first, and with CODEC when it is finished; the first copy is freed while the next slice
    /// is computed [default: quick; for Pentago XL and Pente, which know zstd only, a level of their
    /// own]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Of a game, keep the slices with FROM to TO marbles, such as 0..18. Each other slice is
    /// compressed with quick, and deleted piece by piece while the next one is built [default: all
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

    /// Write how far the build is to FILE, for whoever watches from afar: a line of JSON every ten
    /// seconds, and for every slice that is begun or compared
    #[arg(long, value_name = "FILE")]
    progress_file: Option<PathBuf>,

    /// Build even if by the estimate memory or disk don't suffice
    #[arg(long)]
    anyway: bool,

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
    /// What is asked for, of which game.
    ///
    /// # Errors
    /// If the target is a position that can't be read, or doesn't go with `--rules`.
    pub fn order(&self) -> anyhow::Result<(&dyn Game, Order)> {
        let (game, what) = match &self.target {
            Target::Root(text) => {
                (&self.rules.rules, Wanted::Root(input::position(&*self.rules.rules, text)?))
            }
            Target::Part(what) => (&self.rules.rules, what.clone()),
            Target::Rules(game) if self.rules.rules.rules() != pentago::Rules::default().to_string() => {
                let rules = game.rules();
                return Err(bad_input(format!("{rules} names the rules itself: leave out --rules")).into());
            }
            Target::Rules(game) => (game, Wanted::Game),
        };
        let order = Order {
            what,
            keep: self.keep,
            counts_only: self.counts_only,
            codec: self.codec,
            keep_slices: self.keep_slices.clone(),
            from: self.from.clone(),
            scratch: self.scratch.is_some() || self.scratch_limit.is_some(),
        };
        Ok((&**game, order))
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

/// The error of a build, for lack of memory with what to do about it.
pub fn explained(error: pentago::Error) -> anyhow::Error {
    let Some(TooLittleMemory { need, limit }) = error.downcast_ref() else { return error.into() };
    let text = format!(
        "at least {} of memory is needed, but the limit is {}:\n  \
         raise --memory, use fewer --threads, or choose a later position or slice, or a smaller board",
        bytes(*need),
        bytes(*limit)
    );
    pentago::Error::new(error.kind(), text).into()
}

/// The error of a build that can't finish.
fn refused(verdict: &Verdict, remedies: &[String]) -> pentago::Error {
    let remedies = remedies.join("; or ");
    let text = format!(
        "it {verdict}\n  it would fit with {remedies}\n  --anyway builds all the same, until something is full"
    );
    pentago::Error::new(pentago::ErrorKind::Environment, text)
}

/// The same resources with another number of threads.
pub fn cores_of(resources: &Resources, cores: usize) -> Resources {
    Resources { threads: NonZeroUsize::new(cores).unwrap_or(NonZeroUsize::MIN), ..resources.clone() }
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
    /// Slices that aren't there although others need nothing of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<u8>,
    seconds: f64,
}

/// Longer builds are announced with an estimate.
const ANNOUNCED_SECONDS: f64 = 5.0;

impl Build {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let (game, order) = self.work.order()?;
        let build = game.build(&order)?;
        let out = folder::to_write(self.out.as_deref())?;
        self.work.scratch.as_deref().map(check_folder).transpose()?;
        let machine = Machine { resources: self.work.resources(out.clone()), disk_speed: None };
        let resources = &machine.resources;
        let pool = engine::pool(resources.threads)?;
        let (control, quiet) = (interrupt::control(), self.work.solver.quiet);
        let began = Instant::now();
        let file = self.progress_file.as_deref().map(|path| ProgressFile::open(path, &out)).transpose()?;
        let built = Progress::with_file(control, resources.threads.get(), quiet, file.as_ref(), |progress| {
            let rates = rates::load(self.work.solver.quiet);
            if let Some(estimate) = build.estimate(Some(&out), &machine, &rates).map_err(explained)? {
                let room = Room::here(&out, resources);
                let verdict = Verdict::of(&estimate, &room);
                if !self.anyway && !verdict.fits() {
                    let again = |order: &Order, cores| {
                        let machine = Machine { resources: cores_of(resources, cores), disk_speed: None };
                        game.build(order).ok()?.estimate(Some(&out), &machine, &rates).ok()?
                    };
                    let cores = (resources.threads.get(), "--threads");
                    let trial = Trial { order: &order, estimate: &estimate, cores, room, again: &again };
                    return Err(refused(&verdict, &trial.remedies()).into());
                }
                if estimate.seconds >= ANNOUNCED_SECONDS {
                    progress.note(plan::text(&estimate));
                    progress.note(format_args!("verdict    {verdict}"));
                }
                progress.expect(&estimate.slices);
            }
            pool.install(|| build.run(&out, resources, control)).map_err(explained)
        });
        if let Some(file) = &file {
            let counts = control.marks().remove("counts");
            file.line(match &built {
                Ok(built) => serde_json::json!({ "ended": true, "bytes": built.bytes, "counts": counts }),
                Err(error) => {
                    serde_json::json!({ "ended": false, "error": format!("{error:#}"), "counts": counts })
                }
            });
        }
        let built = built.with_context(|| format!("building {}", build.target()))?;
        let report = Report {
            target: build.target(),
            tables: built.tables,
            bytes: built.bytes,
            scratch_bytes: built.scratch_bytes,
            already_there: built.already_there,
            blocks_decoded: built.blocks_decoded,
            missing: built.gaps,
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
                let count = counted(report.tables.len() as u64, "table");
                let (size, seconds) = (bytes(report.bytes), report.seconds);
                let scratch = match report.scratch_bytes {
                    0 => String::new(),
                    scratch => format!(", at most {} of temporary data", bytes(scratch)),
                };
                note(format_args!("{count}, {size}, {there}, {seconds:.1} s{scratch}"));
            }
            if !report.missing.is_empty() {
                note(self.advice(&game.rules(), &report.missing));
            }
        }
        Ok(stdout.flush()?)
    }

    /// That slices above those that are there are missing, and what builds them: of each run of slices,
    /// the one with the fewest marbles needs the others.
    fn advice(&self, rules: &str, missing: &[u8]) -> String {
        let (slices, are, them) = match missing.len() {
            1 => ("slice", "is", "it"),
            _ => ("slices", "are", "them"),
        };
        let out = self.out.as_ref().map(|out| format!(" --out {}", out.display())).unwrap_or_default();
        let rules = if rules == "pentago" { String::new() } else { format!(" --rules {rules}") };
        let runs = missing.chunk_by(|a, b| a + 1 == *b);
        let builds: Vec<String> =
            runs.map(|run| format!("`pentago build slice:{}{rules}{out}`", run[0])).collect();
        format!(
            "incomplete: {slices} {} {are} missing\n  to build {them}: {}",
            ranges(missing.to_vec()),
            builds.join(", then ")
        )
    }
}
