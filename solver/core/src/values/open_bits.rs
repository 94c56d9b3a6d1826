//! The open bits of entries, packed: those of `not_lose` that a guess leaves open, then those of
//! `win` where `not_lose` is 1 and the guess leaves it open.
//!
//! Entry by entry, even rotations before odd ones, the lowest place first; both parts are filled up
//! to whole bytes with zeros. Open is what is 1 in `not_lose` of the guess and 0 in `win`.

use crate::kernel::Kernel;
use crate::kernel::bits::{Bits, BitsPass, run};
use crate::supers::{Half, Super};
use crate::values::{Entry, words};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U64;

/// Returns the open bits of entries, as many as the guess has, in both parts, if all are within its bounds: what is 1 in
/// `win` of the guess is so in `win`, that in `not_lose`, and that in `not_lose` of the guess.
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

/// Replaces guesses by the entries that the bits make of them. Says whether the bytes are exactly those
/// of such entries; otherwise they hold anything. In place, so that a block is in the second-level cache.
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

    // With wider vectors the compiler moves words to them and back.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> bool {
        unpack_all(bits, self.bytes, self.entries)
    }
}

/// Bits that are put together, in memory that is kept.
#[derive(Default)]
pub struct BitString {
    words: Vec<U64>,
    /// How many words are full, the bits behind them, and how many these are.
    full: usize,
    last: u64,
    used: u32,
}

impl BitString {
    /// Returns no bits.
    pub fn clear(&mut self) {
        (self.full, self.last, self.used) = (0, 0, 0);
    }

    /// Room for so many more words.
    pub fn writer(&mut self, words: usize) -> BitWriter<'_> {
        let needed = self.full + words + 1;
        if self.words.len() < needed {
            // Whatever is in them is overwritten.
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

    /// Returns the bits, the last byte filled up with zeros.
    pub fn bytes(&mut self) -> &[u8] {
        let bytes = 8 * self.full + self.used.div_ceil(8) as usize;
        if let Some(word) = self.words.get_mut(self.full) {
            *word = self.last.into();
        }
        &self.words.as_bytes()[..bytes]
    }
}

/// Appends bits to a string, in registers until it is [left](BitWriter::leave).
pub struct BitWriter<'a> {
    words: &'a mut [U64],
    end: (&'a mut usize, &'a mut u64, &'a mut u32),
    full: usize,
    last: u64,
    used: u32,
}

impl BitWriter<'_> {
    /// Appends the lowest `count` bits of a word that has no others. Nothing branches on where a
    /// word is full.
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

    /// Appends two words with their numbers of bits. As a rule they have so few that these fit into one.
    #[inline(always)]
    fn push_two(&mut self, [(low, a), (high, b)]: [(u64, u32); 2]) {
        if a + b <= 64 {
            // Where all places before are taken, nothing is left to be shifted.
            self.push(low | high.wrapping_shl(a), a + b);
        } else {
            self.push(low, a);
            self.push(high, b);
        }
    }

    /// What was appended is in the string now.
    #[inline(always)]
    pub fn leave(self) {
        (*self.end.0, *self.end.1, *self.end.2) = (self.full, self.last, self.used);
    }
}

/// The open bits of a block, packed at once ([`pack`]) or row by row ([`pack_row`]).
#[derive(Default)]
pub struct OpenBits {
    parts: [BitString; 2],
    is_outside: bool,
}

impl OpenBits {
    /// Begins a block.
    pub fn clear(&mut self) {
        self.parts.iter_mut().for_each(BitString::clear);
        self.is_outside = false;
    }

    /// Returns both parts, if all values were within the bounds of the guess.
    pub fn parts(&mut self) -> Option<[&[u8]; 2]> {
        let [first, second] = &mut self.parts;
        (!self.is_outside).then(|| [first.bytes(), second.bytes()])
    }
}

/// Appends the open bits of a row to those of the blocks that it lies in, each of which has `edge` of its
/// entries.
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

    // With wider vectors the compiler moves words to them and back.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<B: Bits>(self, with: B) {
        let parts = self.entries.chunks(self.edge).zip(self.guess.chunks(self.edge));
        for ((entries, guess), block) in parts.zip(self.blocks) {
            block.is_outside = block.is_outside || !pack_some(with, entries, guess, &mut block.parts);
        }
    }
}

/// Returns the bits of two words under masks, and how many.
#[inline(always)]
fn extract_two<B: Bits>(with: B, words: [u64; 2], masks: [u64; 2]) -> [(u64, u32); 2] {
    [
        (with.extract(words[0], masks[0]), masks[0].count_ones()),
        (with.extract(words[1], masks[1]), masks[1].count_ones()),
    ]
}

/// Appends the open bits of entries to both parts, up to the first that is out of bounds; says whether none is.
#[inline(always)]
fn pack_some<B: Bits>(with: B, entries: &[Entry], guess: &[Entry], parts: &mut [BitString; 2]) -> bool {
    // A closure would be compiled without the instructions.
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
    first.leave();
    second.leave();
    true
}

/// Returns the 64 bits from a place on; zeros behind the end.
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

// In line, it takes registers from the loops that hardly ever call it.
#[cold]
#[inline(never)]
fn bits_at_the_end(bytes: &[u8], at: usize) -> u64 {
    let mut sixteen = [0; 16];
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let len = rest.len().min(16);
    sixteen[..len].copy_from_slice(&rest[..len]);
    (u128::from_le_bytes(sixteen) >> (at % 8)) as u64
}

/// The bits that eight bytes have from any place in the first of them on, at least.
const SHORT: usize = 57;

/// At least [`SHORT`] bits from a place on; zeros behind the end.
#[inline(always)]
fn short_bits_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at / 8..).and_then(<[u8]>::first_chunk) {
        Some(&eight) => u64::from_le_bytes(eight) >> (at % 8),
        None => bits_at_the_end(bytes, at),
    }
}

/// Returns the next bits, spread over the places of two masks.
#[inline(always)]
fn deposit_two<B: Bits>(with: B, bytes: &[u8], at: &mut usize, [first, second]: [u64; 2]) -> [u64; 2] {
    let (a, b) = (first.count_ones() as usize, second.count_ones() as usize);
    let start = *at;
    *at += a + b;
    // As a rule they have so few bits that one word has them all.
    if a + b <= SHORT {
        let bits = short_bits_at(bytes, start);
        [with.deposit(bits, first), with.deposit(bits >> a, second)]
    } else {
        [with.deposit(bits_at(bytes, start), first), with.deposit(bits_at(bytes, start + a), second)]
    }
}

/// Replaces the guesses at the rotations of one parity by what the next bits of both parts make of them.
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
        // A loop over the parities would keep the words in memory.
        unpack_half(with, [bytes, second_bytes], &mut at, even, even_kept);
        unpack_half(with, [bytes, second_bytes], &mut at, odd, odd_kept);
    }
    // As many bytes as bits, and zeros in the last.
    let ended = |bytes: &[u8], at: usize| {
        bytes.len() == at.div_ceil(8) && (at.is_multiple_of(8) || bytes[at / 8] >> (at % 8) == 0)
    };
    ended(first_bytes, at[0]) && ended(second_bytes, at[1])
}
