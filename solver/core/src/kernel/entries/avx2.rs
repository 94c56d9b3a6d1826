//! Whole entries with AVX2. An entry is two vectors, one for each plane.

use super::portable::EVEN;
use super::whole::{LineWords, Whole};
use crate::kernel::avx2::Avx2;
use crate::kernel::formula::{BOTH, CW_EVEN, CW_ODD};
use crate::kernel::lanes::{Aligned, Lanes, Pack};
use crate::supers::Super;
use core::arch::x86_64::*;

/// Permutations of the 32-bit words of a plane, indexed by a shift of 0 to 3 along axis 3. An odd
/// shift also exchanges the two parities.
static LAST: [Aligned<[u32; 8]>; 4] = [last_words(0), last_words(1), last_words(2), last_words(3)];

const fn last_words(by: usize) -> Aligned<[u32; 8]> {
    let mut indices = [0; 8];
    let mut i = 0;
    while i < 8 {
        let (half, r3) = (i / 4, i % 4);
        indices[i] = (4 * (half ^ (by % 2)) + (r3 + by) % 4) as u32;
        i += 1;
    }
    Aligned(indices)
}

/// Returns the permutation of the 32-bit words of a plane for a shift by `by` along axis 3.
///
/// # Safety
/// The CPU supports AVX2, and `by` is less than 4.
#[inline(always)]
unsafe fn last(by: u8) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees `by < 4`. Each
    // element of `LAST` is an aligned vector.
    unsafe { _mm256_load_si256(LAST.get_unchecked(usize::from(by)).0.as_ptr().cast()) }
}

/// Returns the bits of `a` where `mask` has ones, and the bits of `b` elsewhere.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn select(mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe { _mm256_or_si256(_mm256_and_si256(mask, a), _mm256_andnot_si256(mask, b)) }
}

/// Exchanges the values at `h = 0` with the values at `h = 1`.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn other_h(x: __m256i) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe { select(_mm256_set1_epi8(0x0f), _mm256_srli_epi16::<4>(x), _mm256_slli_epi16::<4>(x)) }
}

/// Exchanges the half super of parity 0 with the half super of parity 1.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn swapped(x: __m256i) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe { _mm256_permute4x64_epi64::<0b01_00_11_10>(x) }
}

/// Shifts a plane along axis `AXIS`. At coordinate r of the axis, the result has the value that `x`
/// has at r + `BY`.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn shifted<const AXIS: usize, const BY: u8>(x: __m256i) -> __m256i {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe {
        if AXIS == 3 {
            return _mm256_permutevar8x32_epi32(x, last(BY));
        }
        let x = if BY.is_multiple_of(2) { x } else { swapped(x) };
        match (AXIS, BY) {
            (_, 0) => x,
            (0, 2) => other_h(x),
            (0, _) => {
                // r0 + 1 has another h than r0 if and only if r0 is odd. r0 + 3 has another h than
                // r0 if and only if r0 is even.
                let even = if BY == 1 { EVEN } else { !EVEN } as i64;
                select(_mm256_setr_epi64x(even, even, !even, !even), x, other_h(x))
            }
            (1, 1) => select(_mm256_set1_epi8(0x77), _mm256_srli_epi16::<1>(x), _mm256_slli_epi16::<3>(x)),
            (1, 2) => select(_mm256_set1_epi8(0x33), _mm256_srli_epi16::<2>(x), _mm256_slli_epi16::<2>(x)),
            (1, _) => select(_mm256_set1_epi8(0x11), _mm256_srli_epi16::<3>(x), _mm256_slli_epi16::<1>(x)),
            (_, 1) => _mm256_or_si256(_mm256_srli_epi32::<8>(x), _mm256_slli_epi32::<24>(x)),
            (_, 2) => _mm256_or_si256(_mm256_srli_epi32::<16>(x), _mm256_slli_epi32::<16>(x)),
            _ => _mm256_or_si256(_mm256_srli_epi32::<24>(x), _mm256_slli_epi32::<8>(x)),
        }
    }
}

/// Returns the rotation max of a plane: at each rotation, the union of the values one legal turn
/// away.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn rotation_max<const CW: bool>(x: Avx2) -> Avx2 {
    // SAFETY: the caller has checked that the CPU supports AVX2.
    unsafe {
        let max = if CW {
            // A turn changes the parity, so the results at odd rotations come from values at even
            // rotations, and vice versa.
            let (to_odd, to_even) = (x.rotation_max::<CW_ODD>(), x.rotation_max::<CW_EVEN>());
            _mm256_blend_epi32::<0b1111_0000>(to_odd.0, to_even.0)
        } else {
            x.rotation_max::<BOTH>().0
        };
        Avx2(swapped(max))
    }
}

// SAFETY: the trait requires that the methods access only the entry or super at their pointer. The
// methods do so, and use only instructions of AVX2.
unsafe impl Whole for [Avx2; 2] {
    #[inline(always)]
    unsafe fn load(p: *const Pack) -> Self {
        let p = p.cast::<__m256i>();
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid entry, which is two vectors.
        unsafe { [Avx2(_mm256_load_si256(p)), Avx2(_mm256_load_si256(p.add(1)))] }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack) {
        let p = p.cast::<__m256i>();
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid entry, which is two vectors.
        unsafe {
            _mm256_store_si256(p, self[0].0);
            _mm256_store_si256(p.add(1), self[1].0);
        }
    }
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack) {
        let p = p.cast::<__m256i>();
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid entry, which is two vectors.
        unsafe {
            _mm256_stream_si256(p, self[0].0);
            _mm256_stream_si256(p.add(1), self[1].0);
        }
    }
    #[inline(always)]
    unsafe fn prefetch(p: *const Pack) {
        // SAFETY: the caller has checked that the CPU supports AVX2.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2.
        unsafe { [Avx2(_mm256_set1_epi8(-1)); 2] }
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        [Lanes::and(self[0], b[0]), Lanes::and(self[1], b[1])]
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        [Lanes::or(self[0], b[0]), Lanes::or(self[1], b[1])]
    }
    #[inline(always)]
    fn not(self) -> Self {
        [Lanes::not(self[0]), Lanes::not(self[1])]
    }
    #[inline(always)]
    fn select(self, a: Self, b: Self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { [Avx2(select(self[0].0, a[0].0, b[0].0)), Avx2(select(self[1].0, a[1].0, b[1].0))] }
    }
    #[inline(always)]
    fn second(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { [Avx2(_mm256_setzero_si256()), self[1]] }
    }
    #[inline(always)]
    fn other_planes(self) -> Self {
        [self[1], self[0]]
    }
    #[inline(always)]
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self {
        let [a, b, c, d] = [even[0], even[1], odd[0], odd[1]].map(|word| word as i64);
        // SAFETY: the caller has checked that the CPU supports AVX2.
        unsafe { [Avx2(_mm256_setr_epi64x(a, b, c, d)); 2] }
    }
    #[inline(always)]
    fn bytes(self, places: &'static [u8; 16]) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2. The load reads the 16
        // bytes of `places`.
        unsafe {
            let places = _mm256_broadcastsi128_si256(_mm_loadu_si128(places.as_ptr().cast()));
            self.map(|plane| Avx2(_mm256_shuffle_epi8(plane.0, places)))
        }
    }
    #[inline(always)]
    fn left<const BY: u32>(self) -> Self {
        let by = BY as i64;
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe {
            let by = _mm_cvtsi64_si128(by);
            [Avx2(_mm256_sll_epi64(self[0].0, by)), Avx2(_mm256_sll_epi64(self[1].0, by))]
        }
    }
    #[inline(always)]
    fn right<const BY: u32>(self) -> Self {
        let by = BY as i64;
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe {
            let by = _mm_cvtsi64_si128(by);
            [Avx2(_mm256_srl_epi64(self[0].0, by)), Avx2(_mm256_srl_epi64(self[1].0, by))]
        }
    }
    #[inline(always)]
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { [Avx2(shifted::<AXIS, BY>(self[0].0)), Avx2(shifted::<AXIS, BY>(self[1].0))] }
    }
    #[inline(always)]
    unsafe fn shifted_last(self, by: u8) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2. The caller guarantees
        // that `by` is less than 4.
        unsafe {
            let last = last(by);
            self.map(|plane| Avx2(_mm256_permutevar8x32_epi32(plane.0, last)))
        }
    }
    #[inline(always)]
    unsafe fn both(p: *const Super) -> Self {
        // SAFETY: the caller has checked that the CPU supports AVX2, and guarantees that `p` points
        // to a valid super.
        unsafe { [Avx2(_mm256_loadu_si256(p.cast())); 2] }
    }
    #[inline(always)]
    fn rotation_max<const CW: bool>(self) -> Self {
        // SAFETY: a value of this type exists only if the CPU supports AVX2.
        unsafe { [rotation_max::<CW>(self[1]), rotation_max::<CW>(self[0])] }
    }
    #[inline(always)]
    unsafe fn fives(words: &LineWords, last: &[u32; 4]) -> Super {
        let mut out = Super::default();
        let bytes = (&raw mut out).cast::<u8>();
        // SAFETY: the caller has checked that the CPU supports AVX2. Each load reads 8 of the 64
        // aligned words of `words`, and each write goes to one of the 32 bytes of `out`.
        unsafe {
            for r3 in 0..4 {
                let last = _mm256_set1_epi32(last[r3] as i32);
                for i in 0..8 {
                    let eight = words.0.as_ptr().add(8 * i).cast();
                    let met = _mm256_and_si256(_mm256_load_si256(eight), last);
                    let none = _mm256_cmpeq_epi32(met, _mm256_setzero_si256());
                    let bits = !_mm256_movemask_ps(_mm256_castsi256_ps(none)) as u8;
                    let (e, r2) = (i / 4, i % 4);
                    let parity = (e + r3) % 2;
                    bytes.add(16 * parity + 4 * r3 + r2).write(bits);
                }
            }
        }
        out
    }
}
