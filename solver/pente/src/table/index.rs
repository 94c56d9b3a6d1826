//! The index of the positions of a small board. Positions are sorted by the occupied set, then by
//! the subset of X stones.
//!
//! Occupied sets that are images under the symmetries of the board share one *canonical* set: the
//! image whose bits form the least number. The canonical sets with `s` points are ranked in
//! ascending order. For the subset of X stones, the `s` points of the canonical set are numbered in
//! ascending order, and the subsets of `x` numbers are ranked in colexicographic order. A slice is
//! one block of `C(s, x)` positions for each canonical set.
//!
//! If a symmetry fixes a canonical set, some positions of the set are images of each other. The
//! index lists all of them, with equal values.

use super::slice::SliceId;
use crate::rules::{Color, Point, PointSet, Position, Rules, Symmetry};
use pentago_base::{binomial, bits};

/// The largest number of points of an indexed board. The index has an entry for every set of
/// points.
pub const MAX_INDEXED: usize = 25;

/// The number of bits of a set that one look-up permutes.
const CHUNK: usize = 6;
/// The number of look-ups that permute [`MAX_INDEXED`] bits.
const CHUNKS: usize = MAX_INDEXED.div_ceil(CHUNK);

/// A permutation of the bits of a set. Each table maps six bits of the set to the bits of their
/// images.
pub(crate) struct BitPermutation {
    chunks: [[u32; 1 << CHUNK]; CHUNKS],
    used: usize,
}

impl BitPermutation {
    /// Makes the permutation that moves bit `i` to bit `images[i]`.
    pub fn new(images: &[u8]) -> BitPermutation {
        let mut permutation = BitPermutation { chunks: [[0; 1 << CHUNK]; CHUNKS], used: 0 };
        permutation.set(images);
        permutation
    }

    /// Replaces the permutation by another one, and reuses the memory.
    pub fn set(&mut self, images: &[u8]) {
        self.used = images.len().div_ceil(CHUNK);
        for (chunk, images) in self.chunks.iter_mut().zip(images.chunks(CHUNK)) {
            for set in 1..1usize << images.len() {
                chunk[set] = chunk[set & (set - 1)] | 1 << images[set.trailing_zeros() as usize];
            }
        }
    }

    #[inline]
    pub fn apply(&self, set: u32) -> u32 {
        let mut image = 0;
        let mut rest = set;
        for chunk in &self.chunks[..self.used] {
            image |= chunk[rest as usize & ((1 << CHUNK) - 1)];
            rest >>= CHUNK;
        }
        image
    }
}

/// The index of a small board: the offset of each position in its slice.
pub struct BoardIndex {
    pub(crate) rules: Rules,
    pub(crate) points: usize,
    /// The symmetries of the board, in the order of [`Rules::symmetries`].
    pub(crate) symmetries: Vec<BitPermutation>,
    /// The images of the points, indexed by symmetry, then by point.
    images: Vec<Vec<u8>>,
    /// For each set, the rank of its canonical set, shifted left by 3 bits. The low 3 bits hold a
    /// symmetry that maps the set to the canonical set.
    canonical: Vec<u32>,
    /// The canonical sets in ascending order, indexed by their number of points.
    pub(crate) sets: Vec<Vec<u32>>,
    pub(crate) binomial: Box<[[u64; MAX_INDEXED + 1]; MAX_INDEXED + 1]>,
    /// The contributions of the low half of the bits to the rank of a subset, indexed by these
    /// bits.
    low_ranks: Vec<u32>,
    /// The contributions of the high half of the bits, at index `count * 2^(points / 2) + bits`.
    /// `count` is the number of elements in the low half.
    high_ranks: Vec<u32>,
}

impl BoardIndex {
    /// Returns the size of an index in bytes, without the small tables.
    pub(crate) fn bytes(points: usize) -> u64 {
        // The first term is the size of `canonical`: 4 bytes per set. The second term is the size
        // of `sets`: one in 4 to 8 sets is canonical and takes 4 bytes.
        (4 << points) + (1 << points)
    }

    /// Makes the index of a board.
    ///
    /// # Panics
    /// If the board has more than [`MAX_INDEXED`] points.
    pub fn new(rules: &Rules) -> BoardIndex {
        let points = rules.points();
        assert!(points <= MAX_INDEXED, "a board of {points} points has no index");
        let row = |n| std::array::from_fn(|k| binomial(n, k) as u64);
        let binomial: Box<[[u64; MAX_INDEXED + 1]; MAX_INDEXED + 1]> = Box::new(std::array::from_fn(row));
        let image = |s: &Symmetry| rules.all_points().map(|p| s.apply(rules, p).index() as u8).collect();
        let images: Vec<Vec<u8>> = rules.symmetries().iter().map(image).collect();
        let symmetries: Vec<BitPermutation> =
            images.iter().map(|images| BitPermutation::new(images)).collect();
        let mut canonical = vec![0; 1 << points];
        let mut sets = vec![Vec::new(); points + 1];
        for set in 0..1u32 << points {
            let least = symmetries.iter().enumerate().map(|(s, map)| (map.apply(set), s)).min();
            let (least, symmetry) = least.unwrap_or((set, 0));
            canonical[set as usize] = if least == set {
                let ranked = &mut sets[set.count_ones() as usize];
                ranked.push(set);
                (ranked.len() as u32 - 1) << 3
            } else {
                canonical[least as usize] | symmetry as u32
            };
        }
        let [low_ranks, high_ranks] = rank_shares(points, &binomial[..]);
        let rules = *rules;
        BoardIndex { rules, points, symmetries, images, canonical, sets, binomial, low_ranks, high_ranks }
    }

    /// Returns the rank of a set's canonical set, and a symmetry that maps the set to the canonical
    /// set.
    #[inline]
    pub(crate) fn canonical(&self, set: u32) -> (usize, usize) {
        let found = self.canonical[set as usize];
        ((found >> 3) as usize, (found & 7) as usize)
    }

    /// Returns the image of a point.
    #[inline]
    pub(crate) fn image(&self, symmetry: usize, p: usize) -> u8 {
        self.images[symmetry][p]
    }

    /// Returns the rank of a subset among the subsets of a canonical set with equal size. `subset`
    /// consists of the numbers of its points within the canonical set.
    #[inline]
    pub(crate) fn rank(&self, subset: u32) -> u32 {
        let (set, high_bits) = (subset as usize, self.points / 2);
        let half = self.points - high_bits;
        let low = set & ((1 << half) - 1);
        let count = low.count_ones() as usize;
        self.low_ranks[low] + self.high_ranks[count << high_bits | set >> half]
    }

    /// Returns the offset of a position in its slice. `set` holds all stones, and `x` holds the
    /// stones of X.
    pub(crate) fn offset(&self, set: u32, x: u32) -> u64 {
        let (rank, symmetry) = self.canonical(set);
        let stones = set.count_ones() as usize;
        let canonical = self.sets[stones][rank];
        let subset = compress(self.symmetries[symmetry].apply(x), canonical);
        let block = self.binomial[stones][subset.count_ones() as usize];
        rank as u64 * block + u64::from(self.rank(subset))
    }

    /// Returns the occupied set and the X stones of the position at an offset of a slice, or `None`
    /// if the offset lies after the last position. The slice has `stones` stones, `x` of them X.
    pub(crate) fn at(&self, stones: usize, x: usize, offset: u64) -> Option<(u32, u32)> {
        let block = *self.binomial.get(stones)?.get(x)?;
        let set = *self.sets.get(stones)?.get(usize::try_from(offset.checked_div(block)?).ok()?)?;
        let mut rest = offset % block;
        let mut subset = 0u32;
        for i in (1..=x).rev() {
            let element = (i - 1..stones).rev().find(|&e| self.binomial[e][i] <= rest)?;
            rest -= self.binomial[element][i];
            subset |= 1 << element;
        }
        Some((set, expand(subset, set)))
    }

    /// Returns the number of positions of a slice, or 0 if no position has the counts of the slice.
    pub fn positions(&self, id: SliceId) -> u64 {
        let stones = usize::from(id.stones);
        let Some((x, sets)) = id.x().zip(self.sets.get(stones)) else { return 0 };
        sets.len() as u64 * self.binomial[stones][x]
    }

    /// Returns the slice of a position, and the offset of the position in that slice. Returns
    /// `None` if no game on this board leads to a position with equal numbers of stones.
    pub fn locate(&self, p: &Position) -> Option<(SliceId, u64)> {
        if p.occupied().iter().any(|point| point.index() >= self.points) {
            return None;
        }
        let (x, set) = (set_to_bits(p.stones(Color::X)), set_to_bits(&p.occupied()));
        let id = SliceId { captured: p.captured, stones: u8::try_from(set.count_ones()).ok()? };
        let fits = id.x() == Some(x.count_ones() as usize) && id.to_move() == p.to_move();
        fits.then(|| (id, self.offset(set, x)))
    }

    /// Returns the position at an offset of a slice, or `None` if the offset lies after the last
    /// position. The game may be over in the position.
    pub fn position(&self, id: SliceId, offset: u64) -> Option<Position> {
        let (set, x) = self.at(id.stones.into(), id.x()?, offset)?;
        let stones = [bits_to_set(x), bits_to_set(set & !x)];
        Some(Position { stones, captured: id.captured, to_move: id.to_move() })
    }
}

/// Returns the contributions of the low half and of the high half of the bits to the rank of a
/// subset. Subsets with equal numbers of elements are ranked in colexicographic order. The rank is
/// the sum of `C(e_i, i + 1)` over the elements `e_0 < e_1 < ...`.
fn rank_shares(bits: usize, binomial: &[[u64; MAX_INDEXED + 1]]) -> [Vec<u32>; 2] {
    let half = bits.div_ceil(2);
    let share = |set: usize, shift: usize, before: usize| -> u32 {
        let elements = (0..bits).filter(|&i| set >> i & 1 == 1).enumerate();
        elements.map(|(i, e)| *binomial[e + shift].get(i + before + 1).unwrap_or(&0) as u32).sum()
    };
    let low = (0..1 << half).map(|set| share(set, 0, 0));
    let sets = 0..1usize << (bits - half);
    let high = (0..=half).flat_map(|count| sets.clone().map(move |set| (count, set)));
    [low.collect(), high.map(|(count, set)| share(set, half, count)).collect()]
}

/// Returns `subset` as a set of numbers: the points of `set` are numbered from 0 in ascending
/// order.
#[inline]
pub(crate) fn compress(subset: u32, set: u32) -> u32 {
    let mut rest = subset;
    let mut numbers = 0;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        numbers |= 1 << (set & (bit - 1)).count_ones();
        rest ^= bit;
    }
    numbers
}

/// Returns the points of `set` whose numbers are in `numbers`. The function is the inverse of
/// [`compress`].
pub(crate) fn expand(numbers: u32, set: u32) -> u32 {
    let chosen = bits(set.into()).enumerate().filter(|(i, _)| numbers >> i & 1 == 1);
    chosen.fold(0, |points, (_, point)| points | 1 << point)
}

/// Converts a set of points of a small board to a bit set.
pub(crate) fn set_to_bits(points: &PointSet) -> u32 {
    points.words()[0] as u32
}

/// Converts a bit set to a set of points.
pub(crate) fn bits_to_set(set: u32) -> PointSet {
    (0..32).filter(|i| set >> i & 1 == 1).map(Point).collect()
}
