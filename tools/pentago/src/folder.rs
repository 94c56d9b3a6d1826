//! Where the tables are.

use std::path::{Path, PathBuf};

use crate::exit::BadInput;

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
    let missing = || BadInput(format!("which folder of tables? Name one, or set {TABLES_VARIABLE}"));
    Ok(folder.ok_or_else(missing)?)
}
