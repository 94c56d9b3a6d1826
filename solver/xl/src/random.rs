//! Random positions for tests and measurements. A seed yields the same positions on every machine.
//!
//! Each position is drawn uniformly from all positions with the same number of marbles for each
//! seat, as the turn order requires. If the game is over in a position, the position is discarded.
//! Some of the drawn positions cannot occur in a game. With `continue=yes`, no seat has a place
//! yet. The random generator is ChaCha8, whose key is derived from the seed.

use pentago_base::{Draws, Kernel, Random, RandomError};

use crate::geometry::SOCKETS;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seat;

/// The maximum number of draws until a suitable position is found.
const TRIES: u32 = 1_000_000;

impl Rules {
    /// Draws `count` random positions with `marbles` marbles in which the game is not over. If
    /// `quiet` is `true`, the seat to move also has no move that wins immediately for its side. The
    /// draws are independent, so a position may occur twice.
    ///
    /// # Errors
    /// If the game is always over with this number of marbles, or if a million draws in a row yield
    /// no suitable position.
    pub fn random_positions(
        &self,
        marbles: usize,
        count: usize,
        seed: u64,
        quiet: bool,
    ) -> Result<Vec<Position>, RandomError> {
        self.random_stream(marbles, seed, quiet)?.take(count).collect()
    }

    /// Returns an endless iterator over the positions that [`Rules::random_positions`] draws. An
    /// item is an error if a million draws in a row yield no suitable position.
    ///
    /// # Errors
    /// If the game is always over with this number of marbles.
    pub fn random_stream(
        &self,
        marbles: usize,
        seed: u64,
        quiet: bool,
    ) -> Result<impl Iterator<Item = Result<Position, RandomError>> + '_, RandomError> {
        let (what, asked, most) = ("marbles", marbles, self.most_marbles() - 1);
        Draws { what, asked, most, quiet, seed, tries: TRIES }.positions(move |random| {
            let drawn = self.draw(marbles, random);
            let unfit = !drawn.fives(self.everyone()).is_empty()
                || quiet && self.can_win_at_once(&drawn, Kernel::best());
            (!unfit).then_some(drawn)
        })
    }

    /// Draws a position with `marbles` marbles. The sockets are shuffled, and the seats place their
    /// marbles on the first of these sockets in turn order.
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
