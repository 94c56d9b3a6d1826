//! Tables of any game at rest: one file per slice, written once, then only read.
//!
//! A *table* is a list of *arrays*, each a box of entries cut in *blocks* ([`Grid`]). This crate
//! keeps the blocks as opaque *payloads*, with a checksum each, and knows no game: what a target, a
//! key, a counter and a payload mean is the matter of a game's [`Schema`], over which [`Table`] and
//! [`Tablebase`] are generic. `db-format.md` defines the bytes: the container first, then one schema
//! per game.
//!
//! ```
//! use pentago_store::{Access, GameId, Grid, RawArrayInfo, RawManifest};
//! use pentago_store::{RawSchema, RawSettings, RawTable, RawWriter};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("slice-01.pentago");
//! let manifest = RawManifest {
//!     schema: RawSchema { game: GameId::PENTAGO, codec: 1, filter: 1, level: 9, key_bytes: 1, counters: 2 },
//!     target: b"what it is about".to_vec(),
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
//! | `manifest` | what a table holds, and what every table fulfils |
//! | `layout` | the sizes and numbers that the parts of the format share |
//! | `address` | the addresses of hosts, which stand where paths do |
//! | `error` | what can go wrong, with the file, the block and what to do |
//! | `header`, `directory`, `index` | the structures of the file as bytes |
//! | `storage` | where the bytes are: mapped, read piece by piece, in memory |
//! | `cache` | decoded blocks, shared by all tables |
//! | `table` | a finished table |
//! | `holes` | parts of a finished table that are given back |
//! | `reorder`, `journal`, `writer` | a table in the making |
//! | `spill` | what doesn't fit in memory while something is solved |
//! | `payload`, `packed` | payloads that are compressed bytes and nothing else, and tables of them |
//! | `folder`, `lock` | many tables, and who builds them |
//! | `listing`, `remote` | the list of a folder's tables, and tables on a host |
//! | `fetch`, `http` | what asks a host for bytes: connections of this program, or something else |
//! | `disk` | what hosts have sent, kept from one run to the next |
//! | `schema` | what a game says of its tables |
//! | `shards` | the files of a table: one, or shards |
//! | `reader`, `tablebase` | a table of a game, and all tables of a target in a folder or on a host |
//! | `built` | what builders of tables have in common |
//! | `verify` | tables against their checksums and against the definition of their values |
//! | `durable` | files that are replaced as a whole, for good |

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
pub use layout::{
    EXTENSION, GameId, HEADER_BYTES, MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, PAGE_BLOCKS,
    RECORD_BYTES, RawSchema, VERSION,
};
pub use listing::{LISTING, ListedFile, list, to_text};
pub use lock::Lock;
pub use manifest::{BadManifest, MAX_BLOCK_ENTRIES, MAX_ENTRIES, RawArrayInfo, RawManifest};
#[cfg(feature = "payload")]
pub use payload::{PackError, longest_packed, pack, unpack, unzip};
pub use pentago_base::{BlockId, Grid};
pub use reader::{Table, read_shard};
pub use remote::fetch_with;
pub use schema::Schema;
pub use shards::{Gap, ShardName};
pub use spill::SpillFiles;
pub use storage::{Access, Storage};
pub use table::RawTable;
pub use tablebase::{Probe, Tablebase, scan};
pub use verify::{Definition, FullReport, SampleReport, VerifyError, Wrong, draws, hash, sample};
pub use writer::{RawSettings, RawWriter, working_files};
