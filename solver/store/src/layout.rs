//! The constants of the table format that several modules use, as defined in `db-format.md`.

use std::fmt;

/// The file name extension of every table.
pub const EXTENSION: &str = "pentago";
/// The version of the format.
pub const VERSION: u16 = 6;
/// The size of the header in bytes.
pub const HEADER_BYTES: usize = 512;
/// The maximum size of an encoded target, in bytes.
pub const MAX_TARGET_BYTES: usize = 4096;
/// The maximum size of an array's key, in bytes.
pub const MAX_KEY_BYTES: usize = 64;
/// The maximum number of counters of an array.
pub const MAX_COUNTERS: usize = 16;
/// The number of blocks in a page of the block index. A full page has 16 KiB. A table of 10^8
/// blocks has 97,657 pages, and a page table of 1.6 MB.
pub const PAGE_BLOCKS: u64 = 1024;
/// The size in bytes of a record of the block index or of the page table.
pub const RECORD_BYTES: usize = 16;

/// The identifier of a game, which defines the meaning of targets, keys, counters and payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub u8);

impl GameId {
    /// The identifier of Pentago and Mini-Pentago.
    pub const PENTAGO: GameId = GameId(1);
    /// The identifier of Pentago XL.
    pub const PENTAGO_XL: GameId = GameId(2);
    /// The identifier of Pente.
    pub const PENTE: GameId = GameId(3);
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GameId::PENTAGO => write!(f, "Pentago"),
            GameId::PENTAGO_XL => write!(f, "Pentago XL"),
            GameId::PENTE => write!(f, "Pente"),
            GameId(id) => write!(f, "game {id}"),
        }
    }
}

/// The schema of a table, which defines the meaning of the table's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawSchema {
    /// The game that defines the meaning of the table.
    pub game: GameId,
    /// The codec that turns blocks into payloads.
    pub codec: u8,
    /// The transformation of the values of a block before encoding.
    pub filter: u8,
    /// The compression level. Readers ignore this field.
    pub level: u8,
    /// The size of an array's key in bytes, at most [`MAX_KEY_BYTES`].
    pub key_bytes: u8,
    /// The number of counters of an array, at most [`MAX_COUNTERS`]. A counter is a sum over the
    /// blocks of the array.
    pub counters: u8,
}

impl RawSchema {
    /// Returns the size in bytes of a directory record: key, grid, blocks and counters.
    pub(crate) fn record_bytes(&self) -> usize {
        usize::from(self.key_bytes) + 48 + 8 * usize::from(self.counters)
    }

    /// Returns the size in bytes of everything in a table except the payloads: header, target,
    /// directory, block index and page table. `target` is the size of the target in bytes.
    pub fn bytes_around(&self, target: usize, arrays: usize, blocks: u64) -> u64 {
        let records = (blocks + page_count(blocks)) * RECORD_BYTES as u64;
        (HEADER_BYTES + target + arrays * self.record_bytes()) as u64 + records
    }
}

/// Returns the number of pages of an index of `blocks` blocks.
pub const fn page_count(blocks: u64) -> u64 {
    blocks.div_ceil(PAGE_BLOCKS)
}
