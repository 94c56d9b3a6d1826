//! Tests the results of games, and the text of positions.

use pentago_reference::{Solver, State};

use crate::{Random, rules};

#[test]
fn a_position_that_is_over() {
    // Both players have five in a line. O is to move, so X has just turned a quadrant.
    let both = "3O2/3O2/3O2/3O2/3O2/XXXXX1 o";
    // Only X has five in a line. In the first position, O can complete four in a row to five. In
    // the second position, O can't make five in one placement.
    let threat = "OOOO2/6/6/6/6/XXXXX1 o";
    let no_threat = "OO2OO/6/6/6/6/XXXXX1 o";
    for (game, position, expected) in [
        ("pentago", both, 0),
        ("pentago:both=mover", both, 1),
        ("pentago:reply=place", both, 0),
        ("pentago", threat, 1),
        ("pentago:reply=place", threat, 0),
        ("pentago:reply=place", no_threat, 1),
        // Only the player to move has five in a line.
        ("pentago:reply=place", "OOO1O1/6/6/6/6/XXXXX1 x", 1),
        // A turn is pending, so the placement has made the five, which excludes a reply.
        ("pentago:reply=place", "OOOO2/6/6/6/6/XXXXX1 x turn", 1),
    ] {
        // Set up these positions directly, because `read` rejects numbers of marbles that can't
        // occur in play.
        let options = rules(game);
        let (rows, side) = position.split_once(' ').unwrap();
        let mut cells = Vec::new();
        for letter in rows.chars().filter(|&letter| letter != '/') {
            match letter.to_digit(10) {
                Some(run) => cells.extend(vec![0; run as usize]),
                None => cells.push(if letter == 'X' { 1 } else { 2 }),
            }
        }
        let to_move = if side.starts_with('x') { 1 } else { 2 };
        let state = State { cells: cells.try_into().unwrap(), to_move, pending: side.ends_with("turn") };
        assert_eq!(options.outcome(&state), Some(expected), "{game} {position}");
        assert!(options.moves(&state).is_empty());
        assert!(options.play(&state, "f6/1+").is_err());
        let value = match expected {
            0 => 0,
            winner if winner == state.to_move => 1,
            _ => -1,
        };
        assert_eq!(Solver::new(options).distance(&state), (value, 0));
    }
}

#[test]
fn a_written_position_is_read_back() {
    for game in ["pentago", "mini"] {
        let options = rules(game);
        let mut random = Random::new(2);
        for marbles in 1..options.n * options.n {
            for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                let text = options.write(&state);
                assert_eq!(options.read(&text), Ok(state), "{text}");
            }
        }
    }
}
