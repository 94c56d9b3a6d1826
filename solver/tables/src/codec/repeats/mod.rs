//! The codec of temporary files. The codec replaces repeated data by distances, stores other data
//! as differences from similar data, and compresses the result with a Huffman code.
//!
//! The input is a list of cache lines, each with four half supers of 16 bytes. The codec reads the
//! list column by column: the first half super of all cache lines, then the second half super of
//! all cache lines, and so on. A fifth to a third of the half supers are new, and are called
//! *literals*. The others have occurred already, most of them shortly before. A repeated half super
//! is stored as the distance to its last occurrence (one byte, rarely three bytes). A literal is
//! stored as its exclusive or with one of the 16 preceding literals: the one with the most equal
//! bytes, or the nearest one in a tie. On average, only five of the 16 bytes of this difference
//! aren't zero. A mask marks these bytes, and only these bytes are stored.
//!
//! The distances, the masks and the bytes are stored in one zstd frame each. zstd only makes a
//! Huffman code. It doesn't search for matches, because hardly any matches are left.
//!
//! ```text
//! u32 number of literals, u32 number of far distances, u32 number of bytes,
//! u32 length of each of the three frames                               (all LE)
//! zstd frame: a byte per half super: 0 literal, 1 to 254 distance, 255 far distance
//! zstd frame: a byte per literal: bit i is 1 if byte i of the difference isn't zero;
//!             then a byte per literal for bytes 8 to 15
//! zstd frame: the bytes of the differences that aren't zero
//! a u16 LE per far distance
//! a nibble per literal, the lower one first: the number of literals between the literal and the
//!             one that it is compared with. 16 literals of zeros precede the first literal.
//! ```

use pentago_core::kernel::bits::{DIFFERENCE_BYTES, WINDOW};
use pentago_core::kernel::repeats::{self, Differences, LITERAL};
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::supers::Half;
use std::io;
use zerocopy::IntoBytes;
use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, ParamSwitch, compress_bound, get_error_name};

/// The maximum number of cache lines in a list. With four half supers per line, every distance then
/// fits in 16 bits.
pub const MAX_LINES: usize = 1 << 14;

const HEADER_BYTES: usize = 24;

/// A zstd level at which zstd searches for matches in steps of 128 KiB, and therefore finds none
/// (`bench/README.md#temporary-files`).
const NO_SEARCH: i32 = -(1 << 17);
/// The binary logarithm of the size of zstd's hash table. The size is minimal, because zstd clears
/// the table for every frame.
const HASH_LOG: u32 = 6;

/// The encoder for lists of cache lines. An encoder reuses its buffers, so each thread needs its
/// own.
pub struct Encoder {
    kernel: Kernel,
    zstd: CCtx<'static>,
    halves: Vec<Half>,
    /// For each hash, the index of the last half super with this hash.
    last: Vec<u16>,
    distances: Vec<u8>,
    far: Vec<u16>,
    /// A window of zeros, then the literals.
    literals: Vec<Half>,
    differences: Differences,
}

impl Encoder {
    /// Creates an encoder that computes with `kernel`. All kernels produce equal codes.
    ///
    /// # Errors
    /// If memory can't be allocated.
    pub fn new(kernel: Kernel) -> io::Result<Encoder> {
        let mut zstd = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        for parameter in [
            CParameter::CompressionLevel(NO_SEARCH),
            CParameter::HashLog(HASH_LOG),
            CParameter::LiteralCompressionMode(ParamSwitch::Enable),
        ] {
            zstd.set_parameter(parameter).map_err(failed)?;
        }
        Ok(Encoder {
            kernel,
            zstd,
            halves: Vec::new(),
            last: Vec::new(),
            distances: Vec::new(),
            far: Vec::new(),
            literals: vec![Half::NONE; WINDOW],
            differences: Differences::default(),
        })
    }

    /// Appends the code of `lines` to `out`. The code depends only on `lines`, not on earlier
    /// calls.
    ///
    /// # Errors
    /// If zstd can't allocate memory.
    ///
    /// # Panics
    /// If there are more than [`MAX_LINES`] lines.
    pub fn encode(&mut self, lines: &[Pack], out: &mut Vec<u8>) -> io::Result<()> {
        assert!(lines.len() <= MAX_LINES);
        self.halves.clear();
        for column in 0..4 {
            self.halves.extend(lines.iter().map(|line| line.0[column]));
        }
        let n = self.halves.len();
        if self.distances.len() < n {
            self.distances.resize(n, LITERAL);
            self.far.resize(n, 0);
            self.literals.resize(WINDOW + n, Half::NONE);
        }
        let news = &mut self.literals[WINDOW..];
        let (far, literals) =
            repeats::find(&self.halves, &mut self.last, &mut self.distances, &mut self.far, news);
        self.differences.fill(self.kernel, &self.literals[..WINDOW + literals]);
        let Differences { masks, choices, .. } = &self.differences;
        let bytes = self.differences.bytes();
        let start = out.len();
        out.extend_from_slice(&[0; HEADER_BYTES]);
        let mut header = [literals, far, bytes.len(), 0, 0, 0];
        for (length, part) in header[3..].iter_mut().zip([&self.distances[..n], masks, bytes]) {
            *length = append(&mut self.zstd, part, out)?;
        }
        out.extend_from_slice(self.far[..far].as_bytes());
        let (pairs, odd) = choices.as_chunks();
        out.extend(pairs.iter().map(|[low, high]| low | high << 4));
        out.extend(odd);
        for (i, number) in header.into_iter().enumerate() {
            out[start + 4 * i..start + 4 * i + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        Ok(())
    }
}

fn failed(code: ErrorCode) -> io::Error {
    io::Error::other(get_error_name(code))
}

fn append(zstd: &mut CCtx<'_>, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
    let start = out.len();
    out.resize(start + compress_bound(bytes.len()), 0);
    let len = zstd.compress2(&mut out[start..], bytes).map_err(failed)?;
    out.truncate(start + len);
    Ok(len)
}

/// The reason why a code cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The code is shorter than the total length of its parts.
    #[error("the parts exceed the length of the code")]
    Length,
    /// The named part isn't a zstd frame of the right length.
    #[error("the {0} are damaged")]
    Part(&'static str),
    /// A distance points to before the first half super, or the parts contain another number of
    /// distances, literals or bytes than the header states.
    #[error("the distances and literals don't agree")]
    Disagreement,
}

/// The decoder for lists of cache lines. A decoder reuses its buffers, so each thread needs its
/// own.
pub struct Decoder {
    kernel: Kernel,
    zstd: DCtx<'static>,
    distances: Vec<u8>,
    far: Vec<u16>,
    masks: Vec<u8>,
    bytes: Vec<u8>,
    /// A window of zeros, then the literals, then all half supers of the list.
    halves: Vec<Half>,
}

impl Decoder {
    /// Creates a decoder that computes with `kernel`.
    ///
    /// # Errors
    /// If memory can't be allocated.
    pub fn new(kernel: Kernel) -> io::Result<Decoder> {
        Ok(Decoder {
            kernel,
            zstd: DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?,
            distances: Vec::new(),
            far: Vec::new(),
            masks: Vec::new(),
            bytes: Vec::new(),
            halves: Vec::new(),
        })
    }

    /// Decodes a list into `lines`, which must have the length of the list. Even for a damaged
    /// code, the memory in use is at most a few times the size of `lines`.
    ///
    /// # Errors
    /// If the code is damaged. The contents of `lines` are then unspecified.
    ///
    /// # Panics
    /// If there are more than [`MAX_LINES`] lines.
    pub fn decode(&mut self, code: &[u8], lines: &mut [Pack]) -> Result<(), DecodeError> {
        assert!(lines.len() <= MAX_LINES);
        let n = 4 * lines.len();
        let (header, mut rest) = code.split_at_checked(HEADER_BYTES).ok_or(DecodeError::Length)?;
        let number =
            |i: usize| u32::from_le_bytes(header[4 * i..4 * i + 4].try_into().expect("four bytes")) as usize;
        let [literals, far, bytes] = [0, 1, 2].map(number);
        if literals > n || far > n || bytes > 16 * literals {
            return Err(DecodeError::Disagreement);
        }
        self.distances.resize(n, 0);
        self.masks.resize(2 * literals, 0);
        if self.bytes.len() < bytes + DIFFERENCE_BYTES {
            self.bytes.resize(bytes + DIFFERENCE_BYTES, 0);
        }
        let parts = [
            ("distances", &mut self.distances[..]),
            ("masks", &mut self.masks),
            ("bytes", &mut self.bytes[..bytes]),
        ];
        for (i, (name, into)) in parts.into_iter().enumerate() {
            let (frame, more) = rest.split_at_checked(number(3 + i)).ok_or(DecodeError::Length)?;
            rest = more;
            if self.zstd.decompress(&mut *into, frame) != Ok(into.len()) {
                return Err(DecodeError::Part(name));
            }
        }
        let (far, choices) = rest.split_at_checked(2 * far).ok_or(DecodeError::Length)?;
        if choices.len() != literals.div_ceil(2) {
            return Err(DecodeError::Length);
        }
        self.far.clear();
        self.far.extend(far.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)));
        let start = WINDOW + literals;
        if self.halves.len() < start + n {
            self.halves.resize(start + n, Half::NONE);
        }
        let halves = &mut self.halves[..start + n];
        halves[..WINDOW].fill(Half::NONE);
        let all_bytes = &self.bytes[..bytes + DIFFERENCE_BYTES];
        let added = repeats::add(self.kernel, choices, &self.masks, all_bytes, &mut halves[..start]);
        if !added || !repeats::repeat(&self.distances, &mut self.far, WINDOW, halves) {
            return Err(DecodeError::Disagreement);
        }
        let all = &halves[start..];
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| &all[column * lines.len()..][..lines.len()]);
        for (i, line) in lines.iter_mut().enumerate() {
            *line = Pack([a[i], b[i], c[i], d[i]]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
