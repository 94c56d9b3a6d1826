//! The classes `Tablebase`, `Table`, `Batches` and `SampleBatches`.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::{self, Position, Rules};
use crate::records;
use crate::watch::watched;
use numpy::{PyArray1, PyArrayMethods};
use pentago::{Access, Checks, Control, Error, Lookup, Shuffle, TURNS, TableInfo, TableWalk, UNKNOWN, Wdl};
use pentago_games::{KINDS, Question, SearchContext};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// All tables of a folder.
///
/// Positions are looked up under ``rules``. The default is the rules of the tables if these agree,
/// otherwise Pentago's. ``cache`` is the size of the cache for decoded blocks; the default is 64
/// MB. ``threads`` is the number of threads for calls with many positions. Several threads may
/// share a tablebase, and it is a context manager.
///
/// Raises LookupError if the folder has no usable table.
#[pyclass(frozen, module = "pentago_solver")]
pub struct Tablebase {
    folder: PathBuf,
    rules: pentago::Rules,
    cache: Option<u64>,
    threads: Option<NonZeroUsize>,
    handle: Arc<Handle>,
    /// The tables of all games in the folder, once a question has opened them.
    all_games: Mutex<Option<Arc<pentago_games::Tablebase>>>,
}

/// The tables of Pentago in the folder, or `None` after `close`.
type Handle = RwLock<Option<Arc<pentago::Tablebase>>>;

/// The default size of the cache for decoded blocks of the tables of all games, in bytes.
const CACHE_BYTES: u64 = 64_000_000;

/// Returns the tables of a handle.
///
/// Raises ValueError after `close`.
fn opened(handle: &Handle) -> PyResult<Arc<pentago::Tablebase>> {
    let guard = handle.read().unwrap_or_else(PoisonError::into_inner);
    guard.clone().ok_or_else(|| PyValueError::new_err("the tablebase is closed"))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tablebase {
    /// Returns the tables of all games in the folder. The first call opens them.
    ///
    /// Raises ValueError after `close`.
    pub fn of_all_games(&self, py: Python<'_>) -> PyResult<Arc<pentago_games::Tablebase>> {
        // Hold the lock only while the interpreter is released: a thread that holds the interpreter
        // and waits for the lock would block the thread that has to release the lock.
        py.detach(|| {
            let mut all_games = locked(&self.all_games);
            // `close` empties the handle before it takes this lock: check the handle under the
            // lock.
            opened(&self.handle)?;
            if let Some(tables) = &*all_games {
                return Ok(tables.clone());
            }
            let cache = usize::try_from(self.cache.unwrap_or(CACHE_BYTES)).unwrap_or(usize::MAX);
            let tables = pentago_games::Tablebase::open(KINDS, Some(&self.folder), Access::Read, cache)
                .map_err(raised)?;
            Ok(all_games.insert(Arc::new(tables)).clone())
        })
    }

    /// Returns the tables of Pentago, and the position in their representation.
    ///
    /// Raises ValueError if the rules differ, or after `close`.
    fn opened_for(&self, position: &Position) -> PyResult<(Arc<pentago::Tablebase>, pentago::Position)> {
        let (rules, inner) = position.pentago()?;
        if rules != self.rules {
            let text = format!(
                "the position is played by the rules {rules}, but the tablebase was opened for {}",
                self.rules
            );
            return Err(PyValueError::new_err(text));
        }
        Ok((opened(&self.handle)?, inner))
    }

    fn found(&self, py: Python<'_>, position: &Position) -> PyResult<Option<Wdl>> {
        let (tablebase, position) = self.opened_for(position)?;
        py.detach(|| tablebase.probe(&position)).map_err(raised)
    }

    /// Returns the numbers of rows and columns of the board.
    fn board(&self) -> (usize, usize) {
        (self.rules.shape.size(), self.rules.shape.size())
    }
}

/// Returns boards as an int8 array of shape (n, side, side).
fn boards<'py>(
    py: Python<'py>,
    rules: pentago::Rules,
    found: &[(pentago::Position, Wdl)],
) -> PyResult<Bound<'py, PyAny>> {
    let (sockets, side) = (rules.shape.sockets(), rules.shape.size());
    let cells: Vec<i8> = py.detach(|| {
        let mut cells = Vec::with_capacity(found.len() * sockets);
        found.iter().for_each(|(position, _)| cells.extend(position.cells()));
        cells
    });
    Ok(PyArray1::from_vec(py, cells).reshape([found.len(), side, side])?.into_any())
}

/// Returns values as an int8 array of shape (n,).
fn values<'py>(py: Python<'py>, found: &[(pentago::Position, Wdl)]) -> Bound<'py, PyAny> {
    PyArray1::from_iter(py, found.iter().map(|(_, wdl)| wdl.number())).into_any()
}

/// Returns the values of moves as an int8 array of shape (n, sockets, 9).
fn moves_array(py: Python<'_>, rules: pentago::Rules, values: Vec<i8>) -> PyResult<Bound<'_, PyAny>> {
    let sockets = rules.shape.sockets();
    let n = values.len() / (sockets * TURNS);
    Ok(PyArray1::from_vec(py, values).reshape([n, sockets, TURNS])?.into_any())
}

#[pymethods]
impl Tablebase {
    #[new]
    #[pyo3(signature = (path, rules = None, *, cache = None, threads = None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        rules: Option<&Bound<'_, PyAny>>,
        cache: Option<Size>,
        threads: Option<usize>,
    ) -> PyResult<Tablebase> {
        // Read files instead of mapping them: access to a mapped file that was truncated kills the
        // process.
        let (rules, threads) = (position::rules(rules)?, arguments::threads(threads)?);
        let cache = cache.map(|size| size.0);
        let bytes = cache.map(usize::try_from).transpose()?;
        let open = || pentago::Tablebase::open_with(&path, Access::Read, bytes);
        let tablebase = py.detach(open).map_err(raised)?;
        let tablebase = rules.into_iter().fold(tablebase, pentago::Tablebase::with_rules);
        let tablebase = threads.into_iter().fold(tablebase, pentago::Tablebase::with_threads);
        let rules = tablebase.rules();
        let handle = Arc::new(RwLock::new(Some(Arc::new(tablebase))));
        Ok(Tablebase { folder: path, rules, cache, threads, handle, all_games: Mutex::default() })
    }

    /// The folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The rules under which positions are looked up.
    #[getter]
    fn rules(&self) -> Rules {
        self.rules.into()
    }

    /// All tables of the folder, under any rules. Tables of one game or root are adjacent, sorted
    /// by marbles.
    #[getter]
    fn tables(&self) -> PyResult<Vec<Table>> {
        let list = opened(&self.handle)?.list();
        Ok(list.into_iter().map(|info| Table { handle: self.handle.clone(), info }).collect())
    }

    /// Returns the first table with this number of marbles under the tablebase's rules.
    ///
    /// Raises LookupError if there is none.
    fn table(&self, marbles: u8) -> PyResult<Table> {
        let list = opened(&self.handle)?.list();
        let found = list.into_iter().find(|t| t.rules == self.rules && t.marbles == marbles);
        let info = found.ok_or_else(|| {
            let text = format!("no table of positions with {marbles} marbles in {}", self.folder.display());
            PyLookupError::new_err(text)
        })?;
        Ok(Table { handle: self.handle.clone(), info })
    }

    /// Returns the value of a position for the side to move.
    ///
    /// Raises LookupError with the reason if no table holds the position or a table is damaged, and
    /// OSError if a table cannot be read.
    fn probe<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        let (tablebase, inner) = self.opened_for(&position)?;
        match py.detach(|| tablebase.look_up(&inner)).map_err(raised)? {
            Lookup::Value(wdl) => records::wdl(py, wdl),
            Lookup::Missing(missing) => {
                Err(PyLookupError::new_err(format!("{}: {missing}", position.inner.text)))
            }
        }
    }

    /// Returns the value of a position for the side to move, or ``default`` if no table holds the
    /// position.
    #[pyo3(signature = (position, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        position: Position,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.found(py, &position)? {
            Some(wdl) => Ok(Some(records::wdl(py, wdl)?)),
            None => Ok(default),
        }
    }

    fn __contains__(&self, py: Python<'_>, position: Position) -> PyResult<bool> {
        Ok(self.found(py, &position)?.is_some())
    }

    /// Returns the values of a position and of every move, from the tables and from the published
    /// values of the first plies. A value that neither holds is ``Value.UNKNOWN``, with the reason.
    ///
    /// Raises ContradictionError if the value of a position contradicts those of its moves.
    fn moves<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        self.opened_for(&position)?;
        let (tables, control) = (self.of_all_games(py)?, Control::new());
        let time = Some(Duration::ZERO);
        let question = Question { time, tables_only: true, ..Question::default() };
        let context = SearchContext { tables: Some(&tables), ..SearchContext::new(0, &control) };
        let answer = py.detach(|| position.game.answer(&position.inner, &question, &context));
        let answer = answer.map_err(raised)?;
        records::answer(py, &position, answer)
    }

    /// Returns the values of many boards. ``boards`` is an int8 array of shape (n, 6, 6), or (n, 4,
    /// 4) for Mini-Pentago, with 0 for an empty socket, 1 for X, 2 for O. The result has shape
    /// (n,): 1 is a win of the side to move, 0 a draw, -1 a loss, and UNKNOWN (-128) a board that
    /// no table holds.
    ///
    /// Raises TypeError for another dtype, and ValueError for another shape or an impossible board.
    #[pyo3(signature = (boards, *, progress = None))]
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tablebase = opened(&self.handle)?;
        let cells = arguments::cells(boards, self.board(), false)?;
        let control = Control::new();
        let work = || tablebase.probe_many(&tablebase.read_cells(&cells)?, &control);
        let values = watched(py, &control, progress, work)?;
        let numbers = values.into_iter().map(|value| value.map_or(UNKNOWN, Wdl::number));
        Ok(PyArray1::from_iter(py, numbers).into_any())
    }

    /// Returns the values of all moves of many boards, for the side to move, as an int8 array of
    /// shape (n, 36, 9), or (n, 16, 9) for Mini-Pentago. The second index is the socket, row by row
    /// from the top. The third index is the turn: quadrant 1 clockwise and counterclockwise, then
    /// quadrants 2, 3 and 4, and last no turn, for a placement that ends the game or declines the
    /// turn. Values are 1, 0 and -1, UNKNOWN (-128) if no table holds the position after the move,
    /// and ILLEGAL (-127).
    #[pyo3(signature = (boards, *, progress = None))]
    fn move_values<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tablebase = opened(&self.handle)?;
        let cells = arguments::cells(boards, self.board(), false)?;
        let control = Control::new();
        let work = || tablebase.move_values(&tablebase.read_cells(&cells)?, &control);
        let values = watched(py, &control, progress, work)?;
        moves_array(py, self.rules, values)
    }

    /// Iterates over all boards in random order, each once, in batches of ``size``. The options are
    /// those of ``pentago_solver.sample``.
    #[pyo3(signature = (
        size = 65536, *, marbles = None, seed = 0, up_to_symmetry = false, finished = false, moves = false
    ))]
    #[allow(clippy::too_many_arguments)]
    fn sample_batches(
        &self,
        size: usize,
        marbles: Option<Vec<u8>>,
        seed: u64,
        up_to_symmetry: bool,
        finished: bool,
        moves: bool,
    ) -> PyResult<SampleBatches> {
        opened(&self.handle)?;
        let size = batch_size(size)?;
        let mut shuffle = Shuffle::new(seed).up_to_symmetry(up_to_symmetry).finished(finished);
        if let Some(marbles) = marbles {
            for &number in &marbles {
                self.table(number)?;
            }
            shuffle = shuffle.marbles(&marbles);
        }
        let (handle, rules) = (self.handle.clone(), self.rules);
        Ok(SampleBatches { handle, rules, size, moves, shuffle: Mutex::new(shuffle) })
    }

    /// Verifies the tables. ``hash`` compares the checksums of all bytes. ``sample`` is the number
    /// of random positions, drawn by ``seed``, that are compared with their moves and with the
    /// solver. ``full`` compares every value with the values of its moves. ``marbles`` selects the
    /// tables with this number of marbles.
    ///
    /// Raises ContradictionError at the first wrong value, and LookupError at the first damaged
    /// table.
    #[pyo3(signature = (*, hash = true, sample = 0, seed = 0, full = false, marbles = None, progress = None))]
    #[allow(clippy::too_many_arguments)]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        hash: bool,
        sample: u64,
        seed: u64,
        full: bool,
        marbles: Option<u8>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tablebase = opened(&self.handle)?;
        let checks = Checks { hash, sample, seed, full, marbles };
        let control = Control::new();
        let verified = watched(py, &control, progress, || tablebase.verify(&checks, &control))?;
        records::verified(py, &verified)
    }

    /// Closes the tablebase. Later lookups raise ValueError.
    fn close(&self, py: Python<'_>) {
        self.handle.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| locked(&self.all_games).take());
    }

    /// True after ``close``.
    #[getter]
    fn closed(&self) -> bool {
        opened(&self.handle).is_err()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, py: Python<'_>, _arguments: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("Tablebase({:?}, '{}')", self.folder, self.rules)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let open = py.import("pentago_solver._records")?.getattr("open_tablebase")?;
        let threads = self.threads.map(NonZeroUsize::get);
        let arguments = (self.folder.clone(), self.rules.to_string(), self.cache, threads);
        Ok((open, arguments.into_pyobject(py)?))
    }
}

fn batch_size(size: usize) -> PyResult<usize> {
    if (1..=1 << 24).contains(&size) {
        return Ok(size);
    }
    Err(PyValueError::new_err("the batch size must be a number from 1 to 16777216"))
}

/// A table: the values of all positions with one number of marbles, of a whole game or below one
/// position.
#[pyclass(frozen, module = "pentago_solver")]
pub struct Table {
    handle: Arc<Handle>,
    info: TableInfo,
}

#[pymethods]
impl Table {
    /// The number of marbles on each board of the table.
    #[getter]
    fn marbles(&self) -> u8 {
        self.info.marbles
    }

    /// The rules of the table.
    #[getter]
    fn rules(&self) -> Rules {
        self.info.rules.into()
    }

    /// The root position, if the table holds only positions below one. None for a table of a whole
    /// game.
    #[getter]
    fn root(&self) -> PyResult<Option<Position>> {
        let game = Rules::from(self.info.rules).game;
        self.info
            .root
            .map(|root| Position::written(&game, &self.info.rules.format_position(&root)))
            .transpose()
    }

    /// The number of entries. An entry holds 256 values: one board with its quadrants in all
    /// rotations.
    #[getter]
    fn entries(&self) -> u64 {
        self.info.entries
    }

    /// The numbers of positions won, drawn and lost for the side to move.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records::counts(py, &self.info.counts)
    }

    /// The size of the file in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.info.bytes
    }

    /// The path of the file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.info.path.clone()
    }

    /// Iterates over all positions of the table, each once. A batch is a pair of int8 arrays: at
    /// most ``size`` boards, of shape (n, 6, 6) or (n, 4, 4), and their values, of shape (n,).
    #[pyo3(signature = (size = 65536))]
    fn batches(&self, size: usize) -> PyResult<Batches> {
        let walk = opened(&self.handle)?.walk(self.info.number).map_err(raised)?;
        let (handle, rules) = (self.handle.clone(), self.info.rules);
        Ok(Batches { handle, rules, size: batch_size(size)?, walk: Mutex::new(walk) })
    }

    fn __repr__(&self) -> String {
        let TableInfo { rules, marbles, entries, .. } = &self.info;
        format!("<Table of {rules}, {marbles} marbles, {entries} entries>")
    }
}

/// An iterator over the boards and values of a table, in batches.
#[pyclass(frozen, module = "pentago_solver")]
pub struct Batches {
    handle: Arc<Handle>,
    rules: pentago::Rules,
    size: usize,
    walk: Mutex<TableWalk>,
}

#[pymethods]
impl Batches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        opened(&self.handle)?;
        let next = || locked(&self.walk).by_ref().take(self.size).collect::<Result<Vec<_>, _>>();
        let found = py.detach(next).map_err(raised)?;
        if found.is_empty() {
            return Ok(None);
        }
        Ok(Some((boards(py, self.rules, &found)?, values(py, &found))))
    }
}

/// An iterator over random boards and their values, in batches.
#[pyclass(frozen, module = "pentago_solver")]
pub struct SampleBatches {
    handle: Arc<Handle>,
    rules: pentago::Rules,
    size: usize,
    moves: bool,
    shuffle: Mutex<Shuffle>,
}

#[pymethods]
impl SampleBatches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py, self.size)
    }

    /// Returns the next batch, of at most ``size`` boards, or None once all boards have been drawn.
    fn next<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let tablebase = opened(&self.handle)?;
        let control = Control::new();
        let draw = || -> Result<_, Error> {
            let found = tablebase.draw(&mut locked(&self.shuffle), size, &control)?;
            let positions: Vec<pentago::Position> = found.iter().map(|(position, _)| *position).collect();
            let moves = self.moves.then(|| tablebase.move_values(&positions, &control)).transpose()?;
            Ok((found, moves))
        };
        let (found, moves) = watched(py, &control, None, draw)?;
        if found.is_empty() {
            return Ok(None);
        }
        let moves = moves.map(|moves| moves_array(py, self.rules, moves)).transpose()?;
        let (boards, values) = (boards(py, self.rules, &found)?, values(py, &found));
        Ok(Some(records::sample(py, self.rules, boards, values, moves)?))
    }
}
