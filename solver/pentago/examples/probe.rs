//! How fast tables answer: `cargo run --release --example probe -- DIR [POSITIONS]`.
//!
//! For random stored positions of each target's largest table: the time of a probe in a warm cache, of one in a block that isn't decoded
//! yet, and of all moves of a position; then the size and the decoding time of that table's blocks if they had other lengths.
//! Values are compared with those of the moves, and all ways of asking with each other.

use pentago::answer::Estimate;
use pentago::codec::{Level, decode, encode};
use pentago::probe::{Lookup, Tablebase, sample};
use pentago::tables::{Access, Domain};
use pentago::values::{BlockId, Entry};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder of tables?")?;
    let count: usize = arguments.next().map_or(Ok(2000), |n| n.parse())?;
    let folder = Path::new(&folder);
    let open = |cache: usize| Tablebase::open(folder, Access::Map, cache);
    // The third keeps the blocks of one position's moves: the next position finds little there.
    let (warm, cold, little) = (open(8 << 30)?, open(0)?, open(2 << 20)?);
    for (family, without_cache) in warm.families().iter().zip(cold.families()) {
        let rules = family.target().rules;
        // The largest one whose next slice is there too, so that all moves are.
        let slices: Vec<(u8, u64)> = family.listed().map(|l| (l.header.slice, l.header.entries)).collect();
        let largest = slices.windows(2).map(|w| w[0]).max_by_key(|s| s.1).or(slices.first().copied());
        let Some(table) = largest.map(|(slice, _)| family.table(slice)).transpose()?.flatten() else {
            continue;
        };
        println!("{}: {} marbles, {} entries", family.target(), table.header().slice, table.header().entries);
        let tables = [(family, table)];
        let drawn: Vec<_> = sample(&tables, 1).map(|(_, s)| s.position).take(count).collect();

        let mut cold_times = Vec::new();
        let mut values = Vec::new();
        for position in &drawn {
            let began = Instant::now();
            values.push(without_cache.look_up(position.board())?);
            cold_times.push(began.elapsed());
        }
        let mut warm_times = Vec::new();
        for (position, value) in drawn.iter().zip(&values) {
            assert_eq!(&warm.look_up(&rules, position)?, value);
            let began = Instant::now();
            let again = warm.look_up(&rules, position)?;
            warm_times.push(began.elapsed());
            assert_eq!(again, *value);
        }
        let mut move_times = Vec::new();
        let full = Estimate { plies: 0, boards: 0, bytes: 0 };
        for (position, value) in drawn.iter().zip(&values).take(count / 10) {
            if rules.outcome(position).is_some() {
                continue;
            }
            let began = Instant::now();
            let none = || Err(std::io::Error::other("nothing is to be solved"));
            let answered = little.answer(&rules, position, full, None, none)?;
            move_times.push(began.elapsed());
            assert_eq!(Lookup::Value(wdl(answered.value)), *value);
        }
        for (what, mut times) in
            [("warm cache", warm_times), ("cold block", cold_times), ("all moves, cold", move_times)]
        {
            times.sort();
            let at =
                |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
            println!("  {what:16} median {:?}, 99% {:?}", at(0.5), at(0.99));
        }
        if matches!(family.target().domain, Domain::Root(_)) {
            runs(table)?;
        }
    }
    Ok(())
}

fn wdl(value: pentago::answer::Value) -> pentago::values::Wdl {
    use pentago::answer::Value;
    use pentago::values::Wdl;
    match value {
        Value::Win => Wdl::Win,
        Value::Loss => Wdl::Loss,
        Value::Draw | Value::Unknown => Wdl::Draw,
    }
}

/// The first entries of a table in blocks of other lengths.
fn runs(table: &pentago::tables::Table) -> Result<(), Box<dyn Error>> {
    let mut entries: Vec<Entry> = Vec::new();
    for block in 0..table.header().blocks.min(256) {
        entries.extend(table.block(BlockId { array: 0, block })?.iter());
    }
    for run in [256, 512, 1024, 2048, 4096, 8192, 16384] {
        let (mut bytes, mut time, mut blocks) = (0, Duration::ZERO, 0);
        let mut back = vec![Entry::default(); run];
        for part in entries.chunks_exact(run) {
            let mut payload = Vec::new();
            encode(part, Level::KEPT, &mut payload);
            let began = Instant::now();
            decode(&payload, &mut back)?;
            time += began.elapsed();
            assert!(back == part);
            bytes += payload.len();
            blocks += 1;
        }
        if blocks > 0 {
            let ratio = bytes as f64 / (blocks * run * 64) as f64;
            println!("  blocks of {run:5}: ratio {ratio:.4}, decoded in {:?}", time / blocks as u32);
        }
    }
    Ok(())
}
