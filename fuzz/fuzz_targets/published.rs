//! Opens arbitrary bytes as a file of the published solution. Also inserts the bytes as a block
//! into a valid file. The result must be consistent entries, or an error that names the file.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago_core::values::{BlockId, Entry};
use pentago_fuzz::published;
use pentago_tables::published::{Fault, Published, PublishedError, PublishedSlice};
use std::path::Path;
use std::sync::Arc;

/// Reads all blocks of a file. Stops at the first error.
fn read(bytes: Vec<u8>) -> Result<(), PublishedError> {
    let slice = PublishedSlice::new(Published::new(Path::new("name"), Arc::new(bytes))?);
    let manifest = slice.manifest();
    manifest.check().expect("the manifest is part of a slice");
    assert_eq!(manifest.arrays.len(), slice.file.sections.len());
    for (array, a) in (0..).zip(&manifest.arrays) {
        for block in 0..a.grid.blocks() {
            let mut entries = vec![Entry::default(); a.grid.len(block)];
            let got = slice.get(BlockId { array, block }, &mut entries);
            got.inspect_err(|error| assert!(error.section.is_some()))?;
            assert!(entries.iter().all(Entry::is_consistent));
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| -> Corpus {
    if let Err(error) = read(data.to_vec()) {
        assert!(error.to_string().starts_with("name: "));
    }
    match read(published(data)) {
        Ok(()) => {}
        Err(error) => assert!(matches!(error.fault, Fault::WonByBoth(_)), "{error}"),
    }
    Corpus::Keep
});
