//! A game's tables built by several machines, each its share of every slice: what a program needs that
//! carries shards and counts between them (`tools/cluster`).
//!
//! [`GameBuild`] says which slices there are and computes a share of one as a shard; the shards of a
//! slice together are the [`Table`] that the next one is computed from, wherever their bytes lie.

pub use crate::estimate::{Load, SharedSlice, loads, section_bytes};
pub use crate::make::{BuildError, GameBuild, Resources, Shares};
pub use pentago_core::index::Sections;
pub use pentago_core::index::sections::section::NoSection;
pub use pentago_tables::tables::{Table, read_shard};
pub use pentago_tables::verify::counts::{
    BySection, Difference, Results, file::read as read_counts, known::slice as known_results,
};
