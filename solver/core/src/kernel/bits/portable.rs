//! The operations on bits in portable code.

#[cfg(not(target_arch = "x86_64"))]
use super::operations::{BYTE_ONES, nonzero_bytes};
use super::operations::{Bits, DIFFERENCE_BYTES, Fields, WINDOW, least_difference};
#[cfg(target_arch = "x86_64")]
use super::x86::different_bytes;
use crate::supers::Half;

/// The operations in plain Rust, which run on every CPU.
#[derive(Clone, Copy)]
pub(super) struct PortableBits;

impl Bits for PortableBits {
    #[inline(always)]
    fn extract(self, word: u64, mut mask: u64) -> u64 {
        let (mut bits, mut i) = (0, 0);
        while mask != 0 {
            bits |= (word >> mask.trailing_zeros() & 1) << i;
            mask &= mask - 1;
            i += 1;
        }
        bits
    }

    #[inline(always)]
    fn deposit(self, mut word: u64, mut mask: u64) -> u64 {
        let mut bits = 0;
        while mask != 0 {
            bits |= (word & 1) << mask.trailing_zeros();
            mask &= mask - 1;
            word >>= 1;
        }
        bits
    }

    #[inline(always)]
    fn plane_columns(self, fields: &Fields, mask: [u64; 2], columns: &mut [u32; 64]) -> usize {
        let mut count = 0;
        for word in 0..2 {
            let mut rest = mask[word];
            while rest != 0 {
                let place = rest.trailing_zeros();
                rest &= rest - 1;
                let column =
                    (0..32).fold(0, |column, j| column | ((fields[j][word] >> place) as u32 & 1) << j);
                columns[count % 64] = column;
                count += 1;
            }
        }
        count
    }

    #[inline(always)]
    fn extract_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            // Write every byte without a branch. The next byte overwrites a byte that isn't
            // selected.
            to[at % 64] = byte;
            at += (mask >> i & 1) as usize;
        }
    }

    #[inline(always)]
    fn deposit_bytes(self, bytes: &[u8; 64], mask: u64, to: &mut [u8; 64]) {
        let mut at = 0;
        for (i, to) in to.iter_mut().enumerate() {
            let is_kept = (mask >> i & 1) as u8;
            *to |= is_kept * bytes[at % 64];
            at += usize::from(is_kept);
        }
    }

    #[inline(always)]
    fn subtract(self, before: &[Half; WINDOW], literal: Half) -> (u8, u16, [u8; DIFFERENCE_BYTES]) {
        let (between, difference) = least_difference(before, literal, different_bytes);
        let (mut mask, mut at, mut kept) = (0, 0, [0; DIFFERENCE_BYTES]);
        let all = difference.map(u64::to_le_bytes);
        for (i, &byte) in all.as_flattened().iter().enumerate() {
            // Write every byte without a branch. The next byte overwrites a zero byte. Zeros after
            // the last nonzero byte remain as padding.
            kept[at % DIFFERENCE_BYTES] = byte;
            mask |= u16::from(byte != 0) << i;
            at += usize::from(byte != 0);
        }
        (between, mask, kept)
    }

    #[inline(always)]
    fn spread_bytes(self, mask: u16, bytes: [u8; DIFFERENCE_BYTES]) -> Half {
        let mut at = 0;
        let spread: [u8; DIFFERENCE_BYTES] = std::array::from_fn(|i| {
            let is_kept = (mask >> i & 1) as u8;
            let byte = bytes[at % DIFFERENCE_BYTES] * is_kept;
            at += usize::from(is_kept);
            byte
        });
        Half::from_bytes(spread)
    }
}

/// Returns the number of bytes in which `a` and `b` differ.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn different_bytes(a: Half, b: Half) -> u32 {
    let of = |part: usize| nonzero_bytes(a.0[part] ^ b.0[part]);
    ((of(0) + of(1)).wrapping_mul(BYTE_ONES) >> 56) as u32
}
