//! A slice of which only the counts are stored: a text file with one row per section, in the
//! columns of the published counts ([`crate::verify::counts::file`] reads it).
//!
//! While it is being written it is called `NAME.part`. A row is appended when its section has been
//! counted, so that a killed run resumes after the last complete row.

use super::{BuildError, io_error};
use crate::index::{Section, Sections};
use crate::tables::beside;
use crate::values::WdlCounts;
use crate::verify::counts::file::parse;
use crate::verify::counts::{BySection, CountsError, Results};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The header row.
const COLUMNS: &str = "N\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins\n";

/// A list of counts that is being written.
pub(super) struct Counted {
    path: PathBuf,
    part: PathBuf,
    sections: &'static Sections,
    counted: BySection,
    /// The unfinished file; None if it is finished.
    file: Option<File>,
}

impl Counted {
    /// Starts a list, or resumes one.
    pub fn begin(path: &Path, sections: &'static Sections) -> Result<Counted, BuildError> {
        let part = beside(path, ".part");
        let mut counted = BySection::new();
        let finished = read(path, sections, &mut counted)?;
        let file = if finished {
            None
        } else {
            read(&part, sections, &mut counted)?;
            // Rewritten: this drops what follows the last complete row.
            let write = || -> io::Result<File> {
                let mut file = File::create(&part)?;
                file.write_all(text(sections, &counted).as_bytes())?;
                Ok(file)
            };
            Some(write().map_err(|e| io_error(&part, "write", e))?)
        };
        Ok(Counted { path: path.to_owned(), part, sections, counted, file })
    }

    /// Whether the section has been counted.
    pub fn has(&self, section: Section) -> bool {
        self.counted.contains_key(&section)
    }

    /// Whether the list was finished before.
    pub fn is_finished(&self) -> bool {
        self.file.is_none()
    }

    /// Appends the counts of a section, for the player to move.
    pub fn add(&mut self, section: Section, counts: WdlCounts) -> Result<(), BuildError> {
        let results = Results::of(counts, section.marbles() as u8);
        if let Some(file) = &mut self.file {
            let line = line(self.sections, section, results);
            file.write_all(line.as_bytes()).map_err(|e| io_error(&self.part, "write", e))?;
        }
        self.counted.insert(section, results);
        Ok(())
    }

    /// Sorts the complete list and gives the file its final name.
    pub fn finish(self) -> Result<(), BuildError> {
        if self.file.is_none() {
            return Ok(());
        }
        let write = || -> io::Result<()> {
            // Into another file, so that a kill doesn't lose the rows.
            let ordered = beside(&self.path, ".ordered");
            let mut file = File::create(&ordered)?;
            file.write_all(text(self.sections, &self.counted).as_bytes())?;
            file.sync_all()?;
            fs::rename(&ordered, &self.path)?;
            fs::remove_file(&self.part)
        };
        Ok(write().map_err(|e| io_error(&self.path, "write", e))?)
    }
}

/// Reads the complete rows of a file; returns whether it exists.
fn read(path: &Path, sections: &Sections, into: &mut BySection) -> Result<bool, BuildError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io_error(path, "read", error).into()),
    };
    let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
    if whole > COLUMNS.len() {
        let bad = |error| CountsError::Bad { path: path.to_owned(), error };
        parse(&bytes[..whole], sections, into).map_err(bad)?;
    }
    Ok(true)
}

fn text(sections: &Sections, counted: &BySection) -> String {
    let lines = counted.iter().map(|(&section, &results)| line(sections, section, results));
    std::iter::once(COLUMNS.to_owned()).chain(lines).collect()
}

fn line(sections: &Sections, section: Section, results: Results) -> String {
    let [a, b, c, d] = section.counts().map(|[x, o]| format!("{x}{o}"));
    let (multiplicity, total) = (sections.multiplicity(section), sections.boards(section));
    let Results { x_wins, draws, o_wins } = results;
    let marbles = section.marbles();
    format!("{marbles}\t{a} {b} {c} {d}\t{multiplicity}\t{total}\t{x_wins}\t{draws}\t{o_wins}\n")
}
