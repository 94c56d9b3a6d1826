//! The writer: the same bytes in whatever order and however often it is interrupted; nothing lost
//! where it can't go on.

use super::*;
use proptest::prelude::*;
use rayon::prelude::*;
use std::fs;
use std::io;

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
fn a_killed_writer_is_gone_on_with() {
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
fn a_writer_killed_while_finishing_is_gone_on_with() {
    let manifest = small_manifest();
    let expected = bytes_of(&manifest);
    let folder = folder();
    let path = folder.path().join("t.pentago");
    killed(&manifest, Level::KEPT.into(), 0, 0, &path);
    let [part, journal, _] = pentago_store::working_files(&path);
    let writer = begin(&path, &manifest);
    blocks_of(&manifest).iter().try_for_each(|(id, entries)| writer.put(*id, entries)).expect("put");
    drop(writer);
    // Everything was written but the name.
    fs::write(&part, &expected).expect("written");
    let writer = begin(&path, &manifest);
    assert_eq!(writer.done(), writer.blocks());
    assert_eq!(
        fs::read(&part).expect("read")[..HEADER_BYTES],
        [0; HEADER_BYTES],
        "no longer a finished table"
    );
    let unfinished = Folder::open(folder.path()).expect("listed").unfinished;
    assert_eq!(unfinished, [journal.clone(), part]);
    writer.finish().expect("finished");
    assert!(fs::read(&path).expect("read") == expected);
    // The name was given, but the journal stayed.
    fs::write(&journal, "anything").expect("written");
    let error = Writer::begin(&path, manifest.clone(), Settings::new(Level::KEPT)).expect_err("it is there");
    assert!(matches!(error.reason, Reason::Exists) && !journal.exists(), "{error}");
}

#[test]
fn something_else_in_the_way_is_left_alone() {
    let manifest = small_manifest();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let writer = begin(&path, &manifest);
    blocks_of(&manifest)[..3].iter().try_for_each(|(id, entries)| writer.put(*id, entries)).expect("put");
    drop(writer);
    let others = [
        Writer::begin(&path, root_content(), Settings::new(Level::KEPT)),
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
    assert!(matches!(kind(BlockId { array: 0, block: 1 }, entries), Reason::NoSuchBlock(_)));
    assert!(matches!(kind(*id, &[Entry::default()]), Reason::WrongBlock(_)));
    writer.put(*id, entries).expect("it waits");
    assert!(matches!(kind(*id, entries), Reason::WrongBlock(_)));
    assert_eq!((writer.done(), writer.waiting()), (0, 1));
    let error = writer.finish().expect_err("blocks are missing");
    assert!(matches!(error.reason, Reason::Incomplete { done: 0, .. }), "{error}");
}

#[test]
fn at_the_limit_nothing_is_lost() {
    let manifest = small_manifest();
    let (expected, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let mut errors = 0;
    // From the first payload to all but the last byte of the file.
    for limit in (0..expected.len() as u64).step_by(expected.len() / 40).chain([expected.len() as u64 - 1]) {
        let limited = Settings { limit: Some(limit), ..Settings::new(Level::KEPT) };
        let writer = Writer::begin(&path, manifest.clone(), limited).expect("begun");
        let before = writer.done();
        match blocks.iter().try_for_each(|(id, entries)| writer.put(*id, entries)) {
            Ok(()) => {
                let error = writer.finish().expect_err("no room for the directory");
                let Reason::Io { error, .. } = &error.reason else { panic!("{error}") };
                assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
            }
            Err(error) => {
                assert!(matches!(error.reason, Reason::Limit(_)), "{error}");
                let again =
                    writer.put(blocks[blocks.len() - 1].0, &blocks[blocks.len() - 1].1).expect_err("stopped");
                assert!(matches!(again.reason, Reason::Stopped), "{again}");
                assert!(writer.done() >= before);
                errors += 1;
            }
        }
    }
    assert!(errors > 20);
    write(&path, &manifest, &blocks);
    assert!(fs::read(&path).expect("read") == expected);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error() {
    let manifest = small_manifest();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let [part, ..] = pentago_store::working_files(&path);
    std::os::unix::fs::symlink("/dev/full", &part).expect("linked");
    let error = Writer::begin(&path, manifest.clone(), Settings::new(Level::KEPT)).expect_err("no room");
    assert!(
        matches!(&error.reason, Reason::Io { error, .. } if error.kind() == io::ErrorKind::StorageFull),
        "{error}"
    );
    assert!(
        error.to_string().contains("t.pentago.part: cannot write")
            && error.to_string().contains("free some space"),
        "{error}"
    );
    fs::remove_file(part).expect("removed");
    write(&path, &manifest, &blocks_of(&manifest));
    assert!(fs::read(&path).expect("read") == bytes_of(&manifest));
}

/// What the next test runs as another process: it writes a table until it can't.
#[test]
#[ignore = "does nothing by itself"]
fn write_until_it_fails() {
    let Some(path) = std::env::var_os("PENTAGO_TEST_TABLE") else { return };
    let manifest = small_manifest();
    let writer = begin(Path::new(&path), &manifest);
    for (id, entries) in &blocks_of(&manifest) {
        if let Err(error) = writer.put(*id, entries).and_then(|()| writer.flush()) {
            assert!(matches!(error.reason, Reason::Io { action: "write", .. }), "{error}");
            eprintln!("{error}");
            std::process::exit(7);
        }
    }
}

/// The system cuts a write short, and fails the next one or kills the process, where a file gets
/// longer than it may.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_the_system_cuts_short_loses_nothing() {
    let manifest = small_manifest();
    let (expected, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
    let mut kept = Vec::new();
    for kilobytes in 1..expected.len() / 1024 {
        for spared in [true, false] {
            let folder = folder();
            let path = folder.path().join("t.pentago");
            let script = format!(
                "{}ulimit -c 0; ulimit -f {kilobytes}; \
                 exec \"$0\" --ignored --exact tables::tests::writing::write_until_it_fails",
                if spared { "trap '' XFSZ; " } else { "" }
            );
            let this = std::env::current_exe().expect("this program");
            // Of bash: others count in halves of a kilobyte.
            let mut child = std::process::Command::new("bash");
            let child = child.arg("-c").arg(script).arg(this).env("PENTAGO_TEST_TABLE", &path);
            let output = child.output().expect("bash is there");
            assert_eq!(output.status.code(), spared.then_some(7), "{output:?}");
            let writer = begin(&path, &manifest);
            kept.push(writer.done());
            blocks.iter().try_for_each(|(id, entries)| writer.put(*id, entries)).expect("put");
            writer.finish().expect("finished");
            assert!(fs::read(&path).expect("read") == expected);
        }
    }
    assert!(kept.iter().any(|&n| n > 0), "{kept:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_may_not_be_written_is_a_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    let manifest = small_manifest();
    let folder = folder();
    let read_only = fs::Permissions::from_mode(0o555);
    fs::set_permissions(folder.path(), read_only).expect("permitted");
    // To the administrator permissions mean nothing; but nobody makes files in this one.
    let bound = fs::write(folder.path().join("probe"), "").is_err();
    let path = if bound { folder.path() } else { Path::new("/sys") }.join("t.pentago");
    let error = Writer::begin(&path, manifest.clone(), Settings::new(Level::KEPT)).expect_err("refused");
    assert!(
        error.to_string().contains("cannot create") && error.to_string().contains("write access"),
        "{error}"
    );
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
        let choose = |n: u32, k: u32| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
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
