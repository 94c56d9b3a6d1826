//! Random positions for tests and benchmarks, reproducible from a seed on every machine.
//!
//! Each position is drawn uniformly from all positions with the given number of marbles (X has half
//! of them, rounded up) and no turn pending, and rejected if its game is over. Some of them can't
//! be reached in play. The generator is ChaCha with 8 rounds, its key derived from the seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Board, Outcome, Position, Rules};

/// Maximum number of draws for one position.
pub const TRIES: u32 = 1_000_000;

/// Why there are no such positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RandomError {
    /// A game on a full board is over.
    #[error("a game that isn't over has at most {most} marbles, not {marbles}")]
    TooManyMarbles {
        /// The requested number of marbles.
        marbles: u32,
        /// The largest possible number.
        most: u32,
    },
    /// Such positions are too rare, or there are none.
    #[error(
        "no {}position with {marbles} marbles in an unfinished game was found in {TRIES} draws",
        if *quiet { "quiet " } else { "" }
    )]
    NotFound {
        /// The requested number of marbles.
        marbles: u32,
        /// Whether quiet positions were requested.
        quiet: bool,
    },
}

/// `count` random positions with `marbles` marbles where the game is not over; with `quiet`, only
/// those in which the player to move has no immediate win. They are independent, so the same one
/// may occur twice.
///
/// # Errors
/// If `marbles` marbles leave no socket free, or [`TRIES`] draws in a row give no such position.
pub fn positions(
    rules: &Rules,
    marbles: u32,
    count: usize,
    seed: u64,
    quiet: bool,
) -> Result<Vec<Position>, RandomError> {
    stream(*rules, marbles, seed, quiet)?.take(count).collect()
}

/// The same positions one after the other, without end.
///
/// # Errors
/// If `marbles` marbles leave no socket free. Each position is an error if [`TRIES`] draws in a row
/// give none.
pub fn stream(
    rules: Rules,
    marbles: u32,
    seed: u64,
    quiet: bool,
) -> Result<impl Iterator<Item = Result<Position, RandomError>>, RandomError> {
    let most = rules.shape.sockets() as u32 - 1;
    if marbles > most {
        return Err(RandomError::TooManyMarbles { marbles, most });
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    Ok(std::iter::repeat_with(move || {
        (0..TRIES)
            .map(|_| position(&rules, marbles, &mut random))
            .find(|p| rules.outcome(p).is_none() && !(quiet && wins_at_once(&rules, p)))
            .ok_or(RandomError::NotFound { marbles, quiet })
    }))
}

/// Any position with `marbles` marbles: they are placed on the first of the shuffled sockets, X
/// before O.
fn position(rules: &Rules, marbles: u32, random: &mut ChaCha8Rng) -> Position {
    let shape = rules.shape;
    let mut sockets = [0; 36];
    let mut len = 0;
    for socket in shape.sockets_of(shape.board_mask()) {
        sockets[len] = socket.number();
        len += 1;
    }
    let marbles = marbles as usize;
    let mut board = Board::EMPTY;
    for i in 0..marbles {
        sockets.swap(i, i + below(random, len - i));
        let bit = 1 << sockets[i];
        if i < marbles.div_ceil(2) { board.x |= bit } else { board.o |= bit }
    }
    Position::of(shape, board).expect("X has half of the marbles, rounded up")
}

/// A uniform number below `n`: the high half of a product, rejecting the few low halves that would
/// favour some numbers.
fn below(random: &mut ChaCha8Rng, n: usize) -> usize {
    let n = n as u64;
    let unfair = (1 << 32) % n;
    loop {
        let product = u64::from(random.next_u32()) * n;
        if product & 0xffff_ffff >= unfair {
            return (product >> 32) as usize;
        }
    }
}

/// Returns whether some move wins immediately, by its placement or by its turn.
fn wins_at_once(rules: &Rules, p: &Position) -> bool {
    let free = p.board().free(rules.shape);
    if rules.shape.completions(p.own(), free) != 0 {
        return true;
    }
    rules.moves(p).into_iter().any(|m| {
        let played = rules.play(p, m).expect("a generated move is legal");
        played.outcome == Some(Outcome::Win(p.to_move()))
    })
}
