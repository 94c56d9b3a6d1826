//! Encodes targets, rules and codecs as bytes for the header of a table. `db-format.md` defines the
//! bytes.

use super::manifest::{ArrayInfo, ArrayKey, Domain, Target};
use crate::codec::open::Preset;
use crate::codec::{Codec, Level};
use pentago_core::rules::{Board, Both, Dir, Last, Place, Reply, Rules, Shape, Skip};
use pentago_core::values::WdlCounts;
use pentago_store::{GameId, RawSchema, Reason};

/// The length of a target in bytes.
pub(super) const TARGET_BYTES: usize = 24;
/// The codes of the codecs in the file: `ZSTD` for bit planes with zstd, `OPEN` for open bits.
const ZSTD: u8 = 1;
const OPEN: u8 = 2;
/// The codes of the filters in the file. Decoding needs a guess if the filter is `GUESSED`, and no
/// guess if the filter is `VALUES`.
const VALUES: u8 = 1;
const GUESSED: u8 = 2;
/// The number of counters per array: wins, draws and losses.
const COUNTERS: u8 = 3;

/// The header of a finished table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The target of the table.
    pub target: Target,
    /// The number of marbles on each board of the table.
    pub slice: u8,
    /// The codec of the blocks.
    pub codec: Codec,
    /// The number of arrays.
    pub arrays: u32,
    /// The total number of blocks in all arrays.
    pub blocks: u64,
    /// The total number of entries in all arrays.
    pub entries: u64,
    /// The numbers of won, drawn and lost positions in all arrays.
    pub counts: WdlCounts,
    /// The size of the table file in bytes.
    pub file_bytes: u64,
    /// The XXH3-128 hash of all bytes after the header. For a table that consists of several
    /// shards, the hash is 0.
    pub hash: u128,
    /// The name and version of the program that wrote the file.
    pub program: String,
}

/// The record of one array in the directory of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The array, with its key and its extents.
    pub array: ArrayInfo,
    /// The index of the array's first block among all blocks of the file.
    pub first_block: u64,
    /// The numbers of won, drawn and lost positions in the array.
    pub counts: WdlCounts,
}

/// The values of each option. The index of a value is its code in the file.
const DIR: [Dir; 2] = [Dir::Both, Dir::Cw];
const BOTH: [Both; 2] = [Both::Draw, Both::Mover];
const REPLY: [Reply; 2] = [Reply::None, Reply::Place];
const SKIP: [Skip; 3] = [Skip::Never, Skip::Empty, Skip::Neutral];
/// The values of the options `last` and `place`, which share a code. Under `place=turn`, a turn
/// always follows the last placement.
const LAST: [(Last, Place); 3] =
    [(Last::Turn, Place::Wins), (Last::Stop, Place::Wins), (Last::Turn, Place::Turn)];

fn number_of<T: PartialEq>(values: &[T], value: T) -> u8 {
    values.iter().position(|v| *v == value).expect("all values are listed") as u8
}

fn value_of<T: Copy>(values: &[T], what: &'static str, value: u8) -> Result<T, Reason> {
    values.get(usize::from(value)).copied().ok_or(Reason::Unknown { what, value })
}

fn rules_from(bytes: [u8; 7]) -> Result<Rules, Reason> {
    let [size, run, dir, both, reply, skip, last] = bytes;
    let shape = match (size, run) {
        (6, 5) => Shape::Pentago,
        (4, 3) => Shape::Mini3,
        (4, 4) => Shape::Mini4,
        (4 | 6, ..) => return Err(Reason::Unknown { what: "number in a row", value: run }),
        _ => return Err(Reason::Unknown { what: "board size", value: size }),
    };
    let (last, place) = value_of(&LAST, "option last", last)?;
    let rules = Rules {
        shape,
        dir: value_of(&DIR, "option dir", dir)?,
        both: value_of(&BOTH, "option both", both)?,
        reply: value_of(&REPLY, "option reply", reply)?,
        skip: value_of(&SKIP, "option skip", skip)?,
        last,
        place,
    };
    if rules.fit() { Ok(rules) } else { Err(Reason::Inconsistent("rules whose options don't go together")) }
}

impl Target {
    /// Returns the bytes of the target: one byte for the domain, seven bytes for the rules, then
    /// the X and O sets of the root.
    pub(super) fn to_bytes(self) -> [u8; TARGET_BYTES] {
        let (domain, board) = match self.domain {
            Domain::Game => (0, Board::EMPTY),
            Domain::Root(board) => (1, board),
        };
        let Rules { shape, dir, both, reply, skip, last, place } = self.rules;
        let mut key = [0; TARGET_BYTES];
        key[..8].copy_from_slice(&[
            domain,
            shape.size() as u8,
            shape.run() as u8,
            number_of(&DIR, dir),
            number_of(&BOTH, both),
            number_of(&REPLY, reply),
            number_of(&SKIP, skip),
            number_of(&LAST, (last, place)),
        ]);
        key[8..16].copy_from_slice(&board.x.to_le_bytes());
        key[16..].copy_from_slice(&board.o.to_le_bytes());
        key
    }

    pub(super) fn from_bytes(bytes: [u8; TARGET_BYTES]) -> Result<Target, Reason> {
        let (domain, rest) = bytes.split_first().expect("a target has bytes");
        let (&rules, sets) = rest.split_first_chunk().expect("seven bytes");
        let set = |i: usize| u64::from_le_bytes(sets.as_chunks().0[i]);
        let (rules, board) = (rules_from(rules)?, Board { x: set(0), o: set(1) });
        let domain = match *domain {
            0 if board == Board::EMPTY => Domain::Game,
            0 => return Err(Reason::Inconsistent("a complete game with a root")),
            1 => Domain::Root(board),
            value => return Err(Reason::Unknown { what: "domain", value }),
        };
        Ok(Target { rules, domain })
    }
}

/// Converts the three counters of an array or a table to numbers of wins, draws and losses.
pub(super) fn counts_of(counters: &[u64]) -> WdlCounts {
    let [wins, draws, losses] = counters.try_into().expect("the schema has three counters");
    WdlCounts { wins, draws, losses }
}

/// Returns the schema of a table that uses the given codec.
pub(super) fn schema(codec: Codec) -> RawSchema {
    let (codec, filter, level) = match codec {
        Codec::Zstd(level) => (ZSTD, VALUES, level.number()),
        Codec::Open(preset) => (OPEN, GUESSED, 1 + number_of(&Preset::ALL, preset)),
    };
    RawSchema {
        game: GameId::PENTAGO,
        codec,
        filter,
        level,
        key_bytes: size_of::<ArrayKey>() as u8,
        counters: COUNTERS,
    }
}

/// Returns the size of a table in bytes, without the payloads of its blocks. The result doesn't
/// depend on the codec.
pub fn bytes_around(arrays: usize, blocks: u64) -> u64 {
    schema(Codec::QUICK).bytes_around(TARGET_BYTES, arrays, blocks)
}

/// Returns the size in bytes of the journal of an unfinished table with this number of blocks.
#[must_use]
pub fn journal_bytes(blocks: u64) -> u64 {
    pentago_store::journal_bytes(schema(Codec::QUICK).counters, blocks)
}

/// Returns the codec for the bytes codec, filter and level of a schema.
fn codec_of(codec: u8, filter: u8, level: u8) -> Result<Codec, Reason> {
    let unknown = Reason::Unknown { what: "level", value: level };
    match (codec, filter) {
        (ZSTD, VALUES) => Level::new(level).map(Codec::Zstd).ok_or(unknown),
        (OPEN, GUESSED) => {
            let preset = level.checked_sub(1).and_then(|i| Preset::ALL.get(usize::from(i)));
            preset.map(|&preset| Codec::Open(preset)).ok_or(unknown)
        }
        (ZSTD | OPEN, value) => Err(Reason::Unknown { what: "filter", value }),
        (value, _) => Err(Reason::Unknown { what: "codec", value }),
    }
}

impl Header {
    /// Converts a header of the container format, and checks the fields that the schema defines.
    pub(super) fn of(header: &pentago_store::RawHeader) -> Result<Header, Reason> {
        let RawSchema { game, codec, filter, level, key_bytes, counters } = header.schema;
        if game != GameId::PENTAGO {
            return Err(Reason::Game { found: game, expected: GameId::PENTAGO });
        }
        let codec = codec_of(codec, filter, level)?;
        let target = header.target[..].try_into().ok();
        let target =
            target.filter(|_| usize::from(key_bytes) == size_of::<ArrayKey>() && counters == COUNTERS);
        let target = target.ok_or(Reason::Inconsistent("target, keys or counters of other lengths"))?;
        let target = Target::from_bytes(target)?;
        let slice = u8::try_from(header.slice).ok();
        let slice = slice.ok_or(Reason::Content("a slice with more marbles than sockets"))?;
        target.boards(slice)?;
        Ok(Header {
            target,
            slice,
            codec,
            arrays: header.arrays,
            blocks: header.blocks,
            entries: header.entries,
            counts: counts_of(&header.counts),
            file_bytes: header.file_bytes,
            hash: header.hash,
            program: header.program.clone(),
        })
    }
}
