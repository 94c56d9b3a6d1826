//! Slices that are only passed through: decoded blocks serve several sections while they are in
//! memory, and what no section needs any more is given back to the disk.

use crate::build::share::{Schedule, give_back};
use crate::index::EDGE;
use crate::tables::{Table, TableError, Writer};
use crate::values::{Block, BlockId, BoxError, Entry, Grid, Shelf, Sink, Source, WdlCounts, bytes, fitting};
use pentago_base::try_lock;
use pentago_store::Holes;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeSet, HashMap};
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
    kept: Mutex<KeptState>,
    /// Bytes of blocks that were forgotten for a section, since the allocator gave memory back.
    freed: AtomicU64,
    decoded: AtomicU64,
}

/// A decoded block.
struct KeptBlock {
    /// The section that needs it next.
    next_use: u32,
    /// How often that section needs it, if it is the one that is computed and has had it before.
    left: usize,
    entries: Arc<Block>,
}

#[derive(Default)]
struct KeptState {
    blocks: HashMap<BlockId, KeptBlock>,
    /// By the section that needs them next.
    order: BTreeSet<(u32, BlockId)>,
    /// Those that nobody needs any more, for the next ones that fit.
    free: Shelf<Arc<Block>>,
    /// Bytes of both, and of those that are being decoded.
    bytes: u64,
    /// Bytes that may be kept.
    room: u64,
}

impl<'a> KeptBlocks<'a> {
    /// The blocks of `table`, whose arrays are the next slice of the schedule.
    pub fn new(
        table: &'a Table,
        instead: Option<&'a Table>,
        schedule: &'a Schedule,
        rooms: Vec<u64>,
        memory: u64,
    ) -> KeptBlocks<'a> {
        let (now, kept) = (AtomicU32::new(0), Mutex::default());
        let [freed, decoded] = [0, 0].map(AtomicU64::new);
        KeptBlocks { table, instead, schedule, now, rooms, memory, kept, freed, decoded }
    }

    /// How many blocks were decoded.
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, KeptState> {
        pentago_base::lock(&self.kept)
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
            None => kept.free.put(entries.room(), entries.clone()),
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

impl KeptState {
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
                None => self.free.put(block.entries.room(), block.entries),
            }
        }
    }

    /// Counts a block of so many entries as kept, in place of blocks that are needed later than `next_use`.
    /// Returns the memory for it: that of a free or forgotten block which nobody reads any more, or none
    /// yet; and what is forgotten. None if there is no room. What is forgotten and still read isn't counted:
    /// at most a block for each thread.
    fn make_room(&mut self, len: usize, next_use: u32) -> Option<(Arc<Block>, Vec<Arc<Block>>)> {
        if bytes(len) > self.room {
            return None;
        }
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
        let entries = match self.free.oldest() {
            Some(free) => free,
            None => {
                let &last = self.order.last().filter(|&&(next, _)| may(next))?;
                self.order.remove(&last);
                self.blocks.remove(&last.1).expect("what has a place is kept").entries
            }
        };
        self.bytes -= bytes(entries.room());
        Some(entries)
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
        if cut_alike(self.table, id) && !self.lock().blocks.contains_key(&id) {
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
        let more: u64 = forgotten.iter().map(|block| bytes(block.room())).sum();
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
        return table.get(id, into);
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
/// disk.
pub(super) struct SliceOutput<'a> {
    writer: &'a Writer,
    /// For each section: bytes of encoded blocks that may wait for their turn.
    waiting: Vec<usize>,
    free: Option<Mutex<Freed<'a>>>,
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
    /// Frees parts of `table`, if it is to be deleted anyway.
    ///
    /// # Errors
    /// If its file can't be opened, or a part of its index is damaged.
    pub fn new(
        writer: &'a Writer,
        waiting: Vec<usize>,
        first_blocks: &[u64],
        schedule: &Schedule,
        table: Option<&'a Table>,
    ) -> Result<SliceOutput<'a>, TableError> {
        let Some(table) = table else { return Ok(SliceOutput { writer, waiting, free: None }) };
        let end = |array: u32| first_blocks.get(array as usize + 1).copied().unwrap_or(writer.blocks());
        let mut left = Vec::new();
        for (array, parents) in (0..).zip(&schedule.parents) {
            let bytes = table.raw().payloads(array)?;
            left.push((parents.last().map_or(0, |&last| end(last)), array, bytes.end - bytes.start));
        }
        left.sort_unstable_by(|a, b| b.cmp(a));
        let least = table.header().file_bytes / STEPS;
        let free = Freed { table, holes: Holes::of(table.raw())?, left, least };
        Ok(SliceOutput { writer, waiting, free: Some(Mutex::new(free)) })
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
    /// Where another thread is at it, there is nothing to do.
    fn free(&self) -> Result<(), TableError> {
        match self.free.as_ref().and_then(try_lock) {
            Some(mut free) => free.free(self.writer),
            None => Ok(()),
        }
    }
}

impl Sink for SliceOutput<'_> {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        self.writer.put(id, entries)?;
        Ok(self.free()?)
    }

    fn put_counted(&self, id: BlockId, entries: &[Entry], counts: WdlCounts) -> Result<(), BoxError> {
        self.writer.put_counted(id, entries, counts)?;
        Ok(self.free()?)
    }

    fn computing(&self, sections: RangeInclusive<u32>) {
        self.writer.let_wait(least(&self.waiting, sections));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::build::{GameBuild, Resources};
    use crate::index::{Section, Sections};
    use crate::rules::{MiniRun, Rules, Shape};
    use crate::tables::{Access, Cache};
    use pentago_base::Control;
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
        let kept = KeptBlocks::new(&table, None, &schedule, vec![u64::MAX; sections.len()], u64::MAX);
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
        assert!(seen.iter().all(|&times| times > 0) && kept.lock().free.bytes() > 0, "{seen:?}");
    }

    #[test]
    fn memory_of_blocks_is_used_again() {
        let mut kept = KeptState { room: bytes(300), ..KeptState::default() };
        let make = |kept: &mut KeptState, len: usize, next_use: u32| {
            let (mut memory, gone) = kept.make_room(len, next_use)?;
            Arc::get_mut(&mut memory).expect("nobody else has it").reset(len);
            Some((memory, gone.len()))
        };
        let keep = |kept: &mut KeptState, block: u64, next_use: u32, entries: &Arc<Block>| {
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
        let kept = KeptBlocks::new(&table, None, &schedule, rooms, u64::MAX);
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
