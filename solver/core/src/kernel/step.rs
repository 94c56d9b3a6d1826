//! One step of retrograde analysis over an array of half supers, with a safe interface. The lengths
//! of slices and the offsets are checked once for each array, never for each line.

use super::formula::{Combine, Leaf, Turns};
use super::lanes::{Arrays, Pack, RawStep};
use super::passes::Passes;
use std::marker::PhantomData;

/// An array of lines, and the number of places (modulo 4) by which each of its lines must be
/// rotated.
pub type Shifted<'a> = (&'a [Pack], u8);

/// A list of arrays to unite line by line. Each array has at least the number of lines of the list.
/// Arrays whose lines must be rotated are listed separately.
#[derive(Default)]
pub struct ArrayList<'a> {
    straight: Vec<*const Pack>,
    shifted: Vec<(*const Pack, u8)>,
    len: usize,
    arrays: PhantomData<&'a [Pack]>,
}

impl<'a> ArrayList<'a> {
    /// Clears the list, for arrays with `len` lines.
    #[inline]
    pub fn begin(&mut self, len: usize) {
        self.straight.clear();
        self.shifted.clear();
        self.len = len;
    }

    /// Adds an array whose lines aren't rotated.
    ///
    /// # Panics
    /// If the array has fewer lines than the list.
    #[inline]
    pub fn push(&mut self, array: &'a [Pack]) {
        assert!(array.len() >= self.len);
        self.straight.push(array.as_ptr());
    }

    /// Adds an array whose lines must be rotated by `by` places (modulo 4).
    ///
    /// # Panics
    /// If the array has fewer lines than the list.
    #[inline]
    pub fn push_shifted(&mut self, (array, by): Shifted<'a>) {
        if by % 4 == 0 {
            self.push(array);
        } else {
            assert!(array.len() >= self.len);
            self.shifted.push((array.as_ptr(), by % 4));
        }
    }

    /// Empties the list and reuses its memory for arrays of another lifetime.
    #[must_use]
    pub fn recycled<'b>(mut self) -> ArrayList<'b> {
        self.begin(0);
        ArrayList { straight: self.straight, shifted: self.shifted, len: 0, arrays: PhantomData }
    }

    /// Returns the arrays as pointers. Each pointer is valid for `len` lines while the list is
    /// borrowed.
    pub(super) fn arrays(&self) -> Arrays<'_> {
        Arrays { straight: &self.straight, shifted: &self.shifted, len: self.len }
    }
}

/// The offsets of lines in another array: the same number of offsets for each line of an array.
#[derive(Clone, Debug)]
pub struct Offsets {
    /// The offsets in bytes, which vector instructions need.
    bytes: Box<[u16]>,
    len: usize,
    each: usize,
    /// All offsets are less than this number of lines.
    bound: usize,
}

impl Offsets {
    /// Returns the offsets for `len` lines, `each` of them for each line. `lines` are offsets in
    /// lines.
    ///
    /// # Panics
    /// If the number of offsets isn't `len * each`, or an offset exceeds 64 KiB.
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

    /// Returns a pointer to the offsets in bytes.
    ///
    /// # Panics
    /// Unless there are `each` offsets for each of `len` lines, and all of them are in `base`.
    #[inline]
    fn checked(&self, len: usize, each: usize, base: &[Pack]) -> *const u16 {
        assert!(self.len == len && self.each == each && self.bound <= base.len());
        self.bytes.as_ptr()
    }
}

/// The destination of an array of lines. Stores may bypass the caches, so nobody may read the
/// memory before a fence.
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
    /// While the result lives, `start` is valid for `len` lines, and no other thread accesses them.
    /// With `streaming`, this thread calls [`fence`](super::lanes::fence) before any thread reads
    /// the lines.
    #[inline]
    pub(super) unsafe fn new(start: *mut Pack, len: usize, streaming: bool) -> Self {
        ArrayOut { start, len, streaming, memory: PhantomData }
    }
}

/// The arguments of one step of retrograde analysis: an array of boards, four in a line, that
/// differ only in their low sockets.
pub struct Step<'a> {
    /// The lines that receive the results.
    pub out: ArrayOut<'a>,
    /// The children by sockets that aren't low.
    pub children: &'a ArrayList<'a>,
    /// The value of all words of the union of no children.
    pub none: u64,
    /// The children of the next step, which are prefetched during this step.
    pub next: &'a ArrayList<'a>,
    /// The array with the children by low sockets, and the offsets of the children of each line.
    /// `None` if no low socket is free.
    pub low: Option<(&'a [Pack], &'a Offsets)>,
    /// The boards where a placement on a low socket makes five, for each line. Unused by leaves
    /// without `P`.
    pub threats: &'a [Pack],
    /// The boards where a placement on another socket makes five, for each low subset of the mover.
    /// Unused by leaves without `P`.
    pub mover_threats: &'a [Pack],
    /// The boards where the mover has five, for each low subset of the mover. Used by leaves and by
    /// formulas with `M`.
    pub mover_fives: &'a [Pack],
    /// The index of the mover's low subset, for each line.
    pub mover_offsets: &'a Offsets,
    /// The boards where the other player has five, for each low subset of the other player.
    pub other_fives: &'a [Pack],
    /// The index of the other player's low subset, for each line.
    pub other_offsets: &'a Offsets,
}

impl Step<'_> {
    /// Checks the step. Returns its raw form, and the number of children by low sockets of each
    /// line.
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length.
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

impl Passes {
    /// Runs a [`Step`].
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length, or a line has more than 7 children by
    /// low sockets.
    #[inline]
    pub(crate) fn step(self, turns: Turns, combine: Combine, step: &Step) {
        let uses_fives = matches!(combine, Combine::Mixed | Combine::AnswerAlone);
        let (raw, low) = step.checked(true, uses_fives);
        let run = self.0.steps[turns.index()][combine as usize][low];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The step was
        // checked for the fields that this formula uses: all arrays have the lines that are read.
        // `out` is borrowed mutably.
        unsafe { run(&raw) }
    }

    /// Runs a [`Step`] with the formula of a leaf.
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length.
    #[inline]
    pub(crate) fn leaves(self, leaf: Leaf, step: &Step) {
        let uses_threats = matches!(leaf, Leaf::NotUnanswered | Leaf::NotUnansweredNorBoth);
        let (raw, _) = step.checked(uses_threats, true);
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The step was
        // checked for the fields that this leaf uses, and `out` is borrowed mutably.
        unsafe { (self.0.leaves)(&raw, leaf) }
    }

    /// Computes `out[i] = OR over the arrays of array[i]`. Without arrays, all values are false.
    ///
    /// # Panics
    /// If the list is for another number of lines than `out` has.
    #[inline]
    pub(crate) fn unite(self, out: &mut [Pack], arrays: &ArrayList) {
        let arrays = arrays.arrays();
        assert!(arrays.len == out.len());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; all arrays
        // have at least the lines of `out`, which is borrowed mutably.
        unsafe { (self.0.unite)(out.as_mut_ptr(), 0, out.len(), arrays, 0) }
    }

    /// Computes `out[i] = OR over the offsets of line i of base[offset]`, rotated.
    ///
    /// # Panics
    /// If the offsets are for another number of lines than `out` has, there are more than 7 for
    /// each line, or an offset isn't in `base`.
    #[inline]
    pub(crate) fn unite_gathered(self, out: &mut [Pack], (base, by): Shifted, offsets: &Offsets) {
        let start = offsets.checked(out.len(), offsets.each, base);
        let run = self.0.unite_gathered[offsets.each];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions; all offsets
        // are in `base`, and there are `each` offsets for each line of `out`, which is borrowed
        // mutably.
        unsafe { run(out.as_mut_ptr(), out.len(), (base.as_ptr(), by % 4), start) }
    }
}
