//! Compares every kernel with the definitions of the passes over half supers.

use pentago_base::Kernel;

use super::{ChainKind, HalfSuper, Passes, StepInputs};

/// Returns a half super in which every `sparse`-th word has pseudo-random bits. All other words are
/// 0.
fn half(seed: u64, sparse: usize) -> HalfSuper {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut half = HalfSuper::NONE;
    for i in (0..512).step_by(sparse) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        half.0[i / 8].0[i % 8] = x & x.rotate_left(20) & x.rotate_left(40);
    }
    half
}

#[test]
fn every_kernel_gives_what_the_definition_says() {
    let inputs: Vec<HalfSuper> = (0..13).map(|i| half(i + 1, 1 + i as usize % 3 * 40)).collect();
    let refs: Vec<&HalfSuper> = inputs.iter().collect();
    for kernel in Kernel::available() {
        for n in 0..=12 {
            let mut out = inputs[0].clone();
            Passes::of(kernel).union(&mut out, &refs[..n]);
            for i in (0..32_768).step_by(37) {
                assert_eq!(out.get(i), refs[..n].iter().any(|half| half.get(i)));
            }
        }
        for variant in 0..16 {
            let [a, b, c, far] = [1, 2, 4, 8].map(|bit| variant & bit != 0);
            let kind = if a { ChainKind::Wins } else { ChainKind::NotLoses };
            let step = StepInputs {
                kind,
                own_moves: b,
                store_inverted: c,
                far,
                next: &refs[..3],
                placed: refs[3],
                own: &refs[4..5],
                others: &refs[5..8],
            };
            let (mut out, mut leaf) = (inputs[0].clone(), inputs[0].clone());
            Passes::of(kernel).step(&mut out, &step, &mut inputs[1].clone());
            Passes::of(kernel).leaf(&mut leaf, b, &step);
            for i in 0..32_768 {
                let any = |all: &[&HalfSuper], i: usize| all.iter().any(|half| half.get(i));
                let own = any(&refs[4..5], i);
                let others = any(&refs[5..8], i);
                let ends = |value: bool| match (own, others) {
                    (true, false) => true,
                    (true, true) => !a,
                    (false, true) => false,
                    (false, false) => value,
                };
                let turned = (0..15).any(|bit| any(&refs[..3], i ^ 1 << bit)) || any(&refs[..3], i);
                let value = (turned || refs[3].get(i)) == b;
                assert_eq!(out.get(i), ends(value) != c, "{kernel} {variant} {i}");
                assert_eq!(leaf.get(i), ends(b) != c, "{kernel} {variant} {i}");
            }
        }
    }
}
