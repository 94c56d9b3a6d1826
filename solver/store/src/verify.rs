//! Verifies tables: compares every byte with its checksum, and random or all stored values with
//! their definition.

use crate::error::{Reason, StoreError};
use crate::reader::Table;
use crate::schema::Schema;
use crate::tablebase::Tablebase;
use pentago_base::{Control, Stage, Stopped, counted, shown_path, thousands};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The position of a randomly drawn entry and its stored value, or `None` if the entry represents
/// no position.
type DrawnEntry<S> = Option<(<S as Definition>::Position, <S as Definition>::PositionValue)>;

/// The definition of the values in the tables of a schema. Verification compares stored values with
/// this definition.
pub trait Definition: Schema {
    /// The type of a randomly drawn position.
    type Position;
    /// The type of the solver that computes the values of single positions.
    type Solver<'a>;
    /// The type of a position's value.
    type PositionValue;
    /// The name of the solver in messages.
    const SOLVER: &'static str;
    /// `true` if sampling also draws a rotation of the entry.
    const ROTATIONS: bool = true;

    /// Returns the number of entries in a table.
    fn entries(header: &Self::Header) -> u64;

    /// Returns the position and the stored value of the entry with index `number`. `rotation` holds
    /// random bits that choose a rotation of the entry.
    ///
    /// # Errors
    /// If the table is damaged or can't be read.
    fn stored(
        set: &Tablebase<Self>,
        table: &Table<Self>,
        number: u64,
        rotation: u32,
    ) -> Result<DrawnEntry<Self>, StoreError>;

    /// Formats a position as text.
    fn text(set: &Tablebase<Self>, position: &Self::Position) -> String;

    /// Returns the value of a finished game by the rules, and `None` for other positions.
    fn by_rules(
        set: &Tablebase<Self>,
        position: &Self::Position,
        stored: &Self::PositionValue,
    ) -> Option<Self::PositionValue>;

    /// Returns the value that follows from the stored values of all moves, or `None` if the value
    /// of some move isn't stored.
    ///
    /// # Errors
    /// If a table is damaged or can't be read.
    fn by_moves(
        set: &Tablebase<Self>,
        position: &Self::Position,
    ) -> Result<Option<Self::PositionValue>, StoreError>;

    /// Returns the value that the solver computes, or `None` if solving would take too long.
    /// `alone` is `true` if the stored value couldn't be compared with the rules or with the moves.
    ///
    /// # Errors
    /// If the solver fails or was cancelled.
    fn by_solver(
        set: &Tablebase<Self>,
        solver: &mut Self::Solver<'_>,
        position: &Self::Position,
        alone: bool,
        control: &Control,
    ) -> Result<Option<Self::PositionValue>, VerifyError>;

    /// Returns the stored value and the right value as text, or `None` if the values agree.
    fn difference(stored: &Self::PositionValue, right: &Self::PositionValue) -> Option<[String; 2]>;

    /// Compares every value of a table with the values of its moves, in the threads of the current
    /// rayon pool. `control` counts the compared entries and can cancel the comparison.
    ///
    /// # Errors
    /// If a value is wrong, a table is damaged, or the caller cancels.
    fn full(set: &Tablebase<Self>, table: &Table<Self>, control: &Control)
    -> Result<FullReport, VerifyError>;
}

/// A wrong value in a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "wrong value: {position} is stored as {found}, but is {expected} according to {by} ({})",
    shown_path(path)
)]
pub struct WrongValue {
    /// The path of the table.
    pub path: PathBuf,
    /// The position of the wrong value, as text.
    pub position: String,
    /// The stored value in words.
    pub found: String,
    /// The right value in words.
    pub expected: String,
    /// The source of the right value: the rules, the moves, or the solver.
    pub by: &'static str,
}

/// The error of a verification.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A stored value is wrong.
    #[error("{0}")]
    Wrong(Box<WrongValue>),
    /// A table is damaged or can't be read.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// The caller cancelled the verification.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The solver of single positions failed.
    #[error("{0}")]
    Solver(Box<dyn Error + Send + Sync>),
}

impl<S: Schema> Table<S> {
    /// Creates the error for a wrong value of a position. The array holds the stored value and the
    /// right value as text. `by` is the source of the right value.
    pub fn wrong(&self, position: String, [found, expected]: [String; 2], by: &'static str) -> VerifyError {
        let path = self.path().to_owned();
        VerifyError::Wrong(Box::new(WrongValue { path, position, found, expected, by }))
    }
}

/// The numbers of comparisons in a random sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleReport {
    /// The number of positions drawn.
    pub positions: u64,
    /// The number of drawn positions that are finished games, compared with the rules.
    pub over: u64,
    /// The number of drawn positions compared with the stored values of all their moves.
    pub by_moves: u64,
    /// The number of drawn positions compared with a solver.
    pub by_solver: u64,
    /// The number of drawn positions that weren't compared, because the values of some moves aren't
    /// stored and solving would take too long.
    pub unchecked: u64,
}

impl SampleReport {
    /// Formats the report as a line. `solver` is [`Definition::SOLVER`].
    pub fn text(&self, solver: &str) -> String {
        let SampleReport { positions, over, unchecked, .. } = *self;
        let [by_moves, by_solver] = [self.by_moves, self.by_solver].map(thousands);
        let bound = match positions - unchecked {
            0 => "this says nothing about the other positions".to_owned(),
            compared => format!(
                "fewer than {:.2}% of all values are wrong (3/N, at 95% confidence)",
                (300.0 / compared as f64).min(100.0)
            ),
        };
        let left = match unchecked {
            0 => String::new(),
            _ => format!(", {} not compared (moves not stored, too slow to solve)", thousands(unchecked)),
        };
        format!(
            "{}, none wrong: {}, {by_moves} compared with their moves, {by_solver} with {solver}{left}; {bound}",
            counted(positions, "random position"),
            counted(over, "finished game"),
        )
    }
}

/// The numbers of comparisons in a full verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FullReport {
    /// The number of entries whose values agree with the values of their moves.
    pub entries: u64,
    /// The number of entries that weren't compared because the values of their moves aren't stored.
    pub without_moves: u64,
}

/// Reads every byte of a table, and verifies all checksums and hashes. `control` counts the bytes
/// and can cancel the verification.
///
/// # Errors
/// If a part is damaged or can't be read, or the caller cancels. The error names the first damaged
/// part.
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

/// Returns an infinite sequence of uniform, independent draws from the entries of several lists.
/// `lens` holds the number of entries of each list. A draw consists of the index of the list, the
/// index of the entry in that list, and random bits for a rotation. The bits are 0 if `rotations`
/// is `false`.
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

/// Compares `count` random values of tables with the rules, with the values of their moves, and
/// with a solver if solving is quick. `control` counts the positions and can cancel the comparison.
///
/// # Errors
/// If a value is wrong, a table is damaged, the solver fails, or the caller cancels.
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
        let compare = |right: &S::PositionValue, by| {
            let Some(values) = S::difference(&stored, right) else { return Ok(()) };
            Err(table.wrong(S::text(set, &position), values, by))
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
