//! Half supers of Pentago XL, which hold a truth value for each of 32,768 rotations, and the passes
//! that compute them.
//!
//! A rotation is an element of Z4^8: the number of clockwise quarter turns of each of the eight
//! blocks that turn. The numbers 0, 1, 2, 3 are written in Gray code as 00, 01, 11, 10, so a
//! quarter turn in either direction changes one bit. Among the blocks that turn, block `i` has bits
//! `2i` and `2i + 1`. The rotations are therefore the corners of a cube of 16 dimensions, and the
//! turns are its edges.
//!
//! A turn changes the parity of the number of ones. All boards of one slice below a root therefore
//! need only the rotations of one parity. Bit 15 follows from the parity and the other bits, so it
//! is omitted: bit `i` of a half super belongs to the rotation whose lower 15 bits are `i`. Every
//! turn leads to the other parity. From index `i`, 15 turns lead to the indices that differ in one
//! bit, and the turn that changes bit 15 leads to the same index `i`.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// One cache line of 512 truth values, whose indices differ only in the lowest nine bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub [u64; 8]);

/// The number of cache lines in a half super.
pub(crate) const HALF_CACHE_LINES: usize = 64;

/// A half super: one truth value for each rotation of one parity, 4 KiB in total.
#[derive(Debug, Clone, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct HalfSuper(pub [CacheLine; HALF_CACHE_LINES]);

/// The kind of question that a chain answers about its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ChainKind {
    /// Whether this side gets five in a line and no other seat does.
    Wins,
    /// Whether this side gets five in a line, perhaps together with others, or no seat ever gets
    /// five.
    NotLoses,
}

/// The inputs from which the pass `step` computes the values of a board.
pub(crate) struct StepInputs<'a> {
    /// The kind of question that the chain answers.
    pub kind: ChainKind,
    /// `true` if the mover is on the side of the chain. If `false`, the values after the turn are
    /// inverted, because the bits in `next` are true where the answer favours the mover.
    pub own_moves: bool,
    /// `true` if the computed values are stored inverted, because the seat that moved to this board
    /// is not on the side of the chain.
    pub store_inverted: bool,
    /// `true` if the values are expected to leave the cache before they are read. The pass then
    /// writes the values directly to memory. The processor then need not read the memory before
    /// overwriting it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 can"))]
    pub far: bool,
    /// The half super of each successor. A bit is true if the answer favours the mover.
    pub next: &'a [&'a HalfSuper],
    /// The rotations at which some placement of the mover makes five in a line.
    pub placed: &'a HalfSuper,
    /// For each seat on the side of the chain, the rotations at which the seat has five on this
    /// board.
    pub own: &'a [&'a HalfSuper],
    /// For each other seat, the rotations at which the seat has five on this board.
    pub others: &'a [&'a HalfSuper],
}

impl HalfSuper {
    /// The half super in which all bits are false.
    pub const NONE: HalfSuper = HalfSuper([CacheLine([0; 8]); HALF_CACHE_LINES]);

    /// Returns the truth value with this index, from 0 to 32,767.
    pub fn get(&self, index: usize) -> bool {
        self.0[index / 512].0[index / 64 % 8] >> (index % 64) & 1 != 0
    }
}

impl CacheLine {
    const NONE: CacheLine = CacheLine([0; 8]);
    const ALL: CacheLine = CacheLine([!0; 8]);

    // The functions below use loops. In functions with target features, `from_fn` and closures
    // would remain calls, and take as long as all other work together.
    #[inline(always)]
    fn or(&self, other: &CacheLine) -> CacheLine {
        let mut out = *self;
        for i in 0..8 {
            out.0[i] |= other.0[i];
        }
        out
    }

    #[inline(always)]
    fn xor(&self, other: &CacheLine) -> CacheLine {
        let mut out = *self;
        for i in 0..8 {
            out.0[i] ^= other.0[i];
        }
        out
    }

    #[inline(always)]
    fn without(&self, other: &CacheLine) -> CacheLine {
        let mut out = *self;
        for i in 0..8 {
            out.0[i] &= !other.0[i];
        }
        out
    }

    /// Returns a cache line in which all bits are `value`.
    #[inline(always)]
    fn splat(value: bool) -> CacheLine {
        if value { CacheLine::ALL } else { CacheLine::NONE }
    }

    /// Returns the cache line in which each bit is the union of the bit with the same index and the
    /// nine bits whose index differs in one of the lowest nine bits.
    #[inline(always)]
    fn neighbours(&self) -> CacheLine {
        let mut out = *self;
        macro_rules! flip {
            ($shift:literal, $low:literal) => {
                for i in 0..8 {
                    let x = self.0[i];
                    out.0[i] |= (x >> $shift) & $low | (x & $low) << $shift;
                }
            };
        }
        flip!(1, 0x5555_5555_5555_5555);
        flip!(2, 0x3333_3333_3333_3333);
        flip!(4, 0x0f0f_0f0f_0f0f_0f0f);
        flip!(8, 0x00ff_00ff_00ff_00ff);
        flip!(16, 0x0000_ffff_0000_ffff);
        for i in 0..8 {
            let x = &self.0;
            out.0[i] |= x[i].rotate_left(32) | x[i ^ 1] | x[i ^ 2] | x[i ^ 4];
        }
        out
    }
}

/// Sets `out` to the union of `all`, or to false everywhere if `all` is empty.
#[inline(always)]
pub(super) fn union(out: &mut HalfSuper, all: &[&HalfSuper]) {
    #[inline(always)]
    fn some<const N: usize>(out: &mut HalfSuper, all: &[&HalfSuper; N], first: bool) {
        for i in 0..HALF_CACHE_LINES {
            let mut line = if first { CacheLine::NONE } else { out.0[i] };
            for half in all {
                line = line.or(&half.0[i]);
            }
            out.0[i] = line;
        }
    }
    let mut first = true;
    for part in all.chunks(8) {
        macro_rules! by_length {
            ($($n:literal)*) => {
                match part.len() {
                    $($n => if let Ok(part) = part.try_into() { some::<$n>(out, part, first) },)*
                    _ => {}
                }
            };
        }
        by_length!(1 2 3 4 5 6 7 8);
        first = false;
    }
    if first {
        *out = HalfSuper::NONE;
    }
}

#[inline(always)]
fn union_line(all: &[&HalfSuper], at: usize) -> CacheLine {
    let mut line = CacheLine::NONE;
    for half in all {
        line = line.or(&half.0[at]);
    }
    line
}

/// Applies the fives on the board, which end the game before any move. Returns `value` where no
/// seat has five. Elsewhere, returns the answer that follows from the fives.
#[inline(always)]
fn with_fives(kind: ChainKind, value: &CacheLine, own: &CacheLine, others: &CacheLine) -> CacheLine {
    match kind {
        ChainKind::Wins => own.or(value).without(others),
        ChainKind::NotLoses => own.or(&value.without(others)),
    }
}

/// Computes the values of a board from its successors. `all` is scratch memory for the union of the
/// successors.
#[inline(always)]
pub(super) fn step(out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
    union(all, step.next);
    combine(out, step, all);
}

/// Computes the values of a board from `all`, the union of its successors.
#[inline(always)]
pub(super) fn combine(out: &mut HalfSuper, step: &StepInputs, all: &HalfSuper) {
    let invert = CacheLine::splat(!step.own_moves);
    let store = CacheLine::splat(step.store_inverted);
    for i in 0..HALF_CACHE_LINES {
        let mut line = all.0[i].neighbours().or(&step.placed.0[i]);
        for bit in [1, 2, 4, 8, 16, 32] {
            line = line.or(&all.0[i ^ bit]);
        }
        let value = line.xor(&invert);
        let (own, others) = (union_line(step.own, i), union_line(step.others, i));
        out.0[i] = with_fives(step.kind, &value, &own, &others).xor(&store);
    }
}

/// Computes the values of a board without successors: the marbles are used up, or the search ends
/// at this board. The values are `value`, except where a seat has five.
#[inline(always)]
pub(super) fn leaf(out: &mut HalfSuper, value: bool, step: &StepInputs) {
    let value = CacheLine::splat(value);
    let store = CacheLine::splat(step.store_inverted);
    for i in 0..HALF_CACHE_LINES {
        let (own, others) = (union_line(step.own, i), union_line(step.others, i));
        out.0[i] = with_fives(step.kind, &value, &own, &others).xor(&store);
    }
}

/// Adds the true bits of a function of the turns of a few blocks to `out`. Word `w` is united with
/// `words[parity][places[w]]`, where `parity` is the parity of the number of ones in the binary
/// index `w`.
#[inline(always)]
pub(super) fn spread(out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
    for i in 0..512 {
        let odd = (i as u32).count_ones() as usize % 2;
        out.0[i / 8].0[i % 8] |= words[odd][usize::from(places[i] % 64)];
    }
}
