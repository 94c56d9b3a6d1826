//! Parts of a finished table that nobody will read again are given back to the file system, while
//! the table is still open: as holes in the file, which read as zeros.
//!
//! Its length and everything around the payloads stay. A table with holes is no table that could be
//! kept: it is for a builder who deletes it soon.

use crate::error::StoreError;
use crate::table::RawTable;
use std::fs::{File, OpenOptions};
use std::io;

/// A table's file, to make holes in.
#[derive(Debug)]
pub struct Holes(File);

impl Holes {
    /// Opens the file of a table a second time, for writing.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn of(table: &RawTable) -> Result<Holes, StoreError> {
        let file = OpenOptions::new().write(true).open(table.path());
        file.map(Holes).map_err(|e| StoreError::io(table.path(), "open", e))
    }

    /// Gives the payloads of an array back. Where the system or the file system has no holes,
    /// nothing happens.
    ///
    /// # Errors
    /// If there is no such array, its part of the block index is damaged, or what the system says.
    pub fn punch(&self, table: &RawTable, array: u32) -> Result<(), StoreError> {
        let range = table.payloads(array)?;
        punch(&self.0, range.start, range.end - range.start)
            .map_err(|e| StoreError::io(table.path(), "free a part of", e))
    }
}

#[cfg(target_os = "linux")]
fn punch(file: &File, offset: u64, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    match fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, len) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn punch(_: &File, _: u64, _: u64) -> io::Result<()> {
    Ok(())
}
