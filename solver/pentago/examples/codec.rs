//! Measures the codec on the blocks of tables: `cargo run --release --example codec -- TABLE...`
//!
//! Prints for each table how long looking up an entry takes, in a block that is kept decoded and in one that isn't; for each level the ratio to 64 bytes per entry and the speed of one thread, in bytes of entries; every block must come
//! back.

use pentago::codec::{Level, decode, encode, repeats};
use pentago::kernel::Pack;
use pentago::tables::{Access, Cache, Table};
use pentago::values::{BlockId, ENTRY_BYTES, Entry, Source};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Blocks of a list may be joined to larger ones.
    let together: u64 = std::env::var("TOGETHER").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut blocks: Vec<Vec<Entry>> = Vec::new();
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        look_up(&path)?;
        let table = Table::open(&path, Access::Map, Cache::new(0))?;
        for (array, record) in (0..).zip(table.arrays()) {
            let grid = record.array.grid;
            let all = grid.blocks();
            for first in (0..all).step_by((all / 100).max(together) as usize) {
                let mut entries = Vec::new();
                for block in first..all.min(first + together) {
                    let mut more = vec![Entry::default(); grid.len(block)];
                    table.get(BlockId { array, block }, &mut more)?;
                    entries.extend(more);
                }
                blocks.push(entries);
            }
        }
    }
    let raw = blocks.iter().map(|b| b.len() * ENTRY_BYTES).sum::<usize>();
    println!("{} blocks, {:.1} MB", blocks.len(), raw as f64 / 1e6);
    let speed = |start: Instant| raw as f64 / 1e6 / start.elapsed().as_secs_f64();
    for level in [1, 3, 9, 15] {
        let level = Level::new(level).ok_or("a level of zstd")?;
        let mut payloads = vec![Vec::new(); blocks.len()];
        let start = Instant::now();
        blocks.iter().zip(&mut payloads).for_each(|(entries, payload)| encode(entries, level, payload));
        let written = speed(start);
        let mut back = blocks.clone();
        let start = Instant::now();
        for (payload, entries) in payloads.iter().zip(&mut back) {
            decode(payload, entries)?;
        }
        let read = speed(start);
        assert!(back == blocks);
        let ratio = payloads.iter().map(Vec::len).sum::<usize>() as f64 / raw as f64;
        println!("level {:2}: ratio {ratio:.4}, {written:5.0} MB/s in, {read:5.0} MB/s out", level.number());

        let lines: Vec<Vec<Pack>> = blocks
            .iter()
            .map(|b| {
                b.iter().map(|e| Pack([e.win.0[0], e.win.0[1], e.not_lose.0[0], e.not_lose.0[1]])).collect()
            })
            .collect();
        let mut encoder = repeats::Encoder::new(level.number().into())?;
        let start = Instant::now();
        let mut payloads = vec![Vec::new(); blocks.len()];
        for (lines, payload) in lines.iter().zip(&mut payloads) {
            encoder.encode(lines, payload)?;
        }
        let written = speed(start);
        let mut decoder = repeats::Decoder::new()?;
        let mut back = lines.clone();
        let start = Instant::now();
        for (payload, lines) in payloads.iter().zip(&mut back) {
            decoder.decode(payload, lines)?;
        }
        let read = speed(start);
        let ratio = payloads.iter().map(Vec::len).sum::<usize>() as f64 / raw as f64;
        println!(" repeats: ratio {ratio:.4}, {written:5.0} MB/s in, {read:5.0} MB/s out");
    }
    Ok(())
}

/// Looks up random entries: in a few blocks that are all in the cache, then without a cache.
fn look_up(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut seed = 1u64;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (((seed >> 32) * u64::from(below)) >> 32) as u32
    };
    for (bytes, what, rounds) in [(1 << 28, "warm", 200_000), (0, "cold", 2000)] {
        let table = Table::open(path, Access::Map, Cache::new(bytes))?;
        let grid = table.arrays()[0].array.grid;
        let places: Vec<[u32; 4]> = (0..1000).map(|_| grid.extents.map(&mut random)).collect();
        for place in &places {
            table.entry(0, *place)?;
        }
        let mut times: Vec<u128> = Vec::new();
        let mut won = 0;
        for _ in 0..rounds / places.len() {
            for place in &places {
                let start = Instant::now();
                won += table.entry(0, *place)?.win.0[0].0[0] & 1;
                times.push(start.elapsed().as_nanos());
            }
        }
        times.sort_unstable();
        assert!(won <= rounds as u64);
        let at = |percent: usize| times[times.len() * percent / 100] as f64 / 1000.0;
        println!("{}: {what}: median {:.2} us, 99% {:.2} us", path.display(), at(50), at(99));
    }
    Ok(())
}
