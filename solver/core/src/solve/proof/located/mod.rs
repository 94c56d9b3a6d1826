//! A proof with located marbles: the attacker has a few placements, and the proof locates each
//! marble of the defender.
//!
//! S contains all empty sockets, so a located proof is a full-width search for the wins of one
//! player. A located proof is cheaper than the rooted solution to the same depth, for three
//! reasons. There is one chain of values instead of two. The boards with the attacker to move are
//! stored for one row at a time, and no boards are stored for the attacker's last placement. The
//! proof omits the rows that can't hold a win.
//!
//! A *row* belongs to a set A of the attacker's marbles. The row holds one board for each set B of
//! the defender's marbles that has the size of the level. A row consists of *runs*
//! (`kernel::proof::located`): the sockets are split into low sockets and high sockets, and a run
//! holds all boards with the same marbles on high sockets. Runs are sorted by the number of their
//! high marbles, then by the set of the high marbles. A run reads the boards with one more marble
//! on a high socket, which form a run with the same low sets.
//!
//! The proof omits a row if an upper bound on the row's wins is empty. After a reply, the attacker
//! can win a board only in two ways: with five in a row, or by a placement whose row has a win for
//! at least one set B.

mod levels;
mod limits;
mod proof;
mod rows;
mod sets;
#[cfg(test)]
mod tests;

pub(super) use levels::prove;
pub(super) use limits::{is_possible, most_boards, most_bytes};
