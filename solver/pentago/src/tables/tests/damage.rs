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

/// At every fifth byte.
#[test]
fn flipped_bits_are_seen_with_every_codec() {
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
            let coder = BlockCodec::new(codec, &manifest.target, manifest.slice);
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
                    let refused = read == Err(CodecError::Tag(tag));
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
