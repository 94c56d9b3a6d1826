//! The memory that the slices of one solution share. Allocated once, in huge pages where the system has them, and
//! used again by the second chain and by the next solution: clearing fresh pages costs as much as computing them.

#![allow(unsafe_code)]

use crate::kernel::Pack;
use memmap2::MmapMut;

/// A growing block of lines, not shared with anyone while a slice is computed.
#[derive(Default)]
pub struct Arena {
    map: Option<MmapMut>,
}

impl Arena {
    /// Makes room for so many lines; what was in it is lost where it has to grow.
    ///
    /// # Errors
    /// If the system has not that much memory.
    pub fn reserve(&mut self, lines: u64) -> std::io::Result<()> {
        let bytes = lines.max(1) as usize * size_of::<Pack>();
        if self.map.as_ref().is_none_or(|map| map.len() < bytes) {
            self.map = None;
            let map = MmapMut::map_anon(bytes.next_multiple_of(1 << 21))?;
            #[cfg(target_os = "linux")]
            {
                // A hint: without huge pages everything works, slower.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            self.map = Some(map);
        }
        Ok(())
    }

    /// The first line, or null where nothing was reserved.
    pub fn as_mut_ptr(&mut self) -> *mut Pack {
        const { assert!(align_of::<Pack>() <= 4096) };
        self.map.as_mut().map_or(std::ptr::null_mut(), |map| map.as_mut_ptr().cast())
    }
}
