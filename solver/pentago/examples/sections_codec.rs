//! How small real blocks of whole games become: random blocks of slices that are too large to be
//! built, each of their boards solved by itself: `cargo run --release --example sections_codec
//! [BLOCKS [MARBLES...]]`, 3 blocks of 24, 26, 28 and 30 marbles where nothing is said.
//!
//! Prints for each slice and level of zstd the ratio to 64 bytes an entry: of the values, of what
//! is left of them one move ahead, and of what a table holds; with what that costs. Every block
//! must come back.

mod random_blocks;

use pentago::codec::{Coded, Level, Predictor, decode, encode, encode_either, exchange};
use pentago::index::Sections;
use pentago::rules::Rules;
use pentago::values::Entry;
use random_blocks::{Dice, random_block, solve_block};
use std::time::Instant;

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
            let entries = solve_block(rules, section, &ranges);
            made.push((section, ranges, entries));
        }
        let raw: usize = made.iter().map(|(.., entries)| size_of_val(&entries[..])).sum();
        for level in [1, 3, 9, 15, 19].map(|n| Level::new(n).expect("a level of zstd")) {
            let (mut bytes, mut seconds) = ([0; 3], [0.0; 2]);
            for (section, ranges, entries) in &made {
                let mut payload = Vec::new();
                encode(entries, level, &mut payload);
                bytes[0] += payload.len();
                let mut guess = vec![Entry::default(); entries.len()];
                let began = Instant::now();
                let mut rest = entries.clone();
                predictor.guess(*section, ranges, &mut guess);
                exchange(&mut rest, &guess);
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
                    predictor.guess(*section, ranges, &mut guess);
                    exchange(&mut back, &guess);
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
