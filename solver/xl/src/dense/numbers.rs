//! The numbering of the boards below a root.
//!
//! A board distributes some of the root's free sockets among the seats. A move changes only the
//! mover's set. A *group* is all boards of a slice on which each seat but the mover has the same
//! set. A group is therefore computed from a single group of the later slice, and each later group
//! is needed for a single group. Boards are numbered group by group, so the memory of a later group
//! is free once the group has been read.
//!
//! Sets of the same size are ranked in ascending order of their bits. The first seat's set is
//! ranked among all sockets. For each further seat, the sockets that earlier seats leave free are
//! renumbered without gaps, and the seat's set is ranked among these sockets.

use crate::geometry::Socket;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The largest number of free sockets for which a root can be solved densely.
pub(crate) const MOST_EMPTY: usize = 18;

/// The numbering of the boards below one root.
pub(super) struct BoardNumbering {
    /// The free sockets of the root, in ascending order.
    pub sockets: Vec<Socket>,
    rules: Rules,
    first: Seat,
    /// The rank of each set among the sets of the same size, indexed by the bits of the set. All
    /// ranks are below C(18, 9), so they fit in 16 bits.
    ranks: Vec<u16>,
    /// The sets of each size, in ascending order of their bits. For any n, the sets that use only
    /// the first n sockets therefore come first.
    sets: Vec<Vec<u32>>,
}

/// An order of the boards of a slice: sorted by group, and within a group by the mover's set.
#[derive(Debug, Clone)]
pub(super) struct SliceOrder {
    /// The number of marbles that each seat has placed since the root, indexed by seat.
    pub counts: [usize; 4],
    /// The seat whose set differs between the boards of a group.
    pub mover: Seat,
    /// The number of groups of the slice.
    pub groups: usize,
    /// The number of boards in each group.
    pub members: usize,
    /// The number of the root's free sockets that the other seats do not occupy.
    pub left: usize,
}

impl BoardNumbering {
    /// Prepares the numbering of the boards below `root`, which has at most [`MOST_EMPTY`] free
    /// sockets.
    pub fn new(rules: &Rules, root: &Position) -> BoardNumbering {
        let sockets: Vec<Socket> = crate::geometry::sockets(root.free()).collect();
        let mut sets = vec![Vec::new(); sockets.len() + 1];
        let mut ranks = Vec::with_capacity(1 << sockets.len());
        for set in 0..1u32 << sockets.len() {
            let same: &mut Vec<u32> = &mut sets[set.count_ones() as usize];
            ranks.push(same.len() as u16);
            same.push(set);
        }
        BoardNumbering { sockets, rules: *rules, first: root.to_move, ranks, sets }
    }

    /// Returns the seat to move in the slice `depth` plies below the root.
    pub fn mover(&self, depth: usize) -> Seat {
        self.rules.seat_after(self.first, depth)
    }

    /// Returns the number of marbles that each seat has placed `depth` plies below the root.
    pub fn counts(&self, depth: usize) -> [usize; 4] {
        self.rules.marbles_placed(self.first, depth)
    }

    /// Returns the order of the slice `depth` plies below the root. Within a group, only the set of
    /// `mover` differs.
    pub fn order(&self, depth: usize, mover: Seat) -> SliceOrder {
        let counts = self.counts(depth);
        let left = self.sockets.len() - (depth - counts[mover.index()]);
        let members = self.of_size(left, counts[mover.index()]).len();
        SliceOrder {
            groups: board_count(self.sockets.len(), &counts) as usize / members,
            counts,
            mover,
            members,
            left,
        }
    }

    /// Returns all sets of `size` sockets that use only the first `sockets` sockets.
    pub fn of_size(&self, sockets: usize, size: usize) -> &[u32] {
        let count = board_count(sockets, &[size, 0, 0, 0]) as usize;
        &self.sets[size][..count]
    }

    /// Returns the rank of `set` among all sets of the same size.
    #[inline]
    pub fn rank(&self, set: u32) -> usize {
        usize::from(self.ranks[set as usize])
    }

    /// Returns the indices of the seats in the order in which their sets determine the board
    /// number. The mover comes last, so that the boards of a group are adjacent.
    fn in_order(&self, order: &SliceOrder) -> impl Iterator<Item = usize> {
        let mover = order.mover.index();
        (0..self.rules.seats()).filter(move |&seat| seat != mover).chain([mover])
    }

    /// Returns the number of the board on which each seat has the set in `of`, indexed by seat.
    pub fn number(&self, order: &SliceOrder, of: &[u32; 4]) -> usize {
        let (mut number, mut taken, mut left) = (0, 0, self.sockets.len());
        for seat in self.in_order(order) {
            let size = order.counts[seat];
            number = number * self.of_size(left, size).len() + self.rank(closed_up(of[seat], taken));
            taken |= of[seat];
            left -= size;
        }
        number
    }

    /// Returns the set of each seat in the group with index `number`. The mover's set is returned
    /// empty.
    pub fn group(&self, order: &SliceOrder, mut number: usize) -> [u32; 4] {
        let (mut of, mut taken, mut left) = ([0; 4], 0, self.sockets.len());
        let mut groups = order.groups;
        for seat in self.in_order(order).take(self.rules.seats() - 1) {
            let sets = self.of_size(left, order.counts[seat]);
            groups /= sets.len();
            of[seat] = spread_out(sets[number / groups], &self.left(taken));
            number %= groups;
            taken |= of[seat];
            left -= order.counts[seat];
        }
        of
    }

    /// Returns the sockets outside the set `taken`, in ascending order. The elements after these
    /// sockets are meaningless.
    pub fn left(&self, taken: u32) -> [u8; MOST_EMPTY] {
        let mut left = [0; MOST_EMPTY];
        let sockets = (0..self.sockets.len() as u8).filter(|socket| taken >> socket & 1 == 0);
        left.iter_mut().zip(sockets).for_each(|(place, socket)| *place = socket);
        left
    }

    /// Returns a number by which boards are sorted in the order of tables. The number has one digit
    /// in base 5 for each socket. The last socket is the most significant digit. The digit of a
    /// free socket is 0, and the digit of a marble is one more than the index of its seat.
    #[cfg(feature = "tables")]
    pub fn code(&self, of: &[u32; 4]) -> u64 {
        let digit = |socket: usize| {
            of.iter().zip(1..).map(|(set, digit)| u64::from(set >> socket & 1) * digit).sum::<u64>()
        };
        (0..self.sockets.len()).rev().fold(0, |code, socket| 5 * code + digit(socket))
    }
}

/// Removes the sockets in `taken` from the numbering, and returns `set` with the new numbers. `set`
/// and `taken` must be disjoint.
#[inline]
fn closed_up(set: u32, taken: u32) -> u32 {
    let (mut rest, mut out) = (set, 0);
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        out |= bit >> (taken & (bit - 1)).count_ones();
    }
    out
}

/// Reverses [`closed_up`]: returns the set with the original numbers of its sockets. `left` lists
/// the sockets that are not taken.
#[inline]
pub(super) fn spread_out(set: u32, left: &[u8; MOST_EMPTY]) -> u32 {
    let (mut rest, mut out) = (set, 0);
    while rest != 0 {
        out |= 1 << left[rest.trailing_zeros() as usize % MOST_EMPTY];
        rest &= rest - 1;
    }
    out
}

/// Returns the number of boards that differ in how the seats have placed `counts` marbles on
/// `empty` sockets. `counts` is indexed by seat. Returns at most `u64::MAX`.
pub(crate) fn board_count(empty: usize, counts: &[usize; 4]) -> u64 {
    let mut left = empty as u64;
    let mut boards = 1u64;
    for &count in counts {
        for i in 0..count as u64 {
            // The division has no remainder, because the product is a number of boards times a
            // binomial coefficient times `i + 1`.
            boards = boards.saturating_mul(left) / (i + 1);
            left = left.saturating_sub(1);
        }
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SliceOrder {
        fn boards(&self) -> usize {
            self.groups * self.members
        }
    }

    #[test]
    fn every_board_has_a_number_of_its_own() {
        for text in ["xl:supply=81", "xl:seats=3,supply=27", "xl:seats=4"] {
            let rules: Rules = text.parse().unwrap();
            let p = rules.random_positions(81 - 9, 1, 1, false).unwrap()[0];
            let numbers = BoardNumbering::new(&rules, &p);
            for depth in 0..8 {
                let counts = numbers.counts(depth);
                for seat in rules.everyone().iter() {
                    let order = numbers.order(depth, seat);
                    assert_eq!(order.boards() as u64, board_count(9, &counts));
                    let mut codes = std::collections::BTreeSet::new();
                    for group in 0..order.groups {
                        let mut of = numbers.group(&order, group);
                        let left = numbers.left(of.iter().fold(0, |taken, set| taken | set));
                        for (rank, &set) in
                            numbers.of_size(order.left, counts[seat.index()]).iter().enumerate()
                        {
                            assert_eq!(numbers.rank(set), rank);
                            of[seat.index()] = spread_out(set, &left);
                            assert_eq!(numbers.number(&order, &of), group * order.members + rank);
                            assert_eq!(of.map(|set| set.count_ones() as usize), counts);
                            assert_eq!(of.iter().sum::<u32>(), of.iter().fold(0, |all, set| all | set));
                            codes.insert(of);
                        }
                    }
                    assert_eq!(codes.len(), order.boards());
                }
            }
        }
    }
}
