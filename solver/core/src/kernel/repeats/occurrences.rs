//! Where half supers have occurred before, found and repeated. Whether one is new can't be
//! foretold: nothing branches on it, and no index is checked that can't be out of bounds.

#![allow(unsafe_code)]

use super::{FAR, LITERAL};
use crate::supers::Half;

/// Fills the lists, of at least the length of `halves`: a byte for each half super, the far
/// distances in little endian, and the new half supers. Says how many far distances and literals
/// there are. `last` is room for a table, which remembers one place for each hash.
pub fn find(
    halves: &[Half],
    last: &mut Vec<u16>,
    distances: &mut [u8],
    fars: &mut [u16],
    news: &mut [Half],
) -> (usize, usize) {
    let n = halves.len();
    assert!(n <= 1 << 16);
    let bits = (2 * n).max(2).ilog2();
    last.clear();
    last.resize(1 << bits, 0);
    let (distances, fars, news) = (&mut distances[..n], &mut fars[..n], &mut news[..n]);
    let ([first, ..], [first_to, ..]) = (halves, &mut distances[..]) else { return (0, 0) };
    (*first_to, news[0]) = (LITERAL, *first);
    // Pointers that move take fewer registers than indices, and the loop a quarter less time.
    let (halves, last, distances) = (halves.as_ptr(), last.as_mut_ptr(), distances.as_mut_ptr());
    let (far, new) = (fars.as_mut_ptr(), news.as_mut_ptr());
    let (mut far_end, mut new_end) = (far, new.wrapping_add(1));
    for i in 1..n {
        // SAFETY: all lists but `last` have n elements, so i is in bounds. The slot is a number of
        // `bits` bits. The table holds 0, which is the place of the first half super, and former
        // values of i: all less than i. At most one far distance was put for each half super but
        // the first before this one, and at most one literal for each: both ends are in bounds, and
        // what is written there is initialised.
        unsafe {
            let half = *halves.add(i);
            let slot = last.add((hash(half) >> (64 - bits)) as usize);
            let before = usize::from(*slot);
            *slot = i as u16;
            let other = *halves.add(before);
            let distance = (i - before) as u32;
            let different = (half.0[0] ^ other.0[0]) | (half.0[1] ^ other.0[1]);
            let repeated = u32::from(different == 0);
            *distances.add(i) = (distance.min(u32::from(FAR)) & repeated.wrapping_neg()) as u8;
            *far_end = (distance as u16).to_le();
            far_end = far_end.add((repeated & u32::from(distance >= u32::from(FAR))) as usize);
            *new_end = half;
            new_end = new_end.add(1 - repeated as usize);
        }
    }
    // SAFETY: both pairs of pointers are into one list each.
    unsafe { (far_end.offset_from_unsigned(far), new_end.offset_from_unsigned(new)) }
}

/// Returns the highest bits of it are the hash.
#[inline(always)]
fn hash(half: Half) -> u64 {
    let [a, b] = half.0;
    let b = b.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b)
}

/// Fills the last `distances.len()` of `halves`: those before them, from `window` on, are the
/// literals. Says whether distances, far distances and literals agree. Adds to `fars`.
pub fn repeat(distances: &[u8], fars: &mut Vec<u16>, window: usize, halves: &mut [Half]) -> bool {
    let start = halves.len().checked_sub(distances.len()).expect("there is room for all");
    let count = |of: u8| {
        // Bytes are counted in bytes, which takes fewer instructions.
        let in_chunk = |chunk: &[u8]| usize::from(chunk.iter().map(|&byte| u8::from(byte == of)).sum::<u8>());
        distances.chunks(255).map(in_chunk).sum::<usize>()
    };
    if window + count(LITERAL) != start || count(FAR) != fars.len() {
        return false;
    }
    // One is read after the last.
    fars.push(0);
    let (mut literal, mut far) = (window, 0);
    let mut wrong = false;
    for (i, &byte) in distances.iter().enumerate() {
        // SAFETY: as many were counted before as bytes say so, and they are as many as there are
        // far distances, of which there is one more.
        let far_distance = usize::from(unsafe { *fars.get_unchecked(far) });
        let is_far = byte == FAR;
        let distance = if is_far { far_distance } else { usize::from(byte) };
        far += usize::from(is_far);
        let is_literal = byte == LITERAL;
        let to = start + i;
        wrong |= (distance > i) | (is_far & (distance == 0));
        let from = if is_literal { literal } else { to - distance.min(i) };
        literal += usize::from(is_literal);
        // SAFETY: `to` is less than the length; `from` is between `start` and `to`, or it is a
        // literal: as many as are between `window` and `start` were counted.
        unsafe { *halves.get_unchecked_mut(to) = *halves.get_unchecked(from) };
    }
    !wrong
}
