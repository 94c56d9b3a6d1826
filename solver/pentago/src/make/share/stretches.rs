//! The sections of a slice in order: the range of blocks of each section, and the plan of its rows.

use super::memory::Memory;
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::solve::{AxisReads, RowPlan, RowReads, RowSets};
use pentago_core::values::Grid;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A section and the position of its blocks in the slice.
pub struct Stretch {
    pub section: Section,
    pub grid: Grid,
    /// The number of blocks in all earlier sections of the slice.
    pub first_block: u64,
    /// The number of entries in all earlier sections of the slice.
    pub entries_before: u64,
}

/// The sections of a slice, with the data for planning the computation of their rows.
pub struct Stretches<'a> {
    pub all: &'a Sections,
    pub each: Vec<Stretch>,
    /// The blocks that are read along the axis of a quadrant, keyed by the marble counts of the
    /// quadrant.
    reads: BTreeMap<[u8; 2], AxisReads>,
    /// Finished plans, keyed by the first block of the section, the sets of rows, and the memory.
    plans: RefCell<HashMap<(u64, RowSets, Memory), RowPlan>>,
}

impl<'a> Stretches<'a> {
    /// Determines the positions of the blocks of standard sections, which must belong to one slice.
    pub fn new(all: &'a Sections, sections: &[Section]) -> Stretches<'a> {
        let (mut first_block, mut entries_before) = (0, 0);
        let mut reads = BTreeMap::new();
        let stretch = |&section: &Section| {
            let grid = Grid::new(all.extents(section), EDGE);
            let stretch = Stretch { section, grid, first_block, entries_before };
            first_block += grid.blocks();
            entries_before += grid.entries();
            for counts in section.counts() {
                reads
                    .entry(counts)
                    .or_insert_with(|| AxisReads::new(all.blocks_read(counts, section.mover())));
            }
            stretch
        };
        let each = sections.iter().map(stretch).collect();
        Stretches { all, each, reads, plans: RefCell::default() }
    }

    /// Plans the computation of some rows of a section within a memory limit.
    pub fn plan(&self, stretch: &Stretch, rows: &Range<u64>, memory: Memory) -> RowPlan {
        let reads = self.row_reads(stretch);
        let sets = reads.most(rows);
        let key = (stretch.first_block, sets, memory);
        if let Some(&plan) = self.plans.borrow().get(&key) {
            return plan;
        }
        let plan = reads.plan(sets, memory.for_pieces() as f64, memory.threads);
        self.plans.borrow_mut().insert(key, plan);
        plan
    }

    /// Returns the blocks of the next slice that each row of a section reads.
    pub fn row_reads(&self, stretch: &Stretch) -> RowReads<'_> {
        RowReads::new(self.all, stretch.section, Some(|counts| &self.reads[&counts]))
    }

    /// Returns sets of blocks of a section's child. The index is the block along the axis of
    /// `quadrant`, and the element is the set of the child's blocks that this block reads.
    pub fn read_by(&self, section: Section, quadrant: usize) -> &[u64] {
        &self.reads[&section.counts()[quadrant]].reads
    }

    /// Returns the total number of blocks and the total number of entries in all sections.
    pub fn ends(&self) -> (u64, u64) {
        self.each.last().map_or((0, 0), |last| {
            (last.first_block + last.grid.blocks(), last.entries_before + last.grid.entries())
        })
    }
}
