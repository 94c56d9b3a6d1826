//! Whole entries in portable code. The four half supers of an entry are processed one after the
//! other.

use super::whole::{LineWords, Whole};
use crate::kernel::formula::{BOTH, CW_EVEN, CW_ODD};
use crate::kernel::lanes::{Lanes, Pack};
use crate::kernel::portable::{Portable, next_r1, other_h, previous_r1};
use crate::supers::{Half, Super};

/// The bits of a 64-bit word where `r1 + r2 + r3` is even, in a half super of parity 0. At these
/// rotations, r0 is even.
pub(super) const EVEN: u64 = 0x55aa_55aa_aa55_aa55;

#[inline(always)]
fn zip(a: [Portable; 4], b: [Portable; 4], f: impl Fn(u64, u64) -> u64) -> [Portable; 4] {
    std::array::from_fn(|i| Portable(std::array::from_fn(|w| f(a[i].0[w], b[i].0[w]))))
}

/// Shifts a half super along axis 3. In the result, the 32-bit word of r3 is the word of r3 + `by`
/// in `x`.
#[inline(always)]
fn next_r3(x: [u64; 2], by: u8) -> [u64; 2] {
    let all = u128::from(x[0]) | u128::from(x[1]) << 64;
    let all = all.rotate_right(32 * u32::from(by));
    [all as u64, (all >> 64) as u64]
}

// SAFETY: the trait requires that the methods access only the entry or super at their pointer. The
// methods do so, and run on every CPU.
unsafe impl Whole for [Portable; 4] {
    #[inline(always)]
    unsafe fn load(p: *const Pack) -> Self {
        // SAFETY: the caller guarantees that `p` is valid for reading an entry.
        unsafe { *p }.0.map(|half| Portable(half.0))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut Pack) {
        // SAFETY: the caller guarantees that `p` is valid for writing an entry.
        unsafe { *p = Pack(self.map(|half| Half(half.0))) }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        [Portable([!0; 2]); 4]
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        zip(self, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        zip(self, b, |a, b| a | b)
    }
    #[inline(always)]
    fn not(self) -> Self {
        zip(self, self, |a, _| !a)
    }
    #[inline(always)]
    fn select(self, a: Self, b: Self) -> Self {
        zip(zip(self, a, |s, a| s & a), zip(self, b, |s, b| !s & b), |a, b| a | b)
    }
    #[inline(always)]
    fn second(self) -> Self {
        let nothing = Portable([0; 2]);
        [nothing, nothing, self[2], self[3]]
    }
    #[inline(always)]
    fn other_planes(self) -> Self {
        [self[2], self[3], self[0], self[1]]
    }
    #[inline(always)]
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self {
        [even, odd, even, odd].map(Portable)
    }
    #[inline(always)]
    fn bytes(self, places: &'static [u8; 16]) -> Self {
        self.map(|Portable([a, b])| {
            let all = (u128::from(a) | u128::from(b) << 64).to_le_bytes();
            let moved = u128::from_le_bytes(places.map(|place| all[usize::from(place % 16)]));
            Portable([moved as u64, (moved >> 64) as u64])
        })
    }
    #[inline(always)]
    fn left<const BY: u32>(self) -> Self {
        self.map(|half| Portable(half.0.map(|word| word << BY)))
    }
    #[inline(always)]
    fn right<const BY: u32>(self) -> Self {
        self.map(|half| Portable(half.0.map(|word| word >> BY)))
    }
    #[inline(always)]
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self {
        std::array::from_fn(|i| {
            let parity = i % 2;
            let x = self[if BY.is_multiple_of(2) { i } else { i ^ 1 }].0;
            Portable(match (AXIS, BY) {
                (_, 0) => x,
                (0, 2) => x.map(other_h),
                (0, _) => {
                    // r0 + 1 has another h than r0 if and only if r0 is odd. r0 + 3 has another h
                    // than r0 if and only if r0 is even.
                    let stays = if parity == usize::from(BY == 3) { EVEN } else { !EVEN };
                    x.map(|x| x & stays | other_h(x) & !stays)
                }
                (1, 1) => x.map(next_r1),
                (1, 2) => x.map(|x| next_r1(next_r1(x))),
                (1, _) => x.map(previous_r1),
                (2, _) => x.map(|x| {
                    let by = 8 * u32::from(BY);
                    u64::from((x as u32).rotate_right(by))
                        | u64::from(((x >> 32) as u32).rotate_right(by)) << 32
                }),
                _ => next_r3(x, BY),
            })
        })
    }
    #[inline(always)]
    unsafe fn shifted_last(self, by: u8) -> Self {
        std::array::from_fn(|i| Portable(next_r3(self[i ^ usize::from(by % 2)].0, by)))
    }
    #[inline(always)]
    unsafe fn both(p: *const Super) -> Self {
        // SAFETY: the caller guarantees that `p` is valid for reading a super.
        let [even, odd] = unsafe { *p }.0.map(|half| Portable(half.0));
        [even, odd, even, odd]
    }
    #[inline(always)]
    fn rotation_max<const CW: bool>(self) -> Self {
        let [a, b, c, d] = self;
        if CW {
            let max = |even: Portable, odd: Portable| {
                [odd.rotation_max::<CW_EVEN>(), even.rotation_max::<CW_ODD>()]
            };
            let ([x, y], [z, w]) = (max(c, d), max(a, b));
            [x, y, z, w]
        } else {
            [d, c, b, a].map(|half| half.rotation_max::<BOTH>())
        }
    }
    #[inline(always)]
    unsafe fn fives(words: &LineWords, last: &[u32; 4]) -> Super {
        let half = |parity: usize| {
            let word = |r3: usize| {
                let words = &words.0[32 * ((parity + r3) % 2)..][..32];
                let bits = words.iter().enumerate().map(|(k, word)| u32::from(word & last[r3] != 0) << k);
                u64::from(bits.fold(0, |a, b| a | b))
            };
            Half([word(0) | word(1) << 32, word(2) | word(3) << 32])
        };
        Super([half(0), half(1)])
    }
}
