//! The primitives that the protocol stands on. The model (`tests/model`) has its own.

pub use std::sync::atomic::{AtomicU64, Ordering};
pub use std::sync::{Mutex, MutexGuard};

/// Waits a moment; true now and then, when it is time to look whether the wait was cancelled.
pub fn pause(rounds: u32) -> bool {
    if rounds.is_multiple_of(64) {
        std::thread::yield_now();
        return true;
    }
    std::hint::spin_loop();
    false
}
