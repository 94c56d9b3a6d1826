//! A file of the published solution as a slice of ours.
//!
//! A board of our standard section goes by a symmetry of the whole board to one of the section that the file has of the
//! same images, where it has the same value. Its blocks go on their own: block q, with pattern i of its list turned clockwise by r quarters, becomes
//! a quadrant that has pattern j of its list turned counter-clockwise by some quarters, of which j depends on i alone. So a short list
//! for each axis says where every entry stands in the file, and which of its bits is which rotation.

use super::reader::{BLOCK_OF, Published, Won};
use super::{PublishedError, sections};
use crate::index::sections::section::EDGE;
use crate::index::{Pattern, Section};
use crate::rules::{Rules, Shape};
use crate::supers::Super;
use crate::symmetry::{Element, Rotation};
use crate::tables::{ArrayInfo, Domain, Manifest, Target};
use crate::values::{BlockId, Entry, Grid, Source};
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

/// The sections of a file as the arrays of a table, with their values for the side to move.
#[derive(Debug)]
pub struct PublishedSlice {
    file: Published,
    /// In the order of our sections.
    parts: Vec<SectionPart>,
}

/// A section.
#[derive(Debug)]
struct SectionPart {
    section: Section,
    /// The number of the same section, or of an image of it, in the file.
    number: usize,
    /// The blocks of our boards.
    axes: [PublishedAxis; 4],
}

/// What becomes of one block of our boards.
#[derive(Debug)]
struct PublishedAxis {
    quadrant: usize,
    /// For each minimal pattern: its index along that quadrant, and for each clockwise turn of it how often that quadrant's pattern is
    /// turned counter-clockwise.
    places: Vec<(u32, [u8; 4])>,
}

impl SectionPart {
    fn new(number: usize, stored: Section) -> SectionPart {
        let (section, by) = sections().standardise(stored);
        let back = by.inverse();
        let axes = std::array::from_fn(|block| PublishedAxis::new(section.0[block], block, back));
        SectionPart { section, number, axes }
    }

    fn grid(&self) -> Grid {
        Grid::new(sections().extents(self.section), EDGE)
    }

    /// Where an entry stands in the array of the file.
    fn index(&self, index: [u32; 4]) -> [u32; 4] {
        let mut there = [0; 4];
        for (axis, i) in self.axes.iter().zip(index) {
            there[axis.quadrant] = axis.places[i as usize].0;
        }
        there
    }

    /// An entry from what the file says of it.
    fn entry(&self, index: [u32; 4], won: &Won) -> Entry {
        let digits: [[u8; 4]; 4] = std::array::from_fn(|block| {
            let axis = &self.axes[block];
            axis.places[index[block] as usize].1.map(|quarters| quarters << (2 * axis.quadrant))
        });
        let wins = |player: usize, r: Rotation| {
            let bit = (0..4).fold(0, |bit, block| bit | digits[block][usize::from(r[block])]);
            won.0[player][usize::from(bit / 64)] >> (bit % 64) & 1 != 0
        };
        let mover = self.section.mover();
        Entry { win: Super::from_fn(|r| wins(mover, r)), not_lose: Super::from_fn(|r| !wins(1 - mover, r)) }
    }
}

impl PublishedAxis {
    /// For boards with these counts in `block` that `back` takes to boards of the file.
    fn new(counts: [u8; 2], block: usize, back: Element) -> PublishedAxis {
        let image = usize::from(back.quadrant(block as u8));
        let quadrant = BLOCK_OF.iter().position(|&b| b == image).expect("every block is a quadrant");
        let patterns = sections().patterns();
        // A symmetry of the whole board does the same to the pattern of each block.
        let place =
            |p: &Pattern, r: u8| place(p.turned(Shape::Pentago, r).image(Shape::Pentago, back.global()));
        let of = |p: &Pattern| (place(p, 0).0, std::array::from_fn(|r| place(p, r as u8).1));
        PublishedAxis { quadrant, places: patterns.list(counts).iter().map(of).collect() }
    }
}

/// The index of a pattern in the file's list, and how often the minimal pattern there is turned counter-clockwise.
///
/// The cells of the file are counted upwards, column by column: that is our order on the block after a quarter turn clockwise. So the
/// number of a pattern there is ours of the turned pattern; and as minimal patterns and their order depend on numbers and turns
/// alone, the lists hold the same numbers.
fn place(p: Pattern) -> (u32, u8) {
    let place = sections().patterns().place(p.turned(Shape::Pentago, 1));
    (place.index.into(), (4 - place.quarters) % 4)
}

impl PublishedSlice {
    /// The slice that a file holds, or the sections of it that it has.
    #[must_use]
    pub fn new(file: Published) -> PublishedSlice {
        let stored = file.sections().iter().enumerate();
        let mut parts: Vec<SectionPart> =
            stored.map(|(number, stored)| SectionPart::new(number, stored.section)).collect();
        parts.sort_unstable_by_key(|part| part.section);
        PublishedSlice { file, parts }
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Published {
        &self.file
    }

    /// What it holds: sections of the game with the usual rules.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        let target = Target { rules: Rules::default(), domain: Domain::Game };
        let array = |part: &SectionPart| ArrayInfo { key: part.section.bytes(), grid: part.grid() };
        Manifest { target, slice: self.file.marbles(), arrays: self.parts.iter().map(array).collect() }
    }
}

impl Source for PublishedSlice {
    type Error = PublishedError;

    /// # Panics
    /// If there is no such block, or it has another length.
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), PublishedError> {
        let part = &self.parts[id.array as usize];
        let (grid, there) = (part.grid(), self.file.sections()[part.number].grid);
        assert_eq!(into.len(), grid.len(id.block));
        let ranges = grid.ranges(id.block);
        let lens = ranges.each_ref().map(|range| range.end - range.start);
        let inside = Grid { extents: lens, edges: lens };
        // A single one where the file has blocks of our size, as the published ones do.
        let mut blocks: HashMap<u64, Vec<Won>> = HashMap::new();
        for (number, entry) in (0..).zip(into) {
            let at = inside.index(number);
            let index = std::array::from_fn(|axis| ranges[axis].start + at[axis]);
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
