//! The values of the children in memory: the pieces that each row of blocks needs, and a cache of
//! the pieces that later rows need.
//!
//! A *piece* is a line of blocks of a child's array along axis 3, seen from the parent's side of
//! the board. If the symmetry doesn't change this side, the piece shares the blocks that the source
//! has in memory. The order of the rows is known in advance, so the next use of each piece is known
//! too. If memory is short, the cache drops the piece whose next use is furthest away, which is
//! optimal. A piece that no later row needs is dropped immediately.

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

/// The key of a piece: the quadrant of the new marble, and the coordinates of the piece in the
/// child's array, in blocks along the axes 0, 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PieceKey {
    pub q: usize,
    pub at: [u32; 3],
}

impl SectionArray {
    /// Returns the coordinates of a row in blocks along the axes 0, 1 and 2. A row is a line of
    /// blocks along axis 3.
    pub fn row_at(&self, row: u64) -> [u32; 3] {
        let [_, b, c, _] = self.grid.counts().map(u64::from);
        [row / (b * c), row / c % b, row % c].map(|n| n as u32)
    }

    /// Returns the index, in the order of the table, of the row with these coordinates.
    pub fn row_number(&self, at: [u32; 3]) -> u64 {
        let [_, b, c, _] = self.grid.counts().map(u64::from);
        let [x, y, z] = at.map(u64::from);
        (x * b + y) * c + z
    }

    /// Returns the pieces that the row with rank `place` needs. Each piece is followed by the rank
    /// of the next row among `rows` that needs the piece, or by `None` if no later row does.
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
            // The later rows that differ from this row only along the axis of the quadrant, and the
            // blocks that these rows read.
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

/// A piece: the blocks of a child's array along axis 3, in ascending order.
pub(super) struct Piece {
    /// For each block: its range of entries in the piece, and the block itself if the source shares
    /// it. Blocks that the source doesn't share are in `memory`.
    blocks: Vec<(Range<usize>, Option<Arc<Block>>)>,
    /// The memory of the blocks that the source doesn't share, or `None` if the source shares all
    /// blocks.
    memory: Option<Arena>,
    /// The number of entries of the piece.
    len: usize,
    buffers: Arc<Buffers>,
}

impl Piece {
    /// Returns the entries of each block as packs.
    pub fn blocks(&self) -> impl Iterator<Item = &[Pack]> {
        let own = self.memory.as_ref().map_or(&[][..], |memory| memory.slice(memory.lines()));
        self.blocks.iter().map(move |(range, shared)| match shared {
            Some(block) => packs(block),
            None => &own[range.clone()],
        })
    }
}

/// Reinterprets entries as packs.
fn packs(entries: &[Entry]) -> &[Pack] {
    <[Pack]>::ref_from_bytes(entries.as_bytes()).expect("entries are lines")
}

/// A slot for a piece, which is created before the piece is read.
pub(super) struct Slot {
    pub piece: OnceLock<Option<Piece>>,
    begun: AtomicBool,
    /// The number of entries of the piece.
    len: usize,
    buffers: Arc<Buffers>,
}

impl Slot {
    /// Claims the piece. The caller must then read the piece. Returns `false` if another thread has
    /// already claimed the piece.
    pub fn begin(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Returns `true` if a thread has claimed the piece. The thread may still be reading the piece.
    pub fn is_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Returns memory for the piece. The memory may be up to one eighth larger than the piece, and
    /// its contents are unspecified.
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

    /// Returns the piece, or `None` if the piece has not been read yet or reading failed.
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
    /// Puts the memory of the piece on the shelf, so that other pieces can reuse it.
    fn drop(&mut self) {
        let buffers = &self.buffers;
        for block in self.blocks.iter().flat_map(|(_, shared)| shared) {
            buffers.taken.fetch_sub(bytes(block.room()), Ordering::Relaxed);
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

/// Two limits in bytes: for the pieces of an array, and for free buffers that earlier pieces used.
pub(super) type PieceMemory = [u64; 2];

/// The memory of all pieces of a solver.
#[derive(Default)]
pub(super) struct Buffers {
    /// The total size in bytes of all pieces in slots. A piece counts from the creation of its
    /// slot, even before it is read.
    held: AtomicU64,
    /// The total size in bytes of the memory that pieces own or share with the source. The memory
    /// of a piece counts from the start of its reading.
    taken: AtomicU64,
    /// The free buffers of dropped pieces.
    shelf: Mutex<Shelf<Arena>>,
    /// The maximum of `held` in bytes.
    room: AtomicU64,
    /// The maximum total size in bytes of `taken` and the shelf. This limit exceeds `room`, so that
    /// free buffers remain available for the pieces of the next section.
    with_free: AtomicU64,
}

impl Buffers {
    /// Frees the oldest buffers on the shelf until `taken` and the shelf are within the limit
    /// `with_free`.
    fn trim(&self, shelf: &mut Shelf<Arena>) {
        let most = self.with_free.load(Ordering::Relaxed).saturating_sub(self.taken.load(Ordering::Relaxed));
        while shelf.bytes() > most && shelf.oldest().is_some() {}
    }
}

/// A cache of the pieces of one array that later rows need.
pub(super) struct PieceCache {
    slots: HashMap<PieceKey, (Arc<Slot>, u64)>,
    /// The keys of the cached pieces, sorted by the rank of the row that needs the piece next.
    order: BTreeSet<(u64, PieceKey)>,
    buffers: Arc<Buffers>,
    /// The largest value of `held` so far, in bytes.
    pub peak: u64,
}

impl PieceCache {
    /// Creates an empty cache with the solver's buffers.
    pub fn new(buffers: Arc<Buffers>) -> PieceCache {
        PieceCache { slots: HashMap::new(), order: BTreeSet::new(), buffers, peak: 0 }
    }

    /// Drops all cached pieces, before the first row of another array. The claimed rows still own
    /// their pieces.
    pub fn begin(&mut self) {
        self.slots.clear();
        self.order.clear();
    }

    /// Sets the memory limits.
    pub fn set_memory(&mut self, [pieces, free]: PieceMemory) {
        self.buffers.room.store(pieces, Ordering::Relaxed);
        self.buffers.with_free.store(pieces + free, Ordering::Relaxed);
    }

    /// Returns the slots of the pieces that the row with rank `place` needs. `rows` are the rows of
    /// the array that are computed. The first thread to claim a slot must read its piece. If
    /// `further` is `true`, the thread has already claimed a row. In this case the result is `None`
    /// if memory is short.
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
    /// Returns the indices, in the child's array, of the blocks of a piece. The blocks are in order
    /// along the parent's axis 3.
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

/// The minimum size in bytes of a row or a turned piece that is written past the caches. A row
/// needs a few dozen pieces, so larger pieces would not stay in the caches
/// (`bench/README.md#memory-of-pieces`).
pub(super) const LARGE: usize = 1 << 21;

impl Slot {
    /// Reads the piece of `child` at the coordinates `at`. Adds the number of blocks that were read
    /// from the source to `got`.
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
            // Request the next block before turning the current block.
            next = numbers.peek().map(shared).transpose()?.flatten();
            got.fetch_add(1, Ordering::Relaxed);
            let width = (EDGE as usize).min(length - (starts[3] * EDGE) as usize);
            let range = start..start + a * b * c * width;
            start = range.end;
            match block {
                Some(block) if !is_turned => {
                    // Count the shared block as taken: once the source drops its own reference,
                    // only this piece holds the block in memory.
                    self.buffers.taken.fetch_add(bytes(block.room()), Ordering::Relaxed);
                    piece.blocks.push((range, Some(block)));
                }
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
                    piece.blocks.push((range, None));
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

/// The data for viewing the blocks of a child from the parent's side of the board.
struct ChildView<'a> {
    child: &'a ChildArray,
    /// The number of entries of a block along each of the axes 0, 1 and 2, as seen from the
    /// parent's side.
    rows: [usize; 3],
    passes: Passes,
    past_caches: bool,
}

impl ChildView<'_> {
    /// Turns the block with index `number` into `out`. `starts` are the coordinates of the block on
    /// the parent's side. Prefetches `ahead`, the next block, unless it is `None`.
    fn block(&self, starts: [u32; 4], number: u64, block: &[Pack], ahead: Option<&[Pack]>, out: &mut [Pack]) {
        // If no next block is in memory, prefetch the current block: prefetching cached lines costs
        // almost nothing.
        let ahead = ahead.unwrap_or(block);
        let ChildView { child, rows: [a, b, c], passes, past_caches } = *self;
        let to: [usize; 4] = std::array::from_fn(|axis| usize::from(child.by.quadrant(axis as u8)));
        // For each of the parent's axes, the distance between neighbouring entries in the child's
        // block.
        let ranges = child.grid.ranges(number);
        let stride = |axis: usize| ranges[axis + 1..].iter().map(ExactSizeIterator::len).product::<usize>();
        let strides = to.map(stride);
        // For an index along one of the parent's axes: the offset in the child's block, and the
        // quarter turns of the quadrant.
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
    /// A buffer for one block, which each thread reuses. A new buffer would have to be zeroed for
    /// each block.
    static BLOCK: Cell<Block> = Cell::default();
}
