//! Encodes and decodes the blocks of a table. Contains the codec, and the predictor that the codec
//! uses.

use super::manifest::{ArrayInfo, Domain, Target};
use crate::codec::open::{self, Neighbours};
use crate::codec::{self, Codec, CodecError, Predictor, RootPredictor, check};
use pentago_core::values::Entry;
use std::cell::RefCell;

/// The encoder and decoder for the blocks of one table.
pub struct BlockCodec {
    codec: Codec,
    target: Target,
    guesses: Guesses,
}

/// The predictor for the values of the slice, if the codec uses one.
enum Guesses {
    None,
    Section(Box<Predictor>),
    Root(Box<RootPredictor>),
}

thread_local! {
    /// A reused buffer for the guess of the current block.
    static GUESS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

impl BlockCodec {
    /// Creates the encoder and decoder of a table. The target and the slice must be valid.
    pub fn new(codec: Codec, target: &Target, slice: u8) -> BlockCodec {
        let guesses = match (codec, target.domain) {
            (Codec::Zstd(_), _) => Guesses::None,
            (Codec::Open(_), Domain::Game) => Guesses::Section(Box::new(Predictor::new(target.rules, slice))),
            (Codec::Open(_), Domain::Root(root)) => RootPredictor::new(target.rules, root, slice)
                .map_or(Guesses::None, |predictor| Guesses::Root(Box::new(predictor))),
        };
        BlockCodec { codec, target: *target, guesses }
    }

    /// Writes the guess for a block to `into`. Returns `false`, and writes nothing, if the codec of
    /// the table uses no guesses.
    fn fill(&self, array: &ArrayInfo, block: u64, into: &mut [Entry]) -> bool {
        match &self.guesses {
            Guesses::None => return false,
            Guesses::Section(predictor) => {
                predictor.guess(self.target.section_of(array.key), &array.grid.ranges(block), into);
            }
            Guesses::Root(predictor) => predictor.guess(array.grid.entries_before(block), into),
        }
        true
    }

    /// Returns the guess for a block, or `None` if the codec of the table uses no guesses.
    pub fn guess(&self, array: &ArrayInfo, block: u64) -> Option<Vec<Entry>> {
        let mut guess = vec![Entry::default(); array.grid.len(block)];
        self.fill(array, block, &mut guess).then_some(guess)
    }

    fn neighbours(&self, array: &ArrayInfo, block: u64) -> Neighbours {
        let Target { rules, domain } = self.target;
        match domain {
            Domain::Game => {
                Neighbours::Section(rules, self.target.section_of(array.key), array.grid.ranges(block))
            }
            Domain::Root(_) => Neighbours::List(array.grid.len(block)),
        }
    }

    /// Returns `true` if [`BlockCodec::encode`] can use the open bits that the section solver
    /// packs.
    pub fn wants_open_bits(&self) -> bool {
        matches!((self.codec, &self.guesses), (Codec::Open(_), Guesses::Section(_)))
    }

    /// Encodes a block, and returns its payload. `open` may contain the open bits of the block. The
    /// guess is then computed only if the payload depends on it.
    ///
    /// # Errors
    /// If an entry isn't [consistent](Entry::is_consistent). The error contains the index of the
    /// first such entry.
    pub fn encode(
        &self,
        array: &ArrayInfo,
        block: u64,
        entries: &[Entry],
        open: Option<[&[u8]; 2]>,
    ) -> Result<Vec<u8>, CodecError> {
        let mut payload = Vec::new();
        match self.codec {
            Codec::Zstd(level) => {
                check(entries)?;
                codec::encode(entries, level, &mut payload);
            }
            Codec::Open(preset) => {
                if open.is_some_and(|open| open::encode_bits(entries, open, preset, &mut payload)) {
                    return Ok(payload);
                }
                GUESS.with_borrow_mut(|guess| {
                    guess.resize(entries.len(), Entry::default());
                    let guess = self.fill(array, block, guess).then_some(&guess[..]);
                    let neighbours = self.neighbours(array, block);
                    open::encode(entries, guess, &neighbours, preset, &mut payload)
                })?;
            }
        }
        Ok(payload)
    }

    /// Returns `true` if decoding only the first entries of a block is faster than decoding the
    /// whole block.
    pub fn stops_early(&self) -> bool {
        self.codec == Codec::COMPACT
    }

    /// Decodes the payload of a block into `into`, and checks the entries. If the codec [stops
    /// early](BlockCodec::stops_early), `into` may be shorter than the block. Only the first
    /// entries are then decoded, and the rest of the payload isn't checked.
    ///
    /// # Errors
    /// If the payload is invalid, or its tag doesn't belong to the codec of the table.
    pub fn decode(
        &self,
        array: &ArrayInfo,
        block: u64,
        payload: &[u8],
        into: &mut [Entry],
    ) -> Result<(), CodecError> {
        match self.codec {
            Codec::Zstd(_) => {
                codec::decode(payload, into)?;
                check(into)
            }
            Codec::Open(_) => {
                let guess = |guess: &mut [Entry]| {
                    self.fill(array, block, guess);
                };
                open::decode(payload, guess, &self.neighbours(array, block), into)
            }
        }
    }
}
