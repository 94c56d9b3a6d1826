//! The passes with hand-written AVX-512 and GFNI instructions. One vector register holds one cache
//! line. The compiler translates the portable passes to vectors of half this width, and needs
//! several shifts to exchange the bits inside each byte. GFNI exchanges these bits with one
//! instruction.

#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::cube::{CacheLine, ChainKind, HALF_CACHE_LINES, HalfSuper, StepInputs};
use super::lines::{self, LineSet, LineState, LineTables, WinScan, WinningAction};
use crate::geometry::{BLOCKS, CENTRE, TURNED, pattern};

/// Returns the GFNI matrix that moves bit `i` of every byte to bit `i ^ by` of the same byte.
const fn flip(by: usize) -> i64 {
    let mut rows = 0u64;
    let mut bit = 0;
    while bit < 8 {
        // The row of output bit `i` is byte `7 - i` of the matrix.
        rows |= 1 << (bit ^ by) << (8 * (7 - bit));
        bit += 1;
    }
    rows as i64
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn load(line: &CacheLine) -> __m512i {
    // SAFETY: the load reads 64 bytes at an address aligned to 64. `line` is a valid reference to a
    // `CacheLine`, which has this size and alignment.
    unsafe { _mm512_load_si512((&raw const *line).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn store(line: &mut CacheLine, x: __m512i) {
    // SAFETY: the store writes 64 bytes at an address aligned to 64. `line` is an exclusive
    // reference to a `CacheLine`, which has this size and alignment.
    unsafe { _mm512_store_si512((&raw mut *line).cast(), x) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn or3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xfe>(a, b, c)
}

/// Returns the union of the cache lines with index `at` of all half supers in `all`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn united<const N: usize>(all: &[&HalfSuper; N], at: usize) -> __m512i {
    let mut out = _mm512_setzero_si512();
    for half in all {
        out = _mm512_or_si512(out, load(&half.0[at]));
    }
    out
}

/// Returns the union of the cache lines whose index differs from `at` in exactly one bit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn other_lines(all: &HalfSuper, at: usize) -> __m512i {
    let line = |bit: usize| load(&all.0[at ^ bit]);
    or3(or3(line(1), line(2), line(4)), or3(line(8), line(16), line(32)), _mm512_setzero_si512())
}

/// Returns the vector in which each bit is the union of ten bits of `x`: the bit with the same
/// index, and the nine bits whose index differs in one of the lowest nine bits.
/// [`CacheLine::neighbours`] is the portable version.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn neighbours(x: __m512i) -> __m512i {
    // Exchange the bits within each byte whose indices differ in bit 0, 1 or 2.
    let bits = or3(
        _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(const { flip(1) })),
        _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(const { flip(2) })),
        _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(const { flip(4) })),
    );
    // Exchange the bytes within each word whose indices differ in bit 3 (adjacent bytes), 4 or 5.
    let pairs = _mm512_set4_epi32(0x0e0f_0c0d, 0x0a0b_0809, 0x0607_0405, 0x0203_0001);
    let bytes = or3(_mm512_shuffle_epi8(x, pairs), _mm512_rol_epi32::<16>(x), _mm512_rol_epi64::<32>(x));
    // Exchange the 64-bit words whose indices differ in bit 6, 7 or 8.
    let words = or3(
        _mm512_permutex_epi64::<0b10_11_00_01>(x),
        _mm512_permutex_epi64::<0b01_00_11_10>(x),
        _mm512_shuffle_i64x2::<0b01_00_11_10>(x, x),
    );
    _mm512_or_si512(or3(bits, bytes, words), x)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn with_fives(kind: ChainKind, value: __m512i, own: __m512i, others: __m512i) -> __m512i {
    match kind {
        // Computes (own | value) & !others. In the index of the truth table, `own` is the high bit,
        // then `value`, then `others`.
        ChainKind::Wins => _mm512_ternarylogic_epi64::<0b0101_0100>(own, value, others),
        // Computes own | (value & !others).
        ChainKind::NotLoses => _mm512_ternarylogic_epi64::<0b1111_0100>(own, value, others),
    }
}

/// Converts the slice `$all` to an array and calls `$f`, so that the compiler knows the length.
/// Does nothing if the length is not listed in `$n`.
macro_rules! by_length {
    ($all:expr, $f:ident($out:expr), $($n:literal)*) => {
        match $all.len() {
            $($n => {
                if let Ok(all) = <&[&HalfSuper; $n]>::try_from($all) {
                    $f::<$n>($out, all)
                }
            })*
            _ => {}
        }
    };
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
pub(super) fn union(out: &mut HalfSuper, all: &[&HalfSuper]) {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
    fn set<const N: usize>(out: &mut HalfSuper, all: &[&HalfSuper; N]) {
        for i in 0..HALF_CACHE_LINES {
            store(&mut out.0[i], united(all, i));
        }
    }
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
    fn add<const N: usize>(out: &mut HalfSuper, all: &[&HalfSuper; N]) {
        for i in 0..HALF_CACHE_LINES {
            let line = _mm512_or_si512(load(&out.0[i]), united(all, i));
            store(&mut out.0[i], line);
        }
    }
    let (first, rest) = all.split_at(all.len().min(8));
    by_length!(first, set(out), 0 1 2 3 4 5 6 7 8);
    for part in rest.chunks(8) {
        by_length!(part, add(out), 1 2 3 4 5 6 7 8);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
pub(super) fn step(out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
    union(all, step.next);
    match (step.own, step.others) {
        (&[own], &[others]) => combine(out, step, all, &[own], &[others]),
        (&[own], &[a, b]) => combine(out, step, all, &[own], &[a, b]),
        (&[own], &[a, b, c]) => combine(out, step, all, &[own], &[a, b, c]),
        (&[own, partner], &[a, b]) => combine(out, step, all, &[own, partner], &[a, b]),
        _ => super::cube::combine(out, step, all),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn combine<const OWN: usize, const OTHERS: usize>(
    out: &mut HalfSuper,
    step: &StepInputs,
    all: &HalfSuper,
    own: &[&HalfSuper; OWN],
    others: &[&HalfSuper; OTHERS],
) {
    let splat = |value: bool| _mm512_set1_epi64(-i64::from(value));
    let invert = splat(!step.own_moves);
    let stored = splat(step.store_inverted);
    let line = |i: usize| {
        let inside = neighbours(load(&all.0[i]));
        let wanted = or3(inside, other_lines(all, i), load(&step.placed.0[i]));
        let value = _mm512_xor_si512(wanted, invert);
        let value = with_fives(step.kind, value, united(own, i), united(others, i));
        _mm512_xor_si512(value, stored)
    };
    if step.far {
        for i in 0..HALF_CACHE_LINES {
            // SAFETY: the store writes 64 bytes at an address aligned to 64. `out` is an exclusive
            // reference to `CacheLine`s, which have this size and alignment.
            unsafe { _mm512_stream_si512((&raw mut out.0[i]).cast(), line(i)) }
        }
        // Make the streamed values visible to other threads, which read the board later.
        _mm_sfence();
    } else {
        for i in 0..HALF_CACHE_LINES {
            store(&mut out.0[i], line(i));
        }
    }
}

/// A [`LineState`] prepared for multiplication. `entry` holds the complete lines in the low half of
/// the vector and the nearly complete lines in the high half. `complete` holds the complete lines
/// in both halves. With both vectors, a product takes three instructions.
#[derive(Clone, Copy)]
struct Factor {
    entry: __m512i,
    complete: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn factor(entry: &LineState) -> Factor {
    // SAFETY: the loads read 64 and 32 bytes at addresses aligned to 64 and 32. `entry` is a valid
    // reference to a `LineState`: two sets of lines of 32 bytes each, aligned to 64 bytes.
    unsafe {
        Factor {
            entry: _mm512_load_si512((&raw const *entry).cast()),
            complete: _mm512_broadcast_i64x4(_mm256_load_si256((&raw const entry.complete).cast())),
        }
    }
}

/// Returns the product of two line states, as the vector `entry` of a `Factor`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn times_entry(a: &Factor, b: &Factor) -> __m512i {
    // In the low half, a line must be complete in both factors. In the high half, a line must be
    // complete in one factor and nearly complete in the other.
    _mm512_ternarylogic_epi64::<0xf8>(_mm512_and_si512(a.entry, b.complete), a.complete, b.entry)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn times(a: &Factor, b: &Factor) -> Factor {
    Factor { entry: times_entry(a, b), complete: _mm512_and_si512(a.complete, b.complete) }
}

/// Returns the nearly complete lines, which are the high half of a state's vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
fn nearly(entry: __m512i) -> LineSet {
    let mut lines = LineSet::default();
    // SAFETY: the store writes 32 bytes at an address aligned to 32. `lines` is a local `LineSet`,
    // which has this size and alignment.
    unsafe { _mm256_store_si256((&raw mut lines).cast(), _mm512_extracti64x4_epi64::<1>(entry)) }
    lines
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni")]
pub(super) fn scan(tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
    let mut own = [0; BLOCKS];
    for (block, own) in own.iter_mut().enumerate() {
        *own = pattern(scan.mover, block as u8);
    }
    let ones = _mm512_set1_epi64(-1);
    let one = Factor { entry: ones, complete: ones };
    // `behind[b]` is the product of the states of block `b` and of all blocks with a larger index.
    let mut behind = [one; BLOCKS + 1];
    for block in (0..BLOCKS).rev() {
        behind[block] = times(&factor(&tables.own[block][own[block]]), &behind[block + 1]);
    }
    // Every complete line is also nearly complete, so one test for any set bit suffices.
    if _mm512_test_epi64_mask(behind[0].entry, behind[0].entry) != 0 {
        let win = lines::by_placement(tables, scan, &nearly(behind[0].entry));
        if win.is_some() {
            return win;
        }
    }
    let mut before = one;
    for block in 0..BLOCKS {
        let these = factor(&tables.own[block][own[block]]);
        if block == usize::from(CENTRE) {
            before = times(&before, &these);
            continue;
        }
        let rest = times(&before, &behind[block + 1]);
        let after = |clockwise: bool| {
            let turned = usize::from(TURNED[usize::from(clockwise)][own[block]]);
            times_entry(&rest, &factor(&tables.own[block][turned]))
        };
        let (clockwise, counter) = (after(true), after(false));
        let either = _mm512_or_si512(clockwise, counter);
        if _mm512_test_epi64_mask(either, either) != 0 {
            for (direction, entry) in [(true, clockwise), (false, counter)] {
                let lines = nearly(entry);
                let win =
                    if lines.any() { lines::by_turn(tables, scan, block, direction, &lines) } else { None };
                if win.is_some() {
                    return win;
                }
            }
        }
        before = times(&before, &these);
    }
    lines::by_partner(tables, scan)
}
