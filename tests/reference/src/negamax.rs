//! The exact value and distance of a position, by trying every move and remembering every position
//! met.
//!
//! The search goes step by step: a placement leads to a pending position of the same player, a turn
//! to a position of the opponent. A pending position is remembered too, because several positions
//! lead to it, one for each of the marbles that can have been placed last.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::{After, Options, State};

/// A position as a number: its sockets as digits of base 3, then the side to move and whether it is
/// pending.
fn key(state: &State) -> u64 {
    let mut number = 0;
    // Four digits at a time: each multiplication waits for the one before.
    for four in state.cells.as_chunks().0 {
        let [a, b, c, d] = four.map(u64::from);
        number = number * 81 + (a * 27 + b * 9 + c * 3 + d);
    }
    number * 4 + u64::from(state.to_move - 1) * 2 + u64::from(state.pending)
}

/// Mixes a number by one multiplication. The keys come from play, not from an adversary, and this
/// is several times faster than the default of the standard library.
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
        // The product is well mixed in its upper half only: bring that down as well.
        let product = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

type Memo<T> = HashMap<u64, T, BuildHasherDefault<OneMultiplication>>;

/// Finds exact values, remembering the positions it has met.
///
/// A value is +1, 0 or -1: win, draw or loss for the side to move. A distance counts plies to the
/// end, a ply being a placement with its turn: the winner hurries, the loser delays. The turn of a
/// pending position counts as one ply; the reply of `reply=place` belongs to the ply before it.
/// Draws have distance 0, and so has a position that is over.
pub struct Solver {
    options: Options,
    values: Memo<i8>,
    distances: Memo<u32>,
}

impl Solver {
    /// A solver for these rules that remembers nothing yet.
    pub fn new(options: Options) -> Solver {
        Solver { options, values: Memo::default(), distances: Memo::default() }
    }

    /// How many positions it remembers, pending ones included; each takes some 20 bytes.
    pub fn remembered(&self) -> usize {
        self.values.len()
    }

    /// The value for the side to move.
    pub fn value(&mut self, state: &State) -> i8 {
        match self.options.outcome(state) {
            Some(winner) => score(winner, state.to_move),
            None => self.search(state),
        }
    }

    /// The value for the side to move and the distance in plies.
    pub fn distance(&mut self, state: &State) -> (i8, u32) {
        match self.options.outcome(state) {
            Some(winner) => (score(winner, state.to_move), 0),
            None => {
                let value = self.search(state);
                (value, self.search_distance(state, value))
            }
        }
    }

    /// Every legal move with its value for the player who moves; in the order of
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

    /// Every legal move with its value for the player who moves and the distance in plies, this
    /// move included.
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

    /// The value of a position that is not over.
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

    /// Whether one of the steps is remembered as winning. Asked before any deeper search, which
    /// this spares often.
    fn knows_a_win(&self, state: &State, steps: &[After]) -> bool {
        steps.iter().any(|after| match after {
            After::Over(winner) => *winner == state.to_move,
            After::Goes(next) => {
                let winning = if next.to_move == state.to_move { 1 } else { -1 };
                self.values.get(&key(next)) == Some(&winning)
            }
        })
    }

    /// Whether the player to move can end the game in his favour within this ply. Asked before any
    /// deeper search, which this spares in most positions.
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

    /// The distance of a position that is not over, given its value.
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
        // From here on no win is shorter than this: the opponent's next ply makes a line for the
        // player to move.
        let shortest = 2;
        let mut best: Option<u32> = None;
        for after in &steps {
            let distance = match after {
                After::Over(winner) if score(*winner, state.to_move) == value => 1,
                After::Over(_) => continue,
                After::Goes(next) => {
                    let sign = if next.to_move == state.to_move { 1 } else { -1 };
                    let next_value = self.search(next);
                    // The winner looks at his winning steps; all steps of the loser lose.
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

/// The value of a game that is over, for a player.
pub(crate) fn score(winner: u8, player: u8) -> i8 {
    if winner == 0 {
        0
    } else if winner == player {
        1
    } else {
        -1
    }
}
