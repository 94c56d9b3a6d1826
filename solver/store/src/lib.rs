//! Reads and writes tables of any game: one file per slice, written once and then only read.
//!
//! A *table* is a list of *arrays*. An array is a four-dimensional box of entries, divided into
//! *blocks* ([`Grid`]). This crate treats a block as an opaque *payload* with a checksum, and knows
//! no game. A game's [`Schema`] defines what targets, keys, counters and payloads mean; [`Table`]
//! and [`Tablebase`] are generic over the schema. `db-format.md` defines the bytes: the container
//! first, then one schema per game.
//!
//! ```
//! use pentago_store::{Access, GameId, Grid, RawArrayInfo, RawManifest};
//! use pentago_store::{RawSchema, RawSettings, RawTable, RawWriter};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("slice-01.pentago");
//! let game = GameId::PENTAGO;
//! let manifest = RawManifest {
//!     schema: RawSchema { game, codec: 1, filter: 1, level: 9, key_bytes: 1, counters: 2 },
//!     target: b"the game and its rules".to_vec(),
//!     slice: 1,
//!     arrays: vec![RawArrayInfo::whole(&[7], Grid::list(100, 60))],
//! };
//! let writer = RawWriter::begin(&path, manifest, RawSettings::new("example 1.0"))?;
//! writer.put(0, 1, b"the last 40 entries".to_vec(), &[3, 37])?; // in any order, from any thread
//! writer.put(0, 0, b"the first 60 entries".to_vec(), &[20, 40])?;
//! writer.finish()?;
//!
//! let table = RawTable::open(&path, Access::Map)?;
//! assert_eq!(table.header().counts, [23, 77]);
//! assert_eq!(table.payload(0, 1, 100)?[..], *b"the last 40 entries");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what it represents |
//! |---|---|
//! | `manifest` | the content of a table, and the limits that every table respects |
//! | `layout` | the constants of the format |
//! | `address` | addresses of hosts, accepted in place of paths |
//! | `error` | errors, with the file, the block and a remedy |
//! | `header`, `directory`, `index` | the encoded parts of a file |
//! | `storage` | the source of the bytes: mapped, read piecewise, or in memory |
//! | `cache` | a cache of decoded blocks, shared by all tables |
//! | `table` | a finished table, untyped |
//! | `holes` | frees the disk space of payloads in a finished table |
//! | `reorder`, `journal`, `writer` | a table being written |
//! | `spill` | temporary files for data that exceeds the memory of a solver |
//! | `payload`, `packed` | compressed payloads, and tables that need no other codec |
//! | `folder`, `lock` | the tables in a folder, and the lock of their builder |
//! | `listing`, `remote` | the published list of a folder, and tables on a host |
//! | `fetch`, `http` | clients that request bytes from hosts |
//! | `disk` | a disk cache of the bytes that hosts have sent |
//! | `schema` | the interface between a game and its tables |
//! | `shards` | the files of a table: one, or several shards |
//! | `reader`, `tablebase` | a table of a game; all tables of a target, in a folder or on a host |
//! | `built` | types that all builders share |
//! | `verify` | verification of tables by checksums and by the definition of their values |
//! | `durable` | atomic and durable replacement of files |

#![deny(unsafe_code)]

mod address;
mod built;
mod bytes;
mod cache;
mod directory;
mod disk;
pub mod durable;
mod error;
mod fetch;
mod folder;
mod header;
mod holes;
#[cfg(feature = "http")]
mod http;
mod index;
mod journal;
mod layout;
mod listing;
mod lock;
mod manifest;
#[cfg(feature = "payload")]
mod packed;
#[cfg(feature = "payload")]
mod payload;
mod reader;
mod remote;
mod reorder;
mod schema;
mod shards;
mod spill;
pub mod storage;
mod table;
mod tablebase;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use address::{is_address, shown};
pub use built::{BuildError, Built, PROGRAM, TableEstimate, in_order};
pub use cache::Cache;
pub use directory::RawRecord;
pub use disk::keep_in;
pub use error::{Reason, StoreError, StoreErrorKind};
pub use fetch::{Awaited, Fetch};
pub use folder::{FolderScan, TableFile};
pub use header::{MAGIC, RawHeader};
pub use holes::Holes;
pub use journal::journal_bytes;
pub use layout::{
    EXTENSION, GameId, HEADER_BYTES, MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, PAGE_BLOCKS,
    RECORD_BYTES, RawSchema, VERSION,
};
pub use listing::{LISTING, ListedFile, list, to_text, unlike_list};
pub use lock::{LOCK_BYTES, Lock};
pub use manifest::{MAX_BLOCK_ENTRIES, MAX_ENTRIES, RawArrayInfo, RawManifest};
#[cfg(feature = "payload")]
pub use payload::{PackError, longest_packed, pack, unpack, unzip, zip};
pub use pentago_base::{BlockId, Grid};
pub use reader::{Table, read_shard};
pub use remote::fetch_with;
pub use schema::Schema;
pub use shards::{Gap, ShardName};
pub use spill::SpillFiles;
pub use storage::{Access, Storage};
pub use table::RawTable;
pub use tablebase::{Probe, Tablebase, scan};
pub use verify::{Definition, FullReport, SampleReport, VerifyError, WrongValue, draws, hash, sample};
pub use writer::{RawSettings, RawWriter, working_files};
