//! Parses a string as a game. The first line may contain the rules. Each further line is a move to
//! play, or a position from which the game continues.
//!
//! A parsed move must survive formatting and parsing. A move must be legal exactly if the list of
//! moves contains the move. A move must lead to the same position as its placement followed by its
//! turn.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::{IllegalMove, Move, Outcome, Played, Position, Reply, Rules, TurnPart};
use pentago_fuzz::check_error;

/// The maximum number of input lines that are read. Further lines are ignored.
const LINES: usize = 80;

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    // Parse the whole string as one move. Unlike the single lines below, it may contain line
    // breaks.
    read_move(&Rules::default(), &text);
    let mut lines = text.split('\n').take(LINES).peekable();
    let mut rules = Rules::default();
    if let Some(stated) = lines.peek().and_then(|line| line.parse().ok()) {
        rules = stated;
        lines.next();
    }
    let mut position = rules.start();
    for line in lines {
        if let Ok(stated) = rules.parse_position(line) {
            position = stated;
        }
        if let Some(m) = read_move(&rules, line)
            && let Ok(played) = check_play(&rules, &position, m)
        {
            position = played.position;
        }
        // A move that was parsed for another board size is legal only if the list of legal moves
        // contains it. No such move may cause a panic.
        for other in [Rules::default(), Rules::mini()] {
            if let Ok(m) = other.parse_move(line) {
                let _ = check_play(&rules, &position, m);
            }
        }
    }
    Corpus::Keep
});

fn read_move(rules: &Rules, text: &str) -> Option<Move> {
    match rules.parse_move(text) {
        Ok(m) => {
            let canonical = rules.format_move(m);
            assert_eq!(rules.parse_move(&canonical), Ok(m));
            assert_eq!(rules.parse_move(&canonical.to_uppercase()), Ok(m));
            assert!(canonical.len() <= text.len() + 1, "{canonical:?}");
            Some(m)
        }
        Err(error) => {
            check_error(&error, text);
            None
        }
    }
}

fn check_play(rules: &Rules, p: &Position, m: Move) -> Result<Played, IllegalMove> {
    let result = rules.play(p, m);
    assert_eq!(result.is_ok(), rules.moves(p).contains(&m), "{p:?} {m:?} {result:?}");
    assert_eq!(result, play_in_parts(rules, p, m), "{p:?} {m:?}");
    match &result {
        Ok(Played { position, outcome }) => {
            assert_eq!(
                Position::new(rules.shape, position.board(), position.to_move(), position.pending()),
                Ok(*position)
            );
            assert!(!position.pending());
            assert_eq!(position.to_move(), p.to_move().other());
            assert_eq!(position.board().marbles(), p.board().marbles() + u32::from(!p.pending()));
            // The outcome of the move may differ from the outcome of the new position in one case
            // only: a placement completes a line, and under `reply=place` the opponent may answer.
            if *outcome != rules.outcome(position) {
                assert_eq!(rules.reply, Reply::Place);
                assert_eq!(m.turn, TurnPart::None);
                assert_eq!(*outcome, Some(Outcome::Win(p.to_move())));
                assert_eq!(rules.outcome(position), Some(Outcome::Draw));
            }
        }
        Err(why) => assert!(!why.to_string().is_empty()),
    }
    result
}

/// Plays a move in two steps: the placement, then the turn of the pending position.
fn play_in_parts(rules: &Rules, p: &Position, m: Move) -> Result<Played, IllegalMove> {
    let Some(socket) = m.place else {
        return rules.play(p, m);
    };
    let placed = rules.place(p, socket)?;
    match (placed.outcome, m.turn) {
        (Some(_), TurnPart::None) => Ok(placed),
        (Some(_), _) => Err(IllegalMove::NoTurnAfterEnd),
        (None, turn) => rules.play(&placed.position, Move { place: None, turn }),
    }
}
