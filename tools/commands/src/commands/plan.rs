//! `pentago plan`: estimates the cost of building tables.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use pentago::{BuildEstimate, Control, Stage};
use pentago_games::{Order, Resources};
use rayon::ThreadPool;

use super::build_args::{BuildArgs, explained};
use crate::options::number;
use crate::output::{folded_stdout, plain_stdout};
use crate::progress::Progress;
use crate::verdict::{self, Alternatives, Capacity, Verdict};
use crate::{engine, estimate, folder, rates};

/// Estimate the boards, memory, disk space and time of a build
///
/// Boards and memory are counted exactly as `build` counts them with the same options. The memory
/// is the least that suffices, without the program itself, which takes up to 16 MiB; a build with
/// more memory decodes fewer blocks again. Sizes on disk are upper bounds from a sample of the
/// values; for the slices of Pentago, they are estimates from whole slices. CPU time is a count
/// times the rates of a machine: the rates that `pentago bench --save` measured on this machine, or
/// built-in ones. For a game, `plan` lists each slice with the disk space in use; --json adds the
/// CPU time of each part. --cores, --memory, --disk and --disk-speed describe another machine with
/// the same kind of cores. The last lines state whether the build can finish, or which options
/// would make it fit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago plan 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --memory 4G
  pentago plan 'root:4X1/O1XOO1/3XOX/1X2O1/2X1O1/3O1X x' --cores 16 --memory 64G --disk 1T
  pentago plan game --cores 64 --memory 256G --disk 30T --disk-speed 5G --keep-slices 0..18")]
pub struct Plan {
    #[command(flatten)]
    args: BuildArgs,

    /// Number of cores of the machine [default: --threads]
    #[arg(long, value_name = "N", value_parser = number(1..=10_000_000usize))]
    cores: Option<usize>,

    /// Disk space of the machine, such as 20T [default: the free space on the disk of the default
    /// folder]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_disk)]
    disk: Option<u64>,

    /// Bytes per second that the disk reads or writes, such as 5G [default: as fast as needed]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_rate)]
    disk_speed: Option<u64>,

    /// Write the estimate as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `work`, an estimate of one or more builds, in a pool. Shows the elapsed time on standard
/// error.
fn shown<T: Send>(pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let (control, mut stage) = (Control::new(), Stage::new("estimating", u64::MAX, 1));
    stage.unit = "";
    Progress::during(&control, 1, |_| {
        control.begin(stage);
        pool.install(work)
    })
}

impl Plan {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rates = rates::load();
        let (game, order) = self.args.order()?;
        let mut resources = self.args.resources(PathBuf::new());
        let pool = engine::pool(resources.threads)?;
        resources.threads = self.cores.and_then(NonZeroUsize::new).unwrap_or(resources.threads);
        let cores = resources.threads.get();
        let build = game.build(&order)?;
        let on_disk = |estimate: BuildEstimate| match self.disk_speed {
            Some(speed) => estimate.on_disk(speed),
            None => estimate,
        };
        let estimate =
            shown(&pool, || build.estimate(None, &resources, &rates)).map_err(explained)?.map(on_disk);
        // If there is no estimate, the slice of `--from` is already the slice to build, so the
        // build costs nothing.
        let none =
            || BuildEstimate { target: build.target(), unit: "supers", cores, ..BuildEstimate::default() };
        let estimate = estimate.unwrap_or_else(none);
        let here = || pentago_memory::disk(&folder::tables(None).ok()?).map(verdict::usable);
        let capacity = Capacity::planned(&resources, self.disk.or_else(here));
        let capacity = if self.args.solver.memory.is_none() { capacity.of_this_machine() } else { capacity };
        let verdict = Verdict::of(&estimate, &capacity);
        if self.json {
            let mut object = serde_json::to_value(&estimate)?;
            object["fits"] = verdict.fits().into();
            object["rates"] = rates.machine.into();
            let mut out = plain_stdout();
            writeln!(out, "{object}")?;
            Ok(out.flush()?)
        } else {
            let mut out = folded_stdout();
            writeln!(out, "{}", estimate::text(&estimate))?;
            writeln!(out, "verdict    {verdict}")?;
            if !verdict.fits() {
                let again = |order: &Order, resources: &Resources| {
                    game.build(order).ok()?.estimate(None, resources, &rates).ok()?.map(on_disk)
                };
                let (order, estimate, resources, cores_option) = (&order, &estimate, &resources, "--cores");
                let alternatives =
                    Alternatives { order, estimate, resources, cores_option, capacity, again: &again };
                writeln!(out, "would fit  {}", shown(&pool, || alternatives.remedies()))?;
            }
            writeln!(out, "rates      {}", rates.machine)?;
            Ok(out.flush()?)
        }
    }
}
