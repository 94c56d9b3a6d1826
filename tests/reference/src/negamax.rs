//! The exact value and distance of a position, by trying every move and memoising every position.
//!
//! The search treats the two steps of a move separately: a placement leads to a pending position of
//! the same player, a turn to a position of the opponent. Pending positions are memoised, too,
//! because several positions lead to the same pending position: one for each marble that may have
//! been placed last.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::{After, Options, State};

/// Returns a position as a number: the sockets as base-3 digits, then the side to move, then the
/// pending flag.
fn key(state: &State) -> u64 {
    let mut number = 0;
    // Each multiplication depends on the previous one: taking four digits at a time needs fewer
    // multiplications.
    for four in state.cells.as_chunks().0 {
        let [a, b, c, d] = four.map(u64::from);
        number = number * 81 + (a * 27 + b * 9 + c * 3 + d);
    }
    number * 4 + u64::from(state.to_move - 1) * 2 + u64::from(state.pending)
}

/// A hasher that mixes a number by one multiplication. Keys don't come from an adversary, so the
/// slower default hasher of the standard library isn't needed.
#[derive(Default)]
struct OneMultiplication(u64);

impl Hasher for OneMultiplication {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are numbers of 64 bits");
    }

    fn write_u64(&mut self, number: u64) {
        // Only the upper half of the product is well mixed: fold it into the lower half.
        let product = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

type Memo<T> = HashMap<u64, T, BuildHasherDefault<OneMultiplication>>;

/// A memoising solver for exact values and distances.
///
/// A value is +1, 0 or -1: win, draw or loss for the side to move. A distance is the number of
/// plies to the end, if the winner minimises it and the loser maximises it. A ply is a placement
/// with its turn. The turn of a pending position counts as one ply. The reply of `reply=place`
/// belongs to the ply before it. Draws and finished games have distance 0.
pub struct Solver {
    options: Options,
    values: Memo<i8>,
    distances: Memo<u32>,
}

impl Solver {
    /// Creates a solver with an empty memo.
    pub fn new(options: Options) -> Solver {
        Solver { options, values: Memo::default(), distances: Memo::default() }
    }

    /// Returns the value for the side to move.
    pub fn value(&mut self, state: &State) -> i8 {
        match self.options.outcome(state) {
            Some(winner) => score(winner, state.to_move),
            None => self.search(state),
        }
    }

    /// Returns the value for the side to move and the distance in plies.
    pub fn distance(&mut self, state: &State) -> (i8, u32) {
        match self.options.outcome(state) {
            Some(winner) => (score(winner, state.to_move), 0),
            None => {
                let value = self.search(state);
                (value, self.search_distance(state, value))
            }
        }
    }

    /// Returns every legal move with its value for the player who moves, in the order of
    /// [`Options::moves`].
    pub fn moves(&mut self, state: &State) -> Vec<(String, i8)> {
        let moves = self.options.moves(state).into_iter();
        let value = |after| match after {
            After::Over(winner) => score(winner, state.to_move),
            After::Goes(next) => -self.value(&next),
        };
        let (texts, afters): (Vec<String>, Vec<After>) = moves.unzip();
        texts.into_iter().zip(afters.into_iter().map(value)).collect()
    }

    /// Returns every legal move with its value for the player who moves, and the distance in plies
    /// including this move.
    pub fn moves_with_distance(&mut self, state: &State) -> Vec<(String, i8, u32)> {
        let mut moves = Vec::new();
        for (text, after) in self.options.moves(state) {
            let (value, distance) = match after {
                After::Over(winner) => (score(winner, state.to_move), 0),
                After::Goes(next) => {
                    let (value, distance) = self.distance(&next);
                    (-value, distance)
                }
            };
            let distance = if value == 0 { 0 } else { distance + 1 };
            moves.push((text, value, distance));
        }
        moves
    }

    /// Returns the value of an unfinished position.
    fn search(&mut self, state: &State) -> i8 {
        let key = key(state);
        if let Some(&value) = self.values.get(&key) {
            return value;
        }
        let steps = self.options.steps(state);
        let value = if self.knows_a_win(state, &steps) || self.wins_at_once(state, &steps) {
            1
        } else {
            let mut best = -1;
            for after in &steps {
                best = best.max(match after {
                    After::Over(winner) => score(*winner, state.to_move),
                    After::Goes(next) if next.to_move == state.to_move => self.search(next),
                    After::Goes(next) => -self.search(next),
                });
                if best == 1 {
                    break;
                }
            }
            best
        };
        self.values.insert(key, value);
        value
    }

    /// Returns `true` if one of the steps is memoised as winning. This check often makes a deeper
    /// search unnecessary.
    fn knows_a_win(&self, state: &State, steps: &[After]) -> bool {
        steps.iter().any(|after| match after {
            After::Over(winner) => *winner == state.to_move,
            After::Goes(next) => {
                let winning = if next.to_move == state.to_move { 1 } else { -1 };
                self.values.get(&key(next)) == Some(&winning)
            }
        })
    }

    /// Returns `true` if the player to move can win within this ply. In most positions this check
    /// makes a deeper search unnecessary.
    fn wins_at_once(&self, state: &State, steps: &[After]) -> bool {
        steps.iter().any(|after| match after {
            After::Over(winner) => *winner == state.to_move,
            After::Goes(placed) if placed.pending => match self.values.get(&key(placed)) {
                Some(&value) if value < 1 => false,
                _ => {
                    let turns = self.options.steps(placed);
                    turns.contains(&After::Over(state.to_move))
                }
            },
            After::Goes(_) => false,
        })
    }

    /// Returns the distance of an unfinished position with a known value.
    fn search_distance(&mut self, state: &State, value: i8) -> u32 {
        if value == 0 {
            return 0;
        }
        let key = key(state);
        if let Some(&distance) = self.distances.get(&key) {
            return distance;
        }
        let steps = self.options.steps(state);
        if self.wins_at_once(state, &steps) {
            self.distances.insert(key, 1);
            return 1;
        }
        // A win in one ply was excluded above. In the shortest remaining win, the opponent's next
        // ply makes a line for the player to move.
        let shortest = 2;
        let mut best: Option<u32> = None;
        for after in &steps {
            let distance = match after {
                After::Over(winner) if score(*winner, state.to_move) == value => 1,
                After::Over(_) => continue,
                After::Goes(next) => {
                    let sign = if next.to_move == state.to_move { 1 } else { -1 };
                    let next_value = self.search(next);
                    // The winner considers only winning steps. All steps of the loser lose.
                    if sign * next_value != value {
                        continue;
                    }
                    // The ply ends with the turn.
                    let plies = if next.pending { 0 } else { 1 };
                    self.search_distance(next, next_value) + plies
                }
            };
            best = Some(match best {
                None => distance,
                Some(best) if value > 0 => best.min(distance),
                Some(best) => best.max(distance),
            });
            if value > 0 && best == Some(shortest) {
                break;
            }
        }
        let best = best.expect("some step keeps the value of the position");
        self.distances.insert(key, best);
        best
    }
}

/// Returns the value of a finished game for a player.
pub(crate) fn score(winner: u8, player: u8) -> i8 {
    if winner == 0 {
        0
    } else if winner == player {
        1
    } else {
        -1
    }
}
