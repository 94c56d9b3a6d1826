//! Measures the size and the speed of each codec on real blocks:
//! `cargo run --release --manifest-path bench/Cargo.toml --example open_codec -- BLOCK...`.
//!
//! Each BLOCK is a file that the example `codec_corpus` wrote. Use blocks that were not used to
//! train the contexts.
//!
//! For each slice and codec, prints the size relative to 64 bytes per entry. Also prints how many
//! megabytes of entries one thread encodes and decodes per second, including the time for the
//! guess. Times are CPU times if the system reports them. For the codecs of open bits, also prints
//! the mean time of a cold probe in milliseconds. A cold probe decodes a block up to a random
//! entry; 64 entries of each block are tried. Asserts that every block is decoded correctly.

mod random_blocks;

use pentago::rules::Rules;
use pentago_core::values::Entry;
use pentago_tables::codec::open::{Neighbours, Preset, decode, encode};
use pentago_tables::codec::{Level, Predictor};
use random_blocks::{Block, Dice, read_block};
use std::collections::BTreeMap;
use std::time::Instant;

/// Returns the mean duration of a call of `f`, in seconds. Measures CPU time if the system reports
/// CPU time, because other load on the machine disturbs wall time.
fn seconds(mut f: impl FnMut()) -> f64 {
    let cpu = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse::<f64>().ok().map(|ns| ns / 1e9)
    };
    let (began, clock) = (cpu(), Instant::now());
    let mut calls = 0.0;
    loop {
        f();
        calls += 1.0;
        let so_far = match (began, cpu()) {
            (Some(began), Some(now)) => now - began,
            _ => clock.elapsed().as_secs_f64(),
        };
        if so_far > 0.05 {
            return so_far / calls;
        }
    }
}

/// The measurements of one codec on all blocks of one slice.
struct CodecFigures {
    /// The total size of all payloads in bytes.
    bytes: usize,
    /// The seconds to encode all blocks, then the seconds to decode all blocks.
    seconds: [f64; 2],
    /// The mean duration of a probe in seconds, for each block.
    probes: Vec<f64>,
}

fn main() {
    let rules = Rules::default();
    let mut by_slice: BTreeMap<u8, Vec<Block>> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let block = read_block(&path);
        by_slice.entry(block.marbles).or_default().push(block);
    }
    println!(
        "{:>7} {:>6} {:>14} {:>8} {:>9} {:>9} {:>9}",
        "marbles", "blocks", "codec", "of raw", "in MB/s", "out MB/s", "probe ms"
    );
    for (marbles, blocks) in by_slice {
        let predictor = Predictor::new(rules, marbles);
        let raw: usize = blocks.iter().map(|b| size_of_val(&b.entries[..])).sum();
        let show = |name: &str, sum: CodecFigures| {
            let rate = sum.seconds.map(|s| raw as f64 / s / 1e6);
            let probe = sum.probes.iter().sum::<f64>() / sum.probes.len().max(1) as f64;
            println!(
                "{marbles:>7} {:>6} {name:>14} {:>8.4} {:>9.0} {:>9.0} {:>9.2}",
                blocks.len(),
                sum.bytes as f64 / raw as f64,
                rate[0],
                rate[1],
                1e3 * probe
            );
        };
        for level in [1, 9] {
            let level_of = Level::new(level).expect("a level");
            let mut sum = CodecFigures { bytes: 0, seconds: [0.0; 2], probes: Vec::new() };
            for Block { entries, .. } in &blocks {
                let mut payload = Vec::new();
                sum.seconds[0] += seconds(|| {
                    payload.clear();
                    pentago_tables::codec::encode(entries, level_of, &mut payload);
                });
                sum.bytes += payload.len();
                let mut back = vec![Entry::default(); entries.len()];
                sum.seconds[1] += seconds(|| {
                    pentago_tables::codec::decode(&payload, &mut back).expect("a payload");
                });
                assert!(&back == entries);
            }
            show(&format!("zstd {level}"), sum);
        }
        for preset in Preset::ALL {
            let mut sum = CodecFigures { bytes: 0, seconds: [0.0; 2], probes: Vec::new() };
            for Block { section, ranges, entries, .. } in &blocks {
                let mut payload = Vec::new();
                let mut guess = vec![Entry::default(); entries.len()];
                sum.seconds[0] += seconds(|| {
                    payload.clear();
                    predictor.guess(*section, ranges, &mut guess);
                    let neighbours = Neighbours::Section(rules, *section, ranges.clone());
                    encode(entries, Some(&guess), &neighbours, preset, &mut payload).expect("consistent");
                });
                sum.bytes += payload.len();
                let mut back = vec![Entry::default(); entries.len()];
                sum.seconds[1] += seconds(|| {
                    let neighbours = Neighbours::Section(rules, *section, ranges.clone());
                    let guess = |into: &mut [Entry]| predictor.guess(*section, ranges, into);
                    decode(&payload, guess, &neighbours, &mut back).expect("a payload");
                });
                assert!(&back == entries);
                let mut dice = Dice(entries.len() as u64);
                let counts: Vec<usize> =
                    (0..64).map(|_| 1 + dice.below(entries.len() as u64) as usize).collect();
                let probes = seconds(|| {
                    for &count in &counts {
                        let neighbours = Neighbours::Section(rules, *section, ranges.clone());
                        let guess = |into: &mut [Entry]| predictor.guess(*section, ranges, into);
                        decode(&payload, guess, &neighbours, &mut back[..count]).expect("a payload");
                    }
                });
                sum.probes.push(probes / counts.len() as f64);
                assert!(&back == entries);
            }
            show(&format!("{preset:?}"), sum);
        }
    }
}
