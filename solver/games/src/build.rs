//! Building tables: what is asked for, what it takes, and what came of it.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ::pentago::Codec;
use ::pentago::make::Resources;
use ::pentago::rates::{MACHINE, Rates as PentagoRates};
use ::pentago_core::kernel::Kernel;
use ::pentago_core::solve::SolveError;
use pentago_base::Control;
use pentago_store::{BuildError, TableEstimate};
use pentago_xl::tables::Rates as XlRates;
use serde::{Deserialize, Serialize};

use crate::{Position, Result, bad_input};

/// What is to be built, and how.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// What the tables hold.
    pub what: Wanted,
    /// Of a root, the slices with up to this number of marbles.
    pub keep: Option<u32>,
    /// The last slice's values are counted only.
    pub counts_only: bool,
    /// How tables are compressed.
    pub codec: Option<Codec>,
    /// Of a game, the slices that are kept.
    pub keep_slices: Option<RangeInclusive<u8>>,
    /// The folder with the slice to start from.
    pub from: Option<PathBuf>,
    /// Whether a folder or a limit for temporary data was named.
    pub scratch: bool,
}

/// What tables hold.
#[derive(Debug, Clone, Default)]
pub enum Wanted {
    /// The complete game.
    #[default]
    Game,
    /// The slice with this number of marbles, and all later ones.
    Slice(u8),
    /// A section, by its counts of marbles, and everything that it depends on.
    Section(String),
    /// Everything that can follow a position.
    Root(Position),
}

impl Order {
    /// The level of zstd, for a game whose tables know nothing else and that is built in one piece.
    pub(crate) fn level(&self, title: &str) -> Result<Option<u8>> {
        if self.counts_only || self.from.is_some() || self.keep_slices.is_some() || self.scratch {
            return Err(bad_input(format!(
                "--counts-only, --from, --keep-slices, --scratch and --scratch-limit don't apply to {title}"
            )));
        }
        match self.codec {
            None => Ok(None),
            Some(Codec::Zstd(level)) => Ok(Some(level.number())),
            Some(codec) => {
                let text = format!("tables of {title} are compressed with zstd:LEVEL, not {codec}");
                Err(bad_input(text))
            }
        }
    }
}

/// A build of tables that is ready to run.
pub trait Build: Send + Sync {
    /// What is built.
    fn target(&self) -> String;

    /// What building takes; with a folder, what is missing there: none if nothing is.
    ///
    /// # Errors
    /// If it can't be done with so little memory, or the folder can't be read.
    fn estimate(&self, out: Option<&Path>, machine: &Machine, rates: &Rates) -> Result<Option<Estimate>>;

    /// Builds what is missing in the folder `out`, in the threads of the current rayon pool. An
    /// interrupted build is resumed.
    ///
    /// # Errors
    /// If memory doesn't suffice, before anything is computed; if the disk is full, somebody else
    /// builds there, or it was stopped. All that was written is kept.
    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built>;
}

/// What a build is planned for.
#[derive(Debug)]
pub struct Machine {
    /// Cores, memory and temporary data.
    pub resources: Resources,
    /// Bytes per second that the disk reads or writes, if that matters.
    pub disk_speed: Option<u64>,
}

/// What building takes.
#[derive(Debug, Default, Serialize)]
pub struct Estimate {
    /// What is built.
    pub target: String,
    /// Of a game of Pentago, its slices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SlicePlan>,
    /// Sockets that the first pass of a root goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_sockets: Option<usize>,
    /// Boards, positions or supers.
    pub boards: u64,
    /// Which of these.
    #[serde(skip)]
    pub unit: &'static str,
    /// Those whose values are kept.
    pub kept_boards: u64,
    /// Bytes of memory, at least.
    pub memory_bytes: u64,
    /// Of a root of Pentago: bytes on a graphics processor that solves it, where tables aren't asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphics_bytes: Option<u64>,
    /// Bytes of temporary files, at most.
    pub scratch_bytes: u64,
    /// Bytes of the values before compression, if the tables hold all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_bytes: Option<u64>,
    /// Bytes of the tables.
    pub kept_bytes: u64,
    /// Bytes of the disk in use, at most.
    pub disk_bytes: u64,
    /// Those of them that an earlier run of the same build has written already.
    #[serde(skip)]
    pub there_bytes: u64,
    /// Time of one core.
    pub core_hours: f64,
    /// Cores that share the work.
    pub cores: usize,
    /// Time in seconds.
    pub seconds: f64,
}

impl Estimate {
    /// What tables of a target take, as `one` core on its own would build them; `unit` is what they are of.
    pub(crate) fn of_tables(
        target: String,
        unit: &'static str,
        one: TableEstimate,
        machine: &Machine,
    ) -> Estimate {
        let estimate = Estimate {
            target,
            boards: one.boards,
            unit,
            kept_boards: one.kept_boards,
            memory_bytes: one.memory,
            raw_bytes: Some(one.raw_bytes),
            kept_bytes: one.bytes,
            ..Estimate::default()
        };
        estimate.in_time(one.seconds, machine)
    }

    /// The time that `seconds` of one core take on a machine, whose disk has to write the tables.
    fn in_time(self, seconds: f64, machine: &Machine) -> Estimate {
        let cores = machine.resources.threads.get();
        let disk = machine.disk_speed.map_or(0.0, |speed| self.kept_bytes as f64 / speed.max(1) as f64);
        Estimate {
            disk_bytes: self.kept_bytes,
            core_hours: seconds / 3600.0,
            cores,
            seconds: disk.max(seconds / cores as f64),
            ..self
        }
    }
}

/// What a slice of a game takes.
#[derive(Debug, Serialize)]
pub struct SlicePlan {
    /// Marbles.
    pub marbles: u8,
    /// Sections.
    pub sections: u64,
    /// Supers.
    pub entries: u64,
    /// Bytes of the values before compression.
    pub raw_bytes: u64,
    /// How the table is compressed in the end; none if the slice is only counted.
    pub codec: Option<String>,
    /// Whether the slice is kept.
    pub kept: bool,
    /// Bytes of the table.
    pub table_bytes: u64,
    /// Bytes of the copy that the next slice is computed from.
    pub copy_bytes: u64,
    /// Bytes of the disk in use, at most.
    pub disk_bytes: u64,
    /// Bytes of memory, at least.
    pub memory_bytes: u64,
    /// How often each block of the next slice is decoded.
    pub decodes: f64,
    /// Bytes read and written.
    pub io_bytes: u64,
    /// Time of one core in the kernel.
    pub kernel_hours: f64,
    /// Time of one core to encode.
    pub encode_hours: f64,
    /// Time of one core to decode.
    pub decode_hours: f64,
    /// All of these.
    pub core_hours: f64,
    /// Time in seconds.
    pub seconds: f64,
}

/// What was built.
#[derive(Debug)]
pub struct Built {
    /// The tables, by slice.
    pub tables: Vec<PathBuf>,
    /// Their size in bytes.
    pub bytes: u64,
    /// Peak size of the temporary data in bytes.
    pub scratch_bytes: u64,
    /// Whether all of them existed before.
    pub already_there: bool,
    /// Of a game, how often blocks of the next slices were decoded, and how many such blocks there
    /// are.
    pub blocks_decoded: Option<[u64; 2]>,
    /// Slices of a game that were to stay, and aren't there; nothing else needs them.
    pub gaps: Vec<u8>,
}

impl From<pentago_store::Built> for Built {
    fn from(built: pentago_store::Built) -> Built {
        let pentago_store::Built { paths, bytes, already } = built;
        let (scratch_bytes, blocks_decoded, gaps) = (0, None, Vec::new());
        Built { tables: paths, bytes, scratch_bytes, already_there: already, blocks_decoded, gaps }
    }
}

/// That a root has a turn pending.
pub(crate) fn pending_root() -> ::pentago::Error {
    bad_input("a root is a position between two moves: its turn is still to be made")
}

/// The error of a build.
pub(crate) fn failed(error: BuildError) -> ::pentago::Error {
    match error {
        BuildError::Table(error) => error.into(),
        BuildError::Stopped(stopped) => stopped.into(),
        BuildError::TooLarge(error) => bad_input(error.to_string()),
        BuildError::Memory { needed, limit } => too_little_memory(needed, limit),
        BuildError::Solver(error) => ::pentago::Error::new(::pentago::ErrorKind::Environment, error),
    }
}

/// That the memory doesn't suffice for a build.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("at least {need} bytes of memory are needed, but the limit is {limit}")]
pub struct TooLittleMemory {
    /// Bytes that it takes at least.
    pub need: u64,
    /// Bytes that it may take.
    pub limit: u64,
}

/// The same as an error of the program.
pub(crate) fn too_little_memory(need: u64, limit: u64) -> ::pentago::Error {
    ::pentago::Error::new(::pentago::ErrorKind::Environment, TooLittleMemory { need, limit })
}

/// The rates of one machine, for each game: what exact counts are multiplied by in estimates.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Which machine, for people.
    pub machine: String,
    /// Those of Pentago.
    pub pentago: PentagoRates,
    /// Those of Pentago XL.
    pub xl: XlRates,
    /// Those of Pente.
    pub pente: pentago_pente::tables::Rates,
}

impl Rates {
    /// Those of a named machine.
    #[must_use]
    pub fn built_in() -> Rates {
        Rates {
            machine: MACHINE.to_owned(),
            pentago: PentagoRates::built_in().clone(),
            xl: XlRates::BUILT_IN,
            pente: pentago_pente::tables::Rates::BUILT_IN,
        }
    }

    /// Measures the rates of Pentago, of a core while all threads of the current pool are at work.
    ///
    /// # Errors
    /// If it was stopped, or takes more than `memory` bytes.
    pub fn measure_pentago(&mut self, kernel: Kernel, memory: u64, control: &Control) -> Result<()> {
        self.pentago = PentagoRates::measure(kernel, memory, control).map_err(|error| match error {
            SolveError::Memory { need, limit } => too_little_memory(need, limit),
            other => other.into(),
        })?;
        Ok(())
    }

    /// Measures the rates of Pentago XL and Pente. In a pool of one thread they are those of a core alone.
    ///
    /// # Errors
    /// If it was stopped, or memory doesn't suffice.
    pub fn measure_xl_and_pente(&mut self, control: &Control) -> Result<()> {
        self.xl = XlRates::measure(pentago_xl::Kernel::best(), control).map_err(failed)?;
        self.pente = pentago_pente::tables::Rates::measure(control).map_err(failed)?;
        Ok(())
    }
}
