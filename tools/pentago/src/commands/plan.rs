//! `pentago plan`: what building tables takes.

use std::fmt;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use pentago::estimate::{GameEstimate, RootEstimate};
use serde_json::json;

use super::build::{Job, Work};
use crate::games::tables::Machine;
use crate::output::{bytes, duration, stdout, thousands};
use crate::rates::MachineRates;

/// Estimate what a build takes: boards, memory, disk space and time
///
/// Boards and memory are counted, as `build` does it with the same options. Sizes and CPU time are
/// those counts times the rates of a machine: those that `pentago bench --save` measured here, or
/// built-in ones. A game is listed slice by slice: how often each block of the next slice is decoded,
/// the CPU time and its shares, the disk space in use. --cores, --memory, --disk and --disk-speed
/// describe another machine made of the same cores.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    work: Work,

    /// Number of cores of the machine that is planned for [default: --threads]
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,

    /// Disk space of that machine, such as 20T
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

/// The estimate of a build on some machine; its `Display` is a table for people.
#[derive(Debug)]
pub struct Estimate {
    /// What is built, and what it takes on any machine.
    pub what: Planned,
    /// Cores that share the work.
    pub cores: usize,
    /// Bytes per second of the disk.
    pub disk_speed: Option<u64>,
}

/// What is built.
#[derive(Debug)]
pub enum Planned {
    /// Everything downstream of a root.
    Root(RootEstimate),
    /// Slices of a game.
    Game(GameEstimate),
}

impl Estimate {
    /// The estimate as JSON.
    fn json(&self, target: &str) -> serde_json::Value {
        let Estimate { cores, disk_speed, .. } = self;
        match &self.what {
            Planned::Root(root) => json!({
                "target": target,
                "top_sockets": root.needs.top,
                "boards": root.needs.boards,
                "kept_boards": root.kept_boards,
                "memory_bytes": root.needs.memory,
                "scratch_bytes": root.scratch_bytes,
                "kept_bytes": root.kept_bytes,
                "core_hours": hours(root.cost.core_seconds()),
                "cores": cores,
                "seconds": self.seconds(),
            }),
            Planned::Game(estimate) => {
                let slices: Vec<serde_json::Value> = estimate
                    .slices
                    .iter()
                    .map(|slice| {
                        json!({
                            "marbles": slice.marbles,
                            "sections": slice.sections,
                            "entries": slice.entries,
                            "raw_bytes": slice.raw_bytes,
                            "codec": slice.codec.map(|codec| codec.to_string()),
                            "kept": slice.is_kept,
                            "table_bytes": slice.table_bytes,
                            "copy_bytes": slice.copy_bytes,
                            "disk_bytes": slice.disk_bytes,
                            "memory_bytes": slice.memory_bytes,
                            "decodes": slice.decodes,
                            "io_bytes": slice.cost.io_bytes,
                            "kernel_hours": hours(slice.cost.kernel_seconds),
                            "encode_hours": hours(slice.cost.encode_seconds),
                            "decode_hours": hours(slice.cost.decode_seconds),
                            "core_hours": hours(slice.cost.core_seconds()),
                            "seconds": slice.cost.seconds(*cores, *disk_speed),
                        })
                    })
                    .collect();
                json!({
                    "target": target,
                    "slices": slices,
                    "entries": entries(estimate),
                    "raw_bytes": raw_bytes(estimate),
                    "kept_bytes": estimate.kept_bytes(),
                    "disk_bytes": estimate.disk_bytes(),
                    "memory_bytes": estimate.memory_bytes(),
                    "core_hours": hours(estimate.core_seconds()),
                    "cores": cores,
                    "seconds": self.seconds(),
                })
            }
        }
    }

    /// Bytes of memory and of the disk that are needed at least.
    fn needs(&self) -> [u64; 2] {
        match &self.what {
            Planned::Root(root) => [root.needs.memory, root.scratch_bytes + root.kept_bytes],
            Planned::Game(game) => [game.memory_bytes(), game.disk_bytes()],
        }
    }

    /// Time in seconds.
    fn seconds(&self) -> f64 {
        match &self.what {
            Planned::Root(root) => root.cost.seconds(self.cores, self.disk_speed),
            Planned::Game(game) => game.seconds(self.cores, self.disk_speed),
        }
    }

    /// The last line: how long it takes.
    fn time(&self) -> String {
        let core_seconds = match &self.what {
            Planned::Root(root) => root.cost.core_seconds(),
            Planned::Game(game) => game.core_seconds(),
        };
        let (cores, s) = (self.cores, if self.cores == 1 { "" } else { "s" });
        let (time, hours) = (duration(self.seconds()), hours(core_seconds));
        format!("time       {time} on {cores} core{s}, {hours:.1} core-hours")
    }
}

fn hours(seconds: f64) -> f64 {
    seconds / 3600.0
}

fn entries(estimate: &GameEstimate) -> u64 {
    estimate.slices.iter().map(|slice| slice.entries).sum()
}

fn raw_bytes(estimate: &GameEstimate) -> u64 {
    estimate.slices.iter().map(|slice| slice.raw_bytes).sum()
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            Planned::Root(root) => write_root(f, root)?,
            Planned::Game(game) => write_game(f, game, self.cores, self.disk_speed)?,
        }
        f.write_str(&self.time())
    }
}

fn write_root(f: &mut fmt::Formatter<'_>, root: &RootEstimate) -> fmt::Result {
    let RootEstimate { needs, kept_boards, kept_bytes, scratch_bytes, .. } = root;
    writeln!(f, "boards     {}, of which {} are kept", thousands(needs.boards), thousands(*kept_boards))?;
    writeln!(f, "memory     {}", bytes(needs.memory))?;
    writeln!(f, "temporary  {}", bytes(*scratch_bytes))?;
    writeln!(f, "tables     {}", bytes(*kept_bytes))
}

fn write_game(
    f: &mut fmt::Formatter<'_>,
    estimate: &GameEstimate,
    cores: usize,
    disk_speed: Option<u64>,
) -> fmt::Result {
    writeln!(
        f,
        "{:>7} {:>8} {:>21} {:>8} {:>9} {:>9} {:>9} {:>7} {:>10} {:>6} {:>6} {:>6} {:>9}",
        "marbles",
        "sections",
        "supers",
        "codec",
        "table",
        "disk",
        "memory",
        "decodes",
        "core-hours",
        "kernel",
        "encode",
        "decode",
        "time"
    )?;
    for slice in &estimate.slices {
        let codec = slice.codec.map_or("-".to_owned(), |codec| codec.to_string());
        let all = slice.cost.core_seconds().max(f64::MIN_POSITIVE);
        let share = |part: f64| format!("{:.0}%", 100.0 * part / all);
        writeln!(
            f,
            "{:>7} {:>8} {:>21} {codec:>8} {:>9} {:>9} {:>9} {:>7.2} {:>10.3} {:>6} {:>6} {:>6} {:>9}",
            slice.marbles,
            thousands(slice.sections),
            thousands(slice.entries),
            bytes(slice.table_bytes),
            bytes(slice.disk_bytes),
            bytes(slice.memory_bytes),
            slice.decodes,
            hours(slice.cost.core_seconds()),
            share(slice.cost.kernel_seconds),
            share(slice.cost.encode_seconds),
            share(slice.cost.decode_seconds),
            duration(slice.cost.seconds(cores, disk_speed)),
        )?;
    }
    writeln!(f, "supers     {}, {} raw", thousands(entries(estimate)), bytes(raw_bytes(estimate)))?;
    writeln!(f, "memory     at least {}", bytes(estimate.memory_bytes()))?;
    writeln!(f, "tables     {}", bytes(estimate.kept_bytes()))?;
    writeln!(f, "disk       at most {} at a time", bytes(estimate.disk_bytes()))
}

/// Whether the needed bytes of memory and of the disk fit in those that there are.
pub fn fit([memory, disk]: [u64; 2], there: u64, disk_there: Option<u64>) -> String {
    let line = |what: &str, need: u64, have: u64| {
        let word = if need <= have { "fits" } else { "does NOT fit" };
        format!("{what:<10} {word} in {}", bytes(have))
    };
    let memory = line("memory", memory, there);
    disk_there.map_or(memory.clone(), |there| format!("{memory}\n{}", line("disk", disk, there)))
}

/// Says whose rates an estimate has.
pub fn of_rates(machine: &str) -> String {
    format!("rates      {machine}")
}

impl Plan {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rates = MachineRates::load()?;
        let cores = self.cores.unwrap_or(self.work.solver.threads());
        if let Some(task) = self.work.other()? {
            let machine = Machine {
                cores: cores.get(),
                memory: self.work.solver.memory(),
                disk: self.disk,
                disk_speed: self.disk_speed,
            };
            return task.plan(self.json, &machine, &rates);
        }
        let job = self.work.job()?;
        let mut resources = self.work.resources(PathBuf::new());
        resources.threads = cores;
        let slices = match &job {
            Job::Game(game) => game.slices(),
            Job::Root(_) => Vec::new(),
        };
        let estimate = job.estimate(&slices, &resources, self.disk_speed, &rates)?;
        let mut out = stdout();
        if self.json {
            let mut object = estimate.json(&job.target().to_string());
            object["rates"] = rates.machine.into();
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{estimate}")?;
            writeln!(out, "{}", fit(estimate.needs(), resources.memory, self.disk))?;
            writeln!(out, "{}", of_rates(&rates.machine))?;
        }
        Ok(out.flush()?)
    }
}
