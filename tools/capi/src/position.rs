//! Positions, moves, and boards as numbers.

use crate::border::{Failure, free, guarded, lent, make, pentago_status, put, put_text, text};
use pentago_games::{Game, Position, read_rules};
use std::ffi::c_char;
use std::sync::Arc;

/// A board with the side to move, under some rules. It never changes: safe in any thread.
#[derive(Clone)]
pub struct pentago_position {
    /// The game with its rules.
    pub(crate) game: Arc<dyn Game>,
    /// The position as that game has read it.
    pub(crate) inner: Position,
}

impl pentago_position {
    /// The rules and the position as tables of Pentago have them.
    pub(crate) fn pentago(&self) -> Result<(pentago::Rules, pentago::Position), Failure> {
        let rules = pentago_rules(&*self.game)?;
        let position = rules.parse_position(&self.inner.text)?;
        Ok((rules, position))
    }
}

/// The game by rules whose text a caller gives; Pentago for null.
///
/// # Safety
/// It is null, or points to a text that ends with a zero and isn't changed during the call.
pub unsafe fn game(pointer: *const c_char) -> Result<Arc<dyn Game>, Failure> {
    if pointer.is_null() {
        return Ok(read_rules("pentago")?);
    }
    // SAFETY: as the caller promises.
    Ok(read_rules(unsafe { text(pointer, "rules") }?)?)
}

/// The rules of a game of Pentago, for tables.
pub fn pentago_rules(game: &dyn Game) -> Result<pentago::Rules, Failure> {
    game.rules().parse().map_err(|_| {
        let title = game.kind().title;
        Failure::input(format!("this is for tables of Pentago, not for {title}"))
    })
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
/// sockets, and the side to move. `rules` is their text, such as "pentago-fi", "mini", "xl:seats=4" or
/// "pente:n=5,k=4,opening=free"; NULL stands for "pentago".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_parse(
    position: *const c_char,
    rules: *const c_char,
    out: *mut *mut pentago_position,
) -> pentago_status {
    let read = || {
        // SAFETY: the header asks for null or texts that end with a zero.
        let (game, position) = unsafe { (self::game(rules)?, text(position, "position")?) };
        let inner = game.read(position)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, read) }
}

/// The position with `count` sockets, 36 for Pentago, row by row from the top: 0 is empty, 1 holds a
/// marble of the first seat (X), 2 one of the second (O). With `pending` other than 0 the marble of a
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
        let (cells, game) = unsafe { (self::cells(cells, count)?, self::game(rules)?) };
        let inner = game.from_cells(cells, pending != 0)?;
        Ok(pentago_position { game, inner })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, read) }
}

/// Writes the sockets of a position to `cells`, which has room for `capacity` numbers: as many as the
/// board has sockets, 36 for Pentago.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_cells(
    position: *const pentago_position,
    cells: *mut i8,
    capacity: usize,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?;
        let numbers = position.game.cells(&position.inner);
        let sockets = numbers.len();
        if cells.is_null() {
            return Err(Failure::input("cells is NULL"));
        }
        if capacity < sockets {
            let text = format!("there is room for {capacity} cells, but the board has {sockets} sockets");
            return Err(Failure::input(text));
        }
        for (at, number) in numbers.into_iter().enumerate() {
            // SAFETY: there is room for as many numbers as the board has sockets.
            unsafe { cells.add(at).write(number) };
        }
        Ok(())
    })
}

/// Writes the text of a position to `buffer`, which has room for `capacity` bytes (512 always
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
        let position = &unsafe { lent(position, "position") }?.inner;
        // SAFETY: the header asks for null or `capacity` bytes.
        unsafe { put_text(&position.text, buffer, capacity, length) }
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
        let inner = position.game.play(&position.inner, mv)?;
        Ok(pentago_position { inner, ..position.clone() })
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
        let orbits = position.game.symmetries(&position.inner);
        let orbit = orbits.first().ok_or_else(|| Failure::input("the game has no known symmetries"))?;
        Ok(pentago_position { inner: position.game.read(&orbit.canonical)?, ..position.clone() })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, canonical) }
}

/// The number of marbles; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_marbles(position: *const pentago_position) -> u32 {
    // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
    unsafe { position.as_ref() }.map_or(0, |position| position.inner.marbles as u32)
}

/// Writes the seat to move to `out`: 'x' or 'o', or a letter from 'a' on for Pentago XL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_to_move(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let side = unsafe { lent(position, "position") }?.inner.to_move;
        // SAFETY: the header asks for null or room for one character.
        unsafe { put(out, side as c_char, "out") }
    })
}

/// Writes how the game has ended to `out`: the seat that has won, such as 'x' or 'o' (of partners the
/// first), '=' for a draw, 0 if it isn't over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_outcome(
    position: *const pentago_position,
    out: *mut c_char,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let position = unsafe { lent(position, "position") }?;
        let ending = position.inner.over.as_ref();
        let outcome = ending.map_or('\0', |ending| ending.winners.chars().next().unwrap_or('='));
        // SAFETY: the header asks for null or room for one character.
        unsafe { put(out, outcome as c_char, "out") }
    })
}

/// Frees a position and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_position_free(position: *mut *mut pentago_position) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(position) }
}
