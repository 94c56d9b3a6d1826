//! Slices that are only passed through: decoded blocks serve several sections while they are in
//! memory, and what no section needs any more is given back to the disk. Of a small slice, what several
//! sections need stays in memory as it was computed, as long as there is room, and isn't decoded at all.

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

/// The blocks of the next slice. Decoded ones are kept as long as there is memory, those that are
/// needed soonest.
pub(super) struct KeptBlocks<'a> {
    table: &'a Table,
    /// A table of the same blocks, to be read where `table` can't be.
    instead: Option<&'a Table>,
    schedule: &'a Schedule,
    /// The section that is computed, the first if there are several.
    now: AtomicU32,
    /// Bytes that may be kept, for each section that is computed.
    rooms: Vec<u64>,
    /// Bytes of memory that all together may take.
    memory: u64,
    kept: &'a Mutex<Kept>,
    /// Bytes of blocks that were forgotten for a section, since the allocator gave memory back.
    freed: AtomicU64,
    decoded: AtomicU64,
}

/// Stands for the section that needs a computed block: it is of the slice before, behind all of this one.
const COMPUTED: u32 = u32::MAX;

/// How many lent blocks are looked at for each block that room is made for.
const LOOKS: usize = 4;

/// A block of the next slice.
struct KeptBlock {
    /// The section that needs it next.
    next_use: u32,
    /// How often that section needs it, if it is the one that is computed and has had it before.
    left: usize,
    entries: Arc<Block>,
}

/// The blocks that are in memory, from one slice of a build to the next.
#[derive(Default)]
pub(super) struct Kept {
    blocks: HashMap<BlockId, KeptBlock>,
    /// By the section that needs them next.
    order: BTreeSet<(u32, BlockId)>,
    /// Those that were computed, by their slice, and that the slice before it needs.
    computed: BTreeMap<(u8, BlockId), Arc<Block>>,
    /// Those that nobody needs any more, for the next ones that fit.
    free: Shelf<Arc<Block>>,
    /// Those that are free as soon as no piece holds them any more.
    lent: VecDeque<Arc<Block>>,
    /// Bytes of all, and of those that are being decoded.
    bytes: u64,
    /// Bytes that may be kept.
    room: u64,
}

impl<'a> KeptBlocks<'a> {
    /// The blocks of `table`, whose arrays are the next slice of the schedule. `kept` may hold some of them as
    /// they were computed.
    pub fn new(
        table: &'a Table,
        instead: Option<&'a Table>,
        schedule: &'a Schedule,
        rooms: Vec<u64>,
        memory: u64,
        kept: &'a Mutex<Kept>,
    ) -> KeptBlocks<'a> {
        lock(kept).begin_slice(table.header().slice, schedule);
        let now = AtomicU32::new(0);
        let [freed, decoded] = [0, 0].map(AtomicU64::new);
        KeptBlocks { table, instead, schedule, now, rooms, memory, kept, freed, decoded }
    }

    /// How many blocks were decoded.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        lock(self.kept)
    }

    /// The next section that needs a block which section `now` has got, and how often that one
    /// needs it again.
    fn after(&self, id: BlockId, now: u32, left: usize) -> Option<(u32, usize)> {
        match left {
            0 => self.schedule.next_use(id.array, now).map(|next| (next, 0)),
            _ => Some((now, left)),
        }
    }

    /// A block that is kept. It stays, if it is needed again.
    fn find(&self, id: BlockId, now: u32) -> Option<Arc<Block>> {
        let mut kept = self.lock();
        let kept = &mut *kept;
        let KeptBlock { next_use, left, entries } = kept.blocks.remove(&id)?;
        kept.order.remove(&(next_use, id));
        let left = if left > 0 { left } else { self.schedule.times(id.array, now) };
        match self.after(id, now, left.saturating_sub(1)) {
            Some((next_use, left)) => {
                kept.order.insert((next_use, id));
                kept.blocks.insert(id, KeptBlock { next_use, left, entries: entries.clone() });
            }
            None => kept.lent.push_back(entries.clone()),
        }
        Some(entries)
    }

    /// Decodes a block of `len` entries that is needed again, and sooner than others, and keeps it. None if
    /// there is no room for it. It is decoded between two locks: meanwhile other threads find theirs.
    fn keep(&self, id: BlockId, now: u32, len: usize) -> Result<Option<Arc<Block>>, BoxError> {
        let left = self.schedule.times(id.array, now).saturating_sub(1);
        let Some((next_use, left)) = self.after(id, now, left) else { return Ok(None) };
        let Some((mut entries, gone)) = self.lock().make_room(len, next_use) else { return Ok(None) };
        drop(gone);
        let decoded = self.get(id, Arc::get_mut(&mut entries).expect("nobody else has it").reset(len));
        let mut kept = self.lock();
        let known = kept.blocks.contains_key(&id);
        if decoded.is_err() || known {
            kept.free.put(entries.room(), entries.clone());
        } else {
            kept.order.insert((next_use, id));
            kept.blocks.insert(id, KeptBlock { next_use, left, entries: entries.clone() });
        }
        drop(kept);
        decoded?;
        // Another thread has decoded it meanwhile: this is one of its uses.
        Ok(if known { self.find(id, now).or(Some(entries)) } else { Some(entries) })
    }
}

impl Kept {
    /// This slice, of which some blocks were computed, is the next one from now on. There are no pieces yet, so
    /// that everything else is free.
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
                    self.blocks.insert(id, KeptBlock { next_use, left: 0, entries });
                }
                None => self.free.put(entries.room(), entries),
            }
        }
    }

    /// Looks whether some of those that were lent are free.
    fn take_back(&mut self) {
        for _ in 0..LOOKS.min(self.lent.len()) {
            match self.lent.pop_front() {
                Some(block) if Arc::strong_count(&block) == 1 => self.free.put(block.room(), block),
                lent => self.lent.extend(lent),
            }
        }
    }

    /// So many bytes may be kept from now on: a section may leave less than those before it.
    /// Returns what is forgotten.
    fn set_room(&mut self, room: u64) -> Vec<Arc<Block>> {
        self.room = room;
        let over = || if self.bytes > room { self.forget(|_| true) } else { None };
        std::iter::from_fn(over).collect()
    }

    /// The section at `now` begins: what only earlier ones needed is free. A row that was computed beside
    /// those of the section before was taken for one of these.
    fn begin(&mut self, now: u32, schedule: &Schedule) {
        while let Some(&(next_use, id)) = self.order.first()
            && next_use < now
        {
            self.order.pop_first();
            let block = self.blocks.remove(&id).expect("what has a place is kept");
            match schedule.next_use(id.array, now - 1) {
                Some(next_use) => {
                    self.order.insert((next_use, id));
                    self.blocks.insert(id, KeptBlock { next_use, left: 0, ..block });
                }
                None => self.lent.push_back(block.entries),
            }
        }
    }

    /// Counts a block of so many entries as kept, in place of blocks that are needed later than `next_use`.
    /// Returns the memory for it: that of a free or forgotten block which nobody reads any more, or none
    /// yet; and what is forgotten. None if there is no room. What is forgotten and still in a piece is counted
    /// with that one.
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
                None if self.bytes + bytes(len) > self.room => self.forget(|next| next > next_use)?,
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

    /// Forgets a free block, or else the one that is needed last, if `may` says so of the section that needs it.
    fn forget(&mut self, may: impl Fn(u32) -> bool) -> Option<Arc<Block>> {
        let entries = if let Some(free) = self.free.oldest().or_else(|| self.lent.pop_front()) {
            free
        } else if may(COMPUTED)
            && let Some((_, computed)) = self.computed.pop_last()
        {
            computed
        } else {
            let &last = self.order.last().filter(|&&(next, _)| may(next))?;
            self.order.remove(&last);
            self.blocks.remove(&last.1).expect("what has a place is kept").entries
        };
        self.bytes -= bytes(entries.room());
        Some(entries)
    }
}

impl Computed<'_> {
    /// Memory for a block that stays, if there is room that no block of the next slice needs.
    fn memory(&self, id: BlockId, len: usize) -> Option<Arc<Block>> {
        if !self.arrays[id.array as usize] {
            return None;
        }
        let (mut block, gone) = lock(self.kept).make_room(len, COMPUTED)?;
        drop(gone);
        Arc::get_mut(&mut block).expect("nobody else has it").reset(len);
        Some(block)
    }

    /// Keeps a block in such memory.
    fn keep(&self, id: BlockId, block: Arc<Block>) {
        lock(self.kept).computed.insert((self.slice, id), block);
    }
}

impl Source for KeptBlocks<'_> {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        read(self.table, id, into).or_else(|error| match self.instead {
            // It was freed, or is damaged: then its checksum is wrong.
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
            None => self.keep(id, now, grids(self.table, id.array)[1].len(id.block)),
        }
    }

    fn ahead(&self, id: BlockId) {
        if !self.lock().blocks.contains_key(&id) && cut_alike(self.table, id) {
            self.table.ahead(id);
        }
    }

    /// There is as much room as each of these sections leaves.
    fn computing(&self, sections: RangeInclusive<u32>) {
        self.now.store(*sections.start(), Ordering::Relaxed);
        let mut kept = self.lock();
        kept.begin(*sections.start(), self.schedule);
        let forgotten = kept.set_room(least(&self.rooms, sections));
        drop(kept);
        let unused = forgotten.iter().filter(|block| Arc::strong_count(block) == 1);
        let more: u64 = unused.map(|block| bytes(block.room())).sum();
        drop(forgotten);
        let freed = self.freed.fetch_add(more, Ordering::Relaxed) + more;
        if give_back(freed, self.memory) {
            self.freed.store(0, Ordering::Relaxed);
        }
    }
}

/// The grid of an array of a table, and the one that builds cut it in.
fn grids(table: &Table, array: u32) -> [Grid; 2] {
    let stored = table.arrays()[array as usize].array.grid;
    [stored, Grid::new(stored.extents, EDGE)]
}

/// Whether a block of a build is also one of the table.
fn cut_alike(table: &Table, id: BlockId) -> bool {
    let [stored, wanted] = grids(table, id.array);
    id.block < stored.blocks() && stored.ranges(id.block) == wanted.ranges(id.block)
}

/// Reads a block of a build, also from a table with other blocks: those of imported ones may be larger.
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

/// The least of what these sections have; nothing where one has none.
fn least<T: Copy + Ord + Default>(each: &[T], sections: RangeInclusive<u32>) -> T {
    let of = |section: u32| each.get(section as usize).copied().unwrap_or_default();
    sections.map(of).min().unwrap_or_default()
}

/// Where the blocks of a slice go: a writer that lets as many bytes wait as the section in work has room
/// for, and gives sections of a next slice that isn't kept back as soon as all their parents are on the
/// disk. Blocks may stay in memory as well, as long as there is room.
pub(super) struct SliceOutput<'a> {
    writer: &'a Writer,
    computed: Option<Computed<'a>>,
    /// For each section: bytes of encoded blocks that may wait for their turn.
    waiting: Vec<usize>,
    free: Option<Mutex<Freed<'a>>>,
}

/// What stays in memory of a slice as it is computed.
pub(super) struct Computed<'a> {
    pub slice: u8,
    /// Its arrays of which blocks stay.
    pub arrays: BitVec,
    /// Where.
    pub kept: &'a Mutex<Kept>,
}

struct Freed<'a> {
    table: &'a Table,
    holes: Holes,
    /// The arrays of the table, each with the number of written blocks from which on nobody needs
    /// it, and its bytes; the last to be freed first.
    left: Vec<(u64, u32, u64)>,
    /// At least so many bytes are freed at a time: the parents have to get onto the disk before.
    least: u64,
}

/// A sixty-fourth of a table is freed at a time (`bench/README.md#memory-of-pieces`).
const STEPS: u64 = 64;

impl<'a> SliceOutput<'a> {
    /// Frees parts of `table`, if it is to be deleted anyway. What is `computed` may stay in memory, too.
    ///
    /// # Errors
    /// If its file can't be opened, or a part of its index is damaged.
    pub fn new(
        writer: &'a Writer,
        waiting: Vec<usize>,
        first_blocks: &[u64],
        schedule: &Schedule,
        table: Option<&'a Table>,
        computed: Option<Computed<'a>>,
    ) -> Result<SliceOutput<'a>, TableError> {
        let Some(table) = table else { return Ok(SliceOutput { writer, computed, waiting, free: None }) };
        let end = |array: u32| first_blocks.get(array as usize + 1).copied().unwrap_or(writer.blocks());
        let mut left = Vec::new();
        for (array, parents) in (0..).zip(&schedule.parents) {
            let bytes = table.raw().payloads(array)?;
            left.push((parents.last().map_or(0, |&last| end(last)), array, bytes.end - bytes.start));
        }
        left.sort_unstable_by(|a, b| b.cmp(a));
        let least = table.header().file_bytes / STEPS;
        let free = Freed { table, holes: Holes::of(table.raw())?, left, least };
        Ok(SliceOutput { writer, computed, waiting, free: Some(Mutex::new(free)) })
    }
}

impl Freed<'_> {
    /// Frees what nobody needs who comes after so many written blocks, if it is enough.
    fn free(&mut self, writer: &Writer) -> Result<(), TableError> {
        let done = writer.done();
        let from = self.left.partition_point(|&(end, ..)| end > done);
        let bytes: u64 = self.left[from..].iter().map(|&(.., bytes)| bytes).sum();
        if from == self.left.len() || bytes < self.least {
            return Ok(());
        }
        // Who goes on after a power failure finds the parents, so that he needs no children.
        writer.sync()?;
        for (_, array, _) in self.left.drain(from..) {
            self.holes.punch(self.table.raw(), array)?;
        }
        Ok(())
    }
}

impl SliceOutput<'_> {
    /// What is to be done when the writer has a block, which may stay. Where another thread frees something, this
    /// one needn't.
    fn after(&self, id: BlockId, kept: Option<Arc<Block>>) -> Result<(), BoxError> {
        if let (Some(computed), Some(block)) = (&self.computed, kept) {
            computed.keep(id, block);
        }
        match self.free.as_ref().and_then(try_lock) {
            Some(mut free) => Ok(free.free(self.writer)?),
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
    use pentago_core::rules::{MiniRun, Rules, Shape};
    use pentago_tables::tables::{Access, Cache};
    use std::num::NonZeroUsize;

    /// The sections of Mini-Pentago with 9 marbles, and a table of those with 10.
    struct Slices {
        all: &'static Sections,
        sections: Vec<Section>,
        next: Vec<Section>,
        table: Table,
        schedule: Schedule,
        /// Deleted with it.
        _folder: tempfile::TempDir,
    }

    fn slices() -> Slices {
        let rules = Rules { shape: Shape::Mini { run: MiniRun::Four }, ..Rules::default() };
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

    /// What a row needed that was computed beside those of the section before is free with its own section.
    #[test]
    fn nothing_stays_that_nobody_needs() {
        let Slices { sections, table, schedule, .. } = slices();
        let kept = Mutex::default();
        let kept = KeptBlocks::new(&table, None, &schedule, vec![u64::MAX; sections.len()], u64::MAX, &kept);
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

    /// What was computed isn't decoded, if it is of the next slice; it goes before what that one needs.
    #[test]
    fn computed_blocks_stay() {
        let Slices { sections, table, schedule, .. } = slices();
        let array = schedule.parents.iter().position(|parents| !parents.is_empty()).expect("a child");
        let (id, now) = (BlockId { array: array as u32, block: 0 }, schedule.parents[array][0]);
        let stored = table.block(id).expect("there is such a block").to_vec();
        let marked = vec![Entry::default(); stored.len()];
        assert_ne!(stored, marked);
        let keep = |kept: &Mutex<Kept>, slice: u8, id: BlockId| {
            let arrays = (0..=id.array).map(|other| other == id.array).collect();
            let computed = Computed { slice, arrays, kept };
            assert!(id.array == 0 || computed.memory(BlockId { array: id.array - 1, ..id }, 1).is_none());
            let Some(mut block) = computed.memory(id, marked.len()) else { return };
            Arc::get_mut(&mut block)
                .expect("nobody else has it")
                .reset(marked.len())
                .copy_from_slice(&marked);
            computed.keep(id, block);
        };
        for (slice, decoded) in [(10, 0), (9, 1)] {
            let kept = Mutex::new(Kept { room: u64::MAX, ..Kept::default() });
            keep(&kept, slice, id);
            let rooms = vec![u64::MAX; sections.len()];
            let blocks = KeptBlocks::new(&table, None, &schedule, rooms, u64::MAX, &kept);
            blocks.computing(now..=now);
            let mut entries = stored.clone();
            match blocks.shared(id).expect("decoded") {
                Some(block) => entries.copy_from_slice(&block),
                None => blocks.get(id, &mut entries).expect("decoded"),
            }
            assert_eq!((entries == marked, blocks.decoded()), (decoded == 0, decoded));
        }
        let kept = Mutex::new(Kept { room: bytes(2 * marked.len()), ..Kept::default() });
        (0..3).for_each(|block| keep(&kept, 10, BlockId { block, ..id }));
        let mut kept = into_inner(kept);
        assert_eq!((kept.computed.len(), kept.bytes), (2, kept.room));
        let (block, gone) = kept.make_room(marked.len(), 0).expect("there is room");
        assert_eq!((block.room(), gone.len(), kept.computed.len()), (marked.len(), 0, 1));
        assert!(kept.computed.contains_key(&(10, BlockId { block: 0, ..id })));
    }

    /// A block that a piece has isn't memory for others until the piece is gone.
    #[test]
    fn lent_blocks_come_back() {
        let mut kept = Kept { room: bytes(300), ..Kept::default() };
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
        let mut kept = Kept { room: bytes(300), ..Kept::default() };
        let make = |kept: &mut Kept, len: usize, next_use: u32| {
            let (mut memory, gone) = kept.make_room(len, next_use)?;
            Arc::get_mut(&mut memory).expect("nobody else has it").reset(len);
            Some((memory, gone.len()))
        };
        let keep = |kept: &mut Kept, block: u64, next_use: u32, entries: &Arc<Block>| {
            let id = BlockId { array: 0, block };
            kept.order.insert((next_use, id));
            kept.blocks.insert(id, KeptBlock { next_use, left: 0, entries: entries.clone() });
        };
        for (block, next_use) in [(0, 5), (1, 7)] {
            let (entries, gone) = make(&mut kept, 100, next_use).expect("there is room");
            assert_eq!(gone, 0);
            keep(&mut kept, block, next_use, &entries);
        }
        assert_eq!(kept.bytes, bytes(200));
        // More than all; and more than what is needed later leaves.
        assert!(make(&mut kept, 301, 0).is_none());
        assert!(make(&mut kept, 101, 7).is_none());
        // The memory of the one that is needed last, for a block with a little less.
        let (entries, gone) =
            make(&mut kept, 95, 6).and_then(|_| make(&mut kept, 95, 6)).expect("there is room");
        assert_eq!((entries.room(), entries.len(), gone), (100, 95, 0));
        assert!(!kept.blocks.contains_key(&BlockId { array: 0, block: 1 }));
        // A free one that is still read is no memory for others.
        kept.free.put(entries.room(), entries.clone());
        let (other, gone) = make(&mut kept, 95, 6).expect("there is room");
        assert!(gone == 1 && other.room() == 95);
        kept.free.put(other.room(), other);
        assert_eq!(make(&mut kept, 90, 6).expect("there is room").0.room(), 95);
    }

    /// A section that leaves less room than the one before it takes it back when it begins, and one that
    /// leaves more gives it when the one before it is finished.
    #[test]
    fn less_room_is_heeded() {
        let Slices { all, sections, next, table, schedule, .. } = slices();
        let last = sections.len() as u32 - 1;
        let mut rooms = vec![u64::MAX; sections.len()];
        rooms[last as usize] = 0;
        let kept = Mutex::default();
        let kept = KeptBlocks::new(&table, None, &schedule, rooms, u64::MAX, &kept);
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
