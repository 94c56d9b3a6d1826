//! How the blocks of a slice are shared between builders, in which order each computes its own, and
//! what its memory is for: all of that follows from the sections, and not from a value.

mod memory;
mod needs;
mod schedule;
mod shares;
mod stretches;

pub use memory::{Memory, WAITING, few_waiting, give_back};
pub use needs::{Sets, all_rows, boxes, go_through, rows, touched, union};
pub use schedule::Schedule;
pub use shares::{Shares, Weights};
pub use stretches::{Stretch, Stretches};
