//! Looks up the stored values of a position and of its moves, and combines them with a solution.

use super::policy::Coverage;
use crate::error::{Error, ErrorKind};
use pentago_core::answer::{Answer, Estimate, Missing, MoveEval, Origin, Unknown, Unsolved, Value};
use pentago_core::index::EDGE;
use pentago_core::rules::{Move, Position, Rules};
use pentago_store::Awaited;
use pentago_tables::probe::Tables;
use pentago_tables::tables::TableError;
use std::cmp::Reverse;

/// Returns the error for a stored value that differs from the value `other`, which follows from the
/// moves or comes from the solver. Both values are for the side to move.
fn contradiction(rules: &Rules, position: &Position, table: Value, other: Value) -> Error {
    let position = rules.format_position(position);
    let text = format!(
        "the tables hold a wrong value: {position} is stored as a {}, but is a {} according to its moves; \
         run `pentago verify`",
        table.name(),
        other.name()
    );
    Error::new(ErrorKind::Contradiction, text)
}

/// Looks up a position and all its moves.
///
/// The answer lists the moves in the order of [`Rules::moves`]. The origin of each missing value
/// names the missing table.
///
/// # Errors
/// If a table is damaged.
pub(super) fn look_up(tables: &Tables, rules: &Rules, position: &Position) -> Result<Answer, Error> {
    let mut awaited = Awaited::default();
    let root = awaited.take(tables.find(rules, position))?;
    let all = rules.moves(position);
    let mut found: Vec<Option<MoveEval>> = vec![None; all.len()];
    for at in by_block(tables, rules, position, &all) {
        found[at] = awaited.take(look_up_move(tables, rules, position, all[at]))?;
    }
    awaited.end()?;
    let mut moves: Vec<MoveEval> = found.into_iter().flatten().collect();
    let root = root.expect("no look-up waits").map(|(wdl, origin)| (wdl.into(), origin));
    let (value, origin) = root.unwrap_or_else(|missing| match moves.iter().find(|m| is_missing(&m.origin)) {
        // Tables contain no pending positions. Report the table that is missing for a position
        // after a turn, because the value follows from these positions.
        Some(m) if missing == Missing::Pending => (Value::Unknown, m.origin.clone()),
        _ => unknown(missing),
    });
    // Every move of a lost position loses, so no table is needed for the moves.
    if value == Value::Loss {
        for m in moves.iter_mut().filter(|m| is_missing(&m.origin)) {
            (m.value, m.origin) = (Value::Loss, origin.clone());
        }
    }
    Ok(Answer { value, origin, moves, ..Answer::default() })
}

fn look_up_move(
    tables: &Tables,
    rules: &Rules,
    position: &Position,
    mv: Move,
) -> Result<MoveEval, TableError> {
    let played = rules.play(position, mv).expect("the rules list legal moves");
    let (value, origin) = match played.outcome {
        Some(outcome) => (Value::of(outcome, position.to_move()), Origin::Rules),
        None => match tables.find(rules, &played.position)? {
            Ok((wdl, origin)) => (wdl.negate().into(), origin),
            Err(missing) => unknown(missing),
        },
    };
    Ok(MoveEval { mv, position: played.position, value, distance: None, origin, guess: None })
}

fn unknown(missing: Missing) -> (Value, Origin) {
    let unsolved = Unsolved::NotAsked;
    (Value::Unknown, Origin::Unknown(Unknown { missing: Some(missing), unsolved }))
}

fn is_missing(origin: &Origin) -> bool {
    matches!(origin, Origin::Unknown(_))
}

/// Returns the value of a position according to the stored values, or `None` if it is unknown. One
/// stored winning move proves a win.
fn value(stored: &Answer) -> Option<Value> {
    match stored.value {
        Value::Unknown => Some(Value::Win).filter(|&win| stored.moves.iter().any(|m| m.value == win)),
        value => Some(value),
    }
}

/// Returns the extent to which the stored values answer the question.
pub(super) fn coverage(stored: &Answer) -> Coverage {
    if !stored.moves.iter().any(|m| is_missing(&m.origin)) {
        Coverage::Complete
    } else if value(stored).is_some_and(|value| stored.moves.iter().any(|m| m.value == value)) {
        Coverage::Decided
    } else {
        Coverage::Undecided
    }
}

/// Completes stored values with `solved`, the answer of an engine. `unsolved` is the reason why
/// other values stay unknown.
///
/// # Errors
/// If a stored value differs from a computed value.
pub(super) fn completed(
    mut answer: Answer,
    rules: &Rules,
    position: &Position,
    full: Estimate,
    solved: Option<Answer>,
    unsolved: Unsolved,
) -> Result<Answer, Error> {
    let stored = value(&answer);
    for m in &mut answer.moves {
        complete_move(m, rules, solved.as_ref(), unsolved)?;
    }
    let all_known = answer.moves.iter().all(|m| m.value != Value::Unknown);
    let best = answer.moves.iter().map(|m| m.value).min_by_key(|v| v.rank());
    let of_moves = best.filter(|&best| all_known || best == Value::Win);
    let table = answer.value;
    if let Some(other) = of_moves.filter(|&other| table != Value::Unknown && table != other) {
        return Err(contradiction(rules, position, table, other));
    }
    // A limited search can decide the position while the values of some moves stay unknown.
    let proved = solved.as_ref().map(|answer| answer.value);
    answer.value = of_moves.or(stored).or(proved).unwrap_or(Value::Unknown);
    if let Origin::Unknown(unknown) = &mut answer.origin {
        unknown.unsolved = unsolved;
        if answer.value != Value::Unknown {
            answer.origin = match (origin_of(answer.value, &answer.moves), &solved) {
                // Prefer the proof of the position itself to the proofs of its moves, because it is
                // more specific.
                (Origin::Proof { .. }, Some(solved)) if solved.value == answer.value => solved.origin.clone(),
                (origin, _) => origin,
            };
        }
    }
    answer.complete = answer.value != Value::Unknown && all_known;
    answer.full = full;
    answer.plies = if all_known { full.plies } else { solved.as_ref().map_or(0, |solved| solved.plies) };
    if let Some(solved) = solved {
        answer.boards = solved.boards;
        if !all_known {
            answer.ruled_out = solved.ruled_out;
        }
        if solved.value == answer.value {
            (answer.distance, answer.line) = (solved.distance, solved.line);
        }
    }
    answer.order();
    Ok(answer)
}

/// Copies the value and the distance of a move from the computed answer.
fn complete_move(
    m: &mut MoveEval,
    rules: &Rules,
    solved: Option<&Answer>,
    unsolved: Unsolved,
) -> Result<(), Error> {
    let by_solver = solved.and_then(|answer| answer.moves.iter().find(|other| other.mv == m.mv));
    match (&mut m.origin, by_solver.filter(|other| other.value != Value::Unknown)) {
        (Origin::Unknown(unknown), None) => unknown.unsolved = unsolved,
        (_, None) => {}
        (origin, Some(other)) => {
            if is_missing(origin) {
                (m.value, *origin) = (other.value, other.origin.clone());
            } else if m.value != other.value {
                return Err(contradiction(rules, &m.position, m.value, other.value));
            }
            m.distance = other.distance;
        }
    }
    Ok(())
}

/// Returns the indices of the moves in an order in which each block is decoded only once. Moves
/// that lead to the same block are neighbours in this order. Within a block, the last entry comes
/// first.
fn by_block(tables: &Tables, rules: &Rules, position: &Position, moves: &[Move]) -> Vec<usize> {
    // All turns after a placement lead to the same entry, so cache the entry of each placement.
    let mut entries = Vec::new();
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_cached_key(|&at| {
        let mv = moves[at];
        let known = entries.iter().find(|(place, _)| *place == mv.place);
        Reverse(known.map(|&(_, entry)| entry).unwrap_or_else(|| {
            let board = rules.play(position, mv).expect("the rules list legal moves").position.board();
            let families = tables.families.iter().filter(|family| family.target().rules == *rules);
            let entry = families.filter_map(|f| f.index().locate(board)).next();
            let entry = entry.map(|l| (l.key, l.index.map(|i| i / EDGE), l.index));
            entries.push((mv.place, entry));
            entry
        }))
    });
    order
}

/// Returns the origin of a value that follows from the values of the moves. A win needs only one
/// winning move, other values need all moves.
fn origin_of(value: Value, moves: &[MoveEval]) -> Origin {
    let known =
        |m: &&MoveEval| !matches!(m.origin, Origin::Unknown(_)) && (value != Value::Win || m.value == value);
    let origins = moves.iter().filter(known).map(|m| &m.origin);
    let by_weight = |o: &&Origin| o.weight();
    let origin =
        if value == Value::Win { origins.min_by_key(by_weight) } else { origins.max_by_key(by_weight) };
    origin.cloned().unwrap_or(Origin::Solved)
}

#[cfg(all(test, feature = "openings"))]
mod tests {
    use crate::ask::look_up;
    use pentago_core::answer::{MoveEval, Origin, Value};
    use pentago_core::rules::{Rules, random};
    use pentago_tables::probe::{OPENING_MARBLES, Tables};

    #[test]
    fn each_first_move_is_known() {
        let tables = Tables::none().with_openings().expect("sound");
        let rules = Rules::default();
        let answer = look_up(&tables, &rules, &rules.start()).expect("sound");
        assert_eq!((answer.value, &answer.origin), (Value::Win, &Origin::Published));
        assert!(answer.complete && answer.moves.len() == 36 * 8);
        assert!(answer.moves.iter().all(|m| m.origin == Origin::Published));
        // In this position, a placement in a corner draws with every turn. Any other placement wins
        // with some turn.
        for quadrant in 0..4 {
            for cell in 0..9 {
                let placed =
                    |m: &&MoveEval| m.mv.place.is_some_and(|s| (s.quadrant(), s.cell()) == (quadrant, cell));
                let best = answer.moves.iter().filter(placed).map(|m| m.value).min_by_key(|v| v.rank());
                let corner = cell == [0, 2, 6, 8][quadrant];
                assert_eq!(best, Some(if corner { Value::Draw } else { Value::Win }), "{quadrant} {cell}");
            }
        }
    }

    /// Checks that all moves of a lost position lose, even if no table contains the positions after
    /// these moves.
    #[test]
    fn moves_of_lost_positions_lose() {
        let tables = Tables::none().with_openings().expect("sound");
        let rules = Rules::default();
        let positions = random::positions(&rules, OPENING_MARBLES, 200, 5, true).expect("there are some");
        let (mut lost, mut others) = (0, 0);
        for position in positions {
            let answer = look_up(&tables, &rules, &position).expect("sound");
            assert_eq!(answer.origin, Origin::Published);
            if answer.value == Value::Loss {
                assert!(answer.complete && answer.best == answer.moves.len());
                lost += 1;
            } else {
                assert!(!answer.complete && answer.best == 0);
                others += 1;
            }
        }
        assert!(lost > 0 && others > 0, "{lost} {others}");
    }
}
