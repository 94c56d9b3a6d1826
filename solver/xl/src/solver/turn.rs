//! What a position is worth whose turn is pending: what the best of its turns leads to.

use super::{Request, SolveError, Solver};
use crate::answer::{Answer, Bounds, Engine, MoveValue};
use crate::geometry::Turn;
use crate::outcome::Value;
use crate::pending::PendingTurn;
use pentago_base::Control;

impl Solver {
    /// Returns what is known about a position whose turn is pending: the values of its turns, and
    /// of each seat what follows from them. The limits hold for all turns together.
    ///
    /// # Errors
    /// If no game leads to the position.
    pub fn solve_turn(
        &mut self,
        pending: &PendingTurn,
        request: &Request,
        control: &Control,
    ) -> Result<Answer<Turn>, SolveError> {
        let rules = self.rules;
        let mover = pending.placed().to_move;
        let own = rules.side_of(mover);
        let all: Vec<Turn> = Turn::all().collect();
        let limits = self.limits;
        let mut left = limits.nodes;
        let request = Request { moves: false, vector: false, ..*request };
        let mut after: Vec<(Turn, Answer)> = Vec::with_capacity(all.len());
        for (i, &turn) in all.iter().enumerate() {
            let played = rules.turn(pending, turn);
            let answer = match played.outcome {
                Some(outcome) => self.ended(&outcome),
                None => {
                    self.limits.nodes = left / (all.len() - i) as u64;
                    let answer = self.solve(&played.position, &request, control);
                    self.limits = limits;
                    answer?
                }
            };
            left = left.saturating_sub(answer.nodes);
            after.push((turn, answer));
        }
        let mut seats = [Bounds::exactly(Value::Loss); 4];
        for seat in rules.everyone().iter() {
            let bounds = || after.iter().map(|(_, answer)| answer.of(seat));
            let (lows, highs) = (bounds().map(|b| b.low), bounds().map(|b| b.high));
            // The mover's side takes its best turn; the guarantee of any other is against it.
            let (low, high) =
                if own.has(seat) { (lows.max(), highs.max()) } else { (lows.min(), highs.min()) };
            if let (Some(low), Some(high)) = (low, high) {
                seats[seat.index()] = Bounds { low, high };
            }
        }
        let value = seats[mover.index()].value();
        let turn_value = |&(turn, ref answer): &(Turn, Answer)| MoveValue {
            m: turn,
            bounds: answer.of(mover),
            plies: answer.plies.filter(|_| request.distance).map(|plies| plies + 1),
        };
        let moves: Vec<MoveValue<Turn>> = after.iter().map(turn_value).collect();
        let of_value = moves.iter().filter(|turn| turn.bounds.value() == value);
        let plies: Option<Vec<u32>> = of_value.map(|turn| turn.plies).collect();
        let plies = plies.and_then(|plies| match value {
            Some(Value::Win) => plies.into_iter().min(),
            Some(Value::Loss) => plies.into_iter().max(),
            _ => None,
        });
        let decides = after.iter().filter(|(_, answer)| answer.of(mover).value() == value);
        let engine = match value {
            None => Engine::None,
            Some(_) => decides.map(|(_, answer)| answer.engine).max().unwrap_or(Engine::None),
        };
        Ok(Answer {
            outcome: None,
            seats,
            half_points: None,
            moves,
            best: None,
            plies,
            no_win_within: None,
            vector: None,
            engine,
            nodes: limits.nodes - left,
        })
    }
}
