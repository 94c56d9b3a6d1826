//! Literals as differences to those before them, and back.

#![allow(unsafe_code)]

use crate::kernel::Kernel;
use crate::kernel::bits::{Bits, BitsPass, DIFFERENCE_BYTES, WINDOW, run};
use crate::supers::Half;

/// What becomes of literals.
#[derive(Default)]
pub struct Differences {
    /// By literal: which of the bytes 0 to 7 of its difference aren't zero; then the same for
    /// bytes 8 to 15.
    pub masks: Vec<u8>,
    /// By literal: how many literals are between it and the one it is compared to.
    pub choices: Vec<u8>,
    /// Those bytes, and room for more.
    room: Vec<u8>,
    len: usize,
}

impl Differences {
    /// Of `literals`, the first [`WINDOW`] of which are only there to be compared to.
    pub fn fill(&mut self, kernel: Kernel, literals: &[Half]) {
        let count = literals.len() - WINDOW;
        self.masks.resize(2 * count, 0);
        self.choices.resize(count, 0);
        if self.room.len() < DIFFERENCE_BYTES * count {
            self.room.resize(DIFFERENCE_BYTES * count, 0);
        }
        self.len = run(kernel, Subtract { to: self, literals });
    }

    /// Returns the bytes of the differences that aren't zero.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.len]
    }
}

/// Fills the lists, and says how many bytes there are.
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
            // SAFETY: each literal before this one took at most 16 bytes, and there is room for as
            // many of this one.
            unsafe { bytes.as_mut_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().write_unaligned(kept) };
            at += mask.count_ones() as usize;
        }
        at
    }
}

/// Returns the inverse: fills `literals` but for the first [`WINDOW`], which are there. `bytes` have
/// [`DIFFERENCE_BYTES`] more behind them, and `choices` are nibbles. Says whether there are as many
/// bytes as the masks say.
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
            // SAFETY: i / 2 is less than half of the count, rounded up.
            let pair = unsafe { *choices.get_unchecked(i / 2) };
            let nearest = usize::from(pair >> (i % 2 * 4) & 15);
            // SAFETY: this is one of the 16 before the literal.
            let other = unsafe { *literals.get_unchecked(i + WINDOW - 1 - nearest) };
            // SAFETY: `at` is at most the number of bytes that the masks say, and behind as many there
            // are 16 more.
            let from = unsafe { bytes.as_ptr().add(at).cast::<[u8; DIFFERENCE_BYTES]>().read_unaligned() };
            let mask = u16::from_le_bytes([low, high]);
            at += mask.count_ones() as usize;
            let Half([a, b]) = bits.spread_bytes(mask, from);
            // SAFETY: i is less than the count.
            unsafe { *literals.get_unchecked_mut(WINDOW + i) = Half([a ^ other.0[0], b ^ other.0[1]]) };
        }
        true
    }
}
