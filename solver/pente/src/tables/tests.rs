//! Tables of small boards: their values against the slow reference, the same bytes however they
//! come about, and what damage does.

use pentago_base::Control;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pentago_reference::pente;

use super::schema::{codes, slices};
use super::*;
use crate::rules::{Outcome, Position, Rules};
use crate::table::Value;

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn build(text: &str, out: &Path) -> Built {
    GameBuild::new(rules(text)).unwrap().run(out, 1 << 30, &Control::new()).unwrap()
}

fn positions(table: &Table, array: u32) -> u64 {
    table.grid(array).expect("an array").entries()
}

fn open(out: &Path) -> TableSet {
    let mut sets = TableSet::open_folder(out, 1 << 24).unwrap();
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

/// All files under a folder but locks.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !path.ends_with(".lock") {
            all.insert(PathBuf::from(path.file_name().unwrap()), fs::read(&path).unwrap());
        }
    }
    all
}

/// Every stored value is that of the reference: of positions that come from no game, the codes.
fn as_the_reference(text: &str, one_in: u64) {
    let folder = tempfile::tempdir().unwrap();
    build(text, folder.path());
    let set = open(folder.path());
    let plain = pente::Rules::parse(text).unwrap();
    let mut solver = pente::Solver::new(plain.clone());
    let (mut seen, mut number) = ([0u64; 4], 0);
    for layer in Layer::all(set.target()) {
        let table = set.table(layer).unwrap().unwrap();
        for (array, id) in (0..).zip(slices(table)) {
            for place in 0..positions(table, array) {
                number += 1;
                if number % one_in != 0 {
                    continue;
                }
                let code = table.entry_of_list(array, place).unwrap();
                seen[usize::from(code)] += 1;
                let p = set.index().places().unwrap().position(id, place).unwrap();
                let text = set.target().format_position(&p);
                let state = plain.read(&text).unwrap();
                if code != 0 && Position::new(set.target(), p.stones, p.captured, p.to_move).is_err() {
                    // It breaks the opening rule: the reference may see such positions otherwise.
                } else if code == 0 {
                    assert!(plain.has_row(&state, state.to_move), "{text}");
                } else {
                    assert_eq!(i32::from(code) - 2, i32::from(solver.solve(&state).0), "{text}");
                }
            }
        }
    }
    assert!(seen[1] > 0 && seen[3] > 0, "{seen:?}");
}

#[test]
fn values_are_those_of_the_reference() {
    as_the_reference("pente:n=3,k=3,opening=free", 1);
    as_the_reference("pente:w=4,h=3,k=3,opening=free,win=4", 97);
    as_the_reference("pente:w=5,h=2,k=4,opening=free,cap=2+3,win=5", 11);
    as_the_reference("pente:w=7,h=1,k=3,win=2", 1);
    as_the_reference("pente:w=3,h=3,k=3,opening=free,cap=0,over=no", 1);
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
        let layers: Vec<Layer> = set.listed().map(|listed| listed.header.layer).collect();
        let mut positions = 0;
        for &layer in &layers {
            let report = set.full(layer, &Control::new()).unwrap();
            assert_eq!(report.without_moves, 0);
            positions += report.entries;
        }
        assert_eq!(positions, GameBuild::new(rules(text)).unwrap().positions(), "{text}");
        let sampled = set.sample(&layers, 500, 1, &mut solver(set.target()), &Control::new()).unwrap();
        assert_eq!((sampled.positions, sampled.unchecked), (500, 0));
        assert_eq!(sampled.over + sampled.by_moves, 500, "{sampled:?}");
    }
}

/// A wrong value is found by both comparisons.
#[test]
fn wrong_values_are_found() {
    let text = "pente:w=4,h=3,k=3,opening=free,win=4";
    let folder = tempfile::tempdir().unwrap();
    build(text, folder.path());
    let rules = rules(text);
    // A table of the same shape in which every third value is another one.
    let layer = Layer([2, 0]);
    let set = open(folder.path());
    let table = set.table(layer).unwrap().unwrap();
    let manifest = super::target::manifest(&rules, layer, 9).unwrap();
    let path = folder.path().join("wrong.pentago");
    let writer =
        pentago_store::RawWriter::begin(&path, manifest, pentago_store::RawSettings::new("test")).unwrap();
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
    let good = layer.path(&rules, folder.path());
    fs::remove_file(&good).unwrap();
    fs::rename(path, good).unwrap();
    let set = open(folder.path());
    let error = set.full(layer, &Control::new()).unwrap_err();
    assert!(matches!(&error, VerifyError::Wrong(wrong) if wrong.found == "a win"), "{error}");
    let sampled = set.sample(&[layer], 2000, 1, &mut solver(&rules), &Control::new());
    assert!(matches!(sampled, Err(VerifyError::Wrong(_))), "{sampled:?}");
}

#[test]
fn the_same_bytes_however_they_come_about() {
    let text = "pente:w=4,h=3,k=3,opening=free,win=6";
    let job = GameBuild::new(rules(text)).unwrap();
    let run = |threads: usize, out: &Path, control: &Control| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| job.run(out, 1 << 30, control))
    };
    let plain = tempfile::tempdir().unwrap();
    assert!(!run(1, plain.path(), &Control::new()).unwrap().already);
    let expected = files(plain.path());
    assert_eq!(expected.len(), Layer::all(job.rules()).len());
    assert!(run(1, plain.path(), &Control::new()).unwrap().already);
    for threads in [2, 4] {
        let out = tempfile::tempdir().unwrap();
        run(threads, out.path(), &Control::new()).unwrap();
        assert_eq!(files(out.path()), expected);
    }
    // Stopped again and again, with torn files in between: the same in the end.
    let out = tempfile::tempdir().unwrap();
    let (mut chance, mut rounds) = (7u32, 0u64);
    loop {
        rounds += 1;
        let control = Control::new();
        let stopped = std::thread::scope(|scope| {
            scope.spawn(|| {
                while control.done() < 200 * rounds && !control.is_cancelled() {
                    std::thread::yield_now();
                }
                control.cancel();
            });
            let result = run(2, out.path(), &control);
            control.cancel();
            result.is_err()
        });
        if !stopped {
            break;
        }
        for (name, bytes) in files(out.path()) {
            if name.extension().is_some_and(|e| e == "part" || e == "journal") {
                chance = chance.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                let cut = (chance >> 8) as usize % 800;
                let path = out.path().join(super::target::folder_name(job.rules())).join(name);
                fs::write(path, &bytes[..bytes.len().saturating_sub(cut)]).unwrap();
            }
        }
    }
    assert!(rounds > 3, "{rounds}");
    assert_eq!(files(out.path()), expected);
    // Tables that are lost are built again, alone.
    for lost in [Layer([0, 0]), Layer([4, 2])] {
        fs::remove_file(lost.path(job.rules(), out.path())).unwrap();
    }
    run(2, out.path(), &Control::new()).unwrap();
    assert_eq!(files(out.path()), expected);
}

/// Where a byte is changed or the file is cut, there is an error, or nothing else has changed.
#[test]
fn damage_is_found() {
    let text = "pente:n=3,k=3,opening=free";
    let folder = tempfile::tempdir().unwrap();
    build(text, folder.path());
    let path = Layer([0, 0]).path(&rules(text), folder.path());
    let good = fs::read(&path).unwrap();
    let content = |bytes: &[u8]| -> Option<Vec<Vec<u8>>> {
        let table = Table::new(&path, Box::new(bytes.to_vec()), Cache::new(0)).ok()?;
        (0..table.arrays().len() as u32).map(|array| codes(&table, array).ok()).collect()
    };
    let expected = content(&good).unwrap();
    let (mut errors, mut places) = (0, 0);
    for at in 0..good.len() {
        for change in [0x01, 0x80] {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            places += 1;
            match content(&bytes) {
                Some(found) => assert_eq!(found, expected, "byte {at}"),
                None => errors += 1,
            }
        }
        assert!(content(&good[..at]).is_none(), "cut at {at}");
    }
    assert!(places > 3000 && errors * 10 > places * 9, "{errors} of {places}");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let large = GameBuild::new(rules("pente:n=6,k=4,opening=free"));
    assert!(matches!(large, Err(BuildError::TooLarge(_))));
    let job = GameBuild::new(rules("pente:n=4,k=4,opening=free")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = job.run(folder.path(), 1 << 20, &Control::new()).unwrap_err();
    assert!(matches!(error, BuildError::Memory { .. }), "{error}");
    assert!(files(folder.path()).is_empty());
    let build = GameBuild::new(rules("pente:w=4,h=3,k=4,opening=free")).unwrap();
    let estimate = build.estimate(2, &super::Rates::BUILT_IN);
    assert_eq!((estimate.layers, estimate.memory), (25, build.memory()));
    assert!(estimate.bytes < estimate.raw_bytes && estimate.seconds > 0.0, "{estimate:?}");
}

#[test]
fn positions_are_looked_up_by_the_rules_first() {
    let text = "pente:n=3,k=3,opening=free";
    let folder = tempfile::tempdir().unwrap();
    build(text, folder.path());
    let set = open(folder.path());
    let rules = rules(text);
    assert_eq!(set.look_up(&Position::EMPTY).unwrap(), Some(Value::Draw));
    let mut over = 0;
    for seed in 0..200 {
        let mut p = Position::EMPTY;
        let mut chance = seed * 77 + 1u32;
        while let Some(m) = {
            let moves = rules.moves(&p);
            chance = chance.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            moves.get((chance >> 8) as usize % moves.len().max(1)).copied()
        } {
            p = rules.play(&p, m).unwrap().position;
            assert!(set.look_up(&p).unwrap().is_some());
        }
        let outcome = rules.outcome(&p).unwrap();
        let value = set.look_up(&p).unwrap();
        over += 1;
        assert_eq!(value, Some(if outcome == Outcome::Draw { Value::Draw } else { Value::Loss }));
    }
    assert_eq!(over, 200);
}
