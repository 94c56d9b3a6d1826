//! Tests that the independent checker accepts certificates of forced wins.

use pentago_check::check;
use pentago_reference::{XlOptions, XlSolver};
use pentago_search::{Budget, Game, Goal, Method, NoCertificate, Side, Table, prove};
use pentago_xl::{Duel, Kernel, Rules, Value};

use crate::mutate::{self, Numbers};
use crate::rules::state;
use crate::values::value;

/// Tries quiet random positions until `wanted` wins within three plies are proved. Checks the
/// certificate of each win, and `changes` damaged copies of the certificate. Returns the number of
/// positions that were tried, and the number of damaged certificates that were accepted.
fn certified(rules: &str, marbles: usize, wanted: usize, changes: usize) -> (usize, usize) {
    let rules: Rules = rules.parse().unwrap();
    let mut table = Table::new(1 << 24).unwrap();
    let mut numbers = Numbers(marbles as u64);
    let (mut proofs, mut survived) = (0, 0);
    let positions = rules.random_positions(marbles, 10 * wanted + 30, 23, true).unwrap();
    for (tried, position) in positions.into_iter().enumerate() {
        let side = rules.side_of(position.to_move);
        let mut duel = Duel::new(rules, position, side, Kernel::best()).unwrap();
        assert_eq!(duel.side(), Side::First);
        table.clear();
        let mut budget = Budget::nodes(300_000);
        match prove(&mut duel, Goal::win(Side::First), Method::Shortest(3), &mut table, &mut budget) {
            Ok(written) => {
                let proved = check(written.text.as_bytes())
                    .unwrap_or_else(|failure| panic!("{failure}\n{}", written.text));
                assert_eq!((proved.plies, proved.positions), (written.plies, written.moves));
                survived += mutate::survive(&written.text, changes, &mut numbers);
                println!("{proved}");
                proofs += 1;
            }
            Err(error) => assert!(error == NoCertificate::Refuted || error == NoCertificate::Stopped),
        }
        if proofs == wanted {
            return (tried + 1, survived);
        }
    }
    panic!("only {proofs} wins were proved");
}

/// Certifies wins of several games. An element of `games` holds the rules, the number of marbles
/// and the number of wins to certify.
fn all(games: &[(&str, usize, usize)], changes: usize) {
    let (mut wins, mut tried, mut survived) = (0, 0, 0);
    for &(rules, marbles, wanted) in games {
        let (positions, accepted) = certified(rules, marbles, wanted, changes);
        wins += wanted;
        tried += positions;
        survived += accepted;
    }
    println!("{wins} wins in {tried} positions; {survived} of {} changes accepted", wins * changes);
}

#[test]
fn thirty_wins_are_certified_and_changes_refused() {
    all(&[("xl", 20, 8), ("xl", 24, 10), ("xl", 28, 10), ("xl:seats=4,mode=2v2", 44, 2)], 34);
}

/// Proves that seats win or do not lose, in late positions of all modes. The proofs must agree with
/// the reference, and the checker must accept them.
#[test]
fn late_positions_of_all_modes_are_certified() {
    let mut table = Table::new(1 << 18).unwrap();
    for (text, marbles) in
        [("xl", 77), ("xl:seats=3,supply=27", 78), ("xl:seats=4", 77), ("xl:seats=4,mode=2v2", 77)]
    {
        let rules: Rules = text.parse().unwrap();
        let mut proofs = 0;
        for p in rules.random_positions(marbles, 4, 1, false).unwrap() {
            let points = XlSolver::new(XlOptions::parse(text).unwrap()).guarantees(&state(&rules, &p));
            for seat in rules.everyone().iter() {
                let truth = value(points[seat.index()], i32::from(rules.best_half_points()) * 6);
                for (goal, holds) in [
                    (Goal::win(Side::First), truth == Value::Win),
                    (Goal::not_lose(Side::First), truth != Value::Loss),
                ] {
                    for method in [Method::Any, Method::Shortest(u32::MAX)] {
                        let mut duel = Duel::new(rules, p, rules.side_of(seat), Kernel::best()).unwrap();
                        match prove(&mut duel, goal, method, &mut table, &mut Budget::nodes(50_000_000)) {
                            Ok(written) => {
                                let proved = check(written.text.as_bytes()).unwrap();
                                assert_eq!((proved.plies, proved.positions), (written.plies, written.moves));
                                assert!(holds, "{}", written.text);
                                proofs += 1;
                            }
                            Err(error) => assert_eq!((error, holds), (NoCertificate::Refuted, false)),
                        }
                        table.clear();
                    }
                }
            }
        }
        assert!(proofs > 4, "{text}: {proofs}");
    }
}
