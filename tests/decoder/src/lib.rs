//! A second reader of tables, written from `db-format.md` alone: slow, plain, the whole file at once. It shares no code with the
//! solver and makes every check of the document's section 7, by its name there.
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
mod payload;

pub use boards::{Pattern, minimal_patterns, root_boards, turns};
use std::fmt;
use twox_hash::{XxHash3_64, XxHash3_128};

/// A check that a file fails: its name in the document, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// `H1`, `D2`...
    pub check: &'static str,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check {}: {}", self.check, self.found)
    }
}

impl std::error::Error for Failed {}

/// Fails a check unless a condition holds.
fn need(check: &'static str, holds: bool, found: impl fmt::Display) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(Failed { check, found: found.to_string() }) }
}

/// The fields of the header (section 4.1), by their names there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Marbles on all boards.
    pub slice: u8,
    /// 1, or 2: the guess of section 5.1 may be taken from the values of a block.
    pub filter: u8,
    /// The effort of the compressor.
    pub level: u8,
    /// 0 a whole game, 1 below a root.
    pub domain: u8,
    /// Sockets along the side of the board.
    pub size: u8,
    /// Marbles in a row that win.
    pub run: u8,
    /// The options dir, both, reply, skip, last.
    pub options: [u8; 5],
    /// The root's sets X and O.
    pub root: [u64; 2],
    /// Wins, draws, losses.
    pub counts: [u64; 3],
    /// Who wrote it.
    pub program: String,
}

/// An array with its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The section, or zeros.
    pub key: [u8; 8],
    /// Entries along each axis.
    pub extents: [u32; 4],
    /// Entries of a block along each axis.
    pub edges: [u32; 4],
    /// Wins, draws, losses.
    pub counts: [u64; 3],
    /// The entries in the order of their indices, the last axis fastest.
    pub entries: Vec<[u8; 64]>,
}

impl Array {
    /// The entry at an index, which must lie in the array.
    pub fn entry(&self, index: [u32; 4]) -> &[u8; 64] {
        let number = (0..4).fold(0u64, |n, a| n * u64::from(self.extents[a]) + u64::from(index[a]));
        &self.entries[number as usize]
    }
}

/// A whole table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its header.
    pub header: Header,
    /// Its arrays.
    pub arrays: Vec<Array>,
}

/// Section 3: the parity of a rotation, and its place in the 128 bits.
fn rotation_place([r0, r1, r2, r3]: [u8; 4]) -> (usize, usize) {
    let place = 32 * usize::from(r3) + 8 * usize::from(r2) + 4 * usize::from(r0 / 2) + usize::from(r1);
    (usize::from((r0 + r1 + r2 + r3) % 2), place)
}

/// Section 3: +1, 0 or -1 for the side to move at a rotation.
pub fn value(entry: &[u8; 64], r: [u8; 4]) -> i8 {
    let (odd, place) = rotation_place(r);
    let bit = |i: usize| entry[i / 8] >> (i % 8) & 1 == 1;
    match (bit(128 * odd + place), bit(256 + 128 * odd + place)) {
        (true, _) => 1,
        (false, true) => 0,
        (false, false) => -1,
    }
}

/// A structure of the file, read by offset.
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

/// A part of the file, if it lies inside.
fn part(file: &[u8], offset: u64, bytes: u64) -> Option<&[u8]> {
    file.get(usize::try_from(offset).ok()?..usize::try_from(offset.checked_add(bytes)?).ok()?)
}

/// Reads a table and makes all checks.
///
/// # Errors
/// The first check that fails.
pub fn decode(file: &[u8]) -> Result<Table, Failed> {
    let magic = [0x89, 0x50, 0x45, 0x4e, 0x54, 0x0d, 0x0a, 0x1a];
    need("H1", file.len() >= 256 && file[..8] == magic, format!("{} bytes", file.len()))?;
    let fields = Fields(&file[..256]);
    need("H2", fields.u16(8) == 1, fields.u16(8))?;
    need("H3", XxHash3_64::oneshot(&file[..248]) == fields.u64(248), "another checksum")?;
    let header = header(&fields)?;
    let [file_bytes] = fields.u64s(136);
    need("H6", file_bytes == file.len() as u64, file.len())?;

    let [arrays, blocks, entries] = [u64::from(fields.u32(40)), fields.u64(48), fields.u64(56)];
    let [directory_at, directory_bytes, directory_sum, index_at, index_bytes, index_sum] = fields.u64s(88);
    let layout = directory_bytes == 72 * arrays
        && Some(index_bytes) == blocks.checked_mul(16)
        && Some(index_at) == directory_at.checked_add(directory_bytes)
        && Some(file_bytes) == index_at.checked_add(index_bytes)
        && directory_at >= 256;
    need("H7", layout, format!("{directory_at} {directory_bytes} {index_at} {index_bytes}"))?;
    boards::check_root(&header)?;

    let directory = part(file, directory_at, directory_bytes).expect("H7");
    need("D1", XxHash3_64::oneshot(directory) == directory_sum, "another checksum")?;
    let records: Vec<Array> = directory.chunks(72).map(record).collect();
    check_directory(&header, &records, blocks, entries, directory)?;

    let index = part(file, index_at, index_bytes).expect("H7");
    need("I1", XxHash3_64::oneshot(index) == index_sum, "another checksum")?;
    let places: Vec<[u64; 2]> = index.chunks(16).map(|record| Fields(record).u64s(0)).collect();
    let ends: Vec<u64> = places[1..].iter().map(|p| p[0]).chain([directory_at]).collect();
    let ascend = places[0][0] == 256 && places.iter().zip(&ends).all(|(place, end)| place[0] < *end);
    need("I2", ascend, "other offsets")?;

    let mut payloads =
        places.iter().zip(&ends).map(|([from, sum], to)| (&file[*from as usize..*to as usize], *sum));
    let mut arrays = records;
    for array in &mut arrays {
        let count = array.extents.iter().map(|&n| n as usize).product();
        array.entries = vec![[0; 64]; count];
        let patterns = axes(&header, &array.key);
        for_each_block(array.extents, array.edges, |ranges| {
            let len = ranges.iter().map(|r| r.len()).product();
            let (bytes, sum) = payloads.next().expect("D5");
            let (block, rest) = payload::decode(bytes, sum, len, header.filter)?;
            let mut block = block.into_iter();
            for a in ranges[0].clone() {
                for b in ranges[1].clone() {
                    for c in ranges[2].clone() {
                        for d in ranges[3].clone() {
                            let number = [a, b, c, d]
                                .iter()
                                .zip(array.extents)
                                .fold(0, |n, (&i, e)| n * e as usize + i as usize);
                            let mut entry = block.next().expect("as many entries as the block has");
                            if rest {
                                let at = [(0, a), (1, b), (2, c), (3, d)];
                                let board = at.map(|(q, i)| patterns[q][i as usize].clone());
                                let guess = ahead::guess(&header, &board);
                                entry.iter_mut().zip(guess).for_each(|(byte, guess)| *byte ^= guess);
                            }
                            let subset = (0..32).all(|i| entry[i] & !entry[32 + i] == 0);
                            need("B5", subset, "a position that is won and lost")?;
                            array.entries[number] = entry;
                        }
                    }
                }
            }
            Ok(())
        })?;
    }
    let mut hasher = XxHash3_128::new();
    hasher.write(&file[256..]);
    need("F1", hasher.finish_128().to_le_bytes() == file[144..160], "another hash")?;
    Ok(Table { header, arrays })
}

/// H4 and H5.
fn header(fields: &Fields<'_>) -> Result<Header, Failed> {
    let b = fields.0;
    for (at, what, known) in [
        (10, "finished", 1..=1),
        (12, "codec", 1..=1),
        (13, "filter", 1..=2),
        (14, "level", 1..=19),
        (16, "domain", 0..=1),
        (19, "dir", 0..=1),
        (20, "both", 0..=1),
        (21, "reply", 0..=1),
        (22, "skip", 0..=2),
        (23, "last", 0..=1),
    ] {
        need("H4", known.contains(&b[at]), format!("{what} {}", b[at]))?;
    }
    need("H4", b[13] == 1 || b[16] == 0, "filter 2 below a root")?;
    need("H4", matches!((b[17], b[18]), (6, 5) | (4, 3 | 4)), format!("size {}, run {}", b[17], b[18]))?;
    let reserved = [15..16, 44..48, 192..248];
    need("H5", reserved.into_iter().all(|range| b[range].iter().all(|&byte| byte == 0)), "reserved bytes")?;
    let program = std::str::from_utf8(&b[160..192]).unwrap_or("\u{1}").trim_end_matches('\0');
    need("H5", !program.contains(char::is_control), "the program is no text")?;
    Ok(Header {
        slice: b[11],
        filter: b[13],
        level: b[14],
        domain: b[16],
        size: b[17],
        run: b[18],
        options: std::array::from_fn(|i| b[19 + i]),
        root: fields.u64s(24),
        counts: fields.u64s(64),
        program: program.to_owned(),
    })
}

fn record(bytes: &[u8]) -> Array {
    let fields = Fields(bytes);
    let key = std::array::from_fn(|i| bytes[i]);
    Array {
        key,
        extents: fields.u32s(8),
        edges: fields.u32s(24),
        counts: fields.u64s(48),
        entries: Vec::new(),
    }
}

/// D2 to D6.
fn check_directory(
    header: &Header,
    arrays: &[Array],
    blocks: u64,
    entries: u64,
    directory: &[u8],
) -> Result<(), Failed> {
    need("D2", !arrays.is_empty(), "no array")?;
    let product = |numbers: [u32; 4]| numbers.iter().map(|&n| u128::from(n)).product::<u128>();
    let mut all_entries = 0;
    for array in arrays {
        let positive = !array.extents.contains(&0) && !array.edges.contains(&0);
        need("D2", positive, "an extent or edge of 0")?;
        let longest = product(std::array::from_fn(|a| array.extents[a].min(array.edges[a])));
        all_entries += product(array.extents);
        need("D2", longest <= 65_536 && all_entries <= 1 << 52, format!("{longest}, {all_entries} entries"))?;
    }
    boards::check_arrays(header, arrays)?;
    let mut first = 0;
    for (array, record) in arrays.iter().zip(directory.chunks(72)) {
        need("D5", Fields(record).u64(40) == first, "another first block")?;
        first += (0..4).map(|a| u64::from(array.extents[a].div_ceil(array.edges[a]))).product::<u64>();
    }
    need(
        "D5",
        first == blocks && all_entries == u128::from(entries),
        format!("{first} blocks, {all_entries} entries"),
    )?;
    let sum = |i: usize| arrays.iter().map(|a| u128::from(a.counts[i])).sum::<u128>();
    need("D6", (0..3).all(|i| sum(i) == u128::from(header.counts[i])), "another sum of the counts")
}

/// The patterns along the axes of an array of a whole game that filter 2 was applied to; otherwise nothing.
fn axes(header: &Header, key: &[u8; 8]) -> Vec<Vec<Pattern>> {
    let blocks = key.chunks(2).filter(|_| header.filter == 2);
    blocks.map(|pair| minimal_patterns(header.size / 2, pair[0], pair[1])).collect()
}

/// The index ranges of the blocks of an array, in their order.
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
