//! Verifies tables in three ways. [`hash`] reads every byte and verifies all checksums. [`full`]
//! compares the stored value of every position with the values of the position's children.
//! [`random`] compares the values of random positions with the values of their moves, and with the
//! solver below a root.
//!
//! [`full`] evaluates the plain definition of a value (`plain`), entry by entry, and uses neither a
//! kernel nor a solver. But [`full`] and the solvers share the rules, the symmetries and the index,
//! so an error in these parts can remain undetected. `tests/reference` and `tests/decoder` share no
//! code with this crate, and can detect such an error.

pub mod counts;
mod plain;

use crate::probe::Lookup;
use crate::tables::{ArrayInfo, ArrayKey, Header, PentagoSchema, Table, TableError, Tablebase};
use pentago_base::{Control, Stage};
use pentago_core::answer::Value;
use pentago_core::rules::{Color, Position, Rules};
use pentago_core::solve::RootedSolver;
use pentago_core::symmetry::Element;
use pentago_core::values::{BlockId, Entry, Wdl};
use pentago_store::{Definition, sample};
pub use pentago_store::{FullReport, SampleReport, VerifyError, WrongValue, hash};
use plain::{PlainRules, RotationMap, TableValues, rotation_map};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compares every value in a table of `family` with the values of its children, in the threads of
/// the current rayon pool. If a child isn't stored, the entry is skipped; the report states the
/// number of skipped entries. `control` counts the finished entries, and can cancel the work.
///
/// # Errors
/// If a value is wrong, a block is damaged, or the work was cancelled.
pub fn full(family: &Tablebase, table: &Table, control: &Control) -> Result<FullReport, VerifyError> {
    let header = table.header();
    let what = format!("{}, {} marbles", header.target, header.slice);
    control.begin(Stage::supers(what, header.entries));
    let rules = PlainRules::new(family.target().rules);
    let maps = (0..2048).map(|_| OnceLock::new()).collect();
    let comparison = EntryComparison { family, table, rules, maps };
    let (checked, without) = (AtomicU64::new(0), AtomicU64::new(0));
    for (array, record) in (0..).zip(table.arrays()) {
        let ArrayInfo { key, grid } = record.array;
        let block = |block: u64| -> Result<(), VerifyError> {
            control.check()?;
            let entries = table.block(BlockId { array, block })?;
            for (index, entry) in grid.indices(block).zip(&*entries) {
                let counter = if comparison.is_right(key, index, entry)? { &checked } else { &without };
                counter.fetch_add(1, Ordering::Relaxed);
            }
            control.add(entries.len() as u64);
            Ok(())
        };
        if let Some(error) = (0..grid.blocks()).into_par_iter().find_map_first(|number| block(number).err()) {
            return Err(error);
        }
    }
    Ok(FullReport { entries: checked.into_inner(), without_moves: without.into_inner() })
}

/// The arguments of the comparison between the entries of one table and their children.
struct EntryComparison<'a> {
    family: &'a Tablebase,
    table: &'a Table,
    rules: PlainRules,
    /// The rotation map of each element of the symmetry group. A map is computed when it is first
    /// needed.
    maps: Vec<OnceLock<Box<RotationMap>>>,
}

impl EntryComparison<'_> {
    fn map(&self, to_board: Element) -> &RotationMap {
        let turns = to_board.local().into_iter().fold(0, |n, r| 4 * n + usize::from(r));
        let map = &self.maps[256 * usize::from(to_board.global()) + turns];
        map.get_or_init(|| Box::new(rotation_map(to_board)))
    }

    /// Compares one entry with its children. Returns an error if a value is wrong, and `false` if a
    /// child isn't stored.
    fn is_right(&self, key: ArrayKey, index: [u32; 4], entry: &Entry) -> Result<bool, VerifyError> {
        let EntryComparison { family, table, rules, .. } = self;
        let stored = |rotation| family.index().stored(table.header().slice, key, index, rotation).position;
        let zero = stored([0; 4]);
        let (board, to_move) = (zero.board(), zero.to_move());
        let expected = rules.values(board, to_move, |bit| {
            let mut child = board;
            *(if to_move == Color::X { &mut child.x } else { &mut child.o }) |= bit;
            // The closure returns the error `None` if the child isn't stored.
            match crate::probe::entry(family, child).map_err(Some)? {
                Ok((entry, place)) => Ok(TableValues::of(&entry, self.map(place.to_board()))),
                Err(_) => Err(None),
            }
        });
        let expected = match expected {
            Ok(expected) => expected,
            Err(None) => return Ok(false),
            Err(Some(error)) => return Err(VerifyError::Table(error)),
        };
        let found = TableValues::of(entry, self.map(Element::IDENTITY));
        let Some(rotation) = expected.first_difference(&found) else { return Ok(true) };
        Err(VerifyError::Wrong(Box::new(WrongValue {
            path: table.path().to_owned(),
            position: PentagoSchema::text(family, &stored(rotation)),
            found: word(entry.get(rotation)),
            expected: word(expected.get(rotation)),
            by: "its moves",
        })))
    }
}

/// Returns a value as a noun: `a win`, `a draw` or `a loss`.
fn word(wdl: Wdl) -> String {
    format!("a {}", Value::from(wdl).name())
}

/// The maximum number of boards that the solver may compute for a position, if the moves of the
/// position have confirmed its value.
const QUICK_BOARDS: u64 = 2_000_000;
/// The maximum number of boards that the solver may compute if no other comparison is possible. The
/// computation takes about half a second.
const LAST_RESORT_BOARDS: u64 = 100_000_000;

/// The solvers for random positions, one for each set of rules.
pub struct Solvers<'a> {
    make: &'a mut dyn FnMut(Rules) -> RootedSolver,
    made: Vec<RootedSolver>,
}

/// Compares the values of random positions in tables with the values of their moves. If the solver
/// can compute a position quickly, also compares the value with the solver. A position takes up to
/// a second, and cancellation takes effect only between positions.
///
/// # Errors
/// If a value is wrong, a block is damaged, or the work was cancelled.
pub fn random(
    tables: &[(&Tablebase, &Table)],
    count: u64,
    seed: u64,
    mut solver: impl FnMut(Rules) -> RootedSolver,
    control: &Control,
) -> Result<SampleReport, VerifyError> {
    sample(tables, count, seed, &mut Solvers { make: &mut solver, made: Vec::new() }, control)
}

impl Definition for PentagoSchema {
    type Position = Position;
    type Solver<'a> = Solvers<'a>;
    type PositionValue = Wdl;
    const SOLVER: &'static str = "the solver";

    fn entries(header: &Header) -> u64 {
        header.entries
    }

    fn stored(
        set: &Tablebase,
        table: &Table,
        number: u64,
        rotation: u32,
    ) -> Result<Option<(Position, Wdl)>, TableError> {
        let Some(stored) = crate::probe::stored(set, table, number, rotation) else { return Ok(None) };
        let array = table.array(&stored.key).expect("it was drawn from this table");
        Ok(Some((stored.position, table.entry(array, stored.index)?.get(stored.rotation))))
    }

    fn text(set: &Tablebase, position: &Position) -> String {
        set.target().rules.format_position(position)
    }

    fn by_rules(set: &Tablebase, position: &Position, _stored: &Wdl) -> Option<Wdl> {
        Some(Wdl::of(set.target().rules.outcome(position)?, position.to_move()))
    }

    /// Returns the value of the best move in a position. Returns `None` if the position after some
    /// move isn't stored.
    fn by_moves(set: &Tablebase, position: &Position) -> Result<Option<Wdl>, TableError> {
        let rules = set.target().rules;
        let mut best = Wdl::Loss;
        for mv in rules.moves(position) {
            let played = rules.play(position, mv).expect("the rules list legal moves");
            let value = match played.outcome {
                Some(outcome) => Wdl::of(outcome, position.to_move()),
                None => match set.look_up(&played.position.board())? {
                    Lookup::Value(value) => value.negate(),
                    Lookup::Missing(_) => return Ok(None),
                },
            };
            best = best.max(value);
        }
        Ok(Some(best))
    }

    fn by_solver(
        set: &Tablebase,
        solvers: &mut Solvers<'_>,
        position: &Position,
        alone: bool,
        _control: &Control,
    ) -> Result<Option<Wdl>, VerifyError> {
        let rules = set.target().rules;
        let at = solvers.made.iter().position(|s| s.rules == rules).unwrap_or_else(|| {
            solvers.made.push((solvers.make)(rules));
            solvers.made.len() - 1
        });
        let solver = &mut solvers.made[at];
        let full = solver.estimate(position, usize::MAX);
        let limit = if alone { LAST_RESORT_BOARDS } else { QUICK_BOARDS };
        if full.boards > limit || full.bytes > solver.memory {
            return Ok(None);
        }
        let solved = solver.solve(position, usize::MAX, &Control::new());
        let value = solved.map_err(|error| VerifyError::Solver(Box::new(error)))?.value;
        Ok(Some(value.known().expect("the solution is complete")))
    }

    fn difference(stored: &Wdl, right: &Wdl) -> Option<[String; 2]> {
        (stored != right).then(|| [word(*stored), word(*right)])
    }

    fn full(set: &Tablebase, table: &Table, control: &Control) -> Result<FullReport, VerifyError> {
        full(set, table, control)
    }
}
