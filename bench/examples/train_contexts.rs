//! Trains the tables of the codec of open bits on real blocks:
//!
//! ```sh
//! # and other slices and seeds:
//! cargo run --release --manifest-path bench/Cargo.toml --example codec_corpus -- CORPUS 2 8 24 26
//! cargo run --release --manifest-path bench/Cargo.toml --example train_contexts -- \
//!     contexts.bin CORPUS/*.block
//! zstd -19 contexts.bin -o solver/tables/src/codec/open/contexts.bin.zst
//! ```
//!
//! The log odds of a bit are the sum of the log odds of its contexts. Stochastic gradient descent
//! with one falling step size per number (Duchi, Hazan, Singer 2011) finds these numbers, over all
//! open bits of all blocks in random order. The results are rounded to 16ths.

mod random_blocks;

use pentago::rules::Rules;
use pentago_tables::codec::open::Neighbours;
use pentago_tables::codec::open::walk::{BitCoder, CONTEXT_VALUES, CONTEXTS, walk};
use random_blocks::{Dice, read_block};

/// The contexts and values of all open bits.
#[derive(Default)]
struct Seen(Vec<([u16; CONTEXTS], bool)>);

impl BitCoder for Seen {
    fn code(&mut self, contexts: &[u16; CONTEXTS], bit: bool) -> bool {
        self.0.push((*contexts, bit));
        bit
    }
}

/// The number of passes over the bits.
const EPOCHS: usize = 4;

fn train(seen: &[([u16; CONTEXTS], bool)]) -> Vec<i8> {
    let mut numbers = vec![0.0f32; CONTEXTS * CONTEXT_VALUES];
    let mut squares = vec![1e-2f32; CONTEXTS * CONTEXT_VALUES];
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    let mut dice = Dice(1);
    for epoch in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            order.swap(i, dice.below(i as u64 + 1) as usize);
        }
        let rate = 0.15 / (1.0 + epoch as f32);
        let mut bits = 0.0;
        for &i in &order {
            let (contexts, bit) = seen[i as usize];
            let places: [usize; CONTEXTS] =
                std::array::from_fn(|k| k * CONTEXT_VALUES + usize::from(contexts[k]));
            let sum: f32 = places.iter().map(|&place| numbers[place]).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let error = f32::from(u8::from(bit)) - p;
            bits -= f64::from(if bit { p } else { 1.0 - p }).max(1e-9).log2();
            for place in places {
                squares[place] += error * error;
                numbers[place] += rate * error / squares[place].sqrt();
            }
        }
        println!("epoch {epoch}: {:.4} bits for an open bit", bits / seen.len() as f64);
    }
    numbers.iter().map(|n| (16.0 * n).round().clamp(-127.0, 127.0) as i8).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, paths @ ..] = &arguments[..] else { panic!("OUT BLOCK...") };
    let mut seen = Seen::default();
    for path in paths {
        let mut block = read_block(path);
        let neighbours = Neighbours::of_section(Rules::default(), block.section, &block.ranges);
        walk(&mut block.entries, Some(&block.guess), &neighbours, &mut seen);
    }
    println!("{} blocks, {} open bits", paths.len(), seen.0.len());
    let squash = (0..2048).map(|i| {
        let p = 65_536.0 / (1.0 + (-f64::from(i - 1024) / 64.0).exp());
        p.round().clamp(1.0, 65_535.0) as u16
    });
    let mut bytes: Vec<u8> = squash.flat_map(u16::to_le_bytes).collect();
    bytes.extend(train(&seen.0).iter().map(|&n| n as u8));
    std::fs::write(out, bytes).expect("written");
}
