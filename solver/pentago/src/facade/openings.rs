//! [`OpeningsFile`]: the published values of the first moves, in the format of the web page.
//!
//! The file holds slices 0 to [`LAST`] of the default rules, without a header: the rules give the
//! number of entries. Each slice has its standard sections in order. Each section has its entries
//! in the order of their indices, the last index fastest. Each entry ([`Entry`]) has 32 bytes of
//! `win` and 32 bytes of `not_lose`. The file is compressed with gzip, which every browser
//! decompresses. The zstd of tables is C code, which the page doesn't have.

use pentago_core::index::{Address, Section, Sections};
use pentago_core::rules::{Board, Position, Rules, Shape};
use pentago_core::supers::{Half, Super};
use pentago_core::values::{Entry, Wdl};

/// The number of marbles of the last slice.
const LAST: u32 = 5;
/// The size of an entry in bytes.
const ENTRY: usize = 64;

/// The values of Pentago's first moves, in the format of the web page.
pub struct OpeningsFile {
    bytes: Vec<u8>,
    /// The sections, each with the index of its first entry.
    sections: Vec<(Section, usize)>,
}

/// Returns the sections in the order of the file, and the number of all entries.
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

/// Returns the index of the default rules.
fn index() -> &'static Sections {
    Sections::of(Shape::Pentago, Rules::default().dir)
}

impl OpeningsFile {
    /// The first bytes of the uncompressed file.
    pub const MAGIC: &[u8; 16] = b"pentago open 2\n\0";

    /// Iterates over the boards of the file, in order.
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

    /// Parses an uncompressed file. Returns `None` if the bytes have another format.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Option<OpeningsFile> {
        let (sections, entries) = sections();
        let right = bytes.starts_with(Self::MAGIC) && bytes.len() == Self::MAGIC.len() + ENTRY * entries;
        right.then_some(OpeningsFile { bytes, sections })
    }

    /// Returns the value of a position for the side to move under the default rules. Returns `None`
    /// if the file lacks the position, or a turn is pending.
    #[must_use]
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
