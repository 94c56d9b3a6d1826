//! Answers from tables: what a position is worth, and each of its moves.
//!
//! [`Tables`] is a folder that was opened. It finds a board whichever way it is turned ([`TableSet`]: the index of one target and the
//! tables of its slices), and answers for whole positions ([`Answer`](crate::answer::Answer)), where each value says where it comes from
//! ([`Origin`](crate::answer::Origin)). What no table holds is left to the rooted solver, and what that can't do is said to be unknown, with the reason.
//! [`verify`] compares tables with the definition of what they hold.
//!
//! | file | what it represents |
//! |---|---|
//! | `tables` | the tables of a folder, by target; where a board lies in them |
//! | `answer` | values of a position and of its moves, from tables, rules and the solver |
//! | `sample` | random stored positions |
//! | `verify` | stored values against the definition, and against the solver |

mod answer;
mod sample;
mod tables;

pub use answer::{Contradiction, ProbeError};
pub use sample::{StoredValue, sample};
pub use tables::{Location, Lookup, TableSet, Tables};
