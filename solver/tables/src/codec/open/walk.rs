//! The definition of the fast walk in `batches`: a plain version that the tests compare with it,
//! and from which `bench/examples/train_contexts.rs` takes contexts.
//!
//! The walk codes the open bits entry by entry. Inside an entry, it codes `not_lose` first, then
//! `win` where `not_lose` is 1. Each set has the even rotations first, then the odd ones; each
//! parity has one half of the checkers first (`CHECKERS`), then the other half. These are eight
//! *batches*, each in the order of its indices. With a guess, only the first rotation of each orbit
//! is coded. The fields of a batch are computed on whole planes, as counts in binary digits, before
//! its first bit is coded.

use super::batches::{A, G2, G8, K, L8, N4, N8, O, T, V, moved_neighbours, share};
pub use super::model::{CONTEXT_VALUES, CONTEXTS};
use super::neighbours::Neighbours;
use super::orbits::Orbits;
use super::planes::*;
use pentago_core::values::Entry;

/// Codes bits one by one, as a writer or a reader.
pub trait BitCoder {
    /// Codes one bit with its contexts, and returns it. A writer writes and returns `bit`; a reader
    /// ignores `bit` and returns the bit that it reads.
    fn code(&mut self, contexts: &[u16; CONTEXTS], bit: bool) -> bool;
}

/// The values that the contexts of all bits of a batch share.
struct BatchValues {
    number: u16,
    present: u16,
    density: u16,
    similarity: u16,
}

/// Codes the open bits of the first entries of a block, like `code_batches`.
pub fn walk<C: BitCoder>(
    values: &mut [Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    coder: &mut C,
) {
    let links = neighbours.links();
    for number in 0..values.len() {
        let bounds = guess.map_or([NONE, NONE, not(NONE), not(NONE)], |g| planes(&g[number]));
        let (links, orbits) = links.of(number);
        let orbits = if guess.is_some() { orbits } else { Orbits::SINGLE };
        let (present, near) = moved_neighbours(values, number, links);
        let given = planes(&values[number]);
        let mut done = [bounds[0], bounds[1], bounds[0], bounds[1]];
        for set in 0..2 {
            let base = if set == 0 { 2 } else { 0 };
            let open = [0, 1].map(|p| {
                let open = and(bounds[2 + p], not(bounds[p]));
                if set == 0 { open } else { and(open, done[2 + p]) }
            });
            let alike = near.iter().flat_map(|n| [0, 1].map(|p| ones(and(n[base + p], open[p])))).sum();
            let similarity = share(alike, present.count_ones() * (ones(open[0]) + ones(open[1])));
            let (mut coded, mut true_bits) = (0, 0);
            for (parity, half) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let mask = and(and(open[parity], orbits.first[parity]), CHECKERS[half]);
                let known = not(if half == 0 { open[parity] } else { and(open[parity], CHECKERS[1]) });
                let fields = fields(&bounds, &near, &done, [set, parity], known);
                let batch = BatchValues {
                    number: (set * 4 + parity * 2 + half) as u16,
                    present: present as u16,
                    density: share(true_bits, coded),
                    similarity,
                };
                let mut found = NONE;
                for place in (0..128).filter(|place| mask[place / 64] >> (place % 64) & 1 != 0) {
                    let bit = |plane: Plane| plane[place / 64] >> (place % 64) & 1;
                    let column = (0..32).fold(0, |column, i| column | (bit(fields[i]) as u32) << i);
                    let coded = coder.code(&contexts(&batch, column), bit(given[base + parity]) != 0);
                    found[place / 64] |= u64::from(coded) << (place % 64);
                }
                orbits.fill(&mut done[base..], found, parity);
                true_bits += ones(found);
                coded += ones(mask);
            }
        }
        values[number] = entry(&done);
    }
}

/// Returns the columns of the fields of one batch. Set 0 is `not_lose`, set 1 is `win`; `known` has
/// the known rotations of the parity.
fn fields(
    bounds: &Planes,
    near: &[Planes],
    done: &Planes,
    [set, parity]: [usize; 2],
    known: Plane,
) -> [Plane; 32] {
    let base = if set == 0 { 2 } else { 0 };
    let around8 = |x: Plane| eighth(count8(one_turn(x)));
    let opposite = |x: Plane| count4(two_turns(x));
    let mut fields = [NONE; 32];
    let mut put = |at: usize, digits: &[Plane]| fields[at..at + digits.len()].copy_from_slice(digits);
    for (axis, near) in near.iter().enumerate() {
        put(V + axis, &[near[base + parity]]);
    }
    put(O, &around8(if parity == 1 { done[base] } else { bounds[base + 1] }));
    put(G2, &opposite(bounds[parity]));
    put(G8, &around8(bounds[1 - parity]));
    put(L8, &around8(not(bounds[3 - parity])));
    if set == 1 {
        put(N8, &around8(done[3 - parity]));
        put(N4, &opposite(done[2 + parity]));
    }
    let seen = and(done[base + parity], known);
    put(T, &opposite(seen));
    put(K, &opposite(known));
    let passable = or(or(seen, not(known)), not(bounds[2 + parity]));
    let stars = one_turn(passable).into_iter().fold(not(NONE), and);
    put(A, &around8(stars));
    fields
}

/// Returns the contexts of a bit from its column.
fn contexts(batch: &BatchValues, column: u32) -> [u16; CONTEXTS] {
    let field = |at: usize, bits: u32| (column >> at) as u16 & ((1 << bits) - 1);
    let top = batch.number << 12;
    [
        top | batch.present << 7 | field(V, 7),
        top | field(O, 12),
        top | batch.density << 9 | batch.similarity << 6 | field(G8, 6),
        top | field(T, 12),
    ]
}
