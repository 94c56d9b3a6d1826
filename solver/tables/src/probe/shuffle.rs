//! Draws the boards of tables in a random order without repetition. The result can serve as
//! training data.
//!
//! A seed determines a permutation of the locations of all values. The permutation is uniform over
//! the boards, takes no memory, and can be resumed at any index. A board that is stored at several
//! locations is drawn at only one of these locations.

use super::many::{PendingValue, read, stopped};
use super::tables::Tables;
use crate::tables::{ArrayInfo, Location, Table, TableError, Tablebase};
use pentago_base::{Control, GOLDEN, mix};
use pentago_core::rules::{Board, Position, Rules};
use pentago_core::symmetry::{Element, Group};
use pentago_core::values::Wdl;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// A random order of the boards of tables, and the number of locations that are drawn already.
///
/// The order depends on the tables, the seed and the options. The order doesn't depend on the
/// number of boards per call, or on the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Shuffle {
    keys: [u64; ROUNDS],
    slices: Option<Vec<u8>>,
    target: Option<usize>,
    up_to_symmetry: bool,
    finished: bool,
    /// The number of locations that have been drawn.
    next: u64,
    /// The number of all locations, or 0 before the first draw.
    all: u64,
}

/// The number of rounds of the Feistel network. Four rounds suffice for shuffling. Six rounds leave
/// no measurable pattern.
const ROUNDS: usize = 6;

impl Shuffle {
    /// Creates a shuffle of all boards on which the game is not over.
    pub fn new(seed: u64) -> Shuffle {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let keys = std::array::from_fn(|_| random.next_u64());
        Shuffle { keys, slices: None, target: None, up_to_symmetry: false, finished: false, next: 0, all: 0 }
    }

    /// Restricts the shuffle to boards whose number of marbles is in `slices`.
    pub fn marbles(mut self, slices: &[u8]) -> Shuffle {
        self.slices = Some(slices.to_vec());
        self
    }

    /// Restricts the shuffle to one target. `number` is its index in [`Tables::families`].
    pub fn of_target(mut self, number: usize) -> Shuffle {
        self.target = Some(number);
        self
    }

    /// Sets whether only the canonical board is drawn from each set of symmetric boards. The
    /// default is `false`: every board is drawn.
    pub fn up_to_symmetry(mut self, up_to_symmetry: bool) -> Shuffle {
        self.up_to_symmetry = up_to_symmetry;
        self
    }

    /// Sets whether boards of finished games are drawn as well. The default is `false`.
    pub fn finished(mut self, finished: bool) -> Shuffle {
        self.finished = finished;
        self
    }

    /// Returns the drawn share of the locations, from 0 to 1. The boards are spread evenly over the
    /// locations, so the share tells roughly how many boards there are.
    pub fn share(&self) -> f64 {
        self.next as f64 / self.all.max(1) as f64
    }

    /// Applies the permutation to `number`, which must be less than `all`. The result is also less
    /// than `all`.
    fn image(&self, number: u64, all: u64) -> u64 {
        let bits = (u64::BITS - (all - 1).leading_zeros()).max(2);
        let low = bits / 2;
        let (low_mask, high_mask) = ((1u64 << low) - 1, (1u64 << (bits - low)) - 1);
        let mut number = number;
        // A Feistel network permutes all numbers of `bits` bits, which are fewer than `4 * all`
        // numbers. If the image isn't less than `all`, the loop permutes the image again.
        loop {
            let (mut left, mut right) = (number >> low, number & low_mask);
            for pair in self.keys.chunks(2) {
                left ^= mix((right ^ pair[0]).wrapping_add(GOLDEN)) & high_mask;
                right ^= mix((left ^ pair[1]).wrapping_add(GOLDEN)) & low_mask;
            }
            number = left << low | right;
            if number < all {
                return number;
            }
        }
    }
}

/// All locations from which a shuffle may draw.
struct ShuffleSpace<'t> {
    /// The tables. Each element contains the index of the target, the tablebase of the target, and
    /// the table.
    tables: Vec<(usize, &'t Tablebase, &'t Table)>,
    /// The arrays of all tables. Each element contains the index of the table in `tables`, the
    /// index of the array in the table, and the array.
    arrays: Vec<(usize, u32, ArrayInfo)>,
    /// For each array, the number of entries in all preceding arrays. The last element is the
    /// number of entries in all arrays.
    before: Vec<u64>,
    symmetries: Vec<Element>,
    rules: Rules,
}

impl Tables {
    /// Draws at most `most` boards of a shuffle under the given rules, in the threads of the
    /// current rayon pool. Each board comes with its value for the side to move. Returns an empty
    /// list if all boards have been drawn. `control` counts the drawn locations, and can cancel the
    /// work.
    ///
    /// # Errors
    /// If a table is damaged or can't be read, or the work was cancelled. In the case of an error,
    /// the shuffle stays unchanged.
    pub fn draw(
        &self,
        rules: &Rules,
        shuffle: &mut Shuffle,
        most: usize,
        control: &Control,
    ) -> Result<Vec<(Position, Wdl)>, TableError> {
        let space = ShuffleSpace::new(self, rules, shuffle)?;
        let tables: Vec<&Table> = space.tables.iter().map(|t| t.2).collect();
        let copies = if shuffle.up_to_symmetry { 1 } else { space.symmetries.len() as u64 };
        let all = space.before.last().map_or(0, |&entries| entries * 256 * copies);
        let mut drawn: Vec<(Position, Wdl)> = Vec::new();
        let mut next = shuffle.next;
        while drawn.len() < most && next < all {
            stopped(self, control)?;
            let end = all.min(next + (2 * (most - drawn.len()) as u64).clamp(1 << 10, 1 << 19));
            let found = (next..end)
                .into_par_iter()
                .map(|n| space.board(shuffle, shuffle.image(n, all), copies).map(|found| (n, found)));
            let mut found: Vec<(u64, (Position, usize, u32, Location))> = found.flatten_iter().collect();
            found.truncate(most - drawn.len());
            let mut pending: Vec<PendingValue> = (found.iter().enumerate())
                .map(|(number, (_, (_, table, array, place)))| {
                    PendingValue::new(*table, tables[*table], *array, place, number)
                })
                .collect();
            read(&tables, &mut pending, || stopped(self, control))?;
            let begin = drawn.len();
            drawn.extend(found.iter().map(|(_, (position, ..))| (*position, Wdl::Loss)));
            for read in pending {
                drawn[begin + read.number as usize].1 = read.value;
            }
            let full = drawn.len() == most;
            let after = if full { found.last().map_or(end, |(n, _)| n + 1) } else { end };
            control.add(after - next);
            next = after;
        }
        (shuffle.next, shuffle.all) = (next, all);
        Ok(drawn)
    }
}

impl<'t> ShuffleSpace<'t> {
    fn new(tables: &'t Tables, rules: &Rules, shuffle: &Shuffle) -> Result<ShuffleSpace<'t>, TableError> {
        let mut opened = Vec::new();
        for (number, family) in tables.families.iter().enumerate() {
            if family.target().rules != *rules || shuffle.target.is_some_and(|wanted| wanted != number) {
                continue;
            }
            let mut slices = family.slices();
            slices.retain(|slice| shuffle.slices.as_ref().is_none_or(|wanted| wanted.contains(slice)));
            for slice in slices {
                let tables = family.tables(slice)?;
                // If the first table has all arrays of another table, all boards of the other table
                // are drawn from the first table. The order must not depend on the other table.
                let lacks = |table: &&&Table| {
                    table.arrays().iter().any(|record| tables[0].array(&record.array.key).is_none())
                };
                let adding = tables.iter().take(1).chain(tables.iter().skip(1).filter(lacks));
                opened.extend(adding.map(|table| (number, family, *table)));
            }
        }
        let (mut arrays, mut before) = (Vec::new(), vec![0]);
        for (number, (_, _, table)) in opened.iter().enumerate() {
            for (array, record) in (0..).zip(table.arrays()) {
                arrays.push((number, array, record.array));
                before.push(before[before.len() - 1] + record.array.grid.entries());
            }
        }
        let symmetries = Group::whole_board(rules.dir).elements().collect();
        Ok(ShuffleSpace { tables: opened, arrays, before, symmetries, rules: *rules })
    }

    /// Returns the board with index `n`, the index of its table, the index of its array, and its
    /// location. Returns `None` if the board is drawn at another index or not at all.
    fn board(&self, shuffle: &Shuffle, n: u64, copies: u64) -> Option<(Position, usize, u32, Location)> {
        let (copy, cell) = ((n % copies) as usize, n / copies);
        let entry = cell / 256;
        let at = self.before.partition_point(|&first| first <= entry) - 1;
        let (number, array, info) = self.arrays[at];
        let (target, family, table) = self.tables[number];
        let index = info.grid.index(entry - self.before[at]);
        let rotation = [6, 4, 2, 0].map(|shift| ((cell % 256) >> shift) as u8 % 4);
        let board = family.index().stored(table.header().slice, info.key, index, rotation).position.board();
        // A board may be stored at several locations. Draw the board only at the location that the
        // index returns.
        let place = Location { key: info.key, index, rotation, symmetry: 0 };
        if family.index().locate(board) != Some(place) {
            return None;
        }
        // A board may be stored in several tables. Draw the board only from the first of these
        // tables.
        let slice = table.header().slice;
        let mut of_slice = self.tables[..number].iter().filter(|(.., other)| other.header().slice == slice);
        if of_slice.any(|(other, family, earlier)| {
            let place = if *other == target { Some(place) } else { family.index().locate(board) };
            place.is_some_and(|place| earlier.array(&place.key).is_some())
        }) {
            return None;
        }
        // Symmetric boards may have separate locations. Draw all of them from the location of the
        // least board.
        let shape = self.rules.shape;
        let images = || self.symmetries.iter().map(|by| by.apply(shape, board));
        let apart = |image: Board| family.index().locate(image).is_some_and(|place| place.symmetry == 0);
        if images().any(|image| image < board && apart(image)) {
            return None;
        }
        let shown = if shuffle.up_to_symmetry {
            images().min().unwrap_or(board)
        } else {
            let shown = images().nth(copy)?;
            if images().take(copy).any(|image| image == shown) {
                return None;
            }
            shown
        };
        let position = Position::of(shape, shown).ok()?;
        if !shuffle.finished && self.rules.outcome(&position).is_some() {
            return None;
        }
        Some((position, number, array, place))
    }
}
