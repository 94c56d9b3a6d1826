//! The memory of a slice: half supers in pages that are made once and used for slice after slice.

use memmap2::MmapMut;
use zerocopy::FromBytes;

use crate::kernel::HalfSuper;

/// Room for a number of half supers, at first all false.
pub(super) struct Slab {
    map: MmapMut,
}

impl Slab {
    /// The number of boards that there is room for.
    ///
    /// # Errors
    /// If the system has no such memory.
    pub fn new(halves: usize) -> std::io::Result<Slab> {
        let bytes =
            halves.max(1).checked_mul(size_of::<HalfSuper>()).ok_or(std::io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        // Pages of 2 MiB where the system has them: a page for each half super would cost as much
        // time as its values. Without them everything works too.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Slab { map })
    }

    pub fn halves(&self) -> &[HalfSuper] {
        // A page is a whole half super, so size and alignment fit.
        <[HalfSuper]>::ref_from_bytes(&self.map).unwrap_or(&[])
    }

    pub fn halves_mut(&mut self) -> &mut [HalfSuper] {
        <[HalfSuper]>::mut_from_bytes(&mut self.map).unwrap_or(&mut [])
    }
}
