//! Pentago's values at rest: the schema of its tables above the container of [`pentago_store`].
//!
//! A [`Writer`] takes the blocks of a slice in any order and from any thread (it is a
//! [`Sink`](crate::values::Sink)) and makes the same file of them; one that was killed is
//! continued. A [`Table`] reads a finished file (it is a [`Source`](crate::values::Source)): cheap
//! to open, with a checksum for whatever is read later, and [`Table::verify_hash`] for everything.
//! A [`Folder`] says what tables there are, by [`Target`]. `db-format.md` defines the bytes.
//!
//! | file | what it represents |
//! |---|---|
//! | `manifest`, `counts` | what a table holds: target, slice, arrays; wins, draws and losses |
//! | `header` | targets, rules and codecs as bytes |
//! | `blocks` | which codec, and where the guesses come from |
//! | `files` | the files of a table: one, or shards |
//! | `reader`, `writer` | a table of entries, from and to payloads |
//! | `merge` | the one file that shards are together |
//! | `folder` | the tables of a folder, and their names |
//! | `spill` | half slices that don't fit in memory while a root is solved |

mod blocks;
mod counts;
mod files;
mod folder;
mod header;
mod manifest;
mod merge;
mod reader;
mod spill;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use blocks::BlockCodec;
pub use files::{Gap, read_shard};
pub use folder::{Folder, Listed, ShardName};
pub use header::{Header, Record};
pub use manifest::{ArrayInfo, ArrayKey, BadManifest, Domain, Manifest, Target};
pub use merge::{MergeError, merge};
pub use pentago_store::{
    Access, EXTENSION, HEADER_BYTES, Lock, MAGIC, MAX_BLOCK_ENTRIES, Reason, Storage, StoreErrorKind,
    VERSION, durable, storage,
};
pub use reader::{Cache, Table};
pub use spill::HalfSlices;
pub use writer::{Settings, Writer};

/// An error of a table, with its file.
pub type TableError = pentago_store::StoreError;
