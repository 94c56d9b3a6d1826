//! Values from tables, or the reason why no table has one.
//!
//! [`Tables`] is an open folder. It finds boards under all rotations and symmetries ([`Tablebase`]:
//! the index of one target and the tables of its slices), and each value comes with its source
//! ([`Origin`](pentago_core::answer::Origin)).
//!
//! | file | what it represents |
//! |---|---|
//! | `tables` | the tables of a folder, by target, and the places of boards in them |
//! | `openings` | the published values of the first plies, which are part of the program |
//! | `sample` | random stored positions |
//! | `many` | many positions at once, and the values of their moves as numbers |
//! | `walk` | the values of a table one after the other |
//! | `shuffle` | the boards of tables in a random order, each once |

mod many;
#[cfg(feature = "openings")]
mod openings;
mod sample;
mod shuffle;
mod tables;
mod walk;

pub use crate::tables::{Location, StoredValue, Tablebase};
pub use many::{ILLEGAL, TURNS, UNKNOWN};
pub use sample::sample;
pub(crate) use sample::stored;
pub use shuffle::Shuffle;
pub use tables::{Lookup, Tables, entry};
pub use walk::{WalkedTo, walk};

/// The most marbles of a position among the openings.
pub const OPENING_MARBLES: u32 = 6;
