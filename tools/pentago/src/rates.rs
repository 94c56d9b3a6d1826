//! The file of rates: what estimates of builds multiply exact counts by. `pentago bench --save` writes
//! it; without it there are the rates of a named machine.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::{fs, io};

use anyhow::Context;
use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use pentago::Control;
use pentago::kernel::Kernel;
use serde::{Deserialize, Serialize};

use crate::engine;
use crate::exit::bad_input;

/// The rates of one machine, for each game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineRates {
    /// Which machine, for people.
    pub machine: String,
    /// Those of Pentago.
    pub pentago: pentago::rates::Rates,
    /// Those of Pentago XL.
    pub xl: pentago_xl::tables::Rates,
    /// Those of Pente.
    pub pente: pentago_pente::tables::Rates,
}

impl MachineRates {
    fn built_in() -> MachineRates {
        MachineRates {
            machine: pentago::rates::MACHINE.to_owned(),
            pentago: pentago::rates::Rates::built_in().clone(),
            xl: pentago_xl::tables::Rates::BUILT_IN,
            pente: pentago_pente::tables::Rates::BUILT_IN,
        }
    }

    /// The rates of the file, or the built-in ones if there is none.
    ///
    /// # Errors
    /// If the file can't be read, or has other content.
    pub fn load() -> anyhow::Result<MachineRates> {
        let Some(path) = path() else { return Ok(MachineRates::built_in()) };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(MachineRates::built_in()),
            read => read.with_context(|| format!("reading {}", path.display()))?,
        };
        serde_json::from_str(&text).map_err(|error| {
            let text = format!("{}: {error}\n  write it again with `pentago bench --save`", path.display());
            bad_input(text).into()
        })
    }

    /// Measures the rates of one core of this machine.
    ///
    /// # Errors
    /// If it was stopped, or memory doesn't suffice.
    pub fn measure(kernel: Kernel, control: &Control) -> anyhow::Result<MachineRates> {
        let one = engine::pool(NonZeroUsize::MIN)?;
        one.install(|| {
            Ok(MachineRates {
                machine: machine(kernel),
                pentago: pentago::rates::Rates::measure(kernel, control)?,
                xl: pentago_xl::tables::Rates::measure(kernel, control)?,
                pente: pentago_pente::tables::Rates::measure(control)?,
            })
        })
    }

    /// Writes the file; returns its path.
    ///
    /// # Errors
    /// If the user has no home folder, or the file can't be written.
    pub fn save(&self) -> anyhow::Result<PathBuf> {
        let path = path().ok_or_else(|| bad_input("the user has no folder for settings".to_owned()))?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }
}

/// `pentago/rates.json` in the user's folder of settings (`$XDG_CONFIG_HOME` or `~/.config`,
/// `~/Library/Preferences`, `%APPDATA%`), if the user has one.
fn path() -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.config_dir().join("pentago").join("rates.json"))
}

/// The processor as the system calls it, and the kernel.
fn machine(kernel: Kernel) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{name}, {}", kernel.name())
}
