//! The tables of all games in a folder: how to list the tables, and how to verify them.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::pentago::Error;
use ::pentago::make::Resources;
use ::pentago_tables::verify::counts::{BySection, file};
use pentago_base::{Control, counted};
use pentago_store::{Definition, FullReport, Schema, Table, TableFile, VerifyError};
use serde::{Serialize, Serializer};

use crate::error::{Result, missing};

/// The result of a verification.
pub type Verified<T> = std::result::Result<T, VerifyError>;

/// The tables of all games in a folder or at an address.
#[derive(Debug, Default)]
pub struct Tablebase {
    /// The path of the folder, or the address without its password. The path is empty if there is
    /// no folder.
    pub path: PathBuf,
    games: Vec<Box<dyn GameTables>>,
    /// One error message for each unusable file that has the name of a table.
    pub damaged: Vec<String>,
    /// The paths of unfinished tables, and of the files that belong to unfinished tables.
    pub unfinished: Vec<PathBuf>,
}

/// The open tables of one game.
pub trait GameTables: Any + Debug + Send + Sync {
    /// Returns the tables of each target.
    fn targets(&self) -> Vec<&dyn TargetTables>;

    /// Compares the numbers of wins, draws and losses with known numbers, and writes a line about
    /// each comparison. Returns the number of compared tables.
    ///
    /// # Errors
    /// [`Contradiction`](::pentago::ErrorKind::Contradiction) at the first wrong count.
    #[cfg(feature = "build")]
    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize>;
}

/// The tables of one target: a complete game, or all positions below a root.
pub trait TargetTables: Send + Sync {
    /// Returns the target in the syntax of the command `build`.
    fn target(&self) -> String;

    /// Returns the text of the rules.
    fn rules(&self) -> String;

    /// Returns the source of the values: `table`, `certificate`, or `published` for values that are
    /// built into the program.
    fn source(&self) -> &'static str {
        "table"
    }

    /// Describes each table. The list is sorted by slice.
    ///
    /// # Errors
    /// If a table is damaged.
    fn list(&self) -> Result<Vec<TableInfo>>;

    /// Returns the numbers of marbles in the first and the last slice of the target. `None` stands
    /// for the first or the last stored slice. Below a root, for example, a build keeps any number
    /// of slices.
    fn ends(&self) -> [Option<u8>; 2] {
        [None; 2]
    }

    /// Returns the slices of the target without a table: the number of marbles if the slice has
    /// one, and the name. `stored` is the result of [`TargetTables::list`].
    fn gaps(&self, stored: &[TableInfo]) -> Vec<(Option<u8>, String)> {
        let marbles: BTreeSet<u8> = stored.iter().filter_map(|table| table.marbles).collect();
        let [first, last] = self.ends();
        let ends = first.or(marbles.first().copied()).zip(last.or(marbles.last().copied()));
        let Some((first, last)) = ends else { return Vec::new() };
        let absent = (first..=last).filter(|slice| !marbles.contains(slice));
        absent.map(|slice| (Some(slice), counted(slice, "marble"))).collect()
    }

    /// Reads every byte of the tables of a slice, and compares all checksums. Returns the number of
    /// bytes that were read.
    ///
    /// # Errors
    /// If a part of a table is damaged, or if the verification was stopped.
    fn hash(&self, slice: usize, control: &Control) -> Verified<u64>;

    /// Compares random values of some slices with the rules and with the values of their moves. If
    /// a solver is quick, also compares the values with the solver. Returns a line of text about
    /// the result.
    ///
    /// # Errors
    /// If a value is wrong, if a table is damaged, or if the verification was stopped.
    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String>;

    /// Compares every value of a slice with the values of its moves.
    ///
    /// # Errors
    /// If a value is wrong, if a table is damaged, or if the verification was stopped.
    #[cfg(feature = "build")]
    fn full(&self, slice: usize, control: &Control) -> Verified<Compared>;
}

/// The known counts with which tables are compared.
#[derive(Debug)]
pub struct KnownCounts {
    /// The number of marbles of the slice to compare, or `None` for all slices.
    pub marbles: Option<u8>,
    /// Published counts of Pentago, keyed by section. These counts are used in addition to the
    /// built-in counts.
    pub published: Option<BySection>,
}

impl KnownCounts {
    /// Reads files of published counts.
    ///
    /// # Errors
    /// If a file can't be read, has the wrong format, or contradicts another file.
    pub fn read(marbles: Option<u8>, files: &[PathBuf]) -> Result<KnownCounts> {
        Ok(KnownCounts { marbles, published: file::read_all(files)? })
    }
}

/// The parameters of a sample: how to draw random positions and how to solve them.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The number of positions to draw.
    pub count: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The resources of the solver.
    pub resources: &'a Resources,
}

/// The result of comparing all values of a slice with the values of their moves.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// The number of values that agree with the values of their moves.
    pub values: u64,
    /// The number of entries that hold the agreeing values.
    pub entries: u64,
    /// The number of entries that were not compared, because the values of their moves aren't
    /// stored.
    pub without_moves: u64,
    /// The word for one entry, and the word for several entries.
    pub unit: [&'static str; 2],
}

/// The description of a table.
#[derive(Debug, Serialize)]
pub struct TableInfo {
    /// The index of the table's slice, among the slices of the target that have tables.
    #[serde(skip)]
    pub slice: usize,
    /// The number of marbles on each board, or `None` for Pente.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marbles: Option<u8>,
    /// For Pente: the number of captured stones, keyed by player (`x`, `o`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    /// The path of the table's file, or of its first shard.
    #[serde(serialize_with = "path")]
    pub file: PathBuf,
    /// The number of arrays. In a table of a complete game of Pentago, each section is an array.
    pub sections: u32,
    /// The number of entries in the table.
    pub entries: u64,
    /// The size of all files of the table in bytes.
    pub bytes: u64,
    /// The ratio of `bytes` to the uncompressed size of the values.
    pub ratio: f64,
    /// The number of boards that the side to move wins.
    pub wins: u64,
    /// The number of drawn boards.
    pub draws: u64,
    /// The number of boards that the side to move loses.
    pub losses: u64,
    /// The name and version of the program that wrote the table.
    pub program: String,
}

impl TableInfo {
    /// Returns a short label that is unique among the slices of the target: the number of marbles
    /// as in `34`, or the numbers of captured stones as in `2-0`.
    pub fn label(&self) -> String {
        match (&self.marbles, &self.captures) {
            (Some(marbles), _) => marbles.to_string(),
            (None, Some(captures)) => format!("{}-{}", captures["x"], captures["o"]),
            (None, None) => String::new(),
        }
    }

    /// Returns the label of the slice in words: `34 marbles`, or `2 and 0 captured`.
    pub fn name(&self) -> String {
        match (self.marbles, &self.captures) {
            (Some(marbles), _) => counted(marbles, "marble"),
            (None, Some(captures)) => format!("{} and {} captured", captures["x"], captures["o"]),
            (None, None) => String::new(),
        }
    }

    /// Returns `true` if the file has the name that `build` gives to the table of another slice.
    pub fn has_other_name(&self) -> bool {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let mut parts = stem.split('-');
        let kind = parts.next();
        let numbers: Vec<u16> = parts.map_while(|part| part.parse().ok()).collect();
        match (kind, self.marbles, &self.captures) {
            (Some("slice"), Some(marbles), _) => numbers.first().is_some_and(|&n| n != u16::from(marbles)),
            (Some("captured"), _, Some(by)) => numbers.len() == 2 && numbers != [by["x"], by["o"]],
            _ => false,
        }
    }
}

/// Serializes a path. If the path is not valid UTF-8, returns an error that names the path.
fn path<S: Serializer>(path: &Path, to: S) -> std::result::Result<S::Ok, S::Error> {
    let not_text =
        || serde::ser::Error::custom(format!("the path {path:?} isn't valid UTF-8, so JSON can't hold it"));
    to.serialize_str(path.to_str().ok_or_else(not_text)?)
}

/// Writes the reason why the counts of a target aren't compared. Always returns `false`.
pub(crate) fn not_compared(out: &mut dyn Write, target: &str, why: &str) -> Result<bool> {
    writeln!(out, "counts: {target}: NOT compared: {why}").map_err(Error::from)?;
    Ok(false)
}

/// Opens the tables of the game with the schema `S` in a folder, and adds the tables to
/// `tablebase`.
///
/// # Errors
/// If the folder can't be read.
pub(crate) fn open<S: Schema>(tablebase: &mut Tablebase, path: Option<&Path>, cache: usize) -> Result<()>
where
    Vec<pentago_store::Tablebase<S>>: GameTables,
{
    if let Some(path) = path {
        let (tables, scan) = pentago_store::Tablebase::<S>::open_all(path, cache)?;
        tablebase.add(tables, scan.damaged.iter().map(ToString::to_string), []);
    }
    Ok(())
}

/// Returns the open tables of some slices. `chosen` has indices among the slices that have tables.
pub(crate) fn opened<'t, S: Schema>(
    tables: &'t pentago_store::Tablebase<S>,
    chosen: &[usize],
) -> Verified<Vec<(&'t pentago_store::Tablebase<S>, &'t Table<S>)>> {
    let slices = tables.slices();
    let mut all = Vec::new();
    for slice in chosen.iter().filter_map(|&index| slices.get(index)) {
        all.extend(tables.tables(*slice)?.into_iter().map(|table| (tables, table)));
    }
    Ok(all)
}

/// Describes the tables of a target, without the fields that depend on the game: marbles, captures
/// and counts. `entry_bytes` returns the uncompressed size of an entry in bytes, for a table with a
/// given number of arrays.
pub(crate) fn list<S: Definition>(
    tables: &pentago_store::Tablebase<S>,
    entry_bytes: impl Fn(u32) -> f64,
    describe: impl Fn(&S::Header, TableInfo) -> Result<TableInfo>,
) -> Result<Vec<TableInfo>> {
    let slices = tables.slices();
    let info = |(header, file): (&S::Header, &TableFile)| {
        let (entries, bytes, sections) = (S::entries(header), file.header.file_bytes, file.header.arrays);
        let (_, table_slice) = S::place(header);
        let general = TableInfo {
            slice: slices.partition_point(|&slice| slice < table_slice),
            marbles: None,
            captures: None,
            file: file.path.clone(),
            sections,
            entries,
            bytes,
            ratio: bytes as f64 / (entries as f64 * entry_bytes(sections)),
            wins: 0,
            draws: 0,
            losses: 0,
            program: file.header.program.clone(),
        };
        describe(header, general)
    };
    tables.headers().zip(tables.files()).map(info).collect()
}

/// Implements [`TargetTables::hash`]: compares the checksums of the tables of a slice.
pub(crate) fn hash<S: Schema>(
    tables: &pentago_store::Tablebase<S>,
    slice: usize,
    control: &Control,
) -> Verified<u64> {
    let mut bytes = 0;
    for (_, table) in opened(tables, &[slice])? {
        pentago_store::hash(table, control)?;
        bytes += table.file_bytes();
    }
    Ok(bytes)
}

/// Implements [`TargetTables::full`]: compares all values of a slice. Each entry holds `values`
/// values.
pub(crate) fn full<S: Definition>(
    tables: &pentago_store::Tablebase<S>,
    slice: usize,
    values: u64,
    unit: [&'static str; 2],
    control: &Control,
) -> Verified<Compared> {
    let mut all = Compared { values: 0, entries: 0, without_moves: 0, unit };
    for (_, table) in opened(tables, &[slice])? {
        let FullReport { entries, without_moves } = S::full(tables, table, control)?;
        all.values += entries * values;
        all.entries += entries;
        all.without_moves += without_moves;
    }
    Ok(all)
}

impl Tablebase {
    /// Returns a tablebase of a folder or an address, to which no tables were added yet.
    pub(crate) fn new(path: Option<&Path>) -> Tablebase {
        Tablebase { path: path.map(pentago_store::shown).unwrap_or_default(), ..Tablebase::default() }
    }

    /// Adds the tables of a game, the errors of its damaged files, and its unfinished files.
    pub fn add(
        &mut self,
        tables: impl GameTables,
        damaged: impl IntoIterator<Item = String>,
        unfinished: impl IntoIterator<Item = PathBuf>,
    ) {
        self.games.push(Box::new(tables));
        self.damaged.extend(damaged);
        self.unfinished.extend(unfinished);
    }

    /// Returns the tables of the game whose tables have the type `T`.
    pub fn of<T: GameTables>(&self) -> Option<&T> {
        self.games.iter().find_map(|tables| (&**tables as &dyn Any).downcast_ref())
    }

    /// Consumes the tablebase, and returns the tables of the game whose tables have the type `T`.
    pub fn into_game<T: GameTables>(self) -> Option<T> {
        let mut games = self.games.into_iter().map(|tables| tables as Box<dyn Any>);
        games.find_map(|tables| tables.downcast().ok()).map(|tables| *tables)
    }

    /// Iterates over the targets that have tables in the folder. Lists number the targets from 1 in
    /// this order.
    pub fn targets(&self) -> impl Iterator<Item = &dyn TargetTables> {
        self.all_targets().filter(|target| target.source() != "published")
    }

    /// Iterates over all targets, including the targets whose values are built into the program.
    pub fn all_targets(&self) -> impl Iterator<Item = &dyn TargetTables> {
        self.games.iter().flat_map(|tables| tables.targets())
    }

    /// Returns `true` if the folder has no usable table.
    pub fn is_empty(&self) -> bool {
        self.targets().next().is_none()
    }

    /// Compares the numbers of wins, draws and losses of complete games with known numbers, and
    /// writes lines about the comparisons. Returns the number of compared tables.
    ///
    /// # Errors
    /// If a count is wrong, or if nothing could be compared.
    #[cfg(feature = "build")]
    pub fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        let mut compared = 0;
        for tables in &self.games {
            compared += tables.counts(known, out)?;
        }
        if compared > 0 {
            return Ok(compared);
        }
        Err(missing(
            "no counts could be compared: known are those of complete slices of pentago with 0 to 35 \
             marbles, of sections in the files of --against, of the complete game of mini, and the \
             values of some empty boards of Pente",
        ))
    }
}
