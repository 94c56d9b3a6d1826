//! Writes the values of the openings in the format of the module, uncompressed. The file
//! `facade/openings.rs` of `pentago` defines the format.
//!
//! ```sh
//! cargo run --release --example openings -- TABLES | gzip -9n >../page/openings.bin
//! ```
//!
//! TABLES is a folder with slices 0 to 5 of the game, imported by `pentago import`.

use pentago::OpeningsFile;
use pentago_tables::probe::Tables;
use std::error::Error;
use std::io::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("expected a folder of tables")?;
    let tables = Tables::open(Path::new(&folder), 1 << 24)?;
    let family = tables.families.first().ok_or("there are no tables")?;
    let mut bytes = OpeningsFile::MAGIC.to_vec();
    for board in OpeningsFile::boards() {
        let (entry, at) =
            pentago_tables::probe::entry(family, board)?.map_err(|missing| missing.to_string())?;
        assert_eq!(at.rotation, [0; 4], "the board is stored without a rotation");
        for set in [entry.win, entry.not_lose] {
            set.0.iter().flat_map(|half| half.0).for_each(|word| bytes.extend(word.to_le_bytes()));
        }
    }
    Ok(std::io::stdout().lock().write_all(&bytes)?)
}
