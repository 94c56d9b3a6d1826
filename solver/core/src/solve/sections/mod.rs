//! Computes complete games by sections. Each slice is computed from the next slice, section by
//! section.
//!
//! ```text
//! rows of blocks, in tiles (`order`)
//!           -> pieces of the next slice, decoded again as rarely as memory allows (`pieces`)
//!           -> rows of entries (`row`, the kernel) -> blocks -> sink
//! ```
//!
//! The unit of work is a *row of blocks*: all blocks of an array that differ only in the last
//! coordinate. The solver assigns the rows of one array after another. Within an array, the rows
//! are in the order of the blocks, or in tiles if tiles save repeated reads (`rereads`). A sink
//! that restores the order of the blocks therefore buffers a few rows. With tiles, the sink buffers
//! several planes of an array. An interrupted computation must compute the buffered planes again. A
//! computation can resume at any block, and can be restricted to any range of blocks. Its maximum
//! memory is known before it starts. The [`Source`](crate::values::Source) and the
//! [`Sink`](crate::values::Sink) decide where slices are stored.

mod array;
mod order;
mod pieces;
mod rereads;
mod row;
mod run;
mod solver;
#[cfg(test)]
mod tests;

pub use order::{RowSets, boxes, mask, rows_within};
pub use rereads::{AxisReads, RowPlan, RowReads};
pub use solver::{Next, Report, SectionSolver, SectionsError};
