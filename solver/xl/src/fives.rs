//! A fast test for five in a line. For each block and each pattern of the block, a table holds the
//! lines that the pattern completes within the block. A line is complete if it is complete in every
//! block.

use std::sync::LazyLock;

use crate::geometry::{BLOCKS, FIVES, PATTERNS, SocketSet, pattern};
use crate::kernel::{LineSet, LineState, LineTables};

/// Tables that map each pattern of each block to sets of lines, computed from the list of all
/// lines.
pub(crate) static TABLES: LazyLock<LineTables> = LazyLock::new(|| {
    let lacking =
        |block: usize, pattern: usize, most: u32| lines(block, |line| (line & !pattern).count_ones() <= most);
    let state = |block, pattern| LineState {
        complete: lacking(block, pattern, 0),
        nearly: lacking(block, pattern, 1),
    };
    LineTables {
        own: table(state),
        two: table(|block, pattern| lacking(block, pattern, 2)),
        untouched: table(|block, pattern| lines(block, |line| line & pattern == 0)),
    }
});

/// Returns the lines for which `test` returns `true`. The argument of `test` is the pattern of the
/// line in the block.
fn lines(block: usize, test: impl Fn(usize) -> bool) -> LineSet {
    let mut lines = LineSet::default();
    for (i, &five) in FIVES.iter().enumerate() {
        lines.0[i / 64] |= u64::from(test(pattern(five, block as u8))) << (i % 64);
    }
    lines
}

/// Returns a table of the results of `of` for each block and pattern, indexed by block, then by
/// pattern.
fn table<T: Copy + Default>(of: impl Fn(usize, usize) -> T) -> Box<[[T; PATTERNS]; BLOCKS]> {
    let mut all: Box<[[T; PATTERNS]]> = vec![[T::default(); PATTERNS]; BLOCKS].into();
    for (block, entries) in all.iter_mut().enumerate() {
        for (pattern, entry) in entries.iter_mut().enumerate() {
            *entry = of(block, pattern);
        }
    }
    all.try_into().unwrap_or_else(|_| unreachable!("one entry for each block"))
}

/// Returns `true` if a set contains a line of five.
#[inline]
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
