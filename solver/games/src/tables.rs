//! The tables of a folder, of all games: what there is, and whether it is right.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::pentago::make::Resources;
use ::pentago_tables::verify::counts::{BySection, file};
use pentago_base::{Control, counted};
use pentago_store::{
    Access, Definition, FolderScan, FullReport, SampleReport, StoreError, Table, TableFile, Tablebase,
    VerifyError,
};
use serde::{Serialize, Serializer};

use crate::{Kind, Result, missing};
use ::pentago::Error;

/// What a verification gives.
pub type Verified<T> = std::result::Result<T, VerifyError>;

/// The tables of a folder, opened by each of the games.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    opened: Vec<Box<dyn Opened>>,
}

/// The tables of a folder that a kind of game has opened.
pub trait Opened: Any + Debug + Send + Sync {
    /// The tables, by target.
    fn sets(&self) -> Vec<&dyn Set>;

    /// Why files are of no use that have the name of a table.
    fn damaged(&self) -> Vec<String>;

    /// Unfinished tables, and the files that belong to them.
    fn unfinished(&self) -> &[PathBuf] {
        &[]
    }

    /// Compares wins, draws and losses with known ones, and says in lines what agrees; how many could
    /// be compared.
    ///
    /// # Errors
    /// [`Contradiction`](::pentago::ErrorKind::Contradiction): the first wrong one.
    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize>;
}

/// Which counts are compared.
#[derive(Debug)]
pub struct KnownCounts {
    /// Only those of positions with this number of marbles.
    pub marbles: Option<u8>,
    /// Published counts of Pentago by section, beside those that are built in.
    pub published: Option<BySection>,
}

impl KnownCounts {
    /// Reads files of published counts.
    ///
    /// # Errors
    /// If one can't be read, is something else, or contradicts another.
    pub fn read(marbles: Option<u8>, files: &[PathBuf]) -> Result<KnownCounts> {
        Ok(KnownCounts { marbles, published: file::read_all(files)? })
    }
}

/// The tables of one target: a complete game, or everything below a root.
pub trait Set: Send + Sync {
    /// The target, as `build` takes it.
    fn target(&self) -> String;

    /// The rules.
    fn rules(&self) -> String;

    /// What their values have as a source: `table`, or `published` for what is part of the program.
    fn source(&self) -> &'static str;

    /// The tables, by slice.
    ///
    /// # Errors
    /// If one is damaged.
    fn list(&self) -> Result<Vec<TableInfo>>;

    /// Reads every byte of the tables of a slice, and compares all checksums; the number of bytes.
    ///
    /// # Errors
    /// The first damaged part; or it was stopped.
    fn hash(&self, slice: usize, control: &Control) -> Verified<u64>;

    /// Compares random values of some slices with the rules, with those of their moves, and with a
    /// solver where it is quick; the result as a line.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String>;

    /// Compares every value of a slice with those of its moves.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    fn full(&self, slice: usize, control: &Control) -> Verified<Compared>;
}

/// How random positions are drawn, and solved.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The number of positions.
    pub count: u64,
    /// The seed.
    pub seed: u64,
    /// What the solver may use.
    pub resources: &'a Resources,
}

/// What a comparison of all values of a slice has gone through.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// Values that agree with their moves.
    pub values: u64,
    /// The entries that hold them.
    pub entries: u64,
    /// Entries that were not compared, because their moves aren't stored.
    pub without_moves: u64,
    /// What one entry is called, and several of them.
    pub unit: [&'static str; 2],
}

/// A table.
#[derive(Debug, Serialize)]
pub struct TableInfo {
    /// The number of its slice among those of the target that have a table.
    #[serde(skip)]
    pub slice: usize,
    /// Marbles on all boards of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marbles: Option<u8>,
    /// Pente: stones that each player has captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures: Option<BTreeMap<&'static str, u16>>,
    /// The file; of several shards, the first.
    #[serde(serialize_with = "path")]
    pub file: PathBuf,
    /// Arrays of the table: the sections of a game of Pentago.
    pub sections: u32,
    /// Entries: what the size of a slice is counted in.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Size of the file to the size of its values.
    pub ratio: f64,
    /// Wins of the side to move.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Losses of the side to move.
    pub losses: u64,
    /// The name and version of the program that wrote it.
    pub program: String,
}

impl TableInfo {
    /// What tells it from other tables of the target.
    #[must_use]
    pub fn label(&self) -> String {
        match (&self.marbles, &self.captures) {
            (Some(marbles), _) => marbles.to_string(),
            (None, Some(captures)) => format!("{}-{}", captures["x"], captures["o"]),
            (None, None) => String::new(),
        }
    }

    /// The same in words.
    #[must_use]
    pub fn name(&self) -> String {
        match (self.marbles, &self.captures) {
            (Some(marbles), _) => counted(marbles, "marble"),
            (None, Some(captures)) => format!("{} and {} captured", captures["x"], captures["o"]),
            (None, None) => String::new(),
        }
    }
}

/// Serializes a path with an error that names it.
fn path<S: Serializer>(path: &Path, to: S) -> std::result::Result<S::Ok, S::Error> {
    let not_text =
        || serde::ser::Error::custom(format!("the path {path:?} isn't valid UTF-8, so JSON can't hold it"));
    to.serialize_str(path.to_str().ok_or_else(not_text)?)
}

/// What lists and verification need of a game's tables.
pub trait Described: Definition {
    /// What one entry is called, and several of them.
    const ENTRY: [&'static str; 2];

    /// The target as text, and its rules.
    fn target(target: &Self::Target) -> [String; 2];

    /// What all boards of a table have in common: marbles, or stones that each player has captured.
    fn common(slice: Self::Slice) -> (Option<u8>, Option<BTreeMap<&'static str, u16>>);

    /// Bytes of an entry before compression, in a table with this number of arrays.
    fn entry_bytes(arrays: usize) -> f64;

    /// Positions that a table wins, draws and loses for the side to move.
    ///
    /// # Errors
    /// If it is damaged.
    fn counted(set: &Tablebase<Self>, header: &Self::Header) -> Result<[u64; 3]>;

    /// What the values of a set have as a source.
    fn source(_set: &Tablebase<Self>) -> &'static str {
        "table"
    }

    /// Values of one entry.
    fn values(set: &Tablebase<Self>) -> u64;

    /// [`Set::sample`].
    ///
    /// # Errors
    /// As there.
    fn sample(
        tables: &[(&Tablebase<Self>, &Table<Self>)],
        draw: Sample,
        control: &Control,
    ) -> Verified<SampleReport>;

    /// Compares the tables of a folder with known counts: [`Opened::counts`].
    ///
    /// # Errors
    /// As there.
    fn counts(sets: &[Tablebase<Self>], known: &KnownCounts, out: &mut dyn Write) -> Result<usize>;
}

/// Says why the counts of a target aren't compared.
pub(crate) fn not_compared(out: &mut dyn Write, target: &str, why: &str) -> Result<bool> {
    writeln!(out, "counts: {target}: NOT compared: {why}").map_err(Error::from)?;
    Ok(false)
}

fn opened<'t, S: Described>(
    set: &'t Tablebase<S>,
    chosen: &[usize],
) -> Verified<Vec<(&'t Tablebase<S>, &'t Table<S>)>> {
    let slices = set.slices();
    let mut all = Vec::new();
    for slice in chosen.iter().filter_map(|&number| slices.get(number)) {
        all.extend(set.tables(*slice)?.into_iter().map(|table| (set, table)));
    }
    Ok(all)
}

impl<S: Described> Set for Tablebase<S> {
    fn target(&self) -> String {
        let [target, _] = S::target(self.target());
        target
    }

    fn rules(&self) -> String {
        let [_, rules] = S::target(self.target());
        rules
    }

    fn source(&self) -> &'static str {
        S::source(self)
    }

    fn list(&self) -> Result<Vec<TableInfo>> {
        let slices = self.slices();
        let info = |(header, file): (&S::Header, &TableFile)| {
            let (entries, bytes) = (S::entries(header), file.header.file_bytes);
            let (_, table_slice) = S::place(header);
            let (marbles, captures) = S::common(table_slice);
            let [wins, draws, losses] = S::counted(self, header)?;
            Ok(TableInfo {
                slice: slices.partition_point(|&slice| slice < table_slice),
                marbles,
                captures,
                file: file.path.clone(),
                sections: file.header.arrays,
                entries,
                bytes,
                ratio: bytes as f64 / (entries as f64 * S::entry_bytes(file.header.arrays as usize)),
                wins,
                draws,
                losses,
                program: file.header.program.clone(),
            })
        };
        self.headers().zip(self.files()).map(info).collect()
    }

    fn hash(&self, slice: usize, control: &Control) -> Verified<u64> {
        let mut bytes = 0;
        for (_, table) in opened(self, &[slice])? {
            pentago_store::hash(table, control)?;
            bytes += table.file_bytes();
        }
        Ok(bytes)
    }

    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String> {
        Ok(S::sample(&opened(self, slices)?, draw, control)?.text(S::SOLVER))
    }

    fn full(&self, slice: usize, control: &Control) -> Verified<Compared> {
        let mut all = FullReport::default();
        for (set, table) in opened(self, &[slice])? {
            let report = S::full(set, table, control)?;
            all.entries += report.entries;
            all.without_moves += report.without_moves;
        }
        let FullReport { entries, without_moves } = all;
        Ok(Compared { values: entries * S::values(self), entries, without_moves, unit: S::ENTRY })
    }
}

/// The sets of a game in a folder.
#[derive(Debug)]
pub struct Sets<S: Described> {
    sets: Vec<Tablebase<S>>,
    damaged: Vec<StoreError>,
}

impl<S: Described> Sets<S> {
    /// Opens the tables of a folder: [`Kind::open`].
    ///
    /// # Errors
    /// If it can't be read.
    pub fn open(path: Option<&Path>, access: Access, cache: usize) -> Result<Box<dyn Opened>>
    where
        Sets<S>: Opened,
    {
        let (sets, scan) = match path {
            Some(path) => Tablebase::open_all(path, access, cache)?,
            None => (Vec::new(), FolderScan::default()),
        };
        Ok(Box::new(Sets { sets, damaged: scan.damaged }))
    }

    /// Those that are open in `tables`.
    pub fn of(tables: &Tables) -> &[Tablebase<S>] {
        tables.of::<Sets<S>>().map_or(&[], |sets| &sets.sets)
    }
}

impl<S: Described + Debug> Opened for Sets<S> {
    fn sets(&self) -> Vec<&dyn Set> {
        self.sets.iter().map(|set| set as &dyn Set).collect()
    }

    fn damaged(&self) -> Vec<String> {
        self.damaged.iter().map(ToString::to_string).collect()
    }

    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        S::counts(&self.sets, known, out)
    }
}

impl Tables {
    /// Opens the tables in a folder, or without one those that are part of the program. `cache`:
    /// bytes of decoded blocks that are kept for each kind of game.
    ///
    /// # Errors
    /// If the folder can't be read. Damaged tables are listed.
    pub fn open(kinds: &[&Kind], path: Option<&Path>, access: Access, cache: usize) -> Result<Tables> {
        let open = kinds.iter().filter_map(|kind| kind.open);
        let opened = open.map(|open| open(path, access, cache)).collect::<Result<_>>()?;
        Ok(Tables { path: path.map(pentago_store::shown).unwrap_or_default(), opened })
    }

    /// The folder, or its address without a password; empty if there is none.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a kind of game has opened.
    #[must_use]
    pub fn of<T: 'static>(&self) -> Option<&T> {
        self.opened.iter().find_map(|opened| (&**opened as &dyn Any).downcast_ref())
    }

    /// The tables of the folder, by target: numbered from 1 in lists.
    pub fn sets(&self) -> impl Iterator<Item = &dyn Set> {
        self.all_sets().filter(|set| set.source() == "table")
    }

    /// The same with what is part of the program.
    pub fn all_sets(&self) -> impl Iterator<Item = &dyn Set> {
        self.opened.iter().flat_map(|opened| opened.sets())
    }

    /// Whether the folder has no table that is of use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets().next().is_none()
    }

    /// Why files are of no use that have the name of a table.
    pub fn damaged(&self) -> impl Iterator<Item = String> {
        self.opened.iter().flat_map(|opened| opened.damaged())
    }

    /// Unfinished tables, and the files that belong to them.
    pub fn unfinished(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().flat_map(|opened| opened.unfinished()).map(PathBuf::as_path)
    }

    /// Compares wins, draws and losses of complete games with known ones, and says in lines what
    /// agrees.
    ///
    /// # Errors
    /// The first wrong count; or that nothing could be compared.
    pub fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<()> {
        let mut compared = 0;
        for opened in &self.opened {
            compared += opened.counts(known, out)?;
        }
        if compared > 0 {
            return Ok(());
        }
        Err(missing(
            "no counts could be compared: known are those of complete slices of pentago with 0 to 35 \
             marbles, of sections in the files of --against, of the complete game of mini, and the \
             values of some empty boards of Pente",
        ))
    }
}
