//! Graphics processors: which there are, and passes of a shader run on one of them.
//!
//! What is computed is the caller's: a shader in WGSL, and [`Batch`]es of passes over *lines* of 64
//! bytes, as many as fit the memory of the processor. The lines lie in [`Pieces`], because a shader
//! can't bind all memory at once as one array. Only the module `device` knows how a processor is
//! spoken to; everything else is plain data, which another runtime (a browser) can run as well.

#[cfg(feature = "device")]
mod device;

#[cfg(feature = "device")]
pub use device::{Adapter, Device, Session, adapters};

/// Bytes of a line.
pub const LINE_BYTES: u64 = 64;

/// Words of the parameters of a pass.
pub const PARAMETERS: usize = 16;

/// The largest piece: 1 GiB. The largest binding is 2 GiB less one byte.
pub const MOST_PIECE_LINES: u64 = 1 << 24;

/// Bindings of the shader that are no pieces, of storage buffers: words and fives.
pub const OTHER_BINDINGS: u32 = 2;

/// The least number of storage buffers that a shader can bind anywhere.
pub const LEAST_BINDINGS: u32 = 8;

/// Bytes from one pass's parameters to the next one's: what every adapter can address.
pub const STRIDE: u64 = 256;

/// What is done one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The shader runs with these parameters, in groups: as many as both numbers' product.
    Pass {
        /// The shader's uniform.
        parameters: [u32; PARAMETERS],
        /// Groups of invocations along two axes.
        groups: [u32; 2],
    },
    /// This line is read back as it is now.
    Read {
        /// Its number.
        line: u64,
    },
}

/// Some steps, and the words that they read behind those that are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The words.
    pub words: Vec<u32>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// How lines are cut into pieces: all of the same size, a power of two, but for the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces {
    /// The number of lines in all.
    pub lines: u64,
    /// The logarithm of the lines of a piece.
    pub bits: u32,
}

impl Pieces {
    /// The pieces of `lines` lines, none with more than `most` bytes, or than [`MOST_PIECE_LINES`].
    #[must_use]
    pub fn new(lines: u64, most: u64) -> Pieces {
        let most = (most / LINE_BYTES).clamp(1, MOST_PIECE_LINES);
        Pieces { lines: lines.max(1), bits: most.ilog2() }
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> u64 {
        self.lines.div_ceil(1 << self.bits)
    }

    /// The bytes of each.
    pub fn bytes(self) -> impl Iterator<Item = u64> {
        let size = 1 << self.bits;
        (0..self.count()).map(move |i| size.min(self.lines - i * size) * LINE_BYTES)
    }

    /// The end of the shader: the bindings of group 1, and the functions `load` and `store` for the
    /// vectors (four to a line) in them.
    #[must_use]
    pub fn shader(self) -> String {
        let count = self.count();
        let mut text = String::new();
        let mut line = |line: String| {
            text.push_str(&line);
            text.push('\n');
        };
        for i in 0..count {
            line(format!("@group(1) @binding({i}) var<storage, read_write> piece{i}: array<vec4<u32>>;"));
        }
        let at = format!("4u * (line & {}u) + place", (1u64 << self.bits) - 1);
        line("fn load(line: u32, place: u32) -> vec4<u32> {".to_owned());
        line(format!("    let at = {at};\n    switch line >> {}u {{", self.bits));
        for i in 1..count {
            line(format!("        case {i}u: {{ return piece{i}[at]; }}"));
        }
        line("        default: { return piece0[at]; }\n    }\n}".to_owned());
        line("fn store(line: u32, place: u32, x: vec4<u32>) {".to_owned());
        line(format!("    let at = {at};\n    switch line >> {}u {{", self.bits));
        for i in 1..count {
            line(format!("        case {i}u: {{ piece{i}[at] = x; }}"));
        }
        line("        default: { piece0[at] = x; }\n    }\n}".to_owned());
        text
    }
}

/// The memory of passes of one shader on a graphics processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Where the lines lie.
    pub pieces: Pieces,
    /// Words that are always there.
    pub tables: u64,
    /// Words of a batch at most.
    pub words: u64,
    /// Passes of a batch at most.
    pub passes: u64,
    /// Lines that are read back in all at most.
    pub reads: u64,
    /// Bytes of the fives at most.
    pub fives: u64,
}

impl Room {
    /// All of it.
    #[must_use]
    pub fn bytes(self) -> u64 {
        let lines = (self.pieces.lines + self.reads) * LINE_BYTES;
        lines + 4 * (self.tables + self.words) + self.fives + STRIDE * self.passes
    }

    /// Whether a shader can bind it.
    #[must_use]
    pub fn fits(self, limits: Limits) -> bool {
        self.pieces.count() + u64::from(OTHER_BINDINGS) <= u64::from(limits.bindings)
            && (4 * (self.tables + self.words)).max(self.fives) <= limits.binding
    }
}

/// What a graphics processor can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one binding, and of one buffer.
    pub binding: u64,
    /// Storage buffers that a shader can bind.
    pub bindings: u32,
}

impl Limits {
    /// The lines that fit in all pieces.
    #[must_use]
    pub fn lines(self) -> u64 {
        let pieces = u64::from(self.bindings.saturating_sub(OTHER_BINDINGS));
        pieces << Pieces::new(1, self.binding).bits
    }
}

/// Why a graphics processor doesn't compute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is none.
    #[error(
        "no graphics processor that computes was found{}: install its driver for Vulkan, Metal or \
         Direct3D 12, or choose another kernel", with_name(.named)
    )]
    None {
        /// What the environment asks for, if it does.
        named: Option<String>,
    },
    /// The driver refuses.
    #[error("the graphics processor {adapter} can't be used: {reason}")]
    Unusable {
        /// Its name.
        adapter: String,
        /// The driver's reason.
        reason: String,
    },
    /// It can't hold the problem.
    #[error("the solution takes {need} bytes on the graphics processor, of which a shader reaches {most}")]
    TooLarge {
        /// Bytes required.
        need: u64,
        /// Bytes that a shader reaches.
        most: u64,
    },
    /// It has not as much memory left.
    #[error("the graphics processor {adapter} has no {bytes} bytes of memory left")]
    Memory {
        /// Its name.
        adapter: String,
        /// Bytes requested.
        bytes: u64,
    },
    /// It was removed, reset by the system, or switched off.
    #[error("the graphics processor {adapter} was lost: {reason}")]
    Lost {
        /// Its name.
        adapter: String,
        /// The system's reason.
        reason: String,
    },
}

fn with_name(part: &Option<String>) -> String {
    part.as_ref().map_or_else(String::new, |part| format!(" with \"{part}\" in its name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_all_lines_once() {
        for lines in [1, 2, 3, 255, 256, 257, 1000, 1 << 24, (1 << 26) + 5] {
            for most in [64, 100, 16 << 10, 1 << 30, u64::MAX] {
                let pieces = Pieces::new(lines, most);
                // More pieces show nothing more, and take a second.
                if pieces.count() > 1 << 20 {
                    continue;
                }
                let bytes: Vec<u64> = pieces.bytes().collect();
                assert_eq!(bytes.iter().sum::<u64>(), lines * LINE_BYTES);
                assert_eq!(bytes.len() as u64, pieces.count());
                let (last, others) = bytes.split_last().unwrap();
                assert!(others.iter().all(|&b| b == LINE_BYTES << pieces.bits && b <= most));
                assert!((1..=LINE_BYTES << pieces.bits).contains(last));
                assert!(LINE_BYTES << pieces.bits <= MOST_PIECE_LINES * LINE_BYTES);
                let limits = Limits { binding: most, bindings: OTHER_BINDINGS + pieces.count() as u32 };
                assert!(limits.lines() >= lines);
            }
        }
    }
}
