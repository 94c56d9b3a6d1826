//! The threads that solve: helpers that the page starts in the module's memory (feature `threads`),
//! or the calling thread alone.
//!
//! No thread can be started from here, so the page does it: each helper is one more instance of the
//! module in a worker, with the same memory, a stack of its own (`room`) and its own thread-local
//! data. It calls `help`, which waits for a part in the pool and never returns. `gather` makes
//! the pool, of the calling thread and the helpers.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads of the pool, once there is one.
static COUNT: AtomicUsize = AtomicUsize::new(1);

/// How many threads solve, the calling one included.
pub fn count() -> NonZeroUsize {
    NonZeroUsize::new(COUNT.load(Ordering::Relaxed)).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(feature = "threads")]
mod pool {
    use super::COUNT;
    use rayon::{ThreadBuilder, ThreadPoolBuilder};
    use std::sync::atomic::Ordering;
    use std::sync::{Condvar, Mutex, PoisonError};

    /// Parts that no helper has taken yet.
    static PARTS: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());
    static ADDED: Condvar = Condvar::new();

    /// Memory for a helper, to keep for ever: so many bytes, of which it gives the address, a
    /// multiple of 16.
    // The attribute is what makes it an export; its name belongs to this module alone.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn room(bytes: usize) -> *mut u8 {
        const { assert!(align_of::<u128>() == 16) };
        vec![0u128; bytes.div_ceil(size_of::<u128>())].leak().as_mut_ptr().cast()
    }

    /// Waits for a part in the pool, and plays it to the end.
    // As for `room`.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn help() {
        let parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
        let none = |parts: &mut Vec<ThreadBuilder>| parts.is_empty();
        let part = ADDED.wait_while(parts, none).unwrap_or_else(PoisonError::into_inner).pop();
        // The lock is free again: `run` comes back only with the pool's end.
        if let Some(part) = part {
            part.run();
        }
    }

    /// Makes the pool: the calling thread, and helpers for the rest of the number, which call
    /// [`help`]. 1 if it is there, else 0.
    // As for `room`.
    #[allow(unsafe_code)]
    #[unsafe(no_mangle)]
    pub extern "C" fn gather(threads: usize) -> u32 {
        let hand_out = |part| {
            PARTS.lock().unwrap_or_else(PoisonError::into_inner).push(part);
            ADDED.notify_one();
            Ok(())
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).use_current_thread();
        let made = pool.spawn_handler(hand_out).build_global().is_ok();
        if made {
            COUNT.store(threads, Ordering::Relaxed);
        }
        u32::from(made)
    }
}
