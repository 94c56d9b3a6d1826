//! Plans the rows of a section: the order of the rows that rereads the fewest pieces, and the
//! memory that this order takes.
//!
//! The *child by quadrant q* is the section of the boards after a placement on quadrant q. A piece
//! of this child is a line of blocks along axis 3. Rows that differ only along axis q share the
//! pieces along that axis, and each row needs at least a fifth of these pieces. To read each piece
//! once, the solver would have to compute all rows along axis q before it frees the piece. With
//! little memory, this is impossible along three axes. In a tile of I planes and J lines (see
//! [`RowOrder`]):
//!
//! - The child by quadrant 2 is read once, if the pieces for I J rows along all of axis 2 stay in
//!   memory.
//! - The child by quadrant 1 is read again for the next J lines, and the child by quadrant 0 for
//!   the next I planes, except for the pieces that are still in memory.
//! - The child by quadrant 3 is read once in any order.
//!
//! With I = J = 1, the child by quadrant 0 is read for each plane, and the child by quadrant 1 for
//! each line, except for the pieces that are still in memory. The pieces whose next use is soonest
//! stay in memory. The children therefore share memory in the order of the distances between two
//! uses. Blocks that are computed before earlier blocks of the table wait in encoded form. At most,
//! these blocks of a tile wait: in the first plane, the blocks of the last J lines except the first
//! of these lines, and all blocks of the other planes.
//!
//! Some memory is always taken: the pieces and the entries of one row for each thread. The rows of
//! different threads are adjacent in the order, so they share many pieces. Only the remaining
//! memory serves pieces that wait for a later row.

use super::order::{RowOrder, RowSets, mask, most};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::values::Entry;
use std::ops::Range;
use std::sync::OnceLock;

/// The blocks of a child section that each block of a section reads, along one axis. All sections
/// with the same counts in the quadrant have equal reads.
pub struct AxisReads {
    /// For each block of the section along the axis, the set of the child's blocks that the block
    /// reads, as a bit mask.
    pub reads: Vec<u64>,
    groups: OnceLock<Vec<AxisGroups>>,
}

/// The reads of a section whose values don't depend on the next slice. The list is empty.
static NOTHING: AxisReads = AxisReads { reads: Vec::new(), groups: OnceLock::new() };

impl AxisReads {
    /// Creates the reads of an axis. `reads` is the result of [`Sections::blocks_read`] for the
    /// counts of the quadrant.
    pub fn new(reads: Vec<u64>) -> AxisReads {
        AxisReads { reads, groups: OnceLock::new() }
    }

    fn groups(&self) -> &[AxisGroups] {
        self.groups.get_or_init(|| AxisGroups::some(&self.reads))
    }
}

/// The blocks that the rows of a section read.
pub struct RowReads<'a> {
    counts: [u32; 3],
    /// The blocks that are read along the axes 0, 1 and 2, for the child whose new marble is on the
    /// quadrant of the axis.
    reads: [&'a AxisReads; 3],
    /// The size in bytes of a piece of a child, indexed by the quadrant of the new marble. 0 if
    /// there is no such child.
    piece: [f64; 4],
    /// The size in bytes of the entries of one row.
    row: f64,
}

/// The plan for the rows of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowPlan {
    /// The order in which the rows are computed.
    pub order: RowOrder,
    /// The average number of times that a piece is read, indexed by the quadrant of the new marble.
    pub times: [f64; 4],
    /// The maximum size in bytes of the pieces in memory, including the pieces of rows in progress.
    pub pieces: f64,
    /// The size in bytes of the entries of all rows in progress.
    pub rows: f64,
    /// The estimated maximum size in bytes of the encoded blocks that wait until earlier blocks of
    /// the table are computed.
    pub waiting: f64,
    /// The number of bytes of pieces that are read in addition to the first read of each piece.
    pub again: f64,
}

impl RowPlan {
    /// Returns the total memory of the plan in bytes.
    pub fn bytes(&self) -> f64 {
        self.pieces + self.rows + self.waiting
    }

    /// Returns the sum of bytes that the plan minimises. `rows` is not included, because all plans
    /// of a section have the same `rows`.
    fn cost(&self) -> f64 {
        self.again + self.pieces + self.waiting
    }
}

/// The size of encoded blocks, as a fraction of the size of their entries. This fraction was
/// measured with the `quick` codec in the slices with the largest sections. If more blocks wait
/// than this estimate allows, they are written to a file (`bench/README.md#tiles-of-rows`).
const ENCODED: f64 = 0.08;

/// The search for a plan tries several memory limits. Each limit is [`LESS`] times the memory of
/// the preceding plan, for at most [`TRIALS`] limits.
const LESS: f64 = 0.72;
const TRIALS: usize = 16;

/// The minimum ratio between two successive sizes of groups (`bench/README.md#tiles-of-rows`).
const LARGER: f64 = 1.25;

/// Returns the size in bytes of a line of blocks along axis 3, which is a row or a piece. `extents`
/// are the extents of the array in entries.
fn line_bytes(extents: [u32; 4]) -> u64 {
    let [a, b, c, d] = extents.map(u64::from);
    let edge = u64::from(EDGE);
    a.min(edge) * b.min(edge) * c.min(edge) * d * size_of::<Entry>() as u64
}

/// The number of slabs in memory during a walk along an axis. A walk visits *places*, which are
/// coordinates or groups of coordinates. A *slab* is the set of pieces that the rows of a place
/// read at one coordinate along the axis. The figures depend on the number of places whose rows are
/// in progress at the same time. Element 0 is for less than one place. The other elements are for
/// 1, 2, 4, ... places.
struct HeldSlabs {
    /// The maximum number of slabs that wait for a later place. Slabs that the places in progress
    /// read are not included.
    waiting: Vec<f64>,
    /// The average number of slabs that the places in progress read.
    in_work: Vec<f64>,
}

impl HeldSlabs {
    /// Computes the figures over several walks: the maximum of `waiting` and the average of
    /// `in_work`.
    fn of<'a>(walks: impl Iterator<Item = &'a [u64]> + Clone) -> HeldSlabs {
        let places = walks.clone().map(<[u64]>::len).max().unwrap_or(0);
        let mut steps = HeldSlabs { waiting: Vec::new(), in_work: Vec::new() };
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

    /// Returns the index of the figures that apply if `threads` rows are in progress and each place
    /// has `rows` rows.
    fn number(&self, threads: f64, rows: f64) -> usize {
        let of = |places: f64| 1 + places.ceil().log2().ceil() as usize;
        let number = if rows > threads { 0 } else { of(threads / rows) };
        number.min(self.waiting.len() - 1)
    }
}

/// For each place, returns the union of the reads of this place and of the following places that
/// are in progress with it. `number` is an index into the lists of `HeldSlabs`.
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

/// A division of the coordinates along an axis into groups of `size` successive coordinates.
struct AxisGroups {
    size: u32,
    /// For each group, the union of the reads of its coordinates.
    unions: Vec<u64>,
    /// The slabs in memory during a walk from group to group.
    between: HeldSlabs,
    /// The slabs in memory during the walks within groups, from coordinate to coordinate.
    within: HeldSlabs,
}

impl AxisGroups {
    /// Returns divisions with several sizes of groups, from one coordinate per group to a single
    /// group. Among sizes with equally many groups, only the smallest size is used.
    fn some(reads: &[u64]) -> Vec<AxisGroups> {
        let n = reads.len().max(1);
        let mut sizes = vec![1];
        for groups in (1..n).rev() {
            let size = n.div_ceil(groups);
            if size as f64 >= LARGER * sizes.last().copied().unwrap_or(0) as f64 || groups == 1 {
                sizes.push(size);
            }
        }
        sizes.into_iter().map(|size| AxisGroups::of(reads, size)).collect()
    }

    fn of(reads: &[u64], size: usize) -> AxisGroups {
        let unions: Vec<u64> = reads.chunks(size).map(union).collect();
        let (between, within) =
            (HeldSlabs::of(std::iter::once(&unions[..])), HeldSlabs::of(reads.chunks(size)));
        AxisGroups { size: size as u32, between, within, unions }
    }

    /// Returns the average number of times that a slab is read during a walk within a group, if
    /// memory holds `room` slabs; see [`slabs_read`].
    fn again_within(&self, reads: &[u64], number: usize, room: f64) -> f64 {
        let once: u32 = self.unions.iter().map(|union| union.count_ones()).sum();
        let groups = reads.chunks(self.size as usize);
        let all: f64 = groups.map(|group| slabs_read(group, number, room)).sum();
        all / f64::from(once.max(1))
    }

    /// Returns the average number of times that a slab is read during a walk from group to group,
    /// if memory holds `room` slabs.
    fn again_between(&self, number: usize, room: f64) -> f64 {
        slabs_read(&self.unions, number, room) / f64::from(union(&self.unions).count_ones().max(1))
    }
}

impl<'a> RowReads<'a> {
    /// Creates the reads of a standard section. The function `reads` returns the reads of a
    /// quadrant with given counts. `None` instead of the function means that the values don't
    /// depend on the next slice.
    pub fn new(
        all: &Sections,
        section: Section,
        reads: Option<impl Fn([u8; 2]) -> &'a AxisReads>,
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

    /// Returns the minimum memory in bytes for computing the largest row: the size of its pieces
    /// and of its entries.
    pub fn least(&self) -> f64 {
        self.least_pieces() + self.row
    }

    /// Returns the size in bytes of the pieces that the largest row reads.
    fn least_pieces(&self) -> f64 {
        let most = |q: usize| {
            let reads =
                self.reads.get(q).and_then(|axis| axis.reads.iter().map(|set| set.count_ones()).max());
            self.piece[q] * f64::from(reads.unwrap_or(1))
        };
        (0..4).map(most).sum()
    }

    /// Returns the number of rows of the section.
    pub fn rows(&self) -> u64 {
        self.counts.map(u64::from).iter().product()
    }

    /// Returns a large box in a range of rows, for which the order is optimised. Rows are numbered
    /// in the order of the table.
    pub fn most(&self, rows: &Range<u64>) -> RowSets {
        most(self.counts, rows)
    }

    /// Plans the rows of a section. The order is optimised for the rows in `sets`. `memory` limits
    /// the size in bytes of the pieces, of the rows in progress (one for each thread), and of
    /// waiting blocks. The plan always includes the minimum memory of each thread.
    ///
    /// Memory that the plan leaves free can hold blocks that later sections need. At best, each
    /// free byte saves reading one byte again for each section. The plan therefore minimises the
    /// sum of the bytes read again and the bytes of memory.
    pub fn plan(&self, sets: RowSets, memory: f64, threads: usize) -> RowPlan {
        let rows = sets.map(|set| f64::from(set.count_ones()));
        let reads: [Vec<u64>; 3] = std::array::from_fn(|q| {
            let reads = self.reads[q].reads.iter().enumerate();
            reads.filter(|(at, _)| sets[q] >> at & 1 == 1).map(|(_, &set)| set).collect()
        });
        let first = [0, 1].map(|axis| sets[axis].trailing_zeros().min(self.counts[axis]));
        // Threads may also be computing rows outside `sets`.
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
            self.reads.map(AxisReads::groups)
        } else {
            some = reads.each_ref().map(|reads| AxisGroups::some(reads));
            some.each_ref().map(|groups| &groups[..])
        };
        let search = TileSearch { of: self, first, rows, once, groups, reads, threads, least, all, in_rows };
        let mut found = search.best(memory);
        let mut less = LESS * found.bytes();
        for _ in 0..TRIALS {
            let tried = search.best(less);
            if tried.cost() < found.cost() {
                found = tried;
            } else if tried.again > found.cost() {
                break;
            }
            less = LESS * tried.bytes().min(less);
        }
        found
    }
}

/// The search for the tile with the lowest cost for the rows of a section.
struct TileSearch<'a> {
    of: &'a RowReads<'a>,
    /// A plane and a line with which a tile must begin.
    first: [u32; 2],
    /// The number of coordinates in the planned set of rows along each of the axes 0, 1 and 2.
    /// `reads` has the reads of each of these coordinates.
    rows: [f64; 3],
    reads: [Vec<u64>; 3],
    /// The total size in bytes of the distinct pieces, indexed by the quadrant of the new marble.
    once: [f64; 4],
    /// The candidate divisions of each axis into groups, from one coordinate per group to a single
    /// group.
    groups: [&'a [AxisGroups]; 3],
    /// The number of rows that are in progress at the same time.
    threads: f64,
    /// Two bounds on the size in bytes of the pieces in memory: `least` for the rows in progress,
    /// and `all` for every piece of the section.
    least: f64,
    all: f64,
    /// The size in bytes of the entries of all rows in progress.
    in_rows: f64,
}

/// A walk along axis `q`, place by place. Each walk ends before the next walk on an outer axis
/// begins.
struct AxisWalk<'a> {
    q: usize,
    groups: &'a AxisGroups,
    /// `true` if the places are the coordinates of one group, `false` if the places are groups.
    is_within: bool,
    /// The number of rows of one place, and the number of rows of the whole walk.
    rows: [f64; 2],
    /// The number of pieces in a slab of this walk.
    slab: f64,
}

impl<'a> AxisWalk<'a> {
    /// Returns the figures about slabs in memory, the index of the figures that apply to `threads`
    /// rows in progress, and the number of walks in progress at the same time.
    fn steps(&self, threads: f64) -> (&'a HeldSlabs, usize, f64) {
        let steps = if self.is_within { &self.groups.within } else { &self.groups.between };
        (steps, steps.number(threads, self.rows[0]), (threads / self.rows[1].max(1.0)).ceil())
    }
}

impl TileSearch<'_> {
    /// Returns the plan with the lowest cost within `memory` bytes. Among plans of equal cost, the
    /// smallest tile wins.
    fn best(&self, memory: f64) -> RowPlan {
        let mut best: Option<RowPlan> = None;
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

    /// Returns the maximum size in bytes of the encoded blocks that wait for earlier blocks. The
    /// maximum is reached just before the first plane of a tile is finished.
    fn waiting(&self, planes: &AxisGroups, lines: &AxisGroups) -> f64 {
        let [_, b, c] = self.rows;
        let [n, m] = [planes, lines].map(|group| f64::from(group.size));
        ENCODED * ((n - 1.0) * b + (m - 1.0)) * c * self.of.row
    }

    /// Plans the rows in tiles whose planes and lines are the groups `planes` and `lines`.
    fn try_tile(&self, [planes, lines]: [&AxisGroups; 2], memory: f64) -> RowPlan {
        let TileSearch { of, rows: [a, b, c], groups, threads, .. } = self;
        let [n, m] = [planes, lines].map(|group| f64::from(group.size));
        // The walks, in ascending order of the distance between two uses of a piece: over the
        // planes of a tile, over the lines of a tile, along axis 2, from tile to tile along axis 1,
        // and from tile to tile along axis 0.
        let levels = [
            AxisWalk { q: 0, groups: planes, is_within: true, rows: [1.0, n], slab: 1.0 },
            AxisWalk { q: 1, groups: lines, is_within: true, rows: [n, n * m], slab: n },
            AxisWalk { q: 2, groups: &groups[2][0], is_within: false, rows: [n * m, n * m * c], slab: n * m },
            AxisWalk { q: 1, groups: lines, is_within: false, rows: [n * m * c, n * b * c], slab: n * c },
            AxisWalk { q: 0, groups: planes, is_within: false, rows: [n * b * c, a * b * c], slab: b * c },
        ];
        let in_work = |level: &AxisWalk| {
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
            // The slabs of rows in progress are already in memory. If a place has more rows than
            // there are threads, only a fraction of each slab is in memory.
            let there = steps.in_work[number] * (threads / level.rows[0]).min(1.0);
            let needed = steps.waiting[number] - if number > 0 { 0.0 } else { there };
            if left < slab * needed {
                // Round down to whole pieces. The small summand compensates for rounding errors.
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
        let order = RowOrder::new(of.counts, [planes.size, lines.size], self.first);
        let [a, b, c] = times;
        RowPlan { order, times: [a, b, c, 1.0], pieces, rows: self.in_rows, waiting, again }
    }
}

fn union(reads: &[u64]) -> u64 {
    reads.iter().fold(0, |all, reads| all | reads)
}

/// Returns the maximum number of slabs that wait for a later use, if every slab stays in memory
/// from its first use to its last. If `in_work` is `true`, the slabs that the current place reads
/// are not counted.
fn most_waiting(reads: &[u64], in_work: bool) -> u32 {
    let waiting = |at: usize| union(&reads[..=at]) & union(&reads[at + 1..]);
    let beside = |at: usize| if in_work { waiting(at) & !reads[at] } else { waiting(at) };
    (0..reads.len()).map(|at| beside(at).count_ones()).max().unwrap_or(0)
}

/// Returns the number of times that slabs are read, if memory has room for `room` slabs, including
/// the slabs in progress. The slabs whose next use is soonest stay in memory. For a fractional
/// `room`, the result is interpolated. `number` is an index as in [`HeldSlabs`].
fn slabs_read(reads: &[u64], number: usize, room: f64) -> f64 {
    let reads = together(reads, number);
    let room = room.clamp(0.0, 64.0);
    let (whole, part) = (room.floor(), room.fract());
    let of = |most: f64| f64::from(with_room(&reads, most as u32, number > 0));
    if part > 0.0 { (1.0 - part) * of(whole) + part * of(whole + 1.0) } else { of(whole) }
}

/// Returns the number of times that slabs are read, if memory has room for `most` slabs. If
/// `in_work` is `true`, this room includes the slabs of the current place, which stay in memory
/// until the next place begins.
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

/// Returns the `most` slabs in `of` that later places need soonest. Returns fewer slabs if later
/// places need fewer.
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
