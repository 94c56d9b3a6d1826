//! The memory of an arena.

use crate::kernel::lanes::Pack;
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
use memmap2::MmapMut;
use std::io;

/// The size of a huge page in bytes.
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
const HUGE_PAGE: usize = 1 << 21;

/// The lines of an arena. Memory of at least the size of a huge page is mapped, because the
/// allocator might keep freed memory for itself. Smaller memory comes from the allocator, because
/// the system limits the number of maps.
pub enum ArenaMemory {
    #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
    Map(MmapMut),
    Heap(Vec<Pack>),
}

impl ArenaMemory {
    /// Allocates zeroed lines, in huge pages if the system has them.
    pub fn new(lines: usize) -> io::Result<ArenaMemory> {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        if lines >= HUGE_PAGE / size_of::<Pack>()
            && let Ok(map) = MmapMut::map_anon(lines * size_of::<Pack>())
        {
            #[cfg(target_os = "linux")]
            {
                // The advice is a hint: without huge pages the program is only slower.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            return Ok(ArenaMemory::Map(map));
        }
        let mut all = Vec::new();
        all.try_reserve_exact(lines).map_err(|_| io::ErrorKind::OutOfMemory)?;
        all.resize(lines, Pack::default());
        Ok(ArenaMemory::Heap(all))
    }

    pub fn start(&self) -> *const Pack {
        // A map starts at a page.
        const { assert!(align_of::<Pack>() <= 4096) };
        match self {
            #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
            ArenaMemory::Map(map) => map.as_ptr().cast(),
            ArenaMemory::Heap(all) => all.as_ptr(),
        }
    }

    pub fn start_mut(&mut self) -> *mut Pack {
        match self {
            #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
            ArenaMemory::Map(map) => map.as_mut_ptr().cast(),
            ArenaMemory::Heap(all) => all.as_mut_ptr(),
        }
    }

    pub fn lines(&self) -> usize {
        match self {
            #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
            ArenaMemory::Map(map) => map.len() / size_of::<Pack>(),
            ArenaMemory::Heap(all) => all.len(),
        }
    }
}
