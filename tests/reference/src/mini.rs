//! The values of all positions of the 4x4 game, from the full board to the empty board.
//!
//! The 4x4 game has 3^16 = 43 million boards, few enough for an array with one value per board.
//! Boards are valued in order of decreasing numbers of marbles, so that the values of all boards
//! with one more marble are already known. Pending positions have a separate array.

use crate::game::opponent;
use crate::negamax::score;
use crate::{Options, State};

const SOCKETS: usize = 16;
const BOARDS: usize = 3usize.pow(SOCKETS as u32);

/// The array element of a board that has no value, because its numbers of marbles can't occur in
/// play.
const NONE: i8 = i8::MIN;

/// The values of all positions of a 4x4 game, including unreachable positions.
pub struct MiniTable {
    options: Options,
    /// The value of each position without a pending turn, for the side to move, indexed by board
    /// number.
    values: Vec<i8>,
    /// The value of each position with a pending turn, for the side to move, indexed by board
    /// number.
    pending_values: Vec<i8>,
}

/// Returns the number of a board, whose base-3 digits are the sockets.
fn number(state: &State) -> usize {
    // Take four digits at a time, which needs fewer multiplications that depend on each other.
    state.cells[..SOCKETS].as_chunks().0.iter().fold(0, |number, four| {
        let [a, b, c, d] = four.map(usize::from);
        number * 81 + (a * 27 + b * 9 + c * 3 + d)
    })
}

/// Calls `visit` with every board that has `x` marbles of X and `o` marbles of O. The side to move
/// and the pending flag are those of `start`.
fn for_each_board(x: usize, o: usize, start: State, visit: &mut impl FnMut(&State)) {
    /// Fills socket `socket` and all later sockets in every way. `x` and `o` are the numbers of
    /// marbles that remain to be placed.
    fn fill(s: &mut State, socket: usize, x: usize, o: usize, visit: &mut impl FnMut(&State)) {
        if socket == SOCKETS {
            visit(s);
            return;
        }
        let empty = SOCKETS - socket - x - o;
        if empty > 0 {
            fill(s, socket + 1, x, o, visit);
        }
        if x > 0 {
            s.cells[socket] = 1;
            fill(s, socket + 1, x - 1, o, visit);
        }
        if o > 0 {
            s.cells[socket] = 2;
            fill(s, socket + 1, x, o - 1, visit);
        }
        s.cells[socket] = 0;
    }
    fill(&mut start.clone(), 0, x, o, visit);
}

/// Calls `visit` with every position with `marbles` marbles, including unreachable positions. X has
/// as many marbles as O, or one more.
fn for_each_position(marbles: usize, pending: bool, visit: &mut impl FnMut(&State)) {
    let next = 1 + (marbles % 2) as u8;
    let start = State { cells: [0; 36], to_move: if pending { opponent(next) } else { next }, pending };
    for_each_board(marbles.div_ceil(2), marbles / 2, start, visit);
}

impl MiniTable {
    /// Solves a 4x4 game. The table takes about 90 MB of memory.
    ///
    /// # Panics
    /// If the board isn't 4x4.
    pub fn solve(options: Options) -> MiniTable {
        assert_eq!(options.n, 4, "only the 4x4 game is small enough");
        let mut table = MiniTable { options, values: vec![NONE; BOARDS], pending_values: vec![NONE; BOARDS] };
        for marbles in (0..=SOCKETS).rev() {
            for_each_position(marbles, false, &mut |state| {
                table.values[number(state)] = table.valued(state);
            });
            if marbles > 0 {
                for_each_position(marbles, true, &mut |state| {
                    table.pending_values[number(state)] = table.valued(state);
                });
            }
        }
        table
    }

    /// Computes the value of a position. Uses the rules if the game is over, and otherwise the
    /// values of the positions after the next step.
    fn valued(&self, state: &State) -> i8 {
        if let Some(winner) = self.options.outcome(state) {
            return score(winner, state.to_move);
        }
        let mut best = None;
        self.options.for_each_step(state, |next| {
            // After a placement, the same player is to move. After a turn, the opponent is to move,
            // so negate the value.
            let value = if next.pending { self.value(next) } else { -self.value(next) };
            best = best.max(Some(value));
        });
        best.expect("a position that is not over has moves")
    }

    /// Returns the value of a position for the side to move. The game may be over.
    ///
    /// # Panics
    /// If the numbers of marbles contradict the side to move.
    pub fn value(&self, state: &State) -> i8 {
        let values = if state.pending { &self.pending_values } else { &self.values };
        let value = values[number(state)];
        assert_ne!(value, NONE, "{}", self.options.write(state));
        value
    }
}
