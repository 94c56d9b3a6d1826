//! Boards below a root as numbers.
//!
//! The free sockets of the root are numbered; a board gives each of them to a seat or leaves it
//! free. The lowest few are *low*, the others *top*: all boards of a slice with the same top part
//! lie together, by the rank of their low part among those with the same numbers of marbles. A
//! board and the boards one marble further on in a low socket then stay close together, and the
//! ones with a marble in a top socket follow one another in the same order.

use crate::geometry::Socket;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The most free sockets that a root can have.
pub(crate) const MOST_EMPTY: usize = 18;

/// The boards below one root.
pub(super) struct Index {
    /// The free sockets of the root, low ones first.
    pub sockets: Vec<Socket>,
    seats: usize,
    first: usize,
    low: usize,
    /// For each code of a low part: its rank among the codes with the same numbers of marbles.
    pub low_ranks: Vec<u16>,
    /// For each code of a low part: its sockets.
    pub low_parts: Vec<Part>,
    /// For each number of marbles of each seat in the low part: the codes in order.
    classes: Vec<Vec<u32>>,
    /// Powers of the number of seats and one: the weight of a socket in its code.
    pub weights: Vec<u32>,
}

/// One code of a part of the sockets.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    /// The sockets of each seat, one bit each.
    pub of: [u32; 4],
}

/// The boards with as many marbles as a ply from the root gives.
pub(super) struct Slice {
    /// Plies from the root.
    pub depth: usize,
    /// The marbles of each seat that are not in the root.
    pub counts: [usize; 4],
    /// For each code of a top part where its boards start; one more at the end.
    pub starts: Vec<u32>,
}

impl Index {
    /// Nothing if there are more than [`MOST_EMPTY`] free sockets.
    pub fn new(rules: &Rules, root: &Position) -> Option<Index> {
        let sockets: Vec<Socket> = crate::geometry::sockets(root.free()).collect();
        if sockets.len() > MOST_EMPTY {
            return None;
        }
        let seats = rules.seats();
        let low = low_sockets(seats, sockets.len());
        let mut index = Index {
            low,
            first: root.to_move.index(),
            seats,
            low_ranks: Vec::new(),
            low_parts: Vec::new(),
            classes: vec![Vec::new(); (low + 1).pow(4)],
            weights: (0..sockets.len()).map(|i| (seats as u32 + 1).pow(weight(i, low))).collect(),
            sockets,
        };
        for code in 0..(seats as u32 + 1).pow(low as u32) {
            let part = index.part(code, low);
            let class = index.class(&part.of.map(|set| set.count_ones() as usize));
            index.low_parts.push(part);
            index.low_ranks.push(index.classes[class].len() as u16);
            index.classes[class].push(code);
        }
        Some(index)
    }

    /// The number of low sockets.
    pub fn low(&self) -> usize {
        self.low
    }

    /// The seat that moves so many plies below the root.
    pub fn mover(&self, depth: usize) -> Seat {
        Seat::ALL[(self.first + depth) % self.seats]
    }

    /// The marbles that each seat has placed after so many plies.
    pub fn counts(&self, depth: usize) -> [usize; 4] {
        let mut counts = [0; 4];
        (0..depth).for_each(|ply| counts[self.mover(ply).index()] += 1);
        counts
    }

    fn class(&self, counts: &[usize; 4]) -> usize {
        counts.iter().fold(0, |class, count| class * (self.low + 1) + count)
    }

    /// A code of so many sockets.
    pub fn part(&self, mut code: u32, sockets: usize) -> Part {
        let mut part = Part::default();
        for socket in 0..sockets {
            let digit = code % (self.seats as u32 + 1);
            code /= self.seats as u32 + 1;
            if digit > 0 {
                part.of[digit as usize - 1] |= 1 << socket;
            }
        }
        part
    }

    /// The codes of the low parts that complete a top part.
    pub fn lows(&self, slice: &Slice, top: &Part) -> &[u32] {
        let mut counts = [0; 4];
        for (seat, count) in counts.iter_mut().enumerate() {
            let Some(left) = slice.counts[seat].checked_sub(top.of[seat].count_ones() as usize) else {
                return &[];
            };
            *count = left;
        }
        if counts.iter().sum::<usize>() > self.low {
            return &[];
        }
        &self.classes[self.class(&counts)]
    }

    /// The number of codes of top parts.
    pub fn tops(&self) -> u32 {
        (self.seats as u32 + 1).pow((self.sockets.len() - self.low) as u32)
    }

    /// The slice so many plies below the root.
    pub fn slice(&self, depth: usize) -> Slice {
        let mut slice = Slice { depth, counts: self.counts(depth), starts: Vec::new() };
        let high = self.sockets.len() - self.low;
        let mut start = 0;
        let mut starts = Vec::with_capacity(self.tops() as usize + 1);
        for top in 0..self.tops() {
            starts.push(start);
            start += self.lows(&slice, &self.part(top, high)).len() as u32;
        }
        starts.push(start);
        slice.starts = starts;
        slice
    }
}

/// How many of the free sockets are low: as many as the boards of one top part, 4 KiB each, stay in
/// the second cache.
pub(super) fn low_sockets(seats: usize, empty: usize) -> usize {
    empty.min(if seats == 2 { 6 } else { 5 })
}

/// The place of a socket in the code of its part.
fn weight(socket: usize, low: usize) -> u32 {
    (if socket < low { socket } else { socket - low }) as u32
}

impl Slice {
    /// The number of boards.
    pub fn boards(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }
}

/// The number of boards so many plies below a root: free sockets shared out in turn.
pub(crate) fn board_count(empty: usize, counts: &[usize; 4]) -> u64 {
    let mut left = empty as u64;
    let mut boards = 1u64;
    for &count in counts {
        for i in 0..count as u64 {
            // Always whole: a binomial coefficient times what there was.
            boards = boards.saturating_mul(left) / (i + 1);
            left = left.saturating_sub(1);
        }
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_a_number_of_its_own() {
        for text in ["xl:supply=81", "xl:seats=3,supply=27", "xl:seats=4"] {
            let rules: Rules = text.parse().unwrap();
            let p = rules.random_positions(81 - 9, 1, 1, false).unwrap()[0];
            let index = Index::new(&rules, &p).unwrap();
            for depth in 0..8 {
                let slice = index.slice(depth);
                let boards = board_count(9, &slice.counts);
                assert_eq!(slice.boards() as u64, boards);
                let mut seen = std::collections::BTreeSet::new();
                for top in 0..index.tops() {
                    let part = index.part(top, 9 - index.low());
                    for (rank, &low) in index.lows(&slice, &part).iter().enumerate() {
                        assert_eq!(usize::from(index.low_ranks[low as usize]), rank);
                        assert!(seen.insert(slice.starts[top as usize] + rank as u32));
                    }
                }
                assert_eq!(seen.len() as u64, boards);
                assert!(seen.into_iter().eq(0..boards as u32));
            }
        }
    }

    #[test]
    fn numbers_of_boards_below_roots() {
        // Without the last slice; the design's figures.
        let total = |seats: usize, empty: usize| -> u64 {
            let counts = |depth: usize| {
                std::array::from_fn(|s| if s < seats { (depth + seats - 1 - s) / seats } else { 0 })
            };
            (0..empty).map(|depth| board_count(empty, &counts(depth))).sum()
        };
        for (seats, empty, expected) in [
            (2, 12, 142_441),
            (2, 14, 1_198_485),
            (2, 16, 10_152_909),
            (3, 10, 97_001),
            (3, 12, 1_343_245),
            (3, 13, 5_038_346),
            (4, 10, 323_381),
            (4, 12, 6_408_745),
            (4, 13, 29_354_066),
        ] {
            assert_eq!(total(seats, empty), expected, "{seats} seats, {empty} empty");
        }
    }
}
