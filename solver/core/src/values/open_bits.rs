//! The open bits of entries: the values that a guess leaves open.
//!
//! A guess is an entry with bounds: if the guess has 1 in `win` at a rotation, the rotation is won.
//! If the guess has 0 in `not_lose`, the rotation is lost. All other rotations are open. The open
//! bits have two parts. The first part has the bits of the entry's `not_lose` at the open
//! rotations. The second part has the bits of the entry's `win` at those open rotations where
//! `not_lose` is 1.
//!
//! Both parts list the bits entry by entry, even rotations before odd rotations, lowest bit first.
//! Each part is zero-padded to whole bytes.

use crate::kernel::Kernel;
use crate::kernel::bits::{Bits, BitsPass, run};
use crate::supers::{Half, Super};
use crate::values::{Entry, words};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U64;

/// Packs the open bits of a block into `open`. `entries` and `guess` must have equal lengths.
/// Returns both parts, or `None` if an entry is outside the bounds of its guess.
pub fn pack<'a>(
    kernel: Kernel,
    entries: &[Entry],
    guess: &[Entry],
    open: &'a mut OpenBits,
) -> Option<[&'a [u8]; 2]> {
    open.clear();
    pack_row(kernel, entries, guess, entries.len(), std::slice::from_mut(open));
    open.parts()
}

/// Decodes the open bits of a block in place. Before the call, `entries` has the guesses. After the
/// call, `entries` has the values. Returns `false` if `bytes` aren't the open bits of a block with
/// these guesses. In this case the contents of `entries` are unspecified. Decoding in place keeps
/// the block in the second-level cache.
pub fn unpack(kernel: Kernel, bytes: &[u8], entries: &mut [Entry]) -> bool {
    run(kernel, UnpackAll { bytes, entries })
}

/// The arguments of [`unpack`].
struct UnpackAll<'a> {
    bytes: &'a [u8],
    entries: &'a mut [Entry],
}

impl BitsPass for UnpackAll<'_> {
    type Output = bool;

    // With AVX-512 instructions, the compiler would move words to vector registers and back, which
    // is slow.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> bool {
        unpack_all(bits, self.bytes, self.entries)
    }
}

/// A string of bits. Its memory is reused after `BitString::clear`.
#[derive(Default)]
pub struct BitString {
    words: Vec<U64>,
    /// The number of full words of the string.
    full: usize,
    /// The bits after the full words. `used` is the number of these bits.
    last: u64,
    used: u32,
}

impl BitString {
    /// Removes all bits, but retains the memory.
    pub fn clear(&mut self) {
        (self.full, self.last, self.used) = (0, 0, 0);
    }

    /// Reserves memory for `words` more words. Returns a writer that appends bits to the string.
    pub fn writer(&mut self, words: usize) -> BitWriter<'_> {
        let needed = self.full + words + 1;
        if self.words.len() < needed {
            self.words.resize(needed, U64::ZERO);
        }
        let (full, last, used) = (self.full, self.last, self.used);
        BitWriter {
            words: &mut self.words,
            end: (&mut self.full, &mut self.last, &mut self.used),
            full,
            last,
            used,
        }
    }

    /// Returns the bits as bytes. The last byte is zero-padded.
    pub fn bytes(&mut self) -> &[u8] {
        let bytes = 8 * self.full + self.used.div_ceil(8) as usize;
        if let Some(word) = self.words.get_mut(self.full) {
            *word = self.last.into();
        }
        &self.words.as_bytes()[..bytes]
    }
}

/// A writer that appends bits to a string. The writer works in registers. [`BitWriter::finish`]
/// stores the result in the string.
pub struct BitWriter<'a> {
    words: &'a mut [U64],
    end: (&'a mut usize, &'a mut u64, &'a mut u32),
    full: usize,
    last: u64,
    used: u32,
}

impl BitWriter<'_> {
    /// Appends the lowest `count` bits of `bits`. All other bits of `bits` must be zero. The code
    /// needs no branch for the case that a word becomes full.
    #[inline(always)]
    pub fn push(&mut self, bits: u64, count: u32) {
        let joined = self.last | bits << self.used;
        self.words[self.full] = joined.into();
        let used = self.used + count;
        let is_full = used >= 64;
        self.last = if is_full { bits >> 1 >> (63 - self.used) } else { joined };
        self.full += usize::from(is_full);
        self.used = used % 64;
    }

    /// Appends the bits of two words. Each word is followed by its number of bits. Usually all the
    /// bits together fit in one word.
    #[inline(always)]
    fn push_two(&mut self, [(low, a), (high, b)]: [(u64, u32); 2]) {
        if a + b <= 64 {
            // If a is 64, then b is 0 and `high` is zero, so the wrapping shift has no effect.
            self.push(low | high.wrapping_shl(a), a + b);
        } else {
            self.push(low, a);
            self.push(high, b);
        }
    }

    /// Stores the state of the writer in the string.
    #[inline(always)]
    pub fn finish(self) {
        (*self.end.0, *self.end.1, *self.end.2) = (self.full, self.last, self.used);
    }
}

/// The open bits of a block, packed by [`pack`] or row by row by [`pack_row`].
#[derive(Default)]
pub struct OpenBits {
    parts: [BitString; 2],
    /// `true` if any entry is outside the bounds of its guess.
    is_outside: bool,
}

impl OpenBits {
    /// Removes all bits, so that another block can be packed.
    pub fn clear(&mut self) {
        self.parts.iter_mut().for_each(BitString::clear);
        self.is_outside = false;
    }

    /// Returns both parts, or `None` if an entry is outside the bounds of its guess.
    pub fn parts(&mut self) -> Option<[&[u8]; 2]> {
        let [first, second] = &mut self.parts;
        (!self.is_outside).then(|| [first.bytes(), second.bytes()])
    }
}

/// Appends the open bits of a row of entries to the blocks that contain the row. Each block
/// contains `edge` entries of the row. The last block may contain fewer.
pub fn pack_row(kernel: Kernel, entries: &[Entry], guess: &[Entry], edge: usize, blocks: &mut [OpenBits]) {
    assert_eq!(entries.len(), guess.len());
    run(kernel, PackRow { entries, guess, edge, blocks });
}

/// The arguments of [`pack_row`].
struct PackRow<'a> {
    entries: &'a [Entry],
    guess: &'a [Entry],
    edge: usize,
    blocks: &'a mut [OpenBits],
}

impl BitsPass for PackRow<'_> {
    type Output = ();

    // With AVX-512 instructions, the compiler would move words to vector registers and back, which
    // is slow.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<B: Bits>(self, with: B) {
        let parts = self.entries.chunks(self.edge).zip(self.guess.chunks(self.edge));
        for ((entries, guess), block) in parts.zip(self.blocks) {
            block.is_outside = block.is_outside || !pack_some(with, entries, guess, &mut block.parts);
        }
    }
}

/// Extracts from each word the bits that its mask selects. Returns each result with its number of
/// bits.
#[inline(always)]
fn extract_two<B: Bits>(with: B, words: [u64; 2], masks: [u64; 2]) -> [(u64, u32); 2] {
    [
        (with.extract(words[0], masks[0]), masks[0].count_ones()),
        (with.extract(words[1], masks[1]), masks[1].count_ones()),
    ]
}

/// Appends the open bits of `entries` to both parts. Stops at the first entry that is outside the
/// bounds of its guess, and returns `false` in this case. Returns `true` if all entries are within
/// the bounds.
#[inline(always)]
fn pack_some<B: Bits>(with: B, entries: &[Entry], guess: &[Entry], parts: &mut [BitString; 2]) -> bool {
    // Don't use a closure here: the compiler would build the closure without the instruction set of
    // `B`.
    let [first, second] = parts;
    let mut first = first.writer(4 * entries.len());
    let mut second = second.writer(4 * entries.len());
    for (entry, guess) in entries.iter().zip(guess) {
        if !with.are_nested([&guess.win, &entry.win, &entry.not_lose, &guess.not_lose]) {
            return false;
        }
        for parity in 0..2 {
            let [win, not_lose] = [entry.win.0[parity].0, entry.not_lose.0[parity].0];
            let [lower, upper] = [guess.win.0[parity].0, guess.not_lose.0[parity].0];
            let open = [upper[0] & !lower[0], upper[1] & !lower[1]];
            let alive = [open[0] & not_lose[0], open[1] & not_lose[1]];
            first.push_two(extract_two(with, not_lose, open));
            second.push_two(extract_two(with, win, alive));
        }
    }
    first.finish();
    second.finish();
    true
}

/// Returns the 64 bits that start at bit `at`. Bits after the end of `bytes` are zero.
#[inline(always)]
pub fn bits_at(bytes: &[u8], at: usize) -> u64 {
    match bytes[(at / 8).min(bytes.len())..].first_chunk::<16>() {
        Some(&sixteen) => {
            let [low, high]: [[u8; 8]; 2] = zerocopy::transmute!(sixteen);
            let by = at % 8;
            u64::from_le_bytes(low) >> by | u64::from_le_bytes(high) << 1 << (63 - by)
        }
        None => bits_at_the_end(bytes, at),
    }
}

// If this function were inlined, it would take registers from the loops, which hardly ever call it.
#[cold]
#[inline(never)]
fn bits_at_the_end(bytes: &[u8], at: usize) -> u64 {
    let mut sixteen = [0; 16];
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let len = rest.len().min(16);
    sixteen[..len].copy_from_slice(&rest[..len]);
    (u128::from_le_bytes(sixteen) >> (at % 8)) as u64
}

/// The minimum number of bits that remain in eight bytes after the first 0 to 7 bits are skipped.
const SHORT: usize = 57;

/// Returns at least [`SHORT`] bits that start at bit `at`. Bits after the end of `bytes` are zero.
#[inline(always)]
fn short_bits_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at / 8..).and_then(<[u8]>::first_chunk) {
        Some(&eight) => u64::from_le_bytes(eight) >> (at % 8),
        None => bits_at_the_end(bytes, at),
    }
}

/// Reads bits from bit `at` on, and stores them at the set bits of two masks. Advances `at` by the
/// number of bits read.
#[inline(always)]
fn deposit_two<B: Bits>(with: B, bytes: &[u8], at: &mut usize, [first, second]: [u64; 2]) -> [u64; 2] {
    let (a, b) = (first.count_ones() as usize, second.count_ones() as usize);
    let start = *at;
    *at += a + b;
    // Usually the masks have few set bits, so one word contains the bits for both masks.
    if a + b <= SHORT {
        let bits = short_bits_at(bytes, start);
        [with.deposit(bits, first), with.deposit(bits >> a, second)]
    } else {
        [with.deposit(bits_at(bytes, start), first), with.deposit(bits_at(bytes, start + a), second)]
    }
}

/// Decodes one parity of an entry in place. Before the call, `win` and `not_lose` have the guess.
/// After the call, they have the values. `at` is the current offset in bits in each of the two
/// parts.
#[inline(always)]
fn unpack_half<B: Bits>(
    with: B,
    parts: [&[u8]; 2],
    at: &mut [usize; 2],
    win: &mut Half,
    not_lose: &mut Half,
) {
    let open = [not_lose.0[0] & !win.0[0], not_lose.0[1] & !win.0[1]];
    let found = deposit_two(with, parts[0], &mut at[0], open);
    not_lose.0 = [win.0[0] | found[0], win.0[1] | found[1]];
    let won = deposit_two(with, parts[1], &mut at[1], found);
    win.0 = [win.0[0] | won[0], win.0[1] | won[1]];
}

#[inline(always)]
fn unpack_all<B: Bits>(with: B, bytes: &[u8], entries: &mut [Entry]) -> bool {
    let open_bits = |guess: &Entry| {
        let [lower, upper] = words(guess);
        (0..4).map(|i| (upper[i] & !lower[i]).count_ones()).sum::<u32>() as usize
    };
    let first: usize = entries.iter().map(open_bits).sum();
    let Some((first_bytes, second_bytes)) = bytes.split_at_checked(first.div_ceil(8)) else { return false };
    let mut at = [0; 2];
    for Entry { win: Super([even, odd]), not_lose: Super([even_kept, odd_kept]) } in entries {
        // Two calls, instead of a loop over the parities, let the compiler keep the words in
        // registers.
        unpack_half(with, [bytes, second_bytes], &mut at, even, even_kept);
        unpack_half(with, [bytes, second_bytes], &mut at, odd, odd_kept);
    }
    // Each part must have exactly as many bytes as its bits require, and its padding must be zero.
    let ended = |bytes: &[u8], at: usize| {
        bytes.len() == at.div_ceil(8) && (at.is_multiple_of(8) || bytes[at / 8] >> (at % 8) == 0)
    };
    ended(first_bytes, at[0]) && ended(second_bytes, at[1])
}
