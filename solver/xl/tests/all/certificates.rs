//! Forced wins, certified and checked by the separate program.

use pentago_check::check;
use pentago_search::{Budget, Game, Goal, Method, NoCertificate, Side, Table, prove};
use pentago_xl::{Duel, Kernel, Rules};

/// Tries quiet random positions until so many wins within three plies are proved, each checked;
/// gives the number of positions tried.
fn certified(rules: &str, marbles: usize, wanted: usize) -> usize {
    let rules: Rules = rules.parse().unwrap();
    let mut table = Table::new(1 << 24).unwrap();
    let mut proofs = 0;
    let positions = rules.random_positions(marbles, 40, 23, true).unwrap();
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
                println!("{proved}");
                proofs += 1;
            }
            Err(error) => assert!(error == NoCertificate::Refuted || error == NoCertificate::Stopped),
        }
        if proofs == wanted {
            return tried + 1;
        }
    }
    panic!("only {proofs} wins were proved");
}

#[test]
fn wins_with_two_seats() {
    let tried: usize = [(24, 2), (28, 3)].into_iter().map(|(m, n)| certified("xl", m, n)).sum();
    println!("5 wins in {tried} positions");
}

#[test]
fn wins_of_teams() {
    println!("1 win in {} positions", certified("xl:seats=4,mode=2v2", 44, 1));
}
