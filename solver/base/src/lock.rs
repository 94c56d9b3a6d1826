//! Mutexes after a panic: whoever holds one leaves its value in order at every step, so that a
//! panic elsewhere is no reason to refuse it.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Locks a mutex, also one whose holder has panicked.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex, also one whose holder has panicked, unless another thread has it.
pub fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Takes the value out of a mutex, also of one whose holder has panicked.
pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
