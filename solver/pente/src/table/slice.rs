//! Slices: all positions with the same captures and the same number of stones, with their values.

use crate::rules::{Capture, Color, Rules};

use super::index::BoardIndex;
use pentago_base::Wdl as Value;

/// The value that two bits of a slice stand for; nothing for 0, a position that no game leads to.
#[must_use]
pub const fn value_of_code(code: u8) -> Option<Value> {
    match code {
        LOSS => Some(Value::Loss),
        DRAW => Some(Value::Draw),
        WIN => Some(Value::Win),
        _ => None,
    }
}

/// The two bits of a value; 0 is a position that no game leads to, because both sides would have
/// won.
pub(crate) const LOSS: u8 = 1;
pub(crate) const DRAW: u8 = 2;
pub(crate) const WIN: u8 = 3;

/// Which slice: stones captured by X and by O, and stones on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SliceId {
    /// Stones captured by X and by O.
    pub captured: [u16; 2],
    /// Stones on the board.
    pub stones: u8,
}

impl SliceId {
    /// Plies played.
    #[must_use]
    pub fn plies(&self) -> usize {
        usize::from(self.stones) + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// The side to move.
    #[must_use]
    pub fn to_move(&self) -> Color {
        if self.plies().is_multiple_of(2) { Color::X } else { Color::O }
    }

    /// The stones of X among those on the board, or nothing if the counts allow no such position.
    #[must_use]
    pub fn x(&self) -> Option<usize> {
        let plies = self.plies();
        let x = plies.div_ceil(2).checked_sub(self.captured[1].into())?;
        (plies / 2).checked_sub(self.captured[0].into())?;
        Some(x)
    }
}

/// The numbers of stones that a side can have captured while the game goes on.
fn captures(rules: &Rules) -> Vec<u16> {
    let win = rules.options().win;
    match rules.options().capture {
        Capture::Two => (0..win).step_by(2).collect(),
        Capture::TwoOrThree => (0..win).filter(|&n| n != 1).collect(),
        Capture::Never => vec![0],
    }
}

/// All slices of a game that have positions where it goes on, in the order in which they are
/// solved: a move leads to a slice that stands before. Layers with many captures come first, and in
/// each layer the full board's end.
#[must_use]
pub fn slices(rules: &Rules) -> Vec<SliceId> {
    let captures = captures(rules);
    let mut layers: Vec<[u16; 2]> =
        captures.iter().flat_map(|&a| captures.iter().map(move |&b| [a, b])).collect();
    layers.sort_by_key(|&[a, b]| (std::cmp::Reverse(a + b), a));
    let of_layer = |captured| (0..rules.points() as u8).rev().map(move |stones| SliceId { captured, stones });
    layers.into_iter().flat_map(of_layer).filter(|id| id.x().is_some()).collect()
}

/// A slice with its values, two bits a position from the lowest of the first byte on: 1 a loss for
/// the side to move, 2 a draw, 3 a win, 0 a position that no game leads to. The order of the
/// positions is that of the index: canonical occupied sets, then the points of X among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    pub(crate) id: SliceId,
    pub(crate) positions: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Slice {
    /// Returns which slice.
    #[must_use]
    pub fn id(&self) -> SliceId {
        self.id
    }

    /// The number of positions.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// The values, four in a byte.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value at a place; nothing if the slice ends before, or no game leads to the position.
    #[must_use]
    pub fn value(&self, place: u64) -> Option<Value> {
        if place < self.positions { value_of_code(self.code(place)) } else { None }
    }

    /// The two bits at a place, which must be below [`Slice::positions`].
    #[inline]
    pub(crate) fn code(&self, place: u64) -> u8 {
        self.bytes[(place >> 2) as usize] >> (2 * (place & 3)) & 3
    }
}

impl BoardIndex {
    /// The positions of a slice.
    pub(crate) fn positions(&self, id: SliceId) -> u64 {
        let Some(x) = id.x() else { return 0 };
        let stones = usize::from(id.stones);
        self.sets[stones].len() as u64 * self.binomial[stones][x]
    }
}
