//! Complete games by sections: each slice from the next one, section by section, in pieces.
//!
//! ```text
//! rows of blocks, in tiles (`order`)
//!                          -> pieces of the next slice, as few decoded twice as memory allows (`pieces`)
//!                          -> rows of entries (`row`, the kernel) -> blocks -> sink
//! ```
//!
//! The unit of work is a *row of blocks*: all blocks of an array that differ only in the last
//! coordinate. Rows are handed out array by array: block by block, or in tiles where less is read
//! again so (`rereads`). So a sink that restores the order of the blocks buffers a few rows, or where
//! there are tiles some planes of an array, which an interrupted computation computes again. It can
//! resume at any block. Any range of blocks can be computed by itself. The memory is bounded in
//! advance; where the next slice comes from and where this one goes is up to the
//! [`Source`] and the [`Sink`].

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
