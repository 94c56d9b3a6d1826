//! Random positions, for tests and measurements: the same from the same seed on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A generator of random numbers: ChaCha with 8 rounds, its key derived from the seed.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A uniform number below `n`: the high half of a product, rejecting the few low halves that would
    /// favour some numbers.
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

/// Why there are no such positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RandomError {
    /// A game with this number of marbles is over.
    #[error("a game that isn't over has at most {most} {what}, not {asked}")]
    TooMany {
        /// Marbles or stones.
        what: &'static str,
        /// The number that was asked for.
        asked: usize,
        /// The most with which a game goes on.
        most: usize,
    },
    /// Such positions are too rare, or there are none.
    #[error(
        "no {}position with {asked} {what} in an unfinished game was found in {tries} draws",
        if *quiet { "quiet " } else { "" }
    )]
    NotFound {
        /// Marbles or stones.
        what: &'static str,
        /// The number that was asked for.
        asked: usize,
        /// Whether quiet positions were asked for.
        quiet: bool,
        /// Draws.
        tries: u32,
    },
}

/// Which positions are drawn, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    /// Marbles or stones.
    pub what: &'static str,
    /// The number of them on the board.
    pub asked: usize,
    /// The most with which a game goes on.
    pub most: usize,
    /// Whether only positions in which no move wins immediately are drawn.
    pub quiet: bool,
    /// The seed.
    pub seed: u64,
    /// The most draws in a row that give no such position.
    pub tries: u32,
}

impl Draws {
    /// Draws positions one after the other, without end; `draw` gives none where a draw failed.
    ///
    /// # Errors
    /// If the game is over with this number of marbles. Each position is an error if [`Draws::tries`]
    /// draws in a row give none.
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
