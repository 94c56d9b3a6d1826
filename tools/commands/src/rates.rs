//! The file with the rates of this machine. Estimates of builds multiply exact counts by these
//! rates. `pentago bench --save` writes the file; without the file, the built-in rates of another
//! machine apply.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Once;
use std::{fs, io};

use anyhow::{Context, ensure};
use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use pentago::Control;
use pentago_base::Kernel;
use pentago_games::{Rates, SolveError};
use pentago_store::storage::read_text;

use crate::engine;
use crate::exit::bad_input;
use crate::output::{bytes, note, shown_path};

/// Returns the rates of the file, or the built-in rates if there is no file. Rates affect only
/// estimates, so an unusable file causes no error, only one note on standard error.
pub fn load() -> Rates {
    static NOTED: Once = Once::new();
    read().unwrap_or_else(|error| {
        let text = "using built-in rates: `pentago bench --save` writes the file again";
        NOTED.call_once(|| note(format_args!("warning: {error:#}\n  {text}")));
        Rates::built_in()
    })
}

fn read() -> anyhow::Result<Rates> {
    let Some(path) = path() else { return Ok(Rates::built_in()) };
    let read = || format!("cannot read {}", shown_path(&path));
    match read_text(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Rates::built_in()),
        text => {
            let value = serde_json::from_str(&text.with_context(read)?).with_context(read)?;
            let what = "a rate is negative, or too large to be measured";
            ensure!(is_possible(&value), "{}: {what}", shown_path(&path));
            serde_json::from_value(value).with_context(read)
        }
    }
}

/// Returns `true` if all numbers in a file of rates are possible times in seconds, or counts.
fn is_possible(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(number) => number.as_f64().is_some_and(|n| (0.0..1e9).contains(&n)),
        serde_json::Value::Array(values) => values.iter().all(is_possible),
        serde_json::Value::Object(fields) => fields.values().all(is_possible),
        _ => true,
    }
}

/// Measures the rates of this machine. The rates of Pentago are measured for one core while
/// `threads` threads work. The rates of Pentago XL and Pente are measured for one core alone.
///
/// # Errors
/// If the measurement was stopped, or memory doesn't suffice.
pub fn measure(
    kernel: Kernel,
    threads: NonZeroUsize,
    memory: u64,
    control: &Control,
) -> anyhow::Result<Rates> {
    let (all, one) = (engine::pool(threads)?, engine::pool(NonZeroUsize::MIN)?);
    let mut rates = Rates { machine: machine(kernel, threads), ..Rates::built_in() };
    let measured = all.install(|| rates.measure_pentago(kernel, memory, control));
    measured.map_err(|error| match error.downcast_ref() {
        Some(SolveError::Memory { need, limit }) => {
            let (need, limit) = (bytes(*need), bytes(*limit));
            let text = format!(
                "measuring with {threads} threads takes {need} of memory, but the limit is {limit}:\n  \
                 raise --memory, or use fewer --threads"
            );
            pentago::Error::new(error.kind(), text)
        }
        _ => error,
    })?;
    one.install(|| rates.measure_xl_and_pente(control))?;
    Ok(rates)
}

/// Returns the path of the file after checking that the file can be written. The caller checks this
/// before a measurement of several minutes.
///
/// # Errors
/// If the user has no configuration directory, or the file can't be written.
pub fn writable() -> anyhow::Result<PathBuf> {
    let path = path().ok_or_else(|| bad_input("the user has no configuration directory".to_owned()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", shown_path(folder)))?;
    }
    let (is_new, writing) = (!path.exists(), || format!("writing {}", shown_path(&path)));
    fs::OpenOptions::new().create(true).append(true).open(&path).with_context(writing)?;
    // Remove a file that this check created, because `load` would warn about an empty file.
    if is_new {
        fs::remove_file(&path).with_context(writing)?;
    }
    Ok(path)
}

/// Returns `pentago/rates.json` in the user's configuration directory (`$XDG_CONFIG_HOME` or
/// `~/.config`, `~/Library/Preferences`, `%APPDATA%`), or `None` if there is no such directory.
fn path() -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.config_dir().join("pentago").join("rates.json"))
}

/// Describes the machine: the name of the CPU, the kernel and the number of threads.
fn machine(kernel: Kernel, threads: NonZeroUsize) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{name}, {}, threads: {threads}", kernel.name())
}
