//! What the guess leaves open, in few bytes.
//!
//! The guess of a [`Predictor`](super::Predictor) is not only mostly right, it is a bound: who wins
//! in one move wins, and who can't avoid a line of the other player doesn't draw. So `win` is known
//! to be 1 where the guess says so, `not_lose` to be 0 where the guess says so, and 0 in `not_lose`
//! means 0 in `win`. What is left open is 4 to 20% of the bits, and that is all that is stored.
//! Three ways:
//!
//! | preset | how | for |
//! |---|---|---|
//! | [`Preset::Transit`] | the open bits as they are, but for uniform bytes | the default |
//! | [`Preset::Fast`] | each open bit as likely as four contexts say | tables that should be smaller |
//! | [`Preset::Small`] | eight contexts, which go on learning in each block | tables that are copied often |
//!
//! With a guess, the models leave out rotations that show the same board as another (`orbits`). The
//! contexts are in `walk` and `model`, the entropy coder in `coder`.
//!
//! Blocks without a guess, or whose values don't keep to it, are coded with all bits open.

mod coder;
mod model;
mod neighbours;
mod orbits;
mod planes;
mod quick;
mod transit;
mod uniform;
#[doc(hidden)]
pub mod walk;

use super::{CodecError, Level, longest_payload};
use coder::{Choice, Reader};
use model::{Learning, Model, Static};
pub use neighbours::Neighbours;
use pentago_core::kernel::Kernel;
use pentago_core::values::Entry;
pub use pentago_core::values::open_bits::{OpenBits, pack};
use quick::{Noting, quick};
use std::cell::RefCell;
use walk::{CONTEXTS, Code, walk};

/// How a block is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// As fast as can be.
    Transit,
    /// In half to three quarters of that, 50 MB/s of entries and more.
    Fast,
    /// Smaller by another tenth, and slower.
    Small,
}

impl Preset {
    /// All kinds.
    pub const ALL: [Preset; 3] = [Preset::Transit, Preset::Fast, Preset::Small];
}

/// The tags; those before are of the bit planes, and of equal entries.
pub(super) const TRANSIT: u8 = 6;
const FAST: u8 = 7;
const FAST_WITH: u8 = 8;
const SMALL: u8 = 9;
pub(super) const SMALL_WITH: u8 = 10;

/// Appends the payload of a block of at least one entry; the same bytes on every machine.
///
/// The guess is an entry for each entry, of a [`Predictor`](super::Predictor), or none. Without
/// one, or where the values don't keep to it, [`Preset::Transit`] is the zstd 1 of the bit planes.
///
/// # Errors
/// The first entry that [isn't consistent](Entry::is_consistent).
///
/// # Panics
/// If there are no entries, or not as many as the guess and the neighbours have.
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
    if super::push_equal(entries, payload) {
        return super::check(&entries[..1]).inspect_err(|_| payload.truncate(start));
    }
    // Values that keep to a guess are consistent. That they do is seen while their bits are packed.
    let bits = guess.and_then(|guess| transit::encode(entries, guess, payload));
    let guess = guess.filter(|_| bits.is_some());
    if guess.is_none() {
        super::check(entries)?;
    }
    let is_short = is_short(payload.len() - start, bits.unwrap_or(0));
    if guess.is_none() || preset != Preset::Transit && !is_short {
        let transit = payload.split_off(start);
        encode_as(entries, guess, neighbours, preset, payload);
        // In blocks that are unlike those of the training a model may take more than the bits
        // themselves.
        if !transit.is_empty() && transit.len() < payload.len() - start {
            payload.truncate(start);
            payload.extend_from_slice(&transit);
        }
    }
    if payload.len() - start > longest_payload(entries.len()) {
        payload.truncate(start);
        super::encode(entries, Level::SCRATCH, payload);
    }
    Ok(())
}

/// With a tag and the states of the coder, no model makes less of the bits of a block than a payload of so many
/// bytes, if it has any; nor where that takes less than a 200th of the bits. Near the full board most blocks are
/// so.
fn is_short(payload: usize, bits: usize) -> bool {
    (3..=coder::HEAD.max(bits / 200)).contains(&payload)
}

/// Appends what [`encode`] does, where the open bits of the block are all that it needs; says whether it has.
/// They are both parts of [`OpenBits`].
pub fn encode_bits(entries: &[Entry], open: [&[u8]; 2], preset: Preset, payload: &mut Vec<u8>) -> bool {
    if super::push_equal(entries, payload) {
        return true;
    }
    let start = payload.len();
    let bits = transit::encode_bits(open, payload);
    let len = payload.len() - start;
    let is_all = preset == Preset::Transit && len <= longest_payload(entries.len()) || is_short(len, bits);
    if !is_all {
        payload.truncate(start);
    }
    is_all
}

/// Appends the payload of entries within the bounds, as the preset says, whatever it takes.
fn encode_as(
    entries: &[Entry],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    preset: Preset,
    payload: &mut Vec<u8>,
) {
    // With a guess, the models code one rotation of each orbit.
    let folded = || guess.filter(|_| neighbours.are_folded(entries));
    match (preset, guess) {
        (Preset::Transit, None) => super::encode(entries, Level::SCRATCH, payload),
        (Preset::Transit, Some(guess)) => {
            let bits = transit::encode(entries, guess, payload);
            debug_assert!(bits.is_some(), "the guess was filtered");
        }
        (Preset::Fast, _) => {
            let guess = folded();
            payload.push(if guess.is_some() { FAST_WITH } else { FAST });
            let mut notes = Noting(Vec::new());
            quick(Kernel::best(), &mut entries.to_vec(), guess, neighbours, &mut notes);
            coder::write(&notes.0, payload);
        }
        (Preset::Small, _) => {
            let guess = folded();
            payload.push(if guess.is_some() { SMALL_WITH } else { SMALL });
            let mut notes = Notes { model: Learning::new(), choices: Vec::new() };
            walk(&mut entries.to_vec(), guess, neighbours, &mut notes);
            coder::write(&notes.choices, payload);
        }
    }
}

/// Fills `entries` from a payload of as many entries, whichever codec made it. `guess` is called,
/// at most once, if the payload needs the guess that [`encode`] was given, to fill as many entries
/// with it, whatever they were.
///
/// What is decoded is [consistent](Entry::is_consistent). Whatever the payload is, no more memory
/// is taken than a few times that of the entries.
///
/// # Errors
/// If it isn't a payload; the entries are then unspecified.
///
/// # Panics
/// If there are not as many entries as the neighbours have.
pub fn decode(
    payload: &[u8],
    guess: impl FnOnce(&mut [Entry]),
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    assert_eq!(entries.len(), neighbours.len());
    decode_first(payload, guess, neighbours, entries)
}

/// The same for the first entries of a block, as many as there is room for. With [`Preset::Fast`]
/// and [`Preset::Small`] it ends with the last of them: whether what is behind them is a payload
/// isn't looked at.
///
/// # Errors
/// As [`decode`].
///
/// # Panics
/// If there are more entries than the neighbours have.
pub fn decode_first(
    payload: &[u8],
    guess: impl FnOnce(&mut [Entry]),
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    assert!(entries.len() <= neighbours.len());
    let &tag = payload.first().ok_or(CodecError::Empty)?;
    if entries.len() < neighbours.len() && !(FAST..=SMALL_WITH).contains(&tag) {
        let mut all = vec![Entry::default(); neighbours.len()];
        decode_all(tag, payload, guess, neighbours, &mut all)?;
        entries.copy_from_slice(&all[..entries.len()]);
        return Ok(());
    }
    decode_all(tag, payload, guess, neighbours, entries)
}

/// Decodes a payload.
fn decode_all(
    tag: u8,
    payload: &[u8],
    guess: impl FnOnce(&mut [Entry]),
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    let body = &payload[1..];
    // A win is always among what isn't lost in open bits: only planes have to be checked.
    match tag {
        TRANSIT => {
            guess(entries);
            transit::decode(body, entries)
        }
        FAST => read(body, None, neighbours, entries),
        SMALL => read_learning(body, None, neighbours, entries),
        FAST_WITH | SMALL_WITH => GUESS.with_borrow_mut(|bounds| {
            bounds.resize(neighbours.len(), Entry::default());
            guess(bounds);
            let read = if tag == FAST_WITH { read } else { read_learning };
            read(body, Some(bounds), neighbours, entries)
        }),
        _ => {
            super::decode(payload, entries)?;
            super::check(entries)
        }
    }
}

thread_local! {
    static GUESS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// Notes the bits to be written, with their probabilities.
struct Notes<M> {
    model: M,
    choices: Vec<Choice>,
}

impl<M: Model> Code for Notes<M> {
    const ALL: bool = M::ALL;

    #[inline(always)]
    fn code(&mut self, contexts: &[u16; CONTEXTS], bit: bool) -> bool {
        let p = self.model.predict(contexts);
        self.choices.push(Choice::new(p, bit));
        self.model.learn(contexts, p, bit);
        bit
    }
}

struct Reading<'a, M> {
    model: M,
    reader: Reader<'a>,
}

impl<M: Model> Code for Reading<'_, M> {
    const ALL: bool = M::ALL;

    #[inline(always)]
    fn code(&mut self, contexts: &[u16; CONTEXTS], _: bool) -> bool {
        let p = self.model.predict(contexts);
        let bit = self.reader.read(p);
        self.model.learn(contexts, p, bit);
        bit
    }
}

fn read(
    body: &[u8],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    let mut reader = Reader::new(body).ok_or(CodecError::Bits)?;
    quick(Kernel::best(), entries, guess, neighbours, &mut reader);
    sound(&reader, entries.len() < neighbours.len())
}

fn read_learning(
    body: &[u8],
    guess: Option<&[Entry]>,
    neighbours: &Neighbours,
    entries: &mut [Entry],
) -> Result<(), CodecError> {
    let reader = Reader::new(body).ok_or(CodecError::Bits)?;
    let mut reading = Reading { model: Learning::new(), reader };
    walk(entries, guess, neighbours, &mut reading);
    sound(&reading.reader, entries.len() < neighbours.len())
}

/// Returns whether a reader has read what was written, or a part of it.
fn sound(reader: &Reader, in_part: bool) -> Result<(), CodecError> {
    let sound = if in_part { !reader.is_short() } else { reader.is_at_end() };
    if sound { Ok(()) } else { Err(CodecError::Bits) }
}

/// Draws each bit as the model expects it.
struct Drawing {
    model: Static,
    dice: Dice,
}

/// A generator of numbers (xorshift64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as u16
    }
}

impl Code for Drawing {
    const ALL: bool = Static::ALL;

    #[inline(always)]
    fn code(&mut self, contexts: &[u16; CONTEXTS], _: bool) -> bool {
        self.dice.roll() <= self.model.predict(contexts)
    }
}

/// Made-up values within the bounds of a guess, such as the model expects: real ones take as long
/// to code with [`Preset::Fast`] and [`Preset::Small`]. The same for each seed, which must not be
/// 0.
pub fn typical(guess: &[Entry], neighbours: &Neighbours, seed: u64) -> Vec<Entry> {
    let mut entries = vec![Entry::default(); guess.len()];
    let mut drawing = Drawing { model: Static::new(), dice: Dice(seed) };
    walk(&mut entries, Some(guess), neighbours, &mut drawing);
    entries
}

/// The same with `repeats` of 65,536 entries that are like the one before, where the bounds allow
/// it. Real entries repeat each other more often than the model knows, which makes more bytes
/// uniform.
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
mod tests;
