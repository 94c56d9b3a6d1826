//! The index of positions of a small board: the occupied set, then which of its points are X.
//!
//! Occupied sets that are images of each other under the symmetries of the board share one
//! *canonical* set, the least as a number. The canonical sets with `s` points are ranked in
//! ascending order; the subsets of `x` of their points in colexicographic order, as subsets of the
//! `s` numbers that the points have within the set. A slice is one block of `C(s, x)` positions for
//! each canonical set.
//!
//! (A canonical set that is its own image under a symmetry holds some positions twice: all images
//! of a position have the same value, and all of them are filled in.)

use crate::rules::{Point, PointSet, Rules};
use pentago_base::binomial;

/// The most points of a board with an index: the rank of every set is held in memory.
pub const MAX_INDEXED: usize = 25;

/// Bits of a set that one look-up moves.
const CHUNK: usize = 6;
/// Look-ups for [`MAX_INDEXED`] bits.
const CHUNKS: usize = MAX_INDEXED.div_ceil(CHUNK);

/// A map of the bits of a set, by tables of 64 images.
pub(crate) struct BitPermutation {
    chunks: [[u32; 1 << CHUNK]; CHUNKS],
    used: usize,
}

impl BitPermutation {
    /// Bit `i` becomes bit `images[i]`.
    pub fn new(images: &[u8]) -> BitPermutation {
        let mut map = BitPermutation { chunks: [[0; 1 << CHUNK]; CHUNKS], used: 0 };
        map.set(images);
        map
    }

    /// Takes other images.
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

/// Ranks of subsets with the same number of elements, in colexicographic order: the sum of
/// `C(e_i, i + 1)` over the elements `e_0 < e_1 < ...`.
struct SubsetRanks {
    half: usize,
    low: Vec<u32>,
    /// `high[count * 2^(bits - half) + set]`: the share of the high bits, with `count` elements
    /// below.
    high: Vec<u32>,
}

impl SubsetRanks {
    fn new(bits: usize, binomial: &[[u64; MAX_INDEXED + 1]]) -> SubsetRanks {
        let half = bits.div_ceil(2);
        let share = |set: usize, shift: usize, before: usize| -> u32 {
            let elements = (0..bits).filter(|&i| set >> i & 1 == 1);
            elements
                .enumerate()
                .map(|(i, e)| *binomial[e + shift].get(i + before + 1).unwrap_or(&0) as u32)
                .sum()
        };
        let low = (0..1 << half).map(|set| share(set, 0, 0)).collect();
        let high = (0..=half)
            .flat_map(|count| (0..1usize << (bits - half)).map(move |set| (count, set)))
            .map(|(count, set)| share(set, half, count))
            .collect();
        SubsetRanks { half, low, high }
    }

    #[inline]
    fn rank(&self, set: u32, bits: usize) -> u32 {
        let low = set as usize & ((1 << self.half) - 1);
        let count = low.count_ones() as usize;
        self.low[low] + self.high[count << (bits - self.half) | set as usize >> self.half]
    }
}

/// The index of a board.
pub(crate) struct BoardIndex {
    pub rules: Rules,
    pub points: usize,
    /// Maps of the symmetries, in the order of [`Rules::symmetries`].
    pub symmetries: Vec<BitPermutation>,
    images: Vec<Vec<u8>>,
    /// For each set: the rank of its canonical set, and below it, in 3 bits, a symmetry that leads
    /// there.
    canonical: Vec<u32>,
    /// For each number of points, the canonical sets in ascending order.
    pub sets: Vec<Vec<u32>>,
    pub binomial: Box<[[u64; MAX_INDEXED + 1]; MAX_INDEXED + 1]>,
    ranks: SubsetRanks,
}

impl BoardIndex {
    /// Returns the bytes that an index of `points` points takes, not counting small tables.
    pub fn bytes(points: usize) -> u64 {
        // The ranks, and the canonical sets: about one in 4 to 8.
        (4 << points) + (1 << points)
    }

    /// The index of a board with at most [`MAX_INDEXED`] points.
    pub fn new(rules: &Rules) -> BoardIndex {
        let points = rules.points();
        assert!(points <= MAX_INDEXED, "a board of {points} points has no index");
        let row = |n| std::array::from_fn(|k| binomial(n, k) as u64);
        let binomial = Box::new(std::array::from_fn(row));
        let images: Vec<Vec<u8>> = rules
            .symmetries()
            .iter()
            .map(|s| rules.all_points().map(|p| s.apply(rules, p).index() as u8).collect())
            .collect();
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
        let ranks = SubsetRanks::new(points, &binomial[..]);
        BoardIndex { rules: *rules, points, symmetries, images, canonical, sets, binomial, ranks }
    }

    /// The rank of a set's canonical set, and the symmetry that leads there.
    #[inline]
    pub fn canonical(&self, set: u32) -> (usize, usize) {
        let found = self.canonical[set as usize];
        ((found >> 3) as usize, (found & 7) as usize)
    }

    /// The image of a point.
    #[inline]
    pub fn image(&self, symmetry: usize, p: usize) -> u8 {
        self.images[symmetry][p]
    }

    /// The rank of a subset, given by its numbers within the set.
    #[inline]
    pub fn rank(&self, subset: u32) -> u32 {
        self.ranks.rank(subset, self.points)
    }

    /// Returns where a position stands in its slice: `x` are the points of X, `set` all stones.
    pub fn find(&self, set: u32, x: u32) -> u64 {
        let (rank, symmetry) = self.canonical(set);
        let stones = set.count_ones() as usize;
        let canonical = self.sets[stones][rank];
        let subset = compress(self.symmetries[symmetry].apply(x), canonical);
        let block = self.binomial[stones][subset.count_ones() as usize];
        rank as u64 * block + u64::from(self.rank(subset))
    }

    /// The occupied set and the X of the position at a place of a slice with `stones` stones, `x`
    /// of them X. Nothing if the slice ends before.
    pub fn at(&self, stones: usize, x: usize, place: u64) -> Option<(u32, u32)> {
        let block = *self.binomial.get(stones)?.get(x)?;
        let set = *self.sets[stones].get(usize::try_from(place.checked_div(block)?).ok()?)?;
        let mut rest = place % block;
        let mut subset = 0u32;
        for i in (1..=x).rev() {
            let element = (i - 1..stones).rev().find(|&e| self.binomial[e][i] <= rest)?;
            rest -= self.binomial[element][i];
            subset |= 1 << element;
        }
        Some((set, expand(subset, set)))
    }
}

/// The numbers that the points of `subset` have within `set`.
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

/// The points of `set` with these numbers.
pub(crate) fn expand(numbers: u32, set: u32) -> u32 {
    let mut rest = set;
    let mut points = 0;
    let mut i = 0;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        if numbers >> i & 1 == 1 {
            points |= bit;
        }
        i += 1;
        rest ^= bit;
    }
    points
}

/// A set of points of a small board as a number.
pub(crate) fn small(points: &PointSet) -> u32 {
    points.words()[0] as u32
}

/// The set of points of a small board that a number stands for.
pub(crate) fn large(set: u32) -> PointSet {
    (0..32).filter(|i| set >> i & 1 == 1).map(Point).collect()
}
