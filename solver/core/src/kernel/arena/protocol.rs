//! Who may read and write what, when a slice is written over the next one: numbers only, no memory.
//!
//! Units are claimed in order under one lock. A claim says which lines the unit is written to:
//! those directly after the unit before it. It also says its *floor*: the unit reads no line below
//! it. Both are checked there and then:
//!
//! ```text
//! floor >= the floor of the unit before        units of the next slice die in order
//! end   <= floor                               a unit is not written over what it reads itself
//! ```
//!
//! The claiming worker's floor is published under the same lock. Before it writes, a worker waits
//! until the published floors of all others have reached the end of its lines. So for any two units
//! i < j that are at work at the same time:
//!
//! - what they write is disjoint, as j begins where i ends or later;
//! - what j reads lies above what i writes: `end(i) <= floor(i) <= floor(j)`;
//! - what i reads lies above what j writes, for j has waited: `end(j) <= floor(i)`. The claim of i
//!   was before that of j, so j has seen the floor of i or a later one. A later one is published
//!   only when i has read everything (release), which j has seen (acquire).
//!
//! Nobody waits forever: among the workers that wait the one with the first unit passes, as all
//! published floors are at least its own.
//!
//! The source is compiled twice: for programs, and for the model checker (`tests/model`), where
//! `super::sync` has the model's primitives.

use super::sync::{AtomicU64, Mutex, MutexGuard, Ordering, pause};

/// The floor of a worker that reads nothing.
pub const NOTHING: u64 = u64::MAX;

/// What has been handed out.
struct Cursor {
    workers: usize,
    unit: u64,
    line: u64,
    floor: u64,
}

/// The protocol of one slice.
pub struct Protocol {
    cursor: Mutex<Cursor>,
    /// By worker: it reads nothing below this line.
    floors: Box<[AtomicU64]>,
    units: u64,
}

/// The lines of a unit, and what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitLines {
    /// How many lines it has.
    pub lines: u64,
    /// It reads no line below this one.
    pub floor: u64,
}

/// A unit that a worker has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedLines {
    /// Its number.
    pub unit: u64,
    /// Its first line.
    pub start: u64,
    /// The line behind its last one.
    pub end: u64,
    /// It reads no line below this one.
    pub floor: u64,
}

impl Protocol {
    /// For `units` units, the first of which begins at line `start`, and `workers` workers.
    pub fn new(start: u64, units: u64, workers: usize) -> Protocol {
        Protocol {
            cursor: Mutex::new(Cursor { workers: 0, unit: 0, line: start, floor: 0 }),
            floors: (0..workers).map(|_| AtomicU64::new(NOTHING)).collect(),
            units,
        }
    }

    fn cursor(&self) -> MutexGuard<'_, Cursor> {
        // A panic while the lock is held leaves the cursor as it was: the unit goes to the next
        // one.
        self.cursor.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the next worker.
    ///
    /// # Panics
    /// If there are as many as were announced.
    pub fn worker(&self) -> Worker<'_> {
        let mut cursor = self.cursor();
        let number = cursor.workers;
        assert!(number < self.floors.len(), "more workers than were announced");
        cursor.workers += 1;
        Worker { protocol: self, number }
    }
}

/// One who computes units, one at a time.
pub struct Worker<'p> {
    protocol: &'p Protocol,
    number: usize,
}

impl Worker<'_> {
    /// Claims the next unit, if there is one; `describe` is told its number. From now on the worker
    /// reads what lies below the new unit's floor no more.
    ///
    /// # Panics
    /// If the floor is lower than that of the unit before, or below the end of the unit.
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

    /// Waits until the lines of the worker's claim may be written; returns false if `is_cancelled`
    /// said so first.
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
    /// However a worker ends, nobody waits for it any more.
    fn drop(&mut self) {
        self.protocol.floors[self.number].store(NOTHING, Ordering::Release);
    }
}
