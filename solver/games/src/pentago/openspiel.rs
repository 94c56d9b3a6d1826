//! Games as actions of OpenSpiel: `c4t b2u ...`, each a socket and a letter for the turn. OpenSpiel
//! counts ranks from the top, and a five counts only after the turn (`pentago:place=turn`).

use std::sync::Arc;

use ::pentago::rules::{Place, Rules};

use super::Pentago;
use crate::error::{Result, bad_input};
use crate::game::Game;
use crate::record::{Format, Record, in_line, lines, shown};

/// The record format of OpenSpiel.
pub const FORMAT: Format = Format { name: "openspiel", read, write };

/// The letter of each turn in OpenSpiel, and the same turn in the notation of this program.
const TURNS: [(char, &str); 8] =
    [('s', "1-"), ('t', "1+"), ('u', "2-"), ('v', "2+"), ('w', "4-"), ('x', "4+"), ('y', "3-"), ('z', "3+")];

/// The number of sockets along a side of the board.
const SIDE: u32 = 6;

/// Returns the rules by which OpenSpiel plays.
fn rules() -> Rules {
    Rules { place: Place::Turn, ..Rules::default() }
}

/// Converts an action to a move. Returns `None` if the word is no action.
fn move_of(action: &str) -> Option<String> {
    let mut chars = action.chars();
    let (file, rank, letter) = (chars.next()?, chars.next()?.to_digit(10)?, chars.next()?);
    let (_, turn) = TURNS.iter().find(|(known, _)| *known == letter)?;
    let known = ('a'..='f').contains(&file) && (1..=SIDE).contains(&rank) && chars.next().is_none();
    known.then(|| format!("{file}{}/{turn}", SIDE + 1 - rank))
}

/// Converts a move to an action. Returns `None` if the move has no turn.
fn action_of(mv: &str) -> Option<String> {
    let (socket, turn) = mv.split_once('/')?;
    let (letter, _) = TURNS.iter().find(|(_, known)| *known == turn)?;
    let rank: u32 = socket.get(1..)?.parse().ok()?;
    Some(format!("{}{}{letter}", socket.get(..1)?, (SIDE + 1).checked_sub(rank)?))
}

/// Parses a game. Returns `None` if the text doesn't begin with an action. No move of another
/// format can be mistaken for an action.
fn read(text: &str) -> Option<Result<Record>> {
    let words =
        lines(text).flat_map(|(number, line)| line.split_whitespace().map(move |word| (number, word)));
    let mut words = words.peekable();
    words.peek().and_then(|(_, word)| move_of(word))?;
    let game: Arc<dyn Game> = Arc::new(Pentago::new(rules()));
    let start = game.start();
    let mut record = Record::new(game, start);
    let no_action = |word| bad_input(format!("{}: expected an action of OpenSpiel, as in c4t", shown(word)));
    let mut play = |word| record.play_text(&move_of(word).ok_or_else(|| no_action(word))?);
    let played = words.try_for_each(|(number, word)| in_line(number, play(word)));
    Some(played.map(|()| record))
}

/// Writes the actions of a game. If a placement ended the game, the last action gets a turn that
/// keeps the result.
fn write(record: &Record) -> Result<String> {
    let of = record.game();
    let known = |ours: Rules| Rules { place: Place::Turn, ..ours } == rules();
    if !of.rules().parse().is_ok_and(known) {
        return Err(bad_input(format!("OpenSpiel doesn't know the rules {}", of.rules())));
    }
    if *record.start() != of.start() {
        return Err(bad_input("OpenSpiel's games begin with the empty board"));
    }
    if record.moves().len() == 0 {
        return Err(bad_input("OpenSpiel's format can't express a game without moves: play a move first"));
    }
    let game = Pentago::new(rules());
    let mut position = game.start();
    let mut actions = Vec::new();
    for (mv, after) in record.moves().zip(record.positions().skip(1)) {
        let turns: Vec<String> = match mv.contains('/') {
            true => vec![mv.to_owned()],
            false => TURNS.iter().map(|(_, turn)| format!("{mv}/{turn}")).collect(),
        };
        let same = |turned: &String| {
            let next = game.play(&position, turned).ok()?;
            (next.over == after.over).then(|| (turned.clone(), next))
        };
        let Some((turned, next)) = turns.iter().find_map(same) else {
            return Err(bad_input(format!("{mv}: OpenSpiel's rules know no such move")));
        };
        actions.extend(action_of(&turned));
        position = next;
    }
    Ok(actions.join(" ") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KINDS, read_rules};

    #[test]
    fn actions_are_moves() {
        for (action, mv) in [("a1s", "a6/1-"), ("c4t", "c3/1+"), ("f6x", "f1/4+"), ("b2z", "b5/3+")] {
            assert_eq!(move_of(action).as_deref(), Some(mv));
            assert_eq!(action_of(mv).as_deref(), Some(action));
        }
        for wrong in ["", "a0s", "g1s", "a7s", "a1r", "a1st", "a1", "c4/2+"] {
            assert_eq!(move_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn games_are_converted() {
        let record = Record::read(KINDS, "a1s b2z\nc3t").expect("a game");
        assert_eq!(record.game().rules(), "pentago:place=turn");
        assert_eq!(record.moves().collect::<Vec<_>>(), ["a6/1-", "b5/3+", "c4/1+"]);
        assert_eq!(write(&record).expect("a text"), "a1s b2z c3t\n");
        for (text, said) in [("f6s\nf6s", "line 2: f1/1-: "), ("a1t zzz", "line 1: zzz: expected an action")]
        {
            let error = Record::read(KINDS, text).expect_err("no game").to_string();
            assert!(error.starts_with(said), "{error}");
        }
        // A placement that makes a five needs a turn that keeps the five.
        let game = read_rules("pentago").expect("rules");
        let start = game.start();
        let mut record = Record::new(game, start);
        for mv in ["a1/1+", "a6/1+", "b1/1+", "a6/1+", "c1/1+", "f6/1+", "d1/1+", "f4/1+", "e1"] {
            record.play(mv).unwrap_or_else(|error| panic!("{mv}: {error}"));
        }
        let text = write(&record).expect("a text");
        let read = Record::read(KINDS, &text).expect("a game");
        assert_eq!(read.over(), record.over());
        let mini = read_rules("mini").expect("rules");
        let start = mini.start();
        assert!(write(&Record::new(mini, start)).is_err());
    }
}
