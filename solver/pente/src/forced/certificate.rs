//! Certificates of forced wins, for the separate checker.

use pentago_base::{Budget, Stopped};
use pentago_search as search;
use search::{Certificate, Goal, NoCertificate, Strategy};

use super::{AttackWidth, ForcedWinSearch};
use crate::game::{PenteGame, side};
use crate::rules::Position;

/// The moves of a search for forced wins, wherever a certificate needs one.
struct ForcedWinStrategy<'f, 'w> {
    forced: &'f mut ForcedWinSearch,
    plies: u32,
    width: AttackWidth,
    work: &'w mut Budget,
}

impl Strategy<PenteGame> for ForcedWinStrategy<'_, '_> {
    fn choose(&mut self, game: &mut PenteGame, _: &mut Budget) -> Result<Option<u16>, Stopped> {
        let found = self.forced.strategy(&game.position(), self.plies, self.width, self.work)?;
        Ok(found.map(|m| m.0))
    }
}

impl ForcedWinSearch {
    /// A certificate that the side to move wins within `plies` plies by moves of this width.
    ///
    /// # Errors
    /// [`NoCertificate::Refuted`] if no such win is found; if the work does not suffice.
    pub fn certify(
        &mut self,
        position: &Position,
        plies: u32,
        width: AttackWidth,
        work: &mut Budget,
    ) -> Result<Certificate, NoCertificate> {
        if self.win_within(position, plies, width, work)?.is_none() {
            return Err(NoCertificate::Refuted);
        }
        let mut game = PenteGame::new(self.rules(), position);
        let goal = Goal::win(side(position.to_move()));
        let mut moves = ForcedWinStrategy { forced: self, plies, width, work };
        // The walk makes a few hundred moves for each position of the proof; the work is in the
        // search.
        search::certify(&mut game, goal, &mut moves, &mut Budget::nodes(u64::MAX))
    }
}
