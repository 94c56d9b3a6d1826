//! The memory that all slices of one solution share. Slice n overwrites slice n + 1: a unit of
//! slice n + 1 is overwritten only after it has been read for the last time.
//!
//! An arena is allocated once, in huge pages if the system supports huge pages. The second chain
//! and the next solution reuse the arena, because clearing fresh pages takes as long as computing
//! their contents. During the computation of a slice ([`ArenaPass`]), workers claim its units in
//! order. A claim lends two ranges of lines: the lines of the unit for writing, and for reading,
//! the lines of the next slice from the unit's floor to the end of the arena. The [`protocol`]
//! ensures that no worker writes lines that another worker reads.

mod protocol;
mod sync;
#[cfg(test)]
mod tests;

pub use protocol::{NOTHING, UnitLines};

use super::lanes::{Pack, fence};
use super::step::ArrayOut;
use protocol::{ClaimedLines, Protocol, Worker};
use std::io;
use std::marker::PhantomData;
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
use zerocopy::FromBytes;

/// The size of a huge page in bytes. Arenas of at least this size are mapped directly from the
/// system.
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
const HUGE_PAGE: usize = 1 << 21;

/// A growable array of lines. When the array grows, its contents are lost. The slices of a rooted
/// solution share an arena in [passes](Arena::pass). Proofs and the solver of sections use an arena
/// as a plain array.
///
/// Memory of at least the size of a huge page is mapped directly, because the allocator might not
/// return freed memory to the system. Smaller memory comes from the allocator, because the system
/// limits the number of mappings.
#[derive(Default)]
pub struct Arena {
    heap: Vec<Pack>,
    #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
    map: Option<memmap2::MmapMut>,
}

impl Arena {
    /// Ensures that the arena has at least `lines` lines. If the arena must grow, its contents are
    /// lost.
    ///
    /// # Errors
    /// If the system has too little memory, or the address space is too small.
    pub fn reserve(&mut self, lines: u64) -> io::Result<()> {
        let most = isize::MAX as usize / size_of::<Pack>();
        let lines = usize::try_from(lines.max(1)).ok().filter(|&lines| lines <= most);
        let lines = lines.ok_or(io::ErrorKind::OutOfMemory)?;
        if self.lines() >= lines {
            return Ok(());
        }
        // Release the old memory first, so that the old and the new memory never exist at the same
        // time.
        *self = Arena::default();
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if lines >= HUGE_PAGE / size_of::<Pack>()
            && let Ok(map) = memmap2::MmapMut::map_anon(lines * size_of::<Pack>())
        {
            // Ignore an error: the advice is only a hint, and without huge pages the program is
            // merely slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            self.map = Some(map);
            return Ok(());
        }
        self.heap.try_reserve_exact(lines).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.heap.resize(lines, Pack::default());
        Ok(())
    }

    /// Returns all lines of the arena.
    fn all(&self) -> &[Pack] {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if let Some(map) = &self.map {
            return <[Pack]>::ref_from_bytes(map).expect("a map starts at a page and has whole lines");
        }
        &self.heap
    }

    /// Returns all lines of the arena for writing.
    fn all_mut(&mut self) -> &mut [Pack] {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if let Some(map) = &mut self.map {
            return <[Pack]>::mut_from_bytes(map).expect("a map starts at a page and has whole lines");
        }
        &mut self.heap
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.all().len()
    }

    /// Returns a copy of the line with index `at`.
    ///
    /// # Panics
    /// If the arena has no such line.
    pub fn line(&self, at: u64) -> Pack {
        let line = usize::try_from(at).ok().and_then(|at| self.all().get(at));
        *line.expect("a line of the arena")
    }

    /// Returns the first `lines` lines.
    ///
    /// # Panics
    /// If the arena has fewer lines.
    pub fn slice(&self, lines: usize) -> &[Pack] {
        &self.all()[..lines]
    }

    /// Returns the first `lines` lines for writing.
    ///
    /// # Panics
    /// If the arena has fewer lines.
    pub fn slice_mut(&mut self, lines: usize) -> &mut [Pack] {
        &mut self.all_mut()[..lines]
    }

    /// Starts the computation of one slice of `units` units by at most `workers` workers. The first
    /// unit starts at line `start`. If `streaming` is `true`, stores bypass the caches.
    ///
    /// # Panics
    /// If [`Arena::reserve`] has not been called.
    pub fn pass(&mut self, start: u64, units: u64, workers: usize, streaming: bool) -> ArenaPass<'_> {
        let all = self.all_mut();
        assert!(!all.is_empty(), "room was made");
        let protocol = Protocol::new(start, units, workers);
        ArenaPass { start: all.as_mut_ptr(), lines: all.len(), protocol, streaming, arena: PhantomData }
    }
}

/// The computation of one slice in an [`Arena`].
pub struct ArenaPass<'a> {
    start: *mut Pack,
    lines: usize,
    protocol: Protocol,
    streaming: bool,
    arena: PhantomData<&'a mut [Pack]>,
}

// SAFETY: sharing `start` between threads requires that no two threads race on a line. Threads
// access lines only through claims, and the protocol ensures that no thread writes a line while
// another thread accesses it.
unsafe impl Sync for ArenaPass<'_> {}

impl ArenaPass<'_> {
    /// Creates a worker and lends it to `compute`, which runs on the calling thread.
    ///
    /// # Panics
    /// If the pass already has its maximum number of workers.
    pub fn work<R>(&self, compute: impl FnOnce(&mut ArenaWorker) -> R) -> R {
        // `compute` only borrows the worker, so it can't prevent the call of the worker's `drop`.
        // Other workers and the next reader of the memory rely on `drop`.
        compute(&mut ArenaWorker { pass: self, worker: self.protocol.worker() })
    }
}

/// A worker of an [`ArenaPass`]. A worker runs on one thread and computes one unit at a time.
pub struct ArenaWorker<'p> {
    pass: &'p ArenaPass<'p>,
    worker: Worker<'p>,
}

impl Drop for ArenaWorker<'_> {
    /// Waits until all streaming stores of the worker are visible to other threads.
    fn drop(&mut self) {
        fence();
    }
}

impl ArenaWorker<'_> {
    /// Claims the next unit. Returns `None` if no units remain. `describe` receives the index of
    /// the unit and returns the number of its lines and its floor.
    ///
    /// # Panics
    /// If the floor is below the floor of the preceding unit, if the unit ends above its floor, or
    /// if the unit ends outside the arena.
    pub fn claim(&mut self, describe: impl FnOnce(u64) -> UnitLines) -> Option<UnitClaim<'_>> {
        let claim = self.worker.claim(describe)?;
        assert!(claim.end <= self.pass.lines as u64, "a unit of the arena");
        Some(UnitClaim { lines: claim, worker: self })
    }
}

/// A claimed unit. Other workers may still read the lines to which the unit will be written.
pub struct UnitClaim<'w> {
    /// The lines of the unit, and its floor.
    pub lines: ClaimedLines,
    worker: &'w ArenaWorker<'w>,
}

impl<'w> UnitClaim<'w> {
    /// Waits until no other worker can still read the lines of the unit. Returns the lines that the
    /// unit may read and the lines to which the unit is written. Returns `None` if `is_cancelled`
    /// returns `true` first.
    pub fn wait(self, is_cancelled: impl Fn() -> bool) -> Option<(NextSlice<'w>, ArrayOut<'w>)> {
        let UnitClaim { lines: claim, worker } = self;
        if !worker.worker.wait(&claim, is_cancelled) {
            return None;
        }
        let ArenaPass { start, lines, streaming, .. } = *worker.pass;
        // `claim` has checked that the end of the unit is in the arena, so the conversions are
        // lossless.
        let (from, end) = (claim.start as usize, claim.end as usize);
        let floor = usize::try_from(claim.floor).map_or(lines, |floor| floor.min(lines));
        // SAFETY: `claim` has checked that the lines are in the arena. This worker has claimed the
        // lines `from` to `end` and has waited, so no other worker accesses these lines. The floor
        // isn't below `end`, and no worker writes above the floor before this worker claims again.
        // This worker can't claim again while the results live, because the results borrow the
        // worker.
        Some(unsafe {
            (
                NextSlice { floor, lines: std::slice::from_raw_parts(start.add(floor), lines - floor) },
                ArrayOut::new(start.add(from), end - from, streaming),
            )
        })
    }
}

/// The lines of the next slice that a claimed unit may read: all lines of the arena from the floor
/// of the unit on.
#[derive(Clone, Copy)]
pub struct NextSlice<'w> {
    floor: usize,
    lines: &'w [Pack],
}

impl<'w> NextSlice<'w> {
    /// Returns `len` lines, starting at line `at` of the arena.
    ///
    /// # Panics
    /// If the lines start below the floor of the unit, or end outside the arena.
    #[inline]
    pub fn lines(self, at: u64, len: u64) -> &'w [Pack] {
        let range = |at: u64, len: u64| {
            let at = usize::try_from(at).ok()?.checked_sub(self.floor)?;
            self.lines.get(at..at.checked_add(usize::try_from(len).ok()?)?)
        };
        range(at, len).expect("the unit reads lines above its floor")
    }
}
