//! Creates solvers, solves positions, and returns the parts of an answer.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put};
use crate::control::{control, pentago_control};
use crate::position::pentago_position;
use pentago::{Pool, Value, Wdl};
use pentago_games::{Answer, Game, Question, SearchContext};
use std::collections::HashMap;
use std::ffi::c_char;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The default memory limit of a solution, in bytes.
const MEMORY: u64 = 4_000_000_000;

/// The time limit for a position whose full solution doesn't fit in memory.
const TIME: Duration = Duration::from_secs(10);

/// A solver of positions. Thread-safe. A solver answers one question at a time.
pub struct pentago_solver {
    memory: u64,
    pool: Pool,
    /// The games of earlier questions. The key is the rules. Each game caches results that speed up
    /// later questions.
    by_rules: Mutex<HashMap<String, Arc<dyn Game>>>,
}

/// An immutable answer: the values of a position and of its moves, as far as they are known.
/// Thread-safe.
pub struct pentago_answer(Answer);

/// A move, and its value for the player who makes the move.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pentago_move {
    /// The move as a zero-terminated string, such as "c4/2+".
    pub text: [c_char; 8],
    /// The value of the move: 1 for a win, 0 for a draw, -1 for a loss, or PENTAGO_UNKNOWN.
    pub value: i8,
    /// The number of plies to the end of the game, including this move. The number is -1 if it is
    /// unknown or was not requested.
    pub distance: i32,
}

/// Creates a solver. `memory` is the memory limit of a solution in bytes, and 0 stands for 4 GB.
/// `threads` is the number of threads, and 0 stands for one thread per core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_new(
    memory: u64,
    threads: u32,
    out: *mut *mut pentago_solver,
) -> pentago_status {
    let new = || {
        let memory = if memory > 0 { memory } else { MEMORY };
        let pool = Pool::new(self::threads(threads)?);
        Ok(pentago_solver { memory, pool, by_rules: Mutex::default() })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, new) }
}

/// Checks a number of threads. Returns `None` for 0, which stands for one thread per core.
pub fn threads(threads: u32) -> Result<Option<NonZeroUsize>, Failure> {
    if threads > 4096 {
        return Err(Failure::input("threads must be at most 4096"));
    }
    Ok(NonZeroUsize::new(threads as usize))
}

/// Finds the value of a position and of each of its moves. If `distances` is not 0, also finds the
/// number of plies to the end of the game, which takes about twice the time. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_solve(
    solver: *const pentago_solver,
    position: *const pentago_position,
    distances: i32,
    control: *const pentago_control,
    out: *mut *mut pentago_answer,
) -> pentago_status {
    let solve = || {
        // SAFETY: the C caller guarantees that `solver` and `position` are null, or handles that
        // aren't freed during the call.
        let (solver, position) = unsafe { (lent(solver, "solver")?, lent(position, "position")?) };
        // SAFETY: the C caller guarantees that `control` is null, or a handle that isn't freed
        // during the call.
        let control = unsafe { self::control(control) };
        let distance = distances != 0;
        let question =
            Question { distance, time: Some(TIME), finish: Some(Duration::MAX), ..Question::default() };
        let pool = solver.pool.get()?;
        let threads = NonZeroUsize::new(pool.current_num_threads()).unwrap_or(NonZeroUsize::MIN);
        let context = SearchContext { threads, ..SearchContext::new(solver.memory, &control) };
        // Hold the lock until the answer is found, because a solver answers one question at a time.
        let mut by_rules = solver.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
        let answer = pool.install(|| game.answer(&position.inner, &question, &context))?;
        Ok(pentago_answer(answer.best_first()))
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, solve) }
}

/// Frees a solver, and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_free(solver: *mut *mut pentago_solver) {
    // SAFETY: the C caller guarantees that `solver` is null, or points to a handle that no other
    // thread uses.
    unsafe { free(solver) }
}

/// Returns the number that stands for a value: 1, 0, -1 or [`PENTAGO_UNKNOWN`].
fn number(value: Value) -> i8 {
    value.known().map_or(PENTAGO_UNKNOWN, Wdl::number)
}

fn plies(distance: Option<usize>) -> i32 {
    distance.and_then(|plies| i32::try_from(plies).ok()).unwrap_or(-1)
}

/// Returns the value of the position for the side to move: 1 for a win, 0 for a draw, -1 for a
/// loss, or PENTAGO_UNKNOWN. Returns PENTAGO_UNKNOWN if `answer` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_value(answer: *const pentago_answer) -> i8 {
    // SAFETY: the C caller guarantees that `answer` is null, or a handle that isn't freed during
    // the call.
    unsafe { answer.as_ref() }.map_or(PENTAGO_UNKNOWN, |answer| number(answer.0.value))
}

/// Returns the number of plies to the end of the game. Returns -1 if the number is unknown or was
/// not requested, or if `answer` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_distance(answer: *const pentago_answer) -> i32 {
    // SAFETY: the C caller guarantees that `answer` is null, or a handle that isn't freed during
    // the call.
    unsafe { answer.as_ref() }.map_or(-1, |answer| plies(answer.0.distance))
}

/// Returns the number of legal moves, or 0 if `answer` is NULL. pentago_answer_move() returns the
/// moves, sorted from best to worst.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_moves(answer: *const pentago_answer) -> usize {
    // SAFETY: the C caller guarantees that `answer` is null, or a handle that isn't freed during
    // the call.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.moves.len())
}

/// Returns the number of best moves, which preserve the value of the position. The best moves are
/// the first moves of the answer. Returns 0 if the value is unknown, or if `answer` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_best(answer: *const pentago_answer) -> usize {
    // SAFETY: the C caller guarantees that `answer` is null, or a handle that isn't freed during
    // the call.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.best.len())
}

/// Writes the move with the index `number`, counted from 0, to `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_move(
    answer: *const pentago_answer,
    number: usize,
    out: *mut pentago_move,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `answer` is null, or a handle that isn't freed
        // during the call.
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
        // SAFETY: the C caller guarantees that `out` is null or valid for writing a move.
        unsafe { put(out, found, "out") }
    })
}

/// Frees an answer, and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_free(answer: *mut *mut pentago_answer) {
    // SAFETY: the C caller guarantees that `answer` is null, or points to a handle that no other
    // thread uses.
    unsafe { free(answer) }
}
