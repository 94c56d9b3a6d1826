//! A second reader of tables, written from `db-format.md` alone. The reader is slow and plain,
//! reads a whole file at once, and shares no code with the solver. The reader performs every check
//! of section 8 of the document, under the check's name in the document.
//!
//! ```no_run
//! let bytes = std::fs::read("slice-07.pentago")?;
//! let table = pentago_decoder::decode(&bytes).expect("all checks are passed");
//! println!("{} arrays of {} marbles", table.arrays.len(), table.header.slice);
//! # Ok::<(), std::io::Error>(())
//! ```

mod ahead;
mod boards;
pub mod open;
mod packed;
mod payload;
pub mod pente;
pub mod xl;

pub use boards::{Pattern, minimal_patterns, root_boards, turns};
use std::fmt;
use twox_hash::{XxHash3_64, XxHash3_128};

/// A check that a file fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The name of the check in `db-format.md`: `H1`, `D2`...
    pub check: &'static str,
    /// The content of the file that fails the check.
    pub found: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check {}: {}", self.check, self.found)
    }
}

impl std::error::Error for Failed {}

/// Returns the error of a failed `check` unless `holds` is `true`.
fn need(check: &'static str, holds: bool, found: impl fmt::Display) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(Failed { check, found: found.to_string() }) }
}

/// The fields of the header and the target, named as in sections 2.1 and 5 of `db-format.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of marbles on each board of the table.
    pub slice: u8,
    /// The codec: 1 for bit planes (section 6 of `db-format.md`), 2 for open bits (section 12).
    pub codec: u8,
    /// The filter: 1 if payloads hold the values, 2 if decoding some payloads needs the guess of
    /// section 6.1.
    pub filter: u8,
    /// The compression level.
    pub level: u8,
    /// The domain: 0 for a whole game, 1 for all positions below a root.
    pub domain: u8,
    /// The number of sockets along a side of the board.
    pub size: u8,
    /// The number of marbles in a row that win.
    pub run: u8,
    /// The values of the options dir, both, reply, skip and last, in this order.
    pub options: [u8; 5],
    /// The sockets of X and the sockets of O on the root, as bit sets.
    pub root: [u64; 2],
    /// The numbers of won, drawn and lost positions of the table.
    pub counts: [u64; 3],
    /// The name and version of the program that wrote the table.
    pub program: String,
}

/// An array of a table, with its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The key of the section, or zeros in a table below a root.
    pub key: [u8; 8],
    /// The number of entries along each axis.
    pub extents: [u32; 4],
    /// The number of entries of a block along each axis.
    pub edges: [u32; 4],
    /// The numbers of won, drawn and lost positions of the array.
    pub counts: [u64; 3],
    /// The entries, ordered by their indices. The index along the last axis varies fastest.
    pub entries: Vec<[u8; 64]>,
}

impl Array {
    /// Returns the entry at an index.
    ///
    /// # Panics
    /// If the index lies outside the array.
    pub fn entry(&self, index: [u32; 4]) -> &[u8; 64] {
        let number = (0..4).fold(0u64, |n, a| n * u64::from(self.extents[a]) + u64::from(index[a]));
        &self.entries[number as usize]
    }
}

/// A table with all of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The fields of the header and the target.
    pub header: Header,
    /// The arrays in the order of the directory.
    pub arrays: Vec<Array>,
}

/// Returns the parity of a rotation, and the rotation's index among the 128 rotations of that
/// parity (section 4 of `db-format.md`).
fn rotation_index([r0, r1, r2, r3]: [u8; 4]) -> (usize, usize) {
    let index = 32 * usize::from(r3) + 8 * usize::from(r2) + 4 * usize::from(r0 / 2) + usize::from(r1);
    (usize::from((r0 + r1 + r2 + r3) % 2), index)
}

/// Returns the value of an entry at a rotation: +1 if the side to move wins, 0 for a draw, -1 if
/// the side to move loses.
pub fn value(entry: &[u8; 64], r: [u8; 4]) -> i8 {
    let (odd, index) = rotation_index(r);
    let bit = |i: usize| entry[i / 8] >> (i % 8) & 1 == 1;
    match (bit(128 * odd + index), bit(256 + 128 * odd + index)) {
        (true, _) => 1,
        (false, true) => 0,
        (false, false) => -1,
    }
}

/// The bytes of a structure of the file. Its fields are read by their offsets.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }

    fn u64s<const N: usize>(&self, at: usize) -> [u64; N] {
        std::array::from_fn(|i| self.u64(at + 8 * i))
    }

    fn u32s<const N: usize>(&self, at: usize) -> [u32; N] {
        std::array::from_fn(|i| self.u32(at + 4 * i))
    }
}

/// Returns the `bytes` bytes of the file from an offset, or `None` if the range exceeds the file.
fn part(file: &[u8], offset: u64, bytes: u64) -> Option<&[u8]> {
    file.get(usize::try_from(offset).ok()?..usize::try_from(offset.checked_add(bytes)?).ok()?)
}

/// A file that has passed the checks of the container in section 8 of `db-format.md`. The pages of
/// the block index, the payloads and the hash are not checked yet.
struct Container<'a> {
    file: &'a [u8],
    fields: Fields<'a>,
    target: &'a [u8],
    program: String,
    records: Vec<Record>,
    index: &'a [u8],
    pages: Vec<[u64; 2]>,
    directory_at: u64,
}

impl<'a> Container<'a> {
    /// Opens a file. Performs checks H1 to H8, D1 to D5, I1 and I2 of `db-format.md`.
    fn open(file: &'a [u8]) -> Result<Container<'a>, Failed> {
        let magic = [0x89, 0x50, 0x45, 0x4e, 0x54, 0x0d, 0x0a, 0x1a];
        need("H1", file.starts_with(&magic), format!("{} bytes", file.len()))?;
        need("H2", file.len() >= 10 && Fields(file).u16(8) == 6, "another version")?;
        need("H3", file.len() >= 512, file.len())?;
        let fields = Fields(&file[..512]);
        need("H3", XxHash3_64::oneshot(&file[..504]) == fields.u64(504), "another checksum")?;
        let [keys, counters, target_bytes] = [file[15].into(), file[16].into(), u64::from(fields.u16(18))];
        let program = container(&fields)?;
        need("H6", fields.u64(128) == file.len() as u64, file.len())?;

        let [arrays, blocks, entries] = [u64::from(fields.u32(24)), fields.u64(32), fields.u64(40)];
        let [directory_at, directory_bytes, directory_sum] = fields.u64s(56);
        let [index_at, index_bytes, _, pages_at, pages_bytes, pages_sum] = fields.u64s(80);
        let payloads_at = 512 + target_bytes;
        let layout = Some(directory_bytes) == arrays.checked_mul(keys + 48 + 8 * counters)
            && Some(index_bytes) == blocks.checked_mul(16)
            && pages_bytes == 16 * blocks.div_ceil(1024)
            && Some(index_at) == directory_at.checked_add(directory_bytes)
            && Some(pages_at) == index_at.checked_add(index_bytes)
            && Some(file.len() as u64) == pages_at.checked_add(pages_bytes)
            && directory_at >= payloads_at;
        need("H7", layout, format!("{directory_at} {directory_bytes} {index_at} {index_bytes}"))?;
        let target = part(file, 512, target_bytes).expect("H7");
        need("H8", XxHash3_64::oneshot(target) == fields.u64(48), "another checksum")?;

        let directory = part(file, directory_at, directory_bytes).expect("H7");
        need("D1", XxHash3_64::oneshot(directory) == directory_sum, "another checksum")?;
        let width = (keys + 48 + 8 * counters) as usize;
        let records: Vec<Record> = directory.chunks(width).map(|r| record(r, keys as usize)).collect();
        check_directory(&records, blocks, entries, &fields.u64s::<16>(152)[..counters as usize])?;

        let pages = part(file, pages_at, pages_bytes).expect("H7");
        need("I1", XxHash3_64::oneshot(pages) == pages_sum, "another checksum")?;
        let pages: Vec<[u64; 2]> = pages.chunks(16).map(|record| Fields(record).u64s(0)).collect();
        let ends = pages[1..].iter().map(|p| p[0]).chain([directory_at]);
        let ascend = pages[0][0] == payloads_at && pages.iter().zip(ends).all(|(page, end)| page[0] < end);
        need("I2", ascend, "other offsets")?;
        let index = part(file, index_at, index_bytes).expect("H7");
        Ok(Container { file, fields, target, program, records, index, pages, directory_at })
    }

    /// Returns the payload and the checksum of every block. Performs checks I3 and I4 of
    /// `db-format.md`.
    fn payloads(&self) -> Result<Vec<(&'a [u8], u64)>, Failed> {
        let ends = self.pages[1..].iter().map(|p| p[0]).chain([self.directory_at]);
        let mut index: Vec<[u64; 2]> = Vec::new();
        for ((page, [first, sum]), end) in self.index.chunks(16 * 1024).zip(&self.pages).zip(ends) {
            need("I3", XxHash3_64::oneshot(page) == *sum, "another checksum")?;
            let page: Vec<[u64; 2]> = page.chunks(16).map(|record| Fields(record).u64s(0)).collect();
            let ascend = page.windows(2).all(|w| w[0][0] < w[1][0]) && page[page.len() - 1][0] < end;
            need("I4", page[0][0] == *first && ascend, "other offsets")?;
            index.extend(page);
        }
        let ends: Vec<u64> = index[1..].iter().map(|p| p[0]).chain([self.directory_at]).collect();
        let payload = |([from, sum], to): (&[u64; 2], &u64)| (&self.file[*from as usize..*to as usize], *sum);
        Ok(index.iter().zip(&ends).map(payload).collect())
    }

    /// Checks the hash of the file: check F1 in section 8 of `db-format.md`.
    fn check_hash(&self) -> Result<(), Failed> {
        let mut hasher = XxHash3_128::new();
        hasher.write(&self.file[512..]);
        need("F1", hasher.finish_128().to_le_bytes() == self.file[136..152], "another hash")
    }
}

/// Decodes a table of Pentago, and performs all checks.
///
/// # Errors
/// The error names the first check that fails.
pub fn decode(file: &[u8]) -> Result<Table, Failed> {
    let container = Container::open(file)?;
    let header = header(&container.fields, container.target, container.program.clone())?;
    boards::check_root(&header)?;
    let records = container.records.iter().map(Record::whole);
    let mut arrays = records.collect::<Result<Vec<Array>, Failed>>()?;
    boards::check_arrays(&header, &arrays)?;
    let mut payloads = container.payloads()?.into_iter();
    let boards = if header.filter == 2 && header.domain == 1 { root_boards(&header) } else { Vec::new() };
    for array in &mut arrays {
        let count = array.extents.iter().map(|&n| n as usize).product();
        array.entries = vec![[0; 64]; count];
        let patterns = axes(&header, &array.key);
        for_each_block(array.extents, array.edges, |ranges| {
            let (bytes, sum) = payloads.next().expect("D4");
            let guesses = BlockBoards::new(&header, &patterns, &boards, &ranges);
            let block = payload::decode(bytes, sum, &guesses, header.codec)?;
            for (index, entry) in indices(&ranges).zip(block) {
                let number =
                    index.iter().zip(array.extents).fold(0, |n, (&i, e)| n * e as usize + i as usize);
                let subset = (0..32).all(|i| entry[i] & !entry[32 + i] == 0);
                need("P8", subset, "a position that is won and lost")?;
                array.entries[number] = entry;
            }
            Ok(())
        })?;
    }
    container.check_hash()?;
    Ok(Table { header, arrays })
}

/// Performs checks H4 and H5 of section 8 of `db-format.md`. Returns the name of the program that
/// wrote the file.
fn container(fields: &Fields<'_>) -> Result<String, Failed> {
    let b = fields.0;
    need("H4", b[10] == 1, format!("finished {}", b[10]))?;
    let short = b[15] <= 64 && b[16] <= 16 && fields.u16(18) <= 4096;
    need("H5", short, "longer keys, counters or target")?;
    let totals = 152 + 8 * usize::from(b[16]);
    let reserved = [17..18, 28..32, 96..104, totals..280, 312..504];
    need("H5", reserved.into_iter().all(|range| b[range].iter().all(|&byte| byte == 0)), "reserved bytes")?;
    let program = std::str::from_utf8(&b[280..312]).unwrap_or("\u{1}").trim_end_matches('\0');
    need("H5", !program.contains(char::is_control), "the program is no text")?;
    Ok(program.to_owned())
}

/// Parses the header and the target, and performs check P1 of section 8 of `db-format.md`.
fn header(fields: &Fields<'_>, target: &[u8], program: String) -> Result<Header, Failed> {
    let b = fields.0;
    for (at, what, known) in [
        (11, "game", 1..=1),
        (12, "codec", 1..=2),
        (13, "filter", 1..=2),
        (14, "level", 1..=if b[12] == 2 { 2 } else { 19 }),
        (15, "key length", 8..=8),
        (16, "counters", 3..=3),
    ] {
        need("P1", known.contains(&b[at]), format!("{what} {}", b[at]))?;
    }
    need("P1", target.len() == 24, format!("a target of {} bytes", target.len()))?;
    for (at, what, most) in
        [(0, "domain", 1), (3, "dir", 1), (4, "both", 1), (5, "reply", 1), (6, "skip", 2), (7, "last", 2)]
    {
        need("P1", target[at] <= most, format!("{what} {}", target[at]))?;
    }
    need("P1", target[7] < 2 || target[5] == 0, "last 2 with a reply".to_owned())?;
    need("P1", b[13] == b[12], format!("filter {} with codec {}", b[13], b[12]))?;
    let (size, run) = (target[1], target[2]);
    need("P1", matches!((size, run), (6, 5) | (4, 3 | 4)), format!("size {size}, run {run}"))?;
    let slice = u8::try_from(fields.u32(20));
    need("P2", slice.is_ok(), "more marbles than sockets")?;
    Ok(Header {
        slice: slice.expect("just checked"),
        codec: b[12],
        filter: b[13],
        level: b[14],
        domain: target[0],
        size,
        run,
        options: std::array::from_fn(|i| target[3 + i]),
        root: Fields(target).u64s(8),
        counts: fields.u64s(152),
        program,
    })
}

/// A record of the directory, as defined in section 2.2 of `db-format.md`.
struct Record {
    key: Vec<u8>,
    extents: [u32; 4],
    edges: [u32; 4],
    /// The range of blocks that the table contains: the field `first` and the field `end` of the
    /// record.
    held: [u64; 2],
    counters: Vec<u64>,
}

fn record(bytes: &[u8], keys: usize) -> Record {
    let (key, rest) = bytes.split_at(keys);
    let fields = Fields(rest);
    Record {
        key: key.to_vec(),
        extents: fields.u32s(0),
        edges: fields.u32s(16),
        held: fields.u64s(32),
        counters: rest[48..].chunks(8).map(|counter| Fields(counter).u64(0)).collect(),
    }
}

impl Record {
    fn blocks(&self) -> u128 {
        (0..4).map(|a| u128::from(self.extents[a].div_ceil(self.edges[a]))).product()
    }

    /// Returns the number of entries in the blocks that the table contains.
    fn entries(&self) -> u128 {
        if self.held == [0, self.blocks() as u64] {
            return product(self.extents);
        }
        let (mut number, mut entries) = (0, 0);
        for_each_block(self.extents, self.edges, |ranges| {
            if (self.held[0]..self.held[1]).contains(&number) {
                entries += ranges.iter().map(|r| r.len() as u128).product::<u128>();
            }
            number += 1;
            Ok(())
        })
        .expect("nothing fails");
        entries
    }

    /// Rejects a shard that contains only a part of the array. Section 2.4 of `db-format.md`
    /// permits such shards, but this reader doesn't read them.
    fn check_whole(&self) -> Result<(), Failed> {
        need("shard", self.held == [0, self.blocks() as u64], format!("blocks {:?}", self.held))
    }

    /// Returns the record as an array of Pentago.
    fn whole(&self) -> Result<Array, Failed> {
        self.check_whole()?;
        let Record { key, extents, edges, counters, .. } = self;
        Ok(Array {
            key: key[..].try_into().expect("P1"),
            extents: *extents,
            edges: *edges,
            counts: counters[..].try_into().expect("P1"),
            entries: Vec::new(),
        })
    }
}

fn product(numbers: [u32; 4]) -> u128 {
    numbers.iter().map(|&n| u128::from(n)).product()
}

/// Performs checks D2 to D5 of section 8 of `db-format.md` on the records of the directory.
fn check_directory(arrays: &[Record], blocks: u64, entries: u64, totals: &[u64]) -> Result<(), Failed> {
    need("D2", !arrays.is_empty(), "no array")?;
    let mut all_entries = 0;
    for array in arrays {
        let positive = !array.extents.contains(&0) && !array.edges.contains(&0);
        need("D2", positive, "an extent or edge of 0")?;
        let longest = product(std::array::from_fn(|a| array.extents[a].min(array.edges[a])));
        all_entries += product(array.extents);
        need("D2", longest <= 65_536 && all_entries <= 1 << 52, format!("{longest}, {all_entries} entries"))?;
        let [first, end] = array.held;
        need("D2", first < end && u128::from(end) <= array.blocks(), format!("blocks {first} to {end}"))?;
    }
    need("D3", arrays.windows(2).all(|w| w[0].key < w[1].key), "the keys don't ascend")?;
    let held: u128 = arrays.iter().map(|a| u128::from(a.held[1] - a.held[0])).sum();
    need("D4", held == u128::from(blocks), format!("{held} blocks"))?;
    let held: u128 = arrays.iter().map(Record::entries).sum();
    need("D4", held == u128::from(entries), format!("{held} entries"))?;
    let sum = |i: usize| arrays.iter().map(|a| u128::from(a.counters[i])).sum::<u128>();
    need("D5", totals.iter().enumerate().all(|(i, &n)| sum(i) == n.into()), "another sum of the counters")
}

/// Returns the patterns along each axis of an array. The list is empty for a table without guesses
/// and for a table below a root.
fn axes(header: &Header, key: &[u8; 8]) -> Vec<Vec<Pattern>> {
    let whole = header.filter == 2 && header.domain == 0;
    let section = whole.then(|| boards::standard(header, key)).into_iter().flatten();
    section.map(|[x, o]| minimal_patterns(header.size / 2, x, o)).collect()
}

/// Returns the index of each entry of a block, in the order of the entries.
fn indices(ranges: &[std::ops::Range<u32>; 4]) -> impl Iterator<Item = [u32; 4]> + '_ {
    let lens = ranges.clone().map(|r| r.len() as u32);
    (0..lens.iter().product()).map(move |mut number| {
        let mut index = [0; 4];
        for axis in (0..4).rev() {
            index[axis] = ranges[axis].start + number % lens[axis];
            number /= lens[axis];
        }
        index
    })
}

/// The boards of one block, from which the guesses are computed.
pub(crate) struct BlockBoards<'a> {
    header: &'a Header,
    /// The patterns of the block along each axis, or `None` for a table below a root or without
    /// guesses.
    patterns: Option<[Vec<Pattern>; 4]>,
    /// The board of each entry of a table below a root. Empty in a whole game.
    boards: &'a [[u64; 2]],
    len: usize,
}

impl<'a> BlockBoards<'a> {
    fn new(
        header: &'a Header,
        axes: &[Vec<Pattern>],
        boards: &'a [[u64; 2]],
        ranges: &[std::ops::Range<u32>; 4],
    ) -> BlockBoards<'a> {
        let along = |k: usize| axes[k][ranges[k].start as usize..ranges[k].end as usize].to_vec();
        let list = ranges[3].start as usize..ranges[3].end as usize;
        BlockBoards {
            header,
            patterns: (!axes.is_empty()).then(|| std::array::from_fn(along)),
            boards: boards.get(list).unwrap_or_default(),
            len: ranges.iter().map(|r| r.len()).product(),
        }
    }

    /// Returns the guess of each entry (section 6.1 of `db-format.md`), or `None` if the table has
    /// no guesses.
    fn all(&self) -> Option<Vec<[u8; 64]>> {
        match &self.patterns {
            Some(patterns) => Some(open::Block::guesses(self.header, patterns)),
            None if self.header.filter == 2 => {
                let side = self.header.size / 2;
                let guess = |board: &[u64; 2]| {
                    let patterns = std::array::from_fn(|q| boards::pattern(side, board, q));
                    ahead::guess(self.header, &patterns)
                };
                Some(self.boards.iter().map(guess).collect())
            }
            None => None,
        }
    }
}

/// Calls `see` with the index ranges of each block of an array, in the order of the blocks.
fn for_each_block(
    extents: [u32; 4],
    edges: [u32; 4],
    mut see: impl FnMut([std::ops::Range<u32>; 4]) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let along = |axis: usize| {
        let starts = (0..extents[axis]).step_by(edges[axis] as usize);
        starts.map(move |from| from..extents[axis].min(from.saturating_add(edges[axis])))
    };
    for a in along(0) {
        for b in along(1) {
            for c in along(2) {
                for d in along(3) {
                    see([a.clone(), b.clone(), c.clone(), d])?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the text of `db-format.md`.
///
/// # Panics
/// If the repository lacks the document.
pub fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../db-format.md");
    std::fs::read_to_string(path).expect("the document is in the repository")
}

/// Formats bytes like `hexdump -C`, without lines that contain only zeros, as in the examples of
/// `db-format.md`.
pub fn dump(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (i, line) in bytes.chunks(16).enumerate().filter(|(_, line)| line.iter().any(|&b| b != 0)) {
        let hex: Vec<String> = line.iter().map(|b| format!("{b:02x}")).collect();
        let printable: String =
            line.iter().map(|&b| if (0x20..0x7f).contains(&b) { b as char } else { '.' }).collect();
        text += &format!("{:04x}  {:<47}  {printable}\n", 16 * i, hex.join(" "));
    }
    text
}
