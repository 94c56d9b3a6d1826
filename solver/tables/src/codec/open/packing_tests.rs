//! Tests of the packing of open bits against its definition.

use crate::codec::tests::{mix, random_entries};
use pentago_core::kernel::Kernel;
use pentago_core::supers::{Half, Super};
use pentago_core::values::open_bits::{OpenBits, pack, unpack};
use pentago_core::values::{Entry, words};

/// Returns the entry that consists of the given words: the inverse of [`words`].
fn of_words(win: [u64; 4], not_lose: [u64; 4]) -> Entry {
    let [win, not_lose] = [win, not_lose].map(|[a, b, c, d]| Super([Half([a, b]), Half([c, d])]));
    Entry { win, not_lose }
}

/// On every kernel, packing yields the bits that the definition yields.
#[test]
fn open_bits_are_packed() {
    for len in [1, 2, 9, 100] {
        let noise = random_entries(2 * len, 3);
        let guess: Vec<Entry> = noise[len..]
            .iter()
            .enumerate()
            .map(|(i, e)| {
                // This guess leaves few bits open, as the guesses of most blocks do.
                let mut few = *e;
                for (half, win) in few.not_lose.0.iter_mut().zip(&e.win.0) {
                    for (w, word) in half.0.iter_mut().enumerate() {
                        *word = win.0[w] | *word & mix((2 * i + w) as u64) & mix(!(i as u64));
                    }
                }
                let open = Entry { win: Default::default(), not_lose: e.not_lose };
                [*e, Entry::default(), open, few][i % 4]
            })
            .collect();
        // Returns an entry with its values limited to the bounds of the guess.
        let within = |(entry, guess): (&Entry, &Entry)| {
            let ([win, not_lose], [lower, upper]) = (words(entry), words(guess));
            let mut entry = Entry::default();
            for i in 0..4 {
                entry.win.0[i / 2].0[i % 2] = (win[i] | lower[i]) & upper[i];
                entry.not_lose.0[i / 2].0[i % 2] = (not_lose[i] | win[i] | lower[i]) & upper[i];
            }
            entry
        };
        let entries: Vec<Entry> = noise.iter().zip(&guess).map(within).collect();
        let mut expected = Vec::new();
        for set in [1, 0] {
            let mut bits = Vec::new();
            for (entry, guess) in entries.iter().zip(&guess) {
                let (entry, [lower, upper]) = (words(entry), words(guess));
                for (i, place) in (0..4).flat_map(|i| (0..64).map(move |place| (i, place))) {
                    let is = |word: u64| word >> place & 1 != 0;
                    if is(upper[i]) && !is(lower[i]) && (set == 1 || is(entry[1][i])) {
                        bits.push(is(entry[set][i]));
                    }
                }
            }
            let byte = |eight: &[bool]| {
                eight.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i)
            };
            expected.extend(bits.chunks(8).map(byte));
        }
        for kernel in Kernel::available() {
            // Pack other entries first: the previous content of the buffer must not change the
            // result.
            let mut open = OpenBits::default();
            pack(kernel, &noise[..len], &guess, &mut open);
            let packed = pack(kernel, &entries, &guess, &mut open).map(|parts| parts.concat());
            assert!(packed.as_ref() == Some(&expected), "{kernel}");
            // If a bit of the last entry violates the bounds, packing must return `None`.
            let (last, i) = (len - 1, len % 4);
            let ([win, not_lose], [lower, upper]) = (words(&entries[last]), words(&guess[last]));
            let lowest = |word: u64| word & word.wrapping_neg();
            for (plane, bit) in [(0, lowest(lower[i])), (0, lowest(!not_lose[i])), (1, lowest(!upper[i]))] {
                let mut planes = [win, not_lose];
                planes[plane][i] ^= bit;
                let mut outside = entries.clone();
                outside[last] = of_words(planes[0], planes[1]);
                let packed = pack(kernel, &outside, &guess, &mut open).map(|parts| parts.concat());
                assert!(packed.as_ref() == Some(&expected).filter(|_| bit == 0), "{kernel}");
            }
            let mut back = guess.clone();
            assert!(unpack(kernel, &expected, &mut back), "{kernel}");
            assert!(back == entries, "{kernel}");
            let longer = [&expected[..], &[0]].concat();
            assert!(!unpack(kernel, &longer, &mut guess.clone()));
            if let Some((_, shorter)) = expected.split_last() {
                assert!(!unpack(kernel, shorter, &mut guess.clone()));
            }
        }
    }
}
