//! Pentago's values at rest: the schema of its tables above the container of [`pentago_store`].
//!
//! A [`Writer`] takes the blocks of a slice in any order and from any thread (it is a
//! [`Sink`](pentago_core::values::Sink)) and makes the same file of them; one that was killed is
//! continued. A [`Table`] reads a finished file (it is a [`Source`](pentago_core::values::Source)): cheap
//! to open, with a checksum for whatever is read later, and [`Table::verify_hash`] for everything.
//! A [`Tablebase`] holds all tables of a [`Target`]. `db-format.md` defines the bytes.
//!
//! | file | what it represents |
//! |---|---|
//! | `manifest`, `counts` | what a table holds: target, slice, arrays; wins, draws and losses |
//! | `header` | targets, rules and codecs as bytes |
//! | `blocks` | which codec, and where the guesses come from |
//! | `schema`, `writer` | a table of entries, from and to payloads |
//! | `places` | where the values of boards stand |
//! | `merge` | the one file that shards are together |
//! | `folder` | the names of tables, and what lies beside them |
//! | `spill` | half slices that don't fit in memory while a root is solved |

mod blocks;
mod counts;
mod folder;
mod header;
mod manifest;
mod merge;
mod places;
mod schema;
mod spill;
#[cfg(test)]
mod tests;
mod writer;

pub use blocks::BlockCodec;
pub use folder::counted;
pub use folder::holding;
pub use header::bytes_around;
pub use header::{Header, Record};
pub use manifest::{ArrayInfo, ArrayKey, BadManifest, Domain, Manifest, Target};
pub use merge::{MergeError, merge};
pub use pentago_store::{
    Access, EXTENSION, FolderScan, Gap, HEADER_BYTES, Lock, MAGIC, MAX_BLOCK_ENTRIES, Reason, ShardName,
    Storage, StoreErrorKind, TableFile, VERSION, durable, storage,
};
pub use places::{Location, Places, StoredValue};
pub use schema::{PentagoSchema, TableSource, read_shard};
pub use spill::HalfSlices;
pub use writer::{Settings, Writer};

/// An error of a table, with its file.
pub type TableError = pentago_store::StoreError;

/// A table of Pentago.
pub type Table = pentago_store::Table<PentagoSchema>;
/// All tables of one target in a folder or on a host.
pub type Tablebase = pentago_store::Tablebase<PentagoSchema>;
/// Decoded blocks, shared by all tables and threads of a process.
pub type Cache = pentago_store::Cache<pentago_core::values::Entry>;
