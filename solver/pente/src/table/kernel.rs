//! Computes the value of every position of a slice from the slices that its moves lead to.
//!
//! The kernel solves all positions with the same occupied set together. In all these positions, a
//! placement on the same point leads to the same canonical set and renumbers the points in the same
//! way. So a placement without a capture costs a few small look-ups. A capture changes the occupied
//! set depending on the colors, so the kernel computes the full offset of the resulting position.

use pentago_base::ALONE;
use rayon::prelude::*;

use super::index::{BitPermutation, BoardIndex, MAX_INDEXED, bits_to_set};
use super::slice::{DRAW, LOSS, Slice, SliceId, WIN};
use crate::rules::lines::{DIRECTIONS, has_line};
use crate::rules::{Color, Point};

/// The number of occupied sets in one parallel task. The number is a multiple of 4, so that each
/// task ends at a whole byte.
const SETS_AT_ONCE: usize = 32;
/// The tables of a board that all slices share: winning lines and capturable runs.
pub(crate) struct Kernel {
    pub index: BoardIndex,
    /// One bit for each set of points: 1 if the set contains a winning line.
    lines: Vec<u64>,
    /// The runs that a stone on a point can capture, indexed by point. Each run is a pair of sets:
    /// the stones of the run, and the point of the flank at the other end.
    preys: Vec<Vec<(u32, u32)>>,
    /// `true` if, under these rules, the side to move can own a line that has not won yet: see
    /// [`crate::Rules::outcome`].
    line_may_wait: bool,
}

/// A placement without a capture on an empty point of the current occupied set.
struct QuietPlacement {
    point: u32,
    /// The offset in the next slice of the block of the resulting canonical set.
    base: u64,
    /// Converts the numbers of the stones in the current occupied set to numbers in the resulting
    /// canonical set.
    map: BitPermutation,
    /// The bit of the new stone in the resulting subset of X, or 0 if the new stone is O.
    new: u32,
}

impl Kernel {
    pub fn new(index: BoardIndex) -> Kernel {
        let rules = index.rules;
        let points = index.points;
        let mut lines = vec![0u64; (1usize << points).div_ceil(64)];
        let find = |(i, word): (usize, &mut u64)| {
            for bit in 0..64.min(1 << points) {
                let set = bits_to_set((64 * i + bit) as u32);
                *word |= u64::from(has_line(&rules, &set)) << bit;
            }
        };
        if ALONE {
            lines.iter_mut().enumerate().for_each(find);
        } else {
            lines.par_iter_mut().enumerate().for_each(find);
        }
        let lengths = rules.options().capture.lengths();
        let prey = |p: Point, (df, dr): (isize, isize), length: isize| {
            let flank = rules.step(p, (length + 1) * df, (length + 1) * dr)?;
            let stones = (1..=length).filter_map(|i| rules.step(p, i * df, i * dr));
            Some((stones.fold(0, |set, p| set | 1 << p.index()), 1 << flank.index()))
        };
        let preys = rules
            .all_points()
            .map(|p| {
                let all =
                    DIRECTIONS.iter().flat_map(|&d| lengths.iter().map(move |&length| (d, length as isize)));
                all.filter_map(|(d, length)| prey(p, d, length)).collect()
            })
            .collect();
        Kernel { index, lines, preys, line_may_wait: rules.line_may_wait() }
    }

    #[inline]
    fn has_line(&self, set: u32) -> bool {
        self.lines[set as usize >> 6] >> (set & 63) & 1 == 1
    }

    /// Returns the stones that `own` captures with a stone on `point`.
    #[inline]
    fn taken(&self, point: u32, own: u32, enemy: u32) -> u32 {
        let mut taken = 0;
        for &(stones, flank) in &self.preys[point as usize] {
            if stones & !enemy == 0 && flank & own != 0 {
                taken |= stones;
            }
        }
        taken
    }

    /// Solves a slice. `solved` returns the slices that moves lead to.
    pub fn solve<'s>(&self, id: SliceId, solved: &(impl Fn(SliceId) -> Option<&'s Slice> + Sync)) -> Slice {
        let positions = self.index.positions(id);
        let mut bytes = vec![0; positions.div_ceil(4) as usize];
        if let Some(x) = id.x() {
            let stones = usize::from(id.stones);
            let block = self.index.binomial[stones][x];
            // A position takes a quarter of a byte, so four sets of `block` positions take `block`
            // bytes.
            let piece = SETS_AT_ONCE / 4 * block as usize;
            let solve = |(i, bytes): (usize, &mut [u8])| {
                let sets = &self.index.sets[stones][i * SETS_AT_ONCE..];
                let mut solver = OccupiedSetSolver::new(self, id, x, solved);
                for (j, &set) in sets.iter().take(SETS_AT_ONCE).enumerate() {
                    solver.set(set, bytes, j as u64 * block);
                }
            };
            if ALONE {
                bytes.chunks_mut(piece).enumerate().for_each(solve);
            } else {
                bytes.par_chunks_mut(piece).enumerate().for_each(solve);
            }
        }
        Slice { positions, bytes }
    }
}

/// Solves the positions of a slice, one occupied set after another.
struct OccupiedSetSolver<'k, 's, F> {
    kernel: &'k Kernel,
    id: SliceId,
    x: usize,
    mover: Color,
    solved: &'k F,
    /// The slice with one more stone, or `None` if one more stone fills the board.
    next: Option<&'s Slice>,
    /// The placements on the empty points of the current occupied set.
    quiet: Vec<QuietPlacement>,
    /// Converts point numbers within the occupied set to points of the board.
    expand: BitPermutation,
    /// The number of stones that a capture must take to win.
    need: u32,
}

impl<'k, 's, F: Fn(SliceId) -> Option<&'s Slice>> OccupiedSetSolver<'k, 's, F> {
    fn new(kernel: &'k Kernel, id: SliceId, x: usize, solved: &'k F) -> Self {
        let mover = id.to_move();
        let next = solved(SliceId { stones: id.stones + 1, ..id });
        let need = u32::from(kernel.index.rules.options().win - id.captured[mover.index()]);
        let expand = BitPermutation::new(&[]);
        OccupiedSetSolver { kernel, id, x, mover, solved, next, quiet: Vec::new(), expand, need }
    }

    /// Solves all positions of an occupied set and writes their codes into `bytes`, starting at
    /// code index `first`.
    fn set(&mut self, set: u32, bytes: &mut [u8], first: u64) {
        let index = &self.kernel.index;
        let stones = usize::from(self.id.stones);
        let mut points = [0; MAX_INDEXED];
        let mut rest = set;
        for point in &mut points[..stones] {
            *point = rest.trailing_zeros() as u8;
            rest &= rest - 1;
        }
        self.expand.set(&points[..stones]);
        self.prepare(set, &points[..stones]);
        let count = index.binomial[stones][self.x];
        let mut subset: u32 = (1 << self.x) - 1;
        for offset in first..first + count {
            let value = self.value(set, subset);
            bytes[(offset >> 2) as usize] |= value << (2 * (offset & 3));
            subset = following(subset);
        }
    }

    /// Fills `quiet` with a placement on each empty point where the opening rule allows a stone.
    /// `points` lists the points of the occupied set.
    fn prepare(&mut self, set: u32, points: &[u8]) {
        let index = &self.kernel.index;
        let rules = &index.rules;
        let stones = points.len();
        let mut used = 0;
        for p in 0..index.points as u32 {
            let new = Point(p as u16);
            if set >> p & 1 == 1 || rules.opening_forbids(self.mover, self.id.plies(), new).is_some() {
                continue;
            }
            if used == self.quiet.len() {
                self.quiet.push(QuietPlacement { point: 0, base: 0, map: BitPermutation::new(&[]), new: 0 });
            }
            let quiet = &mut self.quiet[used];
            used += 1;
            quiet.point = p;
            if self.next.is_none() {
                continue;
            }
            let (rank, symmetry) = index.canonical(set | 1 << p);
            let canonical = index.sets[stones + 1][rank];
            let number = |p: u8| {
                let bit = 1u32 << index.image(symmetry, p.into());
                (canonical & (bit - 1)).count_ones() as u8
            };
            let mut images = [0; MAX_INDEXED];
            for (image, &p) in images.iter_mut().zip(points) {
                *image = number(p);
            }
            quiet.map.set(&images[..stones]);
            let is_x = self.mover == Color::X;
            quiet.new = if is_x { 1 << number(p as u8) } else { 0 };
            quiet.base = rank as u64 * index.binomial[stones + 1][self.x + usize::from(is_x)];
        }
        self.quiet.truncate(used);
    }

    /// Returns the code of one position of the occupied set. `subset` holds the numbers, within the
    /// set, of the points with X stones.
    #[inline]
    fn value(&self, set: u32, subset: u32) -> u8 {
        let kernel = self.kernel;
        let x = self.expand.apply(subset);
        let o = set & !x;
        let (own, enemy) = if self.mover == Color::X { (x, o) } else { (o, x) };
        if kernel.has_line(enemy) {
            // If both sides own a winning line, the position is unreachable.
            return if kernel.has_line(own) && !kernel.line_may_wait { 0 } else { LOSS };
        }
        if kernel.has_line(own) && !kernel.line_may_wait {
            return 0;
        }
        let mut captures = 0u32;
        for quiet in &self.quiet {
            if kernel.has_line(own | 1 << quiet.point) {
                return WIN;
            }
            let taken = kernel.taken(quiet.point, own, enemy);
            if taken != 0 {
                if taken.count_ones() >= self.need {
                    return WIN;
                }
                captures |= 1 << quiet.point;
            }
        }
        let mut best = if self.quiet.is_empty() { DRAW } else { LOSS };
        for quiet in &self.quiet {
            let value = if captures >> quiet.point & 1 == 1 {
                self.after_capture(set, quiet.point, own, enemy)
            } else if let Some(next) = self.next {
                let subset = quiet.map.apply(subset) | quiet.new;
                next.code(quiet.base + u64::from(kernel.index.rank(subset)))
            } else {
                DRAW
            };
            if value == LOSS {
                return WIN;
            }
            // The code is the value for the opponent, so negate it. No move leads to an unreachable
            // position, so code 0 does not occur.
            best = best.max(4 - value.max(1));
        }
        best
    }

    /// Returns the code of the position after a capture that does not win. The opponent is to move
    /// in that position.
    #[cold]
    fn after_capture(&self, set: u32, point: u32, own: u32, enemy: u32) -> u8 {
        let taken = self.kernel.taken(point, own, enemy);
        let count = taken.count_ones();
        let mut id = self.id;
        id.captured[self.mover.index()] += count as u16;
        id.stones = id.stones + 1 - count as u8;
        let own = own | 1 << point;
        let set = (set | 1 << point) & !taken;
        let x = if self.mover == Color::X { own } else { enemy & !taken };
        let slice = (self.solved)(id);
        slice.map_or(0, |slice| slice.code(self.kernel.index.offset(set, x)))
    }
}

/// Returns the next larger number with the same number of 1 bits, by Gosper's hack. This number is
/// the next subset in colexicographic order. Returns an unspecified number after the last subset.
#[inline]
fn following(subset: u32) -> u32 {
    let low = subset & subset.wrapping_neg();
    if low == 0 {
        return 0;
    }
    let ripple = subset.wrapping_add(low);
    ripple | ((subset ^ ripple) >> 2).checked_div(low).unwrap_or(0)
}
