//! Each required check of db-format.md fails on a file that was made for it, with all checksums right but those that it is about.

use super::{document, mini_game, root_table};
use pentago::rules::Rules;
use pentago::tables::{Cache, Table};
use pentago::values::BlockId;
use pentago_decoder::Failed;
use std::path::Path;
use twox_hash::{XxHash3_64, XxHash3_128};

/// Offsets of the parts of a file: directory, block index, end.
fn parts(file: &[u8]) -> [usize; 3] {
    let at = |offset: usize| {
        u64::from_le_bytes(file[offset..offset + 8].try_into().expect("eight bytes")) as usize
    };
    [at(88), at(112), at(136)]
}

/// Makes all checksums and the hash right again, for the lengths that the header gives.
fn reseal(file: &mut [u8]) {
    let [directory, index, end] = parts(file);
    for record in (index..end).step_by(16) {
        let from = u64::from_le_bytes(file[record..record + 8].try_into().expect("eight bytes")) as usize;
        let next = file[record + 16..].first_chunk().map_or(directory, |b| u64::from_le_bytes(*b) as usize);
        let next = if record + 16 < end { next } else { directory };
        if let Some(payload) = file.get(from..next) {
            let sum = XxHash3_64::oneshot(payload);
            file[record + 8..record + 16].copy_from_slice(&sum.to_le_bytes());
        }
    }
    let sums = [XxHash3_64::oneshot(&file[directory..index]), XxHash3_64::oneshot(&file[index..end])];
    file[104..112].copy_from_slice(&sums[0].to_le_bytes());
    file[128..136].copy_from_slice(&sums[1].to_le_bytes());
    let mut hasher = XxHash3_128::new();
    hasher.write(&file[256..]);
    file[144..160].copy_from_slice(&hasher.finish_128().to_le_bytes());
    let sum = XxHash3_64::oneshot(&file[..248]);
    file[248..256].copy_from_slice(&sum.to_le_bytes());
}

/// The check that the second reader says has failed; our reader must refuse the file, too: when it is opened, when a block is
/// read, or when everything is verified.
fn failed(file: Vec<u8>) -> &'static str {
    let Failed { check, .. } = pentago_decoder::decode(&file).expect_err("a check fails");
    let refused = match Table::new(Path::new("t"), Box::new(file), Cache::new(1 << 24)) {
        Err(_) => true,
        Ok(table) => {
            let ids = (0..)
                .zip(table.arrays())
                .flat_map(|(array, r)| (0..r.array.grid.blocks()).map(move |block| BlockId { array, block }));
            // Only what is read block by block, or on demand, may come to light later.
            assert!(check.starts_with(['B', 'F']), "{check} is a check when opening");
            let bad_block = ids.into_iter().any(|id| table.block(id).is_err());
            assert_eq!(bad_block, check.starts_with('B'), "{check}");
            bad_block || table.verify_hash(&mut |_| {}).is_err()
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
    let mut seen = Vec::new();
    let mut expect = |check: &'static str, found: &'static str, what: &str| {
        assert_eq!(found, check, "{what}");
        seen.push(check);
    };

    expect("H1", raw(&game, &|f| f[0] ^= 1), "magic");
    expect("H1", raw(&game, &|f| f.truncate(255)), "short");
    expect("H2", raw(&game, &|f| f[8] = 2), "version");
    expect("H2", doctored(&game, &|f| f[8] = 0), "version");
    expect("H3", raw(&game, &|f| f[248] ^= 1), "checksum");
    for (at, value) in [
        (10, 2),
        (12, 2),
        (13, 0),
        (13, 3),
        (14, 0),
        (14, 20),
        (16, 2),
        (17, 5),
        (18, 5),
        (19, 2),
        (20, 2),
        (21, 2),
        (22, 3),
        (23, 2),
    ] {
        expect("H4", doctored(&game, &|f| f[at] = value), &format!("byte {at}"));
    }
    expect("H4", doctored(&root, &|f| f[13] = 2), "a filter for whole games below a root");
    for at in [15, 44, 47, 192, 247] {
        expect("H5", doctored(&game, &|f| f[at] = 1), &format!("byte {at}"));
    }
    expect("H5", doctored(&game, &|f| f[161] = 0x0a), "program");
    expect("H5", doctored(&game, &|f| f[161] = 0xff), "program");
    expect("H6", raw(&game, &|f| f.push(0)), "longer");
    expect("H6", raw(&game, &|f| f.truncate(300)), "shorter");
    for (at, what) in
        [(40, "arrays"), (48, "blocks"), (96, "bytes of the directory"), (120, "bytes of the index")]
    {
        let changed = |f: &mut Vec<u8>| {
            let end = f.len() - 16;
            f[at] += 1;
            let sum = XxHash3_64::oneshot(&f[..248]);
            f[248..256].copy_from_slice(&sum.to_le_bytes());
            assert!(end > 256);
        };
        expect("H7", raw(&game, &changed), what);
    }
    expect("H8", doctored(&game, &|f| f[11] = 17), "slice");
    expect("H8", doctored(&game, &|f| f[24] = 1), "a root of the whole game");
    expect("H8", doctored(&root, &|f| f[24] |= f[32]), "two marbles in a socket");
    expect("H8", doctored(&root, &|f| f[24] |= 0x20), "outside the board");
    expect("H8", doctored(&root, &|f| f[32..40].fill(0)), "counts of the root");
    expect("H8", doctored(&root, &|f| f[11] = 9), "more marbles than the slice");

    let directory = |file: &[u8]| parts(file)[0];
    expect(
        "D1",
        raw(&game, &|f| {
            let at = directory(f);
            f[at + 50] ^= 1
        }),
        "checksum",
    );
    expect(
        "D2",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 24] = 0
        }),
        "edge",
    );
    expect(
        "D2",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 8] = 0
        }),
        "extent",
    );
    expect(
        "D2",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 11] = 1;
            f[at + 27] = 1
        }),
        "a large block",
    );
    expect(
        "D2",
        doctored(&game, &|f| {
            let at = directory(f);
            for i in [11, 15, 19, 23] {
                f[at + i] = 200
            }
        }),
        "large",
    );
    expect(
        "D3",
        doctored(&root, &|f| {
            let at = directory(f);
            f[at] = 1
        }),
        "key",
    );
    expect(
        "D3",
        doctored(&root, &|f| {
            let at = directory(f);
            f[at + 20] -= 1
        }),
        "extent",
    );
    expect(
        "D4",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 4] = 5
        }),
        "a section with too many marbles",
    );
    expect(
        "D4",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 3] = 3
        }),
        "a section of another slice",
    );
    expect(
        "D4",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at..at + 8].copy_from_slice(&[4, 0, 0, 0, 0, 0, 0, 4])
        }),
        "not standard",
    );
    expect(
        "D4",
        doctored(&game, &|f| {
            let at = directory(f) + 72;
            f[at + 8] = 1
        }),
        "extent",
    );
    expect(
        "D4",
        doctored(&game, &|f| {
            let at = directory(f);
            f.copy_within(at + 72..at + 144, at + 144)
        }),
        "the same section twice",
    );
    expect(
        "D5",
        doctored(&game, &|f| {
            let at = directory(f) + 72;
            f[at + 40] += 1
        }),
        "first block",
    );
    expect("D5", doctored(&game, &|f| f[56] += 1), "entries");
    expect(
        "D6",
        doctored(&game, &|f| {
            let at = directory(f);
            f[at + 48] += 1;
            f[64] += 1
        }),
        "counts of a section",
    );
    expect(
        "D6",
        doctored(&root, &|f| {
            let at = directory(f);
            f[at + 48] ^= 1;
            f[64] ^= 1
        }),
        "counts below a root",
    );
    expect(
        "D6",
        doctored(&game, &|f| {
            f[64] += 1;
        }),
        "sums of counts",
    );

    let index = |file: &[u8]| parts(file)[1];
    expect(
        "I1",
        raw(&game, &|f| {
            let at = index(f);
            f[at + 20] ^= 1
        }),
        "checksum",
    );
    expect(
        "I2",
        doctored(&game, &|f| {
            let at = index(f);
            f[at] += 1
        }),
        "first offset",
    );
    expect(
        "I2",
        doctored(&game, &|f| {
            let at = index(f);
            f.copy_within(at + 16..at + 32, at + 32)
        }),
        "an empty payload",
    );
    expect(
        "I2",
        doctored(&game, &|f| {
            let at = f.len() - 10;
            f[at] = 1
        }),
        "the last offset",
    );

    blocks(&game, &mut expect);
    expect(
        "F1",
        {
            let mut file = game.clone();
            file[144] ^= 1;
            let sum = XxHash3_64::oneshot(&file[..248]);
            file[248..256].copy_from_slice(&sum.to_le_bytes());
            failed(file)
        },
        "hash",
    );

    // Every check of the table in section 7 has failed above.
    seen.dedup();
    let document = document();
    let listed: Vec<&str> =
        document.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()).collect();
    let checks: Vec<&str> = listed
        .into_iter()
        .filter(|w| w.len() == 2 && w.as_bytes()[1].is_ascii_digit() && !w.as_bytes()[0].is_ascii_digit())
        .collect();
    assert_eq!(seen, checks);
}

/// The file with another payload in place of its first, everything else as it must be.
fn with_payload(file: &[u8], payload: &[u8]) -> Vec<u8> {
    let [directory, index, end] = parts(file);
    let second = u64::from_le_bytes(file[index + 16..index + 24].try_into().expect("eight bytes")) as usize;
    let grown = payload.len() as i64 - (second - 256) as i64;
    let mut file = [&file[..256], payload, &file[second..]].concat();
    let mut shift = |at: usize| {
        let old = i64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"));
        file[at..at + 8].copy_from_slice(&(old + grown).to_le_bytes());
    };
    [88, 112, 136].into_iter().for_each(&mut shift);
    let index = (index as i64 + grown) as usize;
    (index + 16..(end as i64 + grown) as usize).step_by(16).for_each(shift);
    assert!(directory > second);
    reseal(&mut file);
    file
}

/// B1 to B5, on the first block of a table below a root with blocks of twelve entries.
fn blocks(game: &[u8], expect: &mut dyn FnMut(&'static str, &'static str, &str)) {
    let (_, file) = root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 12);
    let planes = vec![0; 1024];
    let tagged = |tag: u8, body: &[u8]| with_payload(&file, &[&[tag], body].concat());
    let frame = |manifest: &[u8]| zstd_frame(manifest);
    for good in [tagged(1, &planes), tagged(2, &frame(&planes))] {
        pentago_decoder::decode(&good).expect("all checks are passed");
    }
    expect("B1", failed(tagged(1, &[0; 1025])), "longer than the planes");
    expect("B1", failed(tagged(0, &[0; 65])), "longer than an entry");
    let flipped = |f: &[u8]| {
        let mut f = f.to_vec();
        f[256] ^= 1;
        f
    };
    expect("B2", failed(flipped(game)), "checksum");
    expect("B3", failed(tagged(3, &planes)), "tag");
    expect("B3", failed(tagged(0, &[0; 63])), "shorter than an entry");
    expect("B3", failed(tagged(1, &planes[1..])), "shorter than the planes");
    expect("B3", failed(tagged(2, &frame(&planes[1..]))), "a frame of other content");
    expect("B3", failed(tagged(2, &[&frame(&planes)[..], &[0]].concat())), "more than a frame");
    expect("B3", failed(tagged(2, &[frame(&planes), frame(&[])].concat())), "two frames");
    expect("B3", failed(tagged(2, &frame(&planes)[..8])), "less than a frame");
    expect("B3", failed(tagged(2, &[1, 2, 3, 4, 5])), "no frame");
    let set = |at: usize, bits: u8| {
        let mut planes = planes.clone();
        planes[at] = bits;
        planes
    };
    expect("B4", failed(tagged(1, &set(1023, 0x10))), "behind the last entry");
    expect("B4", failed(tagged(2, &frame(&set(1023, 0x10)))), "behind the last entry");
    expect("B5", failed(tagged(1, &set(0, 1))), "won and lost");
    expect("B5", failed(tagged(2, &frame(&set(0, 1)))), "won and lost");
    let mut both = [0; 64];
    both[31] = 0x80;
    expect("B5", failed(tagged(0, &both)), "won and lost");
}

/// A zstd frame with a block for each run of equal bytes (RFC 8878, 3.1.1): single segment, content size in 4 bytes.
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
