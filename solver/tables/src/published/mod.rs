//! Reads the files of the published solution (Irving 2014), and converts them to tables.
//!
//! The published solution has one file per slice. The files for 0 to 8 marbles are in the folder
//! `data` of github.com/girving/pentago (slices 7 and 8 have 4,942,729 and 15,008,101 bytes). As in
//! the tables of this program, each section is an array over the minimal patterns of the four
//! quadrants. The conventions of the files differ in five ways. Quadrants are counted from the
//! bottom left, column by column. Turns are counterclockwise. Values are wins of the first and of
//! the second player. Blocks are compressed with other methods. The standard image of a section may
//! differ. [`Published`] reads a file in these conventions. [`PublishedSlice`] converts the file to
//! a slice of this program. [`import()`] writes the slice as a table.
//!
//! | file | contents |
//! |---|---|
//! | `error` | errors in a file, and their locations |
//! | `blob` | decompression of data of known length |
//! | `reader` | the sections, blocks and entries of a file |
//! | `slice` | the conversion of a file to a slice of this program |
//! | `import` | the conversion of a slice to a table |

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

/// Returns the sections of the game under the rules of the published solution.
fn sections() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}
