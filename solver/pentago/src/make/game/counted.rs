//! A slice of which only the counts are kept: a text file with a line per section, in the columns
//! of the published counts ([`file`](pentago_tables::verify::counts::file) reads it).
//!
//! While it grows it is `NAME.part`; a line is there when its section was counted, so that a run
//! that was killed continues behind the last whole line.

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

/// The header row.
const COLUMNS: &str = "N\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins\n";

/// A list of counts that is being written.
pub(crate) struct CountsWriter {
    path: PathBuf,
    part: PathBuf,
    sections: &'static Sections,
    counted: BySection,
    /// The unfinished file; None if it is finished.
    file: Option<File>,
    /// Whether sections were added to a finished list, which may be that of other sections.
    longer: bool,
}

impl CountsWriter {
    /// Removes what a run that was killed has left beside a finished file.
    pub fn clean(path: &Path) -> Result<(), CountsError> {
        let part = part(path);
        let left = path.is_file() && part.is_file();
        if left { fs::remove_file(&part).map_err(|e| io_error(&part, "remove", e)) } else { Ok(()) }
    }

    /// Begins, or continues.
    pub fn begin(path: &Path, sections: &'static Sections) -> Result<CountsWriter, CountsError> {
        let part = part(path);
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
        Ok(CountsWriter { path: path.to_owned(), part, sections, counted, file, longer: false })
    }

    /// Whether the section has been counted.
    pub fn has(&self, section: Section) -> bool {
        self.counted.contains_key(&section)
    }

    /// The results so far.
    pub fn results(&self) -> &BySection {
        &self.counted
    }

    /// Whether the list was finished before.
    pub fn is_finished(&self) -> bool {
        self.file.is_none()
    }

    /// A section was counted, for the player to move.
    pub fn add(&mut self, section: Section, counts: WdlCounts) -> Result<(), CountsError> {
        let results = Results::of(counts, section.marbles() as u8);
        if let Some(file) = &mut self.file {
            let line = line(self.sections, section, results);
            file.write_all(line.as_bytes()).map_err(|e| io_error(&self.part, "write", e))?;
        }
        let is_new = self.counted.insert(section, results).is_none();
        self.longer |= is_new && self.file.is_none();
        Ok(())
    }

    /// All sections are there: puts them in order and gives the file its name.
    pub fn finish(self) -> Result<(), CountsError> {
        if self.file.is_none() && !self.longer {
            return Ok(());
        }
        // Not over the lines as they came, which would be lost by a kill.
        let text = text(self.sections, &self.counted);
        let written = durable::replace(&self.path, |file| file.write_all(text.as_bytes()));
        written.map_err(|error| CountsError::Write(Box::new(error)))?;
        match fs::remove_file(&self.part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.longer => Ok(()),
            removed => removed.map_err(|e| io_error(&self.part, "remove", e)),
        }
    }
}

/// The blocks of sections, of which only the counts are kept: a section is added to a list when all of its
/// blocks have come.
pub(crate) struct CountingSink<'a> {
    sections: &'a [Section],
    state: Mutex<Counting>,
}

struct Counting {
    list: CountsWriter,
    /// For each section how many blocks are to come, and the counts of the others.
    each: Vec<(u64, WdlCounts)>,
}

impl<'a> CountingSink<'a> {
    /// Array i is section i.
    pub fn new(list: CountsWriter, sections: &'a [Section]) -> CountingSink<'a> {
        let blocks = |&section| Grid::new(list.sections.extents(section), EDGE).blocks();
        let each = sections.iter().map(|section| (blocks(section), WdlCounts::default())).collect();
        CountingSink { sections, state: Mutex::new(Counting { list, each }) }
    }

    /// The list.
    pub fn into_list(self) -> CountsWriter {
        into_inner(self.state).list
    }
}

impl Sink for CountingSink<'_> {
    fn put(&self, _: BlockId, _: &[Entry]) -> Result<(), BoxError> {
        unreachable!("the blocks of sections come with their counts")
    }

    fn needs(&self) -> SinkNeeds {
        SinkNeeds { counts_alone: true, open_bits: false }
    }

    fn put_solved(&self, SolvedBlock { id, counts, .. }: SolvedBlock) -> Result<(), BoxError> {
        let Counting { list, each } = &mut *lock(&self.state);
        let (left, sum) = &mut each[id.array as usize];
        *left -= 1;
        *sum += counts;
        if *left == 0 {
            list.add(self.sections[id.array as usize], *sum)?;
        }
        Ok(())
    }
}

/// The name of the file while it grows.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn io_error(path: &Path, action: &'static str, error: io::Error) -> CountsError {
    CountsError::Io { path: path.to_owned(), action, error }
}

/// Takes the whole lines of a file; says whether it is there.
fn read(path: &Path, sections: &Sections, into: &mut BySection) -> Result<bool, CountsError> {
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

    /// A finished list may be that of other sections: these are added.
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
            assert!(!lock(&sink.state).list.has(sections[1]), "block {block}");
            let counts = WdlCounts { wins: block, draws: 2, losses: 1 };
            let id = BlockId { array: 1, block };
            sink.put_solved(SolvedBlock { id, entries: &[], counts, open: None, kept: None })
                .expect("counted");
        }
        let list = sink.into_list();
        assert!(!list.has(sections[0]));
        let counts = WdlCounts { wins: blocks * (blocks - 1) / 2, draws: 2 * blocks, losses: blocks };
        assert_eq!(list.results()[&sections[1]], Results::of(counts, 33));
    }
}
