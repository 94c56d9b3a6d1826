//! The memory that all slices of one solution share. Each slice n overwrites slice n + 1: when a
//! unit of slice n + 1 is overwritten, it has been read for the last time.
//!
//! An arena is allocated once, in huge pages if the system has them. The second chain and the next
//! solution reuse it, because clearing fresh pages takes as long as computing them. During the
//! computation of a slice ([`ArenaPass`]), workers claim its units in order. A claim lends the
//! lines of the unit for writing, and the lines of the next slice from the unit's floor on for
//! reading. The [`protocol`] ensures that no worker writes lines that another worker reads.

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

/// The size from which memory is mapped: that of a huge page in bytes.
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
const HUGE_PAGE: usize = 1 << 21;

/// A growable array of lines. Its contents are unspecified after it has grown. The slices of a
/// rooted solution share an arena in [passes](Arena::pass). Proofs and pieces of sections use an
/// arena as a plain array.
///
/// Memory of at least the size of a huge page is mapped, because the allocator might keep freed
/// memory for itself. Smaller memory comes from the allocator, because the system limits the number
/// of maps.
#[derive(Default)]
pub struct Arena {
    heap: Vec<Pack>,
    #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
    map: Option<memmap2::MmapMut>,
}

impl Arena {
    /// Makes room for `lines` lines. If the arena must grow, its contents are lost.
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
        // The old memory is released before the new memory is allocated.
        *self = Arena::default();
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if lines >= HUGE_PAGE / size_of::<Pack>()
            && let Ok(map) = memmap2::MmapMut::map_anon(lines * size_of::<Pack>())
        {
            // The advice is a hint: without huge pages the program is only slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            self.map = Some(map);
            return Ok(());
        }
        self.heap.try_reserve_exact(lines).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.heap.resize(lines, Pack::default());
        Ok(())
    }

    /// Returns all lines.
    fn all(&self) -> &[Pack] {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if let Some(map) = &self.map {
            return <[Pack]>::ref_from_bytes(map).expect("a map starts at a page and has whole lines");
        }
        &self.heap
    }

    /// Returns all lines for writing.
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

    /// Returns one line.
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
    /// unit starts at line `start`. With `streaming`, stores bypass the caches.
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

// SAFETY: lines are accessed only through claims. The protocol ensures that no thread writes a line
// while another thread accesses it.
unsafe impl Sync for ArenaPass<'_> {}

impl ArenaPass<'_> {
    /// Lends a worker to `compute`, on one thread.
    ///
    /// # Panics
    /// If there are already as many workers as the pass allows.
    pub fn work<R>(&self, compute: impl FnOnce(&mut ArenaWorker) -> R) -> R {
        // The worker is only lent, so `compute` can't forget it. Other workers and the next reader
        // of the memory rely on its `drop`.
        compute(&mut ArenaWorker { pass: self, worker: self.protocol.worker() })
    }
}

/// A worker of an [`ArenaPass`]: one thread, which computes one unit at a time.
pub struct ArenaWorker<'p> {
    pass: &'p ArenaPass<'p>,
    worker: Worker<'p>,
}

impl Drop for ArenaWorker<'_> {
    /// Makes the lines visible that the worker stored past the caches.
    fn drop(&mut self) {
        fence();
    }
}

impl ArenaWorker<'_> {
    /// Claims the next unit. Returns `None` if there are no more units. `describe` gets the number
    /// of the unit and returns its lines.
    ///
    /// # Panics
    /// If the floors of the units descend, a unit ends above its floor, or a unit isn't in the
    /// arena.
    pub fn claim(&mut self, describe: impl FnOnce(u64) -> UnitLines) -> Option<UnitClaim<'_>> {
        let claim = self.worker.claim(describe)?;
        assert!(claim.end <= self.pass.lines as u64, "a unit of the arena");
        Some(UnitClaim { lines: claim, worker: self })
    }
}

/// A claimed unit, whose lines other workers may still read.
pub struct UnitClaim<'w> {
    /// The lines of the unit.
    pub lines: ClaimedLines,
    worker: &'w ArenaWorker<'w>,
}

impl<'w> UnitClaim<'w> {
    /// Waits until no other worker reads the lines of the unit. Returns `None` if `is_cancelled`
    /// returns `true` first.
    pub fn wait(self, is_cancelled: impl Fn() -> bool) -> Option<(NextSlice<'w>, ArrayOut<'w>)> {
        let UnitClaim { lines: claim, worker } = self;
        if !worker.worker.wait(&claim, is_cancelled) {
            return None;
        }
        let ArenaPass { start, lines, streaming, .. } = *worker.pass;
        // The end of the claim is in the arena, so all offsets are valid.
        let (from, end) = (claim.start as usize, claim.end as usize);
        let floor = usize::try_from(claim.floor).map_or(lines, |floor| floor.min(lines));
        // SAFETY: the lines are in the arena. This worker has claimed the lines `from` to `end` and
        // has waited, so no other worker accesses them. The floor isn't below `end`, and no worker
        // writes above the floor before this worker claims again. It can't claim again while the
        // results live, because they borrow it.
        Some(unsafe {
            (
                NextSlice { floor, lines: std::slice::from_raw_parts(start.add(floor), lines - floor) },
                ArrayOut::new(start.add(from), end - from, streaming),
            )
        })
    }
}

/// The lines that a claimed unit may read: the next slice, from the floor of the unit on.
#[derive(Clone, Copy)]
pub struct NextSlice<'w> {
    floor: usize,
    lines: &'w [Pack],
}

impl<'w> NextSlice<'w> {
    /// Returns `len` lines from line `at` of the arena on.
    ///
    /// # Panics
    /// If the lines aren't in the arena, or start below the floor of the unit.
    #[inline]
    pub fn lines(self, at: u64, len: u64) -> &'w [Pack] {
        let range = |at: u64, len: u64| {
            let at = usize::try_from(at).ok()?.checked_sub(self.floor)?;
            self.lines.get(at..at.checked_add(usize::try_from(len).ok()?)?)
        };
        range(at, len).expect("the unit reads lines above its floor")
    }
}
