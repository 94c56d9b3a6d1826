//! Open bits: the bits that the guess of a [`Predictor`](super::Predictor) leaves undecided.
//!
//! A guess consists of bounds on `win` and `not_lose`. The bounds decide positions in which a
//! player wins in one move, or cannot prevent a line of the opponent. Where the `win` of the guess
//! is 1, the true `win` is 1. Where the `not_lose` of the guess is 0, the true `not_lose` is 0, and
//! so is `win`. The remaining 4 to 20% of the bits are *open*, and only the open bits are stored.
//! There are two presets:
//!
//! | preset | method | purpose |
//! |---|---|---|
//! | [`Preset::Quick`] | stores the open bits, except bytes of 8 equal bits | the default |
//! | [`Preset::Compact`] | codes each bit with a probability from four contexts | smaller tables |
//!
//! With a guess, [`Preset::Compact`] codes only one of several rotations that show the same board
//! (`orbits`). `batches` collects the contexts, `model` turns the contexts into probabilities, and
//! `coder` is the entropy coder.
//!
//! If a block has no guess, or has values outside the bounds of its guess, all bits are open.

mod batches;
mod coder;
mod model;
mod neighbours;
mod orbits;
mod planes;
mod quick_bits;
mod uniform;

use super::dense::{self, CodecError, Level, check, longest_payload, push_equal};
use batches::{BatchCoder, BatchWriter, code_batches};
use coder::Reader;
pub use neighbours::Neighbours;
use pentago_base::{GOLDEN, mix};
use pentago_core::kernel::Kernel;
use pentago_core::values::Entry;
pub use pentago_core::values::open_bits::{OpenBits, pack};
use quick_bits::QUICK;
use std::cell::RefCell;

/// The trade-off between speed and size of a table of open bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The preset with the fastest encoding and decoding: about 2 GB of entries per second.
    Quick,
    /// The preset with the smallest tables: half to three quarters of the size with
    /// [`Preset::Quick`]. Encoding and decoding handle at least 50 MB of entries per second.
    Compact,
}

impl Preset {
    /// Both presets, sorted by their codes in the file format.
    pub const ALL: [Preset; 2] = [Preset::Quick, Preset::Compact];
}

/// The tags of [`Preset::Compact`] payloads: `COMPACT` without a guess, `COMPACT_GUESSED` with a
/// guess.
const COMPACT: u8 = 4;
const COMPACT_GUESSED: u8 = 5;

/// Appends the payload of a block of at least one entry. The bytes are the same on every machine.
///
/// `guess` is the result of a [`Predictor`](super::Predictor), with one element per entry of the
/// block. If `guess` is `None`, or some value lies outside the bounds of `guess`, [`Preset::Quick`]
/// stores bit planes, compressed at zstd level 1.
///
/// # Errors
/// If an entry [isn't consistent](Entry::is_consistent). The error contains the index of the first
/// such entry.
///
/// # Panics
/// If `entries` is empty, or has another length than `guess` or `neighbours`.
pub fn encode(
    entries: &[Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    preset: Preset,
    payload: &mut Vec<u8>,
) -> Result<(), CodecError> {
    assert!(!entries.is_empty() && entries.len() == neighbours.len(), "no block is empty");
    assert!(guess.is_none_or(|guess| guess.len() == entries.len()), "a guess for each entry");
    let start = payload.len();
    if push_equal(entries, payload) {
        return check(&entries[..1]).inspect_err(|_| payload.truncate(start));
    }
    // `quick_bits::encode` returns `None` if a value lies outside the bounds of the guess. Values
    // within the bounds are consistent, so no other check is needed.
    let bits = guess.and_then(|guess| quick_bits::encode(entries, guess, payload));
    let guess = guess.filter(|_| bits.is_some());
    if guess.is_none() {
        check(entries)?;
    }
    let is_short = is_short(payload.len() - start, bits.unwrap_or(0));
    if guess.is_none() || preset != Preset::Quick && !is_short {
        let quick = payload.split_off(start);
        encode_as(entries, guess, neighbours, preset, payload);
        // If a block differs much from the training data, the code of the model may be longer than
        // the quick payload. The shorter payload is stored.
        if !quick.is_empty() && quick.len() < payload.len() - start {
            payload.truncate(start);
            payload.extend_from_slice(&quick);
        }
    }
    if payload.len() - start > longest_payload(entries.len()) {
        payload.truncate(start);
        dense::encode(entries, Level::SCRATCH, payload);
    }
    Ok(())
}

/// Returns `true` if a quick payload is so short that [`Preset::Compact`] stores it unchanged.
/// `payload` is the length of the payload in bytes, and `bits` is the number of bytes with open
/// bits. The payload may be as long as the states of the coder, or a 200th of `bits`. Near the end
/// of the game, most payloads are this short.
fn is_short(payload: usize, bits: usize) -> bool {
    (3..=coder::STATE_BYTES.max(bits / 200)).contains(&payload)
}

/// Appends the same payload as [`encode`] would, but without the guess. `open` contains both parts
/// of the [`OpenBits`] of the block. Returns `false`, and appends nothing, if the payload depends
/// on the guess.
pub(crate) fn encode_bits(
    entries: &[Entry],
    open: [&[u8]; 2],
    preset: Preset,
    payload: &mut Vec<u8>,
) -> bool {
    if push_equal(entries, payload) {
        return true;
    }
    let start = payload.len();
    let bits = quick_bits::encode_bits(open, payload);
    let len = payload.len() - start;
    let is_final = preset == Preset::Quick && len <= longest_payload(entries.len()) || is_short(len, bits);
    if !is_final {
        payload.truncate(start);
    }
    is_final
}

/// Appends the payload of `preset`, even if another encoding would be shorter. The entries lie
/// within the bounds of `guess`.
fn encode_as(
    entries: &[Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    preset: Preset,
    payload: &mut Vec<u8>,
) {
    match (preset, guess) {
        (Preset::Quick, None) => dense::encode(entries, Level::SCRATCH, payload),
        (Preset::Quick, Some(guess)) => {
            let bits = quick_bits::encode(entries, guess, payload);
            debug_assert!(bits.is_some(), "the guess was filtered");
        }
        (Preset::Compact, _) => {
            // If the entries are equal within each orbit, the model codes one rotation per orbit.
            // Otherwise the guess is ignored.
            let guess = guess.filter(|_| neighbours.are_folded(entries));
            payload.push(if guess.is_some() { COMPACT_GUESSED } else { COMPACT });
            let mut writer = BatchWriter(Vec::new());
            code_batches(Kernel::best(), &mut entries.to_vec(), guess, neighbours, &mut writer);
            coder::write(&writer.0, payload);
        }
    }
}

/// Decodes the first `entries.len()` entries of a block from its payload, which may have any
/// preset. If [`encode`] used a guess, this function calls `guess` once. `guess` must then fill its
/// argument with the guess of the whole block; the previous content of the argument is arbitrary. A
/// payload of [`Preset::Compact`] is decoded only up to the last requested entry. The rest of the
/// payload isn't checked.
///
/// The decoded entries are [consistent](Entry::is_consistent). Even for a damaged payload, the
/// memory in use is at most a few times the size of the entries.
///
/// # Errors
/// If the payload is invalid. The contents of `entries` are then unspecified.
///
/// # Panics
/// If `entries` is longer than `neighbours`.
pub fn decode(
    payload: &[u8],
    guess: impl FnOnce(&mut [Entry]),
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    assert!(entries.len() <= neighbours.len());
    let (&tag, body) = payload.split_first().ok_or(CodecError::Empty)?;
    // Decoding open bits always produces consistent entries. Only bit planes need a check.
    match tag {
        COMPACT => decode_compact(body, None, neighbours, entries),
        COMPACT_GUESSED => GUESS.with_borrow_mut(|bounds| {
            bounds.resize(neighbours.len(), Entry::default());
            guess(bounds);
            decode_compact(body, Some(bounds), neighbours, entries)
        }),
        _ if entries.len() < neighbours.len() => {
            let mut all = vec![Entry::default(); neighbours.len()];
            decode(payload, guess, neighbours, &mut all)?;
            entries.copy_from_slice(&all[..entries.len()]);
            Ok(())
        }
        QUICK => {
            guess(entries);
            quick_bits::decode(body, entries)
        }
        _ => {
            dense::decode(payload, entries)?;
            check(entries)
        }
    }
}

thread_local! {
    static GUESS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

fn decode_compact(
    body: &[u8],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    let mut reader = Reader::new(body).ok_or(CodecError::Bits)?;
    code_batches(Kernel::best(), entries, guess, neighbours, &mut reader);
    let is_sound = if entries.len() < neighbours.len() { !reader.is_short() } else { reader.is_at_end() };
    if is_sound { Ok(()) } else { Err(CodecError::Bits) }
}

/// A pseudorandom number generator (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u16 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0) as u16
    }
}

/// Draws random bits: each bit is 1 with the probability that the model predicts.
impl BatchCoder for Dice {
    fn batch(&mut self, count: usize, p: impl Fn(usize) -> u16, _: u64) -> u64 {
        (0..count).fold(0, |bits, i| bits | u64::from(self.roll() <= p(i)) << i)
    }
}

/// Returns random entries within the bounds of a guess, drawn with the probabilities of the model.
/// [`Preset::Compact`] takes as long for these entries as for real entries. Equal seeds produce
/// equal entries.
pub fn typical(guess: &[Entry], neighbours: &Neighbours, seed: u64) -> Vec<Entry> {
    let mut entries = vec![Entry::default(); guess.len()];
    code_batches(Kernel::best(), &mut entries, Some(guess), neighbours, &mut Dice(seed));
    entries
}

/// Returns the entries `typical` with more repetition: about `repeats` in 65,536 entries are
/// replaced by the preceding entry, limited to the bounds of the guess. Real entries repeat one
/// another more often than the model expects. With repeated entries, more bytes of open bits
/// consist of eight equal bits.
pub fn repeating(typical: &[Entry], guess: &[Entry], repeats: u16, seed: u64) -> Vec<Entry> {
    let (mut dice, mut before) = (Dice(seed), Entry::default());
    let entry = |(typical, guess): (&Entry, &Entry)| {
        if dice.roll() < repeats {
            for parity in 0..2 {
                let [win, not_lose] = [guess.win.0[parity], guess.not_lose.0[parity]];
                let not_lose = before.not_lose.0[parity] & not_lose | win;
                before.win.0[parity] = before.win.0[parity] & not_lose | win;
                before.not_lose.0[parity] = not_lose;
            }
        } else {
            before = *typical;
        }
        before
    };
    typical.iter().zip(guess).map(entry).collect()
}

#[cfg(test)]
mod packing_tests;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;
