//! The block index: the offset and the checksum of every payload. The index is divided into pages
//! that are verified on first use, so opening a table doesn't read the whole index. The page table
//! follows the index, with one record per page: the offset of the page's first payload and the
//! checksum of the page.

use crate::bytes::checksum;
use crate::error::Reason;
use crate::header::{FilePart, RawHeader};
use crate::layout::{PAGE_BLOCKS, RECORD_BYTES};
use std::ops::Range;

/// Encodes a record: an offset and a checksum.
pub fn record(offset: u64, checksum: u64) -> [u8; RECORD_BYTES] {
    (u128::from(checksum) << 64 | u128::from(offset)).to_le_bytes()
}

/// Decodes a record: an offset and a checksum.
fn fields(bytes: &[u8; RECORD_BYTES]) -> [u64; 2] {
    let record = u128::from_le_bytes(*bytes);
    [record as u64, (record >> 64) as u64]
}

/// Checks that the first offset is the start of `range`, and that all offsets ascend and lie in
/// `range`. Strictly ascending offsets exclude empty payloads. Too long payloads are rejected when
/// they are read.
fn check_offsets(mut offsets: impl Iterator<Item = u64> + Clone, range: Range<u64>) -> Result<(), Reason> {
    let ascend = offsets.clone().is_sorted_by(|a, b| a < b);
    if ascend && offsets.next() == Some(range.start) && offsets.last().unwrap_or(range.start) < range.end {
        Ok(())
    } else {
        Err(Reason::Inconsistent("the payloads aren't contiguous"))
    }
}

/// The page table: for each page, the offset of its first payload and the checksum of the page.
#[derive(Debug)]
pub struct PageTable {
    pages: Vec<[u64; 2]>,
    blocks: u64,
    index: FilePart,
    /// The file offset of the first byte after the last payload.
    end: u64,
}

impl PageTable {
    /// Decodes the page table. Checks that the payloads begin at the end of the target and end at
    /// the start of the directory.
    pub fn from_bytes(bytes: &[u8], header: &RawHeader) -> Result<PageTable, Reason> {
        if checksum(bytes) != header.pages.checksum {
            return Err(Reason::Damaged("page table"));
        }
        let pages: Vec<[u64; 2]> = bytes.as_chunks().0.iter().map(fields).collect();
        let end = header.directory.offset;
        check_offsets(pages.iter().map(|page| page[0]), header.first_payload()..end)?;
        Ok(PageTable { pages, blocks: header.blocks, index: header.index, end })
    }

    /// Returns the number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns the index of the page that contains the record of a block.
    pub fn page_of(block: u64) -> usize {
        (block / PAGE_BLOCKS) as usize
    }

    /// Returns the file offset and the size of a page of the index, in bytes.
    pub fn range(&self, page: usize) -> (u64, usize) {
        let first = page as u64 * PAGE_BLOCKS;
        let blocks = PAGE_BLOCKS.min(self.blocks - first);
        (self.index.offset + first * RECORD_BYTES as u64, blocks as usize * RECORD_BYTES)
    }

    /// Returns the file offset of the first byte after the payloads that a page lists.
    fn end(&self, page: usize) -> u64 {
        self.pages.get(page + 1).map_or(self.end, |next| next[0])
    }

    /// Checks the bytes of a page against the checksum of the page, and the offsets in the page
    /// against the page table.
    pub fn check(&self, page: usize, bytes: &[u8]) -> Result<(), Reason> {
        let [first, sum] = self.pages[page];
        if checksum(bytes) != sum {
            return Err(Reason::Damaged("block index"));
        }
        let records: &[[u8; RECORD_BYTES]] = bytes.as_chunks().0;
        check_offsets(records.iter().map(|record| fields(record)[0]), first..self.end(page))
    }

    /// Returns the byte range of a block's payload. `page` holds the bytes of the index page that
    /// contains the record of the block.
    pub fn place(&self, block: u64, page: &[u8]) -> FilePart {
        let records: &[[u8; RECORD_BYTES]] = page.as_chunks().0;
        let at = (block % PAGE_BLOCKS) as usize;
        let [offset, checksum] = fields(&records[at]);
        let next = records.get(at + 1).map(|next| fields(next)[0]);
        let end = next.unwrap_or_else(|| self.end(PageTable::page_of(block)));
        FilePart { offset, bytes: end.saturating_sub(offset), checksum }
    }
}
