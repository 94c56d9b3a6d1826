//! What the memory of a build is for.

/// Bytes for blocks that wait to be written, and for the codecs of a thread, with the open bits of a row of
/// blocks (at most as many bytes as its entries); of little memory an eighth each.
pub const WAITING: u64 = 256 << 20;
const REST: u64 = 128 << 20;

/// Memory for decoded entries of the next slice: for what the rows of one section read and compute, and
/// for blocks that later sections need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    pub bytes: u64,
    /// Each has a row in work.
    pub threads: usize,
}

impl Memory {
    /// Of a build that has so many bytes.
    pub fn of(memory: u64, threads: usize) -> Memory {
        let rest = (REST * threads as u64).min(memory / 8);
        Memory { bytes: memory - WAITING.min(memory / 8) - rest, threads }
    }

    /// The most bytes that the rows of one section take, with encoded blocks that wait.
    pub fn for_pieces(self) -> u64 {
        self.bytes / 16 * 15
    }

    /// Bytes for blocks that later sections need, while a section takes so many. An eighth of what is left
    /// is for free memory of pieces, and for the holes that the allocator keeps
    /// (`bench/README.md#memory-of-pieces`).
    pub fn for_blocks(self, section: f64) -> u64 {
        self.bytes.saturating_sub(section.ceil() as u64) / 8 * 7
    }
}

/// Gives back to the system what the allocator keeps free, where it is too much: if so many bytes of blocks
/// that a section leaves no room for, or the process has too many in all. Blocks that come and go leave
/// holes between others, which the pieces of a section don't fit in. Whether it has done so.
pub fn give_back(freed: u64, memory: u64) -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let wanted = freed > memory / 16 || own_bytes().is_some_and(|own| own > memory / 16 * 15);
        if wanted {
            // SAFETY: what is in use stays as it is.
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

/// Bytes of memory that this process shares with no file.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn own_bytes() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = pages.split(' ').skip(1).map_while(|pages| pages.parse::<u64>().ok());
    let (resident, shared) = (pages.next()?, pages.next()?);
    Some((resident - shared.min(resident)) * rustix::param::page_size() as u64)
}

/// Bytes of encoded blocks that may wait in any case, because threads don't finish in their order.
pub fn few_waiting(memory: u64) -> usize {
    WAITING.min(memory / 8) as usize
}
