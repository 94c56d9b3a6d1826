//! Bounds on the size of a located proof, computed before the proof starts.

use super::sets::{MOST_PLACEMENTS, Runs, choose, low_and_high};
use crate::kernel::Pack;

/// Returns an upper bound on the number of boards of a proof. The bound includes the rows that the
/// proof omits.
pub(in super::super) fn most_boards(empty: usize, placements: usize, attacks: bool) -> u64 {
    let first = usize::from(!attacks);
    let of = |a: usize| {
        let (most, rest) = (a + first, empty - a);
        let defends = if most > 0 { choose(rest, most - 1) } else { 0 };
        choose(empty, a) as u64 * (choose(rest, most) + defends) as u64
    };
    (0..placements).map(of).sum()
}

/// Returns the size in bytes that the level with the most placements would have without omitted
/// rows. This level is usually the largest. In practice rows are omitted, so two successive levels
/// usually fit in this size. [`prove`](super::prove) checks the actual size.
pub(in super::super) fn most_bytes(empty: usize, placements: usize, attacks: bool) -> u64 {
    let a = placements - 1;
    let most = a + usize::from(!attacks);
    let (low, high) = low_and_high(empty);
    let lines = |on_low: usize| {
        let rows = choose(low, on_low) * choose(high, a - on_low);
        let row = |size: usize| Runs::new(high.saturating_sub(a - on_low), low - on_low, size).all;
        if rows == 0 || most == 0 { 0 } else { rows as u64 * row(most - 1) as u64 }
    };
    (0..=a.min(low)).map(lines).sum::<u64>() * size_of::<Pack>() as u64
}

/// Returns `true` if a proof with this number of placements is possible. None of its boards may be
/// full. WebAssembly has no located proofs, so that the program remains small.
pub(in super::super) fn is_possible(empty: usize, placements: usize) -> bool {
    !cfg!(target_arch = "wasm32") && (1..=MOST_PLACEMENTS).contains(&placements) && empty > 2 * placements + 1
}
