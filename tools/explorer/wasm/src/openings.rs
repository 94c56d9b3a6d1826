//! The published values of the first moves, as the browser reads them.
//!
//! Slices 0 to [`LAST`] of the default rules: for each slice its standard sections in their
//! order, for each section its entries in the order of their indices (the last index changes
//! fastest), for each entry 32 bytes of `win` and 32 of `not_lose` ([`Entry`]). Nothing else is
//! stored: how many there are follows from the rules. The file is this, compressed with gzip, which
//! every browser undoes by itself; zstd, in which tables are kept, is C code that isn't to be had
//! here.

use pentago::index::{Address, Sections};
use pentago::rules::Shape;
use pentago::supers::{Half, Super};
use pentago::values::Entry;
use pentago::{Board, Position, Rules, Wdl};

/// The last slice, in marbles.
pub const LAST: u32 = 5;
/// What the uncompressed file begins with.
pub const MAGIC: &[u8; 16] = b"pentago open 2\n\0";
/// Bytes of an entry.
const ENTRY: usize = 64;

/// The values.
pub struct Openings {
    bytes: Vec<u8>,
    /// Where each section's entries begin, in entries.
    sections: Vec<(pentago::Section, usize)>,
}

/// The sections in the order of the file, and the entries of all.
pub fn sections() -> (Vec<(pentago::Section, usize)>, usize) {
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

/// The index of the default rules.
pub fn index() -> &'static Sections {
    Sections::of(Shape::Pentago, Rules::default().dir)
}

impl Openings {
    /// The values in these bytes; none if they are something else.
    pub fn new(bytes: Vec<u8>) -> Option<Openings> {
        let (sections, entries) = sections();
        let right = bytes.starts_with(MAGIC) && bytes.len() == MAGIC.len() + ENTRY * entries;
        right.then_some(Openings { bytes, sections })
    }

    /// The value of a position for the side to move, if it is one of them. They hold where no turn
    /// is pending, under the default rules.
    pub fn value(&self, position: &Position) -> Option<Wdl> {
        let known = !position.pending() && position.shape() == Shape::Pentago && position.marbles() <= LAST;
        known.then(|| self.board(position.board()))?
    }

    fn board(&self, board: Board) -> Option<Wdl> {
        let Address { section, index: at, rotation, .. } = index().locate(board);
        let (_, first) = self.sections.iter().find(|(other, _)| *other == section)?;
        let extents = index().extents(section);
        let number = (0..4).fold(0, |number, q| number * extents[q] as usize + at[q] as usize);
        let from = MAGIC.len() + ENTRY * (first + number);
        let entry = self.bytes.get(from..from + ENTRY)?;
        let word = |i: usize| entry[8 * i..8 * i + 8].iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
        let half = |i: usize| Half([word(i), word(i + 1)]);
        let entry = Entry { win: Super([half(0), half(2)]), not_lose: Super([half(4), half(6)]) };
        Some(entry.get(rotation))
    }
}
