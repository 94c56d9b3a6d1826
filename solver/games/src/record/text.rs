//! Parses and writes the text of a record, by the grammar in `docs/records.md`.

use std::fmt::Write;
use std::sync::Arc;

use super::data::{MAX_RECORD, Record};
use super::lines::{MOST_SHOWN, in_line, shown};
use crate::board::Board;
use crate::error::{Result, bad_input};
use crate::game::{Game, Kind};
use crate::kinds::{read_rules_of, rules_named, titles};

/// The maximum width of the lines that the writer fills, in characters.
const COLUMNS: usize = 80;

/// The description of the expected start of a record, for error messages.
const EXPECTED: &str = "expected tags, as in [Game \"Pentago\"], or a first move";

/// The tags that the writer derives from the moves and the rules.
const OWN: [&str; 6] = ["Game", "Rules", "FEN", "SetUp", "Position", "Result"];

/// The signs that may follow a move, each with the number of its mark.
const SIGNS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The results of games of two seats in other programs, each with the index of the winner. The
/// index 2 means a draw.
const POINTS: [(&str, usize); 3] = [("1-0", 0), ("0-1", 1), ("1/2-1/2", 2)];

/// A token of a record's text.
#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Tag(&'t str, String),
    Comment(&'t str),
    Mark(u8),
    Word(&'t str),
}

/// The part of a text that is not parsed yet, and the number of its first line.
struct Text<'t> {
    rest: &'t str,
    line: usize,
    /// `true` if `rest` begins at the start of a line.
    fresh: bool,
}

impl<'t> Text<'t> {
    fn wrong<T>(line: usize, message: impl std::fmt::Display) -> Result<T> {
        Err(bad_input(format!("line {line}: {message}")))
    }

    /// Removes `bytes` bytes from the start of `rest`, and returns them as text.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (part, rest) = self.rest.split_at(bytes);
        self.line += part.matches('\n').count();
        self.fresh = part.ends_with('\n') || self.fresh && part.trim().is_empty();
        self.rest = rest;
        part
    }

    /// Skips blanks, commas, and lines that begin with `#`.
    fn skip(&mut self) {
        loop {
            let blank = |c: char| c.is_whitespace() || c == ',';
            let bytes = self.rest.len() - self.rest.trim_start_matches(blank).len();
            self.take(bytes);
            if !(self.fresh && self.rest.starts_with('#')) {
                return;
            }
            let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
            self.take(end);
        }
    }

    /// Returns the next token and its line number, or `None` at the end of the text.
    fn next(&mut self) -> Result<Option<(usize, Token<'t>)>> {
        self.skip();
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let token = match first {
            '[' => self.tag()?,
            '{' => {
                let Some(end) = self.rest.find('}') else {
                    return Text::wrong(line, "this comment has no end: expected }");
                };
                let comment = self.take(end + 1);
                Token::Comment(&comment[1..end])
            }
            '$' => {
                let word = self.word(1);
                let Ok(mark) = word[1..].parse() else {
                    return Text::wrong(line, format!("{}: marks are $0 to $255", shown(word)));
                };
                Token::Mark(mark)
            }
            '(' | ')' => {
                return Text::wrong(line, "variations aren't read: leave out what stands in ( )");
            }
            '}' => return Text::wrong(line, "there is no comment that ends here"),
            _ => Token::Word(self.word(0)),
        };
        self.fresh = false;
        Ok(Some((line, token)))
    }

    /// Removes a word from the start of `rest`, and returns the word. The first `first` bytes
    /// always belong to the word.
    fn word(&mut self, first: usize) -> &'t str {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '(' | ')' | '[' | '$');
        let end = self.rest[first..].find(ends).map_or(self.rest.len(), |at| first + at);
        self.take(end)
    }

    fn tag(&mut self) -> Result<Token<'t>> {
        let line = self.line;
        let wrong = || Text::wrong(line, "expected a tag, as in [Game \"Pentago\"]");
        let Some(quote) = self.rest.find(['"', '\n']).filter(|&at| self.rest[at..].starts_with('"')) else {
            return wrong();
        };
        let name = self.take(quote + 1)[1..quote].trim();
        let (mut value, mut chars) = (String::new(), self.rest.char_indices());
        let end = loop {
            match chars.next() {
                Some((at, '"')) => break at,
                Some((_, '\\')) => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => value.push(c),
                    _ => return Text::wrong(line, "in a tag \\ stands only before \" and \\"),
                },
                Some((_, c)) if c != '\n' => value.push(c),
                _ => return wrong(),
            }
        };
        self.take(end + 1);
        let blanks = self.rest.len() - self.rest.trim_start_matches([' ', '\t']).len();
        self.take(blanks);
        if name.is_empty() || !self.rest.starts_with(']') {
            return wrong();
        }
        self.take(1);
        Ok(Token::Tag(name, value))
    }
}

/// Parses a record. If no tag names the game, uses `game`. Without `game`, uses the first kind that
/// can play the moves.
pub fn read(game: Option<&Arc<dyn Game>>, kinds: &[&Kind], text: &str) -> Result<Record> {
    let mut text = Text { rest: text, line: 1, fresh: true };
    let mut tags: Vec<(usize, &str, String)> = Vec::new();
    let mut comments: Vec<&str> = Vec::new();
    let mut token = text.next()?;
    loop {
        match token {
            Some((line, Token::Tag(name, value))) => tags.push((line, name, value)),
            Some((_, Token::Comment(comment))) => comments.push(comment),
            _ => break,
        }
        token = text.next()?;
    }
    if token.is_none() && tags.is_empty() && comments.is_empty() {
        return Err(bad_input(format!("the text is empty: {EXPECTED}")));
    }
    let mut parser = RecordParser::begin(game, kinds, tags)?;
    parser.record.comment = cleaned(&comments.join(" "));
    while let Some((line, one)) = token {
        in_line(line, parser.take(one))?;
        token = text.next()?;
    }
    parser.finish()
}

/// A record that is being parsed.
struct RecordParser<'k> {
    record: Record,
    /// The possible games, or `None` once a tag, the caller or a move has decided the game.
    kinds: Option<&'k [&'k Kind]>,
    /// The line number of the tag `Result`, and the winners that the tag names.
    stated: Option<(usize, Option<String>)>,
    /// `true` once the result after the moves was parsed.
    has_ended: bool,
}

impl<'k> RecordParser<'k> {
    /// Starts a record from its tags.
    fn begin(
        game: Option<&Arc<dyn Game>>,
        kinds: &'k [&'k Kind],
        tags: Vec<(usize, &str, String)>,
    ) -> Result<RecordParser<'k>> {
        let of_name = |wanted: &[&str]| tags.iter().rev().find(|(_, name, _)| wanted.contains(name));
        // In PGN, `SetUp` only says whether `FEN` holds the position.
        let start = of_name(&["FEN"]).or_else(|| of_name(&["SetUp", "Position"]));
        let (known, open) = match (of_name(&["Rules"]), of_name(&["Game"]), game) {
            (Some((line, _, rules)), ..) => (in_line(*line, read_rules_of(kinds, rules))?, None),
            (None, Some((line, _, name)), _) => (in_line(*line, rules_named(kinds, name))?, None),
            (None, None, Some(game)) => (Arc::clone(game), None),
            (None, None, None) => {
                let mut games = kinds.iter().filter_map(|kind| read_rules_of(kinds, kind.name).ok());
                // Use the first game that can parse the start position. If there is none, the first
                // move decides the game.
                match start.and_then(|(_, _, start)| games.find(|game| game.read(start).is_ok())) {
                    Some(game) => (game, None),
                    None => (read_rules_of(kinds, kinds.first().map_or("", |kind| kind.name))?, Some(kinds)),
                }
            }
        };
        let result = of_name(&["Result"]);
        for (line, name, value) in &tags {
            let contradicts = match *name {
                "Rules" => in_line(*line, read_rules_of(kinds, value))?.rules() != known.rules(),
                "Game" => {
                    !value.eq_ignore_ascii_case(known.kind().title)
                        && rules_named(kinds, value).is_ok_and(|game| game.rules() != known.rules())
                }
                "Result" => {
                    result.is_some_and(|(.., last)| winners(&*known, value) != winners(&*known, last))
                }
                _ => start.is_some_and(|(_, other, last)| other == name && last != value),
            };
            if contradicts {
                let other =
                    if *name == "Result" { result } else { start }.filter(|(_, other, _)| other == name);
                let (value, says) = (shown(value), other.map_or(known.rules(), |(.., last)| shown(last)));
                return Text::wrong(*line, format!("[{name} \"{value}\"]: another tag says {says}"));
            }
        }
        let start = match start {
            Some((line, _, start)) => in_line(*line, known.read(start))?,
            None => known.start(),
        };
        let stated = match result {
            Some((line, _, result)) => {
                let wrong = || bad_input(format!("{}: {}", shown(result), results(&*known)));
                Some((*line, in_line(*line, winners(&*known, result).ok_or_else(wrong))?))
            }
            None => None,
        };
        let mut record = Record::new(known, start);
        let others = tags.into_iter().filter(|(_, name, value)| match *name {
            "Game" => value != title(&**record.game()) && names(&**record.game(), value),
            name => !OWN.contains(&name),
        });
        record.tags = others.map(|(_, name, value)| (name.to_owned(), value)).collect();
        Ok(RecordParser { record, kinds: open, stated, has_ended: false })
    }

    /// Chooses the first game that can play the first move, unless the game is known.
    fn choose(&mut self, word: &str) -> Result<()> {
        let Some(kinds) = self.kinds.take() else { return Ok(()) };
        let mut why = Vec::new();
        let mut games = kinds.iter().filter_map(|kind| read_rules_of(kinds, kind.name).ok());
        let game = games.find(|game| match game.play(&game.start(), word) {
            Ok(_) => true,
            // If the word is a move of the game, the error explains why the move can't be the
            // first.
            Err(error) if game.read_move(word).is_ok() => {
                why.push(format!("{} doesn't begin so: {error}", game.kind().title));
                false
            }
            Err(_) => false,
        });
        let Some(game) = game else {
            let why = if why.is_empty() { format!("this is no game: {EXPECTED}") } else { why.join("; ") };
            return Err(bad_input(format!("{}: {why}", shown(word))));
        };
        let start = game.start();
        let before = std::mem::replace(&mut self.record, Record::new(game, start));
        (self.record.tags, self.record.comment) = (before.tags, before.comment);
        Ok(())
    }

    /// Adds a token to the record.
    fn take(&mut self, token: Token) -> Result<()> {
        match token {
            Token::Tag(name, _) => Err(bad_input(format!("[{}: tags stand before the moves", shown(name)))),
            Token::Comment(comment) => {
                let of = match self.record.plies.last_mut() {
                    Some(ply) => &mut ply.note.comment,
                    None => &mut self.record.comment,
                };
                let comment = cleaned(comment);
                if !of.is_empty() && !comment.is_empty() {
                    of.push(' ');
                }
                of.push_str(&comment);
                Ok(())
            }
            Token::Mark(mark) => self.mark(mark),
            Token::Word(word) if self.has_ended => {
                Err(bad_input(format!("{}: the record ends with its result", shown(word))))
            }
            Token::Word(word) => {
                if let Some(winners) = winners(&**self.record.game(), word) {
                    self.has_ended = true;
                    return self.end(winners, word);
                }
                let (number, mv) = split_number(word);
                let (mv, mark) = split_mark(mv);
                if !mv.is_empty() {
                    self.choose(mv)?;
                }
                if let Some(number) = number {
                    let expected = self.record.rounds().last().copied().unwrap_or(1);
                    // Some programs count plies instead of rounds, so accept either number.
                    let ply = self.record.moves().len() + 1;
                    if !number.parse::<usize>().is_ok_and(|number| number == expected || number == ply) {
                        let found = shown(word);
                        return Err(bad_input(format!(
                            "{found}: this is move {expected}: expected {expected}."
                        )));
                    }
                }
                if !mv.is_empty() {
                    self.play(mv)?;
                }
                mark.map_or(Ok(()), |mark| self.mark(mark))
            }
        }
    }

    fn mark(&mut self, mark: u8) -> Result<()> {
        let ply = self.record.plies.last_mut();
        let ply = ply.ok_or_else(|| bad_input(format!("${mark}: a mark follows its move")))?;
        ply.note.marks.push(mark);
        Ok(())
    }

    fn play(&mut self, mv: &str) -> Result<()> {
        if mv.len() > MOST_SHOWN {
            return Err(bad_input(format!("{}: this is no move", shown(mv))));
        }
        self.record.play_text(mv)
    }

    /// Ends the game with the result that follows the moves.
    fn end(&mut self, winners: Option<String>, word: &str) -> Result<()> {
        if let Some((line, stated)) = &self.stated
            && *stated != winners
        {
            return Err(bad_input(format!("{word}: the tag in line {line} says otherwise")));
        }
        match (winners, self.record.over()) {
            (Some(winners), _) => self.record.end(&winners),
            (None, None) => Ok(()),
            (None, Some(over)) => {
                Err(bad_input(format!("{word}: the moves before end with: {}", over.words)))
            }
        }
    }

    /// Returns the record. The tag `Result` ends the game if no result followed the moves.
    fn finish(mut self) -> Result<Record> {
        if let Some((line, stated)) = self.stated.take().filter(|_| !self.has_ended) {
            in_line(line, self.end(stated, "Result"))?;
        }
        Ok(self.record)
    }
}

/// Splits a word into the number of a move and the text after its dots. Returns `None` and the
/// whole word if the word doesn't begin with a number and dots.
fn split_number(word: &str) -> (Option<&str>, &str) {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = word.split_at(digits);
    let mv = rest.trim_start_matches('.');
    if digits == 0 || mv.len() == rest.len() { (None, word) } else { (Some(number), mv) }
}

/// Splits a word into a move and the number of the mark at its end. The number is `None` if there
/// is no mark.
fn split_mark(word: &str) -> (&str, Option<u8>) {
    let sign = SIGNS.iter().find_map(|(sign, mark)| Some((word.strip_suffix(sign)?, Some(*mark))));
    sign.unwrap_or((word, None))
}

/// Returns the sides of a game: the seats that win and lose together.
fn sides(board: &Board) -> Vec<&str> {
    let of_first = |seat: char| Some(board.team(seat)).filter(|team| team.starts_with(seat));
    board.seats().chars().filter_map(of_first).collect()
}

/// Lists the possible results of a game, for error messages.
fn results(game: &dyn Game) -> String {
    format!("the results are {}, draw and *", sides(&game.board()).join(", "))
}

/// Parses a result. Returns the winners, or an empty text for a draw. Returns `Some(None)` if the
/// game isn't over, and `None` if the word is not a result.
fn winners(game: &dyn Game, word: &str) -> Option<Option<String>> {
    match word {
        "*" => return Some(None),
        "draw" => return Some(Some(String::new())),
        "" => return None,
        _ => {}
    }
    let board = game.board();
    let seats = board.seats();
    if let Some(&(_, winner)) = POINTS.iter().find(|(text, _)| *text == word) {
        let sides = sides(&board);
        return (sides.len() == 2).then(|| Some(sides.get(winner).copied().unwrap_or_default().to_owned()));
    }
    let known = word.chars().all(|c| seats.contains(c));
    let named: String = seats.chars().filter(|&seat| word.contains(seat)).collect();
    // A team wins together.
    let whole = named.chars().all(|seat| board.team(seat).chars().all(|mate| named.contains(mate)));
    (known && whole && named.len() == word.len() && named.len() < seats.len()).then_some(Some(named))
}

/// Returns the name of the game with exactly these rules, or the name of its kind if there is none.
pub(crate) fn title(game: &dyn Game) -> &'static str {
    // A title with a comma describes rules, which the tag `Rules` contains.
    let mut short = titles(game.kind()).map(|(title, _)| title).filter(|title| !title.contains(','));
    short.find(|title| names(game, title)).unwrap_or(game.kind().title)
}

/// Returns `true` if `name` is the name of a game with exactly the rules of `game`.
fn names(game: &dyn Game, name: &str) -> bool {
    rules_named(&[game.kind()], name).is_ok_and(|named| named.rules() == game.rules())
}

/// Replaces line breaks and braces, which would end a comment or tag.
fn cleaned(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| match c {
            '{' => '(',
            '}' => ')',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Joins words into lines of at most [`COLUMNS`] characters. A longer word has a line of its own.
fn filled(words: &[String]) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let width = word.chars().count();
        if column > 0 {
            let fits = column + 1 + width <= COLUMNS;
            text.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        text += word;
        column += width;
    }
    text
}

/// Returns the words of a comment with its braces, or an empty list if the comment is empty.
fn comment_words(comment: &str) -> Vec<String> {
    let comment = cleaned(comment);
    if comment.is_empty() {
        return Vec::new();
    }
    format!("{{{comment}}}").split(' ').map(str::to_owned).collect()
}

/// Checks that a text is short enough to be parsed again.
pub(crate) fn checked(text: String) -> Result<String> {
    let bytes = text.len();
    let message = format!("the record has {bytes} bytes, but at most {MAX_RECORD} can be read: shorten it");
    if bytes <= MAX_RECORD { Ok(text) } else { Err(bad_input(message)) }
}

impl Record {
    /// Returns the tags `own`, one per line, then the record's other tags and a blank line.
    pub(crate) fn write_tags(&self, own: &[(&str, &str)]) -> String {
        let mut text = String::new();
        let mut write = |name: &str, value: &str| {
            let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            // Ignore the result, because writing to a `String` can't fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        own.iter().for_each(|(name, value)| write(name, value));
        for (name, value) in &self.tags {
            let name: String =
                name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { ' ' }).collect();
            let name = cleaned(&name);
            if !name.is_empty() && !OWN.contains(&name.as_str()) {
                write(&name, value);
            }
        }
        text + "\n"
    }

    /// Returns the text of the record, which [`Record::read`] can parse.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if tags and comments make the text longer than
    /// [`MAX_RECORD`](super::MAX_RECORD) bytes.
    pub fn write(&self) -> Result<String> {
        let (game, start) = (self.game(), self.start().text.as_str());
        let result = match self.over() {
            None => "*",
            Some(over) if over.winners.is_empty() => "draw",
            Some(over) => &over.winners,
        };
        let rules = game.rules();
        let named = self.tags.iter().rev().find(|(name, value)| name == "Game" && names(&**game, value));
        let title = named.map_or(title(&**game), |(_, value)| value);
        let mut tags = vec![("Game", title), ("Rules", &rules)];
        if start != game.board().start {
            tags.push(("SetUp", start));
        }
        tags.push(("Result", result));
        let text = self.write_tags(&tags);
        let mut words = comment_words(&self.comment);
        let mut before = 0;
        for (ply, round) in self.plies.iter().zip(self.rounds()) {
            if round != before {
                words.push(format!("{round}."));
                before = round;
            }
            words.push(ply.mv.clone());
            words.extend(ply.note.marks.iter().map(|mark| format!("${mark}")));
            words.extend(comment_words(&ply.note.comment));
        }
        words.push(result.to_owned());
        checked(text + &filled(&words) + "\n")
    }
}
