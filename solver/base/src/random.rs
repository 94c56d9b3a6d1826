//! Random numbers and positions for tests and measurements. Equal seeds produce equal results on
//! every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A random number generator: ChaCha with 8 rounds, keyed by the seed.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the generator for a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a uniformly distributed number below `n`: the high half of the product of `n` and a
    /// random 32-bit word. A product whose low half is too small would bias the result, so a new
    /// word is drawn.
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

/// The reason why random positions cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RandomError {
    /// The game is over in every position with this number of marbles.
    #[error("a game that isn't over has at most {most} {what}, not {asked}")]
    TooMany {
        /// The plural name of the pieces: marbles or stones.
        what: &'static str,
        /// The requested number of marbles.
        asked: usize,
        /// The maximum number of marbles in an unfinished game.
        most: usize,
    },
    /// No suitable position was drawn: there is none, or such positions are too rare.
    #[error(
        "no {}position with {asked} {what} in an unfinished game was found in {tries} draws",
        if *quiet { "quiet " } else { "" }
    )]
    NotFound {
        /// The plural name of the pieces: marbles or stones.
        what: &'static str,
        /// The requested number of marbles.
        asked: usize,
        /// `true` if quiet positions were requested.
        quiet: bool,
        /// The number of draws that were made without success.
        tries: u32,
    },
}

/// The random positions to draw, and the limit on the number of draws.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    /// The plural name of the pieces: marbles or stones.
    pub what: &'static str,
    /// The number of marbles on the board.
    pub asked: usize,
    /// The maximum number of marbles in an unfinished game.
    pub most: usize,
    /// `true` to draw only quiet positions. In a quiet position, no move wins immediately.
    pub quiet: bool,
    /// The seed of the random number generator.
    pub seed: u64,
    /// The maximum number of consecutive draws that find no position.
    pub tries: u32,
}

impl Draws {
    /// Returns an endless iterator of random positions. `draw` makes one attempt, and returns
    /// `None` if the attempt finds no suitable position.
    ///
    /// # Errors
    /// If the game is over in every position with this number of marbles. An item of the iterator
    /// is an error if [`Draws::tries`] consecutive attempts found no position.
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
