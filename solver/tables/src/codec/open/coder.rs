//! The entropy coder: asymmetric numeral systems (Duda 2013, the variant with ranges). The bits use
//! eight states in rotation, so that a CPU can work on several states simultaneously.
//!
//! A probability is an integer p, 1 to 65,535: the probability of a 1 in 65,536ths. A state is an
//! integer from 2^16 to 2^32 - 1. The writer processes the bits from the last to the first. A code
//! consists of the eight states, then 16-bit words in the order in which the reader consumes them.

/// The number of states.
const STATES: usize = 8;
/// The smallest possible state.
const LEAST: u32 = 1 << 16;
/// The size of all states in a code, in bytes.
pub const STATE_BYTES: usize = 4 * STATES;

/// The probability that a bit is 1, in 65,536ths and at least 1, and the bit to write.
pub type Choice = (u16, bool);

/// Appends the code of the bits in `choices` to `out`. If there are no bits, the code is empty.
pub fn write(choices: &[Choice], out: &mut Vec<u8>) {
    if choices.is_empty() {
        return;
    }
    let mut states = [LEAST; STATES];
    // The words are collected in the opposite of the reader's order, and reversed at the end.
    let mut words: Vec<u16> = Vec::with_capacity(choices.len() / 8);
    for (i, &(p, bit)) in choices.iter().enumerate().rev() {
        let p = u32::from(p);
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

/// A reader of the bits in a code.
pub struct Reader<'a> {
    states: [u32; STATES],
    turn: usize,
    words: &'a [[u8; 2]],
    /// `true` if some read needed a word after the end of the code.
    short: bool,
    empty: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader. Returns `None` if the code has fewer than eight states, has a state below
    /// 2^16, or ends inside a word.
    pub fn new(code: &'a [u8]) -> Option<Reader<'a>> {
        let mut states = [LEAST; STATES];
        if code.is_empty() {
            return Some(Reader { states, turn: 0, words: &[], short: false, empty: true });
        }
        let (head, words) = code.split_at_checked(STATE_BYTES)?;
        for (state, bytes) in states.iter_mut().zip(head.as_chunks::<4>().0) {
            *state = u32::from_le_bytes(*bytes);
        }
        let (words, rest) = words.as_chunks::<2>();
        let sound = rest.is_empty() && states.iter().all(|&state| state >= LEAST);
        sound.then_some(Reader { states, turn: 0, words, short: false, empty: false })
    }

    /// Returns the next bit. A 1 has the probability p / 65536, where p is at least 1. If the code
    /// has no word left but needs one, the following bits are arbitrary.
    #[cfg(test)]
    pub fn read(&mut self, p: u16) -> bool {
        let state = &mut self.states[self.turn % STATES];
        self.turn += 1;
        let (p, low) = (u32::from(p), *state & 0xffff);
        let bit = low < p;
        let (width, start) = if bit { (p, 0) } else { (LEAST - p, p) };
        // The new state fits in `u32`, because it is at most (2^16 - 1) (2^16 - 1) + 2^16 - 1.
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

    /// Returns the next `count` bits, at most 64, the first bit in the lowest place. `p(i)` is the
    /// probability that bit i is 1, in 65,536ths. The loop has no branch that depends on the bits,
    /// because the CPU could not predict such a branch.
    #[inline(always)]
    pub fn read_batch(&mut self, count: usize, p: impl Fn(usize) -> u16) -> u64 {
        // A bit consumes at most one word, so 64 words suffice. Fewer words are zero-padded.
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
            // If the bit is 0, the next state is (2^16 - p) high + low - p.
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

    /// Returns `true` if some read needed a word after the end of the code, or if a bit was read
    /// from an empty code.
    pub fn is_short(&self) -> bool {
        self.short || self.empty && self.turn > 0
    }

    /// Returns `true` if the reader has read exactly the bits that were written.
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
        let mut code = Vec::new();
        write(bits, &mut code);
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
                // `read_batch` returns the same bits as `read`.
                let mut batches = Reader::new(&code).expect("a code");
                for (ps, bits) in ps.chunks(37).zip(bits.chunks(37)) {
                    let read = batches.read_batch(ps.len(), |i| ps[i]);
                    let same = bits.iter().enumerate().all(|(i, &(_, bit))| (read >> i & 1 != 0) == bit);
                    prop_assert!(same || batches.short);
                }
                prop_assert_eq!(batches.is_at_end(), reader.is_at_end());
                // If the reader ends without an error, encoding the bits again returns the same
                // code.
                if reader.is_at_end() {
                    prop_assert_eq!(round_trip(&bits), code);
                }
            }
        }
    }
}
