//! Tables of everything below one position, at all 65,536 rotations of its blocks.
//!
//! A *target* is a root under some rules; a table (a file) holds one *slice*: all boards with the
//! marbles of the root and so many more. For each side whose value doesn't follow from another's
//! there are four arrays: whether it wins, and whether it doesn't lose, each at the rotations of
//! both parities. An entry of an array is a half super, 4 KiB. `db-format.md` defines the bytes.
//!
//! ```
//! use pentago_xl::tables::{RootBuild, Tablebase};
//! use pentago_xl::{Control, Kernel, Rules, Value};
//!
//! let rules = Rules::default();
//! let root = "ABBAABAAA/ABABBAABB/AAAABBABB/BAB1BAABB/BBAAAABBA/AAABBBAAA/BBBBABABB/ABAABABAB/ABAABB1BA b";
//! let root = rules.parse_position(root)?;
//! let folder = tempfile::tempdir()?;
//! let build = RootBuild::new(rules, &root, None)?;
//! build.run(folder.path(), 1 << 30, Kernel::best(), &Control::new())?;
//! let tables = Tablebase::open_folder(folder.path(), 1 << 20)?;
//! let values = tables[0].look_up(&root)?.expect("the root is in its own tables");
//! assert!(values.iter().flatten().all(|v| [Value::Win, Value::Draw, Value::Loss].contains(v)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | `target` | what a table is about, as bytes; its arrays, and what must hold for them |
//! | `below` | the boards below a root as numbers, and positions as their rotations |
//! | `schema` | blocks, entries and look-ups |
//! | `build` | from a root to finished tables; what that takes |
//! | `rates` | speeds and sizes for estimates |
//! | `verify`, `plain` | stored values against their definition, by a plain reading of the format |

mod below;
mod build;
mod plain;
mod rates;
mod schema;
mod target;
#[cfg(test)]
mod tests;
mod verify;

pub use below::{Below, Place};
pub use build::{BadRoot, RootBuild};
pub use pentago_store::{
    Access, BuildError, Built, Cache, FullReport, Reason, SampleReport, StoreError as TableError,
    StoreErrorKind, TableEstimate, VerifyError,
};
pub use rates::{Rates, SeatRates};
pub use schema::{Entry, XlSchema, values};
pub use target::{ArrayKey, Header, Target};
pub use verify::solver;

/// A table of Pentago XL.
pub type Table = pentago_store::Table<XlSchema>;
/// The tables below a root.
pub type Tablebase = pentago_store::Tablebase<XlSchema>;
