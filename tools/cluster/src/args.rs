//! The command line.

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
/// `pentago build` does the same with one machine: begin there. The tables are identical, byte for
/// byte; here each rank of MPI writes a part of every slice, a shard. `pentago query`, `info`,
/// `counts` and `verify` read the shards in a folder as one table, and `pentago merge` makes one
/// file of them.
#[derive(Debug, Parser)]
#[command(name = "pentago-cluster", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Build(Build),
    Plan(Plan),
}

/// Build slices of a game, each rank its share
///
/// Run it under mpirun or srun. Each rank computes a range of every slice, chosen so that all take
/// about as long, and stores it as a shard. When all have done so, the counts of wins, draws and
/// losses are compared with the published ones, and the next slice begins.
///
/// A job that ended, for whatever reason, is continued by the same command. Slices that were
/// finished can be continued by any number of ranks. A slice that wasn't is continued by the same
/// number, and begun again by another.
///
/// Progress is written to standard error by rank 0, the list of the shards to standard output. The
/// exit status is that of `pentago`: 1 if counts are wrong, 2 for bad arguments, 3 if tables are
/// missing or damaged, 4 for the disk, the memory or the network.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mpirun -n 8 --bind-to none pentago-cluster build slice:33 --out /shared/tables --threads 16
  mpirun -n 8 --bind-to none pentago-cluster build slice:33 --out /nvme/tables --local --threads 16")]
pub struct Build {
    #[command(flatten)]
    pub work: Work,

    /// Folder for the tables, which all ranks see
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// The folder is on a disk of each machine's own
    ///
    /// What a rank needs of another's shards is sent over the network. A %r in the name of the
    /// folder stands for the number of the rank.
    #[arg(long)]
    pub local: bool,

    /// Count the values of the last slice without storing them
    ///
    /// The counts are written by rank 0. A job that ended within that slice counts it again. Where its
    /// table is there already, nothing is done.
    #[arg(long)]
    pub counts_only: bool,

    /// Start from the lowest slice in this folder
    ///
    /// With --local, a %r in its name stands for the number of the rank.
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,

    /// Published counts by section: tab-separated text, or counts-N.npy of the published solution
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub against: Vec<PathBuf>,

    /// SIMD kernel: avx512, avx2 or portable [default: the fastest that the CPU supports]
    #[arg(long, value_name = "NAME", env = "PENTAGO_KERNEL", hide_env_values = true, value_parser = Kernel::everywhere)]
    pub kernel: Option<Kernel>,

    /// Threads of each rank [default: the CPUs of the machine, shared by its ranks]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    /// Memory of each rank, such as 64G [default: what is free on the machine, also within the limits
    /// of the job, shared by its ranks]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub memory: Option<u64>,

    /// Write events as JSON, one a line, instead of progress and the list of the shards
    #[arg(long)]
    pub json: bool,
}

/// Estimate what a build with many machines takes
///
/// Shares each slice between the ranks exactly as a build does, and adds up what each computes,
/// sends, receives, reads and writes, with the built-in rates of the kernel and the codecs. No MPI is
/// needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago-cluster plan game --nodes 16 --cores 64 --memory 256G --net 25G --disk-speed 5G")]
pub struct Plan {
    #[command(flatten)]
    pub work: Work,

    /// Machines, with a rank on each
    #[arg(long, value_name = "N", default_value = "16")]
    pub nodes: std::num::NonZeroU32,

    /// Cores of a machine
    #[arg(long, value_name = "N", default_value = "64")]
    pub cores: NonZeroUsize,

    /// Memory of a machine
    #[arg(long, value_name = "SIZE", default_value = "256G", value_parser = parse_memory)]
    pub memory: u64,

    /// Disk space of a machine, such as 8T
    #[arg(long, value_name = "SIZE", value_parser = parse_disk)]
    pub disk: Option<u64>,

    /// Bits per second that a machine sends and receives, such as 25G [default: as many as needed]
    #[arg(long, value_name = "SIZE", value_parser = parse_rate)]
    pub net: Option<u64>,

    /// Bytes per second that its disk reads or writes, such as 5G [default: as many as needed]
    #[arg(long, value_name = "SIZE", value_parser = parse_rate)]
    pub disk_speed: Option<u64>,

    /// Write the estimate as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What is built.
#[derive(Debug, Args)]
pub struct Work {
    /// What to build
    ///
    /// game            the complete game
    /// slice:MARBLES   all positions with MARBLES or more marbles
    /// section:COUNTS  one section and everything that it depends on, such as section:54,45,44,33
    /// mini            the complete Mini-Pentago, also with options, such as mini:dir=cw
    #[arg(value_name = "TARGET", verbatim_doc_comment)]
    target: Target,

    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop
    #[arg(long, value_name = "RULES", default_value = "pentago")]
    rules: Rules,

    /// Compression of the tables: quick (fastest to write and read), compact (half to three quarters
    /// of the size; 30 times as slow to write), or zstd:LEVEL with a level from 1 to 19 [default:
    /// quick]
    #[arg(long, value_name = "CODEC")]
    codec: Option<Codec>,

    /// Keep the slices with FROM to TO marbles only, such as 0..18. Each other slice is compressed
    /// with quick, and deleted when the next one is finished [default: all slices are kept]
    #[arg(long, value_name = "FROM..TO", value_parser = slices)]
    keep_slices: Option<RangeInclusive<u8>>,
}

/// What is built, as the user names it.
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
                Ok(rules) if matches!(rules.shape, Shape::Mini { .. }) => Ok(Target::Mini(rules)),
                _ => Err("expected game, slice:MARBLES, section:COUNTS or mini".to_owned()),
            },
        }
    }
}

impl Work {
    /// The build that is asked for.
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

/// Slices by their numbers of marbles, both included.
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
