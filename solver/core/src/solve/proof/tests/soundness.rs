//! Compares proofs with the full solution, move by move. No proved value may be wrong.

use super::super::{Limits, Verdict, prove};
use crate::answer::{Origin, Value};
use crate::kernel::Kernel;
use crate::rules::tests::all_rules;
use crate::rules::{Position, Rules, Shape, Skip, random};
use crate::solve::RootedSolver;
use pentago_base::Clock;
use pentago_base::Control;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Returns the presets for the 6x6 board, and all other rules that a proof distinguishes.
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

/// The numbers of compared positions and moves. `decided` is the number of moves that win or lose.
/// `proved` is the number of these moves that proofs decided.
#[derive(Debug, Default)]
struct Tally {
    positions: u64,
    /// The number of positions whose value was proved.
    claims: u64,
    moves: u64,
    decided: u64,
    proved: u64,
    /// The number of undecided moves for which the proofs excluded a win or a loss within some
    /// number of plies.
    ruled_out: u64,
}

/// Returns limits on the number of boards and on the memory in bytes, without a time limit.
fn limits(boards: u64, memory: u64) -> Limits {
    Limits { boards, end: None, memory, every_move: false, clock: Clock::none() }
}

/// Proves a position with one thread.
fn proved(position: &Position, limits: Limits, control: &Control) -> Verdict {
    prove(Rules::default(), Kernel::best(), NonZeroUsize::MIN, position, limits, None, control).unwrap()
}

/// Proves a position with one thread and at most `boards` boards, without a time limit.
fn proofs(rules: Rules, kernel: Kernel, position: &Position, boards: u64) -> Verdict {
    let limits = limits(boards, number("PENTAGO_MEMORY", 24 << 20));
    prove(rules, kernel, NonZeroUsize::MIN, position, limits, None, &Control::new()).unwrap()
}

/// Returns the value from the other player's point of view.
fn opposite(value: Value) -> Value {
    match value {
        Value::Win => Value::Loss,
        Value::Loss => Value::Win,
        Value::Draw | Value::Unknown => value,
    }
}

/// Asserts that a proved value equals `value`, the correct value of the position. Counts the
/// position in `tally`.
fn hold(rules: Rules, position: &Position, proved: Value, value: Value, tally: &mut Tally) {
    let text = rules.format_position(position);
    assert!(proved == Value::Unknown || proved == value, "{rules} {text}: {proved} proved, {value} is right");
    tally.positions += 1;
    tally.claims += u64::from(proved != Value::Unknown);
}

/// The effort that `check` spends on each position.
#[derive(Clone, Copy)]
struct Effort {
    /// The maximum number of boards of each proof.
    boards: u64,
    /// The number of positions after one move that are also proved and compared.
    after: usize,
}

/// Compares the proofs of a position with its full solution. Also compares the proofs of up to
/// `after` positions after one move.
fn check(
    rules: Rules,
    position: &Position,
    Effort { boards, after }: Effort,
    solver: &mut RootedSolver,
    tally: &mut Tally,
) {
    let control = Control::new();
    let verdict = proofs(rules, solver.kernel, position, boards);
    let solution = solver.solve(position, usize::MAX, &control).unwrap();
    let text = rules.format_position(position);
    hold(rules, position, verdict.value, solution.value, tally);
    assert_eq!(verdict.moves.len(), solution.moves.len());
    let ruled_out = [(verdict.ruled_out.win, Value::Win), (verdict.ruled_out.loss, Value::Loss)];
    for (plies, value) in ruled_out.into_iter().filter(|(plies, _)| *plies > 0) {
        let near = solver.solve(position, plies, &control).unwrap();
        assert!(verdict.value != Value::Unknown || near.value != value, "{rules} {text}: within {plies}");
        for (proved, near) in verdict.moves.iter().zip(&near.moves) {
            let mv = rules.format_move(near.mv);
            assert!(
                proved.value != Value::Unknown || near.value != value,
                "{rules} {text} {mv}: {value} within {plies}"
            );
            tally.ruled_out += u64::from(proved.value == Value::Unknown);
        }
    }
    let open: Vec<_> = solution.moves.iter().filter(|m| m.origin != Origin::Rules).collect();
    for m in open.iter().step_by(open.len() / after.max(1) + 1).take(after) {
        let value = proofs(rules, solver.kernel, &m.position, boards).value;
        hold(rules, &m.position, value, opposite(m.value), tally);
    }
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

/// Checks random positions with `marbles` marbles. Also checks each of these positions after one
/// placement, with the turn pending.
fn check_all(rules: Rules, marbles: u32, count: usize, seed: u64, each: Effort, tally: &mut Tally) {
    let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 5 << 29);
    for position in
        random::positions(&rules, marbles, count, seed, seed.is_multiple_of(2)).unwrap_or_default()
    {
        check(rules, &position, each, &mut solver, tally);
        let free = position.board().free(rules.shape);
        let socket = rules.shape.sockets_of(free).nth(seed as usize % free.count_ones() as usize).unwrap();
        let placed = rules.place(&position, socket).unwrap();
        if placed.outcome.is_none() {
            check(rules, &placed.position, each, &mut solver, tally);
        }
    }
}

#[test]
fn proofs_claim_nothing_false() {
    let mut tally = Tally::default();
    for (i, rules) in rules().into_iter().enumerate() {
        for marbles in (26 + i as u32 % 2..36).step_by(2) {
            check_all(
                rules,
                marbles,
                1,
                100 * i as u64 + u64::from(marbles),
                Effort { boards: 300_000, after: 1 },
                &mut tally,
            );
        }
    }
    // In late positions, proofs decide nearly every move that wins or loses.
    assert!(tally.proved * 10 > tally.decided * 9, "{tally:?}");
    assert!(tally.ruled_out > 100, "{tally:?}");
}

/// On a nearly full board, proofs decide nearly every move that wins or loses.
#[test]
fn ends_of_games() {
    ends(12);
}

#[test]
#[ignore = "long: finds what goes wrong in one position of thousands"]
fn long_ends_of_games() {
    ends(100);
}

/// Checks `count` nearly full positions for each of the rules and each number of marbles from 33 to
/// 35.
fn ends(count: usize) {
    let mut tally = Tally::default();
    for (i, rules) in rules().into_iter().enumerate() {
        for marbles in 33..36 {
            check_all(rules, marbles, count, 7 + i as u64, Effort { boards: 100_000, after: 0 }, &mut tally);
        }
    }
    assert!(tally.proved * 100 > tally.decided * 95, "{tally:?}");
}

#[test]
fn small_boards() {
    small(1, 3);
}

#[test]
#[ignore = "long: finds what goes wrong in one position of hundreds"]
fn long_small_boards() {
    small(8, 1);
}

/// Checks `count` positions of the small boards for each of the rules and for every `every`-th
/// number of marbles.
fn small(count: usize, every: usize) {
    let mut tally = Tally::default();
    for (i, rules) in all_rules(Shape::Mini4).into_iter().chain(all_rules(Shape::Mini3)).enumerate() {
        for marbles in [2, 6, 10, 14].into_iter().skip(i % every).step_by(every) {
            check_all(
                rules,
                marbles,
                count,
                u64::from(marbles),
                Effort { boards: 100_000, after: 0 },
                &mut tally,
            );
        }
    }
    assert!(tally.proved > 0, "{tally:?}");
}

/// Returns the number in the environment variable `name`, or `default` if there is no valid number.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Checks random positions with `PENTAGO_LEAST` (18) to `PENTAGO_MOST` (30) marbles, in descending
/// order of marbles. For each number of marbles and each of the rules, checks `PENTAGO_POSITIONS`
/// (3) positions, also with a turn pending. The first seed is 1,000 times the number of marbles,
/// plus `PENTAGO_SEED` (0). The seed increases by one for each of the rules. `PENTAGO_AFTER` (0)
/// positions after one move are also compared, without further full solutions. A position with 17
/// marbles takes 1 GB of memory, a position with 16 marbles takes 3 GB.
#[test]
#[ignore = "minutes"]
fn many_positions() {
    let count = number("PENTAGO_POSITIONS", 3) as usize;
    let (least, most) = (number("PENTAGO_LEAST", 18) as u32, number("PENTAGO_MOST", 30) as u32);
    for marbles in (least..=most).rev() {
        let mut tally = Tally::default();
        for (i, rules) in rules().into_iter().enumerate() {
            let seed = 1_000 * u64::from(marbles) + number("PENTAGO_SEED", 0) + i as u64;
            let each = Effort {
                boards: number("PENTAGO_BOARDS", 2_000_000),
                after: number("PENTAGO_AFTER", 0) as usize,
            };
            check_all(rules, marbles, count, seed, each, &mut tally);
        }
        println!("{marbles} marbles: {tally:?}");
    }
}

/// Compares proofs with the slow reference, which shares no code with the solver. For each of the
/// rules and each number of marbles from 28 to 35, compares all moves of `each` random positions.
/// Returns the number of positions and the number of proved moves.
fn check_by_reference(each: usize, seed: u64) -> (u64, u64) {
    let (mut positions, mut claims) = (0, 0);
    for (i, rules) in rules().into_iter().enumerate() {
        let options = pentago_reference::Options::parse(&rules.to_string()).unwrap();
        for marbles in 28..36 {
            let seed = seed + 100 * u64::from(marbles) + i as u64;
            for position in random::positions(&rules, marbles, each, seed, false).unwrap_or_default() {
                let text = rules.format_position(&position);
                let state = options.read(&text).unwrap();
                let expected: HashMap<String, i8> =
                    pentago_reference::Solver::new(options).moves(&state).into_iter().collect();
                let verdict = proofs(rules, Kernel::best(), &position, 300_000);
                assert_eq!(verdict.moves.len(), expected.len());
                let worth = |value: Value| match value {
                    Value::Win => Some(1),
                    Value::Draw => Some(0),
                    Value::Loss => Some(-1),
                    Value::Unknown => None,
                };
                for m in &verdict.moves {
                    let mv = rules.format_move(m.mv);
                    if let Some(value) = worth(m.value) {
                        assert_eq!(value, expected[&mv], "{rules} {text} {mv}");
                        claims += 1;
                    }
                }
                if let Some(value) = worth(verdict.value) {
                    assert_eq!(value, *expected.values().max().unwrap(), "{rules} {text}");
                }
                positions += 1;
            }
        }
    }
    (positions, claims)
}

#[test]
fn small_cases_by_the_reference() {
    let (positions, claims) = check_by_reference(2, 1);
    assert!(positions >= 300 && claims > 20 * positions, "{positions} {claims}");
}

/// All kernels and all numbers of threads produce equal proofs, move by move. This holds even if
/// one player's search stops the other player's search at a random moment.
#[test]
fn the_same_boards_the_same_proofs() {
    let rules = Rules::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let positions = random::positions(&rules, 12, 5, 14, true).unwrap();
    // Returns the position with the same marbles in which O has placed the last marble and O's turn
    // is pending.
    let pending = |p: &Position| {
        let text = rules.format_position(p).replace(" x", " o turn");
        rules.parse_position(&text).unwrap()
    };
    let mut claims = 0;
    for position in positions.iter().copied().chain([pending(&positions[0]), pending(&positions[1])]) {
        let of = |kernel, threads| {
            let limits = limits(2_000_000, 64 << 20);
            let verdict = pool
                .install(|| prove(rules, kernel, threads, &position, limits, None, &Control::new()))
                .unwrap();
            (verdict.value, verdict.origin, verdict.moves, verdict.boards)
        };
        let one = NonZeroUsize::MIN;
        let expected = of(Kernel::best(), one);
        claims += u32::from(expected.0 != Value::Unknown);
        for _ in 0..2 {
            assert_eq!(of(Kernel::best(), one.saturating_add(1)), expected);
        }
        for kernel in Kernel::available() {
            assert_eq!(of(kernel, one), expected);
        }
    }
    assert!(claims > 1);
}

/// When the time limit expires, a running proof stops.
#[test]
fn late_is_late() {
    let rules = Rules::default();
    let position = random::positions(&rules, 9, 1, 4, true).unwrap()[0];
    let ticks = AtomicU64::new(0);
    // This clock advances by one millisecond with each reading.
    let clock = Clock::new(move || Duration::from_millis(ticks.fetch_add(1, Ordering::Relaxed)));
    let of = |end| {
        let limits = Limits { end, clock: clock.clone(), ..limits(20_000_000, 64 << 20) };
        proved(&position, limits, &Control::new())
    };
    let all = of(None);
    assert_eq!(all.value, Value::Unknown);
    let some = of(Some(Duration::from_millis(200)));
    assert_eq!(some.value, Value::Unknown);
    assert!(some.boards < all.boards / 2, "{} {}", some.boards, all.boards);
}
