//! The passes over rows of entries as safe methods of [`Passes`], which check their arguments.

use super::lines::{BlockLines, LineGroups, LinesAlong};
use super::row::{BlockRows, Blocks, EntryRow, RowScratch, View};
use crate::kernel::formula::Combine;
use crate::kernel::lanes::Pack;
use crate::kernel::passes::Passes;

#[allow(unsafe_code)]
impl Passes {
    /// Computes a row of entries; `clockwise`: quadrants turn clockwise only.
    ///
    /// # Panics
    /// If the row lacks something for one of the entries.
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
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row was checked for
        // the length of `out`.
        unsafe { run(row, out.as_mut_ptr(), std::ptr::null_mut(), out.len(), scratch) }
    }

    /// Returns the same, and what is [predicted](EntryRow::ahead) of the entries.
    ///
    /// # Panics
    /// If the row lacks something for one of the entries, or there aren't as many guesses.
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
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row was checked for
        // the length of both.
        unsafe { run(row, out.as_mut_ptr(), guess.as_mut_ptr(), out.len(), scratch) }
    }

    /// Copies one of the rows in blocks.
    ///
    /// # Panics
    /// If there is no such row, or it has another number of entries.
    #[inline]
    pub(crate) fn copy_row(self, rows: &BlockRows, row: usize, out: &mut [Pack]) {
        assert_eq!(rows.len(), out.len());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; the row has as many entries.
        unsafe { (self.0.entries.copy)(rows.row(row), out) }
    }

    /// Puts entries of a block into a row. If the view is `past_caches`, a [`fence`](crate::kernel::fence) has
    /// to come before another thread reads them.
    ///
    /// # Panics
    /// If the block has no such places, something is turned four times or more, or there is no such symmetry.
    #[inline]
    pub(crate) fn view(self, block: &[Pack], view: &View, out: &mut [Pack]) {
        assert!((1..8).contains(&view.global) && view.quarters.iter().all(|&by| by < 4));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; turns are less than 4. A fence
        // comes before other threads read.
        unsafe { (self.0.entries.view)(block, view, out) }
    }

    /// Puts a row of entries into blocks, and adds their true values to the sums. If they go `past_caches`, a
    /// [`fence`](crate::kernel::fence) has to come before another thread reads them.
    ///
    /// # Panics
    /// If the blocks don't hold the row.
    #[inline]
    pub(crate) fn settle(self, entries: &[Pack], weights: &[u8], to: &mut Blocks) {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. A fence comes before other threads
        // read.
        unsafe { (self.0.entries.settle)(entries, weights, to) }
    }

    /// Finds the lines of the boards with these patterns along the axes.
    ///
    /// # Panics
    /// If the axes are of other lines.
    pub fn prepare_lines(self, groups: &LineGroups, along: &[LinesAlong; 4], lines: &mut BlockLines) {
        assert!((0..4).all(|q| along[q].has_lines(groups.of_quadrant(q).len())));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.entries.prepare)(groups, along, lines) }
    }

    /// Goes to the rows with these places along the axes 0 and 1: only they may be computed then.
    ///
    /// # Panics
    /// If the axes have no such places.
    pub fn enter_lines(self, lines: &mut BlockLines, at: [usize; 2]) {
        let lens = lines.lens();
        assert!(at[0] < lens[0] && at[1] < lens[1]);
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.entries.enter)(lines, at) }
    }
}
