//! Computes one row of blocks: the values of the boards in a line of blocks along axis 3, from the
//! pieces of their children.

use super::array::SectionArray;
use super::pieces::{LARGE, Piece, PieceKey};
use crate::index::sections::section::EDGE;
use crate::kernel::{
    BlockLines, BlockRows, Blocks, Combine, EntryRow, Kernel, LineGroups, Pack, Passes, RowLines, RowScratch,
    UnionList, fence,
};
use crate::rules::Place;
use crate::values::open_bits::{OpenBits, pack_row};
use crate::values::{Block, Entry, SinkNeeds};
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// The kernel and the rules that determine the entries of a slice.
#[derive(Clone, Copy)]
pub(super) struct RowStep<'a> {
    pub kernel: Kernel,
    pub passes: Passes,
    pub groups: &'a LineGroups,
    pub combine: Combine,
    pub clockwise: bool,
    pub place: Place,
}

/// The buffers that one thread reuses for each row of blocks.
#[derive(Default)]
pub(super) struct RowBuffers {
    pub row: RowScratch,
    lines: BlockLines,
    entries: Vec<Pack>,
    /// The guesses for `entries`. Empty if the sink doesn't need open bits.
    guess: Vec<Pack>,
    /// The children of a row of entries whose new marble is on quadrant 3.
    own: Vec<Pack>,
    unions: UnionList<'static>,
    /// The entries of the computed blocks for which the sink provides no memory. The blocks are
    /// consecutive.
    pub blocks: Vec<Entry>,
    /// For each block, the number of won boards and the number of boards that aren't lost. Each
    /// number is a sum over all 256 rotations of every entry, multiplied by the weight of the
    /// entry.
    pub sums: Vec<[u64; 2]>,
    /// The open bits of each block. Empty if the sink doesn't need open bits.
    pub open: Vec<OpenBits>,
}

impl RowBuffers {
    /// Prepares the buffers for a row of `blocks` blocks with `length` entries along axis 3. `own`
    /// is the number of children whose new marble is on quadrant 3.
    fn begin(&mut self, length: usize, blocks: usize, own: usize, open_bits: bool) {
        self.entries.resize(length, Pack::default());
        self.guess.resize(if open_bits { length } else { 0 }, Pack::default());
        self.own.resize(own, Pack::default());
        self.sums.clear();
        self.sums.resize(blocks, [0; 2]);
        self.open.resize_with(blocks, OpenBits::default);
        self.open.iter_mut().for_each(OpenBits::clear);
    }
}

/// Computes a row of blocks, and sums its values in `scratch.sums`. A block is computed in its
/// memory in `kept`, or in `scratch.blocks` if `kept` has `None`. If the sink needs open bits, they
/// are stored in `scratch.open`. If the sink needs only counts, the computed entries are
/// unspecified.
pub(super) fn compute(
    step: RowStep,
    array: &SectionArray,
    row: u64,
    pieces: &[(PieceKey, &Piece)],
    needs: SinkNeeds,
    kept: &mut [Option<Arc<Block>>],
    scratch: &mut RowBuffers,
) {
    let starts = array.row_at(row).map(|c| (c * EDGE) as usize);
    let extents = array.grid.extents.map(|n| n as usize);
    let edge = EDGE as usize;
    let sides: [usize; 3] = std::array::from_fn(|axis| edge.min(extents[axis] - starts[axis]));
    let length = extents[3];
    let [first, second, third, last] = &array.axes;
    let children = ChildRows::new(array, pieces);
    let own = array.children[3].as_ref().map_or(0, |own| own.extents[3] as usize);
    scratch.begin(length, length.div_ceil(edge), own, needs.open_bits);
    // If the sink needs only counts, all rows of entries share the same memory.
    let rows = if needs.counts_alone { 1 } else { sides.iter().product() };
    let past_caches = rows * length * size_of::<Entry>() >= LARGE;
    let len = |block: usize| rows * edge.min(length - block * edge);
    let mut blocks = block_memory(kept, &mut scratch.blocks, len);
    let mut unions = std::mem::take(&mut scratch.unions).recycled();
    step.passes.prepare_lines(step.groups, &array.lines_along(starts, sides), &mut scratch.lines);
    for i in 0..sides[0] {
        for j in 0..sides[1] {
            let (a, b) = (starts[0] + i, starts[1] + j);
            step.passes.enter_lines(&mut scratch.lines, [i, j]);
            for k in 0..sides[2] {
                let c = starts[2] + k;
                children.find([a, b, c], [i, j, k], length, &mut unions);
                let number = (i * sides[1] + j) * sides[2] + k;
                if let Some(own) = &children.own {
                    step.passes.copy_row(own, number, &mut scratch.own);
                }
                let own_each = if children.own.is_some() { last.lines.free } else { 0 };
                let (own, own_places) = (&scratch.own, &last.children);
                let (lines, place) = (RowLines::Block(&scratch.lines, k), step.place);
                let row = EntryRow { ahead: false, unions: &unions, own, own_places, own_each, lines, place };
                let weights = [first.weights[a], second.weights[b], third.weights[c]];
                let weight = weights.map(u64::from).into_iter().product();
                let sums = &mut scratch.sums;
                let mut to =
                    Blocks { blocks: &mut blocks, row: number % rows, edge, past_caches, weight, sums };
                let (entries, guess) = (&mut scratch.entries[..], &mut scratch.guess[..]);
                let open = needs.open_bits.then_some(&mut scratch.open[..]);
                make_entries(step, &row, [&mut *entries, guess], open, &mut scratch.row);
                step.passes.settle(entries, &last.weights, &mut to);
            }
        }
    }
    if past_caches {
        fence();
    }
    scratch.unions = unions.recycled();
}

/// Returns the memory for each block of a row: the buffer in `kept`, or a part of `own` if `kept`
/// has `None`. `len` returns the number of entries of a block.
fn block_memory<'b>(
    kept: &'b mut [Option<Arc<Block>>],
    own: &'b mut Vec<Entry>,
    len: impl Fn(usize) -> usize,
) -> Vec<&'b mut [Pack]> {
    let of_own = (0..).zip(&*kept).map(|(block, kept)| if kept.is_none() { len(block) } else { 0 });
    own.resize(of_own.sum(), Entry::default());
    let mut rest = &mut own[..];
    let memory = kept.iter_mut().enumerate().map(|(block, kept)| {
        let entries = match kept {
            Some(kept) => Arc::get_mut(kept).expect("nobody else has it").reset(len(block)),
            None => rest.split_off_mut(..len(block)).expect("there are as many"),
        };
        <[Pack]>::mut_from_bytes(entries.as_mut_bytes()).expect("entries are lines")
    });
    memory.collect()
}

/// Computes a row of entries. If `open` is `Some`, also computes the guesses of the entries and
/// packs the open bits.
#[inline]
fn make_entries(
    step: RowStep,
    row: &EntryRow,
    [entries, guess]: [&mut [Pack]; 2],
    open: Option<&mut [OpenBits]>,
    scratch: &mut RowScratch,
) {
    let guesses = open.is_some().then_some(&mut *guess);
    step.passes.row(step.combine, step.clockwise, row, entries, guesses, scratch);
    if let Some(open) = open {
        pack_row(step.kernel, of(entries), of(guess), EDGE as usize, open);
    }
}

/// Reinterprets packs as entries.
fn of(packs: &[Pack]) -> &[Entry] {
    <[Entry]>::ref_from_bytes(packs.as_bytes()).expect("lines are entries")
}

/// The children of a row of blocks, as rows of entries.
struct ChildRows<'a> {
    array: &'a SectionArray,
    /// The pieces of the children. The first index is the quadrant of the new marble (0, 1 or 2).
    /// The second index is the block along the axis of this quadrant.
    pieces: [Vec<Option<BlockRows<'a>>>; 3],
    /// The piece of the children whose new marble is on quadrant 3, or `None` if there are no such
    /// children.
    own: Option<BlockRows<'a>>,
}

impl<'a> ChildRows<'a> {
    fn new(array: &'a SectionArray, given: &[(PieceKey, &'a Piece)]) -> ChildRows<'a> {
        let mut pieces: [Vec<Option<BlockRows>>; 3] = std::array::from_fn(|q| {
            let blocks = array.children[q].as_ref().map_or(0, |child| child.extents[q].div_ceil(EDGE));
            (0..blocks).map(|_| None).collect()
        });
        let mut own = None;
        for &(key, piece) in given {
            let child = array.children[key.q].as_ref().expect("it has children");
            let [a, b, c, length] = child.piece_extents(key.at);
            let rows = Some(BlockRows::new(a * b * c, length, piece.blocks()));
            if key.q == 3 {
                own = rows;
            } else {
                pieces[key.q][key.at[key.q] as usize] = rows;
            }
        }
        ChildRows { array, pieces, own }
    }

    /// Collects the children of a row of entries in `unions`. The row has the coordinates `index`
    /// in the array, and the coordinates `local` in its row of blocks.
    fn find<'b>(&'b self, index: [usize; 3], local: [usize; 3], length: usize, unions: &mut UnionList<'b>) {
        unions.begin(length);
        for q in 0..3 {
            let Some(child) = &self.array.children[q] else { continue };
            let axis = &self.array.axes[q];
            for place in &axis.children.all()[index[q] * axis.lines.free..][..axis.lines.free] {
                let p = u32::from(place.index);
                let piece = self.pieces[q][(p / EDGE) as usize].as_ref().expect("the row has its pieces");
                let mut at = local;
                at[q] = (p % EDGE) as usize;
                // Along the other axes, the child has the same extents as the parent.
                let side = |axis: usize| {
                    let start =
                        if axis == q { (p / EDGE * EDGE) as usize } else { index[axis] - local[axis] };
                    (EDGE as usize).min(child.extents[axis] as usize - start)
                };
                let row = (at[0] * side(1) + at[1]) * side(2) + at[2];
                unions.push(q as u8, place.quarters, piece, row);
            }
        }
    }
}
