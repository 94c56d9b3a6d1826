//! Converts a file of the published solution to a slice of this program.
//!
//! The file may contain a symmetric image of the section that this program stores. A symmetry maps
//! each board of the stored section to a board in the file that has the same value. The symmetry
//! acts on each quadrant separately. It maps pattern i of a quadrant, turned clockwise r times, to
//! pattern j of a quadrant in the file, turned counterclockwise some number of times. The index j
//! depends only on i. A short list per axis therefore suffices to locate every entry in the file,
//! and to map its bits to rotations.

use super::reader::{Published, QUADRANT_OF, Won};
use super::{PublishedError, sections};
use crate::tables::{ArrayInfo, Domain, Manifest, Target};
use pentago_core::index::sections::section::EDGE;
use pentago_core::index::{Pattern, Section};
use pentago_core::rules::{Rules, Shape};
use pentago_core::supers::Super;
use pentago_core::symmetry::{Element, Rotation};
use pentago_core::values::{BlockId, Entry, Grid};
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

/// The maximum number of entries in a section that is stored as one block. In large blocks, fewer
/// entries lack neighbours (`bench/README.md#blocks`).
const ONE_BLOCK: u64 = 8192;

/// A published file, presented as the arrays of a table, with values for the side to move.
#[derive(Debug)]
pub struct PublishedSlice {
    /// The published file.
    pub file: Published,
    /// The sections, sorted by key.
    parts: Vec<SectionPart>,
    /// `true` if the numbers of wins, draws and losses must equal the published numbers.
    pub(super) published: bool,
}

/// A section of the slice, and the location of its image in the file.
#[derive(Debug)]
struct SectionPart {
    section: Section,
    /// The index of the section in the file. The file may contain a symmetric image of the section.
    number: usize,
    /// The axes of the array, one for each quadrant of the standard section.
    axes: [PublishedAxis; 4],
}

/// A quadrant of the standard section, and its image in the file.
#[derive(Debug)]
struct PublishedAxis {
    quadrant: usize,
    /// For each minimal pattern, the index of its image along the axis in the file, and four
    /// numbers of counterclockwise turns. If the pattern is turned clockwise r times, the pattern
    /// in the file is turned counterclockwise as many times as element r states.
    places: Vec<(u32, [u8; 4])>,
}

impl SectionPart {
    fn new(number: usize, stored: Section) -> SectionPart {
        let (section, by) = sections().standardise(stored);
        let back = by.inverse();
        let axes = std::array::from_fn(|q| PublishedAxis::new(section.counts()[q], q, back));
        SectionPart { section, number, axes }
    }

    fn grid(&self) -> Grid {
        let extents = sections().extents(self.section);
        let entries: u64 = extents.iter().map(|&n| u64::from(n)).product();
        let longest = extents.into_iter().max().expect("four axes");
        Grid::new(extents, if entries <= ONE_BLOCK { longest.max(EDGE) } else { EDGE })
    }

    /// Returns the index of an entry in the array of the file. `index` is its index in the array of
    /// this program.
    fn index(&self, index: [u32; 4]) -> [u32; 4] {
        let mut there = [0; 4];
        for (axis, i) in self.axes.iter().zip(index) {
            there[axis.quadrant] = axis.places[i as usize].0;
        }
        there
    }

    /// Converts the values `won` in the file to the entry with index `index` of this program.
    fn entry(&self, index: [u32; 4], won: &Won) -> Entry {
        let digits: [[u8; 4]; 4] = std::array::from_fn(|q| {
            let axis = &self.axes[q];
            axis.places[index[q] as usize].1.map(|quarters| quarters << (2 * axis.quadrant))
        });
        let wins = |player: usize, r: Rotation| {
            let bit = (0..4).fold(0, |bit, q| bit | digits[q][usize::from(r[q])]);
            won.0[player][usize::from(bit)]
        };
        let mover = self.section.mover();
        Entry { win: Super::from_fn(|r| wins(mover, r)), not_lose: Super::from_fn(|r| !wins(1 - mover, r)) }
    }
}

impl PublishedAxis {
    /// Returns the axis of quadrant `q`, whose marble counts are `counts`. The symmetry `back` maps
    /// boards of the standard section to boards in the file.
    fn new(counts: [u8; 2], q: usize, back: Element) -> PublishedAxis {
        let image = usize::from(back.quadrant(q as u8));
        let quadrant = QUADRANT_OF.iter().position(|&b| b == image).expect("all quadrants are listed");
        let patterns = sections().patterns();
        // A symmetry of the whole board acts on the patterns of all quadrants in the same way.
        let place =
            |p: &Pattern, r: u8| place(p.turned(Shape::Pentago, r).image(Shape::Pentago, back.global()));
        let of = |p: &Pattern| (place(p, 0).0, std::array::from_fn(|r| place(p, r as u8).1));
        PublishedAxis { quadrant, places: patterns.list(counts).iter().map(of).collect() }
    }
}

/// Returns the index of a pattern's minimal pattern in the list of the file, and the number of
/// counterclockwise turns that map the minimal pattern to the pattern.
///
/// The file counts cells upwards, column by column. This program counts cells in the same order
/// after a clockwise quarter turn of the quadrant. The code of a pattern in the file is therefore
/// the code of the turned pattern in this program. Minimal patterns and their order depend only on
/// codes and turns, so both lists contain the same codes.
fn place(p: Pattern) -> (u32, u8) {
    let place = sections().patterns().place(p.turned(Shape::Pentago, 1));
    (place.index.into(), (4 - place.quarters) % 4)
}

impl PublishedSlice {
    /// Converts a file that contains a slice, or some sections of a slice.
    pub fn new(file: Published) -> PublishedSlice {
        let stored = file.sections.iter().enumerate();
        let mut parts: Vec<SectionPart> =
            stored.map(|(number, stored)| SectionPart::new(number, stored.section)).collect();
        parts.sort_by_cached_key(|part| sections().key(part.section));
        PublishedSlice { file, parts, published: true }
    }

    /// Returns the description of the table: sections of the whole game under the default rules.
    pub fn manifest(&self) -> Manifest {
        let target = Target { rules: Rules::default(), domain: Domain::Game };
        let array = |part: &SectionPart| ArrayInfo { key: sections().key(part.section), grid: part.grid() };
        Manifest { target, slice: self.file.marbles, arrays: self.parts.iter().map(array).collect() }
    }

    /// Reads a block, and writes its entries to `into`.
    ///
    /// # Errors
    /// If the block can't be read, or is damaged.
    ///
    /// # Panics
    /// If there is no such block, or `into` doesn't have the length of the block.
    pub fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), PublishedError> {
        let part = &self.parts[id.array as usize];
        let (grid, there) = (part.grid(), self.file.sections[part.number].grid);
        assert_eq!(into.len(), grid.len(id.block));
        // Keep the blocks of the file that have been read. If blocks have the same size in the file
        // and in the table, as in the published files, each call reads only one block.
        let mut blocks: HashMap<u64, Vec<Won>> = HashMap::new();
        for (index, entry) in grid.indices(id.block).zip(into) {
            let (block, place) = there.locate(part.index(index));
            let entries = match blocks.entry(block) {
                Occupied(entries) => entries.into_mut(),
                Vacant(empty) => empty.insert(self.file.block(part.number, block)?),
            };
            *entry = part.entry(index, &entries[place]);
        }
        Ok(())
    }
}

/// Marks a slice as invented. [`import`](super::import()) doesn't compare the counts of an invented
/// slice with the published counts.
#[doc(hidden)]
pub fn made_up(slice: PublishedSlice) -> PublishedSlice {
    PublishedSlice { published: false, ..slice }
}
