//! Values at rest: one file per slice, written once and looked up for ever. `db-format.md` defines the bytes.
//!
//! A [`Writer`] takes the blocks of a slice in any order and from any thread (it is a [`Sink`](crate::values::Sink)) and makes the same file of
//! them; one that was killed is gone on with. A [`Table`] reads a finished file (it is a [`Source`](crate::values::Source)): cheap to open,
//! with a checksum for whatever is read later, and [`Table::verify_hash`] for everything. A [`Folder`] says what tables there
//! are, by [`Target`].
//!
//! | file | what it represents |
//! |---|---|
//! | `manifest`, `counts` | what a table holds: target, slice, arrays; wins, draws and losses |
//! | `header` | header, directory and block index as bytes |
//! | `error` | what can go wrong, with the file, the block and what to do |
//! | `storage` | where the bytes are: mapped, read piece by piece, in memory |
//! | `cache` | decoded blocks, shared by all tables |
//! | `reader` | a finished table |
//! | `waiting`, `journal`, `writer` | a table in the making |
//! | `scratch` | what doesn't fit in memory while a root is solved |
//! | `folder` | many tables, their names, and the lock of who builds |

mod cache;
mod counts;
mod error;
mod folder;
mod header;
mod journal;
mod manifest;
mod reader;
mod reorder;
mod spill;
pub(crate) mod storage;
#[cfg(test)]
mod tests;
mod writer;

pub use cache::Cache;
pub use error::{ErrorKind, TableError};
pub use folder::{EXTENSION, Folder, Listed, Lock};
pub use header::{Filter, HEADER_BYTES, Header, MAGIC, Record, VERSION};
pub use manifest::{ArrayInfo, ArrayKey, BadManifest, Domain, MAX_BLOCK_ENTRIES, Manifest, Target};
pub use reader::Table;
pub use spill::SpillFiles;
pub use storage::{Access, Storage};
pub(crate) use writer::beside;
pub use writer::{Count, Settings, Writer};
