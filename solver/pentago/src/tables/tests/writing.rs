//! The writer: the same bytes in whatever order and however often it is interrupted, with every
//! codec. What it does where it can't go on is tested where the container is.

use super::*;
use pentago_base::binomial;
use proptest::prelude::*;
use rayon::prelude::*;
use std::fs;

/// The indices 0..len in an order that depends on the seed.
fn shuffled(len: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by_key(|&i| mix(seed ^ mix(i as u64)));
    order
}

#[test]
fn order_and_threads_change_no_byte() {
    for (manifest, codec) in [small_manifest(), root_content()].iter().flat_map(|m| CODECS.map(|c| (m, c))) {
        let blocks = guessed(manifest);
        let expected = bytes_with(manifest, &blocks, codec);
        for seed in 0..8 {
            let folder = folder();
            let path = folder.path().join("t.pentago");
            // With little memory for waiting blocks most of them go through the file.
            let settings = Settings { waiting: [0, 300, 1 << 20][seed as usize % 3], ..Settings::new(codec) };
            let writer = Writer::begin(&path, manifest.clone(), settings).expect("begun");
            let order = shuffled(blocks.len(), seed);
            let put = |&i: &usize| writer.put(blocks[i].0, &blocks[i].1);
            if seed % 2 == 0 {
                order.iter().try_for_each(put).expect("put");
            } else {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
                pool.install(|| order.par_iter().try_for_each(put)).expect("put");
            }
            assert_eq!((writer.done(), writer.waiting()), (writer.blocks(), 0));
            writer.finish().expect("finished");
            assert!(fs::read(&path).expect("read") == expected);
            assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing else stays");
        }
    }
}

/// A folder with the unfinished files of a writer that was killed: they are cut to parts of what
/// they were, by chance.
fn killed(manifest: &Manifest, codec: Codec, put: usize, seed: u64, into: &Path) {
    let [part, journal, _] = pentago_store::working_files(into);
    let writer = begin_with(into, manifest, codec);
    for (id, entries) in &guessed(manifest)[..put] {
        writer.put(*id, entries).expect("put");
    }
    drop(writer);
    for (file, seed) in [(part, seed), (journal, !seed)] {
        let bytes = fs::read(&file).expect("read");
        // Every other file is whole; some are cut, some end in rubbish.
        let kept = if mix(seed).is_multiple_of(2) {
            bytes.len()
        } else {
            mix(seed ^ 1) as usize % (bytes.len() + 1)
        };
        let mut bytes = bytes[..kept].to_vec();
        if mix(seed ^ 2).is_multiple_of(3) {
            bytes.extend((0..mix(seed ^ 3) % 200).map(|i| mix(i) as u8));
        }
        fs::write(file, bytes).expect("written");
    }
}

#[test]
fn a_killed_writer_is_continued() {
    let manifest = small_manifest();
    let blocks = guessed(&manifest);
    let expected = CODECS.map(|codec| bytes_with(&manifest, &blocks, codec));
    let mut kept = Vec::new();
    for seed in 0..160 {
        let (codec, expected) = (CODECS[seed as usize % 4], &expected[seed as usize % 4]);
        let folder = folder();
        let path = folder.path().join("t.pentago");
        let put = mix(seed) as usize % (blocks.len() + 1);
        killed(&manifest, codec, put, seed, &path);
        let writer = begin_with(&path, &manifest, codec);
        let done = writer.done() as usize;
        assert!(done <= put);
        kept.push(done);
        // Blocks that are there may come again, and in any order.
        for i in shuffled(blocks.len(), seed) {
            if i >= done || seed % 2 == 0 {
                writer.put(blocks[i].0, &blocks[i].1).expect("put");
            }
        }
        writer.finish().expect("finished");
        assert!(fs::read(&path).expect("read") == *expected, "seed {seed}, {done} of {put} blocks");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
    assert!(kept.contains(&0) && kept.iter().any(|&n| n > blocks.len() / 2), "{kept:?}");
}

#[test]
fn a_table_with_another_codec_is_left_alone() {
    let manifest = small_manifest();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let writer = begin(&path, &manifest);
    blocks_of(&manifest)[..3].iter().try_for_each(|(id, entries)| writer.put(*id, entries)).expect("put");
    drop(writer);
    let others = [
        Writer::begin(&path, manifest.clone(), Settings::new(Level::SCRATCH)),
        Writer::begin(&path, manifest.clone(), Settings::new(Codec::KEPT)),
    ];
    for other in others {
        let error = other.expect_err("refused");
        assert!(matches!(error.reason, Reason::Foreign), "{error}");
    }
    assert_eq!(begin(&path, &manifest).done(), 3);
}

#[test]
fn wrong_blocks_are_refused() {
    let manifest = small_manifest();
    let folder = folder();
    let writer = begin(&folder.path().join("t.pentago"), &manifest);
    let (id, entries) = &blocks_of(&manifest)[1];
    let kind = |id: BlockId, entries: &[Entry]| writer.put(id, entries).expect_err("refused").reason;
    assert!(matches!(kind(BlockId { array: 3, block: 0 }, entries), Reason::NoSuchBlock(_)));
    assert!(matches!(kind(*id, &[Entry::default()]), Reason::WrongBlock(_)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_list_comes_back(
        empty in 2u32..7,
        plies: u32,
        run in 1u32..50,
        kind in 0u8..3,
        seed: u64,
        codec in 0usize..CODECS.len(),
    ) {
        let rules = Rules::mini();
        // The first sockets are taken, by turns.
        let sockets = (0..64u64).filter(|i| rules.shape.board_mask() >> i & 1 != 0);
        let mut root = crate::rules::Board::EMPTY;
        for (i, socket) in sockets.take(16 - empty as usize).enumerate() {
            if i % 2 == 0 { root.x |= 1 << socket } else { root.o |= 1 << socket }
        }
        let plies = plies % (empty + 1);
        let target = Target { rules, domain: Domain::Root(root) };
        let choose = |n: u32, k: u32| binomial(n as usize, k as usize) as u32;
        let len = choose(empty, plies) * choose(plies, plies / 2);
        let array = ArrayInfo { key: [0; 8], grid: Grid::list(len, run) };
        let manifest = Manifest { target, slice: (16 - empty + plies) as u8, arrays: vec![array] };
        let folder = folder();
        let path = folder.path().join("t.pentago");
        let writer = Writer::begin(&path, manifest, Settings::new(CODECS[codec])).expect("begun");
        let mut all = Vec::new();
        for block in 0..array.grid.blocks() {
            let len = array.grid.len(block);
            let entries = match kind {
                0 => crate::codec::tests::random_entries(len, seed ^ block),
                1 => real_like_entries(len, seed ^ block),
                _ => vec![crate::codec::tests::random_entries(1, seed)[0]; len],
            };
            writer.put(BlockId { array: 0, block }, &entries).expect("put");
            all.extend(entries);
        }
        let header = writer.finish().expect("finished");
        let ones = |word: u64| u64::from(word.count_ones());
        let bits = |s: crate::supers::Super| s.0.iter().flat_map(|h| h.0).map(ones).sum::<u64>();
        prop_assert_eq!(header.counts.wins, all.iter().map(|e| bits(e.win)).sum::<u64>());
        prop_assert_eq!(header.counts.total(), 256 * all.len() as u128);
        let table = Table::open(&path, Access::Map, Cache::new(1 << 16)).expect("opened");
        for (i, entry) in all.iter().enumerate() {
            prop_assert_eq!(table.entry(0, [0, 0, 0, i as u32]).expect("read"), *entry);
        }
    }
}
