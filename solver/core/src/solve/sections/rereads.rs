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
//! all planes of a tile but the first, and all lines of that one's last J but the first.
//!
//! Memory that is always taken comes first: all that a row reads and computes, for as many rows as
//! there are threads. They are next to each other in the order, so that they have much of it in
//! common. Only what is left is for pieces that wait for a later row.

use super::order::{RowOrder, RowSets, mask, most};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::values::Entry;
use std::ops::{Deref, Range};
use std::sync::OnceLock;

/// For each block of a section along an axis: the blocks of the child that it reads. They are those of
/// every section that has the same counts in this quadrant.
pub struct Along {
    reads: Vec<u64>,
    groups: OnceLock<Vec<Groups>>,
}

/// Along an axis that reads nothing.
static NOTHING: Along = Along { reads: Vec::new(), groups: OnceLock::new() };

impl Along {
    /// With the [`Sections::blocks_read`] of the counts.
    pub fn new(reads: Vec<u64>) -> Along {
        Along { reads, groups: OnceLock::new() }
    }

    fn groups(&self) -> &[Groups] {
        self.groups.get_or_init(|| Groups::some(&self.reads))
    }
}

impl Deref for Along {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.reads
    }
}

/// What the rows of a section read.
pub struct RowReads<'a> {
    counts: [u32; 3],
    /// By quadrant.
    reads: [&'a Along; 3],
    /// Bytes of a piece of the child by each quadrant; 0: there is none.
    piece: [f64; 4],
    /// Bytes of the row's own entries.
    row: f64,
}

/// How the rows of a section are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowPlan {
    /// In which order.
    pub order: RowOrder,
    /// How often each piece of the children by the four quadrants is read on average.
    pub times: [f64; 4],
    /// Bytes for pieces of the children, those of rows in work among them.
    pub pieces: f64,
    /// Bytes of the entries of rows in work.
    pub rows: f64,
    /// About how many bytes of encoded blocks wait for their turn, at most.
    pub waiting: f64,
}

impl RowPlan {
    /// Bytes of memory.
    pub fn bytes(&self) -> f64 {
        self.pieces + self.rows + self.waiting
    }
}

/// Bytes of encoded blocks for each byte of entries: as many as `quick` needs in the slices whose
/// sections are largest. More that wait are written to a file (`bench/README.md#tiles-of-rows`).
const ENCODED: f64 = 0.08;

/// Less memory that is tried is this part of what was tried before, so many times.
const LESS: f64 = 0.72;
const TRIALS: usize = 16;

/// Sizes of groups that are tried differ by this part at least (`bench/README.md#tiles-of-rows`).
const LARGER: f64 = 1.25;

/// The bytes of a line of blocks along axis 3 of an array: of a row, or of a piece that it reads.
fn line_bytes(extents: [u32; 4]) -> u64 {
    let [a, b, c, d] = extents.map(u64::from);
    let edge = u64::from(EDGE);
    a.min(edge) * b.min(edge) * c.min(edge) * d * size_of::<Entry>() as u64
}

/// What is held while places along an axis are gone through one after the other. Of some places rows are
/// in work at the same time: the first figures are for less than a place, the others for 1, 2, 4, ...
struct Steps {
    /// The most slabs that wait for a later place, beside those of places in work.
    waiting: Vec<f64>,
    /// The slabs that places in work read, on average.
    in_work: Vec<f64>,
}

impl Steps {
    /// Of several such walks.
    fn of<'a>(walks: impl Iterator<Item = &'a [u64]> + Clone) -> Steps {
        let places = walks.clone().map(<[u64]>::len).max().unwrap_or(0);
        let mut steps = Steps { waiting: Vec::new(), in_work: Vec::new() };
        for number in (0..).take_while(|&number| number < 2 || 1 << (number - 2) < places) {
            let (mut waiting, mut in_work, mut all) = (0, 0, 0);
            for reads in walks.clone() {
                let read = together(reads, number);
                waiting = waiting.max(most_waiting(&read, number > 0));
                in_work += read.iter().map(|set| set.count_ones()).sum::<u32>();
                all += read.len();
            }
            steps.waiting.push(f64::from(waiting));
            steps.in_work.push(f64::from(in_work) / all.max(1) as f64);
        }
        steps
    }

    /// The number of the figures for so many rows in work, where each place has so many.
    fn number(&self, threads: f64, rows: f64) -> usize {
        let of = |places: f64| 1 + places.ceil().log2().ceil() as usize;
        let number = if rows > threads { 0 } else { of(threads / rows) };
        number.min(self.waiting.len() - 1)
    }
}

/// What places that are in work together read, for each that comes first.
fn together(reads: &[u64], number: usize) -> Vec<u64> {
    let mut read = reads.to_vec();
    for doubled in 1..number {
        let places = 1 << (doubled - 1);
        for at in 0..read.len() {
            read[at] |= read.get(at + places).copied().unwrap_or(0);
        }
    }
    read
}

/// Coordinates along an axis that are taken together, one group after the other.
struct Groups {
    size: u32,
    /// What each group reads, in order.
    unions: Vec<u64>,
    /// Group after group.
    between: Steps,
    /// Within a group, coordinate by coordinate.
    within: Steps,
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
        let (between, within) = (Steps::of(std::iter::once(&unions[..])), Steps::of(reads.chunks(size)));
        Groups { size: size as u32, between, within, unions }
    }

    /// How much more is read within groups where there is room for so many slabs; see [`slabs_read`].
    fn again_within(&self, reads: &[u64], number: usize, room: f64) -> f64 {
        let once: u32 = self.unions.iter().map(|union| union.count_ones()).sum();
        let groups = reads.chunks(self.size as usize);
        let all: f64 = groups.map(|group| slabs_read(group, number, room)).sum();
        all / f64::from(once.max(1))
    }

    /// The same between groups.
    fn again_between(&self, number: usize, room: f64) -> f64 {
        slabs_read(&self.unions, number, room) / f64::from(union(&self.unions).count_ones().max(1))
    }
}

impl<'a> RowReads<'a> {
    /// Of a standard section; `reads` gives what blocks along the axis of a quadrant with these counts read,
    /// or nothing where values don't depend on the next slice.
    pub fn new(
        all: &Sections,
        section: Section,
        reads: Option<impl Fn([u8; 2]) -> &'a Along>,
    ) -> RowReads<'a> {
        let bytes = |extents| line_bytes(extents) as f64;
        let extents = all.extents(section);
        let child = |q| section.child(all.shape(), q).filter(|_| reads.is_some());
        let counts = section.counts();
        RowReads {
            counts: std::array::from_fn(|axis| extents[axis].div_ceil(EDGE)),
            piece: std::array::from_fn(|q| child(q).map_or(0.0, |child| bytes(all.extents(child)))),
            reads: std::array::from_fn(|q| reads.as_ref().map_or(&NOTHING, |reads| reads(counts[q]))),
            row: bytes(extents),
        }
    }

    /// Bytes that the largest row takes at least, its children and itself.
    pub fn least(&self) -> f64 {
        self.least_pieces() + self.row
    }

    /// Bytes of the pieces that the largest row reads.
    fn least_pieces(&self) -> f64 {
        let most = |q: usize| {
            let reads = self.reads.get(q).and_then(|reads| reads.iter().map(|set| set.count_ones()).max());
            self.piece[q] * f64::from(reads.unwrap_or(1))
        };
        (0..4).map(most).sum()
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.counts.map(u64::from).iter().product()
    }

    /// The rows for which the order is to be best, of these rows counted in the order of the table.
    pub fn most(&self, rows: &Range<u64>) -> RowSets {
        most(self.counts, rows)
    }

    /// How rows are computed, where so many bytes are for pieces, for rows in work, one for each thread,
    /// and for what waits: in an order that is best for the rows in these sets. What threads need at
    /// least is taken in any case.
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
        // Rows outside of the sets may be in work as well.
        let threads = (threads as f64).min(self.rows() as f64);
        let in_rows = threads * self.row;
        let once: [f64; 4] = std::array::from_fn(|q| {
            let distinct = reads.get(q).map_or(rows[0], |reads| f64::from(union(reads).count_ones()));
            let along = rows.get(q).copied().unwrap_or(rows[0]);
            distinct * rows.iter().product::<f64>() / along.max(1.0) * self.piece[q]
        });
        let is_whole = sets == self.counts.map(|count| mask(0..u64::from(count)));
        let all = if is_whole { once.iter().sum() } else { f64::INFINITY };
        let least = (threads * self.least_pieces()).min(all);
        let some;
        let groups = if is_whole {
            self.reads.map(Along::groups)
        } else {
            some = reads.each_ref().map(|reads| Groups::some(reads));
            some.each_ref().map(|groups| &groups[..])
        };
        let search = Search { of: self, rows, once, groups, reads, threads, least, all, in_rows };
        let mut found = search.best(memory);
        let mut less = LESS * (found.bytes() + search.in_rows);
        for _ in 0..TRIALS {
            let tried = search.best(less);
            if tried.cost() < found.cost() {
                found = tried;
            } else if tried.again > found.cost() {
                break;
            }
            less = LESS * (tried.bytes() + search.in_rows).min(less);
        }
        let [a, b, c] = found.times;
        RowPlan {
            order: RowOrder::new(self.counts, found.tile, first),
            times: [a, b, c, 1.0],
            pieces: found.pieces,
            rows: in_rows,
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
    /// Along each axis, from one coordinate to all of them.
    groups: [&'a [Groups]; 3],
    /// Rows that are in work at the same time.
    threads: f64,
    /// Bytes of pieces that they need at least, and of all pieces.
    least: f64,
    all: f64,
    /// Bytes of their own entries.
    in_rows: f64,
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

/// Places along an axis that are gone through one after the other, all of them before the next ones.
struct Level<'a> {
    q: usize,
    groups: &'a Groups,
    /// Whether the places are those of a group, or the groups.
    is_within: bool,
    /// Rows of a place, and of all these places.
    rows: [f64; 2],
    /// Pieces of a slab.
    slab: f64,
}

impl<'a> Level<'a> {
    /// What is held, the number of the figures in it, and how many of these walks are in work at the same
    /// time.
    fn steps(&self, threads: f64) -> (&'a Steps, usize, f64) {
        let steps = if self.is_within { &self.groups.within } else { &self.groups.between };
        (steps, steps.number(threads, self.rows[0]), (threads / self.rows[1].max(1.0)).ceil())
    }
}

impl Search<'_> {
    /// The best tile; of those that are as good the smallest.
    fn best(&self, memory: f64) -> Tried {
        let mut best: Option<Tried> = None;
        for planes in self.groups[0] {
            for lines in self.groups[1] {
                let is_plain = planes.size == 1 && lines.size == 1;
                let waiting = self.waiting(planes, lines);
                let fits = 2.0 * waiting <= memory && waiting + self.least + self.in_rows <= memory;
                let is_worse = best.is_some_and(|best| waiting + self.least >= best.cost());
                if is_plain || fits && !is_worse {
                    let tried = self.try_tile([planes, lines], memory);
                    if best.is_none_or(|best| tried.cost() < best.cost()) {
                        best = Some(tried);
                    }
                }
            }
        }
        best.expect("there is a tile of one row")
    }

    /// Bytes of the encoded blocks that wait at most: before the first plane of a tile is finished.
    fn waiting(&self, planes: &Groups, lines: &Groups) -> f64 {
        let [_, b, c] = self.rows;
        let [n, m] = [planes, lines].map(|group| f64::from(group.size));
        ENCODED * ((n - 1.0) * b + (m - 1.0)) * c * self.of.row
    }

    /// What is read with a tile.
    fn try_tile(&self, [planes, lines]: [&Groups; 2], memory: f64) -> Tried {
        let Search { of, rows: [a, b, c], groups, threads, .. } = self;
        let [n, m] = [planes, lines].map(|group| f64::from(group.size));
        // What is needed soonest: by the planes of a tile at one line and one place along axis 2, then
        // by its lines, by the next place along axis 2, by the next lines, by the next planes.
        let levels = [
            Level { q: 0, groups: planes, is_within: true, rows: [1.0, n], slab: 1.0 },
            Level { q: 1, groups: lines, is_within: true, rows: [n, n * m], slab: n },
            Level { q: 2, groups: &groups[2][0], is_within: false, rows: [n * m, n * m * c], slab: n * m },
            Level { q: 1, groups: lines, is_within: false, rows: [n * m * c, n * b * c], slab: n * c },
            Level { q: 0, groups: planes, is_within: false, rows: [n * b * c, a * b * c], slab: b * c },
        ];
        let in_work = |level: &Level| {
            let (steps, number, times) = level.steps(*threads);
            let each = steps.in_work[number.max(1).min(steps.in_work.len() - 1)];
            let pieces = each * threads.min(level.rows[0]) * times;
            (pieces * of.piece[level.q]).min(self.once[level.q])
        };
        let in_work = levels[..3].iter().map(in_work).sum::<f64>() + threads * of.piece[3];
        let waiting = self.waiting(planes, lines);
        let room = (memory - waiting - self.in_rows).max(self.least);
        let mut left = (room - in_work).max(0.0);
        let mut times = [1.0; 3];
        for level in levels.iter().filter(|level| of.piece[level.q] > 0.0) {
            let (steps, number, at_once) = level.steps(*threads);
            let (q, piece) = (level.q, of.piece[level.q]);
            let slab = level.slab * at_once * piece;
            // What rows in work have is there already; where a place has more rows, a part of them.
            let there = steps.in_work[number] * (threads / level.rows[0]).min(1.0);
            let needed = steps.waiting[number] - if number > 0 { 0.0 } else { there };
            if left < slab * needed {
                // Whole pieces, but for what is lost in rounding.
                let room = ((left + there * slab) / piece + 1e-6).floor() * piece / slab;
                times[q] *= match level.is_within {
                    true => level.groups.again_within(&self.reads[q], number, room),
                    false => level.groups.again_between(number, room),
                };
            }
            left = (left - slab * needed.max(0.0)).max(0.0);
        }
        let again = (0..3).map(|q| (times[q] - 1.0) * self.once[q]).sum();
        let pieces = (room - left).max(self.least).min(self.all);
        Tried { tile: [planes.size, lines.size], times, again, pieces, waiting }
    }
}

fn union(reads: &[u64]) -> u64 {
    reads.iter().fold(0, |all, reads| all | reads)
}

/// The most slabs that wait for a later use at any time, if they are there from the first one on;
/// where a place is in work beside those that it has itself.
fn most_waiting(reads: &[u64], in_work: bool) -> u32 {
    let waiting = |at: usize| union(&reads[..=at]) & union(&reads[at + 1..]);
    let beside = |at: usize| if in_work { waiting(at) & !reads[at] } else { waiting(at) };
    (0..reads.len()).map(|at| beside(at).count_ones()).max().unwrap_or(0)
}

/// How many slabs are read, where so many stay between two uses, or with those in work: the ones that are
/// needed soonest. Of a slab that doesn't fit a part stays. `number` as in [`Steps`].
fn slabs_read(reads: &[u64], number: usize, room: f64) -> f64 {
    let reads = together(reads, number);
    let room = room.clamp(0.0, 64.0);
    let (whole, part) = (room.floor(), room.fract());
    let of = |most: f64| f64::from(with_room(&reads, most as u32, number > 0));
    if part > 0.0 { (1.0 - part) * of(whole) + part * of(whole + 1.0) } else { of(whole) }
}

/// With room for `most` slabs. If a place is in work, what it reads is among them and stays in any case
/// until the next one begins.
fn with_room(reads: &[u64], most: u32, in_work: bool) -> u32 {
    let (mut kept, mut read) = (0u64, 0);
    for (at, &now) in reads.iter().enumerate() {
        read += (now & !kept).count_ones();
        let later = &reads[at + 1..];
        kept = match in_work {
            true => {
                let beside = soonest(later, kept & !now, most.saturating_sub(now.count_ones()));
                soonest(later, beside | now, u64::BITS)
            }
            false => soonest(later, kept | now, most),
        };
    }
    read
}

/// Of these slabs those that later places need soonest, at most so many.
fn soonest(later: &[u64], mut of: u64, most: u32) -> u64 {
    let (mut found, mut left) = (0, most);
    for next in later {
        let mut soon = next & of;
        of &= !soon;
        while soon != 0 && left > 0 {
            found |= soon & soon.wrapping_neg();
            soon &= soon - 1;
            left -= 1;
        }
        if left == 0 || of == 0 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests;
