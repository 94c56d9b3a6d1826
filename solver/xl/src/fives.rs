//! A fast test for five in a line. Tables hold, for each block and pattern, the lines that the
//! pattern completes in the block.

use std::sync::LazyLock;

use crate::geometry::{BLOCKS, FIVES, PATTERNS, SocketSet, pattern};
use crate::kernel::{LineSet, LineState, LineTables};

/// The tables that map the patterns of each block to sets of lines. They are computed from the list
/// of lines.
pub(crate) static TABLES: LazyLock<LineTables> = LazyLock::new(|| {
    let own = table(|line, pattern| {
        let missing = (line & !pattern).count_ones();
        (missing == 0, missing <= 1)
    });
    let two = table(|line, pattern| ((line & !pattern).count_ones() <= 2, false));
    let untouched = table(|line, pattern| (line & pattern == 0, false));
    LineTables { own, two: firsts(&two), untouched: firsts(&untouched) }
});

/// Returns the complete lines of each entry.
fn firsts(all: &[[LineState; PATTERNS]; BLOCKS]) -> Box<[[LineSet; PATTERNS]; BLOCKS]> {
    boxed(all.iter().map(|block| std::array::from_fn(|pattern| block[pattern].complete)).collect())
}

fn table(test: impl Fn(usize, usize) -> (bool, bool)) -> Box<[[LineState; PATTERNS]; BLOCKS]> {
    let mut all = vec![[LineState::default(); PATTERNS]; BLOCKS];
    for (block, entries) in all.iter_mut().enumerate() {
        for (p, entry) in entries.iter_mut().enumerate() {
            for (i, &five) in FIVES.iter().enumerate() {
                let (complete, nearly) = test(pattern(five, block as u8), p);
                entry.complete.0[i / 64] |= u64::from(complete) << (i % 64);
                entry.nearly.0[i / 64] |= u64::from(nearly) << (i % 64);
            }
        }
    }
    boxed(all)
}

fn boxed<T>(blocks: Vec<T>) -> Box<[T; BLOCKS]> {
    blocks.into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("one entry for each block"))
}

/// Returns `true` if a set contains a line of five.
#[inline]
#[must_use]
pub fn has_five(set: SocketSet) -> bool {
    let own = &TABLES.own;
    let mut all = own[0][pattern(set, 0)].complete;
    for block in 1..BLOCKS {
        all = all.and(&own[block][pattern(set, block as u8)].complete);
    }
    all.any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{LINES, completions, sockets};

    #[test]
    fn five_is_found_exactly_where_a_line_is_complete() {
        for (i, five) in FIVES.into_iter().enumerate() {
            assert!(has_five(five));
            assert!(has_five(five | FIVES[(i * 37) % LINES]));
            for socket in sockets(five) {
                assert!(!has_five(five & !socket.bit()));
                assert_eq!(completions(five & !socket.bit(), five), socket.bit());
            }
        }
    }
}
