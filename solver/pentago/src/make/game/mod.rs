//! The tables of a complete game: its slices by sections, from the full board down, or from an
//! existing slice.
//!
//! | file | what it represents |
//! |---|---|
//! | `request` | what is built, and under which names |
//! | `files` | the files of a slice, as a build that was killed may have left them |
//! | `computation` | sections that are computed from the table of the next slice |
//! | `passing` | decoded blocks that are kept, and a next slice that is given back to the disk |
//! | `counted` | the counts of a slice that isn't stored |
//! | `run` | all slices, one after the other |
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

pub use request::{BadSection, GameBuild};
pub use shard::Shard;
