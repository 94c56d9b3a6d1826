//! Model checking of the arena's protocol: loom runs small cases in every order that the memory
//! model allows.
//!
//! The source of the protocol is that of the programs, compiled with loom's primitives. Each line
//! of the arena is a cell that loom observes. The model fails on a data race: two workers access a
//! line, at least one of them writes, and no synchronisation orders the two accesses. The model
//! also fails on a deadlock. Each of these faults was tried, and fails: publishing the floor after
//! releasing the lock, not waiting, waiting for one line less, and relaxed memory orders.

#![cfg(test)]

/// The primitives that `protocol` uses, in loom's version.
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

/// A slice that is computed in the arena that holds the next slice.
struct Case {
    /// For each unit, the number of its lines, and the lines of the next slice that the unit reads.
    units: &'static [(u64, &'static [u64])],
    start: u64,
    lines: usize,
    workers: usize,
}

/// Returns the lowest line that this unit or a later unit reads.
fn floor(units: &[(u64, &[u64])], unit: usize) -> u64 {
    units[unit..].iter().flat_map(|(_, reads)| reads.iter().copied()).min().unwrap_or(NOTHING)
}

fn check(case: Case) {
    let Case { units, start, lines, workers } = case;
    let mut model = loom::model::Builder::new();
    // More than three preemptions per run find no more faults than three.
    model.preemption_bound = Some(3);
    model.check(move || {
        // Line i holds i before the slice is computed. A written line holds 1000 plus the sum that
        // its unit read.
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
                                // SAFETY: the pointer is valid in `with`; loom fails on a
                                // concurrent write.
                                unsafe { *p }
                            })
                        })
                        .sum();
                    assert_eq!(sum, reads.iter().sum::<u64>(), "a line was overwritten too early");
                    for line in claim.start..claim.end {
                        arena[line as usize].with_mut(|p| {
                            // SAFETY: the pointer is valid in `with_mut`; loom fails on a
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
                    // SAFETY: the pointer is valid in `with`; all workers have been joined.
                    let found = unsafe { *p };
                    assert_eq!(found, 1000 + reads.iter().sum::<u64>());
                });
            }
            line += lines;
        }
    });
}

/// Each unit reads the line after its own line. All units but the last also read a later line.
#[test]
fn units_that_follow_closely() {
    check(Case { units: &[(1, &[1, 2]), (1, &[2, 3]), (1, &[3])], start: 0, lines: 4, workers: 2 });
}

/// The second unit overwrites all lines that the first unit reads.
#[test]
fn a_unit_over_what_its_neighbour_reads() {
    check(Case { units: &[(1, &[1, 2]), (2, &[3, 4]), (1, &[4])], start: 0, lines: 5, workers: 2 });
}

/// Units that read nothing, as in the slice that is computed first, and a unit without lines.
#[test]
fn units_that_read_nothing() {
    check(Case { units: &[(1, &[]), (0, &[]), (1, &[])], start: 0, lines: 2, workers: 2 });
}

/// Three workers, of which only the last waits. Loom can't distinguish two workers that wait
/// alternately from an endless loop.
#[test]
#[ignore = "long: finds an order that needs a third worker"]
fn long_three_workers() {
    check(Case { units: &[(1, &[2, 3]), (1, &[3]), (1, &[4])], start: 0, lines: 5, workers: 3 });
}
