//! Distances to the end of the game in plies, and a line of best moves.
//!
//! The distance of a decided move is the least number k for which the solution truncated at k plies
//! decides the move.

use super::search::Search;
use pentago_core::answer::{MoveEval, Origin, Value};
use pentago_core::rules::Move;
use pentago_core::solve::{Solution, SolveError};

/// Returns the least number of plies that decides each move, or `None` for a move that the solution
/// leaves undecided. At the time limit, the remaining distances are `None`.
pub(super) fn of_moves(search: &mut Search, solution: &Solution) -> Result<Vec<Option<usize>>, SolveError> {
    // A move that only a proof decides ends later than the depth of the solution, so leave this
    // move out.
    let decided = |m: &MoveEval| {
        matches!(m.value, Value::Win | Value::Loss) && !matches!(m.origin, Origin::Proof { .. })
    };
    let mut distances: Vec<Option<usize>> = vec![None; solution.moves.len()];
    let open = |distances: &[Option<usize>]| {
        solution.moves.iter().zip(distances).any(|(m, d)| decided(m) && d.is_none())
    };
    for plies in 1..=solution.plies {
        if !open(&distances) {
            break;
        }
        // At the last depth, use the solution itself instead of computing it again.
        let truncated = if plies == solution.plies {
            None
        } else {
            let solved = search.solve(search.position, plies);
            let Some(solved) = search.unless_late(solved)? else { break };
            Some(solved)
        };
        let moves = truncated.as_ref().map_or(&solution.moves, |t| &t.moves);
        for (m, distance) in moves.iter().zip(&mut distances) {
            if decided(m) && distance.is_none() {
                *distance = Some(plies);
            }
        }
    }
    Ok(distances)
}

/// Returns the distance of a position, given the distances of its moves. The winner chooses the
/// least distance, the loser the greatest. Returns `None` if the distance is unknown.
pub(super) fn distance(value: Value, moves: &[MoveEval], distances: &[Option<usize>]) -> Option<usize> {
    let mut of_value = moves.iter().zip(distances).filter(|(m, _)| m.value == value).map(|(_, d)| *d);
    match value {
        // A win of unknown distance is further away than each win of known distance, so ignore it.
        Value::Win => of_value.flatten().min(),
        Value::Loss => of_value.try_fold(0, |most, d| Some(most.max(d?))),
        Value::Draw | Value::Unknown => None,
    }
}

/// Returns a line of best moves of both sides from a decided position to the end of the game. The
/// line ends early at the time limit.
pub(super) fn principal_variation(
    search: &mut Search,
    solution: &Solution,
    distances: &[Option<usize>],
) -> Result<Vec<Move>, SolveError> {
    let mut line = Vec::new();
    let Some(mut left) = distance(solution.value, &solution.moves, distances) else { return Ok(line) };
    let best = |m: &(&MoveEval, &Option<usize>)| m.0.value == solution.value && *m.1 == Some(left);
    let Some((first, _)) = solution.moves.iter().zip(distances).find(best) else { return Ok(line) };
    line.push(first.mv);
    let mut position = first.position;
    let mut wins = solution.value != Value::Win;
    left -= 1;
    while left > 0 && search.solver.rules.outcome(&position).is_none() {
        // The winner plays a move that wins within the remaining plies. The loser plays a move that
        // a search with one ply less leaves undecided.
        let solved = search.solve(&position, if wins || left == 1 { left } else { left - 1 });
        let Some(solved) = search.unless_late(solved)? else { break };
        let next = match wins {
            true => solved.moves.into_iter().find(|m| m.value == Value::Win),
            false if left == 1 => solved.moves.into_iter().next(),
            false => solved.moves.into_iter().find(|m| m.value != Value::Loss),
        };
        let Some(next) = next else { break };
        line.push(next.mv);
        position = next.position;
        wins = !wins;
        left -= 1;
    }
    Ok(line)
}
