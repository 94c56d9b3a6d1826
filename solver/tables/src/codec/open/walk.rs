//! The order in which the open bits of a block are coded, and what is known of each when its turn
//! comes.
//!
//! Entry by entry; of each first `not_lose`, then `win` where `not_lose` is 1; of each the even
//! rotations, then the odd ones; of each those in one half of the checkers (`CHECKERS`), then those
//! in the other: eight *batches*. The bits of a batch are coded in the order of their places. Of
//! rotations at which the boards are the same only the first is coded, if there is a guess. All
//! that is known of them is computed for whole planes at once, as counts in binary digits, before
//! the batch is coded.

use super::neighbours::{Links, MOST, Neighbours};
use super::orbits::Orbits;
use super::planes::*;
use pentago_core::kernel::Kernel;
use pentago_core::kernel::bits::{Bits, BitsPass, WIDTH, run};
use pentago_core::values::Entry;

/// Contexts of a bit: one of each table.
pub const CONTEXTS: usize = 8;
/// How many of them the faster model uses: the first.
pub const FIRST: usize = 4;
/// Contexts of one kind.
pub const KINDS: usize = 1 << 15;

/// Codes bits one after the other.
pub trait Code {
    /// Whether the contexts beyond the [`FIRST`] matter.
    const ALL: bool;

    /// Writes `bit` and returns it; or returns the bit that is read, and `bit` doesn't matter.
    fn code(&mut self, contexts: &[u16; CONTEXTS], bit: bool) -> bool;
}

/// Where the columns of a plane's bit are put: see [`contexts`].
pub(super) const V: usize = 0;
pub(super) const O: usize = 4;
pub(super) const A: usize = 7;
pub(super) const N8: usize = 10;
pub(super) const T: usize = 13;
pub(super) const K: usize = 16;
pub(super) const G2: usize = 19;
pub(super) const N4: usize = 22;
pub(super) const G8: usize = 25;
pub(super) const L8: usize = 28;
const S: usize = 31;
const B: usize = 36;
const M: usize = 39;
const W: usize = 42;
const _: () = assert!(W + 3 <= WIDTH);

/// What the bits of a batch have in common.
struct Batch {
    number: u16,
    present: u16,
    density: u16,
    around: u16,
}

/// Codes the open bits of the first entries of a block. Before, `values` are the entries, if the
/// coder writes; afterwards they are in any case. `quick` does the same for the faster model.
///
/// `guess`: bounds of the values, if there are any: `win` is 1 where that of the guess is,
/// `not_lose` is 0 where that of the guess is.
pub fn walk<C: Code>(values: &mut [Entry], guess: Option<&[Entry]>, neighbours: &Neighbours, coder: &mut C) {
    assert!(neighbours.len() >= values.len() && guess.is_none_or(|g| g.len() >= values.len()));
    run(Kernel::best(), Walk { values, guess, links: &neighbours.links(), coder });
}

/// The arguments of [`walk`].
struct Walk<'a, C> {
    values: &'a mut [Entry],
    guess: Option<&'a [Entry]>,
    links: &'a Links,
    coder: &'a mut C,
}

impl<C: Code> BitsPass for Walk<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let Walk { values, guess, links, coder } = self;
        let mut fields = [[0; WIDTH]; 2];
        let mut taken = [0; 64];
        for number in 0..values.len() {
            let bounds = guess.map_or([NONE, NONE, not(NONE), not(NONE)], |g| planes(&g[number]));
            let open = [0, 1].map(|p| and(bounds[2 + p], not(bounds[p])));
            if open == [NONE; 2] {
                values[number] = entry(&[bounds[0], bounds[1], bounds[0], bounds[1]]);
                continue;
            }
            let mut present = 0u16;
            let mut near = [[NONE; 4]; MOST];
            let (links, orbits) = links.of(number);
            let orbits = if guess.is_some() { orbits } else { Orbits::SINGLE };
            for (axis, link) in links.into_iter().enumerate() {
                if let Some(link) = link {
                    let [a, b, c, d] = planes(&values[number - link.back]);
                    let ([a, b], [c, d]) =
                        (moved([a, b], axis, link.quarters), moved([c, d], axis, link.quarters));
                    near[axis] = [a, b, c, d];
                    present |= 1 << axis;
                }
            }
            let given = planes(&values[number]);
            let mut done = [bounds[0], bounds[1], bounds[0], bounds[1]];
            for set in 0..2 {
                let base = if set == 0 { 2 } else { 0 };
                let open = [0, 1].map(|p| if set == 0 { open[p] } else { and(open[p], done[2 + p]) });
                if open == [NONE; 2] {
                    continue;
                }
                let around = {
                    let in_all = present.count_ones() * (ones(open[0]) + ones(open[1]));
                    let all = near.iter().flat_map(|n| [0, 1].map(|p| ones(and(n[base + p], open[p]))));
                    share(all.sum(), in_all)
                };
                let (mut coded, mut true_bits) = (0, 0);
                for parity in 0..2 {
                    let mut known = not(open[parity]);
                    if open[parity] == NONE {
                        continue;
                    }
                    let closed = not(bounds[2 + parity]);
                    put(&mut fields, V, near.map(|n| n[base + parity]));
                    let opposite = if parity == 1 { done[base] } else { bounds[base + 1] };
                    put(&mut fields, O, eighth(count8(one_turn(opposite))));
                    put(&mut fields, G2, count4(two_turns(bounds[parity])));
                    put(&mut fields, G8, eighth(count8(one_turn(bounds[1 - parity]))));
                    put(&mut fields, L8, eighth(count8(one_turn(not(bounds[3 - parity])))));
                    if set == 1 {
                        put(&mut fields, N8, eighth(count8(one_turn(done[3 - parity]))));
                        put(&mut fields, N4, count4(two_turns(done[2 + parity])));
                    } else {
                        put(&mut fields, N8, [NONE; 3]);
                        put(&mut fields, N4, [NONE; 3]);
                    }
                    if C::ALL {
                        put(&mut fields, S, half_sum(near.map(|n| count8(one_turn(n[base + 1 - parity])))));
                        put(
                            &mut fields,
                            M,
                            if set == 1 { count4(near.map(|n| n[2 + parity])) } else { [NONE; 3] },
                        );
                        put(&mut fields, W, count4(near.map(|n| n[base + parity])));
                    }
                    for (half, checkers) in CHECKERS.into_iter().enumerate() {
                        let mask = and(and(open[parity], orbits.first[parity]), checkers);
                        if mask == NONE {
                            continue;
                        }
                        let seen = and(done[base + parity], known);
                        put(&mut fields, T, count4(two_turns(seen)));
                        put(&mut fields, K, count4(two_turns(known)));
                        let stars =
                            one_turn(or(or(seen, not(known)), closed)).into_iter().fold(not(NONE), and);
                        put(&mut fields, A, eighth(count8(one_turn(stars))));
                        if C::ALL {
                            let lit = one_turn(and(seen, not(closed))).into_iter().fold(NONE, or);
                            put(&mut fields, B, eighth(count8(one_turn(and(stars, lit)))));
                        }
                        let batch = Batch {
                            number: (set * 4 + parity * 2 + half) as u16,
                            present,
                            density: share(true_bits, coded),
                            around,
                        };
                        let mut found = NONE;
                        for (word, fields) in fields.iter().enumerate() {
                            let mut rest = mask[word];
                            let count = bits.columns(fields, rest, &mut taken);
                            for &column in &taken[..count] {
                                let place = rest.trailing_zeros();
                                rest &= rest.wrapping_sub(1);
                                let contexts = contexts(&batch, column, C::ALL);
                                let bit = given[base + parity][word] >> place & 1 != 0;
                                found[word] |= u64::from(coder.code(&contexts, bit)) << place;
                            }
                        }
                        orbits.fill(&mut done[base..], found, parity);
                        true_bits += ones(found);
                        coded += ones(mask);
                        known = or(known, mask);
                    }
                }
            }
            values[number] = entry(&done);
        }
    }
}

/// Puts the digits of numbers into columns.
#[inline(always)]
fn put<const N: usize>(fields: &mut [[u64; WIDTH]; 2], at: usize, digits: [Plane; N]) {
    for (i, digit) in digits.into_iter().enumerate() {
        fields[0][at + i] = digit[0];
        fields[1][at + i] = digit[1];
    }
}

/// A share as a number from 1 to 7; 0 where there is nothing to share.
#[inline(always)]
pub(super) fn share(part: u32, all: u32) -> u16 {
    if all == 0 { 0 } else { 1 + (part * 7 / (all + 1)) as u16 }
}

/// The contexts of a bit whose column is `f`.
#[inline(always)]
fn contexts(batch: &Batch, f: u64, all: bool) -> [u16; CONTEXTS] {
    let field = |at: usize, bits: u32| (f >> at) as u16 & ((1 << bits) - 1);
    let top = batch.number << 12;
    let mut contexts = [0; CONTEXTS];
    contexts[0] = top | batch.present << 7 | field(V, 7);
    contexts[1] = top | field(O, 12);
    contexts[2] = top | batch.density << 9 | batch.around << 6 | field(G8, 6);
    contexts[3] = top | field(T, 12);
    if all {
        contexts[4] = top | (batch.present.count_ones() as u16) << 8 | field(S, 5) << 3 | field(O, 3);
        contexts[5] = top | batch.density << 9 | field(B, 3) << 6 | field(A, 6);
        contexts[6] = top | field(G2, 9) << 3 | field(N8, 3);
        contexts[7] = top | batch.around << 9 | field(N8, 3) << 6 | field(M, 6);
    }
    contexts
}
