//! Each required check of `db-format.md` rejects a file that was made for this check. All checksums
//! of such a file are correct, unless the check verifies a checksum.

use super::{document, mini_game, root_table, root_table_with};
use pentago::rules::Rules;
use pentago_core::values::BlockId;
use pentago_decoder::Failed;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{Cache, Table};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use twox_hash::{XxHash3_64, XxHash3_128};

/// Returns the 64-bit little-endian number at an offset of the file.
fn number(file: &[u8], at: usize) -> usize {
    u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize
}

/// Returns the offsets of the directory, the block index and the page table.
fn parts(file: &[u8]) -> [usize; 3] {
    [56, 80, 104].map(|at| number(file, at))
}

/// Computes the checksum of the byte range `of`, and writes it to the offset `at`.
fn put_sum(file: &mut [u8], at: usize, of: std::ops::Range<usize>) {
    let sum = XxHash3_64::oneshot(&file[of]);
    file[at..at + 8].copy_from_slice(&sum.to_le_bytes());
}

/// Recomputes all checksums and the hash of a file. The header must have the correct offsets, and
/// the block index must have a single page.
fn reseal(file: &mut [u8]) {
    let [directory, index, pages] = parts(file);
    for record in (index..pages).step_by(16) {
        let from = number(file, record);
        let next = if record + 16 < pages { number(file, record + 16) } else { directory };
        if from <= next && next <= file.len() {
            put_sum(file, record + 8, from..next);
        }
    }
    put_sum(file, pages + 8, index..pages);
    reseal_parts(file);
}

/// Recomputes the checksums of the target, the directory, the page table and the header, and the
/// hash of the file.
fn reseal_parts(file: &mut [u8]) {
    let [directory, index, pages] = parts(file);
    let end = file.len();
    put_sum(file, 48, 512..536);
    put_sum(file, 72, directory..index);
    put_sum(file, 120, pages..end);
    let mut hasher = XxHash3_128::new();
    hasher.write(&file[512..]);
    file[136..152].copy_from_slice(&hasher.finish_128().to_le_bytes());
    put_sum(file, 504, 0..504);
}

/// Returns the name of the check that fails in the second decoder. Asserts that the library also
/// rejects the file: on opening, on reading a block, or on verifying the hash.
fn failed(file: Vec<u8>) -> &'static str {
    let Failed { check, .. } = pentago_decoder::decode(&file).expect_err("a check fails");
    let refused = match Table::new(Path::new("t"), Arc::new(file), Cache::new(1 << 24)) {
        Err(_) => true,
        Ok(table) => {
            let ids = (0..)
                .zip(table.arrays())
                .flat_map(|(array, r)| (0..r.array.grid.blocks()).map(move |block| BlockId { array, block }));
            // The library performs these checks when it reads a block, and check F1 only when it
            // verifies the hash. The library performs all other checks when it opens the file.
            let by_block = ["I3", "I4", "B1", "B2", "P6", "P7", "P8"].contains(&check);
            assert!(by_block || check == "F1", "{check} is a check when opening");
            let bad_block = ids.into_iter().any(|id| table.block(id).is_err());
            assert_eq!(bad_block, by_block, "{check}");
            bad_block || table.verify_hash(&mut |_| ControlFlow::Continue(())).is_err()
        }
    };
    assert!(refused, "the library accepts a file that fails {check}");
    check
}

type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

/// Applies `change` to the file and returns the name of the check that fails.
fn raw(file: &[u8], change: Change) -> &'static str {
    let mut file = file.to_vec();
    change(&mut file);
    failed(file)
}

/// Applies `change` to the file and recomputes the checksum of the header. Returns the name of the
/// check that fails.
fn header_only(file: &[u8], change: Change) -> &'static str {
    raw(file, &|f| {
        change(f);
        put_sum(f, 504, 0..504);
    })
}

/// Applies `change` to the file and recomputes all checksums. Returns the name of the check that
/// fails.
fn doctored(file: &[u8], change: Change) -> &'static str {
    raw(file, &|f| {
        change(f);
        reseal(f);
    })
}

/// Applies `change` to the directory and recomputes all checksums. Returns the name of the check
/// that fails.
fn directory(file: &[u8], change: &dyn Fn(&mut [u8])) -> &'static str {
    doctored(file, &|f| {
        let [from, to, _] = parts(f);
        change(&mut f[from..to]);
    })
}

/// The names of the checks that have failed as expected, in the order of the tests.
#[derive(Default)]
struct Seen(Vec<&'static str>);

impl Seen {
    fn expect(&mut self, check: &'static str, found: &'static str, what: &str) {
        assert_eq!(found, check, "{what}");
        self.0.push(check);
    }
}

#[test]
fn both_readers_make_every_check_of_the_document() {
    let (_, game) = mini_game();
    let mut seen = Seen::default();
    header(&game, &mut seen);
    records(&game, &mut seen);
    blocks(&game, &mut seen);
    seen.expect("F1", header_only(&game, &|f| f[136] ^= 1), "hash");
    targets(&game, &mut seen);
    payloads(&mut seen);

    // The tests must cover all checks that the tables in section 8 of the document list, in the
    // same order.
    seen.0.dedup();
    let document = document();
    let section = document.split("\n## ").find(|section| section.starts_with("8."));
    let section = section.expect("section 8 of the document");
    let listed = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let is_check = |w: &&str| matches!(w.as_bytes(), [a, b] if !a.is_ascii_digit() && b.is_ascii_digit());
    assert_eq!(seen.0, listed.filter(is_check).collect::<Vec<_>>());
}

/// Tests that checks H1 to H8 reject bad files.
fn header(game: &[u8], seen: &mut Seen) {
    seen.expect("H1", raw(game, &|f| f[0] ^= 1), "magic");
    seen.expect("H1", raw(game, &|f| f.truncate(7)), "short");
    seen.expect("H2", raw(game, &|f| f[8] = 7), "version");
    seen.expect("H2", raw(game, &|f| f[8] = 5), "version");
    seen.expect("H2", doctored(game, &|f| f[9] = 1), "version");
    seen.expect("H3", raw(game, &|f| f.truncate(511)), "short");
    seen.expect("H3", raw(game, &|f| f[504] ^= 1), "checksum");
    seen.expect("H4", doctored(game, &|f| f[10] = 2), "finished");
    for (at, value) in [(15, 65), (16, 17), (19, 17)] {
        seen.expect("H5", header_only(game, &|f| f[at] = value), &format!("byte {at}"));
    }
    for at in [17, 28, 31, 96, 103, 176, 279, 312, 503] {
        seen.expect("H5", header_only(game, &|f| f[at] = 1), &format!("byte {at}"));
    }
    seen.expect("H5", doctored(game, &|f| f[281] = 0x0a), "program");
    seen.expect("H5", doctored(game, &|f| f[281] = 0xff), "program");
    seen.expect("H6", raw(game, &|f| f.push(0)), "longer");
    seen.expect("H6", raw(game, &|f| f.truncate(600)), "shorter");
    for (at, what) in [
        (15, "key length"),
        (24, "arrays"),
        (32, "blocks"),
        (64, "size of the directory"),
        (80, "offset of the index"),
        (88, "size of the index"),
        (112, "size of the page table"),
    ] {
        seen.expect("H7", header_only(game, &|f| f[at] += 1), what);
    }
    seen.expect("H8", raw(game, &|f| f[513] ^= 1), "checksum");
}

/// Tests that checks D1 to D5 and I1 to I4 reject bad files.
fn records(game: &[u8], seen: &mut Seen) {
    let directory = |change: &dyn Fn(&mut [u8])| directory(game, change);
    let flipped = |f: &mut Vec<u8>, part: usize, byte: usize| {
        let at = parts(f)[part];
        f[at + byte] ^= 1;
    };
    seen.expect("D1", raw(game, &|f| flipped(f, 0, 60)), "checksum");
    seen.expect("D2", directory(&|d| d[24] = 0), "edge");
    seen.expect("D2", directory(&|d| d[8] = 0), "extent");
    let large_block = |d: &mut [u8]| [11, 27].into_iter().for_each(|at| d[at] = 1);
    seen.expect("D2", directory(&large_block), "a large block");
    let large = |d: &mut [u8]| [11, 15, 19, 23].into_iter().for_each(|at| d[at] = 200);
    seen.expect("D2", directory(&large), "large");
    seen.expect("D2", directory(&|d| d[48] = 0), "no blocks");
    seen.expect("D2", directory(&|d| d[48] = 2), "more blocks than there are");
    seen.expect("D3", directory(&|d| d.copy_within(80..160, 160)), "the same section twice");
    seen.expect("D3", directory(&|d| d[80..88].fill(9)), "large keys first");
    seen.expect("D4", doctored(game, &|f| f[40] += 1), "entries");
    seen.expect("D4", directory(&|d| d[160 + 48] -= 1), "blocks");
    seen.expect("D5", doctored(game, &|f| f[152] += 1), "sums of counters");

    let index = |change: &dyn Fn(&mut [u8])| {
        let mut file = game.to_vec();
        let [_, from, to] = parts(&file);
        change(&mut file[from..]);
        put_sum(&mut file, to + 8, from..to);
        reseal_parts(&mut file);
        failed(file)
    };
    let page = |f: &mut Vec<u8>, byte: usize| {
        let at = parts(f)[2];
        f[at + byte] += 1;
        reseal_parts(f);
    };
    seen.expect("I1", raw(game, &|f| flipped(f, 2, 10)), "checksum");
    seen.expect("I2", raw(game, &|f| page(f, 0)), "first offset");
    seen.expect("I2", raw(game, &|f| page(f, 6)), "after the directory");
    seen.expect("I3", raw(game, &|f| page(f, 8)), "checksum");
    seen.expect("I4", index(&|i| i[0] += 1), "first offset");
    seen.expect("I4", index(&|i| i.copy_within(16..32, 32)), "an empty payload");
    let last = 16 * (number(game, 32) - 1);
    seen.expect("I4", index(&|i| i[last + 6] = 1), "the last offset");
}

/// Tests that checks P1 to P5 reject bad files.
fn targets(game: &[u8], seen: &mut Seen) {
    let (_, root) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16);
    let (_, open) = root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12, Codec::COMPACT);
    for (at, value) in [(11, 2), (12, 2), (13, 0), (13, 3), (14, 0), (14, 20)] {
        seen.expect("P1", doctored(game, &|f| f[at] = value), &format!("byte {at}"));
    }
    for (at, value) in [(0, 2), (1, 5), (2, 5), (3, 2), (4, 2), (5, 2), (6, 3), (7, 3)] {
        seen.expect("P1", doctored(game, &|f| f[512 + at] = value), &format!("byte {at} of the target"));
    }
    seen.expect("P1", doctored(&root, &|f| f[13] = 2), "planes with a guess");
    seen.expect("P1", doctored(&open, &|f| f[13] = 1), "open bits without a guess");
    for (at, value) in [(12, 3), (12, 1), (14, 0), (14, 3)] {
        seen.expect("P1", doctored(&open, &|f| f[at] = value), &format!("byte {at}, open bits"));
    }
    seen.expect("P2", doctored(game, &|f| f[20] = 17), "slice");
    seen.expect("P2", doctored(game, &|f| f[21] = 1), "slice");
    seen.expect("P2", doctored(game, &|f| f[520] = 1), "a root of the whole game");
    seen.expect("P2", doctored(&root, &|f| f[520] |= f[528]), "two marbles in a socket");
    seen.expect("P2", doctored(&root, &|f| f[520] |= 0x20), "outside the board");
    seen.expect("P2", doctored(&root, &|f| f[528..536].fill(0)), "counts of the root");
    seen.expect("P2", doctored(&root, &|f| f[20] = 9), "more marbles than the slice");
    seen.expect("P3", directory(&root, &|d| d[0] = 1), "key");
    // Remove one entry from the last block, which leaves the number of blocks unchanged.
    let shorter = doctored(&root, &|f| {
        let at = parts(f)[0];
        f[at + 20] -= 1;
        f[40] -= 1;
    });
    seen.expect("P3", shorter, "extent");
    seen.expect("P4", directory(game, &|d| d[4] = 5), "a section with too many marbles");
    seen.expect("P4", directory(game, &|d| d[3] = 3), "a section of another slice");
    let not_standard = |d: &mut [u8]| d[160..168].copy_from_slice(&[4, 0, 0, 0, 0, 0, 0, 4]);
    seen.expect("P4", directory(game, &not_standard), "not standard");
    // The first array has one entry. Change its extent and its edge so that it has two entries in
    // one block.
    let extent = doctored(game, &|f| {
        let at = parts(f)[0];
        f[at + 8] = 2;
        f[40] += 1;
    });
    seen.expect("P4", extent, "extent");
    let counted = |file: &[u8]| {
        doctored(file, &|f| {
            let at = parts(f)[0];
            f[at + 56] ^= 1;
            f[152] = if f[at + 56] & 1 == 1 { f[152].wrapping_add(1) } else { f[152].wrapping_sub(1) };
        })
    };
    seen.expect("P5", counted(game), "counts of a section");
    seen.expect("P5", counted(&root), "counts below a root");
}

/// Returns the file with its first payload replaced. All offsets and checksums are adjusted.
fn with_payload(file: &[u8], payload: &[u8]) -> Vec<u8> {
    let [directory, index, pages] = parts(file);
    let second = number(file, index + 16);
    let grown = payload.len() as i64 - (second - 536) as i64;
    let mut file = [&file[..536], payload, &file[second..]].concat();
    let mut shift = |at: usize| {
        let old = number(&file, at) as i64;
        file[at..at + 8].copy_from_slice(&(old + grown).to_le_bytes());
    };
    [56, 80, 104, 128].into_iter().for_each(&mut shift);
    let [index, pages] = [index, pages].map(|at| (at as i64 + grown) as usize);
    (index + 16..pages).step_by(16).for_each(shift);
    assert!(directory > second);
    reseal(&mut file);
    file
}

/// Returns a table below a root whose blocks have twelve entries. The first payload consists of the
/// given tag and body.
fn tagged(tag: u8, body: &[u8]) -> Vec<u8> {
    let (_, file) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12);
    with_payload(&file, &[&[tag], body].concat())
}

/// Bit planes that decode to a block of twelve entries.
const PLANES: [u8; 1024] = [0; 1024];

/// Tests that checks B1 and B2 reject bad files.
fn blocks(game: &[u8], seen: &mut Seen) {
    for good in [tagged(1, &PLANES), tagged(2, &zstd_frame(&PLANES))] {
        pentago_decoder::decode(&good).expect("all checks are passed");
    }
    seen.expect("B1", failed(tagged(1, &[0; 1025])), "longer than the planes");
    seen.expect("B1", failed(tagged(0, &[0; 65])), "longer than an entry");
    let mut flipped = game.to_vec();
    flipped[536] ^= 1;
    seen.expect("B2", failed(flipped), "checksum");
}

/// Tests that checks P6 to P8 reject bad files.
fn payloads(seen: &mut Seen) {
    let frame = |content: &[u8]| zstd_frame(content);
    seen.expect("P6", failed(tagged(3, &[0])), "tag of another codec");
    seen.expect("P6", failed(tagged(4, &PLANES)), "tag of another codec");
    seen.expect("P6", failed(tagged(6, &[0])), "no tag");
    let open = |payload: &[u8]| {
        let (_, file) = root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12, Codec::QUICK);
        failed(with_payload(&file, payload))
    };
    for tag in [6, 7, 10] {
        seen.expect("P6", open(&[&[tag], &PLANES[..]].concat()), "no tag");
    }
    for payload in [&[3][..], &[3, 0], &[3, 1], &[3, 2], &[4], &[5, 1, 2], &[4; 40], &[5]] {
        seen.expect("P6", open(payload), &format!("no open bits: {payload:?}"));
    }
    seen.expect("P6", failed(tagged(0, &[0; 63])), "shorter than an entry");
    seen.expect("P6", failed(tagged(1, &PLANES[1..])), "shorter than the planes");
    seen.expect("P6", failed(tagged(2, &frame(&PLANES[1..]))), "a frame of other content");
    seen.expect("P6", failed(tagged(2, &[&frame(&PLANES)[..], &[0]].concat())), "more than a frame");
    seen.expect("P6", failed(tagged(2, &[frame(&PLANES), frame(&[])].concat())), "two frames");
    seen.expect("P6", failed(tagged(2, &frame(&PLANES)[..8])), "less than a frame");
    seen.expect("P6", failed(tagged(2, &[1, 2, 3, 4, 5])), "no frame");
    let set = |at: usize, bits: u8| {
        let mut planes = PLANES;
        planes[at] = bits;
        planes
    };
    seen.expect("P7", failed(tagged(1, &set(1023, 0x10))), "after the last entry");
    seen.expect("P7", failed(tagged(2, &frame(&set(1023, 0x10)))), "after the last entry");
    seen.expect("P8", failed(tagged(1, &set(0, 1))), "won and lost");
    seen.expect("P8", failed(tagged(2, &frame(&set(0, 1)))), "won and lost");
    let mut both = [0; 64];
    both[31] = 0x80;
    seen.expect("P8", failed(tagged(0, &both)), "won and lost");
}

/// Both readers reject a table that contains only a part of an array, and report that the table is
/// a shard.
#[test]
fn shards_of_arrays_are_refused() {
    let (_, file) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16);
    let [directory, index, pages] = parts(&file);
    let blocks = number(&file, 32);
    let last = number(&file, index + 16 * (blocks - 1));
    // Make a shard: remove the payload, the index record and the entries of the last block.
    let mut shard = [&file[..last], &file[directory..pages - 16], &file[pages..]].concat();
    let mut put = |at: usize, value: usize| shard[at..at + 8].copy_from_slice(&(value as u64).to_le_bytes());
    let entries = number(&file, 40);
    [
        (32, blocks - 1),
        (40, 16 * (blocks - 1)),
        (88, 16 * (blocks - 1)),
        (128, file.len() - (directory - last) - 16),
    ]
    .into_iter()
    .for_each(|(at, value)| put(at, value));
    [(56, directory), (80, index), (104, pages - 16)]
        .into_iter()
        .for_each(|(at, value)| put(at, value - (directory - last)));
    put(last + 48, blocks - 1);
    assert!(entries < 16 * blocks);
    reseal(&mut shard);
    let error = Table::new(Path::new("t"), Arc::new(shard.clone()), Cache::new(0)).expect_err("a shard");
    assert!(error.to_string().contains("only some blocks of an array"), "{error}");
    assert_eq!(pentago_decoder::decode(&shard).expect_err("a shard").check, "shard");
}

/// Encodes `content` as a zstd frame with one block for each run of equal bytes (RFC 8878, 3.1.1).
/// The frame is a single segment and stores the size of the content in 4 bytes.
fn zstd_frame(content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend((content.len() as u32).to_le_bytes());
    for run in content.chunk_by(|a, b| a == b) {
        frame.extend(&((run.len() as u32) << 3 | 1 << 1).to_le_bytes()[..3]);
        frame.push(run[0]);
    }
    // Append an empty raw block as the last block.
    frame.extend([1, 0, 0]);
    frame
}
