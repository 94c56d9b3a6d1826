//! The solver and its answers.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put};
use crate::control::{control, pentago_control};
use crate::position::pentago_position;
use pentago::{Error, ErrorKind, Value, Wdl};
use pentago_games::{Answer, Game, Question, SearchContext};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::ffi::c_char;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The default memory limit of a solution, in bytes.
const MEMORY: u64 = 4_000_000_000;

/// The time limit of a position whose full solution doesn't fit in memory.
const TIME: Duration = Duration::from_secs(10);

/// A solver of positions. Thread-safe. It answers one question at a time.
pub struct pentago_solver {
    memory: u64,
    pool: ThreadPool,
    /// The games of earlier questions, keyed by rules. Each game caches results for later
    /// questions.
    by_rules: Mutex<HashMap<String, Arc<dyn Game>>>,
}

/// An immutable answer: the value of a position and of its moves, as far as known. Thread-safe.
pub struct pentago_answer(Answer);

/// A move with its value for the player who makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pentago_move {
    /// The move as a zero-terminated string, such as "c4/2+".
    pub text: [c_char; 8],
    /// The value: 1 for a win, 0 for a draw, -1 for a loss, or PENTAGO_UNKNOWN.
    pub value: i8,
    /// The plies to the end of the game including this move, or -1 if unknown or not requested.
    pub distance: i32,
}

/// Creates a solver. `memory` is the memory limit of a solution in bytes; 0 stands for 4 GB.
/// `threads` is the number of threads; 0 stands for one per core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_new(
    memory: u64,
    threads: u32,
    out: *mut *mut pentago_solver,
) -> pentago_status {
    let new = || {
        let memory = if memory > 0 { memory } else { MEMORY };
        let threads = self::threads(threads)?.map_or(0, NonZeroUsize::get);
        // rayon, too, takes 0 for one thread per core.
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::new(ErrorKind::Environment, error))?;
        Ok(pentago_solver { memory, pool, by_rules: Mutex::default() })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, new) }
}

/// Checks a number of threads. Returns `None` for 0.
pub fn threads(threads: u32) -> Result<Option<NonZeroUsize>, Failure> {
    if threads > 4096 {
        return Err(Failure::input("threads must be at most 4096"));
    }
    Ok(NonZeroUsize::new(threads as usize))
}

/// Evaluates a position and every move. If `distances` is not 0, also counts the plies to the end
/// of the game, in about twice the time. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_solve(
    solver: *const pentago_solver,
    position: *const pentago_position,
    distances: i32,
    control: *const pentago_control,
    out: *mut *mut pentago_answer,
) -> pentago_status {
    let solve = || {
        // SAFETY: the header requires null or handles that aren't freed during the call.
        let (solver, position) = unsafe { (lent(solver, "solver")?, lent(position, "position")?) };
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let control = unsafe { self::control(control) };
        let question = Question { distance: distances != 0, time: Some(TIME), ..Question::default() };
        let threads = NonZeroUsize::new(solver.pool.current_num_threads()).unwrap_or(NonZeroUsize::MIN);
        let context = SearchContext { threads, ..SearchContext::new(solver.memory, &control) };
        // The lock is held during the answer: it admits one question at a time.
        let mut by_rules = solver.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
        let answer = solver.pool.install(|| game.answer(&position.inner, &question, &context))?;
        Ok(pentago_answer(answer.best_first()))
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, solve) }
}

/// Frees a solver and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_free(solver: *mut *mut pentago_solver) {
    // SAFETY: the header requires null or a handle that no other thread uses.
    unsafe { free(solver) }
}

/// Returns the number of a value: 1, 0, -1 or [`PENTAGO_UNKNOWN`].
fn number(value: Value) -> i8 {
    value.known().map_or(PENTAGO_UNKNOWN, Wdl::number)
}

fn plies(distance: Option<usize>) -> i32 {
    distance.and_then(|plies| i32::try_from(plies).ok()).unwrap_or(-1)
}

/// Returns the value for the side to move: 1 for a win, 0 for a draw, -1 for a loss, or
/// PENTAGO_UNKNOWN. Returns PENTAGO_UNKNOWN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_value(answer: *const pentago_answer) -> i8 {
    // SAFETY: the header requires null or a handle that isn't freed during the call.
    unsafe { answer.as_ref() }.map_or(PENTAGO_UNKNOWN, |answer| number(answer.0.value))
}

/// Returns the plies to the end of the game, or -1 if unknown or not requested, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_distance(answer: *const pentago_answer) -> i32 {
    // SAFETY: the header requires null or a handle that isn't freed during the call.
    unsafe { answer.as_ref() }.map_or(-1, |answer| plies(answer.0.distance))
}

/// Returns the number of legal moves, or 0 for NULL. Moves are sorted best first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_moves(answer: *const pentago_answer) -> usize {
    // SAFETY: the header requires null or a handle that isn't freed during the call.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.moves.len())
}

/// Returns the number of moves that keep the value of the position. These come first. Returns 0 if
/// the value is unknown, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_best(answer: *const pentago_answer) -> usize {
    // SAFETY: the header requires null or a handle that isn't freed during the call.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.best.len())
}

/// Writes the move with the index `number` to `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_move(
    answer: *const pentago_answer,
    number: usize,
    out: *mut pentago_move,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let answer = unsafe { lent(answer, "answer") }?;
        let eval = answer.0.moves.get(number);
        let eval = eval.ok_or_else(|| {
            let count = answer.0.moves.len();
            Failure::input(format!("there is no move {number}: the answer has {count}"))
        })?;
        let mut text = [0; 8];
        for (to, from) in text[..7].iter_mut().zip(eval.text.bytes()) {
            *to = from as c_char;
        }
        let found = pentago_move { text, value: self::number(eval.value), distance: plies(eval.distance) };
        // SAFETY: the header requires null or a valid pointer for writing a move.
        unsafe { put(out, found, "out") }
    })
}

/// Frees an answer and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_free(answer: *mut *mut pentago_answer) {
    // SAFETY: the header requires null or a handle that no other thread uses.
    unsafe { free(answer) }
}
