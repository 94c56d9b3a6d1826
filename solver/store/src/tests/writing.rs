//! The writer produces the same file for any order of the blocks and any number of interruptions.
//! No data is lost if writing can't continue.

use super::*;
use pentago_base::{Control, Stage};
use proptest::prelude::*;
use std::fs;
use std::io;

/// Returns the indices from 0 to `len` - 1 in an order that depends on the seed.
fn shuffled(len: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by_key(|&i| mix(seed ^ mix(i as u64)));
    order
}

#[test]
fn order_and_threads_change_no_byte() {
    for (manifest, rounds) in [(some_arrays(), 40), (bare_list(), 3)] {
        let (expected, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
        for seed in 0..rounds {
            let folder = folder();
            let path = folder.path().join("t.pentago");
            // With a small memory limit for waiting blocks, most waiting blocks are written to the
            // file.
            let waiting = [0, 300, 1 << 20][seed as usize % 3];
            let settings = RawSettings { waiting, ..RawSettings::new("test 1") };
            let writer = RawWriter::begin(&path, manifest.clone(), settings).expect("begun");
            let order = shuffled(blocks.len(), seed);
            std::thread::scope(|scope| {
                let threads = if seed % 2 == 0 { 1 } else { 4 };
                for thread in 0..threads {
                    let (writer, order, blocks) = (&writer, &order, &blocks);
                    scope.spawn(move || {
                        for &i in order.iter().skip(thread).step_by(threads) {
                            put(writer, &blocks[i]).expect("put");
                            // Other threads put blocks at the same time; those blocks must be
                            // written as well.
                            match i % 8 {
                                0 => writer.sync().expect("on the disk"),
                                1 => writer.flush().expect("flushed"),
                                _ => {}
                            }
                        }
                    });
                }
            });
            assert_eq!((writer.done(), writer.waiting()), (writer.blocks(), 0));
            writer.finish().expect("finished");
            assert!(fs::read(&path).expect("read") == expected);
            assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing else stays");
        }
    }
}

/// Creates the files that a killed writer leaves behind, truncated at random.
fn killed(manifest: &RawManifest, blocks: usize, seed: u64, into: &Path) {
    let [part, journal, _] = working_files(into);
    let writer = begin(into, manifest);
    blocks_of(manifest)[..blocks].iter().try_for_each(|block| put(&writer, block)).expect("put");
    drop(writer);
    for (file, seed) in [(part, seed), (journal, !seed)] {
        let bytes = fs::read(&file).expect("read");
        // Half of the files are complete. Some others are truncated, and some end in random bytes.
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
    for (manifest, rounds) in [(some_arrays(), 150), (bare_list(), 10)] {
        let (expected, blocks) = (bytes_of(&manifest), blocks_of(&manifest));
        let mut kept = Vec::new();
        for seed in 0..rounds {
            let folder = folder();
            let path = folder.path().join("t.pentago");
            let before = mix(seed) as usize % (blocks.len() + 1);
            killed(&manifest, before, seed, &path);
            let writer = begin(&path, &manifest);
            let done = writer.done() as usize;
            assert!(done <= before && writer.has(0) == (done > 0));
            kept.push(done);
            // Putting a block that already exists is allowed, in any order.
            for i in shuffled(blocks.len(), seed) {
                if i >= done || seed % 2 == 0 {
                    put(&writer, &blocks[i]).expect("put");
                }
            }
            writer.finish().expect("finished");
            assert!(fs::read(&path).expect("read") == expected, "seed {seed}, {done} of {before} blocks");
            assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
        }
        assert!(kept.contains(&0) && kept.iter().any(|&n| n > blocks.len() / 2), "{kept:?}");
    }
}

/// When a table is resumed, the check of the existing blocks counts their entries and can be
/// cancelled. Cancelling loses no data.
#[test]
fn the_check_of_what_is_there_is_watched() {
    let (folder, manifest) = (folder(), some_arrays());
    let path = folder.path().join("t.pentago");
    let blocks = blocks_of(&manifest);
    let entries: u64 = {
        let writer = begin(&path, &manifest);
        blocks.iter().for_each(|block| put(&writer, block).expect("put"));
        writer.flush().expect("flushed");
        let lens = |array: &RawArrayInfo| {
            array.blocks.clone().map(|block| array.grid.len(block) as u64).sum::<u64>()
        };
        manifest.arrays.iter().map(lens).sum()
    };
    let control = Control::new();
    control.begin(Stage::new("a slice", entries, 1));
    let settings = || RawSettings { control: control.clone(), ..RawSettings::new("test 1") };
    drop(RawWriter::begin(&path, manifest.clone(), settings()).expect("begun"));
    assert_eq!(control.stage().map(|(_, stage)| (stage.earlier, stage.done)), Some((entries, entries)));
    control.cancel();
    let stopped = RawWriter::begin(&path, manifest.clone(), settings()).err().expect("stopped");
    assert!(matches!(stopped.reason, Reason::Cancelled), "{stopped}");
    assert_eq!(begin(&path, &manifest).done(), blocks.len() as u64);
}

#[test]
fn a_writer_killed_while_finishing_is_continued() {
    let manifest = some_arrays();
    let expected = bytes_of(&manifest);
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let [part, journal, _] = working_files(&path);
    let writer = begin(&path, &manifest);
    blocks_of(&manifest).iter().try_for_each(|block| put(&writer, block)).expect("put");
    drop(writer);
    let kept = fs::read(&journal).expect("read");
    // The part file is complete, but doesn't have its final name yet.
    fs::write(&part, &expected).expect("written");
    let writer = begin(&path, &manifest);
    assert_eq!(writer.done(), writer.blocks());
    let header = &fs::read(&part).expect("read")[..HEADER_BYTES];
    assert!(header.iter().all(|&b| b == 0), "no longer a finished table");
    assert_eq!(scan(folder.path()).expect("listed").unfinished, [journal.clone(), part]);
    writer.finish().expect("finished");
    assert!(fs::read(&path).expect("read") == expected);
    // The file has its final name, but the journal remains. The journal is removed by the next
    // builder in the folder, and also by the next writer of the same table.
    fs::write(&journal, &kept).expect("written");
    drop(Lock::take(folder.path()).expect("free"));
    assert!(!journal.exists());
    fs::write(&journal, &kept).expect("written");
    let error =
        RawWriter::begin(&path, manifest.clone(), RawSettings::new("test 1")).err().expect("it is there");
    assert!(matches!(error.reason, Reason::Exists) && !journal.exists(), "{error}");
}

#[test]
fn something_else_in_the_way_is_left_alone() {
    let manifest = some_arrays();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let writer = begin(&path, &manifest);
    blocks_of(&manifest)[..3].iter().try_for_each(|block| put(&writer, block)).expect("put");
    drop(writer);
    let mut others = vec![(bare_list(), "test 1"), (manifest.clone(), "test 2")];
    for change in [
        |m: &mut RawManifest| m.target[0] ^= 1,
        |m: &mut RawManifest| m.slice += 1,
        |m: &mut RawManifest| m.schema.level += 1,
        |m: &mut RawManifest| m.arrays[1].blocks = 1..4,
        |m: &mut RawManifest| m.arrays.truncate(2),
    ] {
        let mut other = manifest.clone();
        change(&mut other);
        others.push((other, "test 1"));
    }
    for (other, program) in others {
        let error = RawWriter::begin(&path, other, RawSettings::new(program)).err().expect("refused");
        assert!(
            matches!(error.reason, Reason::Foreign) && error.kind() == StoreErrorKind::InTheWay,
            "{error}"
        );
    }
    assert_eq!(begin(&path, &manifest).done(), 3);
}

/// The writer and the reader reject paths that aren't regular files, and never block on a pipe.
#[cfg(unix)]
#[test]
fn only_files_are_tables() {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let begun = || {
        RawWriter::begin(&path, bare_list(), RawSettings::new("test 1")).err().expect("refused").to_string()
    };
    let opened = |path: &Path| RawTable::open(path, Access::Map).expect_err("refused").to_string();
    fs::create_dir(&path).expect("a folder");
    assert!(begun().ends_with("a folder has this name: remove it, or choose another name"));
    assert!(opened(&path).ends_with("it is a folder, not a file"));
    fs::remove_dir(&path).expect("removed");
    for name in [path.clone(), working_files(&path)[0].clone(), working_files(&path)[1].clone()] {
        assert!(std::process::Command::new("mkfifo").arg(&name).status().expect("mkfifo").success());
        assert!(begun().contains("a pipe has this name"));
        assert!(opened(&name).ends_with("it is a pipe, not a file"));
        fs::remove_file(&name).expect("removed");
    }
    assert!(opened(Path::new("/dev/zero")).ends_with("it is a device, not a file"));
    write(&path, &bare_list());
    let link = folder.path().join("link.pentago");
    std::os::unix::fs::symlink(&path, &link).expect("linked");
    RawTable::open(&link, Access::Map).expect("a link to a table is one");
    let found = scan(folder.path()).expect("listed");
    assert!(found.unreadable.is_empty() && found.tables.len() == 1 && found.tables[0].path == path);
}

#[test]
fn advice_is_about_what_was_tried() {
    let text = |action| {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        StoreError::io(Path::new("t"), action, error).to_string()
    };
    assert!(text("create").contains("write access"), "{}", text("create"));
    for action in ["open", "read", "look through", "look for"] {
        assert!(text(action).contains("read access"), "{}", text(action));
    }
}

#[test]
fn wrong_blocks_are_refused() {
    let manifest = some_arrays();
    let folder = folder();
    let writer = begin(&folder.path().join("t.pentago"), &manifest);
    let kind = |array, block, payload: &[u8], counts: &[u64]| {
        writer.put(array, block, payload.to_vec(), counts).expect_err("refused").kind()
    };
    // The table contains two of the four blocks of array 1. The blocks listed here don't exist in
    // the table.
    for (array, block) in [(3, 0), (0, 1), (1, 0), (1, 3)] {
        assert_eq!(kind(array, block, b"x", &[0, 0]), StoreErrorKind::NoSuchBlock);
    }
    assert_eq!(kind(0, 0, b"", &[0, 0]), StoreErrorKind::Misuse);
    assert_eq!(kind(0, 0, b"x", &[0]), StoreErrorKind::Misuse);
    writer.put(1, 1, b"x".to_vec(), &[0, 0]).expect("it waits");
    assert_eq!(kind(1, 1, b"x", &[0, 0]), StoreErrorKind::Misuse);
    assert_eq!((writer.done(), writer.waiting()), (0, 1));
    writer.put(0, 0, b"x".to_vec(), &[0, 0]).expect("it is written");
    assert_eq!((writer.done(), writer.waiting()), (2, 0));
    assert_eq!(kind(0, 0, b"x", &[0, 0]), StoreErrorKind::Misuse);
    let error = writer.finish().expect_err("blocks are missing");
    assert!(matches!(error.reason, Reason::Incomplete { done: 2, .. }), "{error}");
}

#[test]
fn impossible_content_is_refused() {
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let changes: [fn(&mut RawManifest); 13] = [
        |m| m.arrays.clear(),
        |m| m.arrays.swap(0, 1),
        |m| m.arrays[1].key = m.arrays[0].key.clone(),
        |m| m.arrays[0].key = b"ab".as_slice().into(),
        |m| m.arrays[0].grid.extents[0] = 0,
        |m| m.arrays[0].grid.edges[3] = 0,
        |m| m.arrays[0].grid = Grid::list(65_537, 65_537),
        |m| m.arrays[2] = RawArrayInfo::whole(b"c\0\0", Grid { extents: [u32::MAX; 4], edges: [1; 4] }),
        |m| m.arrays[1].blocks = 2..2,
        |m| m.arrays[1].blocks = 2..5,
        |m| m.target = vec![1; MAX_TARGET_BYTES + 1],
        |m| m.schema.counters = 17,
        |m| m.schema.key_bytes = 65,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut manifest = some_arrays();
        change(&mut manifest);
        let error = RawWriter::begin(&path, manifest, RawSettings::new("test 1")).err();
        assert!(matches!(error.expect("refused").reason, Reason::Content(_)), "change {number}");
    }
    for program in ["a name of more than thirty-two bytes", "two\nlines"] {
        assert!(RawWriter::begin(&path, some_arrays(), RawSettings::new(program)).is_err());
    }
    assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing was begun");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error() {
    let manifest = some_arrays();
    let folder = folder();
    let path = folder.path().join("t.pentago");
    let [part, ..] = working_files(&path);
    std::os::unix::fs::symlink("/dev/full", &part).expect("linked");
    let error = RawWriter::begin(&path, manifest.clone(), RawSettings::new("test 1")).err().expect("no room");
    assert!(
        matches!(&error.reason, Reason::Io { error, .. } if error.kind() == io::ErrorKind::StorageFull),
        "{error}"
    );
    assert_eq!(error.kind(), StoreErrorKind::Full);
    let text = error.to_string();
    assert!(text.contains("t.pentago.part: cannot write") && text.contains("free some space"), "{text}");
    fs::remove_file(part).expect("removed");
    write(&path, &manifest);
    assert!(fs::read(&path).expect("read") == bytes_of(&manifest));
}

/// Returns the manifest of a list whose table has a few kilobytes.
#[cfg(target_os = "linux")]
fn kilobytes() -> RawManifest {
    RawManifest { arrays: vec![RawArrayInfo::whole(b"", Grid::list(5 * 400, 5))], ..bare_list() }
}

/// Runs in the child processes of the following test: writes a table until writing fails.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "does nothing by itself"]
fn write_until_it_fails() {
    let Some(path) = std::env::var_os("PENTAGO_TEST_TABLE") else { return };
    let manifest = kilobytes();
    let writer = begin(Path::new(&path), &manifest);
    for block in &blocks_of(&manifest) {
        if let Err(error) = put(&writer, block).and_then(|()| writer.flush()) {
            assert!(matches!(error.reason, Reason::Io { action: "write", .. }), "{error}");
            let again = put(&writer, block).expect_err("failed before");
            assert_eq!(again.to_string(), error.to_string());
            eprintln!("{error}");
            std::process::exit(7);
        }
    }
}

/// When a write exceeds the limit on file sizes, the system writes only a part of the bytes. The
/// system then either fails the next write or kills the process.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_the_system_cuts_short_loses_nothing() {
    let manifest = kilobytes();
    let expected = bytes_of(&manifest);
    // The child process fails while writing payloads, before the directory and the index are
    // written.
    let payloads: usize = blocks_of(&manifest).iter().map(|block| block.payload.len()).sum();
    let mut kept = Vec::new();
    for limit in 1..=payloads / 1024 {
        for spared in [true, false] {
            let folder = folder();
            let path = folder.path().join("t.pentago");
            let script = format!(
                "{}ulimit -c 0; ulimit -f {limit}; \
                 exec \"$0\" --ignored --exact tests::writing::write_until_it_fails",
                if spared { "trap '' XFSZ; " } else { "" }
            );
            let this = std::env::current_exe().expect("this program");
            // Use `bash`, whose `ulimit -f` counts in units of 1,024 bytes. Other shells count in
            // units of 512 bytes.
            let mut child = std::process::Command::new("bash");
            let child = child.arg("-c").arg(script).arg(this).env("PENTAGO_TEST_TABLE", &path);
            let output = child.output().expect("bash is there");
            assert_eq!(output.status.code(), spared.then_some(7), "{output:?}");
            kept.push(begin(&path, &manifest).done());
            write(&path, &manifest);
            assert!(fs::read(&path).expect("read") == expected);
        }
    }
    assert!(kept.iter().any(|&n| n > 0), "{kept:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_may_not_be_written_is_a_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let read_only = fs::Permissions::from_mode(0o555);
    fs::set_permissions(folder.path(), read_only).expect("permitted");
    // The administrator may write in spite of the permissions. In that case, use `/sys`, where no
    // user can create files.
    let bound = fs::write(folder.path().join("probe"), "").is_err();
    let path = if bound { folder.path() } else { Path::new("/sys") }.join("t.pentago");
    let text = RawWriter::begin(&path, some_arrays(), RawSettings::new("test 1")).err().expect("refused");
    let text = text.to_string();
    assert!(text.contains("cannot create") && text.contains("write access"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_table_comes_back(
        extents in prop::array::uniform4(1u32..9),
        edges in prop::array::uniform4(1u32..9),
        (from, stored) in (0u64..5, 1u64..3000),
        target in prop::collection::vec(any::<u8>(), 0..40),
        (key_bytes, counters) in (0u8..20, 0u8..17),
        seed: u64,
    ) {
        let key: Vec<u8> = (0..key_bytes).map(|i| mix(seed ^ u64::from(i)) as u8).collect();
        let whole = RawArrayInfo::whole(&key, Grid { extents, edges });
        let all = whole.blocks.end;
        let blocks = from % all..(from % all + stored).min(all);
        let schema = RawSchema { game: GameId(1), codec: 1, filter: 2, level: 3, key_bytes, counters };
        let arrays = vec![RawArrayInfo { blocks, ..whole }];
        let manifest = RawManifest { schema, target, slice: seed as u32, arrays };
        let folder = folder();
        let path = folder.path().join("t.pentago");
        let header = write(&path, &manifest);
        prop_assert_eq!(&header.target, &manifest.target);
        let table = RawTable::open(&path, Access::Map).expect("opened");
        prop_assert_eq!(&table.arrays()[0].array, &manifest.arrays[0]);
        let mut entries = 0;
        for of in blocks_of(&manifest) {
            prop_assert_eq!(&table.payload(0, of.block, 40).expect("read")[..], &of.payload[..]);
            entries += manifest.arrays[0].grid.len(of.block) as u64;
        }
        prop_assert_eq!(header.entries, entries);
        table.verify_hash(&mut on).expect("verified");
    }
}
