//! Tests of the reference: rule cases, published counts, and laws of values.

mod cases;
mod counts;
mod values;

use pentago_reference::{After, Options, State};

/// Parses rules.
pub fn rules(text: &str) -> Options {
    Options::parse(text).unwrap()
}

/// A pseudorandom generator whose numbers are the same in every run.
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a random number less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }

    /// Plays random moves until the board has `marbles` marbles. Returns an unfinished position.
    pub fn position(&mut self, options: &Options, marbles: usize) -> State {
        'game: loop {
            let mut state = options.start();
            while state.marbles() < marbles {
                let moves = options.moves(&state);
                match moves[self.below(moves.len())].1 {
                    After::Over(_) => continue 'game,
                    After::Goes(next) => state = next,
                }
            }
            return state;
        }
    }

    /// Plays random moves until the board has `marbles` marbles and a turn is pending. Returns an
    /// unfinished position.
    pub fn pending(&mut self, options: &Options, marbles: usize) -> State {
        loop {
            let mut state = self.position(options, marbles - 1);
            let empty: Vec<usize> =
                (0..options.n * options.n).filter(|&socket| state.cells[socket] == 0).collect();
            state.cells[empty[self.below(empty.len())]] = state.to_move;
            state.pending = true;
            if options.outcome(&state).is_none() {
                return state;
            }
        }
    }
}
