//! A file of the published solution as one of our slices.
//!
//! A symmetry of the board takes each board of our standard section to one of the section that the
//! file has instead, with the same value. It acts on each quadrant separately: quadrant q with
//! pattern i of its list, turned clockwise r times, becomes a quadrant of the file with pattern j
//! of its list, turned counterclockwise some number of times, where j depends only on i. So a short
//! list for each axis locates every entry in the file, and maps its bits to rotations.

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

/// A section of at most so many entries is one block: with few marbles the values of a whole section
/// teach the models what those of other slices, which they were trained on, don't
/// (`bench/README.md#blocks`).
const ONE_BLOCK: u64 = 8192;

/// The sections of a file as the arrays of a table, with their values for the side to move.
#[derive(Debug)]
pub struct PublishedSlice {
    file: Published,
    /// In the order of their keys.
    parts: Vec<SectionPart>,
    /// Whether its counts are to be the published ones.
    pub(super) published: bool,
}

/// A section.
#[derive(Debug)]
struct SectionPart {
    section: Section,
    /// The number of this section, or of an image of it, in the file.
    number: usize,
    /// The quadrants of our boards.
    axes: [PublishedAxis; 4],
}

/// The image of one quadrant of our boards in the file.
#[derive(Debug)]
struct PublishedAxis {
    quadrant: usize,
    /// For each minimal pattern: its index along the axis in the file, and for each number of
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

    /// The index of an entry in the array of the file.
    fn index(&self, index: [u32; 4]) -> [u32; 4] {
        let mut there = [0; 4];
        for (axis, i) in self.axes.iter().zip(index) {
            there[axis.quadrant] = axis.places[i as usize].0;
        }
        there
    }

    /// An entry from the values in the file.
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
    /// For boards with these counts in quadrant `q` that `back` takes to boards of the file.
    fn new(counts: [u8; 2], q: usize, back: Element) -> PublishedAxis {
        let image = usize::from(back.quadrant(q as u8));
        let quadrant = QUADRANT_OF.iter().position(|&b| b == image).expect("all quadrants are listed");
        let patterns = sections().patterns();
        // A symmetry of the board acts in the same way on the pattern of each quadrant.
        let place =
            |p: &Pattern, r: u8| place(p.turned(Shape::Pentago, r).image(Shape::Pentago, back.global()));
        let of = |p: &Pattern| (place(p, 0).0, std::array::from_fn(|r| place(p, r as u8).1));
        PublishedAxis { quadrant, places: patterns.list(counts).iter().map(of).collect() }
    }
}

/// The index of a pattern in the file's list, and the number of counterclockwise turns of the
/// minimal pattern there.
///
/// The file counts cells upwards, column by column: this is our order after a clockwise quarter
/// turn of the quadrant. So the number of a pattern there is our number of the turned pattern.
/// Since minimal patterns and their order depend only on numbers and turns, the lists hold the same
/// numbers.
fn place(p: Pattern) -> (u32, u8) {
    let place = sections().patterns().place(p.turned(Shape::Pentago, 1));
    (place.index.into(), (4 - place.quarters) % 4)
}

impl PublishedSlice {
    /// The slice in a file, or those of its sections that the file has.
    #[must_use]
    pub fn new(file: Published) -> PublishedSlice {
        let stored = file.sections().iter().enumerate();
        let mut parts: Vec<SectionPart> =
            stored.map(|(number, stored)| SectionPart::new(number, stored.section)).collect();
        parts.sort_by_cached_key(|part| sections().key(part.section));
        PublishedSlice { file, parts, published: true }
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Published {
        &self.file
    }

    /// Its content: sections of the game under the default rules.
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
        // Only one if the blocks of the file have our size, as in the published files.
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

/// A slice whose values are made up, of all sections or some: they aren't compared with the published
/// counts.
#[doc(hidden)]
#[must_use]
pub fn made_up(slice: PublishedSlice) -> PublishedSlice {
    PublishedSlice { published: false, ..slice }
}
