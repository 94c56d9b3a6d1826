//! Whole entries: both truth values of a board ("wins", "doesn't lose") at all 256 rotations, in
//! one [`Pack`]: the even and the odd half of the first, then those of the second.
//!
//! One step back for a row of boards that differ in quadrant 3 only. With M, N: the mover, the
//! other player has five already; P: the mover has five or gets it by a placement (with `place=turn`:
//! has five); c: the children,
//! in whose values the other player is to move:
//!
//! ```text
//! win      = not N and (P or rmax(not AND not_lose_c))
//! not_lose = N ? X : (P or rmax(not AND win_c)),      X = nothing, M, P or P and not M by the rules
//! ```
//!
//! So the children are united (by AND) as they are stored, and the rotation max of the complement,
//! its four halves in reverse order, is what the parent needs. A child by quadrant q has quadrant q
//! at another rotation: it is shifted along that axis.

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

pub use lines::{BlockLines, LineGroups, LinesAlong};
#[cfg(target_arch = "x86_64")]
pub(super) use passes::{AVX2, AVX512};
pub(super) use passes::{EntryPasses, PORTABLE};
pub use row::{BlockRows, Blocks, EntryRow, Places, RowLines, RowMasks, RowScratch, Side, UnionList, View};
pub use whole::pair;
