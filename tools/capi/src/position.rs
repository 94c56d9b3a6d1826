//! Positions, moves, and boards as numbers.

use crate::border::{Failure, free, guarded, lent, make, pentago_status, put, put_text, text};
use pentago_games::{Game, Position, read_rules};
use std::ffi::c_char;
use std::sync::Arc;

/// An immutable board with the side to move, under some rules. Thread-safe.
#[derive(Clone)]
pub struct pentago_position {
    /// The game, with its rules.
    pub(crate) game: Arc<dyn Game>,
    /// The position, in the representation of the game.
    pub(crate) inner: Position,
}

impl pentago_position {
    /// Returns the rules and the position in the representation of the tables of Pentago.
    pub(crate) fn pentago(&self) -> Result<(pentago::Rules, pentago::Position), Failure> {
        let rules = pentago_rules(&*self.game)?;
        Ok((rules, *self.inner.parsed()?))
    }
}

/// Returns the game for the caller's rules, or Pentago for null.
///
/// # Safety
/// The pointer is null, or points to a zero-terminated string that isn't changed or freed during
/// the call.
pub unsafe fn game(pointer: *const c_char) -> Result<Arc<dyn Game>, Failure> {
    if pointer.is_null() {
        return Ok(read_rules("pentago")?);
    }
    // SAFETY: the pointer isn't null, and the caller guarantees a zero-terminated, unchanged
    // string.
    Ok(read_rules(unsafe { text(pointer, "rules") }?)?)
}

/// Returns the rules of a game of Pentago or Mini-Pentago. Another game is an error.
pub fn pentago_rules(game: &dyn Game) -> Result<pentago::Rules, Failure> {
    game.rules().parse().map_err(|_| {
        let title = game.kind().title;
        Failure::input(format!("{title} is not supported here, only Pentago and Mini-Pentago are"))
    })
}

/// Returns the caller's array of cells. A null pointer is an error unless `count` is 0.
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
    // SAFETY: the pointer isn't null, the size fits into isize, and the caller guarantees `count`
    // unchanged numbers.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Parses a position such as "6/6/6/6/6/6 x": rows from the top, with digits for runs of empty
/// sockets, then the side to move. `rules` is a string such as "pentago-fi", "mini", "xl:seats=4"
/// or "pente:n=5,k=4,opening=free". NULL stands for "pentago".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_parse(
    position: *const c_char,
    rules: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the header requires null or zero-terminated strings.
        let (game, position) = unsafe { (self::game(rules)?, text(position, "position")?) };
        let inner = game.read(position)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, read) }
}

/// Creates a position from `count` sockets, 36 for Pentago, row by row from the top. 0 is an empty
/// socket, 1 a marble of the first seat (X), 2 a marble of the second (O). If `pending` is not 0,
/// the marble of a move has been placed and its turn is pending.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_from_cells(
    cells: *const i8,
    count: usize,
    rules: *const c_char,
    pending: i32,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the header requires null or `count` numbers, and a zero-terminated string.
        let (cells, game) = unsafe { (self::cells(cells, count)?, self::game(rules)?) };
        let inner = game.from_cells(cells, pending != 0)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, read) }
}

/// Writes the sockets of a position to `cells`, an array of at least one number per socket: 36 for
/// Pentago. `capacity` is the length of the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_cells(
    position: *const pentago_position,
    cells: *mut i8,
    capacity: usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
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
            // SAFETY: the header requires an array of `capacity` numbers, and
            // `at < sockets <= capacity`.
            unsafe { cells.add(at).write(number) };
        }
        Ok(())
    })
}

/// Writes a position as a zero-terminated string to `buffer` of `capacity` bytes; 512 always
/// suffice. Writes the length without the zero to `length`. Either `buffer` or `length` may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_text(
    position: *const pentago_position,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let position = &unsafe { lent(position, "position") }?.inner;
        // SAFETY: the header requires null or `capacity` bytes.
        unsafe { put_text(&position.text, buffer, capacity, length) }
    })
}

/// Creates the position after a move such as "c4/2+".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_play(
    position: *const pentago_position,
    mv: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let play = || {
        // SAFETY: the header requires null or a handle that isn't freed during the call, and a
        // string.
        let (position, mv) = unsafe { (lent(position, "position")?, text(mv, "move")?) };
        let inner = position.game.play(&position.inner, mv)?;
        Ok(pentago_position { inner, ..position.clone() })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, play) }
}

/// Creates the least of all positions that are symmetric to this one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_canonical(
    position: *const pentago_position,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let canonical = || {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let position = unsafe { lent(position, "position") }?;
        let orbits = position.game.symmetries(&position.inner);
        let orbit = orbits.first().ok_or_else(|| Failure::input("the game has no known symmetries"))?;
        Ok(pentago_position { inner: position.game.read(&orbit.canonical)?, ..position.clone() })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, canonical) }
}

/// Returns the number of marbles, or 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_marbles(position: *const pentago_position) -> u32 {
    // SAFETY: the header requires null or a handle that isn't freed during the call.
    unsafe { position.as_ref() }.map_or(0, |position| position.inner.marbles as u32)
}

/// Writes the seat to move to `out`: 'x' or 'o', or 'a' to 'd' in Pentago XL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_to_move(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let side = unsafe { lent(position, "position") }?.inner.to_move;
        // SAFETY: the header requires null or a valid pointer for writing a character.
        unsafe { put(out, side as c_char, "out") }
    })
}

/// Writes the outcome of the game to `out`: the winning seat, such as 'x' or 'o' (the first of
/// partners), '=' for a draw, or 0 if the game isn't over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_outcome(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let position = unsafe { lent(position, "position") }?;
        let ending = position.inner.over.as_ref();
        let outcome = ending.map_or('\0', |ending| ending.winners.chars().next().unwrap_or('='));
        // SAFETY: the header requires null or a valid pointer for writing a character.
        unsafe { put(out, outcome as c_char, "out") }
    })
}

/// Frees a position and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_free(position: *mut *mut pentago_position) {
    // SAFETY: the header requires null or a handle that no other thread uses.
    unsafe { free(position) }
}
