//! Tests of tables below small roots. The values must agree with the values after each move. The
//! bytes must not depend on the threads, the kernel or interruptions. Tests elsewhere compare the
//! tables with the slow reference (`tests/decoder`), kill builds (the tests of the program) and
//! damage files (the tests of the container).

use std::fs;
use std::path::Path;

use super::*;
use crate::symmetry::BoardMap;
use crate::{Control, Kernel, Position, Rules, Stopped, Turn};
use pentago_store::{Definition, sample};

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

fn open(out: &Path) -> Tablebase {
    let (mut sets, _) = Tablebase::open_all(out, 1 << 24).unwrap();
    assert_eq!(sets.len(), 1);
    sets.remove(0)
}

#[test]
fn boards_and_their_numbers_are_inverse() {
    for (text, marbles) in
        [("xl", 74), ("xl:seats=3", 54), ("xl:seats=4,supply=21", 76), ("xl:seats=4,mode=2v2", 75)]
    {
        let rules = rules(text);
        let target = Target { rules, root: root(&rules, marbles, 1) };
        let below = BoardIndex::new(target.rules, target.root);
        for depth in 0..=below.last() {
            let boards = below.boards(depth);
            assert_eq!(below.board(depth, boards), None);
            let mut before = None;
            for rank in (0..boards).step_by(1 + boards as usize / 300) {
                let board = below.board(depth, rank).unwrap();
                assert_eq!(below.rank(&board), Some((depth, rank)));
                // Boards must be in ascending order of the numbers that the format document
                // defines.
                let digit =
                    |s: crate::Socket| board.iter().position(|set| set & s.bit() != 0).map_or(0, |i| i + 1);
                let number: Vec<usize> = below.sockets.iter().rev().map(|&s| digit(s)).collect();
                assert!(before.is_none_or(|before| before < number));
                before = Some(number);
            }
        }
    }
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
        let tables: Vec<_> = (0..set.len()).map(|i| (&set, set.nth(i).unwrap().unwrap())).collect();
        for (_, table) in &tables {
            let report = XlSchema::full(&set, table, &Control::new()).unwrap();
            let boards = set.index().boards(table.header().marbles - marbles);
            assert_eq!((report.entries, report.without_moves), (boards, 0));
        }
        let sampled = sample(&tables, 300, 1, &mut solver(rules), &Control::new()).unwrap();
        assert_eq!(sampled.positions, 300);
        assert_eq!(sampled.over + sampled.by_moves, 300);
        assert!(sampled.by_solver > 0, "{sampled:?}");
    }
}

/// A position below a root is found after any symmetry of the board and any turns of its blocks.
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
        q = q.turned(turn);
        let values = set.look_up(&q).unwrap().expect("below the root");
        for map in BoardMap::all() {
            assert_eq!(set.look_up(&map.position(&q)).unwrap(), Some(values));
        }
        // A symmetric image of the root must have the same target.
        if i % 40 == 0 && rules.outcome(&q).is_none() {
            assert_eq!(RootBuild::new(rules, &q, None).unwrap().target, *set.target());
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
    let job = RootBuild::new(rules, &root(&rules, 74, 2), None).unwrap();
    let run = |threads: usize, kernel: Kernel, out: &Path, control: &Control| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| job.run(out, 1 << 30, kernel, control))
    };
    let bytes =
        |built: &Built| -> Vec<Vec<u8>> { built.paths.iter().map(|path| fs::read(path).unwrap()).collect() };
    let plain = tempfile::tempdir().unwrap();
    let built = run(1, Kernel::best(), plain.path(), &Control::new()).unwrap();
    let expected = bytes(&built);
    assert!(!built.already);
    assert!(run(1, Kernel::best(), plain.path(), &Control::new()).unwrap().already);
    let stopped = Control::new();
    stopped.cancel();
    for (threads, kernel) in [(2, Kernel::best()), (4, "portable".parse().unwrap())] {
        let out = tempfile::tempdir().unwrap();
        assert!(matches!(run(threads, kernel, out.path(), &stopped), Err(BuildError::Stopped(Stopped))));
        assert_eq!(bytes(&run(threads, kernel, out.path(), &Control::new()).unwrap()), expected);
        // If one table is deleted, only this table is rebuilt.
        fs::remove_file(job.target.path(out.path(), 76)).unwrap();
        assert_eq!(bytes(&run(threads, kernel, out.path(), &Control::new()).unwrap()), expected);
    }
}
