//! Provides the tables that several benches read.

use pentago::Control;
use pentago::make::{Resources, RootBuild};
use pentago::rules::{Rules, random};
use pentago_core::kernel::Kernel;
use pentago_tables::probe::Tables;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of tables.
pub const TABLES_VARIABLE: &str = "PENTAGO_TABLES";

/// The number of marbles of the default root, then the number of marbles of the last slice to
/// build.
const ROOT: (u32, u32) = (20, 26);

/// Returns the folder that `PENTAGO_TABLES` names. If the variable is unset or empty, the first
/// call builds 2 MB of tables: slices 20 to 26 below a random root of 20 marbles.
pub fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os(TABLES_VARIABLE).filter(|folder| !folder.is_empty()) {
        return folder.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-tables");
    let rules = Rules::default();
    let position = random::positions(&rules, ROOT.0, 1, 1, true).expect("there are such positions")[0];
    let build = RootBuild::new(rules, &position, Some(ROOT.1)).expect("the position has tables");
    let resources = Resources {
        kernel: Kernel::best(),
        threads: NonZeroUsize::MIN,
        memory: 1 << 30,
        scratch: folder.clone(),
        scratch_limit: u64::MAX,
    };
    build.run(&folder, &resources, &Control::new()).expect("the tables are built");
    folder
}

/// Opens the tables of a folder with a block cache of `cache` bytes.
pub fn open(folder: &Path, cache: usize) -> Tables {
    Tables::open(folder, cache).expect("the folder has tables")
}
