//! `pentago plan`: what building tables takes.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use pentago_games::{Estimate, Machine, Order};

use super::build_args::{BuildArgs, cores_of, explained};
use crate::options::number;
use crate::output::stdout;
use crate::verdict::{Room, Trial, Verdict};
use crate::{estimate, folder, rates};

/// Estimate what a build takes: boards, memory, disk space and time
///
/// Boards and memory are counted, as `build` does it with the same options. Sizes and CPU time are
/// those counts times the rates of a machine: those that `pentago bench --save` measured here, or
/// built-in ones. A game is listed slice by slice: how often each block of the next slice is decoded,
/// the CPU time and its shares, the disk space in use. --cores, --memory, --disk and --disk-speed
/// describe another machine made of the same cores. The last lines say whether the build can finish,
/// and if not, with which options it could.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    work: BuildArgs,

    /// Number of cores of the machine that is planned for [default: --threads]
    #[arg(long, value_name = "N", value_parser = cores)]
    cores: Option<NonZeroUsize>,

    /// Disk space of that machine, such as 20T [default: what is free where tables lie by default]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_disk)]
    disk: Option<u64>,

    /// Bytes per second that its disk reads or writes, such as 5G [default: as fast as needed]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_rate)]
    disk_speed: Option<u64>,

    /// Write the estimate as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago plan 'root:1OXX2/O3X1/2OX2/X2O1X/1XO1OX/OO1O1X x' --memory 4G
  pentago plan 'root:4X1/O1XOO1/3XOX/1X2O1/2X1O1/3O1X x' --cores 16 --memory 64G --disk 1T
  pentago plan game --cores 64 --memory 256G --disk 30T --disk-speed 5G --keep-slices 0..18";

/// Reads a number of cores, of a machine or of many.
fn cores(text: &str) -> Result<NonZeroUsize, String> {
    number(1..=10_000_000usize)(text).map(|cores| NonZeroUsize::new(cores).unwrap_or(NonZeroUsize::MIN))
}

impl Plan {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rates = rates::load(self.work.solver.quiet);
        let (game, order) = self.work.order()?;
        let mut resources = self.work.resources(PathBuf::new());
        resources.threads = self.cores.unwrap_or(resources.threads);
        let machine = |cores| Machine { resources: cores_of(&resources, cores), disk_speed: self.disk_speed };
        let cores = resources.threads.get();
        let build = game.build(&order)?;
        let estimate = build.estimate(None, &machine(cores), &rates).map_err(explained)?;
        // There is nothing to build beyond what --from has.
        let none = || Estimate { target: build.target(), unit: "supers", cores, ..Estimate::default() };
        let estimate = estimate.unwrap_or_else(none);
        let here = || Some(pentago_memory::disk(&folder::tables(None).ok()?)?.free);
        let room = Room::planned(&resources, self.disk.or_else(here));
        let room = if self.work.solver.memory.is_none() { room.of_this_machine() } else { room };
        let verdict = Verdict::of(&estimate, &room);
        let mut out = stdout();
        if self.json {
            let mut object = serde_json::to_value(&estimate)?;
            object["fits"] = verdict.fits().into();
            object["rates"] = rates.machine.into();
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{}", estimate::text(&estimate))?;
            writeln!(out, "verdict    {verdict}")?;
            if !verdict.fits() {
                let again = |order: &Order, cores| {
                    game.build(order).ok()?.estimate(None, &machine(cores), &rates).ok()?
                };
                let cores = (cores, "--cores");
                let trial = Trial { order: &order, estimate: &estimate, cores, room, again: &again };
                writeln!(out, "would fit  {}", trial.remedies().join("; or "))?;
            }
            writeln!(out, "rates      {}", rates.machine)?;
        }
        Ok(out.flush()?)
    }
}
