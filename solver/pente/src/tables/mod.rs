//! Tables of complete games on small boards.
//!
//! A *target* is the rules. A table (a file) holds one *layer*: all positions with the same numbers
//! of captured stones, in an array for each number of stones on the board. An entry takes two bits.
//! `db-format.md` defines the bytes; [`crate::table`] computes the values.
//!
//! ```
//! use pentago_pente::tables::{GameBuild, Tablebase};
//! use pentago_pente::{Control, Position, Rules, table::Value};
//!
//! let rules: Rules = "pente:n=3,k=3,opening=free".parse()?;
//! let folder = tempfile::tempdir()?;
//! GameBuild::new(rules)?.run(folder.path(), 1 << 30, &Control::new())?;
//! let tables = Tablebase::open_folder(folder.path(), 1 << 20)?;
//! assert_eq!(tables[0].look_up(&Position::EMPTY)?, Some(Value::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | `target` | what a table is about, as bytes; its arrays, and what must hold for them |
//! | `schema` | blocks, codes and look-ups |
//! | `build` | from rules to finished tables; what that takes |
//! | `verify`, `plain` | stored values against their definition, by a plain reading of the format |

mod build;
mod plain;
mod rates;
mod schema;
mod target;
#[cfg(test)]
mod tests;
mod verify;

pub use build::GameBuild;
pub use pentago_store::{
    Access, BuildError, Built, Cache, FullReport, Reason, SampleReport, StoreError as TableError,
    StoreErrorKind, TableEstimate, VerifyError,
};
pub use rates::Rates;
pub use schema::{Index, PenteSchema};
pub use target::{Header, Layer};
pub use verify::solver;

/// A table of Pente.
pub type Table = pentago_store::Table<PenteSchema>;
/// The tables of a game.
pub type Tablebase = pentago_store::Tablebase<PenteSchema>;
