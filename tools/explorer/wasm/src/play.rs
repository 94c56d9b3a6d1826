//! Positions, moves and pasted text of all games, without values. The notations are the same as on
//! the command line.

use pentago_games::{Draw, Ending, Game, KINDS, Record, read_rules};
use serde_json::{Value, json};

/// Returns the outcome of a finished game: the list of the seats that won, empty for a draw.
fn ending(ending: &Ending) -> Value {
    json!({ "winners": ending.winners.chars().collect::<Vec<char>>() })
}

/// Parses a position. Returns the position and its moves.
///
/// # Errors
/// If the position is invalid.
pub fn look(game: &dyn Game, text: &str) -> Result<Value, pentago::Error> {
    let position = game.read(text)?;
    let mut moves = Vec::new();
    if position.over.is_none() {
        for text in game.moves(&position) {
            let after = game.play(&position, &text)?;
            let mut report = json!({ "move": text, "position": after.text });
            if let Some(over) = &after.over {
                report["over"] = ending(over);
            }
            moves.push(report);
        }
    }
    let mut report = json!({
        "position": position.text, "rules": game.rules(), "to_move": position.to_move,
        "diagram": game.diagram(&position).trim_end(), "over": position.over.as_ref().map(ending),
        "moves": moves,
    });
    // Add the number that perfect-pentago.net uses for the position.
    if let Some(number) = game.number(&position) {
        report["number"] = number.into();
    }
    Ok(report)
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

/// Parses a pasted text: a position in any notation, a saved game, or a list of moves. Returns the
/// game, which has no moves if the text is a position.
///
/// # Errors
/// If the text is too long or invalid.
pub fn read(rules: &str, text: &str) -> Result<Value, String> {
    let game = read_rules(rules_for(rules, text)).map_err(|error| error.to_string())?;
    // Some notations of positions cannot begin a game, so parse the text as a position first.
    let record = match game.read(text) {
        Ok(position) => Record::new(game, position),
        Err(position_error) => Record::read_as(Some(&game), KINDS, text).map_err(|record_error| {
            let error = if looks_like_a_game(text) { record_error } else { position_error };
            error.to_string()
        })?,
    };
    Ok(json!({
        "rules": record.game().rules(), "start": record.start().text,
        "moves": record.moves().collect::<Vec<&str>>(), "position": record.position().text,
    }))
}

/// Returns `true` if a text begins like a game: with a tag, a move number, or a move.
fn looks_like_a_game(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '.');
    let mut bytes = text.bytes();
    let first = bytes.next();
    first.is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next().is_some_and(|b| b.is_ascii_digit())
        || ["[", "{", "rules ", "game "].iter().any(|start| text.starts_with(start))
}

/// Returns the rules for parsing a pasted position. If the board of `rules` has as many rows as the
/// text, returns `rules`; otherwise, the first preset whose board has this number of rows.
fn rules_for<'r>(rules: &'r str, text: &str) -> &'r str {
    let word = text.split(|c: char| c.is_whitespace() || c == ',').find(|word| !word.is_empty());
    let rows = word.unwrap_or_default().split('/').count();
    let fits = |name: &str| read_rules(name).is_ok_and(|game| game.board().rows == rows);
    if rows == 1 || fits(rules) {
        return rules;
    }
    let mut presets = KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name);
    presets.find(|name| fits(name)).unwrap_or(rules)
}
