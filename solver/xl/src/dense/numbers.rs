//! Boards below a root as numbers.
//!
//! The free sockets of the root are numbered, and a board gives some of them to each seat. A move
//! changes the set of one seat only. So the boards of a slice in which all other seats have the
//! same sets, a *group*, are made of one group of the next slice, and nothing else is made of that:
//! with the boards in an order of groups, what was read once is used up.
//!
//! Sets of the same size are numbered in ascending order as numbers. The set of a further seat is
//! one of the sockets that are left, closed up.

use crate::geometry::Socket;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The most free sockets that a root can have.
pub(crate) const MOST_EMPTY: usize = 18;

/// The boards below one root.
pub(super) struct BoardNumbering {
    /// The free sockets of the root.
    pub sockets: Vec<Socket>,
    rules: Rules,
    first: Seat,
    /// For each set of sockets: its number among the sets of its size. At most C(18, 9).
    ranks: Vec<u16>,
    /// For each size: the sets. Those of the first few sockets come first.
    sets: Vec<Vec<u32>>,
}

/// An order of a slice: all boards of a group lie together, in the order of the mover's sets.
#[derive(Debug, Clone)]
pub(super) struct SliceOrder {
    /// The marbles of each seat that are not in the root.
    pub counts: [usize; 4],
    /// The seat whose sets differ within a group.
    pub mover: Seat,
    /// The number of groups.
    pub groups: usize,
    /// The number of boards of each.
    pub members: usize,
    /// The sockets that are left to the mover.
    pub left: usize,
}

impl BoardNumbering {
    /// Numbers the boards below a root that has at most [`MOST_EMPTY`] free sockets.
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

    /// Returns the seat that moves `depth` plies below the root.
    pub fn mover(&self, depth: usize) -> Seat {
        self.rules.seat_after(self.first, depth)
    }

    /// Returns the number of marbles that each seat has placed after `depth` plies.
    pub fn counts(&self, depth: usize) -> [usize; 4] {
        self.rules.marbles_placed(self.first, depth)
    }

    /// Returns the slice `depth` plies below the root in groups for this seat.
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

    /// Returns the sets of `size` of the first `sockets` sockets.
    pub fn of_size(&self, sockets: usize, size: usize) -> &[u32] {
        let count = board_count(sockets, &[size, 0, 0, 0]) as usize;
        &self.sets[size][..count]
    }

    /// The number of a set among those of its size.
    #[inline]
    pub fn rank(&self, set: u32) -> usize {
        usize::from(self.ranks[set as usize])
    }

    /// The seats in the order in which their sets count: the mover's last.
    fn in_order(&self, order: &SliceOrder) -> impl Iterator<Item = usize> + Clone {
        let mover = order.mover.index();
        (0..self.rules.seats()).filter(move |&seat| seat != mover).chain([mover])
    }

    /// The number of the board in which the seats have these sets.
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

    /// The sets of the other seats in a group; the mover's is empty.
    pub fn group(&self, order: &SliceOrder, mut number: usize) -> [u32; 4] {
        let (mut ranks, mut places) = ([0; 4], [1; 4]);
        let mut left = self.sockets.len();
        for seat in self.in_order(order).take(self.rules.seats() - 1) {
            places[seat] = self.of_size(left, order.counts[seat]).len();
            left -= order.counts[seat];
        }
        for seat in (0..self.rules.seats()).rev().filter(|&seat| seat != order.mover.index()) {
            ranks[seat] = number % places[seat];
            number /= places[seat];
        }
        let (mut of, mut taken) = ([0; 4], 0);
        for seat in self.in_order(order).take(self.rules.seats() - 1) {
            of[seat] = spread_out(self.sets[order.counts[seat]][ranks[seat]], &self.left(taken));
            taken |= of[seat];
        }
        of
    }

    /// The sockets that are not in a set; the places behind the last one don't count.
    pub fn left(&self, taken: u32) -> [u8; MOST_EMPTY] {
        let mut left = [0; MOST_EMPTY];
        let sockets = (0..self.sockets.len() as u8).filter(|socket| taken >> socket & 1 == 0);
        left.iter_mut().zip(sockets).for_each(|(place, socket)| *place = socket);
        left
    }

    /// Boards in ascending order by these numbers: the sockets as digits, the last one first; 0 is
    /// free, else one more than the seat. (The order of tables.)
    #[cfg(feature = "tables")]
    pub fn code(&self, of: &[u32; 4]) -> u64 {
        let digit = |socket: usize| {
            of.iter().zip(1..).map(|(set, digit)| u64::from(set >> socket & 1) * digit).sum::<u64>()
        };
        (0..self.sockets.len()).rev().fold(0, |code, socket| 5 * code + digit(socket))
    }
}

/// A set of what is left when others are taken, numbered anew.
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

/// The other way.
#[inline]
pub(super) fn spread_out(set: u32, left: &[u8; MOST_EMPTY]) -> u32 {
    let (mut rest, mut out) = (set, 0);
    while rest != 0 {
        out |= 1 << left[rest.trailing_zeros() as usize % MOST_EMPTY];
        rest &= rest - 1;
    }
    out
}

/// Returns the number of boards some plies below a root: free sockets shared out in turn.
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

    #[test]
    fn a_group_is_made_of_one_group() {
        let rules: Rules = "xl:seats=3,supply=27".parse().unwrap();
        let p = rules.random_positions(81 - 8, 1, 1, false).unwrap()[0];
        let numbers = BoardNumbering::new(&rules, &p);
        for depth in 0..7 {
            let mover = numbers.mover(depth);
            let (these, next) = (numbers.order(depth, mover), numbers.order(depth + 1, mover));
            assert_eq!(these.groups, next.groups);
            for group in 0..these.groups {
                assert_eq!(numbers.group(&these, group), numbers.group(&next, group));
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
