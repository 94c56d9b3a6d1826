//! Bounds on the value of a position, from the values of its parents. A parent is a position from
//! which some move leads to the position.
//!
//! If a parent is lost for its side to move, the other side wins after every move. If a parent is a
//! draw, the other side at least draws after every move. So a table of one slice bounds the values
//! of positions in the next slice, which have one marble more.

use pentago_core::answer::{Origin, Value};
use pentago_core::rules::{Board, Move, Position, Rules, Turn, TurnPart};
use pentago_store::Awaited;
use pentago_tables::probe::Tables;
use pentago_tables::tables::TableError;

/// Returns a lower bound on the value for the side to move, and the origin of the bound. Returns
/// `None` if no stored parent gives a bound.
///
/// # Errors
/// If a table is damaged.
pub(super) fn least(
    tables: &Tables,
    rules: &Rules,
    position: &Position,
) -> Result<Option<(Value, Origin)>, TableError> {
    let (mut least, mut awaited) = (None, Awaited::default());
    for parent in parents(rules, position) {
        let Some(Ok((value, origin))) = awaited.take(tables.find(rules, &parent))? else { continue };
        match Value::from(value).negate() {
            Value::Win => return Ok(Some((Value::Win, origin))),
            Value::Draw => least = Some((Value::Draw, origin)),
            Value::Loss | Value::Unknown => {}
        }
    }
    awaited.end()?;
    Ok(least)
}

/// Returns all positions from which some placement and turn lead to `position`.
fn parents(rules: &Rules, position: &Position) -> Vec<Position> {
    let (shape, mover) = (rules.shape, position.to_move().other());
    let mut parents = Vec::new();
    for turn in Turn::ALL {
        let before = [position.board().x, position.board().o].map(|set| shape.turn(set, turn.inverse()));
        let Some(placed) = Board::new(before[0], before[1]) else { continue };
        for socket in shape.sockets_of(placed.of(mover)) {
            let [x, o] = before.map(|set| set & !socket.bit());
            let Some(parent) = Board::new(x, o) else { continue };
            let Ok(parent) = Position::new(shape, parent, mover, false) else { continue };
            let mv = Move { place: Some(socket), turn: TurnPart::Turn(turn) };
            let leads_here = rules.play(&parent, mv).is_ok_and(|played| played.position == *position);
            if leads_here && !parents.contains(&parent) {
                parents.push(parent);
            }
        }
    }
    parents
}

#[cfg(all(test, feature = "openings"))]
mod tests {
    use super::*;
    use pentago_core::rules::random;
    use pentago_tables::probe::OPENING_MARBLES;

    /// Checks that a position is a parent of exactly the positions to which its moves lead.
    #[test]
    fn parents_are_the_reverse_of_moves() {
        let rules = Rules::default();
        for position in random::positions(&rules, 9, 20, 1, false).unwrap() {
            for mv in rules.moves(&position).into_iter().step_by(7) {
                let played = rules.play(&position, mv).unwrap();
                if played.outcome.is_none() {
                    assert!(parents(&rules, &played.position).contains(&position));
                }
            }
            for parent in parents(&rules, &position) {
                let mut after = rules.moves(&parent).into_iter().map(|mv| rules.play(&parent, mv).unwrap());
                assert!(after.any(|played| played.position == position), "{parent} {position}");
            }
        }
    }

    /// Checks that published values respect the bounds from their parents, which are in the
    /// previous slice.
    #[test]
    fn published_values_keep_the_bounds_of_their_parents() {
        let tables = Tables::none().with_openings().expect("sound");
        let rules = Rules::default();
        let (mut won, mut drawn) = (0, 0);
        for marbles in 3..=OPENING_MARBLES {
            for position in random::positions(&rules, marbles, 150, 2, true).unwrap() {
                let Some((bound, _)) = least(&tables, &rules, &position).expect("sound") else { continue };
                let value = Value::from(tables.find(&rules, &position).expect("sound").expect("published").0);
                assert!(value.rank() <= bound.rank(), "{position}: {value}, at least {bound}");
                (won, drawn) =
                    (won + u32::from(bound == Value::Win), drawn + u32::from(bound == Value::Draw));
            }
        }
        assert!(won > 0 && drawn > 0, "{won} {drawn}");
    }
}
