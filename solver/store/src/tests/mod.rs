//! Tests that write and read tables. `writing` covers the writer, `damage` covers damaged files,
//! `large` covers tables of many blocks, and `holes` covers freed payloads. `remote` covers tables
//! on a `host`, and `later` covers bytes that arrive later.

mod damage;
mod holes;
#[cfg(feature = "http")]
mod host;
mod large;
#[cfg(feature = "http")]
mod later;
#[cfg(feature = "http")]
mod remote;
mod writing;

use super::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Returns reproducible random bits (SplitMix64).
pub fn mix(x: u64) -> u64 {
    pentago_base::mix(x.wrapping_add(pentago_base::GOLDEN))
}

/// Returns the manifest of a table with three arrays. The table contains only some blocks of the
/// second array.
pub fn some_arrays() -> RawManifest {
    let grid = |extents| Grid { extents, edges: [3, 2, 2, 2] };
    RawManifest {
        schema: RawSchema { game: GameId(77), codec: 3, filter: 4, level: 5, key_bytes: 3, counters: 2 },
        target: b"some target".to_vec(),
        slice: 70_000,
        arrays: vec![
            RawArrayInfo::whole(b"abc", grid([1, 1, 1, 1])),
            RawArrayInfo { blocks: 1..3, ..RawArrayInfo::whole(b"abd", grid([2, 3, 3, 2])) },
            RawArrayInfo::whole(b"b\0\0", grid([3, 3, 3, 3])),
        ],
    }
}

/// Returns the manifest of a list without target, keys or counters. Its block index has more than
/// one page.
pub fn bare_list() -> RawManifest {
    RawManifest {
        schema: RawSchema { game: GameId::PENTE, codec: 0, filter: 0, level: 0, key_bytes: 0, counters: 0 },
        target: Vec::new(),
        slice: 0,
        arrays: vec![RawArrayInfo::whole(b"", Grid::list(5 * (PAGE_BLOCKS as u32 + 6), 5))],
    }
}

/// A block of a table: its location, its payload and its counters.
#[derive(Clone, Debug)]
pub struct Block {
    pub array: u32,
    pub block: u64,
    pub payload: Vec<u8>,
    pub counts: Vec<u64>,
}

/// Returns the blocks of a table, in order.
pub fn blocks_of(manifest: &RawManifest) -> Vec<Block> {
    let counters = u64::from(manifest.schema.counters);
    let of_array = |(array, info): (u32, &RawArrayInfo)| {
        let block = move |block: u64| {
            let seed = mix(u64::from(array) << 32 | block);
            let payload = (0..1 + seed % 40).map(|i| mix(seed ^ i) as u8).collect();
            Block { array, block, payload, counts: (0..counters).map(|i| mix(seed + i) % 1000).collect() }
        };
        info.blocks.clone().map(block).collect::<Vec<_>>()
    };
    (0..).zip(&manifest.arrays).flat_map(of_array).collect()
}

/// Starts or resumes the table with this path.
pub fn begin(path: &Path, manifest: &RawManifest) -> RawWriter {
    RawWriter::begin(path, manifest.clone(), RawSettings::new("test 1")).expect("begun")
}

pub fn put(writer: &RawWriter, of: &Block) -> Result<(), StoreError> {
    writer.put(of.array, of.block, of.payload.clone(), &of.counts)
}

/// Writes a complete table with this manifest.
pub fn write(path: &Path, manifest: &RawManifest) -> RawHeader {
    let writer = begin(path, manifest);
    blocks_of(manifest).iter().try_for_each(|block| put(&writer, block)).expect("put");
    writer.finish().expect("finished")
}

/// Creates a folder for one test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Writes a complete table with this manifest, and returns the bytes of its file.
pub fn bytes_of(manifest: &RawManifest) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    write(&path, manifest);
    std::fs::read(path).expect("read")
}

/// A progress callback that never cancels.
pub fn on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn what_is_written_is_read() {
    for manifest in [some_arrays(), bare_list()] {
        let folder = folder();
        let path = folder.path().join("t.pentago");
        let header = write(&path, &manifest);
        let blocks = blocks_of(&manifest);
        assert_eq!((header.blocks, header.entries), (blocks.len() as u64, manifest.entries()));
        assert_eq!((header.schema, header.slice), (manifest.schema, manifest.slice));
        assert_eq!(header.target, manifest.target);
        for access in [Access::Map, Access::Read] {
            let table = RawTable::open(&path, access).expect("opened");
            assert_eq!(table.header(), &header);
            assert!(table.arrays().iter().map(|r| &r.array).eq(&manifest.arrays));
            for of in &blocks {
                assert_eq!(table.payload(of.array, of.block, 40).expect("read")[..], of.payload);
                let longest = of.payload.len() as u64 - 1;
                let error = table.payload(of.array, of.block, longest).expect_err("longer");
                assert_eq!(error.kind(), StoreErrorKind::Damaged);
            }
            for (number, record) in (0..).zip(table.arrays()) {
                let of_array = blocks.iter().filter(|b| b.array == number);
                let sum = |i: usize| of_array.clone().map(|b| b.counts[i]).sum::<u64>();
                assert!((0..record.counts.len()).all(|i| record.counts[i] == sum(i)));
                let end = record.array.blocks.end;
                let error = table.payload(number, end, 40).expect_err("no such block");
                assert_eq!((error.kind(), error.block), (StoreErrorKind::NoSuchBlock, Some(end)));
            }
            let mut seen = 0;
            let mut progress = |bytes| {
                assert!(bytes > seen || bytes == seen && manifest.target.is_empty());
                seen = bytes;
                ControlFlow::Continue(())
            };
            table.verify_hash(&mut progress).expect("verified");
            assert_eq!(seen, header.file_bytes);
            let mut calls = 0;
            let stop = table.verify_hash(&mut |_| {
                calls += 1;
                if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!((stop.expect_err("stopped").kind(), calls), (StoreErrorKind::Cancelled, 3));
        }
        let found = scan(folder.path()).expect("listed");
        assert_eq!((found.tables.len(), found.unreadable.len(), found.unfinished.len()), (1, 0, 0));
        assert_eq!((&found.tables[0].header, found.others.len()), (&header, 0));
    }
}
