//! The codec of values: repeats, then bits transposed, then zstd.
//!
//! A list of cache lines (four half supers of 16 bytes each) is read place by place: first the half
//! super in place 0 of all cache lines, then those in place 1, and so on. Only a fifth of them are
//! new; the others have occurred before in the list, most of them shortly before. So a half super
//! becomes the distance to its last occurrence (one byte, rarely three) or a *literal*. The bits of
//! the literals are transposed, one plane for each of the 128 rotations, so that irrelevant
//! rotations become equal planes. Distances, far distances and literals are compressed separately.
//!
//! This is both smaller and faster than transposing and compressing everything, because zstd sees a
//! quarter of the bytes: see the benchmark record.
//!
//! ```text
//! u32 number of literals, u32 number of far distances,
//! u32 bytes of the distances, u32 bytes of the far distances   (all LE)
//! zstd frame: a byte per half super: 0 literal, 1 to 254 distance, 255 far distance
//! zstd frame: a u16 per far distance
//! zstd frame: 128 planes of the literals, each ceil(literals / 64) u64,
//!             literal i at bit i % 64 of word i / 64
//! ```

use crate::kernel::Pack;
use crate::supers::Half;
use std::io;
use zerocopy::IntoBytes;
use zstd::bulk::{Compressor, Decompressor};

/// The most cache lines of one list: distances take at most 16 bits.
pub const MAX_LINES: usize = 1 << 14;

const HEADER_BYTES: usize = 16;
const LITERAL: u8 = 0;
const FAR: u8 = 255;

/// Compresses lists of lines. Keeps its buffers from one list to the next: one for each thread.
pub struct Encoder {
    zstd: Compressor<'static>,
    halves: Vec<Half>,
    /// By hash: where a half super with this hash has occurred last.
    last: Vec<u16>,
    distances: Vec<u8>,
    far: Vec<u16>,
    literals: Vec<Half>,
    planes: Vec<u64>,
}

impl Encoder {
    /// An encoder with a zstd level: 1 is fast, 19 small.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(level: i32) -> io::Result<Encoder> {
        Ok(Encoder {
            zstd: Compressor::new(level)?,
            halves: Vec::new(),
            last: Vec::new(),
            distances: Vec::new(),
            far: Vec::new(),
            literals: Vec::new(),
            planes: Vec::new(),
        })
    }

    /// Appends the code of `lines` to `out`. The same lines give the same bytes.
    ///
    /// # Errors
    /// If zstd fails: it has no memory.
    ///
    /// # Panics
    /// If there are more than [`MAX_LINES`].
    pub fn encode(&mut self, lines: &[Pack], out: &mut Vec<u8>) -> io::Result<()> {
        assert!(lines.len() <= MAX_LINES);
        let (far, literals) = self.find_repeats(lines);
        transpose(&self.literals[..literals], &mut self.planes);
        let start = out.len();
        out.extend_from_slice(&[0; HEADER_BYTES]);
        let distances = append(&mut self.zstd, &self.distances, out)?;
        let far_bytes = append(&mut self.zstd, self.far[..far].as_bytes(), out)?;
        append(&mut self.zstd, self.planes.as_bytes(), out)?;
        let header = [literals, far, distances, far_bytes];
        for (i, number) in header.into_iter().enumerate() {
            out[start + 4 * i..start + 4 * i + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        Ok(())
    }

    /// Fills the buffers, and says how many far distances and literals they begin with.
    fn find_repeats(&mut self, lines: &[Pack]) -> (usize, usize) {
        self.halves.clear();
        for place in 0..4 {
            self.halves.extend(lines.iter().map(|line| line.0[place]));
        }
        let halves = &self.halves[..];
        let n = halves.len();
        let bits = (2 * n).max(2).ilog2();
        self.last.clear();
        self.last.resize(1 << bits, 0);
        self.distances.resize(n, LITERAL);
        if self.far.len() < n {
            self.far.resize(n, 0);
            self.literals.resize(n, Half::NONE);
        }
        let last = &mut self.last[..1 << bits];
        let (distances, fars, news) = (&mut self.distances[..n], &mut self.far[..n], &mut self.literals[..n]);
        let (mut far, mut literals) = (0, 0);
        // Whether a half super is new can't be foretold: nothing branches on it.
        for (i, &half) in halves.iter().enumerate() {
            let slot = &mut last[hash(half, bits)];
            let before = usize::from(*slot);
            *slot = i as u16;
            let distance = i - before;
            let repeated = (halves[before] == half) & (distance > 0);
            let near = distance.min(usize::from(FAR));
            distances[i] = if repeated { near as u8 } else { LITERAL };
            fars[far] = (distance as u16).to_le();
            far += usize::from(repeated & (near == usize::from(FAR)));
            news[literals] = half;
            literals += usize::from(!repeated);
        }
        (far, literals)
    }
}

#[inline]
fn hash(half: Half, bits: u32) -> usize {
    let [a, b] = half.0;
    let mixed = (a ^ b.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ b ^ mixed >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> (64 - bits)) as usize
}

fn append(zstd: &mut Compressor<'_>, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
    let start = out.len();
    out.resize(start + zstd::compress_bound(bytes.len()), 0);
    let len = zstd.compress_to_buffer(bytes, &mut out[start..])?;
    out.truncate(start + len);
    Ok(len)
}

/// What is wrong with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is cut short, or its parts don't fit in it.
    #[error("its parts don't fit in its length")]
    Length,
    /// A part is no zstd frame, or one of another length.
    #[error("its {0} are damaged")]
    Part(&'static str),
    /// A distance leads before the first half super, or the numbers of distances and literals
    /// disagree.
    #[error("its distances and literals don't agree")]
    Disagreement,
}

/// Decompresses lists of lines. Keeps its buffers from one list to the next: one for each thread.
pub struct Decoder {
    zstd: Decompressor<'static>,
    distances: Vec<u8>,
    far: Vec<u16>,
    planes: Vec<u64>,
    /// The literals, and behind them all half supers of the list.
    halves: Vec<Half>,
}

impl Decoder {
    /// A decoder.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new() -> io::Result<Decoder> {
        Ok(Decoder {
            zstd: Decompressor::new()?,
            distances: Vec::new(),
            far: Vec::new(),
            planes: Vec::new(),
            halves: Vec::new(),
        })
    }

    /// Fills `lines` from the code of as many lines.
    ///
    /// # Errors
    /// If the code is damaged; `lines` then hold anything. Whatever the bytes are, it takes no more
    /// memory than the lines do.
    ///
    /// # Panics
    /// If there are more than [`MAX_LINES`].
    pub fn decode(&mut self, code: &[u8], lines: &mut [Pack]) -> Result<(), DecodeError> {
        assert!(lines.len() <= MAX_LINES);
        let n = 4 * lines.len();
        let number = |i: usize| {
            let bytes = code.get(4 * i..4 * i + 4).ok_or(DecodeError::Length)?;
            Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
        };
        let [literals, far, near_bytes, far_bytes] = [number(0)?, number(1)?, number(2)?, number(3)?];
        let rest = code.get(HEADER_BYTES..).ok_or(DecodeError::Length)?;
        let (near, rest) = rest.split_at_checked(near_bytes).ok_or(DecodeError::Length)?;
        let (far_code, planes) = rest.split_at_checked(far_bytes).ok_or(DecodeError::Length)?;
        if literals > n || far > n {
            return Err(DecodeError::Disagreement);
        }
        let mut part = |name, code: &[u8], into: &mut [u8]| match self.zstd.decompress_to_buffer(code, into) {
            Ok(len) if len == into.len() => Ok(()),
            _ => Err(DecodeError::Part(name)),
        };
        self.distances.resize(n, 0);
        part("distances", near, &mut self.distances)?;
        self.far.resize(far, 0);
        part("far distances", far_code, self.far.as_mut_bytes())?;
        self.planes.resize(128 * literals.div_ceil(64), 0);
        part("literals", planes, self.planes.as_mut_bytes())?;
        transpose_back(&self.planes, literals, &mut self.halves);
        self.repeat(literals, n)?;
        let all = &self.halves[literals..];
        let [a, b, c, d] = [0, 1, 2, 3].map(|place| &all[place * lines.len()..][..lines.len()]);
        for (i, line) in lines.iter_mut().enumerate() {
            *line = Pack([a[i], b[i], c[i], d[i]]);
        }
        Ok(())
    }

    fn repeat(&mut self, literals: usize, n: usize) -> Result<(), DecodeError> {
        self.halves.resize(literals + n, Half::NONE);
        let halves = &mut self.halves[..];
        let mut literal = 0;
        let mut far = self.far.iter();
        for (i, &byte) in self.distances.iter().enumerate() {
            let mut distance = usize::from(byte);
            if byte == FAR {
                distance = usize::from(u16::from_le(*far.next().ok_or(DecodeError::Disagreement)?));
            }
            // Whether a half super is new can't be foretold: nothing branches on it.
            let is_literal = byte == LITERAL;
            let to = literals + i;
            let from = if is_literal { literal } else { to.wrapping_sub(distance) };
            let (least, end) = if is_literal { (0, literals) } else { (literals, to) };
            if from < least || from >= end {
                return Err(DecodeError::Disagreement);
            }
            halves[to] = halves[from];
            literal += usize::from(is_literal);
        }
        if literal != literals || far.next().is_some() {
            return Err(DecodeError::Disagreement);
        }
        Ok(())
    }
}

/// Exchanges rows and columns of 64 x 64 bits: bit c of word r becomes bit r of word c.
fn transpose_square(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        for base in (0..64).step_by(2 * width) {
            let (low, high) = words[base..base + 2 * width].split_at_mut(width);
            for (a, b) in low.iter_mut().zip(high) {
                let change = (*a >> width ^ *b) & mask;
                *b ^= change;
                *a ^= change << width;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// The 128 planes of a list of half supers, the last word of each filled up with zeros.
fn transpose(halves: &[Half], planes: &mut Vec<u64>) {
    let words = halves.len().div_ceil(64);
    planes.resize(128 * words, 0);
    for (i, chunk) in halves.chunks(64).enumerate() {
        for part in 0..2 {
            let mut square = [0; 64];
            for (word, half) in square.iter_mut().zip(chunk) {
                *word = half.0[part];
            }
            transpose_square(&mut square);
            for (bit, word) in square.into_iter().enumerate() {
                planes[(64 * part + bit) * words + i] = word.to_le();
            }
        }
    }
}

/// The list of `count` half supers with these planes.
fn transpose_back(planes: &[u64], count: usize, halves: &mut Vec<Half>) {
    let words = count.div_ceil(64);
    halves.resize(64 * words, Half::NONE);
    for i in 0..words {
        for part in 0..2 {
            let mut square: [u64; 64] =
                std::array::from_fn(|bit| u64::from_le(planes[(64 * part + bit) * words + i]));
            transpose_square(&mut square);
            for (half, word) in halves[64 * i..].iter_mut().zip(square) {
                half.0[part] = word;
            }
        }
    }
    halves.truncate(count);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(lines: &[Pack]) -> Vec<u8> {
        let mut code = vec![7];
        Encoder::new(1).unwrap().encode(lines, &mut code).unwrap();
        let mut back = vec![Pack::default(); lines.len()];
        Decoder::new().unwrap().decode(&code[1..], &mut back).unwrap();
        assert!(back.iter().zip(lines).all(|(a, b)| a.0 == b.0));
        code
    }

    /// Lines with few different half supers, near and far from each other.
    fn lines(choices: &[u32], of: u32) -> Vec<Pack> {
        let half = |c: u32| {
            let c = u64::from(c % of.max(1)).wrapping_mul(0x1234_5678_9abc_def1);
            Half([c, c.rotate_left(17)])
        };
        choices.chunks_exact(4).map(|c| Pack(std::array::from_fn(|i| half(c[i])))).collect()
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(choices in prop::collection::vec(any::<u32>(), 0..3000), of in 1u32..2000) {
            let lines = lines(&choices, of);
            prop_assert_eq!(round_trip(&lines), round_trip(&lines));
        }

        #[test]
        fn damage_is_an_error_or_other_lines(
            choices in prop::collection::vec(any::<u32>(), 4..400),
            at in any::<prop::sample::Index>(),
            with in 1u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            let lines = lines(&choices, 50);
            let mut code = round_trip(&lines)[1..].to_vec();
            let mut into = vec![Pack::default(); lines.len()];
            let mut decoder = Decoder::new().unwrap();
            let cut = cut.index(code.len());
            prop_assert!(decoder.decode(&code[..cut], &mut into).is_err());
            let at = at.index(code.len());
            code[at] ^= with;
            let _ = decoder.decode(&code, &mut into);
        }
    }

    #[test]
    fn the_longest_list_and_the_empty_one() {
        round_trip(&[]);
        let choices: Vec<u32> = (0..4 * MAX_LINES as u32).collect();
        // All different, all equal, and each once again as far away as can be.
        round_trip(&lines(&choices, u32::MAX));
        assert!(round_trip(&lines(&choices, 1)).len() < 200);
        round_trip(&lines(&choices, 2 * MAX_LINES as u32));
        round_trip(&lines(&choices, 4 * MAX_LINES as u32 - 1));
    }

    #[test]
    fn planes_are_as_documented() {
        let halves: Vec<Half> = (0..150u64).map(|i| Half([i * i, !i])).collect();
        let mut planes = Vec::new();
        transpose(&halves, &mut planes);
        for (i, half) in halves.iter().enumerate() {
            for bit in 0..128 {
                assert_eq!(u64::from_le(planes[3 * bit + i / 64]) >> (i % 64) & 1 != 0, half.get(bit));
            }
        }
        let mut back = Vec::new();
        transpose_back(&planes, halves.len(), &mut back);
        assert_eq!(back, halves);
    }
}
