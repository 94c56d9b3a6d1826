//! Puzzles: positions in which only one move wins.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use pentago_games::{Draw, read_rules_of};
use serde::Deserialize;

use crate::api::{Parameters, Shared, json};
use crate::clients::Client;
use crate::failure::Failure;
use crate::service::Question;

/// Positions that are tried.
const TRIES: usize = 400;
/// The time for them.
const TIME: Duration = Duration::from_secs(20);
/// The largest board, in sockets.
const MOST_SOCKETS: usize = 81;
/// The most empty sockets of a board with more than 16: a position with more of them takes too long to
/// solve for a puzzle.
const MOST_EMPTY: usize = 14;
/// Empty sockets, if no number of marbles is asked for: of a board with at most 16, and of larger ones.
const USUAL_EMPTY: [usize; 2] = [7, 10];

/// Which puzzle is asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    #[serde(default)]
    rules: Option<String>,
    #[serde(default)]
    marbles: Option<usize>,
    #[serde(default)]
    seed: u64,
}

/// A position of so many marbles in which only one move wins, and not at once: the same for the same
/// rules, marbles and seed. The answer has the position and no solution.
pub(crate) async fn puzzle(
    State(shared): State<Shared>,
    client: Client,
    Parameters(which): Parameters<Which>,
) -> Result<Response, Failure> {
    let service = &shared.service;
    let rules = which.rules.as_deref().unwrap_or("pentago");
    let failure = |error: pentago::Error| Failure::of(&error);
    let game = read_rules_of(service.config.kinds, rules).map_err(failure)?;
    let rules = game.rules();
    let only = &service.config.rules;
    if !only.is_empty() && !only.contains(&rules) {
        return Err(Failure::input(format!("this server answers for {} only", only.join(", "))));
    }
    let board = game.board();
    let sockets = board.rows * board.columns;
    if sockets > MOST_SOCKETS {
        let most = format!("puzzles are of boards with at most {MOST_SOCKETS} sockets, not {sockets}");
        return Err(Failure::input(most));
    }
    let empty = USUAL_EMPTY[usize::from(sockets > 16)];
    let marbles = which.marbles.unwrap_or(sockets.saturating_sub(empty));
    let least = if sockets > 16 { sockets - MOST_EMPTY } else { 0 };
    if marbles < least {
        let most = sockets - 1;
        return Err(Failure::input(format!("puzzles have {least} to {most} marbles, not {marbles}")));
    }
    let end = Instant::now() + TIME;
    for attempt in 0..TRIES {
        let seed = which.seed.wrapping_mul(TRIES as u64).wrapping_add(attempt as u64);
        let drawn = game.random(&Draw { marbles, seed, quiet: true }).map_err(failure)?.next();
        let Some(position) = drawn.transpose().map_err(failure)? else { continue };
        let question = Question { game: game.clone(), position, distance: false, seconds: None };
        let stored = service.answer(&question, client).await?;
        let position = &question.position;
        if wins(&stored.body) == Some(1) {
            let puzzle = serde_json::json!({
                "position": position.text,
                "rules": rules,
                "to_move": position.to_move.to_string(),
                "marbles": marbles,
                "seed": which.seed,
                "task": "only one move wins",
            });
            return Ok(json(&puzzle, "public, max-age=604800"));
        }
        if Instant::now() > end {
            break;
        }
    }
    let none = "in which only one move wins was found: try another seed or number of marbles";
    Err(Failure::NotFound(format!("no position with {marbles} marbles {none}")))
}

/// How many moves of an answer win; none if it isn't complete.
fn wins(body: &[u8]) -> Option<usize> {
    #[derive(Deserialize)]
    struct Moves {
        moves: Vec<Valued>,
    }
    #[derive(Deserialize)]
    struct Valued {
        value: String,
    }
    let answer: Moves = serde_json::from_slice(body).ok()?;
    let known = answer.moves.iter().all(|m| m.value != "unknown");
    known.then(|| answer.moves.iter().filter(|m| m.value == "win").count())
}
