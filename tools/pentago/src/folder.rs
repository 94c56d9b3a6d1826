//! Where the tables are.

use std::path::{Path, PathBuf};

use pentago::answer::{Missing, Unknown, Unsolved};
use pentago::probe::{ProbeError, Tablebase};
use pentago::rules::Rules;
use pentago::tables::Access;

use crate::exit::{bad_input, missing_data};
use crate::output::note;

/// The environment variable that names the folder of tables.
pub const TABLES_VARIABLE: &str = "PENTAGO_TABLES";

/// The folder of tables: the one that was given, or that of the environment, or the user's data folder.
///
/// # Errors
/// If none was given and the user has no data folder.
pub fn tables(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable(TABLES_VARIABLE)
        .or_else(|| variable("XDG_DATA_HOME").map(|data| data.join("pentago")))
        .or_else(|| variable("HOME").map(|home| home.join(".local/share/pentago")))
        .or_else(|| variable("LOCALAPPDATA").map(|data| data.join("pentago")));
    let missing = || bad_input(format!("which folder of tables? Name one, or set {TABLES_VARIABLE}"));
    Ok(folder.ok_or_else(missing)?)
}

/// Decoded blocks that are kept: a few positions with all their moves.
const CACHE_BYTES: usize = 64 << 20;

/// Opens a folder of tables. What is damaged or unfinished in it is noted on standard error, unless `quiet`.
///
/// # Errors
/// If it isn't there, can't be read, or holds no table.
pub fn open(path: &Path, quiet: bool) -> anyhow::Result<Tablebase> {
    let folder = path.display();
    if !path.exists() {
        return Err(missing_data(format!(
            "there is no folder {folder}: build tables with `pentago build TARGET --out {folder}`, or name another folder"
        ))
        .into());
    }
    let tables = Tablebase::open(path, Access::Map, CACHE_BYTES)?;
    if !quiet {
        for error in tables.damaged() {
            note(format_args!("passed over: {error}"));
        }
        if let Some(first) = tables.unfinished().first() {
            note(format_args!(
                "unfinished: {} (build it again: that goes on where it stopped)",
                first.display()
            ));
        }
    }
    if tables.families().is_empty()
        && let Some(error) = tables.damaged().first()
    {
        return Err(missing_data(format!("there are no tables in {folder} that can be used: {error}")).into());
    }
    if tables.families().is_empty() {
        return Err(missing_data(format!(
            "there are no finished tables in {folder}: build some with `pentago build TARGET --out {folder}`"
        ))
        .into());
    }
    Ok(tables)
}

/// The error of a probe as one of the program.
pub fn error(error: ProbeError<anyhow::Error>) -> anyhow::Error {
    match error {
        ProbeError::Table(error) => error.into(),
        ProbeError::Contradiction(error) => error.into(),
        ProbeError::Solve(error) => error,
    }
}

/// What is said of a position of which nothing is known.
pub fn nothing_known(tables: &Tablebase, rules: &Rules, unknown: &Unknown) -> String {
    let folder = tables.path().display();
    let hint = match &unknown.missing {
        Some(Missing::Rules(_)) => {
            let mut there: Vec<String> =
                tables.families().iter().map(|f| f.target().rules.to_string()).collect();
            there.dedup();
            format!("the tables in {folder} are for {}", there.join(", "))
        }
        _ => format!("`pentago info {folder}` says what there is, `pentago build` builds more"),
    };
    let memory = match unknown.unsolved {
        Unsolved::Memory { .. } => "; more memory can be allowed with --memory",
        _ => "",
    };
    format!("nothing is known of this position under {rules}: {unknown}\n  {hint}{memory}")
}
