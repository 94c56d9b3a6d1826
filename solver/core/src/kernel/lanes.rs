//! The parts of a kernel: a vector of half supers with a dozen operations, and the passes over
//! arrays of half supers. The passes are written once and compiled for every instruction set.

use super::formula::{ANSWER, Leaf, MIXED, UNLESS};
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
    /// (modulo 4) of the line.
    ///
    /// # Safety
    /// The requirements of [`Lanes::load`].
    unsafe fn load_shifted(p: *const Pack, part: usize, by: u8) -> Self;
    /// # Safety
    /// `p` is valid for writing, and there is such a part.
    unsafe fn store(self, p: *mut Pack, part: usize);
    /// Stores past the caches, for lines that aren't read again soon.
    ///
    /// # Safety
    /// The requirements of [`Lanes::store`]; and no thread reads the line before this thread has
    /// called [`fence`].
    unsafe fn stream(self, p: *mut Pack, part: usize);
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
        // SAFETY: the caller guarantees the CPU support, `N` offsets, and a line at each of them.
        unsafe {
            let mut x = Self::splat(0);
            for j in 0..N {
                x = x.or(Self::load_shifted(at(base, offsets.add(j)), part, by));
            }
            x
        }
    }
    /// Prefetches a line. The address need not be valid.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn prefetch(p: *const Pack);
    /// Returns the rotation max `rmax(f)(r)`: the union of f over all rotations one legal turn away
    /// from r. `TURNS` is one of the constants of [`formula`](super::formula).
    fn rotation_max<const TURNS: u8>(self) -> Self;
}

/// An array of lines, and the number of places by which its lines must be rotated.
pub(super) type Shifted = (*const Pack, u8);

/// Returns the line `offset` bytes after `base`.
///
/// # Safety
/// `offset` is valid, and the line lies in the array at `base`.
#[inline(always)]
pub(super) unsafe fn at(base: *const Pack, offset: *const u16) -> *const Pack {
    // SAFETY: the caller guarantees a valid `offset`, and that the line is in the array.
    unsafe { base.byte_add(usize::from(*offset)) }
}

/// Arrays of lines that are united line by line.
#[derive(Clone, Copy)]
pub(super) struct Arrays<'a> {
    /// The arrays whose lines aren't rotated.
    pub straight: &'a [*const Pack],
    /// The arrays whose lines must be rotated.
    pub shifted: &'a [Shifted],
    /// The number of lines of each array.
    pub len: usize,
}

impl Arrays<'_> {
    pub fn is_empty(self) -> bool {
        self.straight.is_empty() && self.shifted.is_empty()
    }
}

/// A checked [`Step`](super::Step), as raw pointers.
pub(super) struct RawStep<'a> {
    /// The lines that receive the results.
    pub out: *mut Pack,
    /// The number of lines.
    pub len: usize,
    /// The children by sockets that aren't low.
    pub children: Arrays<'a>,
    /// The value of all words of the union of no children.
    pub none: u64,
    /// The children of the next step, which are prefetched during this step.
    pub next: Arrays<'a>,
    /// The array with the children by low sockets.
    pub low: *const Pack,
    /// The byte offsets of the children in `low`, for each line.
    pub low_offsets: *const u16,
    /// The number of children in `low` of each line.
    pub low_free: usize,
    /// The boards where a placement on a low socket makes five, for each line.
    pub threats: *const Pack,
    /// The boards where a placement on another socket makes five, for each low subset of the mover.
    pub mover_threats: *const Pack,
    /// The boards where the mover has five, for each low subset of the mover.
    pub mover_fives: *const Pack,
    /// The byte offset of the mover's low subset, for each line.
    pub mover_offsets: *const u16,
    /// The boards where the other player has five, for each low subset of the other player.
    pub other_fives: *const Pack,
    /// The byte offset of the other player's low subset, for each line.
    pub other_offsets: *const u16,
    /// Stores past the caches.
    pub streaming: bool,
}

/// The number of lines of a run. A step computes an array run by run: first the union of the
/// children, which stays in the first-level cache, then the results. Meanwhile it prefetches the
/// children of the next run. Measured: runs of 16 to 32 lines are equally fast, whole arrays (up to
/// 210 lines) are 8% slower, and no prefetching is 15% slower
/// (`bench/README.md#runs-and-prefetching`).
const RUN: usize = 16;

/// The number of lines that are prefetched at a time.
const AHEAD: usize = 4;

/// The signature of [`unite`].
pub(super) type UniteFn = unsafe fn(*mut Pack, usize, usize, Arrays, u64);

/// Prefetches the lines `at` to `at + AHEAD` of all arrays. Lines after the end of an array are
/// harmless for a prefetch.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn ask<V: Lanes>(arrays: Arrays, at: usize) {
    // SAFETY: the caller guarantees the CPU support; any address may be prefetched.
    unsafe {
        for p in arrays.straight {
            for j in 0..AHEAD {
                V::prefetch(p.wrapping_add(at + j));
            }
        }
        for (p, _) in arrays.shifted {
            for j in 0..AHEAD {
                V::prefetch(p.wrapping_add(at + j));
            }
        }
    }
}

/// The value of `LOW` for a pass that handles any number of free low sockets. A pass for each
/// number is 3% faster. The general pass is for rarely used rules, and for WebAssembly, where the
/// size of the program counts.
pub(super) const ANY_LOW: usize = usize::MAX;

/// Runs a `RawStep` whose boards have `LOW` free low sockets each; [`ANY_LOW`] stands for any
/// number. The argument `unite` is the function [`unite`] compiled for `V`, which isn't inlined.
///
/// # Safety
/// The CPU supports the instruction set of `V`. All pointers of the step are valid: `out` and
/// `threats` for `len` lines, the offsets for `len` lines, and each line at an offset for reading.
/// `mover_fives` must be valid only if the formula uses it. No other thread accesses `out`.
#[inline(always)]
pub(super) unsafe fn step<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &RawStep,
    unite: UniteFn,
) {
    let mut children = [Pack::default(); RUN];
    let mut from = 0;
    while from < s.len {
        let run = RUN.min(s.len - from);
        // SAFETY: `children` has room for a run, and the caller guarantees arrays of `len` lines.
        unsafe { unite(children.as_mut_ptr(), from, run, s.children, s.none) };
        let (next, next_from) = if from + run < s.len { (s.children, from + run) } else { (s.next, 0) };
        let next_run = RUN.min(next.len.saturating_sub(next_from));
        for (i, children) in children[..run].iter().enumerate() {
            // SAFETY: the line is below `len`, so the caller guarantees its pointers.
            unsafe {
                if i % AHEAD == 0 && i < next_run {
                    ask::<V>(next, next_from + i);
                }
                step_line::<V, LOW, COMBINE, TURNS>(s, from + i, children);
            }
        }
        from += run;
    }
}

/// Computes line `i` of a `RawStep`.
///
/// # Safety
/// The requirements of [`step`]; and the step has a line `i`.
#[inline(always)]
unsafe fn step_line<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &RawStep,
    i: usize,
    children: &Pack,
) {
    // SAFETY: the caller guarantees the CPU support, and valid pointers for the line.
    unsafe {
        for part in 0..PLACES / V::LANES {
            let mut children = V::load(children, part);
            let low = if LOW == ANY_LOW { s.low_free } else { LOW };
            for j in 0..low {
                children = children.or(V::load(at(s.low, s.low_offsets.add(i * low + j)), part));
            }
            let r = children.rotation_max::<TURNS>();
            let mover = s.mover_offsets.add(i);
            let p = V::load(s.threats.add(i), part).or(V::load(at(s.mover_threats, mover), part));
            let n = V::load(at(s.other_fives, s.other_offsets.add(i)), part);
            let out = match COMBINE {
                UNLESS => n.or(p.or(r).not()),
                MIXED => {
                    let m = V::load(at(s.mover_fives, mover), part);
                    n.and(m.not()).or(n.or(p).or(r).not())
                }
                ANSWER => p.not().and(n.or(r.not())),
                _ => {
                    let m = V::load(at(s.mover_fives, mover), part);
                    p.not().or(m.and(n)).and(n.or(r.not()))
                }
            };
            if s.streaming {
                out.stream(s.out.add(i), part);
            } else {
                out.store(s.out.add(i), part);
            }
        }
    }
}

/// Runs a `RawStep` with the formula of a leaf.
///
/// # Safety
/// The requirements of [`step`]. `mover_fives` must be valid for every leaf; `threats` and
/// `mover_threats` only for leaves that use `P`.
#[inline(always)]
pub(super) unsafe fn leaves<V: Lanes>(s: &RawStep, leaf: Leaf) {
    // SAFETY: the caller guarantees the CPU support, and valid pointers for all lines.
    unsafe {
        for i in 0..s.len {
            for part in 0..PLACES / V::LANES {
                let mover = s.mover_offsets.add(i);
                let m = V::load(at(s.mover_fives, mover), part);
                let n = V::load(at(s.other_fives, s.other_offsets.add(i)), part);
                let out = match leaf {
                    Leaf::Won => m.not().or(n),
                    Leaf::NotLost => n.and(m.not()),
                    Leaf::NotBehind => n,
                    Leaf::NotUnanswered | Leaf::NotUnansweredNorBoth => {
                        let p = V::load(s.threats.add(i), part).or(V::load(at(s.mover_threats, mover), part));
                        let both = if leaf == Leaf::NotUnanswered { V::splat(0) } else { m };
                        n.and(p.not().or(both))
                    }
                };
                out.store(s.out.add(i), part);
            }
        }
    }
}

/// Computes `out[i] = OR over j of base[offsets[N i + j]]` for `len` lines, rotated by `by`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. `out` is valid for writing `len` lines, and no
/// other thread accesses it. There are `N` offsets for each line, and a line at each offset.
#[inline(always)]
pub(super) unsafe fn unite_gathered<V: Lanes, const N: usize>(
    out: *mut Pack,
    len: usize,
    (base, by): Shifted,
    offsets: *const u16,
) {
    // SAFETY: the caller guarantees the CPU support, the offsets and the lines.
    unsafe {
        for i in 0..len {
            for part in 0..PLACES / V::LANES {
                V::gather::<N>(base, offsets.add(i * N), part, by).store(out.add(i), part);
            }
        }
    }
}

/// Computes `out[i] = OR over the arrays of array[from + i]` for `len` lines. Without arrays, all
/// words of `out` are `none`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. The arrays are valid for `from + len` lines. `out`
/// is valid for writing `len` lines, and no other thread accesses it.
#[inline(always)]
pub(super) unsafe fn unite<V: Lanes>(out: *mut Pack, from: usize, len: usize, arrays: Arrays, none: u64) {
    // SAFETY: the caller guarantees the CPU support and the lines. A list is cast to an array of at
    // most its own length.
    unsafe {
        let mut add = false;
        let mut rest = arrays.straight;
        while let [first, ..] = rest {
            let take = rest.len().min(6);
            match take {
                6 => unite_some::<V, 6>(out, from, len, &*rest.as_ptr().cast(), add),
                5 => unite_some::<V, 5>(out, from, len, &*rest.as_ptr().cast(), add),
                4 => unite_some::<V, 4>(out, from, len, &*rest.as_ptr().cast(), add),
                3 => unite_some::<V, 3>(out, from, len, &*rest.as_ptr().cast(), add),
                2 => unite_some::<V, 2>(out, from, len, &*rest.as_ptr().cast(), add),
                _ => unite_some::<V, 1>(out, from, len, &[*first], add),
            }
            add = true;
            rest = &rest[take..];
        }
        let mut rest = arrays.shifted;
        while let [first, ..] = rest {
            let take = rest.len().min(3);
            match take {
                3 => unite_shifted::<V, 3>(out, from, len, &*rest.as_ptr().cast(), add),
                2 => unite_shifted::<V, 2>(out, from, len, &*rest.as_ptr().cast(), add),
                _ => unite_shifted::<V, 1>(out, from, len, &[*first], add),
            }
            add = true;
            rest = &rest[take..];
        }
        if !add {
            for i in 0..len {
                for part in 0..PLACES / V::LANES {
                    V::splat(none).store(out.add(i), part);
                }
            }
        }
    }
}

/// Unites `N` arrays into `out`. If `add`, the union includes the old contents of `out`.
///
/// # Safety
/// The requirements of [`unite`].
#[inline(always)]
unsafe fn unite_some<V: Lanes, const N: usize>(
    out: *mut Pack,
    from: usize,
    len: usize,
    arrays: &[*const Pack; N],
    add: bool,
) {
    let arrays = *arrays;
    // SAFETY: the caller guarantees the CPU support and the lines.
    unsafe {
        for i in 0..len {
            for part in 0..PLACES / V::LANES {
                let mut x = if add { V::load(out.add(i), part) } else { V::splat(0) };
                for p in arrays {
                    x = x.or(V::load(p.add(from + i), part));
                }
                x.store(out.add(i), part);
            }
        }
    }
}

/// Unites `N` arrays into `out`. If `add`, the union includes the old contents of `out`.
///
/// # Safety
/// The requirements of [`unite`].
#[inline(always)]
unsafe fn unite_shifted<V: Lanes, const N: usize>(
    out: *mut Pack,
    from: usize,
    len: usize,
    arrays: &[Shifted; N],
    add: bool,
) {
    let arrays = *arrays;
    // SAFETY: the caller guarantees the CPU support and the lines.
    unsafe {
        for i in 0..len {
            for part in 0..PLACES / V::LANES {
                let mut x = if add { V::load(out.add(i), part) } else { V::splat(0) };
                for (p, by) in arrays {
                    x = x.or(V::load_shifted(p.add(from + i), part, by));
                }
                x.store(out.add(i), part);
            }
        }
    }
}

/// Returns the rotation max of four half supers.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn rotation_max<V: Lanes, const TURNS: u8>(x: &Pack) -> Pack {
    let mut out = Pack::default();
    for part in 0..PLACES / V::LANES {
        // SAFETY: the caller guarantees the CPU support; both pointers are references to lines.
        unsafe { V::load(x, part).rotation_max::<TURNS>().store(&mut out, part) };
    }
    out
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
