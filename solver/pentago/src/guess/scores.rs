//! The scores of a board at the 128 rotations of one parity.

use crate::supers::Half;

/// The score of a lost game.
pub const LOSS: u8 = 1;
/// The score of a drawn game.
pub const DRAW: u8 = 128;
/// The score of a won game.
pub const WIN: u8 = 255;

/// Scores for the side to move, 1 (lost) to 255 (won), in the order of the bits of a [`Half`]. The
/// other side has `256 - score`, which is the negative of the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Scores(pub [u8; 128]);

impl Scores {
    /// The same score everywhere.
    #[must_use]
    pub const fn all(score: u8) -> Scores {
        Scores([score; 128])
    }

    /// These scores, but `score` where `at` is true.
    #[inline]
    pub fn set(&mut self, at: Half, score: u8) {
        if at == Half::NONE {
            return;
        }
        for (part, bits) in self.0.chunks_exact_mut(8).zip(at.0.iter().flat_map(|word| word.to_le_bytes())) {
            for (i, value) in part.iter_mut().enumerate() {
                *value = if bits >> i & 1 != 0 { score } else { *value };
            }
        }
    }

    /// The better of two scores everywhere.
    #[inline]
    pub fn improve(&mut self, by: &Scores) {
        for (best, &score) in self.0.iter_mut().zip(&by.0) {
            *best = score.max(*best);
        }
    }

    /// The scores of the player who turns a quadrant, and then has the other side of these.
    ///
    /// A turn changes the low bit of one coordinate and adds 0 or 2 to it: both directions together
    /// are both numbers of the other parity ([`Half`] has the order of the bits).
    #[inline]
    #[must_use]
    pub fn before_turn(&self) -> Scores {
        let of_mover = self.0.map(u8::wrapping_neg);
        // Both values of h, which are the turns of quadrant 0; the two low bits are quadrant 1.
        let mut best = [0; 128];
        for (best, scores) in best.chunks_exact_mut(8).zip(of_mover.chunks_exact(8)) {
            for i in 0..8 {
                let of_0 = scores[i].max(scores[i ^ 4]);
                best[i] = of_0.max(scores[i ^ 1]).max(scores[i ^ 3]);
            }
        }
        for (best, scores) in best.chunks_exact_mut(32).zip(of_mover.chunks_exact(32)) {
            for i in 0..32 {
                best[i] = best[i].max(scores[i ^ 8]).max(scores[i ^ 24]);
            }
        }
        for i in 0..128 {
            best[i] = best[i].max(of_mover[i ^ 32]).max(of_mover[i ^ 96]);
        }
        Scores(best)
    }
}
