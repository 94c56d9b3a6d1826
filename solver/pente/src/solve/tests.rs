//! Tests of the solver: comparisons of answers with the slow reference, and checks of the proved
//! facts about unsolved positions.

use pentago_reference::pente as slow;

use super::{Engine, Limits, ProvedFact, Solver, Value};
use crate::rules::random::{self, PlayStyle};
use crate::rules::{Color, Position, Rules};

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn verdict(value: i8) -> Value {
    match value {
        1 => Value::Win,
        0 => Value::Draw,
        _ => Value::Loss,
    }
}

/// Compares values, moves and distances with the slow reference on random positions with `empty`
/// empty points. Returns the numbers of losses, draws and wins.
fn compare(text: &str, empty: usize, count: usize, distance: bool) -> [usize; 3] {
    let rules = rules(text);
    let mut reference = slow::Solver::new(slow::Rules::parse(text).unwrap());
    let mut solver = Solver::new(&rules, 1 << 22).unwrap();
    let slow_rules = slow::Rules::parse(text).unwrap();
    let positions =
        random::positions(&rules, PlayStyle::Uniform, rules.points() - empty, count, 11, false).unwrap();
    let mut seen = [0; 3];
    for p in positions {
        let line = rules.format_position(&p);
        let state = slow_rules.read(&line).unwrap();
        let answer = solver.solve(&p, Limits { distance, ..Limits::default() });
        let (value, plies) = reference.solve(&state);
        assert_eq!(answer.value, verdict(value), "{text} {line} {:?}", answer.engine);
        seen[(value + 1) as usize] += 1;
        let mut moves = reference.moves(&state);
        moves.sort();
        let mut found: Vec<(String, i8, u32)> = Vec::new();
        for m in &answer.moves {
            let value = match m.value {
                Value::Win => 1,
                Value::Draw => 0,
                Value::Loss => -1,
                Value::Unknown => panic!("{text} {line}: {} is not known", rules.format_move(m.m)),
            };
            found.push((rules.format_move(m.m), value, m.distance.unwrap_or(0)));
        }
        found.sort();
        if distance {
            assert_eq!(answer.distance.unwrap_or(0), plies, "{text} {line}");
            assert_eq!(found, moves, "{text} {line}");
        } else {
            let values = |list: &[(String, i8, u32)]| -> Vec<(String, i8)> {
                list.iter().map(|(name, value, _)| (name.clone(), *value)).collect()
            };
            assert_eq!(values(&found), values(&moves), "{text} {line}");
        }
        let best = moves.iter().filter(|(_, v, _)| *v == value).count();
        assert_eq!((answer.best, answer.best_moves().len()), (best, best));
    }
    seen
}

#[test]
fn two_thousand_small_positions() {
    small_positions(1);
}

#[test]
#[ignore = "long: finds what is wrong in one position of thousands"]
fn long_ten_thousand_small_positions() {
    small_positions(5);
}

/// Compares 2000 * `times` small positions with the reference.
fn small_positions(times: usize) {
    let mut all = [0; 3];
    for (text, empty, count, distance) in [
        ("pente:n=4,k=4,opening=free", 3, 400, false),
        ("pente:n=4,k=4,opening=free,win=4", 4, 250, true),
        ("pente:n=4,k=3,opening=free", 4, 300, true),
        ("pente:n=4,opening=free,win=2", 4, 200, false),
        ("pente:w=4,h=3,k=3,opening=free", 4, 250, true),
        ("pente:w=5,h=4,k=4,opening=free", 3, 100, false),
        ("pente:n=5,k=4,opening=free", 2, 100, true),
        ("pente:n=5,k=4,opening=free,cap=2+3,win=5", 3, 100, false),
        ("pente:n=4,k=4,opening=free,cap=2+3,win=15,over=no", 3, 100, true),
        ("pente:n=5,k=4,opening=free,cap=0", 4, 100, true),
        ("pente:w=8,h=1,k=3,opening=free,win=2", 4, 100, true),
    ] {
        let seen = compare(text, empty, times * count, distance);
        all.iter_mut().zip(seen).for_each(|(sum, n)| *sum += n);
    }
    assert_eq!(all.iter().sum::<usize>(), 2000 * times);
    assert!(all.iter().all(|&n| n > 80 * times), "{all:?}");
}

/// An answer with a known value has a move that keeps the value, even if the values of moves are
/// not requested.
#[test]
fn a_value_has_its_move() {
    values_have_their_moves(8, 1);
}

#[test]
#[ignore = "long: finds what is wrong in one position of many"]
fn long_a_value_has_its_move() {
    values_have_their_moves(20, 2);
}

/// Solves `count` positions of each kind. For each kind, at least `least` times the listed number
/// of positions must be wins.
fn values_have_their_moves(count: usize, least: usize) {
    for (text, empty, win) in [
        ("pente:n=5,k=4,opening=free", 9, 2),
        ("pente:n=5,k=4,opening=free,win=4", 12, 2),
        ("pente:n=6,k=4,opening=free", 30, 1),
        ("pente:n=4,k=4,opening=free", 6, 0),
    ] {
        let rules = rules(text);
        let mut solver = Solver::new(&rules, 1 << 24).unwrap();
        // Without memory for a table, the values come from searches. A table would contain the
        // value of every move, so the test would be trivial.
        solver.memory = 0;
        let (mut wins, mut draws) = (0, 0);
        let stones = rules.points() - empty;
        for p in random::positions(&rules, PlayStyle::Uniform, stones, count, 5, true).unwrap() {
            let limits = Limits { every_move: false, ..Limits::default() };
            let answer = solver.solve(&p, limits);
            let line = rules.format_position(&p);
            match answer.value {
                Value::Win => wins += 1,
                Value::Draw => draws += 1,
                Value::Loss => {
                    assert_eq!(answer.best, answer.moves.len());
                    continue;
                }
                Value::Unknown => continue,
            }
            assert!(answer.best > 0, "{text} {line}");
            let kept = solver.solve(&answer.best_moves()[0].position, Limits::default());
            assert_eq!(kept.value.negate(), answer.value, "{text} {line}");
        }
        assert!(wins >= least * win && wins + draws > 0, "{text}: {wins} wins, {draws} draws");
    }
}

#[test]
#[ignore = "minutes: more empty points"]
fn small_positions_with_more_empty_points() {
    for win in [2, 4, 10] {
        compare(&format!("pente:n=4,k=4,opening=free,win={win}"), 6, 200, true);
        compare(&format!("pente:n=5,k=4,opening=free,win={win}"), 5, 200, true);
        compare(&format!("pente:n=5,opening=free,win={win},cap=2+3"), 5, 200, false);
    }
}

#[test]
fn the_table_and_the_forward_search_agree() {
    for (text, empty) in
        [("pente:w=4,h=3,k=3,opening=free,win=4", 8), ("pente:n=4,k=4,opening=free,win=4", 7)]
    {
        let rules = rules(text);
        let table = crate::table::BoardTable::solved(&rules, &pentago_base::Control::new()).unwrap();
        let mut fast = Solver::new(&rules, 1 << 24).unwrap();
        fast.table = Some(table);
        // This solver has too little memory for a table of the board.
        let mut forward = Solver::new(&rules, 1 << 17).unwrap();
        for stones in rules.points() - empty..rules.points() - 2 {
            for p in random::positions(&rules, PlayStyle::Uniform, stones, 10, 2, false).unwrap() {
                let one = fast.solve(&p, Limits::default());
                let two = forward.solve(&p, Limits::default());
                assert!(forward.table.is_none());
                assert!(matches!(one.engine, Engine::Table | Engine::Moves));
                assert!(matches!(two.engine, Engine::ProofSearch | Engine::Moves));
                assert_eq!((one.value, one.moves, one.best), (two.value, two.moves, two.best));
            }
        }
    }
}

#[test]
fn the_large_board_is_unknown_until_something_is_proved() {
    let rules = Rules::default();
    let mut solver = Solver::new(&rules, 1 << 24).unwrap();
    let answer = solver.solve(&Position::EMPTY, Limits { nodes: 100_000, ..Limits::default() });
    assert_eq!((answer.value, answer.engine, answer.best), (Value::Unknown, Engine::None, 0));
    let within = |player| {
        let plies = answer.proved.iter().filter_map(|p| match p {
            ProvedFact::NoWinWithin { player: other, plies } if *other == player => Some(*plies),
            _ => None,
        });
        plies.max().unwrap_or(0)
    };
    assert!(within(Color::X) >= 3 && within(Color::O) >= 4, "{:?}", answer.proved);
    assert_eq!(answer.moves.len(), 1);
    assert!(answer.proved.iter().all(|p| !p.to_string().is_empty()));
}

#[test]
fn games_that_are_over_and_last_moves() {
    let rules = rules("pente:n=3,k=3,opening=free");
    let mut solver = Solver::new(&rules, 0).unwrap();
    let ask = |solver: &mut Solver, text: &str| {
        let p = rules.parse_position(text).unwrap();
        solver.solve(&p, Limits { distance: true, ..Limits::default() })
    };
    let over = ask(&mut solver, "XXX/OO1/3 o");
    assert_eq!((over.value, over.engine, over.distance), (Value::Loss, Engine::Rules, Some(0)));
    let full = ask(&mut solver, "XOX/XOO/OXX o");
    assert_eq!((full.value, full.engine), (Value::Draw, Engine::Rules));
    let last = ask(&mut solver, "XOX/XOO/OX1 x");
    assert_eq!((last.value, last.engine, last.distance), (Value::Draw, Engine::ProofSearch, None));
    let wins = ask(&mut solver, "XX1/OO1/3 x");
    assert_eq!((wins.value, wins.engine, wins.distance), (Value::Win, Engine::Moves, Some(1)));
    assert_eq!(wins.best_moves()[0].distance, Some(1));
    // With a limit of 0 nodes, the solver must not report a win or a loss.
    let start = solver.solve(&Position::EMPTY, Limits { nodes: 0, ..Limits::default() });
    assert!(matches!(start.value, Value::Unknown | Value::Draw));
}

/// Returns the value of an empty board by proof-number search.
fn empty_board(text: &str) -> Value {
    let rules = rules(text);
    // Give the search much memory, but allow no table, because a table would answer first.
    let mut solver = Solver::new(&rules, 1 << 26).unwrap();
    solver.memory = 0;
    let limits = Limits { nodes: 100_000_000, every_move: false, ..Limits::default() };
    let answer = solver.solve(&Position::EMPTY, limits);
    assert_eq!(answer.engine, Engine::ProofSearch, "{text}");
    answer.value
}

/// Compares values from the design notes with proof-number search. The tests of [`crate::table`]
/// compare values from the notes with the board table.
#[test]
fn values_of_empty_boards_by_forward_search() {
    for (text, value) in [
        ("n=3,k=3", Value::Draw),
        ("n=3,k=3,win=2", Value::Draw),
        ("w=3,h=4,k=3", Value::Win),
        ("w=3,h=5,k=3", Value::Win),
        ("w=3,h=6,k=3", Value::Win),
        ("n=4,k=3", Value::Win),
        ("w=4,h=5,k=3", Value::Win),
        ("n=5,k=3", Value::Win),
        ("w=3,h=4,k=4", Value::Draw),
        ("n=4,k=4,win=2", Value::Draw),
        ("n=5,k=4,win=2", Value::Win),
    ] {
        assert_eq!(empty_board(&format!("pente:{text},opening=free")), value, "{text}");
    }
}

#[test]
#[ignore = "minutes: millions of positions"]
fn more_values_of_empty_boards_by_forward_search() {
    for (text, value) in [
        ("w=3,h=5,k=4", Value::Draw),
        ("n=4,k=4,win=4", Value::Draw),
        ("n=4,k=4,win=6", Value::Draw),
        ("n=4,k=4,win=10", Value::Draw),
        ("n=5,k=4,win=4", Value::Win),
        ("n=5,k=4,win=6", Value::Win),
        ("n=5,k=4,win=10", Value::Win),
        ("w=6,h=5,k=4,win=2", Value::Win),
        ("n=6,k=4,win=2", Value::Win),
        ("n=6,k=4,win=4", Value::Win),
        ("n=6,k=4,win=10", Value::Win),
    ] {
        assert_eq!(empty_board(&format!("pente:{text},opening=free")), value, "{text}");
    }
}

#[test]
fn boards_whose_lines_can_all_be_blocked_are_drawn() {
    for (size, line) in [("n=5", "5/5/5/5/5 x"), ("n=6", "6/6/6/6/6/6 x"), ("w=7,h=6", "7/7/7/7/7/7 x")] {
        let rules = rules(&format!("pente:{size},k=5,opening=free,cap=0"));
        let mut solver = Solver::new(&rules, 1 << 24).unwrap();
        let position = rules.parse_position(line).unwrap();
        let answer = solver.solve(&position, Limits::default());
        assert_eq!((answer.value, answer.engine), (Value::Draw, Engine::Blocking), "{rules}");
        assert!(answer.best > 0 && answer.best_moves().iter().all(|m| m.value == Value::Draw), "{rules}");
    }
}
