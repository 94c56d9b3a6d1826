//! How often the rows of a section read what their children have in common, where it doesn't fit in
//! memory.
//!
//! The rows of blocks of a section are computed in the order of their coordinates i, j, k. The child
//! by quadrant 2 is read by neighbouring rows, that by quadrant 1 again when j has changed, that by
//! quadrant 0 when i has. What is needed soonest stays (`solve::sections`), so that they share the
//! memory in this order. The child by quadrant 3 is read once.

use super::partition::Sets;
use super::shares::{Stretch, Stretches};
use crate::index::EDGE;
use crate::values::Entry;

/// How often each piece of the children by the four quadrants is read on average, where `memory`
/// bytes are for pieces, by the rows whose coordinates are in these sets.
pub(super) fn times_read(own: &Stretches, stretch: &Stretch, rows: &Sets, memory: f64) -> [f64; 4] {
    let section = stretch.section;
    let counts = rows.map(|set| f64::from(set.count_ones()));
    let mut left = memory;
    let mut times = [1.0; 4];
    // Pieces of a child that are read at the same places along the axis of its quadrant.
    let mut alike = 1.0;
    for q in (0..3).rev() {
        if let Some(child) = section.child(own.all.shape(), q) {
            let extents = own.all.extents(child).map(f64::from);
            let piece = extents[..3].iter().map(|extent| extent.min(f64::from(EDGE))).product::<f64>();
            let slab = alike * piece * extents[3] * size_of::<Entry>() as f64;
            let reads = own.read_by(section, q).iter().enumerate();
            let reads: Vec<u64> =
                reads.filter(|(at, _)| rows[q] >> at & 1 == 1).map(|(_, &set)| set).collect();
            let distinct = f64::from(reads.iter().fold(0, |all, reads| all | reads).count_ones());
            if left < slab * distinct {
                times[q] = slabs_read(&reads, left / slab) / distinct;
            }
            left = (left - slab * f64::from(most_needed(&reads))).max(0.0);
        }
        alike *= counts[q];
    }
    times
}

/// The most slabs that wait for a later use at any time.
fn most_needed(reads: &[u64]) -> u32 {
    let needed = |at: usize| {
        let [before, after] = [&reads[..=at], &reads[at..]];
        let all = |part: &[u64]| part.iter().fold(0, |all, reads| all | reads);
        (all(before) & all(after)).count_ones()
    };
    (0..reads.len()).map(needed).max().unwrap_or(0)
}

/// How many slabs are read, where so many stay between two uses: those that are needed soonest. Of a
/// slab that doesn't fit a part stays.
fn slabs_read(reads: &[u64], room: f64) -> f64 {
    let whole = room.min(64.0).floor();
    let part = room.min(64.0) - whole;
    let of = |most: f64| f64::from(with_room(reads, most as u32));
    (1.0 - part) * of(whole) + part * of(whole + 1.0)
}

fn with_room(reads: &[u64], most: u32) -> u32 {
    let (mut kept, mut read) = (0u64, 0);
    for (at, now) in reads.iter().enumerate() {
        read += (now & !kept).count_ones();
        let later = &reads[at + 1..];
        let mut all = kept | now;
        kept = 0;
        // Those that the next places need, as many as fit.
        for next in later {
            let mut soon = next & all;
            all &= !soon;
            while soon != 0 && kept.count_ones() < most {
                kept |= soon & soon.wrapping_neg();
                soon &= soon - 1;
            }
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Sections;
    use crate::pipeline::partition::all_rows;
    use crate::rules::{Dir, Shape};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn what_fits_is_read_once() {
        let reads = [0b0111, 0b0011, 0b1110, 0b0001];
        // With nothing kept each use is a read, with four slabs there are four.
        assert_eq!([0, 1, 2, 3, 4].map(|most| with_room(&reads, most)), [9, 7, 5, 4, 4]);
        assert_eq!(most_needed(&reads), 4);
        assert_eq!(slabs_read(&reads, 0.5), 8.0);
        assert_eq!(slabs_read(&reads, 1e30), 4.0);
    }

    /// Piece by piece, as the solver does it: those go that are needed last. Bytes read.
    fn bytes_read(own: &Stretches, stretch: &Stretch, memory: f64) -> f64 {
        let counts = stretch.grid.counts();
        let pieces: Vec<f64> = (0..4)
            .map(|q| {
                let child = stretch.section.child(own.all.shape(), q);
                child.map_or(0.0, |child| {
                    let extents = own.all.extents(child).map(f64::from);
                    extents[..3].iter().map(|e| e.min(8.0)).product::<f64>() * extents[3] * 64.0
                })
            })
            .collect();
        let mut kept: BTreeMap<(usize, [u32; 3]), u64> = BTreeMap::new();
        let mut order: BTreeSet<(u64, usize, [u32; 3])> = BTreeSet::new();
        let (mut held, mut read) = (0.0, 0.0);
        let number = |[i, j, k]: [u32; 3]| {
            (u64::from(i) * u64::from(counts[1]) + u64::from(j)) * u64::from(counts[2]) + u64::from(k)
        };
        for row in 0..u64::from(counts[0]) * u64::from(counts[1]) * u64::from(counts[2]) {
            let [b, c] = [counts[1], counts[2]].map(u64::from);
            let at = [row / (b * c), row / c % b, row % c].map(|n| n as u32);
            for q in 0..3 {
                if pieces[q] == 0.0 {
                    continue;
                }
                let reads = own.read_by(stretch.section, q);
                for place in (0..64).filter(|place| reads[at[q] as usize] >> place & 1 == 1) {
                    let mut key = at;
                    key[q] = place;
                    match kept.remove(&(q, key)) {
                        Some(next) => {
                            order.remove(&(next, q, key));
                        }
                        None => {
                            read += pieces[q];
                            held += pieces[q];
                        }
                    }
                    let later = (at[q] as usize + 1..reads.len()).find(|&t| reads[t] >> place & 1 == 1);
                    match later {
                        Some(t) => {
                            let mut then = at;
                            then[q] = t as u32;
                            kept.insert((q, key), number(then));
                            order.insert((number(then), q, key));
                        }
                        None => held -= pieces[q],
                    }
                }
            }
            while held > memory {
                let Some((_, q, key)) = order.pop_last() else { break };
                kept.remove(&(q, key));
                held -= pieces[q];
            }
        }
        read
    }

    /// What is estimated is about what happens.
    #[test]
    fn estimates_are_near_what_happens() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        for text in ["44,44,44,44", "53,44,44,34", "90,44,44,08"] {
            let section = all.standardise(text.parse().expect("a section")).0;
            let own = Stretches::new(all, &[section]);
            let stretch = &own.each[0];
            let bytes_of = |times: [f64; 4]| -> f64 {
                let of = |q: usize| {
                    let extents = all.extents(section.child(own.all.shape(), q)?);
                    let blocks: u32 = extents[..3].iter().map(|extent| extent.div_ceil(EDGE)).product();
                    let piece: u32 = extents[..3].iter().map(|&extent| extent.min(EDGE)).product();
                    Some(times[q] * f64::from(blocks) * f64::from(piece) * f64::from(extents[3]) * 64.0)
                };
                (0..3).filter_map(of).sum()
            };
            let once = bytes_of([1.0; 4]);
            for part in [0.03, 0.1, 0.3, 0.6, 1.2] {
                let memory = part * once;
                let [said, done] = [
                    bytes_of(times_read(&own, stretch, &all_rows(&stretch.grid), memory)),
                    bytes_read(&own, stretch, memory),
                ];
                assert!(
                    (said / done - 1.0).abs() < 0.15,
                    "{section} {part}: {} {}",
                    said / once,
                    done / once
                );
            }
        }
    }

    /// With ample memory each piece is read once; with none as often as rows need it.
    #[test]
    fn less_memory_reads_more() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let sections = all.standard(30);
        let own = Stretches::new(all, &sections);
        let stretch = own.each.iter().max_by_key(|stretch| stretch.grid.blocks()).expect("some");
        assert_eq!(times_read(&own, stretch, &all_rows(&stretch.grid), f64::INFINITY), [1.0; 4]);
        let least = times_read(&own, stretch, &all_rows(&stretch.grid), 0.0);
        for (q, times) in least.into_iter().enumerate().take(3) {
            let reads = own.read_by(stretch.section, q);
            let distinct = reads.iter().fold(0, |all, reads| all | reads).count_ones();
            let uses: u32 = reads.iter().map(|reads| reads.count_ones()).sum();
            assert_eq!(times, f64::from(uses) / f64::from(distinct));
        }
        let mut before = least;
        for memory in [1e8, 1e9, 1e10, 1e11] {
            let times = times_read(&own, stretch, &all_rows(&stretch.grid), memory);
            assert!(times.iter().zip(before).all(|(now, before)| *now <= before && *now >= 1.0));
            assert!(times[2] <= times[0] && times[3] == 1.0);
            before = times;
        }
    }
}
