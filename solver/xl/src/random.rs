//! Random positions, for tests and measurements: the same from the same seed on every machine.
//!
//! Each position is drawn uniformly from all positions with the same number of marbles, in the
//! numbers that turn order gives, and thrown away if its game is over. Some of them no play can
//! reach. With `continue=yes` nobody is placed yet. The generator is ChaCha with 8 rounds, its key
//! derived from the seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::fives::has_five;
use crate::geometry::SOCKETS;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The most draws for one position.
pub const TRIES: u32 = 1_000_000;

/// Why there are no such positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RandomError {
    /// A game with this number of marbles is over.
    #[error("{marbles} marbles were asked for, but a game that goes on has at most {most}")]
    TooManyMarbles {
        /// Marbles asked for.
        marbles: usize,
        /// The most with which a game goes on.
        most: usize,
    },
    /// Such positions are too rare, or there are none.
    #[error(
        "no {}position with {marbles} marbles, its game not over, was found in {TRIES} draws",
        if *quiet { "quiet " } else { "" }
    )]
    NotFound {
        /// Marbles asked for.
        marbles: usize,
        /// Whether quiet positions were asked for.
        quiet: bool,
    },
}

impl Rules {
    /// `count` random positions with `marbles` marbles where the game is not over; with `quiet`
    /// only such where the seat to move has no move that wins at once for its side. They are
    /// independent, so the same one may come twice.
    ///
    /// # Errors
    /// If the game is over with this number of marbles, or [`TRIES`] draws in a row give no such
    /// position.
    pub fn random_positions(
        &self,
        marbles: usize,
        count: usize,
        seed: u64,
        quiet: bool,
    ) -> Result<Vec<Position>, RandomError> {
        self.random_stream(marbles, seed, quiet)?.take(count).collect()
    }

    /// The same one after the other, without end.
    ///
    /// # Errors
    /// As for [`Rules::random_positions`].
    pub fn random_stream(
        &self,
        marbles: usize,
        seed: u64,
        quiet: bool,
    ) -> Result<impl Iterator<Item = Result<Position, RandomError>> + '_, RandomError> {
        let most = self.most_marbles() - 1;
        if marbles > most {
            return Err(RandomError::TooManyMarbles { marbles, most });
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Ok(std::iter::repeat_with(move || {
            (0..TRIES)
                .map(|_| self.draw(marbles, &mut random))
                .find(|p| !(self.someone_has_five(p) || quiet && self.wins_at_once(p)))
                .ok_or(RandomError::NotFound { marbles, quiet })
        }))
    }

    fn someone_has_five(&self, p: &Position) -> bool {
        self.everyone().iter().any(|seat| has_five(p.of(seat)))
    }

    /// Any position with `marbles` marbles: the first of the shuffled sockets take them in turn.
    fn draw(&self, marbles: usize, random: &mut ChaCha8Rng) -> Position {
        let mut numbers: [u8; SOCKETS] = std::array::from_fn(|i| i as u8);
        let mut p = Position::EMPTY;
        for i in 0..marbles {
            numbers.swap(i, i + below(random, SOCKETS - i));
            p.marbles[i % self.seats()] |= 1 << numbers[i];
        }
        p.to_move = Seat::ALL[marbles % self.seats()];
        p
    }
}

/// A number below `n`, all equally likely: the high half of a product, with the few low halves
/// thrown away that would favour some numbers.
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
