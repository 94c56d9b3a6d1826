//! A row of boards in safe terms: slices whose lengths, and lists whose places, are checked once
//! for each row.

use super::lines::{BlockLines, KINDS};
use crate::index::sections::patterns::PatternPlace;
use crate::index::sections::section::EDGE;
use crate::kernel::lanes::Pack;
use crate::rules::Place;
use crate::supers::Super;
use std::marker::PhantomData;

/// The most patterns of one player in one quadrant, up to turns.
pub const SINGLES: usize = 34;

/// Children by one quadrant q = 0, 1, 2 that have to be shifted alike.
#[derive(Clone, Copy)]
pub(super) struct Union {
    /// The quadrant.
    pub axis: u8,
    /// What is at rotation r of the parent is at r + `by` (on the axis) of the child.
    pub by: u8,
    /// How many there are, at least one.
    pub count: usize,
}

/// A list of places, with a bound for their indices. Turns are less than 4.
#[derive(Clone, Debug, Default)]
pub struct Places {
    all: Vec<PatternPlace>,
    /// All indices are less.
    bound: usize,
}

impl From<Vec<PatternPlace>> for Places {
    /// # Panics
    /// If a place is turned four times or more.
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

/// Entries of a block along a row.
pub(super) const WIDTH: usize = EDGE as usize;

/// The most children by one quadrant.
pub(super) const MOST: usize = 9;

/// Rows of entries that lie in blocks: each block has [`WIDTH`] entries of every row, one row after the other;
/// the last one has what is left.
pub struct BlockRows<'a> {
    /// Where each block begins.
    starts: Vec<*const Pack>,
    rows: usize,
    /// Entries of a row.
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> BlockRows<'a> {
    /// So many rows of `len` entries, in these blocks.
    ///
    /// # Panics
    /// If the blocks aren't those of such rows.
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

#[allow(unsafe_code)]
impl BlockRow {
    /// Where the part of the row in this block begins, `width` entries. They may be read if the row exists.
    ///
    /// # Safety
    /// The [`BlockRows`] is still there, and has such a block.
    #[inline(always)]
    pub unsafe fn part(self, block: usize, width: usize) -> *const Pack {
        // SAFETY: there is such a block; the pointer may lead behind it.
        unsafe { (*self.starts.add(block)).wrapping_add(self.number * width) }
    }

    /// Returns the row so many rows behind this one, which may not exist.
    #[inline(always)]
    pub fn behind(self, rows: usize) -> BlockRow {
        BlockRow { number: self.number + rows, ..self }
    }
}

/// The children by the quadrants 0, 1, 2 of a row of boards: rows of entries beside the parents.
#[derive(Default)]
pub struct UnionList<'a> {
    unions: Vec<Union>,
    /// Those of all unions in turn.
    rows: Vec<BlockRow>,
    len: usize,
    entries: PhantomData<&'a [Pack]>,
}

impl<'a> UnionList<'a> {
    /// Begins a new list, for rows of `len` entries.
    pub fn begin(&mut self, len: usize) {
        self.unions.clear();
        self.rows.clear();
        self.len = len;
    }

    /// Adds children by quadrant `axis`: what is at rotation r of the parent is at r + `by` (on the
    /// axis) of the child. Those of one axis that are to be shifted alike are best added one after
    /// the other.
    ///
    /// # Panics
    /// If the axis is not 0, 1 or 2, or they are turned four times or more, or have another number of
    /// entries, or there are too many.
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

    /// Returns the memory of the list, for rows that live at another time.
    #[must_use]
    pub fn recycled<'b>(mut self) -> UnionList<'b> {
        self.begin(0);
        UnionList { unions: self.unions, rows: self.rows, len: 0, entries: PhantomData }
    }

    /// Returns the unions, which count the rows of each; axes are less than 3, shifts less than 4.
    pub(super) fn unions(&self) -> &[Union] {
        &self.unions
    }

    /// As many as the unions count; each valid while the list is borrowed.
    pub(super) fn rows(&self) -> &[BlockRow] {
        &self.rows
    }
}

/// The marbles of one player in the boards of a row.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The lines that are complete in the quadrants 0 and 1 ([`super::pair`]).
    pub pair: &'a [u32; 16],
    /// Those that are complete in quadrant 2.
    pub third: &'a [u32; 4],
    /// For all patterns of that player alone in quadrant 3, up to turns, at each rotation: the
    /// lines that are complete there. At most [`SINGLES`].
    pub singles: &'a [[u32; 4]],
    /// For each entry of the row which of these patterns, turned how, it has.
    pub places: &'a Places,
}

/// One row of boards.
#[derive(Clone, Copy)]
pub struct EntryRow<'a> {
    /// Instead of the children's values take a prediction: what the lines and a placement decide
    /// before a turn, `not N and P` for winning, `not N or P` for not losing. There are no children
    /// then.
    pub ahead: bool,
    /// The children by the quadrants 0, 1, 2. Without any, and without `own`, there is no turn
    /// left, nobody wins by it.
    pub unions: &'a UnionList<'a>,
    /// The row of the children by quadrant 3.
    pub own: &'a [Pack],
    /// For each entry its children there, `own_each` of them.
    pub own_places: &'a Places,
    /// How many children each has there.
    pub own_each: usize,
    /// Where the boards have lines.
    pub lines: RowLines<'a>,
    /// What a placement wins at once; with `Place::Turn` P is M.
    pub place: Place,
}

/// Where the boards of a row have lines.
#[derive(Clone, Copy)]
pub enum RowLines<'a> {
    /// It is known for the block that they are in: of the rows that were entered
    /// ([`Passes::enter_lines`]) it is the one with this place along axis 2. Boards behind the end of axis 3
    /// are those of the next places along axis 2; only if axis 3 has an even number.
    Block(&'a BlockLines, usize),
    /// It follows from the lines that are complete in each quadrant.
    Masks(RowMasks<'a>),
}

/// The lines in the quadrants of a row.
#[derive(Clone, Copy)]
pub struct RowMasks<'a> {
    /// The player who has turned.
    pub other: Side<'a>,
    /// The player to move.
    pub mover: Side<'a>,
    /// The lines of the mover that are complete in the quadrants 0 and 1 with at most one marble
    /// more.
    pub near_pair: &'a [u32; 16],
    /// Those that are in quadrant 2.
    pub near_third: &'a [u32; 4],
    /// For each entry the lines that are complete in quadrant 3 with at most one marble more; empty
    /// if there is no free socket.
    pub near: &'a [[u32; 4]],
}

impl EntryRow<'_> {
    /// Checks that the row has all that `len` entries need.
    ///
    /// # Panics
    /// If not.
    #[inline]
    pub(super) fn check(&self, len: usize) {
        match &self.lines {
            RowLines::Block(lines, at) => {
                let [.., third, last] = lines.lens();
                assert!(lines.is_entered() && *at < third);
                assert!(len <= last || last.is_multiple_of(2) && at + len.div_ceil(last) <= third);
            }
            RowLines::Masks(masks) => {
                for side in [&masks.other, &masks.mover] {
                    assert!(side.singles.len() <= SINGLES);
                    assert!(side.places.all.len() >= len && side.places.bound <= side.singles.len());
                }
                assert!(masks.near.is_empty() || masks.near.len() >= len);
            }
        }
        assert!(self.unions.unions.is_empty() || self.unions.len == len);
        if self.own_each > 0 {
            assert!(self.own_places.bound <= self.own.len());
            let needed = len.checked_mul(self.own_each);
            assert!(needed.is_some_and(|needed| needed <= self.own_places.all.len()));
        }
    }
}

/// What a row needs while it is computed.
#[derive(Clone, Debug)]
pub struct RowScratch {
    pub(super) masks: [Super; SINGLES],
    /// By kind of lines, for each entry where its board has one; two entries in a pack.
    pub(super) boards: [Vec<Pack>; KINDS],
}

impl Default for RowScratch {
    fn default() -> RowScratch {
        RowScratch { masks: [Super::default(); SINGLES], boards: Default::default() }
    }
}

/// A row of entries as it is seen from another side of the board: at rotation r it has what is in the block
/// at g r, and of that what is at r + t.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Which entries of the block, and t on axis 3.
    pub places: &'a Places,
    /// The symmetry g of the whole board as in [`crate::symmetry::Element`]; never 0, which would be a copy.
    pub global: u8,
    /// t on the axes 0 to 2.
    pub quarters: [u8; 3],
    /// Store past the caches.
    pub past_caches: bool,
    /// Entries to be brought into the second-level cache: one for each place, as far as there are so many.
    pub ahead: &'a [Pack],
}

/// Where the entries of a row go: into the blocks of a row of blocks.
pub struct Blocks<'a, 'b> {
    /// The blocks.
    pub blocks: &'a mut [&'b mut [Pack]],
    /// The number of the row in the blocks.
    pub row: usize,
    /// Entries of a block along the row; the last block may have fewer.
    pub edge: usize,
    /// Store past the caches.
    pub past_caches: bool,
    /// What the weights of all entries of the row are multiplied by.
    pub weight: u64,
    /// For each block the number of true values of all entries, each multiplied by its weight, in
    /// both planes.
    pub sums: &'a mut [[u64; 2]],
}
