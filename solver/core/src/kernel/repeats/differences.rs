//! Conversion of literals to differences from earlier literals, and back.

use crate::kernel::Kernel;
use crate::kernel::bits::{Bits, BitsPass, DIFFERENCE_BYTES, WINDOW, run};
use crate::supers::Half;

/// The differences of a list of literals.
#[derive(Default)]
pub struct Differences {
    /// The masks of the nonzero bytes of each difference: bytes 0 to 7 of all literals, then bytes
    /// 8 to 15 of all literals.
    pub masks: Vec<u8>,
    /// The number of literals between each literal and the literal that was subtracted from it.
    pub choices: Vec<u8>,
    /// The nonzero bytes of all differences, followed by unused bytes.
    room: Vec<u8>,
    len: usize,
}

impl Differences {
    /// Computes the differences of `literals`. The first [`WINDOW`] literals have no difference;
    /// the next literals are compared to them.
    pub fn fill(&mut self, kernel: Kernel, literals: &[Half]) {
        let count = literals.len() - WINDOW;
        self.masks.resize(2 * count, 0);
        self.choices.resize(count, 0);
        if self.room.len() < DIFFERENCE_BYTES * count {
            self.room.resize(DIFFERENCE_BYTES * count, 0);
        }
        self.len = run(kernel, Subtract { to: self, literals });
    }

    /// Returns the nonzero bytes of all differences.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len]
    }
}

/// The arguments of [`Differences::fill`]. The pass returns the number of nonzero bytes.
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
            // SAFETY: each earlier literal took at most 16 bytes, and `bytes` has room for 16 bytes
            // of each literal.
            unsafe { bytes.as_mut_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().write_unaligned(kept) };
            at += mask.count_ones() as usize;
        }
        at
    }
}

/// Restores literals from their differences. Fills `literals` except for the first [`WINDOW`],
/// which the caller provides. `choices` has a nibble for each literal, low nibble first. `bytes`
/// must have [`DIFFERENCE_BYTES`] more bytes after its end. Returns `false` if the number of bytes
/// doesn't match the masks.
pub fn add(kernel: Kernel, choices: &[u8], masks: &[u8], bytes: &[u8], literals: &mut [Half]) -> bool {
    run(kernel, Add { choices, masks, bytes, literals })
}

/// The arguments of [`add`].
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
            // SAFETY: `choices` has half of `count` bytes, rounded up, and i is less than `count`.
            let pair = unsafe { *choices.get_unchecked(i / 2) };
            let nearest = usize::from(pair >> (i % 2 * 4) & 15);
            // SAFETY: the index is that of one of the 16 literals before this literal.
            let other = unsafe { *literals.get_unchecked(i + WINDOW - 1 - nearest) };
            // SAFETY: `at` is at most the number of set bits in all masks, and `bytes` has 16 bytes
            // more than that.
            let from = unsafe { bytes.as_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().read_unaligned() };
            let mask = u16::from_le_bytes([low, high]);
            at += mask.count_ones() as usize;
            let Half([a, b]) = bits.spread_bytes(mask, from);
            // SAFETY: i is less than `count`, and `literals` has `WINDOW + count` literals.
            unsafe { *literals.get_unchecked_mut(WINDOW + i) = Half([a ^ other.0[0], b ^ other.0[1]]) };
        }
        true
    }
}
