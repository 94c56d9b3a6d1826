//! A game: where it started, the moves, and its text.
//!
//! ```text
//! # A game of Pentago.
//! rules pentago
//! start 6/6/6/6/6/6 x
//! c4/2+
//! d3/1-
//! ```
//!
//! Blank lines and lines that begin with `#` are skipped.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use pentago::rules::{Color, IllegalMove, Move, Outcome, Played, Position, Rules};
use pentago::tables::durable;

use crate::exit::bad_input;

/// The first line of a saved game. Only such files are overwritten.
const TITLE: &str = "# A game of Pentago.";
/// Limit on the size of a saved game, which is much shorter.
const MOST_BYTES: u64 = 65_536;

/// A game from its start to the current position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    rules: Rules,
    start: Position,
    /// The moves, each with what it led to.
    moves: Vec<(Move, Played)>,
}

impl Game {
    /// A game that begins at a position.
    pub fn new(rules: Rules, start: Position) -> Game {
        Game { rules, start, moves: Vec::new() }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The current position.
    pub fn position(&self) -> Position {
        self.moves.last().map_or(self.start, |(_, played)| played.position)
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.moves.last() {
            Some((_, played)) => played.outcome,
            None => self.rules.outcome(&self.start),
        }
    }

    /// The number of moves played.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If it isn't legal.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        // A position alone doesn't always tell that the game is over.
        if self.outcome().is_some() {
            return Err(IllegalMove::Over);
        }
        let played = self.rules.play(&self.position(), m)?;
        self.moves.push((m, played));
        Ok(())
    }

    /// Goes back to the last decision of `side`; returns the number of moves taken back, 0 if there
    /// was no such decision.
    pub fn undo(&mut self, side: Color) -> usize {
        let mover = |i: usize| i.checked_sub(1).map_or(self.start, |i| self.moves[i].1.position).to_move();
        let Some(back_to) = (0..self.moves.len()).rev().find(|&i| mover(i) == side) else { return 0 };
        let taken = self.moves.len() - back_to;
        self.moves.truncate(back_to);
        taken
    }

    /// The text of the game.
    pub fn text(&self) -> String {
        let start = self.rules.format_position(&self.start);
        let mut text = format!("{TITLE}\nrules {}\nstart {start}\n", self.rules);
        for (m, _) in &self.moves {
            text.push_str(&self.rules.format_move(*m));
            text.push('\n');
        }
        text
    }

    /// Reads the text of a game.
    ///
    /// # Errors
    /// The line that can't be read or played, and why.
    pub fn parse(text: &str) -> anyhow::Result<Game> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut field = |key: &str| {
            let Some((number, line)) = lines.next() else {
                return Err(bad_input(format!("expected a line \"{key} ...\", found the end of the text")));
            };
            match line.split_once(char::is_whitespace) {
                Some((word, value)) if word == key => Ok((number, value)),
                _ => Err(bad_input(format!("line {number}: expected \"{key} ...\", found {line:?}"))),
            }
        };
        let (number, rules) = field("rules")?;
        let rules: Rules = rules.parse().with_context(|| format!("line {number}"))?;
        let (number, start) = field("start")?;
        let start = rules.parse_position(start).with_context(|| format!("line {number}"))?;
        let mut game = Game::new(rules, start);
        for (number, line) in lines {
            let m = rules.parse_move(line).with_context(|| format!("line {number}"))?;
            game.play(m).with_context(|| format!("line {number}: {line}"))?;
        }
        Ok(game)
    }

    /// Saves the game. Only a saved game is overwritten.
    ///
    /// # Errors
    /// If the file is something else, or can't be written.
    pub fn save(&self, file: &Path) -> anyhow::Result<()> {
        let name = file.display();
        match fs::File::open(file) {
            Ok(mut old) => {
                let mut beginning = vec![0; TITLE.len()];
                let read = old.read_exact(&mut beginning);
                if read.is_err() || beginning != TITLE.as_bytes() {
                    let message =
                        format!("{name} exists already and isn't a saved game: choose another name");
                    return Err(bad_input(message).into());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("saving {name}")),
        }
        let text = self.text();
        durable::replace(file, |to| to.write_all(text.as_bytes())).with_context(|| format!("saving {name}"))
    }

    /// Loads a game.
    ///
    /// # Errors
    /// If the file can't be read, or is no game.
    pub fn load(file: &Path) -> anyhow::Result<Game> {
        let name = file.display();
        let mut text = String::new();
        fs::File::open(file)
            .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
            .with_context(|| format!("loading {name}"))?;
        Game::parse(&text).with_context(|| name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &[&str]) -> Game {
        let rules = Rules::default();
        let mut game = Game::new(rules, rules.start());
        for text in moves {
            game.play(rules.parse_move(text).unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn what_is_written_is_read() {
        let played = game(&["c4/2+", "d3/1-", "a1/4+"]);
        assert_eq!(Game::parse(&played.text()).unwrap(), played);
    }

    #[test]
    fn undo_goes_back_to_a_decision() {
        let mut played = game(&["c4/2+", "d3/1-", "a1/4+"]);
        assert_eq!(played.undo(Color::O), 2);
        assert_eq!(played, game(&["c4/2+"]));
        assert_eq!(played.undo(Color::O), 0);
        assert_eq!(played.undo(Color::X), 1);
        assert_eq!(played.undo(Color::X), 0);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| format!("{:#}", Game::parse(text).unwrap_err());
        assert!(error("").contains("the end of the text"));
        assert!(error("rulez pentago\n").starts_with("line 1: expected \"rules"));
        assert!(error("rules pentagon\n").starts_with("line 1: unknown rules"));
        let start = "# a game\n\nrules pentago\nstart 6/6/6/6/6/6 x\n";
        assert!(error(&format!("{start}c4/2+\nc9/1+\n")).starts_with("line 6: "));
        assert!(error(&format!("{start}c4/2+\nd3\n")).starts_with("line 6: d3: this placement"));
        assert!(error("rules pentago\nstart 6/6/6 x\n").starts_with("line 2: "));
    }
}
