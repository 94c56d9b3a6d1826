//! Where the tables are.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use pentago::answer::{Missing, Origin, Unknown, Unsolved};
use pentago::probe::Tables;
use pentago::rules::Rules;
use pentago::tables::Access;

use crate::exit::{bad_input, missing_data};
use crate::output::note;

/// The environment variable that names the folder of tables.
pub const TABLES_VARIABLE: &str = "PENTAGO_TABLES";

/// The folder of tables: `given`, or `$PENTAGO_TABLES`, or `pentago` in the user's data folder
/// (`$XDG_DATA_HOME` or `~/.local/share`, `~/Library/Application Support`, `%LOCALAPPDATA%`).
///
/// # Errors
/// If none was given and the user has no home folder.
pub fn tables(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    if let Some(folder) = std::env::var_os(TABLES_VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(folder.into());
    }
    let folders = choose_native_strategy().map_err(|_| {
        bad_input(format!("no folder of tables: name one, or set the variable {TABLES_VARIABLE}"))
    })?;
    // On Windows the data folder is copied between the user's machines: tables are too large for
    // that.
    let data = if cfg!(windows) { folders.cache_dir() } else { folders.data_dir() };
    Ok(data.join("pentago"))
}

/// Decoded blocks that are kept: a few positions with all their moves.
const CACHE_BYTES: usize = 64 << 20;

/// Opens a folder of tables. Damaged and unfinished tables are noted on standard error, unless
/// `quiet`.
///
/// # Errors
/// If it isn't there, can't be read, or holds no table.
pub fn open(path: &Path, quiet: bool) -> anyhow::Result<Tables> {
    let tables = look(path, quiet)?;
    not_empty(&tables)?;
    Ok(tables)
}

/// Checks that a folder of tables is there.
///
/// # Errors
/// If it isn't.
pub fn exists(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = path.display();
    Err(missing_data(format!(
        "there is no folder {folder}: build tables with `pentago build TARGET --out {folder}`, or name \
         another folder"
    ))
    .into())
}

/// The same as [`open`] for a folder that may hold tables of other games only.
///
/// # Errors
/// If it isn't there, or can't be read.
pub fn look(path: &Path, quiet: bool) -> anyhow::Result<Tables> {
    exists(path)?;
    let tables = Tables::open(path, Access::Map, CACHE_BYTES)?;
    if !quiet {
        for error in tables.damaged() {
            note(format_args!("skipped: {error}"));
        }
        if let Some(first) = tables.unfinished().first() {
            note(format_args!(
                "unfinished: {} (run the same `pentago build` again to continue it)",
                first.display()
            ));
        }
    }
    Ok(tables)
}

/// Checks that there is a table.
///
/// # Errors
/// If there is none.
pub fn not_empty(tables: &Tables) -> anyhow::Result<()> {
    let folder = tables.path().display();
    if tables.families().is_empty()
        && let Some(error) = tables.damaged().first()
    {
        return Err(missing_data(format!("no usable tables in {folder}: {error}")).into());
    }
    if tables.families().is_empty() {
        return Err(missing_data(format!(
            "there are no finished tables in {folder}: build some with `pentago build TARGET --out {folder}`"
        ))
        .into());
    }
    Ok(())
}

/// The tables of a folder, and the published values of the first plies. Without a name, the user's
/// own folder need not have any tables, nor need one with tables of other games, which `others`
/// tells.
///
/// # Errors
/// As for [`open`].
pub fn with_openings(
    given: Option<&Path>,
    others: impl FnOnce(&Path) -> anyhow::Result<bool>,
    quiet: bool,
) -> anyhow::Result<Tables> {
    let named = given.is_some() || std::env::var_os(TABLES_VARIABLE).is_some_and(|value| !value.is_empty());
    let tables = match tables(given) {
        Ok(path) if named || holds_any(&path) => {
            let tables = look(&path, quiet)?;
            if !others(&path)? {
                not_empty(&tables)?;
            }
            tables
        }
        Err(error) if named => return Err(error),
        _ => Tables::none(),
    };
    Ok(tables.with_openings()?)
}

/// Whether there is something in a folder.
fn holds_any(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
}

/// The message for a position whose value can't be found, with what to do about it.
pub fn nothing_known(tables: &Tables, rules: &Rules, unknown: &Unknown) -> String {
    let folder = tables.path().display();
    let hint = match &unknown.missing {
        Some(Missing::Rules(_)) if !tables.path().as_os_str().is_empty() => {
            let mut there: Vec<String> = tables
                .families()
                .iter()
                .filter(|f| *f.origin() == Origin::Table)
                .map(|f| f.target().rules.to_string())
                .collect();
            there.dedup();
            format!("the tables in {folder} are for {}", there.join(", "))
        }
        _ if tables.path().as_os_str().is_empty() => "`pentago build` builds tables".to_owned(),
        _ => format!("`pentago info {folder}` lists the tables, `pentago build` builds more"),
    };
    let memory = match unknown.unsolved {
        Unsolved::Memory { .. } => "; allow more memory with --memory",
        _ => "",
    };
    format!("no value is known for this position under {rules}: {unknown}\n  {hint}{memory}")
}
