//! Opens and reads a table of many blocks without reading its whole block index.

use super::*;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A storage that counts the bytes it reads.
#[derive(Debug)]
struct Counting {
    storage: Arc<dyn Storage>,
    memory: bool,
    read: Arc<AtomicU64>,
}

impl Storage for Counting {
    fn size(&self) -> u64 {
        self.storage.size()
    }

    fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        self.storage.read(at, len)
    }

    fn is_memory(&self) -> bool {
        self.memory
    }
}

fn payload(block: u64) -> Vec<u8> {
    mix(block).to_le_bytes()[..1 + block as usize % 3].to_vec()
}

#[test]
fn many_blocks_open_at_once() {
    open_at_once(200_000);
}

#[test]
#[ignore = "long: finds what would be held in memory of a larger index alone"]
fn long_two_million_blocks_open_at_once() {
    open_at_once(2_000_000);
}

fn open_at_once(blocks: u32) {
    let folder = folder();
    let path = folder.path().join("large.pentago");
    let manifest = RawManifest {
        schema: RawSchema { game: GameId(9), codec: 1, filter: 1, level: 1, key_bytes: 0, counters: 0 },
        target: Vec::new(),
        slice: 1,
        arrays: vec![RawArrayInfo::whole(b"", Grid::list(blocks, 1))],
    };
    let writer = begin(&path, &manifest);
    for block in 0..u64::from(blocks) {
        writer.put(0, block, payload(block), &[]).expect("put");
    }
    let header = writer.finish().expect("finished");
    // The file contains the block index, which was written without being held in memory.
    assert!(header.file_bytes > 16 * u64::from(blocks));
    for access in [Access::Map, Access::Read] {
        let read = Arc::new(AtomicU64::new(0));
        let storage = storage::open(&path, access).expect("opened");
        let storage = Counting { memory: storage.is_memory(), storage, read: read.clone() };
        let table = RawTable::new(&path, Arc::new(storage)).expect("opened");
        // Opening reads the header, the directory and the page table, which has 16 bytes per 1,024
        // blocks.
        let opened = read.load(Ordering::Relaxed);
        assert!(opened < 640 + 16 * u64::from(blocks).div_ceil(1024), "{opened} bytes");
        for i in 0..1000 {
            let block = mix(i) % u64::from(blocks);
            assert_eq!(table.payload(0, block, 3).expect("read")[..], payload(block));
        }
        let asked = read.load(Ordering::Relaxed) - opened;
        assert!(asked < 1000 * (16 * PAGE_BLOCKS + 3), "{asked} bytes");
        if access == Access::Map {
            table.verify_hash(&mut on).expect("verified");
        }
    }
}
