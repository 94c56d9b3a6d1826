//! Certificates of forced wins, in the format of the separate checker.

use pentago_base::{Budget, Stopped};
use pentago_search as search;
use search::{Certificate, Goal, NoCertificate, Strategy};

use super::{AttackWidth, ForcedWinSearch};
use crate::game::{PenteGame, side};
use crate::rules::Position;

/// The attacker's moves for a certificate, found by a search for forced wins.
struct ForcedWinStrategy<'a> {
    search: &'a mut ForcedWinSearch,
    plies: u32,
    width: AttackWidth,
    budget: &'a mut Budget,
}

impl Strategy<PenteGame> for ForcedWinStrategy<'_> {
    fn choose(&mut self, game: &mut PenteGame, _: &mut Budget) -> Result<Option<u16>, Stopped> {
        let found = self.search.strategy(&game.position(), self.plies, self.width, self.budget)?;
        Ok(found.map(|m| m.0))
    }
}

impl ForcedWinSearch {
    /// Writes a certificate that the side to move wins within `plies` plies by moves of this width.
    ///
    /// # Errors
    /// [`NoCertificate::Refuted`] if the search finds no such win, [`NoCertificate::Stopped`] if the
    /// budget does not suffice.
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
        let mut moves = ForcedWinStrategy { search: self, plies, width, budget };
        // The walk costs little: a few hundred moves for each position of the proof. The budget limits
        // only the search.
        search::certify(&mut game, goal, &mut moves, &mut Budget::nodes(u64::MAX))
    }
}
