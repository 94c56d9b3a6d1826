//! The passes over whole entries: one step of retrograde analysis for a row of boards that differ
//! only in quadrant 3.
//!
//! An entry is a [`Pack`](super::Pack) with two planes, "wins" and "doesn't lose". Each plane is a
//! super: the half super of even rotations, then the half super of odd rotations. M means that the
//! mover already has five. N means that the other player already has five. P means that the mover
//! has five or makes five by a placement. With `place=turn`, P equals M. The other player is to
//! move in the children c:
//!
//! ```text
//! win      = not N and (P or rmax(not AND not_lose_c))
//! not_lose = N ? X : (P or rmax(not AND win_c)),    X = nothing, M, P or P and not M by the rules
//! ```
//!
//! So the pass unites the stored children by AND. The parent needs the rotation max of the
//! complement of this union, with its four half supers in reverse order. A child whose new marble
//! is in quadrant q is stored as a minimal pattern at another rotation of quadrant q. So the entry
//! of the child must be shifted along axis q.

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
