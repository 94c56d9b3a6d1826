//! Tests that formatting a value and parsing the text returns the same value. The texts in
//! `tests/data/refusals.txt` must be refused.

use super::*;

proptest! {
    #[test]
    fn positions_and_back((rules, p) in any_position()) {
        let text = rules.format_position(&p);
        prop_assert_eq!(rules.parse_position(&text).unwrap(), p, "{}", text);
        prop_assert_eq!(rules.parse_position(&format!("  {}\n", text.to_lowercase())).unwrap(), p);
    }

    #[test]
    fn pending_turns_and_back((rules, p) in any_position(), choice in any::<prop::sample::Index>()) {
        let moves = rules.moves(&p);
        prop_assume!(!moves.is_empty());
        let Move { place, turn: Some(turn) } = moves[choice.index(moves.len())] else { return Ok(()) };
        let mut placed = p;
        placed.marbles[p.to_move.index()] |= place.bit();
        rules.check_pending(&placed).unwrap();
        let moment = Moment::Turn(placed);
        let text = rules.format_moment(&moment);
        prop_assert_eq!(rules.parse_moment(&text).unwrap(), moment);
        prop_assert_eq!(rules.parse_moment(text.trim_end_matches(" turn")).is_err(), true);
        prop_assert!(rules.parse_position(&text).unwrap_err().message().contains("pending"));
        prop_assert_eq!(rules.parse_moment(&rules.format_position(&p)).unwrap(), Moment::Move(p));
        prop_assert_eq!(rules.parse_turn(&rules.format_turn(turn)).unwrap(), turn);
    }

    #[test]
    fn moves_and_back((rules, p) in any_position(), choice in any::<prop::sample::Index>()) {
        let moves = rules.moves(&p);
        prop_assume!(!moves.is_empty());
        let m = moves[choice.index(moves.len())];
        prop_assert_eq!(rules.parse_move(&rules.format_move(m)).unwrap(), m);
        prop_assert!(rules.play(&p, m).is_ok());
    }

    #[test]
    fn every_move_that_is_not_listed_is_refused((rules, p) in any_position(), number in 0..81u8) {
        let moves = rules.moves(&p);
        let place = Socket::numbered(number).unwrap();
        for turn in Turn::all().map(Some).chain([None]) {
            let m = Move { place, turn };
            prop_assert_eq!(rules.play(&p, m).is_ok(), moves.contains(&m));
        }
    }

    #[test]
    fn positions_of_games_are_possible(
        rules in any_rules(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..81),
    ) {
        let mut now = Position::EMPTY;
        for choice in choices {
            let moves = rules.moves(&now);
            let played = rules.play(&now, moves[choice.index(moves.len())]).unwrap();
            if played.outcome.is_some() {
                prop_assert_eq!(rules.outcome(&played.position), played.outcome);
                break;
            }
            now = played.position;
            prop_assert!(rules.check(&now).is_ok());
            prop_assert_eq!(rules.parse_position(&rules.format_position(&now)).unwrap(), now);
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,60}", rules in any_rules()) {
        let _ = rules.parse_position(&text).map_err(|e| e.to_string());
        let _ = rules.parse_moment(&format!("{text} turn")).map_err(|e| e.to_string());
        let _ = rules.parse_turn(&text).map_err(|e| e.to_string());
        let _ = rules.parse_move(&text).map_err(|e| e.to_string());
        let _ = text.parse::<Rules>().map_err(|e| e.to_string());
    }

    #[test]
    fn no_text_that_looks_right_panics(text in "[A-DXO1-9/ a-d,=]{0,40}", rules in any_rules()) {
        let _ = rules.parse_position(&text).map_err(|e| e.to_string());
        let rows = format!("{text}/9/9/9/9/9/9/9/9 a {text}");
        let _ = rules.parse_position(&rows).map_err(|e| e.to_string());
    }
}

#[test]
fn what_is_read_and_what_is_over() {
    let two = rules("xl");
    assert!(two.parse_position("X8/9/9/9/9/9/9/9/O8 x").is_ok());
    let four = rules("xl:seats=4,continue=yes");
    let rows = "A8/B1B1B1B2/C1C1C1C2/D1D1D1D2/B8/C8/D8/5A3/AAA2A3";
    assert_eq!(four.parse_position(&format!("{rows} b A")).unwrap().places, [1, 0, 0, 0]);
    // Seats C and D share first place, so no seat has second place: the next place is the third.
    let joint = "A4A3/BB1BB1B2/CC1CC1C2/D8/D3D4/9/9/9/D6A1 c C=D";
    assert!(four.parse_position(joint).is_err());
    let over = two.parse_position("AAAAA4/BBBB5/9/9/9/9/9/9/9 b").unwrap();
    assert_eq!(two.outcome(&over).unwrap().to_string(), "A1 B2");
    let m = two.parse_move("i9/1+").unwrap();
    assert_eq!(two.play(&over, m).unwrap_err().to_string(), "the game is over: A1 B2");
}

/// Every position of a game for places is read as it is written, the last position included.
#[test]
fn positions_of_games_for_places_are_read() {
    let mut random = pentago_base::Random::new(1);
    for (name, start, end) in [
        ("xl:seats=2,continue=yes", "AAA6/3A1B3/BBBA1B3/9/9/9/9/9/9 a", "i1/2+"),
        ("xl:seats=3,continue=yes", "AAAA5/9/BBBB5/9/CCCC5/9/9/9/9 a", "e9 e7"),
        ("xl:seats=4,continue=yes", "AAAA5/9/BBBB5/9/CCCC5/9/DDDD5/9/9 a", "e9 e7 e5"),
    ] {
        let rules = rules(name);
        let first = rules.parse_position(start).unwrap();
        let play = |p: &Position, m| {
            let next = rules.play(p, m).unwrap().position;
            assert_eq!(rules.parse_position(&rules.format_position(&next)), Ok(next));
            next
        };
        let moves = end.split(' ').map(|m| rules.parse_move(m).unwrap());
        let last = moves.fold(first, |p, m| play(&p, m));
        assert!(rules.outcome(&last).is_some(), "{name}");
        for _ in 0..50 {
            let mut p = first;
            while rules.outcome(&p).is_none() {
                let moves = rules.moves(&p);
                p = play(&p, moves[random.below(moves.len())]);
            }
        }
    }
    let three = rules("xl:seats=3,continue=yes");
    let placed = |places: &str| three.parse_position(&format!("AAAAA4/9/BBBBB4/9/CCCC5/9/9/9/9 c {places}"));
    assert_eq!(three.outcome(&placed("A,B").unwrap()).unwrap().to_string(), "A1 B2 C3");
    assert!(placed("A,B,C").is_err(), "C was alone, so the game was over");
}
