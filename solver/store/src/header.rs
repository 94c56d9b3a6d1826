//! The header of a table as bytes. `db-format.md` is its definition.

use crate::bytes::{FieldReader, FieldWriter, checksum};
use crate::error::Reason;
use crate::layout::{
    GameId, HEADER_BYTES, MAX_COUNTERS, MAX_KEY_BYTES, MAX_TARGET_BYTES, RECORD_BYTES, RawSchema, VERSION,
    page_count,
};

/// The first bytes of every table. The line ends and the control character show what text mode has
/// done to a file.
pub const MAGIC: [u8; 8] = *b"\x89PENT\r\n\x1a";
/// The bytes of the header that hold fields; reserved ones follow.
const FIELDS: usize = 312;
/// The bytes of the header before its checksum.
const CHECKED: usize = HEADER_BYTES - 8;
/// Bytes of the program version.
pub(crate) const PROGRAM_BYTES: usize = 32;

/// The header of a finished table: what it is, and where its parts lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawHeader {
    /// Who says what the bytes mean.
    pub schema: RawSchema,
    /// What the table is about.
    pub target: Vec<u8>,
    /// Which of the tables of the target it is.
    pub slice: u32,
    /// Arrays of the directory.
    pub arrays: u32,
    /// Blocks of all arrays.
    pub blocks: u64,
    /// Entries of these blocks.
    pub entries: u64,
    /// The counters of all arrays, summed.
    pub counts: Vec<u64>,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The XXH3-128 of all bytes behind the header.
    pub hash: u128,
    /// The name and version of the program that wrote it.
    pub program: String,
    pub(crate) directory: FilePart,
    pub(crate) index: FilePart,
    pub(crate) pages: FilePart,
}

/// Where a part of the file lies. The block index has a checksum per page, and none here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilePart {
    pub offset: u64,
    pub bytes: u64,
    pub checksum: u64,
}

impl FilePart {
    pub fn put(self, to: &mut FieldWriter) {
        to.u64s(&[self.offset, self.bytes, self.checksum]);
    }

    pub fn take(from: &mut FieldReader<'_>) -> FilePart {
        FilePart { offset: from.u64(), bytes: from.u64(), checksum: from.u64() }
    }

    /// The offset of what follows it.
    fn end(self) -> Option<u64> {
        self.offset.checked_add(self.bytes)
    }
}

/// Whether a program's name can stand in a header.
pub fn is_program(name: &str) -> bool {
    name.len() <= PROGRAM_BYTES && !name.contains(char::is_control)
}

impl RawHeader {
    /// Where the first payload begins.
    pub(crate) fn first_payload(&self) -> u64 {
        (HEADER_BYTES + self.target.len()) as u64
    }

    /// The bytes of the header.
    pub(crate) fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let RawSchema { game, codec, filter, level, key_bytes, counters } = self.schema;
        let mut put = FieldWriter(Vec::with_capacity(HEADER_BYTES));
        put.bytes(&MAGIC);
        put.bytes(&VERSION.to_le_bytes());
        put.u8s([1, game.0, codec, filter, level, key_bytes, counters, 0]);
        put.bytes(&(self.target.len() as u16).to_le_bytes());
        put.u32(self.slice);
        put.u32(self.arrays);
        put.u32(0);
        put.u64s(&[self.blocks, self.entries, checksum(&self.target)]);
        [self.directory, self.index, self.pages].into_iter().for_each(|part| part.put(&mut put));
        put.u64(self.file_bytes);
        put.bytes(&self.hash.to_le_bytes());
        let mut counts = self.counts.clone();
        counts.resize(MAX_COUNTERS, 0);
        put.u64s(&counts);
        let mut program = [0; PROGRAM_BYTES];
        program[..self.program.len()].copy_from_slice(self.program.as_bytes());
        put.bytes(&program);
        debug_assert_eq!(put.0.len(), FIELDS);
        put.0.resize(CHECKED, 0);
        let own = checksum(&put.0);
        put.u64(own);
        put.0.try_into().expect("the fields fill the header")
    }

    /// Reads and checks the first bytes of a file: as much of [`HEADER_BYTES`] as it has; `found`
    /// is its length. The target is still to be read.
    pub(crate) fn from_bytes(bytes: &[u8], found: u64) -> Result<(RawHeader, FilePart), Reason> {
        let mut take = check_frame(bytes)?;
        let schema = RawSchema {
            game: GameId(take.u8()),
            codec: take.u8(),
            filter: take.u8(),
            level: take.u8(),
            key_bytes: take.u8(),
            counters: take.u8(),
        };
        let mut reserved = u32::from(take.u8());
        let target_bytes = usize::from(take.u16());
        let slice = take.u32();
        let arrays = take.u32();
        reserved |= take.u32();
        let (blocks, entries) = (take.u64(), take.u64());
        let (offset, bytes) = (HEADER_BYTES as u64, target_bytes as u64);
        let target = FilePart { offset, bytes, checksum: take.u64() };
        let [directory, index, pages] = std::array::from_fn(|_| FilePart::take(&mut take));
        let (file_bytes, hash) = (take.u64(), u128::from_le_bytes(take.array()));
        let mut counts = take.u64s(MAX_COUNTERS);
        let program: [u8; PROGRAM_BYTES] = take.array();
        let limits = [
            (schema.key_bytes.into(), MAX_KEY_BYTES, "longer keys than any table has"),
            (schema.counters.into(), MAX_COUNTERS, "more counters than any table has"),
            (target_bytes, MAX_TARGET_BYTES, "a longer target than any table has"),
        ];
        if let Some((.., what)) = limits.into_iter().find(|(found, most, _)| found > most) {
            return Err(Reason::Inconsistent(what));
        }
        let rest = counts.split_off(schema.counters.into());
        if reserved != 0
            || index.checksum != 0
            || rest.iter().any(|&n| n != 0)
            || take.0[..CHECKED - FIELDS].iter().any(|&b| b != 0)
        {
            return Err(Reason::Inconsistent("reserved bytes of the header aren't 0"));
        }
        let len = program.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        let program = str::from_utf8(&program[..len]).ok().filter(|text| is_program(text));
        let program = program.ok_or(Reason::Inconsistent("the program's name isn't text"))?.to_owned();
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

    /// The parts follow one another: header, target, payloads, directory, block index, page table.
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

/// Checks the first bytes of a file: magic, version, length, checksum and finished mark. Returns a
/// reader of the fields that follow.
fn check_frame(bytes: &[u8]) -> Result<FieldReader<'_>, Reason> {
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
    let mut take = FieldReader(&bytes[10..]);
    match take.u8() {
        1 => Ok(take),
        0 => Err(Reason::Unfinished),
        value => Err(Reason::Unknown { what: "finished mark", value }),
    }
}
