//! Reads a text as a game: the first line may give the rules, each further line is a move that is
//! played, or a position from which the game goes on.
//!
//! A move that is read is written and read back; it is legal exactly if it is among the moves of
//! the position; and it leads where its placement and its turn lead, one after the other.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::{IllegalMove, Move, Outcome, Played, Position, Reply, Rules, TurnPart};
use pentago_fuzz::check_error;

/// The most lines that are played.
const LINES: usize = 80;

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    // The whole text as a move, for the sake of line breaks.
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
        // A socket of another board: refused, or it names a socket here too.
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
            // Only a line made by a placement may end the game in another way than the position
            // says, and only where a line may be answered.
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

/// The same move as a placement, and then the turn of the pending position.
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
