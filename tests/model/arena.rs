//! The protocol of the arena, model-checked: loom runs small cases in every order that the memory
//! model allows.
//!
//! The protocol is the same source as in programs, compiled here with loom's primitives. Each line
//! of the arena is a cell that loom watches: two workers who touch one line at once, one of them
//! writing, without one having seen that the other is done, fail the model. So does a deadlock.
//! (Tried: publishing the floor after the lock is released, not waiting, waiting for one line less,
//! and relaxed orders each fail it.)

#![cfg(test)]

/// What `protocol` stands on, watched.
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

/// A slice and the next one in one arena of watched lines.
struct Case {
    /// By unit: its lines, and the lines of the next slice that it reads.
    units: &'static [(u64, &'static [u64])],
    start: u64,
    lines: usize,
    workers: usize,
}

/// The lowest line that this unit or a later one reads: what the order of units allows to promise.
fn floor(units: &[(u64, &[u64])], unit: usize) -> u64 {
    units[unit..].iter().flat_map(|(_, reads)| reads.iter().copied()).min().unwrap_or(NOTHING)
}

fn check(case: Case) {
    let Case { units, start, lines, workers } = case;
    let mut model = loom::model::Builder::new();
    // More than three switches where a thread could have gone on find nothing that three don't
    // find.
    model.preemption_bound = Some(3);
    model.check(move || {
        // Line i holds i before the slice is computed; a written line holds 1000 + what its unit
        // read.
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
                                // SAFETY: loom checks that nobody writes the cell meanwhile.
                                unsafe { *p }
                            })
                        })
                        .sum();
                    assert_eq!(sum, reads.iter().sum::<u64>(), "read before it was written over");
                    for line in claim.start..claim.end {
                        arena[line as usize].with_mut(|p| {
                            // SAFETY: loom checks that nobody else touches the cell meanwhile.
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
                    // SAFETY: all workers are gone.
                    let found = unsafe { *p };
                    assert_eq!(found, 1000 + reads.iter().sum::<u64>());
                });
            }
            line += lines;
        }
    });
}

/// Each unit reads its own unit of the next slice, which dies with it, and a later one.
#[test]
fn units_that_follow_closely() {
    check(Case { units: &[(1, &[1, 2]), (1, &[2, 3]), (1, &[3])], start: 0, lines: 4, workers: 2 });
}

/// The second unit is written over all that the first one reads.
#[test]
fn a_unit_over_what_its_neighbour_reads() {
    check(Case { units: &[(1, &[1, 2]), (2, &[3, 4]), (1, &[4])], start: 0, lines: 5, workers: 2 });
}

/// Units that read nothing, as in the slice that is computed first, and those with no line.
#[test]
fn units_that_read_nothing() {
    check(Case { units: &[(1, &[]), (0, &[]), (1, &[])], start: 0, lines: 2, workers: 2 });
}

/// Only the last unit waits, for the first one: loom can't tell two that wait in turn from a loop.
#[test]
#[ignore = "long: finds an order that only a third worker sees"]
fn long_three_workers() {
    check(Case { units: &[(1, &[2, 3]), (1, &[3]), (1, &[4])], start: 0, lines: 5, workers: 3 });
}
