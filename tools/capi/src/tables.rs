//! Builds, probes and verifies tables.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put, text};
use crate::control::{control, pentago_control};
use crate::position::{cells, game, pentago_position, pentago_rules};
use crate::solution::threads;
use pentago::{Access, Build, Checks, Error, ErrorKind, Lookup, Tablebase, Wdl};
use std::ffi::c_char;

/// The open tables of a folder. Thread-safe.
pub struct pentago_tablebase {
    inner: Tablebase,
}

/// Opens all tables of a folder. Positions are looked up under `rules`. NULL stands for the rules
/// of the tables if these agree, otherwise for "pentago". `cache` is the size of the cache for
/// decoded blocks in bytes; 0 stands for 64 MB. `threads` is the number of threads for calls with
/// many boards; 0 stands for one per core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_open(
    folder: *const c_char,
    rules: *const c_char,
    cache: usize,
    threads: u32,
    out: *mut *mut pentago_tablebase,
) -> pentago_status {
    let open = || {
        // SAFETY: the header requires null or a zero-terminated string.
        let folder = unsafe { text(folder, "folder") }?;
        // Read files instead of mapping them: access to a mapped file that was truncated kills the
        // process.
        let mut inner = Tablebase::open_with(folder, Access::Read, Some(cache).filter(|&bytes| bytes > 0))?;
        if !rules.is_null() {
            // SAFETY: the pointer isn't null, and the header requires a zero-terminated string.
            inner = inner.with_rules(pentago_rules(&*unsafe { game(rules) }?)?);
        }
        if let Some(threads) = self::threads(threads)? {
            inner = inner.with_threads(threads);
        }
        Ok(pentago_tablebase { inner })
    };
    // SAFETY: the header requires null or a valid pointer for writing a handle.
    unsafe { make(out, open) }
}

/// Writes the value of a position for the side to move to `value`: 1 for a win, 0 for a draw, -1
/// for a loss. Returns PENTAGO_STATUS_MISSING if no table holds the position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_probe(
    tablebase: *const pentago_tablebase,
    position: *const pentago_position,
    value: *mut i8,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or handles that aren't freed during the call.
        let (tablebase, position) = unsafe { (lent(tablebase, "tablebase")?, lent(position, "position")?) };
        let (rules, position) = position.pentago()?;
        if rules != tablebase.inner.rules() {
            let (of_position, of_tables) = (rules, tablebase.inner.rules());
            return Err(Failure::input(format!(
                "the position is played by the rules {of_position}, but the tablebase was opened for \
                 {of_tables}"
            )));
        }
        match tablebase.inner.look_up(&position)? {
            // SAFETY: the header requires null or a valid pointer for writing a number.
            Lookup::Value(wdl) => unsafe { put(value, wdl.number(), "value") },
            Lookup::Missing(missing) => Err(Error::new(ErrorKind::Missing, missing.to_string()).into()),
        }
    })
}

/// Writes the values of `count` boards to `values`, with PENTAGO_UNKNOWN for a board that no table
/// holds. `cells` has 36 numbers for each board, or 16 for Mini-Pentago, as in
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
        // SAFETY: the header requires null or handles that aren't freed during the call.
        let (tablebase, control) = unsafe { (&lent(tablebase, "tablebase")?.inner, self::control(control)) };
        let sockets = tablebase.rules().shape.sockets();
        let all = count.checked_mul(sockets);
        let all = all.ok_or_else(|| Failure::input("count is too large"))?;
        // SAFETY: the header requires null or one number per socket of each board.
        let cells = unsafe { self::cells(cells, all) }?;
        if values.is_null() && count > 0 {
            return Err(Failure::input("values is NULL"));
        }
        let found = tablebase.probe_many(&tablebase.read_cells(cells)?, &control)?;
        for (at, value) in found.into_iter().enumerate() {
            // SAFETY: the header requires an array of `count` numbers, and `found` has `count`
            // values.
            unsafe { values.add(at).write(value.map_or(PENTAGO_UNKNOWN, Wdl::number)) };
        }
        Ok(())
    })
}

/// Verifies the checksums of all tables, and compares `sample` random values, drawn by `seed`, with
/// the values of their moves and with the solver. Returns PENTAGO_STATUS_MISSING for a damaged
/// table, and PENTAGO_STATUS_CONTRADICTION for a wrong value. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_verify(
    tablebase: *const pentago_tablebase,
    sample: u64,
    seed: u64,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the header requires null or handles that aren't freed during the call.
        let (tablebase, control) = unsafe { (lent(tablebase, "tablebase")?, self::control(control)) };
        let checks = Checks { sample, seed, ..Checks::default() };
        tablebase.inner.verify(&checks, &control)?;
        Ok(())
    })
}

/// Closes a tablebase and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_free(tablebase: *mut *mut pentago_tablebase) {
    // SAFETY: the header requires null or a handle that no other thread uses.
    unsafe { free(tablebase) }
}

/// Checks the number of marbles of the last slice to keep. Returns `None` for a negative number.
fn keep(marbles: i32) -> Result<Option<u8>, Failure> {
    let marbles = (marbles >= 0).then(|| u8::try_from(marbles));
    marbles.transpose().map_err(|_| Failure::input("keep must be at most 255"))
}

/// Runs a build below a position or of a whole game. 0 stands for the default memory and threads.
fn run(mut build: Build, memory: u64, threads: u32, folder: &str) -> Result<(), Failure> {
    if memory > 0 {
        build = build.memory(memory);
    }
    if let Some(threads) = self::threads(threads)? {
        build = build.threads(threads);
    }
    build.run(folder)?;
    Ok(())
}

/// Builds the tables of all positions below a position in a folder. `keep` is the number of marbles
/// of the last slice to keep; -1 keeps all slices whose positions are slow to solve on demand.
/// `memory` is the limit in bytes; 0 stands for 4 GB. `threads` is the number of threads; 0 stands
/// for one per core. `control` may be NULL. The same call resumes a stopped build.
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
        // SAFETY: the header requires null or handles that aren't freed during the call, and a
        // string.
        let (root, folder) = unsafe { (lent(root, "root")?, text(folder, "folder")?) };
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let control = unsafe { self::control(control) };
        let (rules, root) = root.pentago()?;
        let build = Build::root(rules, root).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::keep), memory, threads, folder)
    })
}

/// Builds the tables of a whole game in a folder: the slices with at least `keep` marbles, or all
/// slices for -1. `rules` is a string such as "mini". `memory`, `threads` and `control` have the
/// meaning of pentago_build_root().
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
        // SAFETY: the header requires null or zero-terminated strings.
        let (game, folder) = unsafe { (game(rules)?, text(folder, "folder")?) };
        // SAFETY: the header requires null or a handle that isn't freed during the call.
        let control = unsafe { self::control(control) };
        let build = Build::game(pentago_rules(&*game)?).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::keep), memory, threads, folder)
    })
}
