//! The published solution (Irving 2014): its files, and their conversion to tables.
//!
//! The values of positions with few marbles were published, in one file per slice. The files for 0
//! to 8 marbles are in the folder `data` of github.com/girving/pentago (slices 7 and 8 have
//! 4,942,729 and 15,008,101 bytes). A published file has its sections as arrays over the minimal
//! patterns of the four quadrants, like the tables of this program. The conventions differ in five
//! ways: quadrants are counted from the bottom left, column by column; turns are counterclockwise;
//! values are wins of the first and of the second player; blocks have another compression; and
//! another image of a section may be the standard one. [`Published`] reads a file in its own
//! conventions, [`PublishedSlice`] converts the file to a slice of this program, and [`import()`]
//! writes the slice as a table.
//!
//! | file | contents |
//! |---|---|
//! | `error` | errors in a file, with their location |
//! | `blob` | compressed data of known length |
//! | `reader` | a file: its sections, their blocks, the entries in their order |
//! | `slice` | a file as a slice of this program: locations of entries, meaning of bits |
//! | `import` | a slice as a table |

mod blob;
mod error;
mod import;
mod reader;
mod slice;

pub use error::{Fault, PublishedError};
pub use import::{ImportError, Imported, import};
pub use reader::{Published, StoredSection, Won};
pub use slice::{PublishedSlice, made_up};

use pentago_core::index::Sections;
use pentago_core::rules::{Dir, Shape};

/// Returns the sections of the game that was solved.
fn sections() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}
