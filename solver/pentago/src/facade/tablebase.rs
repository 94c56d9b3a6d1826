//! [`Tablebase`]: looks up values in a folder of tables.

use super::pool::Pool;
use crate::ask;
use crate::error::{Error, ErrorKind};
use pentago_base::{Control, shown_path};
use pentago_core::answer::Answer;
use pentago_core::rules::{Position, Rules};
use pentago_core::solve::SolveError;
use pentago_core::values::{Wdl, WdlCounts};
use pentago_tables::probe::{self, Lookup, Shuffle, Tables, WalkedTo};
use pentago_tables::tables::{Domain, Table};
use pentago_tables::verify::counts::{self, SliceCounts};
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default cache size for decoded blocks in bytes: 64 MB are enough for the blocks of a few
/// positions with all their moves.
const CACHE_BYTES: usize = 64 << 20;
/// The number of values that a walk reads at a time.
const WALKED_AT_ONCE: usize = 1 << 14;

/// All tables of a folder. Any number of threads may probe a tablebase at the same time.
///
/// ```
/// use pentago::{Build, Rules, Tablebase, Wdl};
///
/// let folder = tempfile::tempdir()?;
/// let mini = Rules::mini();
/// Build::game(mini).memory(100_000_000).run(folder.path())?;
/// let tablebase = Tablebase::open(folder.path())?.with_rules(mini);
/// assert_eq!(tablebase.probe(&mini.start())?, Some(Wdl::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tablebase {
    pub(super) tables: Tables,
    rules: Rules,
    /// The threads of [`Tablebase::probe_many`].
    pool: Pool,
}

/// A table of a [`Tablebase`]: one slice of a game, or one slice of the positions below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableInfo {
    /// The index of the table in [`Tablebase::list`].
    pub number: usize,
    /// The game or root, in the notation of `pentago info`.
    pub target: String,
    /// The rules of the table.
    pub rules: Rules,
    /// The root of the table, or `None` for a table of a whole game.
    pub root: Option<Position>,
    /// The number of marbles on each board.
    pub marbles: u8,
    /// The number of entries. Each entry has 256 values.
    pub entries: u64,
    /// The numbers of positions that the side to move wins, draws and loses. In a table of a whole
    /// game, symmetrical boards count only once. In a table below a root, each entry counts with
    /// all its 256 rotations.
    pub counts: WdlCounts,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The path of the file.
    pub path: PathBuf,
}

/// The numbers of wins, draws and losses in a complete game, as returned by [`Tablebase::counts`].
#[derive(Clone, Debug)]
pub struct GameCounts {
    /// The game, in the notation of `pentago info`.
    pub target: String,
    /// The rules of the game.
    pub rules: Rules,
    /// The counts of each slice, sorted by number of marbles.
    pub slices: Vec<SliceCounts>,
}

/// An iterator over the values of a table, made by [`Tablebase::walk`]. The iterator ends after an
/// error.
#[derive(Debug)]
pub struct TableWalk {
    tablebase: Arc<Tablebase>,
    number: usize,
    at: WalkedTo,
    ahead: std::vec::IntoIter<(Position, Wdl)>,
    failed: bool,
}

impl TableWalk {
    fn more(&mut self) -> Result<Vec<(Position, Wdl)>, Error> {
        let (family, table) = self.tablebase.numbered(self.number)?;
        Ok(pentago_tables::probe::walk(family, table, &mut self.at, WALKED_AT_ONCE)?)
    }
}

impl Iterator for TableWalk {
    type Item = Result<(Position, Wdl), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ahead.as_slice().is_empty() && !self.failed {
            match self.more() {
                Ok(more) => self.ahead = more.into_iter(),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        self.ahead.next().map(Ok)
    }
}

impl Tablebase {
    /// Opens all tables of a folder and its subfolders. Reads only the headers of the tables, so
    /// even large folders open quickly. If another program changes a table later, probes of the
    /// changed blocks return errors. The cache size for decoded blocks is 64 MB.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if the folder doesn't exist or has no usable table,
    /// [`Environment`](ErrorKind::Environment) if the folder can't be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Tablebase, Error> {
        Tablebase::open_with(folder, None)
    }

    /// Opens all tables of a folder and its subfolders. `cache` is the cache size for decoded
    /// blocks in bytes. If `cache` is `None`, the size is 64 MB.
    ///
    /// # Errors
    /// As for [`Tablebase::open`].
    pub fn open_with(folder: impl AsRef<Path>, cache: Option<usize>) -> Result<Tablebase, Error> {
        let folder = folder.as_ref();
        let tables = Tables::open(folder, cache.unwrap_or(CACHE_BYTES))?;
        if tables.families.is_empty() {
            let text = match tables.scan.damaged.first() {
                Some(error) => format!("no usable table in {}: {error}", shown_path(folder)),
                None => format!("no tables in {}", shown_path(folder)),
            };
            return Err(Error::new(ErrorKind::Missing, text));
        }
        Ok(Tablebase::of(tables))
    }

    /// Makes a tablebase from open tables. If all tables have the same rules, positions are probed
    /// under these rules, and otherwise under [`Rules::default`].
    pub fn of(tables: Tables) -> Tablebase {
        let mut kinds = tables.families.iter().map(|family| family.target().rules);
        let only = kinds.next().filter(|first| kinds.all(|other| other == *first));
        Tablebase { tables, rules: only.unwrap_or_default(), pool: Pool::default() }
    }

    /// Returns the tables of all games and roots.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the rules under which positions are probed.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.tables.path
    }

    /// Opens the published values that are built into the program: the values of all positions with
    /// 0 to 6 marbles under [`Rules::default`].
    ///
    /// ```
    /// use pentago::{Rules, Tablebase, Wdl};
    ///
    /// let openings = Tablebase::openings()?;
    /// assert_eq!(openings.probe(&Rules::default().start())?, Some(Wdl::Win));
    /// # Ok::<(), pentago::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if the program file is damaged.
    #[cfg(feature = "openings")]
    pub fn openings() -> Result<Tablebase, Error> {
        Ok(Tablebase::of(Tables::none().with_openings()?))
    }

    /// Adds the published values of the first plies. If a table also has a value, the table is
    /// used.
    ///
    /// # Errors
    /// As for [`Tablebase::openings`].
    #[cfg(feature = "openings")]
    pub fn with_openings(self) -> Result<Tablebase, Error> {
        Ok(Tablebase { tables: self.tables.with_openings()?, ..self })
    }

    /// Removes the published values of the first plies.
    #[must_use]
    pub fn without_openings(self) -> Tablebase {
        Tablebase { tables: self.tables.without_openings(), ..self }
    }

    /// Sets the rules under which positions are probed.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Tablebase {
        Tablebase { rules, ..self }
    }

    /// Sets the number of threads of [`Tablebase::probe_many`]. The default is one thread for each
    /// CPU that this process may use.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Tablebase {
        Tablebase { pool: Pool::new(Some(threads)), ..self }
    }

    /// Looks up a position. Returns the value for the side to move, or the reason why no table has
    /// the position.
    ///
    /// # Errors
    /// [`Input`](ErrorKind::Input) if the shapes of the position and of the rules differ,
    /// [`Missing`](ErrorKind::Missing) if a table is damaged,
    /// [`Environment`](ErrorKind::Environment) if a table can't be read.
    pub fn look_up(&self, position: &Position) -> Result<Lookup, Error> {
        self.fits(position)?;
        Ok(self.tables.look_up(&self.rules, position)?)
    }

    /// Returns the value of a position for the side to move, or `None` if no table has the
    /// position.
    ///
    /// # Errors
    /// As for [`Tablebase::look_up`].
    pub fn probe(&self, position: &Position) -> Result<Option<Wdl>, Error> {
        Ok(match self.look_up(position)? {
            Lookup::Value(wdl) => Some(wdl),
            Lookup::Missing(_) => None,
        })
    }

    /// Looks up a position and every move. A value that no table has is
    /// [`Value::Unknown`](crate::Value::Unknown), with the reason. A solver with a tablebase
    /// ([`SolverBuilder::tablebase`]) computes such values instead.
    ///
    /// # Errors
    /// As for [`Tablebase::probe`]; [`Contradiction`](ErrorKind::Contradiction) if the value of the
    /// position contradicts the values of its moves.
    ///
    /// [`SolverBuilder::tablebase`]: crate::SolverBuilder::tablebase
    pub fn moves(&self, position: &Position) -> Result<Answer, Error> {
        ask::look_up(&self.tables, &self.rules, position)
    }

    /// Probes many positions with all threads. This is faster than [`Tablebase::probe`], because
    /// each block is decoded only once. If the shapes of a position and of the rules differ, the
    /// result for the position is `None`. `control` reports the number of finished positions and
    /// can cancel the work.
    ///
    /// ```
    /// use pentago::{Build, Control, Rules, Tablebase, Wdl};
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let tablebase = Tablebase::open(folder.path())?;
    /// let values = tablebase.probe_many(&[mini.start(); 3], &Control::new())?;
    /// assert_eq!(values, [Some(Wdl::Win); 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tablebase::probe`]; [`Cancelled`](ErrorKind::Cancelled) if the work was cancelled.
    pub fn probe_many(&self, positions: &[Position], control: &Control) -> Result<Vec<Option<Wdl>>, Error> {
        Ok(self.pool()?.install(|| self.tables.look_up_many(&self.rules, positions, control))?)
    }

    /// Converts an array of cells to positions. Each board has 36 or 16 numbers: see
    /// [`Position::from_cells`].
    ///
    /// # Errors
    /// [`Input`](ErrorKind::Input) for the first impossible board. The error names the index of
    /// this board.
    pub fn read_cells(&self, cells: &[i8]) -> Result<Vec<Position>, Error> {
        let shape = self.rules.shape;
        let read = |(number, board): (usize, &[i8])| {
            Position::from_cells(shape, board, false)
                .map_err(|error| Error::new(ErrorKind::Input, format!("board {number}: {error}")))
        };
        let boards = cells.par_chunks(shape.sockets()).enumerate();
        self.pool()?.install(|| boards.map(read).collect())
    }

    /// Returns the values of all moves of many positions, as numbers: see [`Tables::move_values`].
    ///
    /// # Errors
    /// As for [`Tablebase::probe_many`]; [`Input`](ErrorKind::Input) if the shapes of a
    /// position and of the rules differ.
    pub fn move_values(&self, positions: &[Position], control: &Control) -> Result<Vec<i8>, Error> {
        positions.iter().try_for_each(|position| self.fits(position))?;
        Ok(self.pool()?.install(|| self.tables.move_values(&self.rules, positions, control))?)
    }

    /// Lists the tables of all rules, grouped by game or root and sorted by slice.
    pub fn list(&self) -> Vec<TableInfo> {
        let families = self.tables.families.iter();
        let tables = families.flat_map(|family| family.headers().zip(family.files()));
        let info = |(number, (header, file)): (
            usize,
            (&pentago_tables::tables::Header, &pentago_tables::tables::TableFile),
        )| {
            let target = header.target;
            let root = match target.domain {
                Domain::Root(board) => Position::of(target.rules.shape, board).ok(),
                Domain::Game => None,
            };
            TableInfo {
                number,
                target: target.to_string(),
                rules: target.rules,
                root,
                marbles: header.slice,
                entries: header.entries,
                counts: header.counts,
                bytes: header.file_bytes,
                path: file.path.clone(),
            }
        };
        tables.enumerate().map(info).collect()
    }

    /// Counts the wins, draws and losses in complete games, for the slices that `wanted` accepts. A
    /// section that is in several tables counts once.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if a table is damaged or unreadable,
    /// [`Contradiction`](ErrorKind::Contradiction) if two tables disagree.
    pub fn counts(&self, wanted: impl Fn(u8) -> bool) -> Result<Vec<GameCounts>, Error> {
        let targets = self.tables.stored().map(|family| *family.target());
        let games = targets.filter(|target| target.domain == Domain::Game);
        let counts = games.map(|target| {
            let slices = counts::stored(&self.tables, target.rules, &wanted)?;
            Ok(GameCounts { target: target.to_string(), rules: target.rules, slices })
        });
        counts.collect()
    }

    /// Iterates over the table with the index `number` in [`Tablebase::list`]. Yields every stored
    /// board in all rotations of its quadrants, with the value for the side to move.
    ///
    /// ```
    /// use pentago::{Build, Rules, Tablebase};
    /// use std::sync::Arc;
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let tablebase = Arc::new(Tablebase::open(folder.path())?);
    /// let one_marble = tablebase.list().into_iter().find(|table| table.marbles == 1).unwrap();
    /// let values: Vec<_> = tablebase.walk(one_marble.number)?.collect::<Result<_, _>>()?;
    /// assert_eq!(values.len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Input`](ErrorKind::Input) if there is no table with this index.
    pub fn walk(self: &Arc<Self>, number: usize) -> Result<TableWalk, Error> {
        self.numbered(number)?;
        let ahead = Vec::new().into_iter();
        Ok(TableWalk { tablebase: self.clone(), number, at: WalkedTo::default(), ahead, failed: false })
    }

    /// Draws the next boards of a shuffle, at most `most`, with their values for the side to move.
    /// The shuffle covers all tables under the rules of this tablebase. Returns an empty list after
    /// the last board. `control` can cancel the work.
    ///
    /// ```
    /// use pentago::{Build, Control, Rules, Shuffle, Tablebase};
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let tablebase = Tablebase::open(folder.path())?;
    /// let mut shuffle = Shuffle::new(7).marbles(&[9, 10]);
    /// let drawn = tablebase.draw(&mut shuffle, 1000, &Control::new())?;
    /// assert_eq!(drawn.len(), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tablebase::probe_many`].
    pub fn draw(
        &self,
        shuffle: &mut Shuffle,
        most: usize,
        control: &Control,
    ) -> Result<Vec<(Position, Wdl)>, Error> {
        Ok(self.pool()?.install(|| self.tables.draw(&self.rules, shuffle, most, control))?)
    }

    /// Returns the table with the index `number` in [`Tablebase::list`], and the tables of its
    /// target.
    fn numbered(&self, number: usize) -> Result<(&probe::Tablebase, &Table), Error> {
        let mut rest = number;
        for family in &self.tables.families {
            if let Some(table) = family.nth(rest)? {
                return Ok((family, table));
            }
            rest -= family.len();
        }
        Err(Error::new(ErrorKind::Input, format!("there is no table {number}")))
    }

    /// Returns the threads of [`Tablebase::probe_many`], which the first call starts.
    pub(super) fn pool(&self) -> Result<&rayon::ThreadPool, Error> {
        self.pool.get()
    }

    /// Returns an error if the shapes of a position and of the rules differ.
    fn fits(&self, position: &Position) -> Result<(), Error> {
        if position.shape() == self.rules.shape { Ok(()) } else { Err(SolveError::Shape.into()) }
    }
}
