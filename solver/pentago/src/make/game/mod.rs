//! Builds the tables of a complete game slice by slice, from the full board down or from an
//! existing slice down.
//!
//! | file | what it represents |
//! |---|---|
//! | `request` | the options of a build, and the names of its files |
//! | `files` | the files of a slice, in each state that a killed build may leave |
//! | `computation` | sections that are computed from the table of the next slice |
//! | `passing` | the cache of decoded blocks; the output of a slice, which frees the next slice |
//! | `counted` | the counts of a slice that isn't stored |
//! | `run` | the build of all slices, one after the other |
//! | `shard` | one builder's share of a slice |

mod computation;
mod counted;
mod files;
mod passing;
mod request;
mod run;
mod shard;
#[cfg(test)]
mod tests;

pub(crate) use passing::FREEING_STEPS;
pub use request::GameBuild;
pub(crate) use request::least_memory;
pub use shard::Shard;
