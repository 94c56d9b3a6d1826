//! One step of retrograde analysis over an array of half supers: the arguments of a step, with a
//! safe interface, and the passes. The passes are written once for the vectors of all instruction
//! sets. The lengths of slices and the offsets are checked once for each array, not for each line.

use super::formula::{ANSWER, Leaf, MIXED, UNLESS};
use super::lanes::{Lanes, PLACES, Pack, at, fence};
use crate::index::rooted::low::Offsets;
use std::marker::PhantomData;

/// An array of lines, and the number of half supers (modulo 4) by which each line must be rotated.
pub type Shifted<'a> = (&'a [Pack], u8);

/// A pointer to an array of lines, and the number of half supers (0 to 3) by which each line must
/// be rotated.
pub(super) type RawShifted = (*const Pack, u8);

/// A list of arrays to unite line by line. Each array has at least as many lines as the list
/// requires.
#[derive(Default)]
pub struct ArrayList<'a> {
    /// The arrays whose lines aren't rotated.
    straight: Vec<RawShifted>,
    /// The arrays whose lines must be rotated.
    shifted: Vec<RawShifted>,
    /// The minimum number of lines of each array.
    pub(super) len: usize,
    arrays: PhantomData<&'a [Pack]>,
}

impl<'a> ArrayList<'a> {
    /// Clears the list and prepares it for arrays with at least `len` lines.
    #[inline]
    pub fn begin(&mut self, len: usize) {
        self.straight.clear();
        self.shifted.clear();
        self.len = len;
    }

    /// Adds an array whose lines aren't rotated.
    ///
    /// # Panics
    /// If the array has fewer lines than the list requires.
    #[inline]
    pub fn push(&mut self, array: &'a [Pack]) {
        self.push_shifted((array, 0));
    }

    /// Adds an array whose lines must be rotated by `by` half supers (modulo 4).
    ///
    /// # Panics
    /// If the array has fewer lines than the list requires.
    #[inline]
    pub fn push_shifted(&mut self, (array, by): Shifted<'a>) {
        assert!(array.len() >= self.len);
        let list = if by % 4 == 0 { &mut self.straight } else { &mut self.shifted };
        list.push((array.as_ptr(), by % 4));
    }

    /// Empties the list, and returns a list that reuses its memory for arrays with another
    /// lifetime.
    #[must_use]
    pub fn recycled<'b>(mut self) -> ArrayList<'b> {
        self.begin(0);
        ArrayList { straight: self.straight, shifted: self.shifted, len: 0, arrays: PhantomData }
    }
}

/// A range of lines to which results are written. The stores may bypass the caches.
pub struct ArrayOut<'a> {
    start: *mut Pack,
    len: usize,
    streaming: bool,
    memory: PhantomData<&'a mut [Pack]>,
}

impl<'a> ArrayOut<'a> {
    /// Returns the destination that consists of `len` lines at `start`. If `streaming` is `true`,
    /// stores bypass the caches.
    ///
    /// # Safety
    /// While the result lives, `start` is valid for `len` lines, and no other thread accesses these
    /// lines. If `streaming` is `true`, this thread calls [`ArrayOut::into_lines`] or [`fence`]
    /// before any other thread reads the lines.
    pub(super) unsafe fn new(start: *mut Pack, len: usize, streaming: bool) -> Self {
        ArrayOut { start, len, streaming, memory: PhantomData }
    }

    /// Returns the destination of one array, which consists of `len` lines of this destination.
    /// `at` is the index of the first of these lines.
    ///
    /// # Panics
    /// If the array ends after the last line of this destination.
    #[inline]
    pub fn array(&mut self, at: usize, len: usize) -> ArrayOut<'_> {
        assert!(at <= self.len && len <= self.len - at);
        // SAFETY: the lines belong to this destination, which is borrowed mutably, so no other
        // thread accesses them. The creator of this destination guarantees a call of `fence`.
        unsafe { ArrayOut::new(self.start.add(at), len, self.streaming) }
    }

    /// Returns the lines for reading. If stores bypassed the caches, first ensures that the stores
    /// are visible.
    pub fn into_lines(self) -> &'a [Pack] {
        if self.streaming {
            fence();
        }
        // SAFETY: the lines are valid for the lifetime of the slice, and only this destination
        // gives access to them.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// The arguments of one step of retrograde analysis for an array of boards. Each line has four
/// boards. From line to line, the boards in the same lane differ only on low sockets.
pub struct Step<'a> {
    /// The lines to which the results are written.
    pub out: ArrayOut<'a>,
    /// The children whose new marble is on a socket that isn't low.
    pub children: &'a ArrayList<'a>,
    /// The value of every word of the union of `children` if the list is empty.
    pub none: u64,
    /// The children of the next step, which are prefetched during this step.
    pub next: &'a ArrayList<'a>,
    /// The array of the children whose new marble is on a low socket, and for each line the offsets
    /// of its children in this array. `None` if no low socket is free.
    pub low: Option<(&'a [Pack], &'a Offsets)>,
    /// For each line, the rotations of its boards at which a placement on a low socket makes five.
    /// Leaf formulas without `P` don't use this field.
    pub threats: &'a [Pack],
    /// For each set of the mover's marbles on low sockets, the rotations at which a placement on
    /// another socket makes five. Leaf formulas without `P` don't use this field.
    pub mover_threats: &'a [Pack],
    /// For each set of the mover's marbles on low sockets, the rotations at which the mover has
    /// five. Leaf formulas and formulas with `M` use this field.
    pub mover_fives: &'a [Pack],
    /// For each line, the offset of the mover's set in `mover_threats` and `mover_fives`.
    pub mover_offsets: &'a Offsets,
    /// For each set of the other player's marbles on low sockets, the rotations at which the other
    /// player has five.
    pub other_fives: &'a [Pack],
    /// For each line, the offset of the other player's set in `other_fives`.
    pub other_offsets: &'a Offsets,
}

impl Step<'_> {
    /// Checks that all fields are long enough for the lines of `out`. `threats` and `mover_threats`
    /// are checked only if `uses_threats` is `true`, and `mover_fives` only if `uses_fives` is
    /// `true`. Returns the number of children in `low` that each line has.
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length.
    #[inline]
    pub(super) fn check(&self, uses_threats: bool, uses_fives: bool) -> usize {
        let len = self.out.len;
        let ArrayList { straight, shifted, .. } = self.children;
        assert!(self.children.len == len || straight.is_empty() && shifted.is_empty());
        let fits = |offsets: &Offsets, lines: &[Pack]| offsets.fit(len, offsets.each(), lines.len());
        let one = |offsets: &Offsets, lines: &[Pack]| offsets.fit(len, 1, lines.len());
        assert!(self.low.is_none_or(|(lines, offsets)| fits(offsets, lines)));
        assert!(one(self.other_offsets, self.other_fives));
        assert!(!uses_fives || one(self.mover_offsets, self.mover_fives));
        if uses_threats {
            assert!(self.threats.len() >= len && one(self.mover_offsets, self.mover_threats));
        }
        self.low.map_or(0, |(_, offsets)| offsets.each())
    }
}

/// The maximum number of lines of a run. A step computes an array run by run: first the union of
/// the children, which stays in the first-level cache, then the results. Meanwhile the step
/// prefetches the children of the next run. Measurements: runs of 16 to 32 lines are equally fast.
/// Without runs (up to 210 lines at a time), a step is 8% slower. Without prefetching, a step is
/// 15% slower (`bench/README.md#runs-and-prefetching`).
const RUN: usize = 16;

/// The number of lines of each array that one call prefetches.
const AHEAD: usize = 4;

/// The type of a pointer to the function [`unite`].
pub(super) type UniteFn = unsafe fn(*mut Pack, usize, usize, &ArrayList, u64);

/// Prefetches the lines from `at` to `at + AHEAD - 1` of all arrays. The lines may lie after the
/// end of an array, because a prefetch accepts any address.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn prefetch<V: Lanes>(arrays: &ArrayList, at: usize) {
    for list in [&arrays.straight, &arrays.shifted] {
        for (p, _) in list {
            for j in 0..AHEAD {
                // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
                // A prefetch accepts any address.
                unsafe { V::prefetch(p.wrapping_add(at + j)) };
            }
        }
    }
}

/// The value of `LOW` for a pass that handles any number of free low sockets. A separate pass for
/// each number is 3% faster. The general pass is for rarely used rules, and for WebAssembly,
/// because the size of the program matters in a browser.
pub(super) const ANY_LOW: usize = usize::MAX;

/// Runs a step whose boards have `LOW` free low sockets each. [`ANY_LOW`] stands for any number.
/// The argument `unite` is the function [`unite`], which is compiled for `V` and not inlined.
///
/// # Safety
/// The CPU supports the instruction set of `V`. [`Step::check`] has checked the step for all fields
/// that the formula uses. No other thread accesses the lines of `out`.
#[inline(always)]
pub(super) unsafe fn step<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &Step,
    unite: UniteFn,
) {
    let len = s.out.len;
    let low = s.low.map_or((std::ptr::null(), std::ptr::null(), 0), |(lines, offsets)| {
        (lines.as_ptr(), offsets.bytes().as_ptr(), offsets.each())
    });
    let offsets = [s.mover_offsets, s.other_offsets].map(|offsets| offsets.bytes().as_ptr());
    let mut children = [Pack::default(); RUN];
    let mut from = 0;
    while from < len {
        let run = RUN.min(len - from);
        // SAFETY: `children` has `RUN` lines, which is at least `run`. `check` has checked that all
        // arrays have `len` lines.
        unsafe { unite(children.as_mut_ptr(), from, run, s.children, s.none) };
        let (next, next_from) = if from + run < len { (s.children, from + run) } else { (s.next, 0) };
        let next_run = RUN.min(next.len.saturating_sub(next_from));
        for (i, children) in children[..run].iter().enumerate() {
            // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and
            // has checked the step. Line `from + i` is less than `len`.
            unsafe {
                if i % AHEAD == 0 && i < next_run {
                    prefetch::<V>(next, next_from + i);
                }
                step_line::<V, LOW, COMBINE, TURNS>(s, from + i, children, low, offsets);
            }
        }
        from += run;
    }
}

/// Computes line `i` of a step. The fourth argument consists of the array of the children whose new
/// marble is on a low socket, the byte offsets in this array, and the number of offsets for each
/// line. The last argument has, for each line, the byte offsets that belong to the sets of the
/// mover and of the other player.
///
/// # Safety
/// The requirements of [`step`] are met, and the step has a line `i`.
#[inline(always)]
unsafe fn step_line<V: Lanes, const LOW: usize, const COMBINE: u8, const TURNS: u8>(
    s: &Step,
    i: usize,
    children: &Pack,
    (low, low_offsets, low_free): (*const Pack, *const u16, usize),
    [mover_offsets, other_offsets]: [*const u16; 2],
) {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The caller
    // also guarantees a checked step with a line `i`.
    unsafe {
        for part in 0..PLACES / V::LANES {
            let mut children = V::load(children, part);
            let free = if LOW == ANY_LOW { low_free } else { LOW };
            for j in 0..free {
                children = children.or(V::load(at(low, low_offsets.add(i * free + j)), part));
            }
            let r = children.rotation_max::<TURNS>();
            let mover = mover_offsets.add(i);
            let p = V::load(s.threats.as_ptr().add(i), part);
            let p = p.or(V::load(at(s.mover_threats.as_ptr(), mover), part));
            let n = V::load(at(s.other_fives.as_ptr(), other_offsets.add(i)), part);
            let out = match COMBINE {
                UNLESS => n.or(p.or(r).not()),
                MIXED => {
                    let m = V::load(at(s.mover_fives.as_ptr(), mover), part);
                    n.and(m.not()).or(n.or(p).or(r).not())
                }
                ANSWER => p.not().and(n.or(r.not())),
                _ => {
                    let m = V::load(at(s.mover_fives.as_ptr(), mover), part);
                    p.not().or(m.and(n)).and(n.or(r.not()))
                }
            };
            if s.out.streaming {
                out.stream(s.out.start.add(i), part);
            } else {
                out.store(s.out.start.add(i), part);
            }
        }
    }
}

/// Runs a step for boards without children, with the formula `leaf`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. [`Step::check`] has checked the step for
/// `mover_fives`, and for the threats if the leaf formula uses `P`. No other thread accesses the
/// lines of `out`.
#[inline(always)]
pub(super) unsafe fn leaves<V: Lanes>(s: &Step, leaf: Leaf) {
    let [mover_offsets, other_offsets] =
        [s.mover_offsets, s.other_offsets].map(|offsets| offsets.bytes().as_ptr());
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and that all
    // fields are long enough for the lines of `out`.
    unsafe {
        for i in 0..s.out.len {
            for part in 0..PLACES / V::LANES {
                let mover = mover_offsets.add(i);
                let m = V::load(at(s.mover_fives.as_ptr(), mover), part);
                let n = V::load(at(s.other_fives.as_ptr(), other_offsets.add(i)), part);
                let out = match leaf {
                    Leaf::Won => m.not().or(n),
                    Leaf::NotLost => n.and(m.not()),
                    Leaf::NotBehind => n,
                    Leaf::NotUnanswered | Leaf::NotUnansweredNorBoth => {
                        let p = V::load(s.threats.as_ptr().add(i), part);
                        let p = p.or(V::load(at(s.mover_threats.as_ptr(), mover), part));
                        let both = if leaf == Leaf::NotUnanswered { V::splat(0) } else { m };
                        n.and(p.not().or(both))
                    }
                };
                out.store(s.out.start.add(i), part);
            }
        }
    }
}

/// Computes `out[i]` as the OR over j of the lines of `base` at the byte offsets
/// `offsets[N i + j]`, then rotates the result by `by` half supers.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Each line of `out` has `N` offsets, and `base` has
/// a line at each offset.
#[inline(always)]
pub(super) unsafe fn unite_gathered<V: Lanes, const N: usize>(
    out: &mut [Pack],
    (base, by): Shifted,
    offsets: *const u16,
) {
    for (i, out) in out.iter_mut().enumerate() {
        for part in 0..PLACES / V::LANES {
            // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The
            // caller also guarantees `N` valid offsets for each line.
            unsafe { V::gather::<N>(base.as_ptr(), offsets.add(i * N), part, by).store(out, part) };
        }
    }
}

/// Computes `out[i]` for `len` lines, as the OR of `array[from + i]` over all arrays of the list.
/// If the list is empty, every word of `out` becomes `none`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Each array has at least `from + len` lines. `out`
/// is valid for writing `len` lines, and no other thread accesses it.
#[inline(always)]
pub(super) unsafe fn unite<V: Lanes>(out: *mut Pack, from: usize, len: usize, arrays: &ArrayList, none: u64) {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The caller
    // also guarantees that `out` has `len` lines and each array has `from + len` lines.
    unsafe {
        unite_list::<V, 6, false>(out, from, len, &arrays.straight, false);
        let add = !arrays.straight.is_empty();
        unite_list::<V, 3, true>(out, from, len, &arrays.shifted, add);
        if !add && arrays.shifted.is_empty() {
            for i in 0..len {
                for part in 0..PLACES / V::LANES {
                    V::splat(none).store(out.add(i), part);
                }
            }
        }
    }
}

/// Unites a list of arrays into `out`. One loop over the lines unites at most `MOST` arrays. If
/// `add` is `true`, the union includes the old contents of `out`.
///
/// # Safety
/// The requirements of [`unite`] are met.
#[inline(always)]
unsafe fn unite_list<V: Lanes, const MOST: usize, const SHIFTED: bool>(
    out: *mut Pack,
    from: usize,
    len: usize,
    mut list: &[RawShifted],
    mut add: bool,
) {
    while !list.is_empty() {
        let (some, rest) = list.split_at(list.len().min(MOST));
        // SAFETY: the caller meets the requirements of `unite`. Each cast is to an array whose
        // length is the length of the slice.
        unsafe {
            match some.len() {
                6 => unite_some::<V, 6, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
                5 => unite_some::<V, 5, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
                4 => unite_some::<V, 4, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
                3 => unite_some::<V, 3, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
                2 => unite_some::<V, 2, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
                _ => unite_some::<V, 1, SHIFTED>(out, from, len, &*some.as_ptr().cast(), add),
            }
        }
        (list, add) = (rest, true);
    }
}

/// Unites `N` arrays into `out`. If `add` is `true`, the union includes the old contents of `out`.
///
/// # Safety
/// The requirements of [`unite`] are met.
#[inline(always)]
unsafe fn unite_some<V: Lanes, const N: usize, const SHIFTED: bool>(
    out: *mut Pack,
    from: usize,
    len: usize,
    arrays: &[RawShifted; N],
    add: bool,
) {
    let arrays = *arrays;
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The caller
    // also guarantees that `out` has `len` lines and each array has `from + len` lines.
    unsafe {
        for i in 0..len {
            for part in 0..PLACES / V::LANES {
                let mut x = if add { V::load(out.add(i), part) } else { V::splat(0) };
                for (p, by) in arrays {
                    let line = p.add(from + i);
                    x = x.or(if SHIFTED { V::load_shifted(line, part, by) } else { V::load(line, part) });
                }
                x.store(out.add(i), part);
            }
        }
    }
}

/// Returns the rotation max of each of four half supers.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn rotation_max<V: Lanes, const TURNS: u8>(x: &Pack) -> Pack {
    let mut out = Pack::default();
    for part in 0..PLACES / V::LANES {
        // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. `x` and
        // `out` are references to lines, so both are valid.
        unsafe { V::load(x, part).rotation_max::<TURNS>().store(&mut out, part) };
    }
    out
}
