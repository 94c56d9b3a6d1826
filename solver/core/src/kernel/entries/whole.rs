//! The vector type that holds one whole entry.

use crate::kernel::lanes::Pack;
use crate::supers::Super;

/// The lines that are complete in the first three quadrants, for all 64 rotations of these; in an
/// order of their own ([`LineWords::new`]).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct LineWords(pub(super) [u32; 64]);

impl LineWords {
    /// Word `32 e + 8 r2 + 4 h + r1` belongs to the rotation (r0, r1, r2) with `r0 = 2h + (e + r1 +
    /// r2) mod 2`: where the parity of a half super and r3 add up to e, it is the order of bits of
    /// the half super. `pair` is the same for the quadrants 0 and 1, word `8 e + 4 h + r1`.
    #[inline(always)]
    pub fn new(pair: &[u32; 16], third: &[u32; 4]) -> LineWords {
        let mut words = [0; 64];
        for (i, eight) in words.chunks_exact_mut(8).enumerate() {
            let (e, r2) = (i / 4, i % 4);
            let from = 8 * ((e + r2) % 2);
            for (word, pair) in eight.iter_mut().zip(&pair[from..from + 8]) {
                *word = pair & third[r2];
            }
        }
        LineWords(words)
    }

    /// Returns the lines of either.
    #[inline(always)]
    pub fn or(mut self, other: &LineWords) -> LineWords {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
        self
    }
}

/// Returns the lines that are complete in the quadrants 0 and 1, from those in each: see
/// [`LineWords::new`].
#[inline]
pub fn pair(first: &[u32; 4], second: &[u32; 4]) -> [u32; 16] {
    std::array::from_fn(|i| {
        let (e, h, r1) = (i / 8, i / 4 % 2, i % 4);
        first[2 * h + (e + r1) % 2] & second[r1]
    })
}

/// The vector, or vectors, that hold one entry.
///
/// # Safety
/// Implementations read and write exactly the entry or super at their pointers, and may be called
/// only where the processor has the instruction set that they are written for.
#[allow(unsafe_code)]
pub(super) unsafe trait Whole: Copy {
    /// # Safety
    /// The CPU supports the instruction set, `p` is valid for reading.
    unsafe fn load(p: *const Pack) -> Self;
    /// # Safety
    /// `p` is valid for writing.
    unsafe fn store(self, p: *mut Pack);
    /// Stores past the caches, if the kernel knows how.
    ///
    /// # Safety
    /// As for [`Whole::store`]; nobody reads it before this thread has made a [`super::fence`].
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack) {
        // SAFETY: as above.
        unsafe { self.store(p) }
    }
    /// Stores, past the caches or not.
    ///
    /// # Safety
    /// As for [`Whole::stream`], or [`Whole::store`].
    #[inline(always)]
    unsafe fn put(self, p: *mut Pack, past_caches: bool) {
        // SAFETY: as above.
        unsafe { if past_caches { self.stream(p) } else { self.store(p) } }
    }
    /// Asks for an entry to be brought into the second-level cache; a hint, which any address may be.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    #[inline(always)]
    unsafe fn prefetch(_: *const Pack) {}
    /// True everywhere.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn ones() -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Where `self` is true `a`, elsewhere `b`.
    fn select(self, a: Self, b: Self) -> Self;
    /// Returns the second plane ("doesn't lose"); nothing in the first.
    fn second(self) -> Self;
    /// Returns the planes exchanged.
    fn other_planes(self) -> Self;
    /// Returns the two 64-bit words of each half super: those of parity 0, those of parity 1.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self;
    /// Returns the bytes of each half super: byte i becomes the one at `places[i]`, which is less than 16.
    fn bytes(self, places: &'static [u8; 16]) -> Self;
    /// Returns each word shifted left; `BY` is less than 64.
    fn left<const BY: u32>(self) -> Self;
    /// Returns each word shifted right; `BY` is less than 64.
    fn right<const BY: u32>(self) -> Self;
    /// Returns the value at r becomes that at r + `BY` along an axis.
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self;
    /// Returns the same along axis 3.
    ///
    /// # Safety
    /// `by` is less than 4.
    unsafe fn shifted_last(self, by: u8) -> Self;
    /// Returns a super in both planes, shifted along axis 3.
    ///
    /// # Safety
    /// The CPU supports the instruction set, `p` is valid for reading, `by` is less than 4.
    unsafe fn spread(p: *const Super, by: u8) -> Self;
    /// Returns a super in both planes.
    ///
    /// # Safety
    /// The CPU supports the instruction set, `p` is valid for reading.
    #[inline(always)]
    unsafe fn both(p: *const Super) -> Self {
        // SAFETY: as above.
        unsafe { Self::spread(p, 0) }
    }
    /// Returns the rotation max of four halves at the parities 0, 1, 0, 1, in reverse order.
    fn rotation_max<const CW: bool>(self) -> Self;
    /// Writes for each of `last`, the lines complete in quadrant 3 at each rotation, where some
    /// line is complete.
    ///
    /// # Safety
    /// The CPU supports the instruction set, `out` is valid for writing as many.
    unsafe fn fives(words: &LineWords, last: &[[u32; 4]], out: *mut Super);
    /// Copies entries to as many others, past the caches or not; gives the number of true values in each plane,
    /// those of an entry multiplied by its weight.
    ///
    /// # Safety
    /// The CPU supports the instruction set; as for [`Whole::put`].
    #[inline(always)]
    unsafe fn copy_counted(
        entries: &[Pack],
        weights: &[u8],
        out: &mut [Pack],
        past_caches: bool,
    ) -> [u64; 2] {
        let mut sums = [0; 2];
        for ((entry, &weight), out) in entries.iter().zip(weights).zip(out) {
            // SAFETY: as above; both are references.
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
