//! Encodes and decodes the header of a table, as `db-format.md` defines it.

use crate::bytes::{checksum, put, take, take_u32, take_u64, take_u64s};
use crate::error::Reason;
use crate::layout::{
    GameId, HEADER_BYTES, MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, RECORD_BYTES, RawSchema, VERSION,
    page_count,
};

/// The magic bytes at the start of every table. A transfer in text mode changes the line ends or
/// the control character, so readers reject the file.
pub const MAGIC: [u8; 8] = *b"\x89PENT\r\n\x1a";
/// The size of the header's fields in bytes. Reserved bytes follow.
const FIELDS: usize = 312;
/// The size, in bytes, of the part of the header that the header's checksum covers: all bytes
/// before the checksum.
const CHECKED: usize = HEADER_BYTES - 8;
/// The size of the program name and version in bytes.
pub(crate) const PROGRAM_BYTES: usize = 32;

/// The header of a finished table: its identity, and the locations of the other parts of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawHeader {
    /// The schema, which defines the meaning of the bytes.
    pub schema: RawSchema,
    /// The encoded target: the game or the root position that the table belongs to.
    pub target: Vec<u8>,
    /// The index of the slice within the target.
    pub slice: u32,
    /// The number of arrays in the directory.
    pub arrays: u32,
    /// The number of blocks of all arrays.
    pub blocks: u64,
    /// The number of entries of all blocks.
    pub entries: u64,
    /// The sum of each counter over all arrays.
    pub counts: Vec<u64>,
    /// The size of the file in bytes.
    pub file_bytes: u64,
    /// The XXH3-128 hash of all bytes after the header.
    pub hash: u128,
    /// The name and version of the program that wrote the table.
    pub program: String,
    pub(crate) directory: FilePart,
    pub(crate) index: FilePart,
    pub(crate) pages: FilePart,
}

/// A byte range of a file, with the checksum of its bytes. The range of the whole block index has
/// the checksum 0, since each of its pages has a checksum of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilePart {
    pub offset: u64,
    pub bytes: u64,
    pub checksum: u64,
}

impl FilePart {
    pub fn put(self, to: &mut Vec<u8>) {
        put(to, &[self.offset, self.bytes, self.checksum]);
    }

    pub fn take(from: &mut &[u8]) -> FilePart {
        FilePart { offset: take_u64(from), bytes: take_u64(from), checksum: take_u64(from) }
    }

    /// Returns the offset of the first byte after the range, or `None` if the offset exceeds 64
    /// bits.
    fn end(self) -> Option<u64> {
        self.offset.checked_add(self.bytes)
    }
}

/// Returns `true` if a header can hold the name of a program.
pub fn is_program(name: &str) -> bool {
    name.len() <= PROGRAM_BYTES && !name.contains(char::is_control)
}

impl RawHeader {
    /// Returns the offset of the first payload.
    pub(crate) fn first_payload(&self) -> u64 {
        (HEADER_BYTES + self.target.len()) as u64
    }

    /// Encodes the header as the first bytes of a file.
    pub(crate) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let RawSchema { game, codec, filter, level, key_bytes, counters } = self.schema;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([1, game.0, codec, filter, level, key_bytes, counters, 0]);
        bytes.extend((self.target.len() as u16).to_le_bytes());
        bytes.extend([self.slice, self.arrays, 0].into_iter().flat_map(u32::to_le_bytes));
        put(&mut bytes, &[self.blocks, self.entries, checksum(&self.target)]);
        [self.directory, self.index, self.pages].into_iter().for_each(|part| part.put(&mut bytes));
        put(&mut bytes, &[self.file_bytes]);
        bytes.extend(self.hash.to_le_bytes());
        put(&mut bytes, &self.counts);
        bytes.resize(FIELDS - PROGRAM_BYTES, 0);
        bytes.extend(self.program.as_bytes());
        bytes.resize(CHECKED, 0);
        let own = checksum(&bytes);
        put(&mut bytes, &[own]);
        bytes.try_into().expect("the fields fill the header")
    }

    /// Decodes and checks the header. `bytes` are the first [`HEADER_BYTES`] bytes of the file, or
    /// all bytes of a shorter file; `found` is the actual size of the file in bytes. Also returns
    /// the byte range of the target, which the caller must read.
    pub(crate) fn from_bytes(bytes: &[u8], found: u64) -> Result<(RawHeader, FilePart), Reason> {
        let rest = &mut check_frame(bytes)?;
        let [game, codec, filter, level, key_bytes, counters, reserved] = take(rest);
        let schema = RawSchema { game: GameId(game), codec, filter, level, key_bytes, counters };
        let target_bytes = usize::from(u16::from_le_bytes(take(rest)));
        let [slice, arrays, more_reserved] = [0; 3].map(|_| take_u32(rest));
        let (blocks, entries) = (take_u64(rest), take_u64(rest));
        let (offset, bytes) = (HEADER_BYTES as u64, target_bytes as u64);
        let target = FilePart { offset, bytes, checksum: take_u64(rest) };
        let [directory, index, pages] = [0; 3].map(|_| FilePart::take(rest));
        let (file_bytes, hash) = (take_u64(rest), u128::from_le_bytes(take(rest)));
        let mut counts = take_u64s(rest, MAX_COUNTERS);
        let program: [u8; PROGRAM_BYTES] = take(rest);
        let limits = [
            (schema.key_bytes.into(), MAX_KEY_BYTES, "longer keys than any table has"),
            (schema.counters.into(), MAX_COUNTERS, "more counters than any table has"),
            (target_bytes, MAX_TARGET_BYTES, "a longer target than any table has"),
        ];
        if let Some((.., what)) = limits.into_iter().find(|(found, most, _)| found > most) {
            return Err(Reason::Inconsistent(what));
        }
        let unused = counts.split_off(schema.counters.into());
        if reserved != 0
            || more_reserved != 0
            || index.checksum != 0
            || unused.iter().any(|&n| n != 0)
            || rest[..CHECKED - FIELDS].iter().any(|&b| b != 0)
        {
            return Err(Reason::Inconsistent("reserved bytes of the header aren't 0"));
        }
        let len = program.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        let program = str::from_utf8(&program[..len]).ok().filter(|text| is_program(text));
        let program = program.ok_or(Reason::Inconsistent("the program name isn't valid text"))?.to_owned();
        let header = RawHeader {
            schema,
            target: Vec::new(),
            slice,
            arrays,
            blocks,
            entries,
            counts,
            file_bytes,
            hash,
            program,
            directory,
            index,
            pages,
        };
        header.check(found, target_bytes)?;
        Ok((header, target))
    }

    /// Checks that the file has `found` bytes, and that its parts are contiguous: header, target,
    /// payloads, directory, block index and page table. Also checks the sizes of the parts.
    fn check(&self, found: u64, target_bytes: usize) -> Result<(), Reason> {
        if found != self.file_bytes {
            return Err(Reason::Size { found, expected: self.file_bytes });
        }
        let RawHeader { directory, index, pages, .. } = self;
        if directory.offset < (HEADER_BYTES + target_bytes) as u64
            || directory.end() != Some(index.offset)
            || index.end() != Some(pages.offset)
            || pages.end() != Some(self.file_bytes)
        {
            return Err(Reason::Inconsistent("the parts of the file aren't contiguous"));
        }
        let record = self.schema.record_bytes() as u64;
        let count = page_count(self.blocks);
        if Some(directory.bytes) != u64::from(self.arrays).checked_mul(record)
            || Some(index.bytes) != self.blocks.checked_mul(RECORD_BYTES as u64)
            || Some(pages.bytes) != count.checked_mul(RECORD_BYTES as u64)
        {
            return Err(Reason::Inconsistent("the lengths of the parts don't match their records"));
        }
        Ok(())
    }
}

/// Checks the magic bytes, the version, the length, the checksum and the finished mark of a header.
/// Returns the bytes of the header after the finished mark.
fn check_frame(bytes: &[u8]) -> Result<&[u8], Reason> {
    if bytes.iter().all(|&b| b == 0) {
        return Err(Reason::Unfinished);
    }
    if bytes.len() < 10 || bytes[..8] != MAGIC {
        return Err(Reason::NotATable);
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if version != VERSION {
        return Err(Reason::Version(version));
    }
    let Ok(bytes) = <&[u8; HEADER_BYTES]>::try_from(bytes) else {
        return Err(Reason::Inconsistent("the file ends within its header"));
    };
    if checksum(&bytes[..CHECKED]).to_le_bytes() != bytes[CHECKED..] {
        return Err(Reason::Damaged("header"));
    }
    match bytes[10] {
        1 => Ok(&bytes[11..]),
        0 => Err(Reason::Unfinished),
        value => Err(Reason::Unknown { what: "finished mark", value }),
    }
}
