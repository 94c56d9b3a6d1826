//! Tests of the arena: the arena refuses invalid claims, and threads compute a slice that
//! overwrites the next slice.

use super::*;
use crate::index::rooted::low::Offsets;
use crate::kernel::{Kernel, Passes};
use crate::supers::Half;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn value(i: u64) -> Pack {
    Pack([Half([i, !i]); 4])
}

/// Returns an arena of `lines` lines. Each line contains its index.
fn numbered(lines: u64) -> Arena {
    let mut arena = Arena::default();
    arena.reserve(lines).unwrap();
    let pass = arena.pass(0, 1, 1, false);
    pass.work(|worker| {
        let claim = worker.claim(|_| UnitLines { lines, floor: NOTHING }).unwrap();
        let (_, mut out) = claim.wait(|| false).unwrap();
        write(&mut out, 0, &(0..lines).map(value).collect::<Vec<_>>());
    });
    drop(pass);
    arena
}

fn write(out: &mut ArrayOut, at: usize, lines: &[Pack]) {
    let passes = Passes::of(Kernel::best());
    let mut list = crate::kernel::ArrayList::default();
    list.begin(lines.len());
    list.push(lines);
    let _ = out.array(at, lines.len());
    // Only a kernel can write a line. The leaf formula whose value is "the other player has five"
    // copies the lines of `other_fives`.
    let mut places = Offsets::new(1);
    (0..lines.len()).for_each(|line| places.push(line));
    let nothing = crate::kernel::ArrayList::default();
    let step = crate::kernel::Step {
        out: out.array(at, lines.len()),
        children: &nothing,
        none: 0,
        next: &list,
        low: None,
        threats: &[],
        mover_threats: &[],
        mover_fives: lines,
        mover_offsets: &places,
        other_fives: lines,
        other_offsets: &places,
    };
    passes.leaves(crate::kernel::Leaf::NotBehind, &step);
}

#[test]
fn slices_are_written_over_the_next_one_by_threads() {
    for (workers, streaming) in [(1, false), (4, false), (4, true)] {
        let units = 200u64;
        let mut arena = numbered(2 * units + 1);
        // Unit i is written to the lines 2 i and 2 i + 1. The unit reads the lines 2 i + 2, which
        // is its floor, and 2 i + 3.
        let pass = arena.pass(0, units - 1, workers, streaming);
        let work = || {
            pass.work(|worker| {
                while let Some(claim) = worker.claim(|i| UnitLines { lines: 2, floor: 2 * i + 2 }) {
                    let i = claim.lines.unit;
                    assert_eq!(claim.lines.start, 2 * i);
                    let (next, mut out) = claim.wait(|| false).unwrap();
                    let read = next.lines(2 * i + 2, 2);
                    assert_eq!(read, [value(2 * i + 2), value(2 * i + 3)]);
                    let sum = [value(1000 + i), value(2000 + i)];
                    write(&mut out, 0, &sum);
                    assert_eq!(out.into_lines(), sum);
                }
            });
        };
        std::thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        drop(pass);
        for i in 0..units - 1 {
            assert_eq!([arena.line(2 * i), arena.line(2 * i + 1)], [value(1000 + i), value(2000 + i)]);
        }
        assert_eq!(arena.line(2 * units), value(2 * units));
    }
}

/// The arena refuses every invalid claim.
#[test]
fn wrong_plans_are_refused() {
    let mut arena = numbered(10);
    let size = arena.lines() as u64;
    let mut refused = |units: &[UnitLines]| {
        let pass = arena.pass(0, units.len() as u64, 1, false);
        let claims = || {
            pass.work(|worker| {
                for &unit in units {
                    let _ = worker.claim(|_| unit);
                }
            });
        };
        catch_unwind(AssertUnwindSafe(claims)).is_err()
    };
    let unit = |lines, floor| UnitLines { lines, floor };
    assert!(!refused(&[unit(2, 3), unit(1, 3), unit(2, 5)]));
    assert!(refused(&[unit(2, 1)]), "over what it reads");
    assert!(refused(&[unit(1, 5), unit(1, 4)]), "floors that fall");
    assert!(refused(&[unit(size + 1, NOTHING)]), "beyond the arena");
    assert!(refused(&[unit(1, NOTHING), unit(u64::MAX, NOTHING)]), "more than 64 bits");
}

#[test]
fn handles_keep_their_bounds() {
    let mut arena = numbered(10);
    let size = arena.lines() as u64;
    let pass = arena.pass(0, 1, 1, false);
    pass.work(|worker| {
        let claim = worker.claim(|_| UnitLines { lines: 3, floor: 4 }).unwrap();
        let (next, mut out) = claim.wait(|| false).unwrap();
        assert_eq!(next.lines(4, 2), [value(4), value(5)]);
        let refused = |f: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(f)).is_err();
        for (at, len) in [(3, 1), (4, size), (size, 1), (u64::MAX, 1), (5, u64::MAX)] {
            assert!(refused(&mut || drop(next.lines(at, len).to_vec())), "{at} {len}");
        }
        for (at, len) in [(0, 4), (3, 1), (usize::MAX, 1), (1, usize::MAX)] {
            assert!(refused(&mut || _ = out.array(at, len)), "{at} {len}");
        }
        assert!(!refused(&mut || _ = out.array(1, 2)));
    });
    assert!(catch_unwind(AssertUnwindSafe(|| pass.work(|_| ()))).is_err(), "a second worker");
    drop(pass);
    assert!(catch_unwind(AssertUnwindSafe(|| arena.line(size))).is_err());
    assert!(Arena::default().reserve(u64::MAX).is_err());
}

/// Workers don't wait for a worker that has ended, even after a panic. A waiting worker can be
/// cancelled.
#[test]
fn waits_end() {
    let mut arena = numbered(10);
    let pass = arena.pass(0, 3, 3, false);
    let stopped = std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            pass.work(|worker| {
                let claim = worker.claim(|_| UnitLines { lines: 1, floor: 1 }).unwrap();
                let held = claim.wait(|| false).unwrap();
                // The first worker still reads line 1. The second worker waits to write the line,
                // and is cancelled.
                let second = std::thread::scope(|inner| {
                    let other = inner.spawn(|| {
                        pass.work(|worker| {
                            let claim = worker.claim(|_| UnitLines { lines: 1, floor: 5 }).unwrap();
                            claim.wait(|| true).is_none()
                        })
                    });
                    other.join().unwrap()
                });
                assert_eq!(held.0.lines(1, 1), [value(1)]);
                assert!(second);
                panic!("on purpose");
            });
        });
        first.join().is_err()
    });
    assert!(stopped);
    pass.work(|worker| {
        let claim = worker.claim(|_| UnitLines { lines: 1, floor: 5 }).unwrap();
        assert_eq!(claim.lines.unit, 2);
        assert!(claim.wait(|| false).is_some());
    });
}
