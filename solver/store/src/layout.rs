//! The sizes and numbers of the format that its parts share (`db-format.md`).

use std::fmt;

/// What the name of every table ends in.
pub const EXTENSION: &str = "pentago";
/// The version of the format.
pub const VERSION: u16 = 6;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 512;
/// The most bytes that say what a table is about.
pub const MAX_TARGET_BYTES: usize = 4096;
/// The most bytes of an array's key.
pub const MAX_KEY_BYTES: usize = 64;
/// The most counters of an array.
pub const MAX_COUNTERS: usize = 16;
/// Blocks of a page of the block index: 16 KiB. A table of 10^8 blocks has 97,657 pages, whose
/// table is 1.6 MB.
pub const PAGE_BLOCKS: u64 = 1024;
/// Bytes of a record of the block index, and of one of the page table.
pub const RECORD_BYTES: usize = 16;

/// The number of a game: who says what targets, keys, counters and payloads mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub u8);

impl GameId {
    /// Pentago and Mini-Pentago.
    pub const PENTAGO: GameId = GameId(1);
    /// Pentago XL.
    pub const PENTAGO_XL: GameId = GameId(2);
    /// Pente.
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

/// Which schema gives the bytes of a table their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawSchema {
    /// The game.
    pub game: GameId,
    /// How payloads are made of blocks.
    pub codec: u8,
    /// What is done to the values of a block before.
    pub filter: u8,
    /// The effort of the compressor; ignored by readers.
    pub level: u8,
    /// Bytes of an array's key, at most [`MAX_KEY_BYTES`].
    pub key_bytes: u8,
    /// Numbers that are summed over the blocks of an array, at most [`MAX_COUNTERS`].
    pub counters: u8,
}

impl RawSchema {
    /// Bytes of a record of the directory: key, grid, blocks, counters.
    pub(crate) fn record_bytes(&self) -> usize {
        usize::from(self.key_bytes) + 48 + 8 * usize::from(self.counters)
    }

    /// Bytes of a table besides its payloads: header, target, directory, block index and page table.
    #[must_use]
    pub fn bytes_around(&self, target: usize, arrays: usize, blocks: u64) -> u64 {
        let records = (blocks + page_count(blocks)) * RECORD_BYTES as u64;
        (HEADER_BYTES + target + arrays * self.record_bytes()) as u64 + records
    }
}

/// The number of pages of an index of `blocks` blocks.
pub const fn page_count(blocks: u64) -> u64 {
    blocks.div_ceil(PAGE_BLOCKS)
}
