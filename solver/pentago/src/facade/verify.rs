//! Verification of a tablebase: its bytes, its values against those of their moves, and random
//! values against the solver.

use super::{DEFAULT_MEMORY, Tablebase};
use crate::error::{Error, ErrorKind};
use pentago_base::Control;
use pentago_core::kernel::Kernel;
use pentago_core::solve::RootedSolver;
use pentago_core::threads;
use pentago_tables::probe;
use pentago_tables::tables::Table;
use pentago_tables::verify::{self, FullReport, SampleReport};

/// What [`Tablebase::verify`] compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// All checksums: finds damaged files.
    pub hash: bool,
    /// How many random positions are compared with the values of their moves, and with the solver
    /// where that is quick.
    pub sample: u64,
    /// The seed of the sample.
    pub seed: u64,
    /// Every value with those of its moves, by a plain implementation of the rules.
    pub full: bool,
    /// Only tables with this number of marbles.
    pub marbles: Option<u8>,
}

impl Default for Checks {
    /// The checksums of all tables.
    fn default() -> Checks {
        Checks { hash: true, sample: 0, seed: 0, full: false, marbles: None }
    }
}

/// What [`Tablebase::verify`] has compared and found right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Tables.
    pub tables: usize,
    /// Bytes whose checksums were compared.
    pub bytes: u64,
    /// The random positions.
    pub sampled: SampleReport,
    /// The entries that were compared with their moves.
    pub full: FullReport,
}

impl Tablebase {
    /// Compares what the tables hold, of all rules, with what it must be. `control` counts and can
    /// cancel.
    ///
    /// ```
    /// use pentago::{Build, Checks, Control, Rules, Tablebase};
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let checks = Checks { sample: 100, ..Checks::default() };
    /// let verified = Tablebase::open(folder.path())?.verify(&checks, &Control::new())?;
    /// assert_eq!((verified.tables, verified.sampled.positions), (17, 100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Contradiction`](ErrorKind::Contradiction) for the first wrong value,
    /// [`Missing`](ErrorKind::Missing) for the first damaged table or if there is none with that
    /// number of marbles, [`Environment`](ErrorKind::Environment) if one can't be read,
    /// [`Cancelled`](ErrorKind::Cancelled) if it was stopped.
    pub fn verify(&self, checks: &Checks, control: &Control) -> Result<Verified, Error> {
        // Files that can't even be opened come first.
        if let Some(damaged) = self.tables.damaged().first() {
            return Err(Error::new(ErrorKind::Missing, damaged.to_string()));
        }
        let mut opened: Vec<(&probe::Tablebase, &Table)> = Vec::new();
        for family in self.tables.families() {
            let mut slices = family.slices();
            slices.retain(|&slice| checks.marbles.is_none_or(|marbles| marbles == slice));
            for slice in slices {
                opened.extend(family.tables(slice)?.into_iter().map(|table| (family, table)));
            }
        }
        if let (Some(marbles), true) = (checks.marbles, opened.is_empty()) {
            let text = format!("no table of positions with {marbles} marbles");
            return Err(Error::new(ErrorKind::Missing, text));
        }
        let pool = self.pool()?;
        let mut verified = Verified { tables: opened.len(), ..Verified::default() };
        if checks.hash {
            for (_, table) in &opened {
                verify::hash(table, control)?;
                verified.bytes += table.header().file_bytes;
            }
        }
        if checks.sample > 0 {
            let kernel = Kernel::best();
            let threads = pool.install(threads::count);
            let solver = |rules| RootedSolver::new(rules, kernel, threads, DEFAULT_MEMORY);
            let draw = || verify::random(&opened, checks.sample, checks.seed, solver, control);
            verified.sampled = pool.install(draw)?;
        }
        if checks.full {
            for (family, table) in &opened {
                let FullReport { entries, without_moves } =
                    pool.install(|| verify::full(family, table, control))?;
                verified.full.entries += entries;
                verified.full.without_moves += without_moves;
            }
        }
        Ok(verified)
    }
}
