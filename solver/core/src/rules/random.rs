//! Random positions for tests and benchmarks, reproducible from a seed on every machine.
//!
//! Each position is drawn uniformly from all positions with the given number of marbles and no turn
//! pending. X has half of the marbles, rounded up. If the game is over in the position, another
//! position is drawn. Some of the positions can't be reached in play. The random number generator
//! is ChaCha with 8 rounds; its key is derived from the seed.

use super::{Board, Color, Outcome, Position, Rules, Socket};
use pentago_base::{Draws, Random, RandomError};

/// The maximum number of draws for one position.
const TRIES: u32 = 1_000_000;

/// Returns `count` random positions with `marbles` marbles in which the game is not over. If
/// `quiet` is `true`, the player to move has no immediate win. The positions are independent, so a
/// position may occur twice.
///
/// # Errors
/// If `marbles` marbles leave no socket free, or a million draws in a row are rejected.
pub fn positions(
    rules: &Rules,
    marbles: u32,
    count: usize,
    seed: u64,
    quiet: bool,
) -> Result<Vec<Position>, RandomError> {
    stream(*rules, marbles, seed, quiet)?.take(count).collect()
}

/// Returns an endless iterator over the positions that [`positions`] returns.
///
/// # Errors
/// If `marbles` marbles leave no socket free. An item is an error if a million draws in a row are
/// rejected.
pub fn stream(
    rules: Rules,
    marbles: u32,
    seed: u64,
    quiet: bool,
) -> Result<impl Iterator<Item = Result<Position, RandomError>>, RandomError> {
    let (what, asked, most) = ("marbles", marbles as usize, rules.shape.sockets() - 1);
    Draws { what, asked, most, quiet, seed, tries: TRIES }.positions(move |random| {
        let drawn = position(&rules, asked, random);
        let fits = rules.outcome(&drawn).is_none() && !(quiet && wins_at_once(&rules, &drawn));
        fits.then_some(drawn)
    })
}

/// Draws a position: shuffles the sockets and uses the first `marbles` of them. The first half of
/// these sockets, rounded up, holds X. The others hold O.
fn position(rules: &Rules, marbles: usize, random: &mut Random) -> Position {
    let shape = rules.shape;
    let mut sockets: Vec<Socket> = shape.sockets_of(shape.board_mask()).collect();
    let mut board = Board::EMPTY;
    for i in 0..marbles {
        let left = sockets.len() - i;
        sockets.swap(i, i + random.below(left));
        board = board.with(if i < marbles.div_ceil(2) { Color::X } else { Color::O }, sockets[i]);
    }
    Position::of(shape, board).expect("X has half of the marbles, rounded up")
}

/// Returns `true` if some move wins immediately, by its placement or by its turn.
fn wins_at_once(rules: &Rules, p: &Position) -> bool {
    if rules.winning_placements(p) != 0 {
        return true;
    }
    rules.moves(p).into_iter().any(|m| {
        let played = rules.play(p, m).expect("a generated move is legal");
        played.outcome == Some(Outcome::Win(p.to_move()))
    })
}
