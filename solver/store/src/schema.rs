//! The interface between a game and the container of its tables.

use crate::directory::RawRecord;
use crate::error::Reason;
use crate::header::RawHeader;
use crate::layout::GameId;
use std::fmt::Debug;
use std::sync::Arc;

/// The schema of a game, which defines the meaning of the bytes in its tables. A value of an
/// implementing type decodes the blocks of one table.
///
/// The grid of an array gives its size in *entries*. A block is decoded to *items*, such as bytes
/// or words. One entry may need several items, or several entries may share one item.
pub trait Schema: Sized + Send + Sync + 'static {
    /// The identifier of the game.
    const GAME: GameId;
    /// The decoded and checked header of a table.
    type Header: Clone + Debug + Send + Sync;
    /// The target of a tablebase: a whole game, or all positions below a root.
    type Target: Clone + PartialEq + Debug + Send + Sync;
    /// The identifier of a slice within the target, such as the number of marbles. A table holds
    /// one slice.
    type Slice: Copy + Ord + Debug + Send + Sync;
    /// The decoded directory record of an array.
    type Record: Debug + Send + Sync;
    /// The index that locates positions in the tables of a target.
    type Index: Send + Sync;
    /// The element type of decoded blocks.
    type Item: Copy + Default + Send + Sync + 'static;
    /// The decoded entry of an array.
    type Entry;

    /// Decodes the header of a container and checks its fields.
    ///
    /// # Errors
    /// The error names the first invalid field of the header.
    fn header(header: &RawHeader) -> Result<Self::Header, Reason>;

    /// Returns the target and the slice of the table that has this header.
    fn place(header: &Self::Header) -> (Self::Target, Self::Slice);

    /// Decodes the directory records of the table that has this header. If `parts` is `true`,
    /// arrays may lack blocks, as in a shard.
    ///
    /// # Errors
    /// The error names the first invalid record of the directory.
    fn records(
        header: &Self::Header,
        records: &[RawRecord],
        parts: bool,
    ) -> Result<Vec<Self::Record>, Reason>;

    /// Returns the decoder for the blocks of the table that has this header.
    fn of(header: &Self::Header) -> Self;

    /// Computes the index that locates positions in the tables of a target.
    fn index(target: &Self::Target) -> Self::Index;

    /// Returns the number of items that are needed for `entries` entries.
    fn items(entries: usize) -> usize;

    /// Returns the maximum size, in bytes, of a payload that encodes `entries` entries.
    fn longest_payload(entries: usize) -> u64;

    /// Decodes the payload of a block. If the schema [stops early](Schema::stops_early), `into` may
    /// have room for only the first entries.
    ///
    /// # Errors
    /// If the payload is not a payload of this block.
    fn decode(
        &self,
        array: &Self::Record,
        block: u64,
        payload: &[u8],
        into: &mut [Self::Item],
    ) -> Result<(), Reason>;

    /// Returns `true` if decoding only the first entries of a block saves time.
    fn stops_early(&self) -> bool {
        false
    }

    /// Returns the entry at an index of a decoded block.
    fn entry(block: &Arc<[Self::Item]>, place: usize) -> Self::Entry;

    /// Returns the numbers of positions that are a win, a draw and a loss for the side to move.
    fn wdl(header: &Self::Header, records: &[Self::Record]) -> [u64; 3];
}
