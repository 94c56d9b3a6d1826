//! Builds of tables for all games: their specifications, estimates and results.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ::pentago::make::Resources;
use ::pentago::rates::{MACHINE, Rates as PentagoRates};
use ::pentago::{BuildEstimate, Built, Codec, Error, ErrorKind};
use ::pentago_core::kernel::Kernel;
use ::pentago_core::solve::SolveError;
use pentago_base::Control;
use pentago_store::{BuildError, LOCK_BYTES, TableEstimate};
use pentago_xl::tables::Rates as XlRates;
use serde::{Deserialize, Serialize};

use crate::Position;
use crate::error::{Result, bad_input};

/// The specification of a build: which positions to store, and how to store their tables.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The positions that the tables hold.
    pub scope: Scope,
    /// For a root: the number of marbles of the last kept slice, or `None` for the default.
    pub keep: Option<u32>,
    /// `true` if the values of the slice with the fewest marbles are counted and not stored.
    pub counts_only: bool,
    /// The codec of the tables, or `None` for the default of the game.
    pub codec: Option<Codec>,
    /// For a game: the range of marble counts of the kept slices, or `None` for all slices.
    pub keep_slices: Option<RangeInclusive<u8>>,
    /// A folder with the table of the slice from which the build starts, or `None` if the user
    /// named no such folder.
    pub from: Option<PathBuf>,
    /// `true` if the user chose a folder or a limit for temporary data.
    pub scratch: bool,
}

/// The positions that tables hold.
#[derive(Debug, Clone, Default)]
pub enum Scope {
    /// The complete game.
    #[default]
    Game,
    /// The slice with this number of marbles, and all slices with more marbles.
    Slice(u8),
    /// A section, named by its marble counts, and everything that the section depends on.
    Section(String),
    /// All positions that can follow this position.
    Root(Position),
}

impl Order {
    /// Returns the zstd level of the order, or `None` for the default level. This method is for
    /// games whose tables have no other codec and are built in one piece.
    ///
    /// # Errors
    /// If the order has another codec, or an option that doesn't apply to the game.
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
    /// Returns the target in the syntax of the command `build`.
    fn target(&self) -> String;

    /// Estimates the cost of the tables that the folder `out` lacks, or of all tables if `out` is
    /// `None`. Returns `None` if no table is missing.
    ///
    /// # Errors
    /// If the memory is too small for any build, or the folder can't be read.
    fn estimate(
        &self,
        out: Option<&Path>,
        resources: &Resources,
        rates: &Rates,
    ) -> Result<Option<BuildEstimate>>;

    /// Builds the tables that the folder `out` lacks, with the threads of the current rayon pool.
    /// Resumes an interrupted build.
    ///
    /// # Errors
    /// If the memory is too small (reported before anything is computed), the disk is full, another
    /// process builds in the folder, or the build was stopped. All data written so far is kept.
    fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built>;
}

/// Returns the estimate of a build from the estimate of its tables on one core. `unit` is the name
/// of the things that the tables count as boards.
pub(crate) fn of_tables(
    target: String,
    unit: &'static str,
    tables: TableEstimate,
    resources: &Resources,
) -> BuildEstimate {
    let cores = resources.threads.get();
    BuildEstimate {
        target,
        boards: tables.boards,
        unit,
        kept_boards: tables.kept_boards,
        memory_bytes: tables.memory,
        raw_bytes: Some(tables.raw_bytes),
        kept_bytes: tables.bytes,
        // The list of file names grows with the number of tables, of which there can be 100.
        disk_bytes: tables.bytes.saturating_add(tables.journals + 2 * LOCK_BYTES),
        io_bytes: tables.bytes,
        core_seconds: tables.seconds,
        cores,
        seconds: tables.seconds / cores as f64,
        ..BuildEstimate::default()
    }
}

/// Returns the error for a root whose turn is pending.
pub(crate) fn pending_root() -> Error {
    bad_input("a root is a position between two moves: its turn is still to be made")
}

/// Converts the error of a build of Pentago XL or Pente.
pub(crate) fn failed(error: BuildError) -> Error {
    match error {
        BuildError::Table(error) => error.into(),
        BuildError::Stopped(stopped) => stopped.into(),
        BuildError::TooLarge(error) => bad_input(error.to_string()),
        BuildError::Memory { needed, limit } => SolveError::Memory { need: needed, limit }.into(),
        BuildError::Solver(error) => Error::new(ErrorKind::Environment, error),
    }
}

/// The rates of each game, measured on one machine. An estimate multiplies exact counts by rates.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// A description of the machine.
    pub machine: String,
    /// The rates of Pentago.
    pub pentago: PentagoRates,
    /// The rates of Pentago XL.
    pub xl: XlRates,
    /// The rates of Pente.
    pub pente: pentago_pente::tables::Rates,
}

impl Rates {
    /// Returns the built-in rates, with the name of the machine on which they were measured.
    pub fn built_in() -> Rates {
        Rates {
            machine: MACHINE.to_owned(),
            pentago: PentagoRates::built_in().clone(),
            xl: XlRates::BUILT_IN,
            pente: pentago_pente::tables::Rates::BUILT_IN,
        }
    }

    /// Measures the rates of one core for Pentago while all threads of the current pool work.
    ///
    /// # Errors
    /// If the measurement was stopped, or needs more than `memory` bytes.
    pub fn measure_pentago(&mut self, kernel: Kernel, memory: u64, control: &Control) -> Result<()> {
        self.pentago = PentagoRates::measure(kernel, memory, control)?;
        Ok(())
    }

    /// Measures the rates of Pentago XL and Pente. In a pool of one thread, these are the rates of
    /// a core while the other cores are idle.
    ///
    /// # Errors
    /// If the measurement was stopped, or the memory is too small.
    pub fn measure_xl_and_pente(&mut self, control: &Control) -> Result<()> {
        self.xl = XlRates::measure(pentago_xl::Kernel::best(), control).map_err(failed)?;
        self.pente = pentago_pente::tables::Rates::measure(control)?;
        Ok(())
    }
}
