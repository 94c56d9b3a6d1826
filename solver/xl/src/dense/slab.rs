//! The memory of half supers, whose pages are allocated once and reused for every slice.

use memmap2::MmapMut;
use pentago_base::Stopped;
use zerocopy::FromBytes;

use crate::kernel::HalfSuper;

/// The reason why a dense solution could not be completed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DenseError {
    /// The system refused to allocate memory.
    #[error("cannot allocate the memory for a dense solution: {0}")]
    System(#[from] std::io::Error),
    /// The caller cancelled the computation.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A buffer of half supers, in which all bits are initially false.
pub(super) struct Slab {
    map: MmapMut,
}

impl Slab {
    /// Allocates a buffer of `halves` half supers.
    ///
    /// # Errors
    /// If the system refuses to allocate the memory.
    pub fn new(halves: usize) -> std::io::Result<Slab> {
        let bytes =
            halves.max(1).checked_mul(size_of::<HalfSuper>()).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        // Request pages of 2 MiB. With small pages, the page fault for each half super would take
        // as long as computing its values. The result does not depend on the page size, so ignore
        // an error.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Slab { map })
    }

    pub fn halves(&self) -> &[HalfSuper] {
        // A page is a multiple of the size of a half super, so both the size and the alignment fit,
        // and `ref_from_bytes` succeeds.
        <[HalfSuper]>::ref_from_bytes(&self.map).unwrap_or(&[])
    }

    pub fn halves_mut(&mut self) -> &mut [HalfSuper] {
        <[HalfSuper]>::mut_from_bytes(&mut self.map).unwrap_or(&mut [])
    }
}
