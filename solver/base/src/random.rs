//! Random numbers and positions for tests and measurements. Equal seeds give equal results on every
//! machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A random number generator: ChaCha with 8 rounds, keyed by the seed.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the generator for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a uniform number below `n`: the high half of the product of `n` and a random word.
    /// Products whose low half would bias the result are rejected.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        let unfair = (1 << 32) % n;
        loop {
            let product = u64::from(self.0.next_u32()) * n;
            if product & 0xffff_ffff >= unfair {
                return (product >> 32) as usize;
            }
        }
    }
}

/// The error of drawing random positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RandomError {
    /// Every game with this number of marbles is over.
    #[error("a game that isn't over has at most {most} {what}, not {asked}")]
    TooMany {
        /// The name of the marbles or stones.
        what: &'static str,
        /// The requested number of marbles.
        asked: usize,
        /// The maximum number of marbles in an unfinished game.
        most: usize,
    },
    /// The search found no such position: there is none, or such positions are too rare.
    #[error(
        "no {}position with {asked} {what} in an unfinished game was found in {tries} draws",
        if *quiet { "quiet " } else { "" }
    )]
    NotFound {
        /// The name of the marbles or stones.
        what: &'static str,
        /// The requested number of marbles.
        asked: usize,
        /// `true` if quiet positions were requested.
        quiet: bool,
        /// The number of draws that were tried.
        tries: u32,
    },
}

/// The kind of positions to draw, and the limit on the draws.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    /// The name of the marbles or stones.
    pub what: &'static str,
    /// The number of marbles on the board.
    pub asked: usize,
    /// The maximum number of marbles in an unfinished game.
    pub most: usize,
    /// `true` to draw only quiet positions, in which no move wins immediately.
    pub quiet: bool,
    /// The seed of the random number generator.
    pub seed: u64,
    /// The maximum number of consecutive draws without a result.
    pub tries: u32,
}

impl Draws {
    /// Draws positions without end. `draw` returns `None` for a draw that gives no such position.
    ///
    /// # Errors
    /// If every game with this number of marbles is over. An item is an error if [`Draws::tries`]
    /// consecutive draws gave no position.
    pub fn positions<P>(
        self,
        mut draw: impl FnMut(&mut Random) -> Option<P>,
    ) -> Result<impl Iterator<Item = Result<P, RandomError>>, RandomError> {
        let Draws { what, asked, most, quiet, seed, tries } = self;
        if asked > most {
            return Err(RandomError::TooMany { what, asked, most });
        }
        let mut random = Random::new(seed);
        Ok(std::iter::repeat_with(move || {
            let drawn = (0..tries).find_map(|_| draw(&mut random));
            drawn.ok_or(RandomError::NotFound { what, asked, quiet, tries })
        }))
    }
}
