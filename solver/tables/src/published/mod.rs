//! The published solution (Irving 2014): its files, and their conversion into tables.
//!
//! The values of all positions with few marbles have been published, in one file per slice: those of 0
//! to 8 marbles are in the folder `data` of github.com/girving/pentago (slices 7 and 8 have 4,942,729
//! and 15,008,101 bytes). A file
//! holds its sections as arrays over the minimal patterns of the four quadrants, like our tables.
//! But the conventions differ: quadrants are counted from the bottom left, column by column; turns
//! go counterclockwise; values are wins of the first and of the second player, not of the side to
//! move; blocks are compressed in another way; and another image of a section may be the standard
//! one. [`Published`] reads a file as it is, [`PublishedSlice`] translates it into one of our
//! slices, and [`import()`] makes a table of that.
//!
//! | file | what it represents |
//! |---|---|
//! | `error` | errors in a file, and where they are |
//! | `blob` | compressed data of known length |
//! | `reader` | a file: its sections, their blocks, the entries in their order |
//! | `slice` | the file as one of our slices: where it has an entry, and the meaning of its bits |
//! | `import` | the slice as a table |

mod blob;
mod error;
mod import;
mod reader;
mod slice;

pub use error::{BlobError, Fault, PublishedError};
pub use import::{ImportError, Imported, import};
pub use reader::{Published, StoredBlock, Won};
pub use slice::{PublishedSlice, made_up};

use pentago_core::index::Sections;
use pentago_core::rules::{Dir, Shape};

/// The sections of the game that was solved.
fn sections() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}
