//! Bits in as many bytes as their probabilities allow: asymmetric numeral systems (Duda 2013, the
//! variant with ranges), with eight states that take turns, so that a processor works on several at
//! once.
//!
//! A probability is the number p, 1 to 65,535, of 65,536ths for a 1. A state is a number from 2^16
//! to 2^32 - 1. Written is in reverse; what is read is the eight states, then words of 16 bits in
//! the order in which the reader takes them.

/// States that take turns.
const STATES: usize = 8;
/// The least state.
const LEAST: u32 = 1 << 16;
/// Bytes of the states.
pub const HEAD: usize = 4 * STATES;

/// A bit and its probability, to be written.
#[derive(Clone, Copy, Debug)]
pub struct Choice(u32);

impl Choice {
    /// A bit that is 1 with a probability of p / 65536, p at least 1.
    #[inline(always)]
    pub fn new(p: u16, bit: bool) -> Choice {
        Choice(u32::from(p) | u32::from(bit) << 16)
    }
}

/// Appends the code of bits. Nothing, if there are none.
pub fn write(choices: &[Choice], out: &mut Vec<u8>) {
    if choices.is_empty() {
        return;
    }
    let mut states = [LEAST; STATES];
    // Words, the last to be read first.
    let mut words: Vec<u16> = Vec::with_capacity(choices.len() / 8);
    for (i, choice) in choices.iter().enumerate().rev() {
        let (p, bit) = (choice.0 & 0xffff, choice.0 >> 16 != 0);
        let (width, start) = if bit { (p, 0) } else { (LEAST - p, p) };
        let state = &mut states[i % STATES];
        if *state >= width << 16 {
            words.push(*state as u16);
            *state >>= 16;
        }
        *state = ((*state / width) << 16) + *state % width + start;
    }
    out.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
}

/// Reads bits.
pub struct Reader<'a> {
    states: [u32; STATES],
    turn: usize,
    words: &'a [[u8; 2]],
    /// Whether the words were not enough.
    short: bool,
    empty: bool,
}

impl<'a> Reader<'a> {
    /// Reads a code; none, if it is too short, or not one of whole words.
    pub fn new(code: &'a [u8]) -> Option<Reader<'a>> {
        let mut states = [LEAST; STATES];
        if code.is_empty() {
            return Some(Reader { states, turn: 0, words: &[], short: false, empty: true });
        }
        let (head, words) = code.split_at_checked(HEAD)?;
        for (state, bytes) in states.iter_mut().zip(head.as_chunks::<4>().0) {
            *state = u32::from_le_bytes(*bytes);
        }
        let (words, rest) = words.as_chunks::<2>();
        let sound = rest.is_empty() && states.iter().all(|&state| state >= LEAST);
        sound.then_some(Reader { states, turn: 0, words, short: false, empty: false })
    }

    /// The next bit, which is 1 with a probability of p / 65536, p at least 1. After the end of the
    /// words, anything.
    #[inline(always)]
    pub fn read(&mut self, p: u16) -> bool {
        let state = &mut self.states[self.turn % STATES];
        self.turn += 1;
        let (p, low) = (u32::from(p), *state & 0xffff);
        let bit = low < p;
        let (width, start) = if bit { (p, 0) } else { (LEAST - p, p) };
        // At most (2^16 - 1) (2^16 - 1) + 2^16 - 1: no overflow.
        *state = width * (*state >> 16) + (low - start);
        if *state < LEAST {
            match self.words.split_first() {
                Some((word, rest)) => {
                    *state = *state << 16 | u32::from(u16::from_le_bytes(*word));
                    self.words = rest;
                }
                None => {
                    self.short = true;
                    *state |= LEAST;
                }
            }
        }
        bit
    }

    /// The next `count` bits, at most 64, as [`Reader::read`] gives them with the probabilities
    /// `p`, the first lowest. Nothing branches on what they are.
    #[inline(always)]
    pub fn read_batch(&mut self, count: usize, p: impl Fn(usize) -> u16) -> u64 {
        // Each bit takes a word at most.
        let mut last = [[0; 2]; 64];
        let window = match self.words.first_chunk::<64>() {
            Some(window) => window,
            None => {
                last[..self.words.len()].copy_from_slice(self.words);
                &last
            }
        };
        let (mut taken, mut bits) = (0, 0);
        for i in 0..count {
            let state = &mut self.states[(self.turn + i) % STATES];
            let (p, low, high) = (u32::from(p(i)), *state & 0xffff, *state >> 16);
            let bit = low < p;
            // For 0 it is (2^16 - p) high + low - p.
            let next = if bit { p * high + low } else { state.wrapping_sub(p * high + p) };
            let more = next < LEAST;
            let word = u32::from(u16::from_le_bytes(window[taken % 64]));
            *state = if more { next << 16 | word } else { next };
            taken += usize::from(more);
            bits |= u64::from(bit) << (i % 64);
        }
        self.turn += count;
        self.short |= taken > self.words.len();
        self.words = &self.words[taken.min(self.words.len())..];
        bits
    }

    /// Returns whether more was read than there is.
    pub fn is_short(&self) -> bool {
        self.short || self.empty && self.turn > 0
    }

    /// Returns whether exactly what was written has been read.
    pub fn is_at_end(&self) -> bool {
        let ended = self.words.is_empty() && !self.short && self.states == [LEAST; STATES];
        ended && self.empty == (self.turn == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::mix;
    use proptest::prelude::*;

    fn round_trip(bits: &[(u16, bool)]) -> Vec<u8> {
        let choices: Vec<Choice> = bits.iter().map(|&(p, bit)| Choice::new(p, bit)).collect();
        let mut code = Vec::new();
        write(&choices, &mut code);
        let mut reader = Reader::new(&code).expect("a code");
        for &(p, bit) in bits {
            assert_eq!(reader.read(p), bit);
        }
        assert!(reader.is_at_end());
        code
    }

    #[test]
    fn codes_are_as_long_as_the_probabilities_say() {
        for p in [1, 2, 100, 5_000, 32_768, 60_000, 65_534, 65_535] {
            let bits: Vec<(u16, bool)> = (0..100_000).map(|i| (p, mix(i) & 0xffff < u64::from(p))).collect();
            let share = f64::from(p) / 65_536.0;
            let entropy: f64 =
                bits.iter().map(|&(_, bit)| if bit { -share.log2() } else { -(1.0 - share).log2() }).sum();
            let len = round_trip(&bits).len() as f64;
            assert!(len < entropy / 8.0 * 1.001 + 40.0, "{p}: {len} bytes of {entropy} bits");
        }
        assert!(round_trip(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn any_bits_come_back(bits in prop::collection::vec((1u16.., any::<bool>()), 0..500)) {
            round_trip(&bits);
        }

        #[test]
        fn any_code_is_read_without_a_panic(
            code in prop::collection::vec(any::<u8>(), 0..200),
            ps in prop::collection::vec(1u16.., 0..900),
        ) {
            if let Some(mut reader) = Reader::new(&code) {
                let bits: Vec<(u16, bool)> = ps.iter().map(|&p| (p, reader.read(p))).collect();
                // In batches the same is read.
                let mut batches = Reader::new(&code).expect("a code");
                for (ps, bits) in ps.chunks(37).zip(bits.chunks(37)) {
                    let read = batches.read_batch(ps.len(), |i| ps[i]);
                    let same = bits.iter().enumerate().all(|(i, &(_, bit))| (read >> i & 1 != 0) == bit);
                    prop_assert!(same || batches.short);
                }
                prop_assert_eq!(batches.is_at_end(), reader.is_at_end());
                // What is read without an error is what would be written.
                if reader.is_at_end() {
                    prop_assert_eq!(round_trip(&bits), code);
                }
            }
        }
    }
}
