//! Positions, moves, and boards as numbers.

use crate::border::{Failure, free, guarded, lent, make, pentago_status, put, put_text, text};
use pentago::Group;
use pentago::{Color, Outcome, Position, Rules};
use std::ffi::c_char;

/// A board with the side to move, under some rules. It never changes: safe in any thread.
#[derive(Clone, Copy)]
pub struct pentago_position {
    /// The rules that it is played by.
    pub(crate) rules: Rules,
    /// The position.
    pub(crate) inner: Position,
}

/// The rules of a text of the caller; Pentago's for null.
///
/// # Safety
/// It is null, or points to a text that ends with a zero and isn't changed during the call.
pub unsafe fn rules(pointer: *const c_char) -> Result<Rules, Failure> {
    if pointer.is_null() {
        return Ok(Rules::default());
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { text(pointer, "rules") }?.parse()?)
}

/// The cells that a caller points to.
///
/// # Safety
/// It is null, or points to `count` numbers that aren't changed during the call.
pub unsafe fn cells<'a>(pointer: *const i8, count: usize) -> Result<&'a [i8], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::input("cells is NULL"));
    }
    if isize::try_from(count).is_err() {
        return Err(Failure::input("there can't be so many cells"));
    }
    // SAFETY: not null, not too many, and as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Reads a position, such as "6/6/6/6/6/6 x": rows from the top, with digits for runs of empty
/// sockets, and the side to move. `rules` is their text, such as "pentago-fi" or "mini"; NULL stands
/// for "pentago".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_parse(
    position: *const c_char,
    rules: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the header asks for null or texts that end with a zero.
        let (rules, position) = unsafe { (self::rules(rules)?, text(position, "position")?) };
        Ok(pentago_position { rules, inner: rules.parse_position(position)? })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, read) }
}

/// The position with `count` sockets, 36, or 16 by the rules of Mini-Pentago, row by row from the
/// top: 0 is empty, 1 holds a marble of X, 2 one of O. With `pending` other than 0 the marble of a
/// move has been placed and its turn is still to come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_from_cells(
    cells: *const i8,
    count: usize,
    rules: *const c_char,
    pending: i32,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the header asks for null or `count` numbers, and a text that ends with a zero.
        let (cells, rules) = unsafe { (self::cells(cells, count)?, self::rules(rules)?) };
        let inner = Position::from_cells(rules.shape, cells, pending != 0)?;
        Ok(pentago_position { rules, inner })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, read) }
}

/// Writes the sockets of a position to `cells`, which has room for `capacity` numbers: 36, or 16 by
/// the rules of Mini-Pentago.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_cells(
    position: *const pentago_position,
    cells: *mut i8,
    capacity: usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?.inner;
        let (sockets, numbers) = (position.shape().sockets(), position.cells());
        if cells.is_null() {
            return Err(Failure::input("cells is NULL"));
        }
        if capacity < sockets {
            let text = format!("there is room for {capacity} cells, but the board has {sockets} sockets");
            return Err(Failure::input(text));
        }
        for (at, number) in numbers.enumerate() {
            // SAFETY: there is room for as many numbers as the board has sockets.
            unsafe { cells.add(at).write(number) };
        }
        Ok(())
    })
}

/// Writes the text of a position to `buffer`, which has room for `capacity` bytes (64 always
/// suffice), and its length without the zero at its end to `length`. `buffer` may be NULL to ask for
/// the length, `length` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_text(
    position: *const pentago_position,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?.inner;
        // SAFETY: the header asks for null or `capacity` bytes.
        unsafe { put_text(&position.to_string(), buffer, capacity, length) }
    })
}

/// The position after a move such as "c4/2+", as a new handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_play(
    position: *const pentago_position,
    mv: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let play = || {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile, and for a text.
        let (position, mv) = unsafe { (lent(position, "position")?, text(mv, "move")?) };
        let mv = position.rules.parse_move(mv)?;
        let played = position.rules.play(&position.inner, mv)?;
        Ok(pentago_position { inner: played.position, ..*position })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, play) }
}

/// The least of the positions that are symmetric to this one, as a new handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_canonical(
    position: *const pentago_position,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let canonical = || {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?;
        let group = Group::whole_board(position.rules.dir);
        Ok(pentago_position { inner: position.inner.canonical(group), ..*position })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, canonical) }
}

/// The number of marbles; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_marbles(position: *const pentago_position) -> u32 {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { position.as_ref() }.map_or(0, |position| position.inner.marbles())
}

/// Writes 'x' or 'o', the side to move, to `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_to_move(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let side = unsafe { lent(position, "position") }?.inner.to_move();
        // SAFETY: the header asks for null or room for one character.
        unsafe { put(out, letter(side), "out") }
    })
}

/// Writes how the game has ended to `out`: 'x' or 'o' for who has won, 'd' for a draw, 0 if it isn't
/// over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_outcome(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?;
        let outcome = match position.rules.outcome(&position.inner) {
            None => 0,
            Some(Outcome::Draw) => b'd' as c_char,
            Some(Outcome::Win(side)) => letter(side),
        };
        // SAFETY: the header asks for null or room for one character.
        unsafe { put(out, outcome, "out") }
    })
}

fn letter(side: Color) -> c_char {
    match side {
        Color::X => b'x' as c_char,
        Color::O => b'o' as c_char,
    }
}

/// Frees a position and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_free(position: *mut *mut pentago_position) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(position) }
}
