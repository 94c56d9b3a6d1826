//! Verifies a tablebase. Compares checksums, stored values with the values of the moves, and random
//! values with the solver.

use super::{DEFAULT_MEMORY, Tablebase};
use crate::error::{Error, ErrorKind};
use pentago_base::Control;
use pentago_core::kernel::Kernel;
use pentago_core::solve::RootedSolver;
use pentago_core::threads;
use pentago_tables::probe;
use pentago_tables::tables::Table;
use pentago_tables::verify::{self, FullReport, SampleReport};

/// The checks that [`Tablebase::verify`] runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// `true` to compare all checksums, which finds damaged files.
    pub hash: bool,
    /// The number of random positions to compare with their moves. If the solver is quick, these
    /// positions are also compared with the solver.
    pub sample: u64,
    /// The seed of the random positions.
    pub seed: u64,
    /// `true` to compare every value with the values of its moves, by a plain implementation of the
    /// rules.
    pub full: bool,
    /// The number of marbles of the tables to check, or `None` for all tables.
    pub marbles: Option<u8>,
}

impl Default for Checks {
    /// Returns checks that compare all checksums and nothing else.
    fn default() -> Checks {
        Checks { hash: true, sample: 0, seed: 0, full: false, marbles: None }
    }
}

/// The amount of data that was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of verified tables.
    pub tables: usize,
    /// The number of bytes whose checksums were compared.
    pub bytes: u64,
    /// The report on the random positions.
    pub sampled: SampleReport,
    /// The report on the entries that were compared with the values of their moves.
    pub full: FullReport,
}

impl Tablebase {
    /// Verifies the tables of all rules. `control` reports the progress and can cancel the work.
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
    /// [`Missing`](ErrorKind::Missing) for the first damaged table or if no table has the chosen
    /// number of marbles, [`Environment`](ErrorKind::Environment) if a table can't be read,
    /// [`Cancelled`](ErrorKind::Cancelled) if the work was cancelled.
    pub fn verify(&self, checks: &Checks, control: &Control) -> Result<Verified, Error> {
        // First, report a file that can't be opened.
        if let Some(damaged) = self.tables.scan.damaged.first() {
            return Err(Error::new(ErrorKind::Missing, damaged.to_string()));
        }
        let mut opened: Vec<(&probe::Tablebase, &Table)> = Vec::new();
        for family in &self.tables.families {
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
