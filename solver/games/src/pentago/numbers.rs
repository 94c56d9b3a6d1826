//! Reads and writes games as lists of position numbers, or links to positions, of
//! perfect-pentago.net, in the order of play. The program writes a number after each placement and
//! each turn. The parser also accepts games without the numbers after placements.

use std::sync::Arc;

use ::pentago::rules::{Move, Position as CorePosition, Rules, Socket, TurnPart};

use super::Pentago;
use crate::error::{Result, bad_input};
use crate::game::Game;
use crate::record::{Format, Record, in_line, lines};

/// The record format that consists of position numbers.
pub const FORMAT: Format = Format { name: "numbers", read, write };

/// Returns the position number in a word or at the end of a link, or `None` if there is no number.
/// The number of a position with a pending turn ends in `m`.
fn number_of(word: &str) -> Option<&str> {
    let number = word.rsplit(['#', '/']).next()?;
    let digits = number.strip_suffix('m').unwrap_or(number);
    let link = number.len() == word.len() || word.starts_with("http");
    (link && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// Parses a game. Returns `None` if a word of the text isn't a number.
fn read(text: &str) -> Option<Result<Record>> {
    let words = lines(text).flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
    let numbers: Option<Vec<(usize, &str)>> =
        words.map(|(line, word)| Some((line, number_of(word)?))).collect();
    let numbers = numbers?;
    let (first, rest) = numbers.split_first()?;
    Some(follow(first, rest))
}

/// Returns the game that passes through the positions with these numbers. A number with a pending
/// turn names the placement of the next move. If the placement ends the game, its number may end in
/// `m`, as on perfect-pentago.net.
fn follow(&(line, first): &(usize, &str), rest: &[(usize, &str)]) -> Result<Record> {
    let rules = Rules::default();
    let game: Arc<dyn Game> = Arc::new(Pentago::new(rules));
    let mut last = in_line(line, game.read(first))?;
    let mut record = Record::new(Arc::clone(&game), last.clone());
    // The socket of the move whose turn is pending, and the line of its number.
    let mut placed: Option<(Option<Socket>, usize)> = None;
    for &(line, number) in rest {
        let position = in_line(line, game.read(number))?;
        let (before, now): (&CorePosition, &CorePosition) = (record.position().parsed()?, position.parsed()?);
        let leads = |mv: &Move| {
            if now.pending() {
                let board = mv.place.map(|socket| before.board().with(before.to_move(), socket));
                return placed.is_none() && board == Some(now.board());
            }
            let goes_on = placed.is_none_or(|(socket, _)| socket == mv.place);
            goes_on && rules.play(before, *mv).is_ok_and(|next| next.position == *now)
        };
        let Some(mv) = rules.moves(before).into_iter().find(leads) else {
            let message = format!("{number}: no move leads there from {}", last.text);
            return in_line(line, Err(bad_input(message)));
        };
        placed = (now.pending() && mv.turn != TurnPart::None).then_some((mv.place, line));
        if placed.is_none() {
            in_line(line, record.play(&rules.format_move(mv)))?;
        }
        last = position;
    }
    let message = "the game stops in the middle of a move: add the number after its turn, or omit this one";
    placed.map_or(Ok(record), |(_, line)| in_line(line, Err(bad_input(message))))
}

/// Writes the numbers of a game's positions, one per line: of the first position, and after each
/// placement and each turn.
fn write(record: &Record) -> Result<String> {
    let (rules, own) = (Rules::default(), record.game().rules());
    if own != rules.to_string() {
        let message =
            format!("this game has the rules {own}: perfect-pentago.net's numbers need the rules {rules}");
        return Err(bad_input(message));
    }
    let number = |position: &CorePosition| rules.board_number(position).unwrap_or_default() + "\n";
    let mut text = number(record.start().parsed()?);
    for (mv, (before, after)) in record.moves().zip(record.positions().zip(record.positions().skip(1))) {
        let (mv, before): (Move, &CorePosition) = (rules.parse_move(mv)?, before.parsed()?);
        if let Some(socket) = mv.place {
            let board = before.board().with(before.to_move(), socket);
            text += &number(&CorePosition::new(rules.shape, board, before.to_move(), true)?);
        }
        if mv.turn != TurnPart::None {
            text += &number(after.parsed()?);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KINDS, read_rules};

    #[test]
    fn games_go_through_their_numbers() {
        let game = read_rules("pentago").expect("rules");
        let start = game.start();
        let mut record = Record::new(game, start);
        for mv in ["c4/2+", "d3/1-", "a1/4+"] {
            record.play(mv).expect("a move");
        }
        let text = write(&record).expect("numbers");
        assert_eq!(text.lines().count(), 7);
        let links = text.lines().map(|number| format!("https://perfect-pentago.net/#{number}\n"));
        for text in [text.clone(), links.collect()] {
            let read = Record::read(KINDS, &text).expect("a game");
            assert_eq!((read.position(), read.moves().len()), (record.position(), 3));
            assert!(read.moves().eq(record.moves()));
        }
        let single = Record::read(KINDS, text.lines().last().expect("a number")).expect("a position");
        assert_eq!((single.start(), single.moves().len()), (record.position(), 0));
        let backwards: Vec<&str> = text.lines().rev().collect();
        for (text, said) in [
            (backwards.join("\n").as_str(), "line 2: "),
            ("0 22799473113563136m\n729", "line 2: 729: no move leads there from 6/4X1/6/6/6/6 x turn"),
            ("0\n1m\n3m", "line 3: 3m: no move leads there"),
            ("0\n6561m", "line 2: the game stops in the middle of a move"),
        ] {
            let error = Record::read(KINDS, text).expect_err(text).to_string();
            assert!(error.starts_with(said), "{error}");
        }
        assert!(
            number_of("12/13").is_none() && number_of("m").is_none() && number_of("http://x/#7m").is_some()
        );
    }

    #[test]
    fn numbers_stand_for_games_under_the_default_rules() {
        let moves = "a4/2+ a1/2+ b4/2+ b1/2+ c4/2+ c1/2+ d4/4+ a2/4+ e4";
        let won = Record::read(KINDS, moves).expect("a game");
        let text = write(&won).expect("numbers");
        let read = Record::read(KINDS, &text).expect("a game");
        assert!(text.ends_with("m\n") && read.moves().eq(won.moves()) && read.over().is_some(), "{text}");
        for rules in ["pentago-fi", "pentago:place=turn", "mini", "pente"] {
            let game = read_rules(rules).expect("rules");
            let start = game.start();
            let error = write(&Record::new(game, start)).expect_err(rules).to_string();
            assert!(error.contains("this game has the rules "), "{error}");
        }
    }
}
