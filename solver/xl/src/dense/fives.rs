//! Tables of fives: the rotations of one parity at which a set of marbles has five in a line.
//!
//! A line crosses at most three of the blocks that turn. Among the sets of blocks that lines cross,
//! 20 sets are maximal. Each of the 140 lines is assigned to a maximal set that contains the line's
//! blocks. For each maximal set, a table of 64 words holds the answer as a function of the turns of
//! three blocks. The table is then spread over the half super.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::numbers::board_count;
use super::slab::{DenseError, Slab};
use crate::fives::TABLES;
use crate::geometry::{BLOCKS, CENTRE, FIVES, GRAY, Socket, SocketSet, TURNABLE, TURNED, pattern};
use crate::kernel::{HalfSuper, LineSet, Passes};
use crate::seat::Seat;
use pentago_base::{Control, Stopped, bits};

/// A mask of the bits of a 64-bit word. Contains bit `i` if the index `i` has an odd number of
/// ones.
const ODD: u64 = 0x6996_9669_9669_6996;

/// The lines that are assigned to one maximal set of blocks.
struct LineShare {
    /// The indices in [`TURNABLE`] of those blocks of the set whose turns choose a bit inside a
    /// word. Only indices 0 to 2 occur.
    inside: Vec<usize>,
    /// The indices in [`TURNABLE`] of those blocks of the set whose turns choose a word. Only
    /// indices 3 to 7 occur.
    outside: Vec<usize>,
    lines: LineSet,
    /// The index in the table for each word of a half super. The index consists of the Gray codes
    /// of the blocks in `outside`. Block 7 contributes only the low bit of its Gray code.
    places: [u8; 512],
}

static SHARES: LazyLock<Vec<LineShare>> = LazyLock::new(|| {
    let touched = |five: SocketSet| -> u32 {
        TURNABLE.iter().enumerate().map(|(i, &block)| u32::from(pattern(five, block) != 0) << i).sum()
    };
    let all: Vec<u32> = FIVES.iter().map(|&five| touched(five)).collect();
    let mut greatest: Vec<u32> =
        all.iter().copied().filter(|&a| !all.iter().any(|&b| a != b && a & b == a)).collect();
    greatest.sort_unstable();
    greatest.dedup();
    let share = |set: &u32| {
        let mut lines = LineSet::default();
        for (line, &touched) in all.iter().enumerate() {
            // Assign the line to the first set that contains all of its blocks.
            if greatest.iter().find(|&&set| touched & set == touched) == Some(set) {
                lines.0[line / 64] |= 1 << (line % 64);
            }
        }
        let blocks: Vec<usize> = (0..8).filter(|i| set >> i & 1 != 0).collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) = blocks.into_iter().partition(|&i| i < 3);
        let mut places = [0; 512];
        for (word, place) in places.iter_mut().enumerate() {
            for (at, &block) in outside.iter().enumerate() {
                let low = if block == 7 { word >> 8 & 1 } else { word >> (2 * block - 6) & 3 };
                *place |= (low << (2 * at)) as u8;
            }
        }
        LineShare { inside, outside, lines, places }
    };
    greatest.iter().map(share).collect()
});

/// Masks of the bits of a 64-bit word at which a block has a given turn. The first index is the
/// index of the block in [`TURNABLE`], 0 to 2. The second index is the Gray code of the number of
/// its turns.
const INSIDE: [[u64; 4]; 3] = {
    let mut masks = [[0; 4]; 3];
    let mut block = 0;
    while block < 3 {
        let mut bit = 0;
        while bit < 64 {
            masks[block][bit >> (2 * block) & 3] |= 1 << bit;
            bit += 1;
        }
        block += 1;
    }
    masks
};

/// The rotations at which each seat has five in a line, for every set of the root's free sockets
/// that the seat can occupy.
pub(super) struct FiveTables {
    /// The number of each set, indexed by the bits of the set. Smaller sets have lower numbers.
    numbers: Vec<u32>,
    /// For each seat, one slab for each parity. A slab holds the half super of each set that is
    /// added to the root's marbles, in the order of `numbers`.
    halves: Vec<[Slab; 2]>,
}

impl FiveTables {
    /// Returns the size of the tables in bytes. `sockets` is the number of free sockets. `most`
    /// holds the largest number of marbles that each seat places.
    pub fn bytes(sockets: usize, most: &[usize]) -> u64 {
        let sets: u64 = most.iter().map(|&most| sets_below(sockets, most + 1)).sum();
        (2 * size_of::<HalfSuper>() as u64).saturating_mul(sets).saturating_add(8 << sockets)
    }

    /// Computes the tables. `roots` holds the marbles of each seat at the root. `most` holds the
    /// largest number of marbles that each seat places on the free `sockets`.
    pub fn new(
        roots: &[SocketSet],
        sockets: &[Socket],
        most: &[usize],
        passes: &Passes,
        control: &Control,
    ) -> Result<FiveTables, DenseError> {
        let mut sets: Vec<u32> = (0..1u32 << sockets.len()).collect();
        sets.sort_by_key(|set| set.count_ones());
        let mut numbers = vec![0; sets.len()];
        (0..).zip(&sets).for_each(|(number, &set)| numbers[set as usize] = number);
        let below = |count: usize| sets_below(sockets.len(), count) as usize;
        let of_seat = |root: SocketSet, most: usize, parity: usize| -> Result<Slab, DenseError> {
            let mut slab = Slab::new(below(most + 1))?;
            for count in 0..=most {
                let range = below(count)..below(count + 1);
                let (smaller, rest) = slab.halves_mut().split_at_mut(range.start);
                rest[..range.len()].par_iter_mut().zip(&sets[range]).try_for_each(|(out, &set)| {
                    control.check()?;
                    let added = bits(set.into()).fold(0, |added, i| added | sockets[i].bit());
                    // A line needs at most five of the added marbles. For a set of six or more
                    // added marbles, the result is therefore the union of the results for the
                    // subsets with one marble less. A smaller set can also complete a line that
                    // needs all added marbles.
                    if count < 6 && within_a_line(added) {
                        fives(out, root | added, parity, passes);
                        return Ok(());
                    }
                    let mut without = [&NONE; 6];
                    for (half, i) in without.iter_mut().zip(bits(set.into())) {
                        *half = &smaller[numbers[(set & !(1 << i)) as usize] as usize];
                    }
                    passes.union(out, &without[..count.min(6)]);
                    Ok::<_, Stopped>(())
                })?;
            }
            Ok(slab)
        };
        let halves = roots.iter().zip(most).map(|(&root, &most)| -> Result<_, DenseError> {
            Ok([of_seat(root, most, 0)?, of_seat(root, most, 1)?])
        });
        Ok(FiveTables { halves: halves.collect::<Result<_, _>>()?, numbers })
    }

    /// Returns the rotations of a parity at which a seat has five in a line. `set` is the subset of
    /// the root's free sockets that the seat occupies.
    #[inline]
    pub fn of(&self, seat: Seat, parity: usize, set: u32) -> &HalfSuper {
        &self.halves[seat.index()][parity].halves()[self.numbers[set as usize] as usize]
    }
}

static NONE: HalfSuper = HalfSuper::NONE;

/// Returns the number of subsets of `things` things that have fewer than `members` members.
fn sets_below(things: usize, members: usize) -> u64 {
    (0..members).map(|n| board_count(things, &[n, 0, 0, 0])).sum()
}

/// Returns the number of sockets of `set` in each block, indexed by block.
fn block_counts(set: SocketSet) -> [u32; BLOCKS] {
    std::array::from_fn(|i| pattern(set, i as u8).count_ones())
}

/// Returns `false` only if no turns of blocks bring all sockets of the set into one line. The test
/// is not exact: `true` may be wrong, because only the numbers of sockets per block are compared.
fn within_a_line(set: SocketSet) -> bool {
    static LINE_COUNTS: LazyLock<Vec<[u32; BLOCKS]>> =
        LazyLock::new(|| FIVES.iter().map(|&five| block_counts(five)).collect());
    let set = block_counts(set);
    LINE_COUNTS.iter().any(|line| line.iter().zip(set).all(|(&line, set)| set <= line))
}

/// Sets `out` to the rotations at which `set` has five in a line. Only rotations whose number of
/// turns has the parity `parity` are included.
fn fives(out: &mut HalfSuper, set: SocketSet, parity: usize, passes: &Passes) {
    let own = &TABLES.own;
    // `complete[i][g]` holds the lines whose sockets in block `TURNABLE[i]` are all in the set,
    // when the block's turns have the Gray code `g`.
    let mut complete = [[LineSet::default(); 4]; 8];
    for (lines, block) in complete.iter_mut().zip(TURNABLE) {
        let mut turned = pattern(set, block);
        for gray in GRAY {
            lines[gray] = own[usize::from(block)][turned].complete;
            turned = usize::from(TURNED[1][turned]);
        }
    }
    let centre = own[usize::from(CENTRE)][pattern(set, CENTRE)].complete;
    *out = HalfSuper::NONE;
    for share in SHARES.iter() {
        let lines = share.lines.and(&centre);
        if !lines.any() {
            continue;
        }
        let mut words = [[0; 64]; 2];
        let mut some = false;
        for codes in 0..1usize << (2 * share.outside.len()) {
            let code = |at: usize| codes >> (2 * at) & 3;
            let lines = share
                .outside
                .iter()
                .enumerate()
                .fold(lines, |lines, (at, &block)| lines.and(&complete[block][code(at)]));
            if !lines.any() {
                continue;
            }
            let word = inside(&lines, &share.inside, &complete);
            some |= word != 0;
            match share.outside.iter().position(|&block| block == 7) {
                None => words.iter_mut().for_each(|words| words[codes] |= word),
                Some(at) => {
                    // The high bit of block 7 is not part of the word's index. The parity
                    // determines this bit from the number of ones in the other bits.
                    let (low, high) = (codes & !(2 << (2 * at)), code(at) >> 1);
                    for (odd, words) in words.iter_mut().enumerate() {
                        let ones = if (parity + odd + high) % 2 == 1 { ODD } else { !ODD };
                        words[low] |= word & ones;
                    }
                }
            }
        }
        if some {
            passes.spread(out, &share.places, &words);
        }
    }
}

/// Returns the bits of a word, one for each combination of turns of the blocks 0 to 2. A bit is set
/// if some line of `lines` is complete in all of `blocks`.
fn inside(lines: &LineSet, blocks: &[usize], complete: &[[LineSet; 4]; 8]) -> u64 {
    let Some((&block, rest)) = blocks.split_first() else {
        return !0;
    };
    let mut word = 0;
    for (code, mask) in INSIDE[block].iter().enumerate() {
        let lines = lines.and(&complete[block][code]);
        if lines.any() {
            word |= mask & inside(&lines, rest, complete);
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fives::has_five;
    use crate::geometry::rotated;
    use pentago_base::Kernel;

    #[test]
    fn as_by_turning_the_board() {
        assert_eq!(SHARES.len(), 20);
        let rules: crate::Rules = "xl".parse().unwrap();
        let mut some = [0; 2];
        for (i, marbles) in [30, 44, 60, 74].into_iter().enumerate() {
            let p = rules.random_positions(marbles, 1, i as u64, false).unwrap()[0];
            for kernel in Kernel::available() {
                for parity in 0..2 {
                    let mut half = HalfSuper::NONE;
                    fives(&mut half, p.marbles[0], parity, Passes::of(kernel));
                    for index in (0..32_768).step_by(11) {
                        let high = ((index as u32).count_ones() as usize + parity) & 1;
                        let expected = has_five(rotated(p.marbles[0], index | high << 15));
                        assert_eq!(half.get(index), expected, "{marbles} {parity} {index}");
                        some[usize::from(expected)] += 1;
                    }
                }
            }
        }
        assert!(some[0] > 1_000 && some[1] > 1_000, "{some:?}");
    }
}
