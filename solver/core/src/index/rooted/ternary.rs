//! The order in which a table lists the boards of one slice below a root.
//!
//! Each board is a number in base three. Digit i belongs to empty socket i of the root, in
//! ascending order. The digit is 0 if the socket is free, 1 for a marble of the player to move at
//! the root, and 2 for a marble of the other player. The boards of a slice are sorted by their
//! numbers.

/// The ranks of the boards with certain numbers of marbles of the two players on a certain number
/// of sockets.
#[derive(Clone, Debug)]
pub struct Ternary {
    sockets: usize,
    counts: [usize; 2],
    /// The results of [`Ternary::ways`]. The indices are the number of sockets, the number of
    /// marbles of player 0, and the number of marbles of player 1.
    ways: Vec<u64>,
}

impl Ternary {
    /// Creates the order of the boards that have `counts` marbles of the two players on `sockets`
    /// sockets. `sockets` is at most 36.
    pub fn new(sockets: usize, counts: [usize; 2]) -> Ternary {
        let mut this = Ternary { sockets, counts, ways: Vec::new() };
        let [side_a, side_b] = counts.map(|c| c + 1);
        this.ways = vec![0; (sockets + 1) * side_a * side_b];
        this.ways[0] = 1;
        for n in 1..=sockets {
            for a in 0..side_a {
                for b in 0..side_b {
                    let free = this.ways(n - 1, [a, b]);
                    let first = if a > 0 { this.ways(n - 1, [a - 1, b]) } else { 0 };
                    let second = if b > 0 { this.ways(n - 1, [a, b - 1]) } else { 0 };
                    this.ways[(n * side_a + a) * side_b + b] = free + first + second;
                }
            }
        }
        this
    }

    /// Returns the number of ways to place `a` marbles of player 0 and `b` marbles of player 1 on
    /// the first `n` sockets.
    #[inline]
    fn ways(&self, n: usize, [a, b]: [usize; 2]) -> u64 {
        self.ways[(n * (self.counts[0] + 1) + a) * (self.counts[1] + 1) + b]
    }

    /// Returns the number of boards in this order.
    pub fn len(&self) -> u64 {
        self.ways(self.sockets, self.counts)
    }

    /// Returns `true` if no boards exist, because there are more marbles than sockets.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rank of the board with the marble sets `sets` of the two players, bit i for
    /// socket i. The sets must be disjoint, and their sizes must be the counts of this order.
    #[inline]
    pub fn rank(&self, sets: [u64; 2]) -> u64 {
        debug_assert!(sets[0] & sets[1] == 0 && [0, 1].map(|p| sets[p].count_ones() as usize) == self.counts);
        let mut left = self.counts;
        let mut rank = 0;
        for socket in (0..self.sockets).rev() {
            if (sets[0] | sets[1]) >> socket & 1 == 0 {
                continue;
            }
            rank += self.ways(socket, left);
            if sets[0] >> socket & 1 != 0 {
                left[0] -= 1;
            } else {
                if left[0] > 0 {
                    rank += self.ways(socket, [left[0] - 1, left[1]]);
                }
                left[1] -= 1;
            }
        }
        rank
    }

    /// Returns the marble sets of the two players on the board with rank `rank`. The rank must be
    /// less than [`Ternary::len`].
    pub fn unrank(&self, mut rank: u64) -> [u64; 2] {
        let mut left = self.counts;
        let mut sets = [0; 2];
        for socket in (0..self.sockets).rev() {
            let free = self.ways(socket, left);
            if rank < free {
                continue;
            }
            rank -= free;
            let first = if left[0] > 0 { self.ways(socket, [left[0] - 1, left[1]]) } else { 0 };
            let player = usize::from(rank >= first);
            rank -= if player == 1 { first } else { 0 };
            sets[player] |= 1 << socket;
            left[player] -= 1;
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_are_found_again() {
        for (sockets, counts) in
            [(0, [0, 0]), (1, [1, 0]), (5, [2, 1]), (8, [3, 3]), (9, [5, 4]), (7, [0, 3])]
        {
            let ternary = Ternary::new(sockets, counts);
            let boards = (0..3u64.pow(sockets as u32)).filter_map(|number| {
                let mut sets = [0u64; 2];
                for i in 0..sockets {
                    let digit = number / 3u64.pow(i as u32) % 3;
                    if digit > 0 {
                        sets[digit as usize - 1] |= 1 << i;
                    }
                }
                ([0, 1].map(|p| sets[p].count_ones() as usize) == counts).then_some(sets)
            });
            let mut len = 0;
            for (i, sets) in boards.enumerate() {
                assert_eq!(ternary.rank(sets), i as u64);
                assert_eq!(ternary.unrank(i as u64), sets);
                len += 1;
            }
            assert_eq!(ternary.len(), len);
        }
        assert!(Ternary::new(3, [2, 2]).is_empty());
        // No other order has as many boards as this one: 36! / 12!^3.
        assert_eq!(Ternary::new(36, [12, 12]).len(), 3_384_731_762_521_200);
    }
}
