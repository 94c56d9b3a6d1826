//! Answers from tables: the value of a position and of each of its moves.
//!
//! [`Tables`] is an open folder. It finds boards under all rotations and symmetries ([`TableSet`]:
//! the index of one target and the tables of its slices), and answers for positions
//! ([`Answer`](crate::answer::Answer)), where each value comes with its source
//! ([`Origin`](crate::answer::Origin)). Values that no table holds are left to the rooted solver;
//! what it can't solve is unknown, with the reason.
//!
//! | file | what it represents |
//! |---|---|
//! | `tables` | the tables of a folder, by target, and the places of boards in them |
//! | `answer` | values of a position and of its moves, from tables, rules and the solver |
//! | `openings` | the published values of the first plies, which are part of the program |
//! | `sample` | random stored positions |
//! | `many` | many positions at once, and the values of their moves as numbers |
//! | `walk` | the values of a table one after the other |
//! | `shuffle` | the boards of tables in a random order, each once |

mod answer;
mod many;
#[cfg(feature = "openings")]
mod openings;
mod sample;
mod shuffle;
mod tables;
mod walk;

#[cfg(test)]
mod tests;

pub use answer::{Ask, Contradiction, ProbeError};
pub use many::{ILLEGAL, TURNS, UNKNOWN};
#[cfg(feature = "openings")]
pub use openings::OPENING_MARBLES;
pub use sample::{StoredValue, sample};
pub use shuffle::Shuffle;
pub use tables::{Location, Lookup, TableSet, Tables};
pub use walk::TableWalk;
