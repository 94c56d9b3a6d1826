//! Decodes the tables of the library's writer with the second decoder, which was written only from
//! `db-format.md`. The tests cover every entry, the rules of addressing, and the example of the
//! document. `checks` covers the required checks.

mod checks;

use crate::common::{mix, resources, rules};
use pentago::Control;
use pentago::make::{GameBuild, RootBuild};
use pentago::rules::{Board, Rules, random};
use pentago_core::index::{Patterns, Sections, Ternary};
use pentago_core::values::{BlockId, Entry, Grid, WdlCounts};
use pentago_decoder::{Pattern, document, dump};
use pentago_tables::codec::{Codec, Level, encode, entry_bytes, entry_from_bytes};
use pentago_tables::tables::{Access, ArrayInfo, Cache, Domain, Manifest, Settings, Table, Target, Writer};
use std::path::Path;
use std::sync::Arc;

/// Returns a made-up entry: random bits in one case of four, otherwise a single repeated value, so
/// that blocks are compressible.
fn entry(seed: u64) -> Entry {
    let mut bytes: [u8; 64] = match mix(seed) % 4 {
        0 => std::array::from_fn(|i| mix(seed ^ (i as u64) << 40) as u8),
        1 => [0; 64],
        2 => [0xff; 64],
        _ => std::array::from_fn(|i| if i < 32 { 0 } else { 0xff }),
    };
    for i in 0..32 {
        bytes[32 + i] |= bytes[i];
    }
    entry_from_bytes(&bytes)
}

/// Writes a table and returns the bytes of its file. `entry(array, index)` returns the entry of an
/// array at an index.
fn write(manifest: &Manifest, settings: Settings, entry: impl Fn(u32, [u32; 4]) -> Entry) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("t.pentago");
    write_at(&path, manifest, settings, entry);
    std::fs::read(path).expect("read")
}

/// Writes a table to a path. `entry(array, index)` returns the entry of an array at an index.
pub fn write_at(
    path: &Path,
    manifest: &Manifest,
    settings: Settings,
    entry: impl Fn(u32, [u32; 4]) -> Entry,
) {
    let writer = Writer::begin(path, manifest.clone(), settings).expect("begun");
    for (array, a) in (0..).zip(&manifest.arrays) {
        for block in 0..a.grid.blocks() {
            let [r0, r1, r2, r3] = a.grid.ranges(block);
            let mut entries = Vec::new();
            for i in r0 {
                for j in r1.clone() {
                    for k in r2.clone() {
                        entries.extend(r3.clone().map(|l| entry(array, [i, j, k, l])));
                    }
                }
            }
            writer.put(BlockId { array, block }, &entries).expect("put");
        }
    }
    writer.finish().expect("finished");
}

/// Returns the manifest and the bytes of a made-up table below a root. The table's boards are
/// `plies` plies after the root, and its blocks have `run` entries.
fn root_table(rules: Rules, position: &str, plies: usize, run: u32) -> (Manifest, Vec<u8>) {
    root_table_with(rules, position, plies, run, Codec::Zstd(Level::KEPT))
}

fn root_table_with(
    rules: Rules,
    position: &str,
    plies: usize,
    run: u32,
    codec: Codec,
) -> (Manifest, Vec<u8>) {
    let root = rules.parse_position(position).expect("a position").board();
    let free = root.free(rules.shape).count_ones() as usize;
    let len = Ternary::new(free, [plies.div_ceil(2), plies / 2]).len() as u32;
    let array = ArrayInfo { key: [0; 8], grid: Grid::list(len, run) };
    let target = Target { rules, domain: Domain::Root(root) };
    let manifest = Manifest { target, slice: (root.marbles() as usize + plies) as u8, arrays: vec![array] };
    let bytes = write(&manifest, Settings::new(codec), |_, index| entry(u64::from(index[3])));
    (manifest, bytes)
}

/// Returns the manifest and the bytes of a made-up table that contains these sections of a whole
/// game.
fn game_table(rules: Rules, slice: u8, sections: &[&str], edges: [u32; 4]) -> (Manifest, Vec<u8>) {
    let all = Sections::of(rules.shape, rules.dir);
    let array = |text: &&str| {
        let (section, _) = all.standardise(text.parse().expect("a section"));
        ArrayInfo { key: all.key(section), grid: Grid { extents: all.extents(section), edges } }
    };
    let target = Target { rules, domain: Domain::Game };
    let mut arrays: Vec<ArrayInfo> = sections.iter().map(array).collect();
    arrays.sort_by_key(|array| array.key);
    let manifest = Manifest { target, slice, arrays };
    let bytes = write(&manifest, Settings::new(Codec::Zstd(Level::SCRATCH)), |array, index| {
        entry(index.iter().fold(u64::from(array), |seed, &i| 1000 * seed + u64::from(i)))
    });
    (manifest, bytes)
}

fn mini_game() -> (Manifest, Vec<u8>) {
    game_table(Rules::mini(), 8, &["00,04,40,00", "02,11,11,20", "11,11,11,11"], [3, 2, 2, 2])
}

/// Returns tables of all kinds: of whole games and of roots, in every codec.
fn tables() -> Vec<(Manifest, Vec<u8>)> {
    vec![
        mini_game(),
        game_table(
            rules("pentago:dir=cw,skip=neutral"),
            3,
            &["00,00,11,10", "00,01,10,10", "00,01,20,00"],
            [8; 4],
        ),
        root_table(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16),
        root_table(Rules::mini(), "XOXO/OXOX/XOXO/OXOX x", 0, 1),
        root_table(rules("pentago-fi"), "XOXOXO/XOXOXO/OXOXOX/OXOXOX/1XO3/2X3 o", 4, 1000),
        root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 3, 16, Codec::COMPACT),
        root_table_with(Rules::mini(), "XOXO/OXOX/2XO/4 x", 2, 7, Codec::QUICK),
    ]
}

/// In the openings, many rotations of an entry show the same board, and each section is a single
/// block.
#[test]
fn the_second_reader_reads_the_openings() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../solver/tables/data/openings"));
    let target = Target { rules: Rules::default(), domain: Domain::Game };
    let mut compared = 0;
    for slice in 0..=4 {
        let bytes = std::fs::read(target.path(folder, slice)).expect("it is part of the program");
        let read = pentago_decoder::decode(&bytes).expect("all checks are passed");
        let table = Table::new(Path::new("t"), Arc::new(bytes), Cache::new(1 << 24)).expect("opened");
        for ((number, record), a) in (0..).zip(table.arrays()).zip(&read.arrays) {
            assert_eq!(record.array.grid.blocks(), 1);
            let ours = table.block(BlockId { array: number, block: 0 }).expect("read");
            assert!(ours.iter().map(entry_bytes).eq(a.entries.iter().copied()), "{slice} {number}");
            compared += a.entries.len();
        }
    }
    assert_eq!(compared, 1 + 3 + 36 + 286 + 2816);
}

#[test]
fn the_second_reader_reads_every_entry() {
    for (manifest, bytes) in tables() {
        let read = pentago_decoder::decode(&bytes).expect("all checks are passed");
        let rules = manifest.target.rules;
        let domain = u8::from(manifest.target.domain != Domain::Game);
        assert_eq!((read.header.slice, read.header.domain), (manifest.slice, domain));
        assert_eq!(usize::from(read.header.size), rules.shape.size());
        assert_eq!(usize::from(read.header.run), rules.shape.run());
        let options =
            [rules.dir as u8, rules.both as u8, rules.reply as u8, rules.skip as u8, rules.last as u8];
        assert_eq!(read.header.options, options);
        let table = Table::new(Path::new("t"), Arc::new(bytes), Cache::new(1 << 24)).expect("opened");
        assert_eq!(read.header.program, table.header().program);
        assert_eq!(read.arrays.len(), manifest.arrays.len());
        for (number, (array, a)) in (0..).zip(manifest.arrays.iter().zip(&read.arrays)) {
            assert_eq!((a.key, a.extents, a.edges), (array.key, array.grid.extents, array.grid.edges));
            assert_eq!(a.entries.len() as u64, array.grid.entries());
            same_entries(&table, number, a);
        }
        if let Domain::Root(root) = manifest.target.domain {
            let plies = (u32::from(manifest.slice) - root.marbles()) as usize;
            same_boards(rules, root, plies, &pentago_decoder::root_boards(&read.header));
        }
    }
}

/// Asserts that a table and the second decoder agree on all entries of an array. Also compares the
/// value of each entry at a random rotation.
fn same_entries(table: &Table, number: u32, a: &pentago_decoder::Array) {
    for i in 0..a.entries.len() as u64 {
        let mut rest = i;
        let mut index = [0; 4];
        for axis in (0..4).rev() {
            index[axis] = (rest % u64::from(a.extents[axis])) as u32;
            rest /= u64::from(a.extents[axis]);
        }
        let ours = table.entry(number, index).expect("read");
        assert_eq!(a.entry(index), &entry_bytes(&ours), "{index:?}");
        assert_eq!(a.entry(index), &a.entries[i as usize]);
        let r = std::array::from_fn(|q| (mix(i) >> (8 * q)) as u8 % 4);
        let worth = crate::common::worth(ours.get(r).into());
        assert_eq!(pentago_decoder::value(a.entry(index), r), worth);
    }
}

/// Asserts that the boards of a table below a root are listed in the order of the library's ranks.
fn same_boards(rules: Rules, root: Board, plies: usize, boards: &[[u64; 2]]) {
    let free: Vec<u32> = (0..64).filter(|s| root.free(rules.shape) >> s & 1 != 0).collect();
    let ternary = Ternary::new(free.len(), [plies.div_ceil(2), plies / 2]);
    assert_eq!(boards.len() as u64, ternary.len());
    for (rank, &[x, o]) in (0..).zip(boards) {
        let sets = ternary.unrank(rank);
        let placed = |player: usize| -> u64 {
            free.iter().enumerate().map(|(i, socket)| (sets[player] >> i & 1) << socket).sum()
        };
        let mover = root.marbles() as usize % 2;
        let expected = Board::new(root.x | placed(mover), root.o | placed(1 - mover)).expect("disjoint");
        assert_eq!(Board::new(x, o).expect("disjoint"), expected);
    }
}

/// The second decoder reads solved tables of Mini-Pentago in every codec. The counts of each
/// section equal the counts of its blocks.
#[test]
fn the_second_reader_reads_late_slices_of_the_mini_game() {
    for codec in [Codec::Zstd(Level::KEPT), Codec::QUICK, Codec::COMPACT] {
        read_mini_game(codec, 12);
    }
}

#[test]
#[ignore = "long: finds errors that only sections with few marbles show"]
fn long_the_second_reader_reads_the_complete_mini_game() {
    read_mini_game(Codec::COMPACT, 0);
}

fn read_mini_game(codec: Codec, down_to: u8) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let resources = resources(1, &folder.path().join("scratch"));
    let built =
        GameBuild::new(Rules::mini(), down_to).codec(codec).run(folder.path(), &resources, &Control::new());
    let built = built.expect("built");
    assert_eq!(built.paths.len(), 17 - usize::from(down_to));
    for path in built.paths {
        let read =
            pentago_decoder::decode(&std::fs::read(&path).expect("read")).expect("all checks are passed");
        let table = Table::open(&path, Access::Read, Cache::new(0)).expect("opened");
        assert_eq!(table.header().codec, codec);
        let target = table.header().target;
        for ((number, record), array) in (0..).zip(table.arrays()).zip(&read.arrays) {
            let mut counts = WdlCounts::default();
            let grid = record.array.grid;
            for block in 0..grid.blocks() {
                let entries = table.block(BlockId { array: number, block }).expect("read");
                counts += target.count_block(&record.array, block, &entries);
                let first = grid.ranges(block).map(|range| range.start);
                assert_eq!(array.entry(first), &entry_bytes(&entries[0]));
            }
            assert_eq!(counts, record.counts, "section {:?}", record.array.key);
            assert_eq!([counts.wins, counts.draws, counts.losses], array.counts);
        }
    }
}

/// The second decoder reads every entry of solved tables below roots, in every codec. This requires
/// both decoders to compute the same guesses.
#[test]
fn the_second_reader_reads_tables_of_roots() {
    for (rules, position, keep) in [
        ("mini", "XOXO/OXOX/2XO/4 x", 16),
        ("mini:dir=cw,reply=place,both=mover", "XOXO/O1X1/2XO/1X2 o", 14),
        ("pentago", "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", 28),
    ] {
        let rules = crate::common::rules(rules);
        let root = rules.parse_position(position).expect("a position");
        for codec in [Codec::Zstd(Level::KEPT), Codec::QUICK, Codec::COMPACT] {
            let folder = tempfile::tempdir().expect("a folder for the test");
            let resources = resources(1, &folder.path().join("scratch"));
            let build = RootBuild::new(rules, &root, Some(keep)).expect("a root").codec(codec);
            let built = build.run(folder.path(), &resources, &Control::new()).expect("built");
            for path in built.paths {
                let read = pentago_decoder::decode(&std::fs::read(&path).expect("read"));
                let read = read.expect("all checks are passed");
                let table = Table::open(&path, Access::Read, Cache::new(0)).expect("opened");
                assert_eq!(table.header().codec, codec);
                let grid = table.arrays()[0].array.grid;
                let mut entries = Vec::new();
                for block in 0..grid.blocks() {
                    entries.extend_from_slice(&table.block(BlockId { array: 0, block }).expect("read"));
                }
                assert!(read.arrays[0].entries.iter().copied().eq(entries.iter().map(entry_bytes)));
            }
        }
    }
}

/// Both decoders list the patterns of a quadrant in the same order. These patterns are the axes of
/// sections.
#[test]
fn the_second_reader_orders_patterns_the_same_way() {
    for rules in [Rules::default(), Rules::mini()] {
        let patterns = Patterns::new(rules.shape);
        let (side, cells) = (rules.shape.quadrant_side() as u8, rules.shape.quadrant_sockets() as u8);
        // Try only every third pair of counts for the large quadrant, because the second decoder is
        // slow.
        let pairs = (0..=cells).flat_map(|x| (0..=cells - x).map(move |o| [x, o]));
        for [x, o] in pairs.step_by(if cells > 4 { 3 } else { 1 }) {
            let ours = patterns.list([x, o]).iter().map(|p| -> Pattern {
                (0..cells).map(|c| (p.0[0] >> c & 1) as u8 + 2 * (p.0[1] >> c & 1) as u8).collect()
            });
            assert!(ours.eq(pentago_decoder::minimal_patterns(side, x, o)), "{x} {o}");
        }
    }
}

/// The library and the second decoder turn a quadrant clockwise in the same way.
#[test]
fn the_second_reader_turns_blocks_the_same_way() {
    for rules in [Rules::default(), Rules::mini()] {
        let side = rules.shape.quadrant_side() as u8;
        for position in random::positions(&rules, 9, 50, 3, false).expect("positions") {
            let board = position.board();
            let pattern = |x: u64, o: u64| -> Pattern {
                (0..side * side).map(|c| (x >> c & 1) as u8 + 2 * (o >> c & 1) as u8).collect()
            };
            let turns = pentago_decoder::turns(side, &pattern(board.x, board.o));
            for (quarters, turned) in (0..).zip(turns) {
                let [x, o] = [board.x, board.o].map(|set| rules.shape.rotate_quadrant(set as u16, quarters));
                assert_eq!(turned, pattern(x.into(), o.into()));
            }
        }
    }
}

#[test]
fn the_example_of_the_document_is_what_the_writer_writes() {
    let rules = Rules::mini();
    let root = rules.parse_position("XOXO/OXOX/XOXO/O1X1 x").expect("a position").board();
    let array = ArrayInfo { key: [0; 8], grid: Grid::list(2, 8) };
    let target = Target { rules, domain: Domain::Root(root) };
    let manifest = Manifest { target, slice: 15, arrays: vec![array] };
    let mut settings = Settings::new(Codec::Zstd(Level::KEPT));
    settings.file.program = "pentago 0.1.0".to_owned();
    let won = [0xff; 64];
    let drawn = std::array::from_fn(|i| if i < 32 { 0 } else { 0xff });
    let bytes =
        write(&manifest, settings, |_, index| entry_from_bytes(if index[3] == 0 { &won } else { &drawn }));
    let text = dump(&bytes);
    assert!(document().contains(&text), "the example in db-format.md must be:\n{text}");
    let read = pentago_decoder::decode(&bytes).expect("all checks are passed");
    assert_eq!(read.arrays[0].entries, [won, drawn]);
    assert_eq!(read.header.counts, [256, 256, 0]);
}

/// Writes the seeds of two fuzz targets.
#[test]
#[ignore = "writes the files of fuzz/seeds/table and fuzz/seeds/codec"]
fn make_the_seeds_of_the_fuzz_targets() {
    let seeds = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds"));
    let save = |name: &str, bytes: &[u8]| std::fs::write(seeds.join(name), bytes).expect("written");
    let [(_, game), (_, clockwise), (_, root), (_, full), _, (_, compact), (_, quick)] =
        <[_; 7]>::try_from(tables()).expect("seven tables");
    for (name, bytes) in [
        ("game", &game),
        ("clockwise", &clockwise),
        ("root", &root),
        ("full", &full),
        ("compact", &compact),
        ("quick", &quick),
    ] {
        save(&format!("table/{name}"), bytes);
    }
    let values = |seed: u64, len: u64| (0..len).map(|i| entry(seed + i)).collect::<Vec<_>>();
    for (name, entries) in [
        ("equal", vec![entry(1); 100]),
        ("one", values(5, 1)),
        ("few", values(7, 9)),
        ("many", values(9, 300)),
        (
            "drawn-or-won",
            values(1, 4000).into_iter().filter(|e| [0, !0].contains(&e.win.0[0].0[0])).collect(),
        ),
    ] {
        let mut payload = (entries.len() as u16 - 1).to_le_bytes().to_vec();
        encode(&entries, Level::KEPT, &mut payload);
        save(&format!("codec/{name}"), &payload);
    }
}
