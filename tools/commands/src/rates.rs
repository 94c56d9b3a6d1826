//! The file of rates: what estimates of builds multiply exact counts by. `pentago bench --save` writes
//! it; without it there are the rates of a named machine.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;
use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use pentago::Control;
use pentago_base::Kernel;
use pentago_games::{Rates, TooLittleMemory};

use crate::engine;
use crate::exit::bad_input;
use crate::output::{bytes, note};

/// The rates of the file, or the built-in ones if there is none, or if it can't be used: they only say
/// how long something takes. That is noted unless `quiet`.
pub fn load(quiet: bool) -> Rates {
    read().unwrap_or_else(|error| {
        if !quiet {
            note(format_args!(
                "warning: {error:#}\n  the built-in rates are used instead; `pentago bench --save` writes \
                 the file again"
            ));
        }
        Rates::built_in()
    })
}

/// The rates of the file, or the built-in ones if there is none.
fn read() -> anyhow::Result<Rates> {
    let Some(path) = path() else { return Ok(Rates::built_in()) };
    let read = || format!("cannot read {}", path.display());
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Rates::built_in()),
        text => serde_json::from_str(&text.with_context(read)?).with_context(read),
    }
}

/// Measures the rates of this machine: of Pentago those of a core while so many threads are at work, of
/// Pentago XL and Pente those of a core alone.
///
/// # Errors
/// If it was stopped, or memory doesn't suffice.
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
        Some(TooLittleMemory { need, limit }) => {
            let (need, limit) = (bytes(*need), bytes(*limit));
            let text = format!(
                "measuring with {threads} threads takes {need} of memory, but the limit is {limit}:\n  \
                 raise --memory, or use fewer --threads"
            );
            pentago::Error::new(error.kind(), text)
        }
        None => error,
    })?;
    one.install(|| rates.measure_xl_and_pente(control))?;
    Ok(rates)
}

/// The path of the file, which can be written: to be asked for before minutes of measuring.
///
/// # Errors
/// If the user has no home folder, or the file can't be written.
pub fn writable() -> anyhow::Result<PathBuf> {
    let path = path().ok_or_else(|| bad_input("the user has no folder for settings".to_owned()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    let (is_new, writing) = (!path.exists(), || format!("writing {}", path.display()));
    fs::OpenOptions::new().create(true).append(true).open(&path).with_context(writing)?;
    // An empty file holds no rates.
    if is_new {
        fs::remove_file(&path).with_context(writing)?;
    }
    Ok(path)
}

/// Writes the file.
///
/// # Errors
/// If it can't be written.
pub fn save(path: &Path, rates: &Rates) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(rates)? + "\n";
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// `pentago/rates.json` in the user's folder of settings (`$XDG_CONFIG_HOME` or `~/.config`,
/// `~/Library/Preferences`, `%APPDATA%`), if the user has one.
fn path() -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.config_dir().join("pentago").join("rates.json"))
}

/// The processor as the system calls it, the kernel and the threads at work.
fn machine(kernel: Kernel, threads: NonZeroUsize) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{name}, {}, threads: {threads}", kernel.name())
}
