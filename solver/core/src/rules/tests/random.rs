//! Tests of random positions.

use super::*;
use crate::rules::RandomError;
use crate::rules::random::positions;

#[test]
fn they_are_legal_open_and_quiet() {
    for rules in rules_of_all_boards() {
        // With three in a row on 4x4, nearly every position with more marbles has a winning move,
        // so only small numbers are tested.
        let numbers = if rules.shape.run() == 3 { [0, 1, 2, 3] } else { [0, 1, 8, 11] };
        for marbles in numbers {
            let found = positions(&rules, marbles, 5, 7, true).unwrap();
            assert_eq!(found.len(), 5);
            for p in found {
                assert_eq!(Position::new(rules.shape, p.board(), p.to_move(), p.pending()), Ok(p));
                assert!(!p.pending());
                assert_eq!(p.board().marbles(), marbles);
                assert_eq!(rules.outcome(&p), None);
                for m in rules.moves(&p) {
                    let outcome = rules.play(&p, m).unwrap().outcome;
                    assert_ne!(outcome, Some(Outcome::Win(p.to_move())));
                }
            }
        }
    }
}

#[test]
fn a_seed_gives_the_same_positions_for_ever() {
    let rules = Rules::default();
    let texts = |seed| {
        let found = positions(&rules, 7, 2, seed, false).unwrap();
        found.iter().map(|p| rules.format_position(p)).collect::<Vec<String>>()
    };
    assert_eq!(texts(1), ["4O1/2X3/3X1O/1X4/2O3/5X o", "5X/6/1X4/1OO3/3X2/2OX2 o"]);
    assert_ne!(texts(1), texts(2));
    // A longer list with the same seed starts with the same positions.
    let five = positions(&rules, 7, 5, 1, false).unwrap();
    assert_eq!(five[..2], positions(&rules, 7, 2, 1, false).unwrap()[..]);
}

#[test]
fn every_socket_is_as_likely_as_any_other() {
    let rules = Rules::default();
    let mut x = [0u32; 64];
    let mut o = [0u32; 64];
    for p in positions(&rules, 2, 36_000, 3, false).unwrap() {
        x[p.board().x.trailing_zeros() as usize] += 1;
        o[p.board().o.trailing_zeros() as usize] += 1;
    }
    for socket in rules.shape.sockets_of(rules.shape.board_mask()) {
        let counts = (x[usize::from(socket.number())], o[usize::from(socket.number())]);
        // Each socket is expected 1,000 times, with a standard deviation of 31.
        assert!((850..1150).contains(&counts.0) && (850..1150).contains(&counts.1), "{counts:?}");
    }
}

#[test]
fn a_full_board_up_to_the_last_socket_but_no_further() {
    let rules = Rules::default();
    assert_eq!(positions(&rules, 35, 3, 1, false).unwrap().len(), 3);
    assert_eq!(
        positions(&rules, 36, 1, 1, false),
        Err(RandomError::TooMany { what: "marbles", asked: 36, most: 35 })
    );
    assert!(positions(&Rules::mini(), 16, 0, 1, false).is_err());
    assert_eq!(positions(&rules, 4, 0, 1, true), Ok(vec![]));
}

#[test]
fn what_does_not_exist_is_given_up() {
    // With seven marbles of each player, some turn makes three in a row for the mover, which wins.
    // So no position is quiet.
    let rules: Rules = "mini:k=3,both=mover".parse().unwrap();
    let error = positions(&rules, 14, 1, 1, true).unwrap_err();
    assert_eq!(error, RandomError::NotFound { what: "marbles", asked: 14, quiet: true, tries: 1_000_000 });
    assert!(error.to_string().contains("no quiet position with 14 marbles"), "{error}");
}
