//! What rules and tables say of a position and of each of its moves, and how a solution completes it.

use super::policy::Summary;
use pentago_core::answer::{Answer, Estimate, Missing, MoveEval, Origin, RuledOut, Unknown, Unsolved, Value};
use pentago_core::index::EDGE;
use pentago_core::rules::{Move, Position, Rules};
use pentago_store::Awaited;
use pentago_tables::probe::Tables;
use pentago_tables::tables::TableError;
use std::cmp::Reverse;

/// Two different values of the same position, both claimed to be exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tables hold a wrong value: {} is stored as a {}, but is a {} according to its moves; run `pentago \
     verify`",
    rules.format_position(position), table.name(), other.name()
)]
pub struct Contradiction {
    /// The rules.
    pub rules: Rules,
    /// The position.
    pub position: Position,
    /// The value in the tables, for the side to move in the given position.
    pub table: Value,
    /// The value according to the moves or the solver.
    pub other: Value,
}

/// What rules and tables say of a position whose game is not over.
pub(super) struct Known {
    position: Position,
    /// Its own value and where it comes from, as the tables have it.
    root: Result<(Value, Origin), Missing>,
    /// All legal moves, in the order of [`Rules::moves`].
    moves: Vec<KnownMove>,
}

/// A move as rules and tables know it.
struct KnownMove {
    mv: Move,
    position: Position,
    value: Result<(Value, Origin), Missing>,
}

impl Known {
    /// Looks up a position and all its moves.
    pub fn look_up(tables: &Tables, rules: &Rules, position: &Position) -> Result<Known, TableError> {
        let mut awaited = Awaited::default();
        let root = awaited.take(tables.find(rules, position))?;
        let moves = rules.moves(position);
        let mut known: Vec<Option<KnownMove>> = moves.iter().map(|_| None).collect();
        for at in by_block(tables, rules, position, &moves) {
            known[at] = awaited.take(KnownMove::look_up(tables, rules, position, moves[at]))?;
        }
        awaited.end()?;
        let root = root.expect("no look-up waits").map(|(wdl, origin)| (Value::from(wdl), origin));
        let mut moves: Vec<KnownMove> = known.into_iter().flatten().collect();
        // A pending position is in a table if the positions after its turns are.
        let root = match (root, moves.iter().find_map(|m| m.value.as_ref().err())) {
            (Err(Missing::Pending), Some(missing)) => Err(missing.clone()),
            (root, _) => root,
        };
        // Where the position is lost, every move is.
        if let Ok((Value::Loss, origin)) = &root {
            for m in moves.iter_mut().filter(|m| m.value.is_err()) {
                m.value = Ok((Value::Loss, origin.clone()));
            }
        }
        Ok(Known { position: *position, root, moves })
    }

    /// The value, as far as it is known.
    fn value(&self) -> Option<Value> {
        match &self.root {
            Ok((value, _)) => Some(*value),
            Err(_) => Some(Value::Win).filter(|&win| self.keeps(win)),
        }
    }

    /// Whether a move has this value.
    fn keeps(&self, value: Value) -> bool {
        self.moves.iter().any(|m| matches!(m.value, Ok((v, _)) if v == value))
    }

    /// How much is known.
    pub fn summary(&self) -> Summary {
        if self.moves.iter().all(|m| m.value.is_ok()) {
            Summary::Complete
        } else if self.value().is_some_and(|value| self.keeps(value)) {
            Summary::Decided
        } else {
            Summary::Undecided
        }
    }

    /// The answer, with what was `solved` besides; what is still unknown is so because it is
    /// `unsolved`.
    pub fn completed(
        self,
        rules: &Rules,
        full: Estimate,
        solved: Option<Answer>,
        unsolved: Unsolved,
    ) -> Result<Answer, Contradiction> {
        let stored = self.value();
        let Known { position, root, moves } = self;
        let complete = |m: KnownMove| m.completed(rules, solved.as_ref(), unsolved);
        let moves: Vec<MoveEval> = moves.into_iter().map(complete).collect::<Result<_, _>>()?;
        let all_known = moves.iter().all(|m| m.value != Value::Unknown);
        let best = moves.iter().map(|m| m.value).min_by_key(|v| v.rank());
        let of_moves = best.filter(|&best| all_known || best == Value::Win);
        if let (Ok((table, _)), Some(other)) = (&root, of_moves)
            && *table != other
        {
            return Err(Contradiction { rules: *rules, position, table: *table, other });
        }
        // A limited search may prove the value although some moves are unknown.
        let proved = solved.as_ref().map(|answer| answer.value);
        let value = of_moves.or(stored).or(proved).unwrap_or(Value::Unknown);
        let origin = match root {
            Ok((_, origin)) => origin,
            Err(missing) if value == Value::Unknown => {
                Origin::Unknown(Unknown { missing: Some(missing), unsolved })
            }
            Err(_) => match (origin_of(value, &moves), &solved) {
                // The proof of the position itself says more than those of its moves.
                (Origin::Proof { .. }, Some(answer)) if answer.value == value => answer.origin.clone(),
                (origin, _) => origin,
            },
        };
        let by_solver = |of: fn(&Answer) -> usize| solved.as_ref().map_or(0, of);
        let mut answer = Answer {
            value,
            origin,
            distance: None,
            best: 0,
            plies: if all_known { full.plies } else { by_solver(|a| a.plies) },
            ruled_out: RuledOut::default(),
            at_least: None,
            complete: value != Value::Unknown && all_known,
            boards: 0,
            line: Vec::new(),
            full,
            moves,
        };
        if let Some(solved) = solved {
            answer.boards = solved.boards;
            if !all_known {
                answer.ruled_out = solved.ruled_out;
            }
            if solved.value == value {
                (answer.distance, answer.line) = (solved.distance, solved.line);
            }
        }
        answer.order();
        Ok(answer)
    }
}

impl KnownMove {
    fn look_up(
        tables: &Tables,
        rules: &Rules,
        position: &Position,
        mv: Move,
    ) -> Result<KnownMove, TableError> {
        let played = rules.play(position, mv).expect("the rules list legal moves");
        let value = match played.outcome {
            Some(outcome) => Ok((Value::of(outcome, position.to_move()), Origin::Rules)),
            None => tables.find(rules, &played.position)?.map(|(wdl, origin)| (wdl.negate().into(), origin)),
        };
        Ok(KnownMove { mv, position: played.position, value })
    }

    /// The move with its value from the tables, or else from the solver.
    fn completed(
        self,
        rules: &Rules,
        solved: Option<&Answer>,
        unsolved: Unsolved,
    ) -> Result<MoveEval, Contradiction> {
        let KnownMove { mv, position, value } = self;
        let by_solver = solved.and_then(|answer| answer.moves.iter().find(|m| m.mv == mv));
        let by_solver = by_solver.filter(|m| m.value != Value::Unknown);
        let (value, origin) = match (value, by_solver) {
            (Ok((table, _)), Some(MoveEval { value: other, .. })) if table != *other => {
                return Err(Contradiction { rules: *rules, position, table, other: *other });
            }
            (Ok(known), _) => known,
            (Err(_), Some(by_solver)) => (by_solver.value, by_solver.origin.clone()),
            (Err(missing), None) => {
                (Value::Unknown, Origin::Unknown(Unknown { missing: Some(missing), unsolved }))
            }
        };
        Ok(MoveEval {
            mv,
            position,
            value,
            distance: by_solver.and_then(|m| m.distance),
            origin,
            guess: None,
        })
    }
}

/// The order in which moves are best looked up: those whose positions lie in one block together,
/// and the last entry first, up to which the block is then decoded once.
fn by_block(tables: &Tables, rules: &Rules, position: &Position, moves: &[Move]) -> Vec<usize> {
    // The turns of a placement lead to one entry.
    let mut entries = Vec::new();
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_cached_key(|&at| {
        let mv = moves[at];
        let known = entries.iter().find(|(place, _)| *place == mv.place);
        Reverse(known.map(|&(_, entry)| entry).unwrap_or_else(|| {
            let board = rules.play(position, mv).expect("the rules list legal moves").position.board();
            let families = tables.families().iter().filter(|family| family.target().rules == *rules);
            let entry = families.filter_map(|f| f.index().locate(board)).next();
            let entry = entry.map(|l| (l.key, l.index.map(|i| i / EDGE), l.index));
            entries.push((mv.place, entry));
            entry
        }))
    });
    order
}

/// The source of a value that follows from those of the moves: one winning move is enough for a
/// win; otherwise all moves are needed.
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
        // A placement wins with some turn unless it is in a corner, where every turn draws.
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

    /// A lost position's moves all lose, even where no table holds the positions after them.
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
