//! Certificates of forced wins on the large board, checked by the separate checker.

use pentago_pente::Budget;
use pentago_pente::Rules;
use pentago_pente::forced::{AttackWidth, ForcedWinSearch};
use pentago_pente::rules::random::{self, PlayStyle};

#[path = "../../../tools/check/tests/all/mutate.rs"]
mod mutate;

use mutate::Numbers;

/// Certifies and checks `wins` wins. Changes the text of each certificate `changes` times; the checker
/// must refuse changes that break the proof.
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
        let checked = pentago_check::check(written.text.as_bytes()).unwrap();
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
