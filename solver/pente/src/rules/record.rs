//! Whole games, in the text that pente.org writes and players exchange.
//!
//! ```text
//! [Game "Pente"]
//! [Player 1 Name "..."]
//! [Result "1-0"]
//!
//! 1. K10 L9 2. K13 L11 1-0
//! ```
//!
//! Headers in brackets are kept in their order and written back. Then come the moves, numbered by
//! pairs, and the result; numbers and result may be missing. The first player wins `1-0`.
//!
//! Two headers are this program's own: `[Rules "pente:n=9"]` for games that pente.org has no name
//! for, and `[Position "..."]` for games that begin elsewhere than on the empty board.

use std::fmt::Write;
use std::ops::Range;

use super::{Capture, Color, Move, Opening, Options, Outcome, Position, Rules};
use pentago_base::ParseError;

/// The longest record that is read, in bytes.
const MAX_RECORD: usize = 1 << 16;

/// The moves in a line of the text.
const PAIRS_IN_A_LINE: usize = 8;

/// A game: headers, rules and moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The headers, as name and value, in their order.
    pub headers: Vec<(String, String)>,
    /// The rules.
    pub rules: Rules,
    /// Where the game starts, mostly the empty board.
    pub start: Position,
    /// The moves, all of them legal.
    pub moves: Vec<Move>,
    /// The result that the text gives: the winner, or a draw. A game may be resigned, so this need
    /// not follow from the moves.
    pub result: Option<Outcome>,
}

/// The games of pente.org that this program knows, with the options that stand for them.
fn known_game(name: &str) -> Option<Rules> {
    let options = Options::default();
    let options = match name.to_ascii_lowercase().as_str() {
        "pente" | "speed pente" => options,
        "keryo-pente" | "speed keryo-pente" => Options { capture: Capture::TwoOrThree, win: 15, ..options },
        _ => return None,
    };
    Rules::new(options).ok()
}

impl Record {
    /// A game without headers.
    ///
    /// # Errors
    /// If a move is not legal: its index and the reason.
    pub fn new(rules: Rules, moves: Vec<Move>) -> Result<Record, (usize, super::IllegalMove)> {
        Record::from_position(rules, rules.start(), moves)
    }

    /// A game that starts at a position, without headers.
    ///
    /// # Errors
    /// As for [`Record::new`].
    pub fn from_position(
        rules: Rules,
        start: Position,
        moves: Vec<Move>,
    ) -> Result<Record, (usize, super::IllegalMove)> {
        let mut position = start;
        for (i, &m) in moves.iter().enumerate() {
            position = rules.play(&position, m).map_err(|illegal| (i, illegal))?.position;
        }
        let result = rules.outcome(&position);
        Ok(Record { headers: Vec::new(), rules, start, moves, result })
    }

    /// The record with the headers that say by which rules the game is played, where it starts and
    /// how it ended; others are kept behind them.
    #[must_use]
    pub fn with_headers(mut self) -> Record {
        let name = if self.rules.options().capture == Capture::TwoOrThree { "Keryo-Pente" } else { "Pente" };
        let mut headers = vec![(String::from("Game"), String::from(name))];
        if known_game(name) != Some(self.rules) {
            headers.push((String::from("Rules"), self.rules.to_string()));
        }
        if self.start != self.rules.start() {
            headers.push((String::from("Position"), self.rules.format_position(&self.start)));
        }
        headers.push((String::from("Result"), String::from(self.result_text())));
        self.headers.retain(|(name, _)| !["Game", "Rules", "Position", "Result"].contains(&name.as_str()));
        headers.append(&mut self.headers);
        Record { headers, ..self }
    }

    fn result_text(&self) -> &'static str {
        match self.result {
            Some(Outcome::Win(Color::X)) => "1-0",
            Some(Outcome::Win(Color::O)) => "0-1",
            Some(Outcome::Draw) => "1/2-1/2",
            None => "*",
        }
    }

    /// Reads a record. The rules are those given, or else those of the header `Rules`, or else
    /// those that the header `Game` names: `Pente` or `Keryo-Pente`; without the headers Pente's.
    ///
    /// # Errors
    /// If the text is not a record, names a game that this program does not know, has a move that
    /// is not legal, or a result that the moves contradict.
    pub fn parse(text: &str, rules: Option<Rules>) -> Result<Record, ParseError> {
        ParseError::check_length(text, MAX_RECORD)?;
        let mut headers = Vec::new();
        let (mut game, mut stated, mut start) = (None, None, None);
        let mut line_start = 0;
        let mut body = None;
        for line in text.split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            let here = line_start + indent..line_start + line.trim_end().len().max(indent);
            line_start += line.len();
            let own = &text[here.clone()];
            if own.is_empty() {
                continue;
            }
            if !own.starts_with('[') {
                body = Some(here.start);
                break;
            }
            let inner = own.strip_prefix('[').and_then(|own| own.strip_suffix("\"]"));
            let Some((name, value)) = inner.and_then(|inner| inner.split_once(" \"")) else {
                return Err(ParseError::new(text, here, "expected a header, as in [Game \"Pente\"]"));
            };
            // Where the value stands in the text.
            let place = here.end - 2 - value.len()..here.end - 2;
            match name {
                "Game" => game = Some((value.to_owned(), here)),
                "Rules" => stated = Some((value.to_owned(), place)),
                "Position" => start = Some((value.to_owned(), place)),
                _ => {}
            }
            headers.push((name.to_owned(), value.to_owned()));
        }
        // An error in a value, with its place in the whole text.
        let inside = |place: &Range<usize>, error: ParseError| {
            let span = error.span();
            ParseError::new(text, place.start + span.start..place.start + span.end, error.message())
        };
        let rules = match (rules, stated, game) {
            (Some(rules), ..) => rules,
            (None, Some((value, place)), _) => value.parse().map_err(|error| inside(&place, error))?,
            (None, None, None) => Rules::default(),
            (None, None, Some((name, span))) => known_game(&name).ok_or_else(|| {
                let message = "the rules of this game are not known: expected Pente or Keryo-Pente";
                ParseError::new(text, span, message)
            })?,
        };
        let start = match start {
            Some((value, place)) => rules.parse_position(&value).map_err(|error| inside(&place, error))?,
            None => rules.start(),
        };
        let mut record = Record { headers, rules, start, moves: Vec::new(), result: None };
        record.read_moves(text, body.unwrap_or(text.len()))?;
        Ok(record)
    }

    /// Reads the moves and the result from byte `from` on.
    fn read_moves(&mut self, text: &str, from: usize) -> Result<(), ParseError> {
        let rules = self.rules;
        let mut position = self.start;
        let mut ended: Option<Range<usize>> = None;
        let start = text.as_ptr() as usize;
        for word in text[from..].split_whitespace() {
            let at = word.as_ptr() as usize - start;
            let span = at..at + word.len();
            if ended.is_some() {
                return Err(ParseError::new(text, span, "the record ends with its result"));
            }
            let result = match word {
                "1-0" => Some(Some(Outcome::Win(Color::X))),
                "0-1" => Some(Some(Outcome::Win(Color::O))),
                "1/2-1/2" => Some(Some(Outcome::Draw)),
                "*" => Some(None),
                _ => None,
            };
            if let Some(result) = result {
                let over = rules.outcome(&position);
                if over.is_some() && over != result {
                    return Err(ParseError::new(text, span, "the moves before end otherwise"));
                }
                self.result = result;
                ended = Some(span);
                continue;
            }
            if let Some(number) = word.strip_suffix('.') {
                let expected = self.moves.len() / 2 + 1;
                if number.parse() != Ok(expected) || !self.moves.len().is_multiple_of(2) {
                    let message = format!("this is ply {}: expected {}", self.moves.len() + 1, {
                        let even = self.moves.len().is_multiple_of(2);
                        if even { format!("{expected}. or a move") } else { String::from("a move") }
                    });
                    return Err(ParseError::new(text, span, message));
                }
                continue;
            }
            let m = rules.read_move(text, span.clone())?;
            let played = rules.play(&position, m);
            let played = played.map_err(|illegal| ParseError::new(text, span, illegal.to_string()))?;
            position = played.position;
            self.moves.push(m);
        }
        if self.result.is_none() && ended.is_none() {
            self.result = rules.outcome(&position);
        }
        Ok(())
    }

    /// The text, read back by [`Record::parse`].
    #[must_use]
    pub fn format(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.headers {
            let _ = writeln!(text, "[{name} \"{value}\"]");
        }
        if !self.headers.is_empty() {
            text.push('\n');
        }
        for (i, pair) in self.moves.chunks(2).enumerate() {
            if i > 0 {
                text.push(if i.is_multiple_of(PAIRS_IN_A_LINE) { '\n' } else { ' ' });
            }
            let _ = write!(text, "{}.", i + 1);
            for &m in pair {
                let _ = write!(text, " {}", self.rules.format_move(m));
            }
        }
        if !self.moves.is_empty() {
            text.push(' ');
        }
        text.push_str(self.result_text());
        text.push('\n');
        text
    }

    /// The position after the last move.
    #[must_use]
    pub fn last(&self) -> Position {
        self.moves.iter().fold(self.start, |p, &m| match self.rules.play(&p, m) {
            Ok(played) => played.position,
            Err(_) => p,
        })
    }

    /// Returns whether the game begins as the pro opening asks, whatever the rules of the record.
    #[must_use]
    pub fn is_pro(&self) -> bool {
        if self.start != self.rules.start() {
            return false;
        }
        let pro = Rules::new(Options { opening: Opening::Pro, ..self.rules.options() });
        let first: Vec<Move> = self.moves.iter().copied().take(3).collect();
        pro.is_ok_and(|rules| Record::new(rules, first).is_ok())
    }
}
