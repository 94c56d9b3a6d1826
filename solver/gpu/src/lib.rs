//! Runs passes of a compute shader on a GPU.
//!
//! The caller supplies the computation: a WGSL shader, and [`Batch`]es of passes over *lines* of 64
//! bytes. The lines are divided into [`Pieces`], because a shader can't bind all memory as one
//! array. Only the module `device` uses a GPU. Everything else is plain data, which another
//! runtime, such as a browser, can execute as well.

#[cfg(feature = "device")]
mod device;

#[cfg(feature = "device")]
pub use device::{Adapter, Device, Session, adapters};

/// The size of a line in bytes.
pub const LINE_BYTES: u64 = 64;

/// The number of 32-bit words in the parameters of a pass.
pub const PARAMETERS: usize = 16;

/// The maximum number of lines in a piece, which then has 1 GiB. The largest binding of a shader is
/// one byte less than 2 GiB.
pub const MOST_PIECE_LINES: u64 = 1 << 24;

/// The number of storage buffers that the shader binds in addition to the pieces: one for the
/// words, one for the fives.
pub const OTHER_BINDINGS: u32 = 2;

/// The distance in bytes between the parameters of successive passes. Every adapter accepts offsets
/// that are multiples of this number.
pub const STRIDE: u64 = 256;

/// A step of a batch. The steps of a batch run in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Runs the shader with `parameters`, once for each workgroup.
    Pass {
        /// The content of the shader's uniform buffer.
        parameters: [u32; PARAMETERS],
        /// The numbers of workgroups along the two axes.
        groups: [u32; 2],
    },
    /// Copies the current content of a line, which `Session::read` returns later.
    Read {
        /// The index of the line among the lines of all pieces.
        line: u64,
    },
}

/// A list of steps, and the words that these steps read. In the buffer, these words follow the
/// constant words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The words that the steps read. In the buffer, these words follow the constant words.
    pub words: Vec<u32>,
    /// The steps, in the order in which they run.
    pub steps: Vec<Step>,
}

/// The division of lines into pieces. All pieces have the same number of lines, which is a power of
/// two. Only the last piece may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces {
    /// The total number of lines.
    pub lines: u64,
    /// The binary logarithm of the number of lines in each full piece.
    pub bits: u32,
}

impl Pieces {
    /// Divides `lines` lines into pieces of at most `most` bytes and at most [`MOST_PIECE_LINES`]
    /// lines.
    pub fn new(lines: u64, most: u64) -> Pieces {
        let most = (most / LINE_BYTES).clamp(1, MOST_PIECE_LINES);
        Pieces { lines: lines.max(1), bits: most.ilog2() }
    }

    /// Returns the number of pieces.
    pub fn count(self) -> u64 {
        self.lines.div_ceil(1 << self.bits)
    }

    /// Returns the size of each piece in bytes.
    pub fn bytes(self) -> impl Iterator<Item = u64> {
        let size = 1 << self.bits;
        (0..self.count()).map(move |i| size.min(self.lines - i * size) * LINE_BYTES)
    }

    /// Returns the end of the shader's source text: the bindings of group 1, and the functions
    /// `load` and `store`. These functions access one of the four vectors of a line.
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

/// The sizes of the buffers that the passes of one shader use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The division of the lines into pieces.
    pub pieces: Pieces,
    /// The number of constant 32-bit words, which all batches share.
    pub tables: u64,
    /// The maximum number of 32-bit words in a batch, without the constant words.
    pub words: u64,
    /// The maximum number of passes in a batch.
    pub passes: u64,
    /// The maximum number of lines that one call of `Session::read` returns.
    pub reads: u64,
    /// The maximum size of the fives in bytes.
    pub fives: u64,
}

impl Room {
    /// Returns the total size of all buffers in bytes.
    pub fn bytes(self) -> u64 {
        let lines = (self.pieces.lines + self.reads) * LINE_BYTES;
        lines + 4 * (self.tables + self.words) + self.fives + STRIDE * self.passes
    }

    /// Returns `true` if a shader can bind all these buffers within the limits of a GPU.
    pub fn fits(self, limits: Limits) -> bool {
        self.pieces.count() + u64::from(OTHER_BINDINGS) <= u64::from(limits.bindings)
            && (4 * (self.tables + self.words)).max(self.fives) <= limits.binding
    }
}

/// The memory limits of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a binding or a buffer in bytes.
    pub binding: u64,
    /// The maximum number of storage buffers that a shader can bind.
    pub bindings: u32,
}

impl Limits {
    /// Returns the maximum total number of lines in all pieces that a shader can bind.
    pub fn lines(self) -> u64 {
        let pieces = u64::from(self.bindings.saturating_sub(OTHER_BINDINGS));
        pieces << Pieces::new(1, self.binding).bits
    }
}

/// An error that prevents the use of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No GPU supports compute shaders and has the requested name.
    #[error(
        "no GPU that supports compute shaders was found{}: install its driver for Vulkan, Metal or \
         Direct3D 12, or choose another kernel", with_name(.named)
    )]
    None {
        /// The adapter name that the environment variable requests. `None` if the variable isn't
        /// set.
        named: Option<String>,
    },
    /// The driver reports an error, so the GPU can't be used.
    #[error("the GPU {adapter} can't be used: {reason}")]
    Unusable {
        /// The name of the GPU.
        adapter: String,
        /// The error message of the driver.
        reason: String,
    },
    /// The solution needs more memory than a shader can bind.
    #[error("the solution needs {need} bytes of GPU memory, but a shader can bind only {most}")]
    TooLarge {
        /// The required memory in bytes.
        need: u64,
        /// The memory that a shader can bind, in bytes.
        most: u64,
    },
    /// The GPU has too little free memory.
    #[error("the GPU {adapter} can't allocate {bytes} bytes of memory")]
    Memory {
        /// The name of the GPU.
        adapter: String,
        /// The requested memory in bytes.
        bytes: u64,
    },
    /// The GPU was removed, switched off, or reset by the system.
    #[error("the GPU {adapter} was lost: {reason}")]
    Lost {
        /// The name of the GPU.
        adapter: String,
        /// The reason that the system reports for the loss.
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
                // Skip divisions into very many pieces, which test nothing new and take a second.
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
