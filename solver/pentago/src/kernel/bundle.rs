//! Columns of whole planes of few fields, and the bits of a plane under a mask: what the quick walk
//! of the codecs reads an entry with. Every level gives the same bits.

use super::columns::{Pick, Portable};
#[cfg(target_arch = "x86_64")]
use super::features;

/// 32 planes of 128 bits.
pub(crate) type Fields = [[u64; 2]; 32];

/// Takes the columns of planes, and the bits under a mask: what [`Columns`] does for whole planes of
/// fewer fields.
#[derive(Clone, Copy)]
pub(crate) struct Bundle {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say which one failed"))]
    pub name: &'static str,
    take: fn(&Fields, [u64; 2], &mut [u32; 64]) -> usize,
    pick: fn([u64; 2], [u64; 2]) -> u64,
    spread: fn(u64, [u64; 2]) -> [u64; 2],
}

impl Bundle {
    /// All that this processor can run, the fastest first.
    pub fn available() -> Vec<Bundle> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if features::bits() {
            let (pick, spread) = (x86::pick, x86::spread);
            if features::avx512() {
                all.push(Bundle { name: "avx512", take: x86::bundle_512, pick, spread });
            }
            if features::avx2() {
                all.push(Bundle { name: "avx2", take: x86::bundle_256, pick, spread });
            }
        }
        let (pick, spread) = (pick_portable, spread_portable);
        all.push(Bundle { name: "portable", take: bundle_portable, pick, spread });
        all
    }

    /// The fastest.
    pub fn best() -> Bundle {
        Bundle::available()[0]
    }

    /// For each place in the mask, which has at most 64, the lowest first: the number whose bit j is
    /// that of plane j at the place. Returns how many.
    #[inline]
    pub fn take(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        (self.take)(fields, mask, columns)
    }

    /// The bits of a plane under a mask that has at most 64, moved together at the low end.
    #[inline]
    pub fn pick(self, plane: [u64; 2], mask: [u64; 2]) -> u64 {
        (self.pick)(plane, mask)
    }

    /// The inverse: the low bits of a word, spread over the places of a mask.
    #[inline]
    pub fn spread(self, bits: u64, mask: [u64; 2]) -> [u64; 2] {
        (self.spread)(bits, mask)
    }
}

fn bundle_portable(fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
    let mut count = 0;
    for word in 0..2 {
        let mut rest = mask[word];
        while rest != 0 {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
            let column = (0..32).fold(0, |column, j| column | ((fields[j][word] >> place) as u32 & 1) << j);
            columns[count % 64] = column;
            count += 1;
        }
    }
    count
}

#[allow(unsafe_code)]
fn pick_portable(plane: [u64; 2], mask: [u64; 2]) -> u64 {
    let first = mask[0].count_ones();
    // SAFETY: no special instruction is used.
    let [low, high] = [0, 1].map(|word| unsafe { Portable::extract(plane[word], mask[word]) });
    low | high.checked_shl(first).unwrap_or(0)
}

#[allow(unsafe_code)]
fn spread_portable(bits: u64, mask: [u64; 2]) -> [u64; 2] {
    let rest = bits.checked_shr(mask[0].count_ones()).unwrap_or(0);
    // SAFETY: no special instruction is used.
    unsafe { [Portable::deposit(bits, mask[0]), Portable::deposit(rest, mask[1])] }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::Fields;
    use core::arch::x86_64::*;

    pub fn bundle_256(fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        fn compiled(fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
            let mut count = 0;
            for word in 0..2 {
                let mut rest = mask[word];
                if rest == 0 {
                    continue;
                }
                let mut words = [_mm256_setzero_si256(); 8];
                for (words, four) in words.iter_mut().zip(fields.as_chunks::<4>().0) {
                    let [a, b, c, d] = four.map(|plane| plane[word] as i64);
                    *words = _mm256_setr_epi64x(a, b, c, d);
                }
                while rest != 0 {
                    let bit = _mm256_set1_epi64x((rest & rest.wrapping_neg()) as i64);
                    rest &= rest - 1;
                    let mut column = 0;
                    for (i, four) in words.iter().enumerate() {
                        let has = _mm256_cmpeq_epi64(_mm256_and_si256(*four, bit), bit);
                        column |= (_mm256_movemask_pd(_mm256_castsi256_pd(has)) as u32) << (4 * i);
                    }
                    columns[count % 64] = column;
                    count += 1;
                }
            }
            count
        }
        // SAFETY: `Bundle::available` hands this out only where the processor has the instructions.
        unsafe { compiled(fields, mask, columns) }
    }

    pub fn bundle_512(fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        #[target_feature(enable = "avx512f,bmi1,popcnt")]
        fn compiled(fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
            let mut count = 0;
            let pairs = fields.as_chunks::<4>().0;
            for (word, mut rest) in mask.into_iter().enumerate() {
                if rest == 0 {
                    continue;
                }
                let first = word as i64;
                let every_other =
                    _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14));
                let mut words = [_mm512_setzero_si512(); 4];
                for (words, [a, b]) in words.iter_mut().zip(pairs.as_chunks::<2>().0) {
                    // SAFETY: four planes are 64 bytes.
                    let [a, b] = unsafe {
                        [_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast())]
                    };
                    *words = _mm512_permutex2var_epi64(a, every_other, b);
                }
                while rest != 0 {
                    let bit = _mm512_set1_epi64((rest & rest.wrapping_neg()) as i64);
                    rest &= rest - 1;
                    let [a, b, c, d] = words;
                    let low = u32::from(_mm512_test_epi64_mask(a, bit))
                        | u32::from(_mm512_test_epi64_mask(b, bit)) << 8;
                    let high = u32::from(_mm512_test_epi64_mask(c, bit))
                        | u32::from(_mm512_test_epi64_mask(d, bit)) << 8;
                    columns[count % 64] = low | high << 16;
                    count += 1;
                }
            }
            count
        }
        // SAFETY: as above.
        unsafe { compiled(fields, mask, columns) }
    }

    pub fn pick(plane: [u64; 2], mask: [u64; 2]) -> u64 {
        #[target_feature(enable = "bmi2,popcnt")]
        fn compiled(plane: [u64; 2], mask: [u64; 2]) -> u64 {
            let high = _pext_u64(plane[1], mask[1]);
            _pext_u64(plane[0], mask[0]) | high.checked_shl(mask[0].count_ones()).unwrap_or(0)
        }
        // SAFETY: as above.
        unsafe { compiled(plane, mask) }
    }

    pub fn spread(bits: u64, mask: [u64; 2]) -> [u64; 2] {
        #[target_feature(enable = "bmi2,popcnt")]
        fn compiled(bits: u64, mask: [u64; 2]) -> [u64; 2] {
            let rest = bits.checked_shr(mask[0].count_ones()).unwrap_or(0);
            [_pdep_u64(bits, mask[0]), _pdep_u64(rest, mask[1])]
        }
        // SAFETY: as above.
        unsafe { compiled(bits, mask) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::mix;

    #[test]
    fn every_kernel_bundles_the_same() {
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
            for kernel in Bundle::available() {
                let mut columns = [!0; 64];
                assert_eq!(kernel.take(&fields, mask, &mut columns), places.len(), "{}", kernel.name);
                let bits = kernel.pick(fields[7], mask);
                let spread = kernel.spread(mix(seed) ^ bits, mask);
                for (i, (&(w, p), column)) in places.iter().zip(columns).enumerate() {
                    let bit = |j: usize| fields[j][w] >> p & 1;
                    assert!((0..32).all(|j| u64::from(column >> j & 1) == bit(j)), "{}", kernel.name);
                    assert_eq!(bits >> i & 1, bit(7), "{}", kernel.name);
                    assert_eq!(spread[w] >> p & 1, (mix(seed) ^ bits) >> i & 1, "{}", kernel.name);
                }
                assert!(places.len() == 64 || bits >> places.len() == 0);
                assert!((0..2).all(|w| spread[w] & !mask[w] == 0), "{}", kernel.name);
            }
        }
    }
}
