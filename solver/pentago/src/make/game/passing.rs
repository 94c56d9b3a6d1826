//! The blocks of the next slice in memory, and the output of the slice that is being computed.
//!
//! Decoded blocks of the next slice stay in a cache as long as later sections need these blocks. If
//! the next slice is temporary, its file is freed section by section, each once its blocks aren't
//! needed any more. The computed blocks of a small slice are put into the cache, so that the
//! preceding slice needs no decoding.

use crate::make::share::{Schedule, give_back};
use bitvec::prelude::BitVec;
use pentago_base::{lock, try_lock};
use pentago_core::index::EDGE;
use pentago_core::values::{
    Block, BlockId, BoxError, Entry, Grid, Shelf, Sink, SinkNeeds, SolvedBlock, Source, bytes, fitting,
};
use pentago_store::Holes;
use pentago_tables::tables::{Table, TableError, TableSource, Writer};
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The blocks of the next slice. Within a memory limit, a cache holds the decoded blocks that are
/// needed soonest.
pub(super) struct NextBlocks<'a> {
    table: &'a Table,
    /// A second table with the same blocks, for blocks that can't be read from `table`.
    instead: Option<&'a Table>,
    schedule: &'a Schedule,
    /// The index of the section that is being computed, or the least index if there are several.
    now: AtomicU32,
    /// The size limit of the cache in bytes, indexed by the section that is being computed.
    rooms: Vec<u64>,
    /// The memory limit of the process in bytes.
    memory: u64,
    cache: &'a Mutex<BlockCache>,
    /// The number of bytes in blocks that were evicted since the allocator last returned memory to
    /// the system.
    freed: AtomicU64,
    /// The number of blocks decoded so far.
    decoded: AtomicU64,
}

/// The next use of a block that was just computed. Only the preceding slice uses the block, after
/// all sections of the current slice.
const COMPUTED: u32 = u32::MAX;

/// The number of lent blocks to check each time space is made for a block.
const LOOKS: usize = 4;

/// A block of the next slice in the cache.
struct CachedBlock {
    /// The index of the next section that needs the block.
    next_use: u32,
    /// The number of further uses by the section `next_use` if this section has already used the
    /// block, and otherwise 0.
    left: usize,
    entries: Arc<Block>,
}

/// The cache of blocks, which a build keeps from one slice to the next.
#[derive(Default)]
pub(super) struct BlockCache {
    blocks: HashMap<BlockId, CachedBlock>,
    /// The next use and the key of each element of `blocks`, sorted by next use.
    order: BTreeSet<(u32, BlockId)>,
    /// Computed blocks, keyed by slice and block, which the preceding slice needs.
    computed: BTreeMap<(u8, BlockId), Arc<Block>>,
    /// Blocks that nothing uses any more. Their memory is reused.
    free: Shelf<Arc<Block>>,
    /// Blocks that the cache needs no more, but that a piece may still hold.
    lent: VecDeque<Arc<Block>>,
    /// The size of all blocks in bytes, including blocks that are being decoded.
    bytes: u64,
    /// The size limit of the cache in bytes.
    room: u64,
}

impl<'a> NextBlocks<'a> {
    /// Makes a source of the blocks of `table`. The arrays of the table are the sections of the
    /// next slice in `schedule`. `cache` may contain blocks that were kept from their computation.
    pub fn new(
        table: &'a Table,
        instead: Option<&'a Table>,
        schedule: &'a Schedule,
        rooms: Vec<u64>,
        memory: u64,
        cache: &'a Mutex<BlockCache>,
    ) -> NextBlocks<'a> {
        lock(cache).begin_slice(table.header().slice, schedule);
        let now = AtomicU32::new(0);
        let [freed, decoded] = [0, 0].map(AtomicU64::new);
        NextBlocks { table, instead, schedule, now, rooms, memory, cache, freed, decoded }
    }

    /// Returns the number of blocks decoded so far.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BlockCache> {
        lock(self.cache)
    }

    /// Returns the next section that uses a block, and the number of further uses by section `now`.
    /// `left` is the number of further uses by `now`. Returns `None` if the block has no further
    /// use.
    fn after(&self, id: BlockId, now: u32, left: usize) -> Option<(u32, usize)> {
        match left {
            0 => self.schedule.next_use(id.array, now).map(|next| (next, 0)),
            _ => Some((now, left)),
        }
    }

    /// Returns a block from the cache, or `None` if the cache lacks the block. The block stays in
    /// the cache if it has a further use.
    fn find(&self, id: BlockId, now: u32) -> Option<Arc<Block>> {
        let mut kept = self.lock();
        let kept = &mut *kept;
        let CachedBlock { next_use, left, entries } = kept.blocks.remove(&id)?;
        kept.order.remove(&(next_use, id));
        let left = if left > 0 { left } else { self.schedule.times(id.array, now) };
        match self.after(id, now, left.saturating_sub(1)) {
            Some((next_use, left)) => {
                kept.order.insert((next_use, id));
                kept.blocks.insert(id, CachedBlock { next_use, left, entries: entries.clone() });
            }
            None => kept.lent.push_back(entries.clone()),
        }
        Some(entries)
    }

    /// Decodes a block of `len` entries into the cache, and returns the block. Returns `None` if
    /// the block has no further use, or if the cache is full of blocks that are needed sooner.
    fn insert(&self, id: BlockId, now: u32, len: usize) -> Result<Option<Arc<Block>>, BoxError> {
        let left = self.schedule.times(id.array, now).saturating_sub(1);
        let Some((next_use, left)) = self.after(id, now, left) else { return Ok(None) };
        let Some((mut entries, gone)) = self.lock().make_room(len, next_use) else { return Ok(None) };
        drop(gone);
        // Decode while the lock is released, so that other threads can use the cache.
        let decoded = self.get(id, Arc::get_mut(&mut entries).expect("nobody else has it").reset(len));
        let mut kept = self.lock();
        let known = kept.blocks.contains_key(&id);
        if decoded.is_err() || known {
            kept.free.put(entries.room(), entries.clone());
        } else {
            kept.order.insert((next_use, id));
            kept.blocks.insert(id, CachedBlock { next_use, left, entries: entries.clone() });
        }
        drop(kept);
        decoded?;
        // If another thread has decoded the same block in the meantime, use the block of that
        // thread and count the use.
        Ok(if known { self.find(id, now).or(Some(entries)) } else { Some(entries) })
    }
}

impl BlockCache {
    /// Starts the slice that is computed from the slice with `next` marbles. Makes computed blocks
    /// of the slice `next` available. All other blocks become free, because no piece holds a block
    /// yet.
    fn begin_slice(&mut self, next: u8, schedule: &Schedule) {
        self.order.clear();
        let unneeded = self.blocks.drain().map(|(_, block)| block.entries);
        for block in self.lent.drain(..).chain(unneeded) {
            self.free.put(block.room(), block);
        }
        for ((slice, id), entries) in std::mem::take(&mut self.computed) {
            let parents = schedule.parents.get(id.array as usize).filter(|_| slice == next);
            match parents.and_then(|parents| parents.first()) {
                Some(&next_use) => {
                    self.order.insert((next_use, id));
                    self.blocks.insert(id, CachedBlock { next_use, left: 0, entries });
                }
                None => self.free.put(entries.room(), entries),
            }
        }
    }

    /// Checks some lent blocks, and frees the blocks that no piece holds any more.
    fn take_back(&mut self) {
        for _ in 0..LOOKS.min(self.lent.len()) {
            match self.lent.pop_front() {
                Some(block) if Arc::strong_count(&block) == 1 => self.free.put(block.room(), block),
                lent => self.lent.extend(lent),
            }
        }
    }

    /// Sets the size limit, which may be smaller than for the previous section. Returns the evicted
    /// blocks.
    fn set_room(&mut self, room: u64) -> Vec<Arc<Block>> {
        self.room = room;
        let over = || if self.bytes > room { self.evict(|_| true) } else { None };
        std::iter::from_fn(over).collect()
    }

    /// Starts the computation of section `now`. If the recorded next use of a block is before
    /// `now`, replaces it by the real next use. If the block has no further use, it becomes a lent
    /// block.
    fn begin(&mut self, now: u32, schedule: &Schedule) {
        // The recorded next use of a block can be in the past. Rows of two sections can be computed
        // at the same time, and all their uses are recorded for the first of the two sections.
        while let Some(&(next_use, id)) = self.order.first()
            && next_use < now
        {
            self.order.pop_first();
            let block = self.blocks.remove(&id).expect("every key has a block");
            match schedule.next_use(id.array, now - 1) {
                Some(next_use) => {
                    self.order.insert((next_use, id));
                    self.blocks.insert(id, CachedBlock { next_use, left: 0, ..block });
                }
                None => self.lent.push_back(block.entries),
            }
        }
    }

    /// Reserves space for a block of `len` entries, and evicts blocks that are needed later than
    /// `next_use`. Returns the memory for the block, and the evicted blocks. The memory is empty,
    /// or comes from an unused block. Returns `None` if there is no space. If a piece still holds
    /// an evicted block, the size of that block counts as memory of the piece.
    fn make_room(&mut self, len: usize, next_use: u32) -> Option<(Arc<Block>, Vec<Arc<Block>>)> {
        if bytes(len) > self.room {
            return None;
        }
        self.take_back();
        let mut gone = Vec::new();
        loop {
            let mut block = match self.free.take(len) {
                Some(free) => {
                    self.bytes -= bytes(free.room());
                    free
                }
                None if self.bytes + bytes(len) > self.room => self.evict(|next| next > next_use)?,
                None => {
                    self.bytes += bytes(len);
                    return Some((Arc::default(), gone));
                }
            };
            if fitting(len).contains(&block.room()) && Arc::get_mut(&mut block).is_some() {
                self.bytes += bytes(block.room());
                return Some((block, gone));
            }
            gone.push(block);
        }
    }

    /// Removes an unused block, or else the block whose next use is last. `may` decides, from the
    /// next use of a block, whether the block may be removed. Returns `None` if no block may be
    /// removed.
    fn evict(&mut self, may: impl Fn(u32) -> bool) -> Option<Arc<Block>> {
        let entries = if let Some(free) = self.free.oldest().or_else(|| self.lent.pop_front()) {
            free
        } else if may(COMPUTED)
            && let Some((_, computed)) = self.computed.pop_last()
        {
            computed
        } else {
            let &last = self.order.last().filter(|&&(next, _)| may(next))?;
            self.order.remove(&last);
            self.blocks.remove(&last.1).expect("every key has a block").entries
        };
        self.bytes -= bytes(entries.room());
        Some(entries)
    }
}

impl ComputedArrays<'_> {
    /// Returns memory for a computed block that will stay in the cache. Returns `None` if its array
    /// doesn't stay in the cache, or if blocks of the next slice need the space.
    fn memory(&self, id: BlockId, len: usize) -> Option<Arc<Block>> {
        if !self.arrays[id.array as usize] {
            return None;
        }
        let (mut block, gone) = lock(self.cache).make_room(len, COMPUTED)?;
        drop(gone);
        Arc::get_mut(&mut block).expect("nobody else has it").reset(len);
        Some(block)
    }

    /// Adds a computed block to the cache.
    fn keep(&self, id: BlockId, block: Arc<Block>) {
        lock(self.cache).computed.insert((self.slice, id), block);
    }
}

impl Source for NextBlocks<'_> {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        read(self.table, id, into).or_else(|error| match self.instead {
            // The checksum of a freed or damaged block is wrong, so read the block from the second
            // table.
            Some(table) => read(table, id, into),
            None => Err(error),
        })?;
        self.decoded.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn shared(&self, id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        let now = self.now.load(Ordering::Relaxed);
        match self.find(id, now) {
            Some(block) => Ok(Some(block)),
            None => self.insert(id, now, grids(self.table, id.array)[1].len(id.block)),
        }
    }

    fn ahead(&self, id: BlockId) {
        if !self.lock().blocks.contains_key(&id) && cut_alike(self.table, id) {
            self.table.ahead(id);
        }
    }

    /// Limits the cache to the memory that remains while these sections are computed.
    fn computing(&self, sections: RangeInclusive<u32>) {
        self.now.store(*sections.start(), Ordering::Relaxed);
        let mut kept = self.lock();
        kept.begin(*sections.start(), self.schedule);
        let evicted = kept.set_room(least(&self.rooms, sections));
        drop(kept);
        let unused = evicted.iter().filter(|block| Arc::strong_count(block) == 1);
        let more: u64 = unused.map(|block| bytes(block.room())).sum();
        drop(evicted);
        let freed = self.freed.fetch_add(more, Ordering::Relaxed) + more;
        if give_back(freed, self.memory) {
            self.freed.store(0, Ordering::Relaxed);
        }
    }
}

/// Returns two grids of an array: the grid of the blocks that the table stores, and the grid of the
/// blocks that builds use.
fn grids(table: &Table, array: u32) -> [Grid; 2] {
    let stored = table.arrays()[array as usize].array.grid;
    [stored, Grid::new(stored.extents, EDGE)]
}

/// Returns `true` if the table has a block with exactly the entries of block `id` of a build.
fn cut_alike(table: &Table, id: BlockId) -> bool {
    let [stored, wanted] = grids(table, id.array);
    id.block < stored.blocks() && stored.ranges(id.block) == wanted.ranges(id.block)
}

/// Reads a block of a build. The table may be divided into blocks of another size: imported tables
/// have larger blocks.
fn read(table: &Table, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
    if cut_alike(table, id) {
        return TableSource(table).get(id, into);
    }
    let [stored, wanted] = grids(table, id.array);
    let mut blocks = HashMap::new();
    for (index, entry) in wanted.indices(id.block).zip(into) {
        let (block, place) = stored.locate(index);
        let entries = match blocks.entry(block) {
            Occupied(entries) => entries.into_mut(),
            Vacant(empty) => empty.insert(table.block(BlockId { block, ..id })?),
        };
        *entry = entries[place];
    }
    Ok(())
}

/// Returns the least element of `each` at the indices `sections`. A section without an element
/// counts as the default value.
fn least<T: Copy + Ord + Default>(each: &[T], sections: RangeInclusive<u32>) -> T {
    let of = |section: u32| each.get(section as usize).copied().unwrap_or_default();
    sections.map(of).min().unwrap_or_default()
}

/// The sink of the blocks of a slice. The sink writes blocks to the table and puts some blocks into
/// the cache. If the next slice is temporary, the sink frees each section of the next slice once
/// all parents of the section are on the disk.
pub(super) struct SliceOutput<'a> {
    writer: &'a Writer,
    computed: Option<ComputedArrays<'a>>,
    /// The limit in bytes of encoded blocks that wait to be written in order, indexed by section.
    waiting: Vec<usize>,
    freed: Option<Mutex<FreedArrays<'a>>>,
}

/// The arrays of a slice whose blocks are put into the cache when they are computed.
pub(super) struct ComputedArrays<'a> {
    /// The number of marbles of the slice.
    pub slice: u8,
    /// One bit for each array: `true` if the blocks of the array are put into the cache.
    pub arrays: BitVec,
    pub cache: &'a Mutex<BlockCache>,
}

/// The arrays of a temporary next slice that were not freed yet.
struct FreedArrays<'a> {
    table: &'a Table,
    holes: Holes,
    /// For each array: the number of written blocks after which the array isn't needed any more,
    /// the array's index, and its size in bytes. Sorted in descending order, so the next array to
    /// free is the last element.
    left: Vec<(u64, u32, u64)>,
    /// The minimum number of bytes to free at a time. Freeing is expensive, because the parents
    /// must be synced to the disk first.
    least: u64,
}

/// The maximum number of steps in which a table is freed (`bench/README.md#memory-of-pieces`).
pub(crate) const FREEING_STEPS: u64 = 64;

impl<'a> SliceOutput<'a> {
    /// Makes a sink that writes to `writer`. If the next slice is temporary, `table` is its table,
    /// and the sink frees its sections. Blocks of the arrays in `computed` are also put into the
    /// cache.
    ///
    /// # Errors
    /// If the file of `table` can't be opened, or a part of its index is damaged.
    pub fn new(
        writer: &'a Writer,
        waiting: Vec<usize>,
        first_blocks: &[u64],
        schedule: &Schedule,
        table: Option<&'a Table>,
        computed: Option<ComputedArrays<'a>>,
    ) -> Result<SliceOutput<'a>, TableError> {
        let Some(table) = table else { return Ok(SliceOutput { writer, computed, waiting, freed: None }) };
        let end = |array: u32| first_blocks.get(array as usize + 1).copied().unwrap_or(writer.blocks());
        let mut left = Vec::new();
        for (array, parents) in (0..).zip(&schedule.parents) {
            let bytes = table.raw().payloads(array)?;
            left.push((parents.last().map_or(0, |&last| end(last)), array, bytes.end - bytes.start));
        }
        left.sort_unstable_by(|a, b| b.cmp(a));
        let least = table.header().file_bytes / FREEING_STEPS;
        let freed = FreedArrays { table, holes: Holes::of(table.raw())?, left, least };
        Ok(SliceOutput { writer, computed, waiting, freed: Some(Mutex::new(freed)) })
    }
}

impl FreedArrays<'_> {
    /// Frees the arrays that no remaining block needs, if their total size is at least `least`
    /// bytes.
    fn free(&mut self, writer: &Writer) -> Result<(), TableError> {
        let done = writer.done();
        let from = self.left.partition_point(|&(end, ..)| end > done);
        let bytes: u64 = self.left[from..].iter().map(|&(.., bytes)| bytes).sum();
        if from == self.left.len() || bytes < self.least {
            return Ok(());
        }
        // Sync the parents to the disk before their children are freed, because a build that
        // resumes after a power failure can't compute the parents again.
        writer.sync()?;
        for (_, array, _) in self.left.drain(from..) {
            self.holes.punch(self.table.raw(), array)?;
        }
        Ok(())
    }
}

impl SliceOutput<'_> {
    /// Puts a written block into the cache if `kept` is the memory of the block. Also frees arrays
    /// of the next slice, unless another thread is doing so.
    fn after(&self, id: BlockId, kept: Option<Arc<Block>>) -> Result<(), BoxError> {
        if let (Some(computed), Some(block)) = (&self.computed, kept) {
            computed.keep(id, block);
        }
        match self.freed.as_ref().and_then(try_lock) {
            Some(mut freed) => Ok(freed.free(self.writer)?),
            None => Ok(()),
        }
    }
}

impl Sink for SliceOutput<'_> {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        self.writer.put(id, entries)?;
        self.after(id, None)
    }

    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        self.writer.put_block(&block)?;
        self.after(block.id, block.kept)
    }

    fn memory(&self, id: BlockId, len: usize) -> Option<Arc<Block>> {
        self.computed.as_ref()?.memory(id, len)
    }

    fn needs(&self) -> SinkNeeds {
        self.writer.needs()
    }

    fn computing(&self, sections: RangeInclusive<u32>) {
        self.writer.let_wait(least(&self.waiting, sections));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::make::{GameBuild, Resources};
    use pentago_base::Control;
    use pentago_base::into_inner;
    use pentago_core::index::{Section, Sections};
    use pentago_core::rules::{Rules, Shape};
    use pentago_tables::tables::{Access, Cache};
    use std::num::NonZeroUsize;

    /// The sections of Mini-Pentago with 9 marbles, and a table of the sections with 10 marbles.
    struct Slices {
        all: &'static Sections,
        sections: Vec<Section>,
        next: Vec<Section>,
        table: Table,
        schedule: Schedule,
        /// The folder of the table, which is deleted when `Slices` is dropped.
        _folder: tempfile::TempDir,
    }

    fn slices() -> Slices {
        let rules = Rules { shape: Shape::Mini4, ..Rules::default() };
        let build = GameBuild::new(rules, 9).keep_slices(9..=16);
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Resources {
            kernel: Kernel::best(),
            threads: NonZeroUsize::MIN,
            memory: 1 << 28,
            scratch: "scratch".into(),
            scratch_limit: u64::MAX,
        };
        build.run(folder.path(), &resources, &Control::new()).expect("built");
        let path = build.path(folder.path(), 10);
        let table = Table::open(&path, Access::default(), Cache::new(0)).expect("a table");
        let all = build.target().sections();
        let (sections, next) = (all.standard(9), all.standard(10));
        let schedule = Schedule::new(all, rules.shape, &sections, &next);
        Slices { all, sections, next, table, schedule, _folder: folder }
    }

    /// Checks a block that a row used too early, while the previous section was still the current
    /// section. The block must become free once the section of the row is finished.
    #[test]
    fn nothing_stays_that_nobody_needs() {
        let Slices { sections, table, schedule, .. } = slices();
        let kept = Mutex::default();
        let kept = NextBlocks::new(&table, None, &schedule, vec![u64::MAX; sections.len()], u64::MAX, &kept);
        let mut seen = [0; 2];
        for (array, parents) in (0..).zip(&schedule.parents) {
            let id = BlockId { array, block: 0 };
            for (at, &parent) in parents.iter().enumerate() {
                let after = parents.get(at + 1).copied();
                if parent == 0 || parents.contains(&(parent - 1)) {
                    continue;
                }
                kept.computing(parent - 1..=parent);
                assert!(kept.shared(id).expect("decoded").is_some());
                kept.computing(parent + 1..=parent + 1);
                let next_use = kept.lock().blocks.get(&id).map(|block| block.next_use);
                assert_eq!(next_use, after);
                seen[usize::from(next_use.is_some())] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times > 0) && !kept.lock().lent.is_empty(), "{seen:?}");
    }

    /// Checks that computed blocks of the next slice aren't decoded. When the cache needs space,
    /// computed blocks for the preceding slice are evicted first.
    #[test]
    fn computed_blocks_stay() {
        let Slices { sections, table, schedule, .. } = slices();
        let array = schedule.parents.iter().position(|parents| !parents.is_empty()).expect("a child");
        let (id, now) = (BlockId { array: array as u32, block: 0 }, schedule.parents[array][0]);
        let stored = table.block(id).expect("there is such a block").to_vec();
        let marked = vec![Entry::default(); stored.len()];
        assert_ne!(stored, marked);
        let keep = |kept: &Mutex<BlockCache>, slice: u8, id: BlockId| {
            let arrays = (0..=id.array).map(|other| other == id.array).collect();
            let computed = ComputedArrays { slice, arrays, cache: kept };
            assert!(id.array == 0 || computed.memory(BlockId { array: id.array - 1, ..id }, 1).is_none());
            let Some(mut block) = computed.memory(id, marked.len()) else { return };
            Arc::get_mut(&mut block)
                .expect("nobody else has it")
                .reset(marked.len())
                .copy_from_slice(&marked);
            computed.keep(id, block);
        };
        for (slice, decoded) in [(10, 0), (9, 1)] {
            let kept = Mutex::new(BlockCache { room: u64::MAX, ..BlockCache::default() });
            keep(&kept, slice, id);
            let rooms = vec![u64::MAX; sections.len()];
            let blocks = NextBlocks::new(&table, None, &schedule, rooms, u64::MAX, &kept);
            blocks.computing(now..=now);
            let mut entries = stored.clone();
            match blocks.shared(id).expect("decoded") {
                Some(block) => entries.copy_from_slice(&block),
                None => blocks.get(id, &mut entries).expect("decoded"),
            }
            assert_eq!((entries == marked, blocks.decoded()), (decoded == 0, decoded));
        }
        let kept = Mutex::new(BlockCache { room: bytes(2 * marked.len()), ..BlockCache::default() });
        (0..3).for_each(|block| keep(&kept, 10, BlockId { block, ..id }));
        let mut kept = into_inner(kept);
        assert_eq!((kept.computed.len(), kept.bytes), (2, kept.room));
        let (block, gone) = kept.make_room(marked.len(), 0).expect("there is room");
        assert_eq!((block.room(), gone.len(), kept.computed.len()), (marked.len(), 0, 1));
        assert!(kept.computed.contains_key(&(10, BlockId { block: 0, ..id })));
    }

    /// Checks that the memory of a block isn't reused until the piece that holds the block is
    /// dropped.
    #[test]
    fn lent_blocks_come_back() {
        let mut kept = BlockCache { room: bytes(300), ..BlockCache::default() };
        let [first, second] = [(); 2].map(|()| {
            let (mut block, _) = kept.make_room(100, 0).expect("there is room");
            Arc::get_mut(&mut block).expect("nobody else has it").reset(100);
            block
        });
        kept.lent.extend([first.clone(), second.clone()]);
        let address = Arc::as_ptr(&second);
        drop(second);
        let (block, _) = kept.make_room(95, 0).expect("there is room");
        assert_eq!((Arc::as_ptr(&block), kept.lent.len(), kept.bytes), (address, 1, bytes(200)));
        drop(first);
    }

    #[test]
    fn memory_of_blocks_is_used_again() {
        let mut kept = BlockCache { room: bytes(300), ..BlockCache::default() };
        let make = |kept: &mut BlockCache, len: usize, next_use: u32| {
            let (mut memory, gone) = kept.make_room(len, next_use)?;
            Arc::get_mut(&mut memory).expect("nobody else has it").reset(len);
            Some((memory, gone.len()))
        };
        let keep = |kept: &mut BlockCache, block: u64, next_use: u32, entries: &Arc<Block>| {
            let id = BlockId { array: 0, block };
            kept.order.insert((next_use, id));
            kept.blocks.insert(id, CachedBlock { next_use, left: 0, entries: entries.clone() });
        };
        for (block, next_use) in [(0, 5), (1, 7)] {
            let (entries, gone) = make(&mut kept, 100, next_use).expect("there is room");
            assert_eq!(gone, 0);
            keep(&mut kept, block, next_use, &entries);
        }
        assert_eq!(kept.bytes, bytes(200));
        // The first size exceeds the limit. The second size exceeds the space that can be evicted,
        // because no block is needed later.
        assert!(make(&mut kept, 301, 0).is_none());
        assert!(make(&mut kept, 101, 7).is_none());
        // A slightly smaller block reuses the memory of the block that is needed last.
        let (entries, gone) =
            make(&mut kept, 95, 6).and_then(|_| make(&mut kept, 95, 6)).expect("there is room");
        assert_eq!((entries.room(), entries.len(), gone), (100, 95, 0));
        assert!(!kept.blocks.contains_key(&BlockId { array: 0, block: 1 }));
        // The memory of a free block isn't reused while a reader still holds the block.
        kept.free.put(entries.room(), entries.clone());
        let (other, gone) = make(&mut kept, 95, 6).expect("there is room");
        assert!(gone == 1 && other.room() == 95);
        kept.free.put(other.room(), other);
        assert_eq!(make(&mut kept, 90, 6).expect("there is room").0.room(), 95);
    }

    /// Checks that the cache shrinks when a section with a smaller limit starts. If a section has a
    /// larger limit than the previous section, the limit applies once the previous section is
    /// finished.
    #[test]
    fn the_limit_follows_the_sections() {
        let Slices { all, sections, next, table, schedule, .. } = slices();
        let last = sections.len() as u32 - 1;
        let mut rooms = vec![u64::MAX; sections.len()];
        rooms[last as usize] = 0;
        let kept = Mutex::default();
        let kept = NextBlocks::new(&table, None, &schedule, rooms, u64::MAX, &kept);
        let get = |section: u32| {
            kept.computing(section..=section);
            let array = schedule.children[section as usize][0];
            let grid = Grid::new(all.extents(next[array as usize]), EDGE);
            let mut entries = vec![Entry::default(); grid.len(0)];
            let id = BlockId { array, block: 0 };
            match kept.shared(id).expect("there is such a block") {
                Some(block) => entries.copy_from_slice(&block),
                None => kept.get(id, &mut entries).expect("there is such a block"),
            }
            assert_eq!(entries[..], table.block(id).expect("there is such a block")[..]);
        };
        (0..last).for_each(get);
        assert!(kept.lock().bytes > 0);
        kept.computing(last - 1..=last);
        assert_eq!(kept.lock().bytes, 0);
        get(last);
        assert_eq!(kept.lock().bytes, 0);
        kept.computing(0..=0);
        assert_eq!(kept.lock().room, u64::MAX);
    }
}
