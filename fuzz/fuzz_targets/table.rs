//! Opens any bytes as a table, as they are and with their checksums made right, and reads every block: an error that names the
//! file, or entries that are consistent.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::tables::{Cache, Table};
use pentago::values::{BlockId, Entry};
use pentago_fuzz::reseal;
use std::ops::ControlFlow;
use std::path::Path;

fn read(bytes: Vec<u8>) {
    let len = bytes.len() as u64;
    let table = match Table::new(Path::new("name"), Box::new(bytes), Cache::new(1 << 20)) {
        Ok(table) => table,
        Err(error) => return assert!(error.to_string().starts_with("name: ")),
    };
    assert_eq!(table.header().file_bytes, len);
    let mut blocks = 0;
    for (array, record) in (0..).zip(table.arrays()) {
        assert_eq!(table.array(&record.array.key), Some(array));
        assert_eq!(record.first_block, blocks);
        for block in 0..record.array.grid.blocks() {
            match table.block(BlockId { array, block }) {
                Ok(entries) => {
                    assert_eq!(entries.len(), record.array.grid.len(block));
                    assert!(entries.iter().all(Entry::is_consistent));
                }
                Err(error) => {
                    assert_eq!(error.block, Some(blocks + block));
                }
            }
        }
        blocks += record.array.grid.blocks();
    }
    assert_eq!(table.header().blocks, blocks);
    let _ = table.verify_hash(&mut |_| ControlFlow::Continue(()));
}

fuzz_target!(|data: &[u8]| -> Corpus {
    read(data.to_vec());
    let mut sealed = data.to_vec();
    reseal(&mut sealed);
    read(sealed);
    Corpus::Keep
});
