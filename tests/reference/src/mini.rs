//! Every position of the 4x4 game, valued from the full board back to the empty one.
//!
//! There are few enough boards (3 to the 16th, 43 million) to give each a place in an array, so
//! nothing is searched: the values of the boards with one marble more are known when a board is
//! valued, and which of them are over. Like the search, it goes step by step, pending positions
//! having an array of their own.

use crate::game::opponent;
use crate::negamax::score;
use crate::{Options, State};

const SOCKETS: usize = 16;
const BOARDS: usize = 3usize.pow(SOCKETS as u32);

/// Marks a board that has no value: with numbers of marbles that play cannot give.
const NONE: i8 = i8::MIN;

/// Added to the value of a position that is over.
const OVER: i8 = 10;

fn is_over(value: i8) -> bool {
    value >= OVER - 1
}

/// The values of all positions of a 4x4 game, also of those that play does not reach.
pub struct MiniTable {
    options: Options,
    /// The value for the side to move, by board number; plus [`OVER`] where the game is over.
    values: Vec<i8>,
    /// The same for pending positions.
    pending_values: Vec<i8>,
}

/// The number of a board: its sockets as digits of base 3.
fn number(state: &State) -> usize {
    // Four digits at a time: each multiplication waits for the one before.
    state.cells[..SOCKETS].as_chunks().0.iter().fold(0, |number, four| {
        let [a, b, c, d] = four.map(usize::from);
        number * 81 + (a * 27 + b * 9 + c * 3 + d)
    })
}

/// Calls `visit` with every board of `x` and `o` marbles, with this side to move.
fn for_each_board(x: usize, o: usize, start: State, visit: &mut impl FnMut(&State)) {
    /// Fills the sockets from `socket` on.
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

/// Calls `visit` with every position of some marbles, reachable or not, that alternate play can
/// give by number.
fn for_each_position(marbles: usize, pending: bool, visit: &mut impl FnMut(&State)) {
    let next = 1 + (marbles % 2) as u8;
    let start = State { cells: [0; 36], to_move: if pending { opponent(next) } else { next }, pending };
    for_each_board(marbles.div_ceil(2), marbles / 2, start, visit);
}

impl MiniTable {
    /// Solves a 4x4 game; this takes some 90 MB.
    ///
    /// # Panics
    /// When the board is not 4x4.
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

    /// What the arrays hold for a position: its value by the rules, or from those of its next steps.
    fn valued(&self, state: &State) -> i8 {
        if let Some(winner) = self.options.outcome(state) {
            return OVER + score(winner, state.to_move);
        }
        let mut best = None;
        self.options.for_each_step(state, |next| {
            // After a placement the same player is to move, after a turn the other one.
            let value = if next.pending { self.value(next) } else { -self.value(next) };
            best = best.max(Some(value));
        });
        best.expect("a position that is not over has moves")
    }

    /// What the arrays hold.
    fn stored(&self, state: &State) -> i8 {
        let values = if state.pending { &self.pending_values } else { &self.values };
        let value = values[number(state)];
        assert_ne!(value, NONE, "{}", self.options.write(state));
        value
    }

    /// The value for the side to move, also of a position that is over.
    ///
    /// # Panics
    /// When the numbers of marbles do not go with the side to move.
    pub fn value(&self, state: &State) -> i8 {
        let value = self.stored(state);
        if is_over(value) { value - OVER } else { value }
    }

    /// Calls `visit` with every position that play reaches from the empty board and that is neither
    /// over nor pending, by number of marbles.
    pub fn for_each_reachable(&self, mut visit: impl FnMut(&State)) {
        let mut reached = vec![false; BOARDS];
        let mut reached_pending = vec![false; BOARDS];
        reached[number(&self.options.start())] = true;
        for marbles in 0..SOCKETS {
            for_each_position(marbles, false, &mut |state| {
                if reached[number(state)] {
                    visit(state);
                    self.mark_steps(state, &mut reached_pending);
                }
            });
            for_each_position(marbles + 1, true, &mut |placed| {
                if reached_pending[number(placed)] {
                    self.mark_steps(placed, &mut reached);
                }
            });
        }
    }

    /// Marks the boards that the next single step leads to.
    fn mark_steps(&self, state: &State, reached: &mut [bool]) {
        self.options.for_each_step(state, |next| {
            if !is_over(self.stored(next)) {
                reached[number(next)] = true;
            }
        });
    }

    /// How many of these positions are won, drawn and lost for the side to move, by number of
    /// marbles (0 to 15).
    pub fn counts(&self) -> Vec<[u64; 3]> {
        let mut counts = vec![[0; 3]; SOCKETS];
        self.for_each_reachable(|state| {
            let column = (1 - self.value(state)) as usize;
            counts[state.marbles()][column] += 1;
        });
        counts
    }

    /// How many of the positions that are reachable here have another value by the rules of the
    /// other table.
    pub fn differing(&self, other: &MiniTable) -> u64 {
        let mut differing = 0;
        self.for_each_reachable(|state| {
            differing += u64::from(self.value(state) != other.value(state));
        });
        differing
    }
}
