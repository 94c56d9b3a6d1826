//! Arrays for numpy: an archive with an uncompressed file for each array.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;
use pentago::Wdl;
use pentago::rules::Position;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::Layout;

/// The arrays of an archive. Each grows in a file of its own until the number of boards is known.
pub struct NpzFile {
    arrays: Vec<Array>,
    boards: usize,
}

/// An array of int8 whose first axis grows.
struct Array {
    name: &'static str,
    /// The other axes.
    axes: Vec<usize>,
    numbers: BufWriter<File>,
}

impl NpzFile {
    /// Begins arrays, in files without a name in a folder.
    pub fn new(folder: &Path, layout: Layout) -> io::Result<NpzFile> {
        let Layout { side, moves } = layout;
        let mut arrays = vec![("boards", vec![side, side]), ("values", Vec::new())];
        if moves {
            arrays.push(("moves", vec![layout.sockets(), pentago::TURNS]));
        }
        let begin = |(name, axes)| {
            let numbers = BufWriter::new(tempfile::tempfile_in(folder)?);
            Ok(Array { name, axes, numbers })
        };
        Ok(NpzFile { arrays: arrays.into_iter().map(begin).collect::<io::Result<_>>()?, boards: 0 })
    }

    /// Appends some boards.
    pub fn write(&mut self, boards: &[(Position, Wdl)], moves: Option<&[i8]>) -> anyhow::Result<()> {
        self.boards += boards.len();
        for array in &mut self.arrays {
            let numbers: Vec<u8> = match (array.name, moves) {
                ("boards", _) => boards.iter().flat_map(|(p, _)| p.cells()).map(|n| n as u8).collect(),
                ("values", _) => boards.iter().map(|(_, wdl)| wdl.number() as u8).collect(),
                (_, moves) => {
                    let moves = moves.context("the values of moves were announced")?;
                    moves.iter().map(|&n| n as u8).collect()
                }
            };
            array.numbers.write_all(&numbers)?;
        }
        Ok(())
    }

    /// Writes the archive.
    pub fn finish(self, to: &File) -> anyhow::Result<()> {
        let mut archive = ZipWriter::new(BufWriter::new(to));
        // Without a time, so that the same boards are the same bytes; with room for 64-bit sizes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(true);
        for array in self.arrays {
            archive.start_file(format!("{}.npy", array.name), options)?;
            archive.write_all(&header(self.boards, &array.axes))?;
            let mut numbers = array.numbers.into_inner().map_err(|error| error.into_error())?;
            numbers.seek(SeekFrom::Start(0))?;
            io::copy(&mut numbers, &mut archive)?;
        }
        archive.finish()?.flush()?;
        Ok(())
    }
}

/// The header of a file of numpy (version 1.0): a text of Python, padded so that the numbers begin
/// at a multiple of 64 bytes.
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
