//! `pentago build`: builds tables of a game, of some of its slices, or of everything below a
//! position.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use pentago::Built;
use pentago_base::counted;
use pentago_games::{Game, Order, Resources, Scope};
use serde_json::json;

use super::build_args::{BuildArgs, explained};
use crate::options::rules_option;
use crate::output::{bytes, check_folder, note, quoted_path, ranges, shown_path};
use crate::progress::{Progress, ProgressFile};
use crate::verdict::{Alternatives, Capacity, Verdict};
use crate::{engine, estimate, folder, interrupt, output, rates};

/// Build tables of exact values
///
/// There is one table (a file) per number of marbles. A table holds the values of all its positions
/// for every rotation of their quadrants. To resume an interrupted or killed build, run the same
/// command again. Existing tables are never changed.
/// The program itself takes up to 16 MiB of memory in addition to --memory; pages of mapped tables
/// don't count, because the system drops them if memory is scarce.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago build 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --keep 28 --out tables
  pentago build section:54,45,44,33 --out tables
  pentago build slice:34 --counts-only --out tables
  pentago build pente:n=4,k=4,opening=free --out tables")]
pub struct Build {
    #[command(flatten)]
    args: BuildArgs,

    /// Folder for the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// File for progress reports: one JSON object every ten seconds, and one for each slice that is
    /// started or compared
    #[arg(long, value_name = "FILE")]
    progress_file: Option<PathBuf>,

    /// Build even if the estimate exceeds the memory or the disk
    #[arg(long)]
    anyway: bool,

    /// Write a report as one JSON object
    #[arg(long)]
    json: bool,
}

/// A build whose estimated time in seconds reaches this limit is announced with its estimate.
const ANNOUNCED_SECONDS: f64 = 5.0;

impl Build {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        pentago_memory::return_freed_memory();
        let (game, order) = self.args.order()?;
        let build = game.build(&order)?;
        let out = folder::to_write(self.out.as_deref())?;
        self.args.scratch.as_deref().map(check_folder).transpose()?;
        let resources = &self.args.resources(out.clone());
        let pool = engine::pool(resources.threads)?;
        let control = interrupt::control();
        let began = Instant::now();
        let file = self.progress_file.as_deref().map(|path| ProgressFile::open(path, &out)).transpose()?;
        let built = Progress::with(control, resources.threads.get(), None, file.as_ref(), |progress| {
            pool.install(|| {
                self.check(game, &order, &out, resources, progress)?;
                build.run(&out, resources, control).map_err(explained)
            })
        });
        if let Some(file) = &file {
            let counts = control.marks().remove("counts");
            file.line(match &built {
                Ok(built) => json!({ "ended": true, "bytes": built.bytes, "counts": counts }),
                Err(error) => json!({ "ended": false, "error": format!("{error:#}"), "counts": counts }),
            });
        }
        let target = build.target();
        let named = match &order.scope {
            Scope::Root(root) => format!("root:{}", root.text),
            _ => target.clone(),
        };
        let built = built.with_context(|| format!("building {named}"))?;
        folder::add_to_plan(&built.paths)?;
        if !target.ends_with(&named) {
            note(format_args!("`pentago info` lists {named} in its canonical form: {target}"));
        }
        self.report(game, &target, &built, began.elapsed())
    }

    /// Checks that the build fits in memory and on disk. If the build is long, announces its
    /// estimate.
    fn check(
        &self,
        game: &dyn Game,
        order: &Order,
        out: &Path,
        resources: &Resources,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let rates = rates::load();
        let estimate = game.build(order)?.estimate(Some(out), resources, &rates).map_err(explained)?;
        // If there is no estimate, the tables exist already, and no check is necessary.
        let Some(estimate) = estimate else { return Ok(()) };
        let capacity = Capacity::here(out, resources);
        let verdict = Verdict::of(&estimate, &capacity);
        if !self.anyway && !verdict.fits() {
            let again = |order: &Order, resources: &Resources| {
                game.build(order).ok()?.estimate(Some(out), resources, &rates).ok()?
            };
            let (estimate, cores_option) = (&estimate, "--threads");
            let alternatives =
                Alternatives { order, estimate, resources, cores_option, capacity, again: &again };
            let remedies = alternatives.remedies();
            // Without enough memory, no build starts.
            let anyway = match verdict.lacks("memory") {
                true => "",
                false => "\n  --anyway builds until the disk or --scratch-limit is exhausted",
            };
            let text = format!("the build {verdict}\n  it would fit with {remedies}{anyway}");
            return Err(pentago::Error::new(pentago::ErrorKind::Environment, text).into());
        }
        if estimate.seconds >= ANNOUNCED_SECONDS {
            progress.note(estimate::text(&estimate));
            progress.note(format_args!("verdict    {verdict}"));
        }
        progress.expect(&estimate.slices);
        Ok(())
    }

    /// Writes the paths of the tables, or with `--json` a report.
    fn report(&self, game: &dyn Game, target: &str, built: &Built, time: Duration) -> anyhow::Result<()> {
        let mut stdout = output::stdout();
        if self.json {
            let mut report = json!({
                "target": target, "tables": output::json_paths(&built.paths)?, "bytes": built.bytes,
                "scratch_bytes": built.scratch_bytes, "already_there": built.already,
            });
            if built.decoded.once > 0 {
                report["blocks_decoded"] = json!([built.decoded.all, built.decoded.once]);
            }
            if !built.gaps.is_empty() {
                report["missing"] = built.gaps.as_slice().into();
            }
            report["seconds"] = time.as_secs_f64().into();
            writeln!(stdout, "{report}")?;
            return Ok(stdout.flush()?);
        }
        for path in &built.paths {
            writeln!(stdout, "{}", shown_path(path))?;
        }
        let there = if built.already { "existed already" } else { "built" };
        let count = counted(built.paths.len() as u64, "table");
        let (size, seconds) = (bytes(built.bytes), time.as_secs_f64());
        let scratch = match built.scratch_bytes {
            0 => String::new(),
            scratch => format!(", at most {} of temporary data", bytes(scratch)),
        };
        note(format_args!("{count}, {size}, {there}, {seconds:.1} s{scratch}"));
        if !built.gaps.is_empty() {
            output::warn(self.advice(&game.rules(), &built.gaps));
        }
        Ok(stdout.flush()?)
    }

    /// Returns a note about missing slices and the commands that build them. Consecutive slices
    /// form a run. Each command names the first slice of a run, because building that slice also
    /// builds the rest of the run.
    fn advice(&self, rules: &str, missing: &[u8]) -> String {
        let (slices, are, them) = match missing.len() {
            1 => ("slice", "is", "it"),
            _ => ("slices", "are", "them"),
        };
        let out = self.out.as_ref().map(|out| format!(" --out {}", quoted_path(out))).unwrap_or_default();
        let rules = rules_option(rules);
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
