//! The synchronisation primitives of the protocol. The model checker (`tests/model`) replaces this
//! module.

pub use std::sync::atomic::{AtomicU64, Ordering};
pub use std::sync::{Mutex, MutexGuard};

/// Waits a moment. `rounds` is the number of this wait, from 1. Returns `true` in every 64th round,
/// to tell the caller to check whether the wait was cancelled.
pub fn pause(rounds: u32) -> bool {
    if rounds.is_multiple_of(64) {
        std::thread::yield_now();
        return true;
    }
    std::hint::spin_loop();
    false
}
