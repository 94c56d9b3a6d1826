//! The division of a build's memory.

/// Bytes for encoded blocks that wait to be written in order, but at most an eighth of the memory.
pub const WAITING: u64 = 256 << 20;
/// Bytes per thread for the codecs and the open bits of a row of blocks, but at most an eighth of
/// the memory for all threads. The open bits are at most as large as the entries of the row.
const REST: u64 = 128 << 20;

/// The memory for entries: those that the rows of one section read and compute, and blocks of the
/// next slice that later sections need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    pub bytes: u64,
    /// The number of threads. Each thread computes one row at a time.
    pub threads: usize,
}

impl Memory {
    /// Divides the memory of a build, in bytes.
    pub fn of(memory: u64, threads: usize) -> Memory {
        let rest = (REST * threads as u64).min(memory / 8);
        Memory { bytes: memory - WAITING.min(memory / 8) - rest, threads }
    }

    /// Returns the memory limit in bytes for the rows of one section and their waiting encoded
    /// blocks.
    pub fn for_pieces(self) -> u64 {
        self.bytes / 16 * 15
    }

    /// Returns the number of bytes for blocks that later sections need, while a section takes
    /// `section` bytes. An eighth of the rest is for unused buffers of pieces, and for
    /// fragmentation of the heap (`bench/README.md#memory-of-pieces`).
    pub fn for_blocks(self, section: f64) -> u64 {
        self.bytes.saturating_sub(section.ceil() as u64) / 8 * 7
    }
}

/// Returns free memory of the allocator to the system if `freed` bytes of evicted blocks, or the
/// memory of the process, exceed a part of the limit `memory`. Blocks of changing sizes fragment
/// the heap, and the pieces of a section don't fit into the gaps. Returns `true` if memory was
/// returned.
pub fn give_back(freed: u64, memory: u64) -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let wanted = freed > memory / 16 || own_bytes().is_some_and(|own| own > memory / 16 * 15);
        if wanted {
            // SAFETY: `malloc_trim` has no preconditions, and leaves allocated memory unchanged.
            #[allow(unsafe_code)]
            unsafe {
                libc::malloc_trim(0);
            }
        }
        wanted
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        let _ = (freed, memory);
        false
    }
}

/// Returns the resident memory of this process in bytes, without mapped files.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn own_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = pages.split(' ').skip(1).map_while(|pages| pages.parse::<u64>().ok());
    let (resident, shared) = (pages.next()?, pages.next()?);
    Some((resident - shared.min(resident)) * rustix::param::page_size() as u64)
}

/// Returns the number of bytes of encoded blocks that may wait because threads finish out of order.
pub fn few_waiting(memory: u64) -> usize {
    WAITING.min(memory / 8) as usize
}
