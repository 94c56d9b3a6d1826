//! The published solution (Irving 2014): its files, and the tables that they become.
//!
//! The values of all positions with few marbles have been published: a file per slice, which holds its sections as arrays over the
//! minimal patterns of four quadrants, as ours do. What differs is how everything is written down: the quadrants are counted from
//! the bottom left, column by column; turns go counter-clockwise; values are wins of the first and of the second
//! player, not of the side to move; blocks are compressed otherwise; and of the images of a section another may be the standard one.
//! [`Published`] reads a file as it is, [`PublishedSlice`] as a slice of ours, from which [`import`] makes a table.
//!
//! | file | what it represents |
//! |---|---|
//! | `error` | what is wrong with a file, and where |
//! | `blob` | compressed bytes whose length is known beforehand |
//! | `reader` | a file: its sections, their blocks, the entries in their order |
//! | `slice` | the file as a slice of ours: where an entry stands in it, and what its bits mean |
//! | `import` | the slice as a table |

mod blob;
mod error;
mod import;
mod reader;
mod slice;

pub use error::{BlobError, Fault, PublishedError};
pub use import::{ImportError, Imported, import};
pub use reader::{Published, StoredBlock, Won};
pub use slice::PublishedSlice;

use crate::index::Sections;
use crate::rules::{Dir, Shape};

/// The sections of the game that was solved.
fn sections() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}
