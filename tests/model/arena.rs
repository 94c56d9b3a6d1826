//! Model checking of the arena's protocol: loom runs small cases in every order that the memory
//! model allows.
//!
//! The model uses the same source code of the protocol as the programs, compiled with loom's
//! primitives. Each line of the arena is a cell that loom observes. The model fails on a data race:
//! two workers access a line, at least one of them writes, and no synchronisation orders the two
//! accesses. The model also fails on a deadlock. The following deliberate faults were tried, and
//! the model detects each fault: publishing the floor after releasing the lock, not waiting,
//! waiting for one line less, and relaxed memory orders.

#![cfg(test)]

/// Loom's versions of the primitives that `protocol` uses.
mod sync {
    pub use loom::sync::atomic::{AtomicU64, Ordering};
    pub use loom::sync::{Mutex, MutexGuard};

    pub fn pause(_rounds: u32) -> bool {
        loom::thread::yield_now();
        false
    }
}

#[path = "../../solver/core/src/kernel/arena/protocol.rs"]
mod protocol;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use protocol::{NOTHING, Protocol, UnitLines};

/// A test case: a slice that is computed in the same arena that holds the next slice.
struct Case {
    /// For each unit, the number of lines that the unit writes, and the lines of the next slice
    /// that the unit reads.
    units: &'static [(u64, &'static [u64])],
    start: u64,
    lines: usize,
    workers: usize,
}

/// Returns the lowest line that unit `unit` or a later unit reads.
fn floor(units: &[(u64, &[u64])], unit: usize) -> u64 {
    units[unit..].iter().flat_map(|(_, reads)| reads.iter().copied()).min().unwrap_or(NOTHING)
}

fn check(case: Case) {
    let Case { units, start, lines, workers } = case;
    let mut model = loom::model::Builder::new();
    // Limit the number of preemptions per run to three, because more preemptions find no more
    // faults.
    model.preemption_bound = Some(3);
    model.check(move || {
        // Before the slice is computed, line i contains i. A written line contains 1000 plus the
        // sum of the lines that its unit read.
        let arena: Vec<UnsafeCell<u64>> = (0..lines as u64).map(UnsafeCell::new).collect();
        let shared = Arc::new((Protocol::new(start, units.len() as u64, workers), arena));
        let work = {
            let shared = shared.clone();
            move || {
                let (protocol, arena) = &*shared;
                let mut worker = protocol.worker();
                let describe = |unit: u64| {
                    let (lines, _) = units[unit as usize];
                    UnitLines { lines, floor: floor(units, unit as usize) }
                };
                while let Some(claim) = worker.claim(describe) {
                    assert!(worker.wait(&claim, || false));
                    let reads = units[claim.unit as usize].1;
                    let sum: u64 = reads
                        .iter()
                        .map(|&line| {
                            arena[line as usize].with(|p| {
                                // SAFETY: the pointer must be valid, and nobody may write to the
                                // line. `with` provides a valid pointer, and loom fails on a
                                // concurrent write.
                                unsafe { *p }
                            })
                        })
                        .sum();
                    assert_eq!(sum, reads.iter().sum::<u64>(), "a line was overwritten too early");
                    for line in claim.start..claim.end {
                        arena[line as usize].with_mut(|p| {
                            // SAFETY: the pointer must be valid, and nobody else may access the
                            // line. `with_mut` provides a valid pointer, and loom fails on a
                            // concurrent access.
                            unsafe { *p = 1000 + sum }
                        });
                    }
                }
            }
        };
        let others: Vec<_> = (1..workers).map(|_| loom::thread::spawn(work.clone())).collect();
        work();
        for other in others {
            other.join().expect("no worker panics");
        }
        let (_, arena) = &*shared;
        let mut line = start;
        for (lines, reads) in units {
            for at in line..line + lines {
                arena[at as usize].with(|p| {
                    // SAFETY: the pointer must be valid, and nobody may write to the line. `with`
                    // provides a valid pointer, and all workers have been joined.
                    let found = unsafe { *p };
                    assert_eq!(found, 1000 + reads.iter().sum::<u64>());
                });
            }
            line += lines;
        }
    });
}

/// Each unit reads the line directly after its own line. All units except the last also read one
/// further line.
#[test]
fn units_that_follow_closely() {
    check(Case { units: &[(1, &[1, 2]), (1, &[2, 3]), (1, &[3])], start: 0, lines: 4, workers: 2 });
}

/// The second unit overwrites all lines that the first unit reads.
#[test]
fn a_unit_over_what_its_neighbour_reads() {
    check(Case { units: &[(1, &[1, 2]), (2, &[3, 4]), (1, &[4])], start: 0, lines: 5, workers: 2 });
}

/// Units that read nothing, as in the slice that is computed first. One of the units has no lines.
#[test]
fn units_that_read_nothing() {
    check(Case { units: &[(1, &[]), (0, &[]), (1, &[])], start: 0, lines: 2, workers: 2 });
}

/// Three workers, of which only the last worker waits. If two workers waited alternately, loom
/// would mistake their waiting for an endless loop.
#[test]
#[ignore = "long: finds an order that needs a third worker"]
fn long_three_workers() {
    check(Case { units: &[(1, &[2, 3]), (1, &[3]), (1, &[4])], start: 0, lines: 5, workers: 3 });
}
