//! The division of a build's memory between its purposes.

/// The number of bytes for encoded blocks that wait to be written in order. At most an eighth of
/// the memory is used for this purpose.
pub const WAITING: u64 = 256 << 20;
/// The number of bytes per thread for the codecs and for the open bits of a row of blocks. All
/// threads together use at most an eighth of the memory for this purpose. The open bits are at most
/// as large as the entries of the row.
const REST: u64 = 128 << 20;

/// The number of bytes that every build of slices takes, and the number of bytes per thread: the
/// lists of sections and blocks, the index of the open table, and buffers of files.
const OVERHEAD: u64 = 2 << 20;
const OVERHEAD_PER_THREAD: u64 = 1 << 20;

/// Returns the memory in bytes that a build of slices takes in addition to entries, codecs and
/// waiting blocks.
pub fn overhead(threads: usize) -> u64 {
    OVERHEAD + OVERHEAD_PER_THREAD * threads as u64
}

/// The memory for entries: the entries that the rows of one section read and compute, and the
/// blocks of the next slice that later sections need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    pub bytes: u64,
    /// The number of threads. Each thread computes one row at a time.
    pub threads: usize,
}

impl Memory {
    /// Returns the memory for entries, given the memory limit of a build in bytes.
    pub fn of(memory: u64, threads: usize) -> Memory {
        let memory = memory.saturating_sub(overhead(threads));
        let rest = (REST * threads as u64).min(memory / 8);
        Memory { bytes: memory - WAITING.min(memory / 8) - rest, threads }
    }

    /// Returns the memory limit in bytes for the rows of one section and for their encoded blocks
    /// that wait to be written.
    pub fn for_pieces(self) -> u64 {
        self.bytes / 16 * 15
    }

    /// Returns the memory limit in bytes for blocks that later sections need, while a section takes
    /// `section` bytes. An eighth of the remaining memory is reserved for unused buffers of pieces
    /// and for fragmentation of the heap (`bench/README.md#memory-of-pieces`).
    pub fn for_blocks(self, section: f64) -> u64 {
        self.bytes.saturating_sub(section.ceil() as u64) / 8 * 7
    }
}

/// Returns free memory of the allocator to the system, and returns `true`, in two cases: `freed`
/// bytes of evicted blocks exceed a fraction of the limit `memory`, or the process uses almost all
/// of `memory`. This is necessary because blocks of different sizes fragment the heap, and the
/// pieces of a section don't fit into the gaps.
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

/// Returns the resident memory of this process in bytes, without mapped files. Returns `None` if
/// the system doesn't report it.
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
