//! A plain implementation of the format: the values of a board by definition, at all 65,536
//! rotations.
//!
//! This file is written from `db-format.md` and the rules alone, for verification. It shares no
//! code with the kernels, the tables of lines or the dense solution.
//!
//! A list of 1,024 words holds a truth value for each rotation: rotation `code` is bit `code % 64`
//! of word `code / 64`. Each block that turns has two bits of the code: the Gray code of the number
//! of its quarter turns. A turn changes one bit of the code.

/// The number of 64-bit words in a list with one bit for each rotation.
const WORDS: usize = 1024;

/// A mask of the bits of a 64-bit word. Contains bit `i` if the index `i` has an odd number of
/// ones.
const ODD: u64 = 0x6996_9669_9669_6996;

/// Combines the two half supers of a board into a list with one bit for each rotation. `even` holds
/// the rotations with an even number of turns, and `odd` all other rotations.
pub fn full(even: &[u64], odd: &[u64]) -> Vec<u64> {
    let word = |w: usize| {
        // The index in a half super is the lowest 15 bits of the code, without the most significant
        // bit.
        let at = w % 512;
        if w.count_ones().is_multiple_of(2) {
            even[at] & !ODD | odd[at] & ODD
        } else {
            even[at] & ODD | odd[at] & !ODD
        }
    };
    (0..WORDS).map(word).collect()
}

/// Returns the list that has `value` at every rotation.
pub fn all(value: bool) -> Vec<u64> {
    vec![if value { !0 } else { 0 }; WORDS]
}

/// Adds the set `other` to the set `into`, bit by bit.
pub fn or(into: &mut [u64], other: &[u64]) {
    into.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

/// Returns the list of the rotations from which at least one turn leads to a rotation where `f` is
/// true.
pub fn some_turn(f: &[u64]) -> Vec<u64> {
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    let word = |w: usize| {
        let inside = LOW
            .iter()
            .enumerate()
            .fold(0, |sum, (bit, low)| sum | (f[w] >> (1 << bit)) & low | (f[w] & low) << (1 << bit));
        (0..10).fold(inside, |sum, bit| sum | f[w ^ 1 << bit])
    };
    (0..WORDS).map(word).collect()
}

/// The indices of the blocks that turn, in reading order.
const TURNING: [usize; 8] = [0, 1, 2, 3, 5, 6, 7, 8];

/// The number of quarter turns of a block, indexed by the Gray code of this number.
const TURNS: [usize; 4] = [0, 1, 3, 2];

/// Returns the list of the rotations at which a set of sockets has five in a line. Bit
/// `9 * block + cell` of `set` stands for the socket in cell `cell` of block `block`.
pub fn fives(set: u128) -> Vec<u64> {
    // `holds[block][turns][cell]` is `true` if the set has a marble in a cell after `turns`
    // clockwise quarter turns of the block.
    let mut holds = [[[false; 9]; 4]; 9];
    for (block, turns) in holds.iter_mut().enumerate() {
        turns[0] = std::array::from_fn(|cell| set >> (9 * block + cell) & 1 == 1);
        for turn in 1..4 {
            for row in 0..3 {
                for column in 0..3 {
                    // A clockwise turn moves the cell in row i, column j to row j, column 2 - i.
                    turns[turn][3 * column + 2 - row] = turns[turn - 1][3 * row + column];
                }
            }
        }
    }
    let mut result = all(false);
    for row in 0..9i32 {
        for column in 0..9i32 {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let (last_row, last_column) = (row + 4 * down, column + 4 * right);
                if last_row > 8 || !(0..9).contains(&last_column) {
                    continue;
                }
                // For each block, the cells that belong to the line.
                let mut needs: [Vec<usize>; 9] = Default::default();
                for i in 0..5 {
                    let (r, c) = ((row + i * down) as usize, (column + i * right) as usize);
                    needs[r / 3 * 3 + c / 3].push(r % 3 * 3 + c % 3);
                }
                let complete =
                    |block: usize, turns: usize| needs[block].iter().all(|&cell| holds[block][turns][cell]);
                if complete(4, 0) {
                    add_line(&mut result, &|i, code| complete(TURNING[i], TURNS[code]));
                }
            }
        }
    }
    result
}

/// Adds the rotations at which a line is complete in every block that turns. The arguments of
/// `complete` are the index of such a block and the Gray code of its turns.
fn add_line(result: &mut [u64], complete: &dyn Fn(usize, usize) -> bool) {
    let fits: Vec<[bool; 4]> = (0..8).map(|i| [0, 1, 2, 3].map(|code| complete(i, code))).collect();
    if fits.iter().any(|codes| !codes.contains(&true)) {
        return;
    }
    let mut inside = 0u64;
    for bit in 0..64 {
        if (0..3).all(|i| fits[i][bit >> (2 * i) & 3]) {
            inside |= 1 << bit;
        }
    }
    // The words for all turns of blocks 0 to 2 and of the later blocks so far. Each round of the
    // loop adds one block.
    let mut words = vec![inside];
    for codes in &fits[3..] {
        words = codes.iter().flat_map(|&fits| words.iter().map(move |w| if fits { *w } else { 0 })).collect();
    }
    or(result, &words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fives::has_five;
    use crate::geometry::{Turn, rotated};

    #[test]
    fn rotations_and_turns_are_as_on_the_board() {
        let rules = crate::Rules::default();
        for (seed, marbles) in [30, 52, 76].into_iter().enumerate() {
            let p = rules.random_positions(marbles, 1, seed as u64, false).unwrap()[0];
            let found = fives(p.marbles[0]);
            let after = some_turn(&found);
            let get = |f: &[u64], code: usize| f[code / 64] >> (code % 64) & 1 == 1;
            for code in (0..1usize << 16).step_by(97) {
                let set = rotated(p.marbles[0], code);
                assert_eq!(get(&found, code), has_five(set));
                assert_eq!(get(&after, code), Turn::all().any(|turn| has_five(turn.apply(set))));
            }
        }
    }
}
