//! [`LemmaJournal`]: the failures of a long proof, in a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::pattern::Spot;
use crate::geometry::BOARD;

/// The first line of a journal.
const FIRST_LINE: &str = "pentago journal 1: positions without a win within five plies";

/// The positions for which a proof by lemmas has found no win within five plies, in a file. These
/// searches take most of the time of a proof. A proof with the same journal skips them, so an
/// interrupted proof continues where it ended.
///
/// A line of the file is a position: the sockets of the attacker's marbles and of the defender's
/// marbles, as hexadecimal numbers, and the number of other marbles of the defender.
#[derive(Debug)]
pub struct LemmaJournal {
    pub(super) failures: Vec<Spot>,
    file: File,
    error: Option<io::Error>,
}

impl LemmaJournal {
    /// Opens or creates a journal. Drops a last line that an interrupted proof didn't complete.
    ///
    /// # Errors
    /// If the file can't be read or written, or isn't a journal.
    pub fn open(path: &Path) -> io::Result<LemmaJournal> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(complete as u64)?;
        file.seek(SeekFrom::End(0))?;
        let mut lines = text[..complete].lines();
        match lines.next() {
            None => writeln!(file, "{FIRST_LINE}").inspect_err(|_| drop(fs::remove_file(path)))?,
            Some(line) if line == FIRST_LINE => {}
            Some(_) => return Err(damaged(1)),
        }
        let failures = lines.enumerate().map(|(i, line)| read(line).ok_or_else(|| damaged(i + 2)));
        Ok(LemmaJournal { failures: failures.collect::<io::Result<_>>()?, file, error: None })
    }

    /// Returns the number of positions that an earlier proof has written.
    pub fn earlier(&self) -> usize {
        self.failures.len()
    }

    /// Writes a position. After an error, the journal stays as it is.
    pub(super) fn note(&mut self, spot: &Spot) {
        if self.error.is_none() {
            let line = format!("{:x} {:x} {}\n", spot.own, spot.other, spot.unseen);
            self.error = self.file.write_all(line.as_bytes()).err();
        }
    }

    /// Closes the journal.
    ///
    /// # Errors
    /// If a position could not be written.
    pub fn close(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }
}

/// Reads a position. Returns `None` if the line isn't a position.
fn read(line: &str) -> Option<Spot> {
    let mut words = line.split(' ');
    let mut set = || u128::from_str_radix(words.next()?, 16).ok();
    let (own, other) = (set()?, set()?);
    let spot = Spot { own, other, unseen: words.next()?.parse().ok()? };
    (words.next().is_none() && own & other == 0 && (own | other) & !BOARD == 0).then_some(spot)
}

fn damaged(line: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not a line of a journal"))
}
