//! What the benches have in common: tables to read.

use pentago::Control;
use pentago::make::{Resources, RootBuild};
use pentago_core::kernel::Kernel;
use pentago_tables::probe::Tables;
use pentago::rules::{Rules, random};
use pentago_tables::tables::Access;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The variable that names a folder of tables.
pub const TABLES_VARIABLE: &str = "PENTAGO_TABLES";

/// Marbles of the root that is built where no folder is named, and the last slice that is kept.
const ROOT: (u32, u32) = (20, 26);

/// The folder of `PENTAGO_TABLES`. Without it, tables below a random root of 20 marbles, slices 20
/// to 26, which are built the first time and take 2 MB.
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

/// Opens the tables of a folder with a cache of `cache` bytes.
pub fn open(folder: &Path, cache: usize) -> Tables {
    Tables::open(folder, Access::Map, cache).expect("the folder has tables")
}
