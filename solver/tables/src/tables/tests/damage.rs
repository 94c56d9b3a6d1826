//! Tests of payloads that the writer never writes. The tests of `pentago-store` cover files with
//! changed bytes.

use super::*;
use crate::codec::CodecError;

/// Another program might write a wrong payload with a correct checksum. Reading such a payload
/// returns an error or other consistent values, and never panics. Tags that belong to another codec
/// are refused.
#[test]
fn any_payload_is_read_without_a_panic() {
    for manifest in [late_manifest(), root_content()] {
        let blocks = guessed(&manifest);
        for codec in CODECS {
            let coder = BlockCodec::new(codec, &manifest.target, manifest.slice);
            for (seed, (id, entries)) in (0u64..).zip(&blocks) {
                let array = &manifest.arrays[id.array as usize];
                let payload = coder.encode(array, id.block, entries, None).expect("consistent");
                let mut into = vec![Entry::default(); entries.len()];
                coder.decode(array, id.block, &payload, &mut into).expect("what was encoded");
                assert!(into == *entries);
                for tag in 0..=255 {
                    let mut other = payload.clone();
                    other[0] = tag;
                    let read = coder.decode(array, id.block, &other, &mut into);
                    let known = match codec {
                        Codec::Zstd(_) => tag < 3,
                        Codec::Open(_) => tag < 3 || (3..=5).contains(&tag),
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
