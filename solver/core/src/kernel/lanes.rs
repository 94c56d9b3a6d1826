//! The trait of the vectors that kernels compute with. A vector contains a few half supers and has
//! a dozen operations.

use crate::supers::Half;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The number of half supers in one cache line.
pub const PLACES: usize = 4;

/// Four half supers in one cache line. The kernels always process these half supers together, and
/// call a pack a *line*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub struct Pack(pub [Half; PLACES]);

/// Data that is aligned to 64 bytes, so that aligned loads can read a whole vector.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub T);

/// A vector of [`Lanes::LANES`] half supers. The *parts* of a line are the [`PLACES`] `/ LANES`
/// vectors of which it consists.
///
/// # Safety
/// Implementations must read and write exactly the given part of the line at their pointer. A
/// method may be called only if the CPU supports the instruction set of the implementation.
pub(super) unsafe trait Lanes: Copy {
    /// The number of half supers in a vector.
    const LANES: usize;
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn splat(word: u64) -> Self;
    /// # Safety
    /// The CPU supports the instruction set, `p` is valid for reading, and the line has a part with
    /// index `part`.
    unsafe fn load(p: *const Pack, part: usize) -> Self;
    /// Rotates the line at `p` and loads one part of the result. Half super j of the result is half
    /// super j + `by` (modulo 4) of the line. The default implementation is for vectors of one half
    /// super.
    ///
    /// # Safety
    /// The requirements of [`Lanes::load`] are met.
    #[inline(always)]
    unsafe fn load_shifted(p: *const Pack, part: usize, by: u8) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller meets the requirements of `load`. A part is one half super, so every
        // index below `PLACES` is the index of a part.
        unsafe { Self::load(p, (part + usize::from(by)) % PLACES) }
    }
    /// # Safety
    /// `p` is valid for writing, and the line has a part with index `part`.
    unsafe fn store(self, p: *mut Pack, part: usize);
    /// Stores a part past the caches, because the line won't be read again soon. The default
    /// implementation is an ordinary store.
    ///
    /// # Safety
    /// The requirements of [`Lanes::store`] are met, and no thread reads the line before this
    /// thread has called [`fence`].
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller meets the requirements of `store`.
        unsafe { self.store(p, part) }
    }
    fn or(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Unites `N` lines, rotates the union by `by` half supers, and returns one part of the result.
    /// `offsets` has the offset of each line from `base`, in bytes.
    ///
    /// # Safety
    /// There are `N` offsets, and each line meets the requirements of [`Lanes::load`].
    #[inline(always)]
    unsafe fn gather<const N: usize>(base: *const Pack, offsets: *const u16, part: usize, by: u8) -> Self {
        // SAFETY: the caller has checked that the CPU supports the instruction set. The caller also
        // guarantees `N` offsets, and a valid line at each offset.
        unsafe {
            let mut x = Self::splat(0);
            for j in 0..N {
                x = x.or(Self::load_shifted(at(base, offsets.add(j)), part, by));
            }
            x
        }
    }
    /// Prefetches a line. The address need not be valid. The default implementation does nothing.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    #[inline(always)]
    unsafe fn prefetch(_: *const Pack) {}
    /// Returns the rotation max of each half super f. The value of the rotation max at r is the
    /// union of f over all rotations that one legal turn reaches from r. `TURNS` is one of the
    /// constants of [`formula`](super::formula).
    fn rotation_max<const TURNS: u8>(self) -> Self;
}

/// Returns a pointer to the line `*offset` bytes after `base`.
///
/// # Safety
/// `offset` is valid for reading, and the line lies in the array at `base`.
#[inline(always)]
pub(super) unsafe fn at(base: *const Pack, offset: *const u16) -> *const Pack {
    // SAFETY: the caller guarantees that `offset` is valid and that the line lies in the array.
    unsafe { base.byte_add(usize::from(*offset)) }
}

/// Ensures that other threads see the lines that this thread has stored past the caches. Another
/// thread sees these lines if it synchronises with this thread after the call.
#[inline]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU supports the instruction `sfence`.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
