//! Tests of moves, outcomes and perft against the slow reference.

use super::*;
use pentago_reference::After;

/// Returns every combination of a socket, or no socket, with a turn, a declined turn, or no turn.
/// Most combinations are illegal.
fn all_moves(rules: &Rules) -> Vec<Move> {
    let mut turns = vec![TurnPart::None, TurnPart::Skip];
    turns.extend(Turn::ALL.map(TurnPart::Turn));
    let places = rules.shape.sockets_of(rules.shape.board_mask()).map(Some).chain([None]);
    places.flat_map(|place| turns.iter().map(move |&turn| Move { place, turn })).collect()
}

/// Returns the result of a move in the reference: the board, and the outcome if the game is over.
/// Returns `None` for an illegal move.
fn by_reference(rules: &Rules, p: &Position, m: Move) -> Option<(Cells, Option<Outcome>)> {
    let (options, state) = reference(rules, p);
    let after = options.play(&state, &rules.format_move(m)).ok()?;
    let mut cells = state.cells;
    if let Some(socket) = m.place {
        let (file, rank) = rules.shape.file_rank(socket);
        let size = rules.shape.size();
        cells[(size - 1 - rank) * size + file] = state.to_move;
    }
    if let TurnPart::Turn(turn) = m.turn {
        cells = options.turn_quadrant(&cells, turn.quadrant.into(), turn.clockwise);
    }
    Some(match after {
        After::Over(0) => (cells, Some(Outcome::Draw)),
        After::Over(winner) => (cells, Some(Outcome::Win(Color::ALL[usize::from(winner) - 1]))),
        After::Goes(next) => {
            assert_eq!(next.cells, cells);
            (cells, None)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn moves_are_exactly_those_of_the_reference((rules, p) in any_position()) {
        let moves = rules.moves(&p);
        let over = rules.outcome(&p).is_some();
        prop_assert!(!over || moves.is_empty());
        prop_assert!(over || !moves.is_empty());
        for m in all_moves(&rules) {
            let times = moves.iter().filter(|&&legal| legal == m).count();
            let expected = by_reference(&rules, &p, m);
            prop_assert_eq!(times, usize::from(expected.is_some()), "{}", rules.format_move(m));
            match (rules.play(&p, m), expected) {
                (Ok(played), Some((board, outcome))) => {
                    prop_assert_eq!(cells(rules.shape, &played.position.board()), board);
                    prop_assert_eq!(played.outcome, outcome);
                    prop_assert_eq!(played.position.to_move(), p.to_move().other());
                    prop_assert!(!played.position.pending());
                    let Played { position: after, .. } = played;
                    let again = Position::new(rules.shape, after.board(), after.to_move(), after.pending());
                    prop_assert_eq!(again, Ok(after));
                }
                (Err(_), None) => {}
                (played, _) => prop_assert!(false, "{}: {played:?}", rules.format_move(m)),
            }
        }
    }

    #[test]
    fn a_move_is_its_placement_and_its_turn((rules, p) in any_position()) {
        for m in rules.moves(&p) {
            let Some(socket) = m.place else { continue };
            let placed = rules.place(&p, socket).unwrap();
            if m.turn == TurnPart::None {
                prop_assert_eq!(Ok(placed), rules.play(&p, m));
            } else {
                prop_assert!(placed.position.pending() && placed.outcome.is_none());
                let turn = Move { place: None, ..m };
                prop_assert_eq!(rules.play(&placed.position, turn), rules.play(&p, m));
            }
        }
    }

    #[test]
    fn the_outcome_of_a_position_is_that_of_the_move((rules, p) in any_position()) {
        for m in rules.moves(&p) {
            let played = rules.play(&p, m).unwrap();
            // With `reply=place`, the position determines the outcome only if the move has a turn.
            // A move without a turn ended the game by its placement.
            if rules.reply == Reply::None || m.turn != TurnPart::None {
                prop_assert_eq!(rules.outcome(&played.position), played.outcome);
            }
        }
    }

    #[test]
    fn perft_counts_what_play_makes((rules, p) in any_position()) {
        for depth in 0..3 {
            let (options, state) = reference(&rules, &p);
            prop_assert_eq!(rules.perft(&p, depth), options.perft(&state, depth));
        }
    }
}

#[test]
fn perft_near_the_end_of_a_game() {
    // Two sockets are free, so at most two more moves are possible: one of X, then one of O.
    let (rules, p) = position("pentago", "OOXOOO/XX1XXX/XOXXOO/XXOXXX/OXOO1O/OOXXOO x");
    let two_moves = rules.perft(&p, 2);
    let (options, state) = reference(&rules, &p);
    assert_eq!(two_moves, options.perft(&state, 2));
    // There is no third move, because every game has ended.
    assert_eq!(rules.perft(&p, 3), two_moves);
    assert_eq!(rules.perft(&p, 50), two_moves);
}

#[test]
fn perft_of_mini_with_all_options_late_in_the_game() {
    for rules in rules_of_all_boards().into_iter().filter(|rules| rules.shape != Shape::Pentago) {
        for p in super::super::random::positions(&rules, 13, 2, 1, false).unwrap() {
            let (options, state) = reference(&rules, &p);
            assert_eq!(rules.perft(&p, 3), options.perft(&state, 3), "{rules}");
        }
    }
}

#[test]
fn a_line_by_placement_leaves_no_reply_but_its_position_cannot_tell() {
    let (rules, p) = position("pentago-cs", "OOOO2/6/6/6/6/XXXX2 x");
    let m = rules.parse_move("e1").unwrap();
    let played = rules.play(&p, m).unwrap();
    assert_eq!(played.outcome, Some(Outcome::Win(Color::X)));
    assert_eq!(rules.outcome(&played.position), Some(Outcome::Draw));
}

#[test]
fn refusals_say_what_is_wrong() {
    let refused = |rules: &str, text: &str, m: &str| {
        let (rules, p) = position(rules, text);
        rules.play(&p, rules.parse_move(m).unwrap()).unwrap_err()
    };
    let start = "6/6/6/6/6/6";
    let nearly = "OO1OO1/6/6/6/6/XXXX2 x";
    assert_eq!(refused("pentago", start, "c3"), IllegalMove::TurnMissing);
    assert_eq!(refused("pentago", start, "/1+"), IllegalMove::NoPlacement);
    assert_eq!(refused("pentago", start, "c3/0"), IllegalMove::SkipNever);
    assert_eq!(refused("pentago-eu", start, "c3/2-"), IllegalMove::ClockwiseOnly);
    assert_eq!(refused("pentago", nearly, "a1/2-"), IllegalMove::Occupied(Color::X));
    assert_eq!(refused("pentago", nearly, "e1/2-"), IllegalMove::NoTurnAfterEnd);
    assert_eq!(refused("pentago", "6/6/6/6/6/X5 x turn", "c3/2+"), IllegalMove::AlreadyPlaced);
    assert_eq!(refused("pentago", "XXXXX1/6/6/6/6/OOOO2 o", "c3/2+"), IllegalMove::Over);
    let one_each = "X5/6/6/6/6/O5 x";
    assert_eq!(refused("pentago:skip=empty", "X2X2/6/6/6/6/O2O2 x", "e5/0"), IllegalMove::SkipNeedsEmpty);
    assert_eq!(refused("pentago:skip=neutral", "X2X2/6/6/6/6/O2O2 x", "e5/0"), IllegalMove::SkipNeedsNeutral);
    let rules = Rules::default();
    let p = rules.parse_position(one_each).unwrap();
    let turn = TurnPart::Turn(Turn { quadrant: 4, clockwise: true });
    let m = Move { place: Some(rules.shape.socket(2, 2)), turn };
    assert_eq!(rules.play(&p, m), Err(IllegalMove::NoSuchQuadrant));
    // This socket of the 6x6 board does not exist on a 4x4 board.
    let mini = Rules::mini();
    let m = Move { place: Some(Shape::Pentago.socket(2, 3)), turn };
    assert_eq!(mini.play(&mini.start(), m), Err(IllegalMove::NoSuchSocket));
}

#[test]
fn positions_know_which_counts_arise() {
    let shape = Shape::Pentago;
    let at = |number| shape.numbered(number).unwrap().bit();
    let one = Board { x: at(0), o: 0 };
    assert_eq!(Position::of(shape, one).unwrap().to_move(), Color::O);
    assert!(Position::new(shape, one, Color::X, true).is_ok());
    assert!(matches!(Position::new(shape, one, Color::O, true), Err(Impossible::Side { .. })));
    let nothing = Position::new(shape, Board::EMPTY, Color::X, true);
    assert_eq!(nothing, Err(Impossible::NothingPlaced));
    for board in [Board { x: 0, o: at(0) }, Board { x: at(0) | at(1), o: 0 }] {
        assert!(matches!(Position::of(shape, board), Err(Impossible::Counts { .. })));
    }
    for board in [Board { x: at(0), o: at(0) }, Board { x: 1 << 9, o: 0 }] {
        assert_eq!(Position::of(shape, board), Err(Impossible::NotABoard));
    }
}
