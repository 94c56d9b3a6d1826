//! Tests of budgets. Equal budgets must give equal results. A stopped search must stay consistent
//! and be able to continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pentago_base::{Clock, Control};
use pentago_core::rules::{Position, Rules, random};
use pentago_core::solve::ForwardGame;
use pentago_search::{
    Budget, Deepening, Distance, Game, Goal, Method, NoCertificate, Notation, ProofNumbers, Side, Stopped,
    Table, Verdict, prove, value,
};

fn mini() -> ForwardGame {
    ForwardGame::new(Rules::mini(), Position::start(Rules::mini().shape)).unwrap()
}

#[test]
fn a_budget_is_never_exceeded_and_gives_the_same_answer() {
    let goal = Goal::win(Side::First);
    for limit in [0, 1, 5, 1000, 40_000] {
        let run = || {
            let mut game = mini();
            let mut table = Table::new(1 << 16).unwrap();
            let mut budget = Budget::nodes(limit);
            let verdict = ProofNumbers::new(&mut table, goal).solve(&mut game, &mut budget);
            assert_eq!(game.position_text(), "4/4/4/4 x");
            assert!(budget.spent() <= limit);
            let mut deepening = Budget::nodes(limit);
            let found = value(&mut game, &mut table, 16, &mut deepening);
            assert_eq!(game.position_text(), "4/4/4/4 x");
            assert!(deepening.spent() <= limit);
            (verdict, budget.spent(), found, deepening.spent(), table.filled())
        };
        let first = run();
        assert_eq!(first.0, Err(Stopped));
        assert_eq!(first, run());
    }
}

#[test]
fn a_stopped_search_goes_on() {
    let goal = Goal::win(Side::First);
    let mut table = Table::new(1 << 24).unwrap();
    let mut game = mini();
    let mut rounds = 0;
    loop {
        rounds += 1;
        assert!(rounds < 1000, "no progress");
        let mut search = ProofNumbers::new(&mut table, goal);
        if let Ok(verdict) = search.solve(&mut game, &mut Budget::nodes(20_000)) {
            assert_eq!(verdict, Verdict::Proved);
            break;
        }
    }
    assert!(rounds > 3);
}

#[test]
fn stop_is_asked_and_obeyed() {
    // Use a clock that advances by one second on every read.
    let asked = Arc::new(AtomicU64::new(0));
    let seconds = asked.clone();
    let clock = Clock::new(move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed)));
    let control = Control::new().until(&clock, Some(Duration::from_secs(1)));
    let mut game = mini();
    let mut table = Table::new(1 << 16).unwrap();
    let mut budget = Budget::watched(u64::MAX, &control);
    let mut search = Deepening::new(&mut table, Goal::win(Side::First));
    let found = search.shortest(&mut game, 16, &mut budget);
    let Distance::MoreThan(plies) = found else { panic!("{found:?}") };
    assert!(plies < 11);
    assert_eq!(budget.spent(), 3 * 1024);
    let mut proof = ProofNumbers::new(&mut table, Goal::win(Side::First));
    assert_eq!(proof.solve(&mut game, &mut budget), Err(Stopped));
    let goal = Goal::win(Side::First);
    let result = prove(&mut game, goal, Method::Any, &mut table, &mut budget);
    assert_eq!(result, Err(NoCertificate::Stopped));
    assert_eq!(budget.spent(), 3 * 1024);
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

/// Whenever a search stops, its statements about numbers of plies are true.
#[test]
fn partial_answers_are_true() {
    let rules = Rules::mini();
    for position in random::positions(&rules, 4, 6, 8, true).unwrap() {
        let mut game = ForwardGame::new(rules, position).unwrap();
        let mut table = Table::new(1 << 22).unwrap();
        let goal = Goal::win(game.side());
        let truth = Deepening::new(&mut table, goal).shortest(&mut game, 16, &mut Budget::nodes(u64::MAX));
        for limit in [10, 300, 3000, 30_000] {
            table.clear();
            let found = Deepening::new(&mut table, goal).shortest(&mut game, 16, &mut Budget::nodes(limit));
            match (found, truth) {
                (Distance::MoreThan(proved), Distance::Exactly(plies)) => assert!(proved < plies),
                (Distance::MoreThan(_), Distance::Never) => {}
                (found, truth) => assert_eq!(found, truth),
            }
        }
    }
}
