//! Puzzles: positions in which only one move wins.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use pentago::rules::{Rules, random};
use serde::Deserialize;

use crate::api::{Parameters, Shared, json};
use crate::clients::Client;
use crate::failure::Failure;
use crate::games::{Asked, Question};

/// Positions that are tried.
const TRIES: usize = 400;
/// The time for them.
const TIME: Duration = Duration::from_secs(20);
/// The least number of marbles on 36 sockets: a position with fewer takes too long to solve for a
/// puzzle.
const LEAST: u32 = 22;

/// Which puzzle is asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    #[serde(default)]
    rules: Option<String>,
    #[serde(default)]
    marbles: Option<u32>,
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
    let rules: Rules = rules.parse().map_err(|error| Failure::parse(&error))?;
    let only = &service.config.rules;
    if !only.is_empty() && !only.contains(&rules.to_string()) {
        return Err(Failure::input(format!("this server answers for {} only", only.join(", "))));
    }
    let large = rules.shape.sockets() > 16;
    let marbles = which.marbles.unwrap_or(if large { 26 } else { 6 });
    if large && marbles < LEAST {
        return Err(Failure::input(format!("puzzles have {LEAST} to 35 marbles, not {marbles}")));
    }
    let end = Instant::now() + TIME;
    for attempt in 0..TRIES {
        let seed = which.seed.wrapping_mul(TRIES as u64).wrapping_add(attempt as u64);
        let drawn = random::positions(&rules, marbles, 1, seed, true);
        let drawn = drawn.map_err(|error| Failure::input(error.to_string()))?;
        let Some(&position) = drawn.first() else { continue };
        let asked = Asked::Pentago(rules, position);
        let stored = service.answer(&Question { asked, distance: false }, client).await?;
        if wins(&stored.body) == Some(1) {
            let puzzle = serde_json::json!({
                "position": rules.format_position(&position),
                "rules": rules.to_string(),
                "to_move": position.to_move().letter().to_string(),
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
    Err(Failure::input(format!("no such position with {marbles} marbles was found: try another seed")))
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
