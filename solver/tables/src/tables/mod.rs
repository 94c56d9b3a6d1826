//! Tables of Pentago: the schema that fills the container format of [`pentago_store`].
//!
//! A [`Writer`] is a [`Sink`](pentago_core::values::Sink) that accepts the blocks of a slice in any
//! order and from any thread. The bytes of the file depend only on the blocks, and an interrupted
//! writer can be resumed. A [`Table`] reads a finished file. Opening a table is cheap, because the
//! checksum of each part is verified only when the part is read. [`Table::verify_hash`] checks the
//! whole file. A [`Tablebase`] contains all tables of a [`Target`]. `db-format.md` defines the
//! bytes.
//!
//! | file | contents |
//! |---|---|
//! | `manifest`, `counts` | the content of a table: target, slice, arrays; wins, draws and losses |
//! | `header` | the encoding of targets, rules and codecs |
//! | `blocks` | encoding and decoding of blocks, with guesses |
//! | `schema`, `writer` | reading and writing tables of entries |
//! | `board_index` | the location of each board's value |
//! | `merge` | merging of shards to one file |
//! | `folder` | the names of tables and of files with counts |
//! | `spill` | temporary files for half slices that don't fit in memory |

mod blocks;
mod board_index;
mod counts;
mod folder;
mod header;
mod manifest;
mod merge;
mod schema;
mod spill;
#[cfg(test)]
mod tests;
mod writer;

pub use blocks::BlockCodec;
pub use board_index::{BoardIndex, Location, StoredValue};
pub use folder::{counted, holding};
pub use header::{Header, Record, bytes_around, journal_bytes};
pub use manifest::{ArrayInfo, ArrayKey, Domain, Manifest, Target};
pub use merge::{MergeError, merge};
pub use pentago_store::{
    Access, EXTENSION, FolderScan, Gap, HEADER_BYTES, Lock, MAGIC, MAX_BLOCK_ENTRIES, Reason, ShardName,
    Storage, StoreErrorKind, TableFile, VERSION, durable, storage,
};

pub use schema::{Cache, PentagoSchema, Table, TableError, TableSource, Tablebase, read_shard};
pub use spill::{HalfSlices, decode_unit, encode_unit};
pub use writer::{Settings, Writer};
