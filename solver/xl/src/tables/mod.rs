//! Tables of everything below one position, at all 65,536 rotations of its blocks.
//!
//! A *target* is a root under some rules. A table is a file that holds one *slice*: all boards that
//! have the marbles of the root and a fixed number of further marbles. A side needs arrays of its
//! own unless its value follows from the value of another side. Such a side has four arrays, one
//! for each combination of a question and a parity. The questions are whether the side wins, and
//! whether the side does not lose. An entry of an array is a half super, 4 KiB. `db-format.md`
//! defines the bytes.
//!
//! ```
//! use pentago_xl::tables::{RootBuild, Tablebase};
//! use pentago_xl::{Control, Kernel, Rules, Value};
//!
//! let rules = Rules::default();
//! let root = "ABBAABAAA/ABABBAABB/AAAABBABB/BAB1BAABB/BBAAAABBA/AAABBBAAA/\
//!             BBBBABABB/ABAABABAB/ABAABB1BA b";
//! let root = rules.parse_position(root)?;
//! let folder = tempfile::tempdir()?;
//! let build = RootBuild::new(rules, &root, None)?;
//! build.run(folder.path(), 1 << 30, Kernel::best(), &Control::new())?;
//! let (tables, _) = Tablebase::open_all(folder.path(), 1 << 20)?;
//! let values = tables[0].look_up(&root)?.expect("the root is in its own tables");
//! assert!(values.iter().flatten().all(|v| [Value::Win, Value::Draw, Value::Loss].contains(v)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | `target` | targets, keys and headers as bytes, and their checks |
//! | `below` | the index: boards below a root by rank, and positions as rotations of boards |
//! | `schema` | blocks, entries and look-ups |
//! | `build` | building tables, and estimates of the work |
//! | `rates` | measured speeds and sizes for estimates |
//! | `verify`, `plain` | comparison of stored values with their definition |

mod below;
mod build;
mod plain;
mod rates;
mod schema;
mod target;
#[cfg(test)]
mod tests;
mod verify;

pub use below::{BoardAddress, BoardIndex};
pub use build::RootBuild;
pub use pentago_store::{
    Access, BuildError, Built, Cache, FullReport, Reason, SampleReport, StoreError, StoreErrorKind,
    TableEstimate, VerifyError,
};
pub use rates::{Rates, SeatRates};
pub use schema::{Table, TableEntry, Tablebase, XlSchema, values};
pub use target::{ArrayKey, Header, Target};
pub use verify::solver;
