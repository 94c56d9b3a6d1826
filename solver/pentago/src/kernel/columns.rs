//! Bits picked out of words: those of values under a mask, packed one behind the other
//! ([`OpenBits`]); the same bit of many words ([`Columns`]). Both, and what does it for whole planes
//! ([`Bundle`](super::bundle::Bundle)), are what the codecs of open bits spend their time with. Every
//! level gives the same bits.

#[cfg(target_arch = "x86_64")]
use super::features;
use zerocopy::IntoBytes;
use zerocopy::little_endian::U64;

/// Words of which a column is taken.
pub(crate) const WIDTH: usize = 48;

/// Takes columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say which one failed"))]
    pub name: &'static str,
    take: fn(&[u64; WIDTH], u64, &mut [u64; 64]) -> usize,
}

impl Columns {
    /// All that this processor can run, the fastest first.
    pub fn available() -> Vec<Columns> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if features::bits() {
            if features::avx512() {
                all.push(Columns { name: "avx512", take: x86::columns_512 });
            }
            if features::avx2() {
                all.push(Columns { name: "avx2", take: x86::columns_256 });
            }
        }
        all.push(Columns { name: "portable", take: columns_portable });
        all
    }

    /// The fastest.
    pub fn best() -> Columns {
        Columns::available()[0]
    }

    /// For each place in the mask, the lowest first: the number whose bit j is that of word j at
    /// the place. Returns how many.
    #[inline]
    pub fn take(self, words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
        (self.take)(words, mask, columns)
    }
}

fn columns_portable(words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
    let mut rest = mask;
    let count = mask.count_ones() as usize;
    for column in &mut columns[..count] {
        let place = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        *column =
            words.iter().enumerate().fold(0, |column, (j, word)| column | (word >> (place % 64) & 1) << j);
    }
    count
}

/// Packs and unpacks the open bits of entries: the bits of `not_lose` that a guess leaves open,
/// then the bits of `win` where `not_lose` is 1 and the guess leaves it open.
///
/// Entry by entry, even rotations before odd ones, the lowest place first; both parts are filled up
/// to whole bytes with zeros. Open is what is 1 in `not_lose` of the guess and 0 in `win`; without
/// a guess everything.
#[derive(Clone, Copy)]
pub(crate) struct OpenBits {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say which one failed"))]
    pub name: &'static str,
    has_bmi2: bool,
}

/// The values of a board: the words of `win`, even rotations first, then those of `not_lose`.
pub(crate) trait ValueWords {
    /// Both sets.
    fn words(&self) -> [[u64; 4]; 2];

    /// The values with these sets.
    fn of_words(win: [u64; 4], not_lose: [u64; 4]) -> Self;
}

impl OpenBits {
    /// All that this processor can run, the fastest first.
    pub fn available() -> Vec<OpenBits> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if features::bits() {
            all.push(OpenBits { name: "bmi2", has_bmi2: true });
        }
        all.push(OpenBits { name: "portable", has_bmi2: false });
        all
    }

    /// The fastest.
    pub fn best() -> OpenBits {
        OpenBits::available()[0]
    }

    /// Appends the bits of entries, as many as the guess has.
    #[allow(unsafe_code)]
    pub fn pack<E: ValueWords>(
        self,
        entries: &[E],
        guess: &[E],
        scratch: &mut PackScratch,
        out: &mut Vec<u8>,
    ) {
        assert_eq!(entries.len(), guess.len());
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            // SAFETY: `available` says so only where the processor has the instructions.
            return unsafe { x86::pack(entries, guess, scratch, out) };
        }
        debug_assert!(!self.has_bmi2);
        // SAFETY: no special instruction is used.
        unsafe { pack::<E, Portable>(entries, guess, scratch, out) }
    }

    /// Fills as many entries as the guess has. Says whether the bytes are exactly those of such
    /// entries; otherwise they hold anything.
    #[allow(unsafe_code)]
    pub fn unpack<E: ValueWords>(self, bytes: &[u8], guess: &[E], entries: &mut [E]) -> bool {
        assert_eq!(entries.len(), guess.len());
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            // SAFETY: as above.
            return unsafe { x86::unpack(bytes, guess, entries) };
        }
        // SAFETY: no special instruction is used.
        unsafe { unpack::<E, Portable>(bytes, guess, entries) }
    }
}

/// What instruction sets do differently.
#[allow(unsafe_code)]
pub(super) trait Pick {
    /// The bits of a word under a mask, moved together at the low end.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn extract(word: u64, mask: u64) -> u64;

    /// The low bits of a word, spread over the places of a mask.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn deposit(word: u64, mask: u64) -> u64;
}

pub(super) struct Portable;

#[allow(unsafe_code)]
impl Pick for Portable {
    #[inline(always)]
    unsafe fn extract(word: u64, mut mask: u64) -> u64 {
        let (mut bits, mut i) = (0, 0);
        while mask != 0 {
            bits |= (word >> mask.trailing_zeros() & 1) << i;
            mask &= mask - 1;
            i += 1;
        }
        bits
    }

    #[inline(always)]
    unsafe fn deposit(mut word: u64, mut mask: u64) -> u64 {
        let mut bits = 0;
        while mask != 0 {
            bits |= (word & 1) << mask.trailing_zeros();
            mask &= mask - 1;
            word >>= 1;
        }
        bits
    }
}

/// What packing needs, kept from block to block: the words of both parts.
pub(crate) type PackScratch = [Vec<U64>; 2];

/// Puts bits together.
struct BitWriter<'a> {
    words: &'a mut [U64],
    full: usize,
    last: u64,
    used: u32,
}

impl<'a> BitWriter<'a> {
    fn new(words: &'a mut Vec<U64>, most_words: usize) -> BitWriter<'a> {
        // Whatever is in them is overwritten.
        words.resize(most_words + 1, U64::ZERO);
        BitWriter { words, full: 0, last: 0, used: 0 }
    }

    /// Appends the lowest `count` bits of a word that has no others. Nothing branches on where a
    /// word is full.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        let joined = self.last | bits << self.used;
        self.words[self.full] = joined.into();
        let used = self.used + count;
        let is_full = used >= 64;
        self.last = if is_full { bits >> 1 >> (63 - self.used) } else { joined };
        self.full += usize::from(is_full);
        self.used = used % 64;
    }

    /// Appends four words. As a rule they have so few bits that these fit into one.
    #[inline(always)]
    fn push_four(&mut self, bits: [u64; 4], counts: [u32; 4]) {
        let [a, b, c, d] = counts;
        let all = a + b + c + d;
        if all <= 64 {
            // Where all places before are taken, nothing is left to be shifted.
            let low = bits[0] | bits[1].wrapping_shl(a);
            let high = bits[2] | bits[3].wrapping_shl(c);
            self.push(low | high.wrapping_shl(a + b), all);
        } else {
            for (bits, count) in bits.into_iter().zip(counts) {
                self.push(bits, count);
            }
        }
    }

    fn finish(self, out: &mut Vec<u8>) {
        self.words[self.full] = self.last.into();
        let bytes = 8 * self.full + self.used.div_ceil(8) as usize;
        out.extend_from_slice(&self.words.as_bytes()[..bytes]);
    }
}

#[allow(unsafe_code)]
#[inline(always)]
unsafe fn pack<E: ValueWords, P: Pick>(
    entries: &[E],
    guess: &[E],
    scratch: &mut PackScratch,
    out: &mut Vec<u8>,
) {
    let mut to = scratch.each_mut().map(|words| BitWriter::new(words, 4 * entries.len()));
    for (entry, guess) in entries.iter().zip(guess) {
        let ([win, not_lose], [lower, upper]) = (entry.words(), guess.words());
        let (mut bits, mut counts) = ([[0; 4]; 2], [[0; 4]; 2]);
        for i in 0..4 {
            let open = upper[i] & !lower[i];
            let alive = open & not_lose[i];
            // SAFETY: the caller says that the processor has the instructions.
            [bits[0][i], bits[1][i]] = unsafe { [P::extract(not_lose[i], open), P::extract(win[i], alive)] };
            [counts[0][i], counts[1][i]] = [open.count_ones(), alive.count_ones()];
        }
        to[0].push_four(bits[0], counts[0]);
        to[1].push_four(bits[1], counts[1]);
    }
    to.into_iter().for_each(|to| to.finish(out));
}

/// The 64 bits from a place on, of which `count` matter; zeros behind the end.
#[inline(always)]
fn bits_at(bytes: &[u8], at: usize, count: u32) -> u64 {
    match bytes[(at / 8).min(bytes.len())..].first_chunk() {
        // As a rule there are few, and not at the end.
        Some(&eight) if count <= 57 => u64::from_le_bytes(eight) >> (at % 8),
        _ => bits_at_the_end(bytes, at),
    }
}

#[cold]
fn bits_at_the_end(bytes: &[u8], at: usize) -> u64 {
    let mut nine = [0; 16];
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let len = rest.len().min(9);
    nine[..len].copy_from_slice(&rest[..len]);
    (u128::from_le_bytes(nine) >> (at % 8)) as u64
}

/// The next bits, spread over the places of four masks.
///
/// # Safety
/// The processor has the instructions.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn deposit_four<P: Pick>(bytes: &[u8], at: &mut usize, masks: [u64; 4]) -> [u64; 4] {
    let mut counts = [0; 4];
    for i in 0..4 {
        counts[i] = masks[i].count_ones();
    }
    let [a, b, c, d] = counts;
    let all = a + b + c + d;
    let start = *at;
    *at += all as usize;
    // SAFETY: as above.
    unsafe {
        if all <= 57 {
            let bits = bits_at(bytes, start, all);
            let [second, third, fourth] = [bits >> a, bits >> (a + b), bits >> (a + b + c)];
            return [
                P::deposit(bits, masks[0]),
                P::deposit(second, masks[1]),
                P::deposit(third, masks[2]),
                P::deposit(fourth, masks[3]),
            ];
        }
        let mut start = start;
        let mut found = [0; 4];
        for i in 0..4 {
            found[i] = P::deposit(bits_at(bytes, start, counts[i]), masks[i]);
            start += counts[i] as usize;
        }
        found
    }
}

#[allow(unsafe_code)]
#[inline(always)]
unsafe fn unpack<E: ValueWords, P: Pick>(bytes: &[u8], guess: &[E], entries: &mut [E]) -> bool {
    let open_bits = |guess: &E| {
        let [lower, upper] = guess.words();
        (0..4).map(|i| (upper[i] & !lower[i]).count_ones()).sum::<u32>() as usize
    };
    let first: usize = guess.iter().map(open_bits).sum();
    let Some((first_bytes, second_bytes)) = bytes.split_at_checked(first.div_ceil(8)) else { return false };
    let mut at = [0; 2];
    for (entry, guess) in entries.iter_mut().zip(guess) {
        let [lower, upper] = guess.words();
        let mut open = [0; 4];
        for i in 0..4 {
            open[i] = upper[i] & !lower[i];
        }
        // SAFETY: the caller says that the processor has the instructions.
        unsafe {
            let found = deposit_four::<P>(bytes, &mut at[0], open);
            let won = deposit_four::<P>(second_bytes, &mut at[1], found);
            let (mut win, mut not_lose) = (lower, lower);
            for i in 0..4 {
                not_lose[i] |= found[i];
                win[i] |= won[i];
            }
            *entry = E::of_words(win, not_lose);
        }
    }
    // As many bytes as bits, and zeros in the last.
    let ended = |bytes: &[u8], at: usize| {
        bytes.len() == at.div_ceil(8) && (at.is_multiple_of(8) || bytes[at / 8] >> (at % 8) == 0)
    };
    ended(first_bytes, at[0]) && ended(second_bytes, at[1])
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{PackScratch, Pick, ValueWords, WIDTH};
    use core::arch::x86_64::*;

    struct Bmi2;

    impl Pick for Bmi2 {
        #[inline(always)]
        unsafe fn extract(word: u64, mask: u64) -> u64 {
            // SAFETY: the caller says that the processor has the instruction.
            unsafe { _pext_u64(word, mask) }
        }

        #[inline(always)]
        unsafe fn deposit(word: u64, mask: u64) -> u64 {
            // SAFETY: as above.
            unsafe { _pdep_u64(word, mask) }
        }
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
    pub unsafe fn pack<E: ValueWords>(
        entries: &[E],
        guess: &[E],
        scratch: &mut PackScratch,
        out: &mut Vec<u8>,
    ) {
        // SAFETY: the function has the features.
        unsafe { super::pack::<E, Bmi2>(entries, guess, scratch, out) }
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
    pub unsafe fn unpack<E: ValueWords>(bytes: &[u8], guess: &[E], entries: &mut [E]) -> bool {
        // SAFETY: the function has the features.
        unsafe { super::unpack::<E, Bmi2>(bytes, guess, entries) }
    }

    pub fn columns_256(words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
        #[target_feature(enable = "avx2,bmi1,popcnt")]
        fn compiled(words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
            let mut rest = mask;
            let count = mask.count_ones() as usize;
            for column in &mut columns[..count] {
                let bit = _mm256_set1_epi64x((rest & rest.wrapping_neg()) as i64);
                rest &= rest.wrapping_sub(1);
                *column = 0;
                for (i, four) in words.as_chunks::<4>().0.iter().enumerate() {
                    // SAFETY: four words are 32 bytes.
                    let four = unsafe { _mm256_loadu_si256(four.as_ptr().cast()) };
                    let has = _mm256_cmpeq_epi64(_mm256_and_si256(four, bit), bit);
                    *column |= (_mm256_movemask_pd(_mm256_castsi256_pd(has)) as u64) << (4 * i);
                }
            }
            count
        }
        // SAFETY: `Columns::available` hands this out only where the processor has the
        // instructions.
        unsafe { compiled(words, mask, columns) }
    }

    pub fn columns_512(words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
        #[target_feature(enable = "avx512f,bmi1,popcnt")]
        fn compiled(words: &[u64; WIDTH], mask: u64, columns: &mut [u64; 64]) -> usize {
            let mut rest = mask;
            let count = mask.count_ones() as usize;
            for column in &mut columns[..count] {
                let bit = _mm512_set1_epi64((rest & rest.wrapping_neg()) as i64);
                rest &= rest.wrapping_sub(1);
                *column = 0;
                for (i, eight) in words.as_chunks::<8>().0.iter().enumerate() {
                    // SAFETY: eight words are 64 bytes.
                    let eight = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
                    *column |= u64::from(_mm512_test_epi64_mask(eight, bit)) << (8 * i);
                }
            }
            count
        }
        // SAFETY: as above.
        unsafe { compiled(words, mask, columns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::{mix, random_entries};
    use crate::values::Entry;

    fn words(entry: &Entry) -> [[u64; 4]; 2] {
        entry.words()
    }

    #[test]
    fn every_kernel_takes_the_same_columns() {
        for seed in 0..200u64 {
            let words: [u64; WIDTH] = std::array::from_fn(|i| mix(1000 * seed + i as u64));
            let mask = [0, !0, 1, 1 << 63, mix(seed), mix(seed) & mix(!seed)][seed as usize % 6];
            let places: Vec<u32> = (0..64).filter(|place| mask >> place & 1 != 0).collect();
            for kernel in Columns::available() {
                let mut columns = [!0; 64];
                assert_eq!(kernel.take(&words, mask, &mut columns), places.len(), "{}", kernel.name);
                for (place, column) in places.iter().zip(columns) {
                    let bit = |j: usize| words[j] >> place & 1;
                    assert!(
                        (0..64).all(|j| column >> j & 1 == if j < WIDTH { bit(j) } else { 0 }),
                        "{}",
                        kernel.name
                    );
                }
            }
        }
    }

    /// Packed bits are those of the definition, and all kernels give the same.
    #[test]
    fn open_bits_are_packed() {
        for len in [1, 2, 9, 100] {
            let noise = random_entries(2 * len, 3);
            let guess: Vec<Entry> = noise[len..]
                .iter()
                .enumerate()
                .map(|(i, e)| {
                    // As in most blocks, few bits are open.
                    let mut few = *e;
                    for (half, win) in few.not_lose.0.iter_mut().zip(&e.win.0) {
                        for (w, word) in half.0.iter_mut().enumerate() {
                            *word = win.0[w] | *word & mix((2 * i + w) as u64) & mix(!(i as u64));
                        }
                    }
                    let open = Entry { win: Default::default(), not_lose: e.not_lose };
                    [*e, Entry::default(), open, few][i % 4]
                })
                .collect();
            // Values within the bounds.
            let within = |(entry, guess): (&Entry, &Entry)| {
                let ([win, not_lose], [lower, upper]) = (words(entry), words(guess));
                let mut entry = Entry::default();
                for i in 0..4 {
                    entry.win.0[i / 2].0[i % 2] = (win[i] | lower[i]) & upper[i];
                    entry.not_lose.0[i / 2].0[i % 2] = (not_lose[i] | win[i] | lower[i]) & upper[i];
                }
                entry
            };
            let entries: Vec<Entry> = noise.iter().zip(&guess).map(within).collect();
            let mut expected = Vec::new();
            for set in [1, 0] {
                let mut bits = Vec::new();
                for (entry, guess) in entries.iter().zip(&guess) {
                    let (entry, [lower, upper]) = (words(entry), words(guess));
                    for (i, place) in (0..4).flat_map(|i| (0..64).map(move |place| (i, place))) {
                        let is = |word: u64| word >> place & 1 != 0;
                        if is(upper[i]) && !is(lower[i]) && (set == 1 || is(entry[1][i])) {
                            bits.push(is(entry[set][i]));
                        }
                    }
                }
                let byte = |eight: &[bool]| {
                    eight.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i)
                };
                expected.extend(bits.chunks(8).map(byte));
            }
            for kernel in OpenBits::available() {
                let mut bytes = vec![7];
                // What was in the words before doesn't matter.
                let mut scratch = PackScratch::default();
                kernel.pack(&noise[..len], &guess, &mut scratch, &mut Vec::new());
                kernel.pack(&entries, &guess, &mut scratch, &mut bytes);
                assert!(bytes[0] == 7 && bytes[1..] == expected, "{}", kernel.name);
                let mut back = vec![Entry::default(); len];
                assert!(kernel.unpack(&expected, &guess, &mut back), "{}", kernel.name);
                assert!(back == entries, "{}", kernel.name);
                let longer = [&expected[..], &[0]].concat();
                assert!(!kernel.unpack(&longer, &guess, &mut back));
                if let Some((_, shorter)) = expected.split_last() {
                    assert!(!kernel.unpack(shorter, &guess, &mut back));
                }
            }
        }
    }
}
