//! The counts of a slice whose values aren't stored. The counts form a text file with a line for
//! each section, in the columns of the published counts.
//! [`file`](pentago_tables::verify::counts::file) parses the file.
//!
//! The unfinished file is named `NAME.part`. A line is written once its section is counted, so a
//! killed run resumes after the last complete line.

use crate::error::Error;
use pentago_base::{into_inner, lock};
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::values::{BlockId, BoxError, Entry, Grid, Sink, SinkNeeds, SolvedBlock, WdlCounts};
use pentago_tables::tables::{durable, storage};
use pentago_tables::verify::counts::file::parse;
use pentago_tables::verify::counts::{BySection, CountsError, Results};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The header row of the file.
const COLUMNS: &str = "N\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins\n";

/// A writer of a file with the counts of sections.
pub(crate) struct CountsWriter {
    path: PathBuf,
    part: PathBuf,
    sections: &'static Sections,
    /// The counts so far, keyed by section.
    pub counted: BySection,
    /// The unfinished file, or `None` if the file was already finished.
    file: Option<File>,
    /// `true` if sections were added although the file was already finished.
    longer: bool,
}

impl CountsWriter {
    /// Removes an unfinished file if the finished file also exists. A killed run may leave both.
    pub fn clean(path: &Path) -> Result<(), Error> {
        let part = part(path);
        let left = path.is_file() && part.is_file();
        if left { fs::remove_file(&part).map_err(|e| io_error(&part, "remove", e)) } else { Ok(()) }
    }

    /// Starts a file of counts. If there is already a file, finished or not, continues that file.
    pub fn begin(path: &Path, sections: &'static Sections) -> Result<CountsWriter, Error> {
        let part = part(path);
        let mut counted = BySection::new();
        let finished = read(path, sections, &mut counted)?;
        let file = if finished {
            None
        } else {
            read(&part, sections, &mut counted)?;
            // Write the complete lines again, which removes an incomplete last line.
            let write = || -> io::Result<File> {
                let mut file = File::create(&part)?;
                file.write_all(text(sections, &counted).as_bytes())?;
                Ok(file)
            };
            Some(write().map_err(|e| io_error(&part, "write", e))?)
        };
        Ok(CountsWriter { path: path.to_owned(), part, sections, counted, file, longer: false })
    }

    /// Returns `true` if the section is already counted.
    pub fn has(&self, section: Section) -> bool {
        self.counted.contains_key(&section)
    }

    /// Returns `true` if the file was already finished.
    pub fn is_finished(&self) -> bool {
        self.file.is_none()
    }

    /// Adds the counts of a section. The counts are for the side to move.
    pub fn add(&mut self, section: Section, counts: WdlCounts) -> Result<(), Error> {
        let results = Results::of(counts, section.marbles() as u8);
        if let Some(file) = &mut self.file {
            let line = line(self.sections, section, results);
            file.write_all(line.as_bytes()).map_err(|e| io_error(&self.part, "write", e))?;
        }
        let is_new = self.counted.insert(section, results).is_none();
        self.longer |= is_new && self.file.is_none();
        Ok(())
    }

    /// Writes the sorted lines to a file with the final name, and removes the unfinished file. The
    /// caller must have added all sections.
    pub fn finish(self) -> Result<(), Error> {
        if self.file.is_none() && !self.longer {
            return Ok(());
        }
        // Write the result to a new file, so that a kill doesn't lose the lines of the unfinished
        // file.
        let text = text(self.sections, &self.counted);
        durable::replace(&self.path, |file| file.write_all(text.as_bytes()))?;
        match fs::remove_file(&self.part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.longer => Ok(()),
            removed => removed.map_err(|e| io_error(&self.part, "remove", e)),
        }
    }
}

/// A sink that counts the values of blocks. Once all blocks of a section are counted, the sink adds
/// the section to the writer.
pub(crate) struct CountingSink<'a> {
    sections: &'a [Section],
    /// The writer. Also, for each section, the number of blocks that are still missing, and the
    /// counts of the other blocks.
    state: Mutex<(CountsWriter, Vec<(u64, WdlCounts)>)>,
}

impl<'a> CountingSink<'a> {
    /// Makes a sink for blocks whose array number is the index of their section in `sections`.
    pub fn new(list: CountsWriter, sections: &'a [Section]) -> CountingSink<'a> {
        let missing =
            |&section| (Grid::new(list.sections.extents(section), EDGE).blocks(), WdlCounts::default());
        let each = sections.iter().map(missing).collect();
        CountingSink { sections, state: Mutex::new((list, each)) }
    }

    /// Consumes the sink and returns the writer.
    pub fn into_list(self) -> CountsWriter {
        into_inner(self.state).0
    }
}

impl Sink for CountingSink<'_> {
    fn put(&self, _: BlockId, _: &[Entry]) -> Result<(), BoxError> {
        unreachable!("sections are solved into blocks with counts")
    }

    fn needs(&self) -> SinkNeeds {
        SinkNeeds { counts_alone: true, open_bits: false }
    }

    fn put_solved(&self, SolvedBlock { id, counts, .. }: SolvedBlock) -> Result<(), BoxError> {
        let (list, each) = &mut *lock(&self.state);
        let (left, sum) = &mut each[id.array as usize];
        *left -= 1;
        *sum += counts;
        if *left == 0 {
            list.add(self.sections[id.array as usize], *sum)?;
        }
        Ok(())
    }
}

/// Returns the path of the unfinished file that belongs to the file `path`.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn io_error(path: &Path, action: &'static str, error: io::Error) -> Error {
    CountsError::Io { path: path.to_owned(), action, error }.into()
}

/// Parses the complete lines of a file and adds the counts to `into`. Returns `false` if there is
/// no file.
fn read(path: &Path, sections: &Sections, into: &mut BySection) -> Result<bool, Error> {
    let mut bytes = Vec::new();
    match storage::open_file(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io_error(path, "read", error)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::rules::{Dir, Shape};

    /// Checks that sections can be added to a finished file.
    #[test]
    fn a_finished_list_grows() {
        let sections = Sections::of(Shape::Pentago, Dir::Both);
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("list");
        let all = sections.standard(35);
        let counts = |section| WdlCounts { wins: sections.boards(section), ..WdlCounts::default() };
        let write = |some: &[Section]| {
            let mut list = CountsWriter::begin(&path, sections).expect("begun");
            some.iter().for_each(|&section| list.add(section, counts(section)).expect("added"));
            list.finish().expect("finished");
        };
        for some in [&all[3..5], &all[1..4], &all[1..4]] {
            write(some);
        }
        let mut found = BySection::new();
        assert!(read(&path, sections, &mut found).expect("read"));
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|(&section, &results)| results == Results::of(counts(section), 35)));
        assert!(!part(&path).exists());
    }

    #[test]
    fn a_section_is_listed_with_its_last_block() {
        let all = Sections::of(Shape::Pentago, Dir::Both);
        let sections = &all.standard(33)[..2];
        let place = tempfile::tempdir().expect("a folder");
        let list = CountsWriter::begin(&place.path().join("list"), all).expect("begun");
        let sink = CountingSink::new(list, sections);
        let blocks = Grid::new(all.extents(sections[1]), EDGE).blocks();
        assert!(blocks > 1);
        for block in (0..blocks).rev() {
            assert!(!lock(&sink.state).0.has(sections[1]), "block {block}");
            let counts = WdlCounts { wins: block, draws: 2, losses: 1 };
            let id = BlockId { array: 1, block };
            sink.put_solved(SolvedBlock { id, entries: &[], counts, open: None, kept: None })
                .expect("counted");
        }
        let list = sink.into_list();
        assert!(!list.has(sections[0]));
        let counts = WdlCounts { wins: blocks * (blocks - 1) / 2, draws: 2 * blocks, losses: blocks };
        assert_eq!(list.counted[&sections[1]], Results::of(counts, 33));
    }
}
