//! The block index: where payloads begin, with their checksums; in pages that are checked when they
//! are first needed, so that opening a table doesn't read it. The page table behind it has a record
//! per page: where the page's first payload begins, and the checksum of the page.

use crate::bytes::{FieldReader, checksum};
use crate::error::Reason;
use crate::header::{FilePart, RawHeader};
use crate::layout::{PAGE_BLOCKS, RECORD_BYTES};

/// A record: an offset and a checksum.
pub fn record(offset: u64, checksum: u64) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..8].copy_from_slice(&offset.to_le_bytes());
    bytes[8..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The two numbers of a record.
fn fields(bytes: &[u8; RECORD_BYTES]) -> [u64; 2] {
    let mut take = FieldReader(bytes);
    [take.u64(), take.u64()]
}

/// The page table: of each page where its first payload begins, and its checksum.
#[derive(Debug)]
pub struct PageTable {
    pages: Vec<[u64; 2]>,
    blocks: u64,
    index: FilePart,
    /// Where the last payload ends.
    end: u64,
}

impl PageTable {
    /// Reads the page table and checks that its payloads lie between target and directory.
    pub fn from_bytes(bytes: &[u8], header: &RawHeader) -> Result<PageTable, Reason> {
        if checksum(bytes) != header.pages.checksum {
            return Err(Reason::Damaged("page table"));
        }
        let pages: Vec<[u64; 2]> = bytes.as_chunks().0.iter().map(fields).collect();
        let end = header.directory.offset;
        let ascend = pages.is_sorted_by(|a, b| a[0] < b[0])
            && pages.first().is_some_and(|first| first[0] == header.first_payload())
            && pages.last().is_some_and(|last| last[0] < end);
        if !ascend {
            return Err(Reason::Inconsistent("the payloads aren't contiguous"));
        }
        Ok(PageTable { pages, blocks: header.blocks, index: header.index, end })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// The page that a block's record is in.
    pub fn page_of(block: u64) -> usize {
        (block / PAGE_BLOCKS) as usize
    }

    /// Offset and length of a page in the file.
    pub fn range(&self, page: usize) -> (u64, usize) {
        let first = page as u64 * PAGE_BLOCKS;
        let blocks = PAGE_BLOCKS.min(self.blocks - first);
        (self.index.offset + first * RECORD_BYTES as u64, blocks as usize * RECORD_BYTES)
    }

    /// Where the payloads of a page end.
    fn end(&self, page: usize) -> u64 {
        self.pages.get(page + 1).map_or(self.end, |next| next[0])
    }

    /// Checks a page by itself and against the table.
    pub fn check(&self, page: usize, bytes: &[u8]) -> Result<(), Reason> {
        let [first, sum] = self.pages[page];
        if checksum(bytes) != sum {
            return Err(Reason::Damaged("block index"));
        }
        let records: &[[u8; RECORD_BYTES]] = bytes.as_chunks().0;
        let mut offsets = records.iter().map(|record| fields(record)[0]);
        let ascend = offsets.clone().is_sorted_by(|a, b| a < b)
            && offsets.clone().next() == Some(first)
            && offsets.next_back().is_some_and(|last| last < self.end(page));
        // Ascending offsets leave no empty payload; the longest are checked when they are read.
        if ascend { Ok(()) } else { Err(Reason::Inconsistent("the payloads aren't contiguous")) }
    }

    /// Where a block's payload lies, from the bytes of its page.
    pub fn place(&self, block: u64, page: &[u8]) -> FilePart {
        let records: &[[u8; RECORD_BYTES]] = page.as_chunks().0;
        let at = (block % PAGE_BLOCKS) as usize;
        let [offset, checksum] = fields(&records[at]);
        let next = records.get(at + 1).map(|next| fields(next)[0]);
        let end = next.unwrap_or_else(|| self.end(PageTable::page_of(block)));
        FilePart { offset, bytes: end.saturating_sub(offset), checksum }
    }
}
