//! Orbits: rotations at which an entry shows the same board.
//!
//! If a turn of a quadrant doesn't change its pattern, several rotations show the same board. These
//! rotations form an *orbit*. All rotations of an orbit have equal values, and only the value of
//! the first rotation in coding order is stored. Orbits save the most space on boards with few
//! marbles: in slice 6, four of five values are copies.

use super::planes::*;
use pentago_core::index::Pattern;
use pentago_core::rules::Shape;
use std::sync::LazyLock;

/// The binary logarithm of the number of turns (by 0 to 3 quarters) that leave a pattern unchanged:
/// 0, 1 or 2.
pub type Fold = u8;

/// Returns the fold of a pattern.
pub fn fold(shape: Shape, pattern: Pattern) -> Fold {
    pattern.stabiliser(shape).trailing_zeros() as Fold
}

/// The orbits into which the patterns of an entry divide its rotations.
#[derive(Clone, Copy, Debug)]
pub struct Orbits {
    folds: [Fold; 4],
    /// The set of the first rotations of all orbits, in coding order. The set is indexed by parity.
    pub first: [Plane; 2],
}

/// The orbits for all combinations of folds. The index is a number in base 3, whose digits are the
/// folds of quadrants 0 to 3.
static ORBITS: LazyLock<Vec<Orbits>> =
    LazyLock::new(|| (0..81).map(|i| Orbits::new([i / 27, i / 9 % 3, i / 3 % 3, i % 3])).collect());

impl Orbits {
    /// The orbits of an entry without symmetry: each rotation is an orbit of its own.
    pub const SINGLE: &Orbits = &Orbits { folds: [0; 4], first: [not(NONE); 2] };

    /// Returns the orbits of an entry whose patterns have the given folds.
    #[inline(always)]
    pub fn of(folds: [Fold; 4]) -> &'static Orbits {
        let number = folds.into_iter().fold(0, |n, fold| 3 * n + usize::from(fold));
        &ORBITS[number]
    }

    fn new(folds: [Fold; 4]) -> Orbits {
        let mut orbits = Orbits { folds, first: [NONE; 2] };
        let mut seen = [NONE; 2];
        for (parity, checkers) in [0, 1].into_iter().flat_map(|p| CHECKERS.map(|c| (p, c))) {
            for place in 0..128 {
                let mut one = NONE;
                one[place / 64] = 1 << (place % 64);
                if and(one, and(checkers, not(seen[parity]))) != NONE {
                    orbits.first[parity] = or(orbits.first[parity], one);
                    let all = orbits.spread(one, parity);
                    seen = [0, 1].map(|p| or(seen[p], all[p]));
                }
            }
        }
        orbits
    }

    /// Adds every rotation to `set` that shares an orbit with a rotation in `some`. All rotations
    /// in `some` have the parity `parity`. `set` is indexed by parity.
    #[inline(always)]
    pub fn fill(&self, set: &mut [Plane], some: Plane, parity: usize) {
        if self.are_single() {
            set[parity] = or(set[parity], some);
        } else {
            let all = self.spread(some, parity);
            (set[0], set[1]) = (or(set[0], all[0]), or(set[1], all[1]));
        }
    }

    /// Returns `true` if each rotation is an orbit of its own.
    #[inline(always)]
    pub fn are_single(&self) -> bool {
        self.folds == [0; 4]
    }

    /// Returns every rotation that shares an orbit with a rotation in `some`. All rotations in
    /// `some` have the parity `parity`. The result is indexed by parity.
    fn spread(&self, some: Plane, parity: usize) -> [Plane; 2] {
        let mut all = [NONE; 2];
        all[parity] = some;
        self.close(all)
    }

    /// Returns every rotation that shares an orbit with a rotation in `all`. The argument and the
    /// result are indexed by parity.
    pub fn close(&self, mut all: [Plane; 2]) -> [Plane; 2] {
        for (axis, &fold) in self.folds.iter().enumerate() {
            for quarters in [2, 1].into_iter().take(fold.into()) {
                let turned = moved(all, axis, quarters);
                all = [0, 1].map(|p| or(all[p], turned[p]));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::supers::half::{half_index, half_rotation};
    use pentago_core::symmetry::parity;

    fn has(set: [Plane; 2], r: [u8; 4]) -> bool {
        let place = half_index(r);
        set[usize::from(parity(r))][place / 64] >> (place % 64) & 1 != 0
    }

    /// Returns all rotations in coding order: sorted by parity, then by half of the checkers, then
    /// by index.
    fn order() -> Vec<[u8; 4]> {
        let mut all: Vec<[u8; 4]> =
            [0, 1].into_iter().flat_map(|p| (0..128).map(move |i| half_rotation(p, i))).collect();
        all.sort_by_key(|&r| (parity(r), r.iter().filter(|&&r| r > 1).count() % 2, half_index(r)));
        all
    }

    #[test]
    fn orbits_match_the_definition() {
        let order = order();
        for folds in (0..81).map(|i| [i / 27, i / 9 % 3, i / 3 % 3, i % 3]) {
            let orbits = Orbits::of(folds);
            assert_eq!(orbits.folds, folds);
            let same =
                |a: [u8; 4], b: [u8; 4]| (0..4).all(|q| (a[q] + 4 - b[q]).is_multiple_of(4 >> folds[q]));
            for (i, &r) in order.iter().enumerate() {
                let first = !order[..i].iter().any(|&s| same(r, s));
                assert_eq!(has(orbits.first, r), first, "{folds:?} {r:?}");
                let mut one = NONE;
                one[half_index(r) / 64] = 1 << (half_index(r) % 64);
                let all = orbits.spread(one, parity(r).into());
                assert!(order.iter().all(|&s| has(all, s) == same(r, s)));
            }
            assert_eq!(orbits.are_single(), folds == [0; 4]);
        }
    }

    /// The coding order has this property: if an entry has a symmetry, all coded rotations of a
    /// parity lie in the first half of the checkers. If a quarter turn leaves a pattern unchanged,
    /// only even rotations are coded.
    #[test]
    fn copies_come_with_the_first_batch() {
        for folds in (1..81).map(|i| [i / 27, i / 9 % 3, i / 3 % 3, i % 3]) {
            let [even, odd] = Orbits::of(folds).first;
            assert_eq!([and(even, CHECKERS[1]), and(odd, CHECKERS[1])], [NONE; 2]);
            assert_eq!(odd == NONE, folds.contains(&2));
        }
    }
}
