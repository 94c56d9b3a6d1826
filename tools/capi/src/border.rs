//! What all functions share: statuses, the text of the last error, texts and pointers.

use pentago::{Error, ErrorKind};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The version of this interface: it changes when a program has to be compiled again. A program
/// compares it with pentago_abi_version().
pub const PENTAGO_ABI_VERSION: u32 = 1;

/// The number that stands for a value that isn't known, where 1 is a win, 0 a draw and -1 a loss of
/// the side to move.
pub const PENTAGO_UNKNOWN: i8 = -128;
const _: () = assert!(PENTAGO_UNKNOWN == pentago::UNKNOWN);

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pentago_status {
    /// As asked.
    Ok = 0,
    /// What was asked makes no sense: bad text, an illegal move, a null pointer.
    Input = 1,
    /// Data is not there, or is damaged.
    Missing = 2,
    /// Two computations that must agree do not: a table holds a wrong value.
    Contradiction = 3,
    /// The machine did not do what it had to: disk, input and output, threads.
    Environment = 4,
    /// The memory doesn't suffice.
    Memory = 5,
    /// It was stopped by pentago_control_cancel().
    Cancelled = 6,
    /// An error of this library. Please report it.
    Internal = 7,
}

/// Why a call failed.
pub struct Failure {
    status: pentago_status,
    text: String,
}

impl Failure {
    /// What was asked makes no sense.
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

/// Keeps a text for [`pentago_last_error`].
fn remember(text: &str) {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    // A thread that is ending has nobody left to ask.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Does the work of a function; an error or a panic becomes a status.
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

/// What a pointer of the caller points to.
///
/// # Safety
/// It is null, or points to a valid `T` that isn't changed during the call.
pub unsafe fn lent<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::input(format!("{name} is NULL")))
}

/// The text that a pointer of the caller points to.
///
/// # Safety
/// It is null, or points to a text that ends with a zero and isn't changed during the call.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: not null, and as the caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::input(format!("{name} is not UTF-8")))
}

/// Writes a value to where the caller wants it.
///
/// # Safety
/// The pointer is null, or points to room for a `T`.
pub unsafe fn put<T>(out: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::input(format!("{name} is NULL")));
    }
    // SAFETY: not null, and as the caller promises.
    unsafe { out.write(value) };
    Ok(())
}

/// Makes a handle of what `make` gives. Where that fails, or `out` is null, there is none: the
/// handle is null.
///
/// # Safety
/// The pointer is null, or points to room for a handle.
pub unsafe fn make<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> pentago_status {
    guarded(|| {
        // SAFETY: as the caller promises.
        unsafe { put(out, ptr::null_mut(), "out") }?;
        let handle = Box::into_raw(Box::new(make()?));
        // SAFETY: the same room as before.
        unsafe { put(out, handle, "out") }
    })
}

/// Frees what a handle stands for and sets it to null. Nothing happens to null.
///
/// # Safety
/// The pointer is null, or points to a handle that is null or came from [`make`] and is used by no
/// other thread.
pub unsafe fn free<T>(handle: *mut *mut T) {
    // SAFETY: as the caller promises.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return };
    let object = std::mem::replace(handle, ptr::null_mut());
    if !object.is_null() {
        // A panic while it is dropped has nowhere to go.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: it came from `Box::into_raw` in `make`, and the handle is gone.
            drop(unsafe { Box::from_raw(object) });
        }));
    }
}

/// Writes a text with a zero at its end to the caller's room, and the length without it to
/// `length`, unless that is null. A `buffer` of null asks for the length alone.
///
/// # Safety
/// `buffer` is null or has room for `capacity` bytes; `length` is null or has room for one number.
pub unsafe fn put_text(
    text: &str,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    if !length.is_null() {
        // SAFETY: not null, and as the caller promises.
        unsafe { length.write(text.len()) };
    }
    if buffer.is_null() {
        if length.is_null() {
            return Err(Failure::input("buffer and length are NULL"));
        }
        return Ok(());
    }
    if capacity <= text.len() {
        let text = format!("the buffer has {capacity} bytes, the text needs {}", text.len() + 1);
        return Err(Failure::input(text));
    }
    // SAFETY: there is room for the text and the zero behind it, and it is the caller's own.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// The version of the interface that the library has: PENTAGO_ABI_VERSION of its header. Safe in any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_abi_version() -> u32 {
    PENTAGO_ABI_VERSION
}

/// The version of the library, such as "0.1.0"; it is never freed. Safe in any thread.
#[unsafe(no_mangle)]
pub extern "C" fn pentago_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The text of the last error in this thread; empty if there was none. It is valid until the next
/// call that fails in the same thread, and is never freed by the caller.
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
        // SAFETY: the text of the last error ends with a zero.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("internal error: out of order"));
    }

    #[test]
    fn errors_keep_their_kind_and_text() {
        let status = guarded(|| Err(Error::new(ErrorKind::Missing, "no tables").into()));
        assert_eq!(status, pentago_status::Missing);
        // SAFETY: the text of the last error ends with a zero.
        let text = unsafe { CStr::from_ptr(pentago_last_error()) };
        assert_eq!(text.to_str(), Ok("no tables"));
    }
}
