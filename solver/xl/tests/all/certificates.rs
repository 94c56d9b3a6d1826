//! Certificates of forced wins, checked by the independent checker.

use pentago_check::check;
use pentago_search::{Budget, Game, Goal, Method, NoCertificate, Side, Table, prove};
use pentago_xl::{Duel, Kernel, Rules};

use crate::mutate::{self, Numbers};

/// Tries quiet random positions until `wanted` wins within three plies are proved. Checks each
/// certificate, and damages it `changes` times. Returns the number of positions tried and the
/// number of damaged certificates that were accepted.
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

/// Certifies wins of several games. Each game is its rules, its number of marbles and its number of
/// wins.
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
