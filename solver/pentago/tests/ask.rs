//! Tests which engine answers a question about a position: proofs, solutions of some plies, or the
//! full solution. Also tests memory limits.

use pentago::ask::{Search, Stored};
use pentago::rules::{Position, Rules, random};
use pentago::{Answer, Clock, Control, ErrorKind, Kernel, NotEnoughMemory, Origin, Question, Value};
use pentago_core::solve::RootedSolver;
use pentago_core::solve::proof::{Limits, prove};
use pentago_tables::probe::{Lookup, Tables};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Checks that a search without sufficient memory returns an error, or an answer without a value.
/// Proofs must not claim a value in this case either.
#[test]
fn without_memory_there_is_no_answer() {
    let rules = Rules::default();
    for memory in [0, 1 << 10, 1 << 20] {
        let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, memory);
        for marbles in [0, 6, 12] {
            let position = random::positions(&rules, marbles, 1, 1, true).unwrap()[0];
            let question = Question { time: Some(Duration::ZERO), ..Question::default() };
            match Search::new(&position, &question, &mut solver, &Control::new()).answer() {
                Err(error) => {
                    let needs: &NotEnoughMemory = error.downcast_ref().expect("too little memory");
                    assert_eq!(needs.limit, memory);
                }
                Ok(answer) => {
                    assert_eq!(answer.moves.len(), rules.moves(&position).len());
                    assert_eq!(answer.value, Value::Unknown);
                }
            }
        }
    }
}

/// Checks that a depth of 0 plies counts as 1 ply, even in a position where only a turn remains.
#[test]
fn a_depth_of_nothing_is_one_ply() {
    let rules = Rules::default();
    let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 28);
    let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO x turn".parse().unwrap();
    let question = Question { depth: Some(0), ..Question::default() };
    assert_eq!(solver.estimate(&position, 0).plies, 1);
    let answer = Search::new(&position, &question, &mut solver, &Control::new()).answer();
    assert_eq!(answer.unwrap().plies, 1);
}

/// Checks that a time limit bounds every engine: a solution that should take longer isn't started,
/// and the limit stops a solution that should take no time. Each reading of the clock advances it
/// by a second.
#[test]
fn a_time_limit_is_a_limit() {
    let position: Position = "1OOXOO/X1XO2/X1OX1O/1O1O1X/1XX1O1/1X1X2 x".parse().unwrap();
    let some =
        Question { time: Some(Duration::from_secs(20)), proof_boards: Some(1000), ..Question::default() };
    let ([distance, exact], finish) = ([true; 2], Some(Duration::MAX));
    let others = [Question { depth: Some(8), ..some }, Question { distance, ..some }, some];
    let [exact, finish] = [Question { exact, ..some }, Question { finish, ..some }];
    for rate in [1.0, 0.0] {
        let ask = |question: &Question| {
            let mut solver = RootedSolver::new(Rules::default(), Kernel::best(), NonZeroUsize::MIN, 1 << 28);
            let seconds = AtomicU64::new(0);
            solver.clock = Clock::new(move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed)));
            solver.rate = rate;
            Search::new(&position, question, &mut solver, &Control::new()).answer()
        };
        for question in &others {
            let answer = ask(question).unwrap();
            assert!(answer.boards < answer.full.boards, "{rate} {question:?}");
        }
        assert_eq!(ask(&exact).unwrap_err().kind(), ErrorKind::Missing);
        let answer = ask(&finish).unwrap();
        assert!(answer.complete && answer.boards >= answer.full.boards);
    }
}

fn answer(position: &Position, question: &Question, memory: u64) -> Answer {
    let mut solver = RootedSolver::new(Rules::default(), Kernel::best(), NonZeroUsize::MIN, memory);
    Search::new(position, question, &mut solver, &Control::new()).answer().unwrap()
}

/// Checks answers for positions that are too large for a full solution. Answers with proofs must
/// agree with answers of truncated solutions alone.
#[test]
fn answers_by_proof() {
    let rules = Rules::default();
    let memory = 64 << 20;
    let with = Question { proof_boards: Some(3_000_000), ..Question::default() };
    let without = Question { proof_boards: Some(0), ..Question::default() };
    let mut proofs = 0;
    for (i, position) in random::positions(&rules, 14, 3, 5, true).unwrap().into_iter().enumerate() {
        let proved = answer(&position, &with, memory);
        if i == 0 {
            assert_eq!(proved, answer(&position, &with, memory), "the same boards, the same answer");
        }
        let plain = answer(&position, &without, memory);
        assert!(plain.moves.iter().all(|m| !matches!(m.origin, Origin::Proof { .. })));
        for m in &plain.moves {
            let other = proved.moves.iter().find(|o| o.mv == m.mv).unwrap();
            assert!(m.value == Value::Unknown || other.value == Value::Unknown || other.value == m.value);
        }
        // A value that a truncated solution decides must still be decided if proofs come first.
        assert!(plain.value == Value::Unknown || proved.value == plain.value);
        let Origin::Proof { within, .. } = proved.origin else { continue };
        proofs += 1;
        assert!(matches!(proved.value, Value::Win | Value::Loss));
        assert!(proved.best > 0 && proved.best_moves().iter().all(|m| m.value == proved.value));
        assert!(within <= 22);
        // The distance must be unknown, or at most the bound of the proof.
        let far = answer(&position, &Question { distance: true, ..with }, memory);
        assert_eq!(far.value, proved.value);
        assert!(far.distance.is_none_or(|distance| distance <= within), "{far:?}");
    }
    assert!(proofs > 0);
}

/// Checks that proofs don't change the answer if the full solution fits in memory.
#[test]
#[ignore = "long: proofs come before so large a solution alone"]
fn long_full_solutions_are_the_same() {
    let rules = Rules::default();
    for position in random::positions(&rules, 17, 1, 3, true).unwrap() {
        let question = |boards| Question { proof_boards: Some(boards), ..Question::default() };
        let (with, without) =
            (answer(&position, &question(u64::MAX), 1 << 30), answer(&position, &question(0), 1 << 30));
        assert!(with.complete && without.complete);
        assert!(with.full.boards > 200_000_000, "proofs are asked first");
        let values = |a: &Answer| {
            let mut all: Vec<_> = a.moves.iter().map(|m| (m.mv, m.value)).collect();
            all.sort_by_key(|(mv, _)| rules.format_move(*mv));
            (a.value, a.best, all)
        };
        assert_eq!(values(&with), values(&without));
    }
}

/// Checks that proofs of random positions of up to 6 marbles, and of their moves, claim no value
/// that differs from the published value. The proofs are short, so they decide few of these
/// positions.
#[test]
fn proofs_agree_with_the_published_openings() {
    let rules = Rules::default();
    let tables = Tables::none().with_openings().unwrap();
    let published = |position: &Position| match tables.look_up(&rules, position).unwrap() {
        Lookup::Value(wdl) => Value::from(wdl),
        Lookup::Missing(missing) => panic!("{missing:?}"),
    };
    for marbles in 0..=6 {
        for position in random::positions(&rules, marbles, 8, 1, false).unwrap() {
            let limits = Limits {
                boards: 300_000,
                end: None,
                memory: 24 << 20,
                every_move: false,
                clock: Clock::none(),
            };
            let (kernel, control) = (Kernel::best(), Control::new());
            let verdict = prove(rules, kernel, NonZeroUsize::MIN, &position, limits, None, &control).unwrap();
            let right = published(&position);
            assert!(verdict.value == Value::Unknown || verdict.value == right, "{position:?}");
            for m in verdict.moves.iter().filter(|m| m.value != Value::Unknown && marbles < 6) {
                let right = match published(&m.position) {
                    Value::Win => Value::Loss,
                    Value::Loss => Value::Win,
                    other => other,
                };
                assert_eq!(m.value, right, "{position:?} {m:?}");
            }
        }
    }
}

/// Checks that a move from the last published slice loses if the position after the move has a lost
/// parent. Then the opponent wins after this move. Checks that such a move is no best guess.
#[test]
fn moves_from_the_last_openings_have_bounds() {
    let rules = Rules::default();
    let tables = Tables::none().with_openings().unwrap();
    let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 28);
    let mut answer = |position: &Position| {
        let (question, control) = (Question { proof_boards: Some(0), ..Question::default() }, Control::new());
        let search = Search::new(position, &question, &mut solver, &control);
        search.with(Stored::Openings(&tables)).answer().unwrap()
    };
    let known = answer(&"5O/5O/2X2O/1X4/2X3/6 x".parse().unwrap());
    assert_eq!(known.value, Value::Win);
    let lost: Vec<_> = known.moves.iter().filter(|m| m.value == Value::Loss).collect();
    assert!(lost.iter().any(|m| rules.format_move(m.mv) == "e6/3-"), "{lost:?}");
    assert_eq!(answer(&lost[0].position).value, Value::Win);
    assert!(known.best_moves().iter().all(|m| m.value != Value::Loss));
}
