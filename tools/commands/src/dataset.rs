//! Data sets in the npz format of NumPy: a zip archive with one uncompressed `.npy` file per array.
//!
//! A data set of any size takes a bounded amount of memory, because each array grows in a temporary
//! file. The archive has a temporary name until it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use pentago::TURNS;
use pentago::Wdl;
use pentago::rules::{Position, Rules};
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::exit::bad_input;
use crate::output::{bytes, check_file, shown_path, unnamed};

/// A data set that is being written.
pub struct DataSet {
    path: PathBuf,
    /// The archive under its temporary name.
    archive: NamedTempFile,
    arrays: Vec<Array>,
    boards: usize,
}

/// An array of int8 whose first axis grows: its name, the lengths of its other axes, and the file
/// with its numbers.
type Array = (&'static str, Vec<usize>, BufWriter<File>);

impl DataSet {
    /// Starts a data set of boards under `rules`. With `moves`, the data set also contains the
    /// values of the moves on each board.
    ///
    /// # Errors
    /// If `path` exists and is not a regular file, or temporary files can't be created beside it.
    pub fn new(path: &Path, rules: &Rules, moves: bool) -> anyhow::Result<DataSet> {
        check_file(path)?;
        // Renaming the archive to `path` would replace a device, a pipe or a link, so refuse such a
        // path.
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            let path = shown_path(path);
            return Err(bad_input(format!("{path} exists and is no regular file: choose another --out")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let writing = || format!("writing {}", shown_path(path));
        let archive = temporary(folder).map_err(unnamed).with_context(writing)?;
        let side = rules.shape.size();
        let mut shapes = vec![("boards", vec![side, side]), ("values", Vec::new())];
        if moves {
            shapes.push(("moves", vec![side * side, TURNS]));
        }
        let mut arrays = Vec::new();
        for (name, axes) in shapes {
            let numbers = BufWriter::new(tempfile::tempfile_in(folder).with_context(writing)?);
            arrays.push((name, axes, numbers));
        }
        Ok(DataSet { path: path.to_owned(), archive, arrays, boards: 0 })
    }

    /// Checks that the disk has space for a data set of `boards` boards.
    ///
    /// # Errors
    /// If the disk has too little space.
    pub fn check_space(&self, boards: u64) -> anyhow::Result<()> {
        let size = |(_, axes, _): &Array| boards * axes.iter().product::<usize>() as u64;
        let (sum, most) = self.arrays.iter().map(size).fold((0, 0), |(sum, most), n| (sum + n, most.max(n)));
        // Each array is on the disk twice while it is copied into the archive.
        let (need, path) = (sum + most, shown_path(&self.path));
        let free = pentago_memory::disk(&self.path).map_or(u64::MAX, |disk| disk.free);
        let advice = "lower --limit, or name a file on another disk";
        ensure!(need <= free, "{path} needs {} of disk ({} available): {advice}", bytes(need), bytes(free));
        Ok(())
    }

    /// Appends boards with their values. `moves` contains the values of the moves, if the data set
    /// includes moves.
    ///
    /// # Errors
    /// If the temporary files can't be written.
    pub fn write(&mut self, boards: &[(Position, Wdl)], moves: Option<&[i8]>) -> anyhow::Result<()> {
        self.boards += boards.len();
        for (name, _, file) in &mut self.arrays {
            let numbers: Vec<u8> = match *name {
                "boards" => boards.iter().flat_map(|(p, _)| p.cells()).map(|n| n as u8).collect(),
                "values" => boards.iter().map(|(_, wdl)| wdl.number() as u8).collect(),
                _ => moves.context("the values of the moves are missing")?.iter().map(|&n| n as u8).collect(),
            };
            file.write_all(&numbers).with_context(|| format!("writing {}", shown_path(&self.path)))?;
        }
        Ok(())
    }

    /// Writes the archive, and renames it to its final name.
    ///
    /// # Errors
    /// If the archive can't be written. In that case, no file with the final name is created.
    pub fn finish(self) -> anyhow::Result<()> {
        let writing = || format!("writing {}", shown_path(&self.path));
        write_archive(self.archive.as_file(), self.arrays, self.boards).with_context(writing)?;
        self.archive.as_file().sync_all().with_context(writing)?;
        self.archive.persist(&self.path).map_err(|error| error.error).with_context(writing)?;
        Ok(())
    }
}

/// Writes the arrays as a zip archive.
fn write_archive(file: &File, arrays: Vec<Array>, boards: usize) -> anyhow::Result<()> {
    let mut archive = ZipWriter::new(BufWriter::new(file));
    // Use a fixed time, so that equal boards give equal bytes. Use zip64 sizes, because an array
    // may exceed 4 GiB.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .large_file(true);
    for (name, axes, numbers) in arrays {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&header(boards, &axes))?;
        let mut numbers = numbers.into_inner().map_err(|error| error.into_error())?;
        numbers.seek(SeekFrom::Start(0))?;
        io::copy(&mut numbers, &mut archive)?;
    }
    archive.finish()?.flush()?;
    Ok(())
}

/// Creates a temporary file with the permissions of any new file.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let builder = &mut tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Returns the header of a `.npy` file of version 1.0: a Python literal, padded so that the numbers
/// start at a multiple of 64 bytes.
fn header(boards: usize, axes: &[usize]) -> Vec<u8> {
    let axes: String = axes.iter().map(|n| format!(" {n},")).collect();
    let text = format!("{{'descr': '|i1', 'fortran_order': False, 'shape': ({boards},{axes}), }}");
    const MAGIC: usize = 10;
    let length = (MAGIC + text.len() + 1).next_multiple_of(64) - MAGIC;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_disk_with_too_little_space_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let set = DataSet::new(&folder.path().join("set.npz"), &Rules::mini(), true).unwrap();
        set.check_space(1).unwrap();
        // A board has 16 sockets, one value and 144 values of moves, which are on the disk twice.
        let error = set.check_space(1_000_000_000_000).unwrap_err().to_string();
        assert!(error.contains("needs 305.0 TB of disk (") && error.contains(" available)"), "{error}");
    }

    #[test]
    fn headers_are_padded() {
        for (boards, axes) in [(0, vec![]), (7, vec![6, 6]), (12_345_678_901_234, vec![36, 9])] {
            let header = header(boards, &axes);
            assert_eq!((header.len() % 64, header.last()), (0, Some(&b'\n')));
            let length = u16::from_le_bytes([header[8], header[9]]);
            assert_eq!(usize::from(length) + 10, header.len());
        }
        let text = String::from_utf8(header(7, &[6, 6])[10..].to_vec()).unwrap();
        assert!(text.starts_with("{'descr': '|i1', 'fortran_order': False, 'shape': (7, 6, 6,), } "));
    }
}
