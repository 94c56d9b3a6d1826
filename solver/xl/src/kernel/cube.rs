//! Half supers of Pentago XL: the 32,768 rotations of one parity, and the passes over them.
//!
//! A rotation says how often each of the eight blocks that turn was turned clockwise, an element of
//! Z4^8. With the turns 0, 1, 2, 3 of a block written in Gray code as 00, 01, 11, 10, a quarter
//! turn either way changes one of the two bits: the rotations are the corners of a cube of 16
//! dimensions, and turns its edges. Block `i` of the turnable ones has bits `2i` and `2i + 1`.
//!
//! A turn changes the parity of the number of ones, so all boards of one slice below a root need
//! the rotations of one parity only. Bit 15 then follows from the others and is left out: bit `i`
//! of a half super belongs to the rotation whose lower 15 bits are `i`. The values at all rotations
//! that one turn leads to are the 15 that differ from `i` in one bit, and `i` itself, which differs
//! in bit 15.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// 512 truth values: those of the indices that differ in their lowest nine bits only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct CacheLine(pub [u64; 8]);

/// Lines of a half super.
pub(crate) const HALF_CACHE_LINES: usize = 64;

/// A half super: 4 KiB.
#[derive(Debug, Clone, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct HalfSuper(pub [CacheLine; HALF_CACHE_LINES]);

/// What a chain asks about its own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ChainKind {
    /// It alone has five.
    Wins,
    /// It has five, perhaps with others, or nobody ever has.
    NotLoses,
}

/// How a board's values are made of those of its successors.
pub(crate) struct StepInputs<'a> {
    /// The question.
    pub kind: ChainKind,
    /// Whether the mover is on the own side of the chain; if not, what follows is inverted.
    pub own_moves: bool,
    /// Whether the values are stored for a seat that moved here and is not on the own side.
    pub store_inverted: bool,
    /// Whether enough else is computed before the values are read that they need not stay in a
    /// cache: writing them past it saves reading what they replace.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 can"))]
    pub far: bool,
    /// What the mover wants, at the rotations before the turn, for each placement.
    pub next: &'a [&'a HalfSuper],
    /// Where some placement makes five.
    pub placed: &'a HalfSuper,
    /// For each seat of the own side, where it has five in this board.
    pub own: &'a [&'a HalfSuper],
    /// The same for all other seats.
    pub others: &'a [&'a HalfSuper],
}

impl HalfSuper {
    /// False everywhere.
    pub const NONE: HalfSuper = HalfSuper([CacheLine([0; 8]); HALF_CACHE_LINES]);

    /// The value at an index, 0 to 32,767.
    pub fn get(&self, index: usize) -> bool {
        self.0[index / 512].0[index / 64 % 8] >> (index % 64) & 1 != 0
    }
}

impl CacheLine {
    const NONE: CacheLine = CacheLine([0; 8]);
    const ALL: CacheLine = CacheLine([!0; 8]);

    // Loops, not `from_fn` and closures: those stay calls in functions with target features of
    // their own, which costs as much as everything else together.
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

    /// True everywhere if `value`.
    #[inline(always)]
    fn splat(value: bool) -> CacheLine {
        if value { CacheLine::ALL } else { CacheLine::NONE }
    }

    /// The values at the nine indices that differ in one of the lowest nine bits, and the own one.
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

/// `out = OR of all`; false everywhere if there are none.
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

/// Ends of games by five in this board, before anything else: what the chain says there.
#[inline(always)]
fn with_fives(kind: ChainKind, value: &CacheLine, own: &CacheLine, others: &CacheLine) -> CacheLine {
    match kind {
        ChainKind::Wins => own.or(value).without(others),
        ChainKind::NotLoses => own.or(&value.without(others)),
    }
}

/// The values of a board; `all` is room for the union of the successors.
#[inline(always)]
pub(super) fn step(out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
    union(all, step.next);
    combine(out, step, all);
}

/// The values of a board from the union of its successors.
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

/// The values of a board where the game is over for want of marbles, or where the search ends: they
/// are `value` but for fives.
#[inline(always)]
pub(super) fn leaf(out: &mut HalfSuper, value: bool, step: &StepInputs) {
    let value = CacheLine::splat(value);
    let store = CacheLine::splat(step.store_inverted);
    for i in 0..HALF_CACHE_LINES {
        let (own, others) = (union_line(step.own, i), union_line(step.others, i));
        out.0[i] = with_fives(step.kind, &value, &own, &others).xor(&store);
    }
}

/// Unites a half super with a function of the turns of a few blocks: word `w` is united with
/// `words[parity][places[w]]`, where `parity` is the parity of the number of ones of `w`.
#[inline(always)]
pub(super) fn spread(out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
    for i in 0..512 {
        let odd = (i as u32).count_ones() as usize % 2;
        out.0[i / 8].0[i % 8] |= words[odd][usize::from(places[i] % 64)];
    }
}
