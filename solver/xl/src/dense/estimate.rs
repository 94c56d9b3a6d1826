//! The size of a dense solution, known before anything is computed.

use super::boards::{MOST_THREADS, groups_at_once};
use super::fives::FiveTables;
use super::numbers::{MOST_EMPTY, board_count};
use crate::kernel::HalfSuper;
use crate::options::Rules;
use crate::position::Position;

/// The memory of a board besides its values, in bytes: its pointers in two slices and in the spare
/// memory.
const HANDLE_BYTES: u64 = 64;

/// The work and memory that a dense solution of a position takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenseEstimate {
    /// The number of boards below the root, with the root but without the last slice.
    pub boards: u64,
    /// The number of chains. Each chain is computed for all boards.
    pub chains: u64,
    /// The memory of one chain, in bytes: somewhat more than its largest slice.
    pub chain_bytes: u64,
    /// The memory of the tables of fives, in bytes. All chains share these tables.
    pub shared_bytes: u64,
}

impl DenseEstimate {
    /// Returns the least memory with which the solution can be computed, in bytes.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        self.chain_bytes.saturating_add(self.shared_bytes)
    }

    /// Returns the work: the number of boards times the number of chains.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.boards.saturating_mul(self.chains)
    }
}

/// Estimates a dense solution of a position, of all plies or of the first `plies` plies. Returns
/// `None` if the game is over or the position is too large.
#[must_use]
pub fn dense_estimate(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    if rules.outcome(p).is_some() { None } else { estimate_below(rules, p, plies) }
}

/// Estimates a dense solution as [`dense_estimate`] does, also for a root in which the game is
/// over: the game need not be over once blocks of the root are turned.
pub(crate) fn estimate_below(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    let empty = p.empty();
    if rules.continues() || empty > MOST_EMPTY {
        return None;
    }
    let last = last_slice(rules, p, plies);
    let boards = (0..last).map(|depth| board_count(empty, &rules.marbles_placed(p.to_move, depth)));
    let sides = rules.sides().len() as u64;
    let fives = FiveTables::bytes(empty, &rules.marbles_placed(p.to_move, last)[..rules.seats()]);
    // The board numbering holds each set of sockets and the rank of each set.
    let numbers = 6 << empty;
    Some(DenseEstimate {
        boards: boards.fold(0, u64::saturating_add),
        chains: if sides == 2 { 2 } else { 2 * sides },
        chain_bytes: board_room(rules, p, plies).saturating_mul(size_of::<HalfSuper>() as u64 + HANDLE_BYTES),
        shared_bytes: fives.saturating_add(numbers).saturating_add(1 << 20),
    })
}

/// Returns the number of boards that a chain needs memory for: the largest slice, and the batches
/// that threads have begun.
pub(super) fn board_room(rules: &Rules, p: &Position, plies: Option<usize>) -> u64 {
    let empty = p.empty();
    let (mut largest, mut begun) = (0, 0);
    for depth in 0..=last_slice(rules, p, plies) {
        let counts = rules.marbles_placed(p.to_move, depth);
        let boards = board_count(empty, &counts);
        let own = counts[rules.seat_after(p.to_move, depth).index()];
        let members = board_count(empty + own - depth, &[own, 0, 0, 0]);
        let batch = members.saturating_mul(groups_at_once(members as usize) as u64);
        largest = largest.max(boards);
        begun = begun.max(batch.saturating_mul(MOST_THREADS as u64).min(boards));
    }
    largest.saturating_add(begun)
}

/// Returns the number of plies from the root to the last slice.
pub(super) fn last_slice(rules: &Rules, p: &Position, plies: Option<usize>) -> usize {
    let all = rules.most_marbles() - p.count();
    plies.map_or(all, |plies| plies.min(all))
}
