//! Reads and writes files with the results of each section: tab-separated text with a header line,
//! or a NumPy array. If a build only counts a slice, it writes the text format.
//!
//! The text has one row per section. Column `N` is the number of marbles. Column
//! `section_TL_TR_BL_BR(xo)` has the numbers of X and O in each quadrant, as in `54 45 44 33`. The
//! other columns are `total`, `x_wins`, `ties` and `o_wins`. Further columns are ignored. The array
//! (`counts-N.npy` of the published solution) has four numbers per row: the section, the number of
//! boards that X wins, the number of boards that O wins, and the number of all boards. The bytes of
//! the section's number are the numbers of X and O in each quadrant, in the order bottom left, top
//! left, bottom right, top right.

use super::Results;
use pentago_base::{BYTE_ORDER_MARK, shown_path};
use pentago_core::index::sections::section::counts_of;
use pentago_core::index::{Section, Sections};
use pentago_core::rules::{Dir, Shape};
use pentago_store::storage;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The results of several sections. The key is the standard image of the section.
pub type BySection = BTreeMap<Section, Results>;

/// The reason why a file of counts can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CountsError {
    /// The file can't be read or written.
    #[error("{}: cannot {action}: {error}", shown_path(path))]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The action that failed: `read` or `write`.
        action: &'static str,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The content of the file is invalid.
    #[error("{}: {error}", shown_path(path))]
    Bad {
        /// The path of the file.
        path: PathBuf,
        /// The number of the row, and a description of the defect.
        error: String,
    },
}

/// The maximum size of a file in bytes. The file with all 108,104 sections has 9.5 MB.
const MOST_BYTES: u64 = 64 << 20;
const MAGIC: &[u8] = b"\x93NUMPY";
const ROW_BYTES: usize = 32;

/// Reads a file of results, and adds the results of each section to `into`.
///
/// # Errors
/// If the file can't be read, has neither format, or contradicts itself, the rules or the results
/// in `into`.
pub fn read(path: &Path, sections: &Sections, into: &mut BySection) -> Result<(), CountsError> {
    let io = |error| CountsError::Io { path: path.to_owned(), action: "read", error };
    let mut bytes = Vec::new();
    let file = storage::open_once(path).map_err(io)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    parse(&bytes, sections, into).map_err(|error| CountsError::Bad { path: path.to_owned(), error })
}

/// Reads the results of the game `pentago` from several files. Returns `None` if `paths` is empty.
///
/// # Errors
/// As for [`read`].
pub fn read_all(paths: &[PathBuf]) -> Result<Option<BySection>, CountsError> {
    let mut all = BySection::new();
    for path in paths {
        read(path, Sections::of(Shape::Pentago, Dir::Both), &mut all)?;
    }
    Ok((!paths.is_empty()).then_some(all))
}

/// A parsed row of either format: the section, its results, and the number of its boards. An error
/// is a description of the defect.
type Row = Result<(Section, Results, u64), &'static str>;

/// Parses the content of a file of results, and adds the results of each section to `into`.
///
/// # Errors
/// If the bytes have neither format, or contradict themselves, the rules or the results in `into`.
/// The error describes the defect.
pub fn parse(bytes: &[u8], sections: &Sections, into: &mut BySection) -> Result<(), String> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("too long for counts by section (more than {MOST_BYTES} bytes)"));
    }
    let rows = match bytes.strip_prefix(MAGIC) {
        Some(rest) => array_rows(rest)?,
        None => text_rows(str::from_utf8(bytes).map_err(|_| "neither UTF-8 text nor a NumPy array")?)?,
    };
    if rows.is_empty() {
        return Err("no sections".to_owned());
    }
    for (number, row) in (1..).zip(rows) {
        add(row, sections, into).map_err(|what| format!("row {number}: {what}"))?;
    }
    Ok(())
}

/// The error for a row whose section isn't part of the game.
const NO_SECTION: &str =
    "no section of the game: too many marbles in a quadrant, or not half of them of each player";

fn text_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let at = names.iter().position(|&n| n == name);
        at.ok_or_else(|| format!("the first line has no column \"{name}\""))
    };
    let marbles = column("N")?;
    let section = column("section_TL_TR_BL_BR(xo)")?;
    let numbers = [column("x_wins")?, column("ties")?, column("o_wins")?, column("total")?];
    let row = |line: &str| -> Option<Row> {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let counts = counts_of(&fields.get(section)?.replace(' ', ","))?;
        // The column `N` is redundant. Compare it with the section, to detect a section that was
        // parsed wrongly.
        let sum: u64 = counts.as_flattened().iter().map(|&n| u64::from(n)).sum();
        number(marbles).filter(|&n| n == sum)?;
        let [x_wins, draws, o_wins, total] = numbers.map(number);
        let (results, total) = (Results { x_wins: x_wins?, draws: draws?, o_wins: o_wins? }, total?);
        Some(Section::new(counts).ok_or(NO_SECTION).map(|section| (section, results, total)))
    };
    let bad = Err("not a section with this number of marbles and four numbers");
    Ok(lines.map(|line| row(line).unwrap_or(bad)).collect())
}

/// Parses the part of a NumPy array that follows the magic bytes: the version, the length of the
/// header, the header, and the rows.
fn array_rows(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let bad = |what: &str| format!("not a NumPy array (version 1) with rows of four '<u8' numbers: {what}");
    let Some((&[1, _, low, high], rest)) = bytes.split_first_chunk() else {
        return Err(bad("another version, or no header"));
    };
    let header = rest.split_at_checked(u16::from_le_bytes([low, high]).into());
    let (header, rows) = header.ok_or_else(|| bad("the header is truncated"))?;
    let count = rows_of(header).ok_or_else(|| bad("the header describes another type or shape"))?;
    let expected = count.checked_mul(ROW_BYTES as u64).ok_or_else(|| bad("too many rows"))?;
    if rows.len() as u64 != expected {
        return Err(format!("{} bytes of numbers instead of {expected}", rows.len()));
    }
    let row = |row: &[u8; ROW_BYTES]| {
        let [id, x_wins, o_wins, total]: [u64; 4] =
            std::array::from_fn(|i| u64::from_le_bytes(row.as_chunks::<8>().0[i]));
        let [a, b, c, d, e, f, g, h] = id.to_le_bytes();
        let [below_left, left, below_right, right] = [[a, b], [c, d], [e, f], [g, h]];
        let section = Section::new([left, right, below_left, below_right]).ok_or(NO_SECTION)?;
        let draws = total.checked_sub(x_wins).and_then(|rest| rest.checked_sub(o_wins));
        let draws = draws.ok_or("more boards are won than exist")?;
        Ok((section, Results { x_wins, draws, o_wins }, total))
    };
    Ok(rows.as_chunks().0.iter().map(row).collect())
}

/// Adds the results of a row to `into`. Returns an error if the row contradicts the rules, its own
/// total or earlier results.
fn add(row: Row, sections: &Sections, into: &mut BySection) -> Result<(), &'static str> {
    let (section, results, total) = row?;
    if !section.is_legal(sections.shape()) {
        return Err(NO_SECTION);
    }
    if total != sections.boards(section) {
        return Err("the total is not the number of boards in the section");
    }
    if results.total() != Some(total) {
        return Err("wins and draws don't add up to the total");
    }
    let (standard, _) = sections.standardise(section);
    match into.insert(standard, results) {
        Some(earlier) if earlier != results => Err("the section occurred before with other numbers"),
        _ => Ok(()),
    }
}

/// Returns the number of rows that the header of a NumPy array states, or `None` if a row doesn't
/// have four numbers. NumPy always writes the keys of the header in this order.
fn rows_of(header: &[u8]) -> Option<u64> {
    let text: String = str::from_utf8(header).ok()?.split_whitespace().collect();
    let text = text.strip_prefix("{'descr':'<u8','fortran_order':False,'shape':(")?;
    let text = text.strip_suffix('}')?;
    let text = text.strip_suffix(',').unwrap_or(text).strip_suffix(",4)")?;
    // `parse` would also accept a plus sign, so check for digits first.
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::rules::{Dir, Shape};

    const HEADER: &str =
        "N\tsection_BL_TL_BR_TR(xo)\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins";
    /// The row for one marble: X wins six of the nine boards, and three boards are drawn.
    const ROW: &str = "1\t10 00 00 00\t00 00 10 00\t4\t9\t6\t3\t0";

    fn of(bytes: &[u8]) -> Result<BySection, String> {
        let mut read = BySection::new();
        parse(bytes, pentago(), &mut read).map(|()| read)
    }

    fn refused(bytes: &[u8], expected: &str) {
        let error = of(bytes).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }

    fn text(rows: &[&str]) -> Result<BySection, String> {
        of(format!("{BYTE_ORDER_MARK}{HEADER}\n{}", rows.join("\n")).as_bytes())
    }

    /// Returns a NumPy array that consists of the given header and rows.
    fn array(header: &str, rows: &[[u64; 4]]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
        bytes.extend(rows.as_flattened().iter().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    const ARRAY: &str = "{'descr': '<u8', 'fortran_order': False, 'shape': (1,4), }        \n";

    fn pentago() -> &'static Sections {
        Sections::of(Shape::Pentago, Dir::Both)
    }

    fn one_marble() -> BySection {
        let section = "00,00,00,10".parse().expect("a section");
        BTreeMap::from([(section, Results { x_wins: 6, draws: 3, o_wins: 0 })])
    }

    #[test]
    fn both_formats_parse() {
        assert_eq!(text(&[ROW]), Ok(one_marble()));
        // A second row for a symmetric image of the section, with equal results, is not an error.
        assert_eq!(text(&[ROW, &ROW.replace("00 00 10 00", "10 00 00 00")]), Ok(one_marble()));
        assert_eq!(of(&array(ARRAY, &[[1, 6, 0, 9]])), Ok(one_marble()));
        // This row has X's marble at the top left. The header has no spaces.
        let header = "{'descr':'<u8','fortran_order':False,'shape':(1,4)}";
        assert_eq!(of(&array(header, &[[1 << 16, 6, 0, 9]])), Ok(one_marble()));
        let mut both = one_marble();
        assert_eq!(parse(&array(ARRAY, &[[1, 6, 0, 9]]), pentago(), &mut both), Ok(()));
        assert_eq!(both, one_marble());
    }

    #[test]
    fn errors_name_the_defect_of_a_text() {
        refused(b"", "no column \"N\"");
        refused(b"\x80", "neither UTF-8 text");
        refused(HEADER.as_bytes(), "no sections");
        refused(HEADER.replace("ties", "draws").as_bytes(), "no column \"ties\"");
        for (row, expected) in [
            ("\t".to_owned(), "not a section"),
            (ROW.replacen('1', "2", 1), "not a section"),
            (ROW.replace("\t3\t", "\t-3\t"), "not a section"),
            (ROW.replace("\t3\t", "\t99999999999999999999\t"), "not a section"),
            (ROW.replace("00 00 10 00", "00 00 01 00"), "no section of the game"),
            (ROW.replace("1\t10", "2\t10").replace("00 00 10 00", "11 00 00"), "not a section"),
            (ROW.replace("1\t10", "10\t10").replace("00 00 10 00", "55 00 00 00"), "no section of the game"),
            (ROW.replace("\t9\t", "\t10\t"), "the total"),
            (ROW.replace("\t3\t", "\t4\t"), "don't add up"),
            (ROW.replace("\t3\t", "\t18446744073709551615\t"), "don't add up"),
            (ROW.replace("6\t3", "7\t2"), "with other numbers"),
        ] {
            let error = text(&[ROW, &row]).unwrap_err();
            assert!(error.starts_with("row 2: ") && error.contains(expected), "{row}: {error}");
        }
    }

    #[test]
    fn errors_name_the_defect_of_an_array() {
        let whole = array(ARRAY, &[[1, 6, 0, 9]]);
        for len in 0..whole.len() {
            assert!(of(&whole[..len]).is_err(), "{len}");
        }
        refused(&array(ARRAY, &[]), "0 bytes of numbers instead of 32");
        refused(&[&whole[..], b"x"].concat(), "33 bytes of numbers instead of 32");
        refused(&array(&ARRAY.replace("(1,", "(0,"), &[]), "no sections");
        for (from, to) in [
            ("(1,", "(,"),
            ("(1,", "(-1,"),
            ("(1,", "(+1,"),
            ("(1,", "(99999999999999999999,"),
            ("(1,", "(18446744073709551615,"),
            (",4)", ",3)"),
            ("<u8", ">u8"),
            ("False", "True"),
        ] {
            refused(&array(&ARRAY.replace(from, to), &[[1, 6, 0, 9]]), "not a NumPy array");
        }
        for (row, expected) in [
            ([1, 6, 4, 9], "more boards are won"),
            ([1, u64::MAX, u64::MAX, 9], "more boards are won"),
            ([2, 6, 0, 9], "no section"),
            ([u64::MAX, 6, 0, 9], "no section"),
            ([1, 6, 0, 10], "the total"),
        ] {
            refused(&array(ARRAY, &[row]), &format!("row 1: {expected}"));
        }
    }
}
