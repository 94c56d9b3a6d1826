//! Estimates the work and the memory of a dense solution before anything is computed.

use super::boards::{MOST_THREADS, groups_at_once};
use super::fives::FiveTables;
use super::numbers::{MOST_EMPTY, board_count};
use crate::kernel::HalfSuper;
use crate::options::Rules;
use crate::position::Position;

/// The memory of a board besides its values, in bytes: a pointer in each of two slices, and a
/// pointer in the list of spare memory.
const HANDLE_BYTES: u64 = 64;

/// The work and the memory that the dense solution of a position needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenseEstimate {
    /// The number of boards in all slices from the root on, except the last slice.
    pub boards: u64,
    /// The number of chains. The solution computes every board once for each chain.
    pub chains: u64,
    /// The memory of one chain in bytes: its largest slice, and some spare memory.
    pub chain_bytes: u64,
    /// The memory of the tables of fives, in bytes. All chains share these tables.
    pub shared_bytes: u64,
}

impl DenseEstimate {
    /// Returns the least amount of memory, in bytes, with which the solution can be computed.
    pub fn least_bytes(&self) -> u64 {
        self.chain_bytes.saturating_add(self.shared_bytes)
    }

    /// Returns the work in boards: the number of boards times the number of chains.
    pub fn work(&self) -> u64 {
        self.boards.saturating_mul(self.chains)
    }
}

/// Estimates the dense solution of a position. `plies` limits the solution to the first plies;
/// `None` means all plies. Returns `None` if the game is over, the position is too large, or the
/// rules have `continue=yes`.
pub fn dense_estimate(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    if rules.outcome(p).is_some() { None } else { estimate_below(rules, p, plies) }
}

/// Does the same as [`dense_estimate`], but also accepts a root in which the game is over. Tables
/// need such roots, because turning blocks of the root can give a position in which the game is not
/// over.
pub(crate) fn estimate_below(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    let empty = p.empty();
    if rules.continues() || empty > MOST_EMPTY {
        return None;
    }
    let last = last_slice(rules, p, plies);
    let boards = (0..last).map(|depth| board_count(empty, &rules.marbles_placed(p.to_move, depth)));
    let sides = rules.sides().len() as u64;
    let fives = FiveTables::bytes(empty, &rules.marbles_placed(p.to_move, last)[..rules.seats()]);
    // The board numbering stores every set of sockets (4 bytes), and the rank of every set (2
    // bytes).
    let numbers = 6 << empty;
    Some(DenseEstimate {
        boards: boards.fold(0, u64::saturating_add),
        chains: if sides == 2 { 2 } else { 2 * sides },
        chain_bytes: board_room(rules, p, plies).saturating_mul(size_of::<HalfSuper>() as u64 + HANDLE_BYTES),
        shared_bytes: fives.saturating_add(numbers).saturating_add(1 << 20),
    })
}

/// Returns the number of boards for which a chain needs memory: the boards of the largest slice,
/// and those of one batch per thread.
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
