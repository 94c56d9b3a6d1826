//! The passes of proofs as safe methods of [`Passes`]. The methods check their arguments.

use super::lanes::Defence;
use super::row::{CheckedRow, ProofRow, row_packs};
use crate::kernel::lanes::{PLACES, Pack};
use crate::kernel::passes::Passes;
use crate::rules::{Both, Last, Place};
use crate::supers::Half;

impl Passes {
    /// Computes a row into `g`. Also writes `not f` to `lost`, and to `fives` the defender's fives
    /// at the rotations of boards with the defender to move. All three slices are indexed by board.
    /// Elements for boards that no board within the marble counts can reach are left unchanged.
    ///
    /// # Panics
    /// If a slice doesn't have the length of the row, or a row of `children` isn't within `above`.
    pub(crate) fn proof_row(self, row: &ProofRow, lost: &mut [Pack], fives: &mut [Pack], g: &mut [Pack]) {
        let checked = CheckedRow::new(row);
        let packs = row_packs(checked.bits);
        assert!(lost.len() == packs && fives.len() == packs && g.len() == packs);
        let passes = &self.0.proof;
        let block = usize::from(checked.is_blocked());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. This function
        // and `CheckedRow::new` have checked the lengths. The tables of fives are indexed by
        // subsets of `free`, and each subset is at most `free` as a number.
        unsafe { (passes.attack[row.turns[0].index()][block])(&checked, lost, fives) };
        let full = (1usize << checked.bits) - 1;
        let (full_pack, full_place) = (full / PLACES, full % PLACES);
        let sockets = checked.bits + row.outside;
        if row.rules.last == Last::Stop && row.most == sockets {
            // The defender's last placement has filled the board and ended the game, so the
            // attacker hasn't won.
            lost[full_pack].0[full_place] = Half::ALL;
        }
        if !row.defends {
            return;
        }
        if row.rules.place == Place::Turn {
            // Under this rule, a placement doesn't win before the turn, so the fives of the
            // defender don't count.
            fives.fill(Pack::default());
        }
        let defence = Defence::of(row.rules) as usize;
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. The lengths
        // and indices were checked for the call of `attack`.
        unsafe { (passes.defend[defence][row.turns[1].index()][block])(&checked, lost, fives, g) };
        if row.most == sockets + 1 {
            // On a full board, the defender has no reply, so the attacker wins only if the attacker
            // already has five.
            g[full_pack].0[full_place] = match (row.rules.last, row.rules.both) {
                (Last::Stop, _) => Half::NONE,
                (Last::Turn, Both::Mover) => row.won[1],
                (Last::Turn, Both::Draw) => row.won[1] & !row.fives[2][row.free as usize],
            };
        }
    }
}
