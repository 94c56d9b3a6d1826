//! The Python classes `Tablebase`, `Table`, `Batches` and `SampleBatches`.

use crate::arguments::{self, Size};
use crate::errors::raised;
use crate::position::{self, Position, Rules};
use crate::records;
use crate::watch::{Call, watched};
use numpy::{PyArray1, PyArrayMethods};
use pentago::{Checks, Control, Error, Lookup, Shuffle, TURNS, TableInfo, TableWalk, UNKNOWN, Wdl};
use pentago_games::{KINDS, Question, SearchContext};
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// All tables in a folder.
///
/// Positions are looked up under ``rules``. If ``rules`` is None, the rules of the tables are used,
/// or the rules of Pentago if the tables have different rules. ``cache`` is the size of the cache
/// for decoded blocks, in bytes or as a string; the default is 64 MB. ``threads`` is the number of
/// threads for calls with many positions. Several threads may share a tablebase. A tablebase is a
/// context manager, which closes the tables at the end.
///
/// Raises LookupError if the folder contains no usable table.
#[pyclass(frozen, module = "pentago_solver")]
pub struct Tablebase {
    folder: PathBuf,
    rules: pentago::Rules,
    cache: Option<u64>,
    threads: Option<NonZeroUsize>,
    handle: Arc<Handle>,
    /// The tables of all games in the folder, or `None` until they are first needed.
    all_games: Mutex<Option<Arc<pentago_games::Tablebase>>>,
}

/// The tables of Pentago in the folder, or `None` once `close` was called.
type Handle = RwLock<Option<Arc<pentago::Tablebase>>>;

/// The default size of the cache that holds decoded blocks of the tables of all games, in bytes.
const CACHE_BYTES: u64 = 64_000_000;

/// Returns the tables that a handle contains.
///
/// Raises ValueError if `close` was called.
fn opened(handle: &Handle) -> PyResult<Arc<pentago::Tablebase>> {
    let guard = handle.read().unwrap_or_else(PoisonError::into_inner);
    guard.clone().ok_or_else(|| PyValueError::new_err("the tablebase is closed"))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tablebase {
    /// Returns the tables of all games in the folder. The first call opens these tables.
    ///
    /// Raises ValueError if `close` was called.
    pub fn of_all_games(&self, py: Python<'_>) -> PyResult<Arc<pentago_games::Tablebase>> {
        let _call = Call::begin()?;
        // Take the lock only while the interpreter is released. Otherwise, one thread could hold
        // the interpreter and wait for the lock, while another thread holds the lock and waits for
        // the interpreter.
        py.detach(|| {
            let mut all_games = locked(&self.all_games);
            // `close` empties the handle first, and takes the lock second. Check the handle under
            // the lock, so that no tables are opened after `close`.
            opened(&self.handle)?;
            if let Some(tables) = &*all_games {
                return Ok(tables.clone());
            }
            let cache = usize::try_from(self.cache.unwrap_or(CACHE_BYTES)).unwrap_or(usize::MAX);
            let tables = pentago_games::Tablebase::open(KINDS, Some(&self.folder), cache).map_err(raised)?;
            Ok(all_games.insert(Arc::new(tables)).clone())
        })
    }

    /// Returns the tables of Pentago, and the position in the form that the tables use.
    ///
    /// Raises ValueError if the rules of the position and of the tablebase differ, or if `close`
    /// was called.
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
        let _call = Call::begin()?;
        py.detach(|| tablebase.probe(&position)).map_err(raised)
    }

    /// Returns the number of rows and the number of columns of the board.
    fn board(&self) -> (usize, usize) {
        (self.rules.shape.size(), self.rules.shape.size())
    }
}

/// Returns the boards of `found` as an int8 array of shape (n, side, side). `side` is the number of
/// rows.
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

/// Returns the values of `found` as an int8 array of shape (n,).
fn values<'py>(py: Python<'py>, found: &[(pentago::Position, Wdl)]) -> Bound<'py, PyAny> {
    PyArray1::from_iter(py, found.iter().map(|(_, wdl)| wdl.number())).into_any()
}

/// Returns the values of moves as an int8 array of shape (n, sockets, 9): 9 values per board and
/// socket.
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
        let (rules, threads) = (position::rules(rules)?, arguments::threads(threads)?);
        let cache = cache.map(|size| size.0);
        let bytes = cache.map(usize::try_from).transpose()?;
        let open = || pentago::Tablebase::open_with(&path, bytes);
        let tablebase = py.detach(open).map_err(raised)?;
        let tablebase = rules.into_iter().fold(tablebase, pentago::Tablebase::with_rules);
        let tablebase = threads.into_iter().fold(tablebase, pentago::Tablebase::with_threads);
        let rules = tablebase.rules();
        let handle = Arc::new(RwLock::new(Some(Arc::new(tablebase))));
        Ok(Tablebase { folder: path, rules, cache, threads, handle, all_games: Mutex::default() })
    }

    /// The path of the folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The rules under which positions are looked up.
    #[getter]
    fn rules(&self) -> Rules {
        self.rules.into()
    }

    /// All tables in the folder, under any rules. The tables of one game or root are adjacent, and
    /// are sorted by the number of marbles.
    #[getter]
    fn tables(&self) -> PyResult<Vec<Table>> {
        let list = opened(&self.handle)?.list();
        Ok(list.into_iter().map(|info| Table { handle: self.handle.clone(), info }).collect())
    }

    /// Returns the first table whose boards have this number of marbles, under the rules of the
    /// tablebase.
    ///
    /// Raises LookupError if there is no such table.
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
    /// Raises LookupError if no table contains the position or if a table is damaged, and OSError
    /// if a table cannot be read.
    fn probe<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        let (tablebase, inner) = self.opened_for(&position)?;
        let _call = Call::begin()?;
        match py.detach(|| tablebase.look_up(&inner)).map_err(raised)? {
            Lookup::Value(wdl) => records::wdl(py, wdl),
            Lookup::Missing(missing) => {
                Err(PyLookupError::new_err(format!("{}: {missing}", position.inner.text)))
            }
        }
    }

    /// Returns the value of a position for the side to move, or ``default`` if no table contains
    /// the position.
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

    /// Returns the values of a position and of every move. The sources are the tables, and the
    /// published values of the first plies. A value that neither source contains is
    /// ``Value.UNKNOWN``, with the reason.
    ///
    /// Raises ContradictionError if the value of a position contradicts those of its moves.
    fn moves<'py>(&self, py: Python<'py>, position: Position) -> PyResult<Bound<'py, PyAny>> {
        self.opened_for(&position)?;
        let (tables, control, _call) = (self.of_all_games(py)?, Control::new(), Call::begin()?);
        let time = Some(Duration::ZERO);
        let question = Question { time, tables_only: true, ..Question::default() };
        let context = SearchContext { tables: Some(&tables), ..SearchContext::new(0, &control) };
        let answer = py.detach(|| position.game.answer(&position.inner, &question, &context));
        let answer = answer.map_err(raised)?;
        records::answer(py, &position, answer)
    }

    /// Returns the values of many boards. ``boards`` is an int8 array of shape (n, 6, 6), or (n, 4,
    /// 4) for Mini-Pentago. 0 is an empty socket, 1 is X, and 2 is O. The result is an int8 array
    /// of shape (n,). 1 is a win of the side to move, 0 is a draw, and -1 is a loss. UNKNOWN (-128)
    /// is a board that no table contains.
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

    /// Returns the values of all moves on many boards, for the side to move. The result is an int8
    /// array of shape (n, 36, 9), or (n, 16, 9) for Mini-Pentago. The second index is the socket,
    /// row by row from the top. The third index is the turn. Indices 0 and 1 are the clockwise and
    /// the counterclockwise turn of quadrant 1, and quadrants 2, 3 and 4 follow in the same way.
    /// Index 8 is no turn, for a placement that ends the game or declines the turn. A value is 1
    /// for a win, 0 for a draw, and -1 for a loss. It is UNKNOWN (-128) if no table contains the
    /// position after the move, and ILLEGAL (-127) if the move is illegal.
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

    /// Iterates over all boards in random order, each board once, in batches of ``size`` boards.
    /// The options have the same meaning as in ``pentago_solver.sample``.
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

    /// Verifies the tables. If ``hash`` is true, all checksums are verified. ``sample`` is the
    /// number of random positions whose values are compared with their moves and with the solver;
    /// ``seed`` determines these positions. If ``full`` is true, the value of every position is
    /// compared with the values of its moves. If ``marbles`` is not None, only the tables whose
    /// boards have this number of marbles are verified.
    ///
    /// Raises ContradictionError if a value is wrong, and LookupError if a table is damaged.
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

    /// Closes the tables. Later look-ups raise ValueError.
    fn close(&self, py: Python<'_>) {
        self.handle.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| locked(&self.all_games).take());
    }

    /// True if ``close`` was called.
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

/// A table, which contains the values of all positions that have the same number of marbles. A
/// table belongs to a whole game, or to the positions below one root position.
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

    /// The rules of the game whose values the table contains.
    #[getter]
    fn rules(&self) -> Rules {
        self.info.rules.into()
    }

    /// The root position if the table contains only positions below a root. None if the table
    /// belongs to a whole game.
    #[getter]
    fn root(&self) -> PyResult<Option<Position>> {
        let game = Rules::from(self.info.rules).game;
        self.info
            .root
            .map(|root| Position::written(&game, &self.info.rules.format_position(&root)))
            .transpose()
    }

    /// The number of entries. An entry contains 256 values: the values of one board in all
    /// rotations of its quadrants.
    #[getter]
    fn entries(&self) -> u64 {
        self.info.entries
    }

    /// The numbers of positions that the side to move wins, draws and loses.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records::counts(py, &self.info.counts)
    }

    /// The size of the table's file in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.info.bytes
    }

    /// The path of the table's file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.info.path.clone()
    }

    /// Iterates over all positions of the table, each position once. A batch is a pair of int8
    /// arrays. The first array contains at most ``size`` boards, and has the shape (n, 6, 6) or (n,
    /// 4, 4). The second array contains their values, and has the shape (n,).
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

/// An iterator over the boards and values of a table. Each item is a batch of boards.
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
        let _call = Call::begin()?;
        let next = || locked(&self.walk).by_ref().take(self.size).collect::<Result<Vec<_>, _>>();
        let found = py.detach(next).map_err(raised)?;
        if found.is_empty() {
            return Ok(None);
        }
        Ok(Some((boards(py, self.rules, &found)?, values(py, &found))))
    }
}

/// An iterator over boards in random order and their values. Each item is a batch of boards.
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

    /// Returns the next batch, with at most ``size`` boards. Returns None once all boards have been
    /// drawn.
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
