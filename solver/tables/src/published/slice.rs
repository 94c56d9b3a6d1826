//! A file of the published solution as a slice of this program.
//!
//! A symmetry of the board maps each board of the standard section to a board of the section that
//! the file has, with an equal value. The symmetry acts on each quadrant separately. Quadrant q
//! with pattern i of its list, turned clockwise r times, becomes a quadrant of the file with
//! pattern j of its list, turned counterclockwise some number of times; j depends on i alone. A
//! short list for each axis therefore locates every entry in the file, and maps its bits to
//! rotations.

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

/// The number of entries up to which a section is one block. Large blocks leave fewer entries
/// without neighbours (`bench/README.md#blocks`).
const ONE_BLOCK: u64 = 8192;

/// A file as the arrays of a table, with values for the side to move.
#[derive(Debug)]
pub struct PublishedSlice {
    file: Published,
    /// The sections in the order of their keys.
    parts: Vec<SectionPart>,
    /// `true` if the counts must equal the published counts.
    pub(super) published: bool,
}

/// A section of the slice, with the image of the section in the file.
#[derive(Debug)]
struct SectionPart {
    section: Section,
    /// The index in the file of the section or of its image.
    number: usize,
    /// The axes of the array: the quadrants of the standard section.
    axes: [PublishedAxis; 4],
}

/// The image in the file of one quadrant of the standard section.
#[derive(Debug)]
struct PublishedAxis {
    quadrant: usize,
    /// For each minimal pattern, its index along the axis in the file and, for each number of
    /// clockwise turns, the number of counterclockwise turns of the file's pattern.
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

    /// Returns the index of an entry in the array of the file.
    fn index(&self, index: [u32; 4]) -> [u32; 4] {
        let mut there = [0; 4];
        for (axis, i) in self.axes.iter().zip(index) {
            there[axis.quadrant] = axis.places[i as usize].0;
        }
        there
    }

    /// Converts the values in the file to an entry.
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
    /// Returns the axis of quadrant `q` with these counts, where `back` maps boards to the file.
    fn new(counts: [u8; 2], q: usize, back: Element) -> PublishedAxis {
        let image = usize::from(back.quadrant(q as u8));
        let quadrant = QUADRANT_OF.iter().position(|&b| b == image).expect("all quadrants are listed");
        let patterns = sections().patterns();
        // A symmetry of the board acts on the pattern of every quadrant alike.
        let place =
            |p: &Pattern, r: u8| place(p.turned(Shape::Pentago, r).image(Shape::Pentago, back.global()));
        let of = |p: &Pattern| (place(p, 0).0, std::array::from_fn(|r| place(p, r as u8).1));
        PublishedAxis { quadrant, places: patterns.list(counts).iter().map(of).collect() }
    }
}

/// Returns the index of a pattern in the file's list, and the number of counterclockwise turns from
/// the minimal pattern there.
///
/// The file counts cells upwards, column by column, which is the order of this program after a
/// clockwise quarter turn of the quadrant. The code of a pattern in the file is therefore the code
/// of the turned pattern in this program. Minimal patterns and their order depend on codes and
/// turns alone, so both lists have the same codes.
fn place(p: Pattern) -> (u32, u8) {
    let place = sections().patterns().place(p.turned(Shape::Pentago, 1));
    (place.index.into(), (4 - place.quarters) % 4)
}

impl PublishedSlice {
    /// Returns the slice in a file, or the sections of the slice that the file has.
    #[must_use]
    pub fn new(file: Published) -> PublishedSlice {
        let stored = file.sections().iter().enumerate();
        let mut parts: Vec<SectionPart> =
            stored.map(|(number, stored)| SectionPart::new(number, stored.section)).collect();
        parts.sort_by_cached_key(|part| sections().key(part.section));
        PublishedSlice { file, parts, published: true }
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Published {
        &self.file
    }

    /// Returns the content of the table: sections of the game under the default rules.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        let target = Target { rules: Rules::default(), domain: Domain::Game };
        let array = |part: &SectionPart| ArrayInfo { key: sections().key(part.section), grid: part.grid() };
        Manifest { target, slice: self.file.marbles(), arrays: self.parts.iter().map(array).collect() }
    }

    /// Fills `into` with the entries of a block.
    ///
    /// # Errors
    /// If the block can't be read, or is damaged.
    ///
    /// # Panics
    /// If there is no such block, or `into` has another length.
    pub fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), PublishedError> {
        let part = &self.parts[id.array as usize];
        let (grid, there) = (part.grid(), self.file.sections()[part.number].grid);
        assert_eq!(into.len(), grid.len(id.block));
        // The published files have blocks of the same size; each block then needs one block of the
        // file.
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

/// Returns a slice with invented values, whose counts [`import`](super::import()) doesn't compare
/// with the published counts.
#[doc(hidden)]
#[must_use]
pub fn made_up(slice: PublishedSlice) -> PublishedSlice {
    PublishedSlice { published: false, ..slice }
}
