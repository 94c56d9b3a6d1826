//! Compares probes of many positions, walks and shuffles with probes of single positions and with
//! plain counting.

use pentago::Build;
use pentago_base::Control;
use pentago_core::rules::{Board, Move, Position, Rules, TurnPart, random};
use pentago_core::symmetry::Group;
use pentago_core::values::Wdl;
use pentago_tables::probe::{ILLEGAL, Lookup, Shuffle, TURNS, Tables, UNKNOWN, WalkedTo, walk};
use std::collections::{BTreeMap, BTreeSet};

/// Builds the tables of all slices of Mini-Pentago. Returns the folder and the tables.
fn mini(rules: Rules) -> (tempfile::TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    Build::game(rules).memory(200_000_000).run(folder.path()).unwrap();
    let tables = Tables::open(folder.path(), 1 << 20).unwrap();
    (folder, tables)
}

fn one(tables: &Tables, rules: &Rules, position: &Position) -> Option<Wdl> {
    match tables.look_up(rules, position).unwrap() {
        Lookup::Value(wdl) => Some(wdl),
        Lookup::Missing(_) => None,
    }
}

/// Returns all boards with this number of marbles. X has half of the marbles, rounded up.
fn boards(rules: &Rules, marbles: u32) -> Vec<Board> {
    let bits = rules.shape.cell_bits();
    let mut all = vec![Board::EMPTY];
    for bit in bits {
        let more = |board: &Board| {
            let Board { x, o } = *board;
            [Board { x, o }, Board { x: x | bit, o }, Board { x, o: o | bit }]
        };
        all = all.iter().flat_map(more).collect();
        all.retain(|b| b.x.count_ones() <= marbles.div_ceil(2) && b.o.count_ones() <= marbles / 2);
    }
    all.retain(|board| board.marbles() == marbles);
    all
}

fn drawn(tables: &Tables, rules: &Rules, shuffle: Shuffle, at_a_time: usize) -> Vec<(Position, Wdl)> {
    let mut shuffle = shuffle;
    let mut all = Vec::new();
    loop {
        let more = tables.draw(rules, &mut shuffle, at_a_time, &Control::new()).unwrap();
        if more.is_empty() {
            assert_eq!(shuffle.share(), 1.0);
            return all;
        }
        all.extend(more);
    }
}

#[test]
fn a_shuffle_draws_every_board_once() {
    for (text, counts) in [("mini", &[0, 1, 3][..]), ("mini:dir=cw,k=3", &[3, 5])] {
        let rules: Rules = text.parse().unwrap();
        let (_folder, tables) = mini(rules);
        let group = Group::whole_board(rules.dir);
        for &marbles in counts {
            let shuffle = || Shuffle::new(1).marbles(&[marbles as u8]);
            let all: BTreeSet<Board> = boards(&rules, marbles).into_iter().collect();
            let every = drawn(&tables, &rules, shuffle().finished(true), 777);
            let found: BTreeSet<Board> = every.iter().map(|(p, _)| p.board()).collect();
            assert_eq!((every.len(), found), (all.len(), all.clone()), "{text}, {marbles} marbles");
            for (position, wdl) in every.iter().step_by(37) {
                assert_eq!(one(&tables, &rules, position), Some(*wdl));
            }
            let least: BTreeSet<Board> =
                all.iter().map(|board| group.canonical(rules.shape, *board).0).collect();
            let every = drawn(&tables, &rules, shuffle().finished(true).up_to_symmetry(true), 500);
            let found: BTreeSet<Board> = every.iter().map(|(p, _)| p.board()).collect();
            assert_eq!((every.len(), found), (least.len(), least), "{text}, {marbles} marbles");
            let open = all
                .iter()
                .filter(|board| rules.outcome(&Position::of(rules.shape, **board).unwrap()).is_none());
            assert_eq!(drawn(&tables, &rules, shuffle(), 4000).len(), open.count());
        }
    }
}

#[test]
fn a_shuffle_depends_on_its_seed_alone() {
    let rules = Rules::mini();
    let (_folder, tables) = mini(rules);
    let shuffle = |seed| Shuffle::new(seed).marbles(&[3, 4]);
    let whole = drawn(&tables, &rules, shuffle(4), 1 << 20);
    assert_eq!(drawn(&tables, &rules, shuffle(4), 313), whole);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| drawn(&tables, &rules, shuffle(4), 5000)), whole);
    let other = drawn(&tables, &rules, shuffle(5), 1 << 20);
    assert!(other != whole && other.len() == whole.len());
    // The shuffle must be uniform. So the first tenth must have the same fraction of boards with 3
    // marbles as the whole, within 5 standard deviations.
    let three = |boards: &[(Position, Wdl)]| boards.iter().filter(|(p, _)| p.marbles() == 3).count() as f64;
    let tenth = &whole[..whole.len() / 10];
    let share = three(&whole) / whole.len() as f64;
    let sigma = (share * (1.0 - share) * tenth.len() as f64).sqrt();
    assert!((three(tenth) - share * tenth.len() as f64).abs() < 5.0 * sigma);
}

#[test]
fn a_walk_meets_every_stored_board_once_however_it_is_cut() {
    let rules = Rules::mini();
    let (_folder, tables) = mini(rules);
    let family = &tables.families[0];
    for marbles in [0, 3, 6] {
        let table = family.table(marbles).unwrap().unwrap();
        let whole = walk(family, table, &mut WalkedTo::default(), usize::MAX).unwrap();
        let (mut at, mut parts) = (WalkedTo::default(), Vec::new());
        loop {
            let part = walk(family, table, &mut at, 100).unwrap();
            if part.is_empty() {
                break;
            }
            parts.extend(part);
        }
        assert_eq!(parts, whole);
        let group = Group::whole_board(rules.dir);
        let least = |board: Board| group.canonical(rules.shape, board).0;
        let found: BTreeSet<Board> = whole.iter().map(|(p, _)| least(p.board())).collect();
        let all: BTreeSet<Board> = boards(&rules, marbles.into()).into_iter().map(least).collect();
        assert_eq!(found, all);
        for (position, wdl) in whole.iter().step_by(11) {
            assert_eq!(one(&tables, &rules, position), Some(*wdl));
        }
    }
}

#[test]
fn many_positions_have_the_values_of_each() {
    let rules = Rules::mini();
    let (_folder, tables) = mini(rules);
    let mut positions = Vec::new();
    for marbles in 0..16 {
        if let Ok(more) = random::positions(&rules, marbles, 50, 3, false) {
            positions.extend(more);
        }
    }
    let placed = rules.place(&rules.start(), rules.shape.socket(0, 0)).unwrap().position;
    positions.push(placed);
    positions.push(Rules::default().start());
    let many = tables.look_up_many(&rules, &positions, &Control::new()).unwrap();
    assert_eq!(many[many.len() - 2..], [None, None], "a pending turn, and another board");
    positions.truncate(positions.len() - 2);
    let expected: Vec<_> = positions.iter().map(|p| one(&tables, &rules, p)).collect();
    assert_eq!(many[..expected.len()], expected[..]);
    assert!(expected.iter().all(Option::is_some));
    let cancelled = Control::new();
    cancelled.cancel();
    assert!(tables.look_up_many(&rules, &positions, &cancelled).is_err());

    let width = TURNS * rules.shape.sockets();
    let values = tables.move_values(&rules, &positions, &Control::new()).unwrap();
    assert_eq!(values.len(), width * positions.len());
    for (position, values) in positions.iter().zip(values.chunks(width)) {
        // The expected values, keyed by the index of the move in `values`.
        let mut named: BTreeMap<usize, i8> = BTreeMap::new();
        for mv in rules.moves(position) {
            let Move { place: Some(socket), turn } = mv else { panic!("a placement") };
            let (file, rank) = rules.shape.file_rank(socket);
            let turn = match turn {
                TurnPart::Turn(turn) => 2 * usize::from(turn.quadrant) + usize::from(!turn.clockwise),
                TurnPart::Skip | TurnPart::None => 8,
            };
            let played = rules.play(position, mv).unwrap();
            let value = match played.outcome {
                Some(pentago_core::rules::Outcome::Draw) => 0,
                Some(pentago_core::rules::Outcome::Win(side)) => {
                    if side == position.to_move() {
                        1
                    } else {
                        -1
                    }
                }
                None => -one(&tables, &rules, &played.position).unwrap().number(),
            };
            named.insert(((3 - rank) * 4 + file) * 9 + turn, value);
        }
        for (slot, &value) in values.iter().enumerate() {
            assert_eq!(value, named.get(&slot).copied().unwrap_or(ILLEGAL), "{position}, {slot}");
        }
        let best = values.iter().filter(|&&v| v != ILLEGAL).max().copied();
        assert_eq!(best, one(&tables, &rules, position).map(Wdl::number));
    }
}

/// Checks tables below a root. The values of the moves from the last kept slice are unknown.
#[test]
fn values_of_roots() {
    let rules = Rules::default();
    let root: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    Build::root(rules, root).keep(28).memory(200_000_000).run(folder.path()).unwrap();
    let tables = Tables::open(folder.path(), 1 << 20).unwrap();
    let all = drawn(&tables, &rules, Shuffle::new(2).finished(true), 1 << 20);
    let boards: BTreeSet<Board> = all.iter().map(|(p, _)| p.board()).collect();
    assert_eq!(boards.len(), all.len());
    let positions: Vec<Position> = all.iter().map(|(p, _)| *p).collect();
    let many = tables.look_up_many(&rules, &positions, &Control::new()).unwrap();
    assert!(many.iter().zip(&all).all(|(found, (_, wdl))| *found == Some(*wdl)));
    let least = drawn(&tables, &rules, Shuffle::new(2).finished(true).up_to_symmetry(true), 1 << 20);
    let group = Group::whole_board(rules.dir);
    let orbits: u64 = least.iter().map(|(p, _)| u64::from(group.orbit_size(rules.shape, p.board()))).sum();
    assert_eq!(orbits, all.len() as u64);
    let last: Vec<Position> = { positions }.into_iter().filter(|p| p.marbles() == 28).take(20).collect();
    let values = tables.move_values(&rules, &last, &Control::new()).unwrap();
    assert!(values.contains(&UNKNOWN) && values.contains(&ILLEGAL));
}
