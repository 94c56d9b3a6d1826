//! Damaged files: reading a damaged file returns either an error with the location of the damage,
//! or the original payloads. Reading never panics and never returns other payloads.

use super::*;

/// Reads a whole table. Reading a block must return either the original payload or an error.
/// Returns the number of errors, or `None` if the table can't be opened.
fn read_all(bytes: Vec<u8>, blocks: &[Block]) -> Option<usize> {
    let table = match RawTable::new(Path::new("name"), Arc::new(bytes)) {
        Ok(table) => table,
        Err(error) => {
            assert!(error.to_string().starts_with("name: "), "{error}");
            return None;
        }
    };
    let mut errors = 0;
    for of in blocks {
        match table.payload(of.array, of.block, 1000) {
            Ok(payload) => assert_eq!(payload[..], of.payload, "{} {}", of.array, of.block),
            Err(error) => {
                assert!(error.block.is_some() && error.to_string().contains(": block "), "{error}");
                errors += 1;
            }
        }
    }
    let verified = table.verify_hash(&mut on);
    assert_eq!(
        verified.expect_err("the change is seen at the latest by the hash").kind(),
        StoreErrorKind::Damaged
    );
    Some(errors)
}

#[test]
fn flipped_bits_are_seen() {
    flip(31, 61);
}

#[test]
#[ignore = "long: flips a bit of every byte, also of those that others vouch for"]
fn long_every_flipped_bit_is_seen() {
    flip(1, 7);
}

/// Flips one bit in every `of_arrays`-th byte of a table with several arrays, and in every
/// `of_list`-th byte of a table with one list.
fn flip(of_arrays: usize, of_list: usize) {
    for (manifest, step) in [(some_arrays(), of_arrays), (bare_list(), of_list)] {
        let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
        let [mut unopened, mut bad_blocks, mut bad_pages] = [0; 3];
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (mix(at as u64) % 8);
            match read_all(damaged, &blocks) {
                None => unopened += 1,
                Some(1) => bad_blocks += 1,
                Some(errors) => {
                    // A damaged index page makes all blocks of the page unreadable.
                    assert!(errors == 6 || errors == blocks.len() || errors == 1024, "byte {at}: {errors}");
                    bad_pages += 1;
                }
            }
        }
        let index = 16 * blocks.len();
        let payloads: usize = blocks.iter().map(|b| b.payload.len()).sum();
        let rest = bytes.len() - index - payloads;
        if step == 1 {
            assert_eq!((unopened, bad_blocks, bad_pages), (rest, payloads, index));
        }
        let [unopened, bad_blocks, bad_pages] = [unopened, bad_blocks, bad_pages].map(|count| count * step);
        assert!(unopened > 10 && bad_blocks > 100 && bad_pages > 100);
    }
}

#[test]
fn every_cut_and_every_addition_is_seen() {
    let manifest = some_arrays();
    let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
    for len in 0..bytes.len() {
        assert_eq!(read_all(bytes[..len].to_vec(), &blocks), None, "{len} bytes");
    }
    for more in [1, 16, 72, 512, 4096] {
        assert_eq!(read_all([&bytes[..], &vec![0; more]].concat(), &blocks), None);
        let at = mix(more as u64) as usize % bytes.len();
        assert_eq!(read_all([&bytes[..at], &vec![7; more], &bytes[at..]].concat(), &blocks), None);
    }
}

#[test]
fn runs_of_rubbish_are_seen() {
    for manifest in [some_arrays(), bare_list()] {
        let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
        for seed in 0..300 {
            let (from, len) = (mix(seed) as usize % bytes.len(), 1 + mix(!seed) as usize % 300);
            let mut damaged = bytes.clone();
            for (i, byte) in damaged[from..].iter_mut().take(len).enumerate() {
                *byte = if seed % 2 == 0 { 0 } else { mix(seed << 32 | i as u64) as u8 };
            }
            if damaged != bytes {
                read_all(damaged, &blocks);
            }
        }
    }
}

/// If a file is truncated while it is open, a plain read returns an error.
#[test]
fn a_file_cut_short_under_plain_reads_is_an_error() {
    let manifest = some_arrays();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    write(&path, &manifest);
    let table = RawTable::open(&path, Access::Read).expect("opened");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("opened for writing");
    file.set_len(HEADER_BYTES as u64 + 20).expect("cut");
    let last = blocks_of(&manifest).pop().expect("blocks");
    let error = table.payload(last.array, last.block, 99).expect_err("it is gone");
    assert!(matches!(error.reason, Reason::Io { .. }), "{error}");
}

#[test]
fn other_files_are_not_tables() {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let good = bytes_of(&some_arrays());
    let of_version = |version: u8| {
        let mut bytes = good.clone();
        bytes[8] = version;
        bytes
    };
    for (bytes, expected, kind) in [
        (vec![], "emptied", StoreErrorKind::Unfinished),
        (vec![0; 300], "emptied", StoreErrorKind::Unfinished),
        (vec![0; 900], "emptied", StoreErrorKind::Unfinished),
        (b"a text file\n".repeat(60), "not a pentago table", StoreErrorKind::Unsupported),
        (vec![1; 10], "not a pentago table", StoreErrorKind::Unsupported),
        (
            of_version(1),
            "format version 1, made by an older version: build or import",
            StoreErrorKind::Unsupported,
        ),
        (of_version(2), "format version 2, made by an older version", StoreErrorKind::Unsupported),
        // Tables of version 1 can be shorter than the current header.
        (of_version(1)[..300].to_vec(), "older version: build or import", StoreErrorKind::Unsupported),
        (of_version(VERSION as u8 + 1), "use a newer program", StoreErrorKind::Unsupported),
        (good[..300].to_vec(), "the file ends within its header", StoreErrorKind::Damaged),
    ] {
        std::fs::write(&path, bytes).expect("written");
        for access in [Access::Map, Access::Read] {
            let error = RawTable::open(&path, access).expect_err("no table");
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.kind(), kind);
        }
        assert_eq!(scan(folder.path()).expect("listed").unreadable.len(), 1);
    }
    let error = RawTable::open(Path::new("nowhere.pentago"), Access::Map).expect_err("not there");
    assert!(
        error.to_string().contains("check the name") && error.kind() == StoreErrorKind::NotFound,
        "{error}"
    );
}
