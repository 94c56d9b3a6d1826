//! Helpers of all functions: statuses, the last error, strings and pointers.

use pentago::{Error, ErrorKind};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The version of this interface. It changes when programs must be recompiled. A program compares
/// it with pentago_abi_version().
pub const PENTAGO_ABI_VERSION: u32 = 1;

/// The number of an unknown value. Known values are 1 for a win of the side to move, 0 for a draw,
/// -1 for a loss.
pub const PENTAGO_UNKNOWN: i8 = -128;
const _: () = assert!(PENTAGO_UNKNOWN == pentago::UNKNOWN);

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pentago_status {
    /// The call succeeded.
    Ok = 0,
    /// An argument is invalid: a malformed string, an illegal move, a null pointer.
    Input = 1,
    /// Data is missing or damaged.
    Missing = 2,
    /// Two computations that must agree differ: a table holds a wrong value.
    Contradiction = 3,
    /// The system failed: disk, input and output, threads.
    Environment = 4,
    /// The memory doesn't suffice.
    Memory = 5,
    /// pentago_control_cancel() stopped the call.
    Cancelled = 6,
    /// A bug of this library. Please report it.
    Internal = 7,
}

/// A failed call: its status and its message.
pub struct Failure {
    status: pentago_status,
    text: String,
}

impl Failure {
    /// Creates the failure for an invalid argument.
    pub fn input(text: impl Into<String>) -> Failure {
        Failure { status: pentago_status::Input, text: text.into() }
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        let error = error.into();
        let status = match error.kind() {
            ErrorKind::Input => pentago_status::Input,
            ErrorKind::Missing => pentago_status::Missing,
            ErrorKind::Contradiction => pentago_status::Contradiction,
            ErrorKind::Environment if error.lacks_memory() => pentago_status::Memory,
            ErrorKind::Environment => pentago_status::Environment,
            ErrorKind::Cancelled => pentago_status::Cancelled,
            _ => pentago_status::Internal,
        };
        Failure { status, text: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Stores a message for [`pentago_last_error`].
fn remember(text: &str) {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    // `try_with` fails only while the thread ends, when no caller can read the message any more.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Runs the body of a function. Turns an error or a panic into a status, and stores its message.
pub fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> pentago_status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => pentago_status::Ok,
        Ok(Err(failure)) => {
            remember(&failure.text);
            failure.status
        }
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            remember(&format!("internal error: {text}"));
            pentago_status::Internal
        }
    }
}

/// Returns a reference to the caller's object. A null pointer is an error.
///
/// # Safety
/// The pointer is null, or points to a valid `T` that isn't changed or freed during `'a`.
pub unsafe fn lent<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller guarantees null or a valid, unchanged `T`.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::input(format!("{name} is NULL")))
}

/// Returns the caller's string. A null pointer or invalid UTF-8 is an error.
///
/// # Safety
/// The pointer is null, or points to a zero-terminated string that isn't changed or freed during
/// `'a`.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: the pointer isn't null, and the caller guarantees a zero-terminated, unchanged
    // string.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::input(format!("{name} is not UTF-8")))
}

/// Writes a value to the caller's variable. A null pointer is an error.
///
/// # Safety
/// The pointer is null, or valid for writing a `T`.
pub unsafe fn put<T>(out: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: the pointer isn't null, and the caller guarantees that a `T` can be written there.
    unsafe { out.write(value) };
    Ok(())
}

/// Creates a handle for the result of `make`. If `make` fails, the handle is set to null.
///
/// # Safety
/// The pointer is null, or valid for writing a handle.
pub unsafe fn make<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> pentago_status {
    guarded(|| {
        // SAFETY: the caller guarantees null or a valid pointer for writing a handle.
        unsafe { put(out, ptr::null_mut(), "out") }?;
        let handle = Box::into_raw(Box::new(make()?));
        // SAFETY: the handle is written where null was written before.
        unsafe { put(out, handle, "out") }
    })
}

/// Frees the object of a handle, and sets the handle to null. Does nothing for a null handle.
///
/// # Safety
/// The pointer is null, or points to a handle that is null or came from [`make`]. No other thread
/// uses the handle.
pub unsafe fn free<T>(handle: *mut *mut T) {
    // SAFETY: the caller guarantees null or a valid handle that no other thread uses.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return };
    let object = std::mem::replace(handle, ptr::null_mut());
    if !object.is_null() {
        // A panic must not unwind into C, and this function has no status: ignore the panic.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the object came from `Box::into_raw` in `make`, and its only handle is null
            // now.
            drop(unsafe { Box::from_raw(object) });
        }));
    }
}

/// Writes a zero-terminated string to `buffer`, and its length without the zero to `length`. Either
/// pointer may be null.
///
/// # Safety
/// `buffer` is null or valid for writing `capacity` bytes. `length` is null or valid for writing a
/// number.
pub unsafe fn put_text(
    text: &str,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    if !length.is_null() {
        // SAFETY: the pointer isn't null, and the caller guarantees that a number can be written
        // there.
        unsafe { length.write(text.len()) };
    }
    if buffer.is_null() {
        if length.is_null() {
            return Err(Failure::input("buffer and length are NULL"));
        }
        return Ok(());
    }
    if capacity <= text.len() {
        let text = format!("the buffer has {capacity} bytes, but the string needs {}", text.len() + 1);
        return Err(Failure::input(text));
    }
    // SAFETY: the caller guarantees `capacity` bytes, more than the length of the string. The
    // buffer is the caller's, so it does not overlap with `text`.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// Returns the interface version of the library: PENTAGO_ABI_VERSION of its header. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_abi_version() -> u32 {
    PENTAGO_ABI_VERSION
}

/// Returns the version of the library, such as "0.1.0". Do not free the string. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the message of the last error in this thread, or an empty string. The string is valid
/// until the next failing call in this thread. Do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        std::panic::set_hook(Box::new(|_| ()));
        let status = guarded(|| panic!("out of {}", "order"));
        let _ = std::panic::take_hook();
        assert_eq!(status, pentago_status::Internal);
        // SAFETY: pentago_last_error() returns a zero-terminated string.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("internal error: out of order"));
    }

    #[test]
    fn errors_keep_their_kind_and_text() {
        let status = guarded(|| Err(Error::new(ErrorKind::Missing, "no tables").into()));
        assert_eq!(status, pentago_status::Missing);
        // SAFETY: pentago_last_error() returns a zero-terminated string.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("no tables"));
    }
}
