//! The protocol by which a slice overwrites the next slice. The protocol decides which worker may
//! access which lines. It handles only the indices of lines, not their memory.
//!
//! Workers claim units in order, under one lock. A claim has the range of lines to which the unit
//! is written. This range starts where the range of the preceding unit ends. A claim also has the
//! *floor* of the unit: the unit reads no line below its floor. Each claim is checked:
//!
//! ```text
//! floor >= floor of the preceding unit         units of the next slice expire in order
//! end   <= floor                               a unit doesn't overwrite lines that it reads itself
//! ```
//!
//! The floor of the claiming worker is published under the same lock. Before a worker writes, it
//! waits until the published floors of all other workers have reached the end of its own lines. So
//! for any two units i < j that are computed at the same time:
//!
//! - i and j write disjoint lines, because j starts at the end of i or later;
//! - j reads lines above the lines that i writes: `end(i) <= floor(i) <= floor(j)`;
//! - i reads lines above the lines that j writes, because j has waited: `end(j) <= floor(i)`. Unit
//!   i was claimed before j, so j has seen the floor of i or a later floor. A later floor is
//!   published only after i has read all its lines (release), and j has seen these reads (acquire).
//!
//! No worker waits forever. Among the waiting workers, the worker with the first unit can proceed,
//! because all published floors are at least its own floor.
//!
//! The source is compiled twice: for programs, and for the model checker (`tests/model`), where the
//! module `sync` has the primitives of the model checker.

use super::sync::{AtomicU64, Mutex, MutexGuard, Ordering, pause};

/// The floor of a worker that reads no lines.
pub const NOTHING: u64 = u64::MAX;

/// The numbers of workers and of claimed units so far, then the end and the floor of the last
/// claimed unit.
struct Cursor {
    workers: usize,
    unit: u64,
    line: u64,
    floor: u64,
}

/// The state of the protocol during the computation of one slice.
pub struct Protocol {
    cursor: Mutex<Cursor>,
    /// The published floor of each worker. The worker reads no line below its floor.
    floors: Box<[AtomicU64]>,
    units: u64,
}

/// The lines that a unit needs: the number of lines to write, and the floor of the lines to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitLines {
    /// The number of lines to which the unit is written.
    pub lines: u64,
    /// The floor of the unit: the index of the first line that the unit may read.
    pub floor: u64,
}

/// The lines that a worker has claimed for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedLines {
    /// The index of the unit in the slice.
    pub unit: u64,
    /// The index of the first line of the unit.
    pub start: u64,
    /// The index of the line after the last line of the unit.
    pub end: u64,
    /// The floor of the unit: the index of the first line that the unit may read.
    pub floor: u64,
}

impl Protocol {
    /// Creates the protocol for a slice of `units` units and at most `workers` workers. The first
    /// unit is written from line `start` on.
    pub fn new(start: u64, units: u64, workers: usize) -> Protocol {
        Protocol {
            cursor: Mutex::new(Cursor { workers: 0, unit: 0, line: start, floor: 0 }),
            floors: (0..workers).map(|_| AtomicU64::new(NOTHING)).collect(),
            units,
        }
    }

    fn cursor(&self) -> MutexGuard<'_, Cursor> {
        // A poisoned lock is safe to use. A panic while the lock is held leaves the cursor
        // unchanged, so the next worker receives the same unit.
        self.cursor.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Creates the next worker of this slice.
    ///
    /// # Panics
    /// If the protocol already has its maximum number of workers.
    pub fn worker(&self) -> Worker<'_> {
        let mut cursor = self.cursor();
        let number = cursor.workers;
        assert!(number < self.floors.len(), "more workers than were announced");
        cursor.workers += 1;
        Worker { protocol: self, number }
    }
}

/// A worker of one slice. A worker computes one unit at a time.
pub struct Worker<'p> {
    protocol: &'p Protocol,
    number: usize,
}

impl Worker<'_> {
    /// Claims the next unit. Returns `None` if no units remain. `describe` receives the index of
    /// the unit and returns its lines. The worker must have finished all reads below the new floor.
    ///
    /// # Panics
    /// If the floor is below the floor of the preceding unit, or below the end of the unit.
    pub fn claim(&mut self, describe: impl FnOnce(u64) -> UnitLines) -> Option<ClaimedLines> {
        let mut cursor = self.protocol.cursor();
        if cursor.unit == self.protocol.units {
            return None;
        }
        let UnitLines { lines, floor } = describe(cursor.unit);
        let end = cursor.line.checked_add(lines).expect("lines are counted in 64 bits");
        assert!(floor >= cursor.floor, "units of the next slice are read in order");
        assert!(end <= floor, "a unit lies below what it reads");
        let claim = ClaimedLines { unit: cursor.unit, start: cursor.line, end, floor };
        cursor.unit += 1;
        cursor.line = end;
        cursor.floor = floor;
        self.protocol.floors[self.number].store(floor, Ordering::Release);
        Some(claim)
    }

    /// Waits until no other worker can still read the lines of `claim`. Returns `true` then, or
    /// `false` if `is_cancelled` returns `true` first.
    pub fn wait(&self, claim: &ClaimedLines, is_cancelled: impl Fn() -> bool) -> bool {
        let mut rounds = 0;
        for (other, floor) in self.protocol.floors.iter().enumerate() {
            while other != self.number && floor.load(Ordering::Acquire) < claim.end {
                rounds += 1;
                if pause(rounds) && is_cancelled() {
                    return false;
                }
            }
        }
        true
    }
}

impl Drop for Worker<'_> {
    /// Publishes that the worker reads nothing any more, so that no other worker waits for this
    /// worker. A panic of the worker runs this function, too.
    fn drop(&mut self) {
        self.protocol.floors[self.number].store(NOTHING, Ordering::Release);
    }
}
