//! Tables: built, probed, verified.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put, text};
use crate::control::{control, pentago_control};
use crate::position::{cells, game, pentago_position, pentago_rules};
use crate::solution::threads;
use pentago::{Access, Build, Buildable, Checks, Error, ErrorKind, Lookup, Tablebase, Wdl};
use std::ffi::c_char;

/// An open folder of tables. Thread-safe.
pub struct pentago_tablebase {
    inner: Tablebase,
}

/// Opens all tables of a folder. `rules` is the text of the rules that positions are looked up
/// under; for NULL they are those of the tables, if these are all of one kind, or else "pentago".
/// `cache` is the bytes of decoded blocks to keep, 0 for 64 MB; `threads` how many work on many
/// boards, 0 for one per processor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_open(
    folder: *const c_char,
    rules: *const c_char,
    cache: usize,
    threads: u32,
    out: *mut *mut pentago_tablebase,
) -> pentago_status {
    let open = || {
        // SAFETY: the header asks for null or a text that ends with a zero.
        let folder = unsafe { text(folder, "folder") }?;
        // Files are read, not mapped: a mapped file that is cut short ends the process.
        let mut builder = Tablebase::builder().access(Access::Read);
        if !rules.is_null() {
            // SAFETY: as before.
            builder = builder.rules(pentago_rules(&*unsafe { game(rules) }?)?);
        }
        if cache > 0 {
            builder = builder.cache(cache);
        }
        if let Some(threads) = self::threads(threads)? {
            builder = builder.threads(threads);
        }
        Ok(pentago_tablebase { inner: builder.open(folder)? })
    };
    // SAFETY: the header asks for null or room for a handle.
    unsafe { make(out, open) }
}

/// Writes the value of a position for the side to move to `value`: 1 for a win, 0 for a draw, -1 for
/// a loss. It ends with PENTAGO_STATUS_MISSING if no table holds it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_probe(
    tablebase: *const pentago_tablebase,
    position: *const pentago_position,
    value: *mut i8,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or handles that aren't freed meanwhile.
        let (tablebase, position) = unsafe { (lent(tablebase, "tablebase")?, lent(position, "position")?) };
        let (rules, position) = position.pentago()?;
        if rules != tablebase.inner.rules() {
            let (of_position, of_tables) = (rules, tablebase.inner.rules());
            return Err(Failure::input(format!(
                "the position is played by the rules {of_position}, but the tablebase was opened for \
                 {of_tables}"
            )));
        }
        let wdl = match tablebase.inner.look_up(&position)? {
            Lookup::Value(wdl) => wdl,
            Lookup::Missing(missing) => {
                return Err(Error::new(ErrorKind::Missing, missing.to_string()).into());
            }
        };
        // SAFETY: the header asks for null or room for one number.
        unsafe { put(value, wdl.number(), "value") }
    })
}

/// Writes the values of `count` boards to `values`, PENTAGO_UNKNOWN where no table holds a board.
/// `cells` has 36 numbers for each board, or 16 by the rules of Mini-Pentago, as for
/// pentago_position_from_cells(). `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_probe_many(
    tablebase: *const pentago_tablebase,
    cells: *const i8,
    count: usize,
    values: *mut i8,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or handles that aren't freed meanwhile.
        let (tablebase, control) = unsafe { (&lent(tablebase, "tablebase")?.inner, self::control(control)) };
        let sockets = tablebase.rules().shape.sockets();
        let all = count.checked_mul(sockets);
        let all = all.ok_or_else(|| Failure::input("there can't be so many boards"))?;
        // SAFETY: the header asks for null or numbers for all boards.
        let cells = unsafe { self::cells(cells, all) }?;
        if values.is_null() && count > 0 {
            return Err(Failure::input("values is NULL"));
        }
        let found = tablebase.probe_many(&tablebase.read_cells(cells)?, &control)?;
        for (at, value) in found.into_iter().enumerate() {
            // SAFETY: the header asks for room for `count` numbers, and there are as many values.
            unsafe { values.add(at).write(value.map_or(PENTAGO_UNKNOWN, Wdl::number)) };
        }
        Ok(())
    })
}

/// Compares the checksums of all tables, and `sample` random values with those of their moves and
/// with the solver. It ends with PENTAGO_STATUS_MISSING for a damaged table,
/// PENTAGO_STATUS_CONTRADICTION for a wrong value. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_verify(
    tablebase: *const pentago_tablebase,
    sample: u64,
    seed: u64,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or handles that aren't freed meanwhile.
        let (tablebase, control) = unsafe { (lent(tablebase, "tablebase")?, self::control(control)) };
        let checks = Checks { sample, seed, ..Checks::default() };
        tablebase.inner.verify(&checks, &control)?;
        Ok(())
    })
}

/// Closes a tablebase and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_free(tablebase: *mut *mut pentago_tablebase) {
    // SAFETY: the header asks for null or a handle that no other thread uses.
    unsafe { free(tablebase) }
}

/// The marbles of the last slice that is kept, unless that is left to the build.
fn keep(marbles: i32) -> Result<Option<u8>, Failure> {
    let marbles = (marbles >= 0).then(|| u8::try_from(marbles));
    marbles.transpose().map_err(|_| Failure::input("keep is too large"))
}

/// A build of a whole game, or of what is below a position.
fn run<T: Buildable>(mut build: Build<T>, memory: u64, threads: u32, folder: &str) -> Result<(), Failure> {
    if memory > 0 {
        build = build.memory(memory);
    }
    if let Some(threads) = self::threads(threads)? {
        build = build.threads(threads);
    }
    build.run(folder)?;
    Ok(())
}

/// Builds the tables of everything below a position in a folder. `keep` is the marbles of the last
/// slice that is kept, -1 for as far as positions are slow to solve on demand; `memory` the bytes
/// that it may take, 0 for 4 GB; `threads` 0 for one per processor. `control` may be NULL. A build
/// that was stopped is continued by the same call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_build_root(
    root: *const pentago_position,
    folder: *const c_char,
    keep: i32,
    memory: u64,
    threads: u32,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or handles that aren't freed meanwhile, and for a text.
        let (root, folder) = unsafe { (lent(root, "root")?, text(folder, "folder")?) };
        // SAFETY: as before.
        let control = unsafe { self::control(control) };
        let (rules, root) = root.pentago()?;
        let build = Build::root(rules, root).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::keep), memory, threads, folder)
    })
}

/// Builds the tables of a whole game in a folder: of the slices with `keep` and more marbles, of all
/// for -1. `rules` is the text of its rules, such as "mini"; the rest is as for
/// pentago_build_root().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_build_game(
    rules: *const c_char,
    folder: *const c_char,
    keep: i32,
    memory: u64,
    threads: u32,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header asks for null or texts that end with a zero.
        let (game, folder) = unsafe { (game(rules)?, text(folder, "folder")?) };
        // SAFETY: the header asks for null or a handle that isn't freed meanwhile.
        let control = unsafe { self::control(control) };
        let build = Build::game(pentago_rules(&*game)?).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::down_to), memory, threads, folder)
    })
}
