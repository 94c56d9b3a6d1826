//! Certificates of forced wins, in the format of the separate checker.

use pentago_base::Budget;
use pentago_search::{Certificate, Goal, NoCertificate, certify};

use super::{AttackWidth, ForcedWinSearch};
use crate::game::{PenteGame, side};
use crate::rules::Position;

impl ForcedWinSearch {
    /// Writes a certificate that the side to move wins within `plies` plies by moves that `width`
    /// allows.
    ///
    /// # Errors
    /// [`NoCertificate::Refuted`] if the search finds no such win, [`NoCertificate::Stopped`] if
    /// the budget does not suffice.
    pub fn certify(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        budget: &mut Budget,
    ) -> Result<Certificate, NoCertificate> {
        if self.win_within(position, plies, width, budget)?.is_none() {
            return Err(NoCertificate::Refuted);
        }
        let mut game = PenteGame::new(self.rules(), position);
        let goal = Goal::win(side(position.to_move()));
        let choose = |game: &mut PenteGame, _: &mut Budget| {
            Ok(self.strategy(&game.position(), plies, width, budget)?.map(|m| m.0))
        };
        // The budget limits only the search. Writing the certificate costs little: a few hundred
        // moves for each position of the proof.
        certify(&mut game, goal, choose, &mut Budget::nodes(u64::MAX))
    }
}
