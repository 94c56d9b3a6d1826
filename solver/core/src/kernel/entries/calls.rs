//! The passes over rows of entries as safe methods of [`Passes`], which check their arguments.

use super::lines::{BlockLines, LineGroups, LinesAlong};
use super::row::{BlockRows, Blocks, EntryRow, RowScratch, View};
use crate::kernel::formula::Combine;
use crate::kernel::lanes::Pack;
use crate::kernel::passes::Passes;

impl Passes {
    /// Computes a row of entries. If `clockwise`, quadrants turn only clockwise.
    ///
    /// # Panics
    /// If a part of the row is too short for `out`.
    #[inline]
    pub fn row(
        self,
        combine: Combine,
        clockwise: bool,
        row: &EntryRow,
        out: &mut [Pack],
        scratch: &mut RowScratch,
    ) {
        row.check(out.len());
        let run = self.0.entries.rows[combine as usize][usize::from(clockwise)];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row
        // was checked for the length of `out`.
        unsafe { run(row, out.as_mut_ptr(), std::ptr::null_mut(), out.len(), scratch) }
    }

    /// Computes a row of entries, and their [predictions](EntryRow::ahead) into `guess`. If
    /// `clockwise`, quadrants turn only clockwise.
    ///
    /// # Panics
    /// If a part of the row is too short for `out`, or `out` and `guess` differ in length.
    #[inline]
    pub(crate) fn row_and_guess(
        self,
        combine: Combine,
        clockwise: bool,
        row: &EntryRow,
        [out, guess]: [&mut [Pack]; 2],
        scratch: &mut RowScratch,
    ) {
        assert_eq!(out.len(), guess.len());
        row.check(out.len());
        let run = self.0.entries.rows[combine as usize][usize::from(clockwise)];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row
        // was checked for the length of both slices.
        unsafe { run(row, out.as_mut_ptr(), guess.as_mut_ptr(), out.len(), scratch) }
    }

    /// Copies one row of `rows`.
    ///
    /// # Panics
    /// If there is no such row, or it has another number of entries than `out`.
    #[inline]
    pub(crate) fn copy_row(self, rows: &BlockRows, row: usize, out: &mut [Pack]) {
        assert_eq!(rows.len(), out.len());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row has as
        // many entries.
        unsafe { (self.0.entries.copy)(rows.row(row), out) }
    }

    /// Copies entries of a block to a row, as images under a symmetry of the board. If
    /// `view.past_caches`, this thread must call [`fence`](crate::kernel::fence) before another
    /// thread reads `out`.
    ///
    /// # Panics
    /// If a place isn't in the block, a quarter turn exceeds 3, or the symmetry isn't 1 to 7.
    #[inline]
    pub(crate) fn view(self, block: &[Pack], view: &View, out: &mut [Pack]) {
        assert!((1..8).contains(&view.global) && view.quarters.iter().all(|&by| by < 4));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; quarter
        // turns are less than 4. The caller calls `fence` before other threads read.
        unsafe { (self.0.entries.view)(block, view, out) }
    }

    /// Copies a row of entries to its blocks, and adds their true values to the sums. If
    /// `to.past_caches`, this thread must call [`fence`](crate::kernel::fence) before another
    /// thread reads the blocks.
    ///
    /// # Panics
    /// If the blocks have no room for the row.
    #[inline]
    pub(crate) fn settle(self, entries: &[Pack], weights: &[u8], to: &mut Blocks) {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The
        // caller calls `fence` before other threads read.
        unsafe { (self.0.entries.settle)(entries, weights, to) }
    }

    /// Finds the lines of all boards of a block, or of a row of blocks, whose patterns along the
    /// axes are given.
    ///
    /// # Panics
    /// If an axis was made for other lines than `groups`.
    pub fn prepare_lines(self, groups: &LineGroups, along: &[LinesAlong; 4], lines: &mut BlockLines) {
        assert!((0..4).all(|q| along[q].has_lines(groups.of_quadrant(q).len())));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.entries.prepare)(groups, along, lines) }
    }

    /// Selects the rows with these indices along axes 0 and 1. Only selected rows may be computed.
    ///
    /// # Panics
    /// If an index isn't on its axis.
    pub fn enter_lines(self, lines: &mut BlockLines, at: [usize; 2]) {
        let lens = lines.lens();
        assert!(at[0] < lens[0] && at[1] < lens[1]);
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.entries.enter)(lines, at) }
    }
}
