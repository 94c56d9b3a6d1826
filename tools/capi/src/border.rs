//! Helpers that all functions of the C interface use: statuses, the last error, strings and
//! pointers.

use pentago::{Error, ErrorKind};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The version of this interface. The number changes when programs must be recompiled. A program
/// can compare this constant with the result of pentago_abi_version().
pub const PENTAGO_ABI_VERSION: u32 = 1;

/// The number that stands for an unknown value. Known values are 1 for a win of the side to move, 0
/// for a draw, and -1 for a loss.
pub const PENTAGO_UNKNOWN: i8 = -128;
const _: () = assert!(PENTAGO_UNKNOWN == pentago::UNKNOWN);

/// The result of a call: success or the kind of the error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pentago_status {
    /// The call succeeded.
    Ok = 0,
    /// An argument is invalid, such as a malformed string, an illegal move, or a null pointer.
    Input = 1,
    /// The requested data is missing, or a table is damaged.
    Missing = 2,
    /// Two computations that must agree differ: a table contains a wrong value.
    Contradiction = 3,
    /// The operating system reported an error, for example from the disk or when a thread was
    /// started.
    Environment = 4,
    /// The computation needs more memory than is available or allowed.
    Memory = 5,
    /// The call was stopped by pentago_control_cancel().
    Cancelled = 6,
    /// The library has a bug. Please report it.
    Internal = 7,
}

/// The status and the message of a failed call.
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

/// Stores the message that [`pentago_last_error`] returns in this thread.
fn remember(text: &str) {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    // Ignore an error of `try_with`, which only fails while the thread ends. No caller can read the
    // message after that.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Runs `work`, the body of a C function. Turns an error or a panic into a status, and stores the
/// message.
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

/// Returns a reference to an object of the C caller. Returns an error if the pointer is null.
///
/// # Safety
/// The pointer is null, or points to a valid `T` that isn't changed or freed during `'a`.
pub unsafe fn lent<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller guarantees that the pointer is null, or points to a valid `T` that stays
    // unchanged during `'a`.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::input(format!("{name} is NULL")))
}

/// Returns a string of the C caller. Returns an error if the pointer is null or the string isn't
/// UTF-8.
///
/// # Safety
/// The pointer is null, or points to a zero-terminated string that isn't changed or freed during
/// `'a`.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: the pointer isn't null, and the caller guarantees that it points to a zero-terminated
    // string that stays unchanged during `'a`.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::input(format!("{name} is not UTF-8")))
}

/// Writes a value to a variable of the C caller. Returns an error if the pointer is null.
///
/// # Safety
/// The pointer is null, or valid for writing a `T`.
pub unsafe fn put<T>(out: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: the pointer isn't null. The caller guarantees that it is then valid for writing a
    // `T`.
    unsafe { out.write(value) };
    Ok(())
}

/// Calls `make`, and writes a handle of the result to `out`. If `make` fails, writes null.
///
/// # Safety
/// The pointer is null, or valid for writing a handle.
pub unsafe fn make<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> pentago_status {
    guarded(|| {
        // SAFETY: the caller guarantees that `out` is null or valid for writing a handle.
        unsafe { put(out, ptr::null_mut(), "out") }?;
        let handle = Box::into_raw(Box::new(make()?));
        // SAFETY: `out` isn't null, because the first `put` succeeded. The caller guarantees that
        // it is then valid for writing a handle.
        unsafe { put(out, handle, "out") }
    })
}

/// Frees the object of a handle, and sets the handle to null. Does nothing if the pointer or the
/// handle is null.
///
/// # Safety
/// The pointer is null, or points to a handle that is null or came from [`make`]. No other thread
/// uses the handle.
pub unsafe fn free<T>(handle: *mut *mut T) {
    // SAFETY: the caller guarantees that the pointer is null, or points to a handle that no other
    // thread uses.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return };
    let object = std::mem::replace(handle, ptr::null_mut());
    if !object.is_null() {
        // A panic must not unwind into C. This function returns no status, so ignore the panic.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the object came from `Box::into_raw` in `make`. Its only handle is now null,
            // so the object is freed once.
            drop(unsafe { Box::from_raw(object) });
        }));
    }
}

/// Writes a zero-terminated string to `buffer`, and the length of the string in bytes, without the
/// zero, to `length`. One of the two pointers may be null.
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
        // SAFETY: the pointer isn't null. The caller guarantees that it is then valid for writing a
        // number.
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
    // SAFETY: the caller guarantees that `buffer` is valid for writing `capacity` bytes. The string
    // and the zero fit, because `capacity` exceeds the length of the string. The buffer belongs to
    // the C caller, so it doesn't overlap with `text`.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// Returns the interface version of the library. The version must equal the PENTAGO_ABI_VERSION in
/// the header with which the program was compiled. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_abi_version() -> u32 {
    PENTAGO_ABI_VERSION
}

/// Returns the version of the library, such as "0.1.0". Do not free the string. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the message of the last error in this thread, or an empty string if there was no error.
/// The string is valid until the next call in this thread that fails. Do not free the string.
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
        // SAFETY: pentago_last_error() returns a zero-terminated string, which no other call
        // changes here.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("internal error: out of order"));
    }

    #[test]
    fn errors_keep_their_kind_and_text() {
        let status = guarded(|| Err(Error::new(ErrorKind::Missing, "no tables").into()));
        assert_eq!(status, pentago_status::Missing);
        // SAFETY: pentago_last_error() returns a zero-terminated string, which no other call
        // changes here.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("no tables"));
    }
}
