//! Builds a game's tables on several machines, for programs such as `tools/cluster` that move
//! shards and counts between the machines.
//!
//! [`GameBuild`] lists the slices and computes a share of a slice as a shard. The shards of a slice
//! together form a [`Table`], from which the preceding slice is computed. Each shard may be stored
//! on any machine.

pub use crate::estimate::{Load, SharedSlice, loads, section_bytes};
pub use crate::make::{GameBuild, Resources, Shard, Shares};
pub use pentago_core::index::Sections;
pub use pentago_core::index::sections::section::NoSection;
pub use pentago_tables::tables::{Table, read_shard};
pub use pentago_tables::verify::counts::{
    BySection, Difference, Results, file::read as read_counts, known::slice as known_results,
};
