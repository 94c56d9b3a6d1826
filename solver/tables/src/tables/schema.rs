//! The schema of Pentago's tables: the types and the checks that the container format requires.

use super::blocks::BlockCodec;
use super::board_index::BoardIndex;
use super::header::{Header, Record, counts_of};
use super::manifest::{ArrayInfo, Manifest, Target};
use crate::codec::longest_payload;
use pentago_core::values::{BlockId, BoxError, Entry, Source, WdlCounts};
use pentago_store::{GameId, RawHeader, RawRecord, Reason, Schema};
use std::path::Path;
use std::sync::Arc;

/// An error in a table, and the path of the table.
pub type TableError = pentago_store::StoreError;
/// A reader for a table of Pentago.
pub type Table = pentago_store::Table<PentagoSchema>;
/// All tables of one target in a folder or on a host.
pub type Tablebase = pentago_store::Tablebase<PentagoSchema>;
/// A cache for decoded blocks. All tables and threads of a process may share a cache.
pub type Cache = pentago_store::Cache<Entry>;

/// The schema of one Pentago table, which contains the codec of the table.
pub struct PentagoSchema(BlockCodec);

impl Schema for PentagoSchema {
    const GAME: GameId = GameId::PENTAGO;
    type Header = Header;
    type Target = Target;
    /// The number of marbles on each board of a table.
    type Slice = u8;
    type Record = Record;
    type Index = BoardIndex;
    type Item = Entry;
    type Entry = Entry;

    fn header(header: &RawHeader) -> Result<Header, Reason> {
        Header::of(header)
    }

    fn place(header: &Header) -> (Target, u8) {
        (header.target, header.slice)
    }

    fn records(header: &Header, records: &[RawRecord], parts: bool) -> Result<Vec<Record>, Reason> {
        let record = |record: &RawRecord| {
            let key = (*record.array.key).try_into().expect("the length of keys was checked");
            let array = ArrayInfo { key, grid: record.array.grid };
            Record { array, first_block: record.first_block, counts: counts_of(&record.counts) }
        };
        let records: Vec<Record> = records.iter().map(record).collect();
        let arrays = records.iter().map(|record| record.array).collect();
        let manifest = Manifest { target: header.target, slice: header.slice, arrays };
        manifest.check()?;
        manifest.check_counts(records.iter().map(|record| record.counts), parts)?;
        Ok(records)
    }

    fn of(header: &Header) -> PentagoSchema {
        PentagoSchema(BlockCodec::new(header.codec, &header.target, header.slice))
    }

    fn index(target: &Target) -> BoardIndex {
        BoardIndex::new(*target)
    }

    fn items(entries: usize) -> usize {
        entries
    }

    fn longest_payload(entries: usize) -> u64 {
        longest_payload(entries) as u64
    }

    fn decode(&self, record: &Record, block: u64, payload: &[u8], into: &mut [Entry]) -> Result<(), Reason> {
        let decoded = self.0.decode(&record.array, block, payload, into);
        decoded.map_err(|error| Reason::Payload(Box::new(error)))
    }

    fn stops_early(&self) -> bool {
        self.0.stops_early()
    }

    fn entry(block: &Arc<[Entry]>, place: usize) -> Entry {
        block[place]
    }

    fn wdl(header: &Header, _records: &[Record]) -> [u64; 3] {
        let WdlCounts { wins, draws, losses } = header.counts;
        [wins, draws, losses]
    }
}

/// A source that supplies the blocks of a table to a solver.
pub struct TableSource<'a>(pub &'a Table);

impl Source for TableSource<'_> {
    /// Reads and decodes a block without the cache, because a solver reads each block only once or
    /// twice.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        let payload = self.0.payload(id)?;
        Ok(self.0.decode(id, &payload, into)?)
    }

    fn ahead(&self, id: BlockId) {
        self.0.ahead(id);
    }
}

/// Reads the header and the directory records of a table or a shard.
///
/// # Errors
/// If the file can't be read, or isn't a finished table of Pentago.
pub fn read_shard(path: &Path) -> Result<(Header, Vec<Record>), TableError> {
    pentago_store::read_shard::<PentagoSchema>(path)
}
