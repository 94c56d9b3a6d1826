//! Trains the tables of the codec of open bits on real blocks:
//!
//! ```sh
//! # Repeat this with other slices and seeds:
//! cargo run --release --manifest-path bench/Cargo.toml --example codec_corpus -- CORPUS 2 8 24 26
//! cargo run --release --manifest-path bench/Cargo.toml --example train_contexts -- \
//!     contexts.bin CORPUS/*.block
//! zstd -19 contexts.bin -o solver/tables/src/codec/open/contexts.bin.zst
//! ```
//!
//! A table holds one number for each value of a context. The log odds of a bit are the sum of the
//! numbers of its contexts. The numbers are trained by stochastic gradient descent over all open
//! bits of all blocks in random order. Each number has its own falling step size (Duchi, Hazan,
//! Singer 2011). The results are rounded to 16ths.

mod random_blocks;

use pentago_decoder::minimal_patterns;
use pentago_decoder::open::{Block, walk};
use pentago_tables::codec::entry_bytes;
use random_blocks::{Dice, read_block};

/// The number of contexts of each bit, then the number of values of each context.
const CONTEXTS: usize = 4;
const CONTEXT_VALUES: usize = 1 << 15;

/// The number of training passes over all bits.
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
    let mut seen = Vec::new();
    for path in paths {
        let block = read_block(path);
        let patterns = std::array::from_fn(|q| {
            let ([x, o], range) = (block.section.counts()[q], &block.ranges[q]);
            let list = minimal_patterns(3, x, o).into_iter();
            list.skip(range.start as usize).take(range.len()).collect()
        });
        let entries: Vec<[u8; 64]> = block.entries.iter().map(entry_bytes).collect();
        let guess = block.guess.iter().map(entry_bytes).collect();
        let plain = Block { len: entries.len(), patterns: Some(&patterns), guess };
        walk(&plain, true, |contexts, entry, at| {
            let bit = entries[entry][at / 8] >> (at % 8) & 1 == 1;
            seen.push((contexts.map(|context| context as u16), bit));
            Ok(bit)
        })
        .expect("no bit is missing");
    }
    println!("{} blocks, {} open bits", paths.len(), seen.len());
    let squash = (0..2048).map(|i| {
        let p = 65_536.0 / (1.0 + (-f64::from(i - 1024) / 64.0).exp());
        p.round().clamp(1.0, 65_535.0) as u16
    });
    let mut bytes: Vec<u8> = squash.flat_map(u16::to_le_bytes).collect();
    bytes.extend(train(&seen).iter().map(|&n| n as u8));
    std::fs::write(out, bytes).expect("written");
}
