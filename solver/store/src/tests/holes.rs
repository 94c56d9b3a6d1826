//! Holes: payloads that aren't freed stay readable, and reading a freed payload is an error.

use super::*;

#[test]
fn an_array_is_given_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.pentago");
    let schema = RawSchema { game: GameId(77), codec: 1, filter: 1, level: 1, key_bytes: 1, counters: 0 };
    let arrays = [3, 5, 7].map(|key| RawArrayInfo::whole(&[key], Grid::list(40, 10)));
    let manifest = RawManifest { schema, target: Vec::new(), slice: 1, arrays: arrays.to_vec() };
    let payload = |array: u32, block: u64| {
        let seed = u64::from(array) << 32 | block << 20;
        (0..100_000).map(|i| mix(seed + i) as u8 | 1).collect::<Vec<u8>>()
    };
    let writer = begin(&path, &manifest);
    let ids = || (0..3).flat_map(|array| (0..4).map(move |block| (array, block)));
    ids().try_for_each(|(array, block)| writer.put(array, block, payload(array, block), &[])).expect("put");
    writer.sync().expect("synced");
    writer.finish().expect("finished");
    for access in [Access::Map, Access::Read] {
        let table = RawTable::open(&path, access).expect("opened");
        assert_eq!(table.payloads(1).expect("there is one"), 400_512..800_512);
        assert!(table.payloads(3).is_err());
    }
    let table = RawTable::open(&path, Access::Map).expect("opened");
    let holes = Holes::of(&table).expect("opened");
    // Punching the same hole twice is allowed.
    for _ in 0..2 {
        holes.punch(&table, 1).expect("punched");
    }
    assert!(holes.punch(&table, 3).is_err());
    for access in [Access::Map, Access::Read] {
        let opened = RawTable::open(&path, access).expect("opened");
        for (array, block) in ids() {
            for table in [&table, &opened] {
                match table.payload(array, block, 1 << 20) {
                    Ok(bytes) => {
                        assert!(bytes[..] == payload(array, block) && array != 1 || !has_holes(&path))
                    }
                    Err(error) => assert!(array == 1 && matches!(error.reason, Reason::Damaged("block"))),
                }
            }
        }
    }
    assert_eq!(std::fs::metadata(&path).expect("there").len(), table.header().file_bytes);
    if !has_holes(&path) {
        eprintln!("skipped: this file system makes no holes");
    }
}

/// Returns `true` if the disk space of a file is less than the length of the file.
fn has_holes(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path).expect("there");
        512 * found.blocks() + 300_000 < found.len()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
