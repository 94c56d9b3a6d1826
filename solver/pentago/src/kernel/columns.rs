//! Bits picked out of words: those of values under a mask, packed one behind the other
//! ([`OpenBits`]); the same bit of many words ([`Columns`]). Both are what the codecs of open bits
//! spend their time with. Every level gives the same bits.

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
        {
            if is_x86_feature_detected!("avx512f") {
                all.push(Columns { name: "avx512", take: x86::columns_512 });
            }
            if is_x86_feature_detected!("avx2") {
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
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
        {
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
    pub fn pack<E: ValueWords>(self, entries: &[E], guess: &[E], out: &mut Vec<u8>) {
        assert_eq!(entries.len(), guess.len());
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            // SAFETY: `available` says so only where the processor has the instructions.
            return unsafe { x86::pack(entries, guess, out) };
        }
        debug_assert!(!self.has_bmi2);
        // SAFETY: no special instruction is used.
        unsafe { pack::<E, Portable>(entries, guess, out) }
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
trait Pick {
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

struct Portable;

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

/// Puts bits together.
struct BitWriter {
    words: Vec<u64>,
    full: usize,
    last: u64,
    used: u32,
}

impl BitWriter {
    fn new(most_words: usize) -> BitWriter {
        BitWriter { words: vec![0; most_words + 1], full: 0, last: 0, used: 0 }
    }

    /// Appends the lowest `count` bits of a word that has no others. Nothing branches on where a
    /// word is full.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        let joined = self.last | bits << self.used;
        self.words[self.full] = joined;
        let used = self.used + count;
        let is_full = used >= 64;
        self.last = if is_full { bits >> 1 >> (63 - self.used) } else { joined };
        self.full += usize::from(is_full);
        self.used = used % 64;
    }

    fn finish(mut self, out: &mut Vec<u8>) {
        self.words[self.full] = self.last;
        let bytes = 8 * self.full + self.used.div_ceil(8) as usize;
        let start = out.len();
        out.extend(self.words[..=self.full].iter().flat_map(|word| word.to_le_bytes()));
        out.truncate(start + bytes);
    }
}

#[allow(unsafe_code)]
#[inline(always)]
unsafe fn pack<E: ValueWords, P: Pick>(entries: &[E], guess: &[E], out: &mut Vec<u8>) {
    let mut to = [0; 2].map(|_| BitWriter::new(4 * entries.len()));
    for (entry, guess) in entries.iter().zip(guess) {
        let ([win, not_lose], [lower, upper]) = (entry.words(), guess.words());
        for i in 0..4 {
            let open = upper[i] & !lower[i];
            let alive = open & not_lose[i];
            // SAFETY: the caller says that the processor has the instructions.
            let bits = unsafe { [P::extract(not_lose[i], open), P::extract(win[i], alive)] };
            to[0].push(bits[0], open.count_ones());
            to[1].push(bits[1], alive.count_ones());
        }
    }
    to.into_iter().for_each(|to| to.finish(out));
}

/// Takes bits apart.
struct BitReader<'a> {
    words: &'a [u64],
    at: usize,
}

impl BitReader<'_> {
    /// The next 64 bits, of which `count` are taken; zeros behind the end.
    #[inline(always)]
    fn take(&mut self, count: u32) -> u64 {
        let (i, shift) = (self.at / 64, self.at as u32 % 64);
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        self.at += count as usize;
        word(i) >> shift | word(i + 1) << 1 << (63 - shift)
    }
}

#[allow(unsafe_code)]
#[inline(always)]
unsafe fn unpack<E: ValueWords, P: Pick>(bytes: &[u8], guess: &[E], entries: &mut [E]) -> bool {
    let open_bits = |guess: &E| {
        let [lower, upper] = guess.words();
        (0..4).map(|i| (upper[i] & !lower[i]).count_ones() as usize).sum::<usize>()
    };
    let first: usize = guess.iter().map(open_bits).sum();
    let Some((first_bytes, second_bytes)) = bytes.split_at_checked(first.div_ceil(8)) else { return false };
    let [first_words, second_words] = [first_bytes, second_bytes].map(|bytes| {
        let word = |c: &[u8]| {
            let mut word = [0; 8];
            word[..c.len()].copy_from_slice(c);
            u64::from_le_bytes(word)
        };
        bytes.chunks(8).map(word).collect::<Vec<u64>>()
    });
    let mut from = [&first_words, &second_words].map(|words| BitReader { words, at: 0 });
    for (entry, guess) in entries.iter_mut().zip(guess) {
        let [lower, upper] = guess.words();
        let (mut win, mut not_lose) = (lower, lower);
        for i in 0..4 {
            let open = upper[i] & !lower[i];
            // SAFETY: the caller says that the processor has the instructions.
            let found = unsafe { P::deposit(from[0].take(open.count_ones()), open) };
            not_lose[i] |= found;
            // SAFETY: as above.
            win[i] |= unsafe { P::deposit(from[1].take(found.count_ones()), found) };
        }
        *entry = E::of_words(win, not_lose);
    }
    // As many bytes as bits, and zeros in the last.
    let ended = |bytes: &[u8], at: usize| {
        bytes.len() == at.div_ceil(8) && (at.is_multiple_of(8) || bytes[at / 8] >> (at % 8) == 0)
    };
    ended(first_bytes, from[0].at) && ended(second_bytes, from[1].at)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{Pick, ValueWords, WIDTH};
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
    pub unsafe fn pack<E: ValueWords>(entries: &[E], guess: &[E], out: &mut Vec<u8>) {
        // SAFETY: the function has the features.
        unsafe { super::pack::<E, Bmi2>(entries, guess, out) }
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
                    [*e, Entry::default(), Entry { win: Default::default(), not_lose: e.not_lose }][i % 3]
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
                kernel.pack(&entries, &guess, &mut bytes);
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
