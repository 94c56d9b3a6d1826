//! Results of moves, and perft.

use pentago_reference::Solver;

use crate::rules;

#[test]
fn a_position_that_is_over() {
    // Both players have five in a line. O is to move, so X has just turned a quadrant.
    let both = "3O2/3O2/3O2/3O2/3O2/XXXXX1 o";
    // Only X has five. In the first position O has four in a row with an open end, in the second
    // not.
    let threat = "OOOO2/6/6/6/6/XXXXX1 o";
    let no_threat = "OO2OO/6/6/6/6/XXXXX1 o";
    for (game, position, expected) in [
        ("pentago", both, 0),
        ("pentago:both=mover", both, 1),
        ("pentago:reply=place", both, 0),
        ("pentago", threat, 1),
        ("pentago:reply=place", threat, 0),
        ("pentago:reply=place", no_threat, 1),
        // Only the player to move has five.
        ("pentago:reply=place", "OOO1O1/6/6/6/6/XXXXX1 x", 1),
        // In a pending position, the placement has made the five, which excludes a reply.
        ("pentago:reply=place", "OOOO2/6/6/6/6/XXXXX1 x turn", 1),
    ] {
        // `read` rejects numbers of marbles that can't occur in play: set up these positions
        // directly.
        let options = rules(game);
        let (rows, side) = position.split_once(' ').unwrap();
        let mut state = options.start();
        let mut socket = 0;
        for letter in rows.chars() {
            match letter {
                'X' | 'O' => {
                    state.cells[socket] = if letter == 'X' { 1 } else { 2 };
                    socket += 1;
                }
                '/' => {}
                digit => socket += digit.to_digit(10).unwrap() as usize,
            }
        }
        state.to_move = if side.starts_with('x') { 1 } else { 2 };
        state.pending = side.ends_with("turn");
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
fn the_options_that_add_or_remove_moves() {
    let empty = "6/6/6/6/6/6";
    for (game, expected) in [
        ("pentago", 36 * 8),
        ("pentago-eu", 36 * 4),
        ("pentago-fi", 36 * 9),
        ("pentago-cs", 36 * 8),
        ("pentago-nl", 36 * 8),
        ("pentago:skip=neutral", 36 * 9),
    ] {
        let options = rules(game);
        let moves = options.moves(&options.read(empty).unwrap());
        assert_eq!(moves.len(), expected, "{game}");
    }
    // The last placement ends the game, or eight turns follow.
    let last = "XOOOOX/XXOXXO/OOOOXO/XXOXO1/XXXOXX/XOXOXO o";
    for (game, expected) in [("pentago", 8), ("pentago-nl", 1), ("pentago-eu", 4)] {
        let options = rules(game);
        let moves = options.moves(&options.read(last).unwrap());
        assert_eq!(moves.len(), expected, "{game}");
    }
}

#[test]
fn every_listed_move_can_be_played_and_no_other() {
    for game in ["pentago", "pentago-eu", "pentago-fi", "pentago-cs", "pentago-nl", "mini"] {
        let options = rules(game);
        let mut random = crate::Random::new(1);
        let sockets = options.n * options.n;
        for marbles in 0..sockets {
            let mut states = vec![random.position(&options, marbles)];
            if marbles > 0 {
                states.push(random.pending(&options, marbles));
            }
            for state in states {
                let moves = options.moves(&state);
                for (text, after) in &moves {
                    assert_eq!(options.play(&state, text), Ok(*after), "{text}");
                }
                let listed = |text: &str| moves.iter().any(|(listed, _)| listed == text);
                let mut placements = vec![String::new()];
                for file in 0..options.n {
                    for rank in 1..=options.n {
                        placements.push(format!("{}{rank}", (b'a' + file as u8) as char));
                    }
                }
                for placement in &placements {
                    for turn in ["", "/0", "/1+", "/1-", "/2+", "/2-", "/3+", "/3-", "/4+", "/4-"] {
                        let text = format!("{placement}{turn}");
                        let legal = options.play(&state, &text).is_ok();
                        assert_eq!(legal, listed(&text), "{text} {}", options.write(&state));
                    }
                }
            }
        }
    }
}

#[test]
fn perft_of_a_pending_position() {
    let options = rules("pentago");
    // The turns of a pending position are the first ply.
    let pending = options.read("X5/6/6/6/6/6 x turn").unwrap();
    assert_eq!(options.perft(&pending, 1), 8);
    assert_eq!(options.perft(&pending, 2), 8 * 35 * 8);
}

#[test]
fn perft_counts_games_that_end_earlier_once() {
    let options = rules("pentago");
    let over = options.read("OOOO2/6/6/6/6/XXXXX1 o").unwrap();
    assert_eq!(options.perft(&over, 3), 1);
    // Of the 28 placements, two make five. Each of the others is followed by one of eight turns.
    let four = options.read("OO1OO1/6/6/6/6/1XXXX1 x").unwrap();
    assert_eq!(options.perft(&four, 1), 2 + 26 * 8);
    let last = options.read("XOOOOX/XXOXXO/OOOOXO/XXOXO1/XXXOXX/XOXOXO o").unwrap();
    assert_eq!(options.perft(&last, 1), 8);
    assert_eq!(options.perft(&last, 5), 8);
}
