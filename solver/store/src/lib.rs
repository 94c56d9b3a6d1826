//! Tables of any game at rest: one file per slice, written once, then only read.
//!
//! A *table* is a list of *arrays*, each a box of entries cut in *blocks* ([`Grid`]). This crate
//! keeps the blocks as opaque *payloads*, with a checksum each, and knows no game: what a target, a
//! key, a counter and a payload mean is the matter of a game's [`Schema`], over which [`Table`] and
//! [`TableSet`] are generic. `db-format.md` defines the bytes: the container first, then one schema
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
//! | `grid` | an array and its blocks |
//! | `manifest` | what a table holds, and what every table fulfils |
//! | `layout` | the sizes and numbers that the parts of the format share |
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
//! | `source` | where tables lie: in a folder, or on a host |
//! | `schema` | what a game says of its tables |
//! | `files` | the files of a table: one, or shards |
//! | `reader`, `set` | a table of a game, and the tables of a folder |
//! | `built` | what builders of tables have in common |
//! | `verify` | tables against their checksums and against the definition of their values |
//! | `durable` | files that are replaced as a whole, for good |

#![deny(unsafe_code)]

#[cfg(feature = "files")]
mod built;
#[cfg(feature = "files")]
mod bytes;
#[cfg(feature = "files")]
mod cache;
#[cfg(feature = "files")]
mod directory;
#[cfg(feature = "files")]
mod disk;
#[cfg(feature = "files")]
pub mod durable;
#[cfg(feature = "files")]
mod error;
#[cfg(feature = "files")]
mod fetch;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "files")]
mod folder;
mod grid;
#[cfg(feature = "files")]
mod header;
#[cfg(feature = "files")]
mod holes;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "files")]
mod index;
#[cfg(feature = "files")]
mod journal;
#[cfg(feature = "files")]
mod layout;
#[cfg(feature = "files")]
mod listing;
#[cfg(feature = "files")]
mod lock;
#[cfg(feature = "files")]
mod manifest;
#[cfg(feature = "payload")]
mod packed;
#[cfg(feature = "payload")]
mod payload;
#[cfg(feature = "files")]
mod reader;
#[cfg(feature = "files")]
mod remote;
#[cfg(feature = "files")]
mod reorder;
#[cfg(feature = "files")]
mod schema;
#[cfg(feature = "files")]
mod set;
#[cfg(feature = "files")]
mod source;
#[cfg(feature = "files")]
mod spill;
#[cfg(feature = "files")]
pub mod storage;
#[cfg(feature = "files")]
mod table;
#[cfg(all(test, feature = "files"))]
mod tests;
#[cfg(feature = "files")]
mod verify;
#[cfg(feature = "files")]
mod writer;

#[cfg(feature = "files")]
pub use built::{BuildError, Built, PROGRAM, TableEstimate, in_order};
#[cfg(feature = "files")]
pub use cache::Cache;
#[cfg(feature = "files")]
pub use directory::RawRecord;
#[cfg(feature = "files")]
pub use disk::keep_in;
#[cfg(feature = "files")]
pub use error::{Reason, StoreError, StoreErrorKind};
#[cfg(feature = "files")]
pub use fetch::{Awaited, Fetch};
#[cfg(feature = "files")]
pub use files::Gap;
#[cfg(feature = "files")]
pub use folder::{RawListed, Scan};
pub use grid::{BlockId, Grid};
#[cfg(feature = "files")]
pub use header::{MAGIC, RawHeader};
#[cfg(feature = "files")]
pub use holes::Holes;
#[cfg(feature = "files")]
pub use layout::{
    EXTENSION, GameId, HEADER_BYTES, MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, PAGE_BLOCKS,
    RECORD_BYTES, RawSchema, VERSION,
};
#[cfg(feature = "files")]
pub use listing::{LISTING, ListedFile, list, to_text};
#[cfg(feature = "files")]
pub use lock::Lock;
#[cfg(feature = "files")]
pub use manifest::{
    BadManifest, MAX_BLOCK_ENTRIES, MAX_ENTRIES, MAX_PAYLOAD_BYTES, RawArrayInfo, RawManifest,
};
#[cfg(feature = "payload")]
pub use payload::{PackError, longest_packed, pack, unpack, unzip};
#[cfg(feature = "files")]
pub use reader::{Table, read_shard};
#[cfg(feature = "files")]
pub use remote::fetch_with;
#[cfg(feature = "files")]
pub use schema::Schema;
#[cfg(feature = "files")]
pub use set::{Folder, Listed, Probe, ShardName, TableSet};
#[cfg(feature = "files")]
pub use source::{is_address, scan, shown};
#[cfg(feature = "files")]
pub use spill::SpillFiles;
#[cfg(feature = "files")]
pub use storage::{Access, Storage};
#[cfg(feature = "files")]
pub use table::RawTable;
#[cfg(feature = "files")]
pub use verify::{Definition, FullReport, SampleReport, VerifyError, Wrong, draws, hash, sample};
#[cfg(feature = "files")]
pub use writer::{RawSettings, RawWriter, working_files};
