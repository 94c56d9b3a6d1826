//! The solver and its answers.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put};
use crate::control::{control, pentago_control};
use crate::position::pentago_position;
use pentago::{Error, ErrorKind, Value};
use pentago_games::{Answer, Game, Question};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::ffi::c_char;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes of memory that a solution may take unless something else was said.
const MEMORY: u64 = 4_000_000_000;

/// The time for a position that can't be solved to the end.
const TIME: Duration = Duration::from_secs(10);

/// Solves positions exactly. Thread-safe; it answers one question at a time.
pub struct pentago_solver {
    memory: u64,
    pool: ThreadPool,
    /// A game by each set of rules, with what it keeps from one question to the next.
    by_rules: Mutex<HashMap<String, Arc<dyn Game>>>,
}

/// What is known of a position. It never changes: safe in any thread.
pub struct pentago_answer(Answer);

/// A move with its value for the player who makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pentago_move {
    /// The move, such as "c4/2+", with a zero at its end.
    pub text: [c_char; 8],
    /// 1 for a win, 0 for a draw, -1 for a loss, PENTAGO_UNKNOWN.
    pub value: i8,
    /// Plies to the end of the game, this move included; -1 if that wasn't asked or isn't known.
    pub distance: i32,
}

/// Makes a solver. `memory` is the bytes that a solution may take, 0 for 4 GB; `threads` how many
/// work on it, 0 for one per processor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_new(
    memory: u64,
    threads: u32,
    out: *mut *mut pentago_solver,
) -> pentago_status {
    let new = || {
        let memory = if memory > 0 { memory } else { MEMORY };
        let threads = self::threads(threads)?.map_or(0, NonZeroUsize::get);
        // With 0 there is one for each processor.
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::new(ErrorKind::Environment, error))?;
        Ok(pentago_solver { memory, pool, by_rules: Mutex::default() })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, new) }
}

/// A number of threads; none for 0.
pub fn threads(threads: u32) -> Result<Option<NonZeroUsize>, Failure> {
    if threads > 4096 {
        return Err(Failure::input("there are at most 4096 threads"));
    }
    Ok(NonZeroUsize::new(threads as usize))
}

/// The value of a position and of every move; with `distances` other than 0 also the plies to the
/// end of the game, in about twice the time. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_solve(
    solver: *const pentago_solver,
    position: *const pentago_position,
    distances: i32,
    control: *const pentago_control,
    out: *mut *mut pentago_answer,
) -> pentago_status {
    let solve = || {
        // SAFETY: the header asks for null or handles that aren't freed meanwhile.
        let (solver, position) = unsafe { (lent(solver, "solver")?, lent(position, "position")?) };
        // SAFETY: as before.
        let control = unsafe { self::control(control) };
        let question = Question {
            distance: distances != 0,
            threads: solver.pool.current_num_threads(),
            ..Question::new(TIME, solver.memory, &control)
        };
        // The lock is what makes it answer one question at a time.
        let mut by_rules = solver.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        let game = by_rules.entry(position.game.rules()).or_insert_with(|| position.game.clone());
        let answer = solver.pool.install(|| game.answer(&position.inner, &question))?;
        Ok(pentago_answer(answer.best_first()))
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, solve) }
}

/// Frees a solver and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_solver_free(solver: *mut *mut pentago_solver) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(solver) }
}

/// 1 for a win, 0 for a draw, -1 for a loss, or unknown.
fn number(value: Value) -> i8 {
    match value {
        Value::Win => 1,
        Value::Draw => 0,
        Value::Loss => -1,
        Value::Unknown => PENTAGO_UNKNOWN,
    }
}

fn plies(distance: Option<usize>) -> i32 {
    distance.and_then(|plies| i32::try_from(plies).ok()).unwrap_or(-1)
}

/// The value for the side to move: 1 for a win, 0 for a draw, -1 for a loss; PENTAGO_UNKNOWN, also
/// for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_value(answer: *const pentago_answer) -> i8 {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { answer.as_ref() }.map_or(PENTAGO_UNKNOWN, |answer| number(answer.0.value))
}

/// Plies to the end of the game; -1 if that wasn't asked or isn't known, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_distance(answer: *const pentago_answer) -> i32 {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { answer.as_ref() }.map_or(-1, |answer| plies(answer.0.distance))
}

/// The number of legal moves, best first; 0 if the game is over, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_moves(answer: *const pentago_answer) -> usize {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.moves.len())
}

/// How many of the first moves keep the value of the position; 0 if it is unknown, or for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_best(answer: *const pentago_answer) -> usize {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { answer.as_ref() }.map_or(0, |answer| answer.0.best.len())
}

/// Writes the move with this number, from 0, to `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_move(
    answer: *const pentago_answer,
    number: usize,
    out: *mut pentago_move,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let answer = unsafe { lent(answer, "answer") }?;
        let eval = answer.0.moves.get(number);
        let eval = eval.ok_or_else(|| Failure::input(format!("there is no move {number}")))?;
        let mut text = [0; 8];
        for (to, from) in text[..7].iter_mut().zip(eval.text.bytes()) {
            *to = from as c_char;
        }
        let found = pentago_move { text, value: self::number(eval.value), distance: plies(eval.distance) };
        // SAFETY: the header asks for null or room for a move.
        unsafe { put(out, found, "out") }
    })
}

/// Frees an answer and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_answer_free(answer: *mut *mut pentago_answer) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(answer) }
}
