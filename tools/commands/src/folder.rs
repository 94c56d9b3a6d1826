//! The folder of tables: its location, and functions that open the tables in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use pentago::{ErrorKind, Rules};
use pentago_games::{Answer, Question, SearchContext, TableInfo, Tablebase, TargetTables};
use pentago_memory::parse_size;
use pentago_store::storage::read_text;
use pentago_store::{EXTENSION, is_address, shown};

use crate::engine::size_option;
use crate::exit::{bad_input, missing_data};
use crate::games::kinds;
use crate::options::variable;
use crate::output::{check_folder, note, quoted_path, shown_path, write_file};

/// The environment variable that names the folder of tables.
pub const TABLES_VARIABLE: &str = "PENTAGO_TABLES";

/// Returns the folder of tables: `given`, or `$PENTAGO_TABLES`, or `pentago` in the user's data
/// folder (`$XDG_DATA_HOME` or `~/.local/share`, `~/Library/Application Support`,
/// `%LOCALAPPDATA%`).
///
/// # Errors
/// If no folder is named and the user has no home folder.
pub fn tables(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder.to_owned());
    }
    if let Some(folder) = variable(TABLES_VARIABLE) {
        return Ok(folder.into());
    }
    let folders = choose_native_strategy().map_err(|_| {
        bad_input(format!("no folder of tables: name one, or set the variable {TABLES_VARIABLE}"))
    })?;
    // Windows copies the roaming data folder between the user's machines. Tables are too large for
    // that, so use a local folder.
    let data = if cfg!(windows) { folders.cache_dir() } else { folders.data_dir() };
    Ok(data.join("pentago"))
}

/// Returns the folder to write tables to. The folder is chosen in the same way as by [`tables`].
///
/// # Errors
/// If [`tables`] fails, or the folder is an address or a file.
pub fn to_write(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let folder = tables(given)?;
    if folder.as_os_str() == "-" {
        return Err(bad_input("tables are binary files: name a folder"));
    }
    check_folder(&folder)?;
    Ok(folder)
}

/// Says what a table holds if its file has the name of another table.
pub fn other_name(table: &TableInfo) -> Option<String> {
    let (file, holds) = (shown_path(&table.file), table.name());
    let text = || format!("{file} holds the positions with {holds}, unlike its name: rename the file");
    table.has_other_name().then(text)
}

/// The file in the folder of a target that lists the slices of its builds, one file name per line.
const PLAN: &str = ".plan";

/// Adds the tables of a build to the plan in their folder.
///
/// # Errors
/// If the plan can't be read or written.
pub fn add_to_plan(paths: &[PathBuf]) -> anyhow::Result<()> {
    // A slice that isn't kept lies in a folder of its own. Files of counts have another
    // extension.
    let is_kept = |path: &&PathBuf| {
        path.extension().is_some_and(|end| end == EXTENSION)
            && !path.parent().is_some_and(|at| at.ends_with("passing"))
    };
    let kept = || paths.iter().filter(is_kept);
    let Some(folder) = kept().next().and_then(|path| path.parent()) else { return Ok(()) };
    let file = folder.join(PLAN);
    let context = || format!("cannot write {}", shown_path(&file));
    let before = if file.exists() { read_text(&file).with_context(context)? } else { String::new() };
    let names = kept().filter_map(|path| path.file_name()?.to_str());
    let all: BTreeSet<&str> = before.lines().chain(names).collect();
    let text: String = all.into_iter().flat_map(|name| [name, "\n"]).collect();
    if text != before {
        write_file(&file, text.as_bytes())?;
    }
    Ok(())
}

/// Returns the slices that a finished build was to keep in the folder of these tables, as
/// numbers of marbles. The set is empty if the target's slices aren't numbered by marbles. Returns
/// `None` if the folder has no plan.
pub fn planned(tables: &[TableInfo]) -> Option<BTreeSet<u8>> {
    let text = read_text(&tables.first()?.file.parent()?.join(PLAN)).ok()?;
    Some(text.lines().filter_map(|name| name.strip_prefix("slice-")?.get(..2)?.parse().ok()).collect())
}

/// The environment variable that names the folder of the disk cache for remote tables.
pub const CACHE_VARIABLE: &str = "PENTAGO_CACHE";

/// The environment variable with the size limit of the disk cache. The size 0 turns the cache off.
pub const CACHE_SIZE_VARIABLE: &str = "PENTAGO_CACHE_SIZE";

/// The default size limit of the disk cache, in bytes.
const CACHE_SIZE: u64 = 1 << 30;

/// Turns on the disk cache for remote tables: in `$PENTAGO_CACHE`, or in `pentago/hosts` in the
/// user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`).
///
/// # Errors
/// If `$PENTAGO_CACHE_SIZE` is not a valid size.
fn cache_on_disk() -> anyhow::Result<()> {
    let size = match variable(CACHE_SIZE_VARIABLE) {
        Some(text) => parse_size(&text.to_string_lossy())
            .map_err(|error| bad_input(format!("{CACHE_SIZE_VARIABLE}: {error}")))?,
        None => CACHE_SIZE,
    };
    let folder = match variable(CACHE_VARIABLE) {
        _ if size == 0 => return Ok(()),
        Some(folder) => folder.into(),
        // On Windows, this folder lies beside the default folder of tables.
        None => match choose_native_strategy() {
            Ok(folders) => folders.cache_dir().join("pentago").join("hosts"),
            Err(_) => return Ok(()),
        },
    };
    // Only the first call has an effect; every call passes the same folder.
    pentago_store::keep_in(&folder, size);
    Ok(())
}

/// The size of the cache of decoded blocks in bytes: enough for a few positions with all their
/// moves.
const CACHE_BYTES: usize = 64 << 20;

/// Opens the tables in a folder or at an address. Notes damaged and unfinished tables on standard
/// error.
///
/// # Errors
/// If the folder doesn't exist, can't be read, or contains no table.
pub fn open(path: &Path) -> anyhow::Result<Tablebase> {
    let tables = look(Some(path), CACHE_BYTES)?;
    not_empty(&tables)?;
    Ok(tables)
}

/// Opens the tables in a folder or at an address, even if there are none. `cache` is the size of
/// the cache of decoded blocks in bytes. Without a path, only the values built into the program are
/// used.
///
/// # Errors
/// If the folder doesn't exist, or can't be read.
pub fn look(path: Option<&Path>, cache: usize) -> anyhow::Result<Tablebase> {
    path.map(exists).transpose()?;
    let tables = Tablebase::open(kinds(), path, cache)?;
    tables.damaged.iter().for_each(|error| note(format_args!("skipped: {error}")));
    if let Some(first) = tables.unfinished.first() {
        let first = shown_path(first);
        note(format_args!("unfinished: {first} (run the same `pentago build` again to continue it)"));
    }
    Ok(tables)
}

/// Checks that there is at least one table.
///
/// # Errors
/// If there is no table.
pub fn not_empty(tables: &Tablebase) -> anyhow::Result<()> {
    let folder = quoted_path(&tables.path);
    match tables.damaged.first() {
        _ if !tables.is_empty() => Ok(()),
        Some(error) => Err(missing_data(format!("no usable tables in {folder}: {error}"))),
        None => Err(missing_data(format!(
            "there are no finished tables in {folder}: build some with `pentago build TARGET --out {folder}`"
        ))),
    }
}

/// A target, with the descriptions of its tables.
pub type Target<'t> = (&'t dyn TargetTables, Vec<TableInfo>);

/// Lists the targets with their tables.
///
/// # Errors
/// If a table is damaged or can't be read.
pub fn targets(tables: &Tablebase) -> pentago_games::Result<Vec<Target<'_>>> {
    tables.targets().map(|set| Ok((set, set.list()?))).collect()
}

/// Returns the tables of Pentago and Mini-Pentago.
///
/// # Errors
/// If the folder has no such tables.
pub fn of_pentago(tables: &Tablebase) -> anyhow::Result<&pentago::Tablebase> {
    let has_any = tables.targets().any(|target| target.rules().parse::<Rules>().is_ok());
    tables.of().filter(|_| has_any).ok_or_else(|| {
        missing_data("this command reads tables of Pentago and Mini-Pentago: the folder has none")
    })
}

/// Checks that a folder of tables exists, or that an address names a host.
///
/// # Errors
/// If the folder doesn't exist or isn't a folder, or the address is wrong.
pub fn exists(path: &Path) -> anyhow::Result<()> {
    let folder = quoted_path(path);
    if path.exists() && !path.is_dir() {
        return Err(bad_input(format!("{folder} isn't a folder: name the folder of the tables")));
    }
    if is_address(path) {
        return names_host(path);
    }
    if path.exists() {
        return Ok(());
    }
    if path.to_str().is_some_and(|text| text.contains("://")) {
        return Err(bad_input(format!(
            "{folder} is neither a folder nor an address with http:// or https://"
        )));
    }
    Err(missing_data(format!(
        "there is no folder {folder}: build tables with `pentago build TARGET --out {folder}`, or name \
         another folder"
    )))
}

/// Checks that an address names a host, that the port is valid if the address contains a port, and
/// that the address contains no spaces.
///
/// # Errors
/// If the host is missing, the port is not a number from 0 to 65535, or the address has a space.
pub fn names_host(address: &Path) -> anyhow::Result<()> {
    let address = shown(address);
    let address = address.to_string_lossy();
    let host = address.split_once("://").map_or("", |(_, host)| host);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    // If the text after the last colon ends with `]`, the colon belongs to an IPv6 address, so
    // there is no port.
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.ends_with(']'));
    let wrong_port = port.is_some_and(|port| port.parse::<u16>().is_err());
    let is_open = host.starts_with('[') && !host.contains(']');
    let has_name = !host.is_empty() && !host.starts_with(':') && !host.contains(char::is_whitespace);
    if !has_name || is_open || wrong_port {
        let what = if wrong_port && !is_open { "an invalid port" } else { "no host" };
        return Err(bad_input(format!("{address} names {what}: for example https://host/tables")));
    }
    if address.contains(char::is_whitespace) {
        return Err(bad_input(format!("the address {address} has a space: write %20 instead")));
    }
    Ok(())
}

/// Opens the tables of all games in a folder or at an address, with the published values of the
/// first plies. The user's data folder, which is the default, need not contain any tables.
///
/// # Errors
/// If a named folder doesn't exist, can't be read, or contains no table.
pub fn with_openings(given: Option<&Path>) -> anyhow::Result<Tablebase> {
    let named = given.is_some() || variable(TABLES_VARIABLE).is_some();
    let holds_any = |path: &Path| path.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let path = match tables(given) {
        Ok(path) if named || holds_any(&path) => Some(path),
        Err(error) if named => return Err(error),
        _ => None,
    };
    // Use the disk cache for remote tables. Commands that verify or copy tables don't call this
    // function, because they must read from the host itself.
    if path.as_deref().is_some_and(is_address) {
        cache_on_disk()?;
    }
    let tables = look(path.as_deref(), CACHE_BYTES)?;
    if path.is_some() {
        not_empty(&tables)?;
    }
    Ok(tables)
}

/// Returns the error for a position without a known value. The text explains how to get a value.
pub fn nothing_known(question: &Question, context: &SearchContext, answer: &Answer) -> anyhow::Error {
    let tables = context.tables;
    let mut there: Vec<String> =
        tables.iter().flat_map(|tables| tables.targets()).map(TargetTables::rules).collect();
    there.dedup();
    let folder = tables.map(|tables| quoted_path(&tables.path)).unwrap_or_default();
    let hint = match () {
        () if folder.is_empty() => "`pentago build` builds tables".to_owned(),
        () if there.contains(&answer.rules) => {
            format!("`pentago info {folder}` lists the tables, `pentago build` builds more")
        }
        () => format!("the tables in {folder} are for {}", there.join(", ")),
    };
    let full = answer.full.map_or(0, |full| full.bytes);
    // Suggest only an amount of memory that this machine has.
    let fits = !question.tables_only && (context.memory + 1..pentago_memory::usable()).contains(&full);
    let size = size_option(full).filter(|_| fits);
    let memory = size.as_ref().map(|size| format!("; --memory {size} solves it")).unwrap_or_default();
    let reason = answer.reason.as_deref();
    let reason = reason.unwrap_or("no table holds the position, and it was not solved");
    let kind = if size.is_some() { ErrorKind::Environment } else { ErrorKind::Missing };
    let text =
        format!("no value is known for this position under {}: {reason}\n  {hint}{memory}", answer.rules);
    pentago::Error::new(kind, text).into()
}
