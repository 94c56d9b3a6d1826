//! No false claim: proofs against the full solution, move by move.

use super::tests::all_rules;
use super::{Limits, prove};
use crate::answer::{Answer, Origin, Request, Value};
use crate::clock::Clock;
use crate::control::Control;
use crate::kernel::Kernel;
use crate::rules::{MiniRun, Position, Rules, Shape, Skip, random};
use crate::solve::RootedSolver;
use std::num::NonZeroUsize;

/// All rules that a proof tells apart, and the presets.
fn rules() -> Vec<Rules> {
    let mut all = all_rules(Shape::Pentago);
    all.extend(
        Rules::presets().iter().map(|(_, rules)| *rules).filter(|rules| rules.shape == Shape::Pentago),
    );
    all.extend([Skip::Empty, Skip::Neutral].map(|skip| Rules { skip, ..Rules::default() }));
    all.sort();
    all.dedup();
    all
}

/// How many moves there were, and how many of the wins and losses among them were proved.
#[derive(Debug, Default)]
struct Tally {
    moves: u64,
    decided: u64,
    proved: u64,
}

/// Compares the proofs of a position with its solution.
fn check(rules: Rules, position: &Position, boards: u64, solver: &mut RootedSolver, tally: &mut Tally) {
    let control = Control::new();
    let limits = Limits { boards, end: None, memory: 16 << 20, every_move: false, clock: Clock::none() };
    let verdict = prove(rules, solver.kernel(), NonZeroUsize::MIN, position, limits, &control).unwrap();
    let solution = solver.solve(position, usize::MAX, &control).unwrap();
    let text = rules.format_position(position);
    assert!(
        verdict.value == Value::Unknown || verdict.value == solution.value,
        "{rules} {text}: {} proved, {} solved",
        verdict.value,
        solution.value
    );
    assert_eq!(verdict.moves.len(), solution.moves.len());
    for (proved, solved) in verdict.moves.iter().zip(&solution.moves) {
        assert_eq!(proved.mv, solved.mv);
        let mv = rules.format_move(solved.mv);
        assert!(
            proved.value == Value::Unknown || proved.value == solved.value,
            "{rules} {text} {mv}: {} proved, {} solved",
            proved.value,
            solved.value
        );
        if solved.origin == Origin::Rules {
            assert_eq!(proved.value, solved.value, "{rules} {text} {mv}");
        } else if matches!(solved.value, Value::Win | Value::Loss) {
            tally.decided += 1;
            tally.proved += u64::from(proved.value == solved.value);
        }
        tally.moves += 1;
    }
}

/// Random positions with so many marbles, and the same with a turn pending.
fn check_all(rules: Rules, marbles: u32, count: usize, seed: u64, boards: u64, tally: &mut Tally) {
    let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 30);
    for position in
        random::positions(&rules, marbles, count, seed, seed.is_multiple_of(2)).unwrap_or_default()
    {
        check(rules, &position, boards, &mut solver, tally);
        let free = position.board().free(rules.shape);
        let socket = rules.shape.sockets_of(free).nth(seed as usize % free.count_ones() as usize).unwrap();
        let placed = rules.place(&position, socket).unwrap();
        if placed.outcome.is_none() {
            check(rules, &placed.position, boards, &mut solver, tally);
        }
    }
}

#[test]
fn proofs_claim_nothing_false() {
    let mut tally = Tally::default();
    for (i, rules) in rules().into_iter().enumerate() {
        for marbles in 26..36 {
            check_all(rules, marbles, 3, 100 * i as u64 + u64::from(marbles), 300_000, &mut tally);
        }
    }
    // Of late positions proofs decide nearly all that is decided.
    assert!(tally.proved * 10 > tally.decided * 9, "{tally:?}");
}

/// Where the board is nearly full, all of it.
#[test]
fn ends_of_games() {
    let mut tally = Tally::default();
    for (i, rules) in rules().into_iter().enumerate() {
        for marbles in 33..36 {
            check_all(rules, marbles, 40, 7 + i as u64, 100_000, &mut tally);
        }
    }
    assert!(tally.proved * 100 > tally.decided * 95, "{tally:?}");
}

#[test]
fn small_boards() {
    let mut tally = Tally::default();
    for rules in all_rules(Shape::Mini { run: MiniRun::Four })
        .into_iter()
        .chain(all_rules(Shape::Mini { run: MiniRun::Three }))
    {
        for marbles in [2, 6, 10, 14] {
            check_all(rules, marbles, 2, u64::from(marbles), 200_000, &mut tally);
        }
    }
    assert!(tally.proved > 0, "{tally:?}");
}

/// Many more, of 18 to 30 marbles: `PENTAGO_POSITIONS` of each number under each of the rules
/// (default 3).
#[test]
#[ignore = "minutes"]
fn many_positions() {
    let count = std::env::var("PENTAGO_POSITIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    for marbles in (18..31).rev() {
        let mut tally = Tally::default();
        for (i, rules) in rules().into_iter().enumerate() {
            let seed = 1_000 * u64::from(marbles) + i as u64;
            check_all(rules, marbles, count, seed, 2_000_000, &mut tally);
        }
        println!("{marbles} marbles: {tally:?}");
    }
}

/// The share of random quiet positions that proofs alone decide, for the record: `PENTAGO_MARBLES`
/// (default 12), `PENTAGO_POSITIONS` (16), `PENTAGO_SEED` (3), `PENTAGO_BOARDS` (300 million).
#[test]
#[ignore = "minutes"]
fn shares() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let rules = Rules::default();
    let (marbles, count) = (number("PENTAGO_MARBLES", 12) as u32, number("PENTAGO_POSITIONS", 16));
    let boards = number("PENTAGO_BOARDS", 300_000_000);
    let mut decided = Vec::new();
    let seed = number("PENTAGO_SEED", 3);
    for position in random::positions(&rules, marbles, count as usize, seed, true).unwrap() {
        let limits = Limits { boards, end: None, memory: 4 << 30, every_move: false, clock: Clock::none() };
        let verdict =
            prove(rules, Kernel::best(), NonZeroUsize::MIN, &position, limits, &Control::new()).unwrap();
        println!("{} {} {:?}", rules.format_position(&position), verdict.value, verdict.origin);
        if verdict.value != Value::Unknown {
            decided.push(verdict.boards);
        }
    }
    decided.sort_unstable();
    let at = |part: f64| decided.get((decided.len() as f64 * part) as usize).copied().unwrap_or_default();
    println!(
        "{marbles} marbles: {} of {count} decided; boards: median {}, 90% {}, most {:?}",
        decided.len(),
        at(0.5),
        at(0.9),
        decided.last()
    );
}

fn answer(position: &Position, request: &Request, memory: u64) -> Answer {
    let mut solver = RootedSolver::new(Rules::default(), Kernel::best(), NonZeroUsize::MIN, memory);
    solver.answer(position, request, &Control::new()).unwrap()
}

/// Answers for positions that are too large to be solved: proofs come first, then plies, and both
/// agree.
#[test]
fn answers_by_proof() {
    let rules = Rules::default();
    let memory = 64 << 20;
    let with = Request { proof_boards: Some(3_000_000), ..Request::default() };
    let without = Request { proof_boards: Some(0), ..Request::default() };
    let mut proofs = 0;
    for position in random::positions(&rules, 14, 6, 5, true).unwrap() {
        let proved = answer(&position, &with, memory);
        assert_eq!(proved, answer(&position, &with, memory), "the same boards, the same answer");
        let plain = answer(&position, &without, memory);
        assert!(plain.moves.iter().all(|m| !matches!(m.origin, Origin::Proof { .. })));
        for m in &plain.moves {
            let other = proved.moves.iter().find(|o| o.mv == m.mv).unwrap();
            assert!(m.value == Value::Unknown || other.value == Value::Unknown || other.value == m.value);
        }
        // What full width decides is decided still.
        assert!(plain.value == Value::Unknown || proved.value == plain.value);
        let Origin::Proof { within, .. } = proved.origin else { continue };
        proofs += 1;
        assert!(matches!(proved.value, Value::Win | Value::Loss));
        assert!(proved.best > 0 && proved.best_moves().iter().all(|m| m.value == proved.value));
        assert!(within <= 22);
        // The distance is exact or unknown, and no more than the bound.
        let far = answer(&position, &Request { distance: true, ..with }, memory);
        assert_eq!(far.value, proved.value);
        assert!(far.distance.is_none_or(|distance| distance <= within), "{far:?}");
    }
    assert!(proofs > 0);
}

/// Where the full solution fits, proofs change nothing but the time.
#[test]
fn full_solutions_are_the_same() {
    let rules = Rules::default();
    for position in random::positions(&rules, 19, 2, 3, true).unwrap() {
        let request = |boards| Request { proof_boards: Some(boards), ..Request::default() };
        let (with, without) =
            (answer(&position, &request(u64::MAX), 1 << 30), answer(&position, &request(0), 1 << 30));
        assert!(with.complete && without.complete);
        let values = |a: &Answer| {
            let mut all: Vec<_> = a.moves.iter().map(|m| (m.mv, m.value)).collect();
            all.sort_by_key(|(mv, _)| rules.format_move(*mv));
            (a.value, a.best, all)
        };
        assert_eq!(values(&with), values(&without));
    }
}
