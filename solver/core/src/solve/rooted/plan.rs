//! The plan of a rooted solution, made before the solution starts. The plan has the slices and
//! their positions in memory, the number of boards, and the memory in bytes.
//!
//! All slices share one *arena*. Slice n is computed in the order of its units, and overwrites
//! slice n + 1. A unit of slice n + 1 is no longer needed once the computation of slice n has
//! passed the corresponding unit. Slice n starts just far enough below slice n + 1 to overwrite
//! only units that are no longer needed. The arena is therefore only slightly larger than the
//! largest slice, whereas two buffers would need the two largest slices.

use crate::index::rooted::layout::BoardGroup;
use crate::index::{Frame, Layout};
use crate::kernel::Pack;
use pentago_base::binomial;

/// One slice below a root.
pub struct PlannedSlice<'f> {
    /// The number of marbles that have been placed since the root.
    pub plies: usize,
    /// The layout of the boards of the slice.
    pub layout: Layout<'f>,
    /// The index of the slice's first line in the arena.
    pub base: u64,
}

/// The plan for one group of boards of a rooted solution.
pub struct Plan<'f> {
    /// The group of boards. The default is the group of all boards.
    pub group: BoardGroup,
    /// The slices that contain boards of the group, in ascending order of plies. The group of all
    /// boards has every slice, starting with slice 0, the root.
    pub slices: Vec<PlannedSlice<'f>>,
    /// The number of lines of the arena.
    pub arena: u64,
}

/// Returns the number of marbles that each player has placed after `plies` plies. Player 0 moves
/// first.
pub fn counts(plies: usize) -> [usize; 2] {
    [plies.div_ceil(2), plies / 2]
}

impl<'f> Plan<'f> {
    /// Plans the slices 0 to `last` of all boards below a root. `threads` is the number of threads
    /// that compute the solution.
    pub fn new(frame: &'f Frame, last: usize, threads: usize) -> Plan<'f> {
        Plan::of_group(frame, last, threads, BoardGroup::default())
    }

    /// Plans the slices 0 to `last` below a root, but only the boards in `group`.
    pub fn of_group(frame: &'f Frame, last: usize, threads: usize, group: BoardGroup) -> Plan<'f> {
        let mut slices: Vec<PlannedSlice<'f>> = Vec::new();
        // `lowest` and `highest` are the bounds of the arena, relative to the base of the last
        // slice. The bases descend from the last slice to the root.
        let mut lowest = 0i64;
        let mut highest = 0i64;
        for plies in (0..=last).rev() {
            let layout = Layout::of_group(frame, counts(plies), group);
            if layout.boards() == 0 {
                continue;
            }
            let size = layout.lines() as i64;
            if let Some(next) = slices.last() {
                lowest -= (layout.lead(&next.layout) + slack(&layout, threads)) as i64;
            }
            highest = highest.max(lowest + size);
            slices.push(PlannedSlice { plies, layout, base: lowest as u64 });
        }
        for slice in &mut slices {
            slice.base = slice.base.wrapping_sub(lowest as u64);
        }
        slices.reverse();
        Plan { group, slices, arena: (highest - lowest) as u64 }
    }

    /// Plans slices that don't overlap. Slices with an even number of placed marbles lie at the
    /// lower end of the arena. Slices with an odd number lie at the upper end.
    pub fn side_by_side(frame: &'f Frame, last: usize) -> Plan<'f> {
        let layouts: Vec<_> = (0..=last).map(|plies| Layout::new(frame, counts(plies))).collect();
        let lines = |plies: usize| layouts.get(plies).map_or(0, Layout::lines);
        let arena = (0..=last).map(|plies| lines(plies) + lines(plies + 1)).max().unwrap_or(0);
        let base = |plies: usize, lines| if plies.is_multiple_of(2) { 0 } else { arena - lines };
        let slices = layouts.into_iter().enumerate().map(|(plies, layout)| {
            let base = base(plies, layout.lines());
            PlannedSlice { plies, layout, base }
        });
        Plan { group: BoardGroup::default(), slices: slices.collect(), arena }
    }

    /// Returns the total number of boards. Each board covers 128 rotations.
    pub fn boards(&self) -> u64 {
        self.slices.iter().map(|s| s.layout.boards()).sum()
    }

    /// Returns the size of the arena in bytes.
    pub fn arena_bytes(&self) -> u64 {
        self.arena * size_of::<Pack>() as u64
    }
}

/// Returns the number of lines to leave free between a slice and the next slice. With these lines,
/// other threads can compute later units while one thread still reads. Otherwise threads would wait
/// for each other. The result is at most one fiftieth of the slice.
fn slack(layout: &Layout, threads: usize) -> u64 {
    let unit = layout.largest_unit();
    let others = (threads as u64).saturating_sub(1);
    others.saturating_mul(2 * unit).min(layout.lines() / 50)
}

/// Returns the number of boards downstream of a root with `empty` empty sockets, up to `plies`
/// plies. The root is included. The number is the sum of C(`empty`, k) C(k, floor(k / 2)), over k
/// from 0 to `plies`.
pub fn board_count(empty: usize, plies: usize) -> u128 {
    (0..=plies.min(empty)).map(|k| binomial(empty, k) * binomial(k, k / 2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_of_boards() {
        assert_eq!(board_count(12, 12), 143_365);
        assert_eq!(board_count(18, 18), 86_574_831);
        assert_eq!(board_count(24, 24) / 1_000_000_000, 55);
    }

    #[test]
    fn plans_count_the_boards_and_stay_small() {
        for empty in [0, 3, 9, 12, 14, 18, 21] {
            let frame = Frame::new(empty);
            for threads in [0, 1, 2, 16, usize::MAX] {
                let plan = Plan::new(&frame, empty, threads);
                assert_eq!(u128::from(plan.boards()), board_count(empty, empty));
                let sizes: Vec<u64> = plan.slices.iter().map(|s| s.layout.lines()).collect();
                let two = sizes.windows(2).map(|w| w[0] + w[1]).max().unwrap_or(sizes[0]);
                // Small solutions have few units, so consecutive slices hardly overlap. Their arena
                // is small anyway, so a fixed bound suffices.
                let bound = if empty < 16 { 1 << 18 } else { two * 3 / 4 };
                assert!(plan.arena <= bound, "{empty} {threads}: {} of {two}", plan.arena);
                for slice in &plan.slices {
                    assert!(slice.base + slice.layout.lines() <= plan.arena);
                }
            }
        }
    }
}
