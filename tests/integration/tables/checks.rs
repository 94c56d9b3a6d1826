//! Each required check of db-format.md fails on a file that was made for it, with all checksums
//! right but those that it is about.

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

/// The number at an offset.
fn number(file: &[u8], at: usize) -> usize {
    u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize
}

/// Offsets of the parts of a file: directory, block index, page table.
fn parts(file: &[u8]) -> [usize; 3] {
    [56, 80, 104].map(|at| number(file, at))
}

/// Puts the checksum of some bytes at an offset.
fn put_sum(file: &mut [u8], at: usize, of: std::ops::Range<usize>) {
    let sum = XxHash3_64::oneshot(&file[of]);
    file[at..at + 8].copy_from_slice(&sum.to_le_bytes());
}

/// Makes all checksums and the hash right again, for the lengths that the header gives. The tables
/// of these tests have one page.
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

/// The same without payloads and page.
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

/// The check that the second reader says has failed; our reader must refuse the file, too: when it
/// is opened, when a block is read, or when everything is verified.
fn failed(file: Vec<u8>) -> &'static str {
    let Failed { check, .. } = pentago_decoder::decode(&file).expect_err("a check fails");
    let refused = match Table::new(Path::new("t"), Arc::new(file), Cache::new(1 << 24)) {
        Err(_) => true,
        Ok(table) => {
            let ids = (0..)
                .zip(table.arrays())
                .flat_map(|(array, r)| (0..r.array.grid.blocks()).map(move |block| BlockId { array, block }));
            // Only what is read block by block, or on demand, may come to light later.
            let by_block = ["I3", "I4", "B1", "B2", "P6", "P7", "P8"].contains(&check);
            assert!(by_block || check == "F1", "{check} is a check when opening");
            let bad_block = ids.into_iter().any(|id| table.block(id).is_err());
            assert_eq!(bad_block, by_block, "{check}");
            bad_block || table.verify_hash(&mut |_| ControlFlow::Continue(())).is_err()
        }
    };
    assert!(refused, "our reader takes what fails {check}");
    check
}

/// A change of a file after which its checksums are made right.
type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

#[test]
fn both_readers_make_every_check_of_the_document() {
    let (_, game) = mini_game();
    let (_, root) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16);
    let (_, open) = root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12, Codec::COMPACT);
    let doctored = |file: &[u8], change: Change| {
        let mut file = file.to_vec();
        change(&mut file);
        reseal(&mut file);
        failed(file)
    };
    let raw = |file: &[u8], change: Change| {
        let mut file = file.to_vec();
        change(&mut file);
        failed(file)
    };
    let header_only = |file: &[u8], change: Change| {
        let mut file = file.to_vec();
        change(&mut file);
        put_sum(&mut file, 504, 0..504);
        failed(file)
    };
    let mut seen = Vec::new();
    let mut expect = |check: &'static str, found: &'static str, what: &str| {
        assert_eq!(found, check, "{what}");
        seen.push(check);
    };

    expect("H1", raw(&game, &|f| f[0] ^= 1), "magic");
    expect("H1", raw(&game, &|f| f.truncate(7)), "short");
    expect("H2", raw(&game, &|f| f[8] = 7), "version");
    expect("H2", raw(&game, &|f| f[8] = 5), "version");
    expect("H2", doctored(&game, &|f| f[9] = 1), "version");
    expect("H3", raw(&game, &|f| f.truncate(511)), "short");
    expect("H3", raw(&game, &|f| f[504] ^= 1), "checksum");
    expect("H4", doctored(&game, &|f| f[10] = 2), "finished");
    for (at, value) in [(15, 65), (16, 17), (19, 17)] {
        expect("H5", header_only(&game, &|f| f[at] = value), &format!("byte {at}"));
    }
    for at in [17, 28, 31, 96, 103, 176, 279, 312, 503] {
        expect("H5", header_only(&game, &|f| f[at] = 1), &format!("byte {at}"));
    }
    expect("H5", doctored(&game, &|f| f[281] = 0x0a), "program");
    expect("H5", doctored(&game, &|f| f[281] = 0xff), "program");
    expect("H6", raw(&game, &|f| f.push(0)), "longer");
    expect("H6", raw(&game, &|f| f.truncate(600)), "shorter");
    for (at, what) in [
        (15, "key length"),
        (24, "arrays"),
        (32, "blocks"),
        (64, "bytes of the directory"),
        (80, "offset of the index"),
        (88, "bytes of the index"),
        (112, "bytes of the page table"),
    ] {
        expect("H7", header_only(&game, &|f| f[at] += 1), what);
    }
    expect("H8", raw(&game, &|f| f[513] ^= 1), "checksum");

    let directory = |change: &dyn Fn(&mut [u8])| {
        doctored(&game, &|f| {
            let [from, to, _] = parts(f);
            change(&mut f[from..to]);
        })
    };
    expect(
        "D1",
        raw(&game, &|f| {
            let at = parts(f)[0];
            f[at + 60] ^= 1;
        }),
        "checksum",
    );
    expect("D2", directory(&|d| d[24] = 0), "edge");
    expect("D2", directory(&|d| d[8] = 0), "extent");
    let large_block = |d: &mut [u8]| [11, 27].into_iter().for_each(|at| d[at] = 1);
    expect("D2", directory(&large_block), "a large block");
    let large = |d: &mut [u8]| [11, 15, 19, 23].into_iter().for_each(|at| d[at] = 200);
    expect("D2", directory(&large), "large");
    expect("D2", directory(&|d| d[48] = 0), "no blocks");
    expect("D2", directory(&|d| d[48] = 2), "more blocks than there are");
    expect("D3", directory(&|d| d.copy_within(80..160, 160)), "the same section twice");
    expect("D3", directory(&|d| d[80..88].fill(9)), "large keys first");
    expect("D4", doctored(&game, &|f| f[40] += 1), "entries");
    expect("D4", directory(&|d| d[160 + 48] -= 1), "blocks");
    expect("D5", doctored(&game, &|f| f[152] += 1), "sums of counters");

    let index = |change: &dyn Fn(&mut [u8])| {
        let mut file = game.clone();
        let [_, from, _] = parts(&file);
        change(&mut file[from..]);
        let [_, from, to] = parts(&file);
        put_sum(&mut file, to + 8, from..to);
        reseal_parts(&mut file);
        failed(file)
    };
    expect(
        "I1",
        raw(&game, &|f| {
            let at = parts(f)[2];
            f[at + 10] ^= 1;
        }),
        "checksum",
    );
    let page = |f: &mut Vec<u8>, byte: usize| {
        let at = parts(f)[2];
        f[at + byte] += 1;
        reseal_parts(f);
    };
    expect("I2", raw(&game, &|f| page(f, 0)), "first offset");
    expect("I2", raw(&game, &|f| page(f, 6)), "beyond the directory");
    expect("I3", raw(&game, &|f| page(f, 8)), "checksum");
    expect("I4", index(&|i| i[0] += 1), "first offset");
    expect("I4", index(&|i| i.copy_within(16..32, 32)), "an empty payload");
    let last = 16 * (number(&game, 32) - 1);
    expect("I4", index(&|i| i[last + 6] = 1), "the last offset");

    blocks(&game, &mut expect);
    expect("F1", header_only(&game, &|f| f[136] ^= 1), "hash");

    for (at, value) in [(11, 2), (12, 2), (13, 0), (13, 3), (14, 0), (14, 20)] {
        expect("P1", doctored(&game, &|f| f[at] = value), &format!("byte {at}"));
    }
    for (at, value) in [(0, 2), (1, 5), (2, 5), (3, 2), (4, 2), (5, 2), (6, 3), (7, 3)] {
        expect("P1", doctored(&game, &|f| f[512 + at] = value), &format!("byte {at} of the target"));
    }
    expect("P1", doctored(&root, &|f| f[13] = 2), "planes with a guess");
    expect("P1", doctored(&open, &|f| f[13] = 1), "open bits without a guess");
    for (at, value) in [(12, 3), (12, 1), (14, 0), (14, 3)] {
        expect("P1", doctored(&open, &|f| f[at] = value), &format!("byte {at}, open bits"));
    }
    expect("P2", doctored(&game, &|f| f[20] = 17), "slice");
    expect("P2", doctored(&game, &|f| f[21] = 1), "slice");
    expect("P2", doctored(&game, &|f| f[520] = 1), "a root of the whole game");
    expect("P2", doctored(&root, &|f| f[520] |= f[528]), "two marbles in a socket");
    expect("P2", doctored(&root, &|f| f[520] |= 0x20), "outside the board");
    expect("P2", doctored(&root, &|f| f[528..536].fill(0)), "counts of the root");
    expect("P2", doctored(&root, &|f| f[20] = 9), "more marbles than the slice");
    let root_directory = |change: &dyn Fn(&mut [u8])| {
        doctored(&root, &|f| {
            let [from, to, _] = parts(f);
            change(&mut f[from..to]);
        })
    };
    expect("P3", root_directory(&|d| d[0] = 1), "key");
    // The same blocks, but an entry less in the last one.
    let shorter = doctored(&root, &|f| {
        let at = parts(f)[0];
        f[at + 20] -= 1;
        f[40] -= 1;
    });
    expect("P3", shorter, "extent");
    expect("P4", directory(&|d| d[4] = 5), "a section with too many marbles");
    expect("P4", directory(&|d| d[3] = 3), "a section of another slice");
    expect("P4", directory(&|d| d[160..168].copy_from_slice(&[4, 0, 0, 0, 0, 0, 0, 4])), "not standard");
    let extent = doctored(&game, &|f| {
        // The first array has one entry; with another edge it has two in one block.
        let at = parts(f)[0];
        f[at + 8] = 2;
        f[40] += 1;
    });
    expect("P4", extent, "extent");
    let counted = |file: &[u8]| {
        doctored(file, &|f| {
            let at = parts(f)[0];
            f[at + 56] ^= 1;
            let sum = if f[at + 56] & 1 == 1 { f[152].wrapping_add(1) } else { f[152].wrapping_sub(1) };
            f[152] = sum;
        })
    };
    expect("P5", counted(&game), "counts of a section");
    expect("P5", counted(&root), "counts below a root");
    payloads(&mut expect);

    // Every check of the tables in section 8 has failed above.
    seen.dedup();
    let document = document();
    let section = document.split("\n## ").find(|section| section.starts_with("8."));
    let section = section.expect("section 8 of the document");
    let listed: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()).collect();
    let checks: Vec<&str> = listed
        .into_iter()
        .filter(|w| w.len() == 2 && w.as_bytes()[1].is_ascii_digit() && !w.as_bytes()[0].is_ascii_digit())
        .collect();
    assert_eq!(seen, checks);
}

/// The file with another payload in place of its first, everything else as it must be.
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

/// A table below a root with blocks of twelve entries, with a payload of this tag and body as its
/// first.
fn tagged(tag: u8, body: &[u8]) -> Vec<u8> {
    let (_, file) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12);
    with_payload(&file, &[&[tag], body].concat())
}

/// Planes of twelve entries.
const PLANES: [u8; 1024] = [0; 1024];

/// B1 and B2.
fn blocks(game: &[u8], expect: &mut dyn FnMut(&'static str, &'static str, &str)) {
    for good in [tagged(1, &PLANES), tagged(2, &zstd_frame(&PLANES))] {
        pentago_decoder::decode(&good).expect("all checks are passed");
    }
    expect("B1", failed(tagged(1, &[0; 1025])), "longer than the planes");
    expect("B1", failed(tagged(0, &[0; 65])), "longer than an entry");
    let mut flipped = game.to_vec();
    flipped[536] ^= 1;
    expect("B2", failed(flipped), "checksum");
}

/// P6 to P8.
fn payloads(expect: &mut dyn FnMut(&'static str, &'static str, &str)) {
    let frame = |content: &[u8]| zstd_frame(content);
    expect("P6", failed(tagged(3, &[0])), "tag of another codec");
    expect("P6", failed(tagged(4, &PLANES)), "tag of another codec");
    expect("P6", failed(tagged(6, &[0])), "no tag");
    let open = |payload: &[u8]| {
        let (_, file) = root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12, Codec::QUICK);
        failed(with_payload(&file, payload))
    };
    for tag in [6, 7, 10] {
        expect("P6", open(&[&[tag], &PLANES[..]].concat()), "no tag");
    }
    for payload in [&[3][..], &[3, 0], &[3, 1], &[3, 2], &[4], &[5, 1, 2], &[4; 40], &[5]] {
        expect("P6", open(payload), &format!("no open bits: {payload:?}"));
    }
    expect("P6", failed(tagged(0, &[0; 63])), "shorter than an entry");
    expect("P6", failed(tagged(1, &PLANES[1..])), "shorter than the planes");
    expect("P6", failed(tagged(2, &frame(&PLANES[1..]))), "a frame of other content");
    expect("P6", failed(tagged(2, &[&frame(&PLANES)[..], &[0]].concat())), "more than a frame");
    expect("P6", failed(tagged(2, &[frame(&PLANES), frame(&[])].concat())), "two frames");
    expect("P6", failed(tagged(2, &frame(&PLANES)[..8])), "less than a frame");
    expect("P6", failed(tagged(2, &[1, 2, 3, 4, 5])), "no frame");
    let set = |at: usize, bits: u8| {
        let mut planes = PLANES;
        planes[at] = bits;
        planes
    };
    expect("P7", failed(tagged(1, &set(1023, 0x10))), "behind the last entry");
    expect("P7", failed(tagged(2, &frame(&set(1023, 0x10)))), "behind the last entry");
    expect("P8", failed(tagged(1, &set(0, 1))), "won and lost");
    expect("P8", failed(tagged(2, &frame(&set(0, 1)))), "won and lost");
    let mut both = [0; 64];
    both[31] = 0x80;
    expect("P8", failed(tagged(0, &both)), "won and lost");
}

/// A table that holds a part of an array is refused by both readers, and said to be one.
#[test]
fn shards_of_arrays_are_refused() {
    let (_, file) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16);
    let [directory, index, pages] = parts(&file);
    let blocks = number(&file, 32);
    let last = number(&file, index + 16 * (blocks - 1));
    // Without the last block: its payload, its record, its entries.
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

/// A zstd frame with a block for each run of equal bytes (RFC 8878, 3.1.1): single segment, content
/// size in 4 bytes.
fn zstd_frame(manifest: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend((manifest.len() as u32).to_le_bytes());
    for run in manifest.chunk_by(|a, b| a == b) {
        frame.extend(&((run.len() as u32) << 3 | 1 << 1).to_le_bytes()[..3]);
        frame.push(run[0]);
    }
    // The last block is an empty one of bytes as they are.
    frame.extend([1, 0, 0]);
    frame
}
