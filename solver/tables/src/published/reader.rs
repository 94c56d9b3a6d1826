//! Reads a published file, and returns its values in the conventions of the file.
//!
//! ```text
//! a file of a slice:   magic | version, number of sections, bytes of a section header
//!                            | section headers | blobs
//! a single section:    section header | blobs
//! ```
//!
//! A blob is a piece of compressed data anywhere in the file. Each section has one blob per block,
//! and one blob for the block index, which contains the offsets of the other blobs. The reader
//! trusts no field of a file: it compares redundant fields, and checks the bounds of all other
//! fields before it uses them.

use super::blob::{decompress, longest};
use super::error::{Fault, PublishedError};
use super::sections;
use crate::tables::{Access, MAX_BLOCK_ENTRIES, Storage, storage};
use bitvec::array::BitArray;
use pentago_base::lock;
use pentago_core::index::Section;
use pentago_core::values::{ENTRY_BYTES, Grid};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The magic bytes at the start of a file with several sections.
const SLICE_MAGIC: &[u8; MAGIC_BYTES] = b"pentago sections   \n";
/// The magic bytes at the start of a section header.
const SECTION_MAGIC: &[u8; MAGIC_BYTES] = b"pentago supertensor\n";
const MAGIC_BYTES: usize = 20;
const VERSION: u64 = 3;
/// The size of the file header in bytes. The section headers follow the file header.
const SLICE_HEADER_BYTES: u64 = 32;
const SECTION_HEADER_BYTES: u64 = 85;
const INDEX_RECORD_BYTES: usize = 24;
/// The minimum size of a blob in bytes, which limits the number of blobs in a file.
const LEAST_BLOB: u64 = 8;

/// For each quadrant of a file, the index of the same quadrant in this program. A file lists the
/// quadrants bottom left, top left, bottom right, top right.
pub(super) const QUADRANT_OF: [usize; 4] = [2, 0, 3, 1];

/// A published file whose headers have been checked. Blocks and block indices are checked when they
/// are read.
#[derive(Debug)]
pub struct Published {
    /// The path of the file.
    pub path: PathBuf,
    storage: Arc<dyn Storage>,
    /// The number of marbles on each board of the file.
    pub marbles: u8,
    /// The sections of the file, in the order of the file.
    pub sections: Vec<StoredSection>,
    /// The offset of the first section header in bytes: the length of the file header, or 0 for a
    /// file with a single section, which has no file header.
    first: u64,
    /// The block index that was read last, and the index of its section. Caching one block index
    /// suffices, because blocks are read section by section.
    index: Mutex<Option<(usize, Arc<[Blob]>)>>,
}

/// A section in a published file.
#[derive(Clone, Debug)]
pub struct StoredSection {
    /// The section, in the quadrant order of this program. The file chooses the standard image of a
    /// section differently, so this may not be the standard image of this program.
    pub section: Section,
    /// The extents of the array and the edges of its blocks, in entries. The axes are the quadrants
    /// in the order of the file.
    pub grid: Grid,
    /// `true` if the bits of both players alternate in each word of an entry.
    interleaved: bool,
    index: Blob,
}

/// The values of one entry in a file: the set of positions that the first player wins, and the set
/// that the second player wins. To obtain the board of bit k, write k in base 4, and turn the
/// minimal pattern of quadrant q counterclockwise by digit q quarter turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Won(pub [BitArray<[u64; 4]>; 2]);

/// The location and the size of a piece of compressed data.
#[derive(Clone, Copy, Debug)]
struct Blob {
    /// The size of the decompressed content in bytes.
    content: u64,
    /// The size of the compressed data in bytes.
    bytes: u64,
    offset: u64,
}

impl Blob {
    fn parse(bytes: &[u8]) -> Blob {
        let [content, bytes, offset] = [0, 8, 16].map(|at| number(bytes, at, 8));
        Blob { content, bytes, offset }
    }
}

impl Published {
    /// Opens a file and checks the headers of all sections.
    ///
    /// # Errors
    /// If the file can't be read, isn't a published file, or contradicts itself.
    pub fn open(path: &Path) -> Result<Published, PublishedError> {
        // Don't map the file into memory: mapping would save no time, because each part is read
        // only once.
        let storage = storage::open(path, Access::Read);
        let storage = storage.map_err(|error| error_of(path, Fault::Io { action: "open", error }))?;
        Published::new(path, storage)
    }

    /// Opens a file in the given storage. Error messages name the file by `path`.
    ///
    /// # Errors
    /// As for [`Published::open`].
    pub fn new(path: &Path, storage: Arc<dyn Storage>) -> Result<Published, PublishedError> {
        let mut file = Published {
            path: path.to_owned(),
            storage,
            marbles: 0,
            sections: Vec::new(),
            first: 0,
            index: Mutex::new(None),
        };
        let (first, count) = file.start().map_err(|fault| file.error(fault))?;
        file.first = first;
        for number in 0..count {
            let at = first + u64::from(number) * SECTION_HEADER_BYTES;
            let stored =
                file.section_header(at).map_err(|fault| file.error(fault).in_section(number as usize))?;
            file.marbles = stored.section.marbles() as u8;
            file.sections.push(stored);
        }
        Ok(file)
    }

    /// Returns the size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.storage.size()
    }

    /// Checks that no blobs overlap, and that the file has all sections of its slice. A file with a
    /// single section, without a file header, may lack the other sections.
    ///
    /// # Errors
    /// If sections are missing, blobs overlap, or a block index can't be read.
    pub(super) fn check_whole(&self) -> Result<(), PublishedError> {
        let all = sections().standard(self.marbles.into()).len();
        if self.first > 0 && self.sections.len() < all {
            return Err(self.error(Fault::Lacks { found: self.sections.len(), all }));
        }
        let headers = self.first + self.sections.len() as u64 * SECTION_HEADER_BYTES;
        let mut blobs = Vec::new();
        for (number, stored) in self.sections.iter().enumerate() {
            let index = self.index(number).map_err(|error| error.in_section(number))?;
            blobs.extend(index.iter().chain([&stored.index]).map(|blob| (blob.offset, blob.bytes, number)));
        }
        blobs.sort_unstable();
        let mut end = headers;
        for (offset, bytes, number) in blobs {
            if offset < end {
                let overlap = Fault::Impossible("a blob overlaps the headers or another blob");
                return Err(self.error(overlap).in_section(number));
            }
            end = offset + bytes;
        }
        Ok(())
    }

    /// Returns the entries of a block, in the order of the file. `section` is the index of the
    /// section in the file, and `block` is the index of the block in the section.
    ///
    /// # Errors
    /// If the block can't be read, is damaged, or has a position that both players win.
    ///
    /// # Panics
    /// If there is no such section or block.
    pub fn block(&self, section: usize, block: u64) -> Result<Vec<Won>, PublishedError> {
        let stored = &self.sections[section];
        let index = self.index(section).map_err(|e| e.in_section(section))?;
        let content = self.decompressed(&index[block as usize], "block");
        let entries = content.and_then(|bytes| entries(&bytes, stored.interleaved));
        entries
            .map_err(|fault| PublishedError { block: Some(block), ..self.error(fault).in_section(section) })
    }

    /// Returns the location of each block in a section, read from the block index of the section.
    fn index(&self, section: usize) -> Result<Arc<[Blob]>, PublishedError> {
        let mut last = lock(&self.index);
        if let Some((_, index)) = last.as_ref().filter(|(number, _)| *number == section) {
            return Ok(index.clone());
        }
        let stored = &self.sections[section];
        let bytes = self.decompressed(&stored.index, "block index").map_err(|fault| self.error(fault))?;
        let record = |(block, bytes): (u64, &[u8])| -> Result<Blob, PublishedError> {
            let blob = Blob::parse(bytes);
            let expected = (stored.grid.len(block) * ENTRY_BYTES) as u64;
            let checked = self.check_blob(&blob, "block", expected);
            checked.map_err(|fault| PublishedError { block: Some(block), ..self.error(fault) })?;
            Ok(blob)
        };
        let index: Arc<[Blob]> = (0..)
            .zip(bytes.chunks_exact(INDEX_RECORD_BYTES))
            .map(record)
            .collect::<Result<_, PublishedError>>()?;
        *last = Some((section, index.clone()));
        Ok(index)
    }

    /// Returns the offset of the first section header, and the number of section headers.
    fn start(&self) -> Result<(u64, u32), Fault> {
        if self.bytes() < MAGIC_BYTES as u64 {
            return Err(Fault::NotPublished);
        }
        let magic = self.read(0, MAGIC_BYTES as u64, "magic")?;
        if magic[..] == SECTION_MAGIC[..] {
            return Ok((0, 1));
        }
        if magic.starts_with(&pentago_store::MAGIC) {
            return Err(Fault::Table);
        }
        if magic[..] != SLICE_MAGIC[..] {
            return Err(Fault::NotPublished);
        }
        let header = self.read(0, SLICE_HEADER_BYTES, "header")?;
        field("version", number(&header, 20, 4), VERSION)?;
        field("length of a section header", number(&header, 28, 4), SECTION_HEADER_BYTES)?;
        match number(&header, 24, 4) {
            0 => Err(Fault::Impossible("it has no sections")),
            count => Ok((SLICE_HEADER_BYTES, count as u32)),
        }
    }

    /// Reads and checks the section header at offset `at`. Also checks that the section has the
    /// same number of marbles as the preceding section, and that the sections are in ascending
    /// order.
    fn section_header(&self, at: u64) -> Result<StoredSection, Fault> {
        let header = self.read(at, SECTION_HEADER_BYTES, "header")?;
        if !header.starts_with(SECTION_MAGIC) {
            return Err(Fault::Impossible("its header doesn't start with the magic bytes"));
        }
        field("version", number(&header, 20, 4), VERSION)?;
        field("mark of completeness", number(&header, 24, 1), 1)?;
        let no_section = Fault::Impossible("its numbers of marbles fit no section");
        let section = section_at(&header[29..37]).ok_or(no_section)?;
        if !sections().symmetries().all(|by| id(section) <= id(section.image(by))) {
            return Err(Fault::Impossible("it is not the standard one of its symmetric images"));
        }
        field("number of marbles", number(&header, 25, 4), section.marbles() as u64)?;
        if let Some(before) = self.sections.last() {
            field("number of marbles", section.marbles() as u64, self.marbles.into())?;
            if id(before.section) >= id(section) {
                return Err(Fault::Impossible("the sections aren't in ascending order"));
            }
        }
        let extents = sections().extents(section);
        let extents = QUADRANT_OF.map(|block| extents[block]);
        let edge = number(&header, 45, 4) as u32;
        if edge == 0 || !edge.is_multiple_of(2) {
            return Err(Fault::Impossible("its block size is zero or odd"));
        }
        let grid = Grid::new(extents, edge);
        if grid.longest() as u64 > MAX_BLOCK_ENTRIES {
            return Err(Fault::Impossible("its blocks have more than 65,536 entries"));
        }
        for (axis, (extent, blocks)) in extents.into_iter().zip(grid.counts()).enumerate() {
            field("length of an axis", number(&header, 37 + 2 * axis, 2), extent.into())?;
            field("number of blocks along an axis", number(&header, 49 + 2 * axis, 2), blocks.into())?;
        }
        if grid.blocks() > self.bytes() / LEAST_BLOB {
            return Err(Fault::Impossible("it has more blocks than fit in the file"));
        }
        let interleaved = match number(&header, 57, 4) {
            0 => false,
            1 => true,
            _ => return Err(Fault::Impossible("its filter is neither 0 nor 1")),
        };
        let index = Blob::parse(&header[61..]);
        self.check_blob(&index, "block index", grid.blocks() * INDEX_RECORD_BYTES as u64)?;
        Ok(StoredSection { section, grid, interleaved, index })
    }

    /// Checks that a blob lies inside the file, that its content has `content` bytes, and that its
    /// compressed size is plausible.
    fn check_blob(&self, blob: &Blob, what: &'static str, content: u64) -> Result<(), Fault> {
        field("length of the content of a blob", blob.content, content)?;
        if blob.bytes > longest(content) {
            return Err(Fault::Impossible("a blob is much longer than its content"));
        }
        match blob.offset.checked_add(blob.bytes) {
            Some(end) if end <= self.bytes() => Ok(()),
            end => Err(Fault::Truncated { what, end: end.unwrap_or(u64::MAX), size: self.bytes() }),
        }
    }

    fn decompressed(&self, blob: &Blob, what: &'static str) -> Result<Vec<u8>, Fault> {
        let bytes = self.read(blob.offset, blob.bytes, what)?;
        decompress(&bytes, blob.content as usize).map_err(|error| Fault::Blob { what, error })
    }

    fn read(&self, at: u64, len: u64, what: &'static str) -> Result<Cow<'_, [u8]>, Fault> {
        if at + len > self.bytes() {
            return Err(Fault::Truncated { what, end: at + len, size: self.bytes() });
        }
        self.storage.read(at, len as usize).map_err(|error| Fault::Io { action: "read", error })
    }

    fn error(&self, fault: Fault) -> PublishedError {
        error_of(&self.path, fault)
    }
}

/// Returns an error that concerns no particular section of the file.
fn error_of(path: &Path, fault: Fault) -> PublishedError {
    PublishedError { path: path.to_owned(), section: None, block: None, fault }
}

impl PublishedError {
    fn in_section(self, number: usize) -> PublishedError {
        PublishedError { section: Some(number as u32), ..self }
    }
}

/// Returns the little-endian number in the `len` bytes that start at offset `at`.
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes[at..at + len].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn field(what: &'static str, found: u64, expected: u64) -> Result<(), Fault> {
    if found == expected { Ok(()) } else { Err(Fault::Field { what, found, expected }) }
}

/// Returns the section with the given marble counts: X and O for each quadrant, in the quadrant
/// order of the file. Returns `None` if there is no such section.
fn section_at(bytes: &[u8]) -> Option<Section> {
    let mut quadrants = [[0; 2]; 4];
    for (counts, q) in bytes.chunks_exact(2).zip(QUADRANT_OF) {
        quadrants[q] = [counts[0], counts[1]];
    }
    Section::new(quadrants)
}

/// Returns the key by which a file sorts its sections. The key consists of the marble counts,
/// quadrant by quadrant. The last count is the most significant byte.
fn id(section: Section) -> u64 {
    let counts = QUADRANT_OF.map(|q| section.counts()[q]);
    counts.as_flattened().iter().rev().fold(0, |id, &count| id << 8 | u64::from(count))
}

/// Parses the entries of a block. Returns an error if both players win a position.
fn entries(bytes: &[u8], interleaved: bool) -> Result<Vec<Won>, Fault> {
    let entries: Vec<Won> = bytes.as_chunks().0.iter().map(|entry| won(entry, interleaved)).collect();
    let both = |&Won([first, second]): &Won| (first & second).any();
    match entries.iter().position(both) {
        Some(at) => Err(Fault::WonByBoth(at)),
        None => Ok(entries),
    }
}

fn won(entry: &[u8; ENTRY_BYTES], interleaved: bool) -> Won {
    let words: [u64; 8] = std::array::from_fn(|i| number(entry, 8 * i, 8));
    Won([0, 1].map(|player| {
        BitArray::new(std::array::from_fn(|i| {
            if interleaved {
                // The bits of both players alternate, so two words contain 64 bits of each player.
                every_second(words[2 * i] >> player) | every_second(words[2 * i + 1] >> player) << 32
            } else {
                words[4 * player + i]
            }
        }))
    }))
}

/// Moves bits 0, 2, 4... of a word to bits 0, 1, 2... of the result.
fn every_second(word: u64) -> u64 {
    let mut word = word & 0x5555_5555_5555_5555;
    word = (word | word >> 1) & 0x3333_3333_3333_3333;
    word = (word | word >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    (word | word >> 16) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of the format: one section with one entry, encoded with both filters.
    #[test]
    fn the_worked_example() {
        let section = section_at(&[0, 2, 1, 0, 1, 0, 1, 0]).expect("a section");
        assert_eq!(section.to_string(), "10,10,02,10");
        assert_eq!(id(section), 281_479_271_744_000);
        let hex = |text: &str| -> Vec<u8> {
            let digits = text.bytes().filter_map(|c| (c as char).to_digit(16));
            let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
            digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
        };
        let entry = hex("
            55 55 00 00 22 00 00 00 00 55 44 00 55 55 55 55 00 00 00 00 22 00 00 22 00 00 00 00 00 44 55 00
            22 00 00 22 aa 22 22 aa 22 00 00 22 00 00 00 00 22 00 00 00 aa 22 00 22 22 00 00 00 00 44 00 00");
        let set = |text: &str| -> BitArray<[u64; 4]> {
            let bytes: Vec<u8> = hex(text).into_iter().rev().collect();
            BitArray::new(std::array::from_fn(|i| number(&bytes, 8 * i, 8)))
        };
        let expected = Won([
            set("00a000000000000000000000000000000fa0000000000000ffff0af0000000ff"),
            set("00000005505f000500005005f55f500500000000500500000000000000050000"),
        ]);
        assert_eq!(won(entry[..].try_into().expect("an entry"), true), expected);
        let mut plain = Vec::new();
        expected.0.iter().flat_map(|set| set.data).for_each(|word| plain.extend(word.to_le_bytes()));
        assert_eq!(won(plain[..].try_into().expect("an entry"), false), expected);
        plain.copy_within(0..32, 32);
        let doubled = entries(&[&vec![0; ENTRY_BYTES][..], &plain].concat(), false);
        assert!(matches!(doubled, Err(Fault::WonByBoth(1))));
    }
}
