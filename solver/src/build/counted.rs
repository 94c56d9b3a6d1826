//! A slice of which only the counts are kept: a text file with a line per section, in the columns of the published counts.
//!
//! ```text
//! N   section_TL_TR_BL_BR(xo)  multiplicity  total  x_wins  ties  o_wins
//! 35  09 54 54 90              ...
//! ```
//!
//! While it grows it is `NAME.part`; a line is there when its section was counted, so that a run that was killed goes on behind the
//! last whole line.

use super::{BuildError, io_error};
use crate::index::{Section, Sections};
use crate::solve::Counts;
use crate::table::{ErrorKind, TableError};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line.
pub const COLUMNS: &str = "N\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins";

/// Counts in the making.
pub(super) struct Counted {
    path: PathBuf,
    part: PathBuf,
    sections: &'static Sections,
    slice: u8,
    lines: BTreeMap<Section, String>,
    /// None: it is finished.
    file: Option<File>,
}

impl Counted {
    /// Begins, or goes on.
    pub fn begin(path: &Path, slice: u8, sections: &'static Sections) -> Result<Counted, BuildError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let part = PathBuf::from(name);
        let mut counted = Counted {
            path: path.to_owned(),
            part: part.clone(),
            sections,
            slice,
            lines: BTreeMap::new(),
            file: None,
        };
        if path.try_exists().map_err(|e| io_error(path, "look for", e))? {
            counted.read(path)?;
            return Ok(counted);
        }
        if part.try_exists().map_err(|e| io_error(&part, "look for", e))? {
            counted.read(&part)?;
        }
        // Written anew: what follows the last whole line is gone with it.
        let text = counted.text();
        let write = || -> io::Result<File> {
            fs::write(&part, text)?;
            OpenOptions::new().append(true).open(&part)
        };
        counted.file = Some(write().map_err(|e| io_error(&part, "write", e))?);
        Ok(counted)
    }

    /// Takes the whole lines of a file.
    fn read(&mut self, path: &Path) -> Result<(), BuildError> {
        let text = fs::read_to_string(path).map_err(|e| io_error(path, "read", e))?;
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            if line == COLUMNS {
                continue;
            }
            let section = self.parse(line).ok_or_else(|| TableError {
                path: path.to_owned(),
                block: None,
                kind: ErrorKind::Damaged("list of counts"),
            })?;
            self.lines.insert(section, line.to_owned());
        }
        Ok(())
    }

    /// The section of a line, if its numbers can be.
    fn parse(&self, line: &str) -> Option<Section> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[slice, section, multiplicity, total, x, ties, o] = &fields[..] else { return None };
        let section: Section = section.replace(' ', ",").parse().ok()?;
        let number = |text: &str| text.parse::<u64>().ok();
        let whole = section.is_legal(self.sections.shape())
            && self.sections.is_standard(section)
            && section.marbles() == usize::from(self.slice)
            && number(slice)? == u64::from(self.slice)
            && number(multiplicity)? == self.sections.multiplicity(section)
            && number(total)? == self.sections.boards(section)
            && number(x)?.checked_add(number(ties)?)?.checked_add(number(o)?)? == number(total)?;
        whole.then_some(section)
    }

    fn text(&self) -> String {
        let lines = self.lines.values().map(String::as_str);
        std::iter::once(COLUMNS).chain(lines).flat_map(|line| [line, "\n"]).collect()
    }

    /// Whether the section was counted.
    pub fn has(&self, section: Section) -> bool {
        self.lines.contains_key(&section)
    }

    /// Whether all was done before.
    pub fn is_finished(&self) -> bool {
        self.file.is_none()
    }

    /// A section was counted, for the player to move.
    pub fn add(&mut self, section: Section, counts: Counts) -> Result<(), BuildError> {
        let Counts { win, draw, loss } = counts;
        let [x, o] = if section.mover() == 0 { [win, loss] } else { [loss, win] };
        let [a, b, c, d] = section.0.map(|[x, o]| format!("{x}{o}"));
        let total = self.sections.boards(section);
        let multiplicity = self.sections.multiplicity(section);
        let line = format!("{}\t{a} {b} {c} {d}\t{multiplicity}\t{total}\t{x}\t{draw}\t{o}", self.slice);
        if let Some(file) = &mut self.file {
            file.write_all(format!("{line}\n").as_bytes()).map_err(|e| io_error(&self.part, "write", e))?;
        }
        self.lines.insert(section, line);
        Ok(())
    }

    /// All sections are there: puts them in order and gives the file its name.
    pub fn finish(self) -> Result<(), BuildError> {
        let Some(file) = &self.file else { return Ok(()) };
        let write = || -> io::Result<()> {
            // Over the lines as they came: those of a killed run are not in order.
            let mut ordered = self.part.as_os_str().to_owned();
            ordered.push("2");
            fs::write(&ordered, self.text())?;
            File::open(&ordered)?.sync_all()?;
            fs::rename(&ordered, &self.path)?;
            fs::remove_file(&self.part)
        };
        let _ = file;
        Ok(write().map_err(|e| io_error(&self.path, "write", e))?)
    }
}
