//! The arguments of the passes over rows. Their interfaces are safe, because the lengths of slices
//! and the indices in lists are checked once for each row.

use super::lines::BlockLines;
use crate::index::sections::patterns::PatternPlace;
use crate::index::sections::section::EDGE;
use crate::kernel::axis::KINDS;
use crate::kernel::lanes::Pack;
use crate::rules::Place;
use std::marker::PhantomData;

/// Children whose new marbles are on the same quadrant (0, 1 or 2) and whose entries are shifted by
/// the same amount.
#[derive(Clone, Copy)]
pub(super) struct Union {
    /// The quadrant of the new marbles, which is also the axis of the shift.
    pub axis: u8,
    /// The shift. Coordinate r of the parent on the axis corresponds to coordinate r + `by` of the
    /// child.
    pub by: u8,
    /// The number of children of each parent, at least 1.
    pub count: usize,
}

/// A list of indices of patterns, each with a number of quarter turns from 0 to 3. The list stores
/// a bound for its indices.
#[derive(Clone, Debug, Default)]
pub struct Places {
    all: Vec<PatternPlace>,
    /// An upper bound: every index is less than this.
    bound: usize,
}

impl From<Vec<PatternPlace>> for Places {
    /// # Panics
    /// If an element has more than 3 quarter turns.
    fn from(all: Vec<PatternPlace>) -> Places {
        assert!(all.iter().all(|place| place.quarters < 4));
        let bound = all.iter().map(|place| usize::from(place.index) + 1).max().unwrap_or(0);
        Places { all, bound }
    }
}

impl Places {
    /// Returns all elements of the list.
    pub fn all(&self) -> &[PatternPlace] {
        &self.all
    }
}

/// The number of entries of each row that a full block contains.
pub(super) const WIDTH: usize = EDGE as usize;

/// The maximum number of children whose new marbles are on the same quadrant.
pub(super) const MOST: usize = 9;

/// Rows of entries that extend over several blocks. Each block contains [`WIDTH`] entries of every
/// row, and stores them row by row. The last block contains the remaining entries of every row.
pub struct BlockRows<'a> {
    /// A pointer to the start of each block.
    starts: Vec<*const Pack>,
    rows: usize,
    /// The number of entries of each row.
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> BlockRows<'a> {
    /// Returns the rows that `blocks` contain: `rows` rows of `len` entries.
    ///
    /// # Panics
    /// If the number of blocks or the length of a block doesn't match.
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

    /// Returns the number of entries of each row.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn row(&self, number: usize) -> BlockRow {
        assert!(number < self.rows);
        BlockRow { starts: self.starts.as_ptr(), number }
    }
}

/// One of the rows of `BlockRows`.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct BlockRow {
    starts: *const *const Pack,
    number: usize,
}

impl BlockRow {
    /// Returns a pointer to the part of the row that lies in the block with index `block`. The
    /// block contains `width` entries of each row. The pointer is valid for `width` entries if the
    /// row exists.
    ///
    /// # Safety
    /// The [`BlockRows`] of the row must still exist and must have this block.
    #[inline(always)]
    pub unsafe fn part(self, block: usize, width: usize) -> *const Pack {
        // SAFETY: the caller guarantees that the block exists. `wrapping_add` is safe even if the
        // result lies after the end of the block.
        unsafe { (*self.starts.add(block)).wrapping_add(self.number * width) }
    }

    /// Returns the row whose index is higher by `rows`. This row need not exist.
    #[inline(always)]
    pub fn behind(self, rows: usize) -> BlockRow {
        BlockRow { number: self.number + rows, ..self }
    }
}

/// The children of a row of boards whose new marble is on quadrant 0, 1 or 2. Each row of children
/// has one child for each parent.
#[derive(Default)]
pub struct UnionList<'a> {
    unions: Vec<Union>,
    /// The rows of children, sorted by union.
    rows: Vec<BlockRow>,
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> UnionList<'a> {
    /// Clears the list and prepares it for rows of `len` entries.
    pub fn begin(&mut self, len: usize) {
        self.unions.clear();
        self.rows.clear();
        self.len = len;
    }

    /// Adds a row of children whose new marble is on quadrant `axis`. Coordinate r of the parent on
    /// this axis corresponds to coordinate r + `by` of the child. The pass is fastest if rows with
    /// equal `axis` and `by` are added successively.
    ///
    /// # Panics
    /// If `axis` isn't 0, 1 or 2, `by` exceeds 3, the length of the row isn't the length of the
    /// list, or a union would have more than 9 children.
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

    /// Empties the list, and returns a list that reuses its memory for rows with another lifetime.
    #[must_use]
    pub fn recycled<'b>(mut self) -> UnionList<'b> {
        self.begin(0);
        UnionList { unions: self.unions, rows: self.rows, len: 0, entries: PhantomData }
    }

    /// Returns all unions. Their axes are less than 3, and their shifts are less than 4.
    pub(super) fn unions(&self) -> &[Union] {
        &self.unions
    }

    /// Returns the rows of children, sorted by union. Their number is the sum of the counts of the
    /// unions. Each row is valid while the list is borrowed.
    pub(super) fn rows(&self) -> &[BlockRow] {
        &self.rows
    }
}

/// The arguments of a pass over one row of boards.
#[derive(Clone, Copy)]
pub struct EntryRow<'a> {
    /// `true` to use predictions instead of the values of children. The row then needs no children.
    /// A prediction is the part of the value that lines and a placement decide before a turn:
    /// `not N and P` for "wins", `not N or P` for "doesn't lose".
    pub ahead: bool,
    /// The children whose new marble is on quadrant 0, 1 or 2. If this list is empty and `own_each`
    /// is 0, the boards have no children, so no turn wins.
    pub unions: &'a UnionList<'a>,
    /// The entries of the children whose new marble is on quadrant 3.
    pub own: &'a [Pack],
    /// The indices of the children in `own`, with their quarter turns: `own_each` elements for each
    /// entry.
    pub own_places: &'a Places,
    /// The number of children in `own` that each entry has.
    pub own_each: usize,
    /// The rotations at which the boards have lines.
    pub lines: RowLines<'a>,
    /// The rule for a five that a placement makes. With `Place::Turn`, P is the same as M.
    pub place: Place,
}

/// The rotations at which the boards of a row have lines.
#[derive(Clone, Copy)]
pub enum RowLines<'a> {
    /// The lines of a whole block, and the index along axis 2 of this row among the rows that
    /// [`enter_lines`](crate::kernel::Passes::enter_lines) has selected. If axis 3 has an even
    /// length, a row may be longer than axis 3. Such a row continues at the next index along axis
    /// 2.
    Block(&'a BlockLines, usize),
    /// The lines of the only board of the row. The first index is the kind of lines (`KINDS`), the
    /// second the quadrant, the third the rotation of the quadrant. The element is the set of lines
    /// whose part in the quadrant is complete.
    Board(&'a [[[u32; 4]; 4]; KINDS]),
}

impl EntryRow<'_> {
    /// Checks that all parts of the row are long enough for `len` entries.
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

/// Reusable memory for the computation of a row: for each kind of lines, the rotations at which the
/// board of each entry has a line. A pack stores the rotations for two entries.
#[derive(Clone, Debug, Default)]
pub struct RowScratch(pub(super) [Vec<Pack>; KINDS]);

/// The image of a row of entries of a block under a symmetry g of the board and a rotation t.
/// First, the value at rotation r is replaced by the value at g r. Then the value at r is replaced
/// by the value at r + t.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The indices of the entries in the block, each with the coordinate of t on axis 3.
    pub places: &'a Places,
    /// The symmetry g of the whole board, numbered as in [`Element`](crate::symmetry::Element): 1
    /// to 7.
    pub global: u8,
    /// The coordinates of t on axes 0 to 2.
    pub quarters: [u8; 3],
    /// `true` to write the result past the caches.
    pub past_caches: bool,
    /// Entries to prefetch into the second-level cache. The pass prefetches at most one for each
    /// element of `places`.
    pub ahead: &'a [Pack],
}

/// The destination of a row of entries, which extends over several blocks.
pub struct Blocks<'a, 'b> {
    /// The blocks over which the row extends.
    pub blocks: &'a mut [&'b mut [Pack]],
    /// The index of the row in each block.
    pub row: usize,
    /// The number of entries of the row that a full block contains. The last block may contain
    /// fewer.
    pub edge: usize,
    /// `true` to write the entries past the caches.
    pub past_caches: bool,
    /// A factor by which the weights of all entries of the row are multiplied.
    pub weight: u64,
    /// For each block, the numbers of true values in the planes "wins" and "doesn't lose",
    /// multiplied by the weights of the entries. The pass adds to these sums.
    pub sums: &'a mut [[u64; 2]],
}
