//! The walk over the open bits of a block, as `db-format.md` defines it. The reference is the plain
//! decoder in `tests/decoder`, which was written from that document alone.
//!
//! The walk codes the open bits entry by entry. Inside an entry, the walk codes the set `not_lose`
//! first, then the set `win` at the rotations where `not_lose` is 1. In each set, the even
//! rotations precede the odd rotations. The rotations of each parity are divided into two halves by
//! a checkerboard pattern (`CHECKERS`), which are coded one after the other. Two sets, two parities
//! and two halves make eight *batches*. With a guess, only the first rotation of each orbit is
//! coded.
//!
//! Each bit has four contexts, whose fields fit into 32 columns. Three shortcuts save work. First,
//! fields that depend on the guess alone are computed once per entry instead of once per batch.
//! Second, some fields describe the rotations two turns away, which lie in the other half of the
//! checkers. In the second half of the checkers, all these rotations are known. In the first half,
//! the `win` of the guess contains exactly those that are known to be 1. Third, the probabilities
//! of a whole batch are looked up before its first bit is coded.

use super::coder::{Choice, Reader};
use super::model::ContextModel;
use super::neighbours::{Link, Links, MOST, Neighbours};
use super::orbits::Orbits;
use super::planes::*;
use pentago_core::kernel::Kernel;
use pentago_core::kernel::bits::{Bits, BitsPass, Fields, run};
use pentago_core::values::Entry;

/// The index of the first column of each field. Section 12.4 of `db-format.md` defines the fields.
const V: usize = 0;
const O: usize = 4;
const A: usize = 7;
const N8: usize = 10;
const T: usize = 13;
const K: usize = 16;
const G2: usize = 19;
const N4: usize = 22;
const G8: usize = 25;
const L8: usize = 28;

/// A writer or a reader that codes the bits of one batch at a time.
pub(super) trait BatchCoder {
    /// Codes `count` bits and returns them, the first bit in the lowest place. `p(i)` is the
    /// probability of bit i. A writer writes and returns the bits `given`. A reader ignores `given`
    /// and returns the bits that it reads.
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, given: u64) -> u64;
}

/// A writer that collects the bits to write, each with its probability.
pub(super) struct BatchWriter(pub Vec<Choice>);

impl BatchCoder for BatchWriter {
    #[inline(always)]
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, given: u64) -> u64 {
        self.0.extend((0..count).map(|i| (p(i), given >> i & 1 != 0)));
        given
    }
}

impl BatchCoder for Reader<'_> {
    #[inline(always)]
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, _: u64) -> u64 {
        self.read_batch(count, p)
    }
}

/// Codes the open bits of the first `values.len()` entries of a block. To write, the caller passes
/// the entries in `values`. To read, the caller finds the decoded entries in `values` after the
/// call.
///
/// `guess` contains bounds of the values: an entry's `win` is 1 wherever its guess has `win` 1, and
/// an entry's `not_lose` is 0 wherever its guess has `not_lose` 0. Without a guess, all bits are
/// open.
pub(super) fn code_batches<C: BatchCoder>(
    kernel: Kernel,
    values: &mut [Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    coder: &mut C,
) {
    assert!(neighbours.len() >= values.len() && guess.is_none_or(|g| g.len() >= values.len()));
    run(kernel, BlockWalk { values, guess, links: &neighbours.links(), coder });
}

/// The arguments of [`code_batches`].
struct BlockWalk<'a, C> {
    values: &'a mut [Entry],
    guess: Option<&'a [Entry]>,
    links: &'a Links,
    coder: &'a mut C,
}

/// Returns, for each rotation, how many rotations in `x` are one turn away. The count from 0 to 8
/// is mapped to three binary digits.
#[inline(always)]
fn around8(x: Plane) -> Digits<3> {
    eighth(count8(one_turn(x)))
}

#[inline(always)]
fn put<const N: usize>(fields: &mut Fields, at: usize, digits: [Plane; N]) {
    fields[at..at + N].copy_from_slice(&digits);
}

/// Returns the ratio of `part` to `all`, scaled to a number from 1 to 7. Returns 0 if `all` is 0.
#[inline(always)]
fn share(part: u32, all: u32) -> u16 {
    if all == 0 { 0 } else { 1 + (part * 7 / (all + 1)) as u16 }
}

/// Returns a bit mask and the planes of the neighbours of entry `number`, turned to match the
/// rotations of the entry. Bit i of the mask is set if axis i has a neighbour. If an axis has none,
/// the planes at its index are empty.
#[inline(always)]
fn moved_neighbours(values: &[Entry], number: usize, links: [Option<Link>; MOST]) -> (usize, [Planes; MOST]) {
    let (mut present, mut near) = (0, [[NONE; 4]; MOST]);
    for (axis, link) in links.into_iter().enumerate() {
        if let Some(link) = link {
            let [a, b, c, d] = planes(&values[number - link.back]);
            let [a, b] = moved([a, b], axis, link.quarters);
            let [c, d] = moved([c, d], axis, link.quarters);
            near[axis] = [a, b, c, d];
            present |= 1 << axis;
        }
    }
    (present, near)
}

/// The planes of an entry that stay constant while the bits of the entry are coded. An array of two
/// has one element for each parity.
struct EntryPlanes {
    bounds: Planes,
    near: [Planes; MOST],
    /// The rotations that are not in the `not_lose` of the guess, indexed by parity.
    closed: [Plane; 2],
    g8: [Digits<3>; 2],
    l8: [Digits<3>; 2],
    g2: [Digits<3>; 2],
}

impl EntryPlanes {
    #[inline(always)]
    fn new(bounds: Planes, near: [Planes; MOST]) -> EntryPlanes {
        let closed = [not(bounds[2]), not(bounds[3])];
        EntryPlanes {
            bounds,
            near,
            closed,
            g8: [around8(bounds[1]), around8(bounds[0])],
            l8: [around8(closed[1]), around8(closed[0])],
            g2: [count4(two_turns(bounds[0])), count4(two_turns(bounds[1]))],
        }
    }

    /// Returns the field R: the share of 1 bits in the neighbours at the open rotations of a set,
    /// on the scale of `share`.
    #[inline(always)]
    fn similarity(&self, base: usize, open: [Plane; 2], present: usize) -> usize {
        let mut alike = 0;
        for near in &self.near {
            alike += ones(and(near[base], open[0])) + ones(and(near[base + 1], open[1]));
        }
        share(alike, present.count_ones() * (ones(open[0]) + ones(open[1]))).into()
    }

    /// Writes the fields that are equal in both halves of a parity. `set` is 0 for `not_lose` and 1
    /// for `win`.
    #[inline(always)]
    fn put_parity(&self, fields: &mut Fields, set: usize, parity: usize, done: &Planes) {
        let base = 2 - 2 * set;
        for (axis, near) in self.near.iter().enumerate() {
            fields[V + axis] = near[base + parity];
        }
        let around = match (parity, set) {
            (1, _) => around8(done[base]),
            (_, 1) => self.g8[0],
            _ => around8(self.bounds[3]),
        };
        put(fields, O, around);
        put(fields, G2, self.g2[parity]);
        put(fields, G8, self.g8[parity]);
        put(fields, L8, self.l8[parity]);
        if set == 1 {
            put(fields, N8, around8(done[3 - parity]));
            put(fields, N4, count4(two_turns(done[2 + parity])));
        } else {
            put(fields, N8, [NONE; 3]);
            put(fields, N4, [NONE; 3]);
        }
    }

    /// Writes the fields of one batch, which is one half of the rotations of one parity. `unknown`
    /// contains the rotations of the parity whose bits are not known yet.
    #[inline(always)]
    fn put_half(&self, fields: &mut Fields, [set, parity, half]: [usize; 3], unknown: Plane, done: &Planes) {
        let seen = and(done[2 - 2 * set + parity], not(unknown));
        if half == 0 {
            // In the first half, the only rotations known to be 1 are those in the `win` of the
            // guess.
            put(fields, T, self.g2[parity]);
            put(fields, K, count4(two_turns(not(unknown))));
        } else {
            put(fields, T, count4(two_turns(seen)));
            put(fields, K, [NONE, NONE, not(NONE)]);
        }
        if set == 0 && half == 0 {
            // At this point, no rotation in the `not_lose` of the guess is known to be 0.
            put(fields, A, [not(NONE); 3]);
        } else {
            let mut stars = not(NONE);
            for around in one_turn(or(or(seen, unknown), self.closed[parity])) {
                stars = and(stars, around);
            }
            put(fields, A, around8(stars));
        }
    }
}

impl<C: BatchCoder> BitsPass for BlockWalk<'_, C> {
    type Output = ();

    // This function uses loops instead of closures. If a closure isn't inlined, the compiler
    // compiles it without the CPU features of the kernel.
    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let BlockWalk { values, guess, links, coder } = self;
        let model = ContextModel::get();
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
            let (links, orbits) = links.of(number);
            let orbits = if guess.is_some() { orbits } else { Orbits::SINGLE };
            let (present, near) = moved_neighbours(values, number, links);
            let given = planes(&values[number]);
            let fixed = EntryPlanes::new(bounds, near);
            let mut done = [bounds[0], bounds[1], bounds[0], bounds[1]];
            for set in 0..2 {
                let base = 2 - 2 * set;
                let open = if set == 0 { open } else { [and(open[0], done[2]), and(open[1], done[3])] };
                if open == [NONE; 2] {
                    continue;
                }
                let similarity = fixed.similarity(base, open, present);
                let (mut coded, mut true_bits) = (0, 0);
                for parity in 0..2 {
                    if open[parity] == NONE {
                        continue;
                    }
                    fixed.put_parity(&mut fields, set, parity, &done);
                    for (half, checkers) in CHECKERS.into_iter().enumerate() {
                        let mask = and(and(open[parity], orbits.first[parity]), checkers);
                        if mask == NONE {
                            continue;
                        }
                        let unknown = if half == 0 { open[parity] } else { mask };
                        fixed.put_half(&mut fields, [set, parity, half], unknown, &done);
                        let batch = set * 4 + parity * 2 + half;
                        let density = usize::from(share(true_bits, coded));
                        let count = bits.plane_columns(&fields, mask, &mut columns);
                        let tables = model.tables(batch, present, density, similarity);
                        let p = |i: usize| tables.p(columns[i % 64]);
                        let found = coder.batch(count, p, bits.pick(given[base + parity], mask));
                        orbits.fill(&mut done[base..], bits.spread(found, mask), parity);
                        true_bits += found.count_ones();
                        coded += count as u32;
                    }
                }
            }
            values[number] = entry(&done);
        }
    }
}
