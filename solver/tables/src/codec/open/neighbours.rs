//! The neighbours of an entry: at most four earlier entries of the same block, whose boards are
//! similar. One quadrant of each neighbour is turned to make the boards as similar as possible.
//!
//! Along one axis of a section's array, only the pattern of one quadrant differs. The list of
//! patterns contains each pattern in an arbitrary orientation. The neighbour along an axis is
//! therefore the earlier pattern of the block, turned by some number of quarter turns, that differs
//! from the entry's pattern in the fewest sockets. If several patterns differ equally, the nearest
//! one is chosen, with the fewest quarter turns. This choice makes blocks a tenth smaller than
//! always choosing the preceding pattern, unturned.

use super::orbits::{Fold, Orbits, fold};
use super::planes::planes;
use pentago_core::index::{Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::values::Entry;
use std::cmp::Reverse;
use std::ops::Range;

/// The maximum number of neighbours of an entry: one per axis.
pub(super) const MOST: usize = 4;

/// A neighbour of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The index of the entry minus the index of the neighbour.
    pub back: usize,
    /// The number of quarter turns of the axis's quadrant that lead from a rotation of the entry to
    /// the corresponding rotation of the neighbour.
    pub quarters: u8,
}

/// The location of a block. The location determines the neighbours of the block's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// A block in a table of a whole game: the entries within these index ranges of the section's
    /// array.
    Section(Rules, Section, [Range<u32>; 4]),
    /// A block in a table below a root, with the number of entries. The neighbours of an entry are
    /// the four preceding entries, with no quadrant turned.
    List(usize),
}

impl Neighbours {
    /// Returns the number of entries in the block.
    #[expect(clippy::len_without_is_empty, reason = "no block is empty")]
    pub fn len(&self) -> usize {
        match self {
            Neighbours::Section(.., ranges) => ranges.iter().map(|r| r.len()).product(),
            Neighbours::List(len) => *len,
        }
    }

    /// Finds the neighbours of all entries in the block, and the fold of each pattern.
    pub(super) fn links(&self) -> Links {
        let (rules, section, ranges) = match self {
            Neighbours::Section(rules, section, ranges) => (*rules, *section, ranges),
            Neighbours::List(len) => {
                return Links { lens: [1, 1, 1, *len], along: [const { Vec::new() }; MOST] };
            }
        };
        let shape = rules.shape;
        let patterns = Sections::of(shape, rules.dir).patterns();
        let lens = ranges.clone().map(|r| r.len());
        let along = std::array::from_fn(|axis| {
            let list = &patterns.list(section.counts()[axis])
                [ranges[axis].start as usize..ranges[axis].end as usize];
            let step: usize = lens[axis + 1..].iter().product();
            let link = |i: usize| {
                let differ = |j: usize, quarters: u8| {
                    let [x, o] = list[j].turned(shape, quarters).0;
                    (x ^ list[i].0[0] | o ^ list[i].0[1]).count_ones()
                };
                let choices = (0..i).flat_map(|j| (0..4).map(move |quarters| (j, quarters)));
                let best = choices.min_by_key(|&(j, quarters)| (differ(j, quarters), Reverse(j), quarters));
                best.map(|(j, quarters)| Link { back: (i - j) * step, quarters })
            };
            (0..list.len()).map(|i| (link(i), fold(shape, list[i]))).collect()
        });
        Links { lens, along }
    }

    /// Returns `true` if the values of each entry are equal at all rotations of each orbit. The
    /// values of real boards always are.
    pub(super) fn are_folded(&self, entries: &[Entry]) -> bool {
        let links = self.links();
        entries.iter().enumerate().all(|(number, entry)| {
            let (_, orbits) = links.of(number);
            let [a, b, c, d] = planes(entry);
            orbits.are_single() || [[a, b], [c, d]].into_iter().all(|set| orbits.close(set) == set)
        })
    }
}

/// The neighbours of all entries in a block, and the folds of their patterns. The folds determine
/// which rotations form an orbit.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// The number of entries along each axis. In a list, all entries lie along the last axis.
    lens: [usize; MOST],
    /// The neighbour and the fold of each pattern. The first index is the axis, and the second is
    /// the index along the axis. The inner vectors are empty for a list.
    along: [Vec<(Option<Link>, Fold)>; MOST],
}

impl Links {
    /// Returns the neighbours and the orbits of the entry with index `number`. In a list, each
    /// rotation is an orbit of its own.
    #[inline]
    pub fn of(&self, number: usize) -> ([Option<Link>; MOST], &'static Orbits) {
        let mut rest = number;
        let (mut links, mut folds) = ([None; MOST], [0; MOST]);
        for axis in (0..MOST).rev() {
            (links[axis], folds[axis]) = match self.along[axis].get(rest % self.lens[axis]) {
                Some(&along) => along,
                None if self.along[axis].is_empty() && number > axis => {
                    (Some(Link { back: axis + 1, quarters: 0 }), 0)
                }
                None => (None, 0),
            };
            rest /= self.lens[axis];
        }
        (links, Orbits::of(folds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::index::Pattern;

    #[test]
    fn neighbours_are_alike_and_before() {
        let rules = Rules::default();
        let sections = Sections::of(rules.shape, rules.dir);
        for (section, ranges) in [
            (
                Section::new([[3, 2], [4, 4], [2, 2], [3, 3]]).expect("a section"),
                [8..16, 0..8, 40..48, 96..104],
            ),
            (Section::new([[0, 0], [8, 1], [1, 0], [1, 8]]).expect("a section"), [0..1, 0..3, 0..3, 0..1]),
        ] {
            let neighbours = Neighbours::Section(rules, section, ranges.clone());
            let lens = ranges.clone().map(|r| r.len());
            assert_eq!(neighbours.len(), lens.iter().product::<usize>());
            let links = neighbours.links();
            for number in 0..neighbours.len() {
                let mut at = [0; 4];
                let mut rest = number;
                for axis in (0..4).rev() {
                    at[axis] = rest % lens[axis];
                    rest /= lens[axis];
                }
                for (axis, link) in links.of(number).0.into_iter().enumerate() {
                    let step: usize = lens[axis + 1..].iter().product();
                    let list = sections.patterns().list(section.counts()[axis]);
                    let pattern = |i: usize, t| list[ranges[axis].start as usize + i].turned(rules.shape, t);
                    let alike = |a: Pattern, b: Pattern| {
                        (0..9).filter(|c| (0..2).all(|p| (a.0[p] ^ b.0[p]) >> c & 1 == 0)).count()
                    };
                    let Some(Link { back, quarters }) = link else {
                        assert_eq!(at[axis], 0);
                        continue;
                    };
                    assert_eq!(back % step, 0);
                    let of = at[axis] - back / step;
                    let agree = |j, t| alike(pattern(j, t), pattern(at[axis], 0));
                    for (j, t) in (0..at[axis]).flat_map(|j| (0..4).map(move |t| (j, t))) {
                        let [this, best] = [agree(j, t), agree(of, quarters)];
                        assert!(this < best || this == best && (j < of || j == of && t >= quarters));
                    }
                }
            }
        }
        let list = Neighbours::List(9);
        let links = list.links();
        let backs = |n| links.of(n).0.map(|link| link.map(|l| l.back));
        assert_eq!(list.len(), 9);
        assert_eq!(backs(0), [None; 4]);
        assert_eq!(backs(2), [Some(1), Some(2), None, None]);
        assert_eq!(backs(8), [Some(1), Some(2), Some(3), Some(4)]);
    }
}
