//! Writes random blocks of true values to files, for training and measuring codecs:
//! `cargo run --release --manifest-path bench/Cargo.toml --example codec_corpus -- \
//! FOLDER SEED BLOCKS MARBLES...`.
//!
//! A block is drawn with a probability proportional to its number of entries. The name of a file is
//! `MARBLES-SEED-NUMBER.block`. The file begins with little-endian 4-byte words: the number of
//! marbles, the eight counts of the section, the start and end of the block along each axis, and
//! the number of entries. Then follow the entries, and after all entries the guesses of
//! [`Predictor`]. Each entry and each guess has 64 bytes.

mod random_blocks;

use pentago::rules::Rules;
use pentago_core::index::Sections;
use pentago_core::values::Entry;
use pentago_tables::codec::{Predictor, entry_bytes};
use random_blocks::{Dice, random_block, solve_block};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = &arguments[..] else { panic!("FOLDER SEED BLOCKS MARBLES...") };
    let numbers: Vec<u64> = numbers.iter().map(|a| a.parse().expect("a number")).collect();
    let [seed, blocks, slices @ ..] = &numbers[..] else { panic!("FOLDER SEED BLOCKS MARBLES...") };
    let rules = Rules::default();
    let sections = Sections::of(rules.shape, rules.dir);
    let mut dice = Dice(*seed);
    for &marbles in slices {
        let predictor = Predictor::new(rules, marbles as u8);
        for number in 0..*blocks {
            let (section, grid, block) = random_block(sections, marbles as usize, &mut dice);
            let ranges = grid.ranges(block);
            let entries = solve_block(rules, section, &ranges);
            let mut guess = vec![Entry::default(); entries.len()];
            predictor.guess(section, &ranges, &mut guess);
            let counts = section.counts().into_iter().flatten().map(u32::from);
            let words = [marbles as u32]
                .into_iter()
                .chain(counts)
                .chain(ranges.iter().flat_map(|r| [r.start, r.end]));
            let words = words.chain([entries.len() as u32]);
            let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            bytes.extend(entries.iter().chain(&guess).flat_map(entry_bytes));
            let path = format!("{folder}/{marbles}-{seed}-{number:02}.block");
            std::fs::write(&path, bytes).expect("written");
            println!("{path}: {section}, {ranges:?}");
        }
    }
}
