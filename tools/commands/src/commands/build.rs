//! `pentago build`: tables of a game, of some of its slices, or of everything below a position.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use pentago_base::counted;
use pentago_games::{Machine, Order};
use serde::Serialize;

use super::build_args::{BuildArgs, cores_of, explained};
use crate::output::{bytes, check_folder, note, ranges};
use crate::progress::{Progress, ProgressFile};
use crate::verdict::{Room, Trial, Verdict};
use crate::{engine, estimate, folder, interrupt, output, rates};

/// Build tables of exact values
///
/// There is one table (a file) per number of marbles. It holds the values of all its positions,
/// whichever way their quadrants are turned. An interrupted or killed build is resumed by running
/// the same command again. Existing tables are never changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    #[command(flatten)]
    work: BuildArgs,

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

/// The error of a build that can't finish.
fn refused(verdict: &Verdict, remedies: &[String]) -> pentago::Error {
    let remedies = remedies.join("; or ");
    let text = format!(
        "it {verdict}\n  it would fit with {remedies}\n  --anyway builds all the same, until something is full"
    );
    pentago::Error::new(pentago::ErrorKind::Environment, text)
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
                    progress.note(estimate::text(&estimate));
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
