//! Games as position numbers or links of perfect-pentago.net: one number for each position, in
//! order.

use std::sync::Arc;

use ::pentago::rules::Rules;

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
    let numbers = numbers.filter(|numbers| !numbers.is_empty())?;
    Some(follow(&numbers))
}

/// Returns the game that passes through the positions with these numbers. Positions with a pending
/// turn are skipped, except for the last position.
fn follow(numbers: &[(usize, &str)]) -> Result<Record> {
    let game: Arc<dyn Game> = Arc::new(Pentago::new(Rules::default()));
    let mut record: Option<Record> = None;
    for (i, &(line, number)) in numbers.iter().enumerate() {
        let position = in_line(line, game.read(number))?;
        let Some(record) = &mut record else {
            record = Some(Record::new(Arc::clone(&game), position));
            continue;
        };
        if position.pending && i + 1 < numbers.len() {
            continue;
        }
        let leads =
            |mv: &String| game.play(record.position(), mv).is_ok_and(|next| next.text == position.text);
        let moves = game.moves(record.position());
        let Some(mv) = moves.iter().find(|mv| leads(mv)) else {
            let from = &record.position().text;
            let message = format!("{number}: no move leads there from {from}");
            return in_line(line, Err(bad_input(message)));
        };
        in_line(line, record.play(mv))?;
    }
    record.ok_or_else(|| bad_input("there is no number"))
}

/// Writes the numbers of a game's positions, one per line.
fn write(record: &Record) -> Result<String> {
    let game = record.game();
    let number = |position| game.number(position).map(|number| number + "\n");
    let numbers: Option<String> = record.positions().map(number).collect();
    numbers.ok_or_else(|| bad_input(format!("perfect-pentago.net has no numbers for {}", game.rules())))
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
        assert_eq!(text.lines().count(), 4);
        let links = text.lines().map(|number| format!("https://perfect-pentago.net/#{number}\n"));
        for text in [text.clone(), links.collect()] {
            let read = Record::read(KINDS, &text).expect("a game");
            assert_eq!((read.position(), read.moves().len()), (record.position(), 3));
        }
        let single = Record::read(KINDS, text.lines().last().expect("a number")).expect("a position");
        assert_eq!((single.start(), single.moves().len()), (record.position(), 0));
        let backwards: Vec<&str> = text.lines().rev().collect();
        let error = Record::read(KINDS, &backwards.join("\n")).expect_err("backwards").to_string();
        assert!(error.starts_with("line 2: ") && error.contains("no move leads there"), "{error}");
        assert!(
            number_of("12/13").is_none() && number_of("m").is_none() && number_of("http://x/#7m").is_some()
        );
    }
}
