//! Computes the exact value and distance of a position by trying every move and memoising every
//! position.
//!
//! The search treats the two steps of a move separately: a placement leads to a pending position of
//! the same player, and a turn leads to a position of the opponent. Pending positions are memoised,
//! too, because several positions lead to the same pending position: one for each marble that may
//! have been placed last.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::{After, Options, State};

/// Encodes a position as a number. The sockets are base-3 digits, followed by the side to move and
/// the pending flag.
fn key(state: &State) -> u64 {
    let mut number = 0;
    // Take four digits at a time, which needs fewer multiplications that depend on each other.
    for four in state.cells.as_chunks().0 {
        let [a, b, c, d] = four.map(u64::from);
        number = number * 81 + (a * 27 + b * 9 + c * 3 + d);
    }
    number * 4 + u64::from(state.to_move - 1) * 2 + u64::from(state.pending)
}

/// A hasher that mixes a number by a single multiplication. The default hasher of the standard
/// library resists adversaries but is slower, and these keys don't come from an adversary.
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
        // Fold the upper half of the product into the lower half, because only the upper half is
        // well mixed.
        let product = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

type Memo<T> = HashMap<u64, T, BuildHasherDefault<OneMultiplication>>;

/// A memoising solver for exact values and distances.
///
/// A value is +1, 0 or -1: a win, a draw or a loss for the side to move. A distance is the number
/// of plies to the end of the game, if the winner minimises and the loser maximises this number. A
/// ply is a placement with its turn. The turn of a pending position counts as one ply. With
/// `reply=place`, the reply belongs to the ply that it answers. Draws and finished games have
/// distance 0.
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

    /// Returns the value of a position for the side to move.
    pub fn value(&mut self, state: &State) -> i8 {
        match self.options.outcome(state) {
            Some(winner) => score(winner, state.to_move),
            None => self.search(state),
        }
    }

    /// Returns the value of a position for the side to move, and the distance in plies.
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

    /// Returns the value of an unfinished position for the side to move.
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

    /// Returns `true` if the memo shows that one of the steps wins. This check often makes a deeper
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

    /// Returns the distance, in plies, of an unfinished position whose value is `value`.
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
        // At this point, no win in one ply exists. The shortest possible win takes two plies: the
        // opponent's next ply makes a line for the player to move.
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
                    // The turn ends the ply, so a step to a pending position counts as 0.
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

/// Returns the value of a finished game for `player`: +1, 0 or -1.
pub(crate) fn score(winner: u8, player: u8) -> i8 {
    if winner == 0 {
        0
    } else if winner == player {
        1
    } else {
        -1
    }
}
