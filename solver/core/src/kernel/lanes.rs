//! The vector of a kernel: a few half supers with a dozen operations.

use crate::supers::Half;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The number of half supers in one cache line.
pub const PLACES: usize = 4;

/// One cache line: four half supers, which the kernels always use together. The kernels call a pack
/// a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub struct Pack(pub [Half; PLACES]);

/// Data at the address that aligned loads of a whole vector require: a multiple of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
pub(super) struct Aligned<T>(pub T);

/// A vector of [`Lanes::LANES`] half supers (a divisor of [`PLACES`]): one of the parts of a line.
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
    /// The CPU supports the instruction set, `p` is valid for reading, and there is such a part.
    unsafe fn load(p: *const Pack, part: usize) -> Self;
    /// Loads a part of the line at `p`, rotated by `by`: place j of the result is place j + `by`
    /// (modulo 4) of the line. The default is for vectors of one half super.
    ///
    /// # Safety
    /// The requirements of [`Lanes::load`].
    #[inline(always)]
    unsafe fn load_shifted(p: *const Pack, part: usize, by: u8) -> Self {
        const { assert!(Self::LANES == 1) };
        // SAFETY: the caller meets the requirements of `load`, and every place is a part.
        unsafe { Self::load(p, (part + usize::from(by)) % PLACES) }
    }
    /// # Safety
    /// `p` is valid for writing, and there is such a part.
    unsafe fn store(self, p: *mut Pack, part: usize);
    /// Stores past the caches, for lines that aren't read again soon. The default is an ordinary
    /// store.
    ///
    /// # Safety
    /// The requirements of [`Lanes::store`]; and no thread reads the line before this thread has
    /// called [`fence`].
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack, part: usize) {
        // SAFETY: the caller meets the requirements of `store`.
        unsafe { self.store(p, part) }
    }
    fn or(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Returns one part of the union of `N` lines, rotated by `by`. The lines are at these byte
    /// offsets from `base`.
    ///
    /// # Safety
    /// There are `N` offsets, and each line meets the requirements of [`Lanes::load`].
    #[inline(always)]
    unsafe fn gather<const N: usize>(base: *const Pack, offsets: *const u16, part: usize, by: u8) -> Self {
        // SAFETY: the caller has checked that the CPU supports the instruction set, and guarantees
        // `N` offsets, and a line at each of them.
        unsafe {
            let mut x = Self::splat(0);
            for j in 0..N {
                x = x.or(Self::load_shifted(at(base, offsets.add(j)), part, by));
            }
            x
        }
    }
    /// Prefetches a line. The address need not be valid. The default does nothing.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    #[inline(always)]
    unsafe fn prefetch(_: *const Pack) {}
    /// Returns the rotation max `rmax(f)(r)`: the union of f over all rotations one legal turn away
    /// from r. `TURNS` is one of the constants of [`formula`](super::formula).
    fn rotation_max<const TURNS: u8>(self) -> Self;
}

/// Returns the line `offset` bytes after `base`.
///
/// # Safety
/// `offset` is valid, and the line lies in the array at `base`.
#[inline(always)]
pub(super) unsafe fn at(base: *const Pack, offset: *const u16) -> *const Pack {
    // SAFETY: the caller guarantees a valid `offset`, and that the line is in the array.
    unsafe { base.byte_add(usize::from(*offset)) }
}

/// Makes the lines that this thread stored past the caches visible to every thread that
/// synchronises with it afterwards.
#[inline]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU supports the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
