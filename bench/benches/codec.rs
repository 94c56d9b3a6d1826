//! Measures the codecs of blocks:
//! `cargo bench --manifest-path bench/Cargo.toml --bench codec [-- FILTER]`.
//!
//! Encodes and decodes blocks of real tables with two codecs: bit planes compressed with zstd, and
//! repeats. The tables are read from the folder `PENTAGO_TABLES`, or built below a small root.
//! First prints the compression ratios relative to 64 bytes per entry. Also measures the
//! transposition alone, and the decoding of blocks of other lengths. Asserts that every block is
//! decoded correctly.

mod common;

use common::{folder, open};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::values::{BlockId, ENTRY_BYTES, Entry};
use pentago_tables::codec::{Level, decode, encode, join, planes_bytes, repeats, split};
use std::hint::black_box;

/// The levels of zstd to measure.
const LEVELS: [u8; 4] = [1, 3, 9, 15];
/// The number of blocks to read from each array of a table. The actual number can be up to twice as
/// large, because the step between blocks is rounded down.
const BLOCKS: u64 = 40;

/// Reads evenly spaced blocks from each array of every table: about `BLOCKS` blocks, or all blocks
/// of a smaller array.
fn blocks() -> Vec<Vec<Entry>> {
    let tables = open(&folder(), 0);
    let mut blocks = Vec::new();
    for set in &tables.families {
        for header in set.headers() {
            let table = set.table(header.slice).expect("it can be read").expect("it is listed");
            for (array, record) in (0..).zip(table.arrays()) {
                let all = record.array.grid.blocks();
                for block in (0..all).step_by((all / BLOCKS).max(1) as usize) {
                    blocks.push(table.block(BlockId { array, block }).expect("it can be read").to_vec());
                }
            }
        }
    }
    blocks
}

/// Concatenates the entries of all blocks and divides them into new blocks of `len` entries. Drops
/// the last block if it is incomplete.
fn reblocked(blocks: &[Vec<Entry>], len: usize) -> Vec<Vec<Entry>> {
    let entries: Vec<Entry> = blocks.iter().flatten().copied().collect();
    entries.chunks_exact(len).map(<[Entry]>::to_vec).collect()
}

fn bytes(blocks: &[Vec<Entry>]) -> u64 {
    blocks.iter().map(|block| (block.len() * ENTRY_BYTES) as u64).sum()
}

fn ratio(payloads: &[Vec<u8>], blocks: &[Vec<Entry>]) -> f64 {
    payloads.iter().map(Vec::len).sum::<usize>() as f64 / bytes(blocks) as f64
}

fn encoded(blocks: &[Vec<Entry>], level: Level) -> Vec<Vec<u8>> {
    let mut payloads = vec![Vec::new(); blocks.len()];
    blocks.iter().zip(&mut payloads).for_each(|(entries, payload)| encode(entries, level, payload));
    payloads
}

/// Decodes each payload into the block of `back` with the same index.
fn decode_all(payloads: &[Vec<u8>], back: &mut [Vec<Entry>]) {
    for (payload, entries) in payloads.iter().zip(back) {
        decode(payload, entries).expect("it was encoded");
    }
}

fn bit_planes(c: &mut Criterion) {
    let blocks = blocks();
    let mut group = c.benchmark_group("planes");
    group.throughput(Throughput::Bytes(bytes(&blocks))).sample_size(10);
    let mut back = blocks.clone();
    for level in LEVELS.map(|level| Level::new(level).expect("zstd has this level")) {
        let payloads = encoded(&blocks, level);
        decode_all(&payloads, &mut back);
        assert!(back == blocks, "blocks changed");
        println!("planes, level {}: ratio {:.4}", level.number(), ratio(&payloads, &blocks));
        group.bench_function(BenchmarkId::new("encode", level.number()), |b| {
            b.iter(|| encoded(black_box(&blocks), level));
        });
        group.bench_function(BenchmarkId::new("decode", level.number()), |b| {
            b.iter(|| decode_all(black_box(&payloads), &mut back));
        });
    }
    group.finish();

    let entries = reblocked(&blocks, 4096).swap_remove(0);
    let mut planes = vec![0; planes_bytes(entries.len())];
    let mut back = entries.clone();
    let mut group = c.benchmark_group("transposition");
    group.throughput(Throughput::Bytes(planes.len() as u64));
    group.bench_function("split", |b| b.iter(|| split(black_box(&entries), &mut planes)));
    group.bench_function("join", |b| b.iter(|| join(black_box(&planes), &mut back)));
    split(&entries, &mut planes);
    join(&planes, &mut back);
    assert!(back == entries, "entries changed");
    group.finish();
}

fn repeats_of_halves(c: &mut Criterion) {
    let blocks = blocks();
    let pack = |e: &Entry| Pack([e.win.0[0], e.win.0[1], e.not_lose.0[0], e.not_lose.0[1]]);
    let lines: Vec<Vec<Pack>> = blocks.iter().map(|block| block.iter().map(pack).collect()).collect();
    let mut group = c.benchmark_group("repeats");
    group.throughput(Throughput::Bytes(bytes(&blocks))).sample_size(10);
    let mut encoder = repeats::Encoder::new(Kernel::best()).expect("there is memory");
    let mut decoder = repeats::Decoder::new(Kernel::best()).expect("there is memory");
    let mut payloads = vec![Vec::new(); lines.len()];
    let mut encode_all = |payloads: &mut [Vec<u8>]| {
        for (lines, payload) in lines.iter().zip(payloads) {
            payload.clear();
            encoder.encode(black_box(lines), payload).expect("there is memory");
        }
    };
    let mut decode_all = |payloads: &[Vec<u8>], back: &mut [Vec<Pack>]| {
        for (payload, lines) in payloads.iter().zip(back) {
            decoder.decode(black_box(payload), lines).expect("it was encoded");
        }
    };
    let mut back = lines.clone();
    encode_all(&mut payloads);
    decode_all(&payloads, &mut back);
    assert!(back == lines, "blocks changed");
    println!("repeats: ratio {:.4}", ratio(&payloads, &blocks));
    group.bench_function("encode", |b| b.iter(|| encode_all(&mut payloads)));
    group.bench_function("decode", |b| b.iter(|| decode_all(&payloads, &mut back)));
    group.finish();
}

/// Measures the decoding of one block, for several block lengths.
fn lengths(c: &mut Criterion) {
    let blocks = blocks();
    let mut group = c.benchmark_group("block length");
    for len in [256, 512, 1024, 2048, 4096, 8192, 16384] {
        let blocks = reblocked(&blocks, len);
        if blocks.is_empty() {
            continue;
        }
        let payloads = encoded(&blocks, Level::KEPT);
        println!("blocks of {len}: ratio {:.4}", ratio(&payloads, &blocks));
        let mut back = vec![Entry::default(); len];
        let mut at = (0..blocks.len()).cycle();
        group.bench_function(BenchmarkId::new("decode", len), |b| {
            b.iter(|| {
                let block = at.next().unwrap_or(0);
                decode(black_box(&payloads[block]), &mut back).expect("it was encoded");
                assert!(back[0] == blocks[block][0], "an entry changed");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bit_planes, repeats_of_halves, lengths);
criterion_main!(benches);
