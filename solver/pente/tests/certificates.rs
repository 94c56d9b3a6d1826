//! Certificates of forced wins on the large board and of all claims on small boards, checked by the
//! separate checker.

use pentago_check::check;
use pentago_pente::forced::{AttackWidth, ForcedWinSearch};
use pentago_pente::rules::Color;
use pentago_pente::rules::random::{self, PlayStyle};
use pentago_pente::{Budget, PenteGame, Rules, side};
use pentago_reference::pente as slow;
use pentago_search::{Goal, Method, NoCertificate, Table, prove};

#[path = "../../../tools/check/tests/all/mutate.rs"]
mod mutate;

use mutate::Numbers;

/// Certifies and checks `wins` wins. Changes the text of each certificate `changes` times; the
/// checker must refuse changes that break the proof.
fn certified(wins: usize, changes: usize) {
    let rules = Rules::default();
    let mut search = ForcedWinSearch::new(&rules, 1 << 24);
    let mut numbers = Numbers(1);
    let (mut proved, mut survived, mut longest, mut moves) = (0, 0, 0, 0);
    for p in random::positions(&rules, PlayStyle::Purposeful, 26, 4 * wins, 9, true).unwrap() {
        let (width, most) =
            if proved % 2 == 0 { (AttackWidth::Quiet(1), 9) } else { (AttackWidth::Threats, 15) };
        let mut work = Budget::nodes(u64::MAX);
        let Some((_, plies)) = search.shortest_win(&p, most, width, &mut work).unwrap() else { continue };
        let written = search.certify(&p, plies, width, &mut work).unwrap();
        let checked = check(written.text.as_bytes()).unwrap();
        assert_eq!((checked.plies, checked.positions), (written.plies, written.moves));
        assert!(checked.plies <= plies && checked.wins);
        assert_eq!(checked.position, rules.format_position(&p));
        survived += mutate::survive(&written.text, changes, &mut numbers);
        (longest, moves) = (longest.max(checked.plies), moves + checked.positions);
        proved += 1;
        if proved == wins {
            let all = wins * changes;
            println!(
                "{wins} wins, the longest in {longest} plies, {moves} moves; {survived} of {all} changes"
            );
            return;
        }
    }
    panic!("only {proved} wins");
}

#[test]
fn thirty_wins_are_certified_and_changes_refused() {
    certified(30, 40);
}

/// Proves that each player wins or does not lose, on small boards. The proofs agree with the
/// reference, and the checker accepts them.
#[test]
fn small_boards_are_certified() {
    let mut table = Table::new(1 << 18).unwrap();
    for (text, stones) in [
        ("pente:n=4,k=4,opening=free,win=4", 10),
        ("pente:n=4,k=3,opening=free", 9),
        ("pente:w=5,h=3,k=4,opening=free,win=2", 9),
        ("pente:w=5,h=3,k=4,opening=free,over=no,cap=2+3,win=3", 10),
    ] {
        let (rules, slow_rules) = (text.parse::<Rules>().unwrap(), slow::Rules::parse(text).unwrap());
        let mut reference = slow::Solver::new(slow_rules.clone());
        let mut proofs = 0;
        for p in random::positions(&rules, PlayStyle::Uniform, stones, 12, 2, false).unwrap() {
            let line = rules.format_position(&p);
            let (value, plies) = reference.solve(&slow_rules.read(&line).unwrap());
            for color in [Color::X, Color::O] {
                let value = if color == p.to_move() { value } else { -value };
                for (goal, holds) in
                    [(Goal::win(side(color)), value > 0), (Goal::not_lose(side(color)), value >= 0)]
                {
                    for method in [Method::Any, Method::Shortest(u32::MAX)] {
                        let mut game = PenteGame::new(&rules, &p);
                        let mut budget = Budget::nodes(50_000_000);
                        match prove(&mut game, goal, method, &mut table, &mut budget) {
                            Ok(written) => {
                                let proved = check(written.text.as_bytes()).unwrap();
                                assert_eq!((proved.plies, proved.positions), (written.plies, written.moves));
                                assert!(holds, "{}", written.text);
                                let is_exact = method != Method::Any && !goal.draw_is_enough;
                                assert!(!is_exact || proved.plies == plies, "{}", written.text);
                                proofs += 1;
                            }
                            Err(error) => assert_eq!((error, holds), (NoCertificate::Refuted, false)),
                        }
                        table.clear();
                    }
                }
            }
        }
        assert!(proofs > 12, "{text}: {proofs}");
    }
}
