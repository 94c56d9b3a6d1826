//! Tests of the values of positions. Each engine is compared with the reference, and the engines
//! are compared with each other.

use pentago_reference::{XlAfter, XlOptions, XlSolver};
use pentago_xl::{
    Answer, Control, Engine, Kernel, Limits, Position, Request, Rules, Seat, Solver, Value, dense_estimate,
};

use crate::rules::state;

const MODES: [&str; 4] =
    ["xl:supply=81", "xl:seats=3,supply=81", "xl:seats=4,supply=81", "xl:seats=4,mode=2v2,supply=81"];

/// Draws positions with `empty` free sockets. For an even seed, the seat to move has no immediately
/// winning move. For an odd seed, it may have one.
fn positions(rules: &Rules, empty: usize, count: usize, seed: u64) -> Vec<Position> {
    rules.random_positions(81 - empty, count, seed, seed.is_multiple_of(2)).unwrap()
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

/// Returns the value that corresponds to the points of the reference. Both arguments are in
/// twelfths of a point. `most` is the result for first place alone.
pub fn value(points: i32, most: i32) -> Value {
    if points == most {
        Value::Win
    } else if 2 * points >= most {
        Value::Draw
    } else {
        Value::Loss
    }
}

/// Asserts that the best move of an answer preserves the value of the position.
fn keeps_the_value(answer: &Answer, mover: Seat, text: &str) {
    let value = answer.of(mover).value();
    match answer.best {
        Some(best) => {
            let known = answer.moves.iter().find(|m| m.m == best).unwrap();
            assert_eq!(known.bounds.value(), value, "{best:?}: {text}");
        }
        None if answer.engine != Engine::Walk => assert_eq!(value, Some(Value::Loss), "{text}"),
        None => {}
    }
}

/// Compares the values of all seats and moves, and the distances, with the reference. Tests each of
/// `engines` on `count` positions with `empty` free sockets.
fn compare(rules: Rules, empty: usize, count: usize, engines: &[Option<Engine>]) {
    compare_some(rules, empty, count, engines, true);
}

/// Does the same as [`compare`], but omits the distances if `all` is `false`. The distances take
/// most of the reference's time.
fn compare_some(rules: Rules, empty: usize, count: usize, engines: &[Option<Engine>], all: bool) {
    let options = XlOptions::parse(&rules.to_string()).unwrap();
    let mut solvers: Vec<Solver> =
        engines.iter().map(|&engine| solver(rules, engine, Kernel::best())).collect();
    let most = i32::from(rules.best_half_points()) * 6;
    let mut counted = 0;
    for p in (0..2).flat_map(|seed| positions(&rules, empty, count.div_ceil(2), seed)) {
        let mut reference = XlSolver::new(options);
        let start = state(&rules, &p);
        let points = reference.guarantees(&start);
        let text = format!("{rules} {}", rules.format_position(&p));
        for (solver, engine) in solvers.iter_mut().zip(engines) {
            let request = Request { moves: true, distance: all, win_within: None };
            let answer = ask(solver, &p, &request);
            counted += answer.moves.len();
            for seat in rules.everyone().iter() {
                let expected = value(points[seat.index()], most);
                assert_eq!(answer.of(seat).value(), Some(expected), "{seat} by {engine:?}: {text}");
            }
            keeps_the_value(&answer, p.to_move, &text);
            let by_plies = all && *engine != Some(Engine::Walk) && !rules.continues();
            let by = format!("by {engine:?}: {text}");
            compare_moves(&rules, &p, &mut reference, &answer, by_plies, &by);
            if !by_plies {
                continue;
            }
            let winner = Seat::ALL.iter().find(|seat| answer.of(**seat).value() == Some(Value::Win));
            let plies = winner.and_then(|seat| {
                (1..=empty as u32).find(|&n| reference.wins_within(&start, 1 + seat.index() as u8, n))
            });
            assert_eq!(answer.plies, plies, "{by}");
        }
    }
    println!("{rules}: {count} positions with {empty} empty sockets, {counted} values of moves");
}

/// Compares the values of all moves with the reference. If `by_plies` is `true`, also compares the
/// distances of winning moves.
fn compare_moves(
    rules: &Rules,
    p: &Position,
    reference: &mut XlSolver,
    answer: &Answer,
    by_plies: bool,
    by: &str,
) {
    let most = i32::from(rules.best_half_points()) * 6;
    let mover = p.to_move.index();
    let after = XlOptions::parse(&rules.to_string()).unwrap().moves(&state(rules, p));
    assert_eq!(after.len(), answer.moves.len());
    for (name, after) in after {
        let m = answer.moves.iter().find(|m| rules.format_move(m.m) == name).unwrap();
        let expected = value(reference.guarantees_after(&after)[mover], most);
        assert_eq!(m.bounds.value(), Some(expected), "{name} {by}");
        if expected == Value::Win && by_plies {
            let plies = match after {
                XlAfter::Over(_) => 1,
                XlAfter::Goes(next) => {
                    let within = |n: &u32| reference.wins_within(&next, 1 + mover as u8, *n);
                    1 + (1..=p.empty() as u32).find(within).unwrap()
                }
            };
            assert_eq!(m.plies, Some(plies), "{name} {by}");
        }
    }
}

const ENGINES: [Option<Engine>; 4] = [None, Some(Engine::Dense), Some(Engine::Forward), Some(Engine::Walk)];

#[test]
fn values_of_the_last_two_plies() {
    for mode in MODES {
        let rules = mode.parse().unwrap();
        compare(rules, 1, 10, &ENGINES);
        compare(rules, 2, 10, &ENGINES);
    }
}

#[test]
fn values_of_three_plies() {
    for mode in MODES {
        compare(mode.parse().unwrap(), 3, 4, &ENGINES);
    }
}

#[test]
fn values_of_four_plies() {
    for mode in MODES {
        compare_some(mode.parse().unwrap(), 4, 2, &[None, Some(Engine::Dense)], false);
    }
}

#[test]
fn values_where_sockets_stay_free() {
    // In these positions, two plies are left before the marbles are used up.
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
    for mode in [
        "xl:supply=81,continue=yes",
        "xl:seats=3,supply=81,continue=yes",
        "xl:seats=4,supply=81,continue=yes",
    ] {
        let rules: Rules = mode.parse().unwrap();
        for empty in [2, 3] {
            compare(rules, empty, 6, &[Some(Engine::Walk), None]);
        }
        let [mut walk, mut ahead] =
            [Engine::Walk, Engine::LookAhead].map(|engine| solver(rules, Some(engine), Kernel::best()));
        let request = Request { moves: true, ..Request::default() };
        let mut places = 0;
        for p in positions(&rules, 2, 40, 5) {
            let exact = ask(&mut walk, &p, &request);
            let places_only = ahead.solve(&p, &request, &Control::new()).unwrap();
            for seat in rules.everyone().iter() {
                let (bounds, value) = (places_only.of(seat), exact.of(seat).low);
                assert!(bounds.low <= value && value <= bounds.high, "{mode} {bounds:?} {value:?}");
                assert!(!p.placed().has(seat) || bounds.low == bounds.high, "{mode} {bounds:?}");
            }
            for (exact, place) in exact.moves.iter().zip(&places_only.moves) {
                assert!(place.bounds.value().is_none() || place == exact, "{mode} {place:?} {exact:?}");
                places += usize::from(place.bounds.value().is_some());
            }
        }
        assert!(places > 0, "no move of {mode} gives a place");
    }
}

/// Compares the engines and the kernels with each other, on positions for which the reference would
/// take too long. Returns the number of values of seats that the forward proofs found.
fn compare_engines(rules: Rules, empty: usize, count: usize, seed: u64, nodes: u64) -> usize {
    let dense = |&kernel: &Kernel| solver(rules, Some(Engine::Dense), kernel);
    let mut dense: Vec<Solver> = Kernel::available().iter().map(dense).collect();
    let limits = Limits { engine: Some(Engine::Forward), nodes, ..Limits::default() };
    let mut forward = Solver::new(rules, limits, Kernel::best()).unwrap();
    let mut chosen = Solver::new(rules, Limits { engine: None, ..limits }, Kernel::best()).unwrap();
    let mut known = 0;
    for p in positions(&rules, empty, count, seed) {
        let text = format!("{rules} {}", rules.format_position(&p));
        let request = Request { moves: true, ..Request::default() };
        let answers: Vec<Answer> = dense.iter_mut().map(|solver| ask(solver, &p, &request)).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{text}");
        let proved = forward.solve(&p, &request, &Control::new()).unwrap();
        for seat in rules.everyone().iter() {
            let value = answers[0].of(seat).value();
            let bounds = proved.of(seat);
            assert!(value >= Some(bounds.low) && value <= Some(bounds.high), "{text} {seat} {bounds:?}");
            known += usize::from(bounds.value().is_some());
        }
        for (value, proved) in answers[0].moves.iter().zip(&proved.moves) {
            assert_eq!(value.m, proved.m);
            let (value, bounds) = (value.bounds.value(), proved.bounds);
            assert!(value >= Some(bounds.low) && value <= Some(bounds.high), "{text} {value:?} {bounds:?}");
        }
        keeps_the_value(&answers[0], p.to_move, &text);
        let chosen = chosen.solve(&p, &request, &Control::new()).unwrap();
        for seat in rules.everyone().iter() {
            assert_eq!(chosen.of(seat).value(), answers[0].of(seat).value(), "{text} {seat}");
        }
        keeps_the_value(&chosen, p.to_move, &text);
        // The best move must preserve the value of the position.
        let own = answers[0].of(p.to_move);
        let best = answers[0].moves.iter().map(|m| m.bounds.low).max();
        assert_eq!(best, own.value(), "{text}");
    }
    known
}

#[test]
fn engines_agree_below_six_empty_sockets() {
    let known: usize = MODES.map(|mode| compare_engines(mode.parse().unwrap(), 6, 2, 6, 20_000)).iter().sum();
    assert!(known > 0);
}

#[test]
#[ignore = "minutes: 2,000 positions of each mode"]
fn values_of_two_thousand_positions_of_each_mode() {
    for mode in MODES {
        let rules: Rules = mode.parse().unwrap();
        for (empty, count) in [(1, 500), (2, 1000), (3, 500)] {
            compare(rules, empty, count, &[None, Some(Engine::Dense)]);
        }
    }
}

#[test]
#[ignore = "minutes: 100 positions of each mode"]
fn values_of_a_hundred_positions_of_four_plies() {
    for mode in MODES {
        let engines = [None, Some(Engine::Dense), Some(Engine::Forward)];
        compare_some(mode.parse().unwrap(), 4, 100, &engines, false);
    }
}

#[test]
fn memory_and_patience_have_limits() {
    let rules: Rules = "xl:supply=81".parse().unwrap();
    let p = positions(&rules, 10, 1, 0)[0];
    let limits = Limits { engine: Some(Engine::Dense), ..Limits::default() };
    let needed = dense_estimate(&rules, &p, None).unwrap().least_bytes();
    let unknown = |memory: u64, control: &Control| {
        let mut solver = Solver::new(rules, Limits { memory, ..limits }, Kernel::best()).unwrap();
        let answer = solver.solve(&p, &Request::default(), control).unwrap();
        answer.engine == Engine::None && answer.of(Seat::A).value().is_none()
    };
    assert!(unknown(needed - 1, &Control::new()));
    assert!(!unknown(needed, &Control::new()));
    let control = Control::new();
    control.cancel();
    assert!(unknown(needed, &control));
    // This position is far from the end, and the budget is 0. Most moves have only bounds. The
    // position has the value of its best known move.
    let p = rules.random_positions(20, 1, 0, true).unwrap()[0];
    let limits = Limits { nodes: 0, ..Limits::default() };
    let mut solver = Solver::new(rules, limits, Kernel::best()).unwrap();
    let answer = solver.solve(&p, &Request { moves: true, ..Request::default() }, &Control::new()).unwrap();
    let value = answer.of(p.to_move);
    assert_eq!(answer.engine == Engine::None, value.value().is_none());
    // When the time is up, no move is searched any more.
    let mut solver = Solver::new(rules, Limits::default(), Kernel::best()).unwrap();
    let stopped = solver.solve(&p, &Request { moves: true, ..Request::default() }, &control).unwrap();
    assert_eq!(stopped.nodes, 0);
    assert_eq!(Some(value.low), answer.moves.iter().map(|m| m.bounds.low).max());
    assert!(answer.moves.iter().any(|m| m.bounds.value().is_none()));
}

#[test]
fn wins_within_some_plies() {
    let rules: Rules = "xl".parse().unwrap();
    let limits = Limits { engine: Some(Engine::None), ..Limits::default() };
    let exact = Limits { engine: Some(Engine::Forward), nodes: 100_000, ..limits };
    let mut decided = 0;
    for p in rules.random_positions(50, 10, 3, true).unwrap() {
        let mut solver = Solver::new(rules, limits, Kernel::best()).unwrap();
        let request = Request { win_within: Some(3), ..Request::default() };
        let found = solver.solve(&p, &request, &Control::new()).unwrap();
        let mut solver = Solver::new(rules, exact, Kernel::best()).unwrap();
        let request = Request { distance: true, ..Request::default() };
        let value = solver.solve(&p, &request, &Control::new()).unwrap();
        let text = rules.format_position(&p);
        if let (Some(win), Some(plies)) = (value.of(Seat::A).value(), value.plies) {
            assert!(win != Value::Draw);
            assert_eq!(found.plies, (plies <= 3).then_some(plies), "{text}");
            assert_eq!(found.no_win_within.is_some(), plies > 3, "{text}");
            decided += 1;
        }
    }
    assert!(decided > 0);
}
