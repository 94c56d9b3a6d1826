//! [`OpeningsFile`]: the published values of positions after the first moves, in the format of the
//! web page.
//!
//! The file contains slices 0 to [`LAST`] of the default rules. There is no table of contents,
//! because the rules determine the number of entries. A slice lists its standard sections in order.
//! A section lists its entries in the order of their indices, the last index fastest. An entry
//! ([`Entry`]) consists of 32 bytes of `win` and 32 bytes of `not_lose`. The file is compressed
//! with gzip, which every browser can decompress. Tables use zstd, but the page cannot run the C
//! code of zstd.

use pentago_core::index::{Address, Section, Sections};
use pentago_core::rules::{Board, Position, Rules, Shape};
use pentago_core::supers::{Half, Super};
use pentago_core::values::{Entry, Wdl};

/// The number of marbles in the last slice of the file.
const LAST: u32 = 5;
/// The size of an entry in bytes.
const ENTRY: usize = 64;

/// The values of positions after Pentago's first moves, in the format of the web page.
pub struct OpeningsFile {
    bytes: Vec<u8>,
    /// The sections of the file, each with the index of its first entry.
    sections: Vec<(Section, usize)>,
}

/// Returns the sections in the order of the file, each with the index of its first entry. Also
/// returns the total number of entries.
fn sections() -> (Vec<(Section, usize)>, usize) {
    let index = index();
    let mut entries = 0;
    let mut sections = Vec::new();
    for marbles in 0..=LAST {
        for section in index.standard(marbles as usize) {
            sections.push((section, entries));
            entries += index.extents(section).iter().map(|&n| n as usize).product::<usize>();
        }
    }
    (sections, entries)
}

/// Returns the sections of the default rules, which index the entries of the file.
fn index() -> &'static Sections {
    Sections::of(Shape::Pentago, Rules::default().dir)
}

impl OpeningsFile {
    /// The bytes with which the uncompressed file begins.
    pub const MAGIC: &[u8; 16] = b"pentago open 2\n\0";

    /// Iterates over the boards of the file, in the order of the file.
    pub fn boards() -> impl Iterator<Item = Board> {
        let index = index();
        sections().0.into_iter().flat_map(move |(section, _)| {
            let [a, b, c, d] = index.extents(section);
            (0..a * b * c * d).map(move |at| {
                let at = [at / d / c / b, at / d / c % b, at / d % c, at % d];
                index.board(section, at, [0; 4])
            })
        })
    }

    /// Parses the uncompressed bytes of a file. Returns `None` if the bytes have another format.
    pub fn new(bytes: Vec<u8>) -> Option<OpeningsFile> {
        let (sections, entries) = sections();
        let right = bytes.starts_with(Self::MAGIC) && bytes.len() == Self::MAGIC.len() + ENTRY * entries;
        right.then_some(OpeningsFile { bytes, sections })
    }

    /// Returns the value of a position for the side to move under the default rules. Returns `None`
    /// if the file lacks the position, or if a turn is pending.
    pub fn value(&self, position: &Position) -> Option<Wdl> {
        let known = !position.pending() && position.shape() == Shape::Pentago && position.marbles() <= LAST;
        known.then(|| self.board(position.board()))?
    }

    fn board(&self, board: Board) -> Option<Wdl> {
        let Address { section, index: at, rotation, .. } = index().locate(board);
        let (_, first) = self.sections.iter().find(|(other, _)| *other == section)?;
        let extents = index().extents(section);
        let number = (0..4).fold(0, |number, q| number * extents[q] as usize + at[q] as usize);
        let from = Self::MAGIC.len() + ENTRY * (first + number);
        let entry = self.bytes.get(from..from + ENTRY)?;
        let word = |i: usize| entry[8 * i..8 * i + 8].iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
        let half = |i: usize| Half([word(i), word(i + 1)]);
        let entry = Entry { win: Super([half(0), half(2)]), not_lose: Super([half(4), half(6)]) };
        Some(entry.get(rotation))
    }
}
