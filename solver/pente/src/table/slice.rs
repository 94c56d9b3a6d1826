//! Slices: all positions with equal numbers of captured stones and stones on the board, with their
//! values.

use pentago_base::{Wdl, binomial};

use crate::rules::{Color, Rules};

/// Returns the value for a 2-bit code, or `None` for code 0, an unreachable position.
pub const fn value_of_code(code: u8) -> Option<Wdl> {
    match code {
        LOSS => Some(Wdl::Loss),
        DRAW => Some(Wdl::Draw),
        WIN => Some(Wdl::Win),
        _ => None,
    }
}

/// The 2-bit code of a loss for the side to move. Code 0 marks an unreachable position, in which
/// both sides would have won.
pub(crate) const LOSS: u8 = 1;
/// The 2-bit code of a draw.
pub(crate) const DRAW: u8 = 2;
/// The 2-bit code of a win for the side to move.
pub(crate) const WIN: u8 = 3;

/// The counts that identify a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceId {
    /// The numbers of stones captured by X and by O.
    pub captured: [u16; 2],
    /// The number of stones on the board.
    pub stones: u8,
}

impl SliceId {
    /// Returns the number of plies played: stones on the board plus captured stones.
    pub fn plies(&self) -> usize {
        usize::from(self.stones) + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// Returns the side to move.
    pub fn to_move(&self) -> Color {
        if self.plies().is_multiple_of(2) { Color::X } else { Color::O }
    }

    /// Returns the number of X stones on the board, or `None` if no position has the counts of this
    /// slice.
    pub fn x(&self) -> Option<usize> {
        let plies = self.plies();
        let x = plies.div_ceil(2).checked_sub(self.captured[1].into())?;
        (plies / 2).checked_sub(self.captured[0].into())?;
        Some(x)
    }

    /// Returns the number of positions of the slice. `sets` comes from [`canonical_set_counts`].
    pub(crate) fn positions(&self, sets: &[u64]) -> u64 {
        let stones = usize::from(self.stones);
        self.x().map_or(0, |x| sets[stones] * binomial(stones, x) as u64)
    }
}

/// Returns the number of canonical occupied sets, indexed by their number of points.
///
/// The function counts orbits by Burnside's lemma, without listing the sets: the number of orbits
/// is the mean number of sets that a symmetry fixes. A fixed set is a union of cycles of the
/// symmetry.
pub(crate) fn canonical_set_counts(rules: &Rules) -> Vec<u64> {
    let points = rules.points();
    let symmetries = rules.symmetries();
    let mut sets = vec![0; points + 1];
    for s in &symmetries {
        let mut fixed = vec![0u64; points + 1];
        fixed[0] = 1;
        let mut seen = vec![false; points];
        for p in rules.all_points() {
            let mut length = 0;
            let mut at = p;
            while !seen[at.index()] {
                seen[at.index()] = true;
                length += 1;
                at = s.apply(rules, at);
            }
            if length > 0 {
                for n in (length..=points).rev() {
                    fixed[n] += fixed[n - length];
                }
            }
        }
        sets.iter_mut().zip(fixed).for_each(|(sum, n)| *sum += n);
    }
    sets.iter_mut().for_each(|sum| *sum /= symmetries.len() as u64);
    sets
}

/// Returns all slices that contain unfinished positions, in solving order: each move leads to an
/// earlier slice. Layers with many captured stones come first. Within a layer, slices with many
/// stones on the board come first.
pub fn slices(rules: &Rules) -> Vec<SliceId> {
    let win = rules.options().win;
    // The numbers of stones that one side can have captured while the game continues.
    let capture = rules.options().capture;
    let captures: Vec<u16> = (0..win).filter(|&n| capture.sums_to(n)).collect();
    let mut layers: Vec<[u16; 2]> =
        captures.iter().flat_map(|&a| captures.iter().map(move |&b| [a, b])).collect();
    layers.sort_by_key(|&[a, b]| (std::cmp::Reverse(a + b), a));
    let of_layer = |captured| (0..rules.points() as u8).rev().map(move |stones| SliceId { captured, stones });
    layers.into_iter().flat_map(of_layer).filter(|id| id.x().is_some()).collect()
}

/// A slice with its values: one 2-bit code per position, lowest bits first.
///
/// Code 1 is a loss for the side to move, 2 a draw, 3 a win, and 0 an unreachable position.
/// Positions are sorted by canonical occupied set, then by the subset of X stones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The number of positions.
    pub positions: u64,
    /// The codes, four in a byte. The unused bits of the last byte are 0.
    pub bytes: Vec<u8>,
}

impl Slice {
    /// Returns the 2-bit code at an offset, which must be below [`Slice::positions`].
    #[inline]
    pub(crate) fn code(&self, offset: u64) -> u8 {
        code_at(&self.bytes, offset)
    }
}

/// Returns the 2-bit code at an offset in packed codes.
#[inline]
pub(crate) fn code_at(bytes: &[u8], offset: u64) -> u8 {
    bytes[(offset >> 2) as usize] >> (2 * (offset & 3)) & 3
}
