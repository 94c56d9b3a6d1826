//! The value of a position whose turn is pending: the value after the mover's best turn.

use pentago_base::{Control, Refusal};

use super::Solver;
use super::request::Request;
use crate::answer::{Answer, Bounds, Engine, MoveValue};
use crate::geometry::Turn;
use crate::options::Rules;
use crate::outcome::Value;
use crate::position::Position;
use crate::seat::Seat;

impl Solver {
    /// Solves a position whose turn is pending. Finds the value of each turn, and derives the value
    /// for each seat from the values of the turns. The limits of the solver apply to all turns
    /// together.
    ///
    /// # Errors
    /// If no game leads to the position.
    pub fn solve_turn(
        &mut self,
        placed: &Position,
        request: &Request,
        control: &Control,
    ) -> Result<Answer<Turn>, Refusal> {
        let request = Request { moves: false, ..*request };
        let limits = self.limits;
        let mut left = limits.nodes;
        let mut after = Vec::with_capacity(16);
        for turn in Turn::all() {
            let played = self.rules.turn(placed, turn);
            let answer = match played.outcome {
                Some(outcome) => self.ended(&outcome),
                None => {
                    self.limits.nodes = left / (16 - after.len()) as u64;
                    let answer = self.solve(&played.position, &request, control);
                    self.limits = limits;
                    answer?
                }
            };
            left = left.saturating_sub(answer.nodes);
            after.push((turn, answer));
        }
        let answer = combined(&self.rules, placed.to_move, &after, request.distance);
        Ok(Answer { nodes: limits.nodes - left, ..answer })
    }
}

/// Combines the answers for the positions after each turn into the answer for the position before
/// the turn. If `distance` is `true`, includes the number of plies to forced wins.
fn combined(rules: &Rules, mover: Seat, after: &[(Turn, Answer)], distance: bool) -> Answer<Turn> {
    let own = rules.side_of(mover);
    let mut answer = Answer::EMPTY;
    for seat in rules.everyone().iter() {
        // The mover's side chooses the turn that is best for it. For any other seat, all others
        // play against this seat, so they choose the turn that is worst for it.
        let choose = if own.has(seat) { Ord::max } else { Ord::min };
        let bounds = after.iter().map(|(_, answer)| answer.of(seat));
        let both = |a: Bounds, b: Bounds| Bounds { low: choose(a.low, b.low), high: choose(a.high, b.high) };
        answer.seats[seat.index()] = bounds.reduce(both).unwrap_or(Bounds::UNKNOWN);
    }
    answer.moves.extend(after.iter().map(|(turn, answer)| MoveValue {
        m: *turn,
        bounds: answer.of(mover),
        plies: answer.plies.filter(|_| distance).map(|plies| plies + 1),
    }));
    let Some(value) = answer.of(mover).value() else { return answer };
    let decides = |bounds: Bounds| bounds.value() == Some(value);
    let plies: Option<Vec<u32>> =
        answer.moves.iter().filter(|turn| decides(turn.bounds)).map(|turn| turn.plies).collect();
    answer.plies = plies.and_then(|plies| match value {
        Value::Win => plies.into_iter().min(),
        Value::Loss => plies.into_iter().max(),
        Value::Draw => None,
    });
    let engines = after.iter().filter(|(_, answer)| decides(answer.of(mover)));
    answer.engine = engines.map(|(_, answer)| answer.engine).max().unwrap_or(Engine::None);
    answer
}
