//! Verification of tables: every byte against its checksum, and stored values against their
//! definition, random ones or all.

use crate::error::{Reason, StoreError};
use crate::reader::Table;
use crate::schema::Schema;
use crate::tablebase::Tablebase;
use pentago_base::{Control, Stage, Stopped, counted};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The definition of the values of a schema, which stored ones are compared with.
pub trait Definition: Schema {
    /// A position that is drawn.
    type Position;
    /// What computes single values.
    type Solver<'a>;
    /// The value of one position.
    type Known;
    /// What is said to have computed a value.
    const SOLVER: &'static str;
    /// Whether the rotation of an entry is drawn, too.
    const ROTATIONS: bool = true;

    /// Entries of a table that are drawn from.
    fn entries(header: &Self::Header) -> u64;

    /// The position of entry `number` of a table, and its value there; `rotation` are random bits.
    ///
    /// # Errors
    /// If the table is damaged, or can't be read.
    fn stored(
        set: &Tablebase<Self>,
        table: &Table<Self>,
        number: u64,
        rotation: u32,
    ) -> Result<Option<(Self::Position, Self::Known)>, StoreError>;

    /// The position as text.
    fn text(set: &Tablebase<Self>, position: &Self::Position) -> String;

    /// The value of a finished game.
    fn by_rules(
        set: &Tablebase<Self>,
        position: &Self::Position,
        stored: &Self::Known,
    ) -> Option<Self::Known>;

    /// The value by the stored values of all moves; none if one isn't stored.
    ///
    /// # Errors
    /// If a table is damaged, or can't be read.
    fn by_moves(set: &Tablebase<Self>, position: &Self::Position) -> Result<Option<Self::Known>, StoreError>;

    /// The value by the solver, where that is quick; `alone`: nothing else says it.
    ///
    /// # Errors
    /// If it fails, or was stopped.
    fn by_solver(
        set: &Tablebase<Self>,
        solver: &mut Self::Solver<'_>,
        position: &Self::Position,
        alone: bool,
        control: &Control,
    ) -> Result<Option<Self::Known>, VerifyError>;

    /// In words, a stored value and the right one, where they contradict each other.
    fn difference(stored: &Self::Known, right: &Self::Known) -> Option<[String; 2]>;

    /// Compares every value of a table with those of its moves, in the threads of the current rayon
    /// pool. `control` counts the entries and can cancel.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    fn full(set: &Tablebase<Self>, table: &Table<Self>, control: &Control)
    -> Result<FullReport, VerifyError>;
}

/// A wrong value in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The file.
    pub path: PathBuf,
    /// The position, as text.
    pub position: String,
    /// The value in the table, in words.
    pub found: String,
    /// The right value.
    pub expected: String,
    /// What the right value follows from: the rules, the moves, or the solver.
    pub by: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { path, position, found, expected, by } = self;
        let path = path.display();
        write!(
            f,
            "wrong value: {position} is stored as {found}, but is {expected} according to {by} ({path})"
        )
    }
}

/// Why a verification failed.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A value is wrong.
    #[error("{0}")]
    Wrong(Box<Wrong>),
    /// A table is damaged, or can't be read.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// It was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The solver failed.
    #[error("{0}")]
    Solver(Box<dyn Error + Send + Sync>),
}

/// What random values were compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleReport {
    /// Positions drawn.
    pub positions: u64,
    /// Of these, finished games: compared with the rules.
    pub over: u64,
    /// Compared with the stored values of all their moves.
    pub by_moves: u64,
    /// Compared with a solver.
    pub by_solver: u64,
    /// Compared with nothing: some moves aren't stored, and solving would take too long.
    pub unchecked: u64,
}

impl SampleReport {
    /// The result as a line; `solver` is [`Definition::SOLVER`].
    #[must_use]
    pub fn text(&self, solver: &str) -> String {
        let SampleReport { positions, over, by_moves, by_solver, unchecked } = *self;
        let bound = match positions - unchecked {
            0 => "this says nothing about the other positions".to_owned(),
            compared => format!(
                "fewer than {:.2}% of all values are wrong (3/N, at 95% confidence)",
                (300.0 / compared as f64).min(100.0)
            ),
        };
        let left = match unchecked {
            0 => String::new(),
            _ => format!(", {unchecked} not compared (moves not stored, too slow to solve)"),
        };
        format!(
            "{}, none wrong: {}, {by_moves} compared with their moves, {by_solver} with {solver}{left}; {bound}",
            counted(positions, "random position"),
            counted(over, "finished game"),
        )
    }
}

/// What a comparison of all values of a table has gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FullReport {
    /// Entries that agree with their moves.
    pub entries: u64,
    /// Entries that were not compared, because their moves aren't stored.
    pub without_moves: u64,
}

/// Reads every byte of a table and compares all checksums and its hash. `control` counts the bytes
/// and can cancel.
///
/// # Errors
/// The first damaged part; or it was stopped.
pub fn hash<S: Schema>(table: &Table<S>, control: &Control) -> Result<(), VerifyError> {
    control.begin(Stage::bytes("checksums", table.file_bytes()));
    let mut done = 0;
    let read = table.verify_hash(&mut |bytes| {
        control.add(bytes - done);
        done = bytes;
        if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match read {
        Err(error) if matches!(error.reason, Reason::Cancelled) => Err(Stopped.into()),
        read => Ok(read?),
    }
}

/// An infinite sequence of entries of lists, uniform and independent: the number of the list, the
/// number of the entry in it, and random bits for its rotation, if there are to be any.
pub fn draws(lens: &[u64], seed: u64, rotations: bool) -> impl Iterator<Item = (usize, u64, u32)> + use<> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut before = vec![0];
    lens.iter().for_each(|len| before.push(before[before.len() - 1] + len));
    std::iter::from_fn(move || {
        let all = *before.last().filter(|&&all| all > 0)?;
        let entry = ((u128::from(random.next_u64()) * u128::from(all)) >> 64) as u64;
        let rotation = if rotations { random.next_u32() } else { 0 };
        let list = before.partition_point(|&first| first <= entry) - 1;
        Some((list, entry - before[list], rotation))
    })
}

/// Compares `count` random values of tables with the rules, with those of their moves, and with a
/// solver where it is quick. `control` counts them and can cancel.
///
/// # Errors
/// The first wrong value; a damaged table; or it was stopped.
pub fn sample<S: Definition>(
    tables: &[(&Tablebase<S>, &Table<S>)],
    count: u64,
    seed: u64,
    solver: &mut S::Solver<'_>,
    control: &Control,
) -> Result<SampleReport, VerifyError> {
    control.begin(Stage::new("random positions", count, 1));
    let mut report = SampleReport::default();
    let lens: Vec<u64> = tables.iter().map(|(_, table)| S::entries(table.header())).collect();
    let drawn = draws(&lens, seed, S::ROTATIONS).take(usize::try_from(count).unwrap_or(usize::MAX));
    for (number, entry, rotation) in drawn {
        control.check()?;
        let (set, table) = tables[number];
        let Some((position, stored)) = S::stored(set, table, entry, rotation)? else { continue };
        let compare = |right: &S::Known, by| {
            let Some([found, expected]) = S::difference(&stored, right) else { return Ok(()) };
            let (path, position) = (table.path().to_owned(), S::text(set, &position));
            Err(VerifyError::Wrong(Box::new(Wrong { path, position, found, expected, by })))
        };
        report.positions += 1;
        if let Some(right) = S::by_rules(set, &position, &stored) {
            compare(&right, "the rules")?;
            report.over += 1;
            control.add(1);
            continue;
        }
        let of_moves = S::by_moves(set, &position)?;
        if let Some(right) = &of_moves {
            compare(right, "its moves")?;
            report.by_moves += 1;
        }
        match S::by_solver(set, solver, &position, of_moves.is_none(), control)? {
            Some(right) => {
                compare(&right, S::SOLVER)?;
                report.by_solver += 1;
            }
            None => report.unchecked += u64::from(of_moves.is_none()),
        }
        control.add(1);
    }
    Ok(report)
}

impl<S: Definition> Tablebase<S> {
    /// Compares random values of some tables of the set, as [`sample`].
    ///
    /// # Errors
    /// As for [`sample`].
    pub fn sample(
        &self,
        slices: &[S::Slice],
        count: u64,
        seed: u64,
        solver: &mut S::Solver<'_>,
        control: &Control,
    ) -> Result<SampleReport, VerifyError> {
        let mut tables = Vec::new();
        for &slice in slices {
            tables.extend(self.table(slice)?.map(|table| (self, table)));
        }
        sample(&tables, count, seed, solver, control)
    }

    /// Compares every value of a slice with those of its moves, as [`Definition::full`].
    ///
    /// # Errors
    /// As for [`Definition::full`].
    pub fn full(&self, slice: S::Slice, control: &Control) -> Result<FullReport, VerifyError> {
        self.table(slice)?.map_or(Ok(FullReport::default()), |table| S::full(self, table, control))
    }
}
