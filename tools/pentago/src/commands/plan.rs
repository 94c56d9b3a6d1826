//! `pentago plan`: what building tables takes.

use std::fmt;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use pentago::estimate::{GameEstimate, RootEstimate};
use serde_json::json;

use super::build::{Job, Work};
use crate::exit::bad_input;
use crate::output::{bytes, duration, stdout, thousands};
use crate::{engine, interrupt};

/// Estimate what a build takes: boards, memory, disk space and time
///
/// Runs benchmarks for a few seconds on parts of the problem itself, then estimates what `build`
/// takes with the same options. CPU time is measured, so that other programs don't matter much. A
/// game is listed slice by slice: how often each block of the next slice is decoded, the CPU time
/// and its shares, the disk space in use. --cores, --memory, --disk and --disk-speed describe a
/// larger machine made of the same cores.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    work: Work,

    /// Number of cores of the machine that the game is planned for [default: --threads]
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
  pentago plan game --cores 64 --memory 256G --disk 30T --disk-speed 5G --keep-slices 0..18";

/// The estimate of a build; its `Display` is a table for people.
#[derive(Debug)]
pub enum Estimate {
    /// Everything downstream of a root.
    Root(RootEstimate),
    /// Slices of a game.
    Game {
        /// By slice.
        estimate: GameEstimate,
        /// Cores that share the work.
        cores: usize,
        /// Bytes per second of the disk.
        disk_speed: Option<u64>,
    },
}

impl Estimate {
    /// The estimate as JSON.
    fn json(&self, target: &str) -> serde_json::Value {
        match self {
            Estimate::Root(root) => json!({
                "target": target,
                "top_sockets": root.needs.top,
                "boards": root.needs.boards,
                "kept_boards": root.kept_boards,
                "memory_bytes": root.needs.memory,
                "scratch_bytes": root.scratch_bytes,
                "kept_bytes": root.kept_bytes,
                "seconds": root.seconds,
            }),
            Estimate::Game { estimate, cores, disk_speed } => {
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
                            "io_bytes": slice.io_bytes,
                            "kernel_hours": hours(slice.kernel_seconds),
                            "encode_hours": hours(slice.encode_seconds),
                            "decode_hours": hours(slice.decode_seconds),
                            "core_hours": hours(slice.core_seconds()),
                            "seconds": slice.seconds(*cores, *disk_speed),
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
                    "seconds": estimate.seconds(*cores, *disk_speed),
                })
            }
        }
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
        match self {
            Estimate::Root(root) => write_root(f, root),
            Estimate::Game { estimate, cores, disk_speed } => write_game(f, estimate, *cores, *disk_speed),
        }
    }
}

fn write_root(f: &mut fmt::Formatter<'_>, root: &RootEstimate) -> fmt::Result {
    let RootEstimate { needs, kept_boards, kept_bytes, scratch_bytes, seconds } = root;
    writeln!(f, "boards     {}, of which {} are kept", thousands(needs.boards), thousands(*kept_boards))?;
    writeln!(f, "memory     {}", bytes(needs.memory))?;
    writeln!(f, "temporary  {}", bytes(*scratch_bytes))?;
    writeln!(f, "tables     {}", bytes(*kept_bytes))?;
    write!(f, "time       {}", duration(*seconds))
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
        let all = slice.core_seconds().max(f64::MIN_POSITIVE);
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
            hours(slice.core_seconds()),
            share(slice.kernel_seconds),
            share(slice.encode_seconds),
            share(slice.decode_seconds),
            duration(slice.seconds(cores, disk_speed)),
        )?;
    }
    writeln!(f, "supers     {}, {} raw", thousands(entries(estimate)), bytes(raw_bytes(estimate)))?;
    writeln!(f, "memory     at least {}", bytes(estimate.memory_bytes()))?;
    writeln!(f, "tables     {}", bytes(estimate.kept_bytes()))?;
    writeln!(f, "disk       at most {} at a time", bytes(estimate.disk_bytes()))?;
    let (time, s) = (duration(estimate.seconds(cores, disk_speed)), if cores == 1 { "" } else { "s" });
    write!(f, "time       {time} on {cores} core{s}, {:.1} core-hours", hours(estimate.core_seconds()))
}

/// Whether a game fits in the given memory and on the given disk.
fn fit(estimate: &GameEstimate, memory: u64, disk: Option<u64>) -> String {
    let word = |need: u64, have: u64| if need <= have { "fits" } else { "does NOT fit" };
    let memory = format!("memory     {} in {}", word(estimate.memory_bytes(), memory), bytes(memory));
    match disk {
        None => memory,
        Some(disk) => {
            format!("{memory}\ndisk       {} in {}", word(estimate.disk_bytes(), disk), bytes(disk))
        }
    }
}

impl Plan {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(task) = self.work.other()? {
            if self.cores.is_some() || self.disk.is_some() {
                let text = "--cores and --disk apply to games of Pentago and their slices";
                return Err(bad_input(text.to_owned()).into());
            }
            return task.plan(self.json, &self.work.solver);
        }
        let job = self.work.job()?;
        let mut resources = self.work.resources(PathBuf::new());
        let pool = engine::pool(resources.threads)?;
        let slices = match &job {
            Job::Game(game) => game.slices(),
            Job::Root(_) if self.cores.is_some() || self.disk.is_some() || self.disk_speed.is_some() => {
                return Err(bad_input(
                    "--cores, --disk and --disk-speed apply to games and their slices, not to a root"
                        .to_owned(),
                )
                .into());
            }
            Job::Root(_) => Vec::new(),
        };
        resources.threads = self.cores.unwrap_or(resources.threads);
        let estimate =
            pool.install(|| job.estimate(&slices, &resources, self.disk_speed, interrupt::control()))?;
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", estimate.json(&job.target().to_string()))?;
        } else {
            writeln!(out, "{estimate}")?;
            if let Estimate::Game { estimate, .. } = &estimate {
                writeln!(out, "{}", fit(estimate, resources.memory, self.disk))?;
            }
        }
        Ok(out.flush()?)
    }
}
