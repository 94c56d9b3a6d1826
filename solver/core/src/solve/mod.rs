//! Retrograde analysis: below one position ([`rooted`]), and of complete games by sections
//! ([`SectionSolver`]).
//!
//! A *rooted* solution fixes the empty sockets of its root and computes all boards below it slice
//! by slice, from the last one back to the root, 128 rotations at a time. Its cost is known before
//! it starts. Truncated at k plies, it proves what is decided within k plies: this is used for
//! positions that are too far from the end, and to find distances.

mod forward;
pub mod proof;
pub mod rooted;
#[cfg(feature = "parallel")]
mod sections;

pub use forward::{ForwardGame, side_of};
pub use proof::ProofCache;
pub use rooted::{RootedSolver, Solution, SolveError, board_count};
#[cfg(feature = "parallel")]
pub use sections::{AxisReads, RowPlan, RowReads, RowSets, boxes, mask, rows_within};
#[cfg(feature = "parallel")]
pub use sections::{Next, Report, SectionSolver, SectionsError};
