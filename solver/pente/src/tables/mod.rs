//! Tables of complete games on small boards, in files.
//!
//! A *target* is the rules of a game. A table is a file that holds one *layer*: all positions with
//! equal numbers of captured stones. Each array of a table holds the positions with one number of
//! stones on the board. An entry takes two bits. `db-format.md` defines the bytes; [`crate::table`]
//! computes the values.
//!
//! ```
//! use pentago_pente::tables::{GameBuild, Tablebase};
//! use pentago_pente::{Control, Position, Rules, Wdl};
//!
//! let rules: Rules = "pente:n=3,k=3,opening=free".parse()?;
//! let folder = tempfile::tempdir()?;
//! GameBuild::new(rules)?.run(folder.path(), 1 << 30, &Control::new())?;
//! let (tables, _) = Tablebase::open_all(folder.path(), 1 << 20)?;
//! assert_eq!(tables[0].look_up(&Position::EMPTY)?, Some(Wdl::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | `target` | targets, layers and headers, with their required checks |
//! | `schema` | blocks, codes and look-ups |
//! | `rates` | measured rates for estimates |
//! | `build` | estimates and builds of tables |
//! | `plain` | a plain reading of the format, for verification |
//! | `verify` | comparisons of stored values with their definition |

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
    Access, BuildError, Built, Cache, FullReport, Reason, SampleReport, StoreError, StoreErrorKind,
    TableEstimate, VerifyError,
};
pub use rates::Rates;
pub use schema::{PenteSchema, Table, TableIndex, Tablebase};
pub use target::{Layer, LayerHeader, layers, path};
pub use verify::solver;
