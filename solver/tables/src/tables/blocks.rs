//! The blocks of a table as payloads: which codec they are encoded with, and where the guesses come
//! from.

use super::manifest::{ArrayInfo, Domain, Target};
use crate::codec::open::{self, Neighbours};
use crate::codec::{self, Codec, CodecError, Predictor, RootPredictor, check, is_open_tag};
use pentago_core::index::Section;
use pentago_core::values::Entry;
use std::cell::RefCell;

/// Encodes and decodes the blocks of one table.
pub struct BlockCodec {
    codec: Codec,
    target: Target,
    guesses: Guesses,
}

/// Who guesses the values of a slice.
enum Guesses {
    Nobody,
    Section(Box<Predictor>),
    Root(Box<RootPredictor>),
}

/// Where a block is: in a whole game in a section.
struct Place<'a> {
    array: &'a ArrayInfo,
    block: u64,
    section: Option<Section>,
}

thread_local! {
    /// The guess of the block that is encoded.
    static GUESS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

impl BlockCodec {
    /// For a table whose target and slice were checked.
    pub fn new(codec: Codec, target: &Target, slice: u8) -> BlockCodec {
        let guesses = match (codec, target.domain) {
            (Codec::Zstd(_), _) => Guesses::Nobody,
            (Codec::Open(_), Domain::Game) => Guesses::Section(Box::new(Predictor::new(target.rules, slice))),
            (Codec::Open(_), Domain::Root(root)) => RootPredictor::new(target.rules, root, slice)
                .map_or(Guesses::Nobody, |predictor| Guesses::Root(Box::new(predictor))),
        };
        BlockCodec { codec, target: *target, guesses }
    }

    /// The place of a block.
    fn place<'a>(&self, array: &'a ArrayInfo, block: u64) -> Place<'a> {
        let section = match self.target.domain {
            Domain::Game => Some(self.target.section_of(array.key)),
            Domain::Root(_) => None,
        };
        Place { array, block, section }
    }

    /// Fills entries with the guess of a block; says whether there is one.
    fn fill(&self, place: &Place, into: &mut [Entry]) -> bool {
        let Place { array, block, section } = *place;
        match (&self.guesses, section) {
            (Guesses::Section(predictor), Some(section)) => {
                predictor.guess(section, &array.grid.ranges(block), into);
            }
            (Guesses::Root(predictor), _) => predictor.guess(array.grid.entries_before(block), into),
            (Guesses::Nobody | Guesses::Section(_), _) => return false,
        }
        true
    }

    /// The guess of a block, if there is one.
    pub fn guess(&self, array: &ArrayInfo, block: u64) -> Option<Vec<Entry>> {
        let mut guess = vec![Entry::default(); array.grid.len(block)];
        self.fill(&self.place(array, block), &mut guess).then_some(guess)
    }

    fn neighbours(&self, place: &Place) -> Neighbours {
        let Place { array, block, section } = *place;
        match section {
            Some(section) => Neighbours::of_section(self.target.rules, section, &array.grid.ranges(block)),
            None => Neighbours::of_list(array.grid.len(block)),
        }
    }

    /// Whether the open bits of a block of a game help to encode it.
    pub fn wants_open_bits(&self) -> bool {
        matches!((self.codec, &self.guesses), (Codec::Open(_), Guesses::Section(_)))
    }

    /// The payload of a block of an array. If its open bits are known, it is guessed only where they aren't
    /// enough.
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
                let place = self.place(array, block);
                GUESS.with_borrow_mut(|guess| {
                    guess.resize(entries.len(), Entry::default());
                    let guessed = self.fill(&place, guess);
                    let guess = guessed.then_some(&guess[..]);
                    let neighbours = self.neighbours(&place);
                    open::encode(entries, guess, &neighbours, preset, &mut payload)
                })?;
            }
        }
        Ok(payload)
    }

    /// Returns `true` if decoding the first entries of a block takes less time than decoding all entries.
    pub fn stops_early(&self) -> bool {
        self.codec == Codec::COMPACT
    }

    /// Fills the entries of a block from its payload, and checks them. Of a codec that
    /// [stops early](BlockCodec::stops_early) there may be only the first of them: the rest isn't
    /// checked then.
    ///
    /// # Errors
    /// If it isn't a payload of so many entries with a tag of this table's codec.
    pub fn decode(
        &self,
        array: &ArrayInfo,
        block: u64,
        payload: &[u8],
        into: &mut [Entry],
    ) -> Result<(), CodecError> {
        let place = self.place(array, block);
        match self.codec {
            Codec::Zstd(_) => {
                codec::decode(payload, into)?;
                check(into)
            }
            Codec::Open(_) => {
                let &tag = payload.first().ok_or(CodecError::Empty)?;
                if !is_open_tag(tag) {
                    return Err(CodecError::Tag(tag));
                }
                let guess = |guess: &mut [Entry]| {
                    self.fill(&place, guess);
                };
                open::decode_first(payload, guess, &self.neighbours(&place), into)
            }
        }
    }
}
