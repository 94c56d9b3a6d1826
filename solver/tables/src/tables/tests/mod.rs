//! Tests that write tables and read them back. `writing` tests the writer, and `damage` tests
//! invalid payloads.

mod damage;
mod writing;

use super::*;
use crate::codec::open::Preset;
use crate::codec::tests::{mix, real_like_entries};
use crate::codec::{Codec, Level};
use pentago_core::rules::Rules;
use pentago_core::values::{BlockId, Entry, Grid, Source};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Returns the manifest of a table with three sections of Mini-Pentago, which have 1, 36 and 81
/// entries.
pub fn small_manifest() -> Manifest {
    mini_manifest(8, &["00,04,40,00", "02,11,11,20", "11,11,11,11"], [3, 2, 2, 2])
}

/// Returns the manifest of a table with the given sections of Mini-Pentago. `edges` are the edges
/// of a block.
fn mini_manifest(slice: u8, sections: &[&str], edges: [u32; 4]) -> Manifest {
    let target = Target { rules: Rules::mini(), domain: Domain::Game };
    let all = target.sections();
    let array = |text: &&str| {
        let (section, _) = all.standardise(text.parse().expect("a section"));
        ArrayInfo { key: all.key(section), grid: Grid { extents: all.extents(section), edges } }
    };
    let mut arrays: Vec<ArrayInfo> = sections.iter().map(array).collect();
    arrays.sort_by_key(|array| array.key);
    Manifest { target, slice, arrays }
}

/// Returns the manifest of a table below a root of Pentago, with 420 entries in 4 blocks.
pub fn root_content() -> Manifest {
    let rules = Rules::default();
    let root = rules.parse_position("XOXOXO/XOXOXO/OXOXOX/OXOXOX/XO1XO1/6 x").expect("a position").board();
    let target = Target { rules, domain: Domain::Root(root) };
    Manifest { target, slice: 32, arrays: vec![ArrayInfo { key: [0; 8], grid: Grid::list(420, 128) }] }
}

/// Returns all blocks of a table, filled with invented entries.
pub fn blocks_of(manifest: &Manifest) -> Vec<(BlockId, Vec<Entry>)> {
    let mut blocks = Vec::new();
    for (array, a) in (0..).zip(&manifest.arrays) {
        for block in 0..a.grid.blocks() {
            let seed = mix(u64::from(array) << 32 | block);
            let len = a.grid.len(block);
            let entries = if seed.is_multiple_of(5) {
                vec![Entry::default(); len]
            } else {
                real_like_entries(len, seed >> 40)
            };
            blocks.push((BlockId { array, block }, entries));
        }
    }
    blocks
}

/// All codecs, each with one level.
const CODECS: [Codec; 3] = [Codec::Zstd(Level::KEPT), Codec::QUICK, Codec::COMPACT];

/// Begins a table, or resumes an unfinished table.
fn begin(path: &Path, manifest: &Manifest) -> Writer {
    begin_with(path, manifest, Codec::Zstd(Level::KEPT))
}

fn begin_with(path: &Path, manifest: &Manifest, codec: Codec) -> Writer {
    Writer::begin(path, manifest.clone(), Settings::new(codec)).expect("begun")
}

/// Writes a whole table, and returns its header.
fn write(path: &Path, manifest: &Manifest, blocks: &[(BlockId, Vec<Entry>)]) -> Header {
    let writer = begin(path, manifest);
    for (id, entries) in blocks {
        writer.put(*id, entries).expect("put");
    }
    writer.finish().expect("finished")
}

/// Returns the manifest of two sections of Mini-Pentago near the end of the game.
fn late_manifest() -> Manifest {
    mini_manifest(14, &["12,21,22,22", "13,21,21,22"], [2, 2, 1, 2])
}

/// Values survive writing and reading with every codec, inside and outside the bounds of their
/// guesses. For values inside the bounds, only open bits are stored.
#[test]
fn every_codec_gives_the_values_back() {
    for manifest in [small_manifest(), late_manifest(), root_content()] {
        for (blocks, holds) in [(blocks_of(&manifest), false), (guessed(&manifest), true)] {
            let mut sizes = Vec::new();
            for codec in CODECS {
                let bytes = bytes_with(&manifest, &blocks, codec);
                sizes.push(bytes.len());
                let tags = |bytes: &[u8], table: &Table| -> Vec<u8> {
                    let first = |id: &BlockId| {
                        let range = table.raw().payloads(id.array).expect("there are");
                        bytes[range.start as usize]
                    };
                    blocks.iter().map(|(id, _)| first(id)).collect()
                };
                let table =
                    Table::new(Path::new("t"), Arc::new(bytes.clone()), Cache::new(0)).expect("opened");
                assert_eq!(table.header().codec, codec);
                for (id, entries) in &blocks {
                    let mut into = vec![Entry::default(); entries.len()];
                    TableSource(&table).get(*id, &mut into).expect("read");
                    assert!(into == *entries, "{codec}");
                }
                let expected: &[u8] = match (codec, holds) {
                    (Codec::Zstd(_), _) => &[0, 1, 2],
                    (Codec::Open(Preset::Quick), true) => &[0, 3],
                    (Codec::Open(Preset::Quick), false) => &[0, 1, 2, 3],
                    (Codec::Open(Preset::Compact), true) => &[0, 3, 5],
                    (Codec::Open(Preset::Compact), false) => &[0, 1, 2, 3, 4, 5],
                };
                let tags = tags(&bytes, &table);
                assert!(tags.iter().all(|tag| expected.contains(tag)), "{codec} {holds}: {tags:?}");
            }
            // Near the end of the game, few bits are open, so open bits take less space than bit
            // planes.
            if holds && usize::from(manifest.slice) > manifest.target.rules.shape.sockets() / 2 {
                assert!(sizes[1] < sizes[0], "{sizes:?}");
            }
        }
    }
}

/// The writer refuses an entry that marks a position as both won and lost.
#[test]
fn impossible_values_are_refused() {
    for codec in CODECS {
        let (manifest, folder) = (small_manifest(), folder());
        let writer = begin_with(&folder.path().join("t"), &manifest, codec);
        let (id, mut entries) = blocks_of(&manifest).swap_remove(1);
        entries[0].win.0[0].0[0] = 1;
        entries[0].not_lose.0[0].0[0] = 0;
        let error = writer.put(id, &entries).expect_err("refused");
        assert!(matches!(error.reason, Reason::WrongBlock(_)), "{error}");
    }
}

/// Creates a temporary folder, which is removed when the result is dropped.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Returns the file of a table with invented entries, as bytes.
fn bytes_of(manifest: &Manifest) -> Vec<u8> {
    bytes_with(manifest, &blocks_of(manifest), Codec::Zstd(Level::KEPT))
}

fn bytes_with(manifest: &Manifest, blocks: &[(BlockId, Vec<Entry>)], codec: Codec) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let writer = begin_with(&path, manifest, codec);
    blocks.iter().for_each(|(id, entries)| writer.put(*id, entries).expect("put"));
    writer.finish().expect("finished");
    std::fs::read(path).expect("read")
}

/// Returns all blocks of a table, filled with invented entries inside the bounds of their guesses.
fn guessed(manifest: &Manifest) -> Vec<(BlockId, Vec<Entry>)> {
    let guesses = BlockCodec::new(CODECS[2], &manifest.target, manifest.slice);
    let mut blocks = blocks_of(manifest);
    for (id, entries) in &mut blocks {
        let array = &manifest.arrays[id.array as usize];
        let guess = guesses.guess(array, id.block).expect("all values are guessed");
        for (entry, guess) in entries.iter_mut().zip(&guess) {
            let words = |i: usize| [&*entry, guess].map(|e| [e.win, e.not_lose].map(|s| s.0[i / 2].0[i % 2]));
            let of = |i: usize| {
                let [[win, not_lose], [lower, upper]] = words(i);
                let not_lose = not_lose & upper | lower;
                [win & not_lose | lower, not_lose]
            };
            let all: [[u64; 2]; 4] = std::array::from_fn(of);
            for (i, [win, not_lose]) in all.into_iter().enumerate() {
                entry.win.0[i / 2].0[i % 2] = win;
                entry.not_lose.0[i / 2].0[i % 2] = not_lose;
            }
        }
    }
    blocks
}

#[test]
fn tables_come_back() {
    for manifest in [small_manifest(), root_content()] {
        let folder = folder();
        let path = manifest.target.path(folder.path(), manifest.slice);
        std::fs::create_dir(path.parent().expect("a folder")).expect("made");
        let blocks = blocks_of(&manifest);
        let header = write(&path, &manifest, &blocks);
        for access in [Access::Map, Access::Read] {
            let table = Table::open(&path, access, Cache::new(1 << 20)).expect("opened");
            assert_eq!(table.header(), &header);
            assert!(table.arrays().iter().map(|r| r.array).eq(manifest.arrays.iter().copied()));
            for (id, entries) in &blocks {
                for _ in 0..2 {
                    assert_eq!(&table.block(*id).expect("read")[..], entries);
                }
                let mut into = vec![Entry::default(); entries.len()];
                TableSource(&table).get(*id, &mut into).expect("read");
                assert_eq!(&into, entries);
                let grid = manifest.arrays[id.array as usize].grid;
                let index = grid.ranges(id.block).map(|r| r.end - 1);
                assert_eq!(table.entry(id.array, index).expect("read"), entries[entries.len() - 1]);
                assert_eq!(table.array(&manifest.arrays[id.array as usize].key), Some(id.array));
            }
            let beyond = table.entry(0, manifest.arrays[0].grid.extents).expect_err("outside");
            assert!(matches!(beyond.reason, Reason::NoSuchBlock(_)), "{beyond}");
            assert_eq!(table.array(&[9; 8]), None);
            let mut seen = 0;
            let mut progress = |bytes| {
                seen = bytes;
                ControlFlow::Continue(())
            };
            table.verify_hash(&mut progress).expect("verified");
            assert_eq!(seen, header.file_bytes);
        }
        let (found, scan) = Tablebase::open_target(folder.path(), manifest.target).expect("listed");
        assert_eq!((found.len(), scan.damaged.len(), scan.unfinished.len()), (1, 0, 0));
        assert_eq!(found.table(manifest.slice).expect("opened").expect("there").path(), path);
        assert!(found.table(0).expect("looked up").is_none());
    }
}

/// With every codec and cache, decoding only part of a block returns the same entries as decoding
/// the whole block.
#[test]
fn entries_are_those_of_their_blocks() {
    for manifest in [late_manifest(), root_content()] {
        let blocks = guessed(&manifest);
        for codec in CODECS {
            for cache in [0, 1 << 20] {
                let file = Arc::new(bytes_with(&manifest, &blocks, codec));
                let table = Table::new(Path::new("t"), file, Cache::new(cache)).expect("opened");
                let stops = codec == Codec::COMPACT;
                for (id, entries) in &blocks {
                    let len = entries.len();
                    let first = table.first(*id, 1).expect("read");
                    assert_eq!(first.len(), if stops { 1 } else { len });
                    assert_eq!(first[0], entries[0]);
                    let grid = manifest.arrays[id.array as usize].grid;
                    let start = grid.ranges(id.block).map(|r| r.start);
                    for last in [len - 1, 0, len / 2] {
                        let within =
                            Grid::new(grid.ranges(id.block).map(|r| r.len() as u32), 1).index(last as u64);
                        let index = std::array::from_fn(|axis| start[axis] + within[axis]);
                        assert_eq!(table.entry(id.array, index).expect("read"), entries[last]);
                    }
                    assert_eq!(&table.block(*id).expect("read")[..], entries);
                    let again = table.first(*id, 1).expect("read");
                    assert_eq!(again.len(), if stops && cache == 0 { 1 } else { len });
                }
            }
        }
    }
}

#[test]
fn many_threads_read_through_one_cache() {
    let manifest = small_manifest();
    let table = Table::new(Path::new("t"), Arc::new(bytes_of(&manifest)), Cache::new(4096)).expect("opened");
    let blocks = blocks_of(&manifest);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (table, blocks) = (&table, &blocks);
            scope.spawn(move || {
                for i in 0..500 {
                    let (id, entries) = &blocks[mix(i * 4 + thread) as usize % blocks.len()];
                    assert_eq!(&table.block(*id).expect("read")[..], entries);
                }
            });
        }
    });
}

#[test]
fn folders_are_named_by_what_they_hold() {
    let name = |rules: &str, domain| Target { rules: rules.parse().expect("rules"), domain }.folder_name();
    assert_eq!(name("mini", Domain::Game), "mini");
    assert_eq!(name("pentago:dir=cw,last=stop", Domain::Game), "pentago_dir=cw_last=stop");
    let root = root_content().target;
    let one = root.folder_name();
    assert!(one.starts_with("root-") && one.len() == 21, "{one}");
    assert_ne!(one, name("pentago-eu", root.domain));
    assert_eq!(root.path(Path::new("t"), 7), Path::new("t").join(one).join("slice-07.pentago"));
}
