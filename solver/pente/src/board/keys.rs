//! Hash keys of positions. A new or removed stone changes a key by one addition.
//!
//! Each pair of a point and a color has a number. A sum adds the numbers of all stones on the
//! board. Each symmetry of the board has its own sum, in which every stone is on its image. The key
//! depends only on the least sum, so all images of a position have the same key.
//!
//! On a small board, the numbers are powers of 3 times 1 or 2, and positions that are not images of
//! each other have different keys. On a larger board, the numbers are random. The largest boards
//! have one sum only, for the identity, because games rarely reach two images of one position after
//! the first plies.

use pentago_base::{GOLDEN, mix};

use crate::rules::{Rules, Symmetry};

/// The numbers from which keys are computed.
pub(super) struct PositionKeys {
    /// The number that a stone adds to a sum, at index
    /// `(point * 2 + color) * symmetries + symmetry`.
    numbers: Vec<u128>,
    symmetries: usize,
    /// The exclusive upper bound on the number of stones that one side has captured, if keys are
    /// exact. The bound is 0 if keys are random.
    captured: u128,
    /// The random numbers for the counts of captured stones, at index `2 * count + color`.
    random_captured: Vec<u128>,
    win: usize,
}

/// The margin above `win` for counts of captured stones. In a finished game, a count can exceed
/// `win`. The key of a finished game is never used, but its indices must stay in range.
const OVERSHOOT: usize = 25;

/// The largest number of points of a board on which all images of a position have the same key.
const MOST_WITH_SYMMETRIES: usize = 49;

impl PositionKeys {
    pub fn new(rules: &Rules) -> PositionKeys {
        let points = rules.points();
        let win = usize::from(rules.options().win);
        let captured = win + OVERSHOOT;
        let exact = 3u128
            .checked_pow(points as u32)
            .and_then(|n| n.checked_mul(2 * (captured * captured) as u128))
            .is_some_and(|n| n < 1 << 64);
        let all = points <= MOST_WITH_SYMMETRIES;
        let symmetries = if all { rules.symmetries() } else { vec![Symmetry::IDENTITY] };
        let mut random = 0x7065_6e74_6500_0001;
        let of_point: Vec<u128> = (0..2 * points).map(|_| next(&mut random)).collect();
        let mut numbers = Vec::new();
        for p in rules.all_points() {
            for color in 1..=2 {
                for s in &symmetries {
                    let image = s.apply(rules, p).index();
                    numbers.push(if exact {
                        color as u128 * 3u128.pow(image as u32)
                    } else {
                        of_point[2 * image + color - 1]
                    });
                }
            }
        }
        let random_captured = (0..2 * captured).map(|_| next(&mut random)).collect();
        let captured = if exact { captured as u128 } else { 0 };
        PositionKeys { numbers, symmetries: symmetries.len(), captured, random_captured, win }
    }

    /// Returns the sums of an empty board, one for each symmetry.
    pub fn empty(&self) -> Vec<u128> {
        vec![0; self.symmetries]
    }

    /// Adds the numbers of a stone to the sums if `come` is `true`, or subtracts them if `come` is
    /// `false`.
    #[inline]
    pub fn change(&self, sums: &mut [u128], p: usize, color: usize, come: bool) {
        for (sum, &number) in sums.iter_mut().zip(self.of(p, color)) {
            *sum = if come { sum.wrapping_add(number) } else { sum.wrapping_sub(number) };
        }
    }

    #[inline]
    fn of(&self, p: usize, color: usize) -> &[u128] {
        &self.numbers[(p * 2 + color) * self.symmetries..][..self.symmetries]
    }

    /// Returns the key of a position. On a small board, the key is below 2^64, and positions that
    /// are not images of each other have different keys.
    #[inline]
    pub fn key(&self, sums: &[u128], captured: [u16; 2], to_move: usize) -> u128 {
        let stones = sums.iter().copied().min().unwrap_or(0);
        let [a, b] = captured.map(|n| usize::from(n).min(self.win + OVERSHOOT - 1));
        if self.captured > 0 {
            let captured = a as u128 * self.captured + b as u128;
            return (stones * self.captured * self.captured + captured) * 2 + to_move as u128;
        }
        let side = if to_move == 0 { 0 } else { 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834 };
        stones
            .wrapping_add(self.random_captured[2 * a])
            .wrapping_add(self.random_captured[2 * b + 1])
            .wrapping_add(side)
            | 1 << 127
    }
}

/// Returns the next random number of 128 bits: two outputs of SplitMix64.
fn next(state: &mut u64) -> u128 {
    let mut word = || {
        *state = state.wrapping_add(GOLDEN);
        mix(*state)
    };
    u128::from(word()) << 64 | u128::from(word())
}
