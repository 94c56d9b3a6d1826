//! Random positions, for tests and measurements: the same from the same seed on every machine.
//!
//! Each position is drawn uniformly from all positions with the same number of marbles, in the
//! numbers that turn order gives, and thrown away if its game is over. Some of them no play can
//! reach. With `continue=yes` nobody is placed yet. The generator is ChaCha with 8 rounds, its key
//! derived from the seed.

use pentago_base::{Draws, Random, RandomError};

use crate::geometry::SOCKETS;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The most draws for one position.
const TRIES: u32 = 1_000_000;

impl Rules {
    /// `count` random positions with `marbles` marbles where the game is not over; with `quiet`
    /// only such where the seat to move has no move that wins at once for its side. They are
    /// independent, so the same one may come twice.
    ///
    /// # Errors
    /// If the game is over with this number of marbles, or a million draws in a row give no such
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
        let (what, asked, most) = ("marbles", marbles, self.most_marbles() - 1);
        Draws { what, asked, most, quiet, seed, tries: TRIES }.positions(move |random| {
            let drawn = self.draw(marbles, random);
            let fits = drawn.fives(self.everyone()).is_empty() && !(quiet && self.wins_at_once(&drawn));
            fits.then_some(drawn)
        })
    }

    /// Any position with `marbles` marbles: the first of the shuffled sockets take them in turn.
    fn draw(&self, marbles: usize, random: &mut Random) -> Position {
        let mut numbers: [u8; SOCKETS] = std::array::from_fn(|i| i as u8);
        let mut p = Position::EMPTY;
        for i in 0..marbles {
            numbers.swap(i, i + random.below(SOCKETS - i));
            p.marbles[i % self.seats()] |= 1 << numbers[i];
        }
        p.to_move = self.seat_after(Seat::A, marbles);
        p
    }
}
