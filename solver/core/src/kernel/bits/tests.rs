//! Tests that run for every kernel and compare the operations on bits with their definitions.

use super::{Bits, BitsPass, Fields, run};
use crate::kernel::Kernel;
use crate::supers::{Half, Super};

/// A pass that returns `true` if each set is a subset of the next set.
struct Nested<'a>([&'a Super; 4]);

impl BitsPass for Nested<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> bool {
        bits.are_nested(self.0)
    }
}

#[test]
fn every_kernel_sees_what_is_outside() {
    let set = |seed: u64| Super([0, 2].map(|i| Half([mix(4 * seed + i), mix(4 * seed + i + 1)])));
    let and = |a: Super, b: Super| Super([a.0[0] & b.0[0], a.0[1] & b.0[1]]);
    for seed in 0..20 {
        let d = set(3 * seed);
        let c = and(d, set(3 * seed + 1));
        let b = and(c, set(3 * seed + 2));
        let nested = [and(b, set(3 * seed + 100)), b, c, d];
        for kernel in Kernel::available() {
            assert!(run(kernel, Nested(nested.each_ref())), "{kernel}");
            // For each pair of neighbouring sets, add an element to the first set that the second
            // set lacks.
            for (pair, place) in (0..3).flat_map(|pair| (0..256).map(move |place| (pair, place))) {
                let (half, word, bit) = (place / 128, place / 64 % 2, 1 << (place % 64));
                if nested[pair + 1].0[half].0[word] & bit == 0 {
                    let mut outside = nested;
                    outside[pair].0[half].0[word] |= bit;
                    assert!(!run(kernel, Nested(outside.each_ref())), "{kernel} {pair} {place}");
                }
            }
        }
    }
}

/// A pass with three results: the columns of planes, the picked bits of a plane, and a number that
/// is spread over the mask.
struct Planes<'a> {
    fields: &'a Fields,
    mask: [u64; 2],
    picked: usize,
    number: u64,
}

impl BitsPass for Planes<'_> {
    type Output = (Vec<u32>, u64, [u64; 2]);

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Self::Output {
        let mut columns = [!0; 64];
        let count = bits.plane_columns(self.fields, self.mask, &mut columns);
        let picked = bits.pick(self.fields[self.picked], self.mask);
        (columns[..count].to_vec(), picked, bits.spread(self.number, self.mask))
    }
}

#[test]
fn every_kernel_takes_the_same_columns_of_planes() {
    for seed in 0..300u64 {
        let fields: Fields = std::array::from_fn(|i| [0, 1].map(|w| mix(1000 * seed + 2 * i as u64 + w)));
        let mut mask = [mix(seed), mix(seed ^ 0xff_0000)];
        match seed % 6 {
            0 => mask = [!0, 0],
            1 => mask = [0, !0],
            2 => mask = [0; 2],
            3 => mask[1] = !mask[0],
            _ => mask[0] &= !mask[1],
        }
        mask[1] &= if mask[0].count_ones() + mask[1].count_ones() > 64 { !mask[0] } else { !0 };
        let places: Vec<(usize, u32)> =
            (0..128).map(|i| (i / 64, i as u32 % 64)).filter(|&(w, p)| mask[w] >> p & 1 != 0).collect();
        let number = mix(seed);
        for kernel in Kernel::available() {
            let (columns, picked, spread) = run(kernel, Planes { fields: &fields, mask, picked: 7, number });
            assert_eq!(columns.len(), places.len(), "{kernel}");
            for (i, (&(w, p), column)) in places.iter().zip(columns).enumerate() {
                let bit = |j: usize| fields[j][w] >> p & 1;
                assert!((0..32).all(|j| u64::from(column >> j & 1) == bit(j)), "{kernel}");
                assert_eq!(picked >> i & 1, bit(7), "{kernel}");
                assert_eq!(spread[w] >> p & 1, number >> i & 1, "{kernel}");
            }
            assert!(places.len() == 64 || picked >> places.len() == 0);
            assert!((0..2).all(|w| spread[w] & !mask[w] == 0), "{kernel}");
        }
    }
}

/// A pass that runs all operations on bytes.
struct Bytes<'a>(&'a [u8; 64], u64);

impl BitsPass for Bytes<'_> {
    type Output = ([u64; 2], [u8; 64], [[u8; 64]; 2]);

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Self::Output {
        let mut moved = [[7; 64], [0; 64]];
        // Bytes outside the mask must remain unchanged.
        (0..64).filter(|i| self.1 >> i & 1 == 0).for_each(|i| moved[1][i] = 7);
        bits.extract_bytes(self.0, self.1, &mut moved[0]);
        bits.deposit_bytes(self.0, self.1, &mut moved[1]);
        (bits.uniform_bytes(self.0), bits.full_bytes(self.1), moved)
    }
}

#[test]
fn every_kernel_does_the_same_with_bytes() {
    for seed in 0..500u64 {
        let bytes: [u8; 64] = std::array::from_fn(|i| match mix(64 * seed + i as u64) % 16 {
            0..4 => 0,
            4..8 => 255,
            8 => 128,
            9 => 1,
            10 => 254,
            11 => 127,
            _ => mix(!(64 * seed + i as u64)) as u8,
        });
        let mask = [0, !0, 1, 1 << 63, mix(seed), mix(seed) & mix(!seed)][seed as usize % 6];
        let is_in = |i: usize| mask >> i & 1 != 0;
        let all = |is: &dyn Fn(u8) -> bool| (0..64).fold(0, |all, i| all | u64::from(is(bytes[i])) << i);
        let kept: Vec<u8> = (0..64).filter(|&i| is_in(i)).map(|i| bytes[i]).collect();
        let mut next = bytes.into_iter();
        let deposited: [u8; 64] =
            std::array::from_fn(|i| if is_in(i) { next.next().expect("64 bytes") } else { 7 });
        for kernel in Kernel::available() {
            let (masks, full, moved) = run(kernel, Bytes(&bytes, mask));
            assert_eq!(masks, [all(&|byte| [0, 255].contains(&byte)), all(&|byte| byte > 127)], "{kernel}");
            assert!((0..64).all(|i| full[i] == if is_in(i) { 255 } else { 0 }), "{kernel}");
            assert_eq!((&moved[0][..kept.len()], moved[1]), (&kept[..], deposited), "{kernel}");
        }
    }
}

fn mix(x: u64) -> u64 {
    pentago_base::mix(x.wrapping_add(pentago_base::GOLDEN))
}
