//! Frees the disk space of payloads in a finished table while the table is open. The freed ranges
//! become holes in the file, which read as zeros.
//!
//! The size of the file, the header and the index don't change. A table with holes can no longer be
//! verified: only builders that will delete the table soon should make holes.

use crate::error::StoreError;
use crate::table::RawTable;
use std::fs::{File, OpenOptions};
use std::io;

/// The file of a table, opened for making holes.
#[derive(Debug)]
pub struct Holes(File);

impl Holes {
    /// Opens the file of a table a second time, for writing.
    ///
    /// # Errors
    /// If the file can't be opened.
    pub fn of(table: &RawTable) -> Result<Holes, StoreError> {
        let file = OpenOptions::new().write(true).open(table.path());
        file.map(Holes).map_err(|e| StoreError::io(table.path(), "open", e))
    }

    /// Frees the payloads of an array. Does nothing if the system or the file system doesn't
    /// support holes.
    ///
    /// # Errors
    /// If the table has no array with this index, if the block index is damaged, or if the system
    /// fails.
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
