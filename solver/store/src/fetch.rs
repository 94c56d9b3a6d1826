//! The interface through which tables are fetched from hosts. Programs without network access of
//! their own, such as a browser page, supply their own implementation.

use crate::error::{Reason, StoreError};
use std::fmt;
use std::io;
use std::ops::Range;

/// A client that requests files and parts of files from hosts.
///
/// A client that can't block returns the error [`WouldBlock`](io::ErrorKind::WouldBlock): the bytes
/// have been requested, and the caller must repeat the call when they have arrived.
pub trait Fetch: Send + Sync + fmt::Debug {
    /// Fetches a whole file of at most `most` bytes.
    ///
    /// # Errors
    /// If the host can't be reached, or the file is missing or too long.
    fn whole(&self, address: &str, most: u64) -> io::Result<Vec<u8>>;

    /// Fetches several parts of a file of `size` bytes concurrently. Returns the bytes of each
    /// range. No range may be empty.
    ///
    /// # Errors
    /// If the host can't be reached, or the file is missing or doesn't have `size` bytes.
    fn parts(&self, address: &str, size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

/// A batch of look-ups. A look-up fails if it needs bytes that the client has requested but not yet
/// received. The batch continues after such a failure, so that the client requests all missing
/// bytes together.
#[derive(Debug, Default)]
pub struct Awaited(Option<StoreError>);

impl Awaited {
    /// Adds the result of a look-up to the batch. Returns the found value, or `None` if the look-up
    /// needs bytes that haven't arrived yet.
    ///
    /// # Errors
    /// The error of the look-up, unless the error is that bytes haven't arrived yet.
    pub fn take<T>(&mut self, found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) => match &error.reason {
                Reason::Io { error: io, .. } if io.kind() == io::ErrorKind::WouldBlock => {
                    self.0.get_or_insert(error);
                    Ok(None)
                }
                _ => Err(error),
            },
        }
    }

    /// Ends the batch of look-ups.
    ///
    /// # Errors
    /// If a look-up of the batch needs bytes that haven't arrived yet.
    pub fn end(self) -> Result<(), StoreError> {
        self.0.map_or(Ok(()), Err)
    }
}
