//! Random positions, for tests and measurements: the same from the same seed on every machine.
//!
//! Each comes from random play, thrown away if its game is over. The generator is ChaCha with 8
//! rounds, its key derived from the seed.

use super::lines::DIRECTIONS;
use super::{Outcome, Point, PointSet, Position, Rules};
use pentago_base::{Draws, Random, RandomError};

/// The most games for one position.
const TRIES: u32 = 10_000;

/// How the moves of a random game are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlayStyle {
    /// All legal moves are equally likely.
    #[default]
    Uniform,
    /// Mostly near the last stones, and a move that wins or captures is often taken: such positions
    /// hold fours, threes and pairs as those of real games do.
    Purposeful,
}

/// `count` random positions with `stones` stones on the board where the game is not over: the first
/// with `stones` in a random game, captures played as they come. With `quiet` only such where the
/// player to move has no move that wins at once. They are independent, so the same one may come
/// twice.
///
/// # Errors
/// If the board has no free point with that number of stones, or ten thousand games in a row give no
/// such position.
pub fn positions(
    rules: &Rules,
    play: PlayStyle,
    stones: usize,
    count: usize,
    seed: u64,
    quiet: bool,
) -> Result<Vec<Position>, RandomError> {
    stream(rules, play, stones, seed, quiet)?.take(count).collect()
}

/// The same one after the other, without end.
///
/// # Errors
/// As for [`positions`].
pub fn stream(
    rules: &Rules,
    play: PlayStyle,
    stones: usize,
    seed: u64,
    quiet: bool,
) -> Result<impl Iterator<Item = Result<Position, RandomError>> + '_, RandomError> {
    let (what, asked, most) = ("stones", stones, rules.points() - 1);
    Draws { what, asked, most, quiet, seed, tries: TRIES }.positions(move |random| {
        game(rules, play, stones, random).filter(|p| !(quiet && wins_at_once(rules, p)))
    })
}

/// The first position with so many stones in a random game, if the game gets so far.
fn game(rules: &Rules, play: PlayStyle, stones: usize, random: &mut Random) -> Option<Position> {
    let mut position = rules.start();
    let mut last: Vec<Point> = Vec::new();
    while position.occupied().len() < stones {
        let m = match play {
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

/// Of some candidates near the last stones the one that extends or blocks the longest rows and
/// captures most; no win is taken, so that the game goes on.
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
        let ends = after.outcome.is_some();
        let rows = |own: &PointSet| -> usize {
            let runs = |&(df, dr)| rules.run(own, m, (df, dr), 4) + rules.run(own, m, (-df, -dr), 4);
            DIRECTIONS[..4].iter().map(|direction| runs(direction).pow(2)).sum()
        };
        let score = rows(p.stones(p.to_move)) + rows(p.stones(p.to_move.other())) + 3 * after.taken.len();
        if !ends && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, m));
        }
    }
    best.map(|(_, m)| m).or_else(|| uniform(from, random))
}

/// Returns whether some move of the player to move wins at once.
fn wins_at_once(rules: &Rules, p: &Position) -> bool {
    rules.placements(p).any(|m| rules.place(p, m).outcome == Some(Outcome::Win(p.to_move)))
}
