//! [`Tablebase`]: the values of a folder of tables.

use crate::ask;
use crate::error::{Error, ErrorKind};
use pentago_base::Control;
use pentago_core::answer::Answer;
use pentago_core::rules::{Position, Rules};
use pentago_core::solve::SolveError;
use pentago_core::values::{Wdl, WdlCounts};
use pentago_tables::probe::{self, Lookup, Shuffle, Tables, WalkedTo};
use pentago_tables::tables::{Access, Domain, Table};
use pentago_tables::verify::counts::{self, SliceCounts};
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Decoded blocks that are kept: 64 MB, a few positions with all their moves.
const CACHE_BYTES: usize = 64 << 20;
/// Values that a walk reads at a time.
const WALKED_AT_ONCE: usize = 1 << 14;

/// All tables of a folder. Any number of threads may probe it at once.
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
    threads: Option<NonZeroUsize>,
    /// For many positions at once; begun with the first of them.
    pool: OnceLock<rayon::ThreadPool>,
}

/// How a [`Tablebase`] is opened.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TablebaseBuilder {
    rules: Option<Rules>,
    cache: usize,
    access: Access,
    threads: Option<NonZeroUsize>,
}

impl Default for TablebaseBuilder {
    fn default() -> TablebaseBuilder {
        TablebaseBuilder { rules: None, cache: CACHE_BYTES, access: Access::default(), threads: None }
    }
}

/// A table of a [`Tablebase`]: the values of one slice of a game, or of what is below one position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableInfo {
    /// Its number in [`Tablebase::list`].
    pub number: usize,
    /// The game or root, as `pentago info` writes it.
    pub target: String,
    /// The rules.
    pub rules: Rules,
    /// The position that the table is below; none for a table of a whole game.
    pub root: Option<Position>,
    /// Marbles on all its boards.
    pub marbles: u8,
    /// Entries, of 256 values each.
    pub entries: u64,
    /// Positions won, drawn and lost for the side to move: of a whole game each board once up to
    /// symmetries of the board, below a position each entry at all 256 rotations.
    pub counts: WdlCounts,
    /// Bytes of the file.
    pub bytes: u64,
    /// The file.
    pub path: PathBuf,
}

impl TablebaseBuilder {
    /// The rules; otherwise those of the tables, if these are all of one kind, or else those of
    /// [`Rules::default`].
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Bytes of decoded blocks that are kept; otherwise 64 MB.
    pub fn cache(mut self, bytes: usize) -> Self {
        self.cache = bytes;
        self
    }

    /// How files are read; otherwise they are mapped.
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Threads for many positions at once; otherwise one for each processor that this process may
    /// use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Opens all tables of a folder and of the folders in it.
    ///
    /// # Errors
    /// As for [`Tablebase::open`].
    pub fn open(self, folder: impl AsRef<Path>) -> Result<Tablebase, Error> {
        let folder = folder.as_ref();
        let TablebaseBuilder { rules, cache, access, threads } = self;
        let tables = Tables::open(folder, access, cache)?;
        if tables.families().is_empty() {
            let text = match tables.damaged().first() {
                Some(error) => format!("no usable table in {}: {error}", folder.display()),
                None => format!("no tables in {}", folder.display()),
            };
            return Err(Error::new(ErrorKind::Missing, text));
        }
        let tablebase = Tablebase::of(tables);
        let rules = rules.unwrap_or(tablebase.rules);
        Ok(Tablebase { rules, threads, ..tablebase })
    }
}

/// The results of a complete game ([`Tablebase::counts`]).
#[derive(Clone, Debug)]
pub struct GameCounts {
    /// The game, as `pentago info` writes it.
    pub target: String,
    /// Its rules.
    pub rules: Rules,
    /// Its slices, by number of marbles.
    pub slices: Vec<SliceCounts>,
}

/// The values of a table one after the other ([`Tablebase::walk`]). After an error it ends.
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
    /// Opens all tables of a folder and of the folders in it, for their rules if these are all of
    /// one kind, or else for those of [`Rules::default`].
    /// Files are mapped, not read: this is quick however large they are.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if there is no such folder, or no usable table in it,
    /// [`Environment`](ErrorKind::Environment) if it can't be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Tablebase, Error> {
        Tablebase::builder().open(folder)
    }

    /// Makes a tablebase of open tables, for their rules if these are all of one kind, or else for those
    /// of [`Rules::default`].
    #[must_use]
    pub fn of(tables: Tables) -> Tablebase {
        let mut kinds = tables.families().iter().map(|family| family.target().rules);
        let only = kinds.next().filter(|first| kinds.all(|other| other == *first));
        Tablebase { tables, rules: only.unwrap_or_default(), threads: None, pool: OnceLock::new() }
    }

    /// Returns the tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Opens tables in another way.
    pub fn builder() -> TablebaseBuilder {
        TablebaseBuilder::default()
    }

    /// The rules that positions are probed under.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.tables.path()
    }

    /// The published values of the first plies, which are part of the program: all positions with 0
    /// to 6 marbles under the rules of [`Rules::default`].
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
    /// [`Missing`](ErrorKind::Missing) if the program is damaged.
    #[cfg(feature = "openings")]
    pub fn openings() -> Result<Tablebase, Error> {
        Ok(Tablebase {
            tables: Tables::none().with_openings()?,
            rules: Rules::default(),
            threads: None,
            pool: OnceLock::new(),
        })
    }

    /// The same tables and, where they hold nothing, the published values of the first plies.
    ///
    /// # Errors
    /// As for [`Tablebase::openings`].
    #[cfg(feature = "openings")]
    pub fn with_openings(self) -> Result<Tablebase, Error> {
        Ok(Tablebase { tables: self.tables.with_openings()?, ..self })
    }

    /// Drops the published values of the first plies.
    #[must_use]
    pub fn without_openings(self) -> Tablebase {
        Tablebase { tables: self.tables.without_openings(), ..self }
    }

    /// The same tables for other rules.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Tablebase {
        Tablebase { rules, ..self }
    }

    /// Looks up a position: its value for the side to move, or why no table holds it.
    ///
    /// # Errors
    /// [`Input`](ErrorKind::Input) if the position lies on another board than that of the rules,
    /// [`Missing`](ErrorKind::Missing) if a table is damaged,
    /// [`Environment`](ErrorKind::Environment) if it can't be read.
    pub fn look_up(&self, position: &Position) -> Result<Lookup, Error> {
        self.fits(position)?;
        Ok(self.tables.look_up(&self.rules, position)?)
    }

    /// The value of a position for the side to move; none if no table holds it.
    ///
    /// # Errors
    /// As for [`Tablebase::look_up`].
    pub fn probe(&self, position: &Position) -> Result<Option<Wdl>, Error> {
        Ok(match self.look_up(position)? {
            Lookup::Value(wdl) => Some(wdl),
            Lookup::Missing(_) => None,
        })
    }

    /// What the tables say of a position and of every move; what they don't hold is
    /// [`Value::Unknown`](crate::Value::Unknown), with the reason. [`SolverBuilder::tablebase`]
    /// asks the solver for the rest.
    ///
    /// # Errors
    /// As for [`Tablebase::probe`]; [`Contradiction`](ErrorKind::Contradiction) if a position's
    /// value is not that of its moves.
    ///
    /// [`SolverBuilder::tablebase`]: crate::SolverBuilder::tablebase
    pub fn moves(&self, position: &Position) -> Result<Answer, Error> {
        Ok(ask::look_up(&self.tables, &self.rules, position)?)
    }

    /// The values of many positions, each as [`Tablebase::probe`] gives it, but quicker: a block is
    /// read once for all positions in it, and all threads take part. A position on another board
    /// than that of the rules has none. `control` counts the positions and can cancel.
    ///
    /// ```
    /// use pentago::{Build, Control, Rules, Tablebase, Wdl};
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let tablebase = Tablebase::builder().rules(mini).open(folder.path())?;
    /// let values = tablebase.probe_many(&[mini.start(); 3], &Control::new())?;
    /// assert_eq!(values, [Some(Wdl::Win); 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tablebase::probe`]; [`Cancelled`](ErrorKind::Cancelled) if it was stopped.
    pub fn probe_many(&self, positions: &[Position], control: &Control) -> Result<Vec<Option<Wdl>>, Error> {
        Ok(self.pool()?.install(|| self.tables.look_up_many(&self.rules, positions, control))?)
    }

    /// The positions of boards that are given as numbers, one after the other:
    /// [`Position::from_cells`] of 36 or 16 numbers each.
    ///
    /// # Errors
    /// [`Input`](ErrorKind::Input) for the first board that can't occur, with its number, from 0.
    pub fn read_cells(&self, cells: &[i8]) -> Result<Vec<Position>, Error> {
        let shape = self.rules.shape;
        let read = |(number, board): (usize, &[i8])| {
            Position::from_cells(shape, board, false)
                .map_err(|error| Error::new(ErrorKind::Input, format!("board {number}: {error}")))
        };
        let boards = cells.par_chunks(shape.sockets()).enumerate();
        self.pool()?.install(|| boards.map(read).collect())
    }

    /// The values of all moves of many positions, as numbers: see [`Tables::move_values`].
    ///
    /// # Errors
    /// As for [`Tablebase::probe_many`]; [`Input`](ErrorKind::Input) if a position lies on another
    /// board.
    pub fn move_values(&self, positions: &[Position], control: &Control) -> Result<Vec<i8>, Error> {
        positions.iter().try_for_each(|position| self.fits(position))?;
        Ok(self.pool()?.install(|| self.tables.move_values(&self.rules, positions, control))?)
    }

    /// All tables, whatever their rules are: those of a game or root together, by slice.
    #[must_use]
    pub fn list(&self) -> Vec<TableInfo> {
        let families = self.tables.families().iter();
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

    /// The results of the complete games among the tables, slice by slice, of the slices that are
    /// wanted. A section that is in several tables counts once.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if a table is damaged or can't be read,
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

    /// Walks through table `number` of [`Tablebase::list`]: every stored position once, with its
    /// quadrants turned in every way, and its value for the side to move.
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
    /// [`Input`](ErrorKind::Input) if there is no such table.
    pub fn walk(self: &Arc<Self>, number: usize) -> Result<TableWalk, Error> {
        self.numbered(number)?;
        let ahead = Vec::new().into_iter();
        Ok(TableWalk { tablebase: self.clone(), number, at: WalkedTo::default(), ahead, failed: false })
    }

    /// The next boards of a shuffle of the tables under the rules, at most `most`, with their
    /// values for the side to move. None when all have been drawn, or there are none. `control`
    /// can cancel.
    ///
    /// ```
    /// use pentago::{Build, Control, Rules, Shuffle, Tablebase};
    ///
    /// let (folder, mini) = (tempfile::tempdir()?, Rules::mini());
    /// Build::game(mini).memory(100_000_000).run(folder.path())?;
    /// let tablebase = Tablebase::builder().rules(mini).open(folder.path())?;
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

    /// The table with this number in [`Tablebase::list`].
    fn numbered(&self, number: usize) -> Result<(&probe::Tablebase, &Table), Error> {
        let mut rest = number;
        for family in self.tables.families() {
            if let Some(table) = family.nth(rest)? {
                return Ok((family, table));
            }
            rest -= family.len();
        }
        Err(Error::new(ErrorKind::Input, format!("there is no table {number}")))
    }

    /// The threads for many positions.
    pub(super) fn pool(&self) -> Result<&rayon::ThreadPool, Error> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::new(ErrorKind::Environment, error))?;
        // Another thread may have been faster; its pool is as good.
        Ok(self.pool.get_or_init(|| pool))
    }

    /// Whether a position lies on the board of the rules.
    fn fits(&self, position: &Position) -> Result<(), Error> {
        if position.shape() == self.rules.shape { Ok(()) } else { Err(SolveError::Shape.into()) }
    }
}
