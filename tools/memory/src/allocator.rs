//! The system's allocator, with an error message and an exit status if memory runs out.
//!
//! Without this allocator, a failed allocation of a vector or a string aborts the program, and the
//! abort looks like a bug. A failed large allocation still returns null, because the solvers report
//! it with its size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The least size in bytes of an allocation whose failure the caller must handle.
const LARGE: usize = 16 << 20;

/// Makes glibc map each allocation of 1 MiB or more, and return it to the system when it is freed.
/// By default, glibc keeps freed allocations of up to 32 MiB, and small allocations fragment them:
/// a build with `--memory 60M` then takes 200 MB.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` has no preconditions, and leaves allocated memory unchanged.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Limits glibc to one heap if the memory of this process is limited: by an option (`is_limited`),
/// or by the system. By default, each thread has a heap of its own. Such a heap reserves 64 MiB of
/// addresses, and keeps the memory that ended threads have freed: `random` with `--memory 50M` then
/// takes 105 MB.
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), expect(unused_variables))]
pub fn respect_limit(is_limited: bool) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if is_limited || rustix::process::getrlimit(rustix::process::Resource::As).current.is_some() {
        // SAFETY: `mallopt` has no preconditions, and leaves allocated memory unchanged.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

/// The system's allocator. If an allocation of less than 16 MiB fails, the program ends with this
/// exit status.
pub struct Allocator {
    /// The exit status for a lack of memory.
    pub status: i32,
}

impl Allocator {
    fn checked(&self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() && bytes < LARGE {
            // Neither the message nor the exit allocates memory. `exit` would run destructors, and
            // these may allocate.
            let _ = writeln!(
                std::io::stderr(),
                "error: out of memory: the system refused {bytes} bytes\n  lower --memory or --threads, or \
                 raise the limit of the system (`ulimit -v`)"
            );
            #[cfg(unix)]
            // SAFETY: `_exit` has no preconditions.
            unsafe {
                libc::_exit(self.status)
            }
            #[cfg(not(unix))]
            std::process::exit(self.status);
        }
        memory
    }
}

// SAFETY: every method passes its arguments on to the system's allocator, and returns its result.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller meets the requirements of `GlobalAlloc::alloc`.
        self.checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller meets the requirements of `GlobalAlloc::alloc_zeroed`.
        self.checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller meets the requirements of `GlobalAlloc::realloc`.
        self.checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller meets the requirements of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(memory, layout) };
    }
}
