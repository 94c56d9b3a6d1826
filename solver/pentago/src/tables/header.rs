//! The structures of a table file as bytes: header, directory, block index. `db-format.md` is their definition.

use super::error::ErrorKind;
use super::manifest::{ArrayInfo, Domain, Manifest, Target};
use crate::codec::{Level, Predictor};
use crate::rules::{Board, Both, Dir, Last, MiniRun, Reply, Rules, Shape, Skip};
use crate::values::{Grid, WdlCounts};
use twox_hash::XxHash3_64;

/// The first bytes of every table. The line ends and the control character show what text mode has done to a file.
pub const MAGIC: [u8; 8] = *b"\x89PENT\r\n\x1a";
/// The version of the format.
pub const VERSION: u16 = 1;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 256;
/// Bytes of a record of the directory.
pub const RECORD_BYTES: usize = 72;
/// Bytes of a record of the block index.
pub const INDEX_BYTES: usize = 16;
/// The bytes of the header that hold fields; reserved ones follow.
const FIELDS: usize = 192;
/// The bytes of the header before its checksum.
const CHECKED: usize = HEADER_BYTES - 8;
/// Bytes of the program version.
pub(super) const PROGRAM_BYTES: usize = 32;
/// The only codec: the payloads of `block::codec`.
const CODEC: u8 = 1;

/// What blocks hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The values.
    Planes,
    /// The values, or what is left of them when the guess of [`Predictor`] is taken away: whichever is smaller. In whole games only.
    Residual,
}

impl Filter {
    /// What the filter takes from the values of a table, if anything.
    pub(super) fn predictor(self, target: &Target, slice: u8) -> Option<Predictor> {
        (self == Filter::Residual).then(|| Predictor::new(target.rules, slice))
    }
}

/// The header of a finished table: what it is, and where its parts lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is a part of.
    pub target: Target,
    /// Marbles on all its boards.
    pub slice: u8,
    /// What was done to the values of its blocks.
    pub filter: Filter,
    /// The level at which its blocks were encoded.
    pub level: Level,
    /// Arrays of the directory.
    pub arrays: u32,
    /// Blocks of all arrays.
    pub blocks: u64,
    /// Entries of all arrays.
    pub entries: u64,
    /// Positions won, drawn and lost, of all arrays.
    pub counts: WdlCounts,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The XXH3-128 of all bytes behind the header.
    pub hash: u128,
    /// The name and version of the program that wrote it.
    pub program: String,
    pub(super) directory: FilePart,
    pub(super) index: FilePart,
}

/// Where a part of the file lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FilePart {
    pub offset: u64,
    pub bytes: u64,
    pub checksum: u64,
}

/// A record of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The array.
    pub array: ArrayInfo,
    /// The number in the file of the array's first block.
    pub first_block: u64,
    /// Positions won, drawn and lost.
    pub counts: WdlCounts,
}

/// A record of the block index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexRecord {
    pub offset: u64,
    pub checksum: u64,
}

/// The checksum of a part or payload: XXH3-64 with seed 0.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Writes fields one behind the other.
struct Put(Vec<u8>);

impl Put {
    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    fn u64s<const N: usize>(&mut self, values: [u64; N]) {
        values.into_iter().for_each(|value| self.u64(value));
    }

    fn part(&mut self, part: FilePart) {
        self.u64s([part.offset, part.bytes, part.checksum]);
    }
}

/// Reads fields one behind the other.
struct Take<'a>(&'a [u8]);

impl<'a> Take<'a> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("the structure has a fixed size");
        self.0 = rest;
        *first
    }

    fn u8(&mut self) -> u8 {
        let [byte] = self.bytes();
        byte
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.bytes())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    fn counts(&mut self) -> WdlCounts {
        WdlCounts { wins: self.u64(), draws: self.u64(), losses: self.u64() }
    }

    fn part(&mut self) -> FilePart {
        FilePart { offset: self.u64(), bytes: self.u64(), checksum: self.u64() }
    }
}

/// The values of an option, in the order of their numbers.
const DIR: [Dir; 2] = [Dir::Both, Dir::Cw];
const BOTH: [Both; 2] = [Both::Draw, Both::Mover];
const REPLY: [Reply; 2] = [Reply::None, Reply::Place];
const SKIP: [Skip; 3] = [Skip::Never, Skip::Empty, Skip::Neutral];
const LAST: [Last; 2] = [Last::Turn, Last::Stop];

fn number_of<T: PartialEq>(values: &[T], value: T) -> u8 {
    values.iter().position(|v| *v == value).expect("all values are listed") as u8
}

fn value_of<T: Copy>(values: &[T], what: &'static str, value: u8) -> Result<T, ErrorKind> {
    values.get(usize::from(value)).copied().ok_or(ErrorKind::Unknown { what, value })
}

/// Sockets along the side of the board, marbles in a row, and the options, in the order of `Rules`.
fn rules_bytes(rules: &Rules) -> [u8; 7] {
    [
        rules.shape.size() as u8,
        rules.shape.run() as u8,
        number_of(&DIR, rules.dir),
        number_of(&BOTH, rules.both),
        number_of(&REPLY, rules.reply),
        number_of(&SKIP, rules.skip),
        number_of(&LAST, rules.last),
    ]
}

fn rules_from(bytes: [u8; 7]) -> Result<Rules, ErrorKind> {
    let [size, run, dir, both, reply, skip, last] = bytes;
    let shape = match (size, run, MiniRun::new(run)) {
        (6, 5, _) => Shape::Pentago,
        (4, _, Some(run)) => Shape::Mini { run },
        (4 | 6, ..) => return Err(ErrorKind::Unknown { what: "number in a row", value: run }),
        _ => return Err(ErrorKind::Unknown { what: "board size", value: size }),
    };
    Ok(Rules {
        shape,
        dir: value_of(&DIR, "option dir", dir)?,
        both: value_of(&BOTH, "option both", both)?,
        reply: value_of(&REPLY, "option reply", reply)?,
        skip: value_of(&SKIP, "option skip", skip)?,
        last: value_of(&LAST, "option last", last)?,
    })
}

impl Target {
    /// The rules as seven bytes, a byte for the domain, and the root's two sets: what tells targets apart.
    pub(super) fn key(&self) -> [u8; 24] {
        let (domain, board) = match self.domain {
            Domain::Game => (0, Board::EMPTY),
            Domain::Root(board) => (1, board),
        };
        let mut key = [0; 24];
        key[0] = domain;
        key[1..8].copy_from_slice(&rules_bytes(&self.rules));
        key[8..16].copy_from_slice(&board.x.to_le_bytes());
        key[16..].copy_from_slice(&board.o.to_le_bytes());
        key
    }

    fn from_key(key: [u8; 24]) -> Result<Target, ErrorKind> {
        let mut take = Take(&key);
        let domain = take.u8();
        let rules = rules_from(take.bytes())?;
        let board = Board { x: take.u64(), o: take.u64() };
        let domain = match domain {
            0 if board == Board::EMPTY => Domain::Game,
            0 => return Err(ErrorKind::Inconsistent("a complete game with a root")),
            1 => Domain::Root(board),
            value => return Err(ErrorKind::Unknown { what: "domain", value }),
        };
        Ok(Target { rules, domain })
    }
}

impl Header {
    /// The bytes of the header.
    pub(super) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut put = Put(Vec::with_capacity(HEADER_BYTES));
        put.0.extend(MAGIC);
        put.0.extend(VERSION.to_le_bytes());
        let filter = match self.filter {
            Filter::Planes => 1,
            Filter::Residual => 2,
        };
        put.0.extend([1, self.slice, CODEC, filter, self.level.number(), 0]);
        put.0.extend(self.target.key());
        put.0.extend(self.arrays.to_le_bytes());
        put.0.extend([0; 4]);
        put.u64s([self.blocks, self.entries]);
        put.u64s([self.counts.wins, self.counts.draws, self.counts.losses]);
        put.part(self.directory);
        put.part(self.index);
        put.u64(self.file_bytes);
        put.0.extend(self.hash.to_le_bytes());
        let mut program = [0; PROGRAM_BYTES];
        program[..self.program.len()].copy_from_slice(self.program.as_bytes());
        put.0.extend(program);
        debug_assert_eq!(put.0.len(), FIELDS);
        put.0.resize(CHECKED, 0);
        put.u64(checksum(&put.0));
        put.0.try_into().expect("the fields fill the header")
    }

    /// Reads and checks a header by itself; `found` is the length of the file.
    pub(super) fn from_bytes(bytes: &[u8; HEADER_BYTES], found: u64) -> Result<Header, ErrorKind> {
        if *bytes == [0; HEADER_BYTES] {
            return Err(ErrorKind::Unfinished);
        }
        let mut take = Take(bytes);
        if take.bytes() != MAGIC {
            return Err(ErrorKind::NotATable);
        }
        let version = take.u16();
        if version > VERSION {
            return Err(ErrorKind::Version(version));
        }
        if checksum(&bytes[..CHECKED]).to_le_bytes() != bytes[CHECKED..] {
            return Err(ErrorKind::Damaged("header"));
        }
        if version != VERSION {
            return Err(ErrorKind::Version(version));
        }
        let [finished, slice, codec, filter, level, reserved] = take.bytes();
        let filter = match (finished, codec, filter) {
            (1, CODEC, 1) => Filter::Planes,
            (1, CODEC, 2) => Filter::Residual,
            (0, ..) => return Err(ErrorKind::Unfinished),
            (1, CODEC, value) => return Err(ErrorKind::Unknown { what: "filter", value }),
            (1, value, _) => return Err(ErrorKind::Unknown { what: "codec", value }),
            (value, ..) => return Err(ErrorKind::Unknown { what: "finished mark", value }),
        };
        let level = Level::new(level).ok_or(ErrorKind::Unknown { what: "level", value: level })?;
        let target = Target::from_key(take.bytes())?;
        let arrays = take.u32();
        let reserved = take.u32() | u32::from(reserved);
        let header = Header {
            target,
            slice,
            filter,
            level,
            arrays,
            blocks: take.u64(),
            entries: take.u64(),
            counts: take.counts(),
            directory: take.part(),
            index: take.part(),
            file_bytes: take.u64(),
            hash: u128::from_le_bytes(take.bytes()),
            program: {
                let field: [u8; PROGRAM_BYTES] = take.bytes();
                let len = field.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
                let text = str::from_utf8(&field[..len]);
                let text = text.ok().filter(|t| !t.contains(char::is_control));
                text.ok_or(ErrorKind::Inconsistent("the program's name isn't text"))?.to_owned()
            },
        };
        if reserved != 0 || bytes[FIELDS..CHECKED].iter().any(|&b| b != 0) {
            return Err(ErrorKind::Inconsistent("reserved bytes of the header aren't 0"));
        }
        if filter == Filter::Residual && target.domain != Domain::Game {
            return Err(ErrorKind::Inconsistent("a filter for complete games below a root"));
        }
        header.check(found)?;
        Ok(header)
    }

    /// The parts follow one another: header, payloads, directory, index, end.
    fn check(&self, found: u64) -> Result<(), ErrorKind> {
        if found != self.file_bytes {
            return Err(ErrorKind::Size { found, expected: self.file_bytes });
        }
        let behind = |part: FilePart| part.offset.checked_add(part.bytes);
        if self.directory.offset < HEADER_BYTES as u64
            || behind(self.directory) != Some(self.index.offset)
            || behind(self.index) != Some(self.file_bytes)
        {
            return Err(ErrorKind::Inconsistent("the parts of the file aren't contiguous"));
        }
        if Some(self.directory.bytes) != u64::from(self.arrays).checked_mul(RECORD_BYTES as u64)
            || Some(self.index.bytes) != self.blocks.checked_mul(INDEX_BYTES as u64)
        {
            return Err(ErrorKind::Inconsistent(
                "the lengths of directory and index don't match their records",
            ));
        }
        Ok(())
    }
}

/// The bytes of the directory.
pub(super) fn directory_bytes(records: &[Record]) -> Vec<u8> {
    let mut put = Put(Vec::with_capacity(records.len() * RECORD_BYTES));
    for Record { array: ArrayInfo { key, grid }, first_block, counts } in records {
        put.0.extend(key);
        for number in grid.extents.iter().chain(&grid.edges) {
            put.0.extend(number.to_le_bytes());
        }
        put.u64s([*first_block, counts.wins, counts.draws, counts.losses]);
    }
    put.0
}

/// Reads the directory and checks it against the header.
pub(super) fn directory_from(bytes: &[u8], header: &Header) -> Result<Vec<Record>, ErrorKind> {
    if checksum(bytes) != header.directory.checksum {
        return Err(ErrorKind::Damaged("directory"));
    }
    let read = |bytes: &[u8; RECORD_BYTES]| {
        let mut take = Take(bytes);
        Record {
            array: ArrayInfo {
                key: take.bytes(),
                grid: Grid {
                    extents: std::array::from_fn(|_| take.u32()),
                    edges: std::array::from_fn(|_| take.u32()),
                },
            },
            first_block: take.u64(),
            counts: take.counts(),
        }
    };
    let records: Vec<Record> = bytes.as_chunks().0.iter().map(read).collect();
    let arrays = records.iter().map(|r| r.array).collect();
    let manifest = Manifest { target: header.target, slice: header.slice, arrays };
    manifest.check()?;
    let (first, blocks) = manifest.first_blocks();
    if blocks != header.blocks || !first.iter().eq(records.iter().map(|r| &r.first_block)) {
        return Err(ErrorKind::Inconsistent("the blocks of the arrays aren't contiguous"));
    }
    manifest.check_counts(records.iter().map(|r| r.counts))?;
    if manifest.entries() != header.entries {
        return Err(ErrorKind::Inconsistent("the entries of the arrays don't add up to those of the header"));
    }
    let sum = records.iter().try_fold(WdlCounts::default(), |sum, r| sum.checked_add(r.counts));
    if sum != Some(header.counts) {
        return Err(ErrorKind::Inconsistent("the counts of the arrays don't add up to those of the header"));
    }
    Ok(records)
}

/// The bytes of the block index.
pub(super) fn index_bytes(places: &[IndexRecord]) -> Vec<u8> {
    let mut put = Put(Vec::with_capacity(places.len() * INDEX_BYTES));
    places.iter().for_each(|place| put.u64s([place.offset, place.checksum]));
    put.0
}

/// Reads the block index and checks that the payloads fill the file between header and directory.
pub(super) fn index_from(bytes: &[u8], header: &Header) -> Result<Vec<IndexRecord>, ErrorKind> {
    if checksum(bytes) != header.index.checksum {
        return Err(ErrorKind::Damaged("block index"));
    }
    let read = |bytes: &[u8; INDEX_BYTES]| {
        let mut take = Take(bytes);
        IndexRecord { offset: take.u64(), checksum: take.u64() }
    };
    let places: Vec<IndexRecord> = bytes.as_chunks().0.iter().map(read).collect();
    let end = header.directory.offset;
    let ascend = places.is_sorted_by(|a, b| a.offset < b.offset)
        && places.first().is_some_and(|first| first.offset == HEADER_BYTES as u64)
        && places.last().is_some_and(|last| last.offset < end);
    // Ascending offsets leave no empty payload; the longest are checked when they are read.
    if ascend { Ok(places) } else { Err(ErrorKind::Inconsistent("the payloads aren't contiguous")) }
}
