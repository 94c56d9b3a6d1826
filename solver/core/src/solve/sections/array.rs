//! The constant data of one section: its winning lines, its children, and the locations of the
//! children.

use crate::index::sections::patterns::{Pattern, PatternPlace};
use crate::index::sections::section::{EDGE, Section, Sections};
use crate::kernel::{AxisLines, AxisRange, LineGroups, Places};
use crate::symmetry::Element;
use crate::values::Grid;

/// The data for computing the array of one section.
pub(super) struct SectionArray {
    pub grid: Grid,
    pub axes: [SectionAxis; 4],
    /// For each quadrant, the array of the children whose new marble is on that quadrant. `None` if
    /// the quadrant is full, or if the computation needs no children.
    pub children: [Option<ChildArray>; 4],
}

/// The data for the patterns of one quadrant.
pub(super) struct SectionAxis {
    pub lines: AxisLines,
    /// The children of each pattern, one for each free cell. The children of a pattern are sorted
    /// by quarter turns, then by index.
    pub children: Places,
    /// The number of distinct images of each pattern under rotations: 4 divided by the number of
    /// rotations, 1 to 4, that leave the pattern unchanged.
    pub weights: Vec<u8>,
}

/// The array of the children whose new marble is on one particular quadrant.
pub(super) struct ChildArray {
    /// The index, in the next slice, of the standard section that stores the children.
    pub array: u32,
    /// The grid of the standard section's array.
    pub grid: Grid,
    /// The symmetry that maps the child section to its standard section.
    pub by: Element,
    /// The extents of the child section's array, before the symmetry is applied.
    pub extents: [u32; 4],
    /// For each axis and each index on that axis: the corresponding index in the standard array,
    /// and the quarter turns that the quadrant makes. The symmetry may move the quadrant to another
    /// axis.
    pub maps: [Vec<PatternPlace>; 4],
    /// For each block of the parent along the axis of the new marble: the blocks of the child's
    /// array along the same axis that contain children. Each list is in ascending order. Empty for
    /// axis 3, where all blocks belong to one row.
    pub reads: Vec<Vec<u32>>,
}

impl SectionArray {
    /// Collects the data of a section. `find` returns the index that a standard section has in the
    /// next slice.
    ///
    /// # Errors
    /// If `find` fails.
    pub fn new<E>(
        sections: &Sections,
        groups: &LineGroups,
        section: Section,
        with_children: bool,
        find: impl Fn(Section) -> Result<u32, E>,
    ) -> Result<SectionArray, E> {
        let mover = section.mover();
        let axes: [SectionAxis; 4] =
            std::array::from_fn(|q| SectionAxis::new(sections, groups, q, section.counts()[q], mover));
        let mut children = [None, None, None, None];
        for (q, slot) in children.iter_mut().enumerate() {
            if let Some(child) = section.child(sections.shape(), q).filter(|_| with_children) {
                let (standard, by) = sections.standardise(child);
                *slot = Some(ChildArray::new(sections, child, standard, by, find(standard)?, q, &axes[q]));
            }
        }
        Ok(SectionArray { grid: Grid::new(sections.extents(section), EDGE), axes, children })
    }

    /// Returns the winning lines for the patterns of a row of blocks. Along the axes 0, 1 and 2,
    /// the row starts at `starts` and has `sides` patterns. Along axis 3, the row has all patterns.
    pub fn lines_along(&self, starts: [usize; 3], sides: [usize; 3]) -> [AxisRange<'_>; 4] {
        std::array::from_fn(|axis| {
            let start = starts.get(axis).copied().unwrap_or(0);
            let len = sides.get(axis).copied().unwrap_or(self.grid.extents[3] as usize);
            (&self.axes[axis].lines, start..start + len)
        })
    }

    /// Returns the number of boards of a block. Each pattern is weighted by its number of distinct
    /// images under rotations.
    pub fn boards(&self, block: u64) -> u64 {
        let sum = |(range, axis): (std::ops::Range<u32>, &SectionAxis)| {
            axis.weights[range.start as usize..range.end as usize].iter().copied().map(u64::from).sum::<u64>()
        };
        self.grid.ranges(block).into_iter().zip(&self.axes).map(sum).product()
    }
}

impl SectionAxis {
    fn new(sections: &Sections, groups: &LineGroups, q: usize, counts: [u8; 2], mover: usize) -> SectionAxis {
        let (patterns, shape) = (sections.patterns(), sections.shape());
        let lines = AxisLines::new(sections, groups, q, counts, mover);
        let mut children = patterns.children(counts, mover);
        for of_pattern in children.chunks_mut(lines.free.max(1)) {
            of_pattern.sort_by_key(|place| (place.quarters, place.index));
        }
        let weights = patterns.list(counts).iter().map(|p| 4 / p.stabiliser(shape)).collect();
        SectionAxis { lines, children: children.into(), weights }
    }
}

impl ChildArray {
    fn new(
        sections: &Sections,
        child: Section,
        standard: Section,
        by: Element,
        array: u32,
        q: usize,
        axis: &SectionAxis,
    ) -> ChildArray {
        let (patterns, shape) = (sections.patterns(), sections.shape());
        let map = |counts: [u8; 2]| {
            let place = |p: &Pattern| {
                let place = patterns.place(p.image(shape, by.global()));
                // The quarter turns that the quadrant makes under the symmetry, as seen from the
                // child's side of the board. A mirrored view reverses the direction of turns.
                let quarters = if by.is_mirror() { (4 - place.quarters) % 4 } else { place.quarters };
                PatternPlace { quarters, ..place }
            };
            patterns.list(counts).iter().map(place).collect()
        };
        let reads = if q == 3 {
            Vec::new()
        } else {
            let of_block = |children: &[PatternPlace]| {
                let mut blocks: Vec<u32> = children.iter().map(|p| u32::from(p.index) / EDGE).collect();
                blocks.sort_unstable();
                blocks.dedup();
                blocks
            };
            axis.children.all().chunks(EDGE as usize * axis.lines.free).map(of_block).collect()
        };
        ChildArray {
            array,
            grid: Grid::new(sections.extents(standard), EDGE),
            by,
            extents: sections.extents(child),
            maps: child.counts().map(map),
            reads,
        }
    }

    /// Returns the extents, in entries, of a piece of the child's array. `at` selects one block
    /// along each of the axes 0, 1 and 2. Along axis 3 the piece contains all entries.
    pub fn piece_extents(&self, at: [u32; 3]) -> [usize; 4] {
        std::array::from_fn(|axis| {
            let all = self.extents[axis];
            at.get(axis).map_or(all, |&c| EDGE.min(all - c * EDGE)) as usize
        })
    }
}
