//! Files that are not what they were: an error that says where, or the same answers; never a panic,
//! never another value.

use super::*;
use crate::codec::CodecError;

/// Reads all of a table: each block must be the one that was written, or an error. How many were
/// errors, or None if the table can't even be opened.
fn read_all(bytes: Vec<u8>, blocks: &[(BlockId, Vec<Entry>)]) -> Option<usize> {
    let table = match Table::new(Path::new("name.pentago"), Box::new(bytes), Cache::new(1 << 20)) {
        Ok(table) => table,
        Err(error) => {
            assert!(error.to_string().starts_with("name.pentago: "), "{error}");
            return None;
        }
    };
    let mut errors = 0;
    for (id, entries) in blocks {
        match table.block(*id) {
            Ok(block) => assert!(block[..] == entries[..], "{id:?}: a wrong value"),
            Err(error) => {
                assert!(error.block.is_some() && error.to_string().contains(": block "), "{error}");
                errors += 1;
            }
        }
    }
    let verified = table.verify_hash(&mut |_| ControlFlow::Continue(()));
    assert!(verified.is_err(), "the change is seen at the latest by the hash");
    Some(errors)
}

#[test]
fn every_flipped_bit_is_seen() {
    for manifest in [small_manifest(), root_content()] {
        let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
        let [mut unopened, mut bad_blocks, mut bad_index] = [0; 3];
        for flip in 0..2 * bytes.len() {
            let at = flip / 2;
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << ((mix(at as u64) as usize ^ flip) % 8);
            match read_all(damaged, &blocks) {
                None => unopened += 1,
                Some(1) => bad_blocks += 1,
                Some(errors) => {
                    // They are all in one page of the block index.
                    assert_eq!(errors, blocks.len(), "byte {at}");
                    bad_index += 1;
                }
            }
        }
        let index = 16 * blocks.len();
        // Header, target, directory, page table.
        let rest = HEADER_BYTES + 24 + 80 * manifest.arrays.len() + 16;
        let payloads = bytes.len() - index - rest;
        assert_eq!((unopened, bad_blocks, bad_index), (2 * rest, 2 * payloads, 2 * index));
        assert!(bytes.len() > 1000);
    }
}

/// The same where blocks hold open bits, at every fifth byte.
#[test]
fn flipped_bits_of_other_codecs_are_seen() {
    for (manifest, codec) in [late_manifest(), root_content()].iter().flat_map(|m| CODECS.map(|c| (m, c))) {
        let blocks = guessed(manifest);
        let bytes = bytes_with(manifest, &blocks, codec);
        let mut bad_blocks = 0;
        for at in (0..bytes.len()).step_by(5) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (mix(at as u64) % 8);
            bad_blocks += usize::from(read_all(damaged, &blocks) == Some(1));
        }
        assert!(bad_blocks > 5, "{codec}: {bad_blocks}");
    }
}

/// Payloads whose checksums are right but whose bytes are not, as another program might write them:
/// an error or other values, and never a panic; and tags that the codec doesn't have are refused.
#[test]
fn any_payload_is_read_without_a_panic() {
    for manifest in [late_manifest(), root_content()] {
        let blocks = guessed(&manifest);
        for codec in CODECS {
            let coder = BlockCodec::new(codec, Settings::new(codec).filter, &manifest.target, manifest.slice);
            for (seed, (id, entries)) in (0u64..).zip(&blocks) {
                let array = &manifest.arrays[id.array as usize];
                let payload = coder.encode(array, id.block, entries);
                let mut into = vec![Entry::default(); entries.len()];
                coder.decode(array, id.block, &payload, &mut into).expect("what was encoded");
                assert!(into == *entries);
                for tag in 0..=255 {
                    let mut other = payload.clone();
                    other[0] = tag;
                    let read = coder.decode(array, id.block, &other, &mut into);
                    let known = match codec {
                        Codec::Zstd(_) => tag < 3,
                        Codec::Open(_) => tag < 3 || (6..=10).contains(&tag),
                    };
                    let refused = match codec {
                        // Of a residual: there is no guess that could be added.
                        Codec::Zstd(_) if tag < 6 => read.is_err(),
                        _ => read == Err(CodecError::Tag(tag)),
                    };
                    assert!(known || refused, "{codec} {tag}: {read:?}");
                }
                for change in 0..20 {
                    let mut other = payload.clone();
                    let at = mix(seed << 8 | change) as usize % other.len();
                    other[at] ^= 1 << (change % 8);
                    other.truncate(other.len() - usize::from(change % 5 == 0));
                    if coder.decode(array, id.block, &other, &mut into).is_ok() {
                        assert!(into.iter().all(Entry::is_consistent));
                    }
                }
            }
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_seen() {
    let manifest = small_manifest();
    let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
    for len in 0..bytes.len() {
        assert_eq!(read_all(bytes[..len].to_vec(), &blocks), None, "{len} bytes");
    }
    for more in [1, 16, 72, 256, 4096] {
        assert_eq!(read_all([&bytes[..], &vec![0; more]].concat(), &blocks), None);
        let at = mix(more as u64) as usize % bytes.len();
        assert_eq!(read_all([&bytes[..at], &vec![7; more], &bytes[at..]].concat(), &blocks), None);
    }
}

#[test]
fn runs_of_rubbish_are_seen() {
    let manifest = small_manifest();
    let (bytes, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
    for seed in 0..500 {
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

/// A file that is cut short while it is open: plain reads notice it.
#[test]
fn a_file_cut_short_under_plain_reads_is_an_error() {
    let manifest = small_manifest();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    write(&path, &manifest, &blocks_of(&manifest));
    let table = Table::open(&path, Access::Read, Cache::new(0)).expect("opened");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("opened for writing");
    file.set_len(HEADER_BYTES as u64 + 10).expect("cut");
    let last = blocks_of(&manifest).pop().expect("blocks").0;
    let error = table.block(last).expect_err("it is gone");
    assert!(matches!(error.reason, Reason::Io { .. }) && error.block.is_some(), "{error}");
}

#[test]
fn other_files_are_not_tables() {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    for (bytes, expected) in [
        (vec![], "unfinished"),
        (vec![0; 300], "unfinished"),
        (vec![0; 900], "unfinished"),
        (b"a text file\n".repeat(40), "not a pentago table"),
        (vec![1; 10], "not a pentago table"),
    ] {
        std::fs::write(&path, bytes).expect("written");
        for access in [Access::Map, Access::Read] {
            let error = Table::open(&path, access, Cache::new(0)).expect_err("no table");
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(Folder::open(folder.path()).expect("listed").damaged.len(), 1);
    }
    let mut newer = bytes_of(&small_manifest());
    newer[8] = 3;
    let error = Table::new(&path, Box::new(newer), Cache::new(0)).expect_err("too new");
    assert!(matches!(error.reason, Reason::Version(3)), "{error}");
    // The format before this one had other structures: it is told by its number alone.
    let mut older = bytes_of(&small_manifest());
    older[8] = 1;
    for len in [300, older.len()] {
        let error = Table::new(&path, Box::new(older[..len].to_vec()), Cache::new(0)).expect_err("too old");
        assert!(matches!(error.reason, Reason::Version(1)), "{error}");
        assert!(error.to_string().ends_with("no longer reads: build the table again"), "{error}");
    }
    let error = Table::open(Path::new("nowhere.pentago"), Access::Map, Cache::new(0)).expect_err("not there");
    assert!(error.to_string().contains("check the name"), "{error}");
}
