//! Tables below small roots: their values against the slow reference, the same bytes however they
//! come about, and what damage does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pentago_reference::{XlAfter, XlOptions, XlSolver};

use super::*;
use crate::symmetry::BoardMap;
use crate::{Control, Kernel, Position, Rules, Turn, Value};

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn root(rules: &Rules, marbles: usize, seed: u64) -> Position {
    rules.random_positions(marbles, 1, seed, true).unwrap()[0]
}

fn build(rules: Rules, root: &Position, out: &Path) -> Built {
    let build = RootBuild::new(rules, root, None).unwrap();
    build.run(out, 1 << 30, Kernel::best(), &Control::new()).unwrap()
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

#[test]
fn boards_and_their_numbers_are_inverse() {
    for (text, marbles) in
        [("xl", 74), ("xl:seats=3", 54), ("xl:seats=4,supply=21", 76), ("xl:seats=4,mode=2v2", 75)]
    {
        let rules = rules(text);
        let target = Target { rules, root: root(&rules, marbles, 1) };
        let below = Below::new(target.rules, target.root);
        for depth in 0..=below.last() {
            let boards = below.boards(depth);
            assert_eq!(below.board(depth, boards), None);
            let mut before = None;
            for rank in (0..boards).step_by(1 + boards as usize / 300) {
                let board = below.board(depth, rank).unwrap();
                assert_eq!(below.rank(&board), Some((depth, rank)));
                // In ascending order of the numbers that the document defines.
                let digit =
                    |s: crate::Socket| board.iter().position(|set| set & s.bit() != 0).map_or(0, |i| i + 1);
                let number: Vec<usize> = below.sockets().iter().rev().map(|&s| digit(s)).collect();
                assert!(before.is_none_or(|before| before < number));
                before = Some(number);
            }
        }
    }
}

/// Every value of the slices, at every few rotations, is that of the reference.
fn as_the_reference(text: &str, marbles: usize, step: usize) {
    let rules = rules(text);
    let folder = tempfile::tempdir().unwrap();
    build(rules, &root(&rules, marbles, 3), folder.path());
    let set = open(folder.path());
    let options = XlOptions::parse(text).unwrap();
    let mut solver = XlSolver::new(options);
    let (mut compared, mut seen) = (0, [0; 3]);
    for depth in 0..=set.index().last() {
        for rank in 0..set.index().boards(depth) {
            for code in ((rank as usize % step)..1 << 16).step_by(step) {
                let place = Place { depth, rank, code: code as u16 };
                let p = set.index().position(&place).unwrap();
                let text = rules.format_position(&p);
                let table = set.table(p.count()).unwrap().unwrap();
                let values = values(table, &place).unwrap();
                let points = match rules.outcome(&p) {
                    // The reference wants no finished games.
                    Some(outcome) => crate::Seat::ALL
                        .map(|seat| rules.everyone().has(seat).then(|| outcome.value(&rules, seat))),
                    None => {
                        let state = options.read(&text).unwrap();
                        let best = if options.teams { 12 } else { 12 * (options.seats as i32 - 1) };
                        let points = solver.guarantees_after(&XlAfter::Goes(state));
                        std::array::from_fn(|i| {
                            let value = match points[i] {
                                p if p >= best => Value::Win,
                                p if 2 * p >= best => Value::Draw,
                                _ => Value::Loss,
                            };
                            (i < options.seats).then_some(value)
                        })
                    }
                };
                assert_eq!(values, points, "{text}");
                compared += 1;
                values.into_iter().flatten().for_each(|value| seen[value as usize] += 1);
            }
        }
    }
    assert!(compared > 500 && seen.iter().all(|&n| n > 0), "{compared} {seen:?}");
}

#[test]
fn values_are_those_of_the_reference() {
    as_the_reference("xl", 78, 211);
    as_the_reference("xl:seats=3,supply=27", 79, 509);
    as_the_reference("xl:seats=4,supply=21", 79, 509);
    as_the_reference("xl:seats=4,mode=2v2,supply=21", 79, 509);
}

#[test]
#[ignore = "every rotation: half an hour"]
fn all_values_are_those_of_the_reference() {
    as_the_reference("xl", 78, 1);
    as_the_reference("xl:seats=4,mode=2v2,supply=21", 79, 1);
}

#[test]
fn every_value_agrees_with_its_moves() {
    for (text, marbles) in
        [("xl", 76), ("xl:seats=3,supply=27", 77), ("xl:seats=4,supply=21", 78), ("xl:seats=4,mode=2v2", 76)]
    {
        let rules = rules(text);
        let folder = tempfile::tempdir().unwrap();
        build(rules, &root(&rules, marbles, 5), folder.path());
        let set = open(folder.path());
        let slices: Vec<usize> = set.listed().map(|listed| listed.header.marbles).collect();
        for &slice in &slices {
            let report = set.full(slice, &Control::new()).unwrap();
            assert_eq!((report.entries, report.without_moves), (set.index().boards(slice - marbles), 0));
        }
        let sampled = set.sample(&slices, 300, 1, &mut solver(rules), &Control::new()).unwrap();
        assert_eq!(sampled.positions, 300);
        assert_eq!(sampled.over + sampled.by_moves, 300);
        assert!(sampled.by_solver > 0, "{sampled:?}");
    }
}

/// Positions below a root are found under all symmetries and turns of their blocks.
#[test]
fn images_have_the_values_of_their_board() {
    let rules = rules("xl");
    let p = root(&rules, 75, 9);
    let folder = tempfile::tempdir().unwrap();
    let built = build(rules, &p, folder.path());
    let set = open(folder.path());
    let (mut chance, mut q) = (1u32, p);
    for i in 0..200 {
        chance = chance.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let turn = Turn::all().nth(chance as usize >> 8 & 15).unwrap();
        q.marbles = q.marbles.map(|set| turn.apply(set));
        let values = set.look_up(&q).unwrap().expect("below the root");
        for map in BoardMap::all() {
            assert_eq!(set.look_up(&map.position(&q)).unwrap(), Some(values));
        }
        // Images of the root have the same tables.
        if i % 40 == 0 && rules.outcome(&q).is_none() {
            assert_eq!(RootBuild::new(rules, &q, None).unwrap().target(), *set.target());
        }
    }
    let other = root(&rules, 75, 10);
    assert_eq!(set.look_up(&other).unwrap(), None);
    assert!(RootBuild::new(rules, &p, None).unwrap().missing(folder.path()).unwrap().is_empty());
    assert_eq!(built.paths.len(), 6);
}

#[test]
fn the_same_bytes_however_they_come_about() {
    let rules = rules("xl");
    let p = root(&rules, 74, 2);
    let job = RootBuild::new(rules, &p, None).unwrap();
    let run = |threads: usize, kernel: Kernel, out: &Path, control: &Control| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| job.run(out, 1 << 30, kernel, control))
    };
    let plain = tempfile::tempdir().unwrap();
    assert!(!run(1, Kernel::best(), plain.path(), &Control::new()).unwrap().already);
    let expected = files(plain.path());
    assert!(run(1, Kernel::best(), plain.path(), &Control::new()).unwrap().already);
    for (threads, kernel) in [(2, Kernel::best()), (4, "portable".parse().unwrap())] {
        let out = tempfile::tempdir().unwrap();
        run(threads, kernel, out.path(), &Control::new()).unwrap();
        assert_eq!(files(out.path()), expected);
    }
    // Stopped again and again, with torn files in between: the same in the end.
    let out = tempfile::tempdir().unwrap();
    let mut chance = 7u32;
    for round in 0.. {
        let control = Control::new();
        let stopped = std::thread::scope(|scope| {
            scope.spawn(|| {
                let until = 300 * round;
                while control.done() < until && !control.is_cancelled() {
                    std::thread::yield_now();
                }
                control.cancel();
            });
            let result = run(2, Kernel::best(), out.path(), &control);
            control.cancel();
            result.is_err()
        });
        if !stopped {
            break;
        }
        for (name, bytes) in files(out.path()) {
            if name.extension().is_some_and(|e| e == "part" || e == "journal") {
                chance = chance.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                let cut = (chance >> 8) as usize % 5000;
                let path = out.path().join(job.target().folder_name()).join(name);
                fs::write(path, &bytes[..bytes.len().saturating_sub(cut)]).unwrap();
            }
        }
    }
    assert_eq!(files(out.path()), expected);
    // A table that is lost is built again, alone.
    let path = job.target().path(out.path(), 76);
    fs::remove_file(&path).unwrap();
    run(2, Kernel::best(), out.path(), &Control::new()).unwrap();
    assert_eq!(files(out.path()), expected);
}

/// Where a byte is changed or the file is cut, there is an error, or nothing else has changed.
#[test]
fn damage_is_found() {
    let rules = rules("xl");
    let folder = tempfile::tempdir().unwrap();
    build(rules, &root(&rules, 77, 4), folder.path());
    let path = open(folder.path()).listed().nth(2).unwrap().path.clone();
    let good = fs::read(&path).unwrap();
    let content = |bytes: &[u8]| -> Option<Vec<std::sync::Arc<[u64]>>> {
        let table = Table::new(&path, Box::new(bytes.to_vec()), Cache::new(0)).ok()?;
        let arrays = 0..table.arrays().len() as u32;
        let blocks = arrays.flat_map(|array| {
            (0..table.grid(0).expect("an array").blocks()).map(move |block| (array, block))
        });
        blocks.map(|(array, block)| table.block(pentago_store::BlockId { array, block }).ok()).collect()
    };
    let expected = content(&good).unwrap();
    let (mut errors, mut places) = (0, 0);
    for at in (0..good.len()).step_by((good.len() / 3000).max(1)) {
        for change in [0x01, 0x80, 0xff] {
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
    let xl = rules("xl");
    let large = root(&xl, 40, 1);
    let error = RootBuild::new(xl, &large, None).unwrap_err();
    assert!(matches!(error, BadRoot::TooLarge { empty: 41, .. }), "{error}");
    assert!(error.to_string().contains("at most 18 sockets"), "{error}");
    let p = root(&xl, 70, 1);
    assert_eq!(RootBuild::new(xl, &p, Some(69)), Err(BadRoot::Slices { first: 70, last: 80 }));
    let continues = rules("xl:seats=3,continue=yes");
    assert_eq!(RootBuild::new(continues, &root(&continues, 55, 1), None), Err(BadRoot::Continues));
    let folder = tempfile::tempdir().unwrap();
    let job = RootBuild::new(xl, &p, None).unwrap();
    let error = job.run(folder.path(), 1 << 20, Kernel::best(), &Control::new()).unwrap_err();
    assert!(matches!(error, BuildError::Memory { .. }), "{error}");
    assert!(files(folder.path()).is_empty());
    let estimate = job.estimate(2, &super::Rates::BUILT_IN);
    assert_eq!((estimate.times, estimate.memory), (4, job.memory()));
    assert!(estimate.bytes < estimate.raw_bytes && estimate.seconds > 0.0, "{estimate:?}");
}
