//! The passes over rows of entries as safe methods of [`Passes`]. The methods check their
//! arguments.

use super::EntryPasses;
#[cfg(target_family = "wasm")]
use super::PORTABLE;
use super::lines::BlockLines;
use super::row::{BlockRows, Blocks, EntryRow, RowScratch, View};
use crate::kernel::axis::{AxisRange, KINDS, LineGroups};
use crate::kernel::formula::Combine;
use crate::kernel::lanes::Pack;
use crate::kernel::passes::Passes;

impl Passes {
    /// Returns the passes over entries. In a table of functions, they would enlarge the page's
    /// module, which doesn't call them.
    fn entries(self) -> &'static EntryPasses {
        #[cfg(target_family = "wasm")]
        return &PORTABLE;
        #[cfg(not(target_family = "wasm"))]
        self.0.entries
    }

    /// Computes a row of entries into `out`. If `guess` is given, also writes the predictions of
    /// these entries to `guess` ([`EntryRow::ahead`]). If `clockwise` is `true`, quadrants turn
    /// only clockwise.
    ///
    /// # Panics
    /// If a part of `row` is too short for `out`, or `out` and `guess` differ in length.
    #[inline]
    pub fn row(
        self,
        combine: Combine,
        clockwise: bool,
        row: &EntryRow,
        out: &mut [Pack],
        guess: Option<&mut [Pack]>,
        scratch: &mut RowScratch,
    ) {
        assert!(guess.as_ref().is_none_or(|guess| guess.len() == out.len()));
        row.check(out.len());
        let guess = guess.map_or(std::ptr::null_mut(), <[Pack]>::as_mut_ptr);
        let run = self.entries().rows[combine as usize][usize::from(clockwise)];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. `check` has
        // checked that the row suffices for the length of `out`, which is also the length of
        // `guess`.
        unsafe { run(row, out.as_mut_ptr(), guess, out.len(), scratch) }
    }

    /// Copies the row with index `row` of `rows` to `out`.
    ///
    /// # Panics
    /// If the row doesn't exist, or the number of its entries differs from the length of `out`.
    #[inline]
    pub(crate) fn copy_row(self, rows: &BlockRows, row: usize, out: &mut [Pack]) {
        assert_eq!(rows.len(), out.len());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The assertion
        // has checked that the row has as many entries as `out`.
        unsafe { (self.entries().copy)(rows.row(row), out) }
    }

    /// Copies entries of a block to the row `out`, as images under a symmetry of the board. If
    /// `view.past_caches` is `true`, this thread must call [`fence`](crate::kernel::fence) before
    /// another thread reads `out`.
    ///
    /// # Panics
    /// If `view.places` has an index outside the block, a quarter turn exceeds 3, or the symmetry
    /// isn't 1 to 7.
    #[inline]
    pub(crate) fn view(self, block: &[Pack], view: &View, out: &mut [Pack]) {
        assert!((1..8).contains(&view.global) && view.quarters.iter().all(|&by| by < 4));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. All quarter
        // turns are less than 4: the assertion checks those on axes 0 to 2, and `Places` those on
        // axis 3. The caller calls `fence` before other threads read `out`.
        unsafe { (self.entries().view)(block, view, out) }
    }

    /// Copies a row of entries to its blocks, and adds the weighted numbers of true values to
    /// `to.sums`. If `to.past_caches` is `true`, this thread must call
    /// [`fence`](crate::kernel::fence) before another thread reads the blocks.
    ///
    /// # Panics
    /// If the blocks are too small for the row.
    #[inline]
    pub(crate) fn settle(self, entries: &[Pack], weights: &[u8], to: &mut Blocks) {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The caller
        // calls `fence` before other threads read the blocks.
        unsafe { (self.entries().settle)(entries, weights, to) }
    }

    /// Finds the rotations at which boards have lines, for all boards of a block or of a row of
    /// blocks. `along` has the patterns along the four axes.
    ///
    /// # Panics
    /// If an axis was made for other lines than `groups`, or a range is empty or exceeds the
    /// patterns of its axis.
    pub fn prepare_lines(self, groups: &LineGroups, along: &[AxisRange; 4], lines: &mut BlockLines) {
        for ((axis, range), of_quadrant) in along.iter().zip(&groups.of_quadrant) {
            assert!(!range.is_empty() && range.end <= axis.patterns);
            assert!(axis.turns.len() == KINDS * of_quadrant.len() * axis.patterns);
        }
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.entries().prepare)(groups, along, lines) }
    }

    /// Selects the rows with the indices `at` along axes 0 and 1. A row must be selected before it
    /// is computed.
    ///
    /// # Panics
    /// If an index exceeds its axis.
    pub fn enter_lines(self, lines: &mut BlockLines, at: [usize; 2]) {
        let lens = lines.lens();
        assert!(at[0] < lens[0] && at[1] < lens[1]);
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.entries().enter)(lines, at) }
    }
}
