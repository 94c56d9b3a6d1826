//! The functions that JavaScript calls. The module owns all buffers. JavaScript accesses only the
//! memory that [`reserve`] and [`answer`] return, and only until the next call.

use crate::session::Session;
use crate::tables;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
struct Buffers {
    session: Session,
    request: Vec<u8>,
    answer: Vec<u8>,
}

static BUFFERS: Mutex<Option<Buffers>> = Mutex::new(None);

fn with<T>(action: impl FnOnce(&mut Buffers) -> T) -> T {
    // The module has one thread, and a panic ends the module. So the lock is always free here.
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    action(buffers.get_or_insert_default())
}

/// Allocates the request buffer, and returns its address.
// `no_mangle` makes the function an export. No linked library defines a symbol of this name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    with(|buffers| {
        buffers.request.clear();
        buffers.request.resize(bytes, 0);
        buffers.request.as_mut_ptr()
    })
}

/// Answers the request in the buffer. Returns the length of the answer in bytes.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    with(|buffers| {
        let request = std::mem::take(&mut buffers.request);
        buffers.answer = buffers.session.ask(&String::from_utf8_lossy(&request)).into_bytes();
        buffers.answer.len()
    })
}

/// Returns the address of the answer.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    with(|buffers| buffers.answer.as_ptr())
}

/// Uses the content of the request buffer as the tables of the openings. Returns 1 if the tables
/// are valid, else 0.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn openings() -> u32 {
    with(|buffers| {
        buffers.session.openings |= pentago_games::take_openings(std::mem::take(&mut buffers.request));
        u32::from(buffers.session.openings)
    })
}

/// Uses the content of the request buffer as the certificate of the empty board of Pentago XL.
/// Returns 1 if the certificate is right, else 0.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn certificate() -> u32 {
    with(|buffers| {
        buffers.session.certificate = pentago_games::open_certificate(&std::mem::take(&mut buffers.request));
        u32::from(buffers.session.certificate.is_some())
    })
}

/// Stores the next part of the work for the GPU in the answer buffer. Returns the length of the
/// part in bytes, or 0 after the last part.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn part() -> usize {
    with(|buffers| {
        buffers.session.device.part(&mut buffers.answer);
        buffers.answer.len()
    })
}

/// Uses the content of the request buffer as the results of the GPU. Returns 1 if the size of the
/// results is right, else 0.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn learn() -> u32 {
    with(|buffers| {
        let bytes = std::mem::take(&mut buffers.request);
        u32::from(buffers.session.device.learn(&bytes))
    })
}

/// Uses the content of the request buffer as the bytes that entry `index` of the list `fetch` in
/// the last answer requests. Returns 1 if the number of bytes is right, else 0.
// `no_mangle`: see `reserve`.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn bring(index: usize) -> u32 {
    with(|buffers| u32::from(tables::bring(index, std::mem::take(&mut buffers.request))))
}
