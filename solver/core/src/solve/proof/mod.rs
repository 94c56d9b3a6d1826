//! Proofs that a player wins a position whose full solution is too expensive.
//!
//! A proof restricts only one player, the *attacker*, who tries to win. The defender may make every
//! legal move. A win of the restricted attacker is therefore a win of the game. The absence of such
//! a win proves nothing, so a proof either shows a win or shows nothing.
//!
//! - `counted`: a proof on a set S of a few sockets. The attacker places on S only. The proof
//!   locates the defender's marbles on S. The defender's other marbles are only counted, and each
//!   is assumed to lie where it helps the defender most. A proof covers all rotations of one
//!   parity, as the rooted solver does, with the rows of `kernel::proof`.
//! - `full_width`: a search for all wins of one player within a few plies. If the search finds no
//!   win, no win exists within these plies.
//! - `choice`: chooses the sockets of S.
//! - `search`: an AND/OR search over placements, deepened ply by ply. Proofs evaluate its boards. A
//!   mask selects the requested rotations.
//! - `table`: a bounded hash table of results by board, one for each attacker.
//! - `searches`: the searches of both players. `root`: the moves of the root. `prove`: the entry
//!   point.
//! - `value`: proved values. `cache`: a cache of proved values for later questions.
//!
//! Proofs are exact under `dir`, `both=mover`, `last=stop`, `place=turn` and declined turns: a
//! declined turn has the value of turning a quadrant that the turn leaves unchanged. Under
//! `reply=place` a proof counts a board with five in a row of both players as no win for the player
//! who turned. Such a proof may miss a win, but never claims a false one.

mod cache;
mod choice;
mod counted;
mod full_width;
mod lines;
mod prove;
mod root;
mod search;
mod searches;
pub(crate) mod sets;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use cache::ProofCache;
pub use prove::prove;
pub use root::Verdict;
pub use search::Limits;
