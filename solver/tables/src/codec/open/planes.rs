//! Sets of rotations as words, and operations that turn all rotations of a set simultaneously.
//!
//! A [`Plane`] has a bit for each of the 128 rotations of one parity, in the order of
//! [`Half`](pentago_core::supers::Half). One quarter turn of a quadrant changes the parity. Bit i
//! of one plane is therefore one turn away from eight bits of the other plane, at indices that
//! don't depend on the parity. Two quarter turns of one quadrant lead from bit i to four bits of
//! the same plane.

use pentago_core::values::Entry;

/// A set of rotations of one parity.
pub type Plane = [u64; 2];

/// The four planes of an entry: `win` at even rotations, `win` at odd rotations, `not_lose` at even
/// rotations, `not_lose` at odd rotations.
pub type Planes = [Plane; 4];

/// The empty set of rotations.
pub const NONE: Plane = [0; 2];

/// The two halves of the rotations of a parity. The first half contains the rotations in which an
/// even number of quadrants are turned by two or three quarters. Two quarter turns of one quadrant
/// lead from one half to the other.
pub const CHECKERS: [Plane; 2] = [[CHECKER, !CHECKER], [!CHECKER, CHECKER]];
/// The set of all indices from 0 to 63 that have an even number of ones among bits 1, 2 and 4.
const CHECKER: u64 = checker();

const fn checker() -> u64 {
    let (mut word, mut i) = (0, 0);
    while i < 64 {
        if (i >> 1 ^ i >> 2 ^ i >> 4) & 1 == 0 {
            word |= 1 << i;
        }
        i += 1;
    }
    word
}

/// Returns the planes of an entry.
#[inline(always)]
pub fn planes(entry: &Entry) -> Planes {
    zerocopy::transmute!(*entry)
}

/// Returns the entry that has the given planes: the inverse of [`planes`].
#[inline(always)]
pub fn entry(planes: &Planes) -> Entry {
    zerocopy::transmute!(*planes)
}

#[inline(always)]
pub fn and(a: Plane, b: Plane) -> Plane {
    [a[0] & b[0], a[1] & b[1]]
}

#[inline(always)]
pub fn or(a: Plane, b: Plane) -> Plane {
    [a[0] | b[0], a[1] | b[1]]
}

#[inline(always)]
pub fn xor(a: Plane, b: Plane) -> Plane {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

#[inline(always)]
pub const fn not(a: Plane) -> Plane {
    [!a[0], !a[1]]
}

#[inline(always)]
pub fn ones(a: Plane) -> u32 {
    a[0].count_ones() + a[1].count_ones()
}

#[inline(always)]
fn map(a: Plane, f: impl Fn(u64) -> u64) -> Plane {
    [f(a[0]), f(a[1])]
}

/// Returns a word with permuted bits: the bit of each rotation is the bit of `x` at the rotation
/// with quadrant 0 turned twice. The indices of the two rotations differ only in bit 2.
#[inline(always)]
fn other_h(x: u64) -> u64 {
    x >> 4 & 0x0f0f_0f0f_0f0f_0f0f | x << 4 & 0xf0f0_f0f0_f0f0_f0f0
}

/// Returns a word with permuted bits: the bit of each rotation is the bit of `x` at the rotation
/// whose r1 (the turns of quadrant 1) is greater by `BY`, modulo 4.
#[inline(always)]
fn r1<const BY: u32>(x: u64) -> u64 {
    let stay = 0x1111_1111_1111_1111 * ((1 << (4 - BY)) - 1);
    x >> BY & stay | x << (4 - BY) & !stay
}

/// Returns a word with permuted bits: the bit of each rotation is the bit of `x` at the rotation
/// whose r2 (the turns of quadrant 2) is greater by `BY`, modulo 4. This rotates the bytes of each
/// 32-bit half.
#[inline(always)]
fn r2<const BY: u32>(x: u64) -> u64 {
    let stay = 0x0000_0001_0000_0001 * ((1 << (32 - 8 * BY)) - 1);
    x >> (8 * BY) & stay | x << (32 - 8 * BY) & !stay
}

/// Returns a plane with permuted bits: the bit of each rotation is the bit of `x` at the rotation
/// whose r3 (the turns of quadrant 3) is greater by 1, modulo 4. This rotates the four 32-bit
/// words.
#[inline(always)]
fn next_r3([a, b]: Plane) -> Plane {
    [a >> 32 | b << 32, b >> 32 | a << 32]
}

/// Returns a plane with permuted bits: the bit of each rotation is the bit of `x` at the rotation
/// whose r3 is less by 1, modulo 4.
#[inline(always)]
fn previous_r3([a, b]: Plane) -> Plane {
    [a << 32 | b >> 32, b << 32 | a >> 32]
}

/// Returns eight planes of the other parity. At each rotation, the planes contain the bits of `x`
/// at the eight rotations that are one quarter turn away.
#[inline(always)]
pub fn one_turn(x: Plane) -> [Plane; 8] {
    [
        x,
        map(x, other_h),
        map(x, r1::<1>),
        map(x, r1::<3>),
        map(x, r2::<1>),
        map(x, r2::<3>),
        next_r3(x),
        previous_r3(x),
    ]
}

/// Returns four planes of the same parity. At each rotation, the planes contain the bits of `x` at
/// the four rotations that are two turns of one quadrant away.
#[inline(always)]
pub fn two_turns(x: Plane) -> [Plane; 4] {
    [map(x, other_h), map(x, r1::<2>), map(x, r2::<2>), [x[1], x[0]]]
}

/// Turns one quadrant in both planes of a set, which are indexed by parity. The bit of each
/// rotation in the result is the bit of `x` at the rotation whose turns on `axis` are greater by
/// `quarters`.
#[inline]
pub fn moved(x: [Plane; 2], axis: usize, quarters: u8) -> [Plane; 2] {
    if quarters.is_multiple_of(4) {
        return x;
    }
    let [even, odd] = if quarters.is_multiple_of(2) { x } else { [x[1], x[0]] };
    match (axis, quarters % 4) {
        (0, 2) => [map(even, other_h), map(odd, other_h)],
        (0, quarters) => {
            // Let r0 = 2 h + b. Adding 1 to r0 changes h only if b is 1. Adding 3 (modulo 4)
            // changes h only if b is 0.
            let step = |x: Plane, parity: usize| {
                let moves = if quarters == 1 { B[parity] } else { not(B[parity]) };
                or(and(x, not(moves)), and(map(x, other_h), moves))
            };
            [step(even, 0), step(odd, 1)]
        }
        (1, 1) => [map(even, r1::<1>), map(odd, r1::<1>)],
        (1, 2) => [map(even, r1::<2>), map(odd, r1::<2>)],
        (1, _) => [map(even, r1::<3>), map(odd, r1::<3>)],
        (2, 1) => [map(even, r2::<1>), map(odd, r2::<1>)],
        (2, 2) => [map(even, r2::<2>), map(odd, r2::<2>)],
        (2, _) => [map(even, r2::<3>), map(odd, r2::<3>)],
        (_, 1) => [next_r3(even), next_r3(odd)],
        (_, 2) => [[even[1], even[0]], [odd[1], odd[0]]],
        _ => [previous_r3(even), previous_r3(odd)],
    }
}

/// The rotations whose r0 (the turns of quadrant 0) is odd, indexed by parity.
const B: [Plane; 2] = {
    let mut odd = [[0; 2]; 2];
    let mut i = 0;
    while i < 256 {
        let (parity, place) = (i / 128, i % 128);
        let (r1, r2, r3) = (place % 4, place / 8 % 4, place / 32);
        if (parity + r1 + r2 + r3) % 2 == 1 {
            odd[parity][place / 64] |= 1 << (place % 64);
        }
        i += 1;
    }
    odd
};

/// A binary number of `N` digits for each rotation. Digit i of all numbers forms plane i, and digit
/// 0 is the lowest.
pub type Digits<const N: usize> = [Plane; N];

#[inline(always)]
fn half_add(a: Plane, b: Plane) -> [Plane; 2] {
    [xor(a, b), and(a, b)]
}

#[inline(always)]
fn add(a: Plane, b: Plane, c: Plane) -> [Plane; 2] {
    let half = xor(a, b);
    [xor(half, c), or(and(a, b), and(half, c))]
}

/// Returns, for each rotation, how many of the eight planes contain the rotation.
#[inline(always)]
pub fn count8(x: [Plane; 8]) -> Digits<4> {
    let [a, c1] = add(x[0], x[1], x[2]);
    let [b, c2] = add(x[3], x[4], x[5]);
    let [c, c3] = half_add(x[6], x[7]);
    let [ones, c4] = add(a, b, c);
    let [d, e1] = add(c1, c2, c3);
    let [twos, e2] = half_add(d, c4);
    let [fours, eights] = half_add(e1, e2);
    [ones, twos, fours, eights]
}

/// Returns, for each rotation, how many of the four planes contain the rotation.
#[inline(always)]
pub fn count4(x: [Plane; 4]) -> Digits<3> {
    let [a, c1] = add(x[0], x[1], x[2]);
    let [ones, c2] = half_add(a, x[3]);
    let [twos, fours] = half_add(c1, c2);
    [ones, twos, fours]
}

/// Maps the numbers 0 to 8 to the three-digit numbers 0, 1, 2, 3, 4, 4, 5, 6, 7.
#[inline(always)]
pub fn eighth([ones, twos, fours, eights]: Digits<4>) -> Digits<3> {
    let high = and(fours, twos);
    let low = not(or(fours, eights));
    [
        or(eights, or(and(low, ones), and(high, not(ones)))),
        or(eights, or(and(low, twos), and(high, ones))),
        or(eights, fours),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::mix;
    use pentago_core::supers::half::{half_index, half_rotation};
    use pentago_core::symmetry::{parity, turned};

    fn get(x: Plane, place: usize) -> bool {
        x[place / 64] >> (place % 64) & 1 != 0
    }

    fn random(seed: u64) -> Plane {
        [mix(seed), mix(seed ^ 0xffff_0000)]
    }

    fn number<const N: usize>(digits: Digits<N>, place: usize) -> usize {
        (0..N).map(|i| usize::from(get(digits[i], place)) << i).sum()
    }

    #[test]
    fn turns_match_the_definition() {
        for p in 0..2u8 {
            let x = random(u64::from(p));
            let (one, two) = (one_turn(x), two_turns(x));
            for place in 0..128 {
                let to = |r| {
                    assert_eq!(parity(r), p);
                    get(x, half_index(r))
                };
                let r = half_rotation(1 - p, place);
                let around = (0..4).flat_map(|q| [turned(r, q, true), turned(r, q, false)]);
                assert_eq!(number(count8(one), place), around.filter(|&r| to(r)).count());
                let r = half_rotation(p, place);
                let around = (0..4).map(|q| turned(turned(r, q, true), q, true));
                assert_eq!(number(count4(two), place), around.filter(|&r| to(r)).count());
                let high = r.iter().filter(|&&r| r > 1).count();
                assert_eq!(get(CHECKERS[0], place), high % 2 == 0);
                assert_eq!(get(CHECKERS[1], place), high % 2 == 1);
            }
        }
    }

    #[test]
    fn moved_bits_match_the_definition() {
        let x = [random(3), random(4)];
        for (axis, quarters) in (0..4).flat_map(|a| (0..4).map(move |q| (a, q))) {
            let y = moved(x, axis, quarters);
            for (p, place) in (0..2u8).flat_map(|p| (0..128).map(move |i| (p, i))) {
                let mut r = half_rotation(p, place);
                r[axis] = (r[axis] + quarters) % 4;
                let from = get(x[usize::from(parity(r))], half_index(r));
                assert_eq!(get(y[usize::from(p)], place), from, "{axis} {quarters}");
            }
        }
    }

    #[test]
    fn eighths_merge_the_sums_4_and_5() {
        let all: [Digits<4>; 9] =
            std::array::from_fn(|n| count8(std::array::from_fn(|j| [!0 * u64::from(j < n); 2])));
        assert_eq!(all.map(|digits| number(eighth(digits), 0)), [0, 1, 2, 3, 4, 4, 5, 6, 7]);
    }
}
