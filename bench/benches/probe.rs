//! Measures look-ups in tables:
//! `cargo bench --manifest-path bench/Cargo.toml --bench probe [-- FILTER]`.
//!
//! The tables are read from the folder `PENTAGO_TABLES`, or built below a small root. For each
//! target, the bench draws random positions from the largest table whose next slice is stored.
//! Measures a probe with a warm cache, a probe without a cache, and the values of all moves with a
//! small cache. Asserts that all three measurements find the same values.

mod common;

use common::{folder, open};
use criterion::{Criterion, criterion_group, criterion_main};
use pentago::ask::look_up;
use pentago_core::answer::Value;
use pentago_tables::probe::{Lookup, sample};
use std::hint::black_box;

/// The number of random positions to draw for each target.
const POSITIONS: usize = 2000;

/// A random number generator that takes about a nanosecond per number.
struct Dice(u64);

impl Dice {
    /// Draws a number from 0 to `n - 1`.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 ^ self.0 >> 29) * n as u128) >> 64) as usize
    }
}

fn probes(c: &mut Criterion) {
    let folder = folder();
    // The cache of `little` holds only the blocks for the moves of about one position. The next
    // random position therefore finds few of its blocks in the cache.
    let (warm, cold, little) = (open(&folder, 8 << 30), open(&folder, 0), open(&folder, 2 << 20));
    for (set, without_cache) in warm.families.iter().zip(&cold.families) {
        let rules = set.target().rules;
        let slices: Vec<(u8, u64)> = set.headers().map(|header| (header.slice, header.entries)).collect();
        let largest = slices.windows(2).map(|w| w[0]).max_by_key(|s| s.1).or(slices.first().copied());
        let table = largest.and_then(|(slice, _)| set.table(slice).expect("it can be read"));
        let Some(table) = table else { continue };
        let name = format!("{}, {} marbles", set.target(), table.header().slice);
        let tables = vec![(set, table)];
        let drawn: Vec<_> = sample(tables.clone(), 1).map(|(_, s)| s.position).take(POSITIONS).collect();
        let values: Vec<Lookup> = drawn
            .iter()
            .map(|position| {
                let value = without_cache.look_up(&position.board()).expect("it can be read");
                assert_eq!(warm.look_up(&rules, position).expect("it can be read"), value);
                value
            })
            .collect();
        let mut dice = Dice(1);
        let mut group = c.benchmark_group(&name);
        group.bench_function("warm cache", |b| {
            b.iter(|| {
                let at = dice.below(drawn.len());
                let value = warm.look_up(&rules, black_box(&drawn[at])).expect("it can be read");
                assert!(value == values[at], "wrong value");
            });
        });
        group.bench_function("cold block", |b| {
            b.iter(|| {
                let at = dice.below(drawn.len());
                let value = without_cache.look_up(&black_box(&drawn[at]).board()).expect("it can be read");
                assert!(value == values[at], "another value");
            });
        });
        let open: Vec<usize> = (0..drawn.len()).filter(|&at| rules.outcome(&drawn[at]).is_none()).collect();
        group.bench_function("all moves", |b| {
            b.iter(|| {
                let at = open[dice.below(open.len())];
                let answer = look_up(&little, &rules, black_box(&drawn[at])).expect("it can be read");
                assert!(matches!(&values[at], Lookup::Value(wdl) if Value::from(*wdl) == answer.value));
            });
        });
        group.finish();
    }
}

criterion_group!(benches, probes);
criterion_main!(benches);
