//! Tables written and read.

use super::*;
use crate::block::codec::Level;
use crate::block::codec::tests::{mix, real_like_entries};
use crate::block::{BlockId, Entry, Grid, Sink, Source};
use crate::rules::Rules;
use std::path::Path;

/// A table of a few sections of Mini-Pentago.
pub fn small_content() -> Content {
    let array = |key, extents| Array { key, grid: Grid { extents, edges: [3, 8, 4, 5] } };
    Content {
        target: Target { rules: Rules::mini(), domain: Domain::Game },
        slice: 5,
        arrays: vec![
            array([0, 0, 1, 0, 1, 1, 1, 1], [1, 2, 3, 4]),
            array([0, 1, 1, 0, 1, 1, 1, 0], [7, 9, 2, 6]),
            array([3, 0, 0, 0, 0, 0, 0, 2], [1, 1, 1, 1]),
        ],
    }
}

/// The blocks of a content, with their entries.
pub fn blocks_of(content: &Content) -> Vec<(BlockId, Vec<Entry>)> {
    let mut blocks = Vec::new();
    for (array, a) in (0..).zip(&content.arrays) {
        for block in 0..a.grid.blocks() {
            let seed = mix(u64::from(array) << 32 | block);
            let len = a.grid.len(block);
            let entries = if seed.is_multiple_of(5) {
                vec![Entry::default(); len]
            } else {
                real_like_entries(len, seed >> 40)
            };
            blocks.push((BlockId { array, block }, entries));
        }
    }
    blocks
}

fn write(path: &Path, content: &Content, blocks: &[(BlockId, Vec<Entry>)]) -> Header {
    let writer = Writer::begin(path, content.clone(), Settings::new(Level::KEPT)).expect("begun");
    for (id, entries) in blocks {
        writer.put(*id, entries).expect("put");
    }
    writer.finish().expect("finished")
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("t.pentago");
    let content = small_content();
    let blocks = blocks_of(&content);
    let header = write(&path, &content, &blocks);
    for access in [Access::Map, Access::Read] {
        let table = Table::open(&path, access, Cache::new(1 << 20)).expect("opened");
        assert_eq!(table.header(), &header);
        assert!(table.arrays().iter().map(|r| r.array).eq(content.arrays.iter().copied()));
        for (id, entries) in &blocks {
            for _ in 0..2 {
                assert_eq!(&table.block(*id).expect("read")[..], entries);
            }
            let mut into = vec![Entry::default(); entries.len()];
            table.get(*id, &mut into).expect("read");
            assert_eq!(&into, entries);
        }
        let mut seen = 0;
        table.verify_hash(&mut |bytes| seen = bytes).expect("verified");
        assert_eq!(seen, header.file_bytes);
    }
    let found = Folder::open(folder.path()).expect("listed");
    assert_eq!((found.tables.len(), found.damaged.len(), found.unfinished.len()), (1, 0, 0));
    assert_eq!(found.targets(), [content.target]);
    assert_eq!(found.find(content.target, 5).expect("there").path, path);
}
