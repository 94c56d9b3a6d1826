//! One step back over an array of half supers, in safe terms: slices whose lengths and offsets are
//! checked once for each array, never for each line.

use super::formula::{Combine, Leaf, Turns};
use super::lanes::{Arrays, Pack, RawStep};
use super::passes::Passes;
use std::marker::PhantomData;

/// An array of lines, and how far it has to be shifted to stand beside the others.
pub type Shifted<'a> = (&'a [Pack], u8);

/// A list of arrays that are to be united: each has at least as many lines as the list says. Those
/// that stand in place and those that have to be shifted are kept apart.
#[derive(Default)]
pub struct ArrayList<'a> {
    straight: Vec<*const Pack>,
    shifted: Vec<(*const Pack, u8)>,
    len: usize,
    arrays: PhantomData<&'a [Pack]>,
}

impl<'a> ArrayList<'a> {
    /// Begins a new list, of arrays with `len` lines.
    #[inline]
    pub fn begin(&mut self, len: usize) {
        self.straight.clear();
        self.shifted.clear();
        self.len = len;
    }

    /// Adds an array that stands in place.
    ///
    /// # Panics
    /// If it is shorter than the list says.
    #[inline]
    pub fn push(&mut self, array: &'a [Pack]) {
        assert!(array.len() >= self.len);
        self.straight.push(array.as_ptr());
    }

    /// Adds an array that has to be shifted by `by` places (modulo 4).
    ///
    /// # Panics
    /// If it is shorter than the list says.
    #[inline]
    pub fn push_shifted(&mut self, (array, by): Shifted<'a>) {
        if by % 4 == 0 {
            self.push(array);
        } else {
            assert!(array.len() >= self.len);
            self.shifted.push((array.as_ptr(), by % 4));
        }
    }

    /// Returns the memory of the list, for arrays that live at another time.
    #[must_use]
    pub fn recycled<'b>(mut self) -> ArrayList<'b> {
        self.begin(0);
        ArrayList { straight: self.straight, shifted: self.shifted, len: 0, arrays: PhantomData }
    }

    /// Returns each pointer is valid for `len` lines, for as long as the list is borrowed.
    pub(super) fn arrays(&self) -> Arrays<'_> {
        Arrays { straight: &self.straight, shifted: &self.shifted, len: self.len }
    }
}

/// For each line of an array the places of some lines of another one, the same number for each.
#[derive(Clone, Debug)]
pub struct Offsets {
    /// In bytes, as vector instructions take them.
    bytes: Box<[u16]>,
    len: usize,
    each: usize,
    /// All places lie below this line.
    bound: usize,
}

impl Offsets {
    /// Returns the places `lines`, `each` of them for each of `len` lines.
    ///
    /// # Panics
    /// If there are not `len` times `each` of them, or one lies beyond 64 KiB.
    pub fn new(len: usize, each: usize, lines: impl Iterator<Item = usize>) -> Offsets {
        let mut bound = 0;
        let bytes: Box<[u16]> = lines
            .map(|line| {
                bound = bound.max(line + 1);
                u16::try_from(line * size_of::<Pack>()).expect("offsets of small arrays")
            })
            .collect();
        assert_eq!(bytes.len(), len * each);
        Offsets { bytes, len, each, bound }
    }

    /// Returns the places, if there are `each` of them for each of `len` lines and all lie in `base`.
    ///
    /// # Panics
    /// If not.
    #[inline]
    fn checked(&self, len: usize, each: usize, base: &[Pack]) -> *const u16 {
        assert!(self.len == len && self.each == each && self.bound <= base.len());
        self.bytes.as_ptr()
    }
}

/// Where an array of lines goes: memory that may be stored to past the caches, and is not read
/// before a fence.
pub struct ArrayOut<'a> {
    start: *mut Pack,
    len: usize,
    streaming: bool,
    memory: PhantomData<&'a mut [Pack]>,
}

impl<'a> From<&'a mut [Pack]> for ArrayOut<'a> {
    fn from(lines: &'a mut [Pack]) -> ArrayOut<'a> {
        ArrayOut { start: lines.as_mut_ptr(), len: lines.len(), streaming: false, memory: PhantomData }
    }
}

impl ArrayOut<'_> {
    /// # Safety
    /// For as long as the result lives `start` is valid for `len` lines and nobody else touches
    /// them. With `streaming` this thread calls [`super::fence`] before anybody reads them.
    #[allow(unsafe_code)]
    #[inline]
    pub(super) unsafe fn new(start: *mut Pack, len: usize, streaming: bool) -> Self {
        ArrayOut { start, len, streaming, memory: PhantomData }
    }
}

/// One step back: an array of boards, four in a line, that differ in their low sockets only.
pub struct Step<'a> {
    /// Where the results go.
    pub out: ArrayOut<'a>,
    /// The children by sockets that are not low.
    pub children: &'a ArrayList<'a>,
    /// What all words of their union are where there are none.
    pub none: u64,
    /// The children that the next step needs: asked for while this one computes.
    pub next: &'a ArrayList<'a>,
    /// The array with the children by low sockets, if there are any, and where each line has its
    /// own.
    pub low: Option<(&'a [Pack], &'a Offsets)>,
    /// For each line: a placement on a low socket makes five. Not used by leaves that don't look
    /// ahead.
    pub threats: &'a [Pack],
    /// For each low subset of the mover: a placement on another socket makes five. Likewise.
    pub mover_threats: &'a [Pack],
    /// For each low subset of the mover: has five. Used by leaves, and where both fives count.
    pub mover_fives: &'a [Pack],
    /// For each line the mover's low subset.
    pub mover_offsets: &'a Offsets,
    /// For each low subset of the other player: has five.
    pub other_fives: &'a [Pack],
    /// For each line the other player's low subset.
    pub other_offsets: &'a Offsets,
}

impl Step<'_> {
    /// Checks the step; says how many children by low sockets each line has.
    ///
    /// # Panics
    /// If the lengths don't fit together.
    #[inline]
    fn checked(&self, uses_threats: bool, uses_fives: bool) -> (RawStep<'_>, usize) {
        let len = self.out.len;
        let children = self.children.arrays();
        assert!(children.len == len || children.is_empty());
        let (low, low_offsets, free) = match self.low {
            Some((lines, offsets)) => {
                (lines.as_ptr(), offsets.checked(len, offsets.each, lines), offsets.each)
            }
            None => (std::ptr::null(), std::ptr::null(), 0),
        };
        let mover_offsets = if uses_threats {
            assert!(self.threats.len() >= len);
            self.mover_offsets.checked(len, 1, self.mover_threats)
        } else {
            self.mover_offsets.checked(len, 1, self.mover_fives)
        };
        if uses_fives {
            self.mover_offsets.checked(len, 1, self.mover_fives);
        }
        let raw = RawStep {
            out: self.out.start,
            len,
            children,
            none: self.none,
            next: self.next.arrays(),
            low,
            low_offsets,
            low_free: free,
            threats: self.threats.as_ptr(),
            mover_threats: self.mover_threats.as_ptr(),
            mover_fives: self.mover_fives.as_ptr(),
            mover_offsets,
            other_fives: self.other_fives.as_ptr(),
            other_offsets: self.other_offsets.checked(len, 1, self.other_fives),
            streaming: self.out.streaming,
        };
        (raw, free)
    }
}

#[allow(unsafe_code)]
impl Passes {
    /// Runs a [`Step`].
    ///
    /// # Panics
    /// If the lengths of its arrays don't fit together, or a line has more than 7 children by low
    /// sockets.
    #[inline]
    pub(crate) fn step(self, turns: Turns, combine: Combine, step: &Step) {
        let uses_fives = matches!(combine, Combine::Mixed | Combine::AnswerAlone);
        let (raw, low) = step.checked(true, uses_fives);
        let run = self.0.steps[turns.index()][combine as usize][low];
        // SAFETY: the kernel exists, so the processor has its instructions. The step was checked
        // for the fields that this combination uses: all arrays have the lines that are read, and
        // `out` is borrowed mutably.
        unsafe { run(&raw) }
    }

    /// Runs the arrays of a [`Step`] as leaves.
    ///
    /// # Panics
    /// If their lengths don't fit together.
    #[inline]
    pub(crate) fn leaves(self, leaf: Leaf, step: &Step) {
        let uses_threats = matches!(leaf, Leaf::NotUnanswered | Leaf::NotUnansweredNorBoth);
        let (raw, _) = step.checked(uses_threats, true);
        // SAFETY: as for a step.
        unsafe { (self.0.leaves)(&raw, leaf) }
    }

    /// `out[i] = OR over the arrays of array[i]`; none where there is no array.
    ///
    /// # Panics
    /// If the arrays have not as many lines as `out`.
    #[inline]
    pub(crate) fn unite(self, out: &mut [Pack], arrays: &ArrayList) {
        let arrays = arrays.arrays();
        assert!(arrays.len == out.len());
        // SAFETY: the kernel exists; all arrays have as many lines as `out`, which is borrowed
        // mutably.
        unsafe { (self.0.unite)(out.as_mut_ptr(), 0, out.len(), arrays, 0) }
    }

    /// `out[i] = OR over the places of line i of` that line of `base`, shifted.
    ///
    /// # Panics
    /// If there are not places for as many lines as `out` has, or more than 7 for each, or one
    /// isn't in `base`.
    #[inline]
    pub(crate) fn unite_gathered(self, out: &mut [Pack], (base, by): Shifted, places: &Offsets) {
        let offsets = places.checked(out.len(), places.each, base);
        let run = self.0.unite_gathered[places.each];
        // SAFETY: the kernel exists; all places lie in `base`, and `out`, which is borrowed
        // mutably, has a line for each.
        unsafe { run(out.as_mut_ptr(), out.len(), (base.as_ptr(), by % 4), offsets) }
    }
}
