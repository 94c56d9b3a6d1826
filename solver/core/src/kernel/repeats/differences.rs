//! Conversion of literals to differences from preceding literals, and back.

use crate::kernel::Kernel;
use crate::kernel::bits::{Bits, BitsPass, DIFFERENCE_BYTES, WINDOW, run};
use crate::supers::Half;

/// The differences of a list of literals.
#[derive(Default)]
pub struct Differences {
    /// The masks of the nonzero bytes of all differences: first the masks of bytes 0 to 7 of every
    /// difference, then the masks of bytes 8 to 15.
    pub masks: Vec<u8>,
    /// For each literal, the distance to the literal with which it was compared: the number of
    /// literals between the two.
    pub choices: Vec<u8>,
    /// The nonzero bytes of all differences, followed by unused capacity.
    room: Vec<u8>,
    len: usize,
}

impl Differences {
    /// Computes the differences of `literals`. The first [`WINDOW`] literals have no difference,
    /// because they only serve as a window for the following literals.
    pub fn fill(&mut self, kernel: Kernel, literals: &[Half]) {
        let count = literals.len() - WINDOW;
        self.masks.resize(2 * count, 0);
        self.choices.resize(count, 0);
        if self.room.len() < DIFFERENCE_BYTES * count {
            self.room.resize(DIFFERENCE_BYTES * count, 0);
        }
        self.len = run(kernel, Subtract { to: self, literals });
    }

    /// Returns the nonzero bytes of all differences, in order.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len]
    }
}

/// The pass that [`Differences::fill`] runs. It returns the number of nonzero bytes.
struct Subtract<'a> {
    to: &'a mut Differences,
    literals: &'a [Half],
}

impl BitsPass for Subtract<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> usize {
        let Subtract { to, literals } = self;
        let count = to.choices.len();
        let (low, high) = to.masks.split_at_mut(count);
        let bytes = &mut to.room[..DIFFERENCE_BYTES * count];
        assert!(literals.len() == WINDOW + count && high.len() == count);
        let mut at = 0;
        let each = low.iter_mut().zip(high).zip(&mut to.choices);
        for (window, ((low, high), choice)) in literals.windows(WINDOW + 1).zip(each) {
            let (before, literal) = window.split_first_chunk().expect("a window and one more");
            let (between, mask, kept) = bits.subtract(before, literal[0]);
            *choice = between;
            [*low, *high] = mask.to_le_bytes();
            // SAFETY: each preceding literal has written at most 16 bytes, and `bytes` has 16 bytes
            // for each literal, so 16 bytes remain for this literal.
            unsafe { bytes.as_mut_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().write_unaligned(kept) };
            at += mask.count_ones() as usize;
        }
        at
    }
}

/// Restores literals from their differences. The caller provides the first [`WINDOW`] elements of
/// `literals`, and this function fills the others. `choices` has a nibble for each literal, low
/// nibble first. `bytes` must have [`DIFFERENCE_BYTES`] unused bytes at its end. Returns `false` if
/// the number of bytes doesn't match the masks.
pub fn add(kernel: Kernel, choices: &[u8], masks: &[u8], bytes: &[u8], literals: &mut [Half]) -> bool {
    run(kernel, Add { choices, masks, bytes, literals })
}

/// The pass that [`add`] runs.
struct Add<'a> {
    choices: &'a [u8],
    masks: &'a [u8],
    bytes: &'a [u8],
    literals: &'a mut [Half],
}

impl BitsPass for Add<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> bool {
        let Add { choices, masks, bytes, literals } = self;
        let count = literals.len() - WINDOW;
        let (low, high) = masks.split_at(count);
        assert!(high.len() == count && choices.len() == count.div_ceil(2));
        let (words, rest) = masks.as_chunks();
        let ones = words.iter().map(|&word| u64::from_le_bytes(word).count_ones() as usize).sum::<usize>()
            + rest.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
        if ones + DIFFERENCE_BYTES != bytes.len() {
            return false;
        }
        let mut at = 0;
        for (i, (&low, &high)) in low.iter().zip(high).enumerate() {
            // SAFETY: `i` is less than `count`, and the assertion has checked that `choices` has
            // `count / 2` bytes, rounded up.
            let pair = unsafe { *choices.get_unchecked(i / 2) };
            let nearest = usize::from(pair >> (i % 2 * 4) & 15);
            // SAFETY: the index belongs to one of the 16 literals that precede literal `i`.
            let other = unsafe { *literals.get_unchecked(i + WINDOW - 1 - nearest) };
            // SAFETY: `at` is at most the number of ones in all masks. `bytes` has 16 bytes more
            // than this number, which was checked before the loop.
            let from = unsafe { bytes.as_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().read_unaligned() };
            let mask = u16::from_le_bytes([low, high]);
            at += mask.count_ones() as usize;
            let Half([a, b]) = bits.spread_bytes(mask, from);
            // SAFETY: `i` is less than `count`, and `literals` has `WINDOW + count` elements.
            unsafe { *literals.get_unchecked_mut(WINDOW + i) = Half([a ^ other.0[0], b ^ other.0[1]]) };
        }
        true
    }
}
