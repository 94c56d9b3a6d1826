//! What a game says of its tables; everything else about them is the same for all games.

use crate::directory::RawRecord;
use crate::error::Reason;
use crate::header::RawHeader;
use crate::layout::GameId;
use std::fmt::Debug;
use std::sync::Arc;

/// The schema of a game: what the bytes of its tables mean. A value of it decodes the blocks of one
/// table.
///
/// An array has *entries*, which its grid counts. A block is decoded into *items*: the numbers that
/// entries are made of, several for one entry or one for several.
pub trait Schema: Sized + Send + Sync + 'static {
    /// The game.
    const GAME: GameId;
    /// What a table is: the header, read and checked.
    type Header: Clone + Debug + Send + Sync;
    /// What the tables of one set are about.
    type Target: Clone + PartialEq + Debug + Send + Sync;
    /// Which of the tables of a target one is.
    type Slice: Copy + Ord + Debug + Send + Sync;
    /// What the directory says of an array.
    type Record: Debug + Send + Sync;
    /// What finds positions in the tables of a target.
    type Index: Send + Sync;
    /// What decoded blocks are lists of.
    type Item: Copy + Default + Send + Sync + 'static;
    /// What is stored in one place of an array.
    type Entry;

    /// Reads a header of the container, and checks it by itself.
    ///
    /// # Errors
    /// What is wrong with it.
    fn header(header: &RawHeader) -> Result<Self::Header, Reason>;

    /// What the table with a header is about, and which of the tables of that it is.
    fn place(header: &Self::Header) -> (Self::Target, Self::Slice);

    /// Checks the arrays of a table with this header, or parts of them, and reads what the directory
    /// says of each.
    ///
    /// # Errors
    /// What is wrong with them.
    fn records(
        header: &Self::Header,
        records: &[RawRecord],
        parts: bool,
    ) -> Result<Vec<Self::Record>, Reason>;

    /// Decodes the blocks of a table with this header.
    fn of(header: &Self::Header) -> Self;

    /// The index of a target's positions.
    fn index(target: &Self::Target) -> Self::Index;

    /// The number of items that hold a number of entries.
    fn items(entries: usize) -> usize;

    /// The most bytes of the payload of a number of entries.
    fn longest_payload(entries: usize) -> u64;

    /// Fills the items of a block of an array from its payload. Where the schema
    /// [stops early](Schema::stops_early) there may be only the first of them.
    ///
    /// # Errors
    /// If it isn't the payload of this block.
    fn decode(
        &self,
        array: &Self::Record,
        block: u64,
        payload: &[u8],
        into: &mut [Self::Item],
    ) -> Result<(), Reason>;

    /// Whether the first entries of a block are decoded in less time than all of them.
    fn stops_early(&self) -> bool {
        false
    }

    /// The entry at a place of a decoded block.
    fn entry(block: &Arc<[Self::Item]>, place: usize) -> Self::Entry;

    /// Positions that a table wins, draws and loses for the side to move.
    fn wdl(header: &Self::Header, records: &[Self::Record]) -> [u64; 3];
}
