//! A pasted text: a position in any notation, a saved game, or a list of moves.

use crate::boards::Game;
use crate::json::{self, object};
use crate::play::Play;

/// The longest text that is read, in bytes.
const MOST_BYTES: usize = 65_536;

/// What a text says: rules, a first position, and moves, as JSON.
///
/// # Errors
/// What is wrong with it.
pub fn read(rules: &str, text: &str) -> Result<String, String> {
    if text.len() > MOST_BYTES {
        return Err("the text is too long".into());
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let field = |key: &str| {
        lines().find_map(|line| line.split_once(char::is_whitespace).filter(|(word, _)| *word == key))
    };
    if let Some((_, rules)) = field("rules") {
        let game = Game::read(rules)?;
        let start = field("start").map(|(_, start)| start.to_owned());
        let moves: Vec<&str> = lines().filter(|line| !is_field(line)).flat_map(words).collect();
        return in_game(&game, start.as_deref(), &moves);
    }
    if text.trim_start().starts_with('[') {
        return record(text);
    }
    let game = Game::read(&rules_for(rules, text))?;
    let position = in_game(&game, Some(text), &[]);
    let moves: Vec<&str> = text.split_whitespace().flat_map(words).collect();
    match position {
        Err(_) if moves.first().is_some_and(|first| looks_like_a_move(first)) => in_game(&game, None, &moves),
        position => position,
    }
}

/// Whether a line of a saved game is one of its first two.
fn is_field(line: &str) -> bool {
    line.starts_with("rules ") || line.starts_with("start ")
}

/// The moves on a line: numbers of moves, as in `1. c4/2+`, are skipped.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty() && !word.trim_end_matches('.').bytes().all(|b| b.is_ascii_digit()))
}

fn looks_like_a_move(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next().is_some_and(|b| b.is_ascii_digit())
}

/// The rules by which a position is read: the given ones, or where it has another number of rows
/// than they have, those of the game with so many.
fn rules_for(rules: &str, text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let rows = first.split('/').count();
    let game = rules.split([':', '-']).next().unwrap_or_default();
    let other = match rows {
        4 if game != "mini" && game != "pente" => "mini",
        6 if game != "pentago" && game != "pente" => "pentago",
        9 if game != "xl" && game != "pente" => "xl",
        19 => "pente",
        _ => rules,
    };
    other.to_owned()
}

/// A record of a game of Pente, as pente.org writes it.
fn record(text: &str) -> Result<String, String> {
    let record = pentago_games::Record::read(pentago_games::KINDS, text).map_err(|e| e.to_string())?;
    let moves: Vec<&str> = record.moves().collect();
    in_game(&Game::read(&record.game().rules())?, Some(&record.start().text), &moves)
}

fn in_game(game: &Game, start: Option<&str>, moves: &[&str]) -> Result<String, String> {
    match game {
        Game::Pentago(rules) => played(rules, game, rules.start(), start, moves),
        Game::Xl(rules) => played(rules, game, pentago_xl::Position::EMPTY, start, moves),
        Game::Pente(rules) => played(rules, game, pentago_pente::Position::EMPTY, start, moves),
    }
}

/// Plays the moves, and says what they are in canonical texts.
fn played<G: Play>(
    rules: &G,
    game: &Game,
    empty: G::Position,
    start: Option<&str>,
    moves: &[&str],
) -> Result<String, String> {
    let start = start.map_or(Ok(empty), |text| rules.position(text))?;
    let mut position = start.clone();
    let mut over = rules.end(&position).is_some();
    let mut texts = Vec::new();
    for (i, text) in moves.iter().enumerate() {
        let place = |error: String| format!("move {}, {text}: {error}", i + 1);
        if over {
            return Err(place("the game is over".into()));
        }
        let m = rules.read_move(text).map_err(place)?;
        let (after, end) = rules.play(&position, m).map_err(place)?;
        over = end.is_some();
        position = after;
        texts.push(rules.move_text(m));
    }
    Ok(object(|o| {
        o.text("rules", &game.text());
        o.text("start", &rules.text(&start));
        o.raw("moves", &json::texts(&texts));
        o.text("position", &rules.text(&position));
    }))
}
