//! The scores of a board at the 128 rotations of one parity.

use crate::supers::Half;

/// The score of a lost game.
pub const LOSS: u8 = 1;
/// The score of a drawn game.
pub const DRAW: u8 = 128;
/// The score of a won game.
pub const WIN: u8 = 255;

/// The number of bits by which a sum of weights is shifted right to become a score.
pub(super) const SHIFT: u32 = 3;

/// Converts a sum of weights to a score that lies strictly between `LOSS` and `WIN`.
#[inline]
pub(super) fn score(sum: i16) -> u8 {
    (i16::from(DRAW) + (sum >> SHIFT)).clamp(i16::from(LOSS) + 1, i16::from(WIN) - 1) as u8
}

/// Masks of eight bytes, indexed by a byte. Byte i of the mask is 255 if bit i of the index is set,
/// and 0 otherwise.
static SPREAD: [[u8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte][bit] = if byte >> bit & 1 != 0 { 255 } else { 0 };
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// Scores for the side to move, from 1 (lost) to 255 (won), in the order of the bits of a [`Half`].
/// The score for the other side is `256 - score`, which is the wrapping negation of the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Scores(pub [u8; 128]);

impl Scores {
    /// Returns scores that are `score` at all rotations.
    pub const fn all(score: u8) -> Scores {
        Scores([score; 128])
    }

    /// Sets the score to `score` at each rotation in `at`.
    #[inline]
    pub fn set(&mut self, at: Half, score: u8) {
        if at == Half::NONE {
            return;
        }
        let bits = at.0.iter().flat_map(|word| word.to_le_bytes());
        for (part, bits) in self.0.as_chunks_mut::<8>().0.iter_mut().zip(bits) {
            let mask = SPREAD[usize::from(bits)];
            *part = std::array::from_fn(|i| part[i] & !mask[i] | score & mask[i]);
        }
    }

    /// Replaces each score by the score in `by` at the same rotation if the score in `by` is
    /// higher.
    #[inline]
    pub fn improve(&mut self, by: &Scores) {
        for (best, &score) in self.0.iter_mut().zip(&by.0) {
            *best = score.max(*best);
        }
    }

    /// Returns, for each rotation before a turn, the best score that the player who turns can
    /// reach. `self` has the opponent's scores after the turn.
    ///
    /// A turn adds 1 or 3 to one coordinate of the rotation, modulo 4. So the two directions of a
    /// turn lead to the two values of this coordinate that have the other parity. [`Half`] defines
    /// the order of the bits.
    #[inline]
    pub fn before_turn(&self) -> Scores {
        let best = self.0.map(u8::wrapping_neg);
        let words = best.as_chunks::<8>().0;
        let words: [u64; 16] = std::array::from_fn(|i| u64::from_le_bytes(words[i]));
        // In each group of eight bytes, `by_1` moves byte `i ^ 1` to byte `i`, and `by_2` moves
        // byte `i ^ 2` to byte `i`.
        let by_1 = |word: u64| (word & 0x00ff_00ff_00ff_00ff) << 8 | word >> 8 & 0x00ff_00ff_00ff_00ff;
        let by_2 = |word: u64| (word & 0x0000_ffff_0000_ffff) << 16 | word >> 16 & 0x0000_ffff_0000_ffff;
        let by_words = |change: usize| std::array::from_fn(|i| words[i ^ change]);
        let turned: [[u64; 16]; 7] = [
            // `best` and the first line are for the turns of quadrant 0, which lead to both values
            // of h. The next two lines are for the turns of quadrant 1. Its coordinate r1 is the
            // two low bits of a byte's index.
            words.map(|word| word.rotate_left(32)),
            words.map(by_1),
            words.map(|word| by_2(by_1(word))),
            // The turns of quadrants 2 and 3 exchange whole words of eight bytes.
            by_words(1),
            by_words(3),
            by_words(4),
            by_words(12),
        ];
        let mut best = Scores(best);
        for words in turned {
            let mut scores = Scores::all(LOSS);
            for (eight, word) in scores.0.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *eight = word.to_le_bytes();
            }
            best.improve(&scores);
        }
        best
    }
}
