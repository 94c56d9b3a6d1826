//! Positions, moves and pasted text of all games, without values. The notations are those of the
//! command line.

use pentago_games::{Draw, Ending, Game, KINDS, Record, read_rules};
use serde::Serialize;

/// The maximum length of a pasted text in bytes.
const MAX_BYTES: usize = 65_536;

/// A position, and its moves.
#[derive(Serialize)]
pub struct PositionReport {
    position: String,
    rules: String,
    to_move: char,
    /// The number of the position at perfect-pentago.net.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    diagram: String,
    over: Option<EndingReport>,
    moves: Vec<MoveReport>,
}

/// The end of a game.
#[derive(Serialize)]
struct EndingReport {
    /// The seats that won. Empty for a draw.
    winners: Vec<char>,
}

impl EndingReport {
    fn new(ending: &Ending) -> EndingReport {
        EndingReport { winners: ending.winners.chars().collect() }
    }
}

/// A move, and the position after it.
#[derive(Serialize)]
struct MoveReport {
    #[serde(rename = "move")]
    text: String,
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<EndingReport>,
}

/// Parses a position, and returns it with its moves.
///
/// # Errors
/// If the position is invalid.
pub fn look(game: &dyn Game, text: &str) -> Result<PositionReport, pentago::Error> {
    let position = game.read(text)?;
    let mut moves = Vec::new();
    if position.over.is_none() {
        for text in game.moves(&position) {
            let after = game.play(&position, &text)?;
            let over = after.over.as_ref().map(EndingReport::new);
            moves.push(MoveReport { text, position: after.text, over });
        }
    }
    Ok(PositionReport {
        rules: game.rules(),
        to_move: position.to_move,
        number: game.number(&position),
        diagram: game.diagram(&position).trim_end().to_owned(),
        over: position.over.as_ref().map(EndingReport::new),
        moves,
        position: position.text,
    })
}

/// Returns a random position in which no side wins with one move.
///
/// # Errors
/// If no such position is found.
pub fn random(game: &dyn Game, marbles: u64, seed: u64) -> Result<String, pentago::Error> {
    let marbles = usize::try_from(marbles).unwrap_or(usize::MAX);
    let drawn = game.random(&Draw { marbles, seed, quiet: true })?.next();
    let none = || pentago::Error::new(pentago::ErrorKind::Missing, "no position was found");
    Ok(drawn.ok_or_else(none)??.text)
}

/// A pasted game, or a pasted position without moves.
#[derive(Serialize)]
pub struct RecordReport {
    rules: String,
    start: String,
    moves: Vec<String>,
    position: String,
}

/// Parses a pasted text: a position in any notation, a saved game, or a list of moves.
///
/// # Errors
/// If the text is too long or invalid.
pub fn read(rules: &str, text: &str) -> Result<RecordReport, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("the text is too long: at most {MAX_BYTES} bytes are allowed"));
    }
    let game = read_rules(rules_for(rules, text)).map_err(|error| error.to_string())?;
    // Some notations of positions cannot begin a game, so parse the text as a position first.
    let record = match game.read(text) {
        Ok(position) => Record::new(game, position),
        Err(position_error) => Record::read_as(Some(&game), KINDS, text).map_err(|record_error| {
            let error = if looks_like_a_game(text) { record_error } else { position_error };
            error.to_string()
        })?,
    };
    Ok(RecordReport {
        rules: record.game().rules(),
        start: record.start().text.clone(),
        moves: record.moves().map(str::to_owned).collect(),
        position: record.position().text.clone(),
    })
}

/// Returns `true` if a text begins like a game: with a tag, the number of a move, or a move.
fn looks_like_a_game(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '.');
    let mut bytes = text.bytes();
    let first = bytes.next();
    first.is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next().is_some_and(|b| b.is_ascii_digit())
        || ["[", "{", "rules ", "game "].iter().any(|start| text.starts_with(start))
}

/// Returns the rules for parsing a pasted position: the given rules if their board has as many rows as
/// the text, else the first preset with such a board.
fn rules_for<'r>(rules: &'r str, text: &str) -> &'r str {
    let rows = text.split_whitespace().next().unwrap_or_default().split('/').count();
    let fits = |name: &str| read_rules(name).is_ok_and(|game| game.board().rows == rows);
    if rows == 1 || fits(rules) {
        return rules;
    }
    let mut presets = KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name);
    presets.find(|name| fits(name)).unwrap_or(rules)
}
