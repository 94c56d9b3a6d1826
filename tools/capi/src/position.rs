//! Parses, formats and plays positions, and converts boards to numbers.

use crate::border::{Failure, free, guarded, lent, make, pentago_status, put, put_text, text};
use pentago_games::{Game, Position, read_rules};
use std::ffi::c_char;
use std::sync::Arc;

/// An immutable position: a board and the side to move, under some rules. Thread-safe.
#[derive(Clone)]
pub struct pentago_position {
    /// The game, which contains the rules.
    pub(crate) game: Arc<dyn Game>,
    /// The position, in the representation of the game.
    pub(crate) inner: Position,
}

impl pentago_position {
    /// Returns the rules and the position in the form that Pentago's tables use. Returns an error
    /// if the position belongs to another game.
    pub(crate) fn pentago(&self) -> Result<(pentago::Rules, pentago::Position), Failure> {
        let rules = pentago_rules(&*self.game)?;
        Ok((rules, *self.inner.parsed()?))
    }
}

/// Returns the game that a rules string of the C caller describes, or Pentago if the pointer is
/// null.
///
/// # Safety
/// The pointer is null, or points to a zero-terminated string that isn't changed or freed during
/// the call.
pub unsafe fn game(pointer: *const c_char) -> Result<Arc<dyn Game>, Failure> {
    if pointer.is_null() {
        return Ok(read_rules("pentago")?);
    }
    // SAFETY: the pointer isn't null. The caller guarantees that it points to a zero-terminated
    // string that stays unchanged during the call.
    Ok(read_rules(unsafe { text(pointer, "rules") }?)?)
}

/// Returns the rules of a game of Pentago or Mini-Pentago. Returns an error for another game.
pub fn pentago_rules(game: &dyn Game) -> Result<pentago::Rules, Failure> {
    game.rules().parse().map_err(|_| {
        let title = game.kind().title;
        Failure::input(format!("{title} is not supported here, only Pentago and Mini-Pentago are"))
    })
}

/// Returns an array of `count` cells that belongs to the C caller. Returns an error if the pointer
/// is null, unless `count` is 0.
///
/// # Safety
/// The pointer is null, or points to `count` numbers that aren't changed or freed during `'a`.
pub unsafe fn cells<'a>(pointer: *const i8, count: usize) -> Result<&'a [i8], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::input("cells is NULL"));
    }
    if isize::try_from(count).is_err() {
        return Err(Failure::input("count is too large"));
    }
    // SAFETY: the pointer isn't null, and the size of the array fits into `isize`. The caller
    // guarantees that the pointer refers to `count` numbers that stay unchanged during `'a`.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Parses a position such as "6/6/6/6/6/6 x": rows from the top, in which a digit stands for a run
/// of empty sockets, then the side to move. `rules` is a string such as "pentago-fi", "mini",
/// "xl:seats=4" or "pente:n=5,k=4,opening=free". NULL stands for "pentago".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_parse(
    position: *const c_char,
    rules: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the C caller guarantees that `rules` and `position` are null, or zero-terminated
        // strings that stay unchanged during the call.
        let (game, position) = unsafe { (self::game(rules)?, text(position, "position")?) };
        let inner = game.read(position)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, read) }
}

/// Creates a position from the contents of `count` sockets (36 for Pentago), row by row from the
/// top. 0 is an empty socket, 1 is a marble of the first seat (X), and 2 is a marble of the second
/// seat (O). If `pending` is not 0, the marble of a move has been placed, and the turn of the move
/// is pending.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_from_cells(
    cells: *const i8,
    count: usize,
    rules: *const c_char,
    pending: i32,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the C caller guarantees that `cells` is null or refers to `count` numbers, and
        // that `rules` is null or a zero-terminated string. Both stay unchanged during the call.
        let (cells, game) = unsafe { (self::cells(cells, count)?, self::game(rules)?) };
        let inner = game.from_cells(cells, pending != 0)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, read) }
}

/// Writes the contents of a position's sockets to the array `cells`, row by row from the top.
/// `capacity` is the length of the array, which must be at least the number of sockets (36 for
/// Pentago).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_cells(
    position: *const pentago_position,
    cells: *mut i8,
    capacity: usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed
        // during the call.
        let position = unsafe { lent(position, "position") }?;
        let numbers = position.game.cells(&position.inner);
        let sockets = numbers.len();
        if cells.is_null() {
            return Err(Failure::input("cells is NULL"));
        }
        if capacity < sockets {
            let text = format!("cells has room for {capacity} numbers, but the board has {sockets} sockets");
            return Err(Failure::input(text));
        }
        for (at, number) in numbers.into_iter().enumerate() {
            // SAFETY: the C caller guarantees that `cells` is valid for writing `capacity` numbers,
            // and `at` is less than `sockets`, which is at most `capacity`.
            unsafe { cells.add(at).write(number) };
        }
        Ok(())
    })
}

/// Writes a position as a zero-terminated string to `buffer`, which has `capacity` bytes. 512 bytes
/// always suffice. Writes the length of the string, without the zero, to `length`. Either `buffer`
/// or `length` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_text(
    position: *const pentago_position,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed
        // during the call.
        let position = &unsafe { lent(position, "position") }?.inner;
        // SAFETY: the C caller guarantees that `buffer` is null or valid for writing `capacity`
        // bytes, and that `length` is null or valid for writing a number.
        unsafe { put_text(&position.text, buffer, capacity, length) }
    })
}

/// Creates the position that results from a move such as "c4/2+".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_play(
    position: *const pentago_position,
    mv: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let play = || {
        // SAFETY: the C caller guarantees that `position` is null or a handle that isn't freed
        // during the call, and that `mv` is null or a zero-terminated string that stays unchanged
        // during the call.
        let (position, mv) = unsafe { (lent(position, "position")?, text(mv, "move")?) };
        let inner = position.game.play(&position.inner, mv)?;
        Ok(pentago_position { inner, ..position.clone() })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, play) }
}

/// Creates the canonical image of a position: the least of all positions that are symmetric to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_canonical(
    position: *const pentago_position,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let canonical = || {
        // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed
        // during the call.
        let position = unsafe { lent(position, "position") }?;
        let orbits = position.game.symmetries(&position.inner);
        let orbit = orbits.first().ok_or_else(|| Failure::input("the game has no known symmetries"))?;
        Ok(pentago_position { inner: position.game.read(&orbit.canonical)?, ..position.clone() })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, canonical) }
}

/// Returns the number of marbles on the board, or 0 if `position` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_marbles(position: *const pentago_position) -> u32 {
    // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed during
    // the call.
    unsafe { position.as_ref() }.map_or(0, |position| position.inner.marbles as u32)
}

/// Writes the letter of the seat to move to `out`: 'x' or 'o', or 'a' to 'd' in Pentago XL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_to_move(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed
        // during the call.
        let side = unsafe { lent(position, "position") }?.inner.to_move;
        // SAFETY: the C caller guarantees that `out` is null or valid for writing a character.
        unsafe { put(out, side as c_char, "out") }
    })
}

/// Writes the outcome of the game to `out`: the letter of the winning seat, such as 'x' or 'o', '='
/// for a draw, or 0 if the game isn't over. If partners win together, writes the first of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_outcome(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `position` is null, or a handle that isn't freed
        // during the call.
        let position = unsafe { lent(position, "position") }?;
        let ending = position.inner.over.as_ref();
        let outcome = ending.map_or('\0', |ending| ending.winners.chars().next().unwrap_or('='));
        // SAFETY: the C caller guarantees that `out` is null or valid for writing a character.
        unsafe { put(out, outcome as c_char, "out") }
    })
}

/// Frees a position, and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_free(position: *mut *mut pentago_position) {
    // SAFETY: the C caller guarantees that `position` is null, or points to a handle that no other
    // thread uses.
    unsafe { free(position) }
}
