//! The codec of a table's blocks, with the predictor that the codec needs.

use super::manifest::{ArrayInfo, Domain, Target};
use crate::codec::open::{self, Neighbours};
use crate::codec::{self, Codec, CodecError, Predictor, RootPredictor, check};
use pentago_core::values::Entry;
use std::cell::RefCell;

/// The encoder and decoder of the blocks of one table.
pub struct BlockCodec {
    codec: Codec,
    target: Target,
    guesses: Guesses,
}

/// The predictor of the values of a slice.
enum Guesses {
    None,
    Section(Box<Predictor>),
    Root(Box<RootPredictor>),
}

thread_local! {
    /// The guess of the block that is being encoded.
    static GUESS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

impl BlockCodec {
    /// Returns the codec of a table whose target and slice were checked.
    pub fn new(codec: Codec, target: &Target, slice: u8) -> BlockCodec {
        let guesses = match (codec, target.domain) {
            (Codec::Zstd(_), _) => Guesses::None,
            (Codec::Open(_), Domain::Game) => Guesses::Section(Box::new(Predictor::new(target.rules, slice))),
            (Codec::Open(_), Domain::Root(root)) => RootPredictor::new(target.rules, root, slice)
                .map_or(Guesses::None, |predictor| Guesses::Root(Box::new(predictor))),
        };
        BlockCodec { codec, target: *target, guesses }
    }

    /// Fills `into` with the guess of a block. Returns `false` if the table needs no guesses.
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

    /// Returns the guess of a block, or `None` if the table needs no guesses.
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

    /// Returns `true` if [`BlockCodec::encode`] can use open bits that the solver has packed.
    pub fn wants_open_bits(&self) -> bool {
        matches!((self.codec, &self.guesses), (Codec::Open(_), Guesses::Section(_)))
    }

    /// Returns the payload of a block of an array. If `open` has the open bits, the block is
    /// guessed only if the bits don't suffice.
    ///
    /// # Errors
    /// The first entry that isn't [consistent](Entry::is_consistent).
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

    /// Returns `true` if decoding the first entries of a block takes less time than decoding all
    /// entries.
    pub fn stops_early(&self) -> bool {
        self.codec == Codec::COMPACT
    }

    /// Fills `into` with the entries of a block from its payload, and checks them. With a codec
    /// that [stops early](BlockCodec::stops_early), `into` may have only the first entries; the
    /// rest of the payload isn't checked then.
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
