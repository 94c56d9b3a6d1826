//! How small real blocks of whole games become: random blocks of slices that are too large to be built, each of their boards solved by itself:
//! `cargo run --release --example sections_codec [BLOCKS [MARBLES...]]`, 3 blocks of 24, 26, 28 and 30 marbles where nothing is said.
//!
//! Prints for each slice and level of zstd the ratio to 64 bytes an entry: of the values, of what is left of them one move ahead, and
//! of what a table holds; with what that costs. Every block must come back.

use pentago::codec::{Coded, Level, Predictor, decode, encode, encode_either};
use pentago::control::Control;
use pentago::index::sections::section::EDGE;
use pentago::index::{Section, Sections};
use pentago::kernel::{Kernel, Pack};
use pentago::rules::{Position, Rules};
use pentago::solve::rooted::downstream::Downstream;
use pentago::solve::rooted::{HalfSlice, SpillError, SpillStore};
use pentago::values::{BlockId, Entry, Grid, Sink};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

/// Keeps the values of a root in memory.
#[derive(Default)]
struct Kept(Mutex<HashMap<(HalfSlice, u64), Vec<Pack>>>);

impl SpillStore for Kept {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), SpillError> {
        self.0.lock().expect("nobody panicked").insert((of, unit), lines.to_vec());
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), SpillError> {
        into.copy_from_slice(&self.0.lock().expect("nobody panicked")[&(of, unit)]);
        Ok(())
    }

    fn finish(&self, _: HalfSlice) -> Result<(), SpillError> {
        Ok(())
    }
}

/// Takes the one entry of a root.
#[derive(Default)]
struct One(Mutex<Entry>);

impl Sink for One {
    type Error = SpillError;

    fn put(&self, _: BlockId, entries: &[Entry]) -> Result<(), SpillError> {
        *self.0.lock().expect("nobody panicked") = entries[0];
        Ok(())
    }
}

/// The values of a board at all rotations.
fn solve(rules: Rules, position: &Position) -> Entry {
    let root = Downstream::new(rules, Kernel::best(), 1, position);
    let (tables, kept, one) = (root.tables(), Kept::default(), One::default());
    let mut workspace = root.workspace(0).expect("memory");
    for task in root.tasks(0) {
        root.run(task, 0, &tables, &mut workspace, &kept, &Control::new()).expect("solved");
    }
    root.collect(0, 0, 1, &kept, &one).expect("put together");
    one.0.into_inner().expect("nobody panicked")
}

/// A generator for choices, not for secrets.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 ^ self.0 >> 29) * u128::from(n)) >> 64) as u64
    }
}

/// A block of a slice: all entries are equally likely to be in it.
fn random_block(sections: &Sections, marbles: usize, dice: &mut Dice) -> (Section, Grid, u64) {
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

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let (&blocks, slices) = numbers.split_first().unwrap_or((&3, &[]));
    let rules = Rules::default();
    let sections = Sections::of(rules.shape, rules.dir);
    let mut dice = Dice(1);
    println!(
        "{:>7} {:>5} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "marbles", "level", "values", "rest", "table", "in MB/s", "out MB/s"
    );
    for &marbles in if slices.is_empty() { &[24, 26, 28, 30] } else { slices } {
        let predictor = Predictor::new(rules, marbles as u8);
        let mut made = Vec::new();
        for _ in 0..blocks {
            let (section, grid, block) = random_block(sections, marbles, &mut dice);
            let ranges = grid.ranges(block);
            let lens = ranges.clone().map(|r| r.len() as u32);
            let entry = |number: u64| {
                let within = Grid::new(lens, 1).index(number);
                let index = std::array::from_fn(|axis| ranges[axis].start + within[axis]);
                let board = sections.board(section, index, [0; 4]);
                solve(rules, &Position::of(rules.shape, board).expect("a position"))
            };
            let entries: Vec<Entry> = (0..Grid::new(lens, 1).entries()).into_par_iter().map(entry).collect();
            made.push((section, ranges, entries));
        }
        let raw: usize = made.iter().map(|(.., entries)| size_of_val(&entries[..])).sum();
        for level in [1, 3, 9, 15, 19].map(|n| Level::new(n).expect("a level of zstd")) {
            let (mut bytes, mut seconds) = ([0; 3], [0.0; 2]);
            for (section, ranges, entries) in &made {
                let mut payload = Vec::new();
                encode(entries, level, &mut payload);
                bytes[0] += payload.len();
                let began = Instant::now();
                let mut rest = entries.clone();
                predictor.exchange(*section, ranges, &mut rest);
                let mut table = Vec::new();
                encode_either(entries, &rest, level, &mut table);
                seconds[0] += began.elapsed().as_secs_f64();
                bytes[2] += table.len();
                payload.clear();
                encode(&rest, level, &mut payload);
                bytes[1] += payload.len();
                let began = Instant::now();
                let mut back = vec![Entry::default(); entries.len()];
                if decode(&table, &mut back).expect("what was encoded") == Coded::Rest {
                    predictor.exchange(*section, ranges, &mut back);
                }
                seconds[1] += began.elapsed().as_secs_f64();
                assert!(&back == entries, "a block didn't come back");
            }
            let [values, rest, table] = bytes.map(|b| b as f64 / raw as f64);
            let [to, from] = seconds.map(|s| raw as f64 / s / 1e6);
            println!(
                "{marbles:>7} {:>5} {values:>8.4} {rest:>8.4} {table:>8.4} {to:>9.0} {from:>9.0}",
                level.number()
            );
        }
    }
}
