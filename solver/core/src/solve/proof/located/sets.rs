//! Sets of sockets and their order: what is in which run of a row.

use super::super::counted::{ARENAS, Question};
use super::super::sets::{self, ranks, subsets};
use crate::kernel::{Numbers, PLACES};
use crate::supers::Half;
use pentago_base::bits;

/// The attacker places at most so many marbles.
pub(super) const MOST_PLACEMENTS: usize = 8;

/// Low sockets, if there are as many: more make for longer runs, but replies on low sockets cost more.
/// Their sets have numbers of 16 bits (`bench/README.md#low-sockets`).
pub(super) const LOW: usize = 16;
const _: () = assert!(sets::choose(LOW, LOW / 2) <= 1 << 16);

/// Empty sockets at most.
pub(super) const SOCKETS: usize = 36;

/// n over k, for the sizes of sets that occur.
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

/// n over k, looked up.
pub(super) fn choose(n: usize, k: usize) -> usize {
    CHOOSE[n][k] as usize
}

/// The number of a set among those of its size.
pub(super) fn rank(set: u64) -> usize {
    bits(set).enumerate().map(|(i, socket)| choose(socket, i + 1)).sum()
}

/// `set` without the place of socket `i`, those above it moved down.
pub(super) fn without(set: u64, i: usize) -> u64 {
    set >> (i + 1) << i | set & ((1 << i) - 1)
}

/// `set` with an empty place for socket `i`, those above it moved up.
pub(super) fn spread(set: u64, i: usize) -> u64 {
    set >> i << (i + 1) | set & ((1 << i) - 1)
}

/// The sets of low sockets, for one number of free ones.
#[derive(Default)]
pub(super) struct LowSets {
    /// By size and socket: the number of each set that doesn't contain it, in the order of the sets of the
    /// other sockets.
    pub(super) others: Vec<Vec<Vec<u16>>>,
    /// By size: for each free socket in turn, the number of the set with that one, too.
    pub(super) replies: Vec<Vec<Numbers>>,
}

impl LowSets {
    /// Those of `low` sockets of which up to `taken` are taken.
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
            // With a reply there are at most `most`.
            replies: (0..most.min(n + 1)).map(replies).collect(),
        }
    }
}

/// How many low and high sockets there are, of so many empty ones.
pub(super) fn low_and_high(empty: usize) -> (usize, usize) {
    let low = LOW.min(empty);
    (low, empty - low)
}

/// The empty sockets in the order of a proof. The first ones are low.
pub(super) struct SocketSplit {
    pub(super) sockets: Vec<u64>,
    pub(super) low: usize,
    /// By set of high or of low sockets: its number among those of its size.
    ranks: Vec<u32>,
    /// By size: where the sets with so many high sockets begin, in the order of [`SocketSplit::at`].
    begin: [[usize; MOST_PLACEMENTS + 2]; MOST_PLACEMENTS + 1],
}

impl SocketSplit {
    pub(super) fn new(q: &Question) -> SocketSplit {
        // The attacker's likely placements are high ones.
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

    /// A set of empty sockets by their numbers.
    pub(super) fn indices(&self, set: u64) -> u64 {
        let is_in = |(_, bit): &(usize, &u64)| set & **bit != 0;
        self.sockets.iter().enumerate().filter(is_in).fold(0, |all, (i, _)| all | 1 << i)
    }

    /// Where a set comes among all sets of its size: run by run, and in a run by the low sets.
    pub(super) fn at(&self, set: u64) -> usize {
        let (high, low) = (set >> self.low, set & ((1 << self.low) - 1));
        let (h, k) = (high.count_ones() as usize, low.count_ones() as usize);
        self.run(h + k, high, h) + self.rank(low)
    }

    pub fn run(&self, size: usize, high: u64, h: usize) -> usize {
        self.begin[size][h] + self.rank(high) * choose(self.low, size - h)
    }

    /// Bytes of the tables of a proof.
    pub(super) fn table_bytes(&self, placements: usize, most: usize) -> u64 {
        let sum = |n: usize, most: usize| (0..=most).map(|k| choose(n, k) as u64).sum::<u64>();
        let fives = sum(self.len(), placements) + sum(self.len(), most);
        // Each low set has numbers by socket, for several numbers of free ones.
        let low = sum(self.low, most.min(self.low)) * (self.low * (4 * self.low + 200)) as u64;
        2 * fives * size_of::<Half>() as u64 + low + 4 * self.ranks.len() as u64 + ARENAS
    }
}

/// Where the runs of a row begin, in lines, by the number of marbles on high sockets.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub(super) at: [usize; MOST_PLACEMENTS + 2],
    /// Lines of each of them.
    pub(super) lines: [usize; MOST_PLACEMENTS + 2],
    /// All lines, and boards.
    pub(super) all: usize,
    pub(super) boards: usize,
}

impl Runs {
    /// With this many free high and low sockets, and marbles.
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

    /// The run with the `rank`-th set of `h` high sockets.
    pub(super) fn of<T>(self, row: &[T], h: usize, rank: usize) -> &[T] {
        &row[self.at[h] + rank * self.lines[h]..][..self.lines[h]]
    }
}

/// A set of sockets of which only the numbers among `sockets` are known.
pub(super) fn place(set: u64, sockets: &[usize]) -> u64 {
    bits(set).fold(0, |all, i| all | 1 << sockets[i])
}
