//! The trait of vectors that contain one whole entry, and the lines of three quadrants.

use crate::kernel::lanes::Pack;
use crate::supers::Super;

/// The sets of lines whose parts in the first three quadrants are complete, for all 64 rotations of
/// these quadrants.
///
/// Word `32 e + 8 r2 + 4 h + r1` belongs to the rotation (r0, r1, r2) with
/// `r0 = 2h + (e + r1 + r2) mod 2`. The 32 words with the same e are in the order of the bits of a
/// half super of parity p, for each r3 with `p + r3 = e` (mod 2).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct LineWords(pub(super) [u32; 64]);

impl LineWords {
    /// Computes the sets of lines. Each argument belongs to one quadrant and has the set of lines
    /// whose part in the quadrant is complete, at each rotation.
    #[inline(always)]
    pub fn new([first, second, third]: [&[u32; 4]; 3]) -> LineWords {
        // The lines that are complete in the first two quadrants, for both values of e + r2 (mod
        // 2).
        let mut pairs = [0; 16];
        for (i, word) in pairs.iter_mut().enumerate() {
            let (e, h, r1) = (i / 8, i / 4 % 2, i % 4);
            *word = first[2 * h + (e + r1) % 2] & second[r1];
        }
        let mut words = [0; 64];
        for (i, eight) in words.chunks_exact_mut(8).enumerate() {
            let (e, r2) = (i / 4, i % 4);
            let from = 8 * ((e + r2) % 2);
            for (word, pair) in eight.iter_mut().zip(&pairs[from..from + 8]) {
                *word = pair & third[r2];
            }
        }
        LineWords(words)
    }

    /// Returns the union of `self` and `other` at each rotation.
    #[inline(always)]
    pub fn or(mut self, other: &LineWords) -> LineWords {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
        self
    }
}

/// A vector, or several vectors, that contain one entry.
///
/// # Safety
/// Implementations must read and write exactly the entry or super at their pointers. A method may
/// be called only if the CPU supports the instruction set of the implementation.
pub(super) unsafe trait Whole: Copy {
    /// # Safety
    /// The CPU supports the instruction set, and `p` is valid for reading.
    unsafe fn load(p: *const Pack) -> Self;
    /// # Safety
    /// `p` is valid for writing.
    unsafe fn store(self, p: *mut Pack);
    /// Stores an entry past the caches, if the instruction set has such stores.
    ///
    /// # Safety
    /// The requirements of [`Whole::store`] are met, and no thread reads the entry before this
    /// thread has called [`fence`](crate::kernel::fence).
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack) {
        // SAFETY: the caller meets the requirements of `store`.
        unsafe { self.store(p) }
    }
    /// Stores an entry. If `past_caches` is `true`, the store bypasses the caches.
    ///
    /// # Safety
    /// The requirements of [`Whole::stream`] are met if `past_caches` is `true`. Otherwise the
    /// requirements of [`Whole::store`] are met.
    #[inline(always)]
    unsafe fn put(self, p: *mut Pack, past_caches: bool) {
        // SAFETY: the caller meets the requirements of the method that is called.
        unsafe { if past_caches { self.stream(p) } else { self.store(p) } }
    }
    /// Prefetches an entry into the second-level cache. The address need not be valid.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    #[inline(always)]
    unsafe fn prefetch(_: *const Pack) {}
    /// Returns an entry in which every value is true.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn ones() -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Returns an entry with the values of `a` where `self` is true, and the values of `b`
    /// elsewhere.
    fn select(self, a: Self, b: Self) -> Self;
    /// Returns the entry with the first plane ("wins") set to false.
    fn second(self) -> Self;
    /// Exchanges the two planes, "wins" and "doesn't lose".
    fn other_planes(self) -> Self;
    /// Returns an entry. In both planes, the half super of parity 0 has the words `even`, and the
    /// half super of parity 1 has the words `odd`.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self;
    /// Permutes the bytes of each half super: byte i of the result is byte `places[i]` of `self`.
    /// Each element of `places` is less than 16.
    fn bytes(self, places: &'static [u8; 16]) -> Self;
    /// Shifts each 64-bit word left by `BY` bits. `BY` is less than 64.
    fn left<const BY: u32>(self) -> Self;
    /// Shifts each 64-bit word right by `BY` bits. `BY` is less than 64.
    fn right<const BY: u32>(self) -> Self;
    /// Shifts an entry along axis `AXIS`. At coordinate r of the axis, the result has the value
    /// that `self` has at r + `BY`.
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self;
    /// Shifts an entry along axis 3. At r3, the result has the value that `self` has at r3 + `by`.
    ///
    /// # Safety
    /// `by` is less than 4.
    unsafe fn shifted_last(self, by: u8) -> Self;
    /// Loads a super into both planes of an entry.
    ///
    /// # Safety
    /// The CPU supports the instruction set, and `p` is valid for reading.
    unsafe fn both(p: *const Super) -> Self;
    /// Returns the rotation max of the four half supers, in reverse order. The half supers have the
    /// parities 0, 1, 0, 1. If `CW` is `true`, only clockwise turns are legal.
    fn rotation_max<const CW: bool>(self) -> Self;
    /// Returns the rotations at which some line is complete in all four quadrants. `words` has the
    /// lines that are complete in quadrants 0 to 2. `last` has the lines that are complete in
    /// quadrant 3, at each rotation of that quadrant.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn fives(words: &LineWords, last: &[u32; 4]) -> Super;
    /// Copies entries to `out`. If `past_caches` is `true`, the stores bypass the caches. Returns
    /// the number of true values in each plane, where the values of each entry are multiplied by
    /// its weight.
    ///
    /// # Safety
    /// The CPU supports the instruction set. The requirements of [`Whole::put`] are met.
    #[inline(always)]
    unsafe fn copy_counted(
        entries: &[Pack],
        weights: &[u8],
        out: &mut [Pack],
        past_caches: bool,
    ) -> [u64; 2] {
        let mut sums = [0; 2];
        for ((entry, &weight), out) in entries.iter().zip(weights).zip(out) {
            // SAFETY: the caller has checked that the CPU supports the instruction set, and calls
            // `fence` if necessary. `entry` and `out` are references, so both are valid.
            unsafe { Self::load(entry).put(out, past_caches) };
            for (plane, sum) in sums.iter_mut().enumerate() {
                let [[a, b], [c, d]] = [entry.0[2 * plane].0, entry.0[2 * plane + 1].0];
                let ones = a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
                *sum += u64::from(ones) * u64::from(weight);
            }
        }
        sums
    }
}
