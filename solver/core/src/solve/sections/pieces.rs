//! The children's values that are in memory: which pieces each row of blocks needs, and which of
//! them stay for later rows.
//!
//! A *piece* is a line of blocks of a child's array along its axis 3, seen from the parent's side
//! of the board. Where that is the child's own side, blocks that the source has in memory are not
//! copied. The rows of a section are computed in an order that is known before, and so when a
//! piece is needed next: where memory is short, those that are needed last go first, which is the best that
//! can be done; those that are not needed any more go at once.

use super::array::{ChildArray, SectionArray};
use super::order::RowOrder;
use crate::index::sections::patterns::PatternPlace;
use crate::index::sections::section::EDGE;
use crate::kernel::{Arena, Pack, Passes, Places, View, fence};
use crate::symmetry::Element;
use crate::values::{Block, BlockId, BoxError, Entry, Shelf, Source, bytes};
use pentago_base::lock;
use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use zerocopy::{FromBytes, IntoBytes};

/// Which piece: by quadrant, and its coordinates in blocks along the axes 0, 1, 2 of the
/// child's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PieceKey {
    pub q: usize,
    pub at: [u32; 3],
}

impl SectionArray {
    /// The coordinates in blocks of a row: a line of blocks along axis 3.
    pub fn row_at(&self, row: u64) -> [u32; 3] {
        let [_, b, c, _] = self.grid.counts().map(u64::from);
        [row / (b * c), row / c % b, row % c].map(|n| n as u32)
    }

    /// The number of the row with these coordinates.
    pub fn row_number(&self, at: [u32; 3]) -> u64 {
        let [_, b, c, _] = self.grid.counts().map(u64::from);
        let [x, y, z] = at.map(u64::from);
        (x * b + y) * c + z
    }

    /// The pieces that the row at a place in the order needs, each with the next place where one of
    /// the `rows` needs it.
    fn needs(&self, order: &RowOrder, rows: &Range<u64>, place: u64) -> Vec<(PieceKey, Option<u64>)> {
        let at = order.at(place);
        let mut needs = Vec::new();
        for (q, child) in self.children.iter().enumerate() {
            let Some(child) = child else { continue };
            if q == 3 {
                needs.push((PieceKey { q, at }, None));
                continue;
            }
            let with = |t: u32| {
                let mut other = at;
                other[q] = t;
                other
            };
            // The rows that differ along the axis of the quadrant, and come later.
            let others = (0..).zip(&child.reads).map(|(t, reads)| (with(t), reads));
            let later = others.filter(|&(other, _)| rows.contains(&self.row_number(other)));
            let later: Vec<(u64, &Vec<u32>)> = later
                .map(|(other, reads)| (order.place(other), reads))
                .filter(|&(other, _)| other > place)
                .collect();
            for &c in &child.reads[at[q] as usize] {
                let reading = later.iter().filter(|(_, reads)| reads.binary_search(&c).is_ok());
                needs.push((PieceKey { q, at: with(c) }, reading.map(|&(other, _)| other).min()));
            }
        }
        needs
    }
}

/// A piece that was read, or is being read: its blocks in their order along axis 3.
pub(super) struct Piece {
    blocks: Vec<PieceBlock>,
    /// Memory for the piece, if there is a block in it.
    memory: Option<Arena>,
    /// Entries of the piece.
    len: usize,
    buffers: Arc<Buffers>,
}

/// Where a block of a piece is.
enum PieceBlock {
    /// In memory of the source.
    Shared(Arc<Block>),
    /// In that of the piece.
    Own(Range<usize>),
}

impl Piece {
    /// A block in memory of the source, which may forget it.
    fn push_shared(&mut self, block: Arc<Block>) {
        self.buffers.taken.fetch_add(bytes(block.room()), Ordering::Relaxed);
        self.blocks.push(PieceBlock::Shared(block));
    }

    /// The entries of each block.
    pub fn blocks(&self) -> impl Iterator<Item = &[Pack]> {
        let own = self.memory.as_ref().map_or(&[][..], |memory| memory.slice(memory.lines()));
        self.blocks.iter().map(move |block| match block {
            PieceBlock::Shared(block) => packs(block),
            PieceBlock::Own(range) => &own[range.clone()],
        })
    }
}

/// Entries as lines of memory.
fn packs(entries: &[Entry]) -> &[Pack] {
    <[Pack]>::ref_from_bytes(entries.as_bytes()).expect("entries are lines")
}

/// A piece, or the place for it: none if it couldn't be read.
pub(super) struct Slot {
    pub piece: OnceLock<Option<Piece>>,
    begun: AtomicBool,
    /// Entries of the piece.
    len: usize,
    buffers: Arc<Buffers>,
}

impl Slot {
    /// Whether nobody has begun to read the piece before: who asks reads it, if so.
    pub fn begin(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody reads the piece, or has read it.
    pub fn is_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Memory for the piece, or for up to an eighth more, its contents anything.
    fn buffer(&self) -> Arena {
        let buffers = &self.buffers;
        let mut shelf = lock(&buffers.shelf);
        match shelf.take(self.len) {
            Some(buffer) => {
                buffers.taken.fetch_add(bytes(buffer.lines()), Ordering::Relaxed);
                buffers.held.fetch_add(bytes(buffer.lines() - self.len), Ordering::Relaxed);
                buffer
            }
            None => {
                buffers.taken.fetch_add(bytes(self.len), Ordering::Relaxed);
                buffers.trim(&mut shelf);
                drop(shelf);
                let mut buffer = Arena::default();
                let wanted = Layout::array::<Pack>(self.len).unwrap_or(Layout::new::<Pack>());
                let failed = |_| handle_alloc_error(wanted);
                buffer.reserve(self.len as u64).unwrap_or_else(failed);
                buffer
            }
        }
    }

    /// The piece, if it was read.
    pub fn get(&self) -> Option<&Piece> {
        self.piece.get().and_then(Option::as_ref)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.buffers.held.fetch_sub(bytes(self.len), Ordering::Relaxed);
    }
}

impl Drop for Piece {
    /// Its memory is for other pieces again.
    fn drop(&mut self) {
        let buffers = &self.buffers;
        for block in &self.blocks {
            if let PieceBlock::Shared(block) = block {
                buffers.taken.fetch_sub(bytes(block.room()), Ordering::Relaxed);
            }
        }
        if let Some(memory) = self.memory.take() {
            let mut shelf = lock(&buffers.shelf);
            buffers.held.fetch_sub(bytes(memory.lines() - self.len), Ordering::Relaxed);
            buffers.taken.fetch_sub(bytes(memory.lines()), Ordering::Relaxed);
            shelf.put(memory.lines(), memory);
            buffers.trim(&mut shelf);
        }
    }
}

/// Bytes of memory for the pieces of an array, and beside them for what earlier ones have left.
pub(super) type PieceMemory = [u64; 2];

/// The memory of pieces.
#[derive(Default)]
pub(super) struct Buffers {
    /// Bytes of all pieces that exist, in reach of later rows and in use, read or not.
    held: AtomicU64,
    /// Bytes of the memory that they have, and of the source's that they use: those that are read, or being
    /// read.
    taken: AtomicU64,
    /// Memory of pieces that nobody needs any more.
    shelf: Mutex<Shelf<Arena>>,
    /// Bytes that may be held.
    room: AtomicU64,
    /// Bytes that may be taken and free together: more, so that what the pieces of a section leave is
    /// there for those of the next one.
    with_free: AtomicU64,
}

impl Buffers {
    /// Gives back what there is no room for.
    fn trim(&self, shelf: &mut Shelf<Arena>) {
        let most = self.with_free.load(Ordering::Relaxed).saturating_sub(self.taken.load(Ordering::Relaxed));
        while shelf.bytes() > most && shelf.oldest().is_some() {}
    }
}

/// The pieces of one array that may be reused.
pub(super) struct PieceCache {
    slots: HashMap<PieceKey, (Arc<Slot>, u64)>,
    /// By the place of the row that needs them next.
    order: BTreeSet<(u64, PieceKey)>,
    buffers: Arc<Buffers>,
    /// The most bytes held at any time.
    pub peak: u64,
}

impl PieceCache {
    /// With memory that earlier computations of the solver have left.
    pub fn new(buffers: Arc<Buffers>) -> PieceCache {
        PieceCache { slots: HashMap::new(), order: BTreeSet::new(), buffers, peak: 0 }
    }

    /// Forgets everything but what rows in work have: the next array begins.
    pub fn begin(&mut self) {
        self.slots.clear();
        self.order.clear();
    }

    /// What memory is for pieces from now on.
    pub fn set_memory(&mut self, [pieces, free]: PieceMemory) {
        self.buffers.room.store(pieces, Ordering::Relaxed);
        self.buffers.with_free.store(pieces + free, Ordering::Relaxed);
    }

    /// The pieces for the row at a place in the order of an array of which these rows are computed. They
    /// are read by whoever comes first. None if the row is a `further` one of its thread, and there is no
    /// memory for more pieces.
    pub fn take(
        &mut self,
        array: &SectionArray,
        order: &RowOrder,
        rows: &Range<u64>,
        place: u64,
        further: bool,
    ) -> Option<Vec<(PieceKey, Arc<Slot>)>> {
        let needs = array.needs(order, rows, place);
        let len = |key: &PieceKey| {
            let child = array.children[key.q].as_ref().expect("it is needed");
            child.piece_extents(key.at).iter().product::<usize>()
        };
        if further {
            let more = needs.iter().filter(|(key, _)| !self.slots.contains_key(key));
            let held =
                self.buffers.held.load(Ordering::Relaxed) + more.map(|(key, _)| bytes(len(key))).sum::<u64>();
            if held > self.buffers.room.load(Ordering::Relaxed) {
                return None;
            }
        }
        let mut taken = Vec::new();
        for (key, next) in needs {
            let slot = match self.slots.remove(&key) {
                Some((slot, known)) => {
                    self.order.remove(&(known, key));
                    slot
                }
                None => {
                    let len = len(&key);
                    let (piece, begun) = (OnceLock::new(), AtomicBool::new(false));
                    let slot = Slot { piece, begun, len, buffers: self.buffers.clone() };
                    self.buffers.held.fetch_add(bytes(len), Ordering::Relaxed);
                    Arc::new(slot)
                }
            };
            if let Some(next) = next {
                self.slots.insert(key, (slot.clone(), next));
                self.order.insert((next, key));
            }
            taken.push((key, slot));
        }
        while self.buffers.held.load(Ordering::Relaxed) > self.buffers.room.load(Ordering::Relaxed) {
            let idle = |(_, key): &&(u64, PieceKey)| Arc::strong_count(&self.slots[key].0) == 1;
            let Some(&last) = self.order.iter().rev().find(idle) else { break };
            self.order.remove(&last);
            self.slots.remove(&last.1);
        }
        self.buffers.trim(&mut lock(&self.buffers.shelf));
        self.peak = self.peak.max(self.buffers.held.load(Ordering::Relaxed));
        Some(taken)
    }
}

impl ChildArray {
    /// The numbers of the blocks in the child's array that a piece is made of, in their order along our
    /// axis 3.
    pub fn blocks(&self, at: [u32; 3]) -> impl Iterator<Item = u64> {
        (0..self.extents[3].div_ceil(EDGE)).map(move |last| {
            let mut coordinates = [0; 4];
            for (axis, start) in [at[0], at[1], at[2], last].into_iter().enumerate() {
                coordinates[usize::from(self.by.quadrant(axis as u8))] = start;
            }
            self.grid.number(coordinates)
        })
    }
}

/// The turned blocks of pieces of this many bytes, and rows of blocks of as many, are written past the
/// caches: a row needs a few dozen pieces (`bench/README.md#memory-of-pieces`).
pub(super) const LARGE: usize = 1 << 21;

impl Slot {
    /// Reads the piece of a child at these coordinates. Counts the blocks that were got.
    pub fn read(
        &self,
        child: &ChildArray,
        at: [u32; 3],
        source: &dyn Source,
        passes: Passes,
        got: &AtomicU64,
    ) -> Result<Piece, BoxError> {
        debug_assert!(child.by == Element::whole_board(child.by.global()), "quadrants turn with the board");
        let [a, b, c, length] = child.piece_extents(at);
        let (is_turned, past_caches) = (child.by.global() != 0, bytes(self.len) as usize >= LARGE);
        let view = ChildView { child, rows: [a, b, c], passes, past_caches };
        let mut piece =
            Piece { blocks: Vec::new(), memory: None, len: self.len, buffers: self.buffers.clone() };
        let id = |number| BlockId { array: child.array, block: number };
        let shared = |&number: &u64| source.shared(id(number));
        let mut numbers = child.blocks(at).peekable();
        let mut next = numbers.peek().map(shared).transpose()?.flatten();
        let (mut starts, mut start) = ([at[0], at[1], at[2], 0], 0);
        while let Some(number) = numbers.next() {
            let block = next.take();
            // One is on its way while the one before it is turned.
            next = numbers.peek().map(shared).transpose()?.flatten();
            got.fetch_add(1, Ordering::Relaxed);
            let width = (EDGE as usize).min(length - (starts[3] * EDGE) as usize);
            let range = start..start + a * b * c * width;
            start = range.end;
            match block {
                Some(block) if !is_turned => piece.push_shared(block),
                block => {
                    let memory = piece.memory.get_or_insert_with(|| self.buffer()).slice_mut(self.len);
                    let out = &mut memory[range.clone()];
                    let ahead = next.as_ref().map(|next| packs(next));
                    if !is_turned {
                        let out = <[Entry]>::mut_from_bytes(out.as_mut_bytes()).expect("lines are entries");
                        source.get(id(number), out)?;
                    } else if let Some(block) = block {
                        view.block(starts, number, packs(&block), ahead, out);
                    } else {
                        let mut block = BLOCK.take();
                        source.get(id(number), block.reset(child.grid.len(number)))?;
                        view.block(starts, number, packs(&block), ahead, out);
                        BLOCK.set(block);
                    }
                    piece.blocks.push(PieceBlock::Own(range));
                }
            }
            starts[3] += 1;
        }
        if past_caches {
            fence();
        }
        Ok(piece)
    }
}

/// Turns blocks of a child to the parent's side of the board.
struct ChildView<'a> {
    child: &'a ChildArray,
    /// How many rows a block has along the axes 0, 1, 2.
    rows: [usize; 3],
    passes: Passes,
    past_caches: bool,
}

impl ChildView<'_> {
    /// Turns the block of this number, which is at these coordinates on the parent's side. Those `ahead`, if
    /// some are known, are wanted soon.
    fn block(&self, starts: [u32; 4], number: u64, block: &[Pack], ahead: Option<&[Pack]>, out: &mut [Pack]) {
        // To ask for what is near costs nothing.
        let ahead = ahead.unwrap_or(block);
        let ChildView { child, rows: [a, b, c], passes, past_caches } = *self;
        let to: [usize; 4] = std::array::from_fn(|axis| usize::from(child.by.quadrant(axis as u8)));
        // How far apart neighbours along each of our axes are in the block.
        let ranges = child.grid.ranges(number);
        let stride = |axis: usize| ranges[axis + 1..].iter().map(ExactSizeIterator::len).product::<usize>();
        let strides = to.map(stride);
        // Along each axis: offset in the block, and turns.
        let place = |axis: usize, i: usize| {
            let start = (starts[axis] * EDGE) as usize;
            let place = child.maps[axis][start + i];
            ((usize::from(place.index) - start) * strides[axis], place.quarters)
        };
        let width = out.len() / (a * b * c);
        let row = (0..width).map(|i| {
            let (at, quarters) = place(3, i);
            PatternPlace { index: u16::try_from(at).expect("a block has 4,096 entries"), quarters }
        });
        let row = Places::from(row.collect::<Vec<_>>());
        let mut rows = out.chunks_exact_mut(width).zip(ahead.chunks(width).chain(std::iter::repeat(block)));
        for i in 0..a {
            let (first, by_first) = place(0, i);
            for j in 0..b {
                let (second, by_second) = place(1, j);
                for k in 0..c {
                    let (third, by_third) = place(2, k);
                    let (out, ahead) = rows.next().expect("a row for each place");
                    let quarters = [by_first, by_second, by_third];
                    let view = View { places: &row, global: child.by.global(), quarters, past_caches, ahead };
                    passes.view(&block[first + second + third..], &view, out);
                }
            }
        }
    }
}

thread_local! {
    /// A block of the thread that reads, kept for the next one: it would have to be cleared.
    static BLOCK: Cell<Block> = Cell::default();
}
