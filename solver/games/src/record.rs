//! A game that is being played or was saved: where it started, and the moves.
//!
//! ```text
//! # A game of Pentago.
//! rules pentago
//! start 6/6/6/6/6/6 x
//! c4/2+
//! d3/1-
//! resign
//! ```
//!
//! The last line is there only if the side to move has resigned. Blank lines and lines that begin
//! with `#` are skipped. Pentago XL and Pente have texts of their own.

use std::sync::Arc;

use ::pentago::ParseError;

use crate::kind::read_rules_of;
use crate::{Ending, Game, Kind, Position, Result, bad_input};

/// The longest text of a game that is read, in bytes.
pub const MAX_RECORD: usize = 1 << 16;

/// Characters of a line that an error shows.
const MOST_SHOWN: usize = 40;

/// A game from its start to the current position.
#[derive(Debug, Clone)]
pub struct Record {
    game: Arc<dyn Game>,
    start: Position,
    /// The moves, each with what it led to.
    moves: Vec<(String, Position)>,
    /// How the game has ended because the side to move gave it up.
    resigned: Option<Ending>,
    /// What else the text of the game says, by name: players, a site, a date.
    pub headers: Vec<(String, String)>,
}

impl Record {
    /// A game that begins at a position.
    #[must_use]
    pub fn new(game: Arc<dyn Game>, start: Position) -> Record {
        Record { game, start, moves: Vec::new(), resigned: None, headers: Vec::new() }
    }

    /// The game with its rules.
    #[must_use]
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The position that the game began with.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = &str> {
        self.moves.iter().map(|(text, _)| text.as_str())
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.moves.last().map_or(&self.start, |(_, position)| position)
    }

    /// How the game has ended, if it has.
    #[must_use]
    pub fn over(&self) -> Option<&Ending> {
        self.resigned.as_ref().or(self.position().over.as_ref())
    }

    /// The seat that made each move.
    #[must_use]
    pub fn movers(&self) -> Vec<char> {
        let before = std::iter::once(&self.start).chain(self.moves.iter().map(|(_, position)| position));
        before.take(self.moves.len()).map(|position| position.to_move).collect()
    }

    /// The row and the column, as the [`Board`](crate::Board) has them, where the marble of the last
    /// move lies now.
    #[must_use]
    pub fn last_marble(&self) -> Option<(usize, usize)> {
        let board = self.game.board();
        let (mv, _) = self.moves.last()?;
        let (socket, turn) = mv.split_once('/').unwrap_or((mv, ""));
        let mut letters = socket.chars();
        let column = board.files.find(letters.next()?)?;
        let row = board.rows.checked_sub(letters.as_str().parse().ok()?)?;
        let number = turn.get(..turn.len().saturating_sub(1))?.parse().unwrap_or(0);
        let inside = |block: &&crate::Block| {
            let rows = block.row..block.row + block.rows;
            block.number == number
                && rows.contains(&row)
                && (block.column..block.column + block.columns).contains(&column)
        };
        let Some(block) = board.blocks.iter().find(inside) else { return Some((row, column)) };
        let (r, c) = (row - block.row, column - block.column);
        let last = block.rows - 1;
        let (r, c) = if turn.ends_with('+') { (c, last - r) } else { (last - c, r) };
        Some((block.row + r, block.column + c))
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if it can't be read, isn't legal, or the game is over.
    pub fn play(&mut self, mv: &str) -> Result<()> {
        if self.over().is_some() {
            return Err(bad_input("the game is over, there are no more moves"));
        }
        let mv = self.game.read_move(mv)?;
        let position = self.game.play(self.position(), &mv)?;
        self.moves.push((mv, position));
        Ok(())
    }

    /// Plays a move that stands in the text of a game: the error names it.
    pub(crate) fn play_text(&mut self, mv: &str) -> Result<()> {
        self.play(mv).map_err(|error| match error.downcast_ref::<ParseError>() {
            Some(_) => error,
            None => bad_input(format!("{mv}: {error}")),
        })
    }

    /// The seat to move gives the game up; false if it is over, or the others play on.
    pub fn resign(&mut self) -> bool {
        if self.over().is_none() {
            self.resigned = self.game.resign(self.position());
            return self.resigned.is_some();
        }
        false
    }

    /// Whether the game has ended because the side to move gave it up.
    #[must_use]
    pub fn is_resigned(&self) -> bool {
        self.resigned.is_some()
    }

    /// Takes back a resignation, or the last move if there is one.
    pub fn take_back(&mut self) {
        if self.resigned.take().is_none() {
            self.moves.pop();
        }
    }

    /// The text of the game, as its rules have it.
    #[must_use]
    pub fn write(&self) -> String {
        self.game.write_record(self)
    }

    /// The text of the game in the form that most games share.
    #[must_use]
    pub fn text(&self) -> String {
        let (title, rules, start) = (self.game.kind().title, self.game.rules(), &self.start.text);
        let mut text = format!("# A game of {title}.\nrules {rules}\nstart {start}\n");
        for (mv, _) in &self.moves {
            text.push_str(mv);
            text.push('\n');
        }
        if self.resigned.is_some() {
            text.push_str("resign\n");
        }
        text
    }

    /// Reads the text of a game of one of these kinds.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input): the line that can't be read or played, and why.
    pub fn read(kinds: &[&Kind], text: &str) -> Result<Record> {
        ParseError::check_length(text, MAX_RECORD)?;
        let own = kinds.iter().find_map(|kind| (kind.read_record?)(text));
        own.unwrap_or_else(|| Record::parse(kinds, text))
    }

    /// Reads a text in the form that most games share.
    fn parse(kinds: &[&Kind], text: &str) -> Result<Record> {
        let mut lines = lines(text);
        let mut field = |key: &str| {
            let Some((number, line)) = lines.next() else {
                return Err(bad_input(format!("expected a line \"{key} ...\", found the end of the text")));
            };
            match line.split_once(char::is_whitespace) {
                Some((word, value)) if word == key => Ok((number, value)),
                _ => {
                    // Whatever file it is, its line may be long.
                    let found: String = line.chars().take(MOST_SHOWN).collect();
                    let more = if found.len() < line.len() { "..." } else { "" };
                    let expected = format!("line {number}: expected \"{key} ...\", found {found:?}{more}");
                    Err(bad_input(expected))
                }
            }
        };
        let (number, rules) = field("rules")?;
        let game = in_line(number, read_rules_of(kinds, rules))?;
        let (number, start) = field("start")?;
        let start = in_line(number, game.read(start))?;
        let mut record = Record::new(game, start);
        for (number, line) in lines {
            if line == "resign" && record.resign() {
                continue;
            }
            in_line(number, record.play_text(line))?;
        }
        Ok(record)
    }
}

/// The lines of a game's text that say something, with their numbers.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The error with the number of the line that it is about.
pub(crate) fn in_line<T>(number: usize, read: Result<T>) -> Result<T> {
    read.map_err(|error| bad_input(format!("line {number}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KINDS, read_rules};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_panics(
            first in prop::sample::select(vec!["game xl\n", "[Game \"Pente\"]\n", "1.", "rules mini\n", ""]),
            text in "(\\PC|\n){0,60}",
            moves in "[A-Ta-t0-9 .+/\\-\\[\\]\"\n]{0,60}",
        ) {
            let _ = Record::read(KINDS, &format!("{first}{text}"));
            let _ = Record::read(KINDS, &format!("{first}{moves}"));
        }
    }

    fn played(rules: &str, moves: &[&str]) -> Record {
        let game = read_rules(rules).expect("rules");
        let start = game.start();
        let mut record = Record::new(game, start);
        moves.iter().for_each(|mv| record.play(mv).expect("a move"));
        record
    }

    #[test]
    fn what_is_written_is_read() {
        for (rules, moves) in [
            ("pentago", &["c4/2+", "d3/1-", "a1/4+"]),
            ("xl:seats=3", &["c4/2+", "d3/1-", "a1/4+"]),
            ("xl", &["c4/2+", "d3/1-", "a1/4+"]),
            ("pente", &["k10", "a1", "K14"]),
            ("pente:n=5,k=4,opening=free", &["a1", "b2", "c3"]),
        ] {
            let mut record = played(rules, moves);
            let read = |text: &str| Record::read(KINDS, text).expect("a record");
            let text = record.write();
            assert_eq!(read(&text).write(), text);
            assert_eq!(read(&text).position(), record.position());
            // With three sides the others play on.
            let ends = rules != "xl:seats=3";
            assert_eq!(record.resign(), ends);
            let text = record.write();
            let again = read(&text);
            assert_eq!((again.write(), again.is_resigned()), (text, record.is_resigned()));
            assert_eq!(again.over(), record.over());
            let next = record.game().moves(record.position()).remove(0);
            assert_eq!(record.play(&next).is_err(), ends, "{rules}");
            record.take_back();
            assert_eq!(record.movers().len(), 3);
        }
    }

    #[test]
    fn the_last_marble_turns_with_its_quadrant() {
        let mut record = played("pentago", &[]);
        assert_eq!(record.last_marble(), None);
        for (mv, at) in [("a6/1+", (0, 2)), ("a6/2-", (0, 0)), ("f1/4-", (3, 5)), ("d4/1+", (2, 3))] {
            record.play(mv).expect("a move");
            assert_eq!(record.last_marble(), Some(at), "{mv}");
        }
        record.take_back();
        assert_eq!(record.last_marble(), Some((3, 5)));
        assert_eq!(played("pente", &["k10"]).last_marble(), Some((9, 9)));
    }

    #[test]
    fn moves_and_resignations_are_taken_back() {
        let mut record = played("pentago", &["c4/2+", "d3/1-"]);
        assert!(record.resign() && !record.resign());
        assert_eq!(record.over().map(|over| over.winners.as_str()), Some("o"));
        record.take_back();
        assert_eq!((record.movers(), record.over()), (vec!['x', 'o'], None));
        (0..3).for_each(|_| record.take_back());
        assert_eq!(record.moves().len(), 0);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| Record::read(KINDS, text).unwrap_err().to_string();
        assert!(error("").contains("the end of the text"));
        assert!(error("rulez pentago\n").starts_with("line 1: expected \"rules"));
        let long = error(&"\0".repeat(60_000));
        assert!(long.ends_with("...") && long.len() < 200, "{long}");
        assert!(error("rules pentagon\n").starts_with("line 1: unknown rules"));
        let start = "# a game\n\nrules pentago\nstart 6/6/6/6/6/6 x\n";
        assert!(error(&format!("{start}c4/2+\nc9/1+\n")).starts_with("line 6: "));
        assert!(error(&format!("{start}c4/2+\nd3\n")).starts_with("line 6: d3: this placement"));
        assert!(error("rules pentago\nstart 6/6/6 x\n").starts_with("line 2: "));
        assert!(error(&format!("{start}resign\nc4/2+\n")).starts_with("line 6: c4/2+: the game is over"));
    }
}
