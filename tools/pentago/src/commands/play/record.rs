//! A game of Pentago: where it started, the moves, and its text.
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
//! with `#` are skipped.

use anyhow::Context;
use pentago::rules::{Color, IllegalMove, Move, Outcome, Played, Position, Rules, TurnPart};

use crate::exit::bad_input;

/// Characters of a line that an error shows.
const MOST_SHOWN: usize = 40;

/// The first line of a saved game.
const TITLE: &str = "# A game of Pentago.";

/// A game from its start to the current position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    rules: Rules,
    start: Position,
    /// The moves, each with what it led to.
    moves: Vec<(Move, Played)>,
    /// The side to move has resigned.
    resigned: bool,
}

impl Game {
    /// A game that begins at a position.
    pub fn new(rules: Rules, start: Position) -> Game {
        Game { rules, start, moves: Vec::new(), resigned: false }
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
        if self.resigned {
            return Some(Outcome::Win(self.position().to_move().other()));
        }
        match self.moves.last() {
            Some((_, played)) => played.outcome,
            None => self.rules.outcome(&self.start),
        }
    }

    /// The side that made each move.
    pub fn movers(&self) -> impl Iterator<Item = Color> {
        let before = std::iter::once(self.start).chain(self.moves.iter().map(|(_, played)| played.position));
        before.take(self.moves.len()).map(|position| position.to_move())
    }

    /// The file and the rank, from 0, where the marble of the last move lies now.
    pub fn last_marble(&self) -> Option<(usize, usize)> {
        let (m, shape) = (self.moves.last()?.0, self.rules.shape);
        let placed = m.place?.bit();
        let now = match m.turn {
            TurnPart::Turn(turn) => shape.turn(placed, turn),
            TurnPart::None | TurnPart::Skip => placed,
        };
        shape.sockets_of(now).next().map(|socket| shape.file_rank(socket))
    }

    /// The side to move resigns; false if the game is over.
    pub fn resign(&mut self) -> bool {
        let open = self.outcome().is_none();
        self.resigned |= open;
        open
    }

    /// Whether the side to move has resigned.
    pub fn is_resigned(&self) -> bool {
        self.resigned
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

    /// Takes back a resignation, or the last move if there is one.
    pub fn take_back(&mut self) {
        if !std::mem::take(&mut self.resigned) {
            self.moves.pop();
        }
    }

    /// The text of the game.
    pub fn text(&self) -> String {
        let start = self.rules.format_position(&self.start);
        let mut text = format!("{TITLE}\nrules {}\nstart {start}\n", self.rules);
        for (m, _) in &self.moves {
            text.push_str(&self.rules.format_move(*m));
            text.push('\n');
        }
        if self.resigned {
            text.push_str("resign\n");
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
        let rules: Rules = rules.parse().with_context(|| format!("line {number}"))?;
        let (number, start) = field("start")?;
        let start = rules.parse_position(start).with_context(|| format!("line {number}"))?;
        let mut game = Game::new(rules, start);
        for (number, line) in lines {
            if line == "resign" && game.resign() {
                continue;
            }
            let m = rules.parse_move(line).with_context(|| format!("line {number}"))?;
            game.play(m).with_context(|| format!("line {number}: {line}"))?;
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_marble_turns_with_its_quadrant() {
        let mut game = Game::new(Rules::default(), Rules::default().start());
        assert_eq!(game.last_marble(), None);
        for (text, at) in [("a6/1+", (2, 5)), ("a6/2-", (0, 5)), ("f1/4-", (5, 2)), ("d4/1+", (3, 3))] {
            let m = game.rules().parse_move(text).unwrap();
            game.play(m).unwrap();
            assert_eq!(game.last_marble(), Some(at), "{text}");
        }
        game.take_back();
        assert_eq!(game.last_marble(), Some((5, 2)));
    }

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
    fn moves_and_resignations_are_taken_back() {
        let mut played = game(&["c4/2+", "d3/1-"]);
        assert!(played.resign() && !played.resign());
        assert_eq!(played.outcome(), Some(Outcome::Win(Color::O)));
        assert_eq!(Game::parse(&played.text()).unwrap(), played);
        played.take_back();
        assert_eq!(played, game(&["c4/2+", "d3/1-"]));
        assert_eq!(played.movers().collect::<Vec<_>>(), [Color::X, Color::O]);
        (0..3).for_each(|_| played.take_back());
        assert_eq!(played, game(&[]));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| format!("{:#}", Game::parse(text).unwrap_err());
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
