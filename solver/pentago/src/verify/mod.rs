//! Verification of tables: every byte against its checksum (`hash`), every stored value against the
//! values of its children ([`full`]), and random values against those of their moves and against
//! the rooted solver ([`random`]).
//!
//! [`full`] shares no code with the solvers: it uses the plain definition (`plain`), entry by
//! entry.

pub mod counts;
mod plain;

use crate::answer::Value;
use crate::probe::{Lookup, StoredValue, TableSet, sample};
use crate::rules::{Color, Outcome, Position, Rules};
use crate::solve::{RootedSolver, SolveError};
use crate::symmetry::Element;
use crate::tables::{Reason, Table, TableError};
use crate::values::{BlockId, Entry, Wdl};
use pentago_base::{Control, Stage, Stopped};
use plain::{Lines, Sight, TableValues, sight};
use rayon::prelude::*;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A wrong value in a table.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The rules.
    pub rules: Rules,
    /// Its position, and its place in the table.
    pub stored: StoredValue,
    /// The value in the table.
    pub value: Wdl,
    /// The right value.
    pub expected: Wdl,
    /// What the right value follows from: the rules, the moves, or the solver.
    pub by: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |wdl| Value::from(wdl).name();
        write!(
            f,
            "wrong value: {} is stored as a {}, but is a {} according to {} (entry {:?} of array {:?}, \
             rotation {:?})",
            self.rules.format_position(&self.stored.position),
            name(self.value),
            name(self.expected),
            self.by,
            self.stored.index,
            self.stored.key,
            self.stored.rotation
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
    Table(#[from] TableError),
    /// The solver failed, or the verification was cancelled.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Reads every byte of a table and compares all checksums and its hash. `control` counts the bytes
/// and can cancel.
///
/// # Errors
/// The first damaged part; or it was cancelled.
pub fn hash(table: &Table, control: &Control) -> Result<(), VerifyError> {
    control.begin(Stage::bytes("checksums", table.header().file_bytes));
    let mut done = 0;
    let read = table.verify_hash(&mut |bytes| {
        control.add(bytes - done);
        done = bytes;
        if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match read {
        Err(error) if matches!(error.reason, Reason::Cancelled) => Err(SolveError::from(Stopped).into()),
        read => Ok(read?),
    }
}

/// What [`full`] has compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Entries (of 256 values each) that agree with their children.
    pub entries: u64,
    /// Entries with a child that isn't stored.
    pub without_children: u64,
}

/// By element of the group: how it maps rotations.
struct Sights(Vec<OnceLock<Box<Sight>>>);

impl Sights {
    fn get(&self, to_board: Element) -> &Sight {
        let turns = to_board.local().into_iter().fold(0, |n, r| 4 * n + usize::from(r));
        let cell = &self.0[256 * usize::from(to_board.global()) + turns];
        cell.get_or_init(|| Box::new(sight(to_board)))
    }
}

/// Compares every value of a table of the set with those of its children, in the threads of the
/// current rayon pool. Entries with a child that isn't stored are skipped and counted. `control`
/// counts the entries and can cancel.
///
/// # Errors
/// The first wrong value or damaged block; or it was cancelled.
pub fn full(family: &TableSet, table: &Table, control: &Control) -> Result<Checked, VerifyError> {
    let header = table.header();
    let what = format!("{}, {} marbles", header.target, header.slice);
    control.begin(Stage::new(what, header.entries, 1));
    let slice = table.header().slice;
    let lines = Lines::new(family.target().rules);
    let sights = Sights((0..2048).map(|_| OnceLock::new()).collect());
    let blocks: Vec<(u32, u64)> =
        (0..).zip(table.arrays()).map(|(i, r)| (i, r.array.grid.blocks())).collect();
    let (checked, without) = (AtomicU64::new(0), AtomicU64::new(0));
    for (array, count) in blocks {
        let block = |block: u64| -> Result<(), VerifyError> {
            if control.is_cancelled() {
                return Err(SolveError::from(Stopped).into());
            }
            let id = BlockId { array, block };
            let entries = table.block(id)?;
            let ranges = table.arrays()[array as usize].array.grid.ranges(block);
            let mut at = entries.iter();
            for a in ranges[0].clone() {
                for b in ranges[1].clone() {
                    for c in ranges[2].clone() {
                        for d in ranges[3].clone() {
                            let entry = at.next().expect("a block has the entries of its ranges");
                            let key = table.arrays()[array as usize].array.key;
                            let counter = match entry_is_right(
                                family,
                                &lines,
                                &sights,
                                slice,
                                key,
                                [a, b, c, d],
                                entry,
                            )? {
                                true => &checked,
                                false => &without,
                            };
                            counter.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            }
            control.add(entries.len() as u64);
            Ok(())
        };
        if let Some(error) = (0..count).into_par_iter().find_map_first(|number| block(number).err()) {
            return Err(error);
        }
    }
    Ok(Checked { entries: checked.into_inner(), without_children: without.into_inner() })
}

/// Why an entry can't be compared.
enum NoChild {
    Missing,
    Table(TableError),
}

/// Compares one entry; false where a child isn't stored.
fn entry_is_right(
    family: &TableSet,
    lines: &Lines,
    sights: &Sights,
    slice: u8,
    key: [u8; 8],
    index: [u32; 4],
    entry: &Entry,
) -> Result<bool, VerifyError> {
    let zero = family.stored(slice, key, index, [0; 4]);
    let (board, to_move) = (zero.position.board(), zero.position.to_move());
    let expected = lines.values(board, to_move, |bit| {
        let mut child = board;
        *(if to_move == Color::X { &mut child.x } else { &mut child.o }) |= bit;
        match family.entry(child).map_err(NoChild::Table)? {
            Ok((entry, place)) => Ok(TableValues::of(&entry, sights.get(place.to_board()))),
            Err(_) => Err(NoChild::Missing),
        }
    });
    let expected = match expected {
        Ok(expected) => expected,
        Err(NoChild::Missing) => return Ok(false),
        Err(NoChild::Table(error)) => return Err(error.into()),
    };
    let found = TableValues::of(entry, sights.get(Element::IDENTITY));
    let Some(rotation) = expected.first_difference(&found) else { return Ok(true) };
    Err(VerifyError::Wrong(Box::new(Wrong {
        rules: family.target().rules,
        stored: family.stored(slice, key, index, rotation),
        value: entry.get(rotation),
        expected: expected.get(rotation),
        by: "its moves",
    })))
}

/// What [`random`] has compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleReport {
    /// Number of positions drawn.
    pub positions: u64,
    /// Finished games among them, compared with the rules.
    pub over: u64,
    /// Compared with the stored values of all their moves.
    pub by_moves: u64,
    /// Compared with the rooted solver.
    pub by_solver: u64,
    /// Not compared: some moves aren't stored, and solving would take too long.
    pub unchecked: u64,
}

/// The solver is used if it has to compute at most this many boards...
const QUICK_BOARDS: u64 = 2_000_000;
/// ...or this many if there is nothing else to compare with: half a second.
const LAST_RESORT_BOARDS: u64 = 100_000_000;

/// Compares random values of tables with those of their moves, and with the solver where it is
/// quick. Each position is done within a second or so, and only then looked whether to stop.
///
/// # Errors
/// The first wrong value or damaged block; or it was cancelled.
pub fn random(
    tables: &[(&TableSet, &Table)],
    count: u64,
    seed: u64,
    mut solver: impl FnMut(Rules) -> RootedSolver,
    control: &Control,
) -> Result<SampleReport, VerifyError> {
    control.begin(Stage::new("random positions", count, 1));
    let mut sampled = SampleReport::default();
    let mut solvers: Vec<RootedSolver> = Vec::new();
    for (number, stored) in sample(tables.to_vec(), seed).take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let (family, table) = tables[number];
        let rules = family.target().rules;
        let array = table.array(&stored.key).expect("it was drawn from this table");
        let value = table.entry(array, stored.index)?.get(stored.rotation);
        let compare = |expected: Wdl, by| {
            let wrong = Wrong { rules, stored, value, expected, by };
            if value == expected { Ok(()) } else { Err(VerifyError::Wrong(Box::new(wrong))) }
        };
        sampled.positions += 1;
        let position = stored.position;
        if let Some(outcome) = rules.outcome(&position) {
            compare(wdl_of(outcome, &position), "the rules")?;
            sampled.over += 1;
            control.add(1);
            continue;
        }
        let of_moves = best_of_moves(family, &rules, &position)?;
        if let Some(expected) = of_moves {
            compare(expected, "its moves")?;
            sampled.by_moves += 1;
        }
        let at = solvers.iter().position(|s| s.rules() == rules).unwrap_or_else(|| {
            solvers.push(solver(rules));
            solvers.len() - 1
        });
        let solver = &mut solvers[at];
        let full = solver.estimate(&position, usize::MAX);
        let limit = if of_moves.is_some() { QUICK_BOARDS } else { LAST_RESORT_BOARDS };
        if full.boards <= limit && full.bytes <= solver.memory() {
            let expected = match solver.solve(&position, usize::MAX, &Control::new())?.value {
                Value::Win => Wdl::Win,
                Value::Draw => Wdl::Draw,
                Value::Loss => Wdl::Loss,
                Value::Unknown => unreachable!("the solution is complete"),
            };
            compare(expected, "the solver")?;
            sampled.by_solver += 1;
        } else if of_moves.is_none() {
            sampled.unchecked += 1;
        }
        if control.is_cancelled() {
            return Err(SolveError::from(Stopped).into());
        }
        control.add(1);
    }
    Ok(sampled)
}

fn wdl_of(outcome: Outcome, position: &Position) -> Wdl {
    match outcome {
        Outcome::Draw => Wdl::Draw,
        Outcome::Win(winner) if winner == position.to_move() => Wdl::Win,
        Outcome::Win(_) => Wdl::Loss,
    }
}

/// The value of the best move; none if a move isn't stored.
fn best_of_moves(family: &TableSet, rules: &Rules, position: &Position) -> Result<Option<Wdl>, TableError> {
    let mut best = Wdl::Loss;
    for mv in rules.moves(position) {
        let played = rules.play(position, mv).expect("the rules list legal moves");
        let value = match played.outcome {
            Some(outcome) => wdl_of(outcome, position),
            None => match family.look_up(played.position.board())? {
                Lookup::Value(Wdl::Win) => Wdl::Loss,
                Lookup::Value(Wdl::Draw) => Wdl::Draw,
                Lookup::Value(Wdl::Loss) => Wdl::Win,
                Lookup::Missing(_) => return Ok(None),
            },
        };
        best = best.max(value);
    }
    Ok(Some(best))
}
