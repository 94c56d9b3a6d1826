//! The arguments of the passes over rows, with safe interfaces. The lengths of slices and the
//! indices in lists are checked once for each row.

use super::lines::BlockLines;
use crate::index::sections::patterns::PatternPlace;
use crate::index::sections::section::EDGE;
use crate::kernel::axis::KINDS;
use crate::kernel::lanes::Pack;
use crate::rules::Place;
use std::marker::PhantomData;

/// Children by one of the quadrants 0, 1 and 2 that are shifted equally.
#[derive(Clone, Copy)]
pub(super) struct Union {
    /// The quadrant.
    pub axis: u8,
    /// The shift: rotation r of the parent is rotation r + `by` (on the axis) of the child.
    pub by: u8,
    /// The number of children, at least 1.
    pub count: usize,
}

/// A list of places of patterns, with a bound for their indices. Quarter turns are less than 4.
#[derive(Clone, Debug, Default)]
pub struct Places {
    all: Vec<PatternPlace>,
    /// An upper bound: all indices are less.
    bound: usize,
}

impl From<Vec<PatternPlace>> for Places {
    /// # Panics
    /// If a place has more than 3 quarter turns.
    fn from(all: Vec<PatternPlace>) -> Places {
        assert!(all.iter().all(|place| place.quarters < 4));
        let bound = all.iter().map(|place| usize::from(place.index) + 1).max().unwrap_or(0);
        Places { all, bound }
    }
}

impl Places {
    /// Returns the places.
    pub fn all(&self) -> &[PatternPlace] {
        &self.all
    }
}

/// The number of entries of a block along a row.
pub(super) const WIDTH: usize = EDGE as usize;

/// The maximum number of children by one quadrant.
pub(super) const MOST: usize = 9;

/// Rows of entries in a row of blocks. Each block has [`WIDTH`] entries of every row, row after
/// row. The last block has the remaining entries of every row.
pub struct BlockRows<'a> {
    /// The start of each block.
    starts: Vec<*const Pack>,
    rows: usize,
    /// The number of entries of a row.
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> BlockRows<'a> {
    /// Returns `rows` rows of `len` entries in these blocks.
    ///
    /// # Panics
    /// If the number or the length of the blocks doesn't match.
    pub fn new(rows: usize, len: usize, blocks: impl Iterator<Item = &'a [Pack]>) -> BlockRows<'a> {
        let mut left = len;
        let starts = blocks.map(|block| {
            let width = WIDTH.min(left);
            assert!(width > 0 && block.len() == rows * width, "a block of {rows} rows of {width} entries");
            left -= width;
            block.as_ptr()
        });
        let starts = starts.collect();
        assert_eq!(left, 0, "blocks for all entries");
        BlockRows { starts, rows, len, entries: PhantomData }
    }

    /// Returns the number of entries of a row.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn row(&self, number: usize) -> BlockRow {
        assert!(number < self.rows);
        BlockRow { starts: self.starts.as_ptr(), number }
    }
}

/// One of the rows in blocks.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct BlockRow {
    starts: *const *const Pack,
    number: usize,
}

impl BlockRow {
    /// Returns a pointer to the part of the row in a block. The block has `width` entries of the
    /// row. The pointer is valid for `width` entries if the row exists.
    ///
    /// # Safety
    /// The [`BlockRows`] still lives, and has the block.
    #[inline(always)]
    pub unsafe fn part(self, block: usize, width: usize) -> *const Pack {
        // SAFETY: the caller guarantees the block. `wrapping_add` allows pointers after its end.
        unsafe { (*self.starts.add(block)).wrapping_add(self.number * width) }
    }

    /// Returns the row `rows` rows after this row. It need not exist.
    #[inline(always)]
    pub fn behind(self, rows: usize) -> BlockRow {
        BlockRow { number: self.number + rows, ..self }
    }
}

/// The children of a row of boards by quadrants 0, 1 and 2: rows with one child for each parent.
#[derive(Default)]
pub struct UnionList<'a> {
    unions: Vec<Union>,
    /// The rows of all unions, union after union.
    rows: Vec<BlockRow>,
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> UnionList<'a> {
    /// Clears the list, for rows of `len` entries.
    pub fn begin(&mut self, len: usize) {
        self.unions.clear();
        self.rows.clear();
        self.len = len;
    }

    /// Adds a row of children by quadrant `axis`: rotation r of the parent is rotation r + `by` (on
    /// the axis) of the child. The pass is fastest if children with equal `axis` and `by` are added
    /// successively.
    ///
    /// # Panics
    /// If the axis isn't 0, 1 or 2, `by` exceeds 3, the row has another number of entries than the
    /// list, or a union has more than 9 children.
    #[inline]
    pub fn push(&mut self, axis: u8, by: u8, rows: &'a BlockRows<'a>, row: usize) {
        assert!(rows.len == self.len && axis < 3 && by < 4);
        match self.unions.last_mut() {
            Some(last) if (last.axis, last.by) == (axis, by) => last.count += 1,
            _ => self.unions.push(Union { axis, by, count: 1 }),
        }
        assert!(self.unions.last().is_some_and(|last| last.count <= MOST));
        self.rows.push(rows.row(row));
    }

    /// Empties the list and reuses its memory for rows of another lifetime.
    #[must_use]
    pub fn recycled<'b>(mut self) -> UnionList<'b> {
        self.begin(0);
        UnionList { unions: self.unions, rows: self.rows, len: 0, entries: PhantomData }
    }

    /// Returns the unions. Axes are less than 3, and shifts are less than 4.
    pub(super) fn unions(&self) -> &[Union] {
        &self.unions
    }

    /// Returns the rows of all unions, as many as the unions count. Each row is valid while the
    /// list is borrowed.
    pub(super) fn rows(&self) -> &[BlockRow] {
        &self.rows
    }
}

/// The arguments of a pass over one row of boards.
#[derive(Clone, Copy)]
pub struct EntryRow<'a> {
    /// `true` to use predictions instead of the values of children, which the row then lacks. A
    /// prediction is the part of the value that lines and a placement decide before a turn:
    /// `not N and P` for "wins", `not N or P` for "doesn't lose".
    pub ahead: bool,
    /// The children whose new marble is on quadrant 0, 1 or 2. If there are none and `own_each` is
    /// 0, the boards have no children, so no turn wins.
    pub unions: &'a UnionList<'a>,
    /// The row of the children whose new marble is on quadrant 3.
    pub own: &'a [Pack],
    /// The places of the children in `own`: `own_each` for each entry.
    pub own_places: &'a Places,
    /// The number of children in `own` of each entry.
    pub own_each: usize,
    /// The rotations at which the boards have lines.
    pub lines: RowLines<'a>,
    /// The rule for a five made by a placement. With `Place::Turn`, P is M.
    pub place: Place,
}

/// The rotations at which the boards of a row have lines.
#[derive(Clone, Copy)]
pub enum RowLines<'a> {
    /// The lines of a whole block, and the index of the row along axis 2 among the rows that
    /// [`enter_lines`](crate::kernel::Passes::enter_lines) has selected. A row longer than axis 3
    /// continues with the next index along axis 2, if axis 3 has an even length.
    Block(&'a BlockLines, usize),
    /// The lines of the only board of the row: the lines that each quadrant completes at each
    /// rotation, indexed by the kind of lines (`KINDS`) and the quadrant.
    Board(&'a [[[u32; 4]; 4]; KINDS]),
}

impl EntryRow<'_> {
    /// Checks that all parts of the row suffice for `len` entries.
    ///
    /// # Panics
    /// If a part is too short, or an index is out of bounds.
    #[inline]
    pub(super) fn check(&self, len: usize) {
        match &self.lines {
            RowLines::Block(lines, at) => {
                let [.., third, last] = lines.lens();
                assert!(lines.is_entered() && *at < third);
                assert!(len <= last || last.is_multiple_of(2) && at + len.div_ceil(last) <= third);
            }
            RowLines::Board(_) => assert!(len == 1),
        }
        assert!(self.unions.unions.is_empty() || self.unions.len == len);
        if self.own_each > 0 {
            assert!(self.own_places.bound <= self.own.len());
            let needed = len.checked_mul(self.own_each);
            assert!(needed.is_some_and(|needed| needed <= self.own_places.all.len()));
        }
    }
}

/// Reusable memory for the computation of a row: the rotations at which the board of each entry has
/// a line, two entries in a pack; indexed by the kind of lines.
#[derive(Clone, Debug, Default)]
pub struct RowScratch(pub(super) [Vec<Pack>; KINDS]);

/// The image of a row of entries of a block: first the values at g r instead of r, for a symmetry g
/// of the board, then the values at r + t instead of r, for a rotation t.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The indices of the entries in the block, and t on axis 3.
    pub places: &'a Places,
    /// The symmetry g of the whole board, numbered as in [`Element`](crate::symmetry::Element): 1
    /// to 7.
    pub global: u8,
    /// t on axes 0 to 2.
    pub quarters: [u8; 3],
    /// Stores past the caches.
    pub past_caches: bool,
    /// Entries to prefetch into the second-level cache, at most as many as there are places.
    pub ahead: &'a [Pack],
}

/// The destination of a row of entries: a row of blocks.
pub struct Blocks<'a, 'b> {
    /// The blocks.
    pub blocks: &'a mut [&'b mut [Pack]],
    /// The number of the row in the blocks.
    pub row: usize,
    /// The number of entries of a block along the row. The last block may have fewer.
    pub edge: usize,
    /// Stores past the caches.
    pub past_caches: bool,
    /// A factor for the weights of all entries of the row.
    pub weight: u64,
    /// The number of true values in both planes of each block. Each entry counts with its weight.
    /// The pass adds to these sums.
    pub sums: &'a mut [[u64; 2]],
}
