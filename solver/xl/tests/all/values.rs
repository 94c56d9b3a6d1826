//! Values of positions: each engine against the reference, and the engines against each other.

use pentago_reference::{XlAfter, XlOptions, XlSolver};
use pentago_xl::{Answer, Control, Engine, Kernel, Limits, Position, Request, Rules, Seat, Solver, Value};

use crate::rules::state;

const MODES: [&str; 4] =
    ["xl:supply=81", "xl:seats=3,supply=81", "xl:seats=4,supply=81", "xl:seats=4,mode=2v2,supply=81"];

/// Quiet and other positions with so many free sockets.
fn positions(rules: &Rules, empty: usize, count: usize, seed: u64) -> Vec<Position> {
    rules.random_positions(81 - empty, count, seed, seed % 2 == 0).unwrap()
}

fn solver(rules: Rules, engine: Option<Engine>, kernel: Kernel) -> Solver {
    let limits = Limits { engine, table_bytes: 1 << 22, nodes: 50_000_000, ..Limits::default() };
    Solver::new(rules, limits, kernel).unwrap()
}

fn ask(solver: &mut Solver, p: &Position, request: &Request) -> Answer {
    let answer = solver.solve(p, request, &Control::new()).unwrap();
    let text = solver.rules().format_position(p);
    for seat in solver.rules().everyone().iter() {
        assert!(answer.of(seat).value().is_some(), "{} {text}: {answer:?}", solver.rules());
    }
    answer
}

/// Values as the reference has them: by twelfths of points, of at most `most`.
fn value(points: i32, most: i32) -> Value {
    if points == most {
        Value::Win
    } else if 2 * points >= most {
        Value::Draw
    } else {
        Value::Loss
    }
}

/// Compares values of all seats and of all moves, distances and the vector.
fn compare(rules: Rules, empty: usize, count: usize, engines: &[Option<Engine>]) {
    let options = XlOptions::parse(&rules.to_string()).unwrap();
    let mut solvers: Vec<Solver> =
        engines.iter().map(|&engine| solver(rules, engine, Kernel::best())).collect();
    let most = i32::from(rules.best_half_points()) * 6;
    for p in (0..2).flat_map(|seed| positions(&rules, empty, count.div_ceil(2), seed)) {
        let mut reference = XlSolver::new(options);
        let start = state(&rules, &p);
        let points = reference.guarantees(&start);
        let vectors = [false, true].map(|kind| reference.vector(&start, kind));
        let text = format!("{rules} {}", rules.format_position(&p));
        for (solver, engine) in solvers.iter_mut().zip(engines) {
            let request = Request { moves: true, distance: true, vector: true, win_within: None };
            let answer = ask(solver, &p, &request);
            for seat in rules.everyone().iter() {
                let expected = value(points[seat.index()], most);
                assert_eq!(answer.of(seat).value(), Some(expected), "{seat} by {engine:?}: {text}");
                if let Some(half) = answer.half_points {
                    assert_eq!(i32::from(half[seat.index()]) * 6, points[seat.index()], "{text}");
                }
            }
            let vector = answer.vector.unwrap();
            let twelfths = vector.half_points.map(|half| i32::from(half) * 6);
            assert_eq!(twelfths, vectors[0], "{text}");
            assert_eq!(vector.depends_on_ties, vectors[0] != vectors[1], "{text}");

            let by_plies = *engine != Some(Engine::Walk) && !rules.continues();
            let mover = p.to_move.index();
            let after = options.moves(&start);
            assert_eq!(after.len(), answer.moves.len());
            for (name, after) in after {
                let m = answer.moves.iter().find(|m| rules.format_move(m.m) == name).unwrap();
                let expected = value(reference.guarantees_after(&after)[mover], most);
                assert_eq!(m.bounds.value(), Some(expected), "{name} by {engine:?}: {text}");
                if expected == Value::Win && by_plies {
                    let plies = match after {
                        XlAfter::Over(_) => 1,
                        XlAfter::Goes(next) => {
                            let within = |n: &u32| reference.wins_within(&next, 1 + mover as u8, *n);
                            1 + (1..=empty as u32).find(within).unwrap()
                        }
                    };
                    assert_eq!(m.plies, Some(plies), "{name} by {engine:?}: {text}");
                }
            }
            if !by_plies {
                continue;
            }
            let winner = Seat::ALL.iter().find(|seat| answer.of(**seat).value() == Some(Value::Win));
            let plies = winner.and_then(|seat| {
                (1..=empty as u32).find(|&n| reference.wins_within(&start, 1 + seat.index() as u8, n))
            });
            assert_eq!(answer.plies, plies, "by {engine:?}: {text}");
        }
    }
}

const ENGINES: [Option<Engine>; 4] = [None, Some(Engine::Dense), Some(Engine::Forward), Some(Engine::Walk)];

#[test]
fn values_of_the_last_two_plies() {
    for mode in MODES {
        let rules = mode.parse().unwrap();
        compare(rules, 1, 20, &ENGINES);
        compare(rules, 2, 20, &ENGINES);
    }
}

#[test]
fn values_of_three_plies() {
    for mode in MODES {
        compare(mode.parse().unwrap(), 3, 6, &ENGINES);
    }
}

#[test]
fn values_where_sockets_stay_free() {
    // Two plies before the marbles are used up.
    for (mode, empty) in [
        ("xl", 3),
        ("xl:seats=4", 3),
        ("xl:seats=4,mode=2v2", 3),
        ("xl:seats=3,supply=25", 8),
        ("xl:seats=4,supply=19", 7),
        ("xl:supply=37", 9),
    ] {
        compare(mode.parse().unwrap(), empty, 2, &ENGINES);
    }
}

#[test]
fn values_with_continue() {
    for (mode, empty) in [("xl:seats=3,supply=81,continue=yes", 2), ("xl:seats=4,supply=81,continue=yes", 2)]
    {
        let rules: Rules = mode.parse().unwrap();
        for empty in [empty, empty + 1] {
            compare(rules, empty, 6, &[Some(Engine::Walk), None]);
        }
    }
}
