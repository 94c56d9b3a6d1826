//! Reads the results in tables, and compares them with known results.

use super::{BySection, CountsError, Results, file, known};
use crate::probe::Tables;
use crate::tables::{Domain, Table, TableError, Target};
use pentago_base::{counted, shown_path};
use pentago_core::index::{Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::values::{BlockId, WdlCounts};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The results of those sections of a slice that are stored, in a complete game.
#[derive(Clone, Debug)]
pub struct SliceCounts {
    /// The number of marbles on each board of the slice.
    pub marbles: u8,
    /// The results of each stored section.
    pub sections: BySection,
    /// The number of standard sections that the slice has in the game.
    pub in_game: usize,
    /// The sum of the results over all stored sections and their symmetric images.
    pub results: Results,
}

/// The reason why the results of tables can't be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// A table is damaged or can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file of counts can't be used.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// Two tables contain the same section with different results.
    #[error("{}: section {section} has {results} here, but other numbers in another table", shown_path(path))]
    Twice {
        /// The path of the second table.
        path: PathBuf,
        /// The section that both tables contain.
        section: Section,
        /// The results of the section in the second table.
        results: Results,
    },
}

/// A difference between stored and known results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of marbles on each board of the slice.
    pub marbles: u8,
    /// The section whose results differ, or `None` if the sum of the whole slice differs.
    pub section: Option<Section>,
    /// The results in the tables.
    pub stored: Results,
    /// The known results.
    pub expected: Results,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { marbles, section, stored, expected } = self;
        match section {
            Some(section) => write!(f, "section {section} ({}): ", counted(*marbles, "marble"))?,
            None => write!(f, "all boards with {}: ", counted(*marbles, "marble"))?,
        }
        write!(f, "{stored} in the tables, but should be {expected}")
    }
}

/// The outcome of comparing several sections with known results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// The number of stored sections whose results are known.
    pub compared: usize,
    /// The number of compared sections whose stored results equal the known results.
    pub agree: usize,
    /// The first difference, or `None` if all compared sections agree.
    pub first: Option<Difference>,
}

/// Returns the results of a complete game in a folder of tables, sorted by slice. Only slices for
/// which `wanted` returns `true` are included. The result also includes slices that were only
/// counted and have no table. A section that several tables contain is counted once.
///
/// # Errors
/// If a table or a file of counts is damaged, can't be read, or contradicts another.
pub fn stored(
    tables: &Tables,
    rules: Rules,
    wanted: impl Fn(u8) -> bool,
) -> Result<Vec<SliceCounts>, StoredError> {
    let target = Target { rules, domain: Domain::Game };
    let sections = Sections::of(rules.shape, rules.dir);
    let mut slices = BTreeMap::new();
    for tablebase in tables.stored().filter(|tablebase| *tablebase.target() == target) {
        for marbles in tablebase.slices().into_iter().filter(|&marbles| wanted(marbles)) {
            let slice = slices.entry(marbles).or_insert_with(|| SliceCounts::new(sections, marbles));
            for table in tablebase.tables(marbles)? {
                for record in table.arrays() {
                    let section = target.section_of(record.array.key);
                    slice.add(sections, section, Results::of(record.counts, marbles), table.path())?;
                }
            }
        }
    }
    for path in crate::tables::counted(&tables.scan.others, target) {
        let mut counted = BySection::new();
        file::read(path, sections, &mut counted)?;
        for (section, results) in counted {
            let marbles = section.marbles() as u8;
            if wanted(marbles) {
                let slice = slices.entry(marbles).or_insert_with(|| SliceCounts::new(sections, marbles));
                slice.add(sections, section, results, path)?;
            }
        }
    }
    Ok(slices.into_values().collect())
}

impl SliceCounts {
    fn new(sections: &Sections, marbles: u8) -> SliceCounts {
        SliceCounts {
            marbles,
            sections: BySection::new(),
            in_game: sections.standard(marbles.into()).len(),
            results: Results::default(),
        }
    }

    /// Adds the results of a section, which come from the file `path`. If they differ from earlier
    /// results of the section, returns an error with this path.
    fn add(
        &mut self,
        sections: &Sections,
        section: Section,
        results: Results,
        path: &Path,
    ) -> Result<(), StoredError> {
        match self.sections.insert(section, results) {
            None => self.results += results.times(sections.multiplicity(section)),
            Some(earlier) if earlier == results => {}
            Some(_) => return Err(StoredError::Twice { path: path.to_owned(), section, results }),
        }
        Ok(())
    }

    /// Returns `true` if all sections of the slice are stored.
    pub fn is_whole(&self) -> bool {
        self.sections.len() == self.in_game
    }

    /// Compares the results of each section with known results. Sections without known results are
    /// skipped.
    pub fn against(&self, others: &BySection) -> Compared {
        let mut all = Compared::default();
        for (&section, &stored) in &self.sections {
            let Some(&expected) = others.get(&section) else { continue };
            all.compared += 1;
            if stored == expected {
                all.agree += 1;
            } else if all.first.is_none() {
                all.first =
                    Some(Difference { marbles: self.marbles, section: Some(section), stored, expected });
            }
        }
        all
    }

    /// Compares the sum over the slice with the known sum. Returns the difference, or `None` if the
    /// sums agree.
    pub fn differs(&self, expected: Results) -> Option<Difference> {
        let (marbles, stored) = (self.marbles, self.results);
        (stored != expected).then_some(Difference { marbles, section: None, stored, expected })
    }
}

/// Compares the results of a slice with the published results. Returns `None` if `counts` lacks
/// sections of the slice, or if no results are published.
pub fn published(target: Target, marbles: u8, counts: BySection) -> Option<Result<Results, Difference>> {
    let sections = Sections::of(target.rules.shape, target.rules.dir);
    let expected = known::slice(&target.rules, marbles).filter(|_| target.domain == Domain::Game)?;
    let mut slice = SliceCounts::new(sections, marbles);
    for (&section, results) in &counts {
        slice.results += results.times(sections.multiplicity(section));
    }
    slice.sections = counts;
    slice.is_whole().then(|| slice.differs(expected).map_or(Ok(slice.results), Err))
}

/// Returns the results of each section in a table, as the directory of the table states them.
pub fn of_table(table: &Table) -> BySection {
    let (target, marbles) = (table.header().target, table.header().slice);
    let arrays = table.arrays().iter();
    arrays.map(|of| (target.section_of(of.array.key), Results::of(of.counts, marbles))).collect()
}

/// Counts the values in a table of a complete game. Returns the first section whose counts differ
/// from the counts in the directory, or `None` if all sections agree.
///
/// # Errors
/// If the table is damaged or can't be read.
pub fn recount(table: &Table) -> Result<Option<Difference>, TableError> {
    let (target, marbles) = (table.header().target, table.header().slice);
    for (array, record) in (0..).zip(table.arrays()) {
        let mut counts = WdlCounts::default();
        for block in 0..record.array.grid.blocks() {
            let entries = table.block(BlockId { array, block })?;
            counts += target.count_block(&record.array, block, &entries);
        }
        if counts != record.counts {
            let section = Some(target.section_of(record.array.key));
            let [stored, expected] = [record.counts, counts].map(|counts| Results::of(counts, marbles));
            return Ok(Some(Difference { marbles, section, stored, expected }));
        }
    }
    Ok(None)
}
