//! Opens arbitrary bytes as a table of the game that the header names, first unchanged, then with
//! corrected checksums. Reads every block. The result must be consistent entries, or an error that
//! names the file.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago_core::values::{BlockId, Entry};
use pentago_fuzz::reseal;
use pentago_tables::tables::{Cache, Table};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Reads a table of Pentago.
fn read(bytes: Vec<u8>) {
    let len = bytes.len() as u64;
    let table = match Table::new(Path::new("name"), Arc::new(bytes), Cache::new(1 << 20)) {
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

/// Reads a table of Pentago XL.
fn read_xl(bytes: Vec<u8>) {
    let table = match pentago_xl::tables::Table::new(
        Path::new("name"),
        Arc::new(bytes),
        pentago_xl::tables::Cache::new(1 << 20),
    ) {
        Ok(table) => table,
        Err(error) => return assert!(error.to_string().starts_with("name: ")),
    };
    let header = table.header();
    let below = pentago_xl::tables::BoardIndex::new(header.target.rules, header.target.root);
    let depth = header.marbles - header.target.root.count();
    assert_eq!(below.boards(depth), header.boards);
    for rank in (0..header.boards).take(64) {
        let board = below.board(depth, rank).expect("a board of the slice");
        assert_eq!(below.rank(&board), Some((depth, rank)));
        for code in [0, 0x1234, 0xffff] {
            // If the table contains contradictory values, this call returns an error. It must never
            // panic.
            let _ =
                pentago_xl::tables::values(&table, &pentago_xl::tables::BoardAddress { depth, rank, code });
        }
    }
    let _ = table.verify_hash(&mut |_| ControlFlow::Continue(()));
}

/// Reads a table of Pente.
fn read_pente(bytes: Vec<u8>) {
    let table = match pentago_pente::tables::Table::new(
        Path::new("name"),
        Arc::new(bytes),
        pentago_pente::tables::Cache::new(1 << 20),
    ) {
        Ok(table) => table,
        Err(error) => return assert!(error.to_string().starts_with("name: ")),
    };
    for (array, record) in (0..).zip(table.arrays()) {
        assert_eq!(table.array(&record.array.key), Some(array));
        let positions = record.array.grid.entries();
        // A damaged directory may claim far more positions than the file can hold, so read only
        // about 64 positions.
        for at in (0..positions).step_by(1 + positions as usize / 64) {
            match table.entry_of_list(array, at) {
                Ok(code) => assert!(code < 4),
                Err(error) => assert!(error.to_string().starts_with("name: ")),
            }
        }
        assert!(table.entry_of_list(array, positions).is_err());
    }
    let _ = table.verify_hash(&mut |_| ControlFlow::Continue(()));
}

/// Reads a table of the game that the header names. If the header names no known game, reads the
/// bytes as a table of Pentago.
fn read_any(bytes: Vec<u8>) {
    match bytes.get(11) {
        Some(2) => read_xl(bytes),
        Some(3) => read_pente(bytes),
        _ => read(bytes),
    }
}

fuzz_target!(|data: &[u8]| -> Corpus {
    read_any(data.to_vec());
    let mut sealed = data.to_vec();
    reseal(&mut sealed);
    read_any(sealed);
    Corpus::Keep
});
