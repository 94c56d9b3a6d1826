//! The list of the tables in a published folder: a file in that folder, because a web host doesn't
//! list its files.
//!
//! ```text
//! pentago tables 1
//! PATH  BYTES  HEAD
//! ```
//!
//! The list has one line per table, with fields separated by tabs: the path relative to the folder,
//! the size of the file in bytes, and the header and target in hexadecimal digits. The list
//! contains the headers, so a reader finds all tables with a single request. Checksums verify the
//! list: each header has a checksum, and contains the checksums of the other parts of its table.

use crate::error::StoreError;
use crate::folder::{FolderScan, TableFile, scan_folder};
use crate::layout::HEADER_BYTES;
use crate::storage::{self, Access};
use std::collections::HashSet;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

/// The file name of the list.
pub const LISTING: &str = "pentago-tables.tsv";

const FIRST_LINE: &str = "pentago tables 1";

/// The maximum length of a table's path relative to the published folder, in bytes.
const LONGEST_PATH: usize = 200;

/// A line of the list: one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// The path of the table relative to the folder, with `/` as the separator.
    pub path: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The bytes of the header, followed by the bytes of the target.
    pub head: Vec<u8>,
}

impl ListedFile {
    /// Returns the address of the table relative to the folder. Object stores read a bare `+` as a
    /// space, so the address contains `%2B` instead.
    pub fn address(&self) -> String {
        self.path.replace('+', "%2B")
    }
}

/// Lists the finished tables of a local folder. The second result holds all files of the folder.
///
/// # Errors
/// If the folder or a table can't be read, or if `fault_of` rejects the path of a table.
pub fn list(folder: &Path) -> Result<(Vec<ListedFile>, FolderScan), StoreError> {
    let found = scan_folder(folder)?;
    let of = |table: &TableFile| {
        let error = |e| StoreError::io(&table.path, "read", e);
        let storage = storage::open(&table.path, Access::Read).map_err(error)?;
        let len = HEADER_BYTES + table.header.target.len();
        let head = storage.read(0, len).map_err(error)?.into_owned();
        let path = table.path.strip_prefix(folder).unwrap_or(&table.path).to_string_lossy();
        let path = path.replace(std::path::MAIN_SEPARATOR, "/");
        if let Some(fault) = fault_of(&path) {
            let fault = io::Error::new(io::ErrorKind::InvalidInput, fault);
            return Err(StoreError::io(&table.path, "publish", fault));
        }
        Ok(ListedFile { path, bytes: storage.size(), head })
    };
    Ok((found.tables.iter().map(of).collect::<Result<_, StoreError>>()?, found))
}

/// Returns the reason why a list can't contain a path, or `None` if the list can. The path must be
/// relative, short enough, and stay below its folder. All names in the path must consist of ASCII
/// letters, digits and `-._=+`.
fn fault_of(path: &str) -> Option<&'static str> {
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-._=+/".contains(c);
    match path {
        _ if path.len() > LONGEST_PATH => Some("the path below the folder is longer than 200 bytes"),
        _ if !path.chars().all(of_name) => {
            Some("the path has characters other than letters, digits and - . _ = +")
        }
        _ if path.split('/').any(|name| name.is_empty() || name.starts_with('.')) => {
            Some("a name in the path is empty or begins with a dot")
        }
        _ => None,
    }
}

/// Encodes the list of a folder's tables.
pub fn to_text(files: &[ListedFile]) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for ListedFile { path, bytes, head } in files {
        let _ = write!(text, "{path}\t{bytes}\t");
        head.iter().for_each(|byte| {
            let _ = write!(text, "{byte:02x}");
        });
        text.push('\n');
    }
    text
}

/// Parses the list of a folder's tables.
///
/// # Errors
/// If a line is damaged. The error names the line.
pub(crate) fn parse(text: &str) -> io::Result<Vec<ListedFile>> {
    let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut lines = text.lines();
    match lines.next() {
        Some(FIRST_LINE) => {}
        Some(line) if line.starts_with("pentago tables ") => {
            return Err(bad("the list has a newer format version: use a newer program".to_owned()));
        }
        _ => return Err(bad("the file isn't a list of tables, as `pentago publish` writes it".to_owned())),
    }
    let read = |(number, line): (usize, &str)| {
        let mut fields = line.split('\t');
        let (path, bytes, head) = (fields.next(), fields.next(), fields.next());
        let file = path.zip(bytes).zip(head).and_then(|((path, bytes), head)| {
            let head = (head.len() <= 1 << 16).then(|| hex(head))??;
            Some(ListedFile { path: path.to_owned(), bytes: bytes.parse().ok()?, head })
        });
        let file = file.filter(|file| fault_of(&file.path).is_none());
        file.ok_or_else(|| {
            bad(format!("line {} of the list is damaged: publish the folder again", number + 2))
        })
    };
    lines.enumerate().map(read).collect()
}

/// Compares a local folder with the list that `pentago publish` wrote into it. Returns the tables
/// that differ, each with the words "is missing", "has changed" or "is new".
///
/// # Errors
/// If there is a list that is damaged or can't be read.
pub fn unlike_list(folder: &Path) -> Result<Vec<(PathBuf, &'static str)>, StoreError> {
    let list = folder.join(LISTING);
    let files = match storage::read_text(&list) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.and_then(|text| parse(&text)).map_err(|e| StoreError::io(&list, "read", e))?,
    };
    let listed: HashSet<PathBuf> = files.iter().map(|file| folder.join(&file.path)).collect();
    let found = scan_folder(folder)?.tables.into_iter().map(|table| table.path);
    let new = found.filter(|path| !listed.contains(path)).map(|path| (path, "is new"));
    let differs = |ListedFile { path, bytes, head }: ListedFile| {
        let path = folder.join(path);
        let opened = storage::open(&path, Access::Read);
        match opened.and_then(|file| Ok((file.size(), file.read(0, head.len())?.into_owned()))) {
            Ok(found) if found == (bytes, head) => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some((path, "is missing")),
            _ => Some((path, "has changed")),
        }
    };
    Ok(files.into_iter().filter_map(differs).chain(new).collect())
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: &u8| char::from(*c).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_is_read_as_it_is_written() {
        let file = |path: &str, head: &[u8]| ListedFile { path: path.into(), bytes: 7, head: head.into() };
        let files = [file("mini_dir=cw/slice-03.pentago", &[0, 255, 16]), file("a.pentago", &[])];
        let text = to_text(&files);
        assert_eq!(text, "pentago tables 1\nmini_dir=cw/slice-03.pentago\t7\t00ff10\na.pentago\t7\t\n");
        assert_eq!(parse(&text).unwrap(), files);
        let more = text.replace("00ff10", "00FF10\tof a later version");
        assert_eq!(parse(&more).unwrap(), files);
        for (from, to, said) in [
            ("tables 1", "tables 2", "newer"),
            ("pentago tables 1", "<html>", "isn't a list"),
            ("mini", "../mini", "line 2"),
            ("mini", "/etc", "line 2"),
            ("mini", "http://host/", "line 2"),
            ("\t7\t00", "\t-7\t00", "line 2"),
            ("00ff", "00f", "line 2"),
            ("a.pentago\t7\t", "a.pentago", "line 3"),
        ] {
            let error = parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(said), "{to}: {error}");
        }
    }

    proptest! {
        /// Any text is either parsed to files below the folder, or rejected with an error.
        #[test]
        fn any_text_is_a_list_or_an_error(text in "(pentago tables 1\n)?([a-z./]{0,9}\t-?[0-9]{0,22}\t[0-9a-gX]{0,6}\n?|\\PC{0,9}\n){0,4}") {
            if let Ok(files) = parse(&text) {
                prop_assert!(files.iter().all(|file| fault_of(&file.path).is_none() && file.path.split('/').all(|name| name != "..")));
                prop_assert_eq!(parse(&to_text(&files)).unwrap(), files);
            }
        }
    }
}
