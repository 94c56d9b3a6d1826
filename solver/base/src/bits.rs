//! Functions for sets that are represented by the bits of a word.

/// Returns the number of `k`-element subsets of a set of `n` elements. Returns 0 if `k > n`.
pub const fn binomial(n: usize, k: usize) -> u128 {
    if k > n {
        return 0;
    }
    let (mut product, mut i) = (1, 0);
    while i < k {
        // This division is exact, because the quotient is the number of subsets of `i + 1`
        // elements.
        product = product * (n - i) as u128 / (i + 1) as u128;
        i += 1;
    }
    product
}

/// Lists the indices of the set bits in ascending order.
#[inline]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (lowest < u64::BITS).then_some(lowest as usize)
    })
}

/// Mixes the bits of a number. The function is a bijection in which every input bit affects every
/// output bit. It is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The constant that SplitMix64 adds to its state for each number that it returns.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_are_the_rows_of_pascal() {
        for n in 1..=81 {
            assert_eq!([binomial(n, 0), binomial(n, n), binomial(n, n + 1)], [1, 1, 0]);
            for k in 1..=n {
                assert_eq!(binomial(n, k), binomial(n - 1, k - 1) + binomial(n - 1, k));
            }
        }
    }

    #[test]
    fn bits_are_listed_from_the_lowest() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(1 | 1 << 5 | 1 << 63).collect::<Vec<_>>(), [0, 5, 63]);
        assert!(bits(u64::MAX).eq(0..64));
    }
}
