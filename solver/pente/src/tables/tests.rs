//! Tests of tables in files: each value agrees with the values of its moves, and every kind of
//! build writes identical bytes.
//!
//! The tests of the independent decoder (`tests/decoder`) compare tables with the slow reference.
//! Tests of the command line kill builds, and tests of the store damage files.

use pentago_base::{Control, Stopped};
use std::fs;
use std::path::Path;

use super::schema::codes;
use super::*;
use crate::rules::Rules;
use pentago_store::{Definition, sample};

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn build(text: &str, out: &Path) -> Built {
    GameBuild::new(rules(text)).unwrap().run(out, 1 << 30, &Control::new()).unwrap()
}

fn positions(table: &Table, array: u32) -> u64 {
    table.grid(array).expect("an array").entries()
}

fn open(out: &Path) -> Tablebase {
    let (mut sets, _) = Tablebase::open_all(out, 1 << 24).unwrap();
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

#[test]
fn every_value_agrees_with_its_moves() {
    for text in [
        "pente:n=3,k=3,opening=free",
        "pente:w=4,h=3,k=3,opening=free,win=4",
        "pente:w=5,h=2,k=4,opening=free,cap=2+3,win=5",
        "pente:w=7,h=2,k=3,opening=free,cap=2+3,win=3,over=no",
        "pente:w=7,h=1,k=3,win=2",
    ] {
        let folder = tempfile::tempdir().unwrap();
        build(text, folder.path());
        let set = open(folder.path());
        let tables: Vec<_> = (0..set.len()).map(|i| (&set, set.nth(i).unwrap().unwrap())).collect();
        let mut positions = 0;
        for (_, table) in &tables {
            let report = PenteSchema::full(&set, table, &Control::new()).unwrap();
            assert_eq!(report.without_moves, 0);
            positions += report.entries;
        }
        assert_eq!(positions, GameBuild::new(rules(text)).unwrap().positions(), "{text}");
        let sampled = sample(&tables, 500, 1, &mut solver(set.target()), &Control::new()).unwrap();
        assert_eq!((sampled.positions, sampled.unchecked), (500, 0));
        assert_eq!(sampled.over + sampled.by_moves, 500, "{sampled:?}");
    }
}

/// Checks that full verification and verification of random positions both find a wrong value.
#[test]
fn wrong_values_are_found() {
    let text = "pente:w=4,h=3,k=3,opening=free,win=4";
    let folder = tempfile::tempdir().unwrap();
    build(text, folder.path());
    let rules = rules(text);
    // Write a table of the same shape in which a third of the draws are stored as wins.
    let layer = [2, 0];
    let set = open(folder.path());
    let table = set.table(layer).unwrap().unwrap();
    let manifest = super::target::manifest(&rules, layer, 9).unwrap();
    let wrong = folder.path().join("wrong.pentago");
    let writer =
        pentago_store::RawWriter::begin(&wrong, manifest, pentago_store::RawSettings::new("test")).unwrap();
    for array in 0..table.arrays().len() as u32 {
        let mut counts = [0u64; 4];
        let mut bytes = codes(table, array).unwrap();
        for place in 0..positions(table, array) {
            let (byte, shift) = ((place / 4) as usize, 2 * (place % 4));
            if place % 3 == 1 && bytes[byte] >> shift & 3 == 2 {
                bytes[byte] ^= 1 << shift;
            }
            counts[usize::from(bytes[byte] >> shift & 3)] += 1;
        }
        let counts = [counts[3], counts[2], counts[1]];
        for (number, block) in bytes.chunks(1 << 14).enumerate() {
            let all = if number == 0 { counts } else { [0; 3] };
            writer.put(array, number as u64, pentago_store::pack(block, 9), &all).unwrap();
        }
    }
    writer.finish().unwrap();
    let good = path(&rules, layer, folder.path());
    fs::remove_file(&good).unwrap();
    fs::rename(wrong, good).unwrap();
    let set = open(folder.path());
    let table = set.table(layer).unwrap().unwrap();
    let error = PenteSchema::full(&set, table, &Control::new()).unwrap_err();
    assert!(matches!(&error, VerifyError::Wrong(wrong) if wrong.found == "a win"), "{error}");
    let sampled = sample(&[(&set, table)], 2000, 1, &mut solver(&rules), &Control::new());
    assert!(matches!(sampled, Err(VerifyError::Wrong(_))), "{sampled:?}");
}

#[test]
fn the_same_bytes_however_they_come_about() {
    let job = GameBuild::new(rules("pente:w=4,h=3,k=3,opening=free,win=6")).unwrap();
    let run = |threads: usize, out: &Path, control: &Control| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| job.run(out, 1 << 30, control))
    };
    let bytes =
        |built: &Built| -> Vec<Vec<u8>> { built.paths.iter().map(|path| fs::read(path).unwrap()).collect() };
    let plain = tempfile::tempdir().unwrap();
    let built = run(1, plain.path(), &Control::new()).unwrap();
    let expected = bytes(&built);
    assert_eq!((built.already, expected.len()), (false, layers(&job.rules).len()));
    assert!(run(1, plain.path(), &Control::new()).unwrap().already);
    let stopped = Control::new();
    stopped.cancel();
    for threads in [2, 4] {
        let out = tempfile::tempdir().unwrap();
        assert!(matches!(run(threads, out.path(), &stopped), Err(BuildError::Stopped(Stopped))));
        assert_eq!(bytes(&run(threads, out.path(), &Control::new()).unwrap()), expected);
        // A second build makes only the tables whose files were deleted.
        for lost in [[0, 0], [4, 2]] {
            fs::remove_file(path(&job.rules, lost, out.path())).unwrap();
        }
        assert_eq!(bytes(&run(threads, out.path(), &Control::new()).unwrap()), expected);
    }
}
