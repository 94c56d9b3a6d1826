//! Tests of the rotation max that run for every kernel. The tests compare the rotation max with its
//! definition, and check its laws.

use super::{Kernel, Pack, Passes, Turns};
use crate::rules::Shape;
use crate::supers::Half;
use crate::supers::WinMasks;
use crate::supers::half::{half_index, half_rotation};
use crate::symmetry::{parity, turned};

/// Returns the rotation max of `x` by its definition. `p` is the parity of the rotations of the
/// result.
fn slow(x: Half, turns: Turns, p: u8) -> Half {
    (0..128).fold(Half::NONE, |out, i| {
        let r = half_rotation(p, i);
        let any = (0..4).any(|quadrant| {
            let ways: &[bool] = if turns == Turns::Both { &[true, false] } else { &[true] };
            ways.iter().any(|&clockwise| {
                let to = turned(r, quadrant, clockwise);
                assert_eq!(parity(to), 1 - p);
                x.get(half_index(to))
            })
        });
        out.with(i, any)
    })
}

fn samples() -> Vec<Half> {
    let mut all: Vec<Half> = (0..128).map(|i| Half::NONE.with(i, true)).collect();
    let mut seed = 7u64;
    let mut word = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed ^ seed >> 31
    };
    for _ in 0..60 {
        all.push(Half([word(), word()]));
        all.push(Half([word() & word() & word() & word(), word() & word() & word() & word()]));
    }
    all.extend([Half::NONE, Half::ALL]);
    all
}

#[test]
fn rotation_max_is_its_definition() {
    for kernel in Kernel::available() {
        for x in samples().chunks(4) {
            let mut line = [Half::NONE; 4];
            line[..x.len()].copy_from_slice(x);
            for p in 0..2 {
                // With turns in both directions, the result doesn't depend on the parity.
                for turns in [Turns::Both, Turns::Clockwise(p)] {
                    let out = Passes::of(kernel).rotation_max(&Pack(line), turns).0;
                    for (x, out) in line.iter().zip(out) {
                        assert_eq!(out, slow(*x, turns, p), "{kernel} {turns:?} parity {p}");
                    }
                }
            }
        }
    }
}

#[test]
fn rotation_max_unites() {
    for kernel in Kernel::available() {
        let all = samples();
        for pair in all.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let united = Half([a.0[0] | b.0[0], a.0[1] | b.0[1]]);
            let [x, y, z, none] =
                Passes::of(kernel).rotation_max(&Pack([a, b, united, Half::NONE]), Turns::Both).0;
            assert_eq!(z, Half([x.0[0] | y.0[0], x.0[1] | y.0[1]]));
            assert_eq!(none, Half::NONE);
        }
    }
}

/// For pseudo-random sets of marbles, every kernel finds the same fives as a scan of the turned
/// board.
#[test]
fn masks_are_the_definition() {
    for shape in [Shape::Pentago, Shape::Mini4, Shape::Mini3] {
        let fives = WinMasks::get(shape);
        let mut seed = 1u64;
        for round in 0..60 {
            let mut word = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                seed ^ seed >> 29
            };
            let mut set = word() & shape.board_mask();
            if round % 3 == 0 {
                set &= word();
            }
            for kernel in Kernel::available() {
                let masks = Passes::of(kernel).fives(&fives.lines(set));
                for (p, mask) in masks.iter().enumerate() {
                    for i in 0..128 {
                        let r = half_rotation(p as u8, i);
                        let turned = (0..4).fold(0, |s, b| {
                            let pattern = (set >> (16 * b)) as u16;
                            s | u64::from(shape.rotate_quadrant(pattern, r[b])) << (16 * b)
                        });
                        assert_eq!(mask.get(i), shape.has_line(turned), "{kernel} {set:x} {r:?}");
                    }
                }
            }
        }
    }
}
