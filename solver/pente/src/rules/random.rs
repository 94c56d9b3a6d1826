//! Random positions for tests and measurements, reproducible from a seed on every machine.
//!
//! Each position comes from random play. If the game ends before the position has enough stones,
//! the generator starts another game. The random numbers come from ChaCha with 8 rounds, with a key
//! derived from the seed.

use super::lines::DIRECTIONS;
use super::{Outcome, Point, PointSet, Position, Rules};
use pentago_base::{Draws, Random, RandomError};

/// The largest number of random games that are played to find one position.
const TRIES: u32 = 10_000;

/// The way in which a random game chooses its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayStyle {
    /// All legal moves are equally likely.
    Uniform,
    /// Most moves are near the latest stones. Moves that make or block long runs, or that capture,
    /// are preferred. The positions contain fours, threes and pairs like those of real games.
    Purposeful,
}

/// Returns `count` random positions with `stones` stones on the board, in which the game is not
/// over.
///
/// Each position is the first position with `stones` stones in a random game. With `quiet`, the
/// side to move has no immediate win. The positions are independent, so a position can occur twice.
///
/// # Errors
/// If `stones` stones leave no free point on the board, or ten thousand games in a row contain no
/// such position.
pub fn positions(
    rules: &Rules,
    style: PlayStyle,
    stones: usize,
    count: usize,
    seed: u64,
    quiet: bool,
) -> Result<Vec<Position>, RandomError> {
    stream(rules, style, stones, seed, quiet)?.take(count).collect()
}

/// Returns an endless iterator over random positions, which are chosen as in [`positions`].
///
/// # Errors
/// If `stones` stones leave no free point on the board. An item is an error if ten thousand games
/// in a row contain no such position.
pub fn stream(
    rules: &Rules,
    style: PlayStyle,
    stones: usize,
    seed: u64,
    quiet: bool,
) -> Result<impl Iterator<Item = Result<Position, RandomError>> + '_, RandomError> {
    let (what, asked, most) = ("stones", stones, rules.points() - 1);
    Draws { what, asked, most, quiet, seed, tries: TRIES }.positions(move |random| {
        game(rules, style, stones, random).filter(|p| !(quiet && wins_immediately(rules, p)))
    })
}

/// Plays a random game. Returns the first position with `stones` stones, or `None` if the game ends
/// earlier.
fn game(rules: &Rules, style: PlayStyle, stones: usize, random: &mut Random) -> Option<Position> {
    let mut position = rules.start();
    let mut last: Vec<Point> = Vec::new();
    while position.occupied().len() < stones {
        let m = match style {
            PlayStyle::Uniform => uniform(&rules.moves(&position), random)?,
            PlayStyle::Purposeful => purposeful(rules, &position, &last, random)?,
        };
        last.push(m);
        let played = rules.play(&position, m).ok()?;
        if played.outcome.is_some() {
            return None;
        }
        position = played.position;
    }
    Some(position)
}

fn uniform(moves: &[Point], random: &mut Random) -> Option<Point> {
    if moves.is_empty() { None } else { Some(moves[random.below(moves.len())]) }
}

/// Draws six candidates, mostly near the latest stones. Returns the candidate that extends or
/// blocks the longest runs and captures the most stones. The function chooses a move that ends the
/// game only if every candidate ends the game.
fn purposeful(rules: &Rules, p: &Position, last: &[Point], random: &mut Random) -> Option<Point> {
    let moves = rules.moves(p);
    let recent = &last[last.len().saturating_sub(6)..];
    let near: Vec<Point> =
        moves.iter().copied().filter(|&m| recent.iter().any(|&r| rules.distance(m, r) <= 3)).collect();
    let from = if near.is_empty() || random.below(16) == 0 { &moves } else { &near };
    let mut best = None;
    for _ in 0..6 {
        let m = uniform(from, random)?;
        let after = rules.place(p, m);
        let runs = |stones: &PointSet| -> usize {
            let run = |&(df, dr)| rules.run(stones, m, (df, dr), 4) + rules.run(stones, m, (-df, -dr), 4);
            DIRECTIONS[..4].iter().map(|direction| run(direction).pow(2)).sum()
        };
        let score = runs(p.stones(p.to_move)) + runs(p.stones(p.to_move.other())) + 3 * after.taken.len();
        if after.outcome.is_none() && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, m));
        }
    }
    best.map(|(_, m)| m).or_else(|| uniform(from, random))
}

/// Returns `true` if the side to move has an immediate win.
fn wins_immediately(rules: &Rules, p: &Position) -> bool {
    rules.placements(p).any(|m| rules.place(p, m).outcome == Some(Outcome::Win(p.to_move)))
}
