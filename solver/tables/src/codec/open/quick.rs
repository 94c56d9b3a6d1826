//! The walk of the faster model, written for speed: the same bits in the same contexts as in
//! `walk`, which is the definition.
//!
//! Only four contexts are needed, whose fields fit into 32 columns. Whatever follows from the guess
//! alone is computed once for an entry instead of once for a batch; and in the half of the checkers
//! that comes first some fields are known: all opposite rotations of the other half are known when
//! it is coded, and before it those of L are what is known to be 1. All bits of a batch have their
//! probabilities before the first of them is coded.

use super::coder::{Choice, Reader};
use super::model::Static;
use super::neighbours::{Links, MOST, Neighbours};
use super::orbits::Orbits;
use super::planes::*;
use super::walk::{A, G2, G8, K, L8, N4, N8, O, T, V, share};
use pentago_core::kernel::Kernel;
use pentago_core::kernel::bits::{Bits, BitsPass, Fields, run};
use pentago_core::values::Entry;

/// Codes the bits of a batch.
pub(super) trait BatchCode {
    /// Writes the bits `given`, the first lowest, and returns them; or returns those that are read,
    /// as many as there are probabilities, and `given` doesn't matter.
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, given: u64) -> u64;
}

/// Notes the bits to be written.
pub(super) struct Noting(pub Vec<Choice>);

impl BatchCode for Noting {
    #[inline(always)]
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, given: u64) -> u64 {
        self.0.extend((0..count).map(|i| Choice::new(p(i), given >> i & 1 != 0)));
        given
    }
}

impl BatchCode for Reader<'_> {
    #[inline(always)]
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, _: u64) -> u64 {
        self.read_batch(count, p)
    }
}

/// Codes the open bits of the first entries of a block, as [`walk`](super::walk::walk) does with the
/// faster model.
pub(super) fn quick<C: BatchCode>(
    kernel: Kernel,
    values: &mut [Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    coder: &mut C,
) {
    assert!(neighbours.len() >= values.len() && guess.is_none_or(|g| g.len() >= values.len()));
    let (links, model) = (neighbours.links(), Static::new());
    run(kernel, Quick { values, guess, links: &links, model: &model, coder });
}

struct Quick<'a, C> {
    values: &'a mut [Entry],
    guess: Option<&'a [Entry]>,
    links: &'a Links,
    model: &'a Static,
    coder: &'a mut C,
}

/// The number of the eight around that are true, in three digits.
#[inline(always)]
fn around8(x: Plane) -> Digits<3> {
    eighth(count8(one_turn(x)))
}

#[inline(always)]
fn put<const N: usize>(fields: &mut Fields, at: usize, digits: [Plane; N]) {
    fields[at..at + N].copy_from_slice(&digits);
}

impl<C: BatchCode> BitsPass for Quick<'_, C> {
    type Output = ();

    // Loops instead of closures: these are compiled without the instructions unless they are taken
    // in.
    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let Quick { values, guess, links, model, coder } = self;
        let mut fields: Fields = [NONE; 32];
        let mut columns = [0; 64];
        for number in 0..values.len() {
            let bounds = match guess {
                Some(guess) => planes(&guess[number]),
                None => [NONE, NONE, not(NONE), not(NONE)],
            };
            let open = [and(bounds[2], not(bounds[0])), and(bounds[3], not(bounds[1]))];
            if open == [NONE; 2] {
                values[number] = entry(&[bounds[0], bounds[1], bounds[0], bounds[1]]);
                continue;
            }
            let mut present = 0;
            let mut near = [[NONE; 4]; MOST];
            let (links, orbits) = links.of(number);
            let orbits = if guess.is_some() { orbits } else { Orbits::SINGLE };
            for (axis, link) in links.into_iter().enumerate() {
                if let Some(link) = link {
                    let [a, b, c, d] = planes(&values[number - link.back]);
                    let [a, b] = moved([a, b], axis, link.quarters);
                    let [c, d] = moved([c, d], axis, link.quarters);
                    near[axis] = [a, b, c, d];
                    present |= 1 << axis;
                }
            }
            let present: usize = present;
            let given = planes(&values[number]);
            // What the guess says, by parity.
            let closed = [not(bounds[2]), not(bounds[3])];
            let g8 = [around8(bounds[1]), around8(bounds[0])];
            let l8 = [around8(closed[1]), around8(closed[0])];
            let g2 = [count4(two_turns(bounds[0])), count4(two_turns(bounds[1]))];
            let mut done = [bounds[0], bounds[1], bounds[0], bounds[1]];
            for set in 0..2 {
                let base = 2 - 2 * set;
                let open = if set == 0 { open } else { [and(open[0], done[2]), and(open[1], done[3])] };
                if open == [NONE; 2] {
                    continue;
                }
                let mut alike = 0;
                for near in &near {
                    alike += ones(and(near[base], open[0])) + ones(and(near[base + 1], open[1]));
                }
                let density_near =
                    usize::from(share(alike, present.count_ones() * (ones(open[0]) + ones(open[1]))));
                let (mut coded, mut true_bits) = (0, 0);
                for parity in 0..2 {
                    if open[parity] == NONE {
                        continue;
                    }
                    for (axis, near) in near.iter().enumerate() {
                        fields[V + axis] = near[base + parity];
                    }
                    let opposite = match (parity, set) {
                        (1, _) => around8(done[base]),
                        (_, 1) => g8[0],
                        _ => around8(bounds[3]),
                    };
                    put(&mut fields, O, opposite);
                    put(&mut fields, G2, g2[parity]);
                    put(&mut fields, G8, g8[parity]);
                    put(&mut fields, L8, l8[parity]);
                    if set == 1 {
                        put(&mut fields, N8, around8(done[3 - parity]));
                        put(&mut fields, N4, count4(two_turns(done[2 + parity])));
                    } else {
                        put(&mut fields, N8, [NONE; 3]);
                        put(&mut fields, N4, [NONE; 3]);
                    }
                    for (half, checkers) in CHECKERS.into_iter().enumerate() {
                        let mask = and(and(open[parity], orbits.first[parity]), checkers);
                        if mask == NONE {
                            continue;
                        }
                        let unknown = if half == 0 { open[parity] } else { mask };
                        let seen = and(done[base + parity], not(unknown));
                        if half == 0 {
                            // What is known to be 1 is L.
                            put(&mut fields, T, g2[parity]);
                            put(&mut fields, K, count4(two_turns(not(unknown))));
                        } else {
                            put(&mut fields, T, count4(two_turns(seen)));
                            put(&mut fields, K, [NONE, NONE, not(NONE)]);
                        }
                        if set == 0 && half == 0 {
                            // Nothing in U is known to be 0.
                            put(&mut fields, A, [not(NONE); 3]);
                        } else {
                            let mut stars = not(NONE);
                            for around in one_turn(or(or(seen, unknown), closed[parity])) {
                                stars = and(stars, around);
                            }
                            put(&mut fields, A, around8(stars));
                        }
                        let batch = set * 4 + parity * 2 + half;
                        let density = usize::from(share(true_bits, coded));
                        let count = bits.plane_columns(&fields, mask, &mut columns);
                        let tables = model.tables(batch, present, density, density_near);
                        let p = |i: usize| tables.p(columns[i % 64]);
                        let coded_bits = coder.batch(count, p, bits.pick(given[base + parity], mask));
                        let found = bits.spread(coded_bits, mask);
                        orbits.fill(&mut done[base..], found, parity);
                        true_bits += coded_bits.count_ones();
                        coded += count as u32;
                    }
                }
            }
            values[number] = entry(&done);
        }
    }
}
