//! Plans the work of a slice before any value is known: the blocks of each builder, the order in
//! which a builder computes its blocks, and the division of its memory. These plans follow from the
//! sections alone.

mod memory;
mod needs;
mod schedule;
mod shares;
mod stretches;

pub use memory::{Memory, few_waiting, give_back, overhead};
pub use needs::{BlockBox, all_rows, boxes, go_through, rows, touched, union};
pub use schedule::Schedule;
pub use shares::{Shares, Weights};
pub use stretches::{Stretch, Stretches};
