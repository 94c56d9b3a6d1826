//! Searches for earlier occurrences of half supers. The CPU can't predict whether a half super is
//! new, so the loops have no branch for new half supers. The loops also don't check indices that
//! are in bounds by construction.

use super::{FAR, LITERAL};
use crate::supers::Half;

/// Finds repeated half supers. Writes a byte for each half super to `distances`, the far distances
/// in little-endian order to `fars`, and the literals to `news`. Each of these slices must be at
/// least as long as `halves`. Returns the number of far distances and the number of literals.
/// `last` is reusable memory for a hash table of indices.
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
    // Use pointers, which need fewer registers than indices. This makes the loop a quarter faster.
    let (halves, last, distances) = (halves.as_ptr(), last.as_mut_ptr(), distances.as_mut_ptr());
    let (far, new) = (fars.as_mut_ptr(), news.as_mut_ptr());
    let (mut far_end, mut new_end) = (far, new.wrapping_add(1));
    for i in 1..n {
        // SAFETY: all lists except `last` have n elements, so i is in bounds. A hash has `bits`
        // bits, and `last` has `1 << bits` elements. The elements of `last` are 0 or earlier values
        // of i, so `before` is less than i. Each earlier half super added at most one literal. Each
        // except the first added at most one far distance. So both end pointers are in bounds.
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
    // SAFETY: `far_end` and `far` point into the same list, and so do `new_end` and `new`.
    unsafe { (far_end.offset_from_unsigned(far), new_end.offset_from_unsigned(new)) }
}

/// Returns a word whose highest bits serve as the hash of a half super.
#[inline(always)]
fn hash(half: Half) -> u64 {
    let [a, b] = half.0;
    let b = b.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b)
}

/// Restores half supers from distances. Fills the last `distances.len()` elements of `halves`. The
/// literals must precede these elements, from index `window` on. Returns `false` if the numbers of
/// distances, far distances and literals don't match, or a distance is invalid. Appends an element
/// to `fars`.
pub fn repeat(distances: &[u8], fars: &mut Vec<u16>, window: usize, halves: &mut [Half]) -> bool {
    let start = halves.len().checked_sub(distances.len()).expect("there is room for all");
    let count = |of: u8| {
        // Count in one byte, which takes fewer vector instructions. A chunk of 255 bytes can't
        // overflow the counter.
        let in_chunk = |chunk: &[u8]| usize::from(chunk.iter().map(|&byte| u8::from(byte == of)).sum::<u8>());
        distances.chunks(255).map(in_chunk).sum::<usize>()
    };
    if window + count(LITERAL) != start || count(FAR) != fars.len() {
        return false;
    }
    // The loop reads one element after the last far distance, so append one.
    fars.push(0);
    let (mut literal, mut far) = (window, 0);
    let mut wrong = false;
    for (i, &byte) in distances.iter().enumerate() {
        // SAFETY: `far` is at most the number of `FAR` bytes. The check before the loop has shown
        // that `fars` had this number of elements, and one more was pushed.
        let far_distance = usize::from(unsafe { *fars.get_unchecked(far) });
        let is_far = byte == FAR;
        let distance = if is_far { far_distance } else { usize::from(byte) };
        far += usize::from(is_far);
        let is_literal = byte == LITERAL;
        let to = start + i;
        wrong |= (distance > i) | (is_far & (distance == 0));
        let from = if is_literal { literal } else { to - distance.min(i) };
        literal += usize::from(is_literal);
        // SAFETY: `to` is less than the length of `halves`. `from` is between `start` and `to`, or
        // it is the index of a literal. Such an index is less than `start`, because the check
        // before the loop has shown that the number of `LITERAL` bytes is `start - window`.
        unsafe { *halves.get_unchecked_mut(to) = *halves.get_unchecked(from) };
    }
    !wrong
}
