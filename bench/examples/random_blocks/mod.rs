//! Draws random blocks of slices that are too large to build. Every board of a block is solved
//! separately. The examples that measure and train codecs share this module.

#![allow(dead_code)]

use pentago::Control;
use pentago::rules::{Position, Rules};
use pentago_core::index::sections::section::EDGE;
use pentago_core::index::{Section, Sections};
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::solve::rooted::downstream::Downstream;
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::values::{BlockId, BoxError, Entry, Grid, Sink};
use pentago_tables::codec::entry_from_bytes;
use rayon::prelude::*;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

/// A spill store in memory, for the values of the boards below a root.
#[derive(Default)]
struct SpillMemory(Mutex<HashMap<(HalfSlice, u64), Vec<Pack>>>);

impl SpillStore for SpillMemory {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        self.0.lock().expect("nobody panicked").insert((of, unit), lines.to_vec());
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
        into.copy_from_slice(&self.0.lock().expect("nobody panicked")[&(of, unit)]);
        Ok(())
    }
}

/// A sink that stores the entry of a root.
#[derive(Default)]
struct RootEntry(Mutex<Entry>);

impl Sink for RootEntry {
    fn put(&self, _: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        *self.0.lock().expect("nobody panicked") = entries[0];
        Ok(())
    }
}

/// Returns the values of a board at all rotations.
fn solve(rules: Rules, position: &Position) -> Entry {
    let root = Downstream::new(rules, Kernel::best(), NonZeroUsize::MIN, position);
    let (tables, kept, one) = (root.tables(), SpillMemory::default(), RootEntry::default());
    let mut workspace = root.workspace(0).expect("memory");
    for task in root.tasks(0) {
        root.run(task, 0, &tables, &mut workspace, &kept, &Control::new()).expect("solved");
    }
    root.collect(0, 0, 1, &kept, &one).expect("put together");
    one.0.into_inner().expect("nobody panicked")
}

/// A random number generator. Do not change its sequence: trained tables depend on it.
pub struct Dice(pub u64);

impl Dice {
    /// Draws a number from 0 to `n - 1`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 ^ self.0 >> 29) * u128::from(n)) >> 64) as u64
    }
}

/// Draws a random entry of a slice. Returns the section of the entry, the grid of the section, and
/// the index of the block that contains the entry.
pub fn random_block(sections: &Sections, marbles: usize, dice: &mut Dice) -> (Section, Grid, u64) {
    let grids = sections.standard(marbles).into_iter().map(|s| (s, Grid::new(sections.extents(s), EDGE)));
    let all: Vec<(Section, Grid)> = grids.collect();
    let mut at = dice.below(all.iter().map(|(_, grid)| grid.entries()).sum());
    for (section, grid) in all {
        if at < grid.entries() {
            return (section, grid, grid.locate(grid.index(at)).0);
        }
        at -= grid.entries();
    }
    unreachable!("the number is less than the sum")
}

/// Returns the values of all boards of a block, whose index ranges are `ranges`.
pub fn solve_block(rules: Rules, section: Section, ranges: &[Range<u32>; 4]) -> Vec<Entry> {
    let sections = Sections::of(rules.shape, rules.dir);
    let lens = ranges.clone().map(|r| r.len() as u32);
    let entry = |number: u64| {
        let within = Grid::new(lens, 1).index(number);
        let index = std::array::from_fn(|axis| ranges[axis].start + within[axis]);
        let board = sections.board(section, index, [0; 4]);
        solve(rules, &Position::of(rules.shape, board).expect("a position"))
    };
    (0..Grid::new(lens, 1).entries()).into_par_iter().map(entry).collect()
}

/// The contents of one file of the example `codec_corpus`: a block and its guess.
pub struct Block {
    /// The number of marbles on each board of the block.
    pub marbles: u8,
    /// The section that contains the block.
    pub section: Section,
    /// The index range of the block along each axis of the section's array.
    pub ranges: [Range<u32>; 4],
    /// The true values of the boards.
    pub entries: Vec<Entry>,
    /// The guessed values of the boards, in the order of `entries`.
    pub guess: Vec<Entry>,
}

/// Reads a file that the example `codec_corpus` wrote.
pub fn read_block(path: &str) -> Block {
    let bytes = std::fs::read(path).expect(path);
    let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"));
    let entry = |i: usize| entry_from_bytes(bytes[72 + 64 * i..][..64].try_into().expect("an entry"));
    let len = word(17) as usize;
    Block {
        marbles: word(0) as u8,
        section: Section::new(std::array::from_fn(|q| [word(1 + 2 * q) as u8, word(2 + 2 * q) as u8]))
            .expect("a section"),
        ranges: std::array::from_fn(|axis| word(9 + 2 * axis)..word(10 + 2 * axis)),
        entries: (0..len).map(entry).collect(),
        guess: (len..2 * len).map(entry).collect(),
    }
}
