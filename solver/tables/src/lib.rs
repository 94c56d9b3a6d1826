//! Reads and writes tables of Pentago: the values of positions, in compressed files.
//!
//! | module | contents |
//! |---|---|
//! | [`codec`] | compression of blocks: bit planes, predictors, open bits, repeats |
//! | [`tables`] | the schema of Pentago's tables in the container format of `pentago-store` |
//! | [`probe`] | the look-up of positions in tables |
//! | [`verify`] | comparison of values with their definition, and of counts with known counts |
//! | [`published`] | the files of the published solution, and their conversion to tables |
//!
//! Each module uses only the modules above it.

#![deny(clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]

pub mod codec;
pub mod probe;
#[cfg(feature = "import")]
pub mod published;
pub mod tables;
pub mod verify;
