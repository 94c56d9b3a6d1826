//! Parses the command line of `pentago-cluster`. The doc comments of the options are the help
//! texts.

use clap::{Args, Parser, Subcommand};
use pentago::rules::{Rules, Shape};
use pentago::shards::{GameBuild, NoSection};
use pentago::{Codec, Kernel, Section};
use pentago::{Error, ErrorKind};
use pentago_memory::{parse_disk, parse_memory, parse_rate};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

/// Builds tables of complete games of Pentago with many machines
///
/// `pentago build` does the same on one machine: start there. The tables are identical, byte for
/// byte. Here each MPI rank writes a part of every slice, which is called a shard. `pentago query`,
/// `info`, `counts` and `verify` read the shards in a folder as one table. `pentago merge` joins
/// the shards into one file.
#[derive(Debug, Parser)]
#[command(name = "pentago-cluster", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands of `pentago-cluster`.
#[derive(Debug, Subcommand)]
pub enum Command {
    Build(Build),
    Plan(Plan),
}

/// Build slices of a game, shared between MPI ranks
///
/// Run this command under mpirun or srun. Each rank computes a range of every slice, and stores
/// this range as a shard. The ranges take about the same time. After each slice, the counts of
/// wins, draws and losses are compared with the published counts.
///
/// After any interruption, the same command resumes the job. Any number of ranks can build on
/// finished slices. An unfinished slice is resumed by the same number of ranks, and restarted by
/// another number.
///
/// Rank 0 writes progress to standard error and the list of the shards to standard output. The exit
/// status is that of `pentago`: 1 if counts are wrong, 2 for bad arguments, 3 if tables are missing
/// or damaged, 4 if disk, memory or network fail.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mpirun -n 8 --bind-to none pentago-cluster build slice:33 --out /shared/tables --threads 16
  mpirun -n 8 --bind-to none pentago-cluster build slice:33 --out /nvme/tables --local --threads 16")]
pub struct Build {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Folder for the tables, shared by all ranks
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Use a folder on the local disk of each machine
    ///
    /// Ranks read each other's shards over the network. A %r in the name of the folder is replaced
    /// by the number of the rank, from 0.
    #[arg(long)]
    pub local: bool,

    /// Count the values of the last slice without storing them
    ///
    /// Rank 0 writes the counts. If a job is interrupted in the last slice, the next job counts
    /// this slice again. If the table of the last slice exists, nothing is counted.
    #[arg(long)]
    pub counts_only: bool,

    /// Start from the slice with the fewest marbles in this folder
    ///
    /// With --local, a %r in the name of the folder is replaced by the number of the rank, from 0.
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,

    /// Published counts of each section: tab-separated text, or counts-N.npy of the published
    /// solution
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub against: Vec<PathBuf>,

    /// SIMD kernel: avx512, avx2 or portable [default: the fastest that the CPU supports]
    #[arg(long, value_name = "NAME", env = "PENTAGO_KERNEL", hide_env_values = true, value_parser = Kernel::everywhere)]
    pub kernel: Option<Kernel>,

    /// Number of threads of each rank [default: the CPUs of the machine, divided by its ranks]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Memory limit of each rank, such as 64G [default: the memory that is free on the machine and
    /// allowed for the job, divided by the ranks of the machine]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub memory: Option<u64>,

    /// Write events as JSON, one per line, instead of progress and the list of the shards
    #[arg(long)]
    pub json: bool,
}

/// Estimate the time, memory, disk space and traffic of a build on many machines
///
/// Partitions each slice exactly as a build does. For each rank, adds up the entries to compute,
/// and the bytes to send, receive, read and write. Uses the built-in rates of the kernel and the
/// codecs. Needs no MPI.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago-cluster plan game --nodes 16 --cores 64 --memory 256G --net 25G --disk-speed 5G")]
pub struct Plan {
    #[command(flatten)]
    pub target: TargetArgs,

    /// Number of machines, with one rank each
    #[arg(long, value_name = "N", default_value = "16")]
    pub nodes: std::num::NonZeroU32,

    /// Number of cores of each machine
    #[arg(long, value_name = "N", default_value = "64")]
    pub cores: NonZeroUsize,

    /// Memory of each machine, such as 256G
    #[arg(long, value_name = "SIZE", default_value = "256G", value_parser = parse_memory)]
    pub memory: u64,

    /// Disk space of each machine, such as 8T
    #[arg(long, value_name = "SIZE", value_parser = parse_disk)]
    pub disk: Option<u64>,

    /// Network speed of each machine in bits per second, such as 25G [default: unlimited]
    #[arg(long, value_name = "SIZE", value_parser = parse_rate)]
    pub net: Option<u64>,

    /// Disk speed of each machine in bytes per second, such as 5G [default: unlimited]
    #[arg(long, value_name = "SIZE", value_parser = parse_rate)]
    pub disk_speed: Option<u64>,

    /// Write the estimate as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The arguments that select the slices to build and the format of their tables.
#[derive(Debug, Args)]
pub struct TargetArgs {
    /// The part of the game to build
    ///
    /// game            the complete game
    /// slice:MARBLES   all positions with MARBLES or more marbles
    /// section:COUNTS  one section and all sections that it depends on, such as section:54,45,44,33
    /// mini            the complete Mini-Pentago, optionally with options, such as mini:dir=cw
    #[arg(value_name = "TARGET", verbatim_doc_comment)]
    target: Target,

    /// Rules: a preset, optionally with options, such as pentago:dir=cw,last=stop
    #[arg(long, value_name = "RULES", default_value = "pentago")]
    rules: Rules,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three
    /// quarters of the size, 30 times slower to write), or zstd:LEVEL with a level from 1 to 19
    /// [default: quick]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Keep only the slices with FROM to TO marbles, such as 0..18. Other slices are compressed
    /// with quick, and deleted once the next slice is finished [default: all slices are kept]
    #[arg(long, value_name = "FROM..TO", value_parser = slices)]
    keep_slices: Option<RangeInclusive<u8>>,
}

/// The parsed argument TARGET.
#[derive(Debug, Clone)]
enum Target {
    Slice(u8),
    Section(Section),
    Mini(Rules),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text.split_once(':') {
            None if text == "game" => Ok(Target::Slice(0)),
            Some(("slice", marbles)) => {
                let marbles = marbles.parse().map(Target::Slice);
                marbles.map_err(|_| "expected a number of marbles, as in slice:34".to_owned())
            }
            Some(("section", counts)) => {
                counts.parse().map(Target::Section).map_err(|e: NoSection| e.to_string())
            }
            _ => match text.parse::<Rules>() {
                Ok(rules) if matches!(rules.shape, Shape::Mini3 | Shape::Mini4) => Ok(Target::Mini(rules)),
                _ => Err("expected game, slice:MARBLES, section:COUNTS or mini".to_owned()),
            },
        }
    }
}

impl TargetArgs {
    /// Creates the build that these arguments describe.
    ///
    /// # Errors
    /// If the game has no such slice or section.
    pub fn build(&self) -> anyhow::Result<GameBuild> {
        let build = match &self.target {
            Target::Mini(rules) => GameBuild::new(*rules, 0),
            &Target::Section(section) => GameBuild::of_section(self.rules, section)?,
            &Target::Slice(marbles) => {
                let most = self.rules.shape.sockets();
                if usize::from(marbles) > most {
                    let text = format!("this game has slices of 0 to {most} marbles");
                    return Err(Error::new(ErrorKind::Input, text).into());
                }
                GameBuild::new(self.rules, marbles)
            }
        };
        let build = self.codec.map_or(build.clone(), |codec| build.codec(codec));
        Ok(self.keep_slices.clone().map_or(build.clone(), |kept| build.keep_slices(kept)))
    }
}

/// Parses a range of slices, such as `0..18`. The range includes both of its ends.
fn slices(text: &str) -> Result<RangeInclusive<u8>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?));
    range
        .filter(|range: &RangeInclusive<u8>| !range.is_empty())
        .ok_or_else(|| "expected two numbers of marbles, as in 0..18".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn targets() {
        for good in ["game", "slice:34", "section:54,45,44,33", "mini", "mini:dir=cw"] {
            assert!(good.parse::<Target>().is_ok(), "{good}");
        }
        for bad in ["", "slice", "slice:x", "section:1", "pentago", "root:6/6"] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
