//! What a kernel is made of: a vector of half supers with a dozen operations, and the passes over
//! arrays of half supers, written once and compiled for every instruction set.

use super::formula::{ANSWER, Leaf, MIXED, UNLESS};
use crate::supers::Half;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Half supers in one line.
pub const PLACES: usize = 4;

/// One cache line: four half supers, which are always used together.
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
/// Implementations read and write exactly the given part of the line at their pointer, and may be
/// called only where the processor has the instruction set that they are written for.
#[allow(unsafe_code)]
pub(super) unsafe trait Lanes: Copy {
    const LANES: usize;
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn splat(word: u64) -> Self;
    /// # Safety
    /// The processor has the instruction set, `p` is valid for reading, and there is such a part.
    unsafe fn load(p: *const Pack, part: usize) -> Self;
    /// Returns the part of the line whose place j is place j + `by` (modulo 4) of the line at `p`.
    ///
    /// # Safety
    /// As for [`Lanes::load`].
    unsafe fn load_shifted(p: *const Pack, part: usize, by: u8) -> Self;
    /// # Safety
    /// `p` is valid for writing, and there is such a part.
    unsafe fn store(self, p: *mut Pack, part: usize);
    /// Stores past the caches, for what is not read again soon.
    ///
    /// # Safety
    /// As for [`Lanes::store`]; nobody reads the line before this thread has made a fence.
    unsafe fn stream(self, p: *mut Pack, part: usize);
    fn or(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Returns the union of the `N` lines at these byte offsets from `base`, shifted by `by`: one part of
    /// it.
    ///
    /// # Safety
    /// There are `N` offsets, and each leads to a line as [`Lanes::load`] needs it.
    #[inline(always)]
    unsafe fn gather<const N: usize>(base: *const Pack, offsets: *const u16, part: usize, by: u8) -> Self {
        // SAFETY: the caller has the processor, and the lines.
        unsafe {
            let mut x = Self::splat(0);
            for j in 0..N {
                x = x.or(Self::load_shifted(at(base, offsets.add(j)), part, by));
            }
            x
        }
    }
    /// Asks for a line to be brought near; a hint, which any address may be.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn prefetch(p: *const Pack);
    /// `rmax(f)(r)`: the union of f over all rotations one turn away from r.
    fn rotation_max<const TURNS: u8>(self) -> Self;
}

/// An array of lines, and how far it has to be shifted to stand beside the others.
pub(super) type Shifted = (*const Pack, u8);

/// Returns the line `offset` bytes after `base`.
///
/// # Safety
/// `offset` is valid, and the line lies in the array at `base`.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn at(base: *const Pack, offset: *const u16) -> *const Pack {
    // SAFETY: as above.
    unsafe { base.byte_add(usize::from(*offset)) }
}

/// Arrays of lines, each line of which belongs to the same four boards (or parents of them).
#[derive(Clone, Copy)]
pub(super) struct Arrays<'a> {
    /// Those that stand in place.
    pub straight: &'a [*const Pack],
    /// Those that have to be shifted.
    pub shifted: &'a [Shifted],
    /// How many lines each of them has.
    pub len: usize,
}

impl Arrays<'_> {
    pub fn is_empty(self) -> bool {
        self.straight.is_empty() && self.shifted.is_empty()
    }
}

/// A [`Step`](super::Step) whose lengths were checked.
pub(super) struct RawStep<'a> {
    /// Where the results go.
    pub out: *mut Pack,
    /// How many lines.
    pub len: usize,
    /// The children by sockets that are not low.
    pub children: Arrays<'a>,
    /// What all words of their union are where there are none.
    pub none: u64,
    /// The children that the next step needs: asked for while this one computes.
    pub next: Arrays<'a>,
    /// The array with the children by low sockets.
    pub low: *const Pack,
    /// For each line the byte offsets of its children there.
    pub low_offsets: *const u16,
    /// How many children that are, for each line.
    pub low_free: usize,
    /// For each line: a placement on a low socket makes five.
    pub threats: *const Pack,
    /// For each low subset of the mover: a placement on another socket makes five.
    pub mover_threats: *const Pack,
    /// For each low subset of the mover: has five.
    pub mover_fives: *const Pack,
    /// For each line the byte offset of the mover's low subset.
    pub mover_offsets: *const u16,
    /// For each low subset of the other player: has five.
    pub other_fives: *const Pack,
    /// For each line the byte offset of the other player's low subset.
    pub other_offsets: *const u16,
    /// Store past the caches.
    pub streaming: bool,
}

/// A step goes through an array in runs of this many lines: first the union of the children, from
/// the first-level cache, then the step itself, which meanwhile asks for the children of the next
/// run. Measured: 16 to 32 are equal, whole arrays (up to 210 lines) 8% slower, no asking 15%
/// (`bench/README.md#runs-and-prefetching`).
const RUN: usize = 16;

/// Lines that are asked for at a time.
const AHEAD: usize = 4;

/// The signature of [`unite`].
pub(super) type UniteFn = unsafe fn(*mut Pack, usize, usize, Arrays, u64);

/// Asks for the lines `at` to `at + AHEAD` of all arrays; the last may lie behind their ends, which
/// a hint may.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn ask<V: Lanes>(arrays: Arrays, at: usize) {
    // SAFETY: as above; any address may be asked for.
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

/// Stands for any number of free low sockets, in place of a pass for each, which is 3% faster: for rules
/// that few play by, and where the size of the program counts, as in a browser.
pub(super) const ANY_LOW: usize = usize::MAX;

/// Runs a `RawStep` whose boards have `LOW` free low sockets each, or [`ANY_LOW`]. `unite` is
/// [`unite`] for the same vectors, not inlined.
///
/// # Safety
/// The processor has the vectors. All pointers of the step are valid: `out` and `threats` for `len`
/// lines, the offsets for as many, what they lead to for a line; `mover_fives` only where the
/// combination uses them. Nobody else touches what it writes.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn step<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &RawStep,
    unite: UniteFn,
) {
    let mut children = [Pack::default(); RUN];
    let mut from = 0;
    while from < s.len {
        let run = RUN.min(s.len - from);
        // SAFETY: `children` has room for a run, the arrays have lines up to `len`.
        unsafe { unite(children.as_mut_ptr(), from, run, s.children, s.none) };
        let (next, next_from) = if from + run < s.len { (s.children, from + run) } else { (s.next, 0) };
        let next_run = RUN.min(next.len.saturating_sub(next_from));
        for (i, children) in children[..run].iter().enumerate() {
            // SAFETY: the line is one of the step's.
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

/// Line `i` of a `RawStep`.
///
/// # Safety
/// As for [`step`]; there is such a line.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn step_line<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &RawStep,
    i: usize,
    children: &Pack,
) {
    // SAFETY: the caller's pointers are valid for the line.
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

/// Runs the arrays of a `RawStep` as leaves.
///
/// # Safety
/// As for [`step`]; `mover_fives` are used, `threats` and `mover_threats` only where the leaf looks
/// ahead.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn leaves<V: Lanes>(s: &RawStep, leaf: Leaf) {
    // SAFETY: the caller's pointers are valid for all lines.
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

/// `out[i] = OR over j of base[offsets[N i + j]]` for `len` lines, shifted by `by`.
///
/// # Safety
/// The processor has the vectors; `out` is valid for `len` lines and nobody else's, the offsets
/// lead to lines.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn unite_gathered<V: Lanes, const N: usize>(
    out: *mut Pack,
    len: usize,
    (base, by): Shifted,
    offsets: *const u16,
) {
    // SAFETY: as above.
    unsafe {
        for i in 0..len {
            for part in 0..PLACES / V::LANES {
                V::gather::<N>(base, offsets.add(i * N), part, by).store(out.add(i), part);
            }
        }
    }
}

/// `out[i] = OR over the arrays of array[from + i]` for `len` lines; all words are `none` where
/// there is no array.
///
/// # Safety
/// The processor has the vectors; the arrays are valid for `from + len` lines, `out` for `len`
/// lines and nobody else's.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn unite<V: Lanes>(out: *mut Pack, from: usize, len: usize, arrays: Arrays, none: u64) {
    // SAFETY: as above; a list is read as an array of as many as it has.
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

/// Returns the union of `N` arrays; `add`: and of what is there.
///
/// # Safety
/// As for [`unite`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn unite_some<V: Lanes, const N: usize>(
    out: *mut Pack,
    from: usize,
    len: usize,
    arrays: &[*const Pack; N],
    add: bool,
) {
    let arrays = *arrays;
    // SAFETY: as above.
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

/// Returns the union of `N` arrays; `add`: and of what is there.
///
/// # Safety
/// As for [`unite`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn unite_shifted<V: Lanes, const N: usize>(
    out: *mut Pack,
    from: usize,
    len: usize,
    arrays: &[Shifted; N],
    add: bool,
) {
    let arrays = *arrays;
    // SAFETY: as above.
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
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn rotation_max<V: Lanes, const TURNS: u8>(x: &Pack) -> Pack {
    let mut out = Pack::default();
    for part in 0..PLACES / V::LANES {
        // SAFETY: both are lines.
        unsafe { V::load(x, part).rotation_max::<TURNS>().store(&mut out, part) };
    }
    out
}

/// Makes what this thread stored past the caches visible to whoever synchronises with it
/// afterwards.
#[allow(unsafe_code)]
#[inline]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
