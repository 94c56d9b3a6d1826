//! Sets of sockets, and the order of these sets in the runs of a row.

use super::super::counted::{ARENAS, Question};
use super::super::sets::{self, ranks, subsets};
use crate::kernel::{Numbers, PLACES};
use crate::supers::Half;
use pentago_base::bits;

/// The maximum number of marbles that the attacker places in a proof.
pub(super) const MOST_PLACEMENTS: usize = 8;

/// The maximum number of low sockets. A board with fewer empty sockets has only low sockets. More
/// low sockets would make the runs longer, but replies on low sockets more expensive
/// (`bench/README.md#low-sockets`). The ranks of low sets must fit in 16 bits.
pub(super) const LOW: usize = 16;
const _: () = assert!(sets::choose(LOW, LOW / 2) <= 1 << 16);

/// The maximum number of empty sockets of a board.
pub(super) const SOCKETS: usize = 36;

/// The binomial coefficients n over k, indexed by n and k. k is limited to the sizes of sets that
/// occur in a proof.
static CHOOSE: [[u32; MOST_PLACEMENTS + 2]; SOCKETS + 1] = {
    let mut table = [[0; MOST_PLACEMENTS + 2]; SOCKETS + 1];
    let mut n = 0;
    while n <= SOCKETS {
        let mut k = 0;
        while k < MOST_PLACEMENTS + 2 {
            table[n][k] = sets::choose(n, k) as u32;
            k += 1;
        }
        n += 1;
    }
    table
};

/// Returns the binomial coefficient n over k, from a table.
pub(super) fn choose(n: usize, k: usize) -> usize {
    CHOOSE[n][k] as usize
}

/// Returns the rank of a set among all sets of equal size.
pub(super) fn rank(set: u64) -> usize {
    bits(set).enumerate().map(|(i, socket)| choose(socket, i + 1)).sum()
}

/// Removes bit `i` from `set`, and moves the higher bits down by one.
pub(super) fn without(set: u64, i: usize) -> u64 {
    set >> (i + 1) << i | set & ((1 << i) - 1)
}

/// Inserts a 0 at bit `i` of `set`, and moves the higher bits up by one.
pub(super) fn spread(set: u64, i: usize) -> u64 {
    set >> i << (i + 1) | set & ((1 << i) - 1)
}

/// Tables about the sets of low sockets, for one number of free low sockets.
#[derive(Default)]
pub(super) struct LowSets {
    /// The ranks of the sets that omit a socket, indexed by size, socket, and the rank of the set
    /// among the sets of the other sockets.
    pub(super) others: Vec<Vec<Vec<u16>>>,
    /// The ranks of the sets after the c-th free socket is added. The indices are the size and c.
    /// Each item has one rank for each set.
    pub(super) replies: Vec<Vec<Numbers>>,
}

impl LowSets {
    /// Returns one table of sets for each number of free sockets from 0 to `low`. The tables for
    /// numbers below `low - taken` are empty.
    pub(super) fn all(low: usize, taken: usize, most: usize) -> Vec<LowSets> {
        let of = |n| if n + taken < low { LowSets::default() } else { LowSets::new(n, most) };
        (0..=low).map(of).collect()
    }

    pub(super) fn new(n: usize, most: usize) -> LowSets {
        let others = |k: usize| {
            let of = |i| subsets(n - 1, k).map(|set| rank(spread(set, i)) as u16).collect();
            (0..n).map(of).collect()
        };
        let replies = |k: usize| {
            let full = (1u64 << n) - 1;
            let nth = |set: u64, c| bits(full & !set).nth(c).expect("as many are free");
            let of = |c| Numbers::new(subsets(n, k).map(|set| rank(set | 1 << nth(set, c)) as u16));
            (0..n - k).map(of).collect()
        };
        LowSets {
            others: (0..=most.min(n)).map(others).collect(),
            // A set has at most `most` elements after a socket is added.
            replies: (0..most.min(n + 1)).map(replies).collect(),
        }
    }
}

/// Returns the number of low sockets and the number of high sockets, if `empty` sockets are empty.
pub(super) fn low_and_high(empty: usize) -> (usize, usize) {
    let low = LOW.min(empty);
    (low, empty - low)
}

/// The empty sockets, low sockets first. A socket's index in this order is its bit in the sets of a
/// proof.
pub(super) struct SocketSplit {
    pub(super) sockets: Vec<u64>,
    pub(super) low: usize,
    /// The rank of each set of only low or only high sockets among the sets of its size, indexed by
    /// bit mask.
    ranks: Vec<u32>,
    /// The index of the first set that has h high sockets, in the order of [`SocketSplit::at`].
    /// Indexed by the size of the set, then by h.
    begin: [[usize; MOST_PLACEMENTS + 2]; MOST_PLACEMENTS + 1],
}

impl SocketSplit {
    pub(super) fn new(q: &Question) -> SocketSplit {
        // `q.sockets` starts with the likely placements of the attacker. The reversal makes them
        // high sockets.
        let sockets: Vec<u64> = q.sockets.iter().rev().copied().collect();
        let (low, high) = low_and_high(sockets.len());
        let ranks = ranks(low.max(high));
        let before = |size: usize, h: usize| {
            (0..h.min(size + 1)).map(|h| choose(high, h) * choose(low, size - h)).sum()
        };
        let begin = std::array::from_fn(|size| std::array::from_fn(|h| before(size, h)));
        SocketSplit { sockets, low, ranks, begin }
    }

    pub(super) fn rank(&self, set: u64) -> usize {
        self.ranks[set as usize] as usize
    }

    pub(super) fn len(&self) -> usize {
        self.sockets.len()
    }

    pub(super) fn high(&self) -> usize {
        self.len() - self.low
    }

    /// Converts a set of empty sockets to the set of their indices in `sockets`.
    pub(super) fn indices(&self, set: u64) -> u64 {
        let is_in = |(_, bit): &(usize, &u64)| set & **bit != 0;
        self.sockets.iter().enumerate().filter(is_in).fold(0, |all, (i, _)| all | 1 << i)
    }

    /// Returns the index of a set among the sets of its size. These sets are sorted by run, then by
    /// the rank of their low sockets.
    pub(super) fn at(&self, set: u64) -> usize {
        let (high, low) = (set >> self.low, set & ((1 << self.low) - 1));
        let (h, k) = (high.count_ones() as usize, low.count_ones() as usize);
        self.run(h + k, high, h) + self.rank(low)
    }

    pub fn run(&self, size: usize, high: u64, h: usize) -> usize {
        self.begin[size][h] + self.rank(high) * choose(self.low, size - h)
    }

    /// Returns an upper bound on the size in bytes of the tables of a proof.
    pub(super) fn table_bytes(&self, placements: usize, most: usize) -> u64 {
        let sum = |n: usize, most: usize| (0..=most).map(|k| choose(n, k) as u64).sum::<u64>();
        let fives = sum(self.len(), placements) + sum(self.len(), most);
        // Each low set has one rank for each socket, in the tables for several numbers of free
        // sockets.
        let low = sum(self.low, most.min(self.low)) * (self.low * (4 * self.low + 200)) as u64;
        2 * fives * size_of::<Half>() as u64 + low + 4 * self.ranks.len() as u64 + ARENAS
    }
}

/// The layout of a row in runs. A run consists of the boards with one set of marbles on high
/// sockets. `at` is the index of the first line of the runs, indexed by the number of marbles on
/// high sockets.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) at: [usize; MOST_PLACEMENTS + 2],
    /// The number of lines of a run, indexed by the number of marbles on high sockets.
    pub(super) lines: [usize; MOST_PLACEMENTS + 2],
    /// The total number of lines of the row. `boards` is the total number of its boards.
    pub(super) all: usize,
    pub(super) boards: usize,
}

impl Runs {
    /// Computes the layout of a row with `high` free high sockets and `low` free low sockets, for
    /// boards with `size` marbles of the defender.
    pub(super) fn new(high: usize, low: usize, size: usize) -> Runs {
        let mut runs =
            Runs { at: [0; MOST_PLACEMENTS + 2], lines: [0; MOST_PLACEMENTS + 2], all: 0, boards: 0 };
        for h in 0..=size {
            let boards = choose(low, size - h);
            runs.at[h] = runs.all;
            runs.lines[h] = boards.div_ceil(PLACES);
            runs.all += choose(high, h) * runs.lines[h];
            runs.boards += choose(high, h) * boards;
        }
        runs
    }

    /// Returns the run in `row` that belongs to the set of `h` high sockets with rank `rank`.
    pub(super) fn of<T>(self, row: &[T], h: usize, rank: usize) -> &[T] {
        &row[self.at[h] + rank * self.lines[h]..][..self.lines[h]]
    }
}

/// Converts a set of indices into `sockets` to a set of these sockets.
pub(super) fn place(set: u64, sockets: &[usize]) -> u64 {
    bits(set).fold(0, |all, i| all | 1 << sockets[i])
}
