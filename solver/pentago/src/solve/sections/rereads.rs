//! How often the rows of a section read what its children have, in which order that is least, and
//! how much memory it takes.
//!
//! A piece of the child by quadrant q is a line of blocks along axis 3. It is needed by rows that
//! differ along axis q alone, and each row needs a fifth or more of the pieces along that axis. So,
//! if each piece were read once, all rows along axis q would have to be computed before its memory
//! is free. Along three axes at once that isn't possible with little memory. In a tile of I planes
//! and J lines (see [`RowOrder`])
//!
//! - the child by quadrant 2 is read once, where pieces for I J rows, all along axis 2, stay;
//! - the child by quadrant 1 is read again for the next J lines, the child by quadrant 0 for the
//!   next I planes, as far as a block doesn't need just those that others have read;
//! - the child by quadrant 3 is read once in any order.
//!
//! For J = I = 1 that is a read of the child by quadrant 0 for each plane, and by quadrant 1 for each
//! line that doesn't stay. What is needed soonest stays, so that the children share the memory in
//! the order of these distances. Whatever is computed before its turn in the table waits, encoded:
//! I planes at most.

use super::order::{RowOrder, RowSets, most};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::values::Entry;
use std::ops::Range;

/// What the rows of a section read.
pub(crate) struct RowReads<'a> {
    counts: [u32; 3],
    /// By quadrant, for each block of the section along its axis: the blocks of the child that it
    /// reads.
    reads: [&'a [u64]; 3],
    /// Bytes of a piece of the child by each quadrant; 0: there is none.
    piece: [f64; 4],
    /// Bytes of the row's own entries.
    row: f64,
}

/// How the rows of a section are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowPlan {
    /// In which order.
    pub order: RowOrder,
    /// How often each piece of the children by the four quadrants is read on average.
    pub times: [f64; 4],
    /// Bytes for pieces of the children.
    pub pieces: f64,
    /// About how many bytes of encoded blocks wait for their turn, at most.
    pub waiting: f64,
}

impl RowPlan {
    /// Bytes of memory.
    pub fn bytes(&self) -> f64 {
        self.pieces + self.waiting
    }
}

/// Bytes of encoded blocks for each byte of entries: as many as `transit` needs in the slices whose
/// sections are largest. More that wait are written to a file.
const ENCODED: f64 = 0.08;

/// Less memory that is tried is this part of what was tried before, so many times.
const LESS: f64 = 0.72;
const TRIALS: usize = 16;

/// Sizes of groups that are tried differ by this part at least.
const LARGER: f64 = 1.25;

/// The bytes of a line of blocks along axis 3 of an array: of a row, or of a piece that it reads.
pub(super) fn line_bytes(extents: [u32; 4]) -> u64 {
    let [a, b, c, d] = extents.map(u64::from);
    let edge = u64::from(EDGE);
    a.min(edge) * b.min(edge) * c.min(edge) * d * size_of::<Entry>() as u64
}

/// Coordinates along an axis that are taken together, one group after the other.
struct Groups {
    size: u32,
    /// What each group reads, in order.
    unions: Vec<u64>,
    /// The most of these that wait for a later group.
    needed: f64,
    /// The same between the coordinates of a group.
    needed_within: f64,
}

impl Groups {
    /// For some sizes, from one coordinate to all of them; of sizes that give as many groups the least.
    fn some(reads: &[u64]) -> Vec<Groups> {
        let n = reads.len().max(1);
        let mut sizes = vec![1];
        for groups in (1..n).rev() {
            let size = n.div_ceil(groups);
            if size as f64 >= LARGER * sizes.last().copied().unwrap_or(0) as f64 || groups == 1 {
                sizes.push(size);
            }
        }
        sizes.into_iter().map(|size| Groups::of(reads, size)).collect()
    }

    fn of(reads: &[u64], size: usize) -> Groups {
        let unions: Vec<u64> = reads.chunks(size).map(union).collect();
        let within = reads.chunks(size).map(most_needed).max().unwrap_or(0);
        Groups {
            size: size as u32,
            needed: f64::from(most_needed(&unions)),
            needed_within: if size > 1 { f64::from(within) } else { 0.0 },
            unions,
        }
    }

    /// How much more is read where so many can't wait within a group.
    fn again(&self, reads: &[u64], room: f64) -> f64 {
        if room >= self.needed_within {
            return 1.0;
        }
        let once: u32 = self.unions.iter().map(|union| union.count_ones()).sum();
        let all: f64 = reads.chunks(self.size as usize).map(|group| slabs_read(group, room)).sum();
        all / f64::from(once.max(1))
    }
}

impl<'a> RowReads<'a> {
    /// Of a standard section; `reads` gives the [`Sections::blocks_read`] of the counts of a quadrant.
    pub fn new(all: &Sections, section: Section, reads: impl Fn([u8; 2]) -> &'a [u64]) -> RowReads<'a> {
        let bytes = |extents| line_bytes(extents) as f64;
        let extents = all.extents(section);
        let piece = |q| section.child(all.shape(), q).map_or(0.0, |child| bytes(all.extents(child)));
        let counts = section.counts();
        RowReads {
            counts: std::array::from_fn(|axis| extents[axis].div_ceil(EDGE)),
            reads: std::array::from_fn(|q| reads(counts[q])),
            piece: std::array::from_fn(piece),
            row: bytes(extents),
        }
    }

    /// Bytes that the largest row takes at least, its children and itself.
    pub fn least(&self) -> f64 {
        let most = |q: usize| {
            let reads = self.reads.get(q).and_then(|reads| reads.iter().map(|set| set.count_ones()).max());
            self.piece[q] * f64::from(reads.unwrap_or(1))
        };
        (0..4).map(most).sum::<f64>() + self.row
    }

    /// The rows for which the order is to be best, of these rows counted in the order of the table.
    pub fn most(&self, rows: &Range<u64>) -> RowSets {
        most(self.counts, rows)
    }

    /// How rows are computed, where so many bytes are for pieces and what waits: in an order that is best
    /// for the rows in these sets.
    ///
    /// Memory that isn't taken is for blocks that later sections need, and saves at best that as many
    /// bytes are read again, once for each section. So what is sought is the least sum of bytes that are
    /// read again and bytes of memory.
    pub fn plan(&self, sets: RowSets, memory: f64, threads: usize) -> RowPlan {
        let rows = sets.map(|set| f64::from(set.count_ones()));
        let reads: [Vec<u64>; 3] = std::array::from_fn(|q| {
            let reads = self.reads[q].iter().enumerate();
            reads.filter(|(at, _)| sets[q] >> at & 1 == 1).map(|(_, &set)| set).collect()
        });
        let first = [0, 1].map(|axis| sets[axis].trailing_zeros().min(self.counts[axis]));
        let search = Search {
            of: self,
            rows,
            once: std::array::from_fn(|q| {
                let distinct = reads.get(q).map_or(rows[0], |reads| f64::from(union(reads).count_ones()));
                let along = rows.get(q).copied().unwrap_or(rows[0]);
                distinct * rows.iter().product::<f64>() / along.max(1.0) * self.piece[q]
            }),
            along: Groups::of(&reads[2], 1),
            reads,
        };
        let groups = [0, 1].map(|q| Groups::some(&search.reads[q]));
        let mut found = search.best(&groups, memory);
        let mut less = LESS * found.bytes();
        for _ in 0..TRIALS {
            let tried = search.best(&groups, less);
            if tried.cost() < found.cost() {
                found = tried;
            } else if tried.again > found.cost() {
                break;
            }
            less = LESS * tried.bytes().min(less);
        }
        let [a, b, c] = found.times;
        let in_work = search.in_work(&found) * threads as f64;
        let all = search.once.iter().sum::<f64>();
        RowPlan {
            order: RowOrder::new(self.counts, found.tile, first),
            times: [a, b, c, 1.0],
            pieces: (found.pieces + in_work)
                .max(self.least() * threads as f64)
                .min(all)
                .min(memory - found.waiting),
            waiting: found.waiting,
        }
    }
}

/// The rows of a section, of which an order is sought.
struct Search<'a> {
    of: &'a RowReads<'a>,
    /// Along each axis: how many, and what each of them reads.
    rows: [f64; 3],
    reads: [Vec<u64>; 3],
    /// Bytes of the pieces of each child that they read.
    once: [f64; 4],
    /// Along axis 2 row by row.
    along: Groups,
}

/// A tile that was tried.
#[derive(Clone, Copy)]
struct Tried {
    tile: [u32; 2],
    times: [f64; 3],
    /// Bytes that are read more than once.
    again: f64,
    pieces: f64,
    waiting: f64,
}

impl Tried {
    fn bytes(&self) -> f64 {
        self.pieces + self.waiting
    }

    fn cost(&self) -> f64 {
        self.again + self.bytes()
    }
}

impl Search<'_> {
    /// The best tile; of those that are as good the smallest.
    fn best(&self, groups: &[Vec<Groups>; 2], memory: f64) -> Tried {
        let mut best: Option<Tried> = None;
        for planes in &groups[0] {
            for lines in &groups[1] {
                let is_plain = planes.size == 1 && lines.size == 1;
                if is_plain || 2.0 * self.waiting(planes) <= memory {
                    let tried = self.try_tile([planes, lines], memory);
                    if best.is_none_or(|best| tried.cost() < best.cost()) {
                        best = Some(tried);
                    }
                }
            }
        }
        best.expect("there is a tile of one row")
    }

    /// Bytes of a row in work that aren't among those that stay: its part of children that are read
    /// again, and of the child that is read once.
    fn in_work(&self, tried: &Tried) -> f64 {
        let most = |q: usize| self.reads[q].iter().map(|set| set.count_ones()).max().unwrap_or(0);
        let again = (0..3).filter(|&q| tried.times[q] > 1.0);
        again.map(|q| self.of.piece[q] * f64::from(most(q))).sum::<f64>() + self.of.piece[3] + self.of.row
    }

    /// Bytes of the encoded blocks of so many planes.
    fn waiting(&self, planes: &Groups) -> f64 {
        let [_, b, c] = self.rows;
        ENCODED * f64::from(planes.size) * b * c * self.of.row
    }

    /// What is read with a tile.
    fn try_tile(&self, [planes, lines]: [&Groups; 2], memory: f64) -> Tried {
        let Search { of, rows, reads, along, .. } = self;
        let is_plain = planes.size == 1 && lines.size == 1;
        let waiting = if is_plain { 0.0 } else { self.waiting(planes) };
        let for_pieces = memory - waiting;
        let mut left = for_pieces;
        let [n, m] = [planes, lines].map(|group| f64::from(group.size));
        let mut times = [1.0; 3];
        // What is needed soonest: by the planes of a tile at one line and one place along axis 2, then
        // by its lines.
        let each = [of.piece[0], n * of.piece[1]];
        for (q, group) in [planes, lines].into_iter().enumerate().filter(|&(q, _)| each[q] > 0.0) {
            times[q] = group.again(&reads[q], left / each[q]);
            left = (left - group.needed_within * each[q]).max(0.0);
        }
        // Then by the next place along axis 2, by the next lines, by the next planes.
        let slabs = [
            (2, along, n * m * of.piece[2]),
            (1, lines, n * rows[2] * of.piece[1]),
            (0, planes, rows[1] * rows[2] * of.piece[0]),
        ];
        for (q, group, slab) in slabs.into_iter().filter(|&(_, _, slab)| slab > 0.0) {
            if left < slab * group.needed {
                let distinct = f64::from(union(&group.unions).count_ones());
                times[q] *= slabs_read(&group.unions, left / slab) / distinct.max(1.0);
            }
            left = (left - slab * group.needed).max(0.0);
        }
        let again = (0..3).map(|q| (times[q] - 1.0) * self.once[q]).sum();
        Tried { tile: [planes.size, lines.size], times, again, pieces: for_pieces - left, waiting }
    }
}

fn union(reads: &[u64]) -> u64 {
    reads.iter().fold(0, |all, reads| all | reads)
}

/// The most slabs that wait for a later use at any time.
fn most_needed(reads: &[u64]) -> u32 {
    let needed = |at: usize| (union(&reads[..=at]) & union(&reads[at..])).count_ones();
    (0..reads.len()).map(needed).max().unwrap_or(0)
}

/// How many slabs are read, where so many stay between two uses: those that are needed soonest. Of a
/// slab that doesn't fit a part stays.
fn slabs_read(reads: &[u64], room: f64) -> f64 {
    let room = room.clamp(0.0, 64.0);
    let (whole, part) = (room.floor(), room.fract());
    let of = |most: f64| f64::from(with_room(reads, most as u32));
    if part > 0.0 { (1.0 - part) * of(whole) + part * of(whole + 1.0) } else { of(whole) }
}

fn with_room(reads: &[u64], most: u32) -> u32 {
    let (mut kept, mut read) = (0u64, 0);
    for (at, now) in reads.iter().enumerate() {
        read += (now & !kept).count_ones();
        let (mut all, mut left) = (kept | now, most);
        kept = 0;
        // Those that the next places need, as many as fit.
        for next in &reads[at + 1..] {
            let mut soon = next & all;
            all &= !soon;
            while soon != 0 && left > 0 {
                kept |= soon & soon.wrapping_neg();
                soon &= soon - 1;
                left -= 1;
            }
            if left == 0 || all == 0 {
                break;
            }
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::super::order::mask;
    use super::*;
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
        let groups = Groups::some(&reads);
        assert_eq!(groups.iter().map(|group| group.size).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(groups[1].unions, [0b0111, 0b1111]);
        // Within groups of two nothing waits but the three of the first: they are read again.
        assert_eq!([groups[1].again(&reads, 3.0), groups[1].again(&reads, 0.0)], [1.0, 9.0 / 7.0]);
    }

    fn all() -> &'static Sections {
        Sections::of(Shape::Pentago, Dir::Both)
    }

    /// What each section reads.
    fn reads(section: Section) -> BTreeMap<[u8; 2], Vec<u64>> {
        section.counts().map(|counts| (counts, all().blocks_read(counts, section.mover()))).into()
    }

    /// The bytes of a row in work, whatever is read again.
    fn in_work(rows: &RowReads) -> f64 {
        rows.piece[3] + rows.row
    }

    fn every_row(counts: [u32; 3]) -> RowSets {
        counts.map(|count| mask(0..u64::from(count)))
    }

    /// Piece by piece, as the solver does it: those go that are needed last. Bytes read.
    fn bytes_read(rows: &RowReads, order: RowOrder, memory: f64) -> f64 {
        let mut kept: BTreeMap<(usize, [u32; 3]), u64> = BTreeMap::new();
        let mut waiting: BTreeSet<(u64, usize, [u32; 3])> = BTreeSet::new();
        let (mut held, mut read) = (0.0, order.rows() as f64 * rows.piece[3]);
        for now in 0..order.rows() {
            let at = order.at(now);
            for q in (0..3).filter(|&q| rows.piece[q] > 0.0) {
                let reads = rows.reads[q];
                for place in (0..64).filter(|place| reads[at[q] as usize] >> place & 1 == 1) {
                    let mut key = at;
                    key[q] = place;
                    match kept.remove(&(q, key)) {
                        Some(next) => {
                            waiting.remove(&(next, q, key));
                        }
                        None => {
                            read += rows.piece[q];
                            held += rows.piece[q];
                        }
                    }
                    let uses = (0..rows.counts[q]).filter(|&t| reads[t as usize] >> place & 1 == 1);
                    let places = uses.map(|t| {
                        let mut then = at;
                        then[q] = t;
                        order.place(then)
                    });
                    match places.filter(|&place| place > now).min() {
                        Some(next) => {
                            kept.insert((q, key), next);
                            waiting.insert((next, q, key));
                        }
                        None => held -= rows.piece[q],
                    }
                }
            }
            while held > memory {
                let Some((_, q, key)) = waiting.pop_last() else { break };
                kept.remove(&(q, key));
                held -= rows.piece[q];
            }
        }
        read
    }

    /// What is estimated is about what happens, and never much more than in the order of the table.
    #[test]
    fn estimates_are_near_what_happens() {
        for text in ["44,44,44,44", "53,44,44,34", "90,44,44,08"] {
            let section = all().standardise(text.parse().expect("a section")).0;
            let reads = reads(section);
            let rows = RowReads::new(all(), section, |counts| &reads[&counts]);
            let plain = RowOrder::new(rows.counts, [1, 1], [0, 0]);
            let once = bytes_read(&rows, plain, f64::INFINITY);
            let mut tiles = 0;
            // A piece of the third section is a twentieth of all: nothing waits but whole pieces.
            let parts = [0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.2];
            for part in parts.into_iter().filter(|part| part * once > 12.0 * rows.piece[0]) {
                let plan = rows.plan(every_row(rows.counts), part * once, 1);
                let bytes = |q: usize| {
                    let distinct = f64::from(union(rows.reads.get(q).unwrap_or(&&[1][..])).count_ones());
                    let across = if q < 3 { f64::from(rows.counts[q]) } else { 1.0 };
                    plan.times[q] * rows.piece[q] * distinct * plan.order.rows() as f64 / across
                };
                let said: f64 = (0..4).map(bytes).sum();
                let done = bytes_read(&rows, plan.order, plan.pieces - in_work(&rows));
                let before = bytes_read(&rows, plain, part * once);
                println!(
                    "{section} {part}: {:?} {:.3} of memory, read {:.3} said {:.3} before {:.3}",
                    plan.order,
                    plan.bytes() / (part * once),
                    done / once,
                    said / once,
                    before / once
                );
                assert!((said / done - 1.0).abs() < 0.15, "{section} {part}: {said} {done}");
                let [now, before] = [done + plan.bytes(), before + part * once];
                assert!(now < 1.02 * before && plan.bytes() <= part * once * 1.001, "{section} {part}");
                tiles += u32::from(!plan.order.is_plain());
            }
            assert!(tiles > 0 || text != "44,44,44,44", "{section}");
        }
    }

    /// With more memory no more is read; with none a piece is read as often as rows need it.
    #[test]
    fn less_memory_reads_more() {
        let sections = all().standard(30);
        let section = *sections
            .iter()
            .max_by_key(|&&section| all().extents(section).map(u64::from).iter().product::<u64>())
            .expect("some");
        let reads = reads(section);
        let rows = RowReads::new(all(), section, |counts| &reads[&counts]);
        let every = every_row(rows.counts);
        let ample = rows.plan(every, 1e15, 1);
        // What it takes then is enough.
        assert_eq!(rows.plan(every, ample.bytes(), 1), ample);
        let none = rows.plan(every, 0.0, 1);
        assert!(none.order.is_plain() && none.waiting == 0.0);
        for (q, times) in none.times.into_iter().enumerate().take(3) {
            let uses: u32 = rows.reads[q].iter().map(|reads| reads.count_ones()).sum();
            assert_eq!(times, f64::from(uses) / f64::from(union(rows.reads[q]).count_ones()));
        }
        let cost = |plan: &RowPlan| {
            let rows_of = |q: usize| plan.order.rows() as f64 / f64::from(*rows.counts.get(q).unwrap_or(&1));
            let pieces =
                |q: usize| rows_of(q) * f64::from(rows.reads.get(q).map_or(1, |r| union(r).count_ones()));
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

    /// A part of a section is computed in an order that is best for that part.
    #[test]
    fn tiles_begin_where_the_rows_begin() {
        let section = all().standardise("44,44,44,44".parse().expect("a section")).0;
        let reads = reads(section);
        let rows = RowReads::new(all(), section, |counts| &reads[&counts]);
        let [a, b, c] = rows.counts;
        let planes = [mask(3..u64::from(a) - 2), mask(0..u64::from(b)), mask(0..u64::from(c))];
        let plan = rows.plan(planes, 2e9, 1);
        assert!(!plan.order.is_plain());
        let start = plan.order.place([3, 0, 0]);
        assert_eq!((start, plan.order.at(start)), (u64::from(3 * b * c), [3, 0, 0]));
    }
}
