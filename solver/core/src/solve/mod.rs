//! Retrograde analysis: below one position ([`rooted`]), and of complete games by sections
//! ([`SectionSolver`]).
//!
//! A *rooted* solution computes all boards below one position, its root. The solution proceeds
//! slice by slice, from the last slice back to the root, with 128 rotations in each step. The cost
//! of a rooted solution is known in advance. A solution truncated at k plies proves each result
//! that is decided within k plies. Truncated solutions evaluate positions that are too far from the
//! end of the game for a full solution. They also determine distances.

mod forward;
pub mod proof;
pub mod rooted;
mod sections;

pub use forward::{ForwardGame, side_of};
pub use proof::ProofCache;
pub use rooted::{RootedSolver, Solution, SolveError, board_count};
pub use sections::{AxisReads, RowPlan, RowReads, RowSets, boxes, mask, rows_within};
pub use sections::{Next, Report, SectionSolver, SectionsError};
