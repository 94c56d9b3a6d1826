//! The memory that the slices of one solution share. Each slice overwrites the next one: a unit of
//! the next slice has been read for the last time when its place is overwritten.
//!
//! It is allocated once, in huge pages if the system has them, and reused by the second chain and
//! by the next solution, because clearing fresh pages costs as much as computing them. While a
//! slice is computed ([`ArenaPass`]), workers claim its units in order. A claim lends the lines of
//! the unit for writing, and those of the next slice from the unit's floor on for reading.
//! [`protocol`] makes sure that nobody writes what another one reads.

mod memory;
mod protocol;
mod sync;
#[cfg(test)]
mod tests;

pub use protocol::{NOTHING, UnitLines};

use super::lanes::{Pack, fence};
use super::step::ArrayOut;
use memory::ArenaMemory;
use protocol::{ClaimedLines, Protocol, Worker};
use std::io;
use std::marker::PhantomData;

/// Lines that grow, and are anything after they have grown. Slices of a rooted solution share them in
/// a [pass](Arena::pass); proofs and pieces of sections use them as plain arrays.
#[derive(Default)]
pub struct Arena {
    memory: Option<ArenaMemory>,
}

impl Arena {
    /// Makes room for `lines` lines. The content is lost if it has to grow.
    ///
    /// # Errors
    /// If the system doesn't have that much memory, or the address space is too small.
    pub fn reserve(&mut self, lines: u64) -> io::Result<()> {
        let most = isize::MAX as usize / size_of::<Pack>();
        let lines = usize::try_from(lines.max(1)).ok().filter(|&lines| lines <= most);
        let lines = lines.ok_or(io::ErrorKind::OutOfMemory)?;
        if self.lines() < lines {
            self.memory = None;
            self.memory = Some(ArenaMemory::new(lines)?);
        }
        Ok(())
    }

    /// How many lines there is room for.
    pub fn lines(&self) -> usize {
        self.memory.as_ref().map_or(0, ArenaMemory::lines)
    }

    /// One line.
    ///
    /// # Panics
    /// If there is no such line.
    #[allow(unsafe_code)]
    pub fn line(&self, at: u64) -> Pack {
        let memory = self.memory.as_ref().expect("room was made");
        let at = usize::try_from(at).ok().filter(|&at| at < memory.lines()).expect("a line of the arena");
        // SAFETY: the memory has so many lines, any bytes are lines, and it is borrowed.
        unsafe { *memory.start().add(at) }
    }

    /// Returns the first lines, for one reader or writer.
    ///
    /// # Panics
    /// If there are not so many.
    #[allow(unsafe_code)]
    pub fn slice(&self, lines: usize) -> &[Pack] {
        let Some(memory) = self.memory.as_ref().filter(|memory| lines <= memory.lines()) else {
            assert_eq!(lines, 0, "room was made");
            return &[];
        };
        // SAFETY: the memory has so many lines, any bytes are lines, and it is borrowed.
        unsafe { std::slice::from_raw_parts(memory.start(), lines) }
    }

    /// Returns the same, to be written.
    ///
    /// # Panics
    /// If there are not so many.
    #[allow(unsafe_code)]
    pub fn slice_mut(&mut self, lines: usize) -> &mut [Pack] {
        let memory = self.memory.as_mut().filter(|memory| lines <= memory.lines()).expect("room was made");
        // SAFETY: the memory has so many lines, any bytes are lines, and it is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(memory.start_mut(), lines) }
    }

    /// Returns the computation of one slice of `units` units, the first of which begins at line `start`, by
    /// at most `workers` workers. `streaming`: stores bypass the caches.
    ///
    /// # Panics
    /// If no room was made.
    pub fn pass(&mut self, start: u64, units: u64, workers: usize, streaming: bool) -> ArenaPass<'_> {
        let memory = self.memory.as_mut().expect("room was made");
        let protocol = Protocol::new(start, units, workers);
        let lines = memory.lines();
        ArenaPass { start: memory.start_mut(), lines, protocol, streaming, arena: PhantomData }
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

// SAFETY: the lines are touched only through claims, and by the protocol no two threads touch the
// same line, one of them writing, at the same time.
#[allow(unsafe_code)]
unsafe impl Sync for ArenaPass<'_> {}

impl ArenaPass<'_> {
    /// Lends a worker to `compute`, on one thread.
    ///
    /// # Panics
    /// If there are more workers than were announced.
    pub fn work<R>(&self, compute: impl FnOnce(&mut ArenaWorker) -> R) -> R {
        // Lent, so that it can't be forgotten: its end is what others and the memory's next reader
        // rely on.
        compute(&mut ArenaWorker { pass: self, worker: self.protocol.worker() })
    }
}

/// One thread's part in an [`ArenaPass`]: one unit at a time.
pub struct ArenaWorker<'p> {
    pass: &'p ArenaPass<'p>,
    worker: Worker<'p>,
}

impl Drop for ArenaWorker<'_> {
    /// Before the worker is gone, what it has stored past the caches is made visible.
    fn drop(&mut self) {
        fence();
    }
}

impl ArenaWorker<'_> {
    /// Claims the next unit, if there is one; `describe` is told its number.
    ///
    /// # Panics
    /// If the slices overlap in another way than the arena allows: units read in order, each
    /// written below what it and later ones read, all in the arena.
    pub fn claim(&mut self, describe: impl FnOnce(u64) -> UnitLines) -> Option<UnitClaim<'_>> {
        let claim = self.worker.claim(describe)?;
        assert!(claim.end <= self.pass.lines as u64, "a unit of the arena");
        Some(UnitClaim { claim, worker: self })
    }
}

/// A unit that was claimed, but may still be read by others.
pub struct UnitClaim<'w> {
    claim: ClaimedLines,
    worker: &'w ArenaWorker<'w>,
}

impl<'w> UnitClaim<'w> {
    /// Its number.
    pub fn unit(&self) -> u64 {
        self.claim.unit
    }

    /// Its first line in the arena.
    pub fn start(&self) -> u64 {
        self.claim.start
    }

    /// Waits until nobody reads its lines any more; None if `is_cancelled` said so first.
    #[allow(unsafe_code)]
    pub fn wait(self, is_cancelled: impl Fn() -> bool) -> Option<(NextSlice<'w>, UnitOut<'w>)> {
        let UnitClaim { claim, worker } = self;
        if !worker.worker.wait(&claim, is_cancelled) {
            return None;
        }
        let ArenaPass { start, lines, streaming, .. } = *worker.pass;
        // The claim's end lies in the arena, so all of these are places in memory.
        let (from, end) = (claim.start as usize, claim.end as usize);
        let floor = usize::try_from(claim.floor).map_or(lines, |floor| floor.min(lines));
        // SAFETY: the lines lie in the arena. This worker has claimed the lines `from` to `end` and
        // has waited, so nobody else reads or writes them; and nobody writes above its floor, which
        // is not below `end`, before it claims again. It can't while the results live, as they
        // borrow it.
        Some(unsafe {
            (
                NextSlice { floor, lines: std::slice::from_raw_parts(start.add(floor), lines - floor) },
                UnitOut { start: start.add(from), len: end - from, streaming, lines: PhantomData },
            )
        })
    }
}

/// What the claimed unit may read: the next slice, from the unit's floor on.
#[derive(Clone, Copy)]
pub struct NextSlice<'w> {
    floor: usize,
    lines: &'w [Pack],
}

impl<'w> NextSlice<'w> {
    /// `len` lines from line `at` of the arena on.
    ///
    /// # Panics
    /// If they don't lie in the arena, or below the unit's floor.
    #[inline]
    pub fn lines(self, at: u64, len: u64) -> &'w [Pack] {
        let range = |at: u64, len: u64| {
            let at = usize::try_from(at).ok()?.checked_sub(self.floor)?;
            self.lines.get(at..at.checked_add(usize::try_from(len).ok()?)?)
        };
        range(at, len).expect("the unit reads lines above its floor")
    }
}

/// The lines of the claimed unit, to be written array by array.
pub struct UnitOut<'w> {
    start: *mut Pack,
    len: usize,
    streaming: bool,
    lines: PhantomData<&'w mut [Pack]>,
}

#[allow(unsafe_code)]
impl<'w> UnitOut<'w> {
    /// `len` lines from line `at` of the unit on.
    ///
    /// # Panics
    /// If the unit has fewer.
    #[inline]
    pub fn array(&mut self, at: usize, len: usize) -> ArrayOut<'_> {
        assert!(at <= self.len && len <= self.len - at);
        // SAFETY: the lines lie in the unit, which is borrowed mutably, and the fence is there when
        // the unit is read ([`UnitOut::into_lines`]), or else when the worker ends.
        unsafe { ArrayOut::new(self.start.add(at), len, self.streaming) }
    }

    /// Returns the lines that were written.
    pub fn into_lines(self) -> &'w [Pack] {
        if self.streaming {
            fence();
        }
        // SAFETY: the lines are this worker's until it claims again, which it can't while the
        // result lives.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}
