//! Builds and verifies tables, and looks positions up in tables.

use crate::border::{Failure, PENTAGO_UNKNOWN, free, guarded, lent, make, pentago_status, put, text};
use crate::control::{control, pentago_control};
use crate::position::{cells, game, pentago_position, pentago_rules};
use crate::solution::threads;
use pentago::{Build, Checks, Error, ErrorKind, Lookup, Tablebase, Wdl};
use std::ffi::c_char;

/// The open tables in a folder. Thread-safe.
pub struct pentago_tablebase {
    inner: Tablebase,
}

/// Opens all tables in a folder. Positions are looked up under `rules`. If `rules` is NULL, the
/// rules of the tables are used, or "pentago" if the tables have different rules. `cache` is the
/// size of the cache for decoded blocks in bytes, and 0 stands for 64 MB. `threads` is the number
/// of threads for calls with many boards, and 0 stands for one thread per core.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_open(
    folder: *const c_char,
    rules: *const c_char,
    cache: usize,
    threads: u32,
    out: *mut *mut pentago_tablebase,
) -> pentago_status {
    let open = || {
        // SAFETY: the C caller guarantees that `folder` is null, or a zero-terminated string that
        // stays unchanged during the call.
        let folder = unsafe { text(folder, "folder") }?;
        let mut inner = Tablebase::open_with(folder, Some(cache).filter(|&bytes| bytes > 0))?;
        if !rules.is_null() {
            // SAFETY: `rules` isn't null. The C caller guarantees that it points to a
            // zero-terminated string that stays unchanged during the call.
            inner = inner.with_rules(pentago_rules(&*unsafe { game(rules) }?)?);
        }
        if let Some(threads) = self::threads(threads)? {
            inner = inner.with_threads(threads);
        }
        Ok(pentago_tablebase { inner })
    };
    // SAFETY: the C caller guarantees that `out` is null or valid for writing a handle.
    unsafe { make(out, open) }
}

/// Writes the value of a position for the side to move to `value`: 1 for a win, 0 for a draw, -1
/// for a loss. Returns PENTAGO_STATUS_MISSING if no table contains the position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_probe(
    tablebase: *const pentago_tablebase,
    position: *const pentago_position,
    value: *mut i8,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `tablebase` and `position` are null, or handles that
        // aren't freed during the call.
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
            // SAFETY: the C caller guarantees that `value` is null or valid for writing a number.
            Lookup::Value(wdl) => unsafe { put(value, wdl.number(), "value") },
            Lookup::Missing(missing) => Err(Error::new(ErrorKind::Missing, missing.to_string()).into()),
        }
    })
}

/// Writes the values of `count` boards to `values`. The value of a board that no table contains is
/// PENTAGO_UNKNOWN. `cells` contains 36 numbers per board, or 16 numbers for Mini-Pentago, as in
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
        // SAFETY: the C caller guarantees that `tablebase` and `control` are null, or handles that
        // aren't freed during the call.
        let (tablebase, control) = unsafe { (&lent(tablebase, "tablebase")?.inner, self::control(control)) };
        let sockets = tablebase.rules().shape.sockets();
        let all = count.checked_mul(sockets);
        let all = all.ok_or_else(|| Failure::input("count is too large"))?;
        // SAFETY: the C caller guarantees that `cells` is null, or refers to one number for each
        // socket of each board. The numbers stay unchanged during the call.
        let cells = unsafe { self::cells(cells, all) }?;
        if values.is_null() && count > 0 {
            return Err(Failure::input("values is NULL"));
        }
        let found = tablebase.probe_many(&tablebase.read_cells(cells)?, &control)?;
        for (at, value) in found.into_iter().enumerate() {
            // SAFETY: the C caller guarantees that `values` is valid for writing `count` numbers,
            // and `at` is less than `count`, the length of `found`.
            unsafe { values.add(at).write(value.map_or(PENTAGO_UNKNOWN, Wdl::number)) };
        }
        Ok(())
    })
}

/// Verifies the checksums of all tables. Also compares the values of `sample` random positions with
/// the values of their moves and with the solver. `seed` determines the positions. Returns
/// PENTAGO_STATUS_MISSING if a table is damaged, and PENTAGO_STATUS_CONTRADICTION if a value is
/// wrong. `control` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_verify(
    tablebase: *const pentago_tablebase,
    sample: u64,
    seed: u64,
    control: *const pentago_control,
) -> pentago_status {
    guarded(|| {
        // SAFETY: the C caller guarantees that `tablebase` and `control` are null, or handles that
        // aren't freed during the call.
        let (tablebase, control) = unsafe { (lent(tablebase, "tablebase")?, self::control(control)) };
        let checks = Checks { sample, seed, ..Checks::default() };
        tablebase.inner.verify(&checks, &control)?;
        Ok(())
    })
}

/// Closes a tablebase, and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pentago_tablebase_free(tablebase: *mut *mut pentago_tablebase) {
    // SAFETY: the C caller guarantees that `tablebase` is null, or points to a handle that no other
    // thread uses.
    unsafe { free(tablebase) }
}

/// Converts the number of marbles of the last slice to keep. Returns `None` if the number is
/// negative.
fn keep(marbles: i32) -> Result<Option<u8>, Failure> {
    let marbles = (marbles >= 0).then(|| u8::try_from(marbles));
    marbles.transpose().map_err(|_| Failure::input("keep must be at most 255"))
}

/// Runs a build of tables. If `memory` or `threads` is 0, the default is used.
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

/// Builds the tables of all positions below `root` in a folder. `keep` is the number of marbles of
/// the last slice that is kept. If `keep` is -1, all slices are kept whose positions are slow to
/// solve on demand. `memory` is the memory limit in bytes, and 0 stands for 4 GB. `threads` is the
/// number of threads, and 0 stands for one thread per core. `control` may be NULL. If a build was
/// stopped, the same call resumes it.
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
        // SAFETY: the C caller guarantees that `root` is null or a handle that isn't freed during
        // the call, and that `folder` is null or a zero-terminated string that stays unchanged
        // during the call.
        let (root, folder) = unsafe { (lent(root, "root")?, text(folder, "folder")?) };
        // SAFETY: the C caller guarantees that `control` is null, or a handle that isn't freed
        // during the call.
        let control = unsafe { self::control(control) };
        let (rules, root) = root.pentago()?;
        let build = Build::root(rules, root).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::keep), memory, threads, folder)
    })
}

/// Builds the tables of a whole game in a folder. Only slices with at least `keep` marbles are
/// kept. If `keep` is -1, all slices are kept. `rules` is a string such as "mini". `memory`,
/// `threads` and `control` have the same meaning as in pentago_build_root().
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
        // SAFETY: the C caller guarantees that `rules` and `folder` are null, or zero-terminated
        // strings that stay unchanged during the call.
        let (game, folder) = unsafe { (game(rules)?, text(folder, "folder")?) };
        // SAFETY: the C caller guarantees that `control` is null, or a handle that isn't freed
        // during the call.
        let control = unsafe { self::control(control) };
        let build = Build::game(pentago_rules(&*game)?).control(control);
        run(self::keep(keep)?.into_iter().fold(build, Build::keep), memory, threads, folder)
    })
}
