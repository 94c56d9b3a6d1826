//! The list of a folder's tables, for whoever reads them at a distance: a file in the folder itself,
//! since a host tells nobody what it has.
//!
//! ```text
//! pentago tables 1
//! PATH  BYTES  HEAD
//! ```
//!
//! A line for each table, its fields separated by tabs: the path below the folder, the length of the
//! file, and its header with the target behind it in hexadecimal digits. So the list alone says what
//! there is, and no table needs a request of its own to be known. What the list says is checked like
//! the files themselves: a header has a checksum, and the checksums of all other parts.

use crate::error::StoreError;
use crate::folder::{FolderScan, TableFile, scan_folder};
use crate::layout::HEADER_BYTES;
use crate::storage::{self, Access};
use std::fmt::Write;
use std::io;
use std::path::{Component, Path};

/// The name of the list in its folder.
pub const LISTING: &str = "pentago-tables.tsv";

const FIRST_LINE: &str = "pentago tables 1";

/// The longest path of a table below its folder.
const LONGEST_PATH: usize = 200;

/// A table in the list of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path below the folder, with `/` between its parts.
    pub path: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The header, and the target behind it.
    pub head: Vec<u8>,
}

/// Lists the finished tables of a folder, and what it has beside them.
///
/// # Errors
/// If the folder or a table can't be read, or a path isn't plain enough to be part of an address.
pub fn list(folder: &Path) -> Result<(Vec<ListedFile>, FolderScan), StoreError> {
    let found = scan_folder(folder)?;
    let of = |table: &TableFile| {
        let error = |e| StoreError::io(&table.path, "read", e);
        let storage = storage::open(&table.path, Access::Read).map_err(error)?;
        let len = HEADER_BYTES + table.header.target.len();
        let head = storage.read(0, len).map_err(error)?.into_owned();
        let path = plain(table.path.strip_prefix(folder).unwrap_or(&table.path));
        let path = path.ok_or_else(|| {
            let text = "its path has other characters than letters, digits and - . _ =";
            error(io::Error::new(io::ErrorKind::InvalidInput, text))
        })?;
        Ok(ListedFile { path, bytes: storage.size(), head })
    };
    Ok((found.tables.iter().map(of).collect::<Result<_, StoreError>>()?, found))
}

/// A path below a folder as part of an address, if it is made of plain names.
fn plain(path: &Path) -> Option<String> {
    let name = |part: Component| match part {
        Component::Normal(name) => name.to_str().map(str::to_owned),
        _ => None,
    };
    let names: Option<Vec<String>> = path.components().map(name).collect();
    names.map(|names| names.join("/")).filter(|path| is_plain(path))
}

/// Whether a path of a list leads to a file below its folder, and nowhere else.
fn is_plain(path: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-._=".contains(c);
    let name = |name: &str| !name.is_empty() && !name.starts_with('.') && name.chars().all(of_name);
    path.len() <= LONGEST_PATH && path.split('/').all(name)
}

/// The text of a list.
#[must_use]
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

/// Reads the text of a list.
///
/// # Errors
/// What is wrong with which line.
pub(crate) fn parse(text: &str) -> io::Result<Vec<ListedFile>> {
    let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut lines = text.lines();
    match lines.next() {
        Some(FIRST_LINE) => {}
        Some(line) if line.starts_with("pentago tables ") => {
            return Err(bad("it is of a newer version: use a newer program".to_owned()));
        }
        _ => return Err(bad("it isn't a list of tables, as `pentago publish` makes it".to_owned())),
    }
    let read = |(number, line): (usize, &str)| {
        let mut fields = line.split('\t');
        let (path, bytes, head) = (fields.next(), fields.next(), fields.next());
        let file = path.zip(bytes).zip(head).and_then(|((path, bytes), head)| {
            let head = (head.len() <= 1 << 16).then(|| hex(head))??;
            Some(ListedFile { path: path.to_owned(), bytes: bytes.parse().ok()?, head })
        });
        let file = file.filter(|file| is_plain(&file.path));
        file.ok_or_else(|| bad(format!("its line {} is damaged: publish the folder again", number + 2)))
    };
    lines.enumerate().map(read).collect()
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
        /// Whatever is read is a list of files below the folder; what isn't a list is an error.
        #[test]
        fn any_text_is_a_list_or_an_error(text in "(pentago tables 1\n)?([a-z./]{0,9}\t-?[0-9]{0,22}\t[0-9a-gX]{0,6}\n?|\\PC{0,9}\n){0,4}") {
            if let Ok(files) = parse(&text) {
                prop_assert!(files.iter().all(|file| is_plain(&file.path) && file.path.split('/').all(|name| name != "..")));
                prop_assert_eq!(parse(&to_text(&files)).unwrap(), files);
            }
        }
    }
}
