//! Positions, moves and pasted texts, without values. Texts are those that the command line reads and
//! prints.

use pentago_games::{Draw, Ending, Game, KINDS, Position, Record, read_rules};
use serde::Serialize;

/// The longest text that is read, in bytes.
const MOST_BYTES: usize = 65_536;

/// A position and its moves.
#[derive(Serialize)]
pub struct Look {
    position: String,
    rules: String,
    to_move: char,
    /// The number of perfect-pentago.net.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    diagram: String,
    over: Option<Over>,
    moves: Vec<Played>,
}

/// How a game ended: the seats that won, none for a draw.
#[derive(Serialize)]
struct Over {
    winners: Vec<char>,
}

impl Over {
    fn of(ending: &Ending) -> Over {
        Over { winners: ending.winners.chars().collect() }
    }
}

/// A move, the position that it leads to, and whether it ends the game.
#[derive(Serialize)]
struct Played {
    #[serde(rename = "move")]
    text: String,
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<Over>,
}

/// A position and its moves.
///
/// # Errors
/// What is wrong with the text.
pub fn look(game: &dyn Game, text: &str) -> Result<Look, pentago::Error> {
    let position = game.read(text)?;
    let moves = if position.over.is_some() { Vec::new() } else { game.moves(&position) };
    let played = |text: String| {
        let Position { text: position, over, .. } = game.play(&position, &text)?;
        Ok(Played { text, position, over: over.as_ref().map(Over::of) })
    };
    Ok(Look {
        rules: game.rules(),
        to_move: position.to_move,
        number: game.number(&position),
        diagram: game.diagram(&position).trim_end().to_owned(),
        over: position.over.as_ref().map(Over::of),
        moves: moves.into_iter().map(played).collect::<Result<_, pentago::Error>>()?,
        position: position.text.clone(),
    })
}

/// A position alone.
#[derive(Serialize)]
pub struct Drawn {
    position: String,
}

/// A random position in which nobody wins at once.
///
/// # Errors
/// If there is none.
pub fn random(game: &dyn Game, marbles: u64, seed: u64) -> Result<Drawn, pentago::Error> {
    let marbles = usize::try_from(marbles).unwrap_or(usize::MAX);
    let drawn = game.random(&Draw { marbles, seed, quiet: true })?.next();
    let none = || pentago::Error::new(pentago::ErrorKind::Missing, "no position was found");
    Ok(Drawn { position: drawn.ok_or_else(none)??.text })
}

/// What a pasted text says: rules, a first position, and moves.
#[derive(Serialize)]
pub struct Pasted {
    rules: String,
    start: String,
    moves: Vec<String>,
    position: String,
}

/// Reads a pasted text: a position in any notation, a saved game, or a list of moves.
///
/// # Errors
/// What is wrong with it.
pub fn read(rules: &str, text: &str) -> Result<Pasted, String> {
    if text.len() > MOST_BYTES {
        return Err("the text is too long".into());
    }
    let words_of = |error: pentago::Error| error.to_string();
    let game = read_rules(rules_for(rules, text)).map_err(words_of)?;
    // A position alone may be of another form than a game's.
    let record = match game.read(text) {
        Ok(position) => Record::new(game, position),
        Err(error) => match Record::read_as(Some(&game), KINDS, text) {
            Ok(record) => record,
            Err(_) if !looks_like_a_game(text) => return Err(error.to_string()),
            Err(error) => return Err(error.to_string()),
        },
    };
    Ok(Pasted {
        rules: record.game().rules(),
        start: record.start().text.clone(),
        moves: record.moves().map(str::to_owned).collect(),
        position: record.position().text.clone(),
    })
}

/// Whether a text is meant as a game rather than as a position: it begins with tags, the number of a
/// move, or a move.
fn looks_like_a_game(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '.');
    let mut bytes = text.bytes();
    let first = bytes.next();
    first.is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next().is_some_and(|b| b.is_ascii_digit())
        || ["[", "{", "rules ", "game "].iter().any(|begins| text.starts_with(begins))
}

/// The rules by which a position is read: the given ones if their board has as many rows, else those
/// of the first preset whose board has.
fn rules_for<'r>(rules: &'r str, text: &str) -> &'r str {
    let rows = text.split_whitespace().next().unwrap_or_default().split('/').count();
    let has = |name: &str| read_rules(name).is_ok_and(|game| game.board().rows == rows);
    if rows == 1 || has(rules) {
        return rules;
    }
    let mut presets = KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name);
    presets.find(|name| has(name)).unwrap_or(rules)
}
