//! A score of the lines on which only one player has marbles.

use crate::rules::Rules;

/// Returns the total worth of the lines open to the player with the marbles `own`, minus the total
/// worth of the lines open to `other`. A line is open to a player if only that player has marbles
/// on the line. Each of these marbles multiplies the worth of the line by four.
pub fn prospects(rules: &Rules, own: u64, other: u64) -> i32 {
    let marbles = |line: &u64| ((line & own).count_ones(), (line & other).count_ones());
    let worth = |line| match marbles(line) {
        (0, 0) => 0,
        (own, 0) => 1 << (2 * own),
        (0, other) => -(1 << (2 * other)),
        _ => 0,
    };
    rules.shape.lines().iter().map(worth).sum()
}
