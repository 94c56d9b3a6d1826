//! Game records in the program's own text:
//!
//! ```text
//! game xl:seats=4
//! from 9/9/9/9/9/9/9/9/9 a
//! A e5/1+
//! B e4/2-
//! result A1 B2 C2 D2
//! ```
//!
//! The rules, then (unless it is the empty board) the position at the start, the moves with their
//! seats, one a line, and if the game is over its result. `A resigns` ends a game of two sides.
//! Lines that are empty or start with `#` are skipped. The seats before the moves may be left
//! out.

use std::fmt::Write;
use std::ops::Range;

use crate::moves::{IllegalMove, Move};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::position::Position;
use pentago_base::ParseError;

/// The longest record that is read, in bytes: more than any game can need.
pub const MAX_RECORD: usize = 1 << 16;

/// A game: its rules, where it started, and the moves, all of them legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    rules: Rules,
    start: Position,
    moves: Vec<Move>,
    now: Position,
    outcome: Option<Outcome>,
    /// The seat to move has resigned.
    resigned: bool,
}

impl Game {
    /// A game from a position on.
    #[must_use]
    pub fn new(rules: Rules, start: Position) -> Game {
        Game { rules, start, moves: Vec::new(), now: start, outcome: rules.outcome(&start), resigned: false }
    }

    /// Its rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns where it started.
    #[must_use]
    pub fn start(&self) -> Position {
        self.start
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after them.
    #[must_use]
    pub fn position(&self) -> Position {
        self.now
    }

    /// Returns how it has ended, or nothing if it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If the move is illegal or the game is over; nothing is changed then.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if let Some(outcome) = self.outcome {
            return Err(IllegalMove::Over(outcome));
        }
        let played = self.rules.play(&self.now, m)?;
        self.moves.push(m);
        self.now = played.position;
        self.outcome = played.outcome;
        Ok(())
    }

    /// The seat to move, or its team, gives the game up; false if the game is over, or if there are
    /// more than two sides, which would have to play on.
    pub fn resign(&mut self) -> bool {
        if self.outcome.is_some() || self.rules.sides().len() != 2 {
            return false;
        }
        let own = self.rules.side_of(self.now.to_move);
        self.outcome = Some(Outcome::of_fives(&self.rules, self.rules.everyone().without(own)));
        self.resigned = true;
        true
    }

    /// Returns whether the game has ended because the seat to move resigned.
    #[must_use]
    pub fn is_resigned(&self) -> bool {
        self.resigned
    }

    /// Takes the last move back, or a resignation; false if there is none.
    pub fn undo(&mut self) -> bool {
        if !self.resigned && self.moves.pop().is_none() {
            return false;
        }
        let mut again = Game::new(self.rules, self.start);
        // The moves were legal before.
        let _ = self.moves.iter().try_for_each(|&m| again.play(m));
        *self = again;
        true
    }

    /// The text of the record, read back by [`Game::parse`]. It ends with a line break.
    #[must_use]
    pub fn record(&self) -> String {
        let mut text = format!("game {}\n", self.rules);
        if self.start != Position::EMPTY {
            let _ = writeln!(text, "from {}", self.rules.format_position(&self.start));
        }
        let mut game = Game::new(self.rules, self.start);
        for &m in &self.moves {
            let _ = writeln!(text, "{} {}", game.now.to_move, self.rules.format_move(m));
            let _ = game.play(m);
        }
        if self.resigned {
            let _ = writeln!(text, "{} resigns", self.now.to_move);
        }
        if let Some(outcome) = self.outcome {
            let _ = writeln!(text, "result {outcome}");
        }
        text
    }

    /// Reads a record.
    ///
    /// # Errors
    /// If a line can't be read, a move is illegal, the seat before a move is not the one to move,
    /// or the result is not what the moves lead to. The error shows the line.
    pub fn parse(text: &str) -> Result<Game, ParseError> {
        ParseError::check_length(text, MAX_RECORD)?;
        let lines = lines(text);
        let mut rest = lines.iter();
        let Some(first) = rest.next() else {
            return Err(ParseError::new(text, text.len()..text.len(), "there is no game: expected game xl"));
        };
        let Some(("game", rules)) = first.words() else {
            return Err(first.error(text, first.span(), "expected the rules first, as in game xl:seats=3"));
        };
        let rules = rules.text.parse::<Rules>().map_err(|e| rules.inside(text, &e))?;
        let mut game = Game::new(rules, Position::EMPTY);
        for line in rest {
            match line.words() {
                Some(("from", p)) if game.moves.is_empty() && game.start == Position::EMPTY => {
                    let p = rules.parse_position(p.text).map_err(|e| p.inside(text, &e))?;
                    game = Game::new(rules, p);
                }
                Some(("result", stated)) => {
                    let is = game.outcome.map_or_else(|| String::from("none: it goes on"), |o| o.to_string());
                    if is != stated.text {
                        let message = format!("the result of these moves is {is}");
                        return Err(stated.error(text, stated.span(), &message));
                    }
                }
                Some((seat, m)) => {
                    let expected = game.now.to_move.to_string();
                    if seat != expected {
                        let message = format!("it is {expected}'s turn");
                        return Err(line.error(text, line.at..line.at + seat.len(), &message));
                    }
                    if m.text != "resigns" {
                        game.read_move(text, &m)?;
                    } else if !game.resign() {
                        let message = "only in a game of two sides that is not over a seat can resign";
                        return Err(m.error(text, m.span(), message));
                    }
                }
                None => game.read_move(text, line)?,
            }
        }
        Ok(game)
    }

    fn read_move(&mut self, text: &str, piece: &Piece) -> Result<(), ParseError> {
        let m = self.rules.parse_move(piece.text).map_err(|e| piece.inside(text, &e))?;
        self.play(m).map_err(|why| piece.error(text, piece.span(), &why.to_string()))
    }
}

/// A piece of a record, and the byte where it starts.
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Piece<'a> {
    /// The first word, and what stands behind it.
    fn words(&self) -> Option<(&'a str, Piece<'a>)> {
        let (first, behind) = self.text.split_once(char::is_whitespace)?;
        let rest = behind.trim_start();
        Some((first, Piece { text: rest, at: self.at + self.text.len() - rest.len() }))
    }

    fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn error(&self, text: &str, span: Range<usize>, message: &str) -> ParseError {
        ParseError::new(text, span, message)
    }

    /// An error about this piece, with its place in the whole text.
    fn inside(&self, text: &str, error: &ParseError) -> ParseError {
        let span = error.span();
        ParseError::new(text, self.at + span.start..self.at + span.end, error.message())
    }
}

/// The lines that say something, trimmed.
fn lines(text: &str) -> Vec<Piece<'_>> {
    let start = text.as_ptr() as usize;
    let trimmed = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    trimmed.map(|line| Piece { text: line, at: line.as_ptr() as usize - start }).collect()
}
