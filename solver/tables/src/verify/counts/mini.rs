//! Counts the values in Mini-Pentago of all unfinished positions that can be reached from the empty
//! board, and compares the counts with known results.
//!
//! If boards are rotations of one another, only the least board is looked up, and its value is
//! counted for all of them. Reflections are not used, because they don't preserve values under all
//! rules.

use crate::probe::{Lookup, Tablebase};
use crate::tables::TableError;
use pentago_core::answer::Missing;
use pentago_core::rules::{Board, Color, Rules, Shape, Turn};
use pentago_core::symmetry::Element;
use pentago_core::values::{Wdl, WdlCounts};
use rayon::prelude::*;

/// The known results of a variant of Mini-Pentago. Two independent programs have computed these
/// results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownValues {
    /// The numbers of positions that the side to move wins, draws and loses, indexed by the number
    /// of marbles from 0 to 15.
    Slices(&'static [[u64; 3]; 16]),
    /// The numbers of positions that the side to move wins, draws and loses, summed over all
    /// slices.
    Sum([u64; 3]),
    /// The differences between a variant and the rules `mini`.
    Variant {
        /// The value of the empty board under the variant.
        first: Wdl,
        /// The number of positions whose value under the variant differs from their value under the
        /// rules `mini`. Only positions that can be reached under `mini` are counted.
        differing: u64,
    },
}

const MINI: [[u64; 3]; 16] = [
    [1, 0, 0],
    [0, 0, 16],
    [240, 0, 0],
    [544, 0, 1_136],
    [8_904, 1_024, 992],
    [21_824, 2_304, 19_552],
    [142_976, 1_920, 15_264],
    [236_112, 12_824, 149_264],
    [778_368, 14_054, 98_604],
    [899_552, 71_760, 422_816],
    [1_713_952, 48_592, 146_048],
    [1_402_328, 70_128, 328_168],
    [1_317_196, 34_384, 63_820],
    [602_352, 33_656, 78_200],
    [250_704, 8_352, 11_248],
    [39_552, 13_888, 0],
];

const VARIANTS: [(&str, KnownValues); 7] = [
    ("mini:k=3", KnownValues::Sum([3_440_453, 1_800, 7_178])),
    ("mini:skip=empty", KnownValues::Variant { first: Wdl::Win, differing: 0 }),
    ("mini:skip=neutral", KnownValues::Variant { first: Wdl::Win, differing: 0 }),
    ("mini:both=mover", KnownValues::Variant { first: Wdl::Win, differing: 59_648 }),
    ("mini:last=stop", KnownValues::Variant { first: Wdl::Win, differing: 66_640 }),
    ("mini:dir=cw", KnownValues::Variant { first: Wdl::Win, differing: 1_341_846 }),
    ("mini:reply=place", KnownValues::Variant { first: Wdl::Draw, differing: 1_911_697 }),
];

/// Returns the known results under the given rules, or `None` if there are none.
pub fn known(rules: &Rules) -> Option<KnownValues> {
    if *rules == Rules::mini() {
        return Some(KnownValues::Slices(&MINI));
    }
    VARIANTS.iter().find(|(text, _)| text.parse() == Ok(*rules)).map(|&(_, known)| known)
}

impl KnownValues {
    /// Returns a description of the first contradiction between the counts and the known results.
    /// Returns `None` if they agree.
    pub fn contradicted(&self, reached: &ReachableCounts) -> Option<String> {
        let differ = |counts: &WdlCounts, known: [u64; 3]| {
            let found = [counts.wins, counts.draws, counts.losses];
            let text =
                || format!("wins, draws and losses are {found:?} in the tables, but should be {known:?}");
            (found != known).then(text)
        };
        match *self {
            KnownValues::Slices(known) => {
                let mut slices = (0u8..).zip(reached.slices.iter().zip(known));
                slices.find_map(|(marbles, (slice, &known))| {
                    Some(format!("{marbles} marbles: {}", differ(slice, known)?))
                })
            }
            KnownValues::Sum(known) => differ(&reached.sum(), known),
            KnownValues::Variant { first, .. } if first != reached.first => {
                Some(format!("the empty board is a {:?}, but should be a {first:?}", reached.first))
            }
            KnownValues::Variant { differing: known, .. } => {
                let found = reached.differing;
                let text = || format!("{found} values differ from those under mini, but {known} should");
                (found != known).then(text)
            }
        }
    }
}

/// The counts of the values in tables of all positions that can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachableCounts {
    /// The numbers of wins, draws and losses for the side to move, indexed by the number of marbles
    /// from 0 to 15.
    pub slices: Vec<WdlCounts>,
    /// The value of the empty board.
    pub first: Wdl,
    /// The number of positions whose value differs between the two tablebases, or 0 if there is
    /// only one tablebase.
    pub differing: u64,
}

impl ReachableCounts {
    /// Returns the numbers of wins, draws and losses, summed over all slices.
    pub fn sum(&self) -> WdlCounts {
        let mut sum = WdlCounts::default();
        self.slices.iter().for_each(|&counts| sum += counts);
        sum
    }
}

/// The reason why the positions can't be looked up.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// No table contains one of the positions, for the given reason.
    #[error("{0}")]
    Missing(Missing),
    /// A table is damaged or can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Looks up all positions that can be reached under the rules `mini`, in the threads of the current
/// rayon pool. Returns the counts of the values in `family`. If `other` is a tablebase, also counts
/// the positions whose values in `family` and `other` differ.
///
/// # Errors
/// If a table is damaged, can't be read, or lacks sections of its slice.
pub fn reached(family: &Tablebase, other: Option<&Tablebase>) -> Result<ReachableCounts, ReachError> {
    let shape = family.target().rules.shape;
    let mut boards = vec![Board::EMPTY];
    let mut reached =
        ReachableCounts { slices: Vec::new(), first: value(family, Board::EMPTY)?, differing: 0 };
    for _ in 0..shape.sockets() {
        let one = |&board: &Board| {
            let (worth, times) = (value(family, board)?, images(shape, board));
            let differs = match other {
                Some(other) => value(other, board)? != worth,
                None => false,
            };
            let if_is = |wdl| if worth == wdl { times } else { 0 };
            let counts =
                WdlCounts { wins: if_is(Wdl::Win), draws: if_is(Wdl::Draw), losses: if_is(Wdl::Loss) };
            Ok::<_, ReachError>((counts, if differs { times } else { 0 }))
        };
        let sum = boards.par_iter().map(one).try_reduce(Default::default, |(mut counts, differing), more| {
            counts += more.0;
            Ok((counts, differing + more.1))
        });
        let (counts, differing) = sum?;
        reached.slices.push(counts);
        reached.differing += differing;
        boards = next(shape, &boards);
    }
    Ok(reached)
}

fn value(family: &Tablebase, board: Board) -> Result<Wdl, ReachError> {
    match family.look_up(&board)? {
        Lookup::Value(value) => Ok(value),
        Lookup::Missing(missing) => Err(ReachError::Missing(missing)),
    }
}

/// Returns a board turned by 0, 1, 2 and 3 quarter turns of the whole board.
fn turned(shape: Shape, board: Board) -> [Board; 4] {
    [0, 1, 2, 3].map(|quarters| Element::whole_board(quarters).apply(shape, board))
}

/// Returns the number of different boards among the four rotations of a board.
fn images(shape: Shape, board: Board) -> u64 {
    // Each different board occurs equally often among the four rotations. So divide 4 by the number
    // of times that the board itself occurs.
    4 / turned(shape, board).iter().filter(|&&image| image == board).count() as u64
}

/// Returns all unfinished boards that one move reaches from a board in `boards`. Each result is the
/// least of its rotations, and occurs once.
fn next(shape: Shape, boards: &[Board]) -> Vec<Board> {
    let distinct = |mut boards: Vec<Board>| {
        boards.par_sort_unstable();
        boards.dedup();
        boards
    };
    let least = |board| turned(shape, board).into_iter().min().expect("there are four");
    let placed = boards.par_iter().flat_map_iter(|&board| {
        let color = Color::ALL[board.marbles() as usize % 2];
        let placed = shape.sockets_of(board.free(shape)).map(move |socket| board.with(color, socket));
        placed.filter(move |b| !shape.has_line(b.of(color))).map(least)
    });
    let turned = distinct(placed.collect());
    let turned = turned.par_iter().flat_map_iter(|&board| {
        let turned = Turn::ALL.iter().map(move |&turn| board.map(|set| shape.turn(set, turn)));
        turned.filter(|b| !shape.has_line(b.x) && !shape.has_line(b.o)).map(least)
    });
    distinct(turned.collect())
}
