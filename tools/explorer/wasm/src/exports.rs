//! The border to JavaScript. All memory that crosses it belongs to this side: the other one writes
//! and reads inside of what [`reserve`] and [`answer`] point to, before the next call.

use crate::Session;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Border {
    session: Session,
    request: Vec<u8>,
    answer: Vec<u8>,
}

static BORDER: Mutex<Option<Border>> = Mutex::new(None);

fn with<T>(work: impl FnOnce(&mut Border) -> T) -> T {
    // One thread asks; a panic ends the module.
    let mut guard: MutexGuard<Option<Border>> = BORDER.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || Border { session: Session::default(), request: Vec::new(), answer: Vec::new() };
    work(guard.get_or_insert_with(new))
}

/// Makes room for a request of so many bytes, and gives its address.
// The attribute is what makes it an export; its name belongs to this module alone.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    with(|border| {
        border.request.clear();
        border.request.resize(bytes, 0);
        border.request.as_mut_ptr()
    })
}

/// Answers the request in the buffer: the answer's length in bytes.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    with(|border| {
        let request = std::mem::take(&mut border.request);
        border.answer = border.session.ask(&String::from_utf8_lossy(&request)).into_bytes();
        border.answer.len()
    })
}

/// The address of the answer.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|border| border.answer.as_ptr())
}

/// Takes the buffer as the values of the openings: 1 if it is that, else 0.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn openings() -> u32 {
    with(|border| {
        let bytes = std::mem::take(&mut border.request);
        u32::from(border.session.take_openings(&bytes))
    })
}

/// Makes the next part of the work for a graphics processor the answer: its length in bytes, 0 when all
/// was given out.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn part() -> usize {
    with(|border| {
        border.session.part(&mut border.answer);
        border.answer.len()
    })
}

/// Takes the buffer as the lines that the graphics processor was to compute: 1 if it is that, else 0.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn learn() -> u32 {
    with(|border| {
        let bytes = std::mem::take(&mut border.request);
        u32::from(border.session.learn(&bytes))
    })
}

/// Takes the buffer as the bytes for a place in what the last answer asks for: 1 if it can be that, else 0.
// As for `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn bring(place: usize) -> u32 {
    with(|border| {
        let bytes = std::mem::take(&mut border.request);
        u32::from(border.session.bring(place, bytes))
    })
}

/// The clock of the browser.
pub fn clock() -> pentago::Clock {
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    {
        #[allow(unsafe_code)]
        #[link(wasm_import_module = "host")]
        // SAFETY: the function takes and gives a number, and may be called at any time.
        unsafe extern "C" {
            /// Milliseconds since some fixed moment.
            safe fn now() -> f64;
        }
        pentago::Clock::new(|| std::time::Duration::from_secs_f64((now() / 1e3).max(0.0)))
    }
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pentago::Clock::default()
}
