//! Tests of encoding and decoding blocks with real guesses, of damaged payloads, and of payload
//! bytes that must not change.

use super::coder::Choice;
use super::*;
use crate::codec::tests::{mix, random_entries, real_like_entries};
use crate::codec::{Predictor, longest_payload};
use pentago_core::index::Section;
use pentago_core::rules::Rules;
use pentago_core::supers::Super;
use proptest::prelude::*;
use std::ops::Range;
use twox_hash::XxHash3_64;

/// Returns the location of a block, the guess for it, and invented values. The values lie within
/// the bounds, are equal within each orbit, and are as similar to one another as real values.
fn block(rules: Rules, section: Section, ranges: &[Range<u32>; 4]) -> (Neighbours, Vec<Entry>, Vec<Entry>) {
    let neighbours = Neighbours::Section(rules, section, ranges.clone());
    let mut guess = vec![Entry::default(); neighbours.len()];
    Predictor::new(rules, section.marbles() as u8).guess(section, ranges, &mut guess);
    let values = folded(&within(&real_like_entries(guess.len(), 5), &guess), &neighbours);
    (neighbours, guess, values)
}

/// Returns copies of `entries`, limited to the bounds of the guess.
fn within(entries: &[Entry], guess: &[Entry]) -> Vec<Entry> {
    let of = |(entry, guess): (&Entry, &Entry)| {
        let ([a, b, c, d], [e, f, g, h]) = (planes::planes(entry), planes::planes(guess));
        let not_lose =
            [(c, e, g), (d, f, h)].map(|(x, lower, upper)| planes::or(planes::and(x, upper), lower));
        let win = [(a, e, not_lose[0]), (b, f, not_lose[1])];
        let win = win.map(|(x, lower, upper)| planes::or(planes::and(x, upper), lower));
        planes::entry(&[win[0], win[1], not_lose[0], not_lose[1]])
    };
    entries.iter().zip(guess).map(of).collect()
}

/// Returns copies of `entries` that have equal values within each orbit: the value of the orbit's
/// first rotation.
fn folded(entries: &[Entry], neighbours: &Neighbours) -> Vec<Entry> {
    let links = neighbours.links();
    let of = |(number, entry): (usize, &Entry)| {
        let (_, orbits) = links.of(number);
        let [a, b, c, d] = planes::planes(entry);
        let [[a, b], [c, d]] = [[a, b], [c, d]].map(|set| {
            let first = [0, 1].map(|p| planes::and(set[p], orbits.first[p]));
            orbits.close(first)
        });
        planes::entry(&[a, b, c, d])
    };
    entries.iter().enumerate().map(of).collect()
}

fn blocks() -> Vec<(Neighbours, Vec<Entry>, Vec<Entry>)> {
    let clockwise: Rules = "pentago:dir=cw,both=mover".parse().expect("rules");
    vec![
        block(
            Rules::default(),
            Section::new([[3, 3], [3, 2], [4, 4], [2, 3]]).expect("a section"),
            &[8..16, 0..8, 40..48, 96..104],
        ),
        block(
            Rules::default(),
            Section::new([[0, 0], [4, 5], [5, 4], [4, 4]]).expect("a section"),
            &[0..1, 0..3, 0..5, 2..4],
        ),
        block(
            clockwise,
            Section::new([[4, 4], [4, 4], [4, 4], [4, 4]]).expect("a section"),
            &[0..2, 8..10, 0..8, 60..66],
        ),
        block(
            Rules::mini(),
            Section::new([[1, 1], [1, 1], [1, 1], [1, 1]]).expect("a section"),
            &[0..3, 0..3, 0..2, 1..3],
        ),
    ]
}

fn payload(entries: &[Entry], guess: Option<&[Entry]>, neighbours: &Neighbours, preset: Preset) -> Vec<u8> {
    let mut payload = vec![7];
    encode(entries, guess, neighbours, preset, &mut payload).expect("consistent");
    assert_eq!(payload.remove(0), 7, "the payload is appended");
    payload
}

/// Returns `true` if an entry is consistent and lies within the bounds of its guess.
fn keeps_to(entry: &Entry, guess: &Entry) -> bool {
    let within = |low: &Super, high: &Super| {
        low.0.iter().zip(&high.0).all(|(low, high)| (0..2).all(|i| low.0[i] & !high.0[i] == 0))
    };
    let ordered = [&guess.win, &entry.win, &entry.not_lose, &guess.not_lose];
    ordered.windows(2).all(|pair| within(pair[0], pair[1]))
}

/// Tests that entries survive encoding and decoding, both by `encode`, which chooses the shortest
/// payload, and by `encode_as`. Returns the payload of `encode_as`.
fn round_trip(
    entries: &[Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    preset: Preset,
) -> Vec<u8> {
    let shortest = payload(entries, guess, neighbours, preset);
    assert!(shortest.len() <= longest_payload(entries.len()));
    let held = guess.filter(|g| entries.iter().zip(*g).all(|(entry, guess)| keeps_to(entry, guess)));
    let mut exact = Vec::new();
    if entries.iter().all(|e| e == &entries[0]) {
        exact.clone_from(&shortest);
    } else {
        encode_as(entries, held, neighbours, preset, &mut exact);
        assert!(shortest.len() <= exact.len());
    }
    // The initial content of the buffer must not change the decoded entries. Try two different
    // contents.
    for fill in [Entry::default(), random_entries(1, 8)[0]] {
        for payload in [&shortest, &exact] {
            let mut back = vec![fill; entries.len()];
            let give = |into: &mut [Entry]| into.copy_from_slice(guess.expect("a guess was given"));
            decode(payload, give, neighbours, &mut back).expect("what was encoded");
            assert!(back == entries);
        }
    }
    exact
}

/// Returns the bits that the model codes, each with its probability.
fn coded(entries: &[Entry], guess: Option<&[Entry]>, neighbours: &Neighbours) -> Vec<Choice> {
    let mut writer = BatchWriter(Vec::new());
    code_batches(Kernel::best(), &mut entries.to_vec(), guess, neighbours, &mut writer);
    writer.0
}

/// Decoding with the model returns the encoded entries: for real-like values, for noise and for
/// typical values, and also if only the first entries are decoded.
#[test]
fn the_model_reads_its_own_bits() {
    let mut sizes = 0;
    for (neighbours, guess, values) in blocks() {
        let len = values.len();
        let noise = folded(&within(&random_entries(len, 3), &guess), &neighbours);
        let likely = typical(&guess, &neighbours, 7);
        for (values, guess) in
            [&values, &noise, &likely].into_iter().flat_map(|v| [(v, Some(&guess[..])), (v, None)])
        {
            let mut body = Vec::new();
            coder::write(&coded(values, guess, &neighbours), &mut body);
            sizes += body.len();
            for first in [1, 2, len / 3, len - 1, len] {
                let mut back = vec![Entry::default(); first];
                decode_compact(&body, guess, &neighbours, &mut back).expect("what was encoded");
                assert!(back == values[..first]);
            }
            // Extra bytes at the end are an error only if all entries are decoded.
            let mut longer = body.clone();
            longer.extend([0, 0]);
            let mut back = vec![Entry::default(); len];
            assert!(decode_compact(&longer, guess, &neighbours, &mut back).is_err());
            assert!(decode_compact(&longer, guess, &neighbours, &mut back[..len - 1]).is_ok());
            assert!(back[..len - 1] == values[..len - 1]);
            // A code that is too short is an error even if only the first entries are decoded.
            let shorter = &body[..body.len().min(coder::STATE_BYTES)];
            assert!(
                body.len() < coder::STATE_BYTES + 64
                    || decode_compact(shorter, guess, &neighbours, &mut back[..len - 1]).is_err()
            );
        }
    }
    assert!(sizes > 10_000, "{sizes}");
}

/// For every payload, decoding only the first entries returns the same values as decoding the whole
/// block.
#[test]
fn the_first_entries_are_those_of_the_block() {
    for (neighbours, guess, values) in blocks() {
        for (preset, guess) in Preset::ALL.into_iter().flat_map(|p| [(p, Some(&guess[..])), (p, None)]) {
            let mut payload = Vec::new();
            encode_as(&values, guess, &neighbours, preset, &mut payload);
            for first in [1, values.len() / 2, values.len() - 1, values.len()] {
                let give = |into: &mut [Entry]| into.copy_from_slice(guess.expect("it is needed"));
                let mut back = vec![Entry::default(); first];
                decode(&payload, give, &neighbours, &mut back).expect("what was encoded");
                assert!(back == values[..first]);
            }
        }
    }
}

#[test]
fn blocks_come_back() {
    for (neighbours, guess, values) in blocks() {
        assert!(values.iter().zip(&guess).all(|(value, guess)| keeps_to(value, guess)));
        for preset in Preset::ALL {
            let tag = round_trip(&values, Some(&guess), &neighbours, preset)[0];
            assert_eq!(tag, [QUICK, COMPACT_GUESSED][preset as usize]);
            // First test values whose guess leaves no bit open, then values that equal the guess.
            let sure: Vec<Entry> = guess.iter().map(|g| Entry { not_lose: g.win, ..*g }).collect();
            round_trip(&sure, Some(&sure), &neighbours, preset);
            round_trip(&guess, Some(&guess), &neighbours, preset);
            round_trip(&values, None, &neighbours, preset);
            // Test random entries, which usually lie outside the bounds.
            let noise = random_entries(values.len(), 9);
            let tag = round_trip(&noise, Some(&guess), &neighbours, preset)[0];
            let keeps = noise.iter().zip(&guess).all(|(value, guess)| keeps_to(value, guess));
            assert!(keeps || !matches!(tag, QUICK | COMPACT_GUESSED));
            round_trip(&within(&noise, &guess), Some(&guess), &neighbours, preset);
            let equal = round_trip(&vec![noise[0]; values.len()], Some(&guess), &neighbours, preset);
            assert_eq!((equal[0], equal.len()), (0, 65));
        }
    }
}

#[test]
fn lists_come_back() {
    for len in [1, 2, 5, 64, 1000] {
        let neighbours = Neighbours::List(len);
        let (real, noise) = (real_like_entries(len, 3), random_entries(len, 4));
        for preset in Preset::ALL {
            let sizes = [&real, &noise].map(|entries| round_trip(entries, None, &neighbours, preset).len());
            assert!(len < 64 || 2 * sizes[0] < sizes[1], "{len}: {sizes:?}");
        }
    }
}

/// The bytes of a payload may change only in a new version of the format. In the second block, one
/// quadrant is empty, and other quadrants have patterns that half a turn leaves unchanged.
#[test]
fn the_bytes_stay() {
    for (expected, (neighbours, guess, values)) in HASHES.into_iter().zip(blocks()) {
        let hashes = Preset::ALL.map(|preset| {
            let mut payload = Vec::new();
            encode_as(&values, Some(&guess), &neighbours, preset, &mut payload);
            format!("{:016x}", XxHash3_64::oneshot(&payload))
        });
        assert_eq!(hashes, expected);
    }
}

/// If a quadrant is empty, only one of its four turns is coded. Values that differ within an orbit,
/// which no real board has, are encoded without the guess.
#[test]
fn copies_are_not_coded() {
    let (neighbours, guess, values) = blocks().swap_remove(1);
    let bits = |guess: Option<&[Entry]>| coded(&values, guess, &neighbours).len();
    // Without a guess, more bits are open, and the bits of all rotations are coded.
    let open = |guess: &Entry| {
        let [a, b, c, d] = planes::planes(guess);
        [planes::and(c, planes::not(a)), planes::and(d, planes::not(b))]
    };
    let all: u32 = guess.iter().flat_map(open).map(planes::ones).sum();
    assert!(4 * bits(Some(&guess)) <= 2 * all as usize && bits(None) >= 256 * values.len());
    // Make an entry whose draws and losses differ within an orbit.
    let (links, mut other) = (neighbours.links(), values.clone());
    let number = guess.iter().position(|guess| open(guess) != [planes::NONE; 2]).expect("open bits");
    let ([a, b, ..], (_, orbits)) = (planes::planes(&guess[number]), links.of(number));
    let first = [0, 1].map(|p| planes::and(open(&guess[number])[p], orbits.first[p]));
    other[number] = planes::entry(&[a, b, planes::or(a, first[0]), planes::or(b, first[1])]);
    assert!(!neighbours.are_folded(&other) && keeps_to(&other[number], &guess[number]));
    assert_eq!(round_trip(&other, Some(&guess), &neighbours, Preset::Compact)[0], COMPACT);
}

const HASHES: [[&str; 2]; 2] =
    [["27cbe32331a16ccf", "9065e05f67e43aad"], ["0757bccbed1084df", "e7174b2b9454d37a"]];

#[test]
fn threads_and_earlier_blocks_change_no_byte() {
    let blocks = blocks();
    for preset in Preset::ALL {
        let all = || -> Vec<Vec<u8>> {
            blocks
                .iter()
                .map(|(neighbours, guess, values)| payload(values, Some(guess), neighbours, preset))
                .collect()
        };
        let expected = all();
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..2).map(|_| scope.spawn(all)).collect();
            assert!(others.into_iter().all(|other| other.join().expect("no panic") == expected));
        });
    }
}

#[test]
fn wrong_payloads_are_refused() {
    let (neighbours, guess, values) = blocks().swap_remove(1);
    let mut into = vec![Entry::default(); values.len()];
    let mut refused = |payload: &[u8]| {
        decode(payload, |into| into.copy_from_slice(&guess), &neighbours, &mut into).unwrap_err()
    };
    assert_eq!(refused(&[]), CodecError::Empty);
    assert_eq!(refused(&[6, 1]), CodecError::Tag(6));
    for tag in [COMPACT, COMPACT_GUESSED] {
        assert_eq!(refused(&[tag]), CodecError::Bits);
        assert_eq!(refused(&[tag, 1, 2, 3]), CodecError::Bits);
        assert_eq!(refused(&[&[tag][..], &[0xff; 32]].concat()), CodecError::Bits);
    }
    assert_eq!(refused(&[QUICK]), CodecError::Bits);
    assert_eq!(refused(&[QUICK, 1]), CodecError::Bits);
    assert_eq!(refused(&[QUICK, 2]), CodecError::Bits);
    assert_eq!(refused(&[QUICK, 0, 1]), CodecError::Bits);
    for preset in Preset::ALL {
        let good = payload(&values, Some(&guess), &neighbours, preset);
        refused(&[&good[..], &[0]].concat());
        refused(&[&good[..], &[0, 0]].concat());
        refused(&good[..good.len() - 1]);
        refused(&good[..good.len() - 2]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Arbitrary values survive encoding and decoding, with arbitrary bounds. Decoding a payload
    /// with a flipped bit returns an error or consistent values, and never panics.
    #[test]
    fn any_block_comes_back(
        len in 1usize..120, seed: u64, of in 0usize..4, at: usize, bit in 0u8..8, cut: usize,
    ) {
        let neighbours = Neighbours::List(len);
        let noise = random_entries(2 * len, seed);
        let guessed = |(i, e): (usize, &Entry)| match (of, mix(seed + i as u64) % 3) {
            (0, _) | (1, 0) => *e,
            (2, _) | (1, 1) => Entry { win: Default::default(), not_lose: e.not_lose },
            _ => Entry { win: e.win, not_lose: e.win },
        };
        let guess: Vec<Entry> = noise[len..].iter().enumerate().map(guessed).collect();
        let values = within(&noise[..len], &guess);
        for preset in Preset::ALL {
            let mut payload = round_trip(&values, Some(&guess), &neighbours, preset);
            let mut into = vec![Entry::default(); len];
            let give = |into: &mut [Entry]| into.copy_from_slice(&guess);
            prop_assert!(decode(&payload[..cut % payload.len()], give, &neighbours, &mut into).is_err());
            let at = at % payload.len();
            payload[at] ^= 1 << bit;
            let give = |into: &mut [Entry]| into.copy_from_slice(&guess);
            if decode(&payload, give, &neighbours, &mut into).is_ok() {
                prop_assert!(into.iter().all(Entry::is_consistent));
            }
        }
    }
}

/// The result of `typical` lies within the bounds, and the compact payload is shorter than the
/// quick payload.
#[test]
fn typical_values_are_coded_by_the_model() {
    let section = Section::new([[3, 3], [3, 2], [4, 4], [2, 3]]).expect("a section");
    let ranges = [8..16, 0..8, 40..48, 96..104];
    let (neighbours, guess, _) = block(Rules::default(), section, &ranges);
    let values = typical(&guess, &neighbours, 1);
    assert!(values.iter().zip(&guess).all(|(entry, guess)| entry.is_consistent() && keeps_to(entry, guess)));
    assert!(values != guess);
    let [bits, model] =
        [Preset::Quick, Preset::Compact].map(|preset| payload(&values, Some(&guess), &neighbours, preset));
    assert!(model[0] == COMPACT_GUESSED && model.len() < bits.len(), "{} {}", model.len(), bits.len());
}

/// `encode` omits the model only if the quick payload is shorter than any payload of the model.
/// `encode` therefore always returns the shorter payload.
#[test]
fn the_smaller_payload_is_taken() {
    let mut left_out = 0;
    for (neighbours, guess, values) in blocks() {
        // If the values are the guess, all open rotations are draws. Skip blocks whose entries are
        // all equal, because their payload has another tag.
        for values in [&values, &guess].into_iter().filter(|values| values.iter().any(|v| v != &values[0])) {
            let [quick, compact] = Preset::ALL.map(|preset| {
                let mut payload = Vec::new();
                encode_as(values, Some(&guess), &neighbours, preset, &mut payload);
                payload
            });
            left_out += u32::from(quick.len() <= coder::STATE_BYTES);
            let smaller = if quick.len() < compact.len() { quick } else { compact };
            assert_eq!(payload(values, Some(&guess), &neighbours, Preset::Compact), smaller);
        }
    }
    assert!(left_out > 0, "the model is skipped for some block");
}
