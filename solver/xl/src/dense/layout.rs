//! Where the slices of one chain lie in its memory.
//!
//! A slice is computed in waves, by ascending codes of top parts. A board's successors have the same
//! top part or a greater one, so that after a wave nothing below it is needed of the next slice: the
//! new slice is written over what is used up, a little to the left. A chain so takes little more
//! memory than its greatest slice.

use std::ops::Range;

use super::index::{board_count, low_sockets};

/// The most waves of a slice. With more of them, a chain needs less memory and threads meet more
/// often.
const MOST_WAVES: u32 = 256;

/// The places of all slices below a root.
pub(super) struct Layout {
    /// For each slice where it begins, in boards.
    begins: Vec<usize>,
    /// Room for so many boards is needed.
    pub boards: usize,
    /// The number of waves: the top parts with the same highest digits are one.
    pub waves: u32,
}

impl Layout {
    /// The slices with so many marbles of each seat, from the root on.
    pub fn new(seats: usize, empty: usize, slices: &[[usize; 4]]) -> Layout {
        let base = seats as u32 + 1;
        let high = empty - low_sockets(seats, empty);
        let digits = (0..=high as u32).rev().find(|&digits| base.pow(digits) <= MOST_WAVES).unwrap_or(0);
        let waves = base.pow(digits);
        // The first board of each wave, and the end.
        let bounds = |counts: &[usize; 4]| -> Vec<i64> {
            let mut end = 0;
            let mut bounds = vec![0];
            for wave in 0..waves {
                let mut left = counts.map(|count| count as i64);
                (0..digits).map(|i| wave / base.pow(i) % base).filter(|&digit| digit > 0).for_each(|digit| {
                    left[digit as usize - 1] -= 1;
                });
                if left.iter().all(|&left| left >= 0) {
                    end += board_count(empty - digits as usize, &left.map(|left| left as usize)) as i64;
                }
                bounds.push(end);
            }
            bounds
        };
        let mut begins = vec![0i64; slices.len()];
        let (mut least, mut most) = (0, 0);
        let mut next: Option<Vec<i64>> = None;
        for (depth, counts) in slices.iter().enumerate().rev() {
            let these = bounds(counts);
            if let Some(next) = next {
                // Each wave ends where what it still reads begins, or before.
                let room = (0..waves as usize).filter(|&wave| these[wave] < these[wave + 1]);
                let shift = room.map(|wave| next[wave] - these[wave + 1]).min().unwrap_or(0);
                begins[depth] = begins[depth + 1] + shift;
            }
            least = least.min(begins[depth]);
            most = most.max(begins[depth] + these[waves as usize]);
            next = Some(these);
        }
        Layout {
            begins: begins.into_iter().map(|begin| (begin - least) as usize).collect(),
            boards: (most - least) as usize,
            waves,
        }
    }

    /// Where these boards of a slice lie.
    pub fn range(&self, depth: usize, boards: Range<usize>) -> Range<usize> {
        self.begins[depth] + boards.start..self.begins[depth] + boards.end
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::Index;
    use super::*;
    use crate::options::Rules;

    #[test]
    fn nothing_is_written_over_what_is_still_read() {
        for (text, empty) in
            [("xl", 4), ("xl", 12), ("xl:seats=3,supply=81", 10), ("xl:seats=4,supply=81", 9)]
        {
            let rules: Rules = text.parse().unwrap();
            let p = rules.random_positions(81 - empty, 1, 1, true).unwrap()[0];
            let index = Index::new(&rules, &p).unwrap();
            let counts: Vec<[usize; 4]> = (0..=empty).map(|depth| index.counts(depth)).collect();
            let layout = Layout::new(rules.seats(), empty, &counts);
            let slices: Vec<_> = (0..=empty).map(|depth| index.slice(depth)).collect();
            let greatest = slices.iter().map(|slice| slice.boards()).max().unwrap();
            // With a wave or a few, no two slices share memory.
            let all: usize = slices.iter().map(|slice| slice.boards()).sum();
            let most = if empty > 8 { 2 * greatest } else { all };
            assert!((greatest..=most).contains(&layout.boards), "{text} {empty}: {}", layout.boards);
            let tops = (index.tops() / layout.waves) as usize;
            for (depth, slice) in slices.iter().enumerate() {
                assert!(layout.range(depth, 0..slice.boards()).end <= layout.boards);
                let Some(next) = slices.get(depth + 1) else { continue };
                for top in (0..index.tops() as usize).step_by(tops) {
                    let these = slice.starts[top] as usize..slice.starts[top + tops] as usize;
                    let from = next.starts[top] as usize;
                    let read = layout.range(depth + 1, from..from);
                    assert!(these.is_empty() || layout.range(depth, these).end <= read.start);
                }
            }
        }
    }
}
