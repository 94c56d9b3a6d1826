//! Random positions for tests and benchmarks, reproducible from a seed on every machine.
//!
//! Each position is drawn uniformly from all positions with the given number of marbles (X has half
//! of them, rounded up) and no turn pending, and rejected if its game is over. Some of them can't
//! be reached in play. The generator is ChaCha with 8 rounds, its key derived from the seed.

use super::{Board, Outcome, Position, Rules};
use pentago_base::{Draws, Random, RandomError};

/// Maximum number of draws for one position.
const TRIES: u32 = 1_000_000;

/// `count` random positions with `marbles` marbles where the game is not over; with `quiet`, only
/// those in which the player to move has no immediate win. They are independent, so the same one
/// may occur twice.
///
/// # Errors
/// If `marbles` marbles leave no socket free, or a million draws in a row give no such position.
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
/// If `marbles` marbles leave no socket free. Each position is an error if a million draws in a row
/// give none.
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

/// Any position with `marbles` marbles: they are placed on the first of the shuffled sockets, X
/// before O.
fn position(rules: &Rules, marbles: usize, random: &mut Random) -> Position {
    let shape = rules.shape;
    let mut sockets = [0; 36];
    let mut len = 0;
    for socket in shape.sockets_of(shape.board_mask()) {
        sockets[len] = socket.number();
        len += 1;
    }
    let mut board = Board::EMPTY;
    for i in 0..marbles {
        sockets.swap(i, i + random.below(len - i));
        let bit = 1 << sockets[i];
        if i < marbles.div_ceil(2) { board.x |= bit } else { board.o |= bit }
    }
    Position::of(shape, board).expect("X has half of the marbles, rounded up")
}

/// Returns whether some move wins immediately, by its placement or by its turn.
fn wins_at_once(rules: &Rules, p: &Position) -> bool {
    if rules.winning_placements(p) != 0 {
        return true;
    }
    rules.moves(p).into_iter().any(|m| {
        let played = rules.play(p, m).expect("a generated move is legal");
        played.outcome == Some(Outcome::Win(p.to_move()))
    })
}
