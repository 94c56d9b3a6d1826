//! The passes over whole entries: one step of retrograde analysis for a row of boards that differ
//! only in quadrant 3.
//!
//! An entry is a [`Pack`](super::Pack) with two planes, "wins" and "doesn't lose", each a super:
//! the half super of even rotations, then the half super of odd rotations. M: the mover has five
//! already. N: the other player has five already. P: the mover has five, or gets five by a
//! placement (with `place=turn`, the mover has five). The other player is to move in the children
//! c:
//!
//! ```text
//! win      = not N and (P or rmax(not AND not_lose_c))
//! not_lose = N ? X : (P or rmax(not AND win_c)),    X = nothing, M, P or P and not M by the rules
//! ```
//!
//! So the pass unites the stored children by AND. The parent needs the rotation max of the
//! complement of this union, with its four half supers in reverse order. A child by a placement in
//! quadrant q is the minimal pattern at another rotation of quadrant q, so its entry is shifted
//! along axis q.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod calls;
mod global;
mod lines;
mod passes;
mod portable;
mod row;
#[cfg(test)]
mod tests;
mod whole;

pub use lines::BlockLines;
#[cfg(target_arch = "x86_64")]
pub(super) use passes::{AVX2, AVX512};
pub(super) use passes::{EntryPasses, PORTABLE};
pub use row::{BlockRows, Blocks, EntryRow, Places, RowLines, RowScratch, UnionList, View};
