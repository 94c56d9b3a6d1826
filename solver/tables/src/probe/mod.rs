//! Look-up of positions in tables: a value, or the reason why no table has one.
//!
//! [`Tables`] is an open folder. A [`Tablebase`] has the tables of one target, and finds boards
//! under all rotations and symmetries. Each value comes with its source
//! ([`Origin`](pentago_core::answer::Origin)).
//!
//! | file | contents |
//! |---|---|
//! | `tables` | the open tables of a folder, and the look-up of a position |
//! | `openings` | the published values of the first plies, which are part of the program |
//! | `sample` | random stored positions |
//! | `many` | the look-up of many positions, and of all moves of a position |
//! | `walk` | the values of a table in their stored order |
//! | `shuffle` | the boards of tables in a random order without repetition |

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

/// The maximum number of marbles of a position in the openings.
pub const OPENING_MARBLES: u32 = 6;
