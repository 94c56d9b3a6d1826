//! Looks up positions in tables. The result is a value, or the reason why no table contains the
//! position.
//!
//! [`Tables`] is an open folder. A [`Tablebase`] contains the tables of one target, and finds
//! boards in all rotations and symmetric images. Each value is returned with its source
//! ([`Origin`](pentago_core::answer::Origin)).
//!
//! | file | contents |
//! |---|---|
//! | `tables` | the open tables of a folder, and the look-up of a position |
//! | `openings` | the published values of the first plies |
//! | `sample` | random stored positions |
//! | `many` | the look-up of many positions, and of all moves of a position |
//! | `walk` | the values of a table in their stored order |
//! | `shuffle` | the boards of tables in a random order without repetition |

mod many;
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

/// The maximum number of marbles in the positions whose values are embedded in the program.
pub const OPENING_MARBLES: u32 = 6;
