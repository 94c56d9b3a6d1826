use super::super::order::mask;
use super::*;
use crate::rules::{Dir, Shape};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[test]
fn what_fits_is_read_once() {
    let reads = [0b0111, 0b0011, 0b1110, 0b0001];
    // Without room, every use of a slab is a read. With room for three slabs, four reads suffice.
    assert_eq!([0, 1, 2, 3, 4].map(|most| with_room(&reads, most, false)), [9, 7, 5, 4, 4]);
    assert_eq!(most_waiting(&reads, false), 3);
    assert_eq!([0.5, 1e30].map(|room| slabs_read(&reads, 0, room)), [8.0, 4.0]);
    // If rows are in progress, the slabs of the preceding place are always in memory.
    assert_eq!([0, 3, 4].map(|most| with_room(&reads, most, true)), [6, 5, 4]);
    assert_eq!(most_waiting(&reads, true), 1);
    assert_eq!(together(&reads, 2), [0b0111, 0b1111, 0b1111, 0b0001]);
    let steps = HeldSlabs::of(std::iter::once(&reads[..]));
    assert_eq!(steps.waiting, [3.0, 1.0, 0.0, 0.0]);
    assert_eq!(steps.in_work, [2.25, 2.25, 3.0, 3.25]);
    let numbers = [1.0, 2.0, 4.0, 5.0, 99.0].map(|threads| steps.number(threads, 2.0));
    assert_eq!(numbers, [0, 1, 2, 3, 3]);
    assert_eq!(HeldSlabs::of(reads.chunks(2)).waiting, [2.0, 0.0, 0.0]);
    let groups = AxisGroups::some(&reads);
    assert_eq!(groups.iter().map(|group| group.size).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(groups[1].unions, [0b0111, 0b1111]);
    // Within groups of two places, only slabs that both places need must wait. Without room, these
    // slabs are read again.
    let again = [2.0, 0.0].map(|room| groups[1].again_within(&reads, 0, room));
    assert_eq!((groups[1].within.waiting[0], again), (2.0, [1.0, 9.0 / 7.0]));
}

fn all() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}

/// Returns the reads of each quadrant of a section, keyed by the counts of the quadrant.
fn reads(section: Section) -> BTreeMap<[u8; 2], AxisReads> {
    section.counts().map(|counts| (counts, AxisReads::new(all().blocks_read(counts, section.mover())))).into()
}

/// The relative tolerance for sums that are equal apart from rounding errors.
const ROUNDED: f64 = 1.0 + 1e-9;

fn every_row(counts: [u32; 3]) -> RowSets {
    counts.map(|count| mask(0..u64::from(count)))
}

/// The results of simulating an order of rows.
struct Walked {
    /// The number of bytes read. `peak` is the maximum size in bytes of the pieces in memory.
    read: f64,
    peak: f64,
    /// The maximum number of rows that wait for earlier rows of the table.
    waiting: u64,
}

/// Simulates an order piece by piece, in the same way as the solver. If memory is short, pieces
/// that no row in progress needs are dropped. The piece whose next use is furthest away is dropped
/// first.
fn walk(rows: &RowReads, order: RowOrder, memory: f64, threads: usize) -> Walked {
    type Key = (usize, [u32; 3]);
    // For each piece in memory: the number of rows in progress that use it, and the rank of the row
    // that uses it next.
    let mut held: BTreeMap<Key, (u32, Option<u64>)> = BTreeMap::new();
    let mut waiting: BTreeSet<(u64, Key)> = BTreeSet::new();
    let mut in_work: VecDeque<Vec<Key>> = VecDeque::new();
    let mut early: BTreeSet<u64> = BTreeSet::new();
    let (mut bytes, mut written) = (0.0, 0);
    let mut walked = Walked { read: 0.0, peak: 0.0, waiting: 0 };
    for now in 0..order.rows() {
        if in_work.len() == threads {
            for key in in_work.pop_front().expect("a row") {
                let (users, next) = held.get_mut(&key).expect("it is held");
                *users -= 1;
                if *users == 0 && next.is_none() {
                    held.remove(&key);
                    bytes -= rows.piece[key.0];
                }
            }
        }
        let at = order.at(now);
        let mut keys = Vec::new();
        for q in (0..4).filter(|&q| rows.piece[q] > 0.0) {
            let reads = if q < 3 { &rows.reads[q].reads[..] } else { &[] };
            let places = if q < 3 { reads[at[q] as usize] } else { 1 };
            for place in (0..64).filter(|place| places >> place & 1 == 1) {
                let of = |place| {
                    let mut key = at;
                    if q < 3 {
                        key[q] = place;
                    }
                    key
                };
                let key = (q, of(place));
                let uses = (0..reads.len() as u32).filter(|&t| reads[t as usize] >> place & 1 == 1);
                let next = uses.map(|t| order.place(of(t))).filter(|&place| place > now).min();
                let (users, known) = held.entry(key).or_insert_with(|| {
                    walked.read += rows.piece[q];
                    bytes += rows.piece[q];
                    (0, None)
                });
                if let Some(known) = *known {
                    waiting.remove(&(known, key));
                }
                *users += 1;
                *known = next;
                waiting.extend(next.map(|next| (next, key)));
                keys.push(key);
            }
        }
        in_work.push_back(keys);
        while bytes > memory {
            let idle = waiting.iter().rev().find(|(_, key)| held[key].0 == 0);
            let Some(&last) = idle else { break };
            waiting.remove(&last);
            held.remove(&last.1);
            bytes -= rows.piece[last.1.0];
        }
        walked.peak = f64::max(walked.peak, bytes);
        let [_, b, c] = rows.counts.map(u64::from);
        early.insert((u64::from(at[0]) * b + u64::from(at[1])) * c + u64::from(at[2]));
        while early.remove(&written) {
            written += 1;
        }
        walked.waiting = walked.waiting.max(early.len() as u64);
    }
    walked
}

/// For any memory and number of threads, the estimates agree with the simulation, and the planned
/// order costs hardly more than the order of the table. The memory limit is sufficient for pieces,
/// rows in progress and waiting blocks.
#[test]
fn estimates_are_near_what_happens() {
    for (text, threads) in
        [("44,44,44,44", 1), ("44,44,44,44", 64), ("53,44,44,34", 1), ("53,44,44,34", 16), ("90,44,44,08", 3)]
    {
        let section = all().standardise(text.parse().expect("a section")).0;
        let reads = reads(section);
        let rows = RowReads::new(all(), section, Some(|counts| &reads[&counts]));
        let plain = RowOrder::new(rows.counts, [1, 1], [0, 0]);
        let once = walk(&rows, plain, f64::INFINITY, threads).read;
        let least = threads as f64 * rows.least();
        let mut tiles = 0;
        let parts = [0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.2].map(|part| part * once);
        for memory in parts.into_iter().chain([least, 1.4 * least]).filter(|&memory| memory >= least) {
            let plan = rows.plan(every_row(rows.counts), memory, threads);
            let bytes = |q: usize| {
                let distinct =
                    f64::from(union(rows.reads.get(q).map_or(&[1], |axis| &axis.reads[..])).count_ones());
                let across = if q < 3 { f64::from(rows.counts[q]) } else { 1.0 };
                plan.times[q] * rows.piece[q] * distinct * plan.order.rows() as f64 / across
            };
            let said: f64 = (0..4).map(bytes).sum();
            let done = walk(&rows, plan.order, plan.pieces, threads);
            let before = walk(&rows, plain, memory - plan.rows, threads);
            println!(
                "{section}, {threads} threads, {:.3} of all: {:?}, {:.3} of it; read {:.3}, said {:.3}, \
                 in the order of the table {:.3}; {} rows wait",
                memory / once,
                plan.order,
                plan.bytes() / memory,
                done.read / once,
                said / once,
                before.read / once,
                done.waiting
            );
            assert!((said / done.read - 1.0).abs() < 0.1, "{said} {}", done.read);
            assert!(done.read + plan.bytes() < 1.02 * (before.read + memory));
            // The simulated pieces fit in the planned memory, and the plan fits in the memory
            // limit.
            assert!(plan.bytes() <= memory * ROUNDED && done.peak <= plan.pieces * ROUNDED);
            let waiting = ENCODED * rows.row * done.waiting as f64;
            let line = f64::from(threads as u32 + rows.counts[1] * rows.counts[2]);
            assert!(waiting <= plan.waiting && plan.waiting <= waiting + ENCODED * rows.row * line);
            tiles += u32::from(!plan.order.is_plain());
        }
        assert!(tiles > 0 || text == "90,44,44,08", "{section}");
    }
}

/// More memory never leads to higher costs. Without memory, a piece is read nearly as often as rows
/// need it.
#[test]
fn less_memory_reads_more() {
    let sections = all().standard(30);
    let section = *sections
        .iter()
        .max_by_key(|&&section| all().extents(section).map(u64::from).iter().product::<u64>())
        .expect("some");
    let reads = reads(section);
    let rows = RowReads::new(all(), section, Some(|counts| &reads[&counts]));
    let every = every_row(rows.counts);
    let ample = rows.plan(every, 1e15, 1);
    // A plan for exactly the memory that the first plan takes is equal to the first plan.
    let enough = rows.plan(every, ample.bytes() * ROUNDED, 1);
    assert_eq!((enough.order, enough.times), (ample.order, ample.times));
    assert!(ample.times == [1.0; 4] && enough.bytes() <= ample.bytes() * ROUNDED);
    let none = rows.plan(every, 0.0, 1);
    assert!(none.order.is_plain() && none.waiting == 0.0 && none.bytes() == rows.least());
    // Only the pieces that a row shares with the next row stay in memory.
    for (q, times) in none.times.into_iter().enumerate().take(2) {
        let uses: u32 = rows.reads[q].reads.iter().map(|reads| reads.count_ones()).sum();
        let each = f64::from(uses) / f64::from(union(&rows.reads[q].reads).count_ones());
        assert!(times > 0.8 * each && times <= each, "{times} {each}");
    }
    let cost = |plan: &RowPlan| {
        let rows_of = |q: usize| plan.order.rows() as f64 / f64::from(*rows.counts.get(q).unwrap_or(&1));
        let pieces = |q: usize| {
            rows_of(q) * f64::from(rows.reads.get(q).map_or(1, |axis| union(&axis.reads).count_ones()))
        };
        (0..4).map(|q| plan.times[q] * pieces(q) * rows.piece[q]).sum::<f64>() + plan.bytes()
    };
    let mut before = cost(&none);
    for memory in [1e9, 1e10, 1e11, 1e12] {
        let plan = rows.plan(every, memory, 1);
        assert!(cost(&plan) <= before * 1.02 && plan.times.iter().all(|&times| times >= 1.0));
        assert!(plan.bytes() <= memory);
        before = cost(&plan);
    }
}

/// If only a part of a section is computed, the order is optimised for this part.
#[test]
fn tiles_begin_where_the_rows_begin() {
    let section = all().standardise("44,44,44,44".parse().expect("a section")).0;
    let reads = reads(section);
    let rows = RowReads::new(all(), section, Some(|counts| &reads[&counts]));
    let [a, b, c] = rows.counts;
    let planes = [mask(3..u64::from(a) - 2), mask(0..u64::from(b)), mask(0..u64::from(c))];
    let plan = rows.plan(planes, 2e9, 1);
    assert!(!plan.order.is_plain());
    let start = plan.order.place([3, 0, 0]);
    assert_eq!((start, plan.order.at(start)), (u64::from(3 * b * c), [3, 0, 0]));
}
