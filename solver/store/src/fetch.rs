//! What asks a host for bytes: connections of this program, or what a program without any brings along,
//! such as the page of a browser.

use crate::error::{Reason, StoreError};
use std::fmt;
use std::io;
use std::ops::Range;

/// Asks hosts for files and for parts of them.
///
/// Who can't wait for an answer gives [`WouldBlock`](io::ErrorKind::WouldBlock) as an error: the bytes are
/// on their way, and the same is to be asked again when they have come.
pub trait Fetch: Send + Sync + fmt::Debug {
    /// A whole file, of at most `most` bytes.
    ///
    /// # Errors
    /// If the host can't be reached, or sends anything else.
    fn whole(&self, address: &str, most: u64) -> io::Result<Vec<u8>>;

    /// Parts of a file of `size` bytes, asked for at the same time: each with as many bytes as its range,
    /// which isn't empty.
    ///
    /// # Errors
    /// As for [`Fetch::whole`].
    fn parts(&self, address: &str, size: u64, parts: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

/// Look-ups of which some wait for bytes that are on their way. The others are made all the same, so that
/// all bytes are asked for at once.
#[derive(Debug, Default)]
pub struct Awaited {
    first: Option<StoreError>,
}

impl Awaited {
    /// What a look-up gave; nothing where it waits.
    ///
    /// # Errors
    /// That of the look-up, if it is another one.
    pub fn take<T>(&mut self, found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_awaited(&error) => {
                self.first.get_or_insert(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Ends the look-ups.
    ///
    /// # Errors
    /// If one of them waits.
    pub fn end(self) -> Result<(), StoreError> {
        self.first.map_or(Ok(()), Err)
    }
}

/// Whether bytes are on their way that something took.
pub(crate) fn is_awaited(error: &StoreError) -> bool {
    matches!(&error.reason, Reason::Io { error, .. } if error.kind() == io::ErrorKind::WouldBlock)
}
