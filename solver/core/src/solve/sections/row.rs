//! One row of blocks: the values of the boards in a line of blocks along axis 3, from the pieces
//! with their children.

use super::array::SectionArray;
use super::pieces::{LARGE, Piece, PieceKey};
use crate::index::sections::section::EDGE;
use crate::kernel::{
    BlockLines, BlockRows, Blocks, Combine, EntryRow, Kernel, LineGroups, Pack, Passes, RowLines, RowScratch,
    UnionList, fence,
};
use crate::rules::Place;
use crate::values::open_bits::{OpenBits, pack_row};
use crate::values::{Block, Entry};
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// How the entries of a slice are made.
#[derive(Clone, Copy)]
pub(super) struct RowStep<'a> {
    pub kernel: Kernel,
    pub passes: Passes,
    pub groups: &'a LineGroups,
    pub combine: Combine,
    pub clockwise: bool,
    pub place: Place,
}

/// What a thread needs while it computes.
#[derive(Default)]
pub(super) struct RowBuffers {
    pub row: RowScratch,
    lines: BlockLines,
    entries: Vec<Pack>,
    /// What is guessed of them.
    guess: Vec<Pack>,
    /// The children by quadrant 3 of a row.
    own: Vec<Pack>,
    unions: UnionList<'static>,
    /// The blocks of the row that are computed here, one after the other.
    pub blocks: Vec<Entry>,
    /// For each of them the numbers of won and of not lost boards, those of an entry at all 256
    /// rotations and multiplied by its weights.
    pub sums: Vec<[u64; 2]>,
    /// For each of them what a guess leaves open, where the sink wants that.
    pub open: Vec<OpenBits>,
}

/// What is wanted of a row of blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Nothing but the counts.
    pub counts_alone: bool,
    /// The bits that a guess leaves open, too.
    pub open_bits: bool,
}

/// Computes a row of blocks, those that stay into memory that is `kept`, the others into `scratch.blocks`, and
/// counts their boards in `scratch.sums`; what a guess leaves open goes into `scratch.open`. What isn't wanted is
/// anything.
pub(super) fn compute(
    step: RowStep,
    array: &SectionArray,
    row: u64,
    pieces: &[(PieceKey, &Piece)],
    wanted: Wanted,
    kept: &mut [Option<Arc<Block>>],
    scratch: &mut RowBuffers,
) {
    let at = array.row_at(row);
    let starts = at.map(|c| (c * EDGE) as usize);
    let extents = array.grid.extents.map(|n| n as usize);
    let edge = EDGE as usize;
    let sides: [usize; 3] = std::array::from_fn(|axis| edge.min(extents[axis] - starts[axis]));
    let length = extents[3];
    let [first, second, third, last] = &array.axes;
    let finder = Finder::new(array, pieces);
    scratch.entries.resize(length, Pack::default());
    scratch.own.resize(array.children[3].as_ref().map_or(0, |own| own.extents[3] as usize), Pack::default());
    // One row, again and again, where nobody wants them.
    let rows = if wanted.counts_alone { 1 } else { sides.iter().product() };
    let len = |block: usize| rows * edge.min(length - block * edge);
    let own = (0..).zip(&*kept).map(|(block, kept)| if kept.is_none() { len(block) } else { 0 });
    scratch.blocks.resize(own.sum(), Entry::default());
    let mut unions = std::mem::take(&mut scratch.unions).recycled();
    let entries = &mut scratch.entries[..];
    let past_caches = rows * length * size_of::<Entry>() >= LARGE;
    let mut rest = &mut scratch.blocks[..];
    let blocks = kept.iter_mut().enumerate().map(|(block, kept)| {
        let entries = match kept {
            Some(kept) => Arc::get_mut(kept).expect("nobody else has it").reset(len(block)),
            None => rest.split_off_mut(..len(block)).expect("there are as many"),
        };
        <[Pack]>::mut_from_bytes(entries.as_mut_bytes()).expect("entries are lines")
    });
    let mut blocks: Vec<&mut [Pack]> = blocks.collect();
    scratch.sums.clear();
    scratch.sums.resize(length.div_ceil(edge), [0; 2]);
    scratch.open.resize_with(length.div_ceil(edge), OpenBits::default);
    scratch.open.iter_mut().for_each(OpenBits::clear);
    scratch.guess.resize(if wanted.open_bits { length } else { 0 }, Pack::default());
    let along = std::array::from_fn(|axis| {
        let (start, len) = if axis < 3 { (starts[axis], sides[axis]) } else { (0, length) };
        array.axes[axis].lines.along(start..start + len)
    });
    step.passes.prepare_lines(step.groups, &along, &mut scratch.lines);
    for i in 0..sides[0] {
        for j in 0..sides[1] {
            let (a, b) = (starts[0] + i, starts[1] + j);
            step.passes.enter_lines(&mut scratch.lines, [i, j]);
            for k in 0..sides[2] {
                let c = starts[2] + k;
                finder.find([a, b, c], [i, j, k], length, &mut unions);
                let number = (i * sides[1] + j) * sides[2] + k;
                if let Some(own) = &finder.own {
                    step.passes.copy_row(own, number, &mut scratch.own);
                }
                let row = EntryRow {
                    ahead: false,
                    unions: &unions,
                    own: &scratch.own,
                    own_places: &last.children,
                    own_each: if finder.own.is_some() { last.lines.free } else { 0 },
                    lines: RowLines::Block(&scratch.lines, k),
                    place: step.place,
                };
                let mut to = Blocks {
                    blocks: &mut blocks,
                    row: number % rows,
                    edge,
                    past_caches,
                    weight: [first.weights[a], second.weights[b], third.weights[c]]
                        .into_iter()
                        .map(u64::from)
                        .product(),
                    sums: &mut scratch.sums,
                };
                if wanted.open_bits {
                    let guess = &mut scratch.guess[..];
                    let both = [&mut *entries, &mut *guess];
                    step.passes.row_and_guess(step.combine, step.clockwise, &row, both, &mut scratch.row);
                    pack_row(step.kernel, of(entries), of(guess), edge, &mut scratch.open);
                } else {
                    step.passes.row(step.combine, step.clockwise, &row, entries, &mut scratch.row);
                }
                step.passes.settle(entries, &last.weights, &mut to);
            }
        }
    }
    if past_caches {
        fence();
    }
    scratch.unions = unions.recycled();
}

/// Lines of memory as entries.
fn of(packs: &[Pack]) -> &[Entry] {
    <[Entry]>::ref_from_bytes(packs.as_bytes()).expect("lines are entries")
}

/// Finds the rows of the children by the quadrants 0, 1, 2.
struct Finder<'a> {
    array: &'a SectionArray,
    /// By quadrant and block of the array along its axis.
    pieces: [Vec<Option<BlockRows<'a>>>; 3],
    /// The piece with the children by quadrant 3.
    own: Option<BlockRows<'a>>,
}

impl<'a> Finder<'a> {
    fn new(array: &'a SectionArray, given: &[(PieceKey, &'a Piece)]) -> Finder<'a> {
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
        Finder { array, pieces, own }
    }

    /// The rows of the children of the row at `index`, whose place in the row of blocks is `local`.
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
                // Along the other axes the child has the parent's extents.
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
