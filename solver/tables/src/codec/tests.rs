//! Tests of encoding and decoding, and of damaged payloads.

use super::dense::{EQUAL, PLAIN, ZSTD};
use super::*;
use pentago_core::supers::{Half, Super};
use pentago_core::values::Entry;
use proptest::prelude::*;

/// Returns a pseudorandom word that depends on `x` (SplitMix64).
pub fn mix(x: u64) -> u64 {
    pentago_base::mix(x.wrapping_add(pentago_base::GOLDEN))
}

/// Returns `len` consistent entries of pseudorandom bits.
pub fn random_entries(len: usize, seed: u64) -> Vec<Entry> {
    let word = |i: u64| mix(seed.wrapping_mul(0x1_0001).wrapping_add(i));
    let entry = |i: u64| {
        let halves = |j: u64| {
            [Half([word(8 * i + j), word(8 * i + j + 1)]), Half([word(8 * i + j + 2), word(8 * i + j + 3)])]
        };
        let (win, mut not_lose) = (Super(halves(0)), Super(halves(4)));
        for (n, w) in not_lose.0.iter_mut().zip(win.0) {
            n.0 = [n.0[0] | w.0[0], n.0[1] | w.0[1]];
        }
        Entry { win, not_lose }
    };
    (0..len as u64).map(entry).collect()
}

/// Returns entries that resemble real entries: neighbours are similar, and most bits of an entry
/// are equal.
pub fn real_like_entries(len: usize, seed: u64) -> Vec<Entry> {
    let noise = random_entries(len, seed);
    let base = random_entries(len / 16 + 1, seed + 1);
    let similar = |i: usize| {
        let (e, a, b) = (base[i / 16], noise[i], noise[(i + 1) % len]);
        let mut out = Entry::default();
        for half in 0..2 {
            for word in 0..2 {
                let [p, q] = [a.win.0[half], b.win.0[1 - half]];
                let sparse = p.0[0] & p.0[1] & q.0[0] & q.0[1] & b.win.0[half].0[word];
                let spread = if e.win.0[0].0[0] >> (i % 16) & 1 == 0 { 0 } else { !0 };
                out.win.0[half].0[word] = spread & !sparse;
                out.not_lose.0[half].0[word] = spread | sparse & a.not_lose.0[half].0[word];
            }
        }
        out
    };
    (0..len).map(similar).collect()
}

fn round_trip(entries: &[Entry], level: Level) -> Vec<u8> {
    let mut payload = vec![7];
    encode(entries, level, &mut payload);
    assert_eq!(payload.remove(0), 7, "the payload is appended");
    assert!(payload.len() <= longest_payload(entries.len()));
    let mut back = vec![Entry::default(); entries.len()];
    decode(&payload, &mut back).expect("what was encoded");
    assert!(back == entries);
    payload
}

#[test]
fn blocks_come_back() {
    for len in [1, 2, 8, 100, 512, 625, 4096] {
        for level in [Level::SCRATCH, Level::KEPT] {
            let constant = round_trip(&vec![random_entries(1, 5)[0]; len], level);
            assert_eq!((constant[0], constant.len()), (EQUAL, 65));
            let random = round_trip(&random_entries(len, 1), level);
            let real = round_trip(&real_like_entries(len, 2), level);
            if len >= 512 {
                assert!(
                    real[0] == ZSTD && 2 * real.len() < random.len(),
                    "{} of {}",
                    real.len(),
                    random.len()
                );
            }
        }
    }
}

#[test]
fn threads_and_earlier_blocks_change_no_byte() {
    let entries = real_like_entries(4096, 3);
    let expected = round_trip(&entries, Level::KEPT);
    std::thread::scope(|scope| {
        for i in 0..3 {
            let (entries, expected) = (&entries, &expected);
            scope.spawn(move || {
                round_trip(&real_like_entries(1000 + i, 9), Level::SCRATCH);
                round_trip(&random_entries(100, i as u64), Level::KEPT);
                assert!(&round_trip(entries, Level::KEPT) == expected);
            });
        }
    });
}

#[test]
fn wrong_payloads_are_refused() {
    let entries = real_like_entries(100, 4);
    let payload = round_trip(&entries, Level::KEPT);
    let mut into = vec![Entry::default(); 100];
    let mut refused = |payload: &[u8], len: usize| decode(payload, &mut into[..len]).unwrap_err();
    assert_eq!(refused(&[], 100), CodecError::Empty);
    assert_eq!(refused(&[9, 1], 100), CodecError::Tag(9));
    assert_eq!(refused(&[3, 1], 100), CodecError::Tag(3));
    assert_eq!(refused(&[EQUAL, 1], 100), CodecError::Length { found: 1, expected: 64 });
    assert!(matches!(refused(&payload, 99), CodecError::Padding), "the same plane length, one entry less");
    assert!(matches!(refused(&payload, 50), CodecError::Zstd(_)));
    let longer = [&payload[..], &[0]].concat();
    assert!(matches!(refused(&longer, 100), CodecError::Zstd(_)));
    let mut plain = vec![0; 1 + planes_bytes(100)];
    plain[0] = PLAIN;
    plain[1] = 0x10;
    decode(&plain, &mut into).expect("a payload");
    assert_eq!(check(&into), Err(CodecError::Inconsistent(4)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damage_is_an_error_or_harmless(len in 1usize..300, at: usize, bit in 0u8..8, cut: usize) {
        let entries = real_like_entries(len, 6);
        let payload = round_trip(&entries, Level::SCRATCH);
        let mut into = vec![Entry::default(); len];
        let mut flipped = payload.clone();
        flipped[at % payload.len()] ^= 1 << bit;
        // A payload has no checksum, so a flipped bit may lead to wrong values, but never to a
        // panic.
        if decode(&flipped, &mut into).is_ok() && check(&into).is_ok() {
            prop_assert!(into.iter().all(Entry::is_consistent));
        }
        prop_assert!(decode(&payload[..cut % payload.len()], &mut into).is_err());
    }
}
