//! The value of a position and of each of its moves, with their sources.

use super::tables::Tables;
use crate::answer::{Answer, Estimate, Missing, MoveEval, Origin, RuledOut, Unknown, Unsolved, Value};
use crate::index::EDGE;
use crate::rules::{Move, Position, Rules};
use crate::solve::RootedSolver;
use crate::tables::TableError;
use crate::values::Wdl;
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError<E> {
    /// A table is damaged, or can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A table is wrong.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The solver failed.
    #[error(transparent)]
    Solve(E),
}

/// The value for the other side.
fn negated(wdl: Wdl) -> Value {
    match wdl {
        Wdl::Win => Value::Loss,
        Wdl::Draw => Value::Draw,
        Wdl::Loss => Value::Win,
    }
}

/// What may be asked of the solver besides the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The estimate of the full solution.
    pub full: Estimate,
    /// The bytes that the solver may take; none: it is not asked at all.
    pub memory: Option<u64>,
    /// It is asked for distances, which no table has, even if all values are known.
    pub distances: bool,
}

/// A move as rules and tables know it.
struct KnownMove {
    mv: Move,
    position: Position,
    value: Result<(Value, Origin), Missing>,
}

impl Tables {
    /// The answer for a position from the rules and the tables, completed by `solve` (the rooted
    /// solver). It is called if the full solution fits in the memory, or for a limited search if
    /// otherwise the value is unknown, or no move that keeps it is known.
    ///
    /// # Errors
    /// If a table is damaged, contradicts its own moves or the solver, or if `solve` fails.
    pub fn answer<E>(
        &self,
        rules: &Rules,
        position: &Position,
        ask: Ask,
        solve: impl FnOnce() -> Result<Answer, E>,
    ) -> Result<Answer, ProbeError<E>> {
        let Ask { full, memory, distances } = ask;
        if let Some(outcome) = rules.outcome(position) {
            let value = Value::of(outcome, position.to_move());
            let mut answer = assemble(value, Origin::Rules, Vec::new(), full);
            answer.distance = (distances && value != Value::Draw).then_some(0);
            return Ok(answer);
        }
        let root = self.find(rules, position)?;
        let moves = rules.moves(position);
        let mut known: Vec<Option<KnownMove>> = moves.iter().map(|_| None).collect();
        for at in self.by_block(rules, position, &moves) {
            known[at] = Some(self.known(rules, position, moves[at])?);
        }
        let mut known: Vec<KnownMove> = known.into_iter().flatten().collect();
        // A pending position is in a table if the positions after its turns are.
        let root = match (root, known.iter().find_map(|k| k.value.as_ref().err())) {
            (Err(Missing::Pending), Some(missing)) => Err(missing.clone()),
            (root, _) => root,
        };
        if let Ok((wdl, origin)) = &root {
            follow(Value::from(*wdl), origin, &mut known);
        }
        let keeps = |value: Value| known.iter().any(|k| matches!(k.value, Ok((v, _)) if v == value));
        let mut value = match &root {
            Ok((wdl, _)) => Some(Value::from(*wdl)),
            Err(_) => keeps(Value::Win).then_some(Value::Win),
        };
        let open = known.iter().any(|k| k.value.is_err());
        let may_solve =
            |limit: u64| full.bytes <= limit || !value.is_some_and(keeps) && RootedSolver::deepens(position);
        let mut unsolved = Unsolved::NotAsked;
        let mut solved = None;
        if let Some(limit) = memory.filter(|_| open || distances) {
            if may_solve(limit) {
                let answer = solve().map_err(ProbeError::Solve)?;
                unsolved = Unsolved::Open { ruled_out: answer.ruled_out };
                solved = Some(answer);
            } else {
                unsolved = Unsolved::Memory { need: full.bytes, limit };
            }
        }
        let mut moves: Vec<MoveEval> = Vec::with_capacity(known.len());
        for KnownMove { mv, position: to, value } in known {
            let by_solver = solved.as_ref().and_then(|a| a.moves.iter().find(|m| m.mv == mv));
            let by_solver = by_solver.filter(|m| m.value != Value::Unknown);
            let distance = by_solver.and_then(|m| m.distance);
            let (value, origin) = match (value, by_solver) {
                (Ok((table, _)), Some(MoveEval { value: other, .. })) if table != *other => {
                    return Err(Contradiction { rules: *rules, position: to, table, other: *other }.into());
                }
                (Ok(value), _) => value,
                (Err(_), Some(by_solver)) => (by_solver.value, by_solver.origin.clone()),
                (Err(missing), None) => {
                    (Value::Unknown, Origin::Unknown(Unknown { missing: Some(missing), unsolved }))
                }
            };
            moves.push(MoveEval { mv, position: to, value, distance, origin });
        }
        let all_known = moves.iter().all(|m| m.value != Value::Unknown);
        let best = moves.iter().map(|m| m.value).min_by_key(|v| v.rank());
        if all_known || best == Some(Value::Win) {
            let other = best.expect("a game that isn't over has moves");
            if let (Ok(_), Some(table)) = (&root, value)
                && table != other
            {
                return Err(Contradiction { rules: *rules, position: *position, table, other }.into());
            }
            value = Some(other);
        }
        // A limited search may prove the value although some moves are unknown.
        let value = value.or(solved.as_ref().map(|a| a.value)).unwrap_or(Value::Unknown);
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
        let mut answer = assemble(value, origin, moves, full);
        if !all_known {
            answer.plies = solved.as_ref().map_or(0, |a| a.plies);
            answer.ruled_out = solved.as_ref().map_or_else(RuledOut::default, |a| a.ruled_out);
        }
        if let Some(solved) = solved {
            answer.boards = solved.boards;
            if solved.value == value {
                (answer.distance, answer.line) = (solved.distance, solved.line);
                answer.order();
            }
        }
        Ok(answer)
    }

    /// The order in which moves are best looked up: those whose positions lie in one block together,
    /// and the last entry first, up to which the block is then decoded once.
    fn by_block(&self, rules: &Rules, position: &Position, moves: &[Move]) -> Vec<usize> {
        // The turns of a placement lead to one entry.
        let mut entries = Vec::new();
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_cached_key(|&at| {
            let mv = moves[at];
            let known = entries.iter().find(|(place, _)| *place == mv.place);
            Reverse(known.map(|&(_, entry)| entry).unwrap_or_else(|| {
                let board = rules.play(position, mv).expect("the rules list legal moves").position.board();
                let families = self.families().iter().filter(|family| family.target().rules == *rules);
                let entry = families.filter_map(|f| f.locate(board)).next();
                let entry = entry.map(|l| (l.key, l.index.map(|i| i / EDGE), l.index));
                entries.push((mv.place, entry));
                entry
            }))
        });
        order
    }

    fn known(&self, rules: &Rules, position: &Position, mv: Move) -> Result<KnownMove, TableError> {
        let played = rules.play(position, mv).expect("the rules list legal moves");
        let value = match played.outcome {
            Some(outcome) => Ok((Value::of(outcome, position.to_move()), Origin::Rules)),
            None => self.find(rules, &played.position)?.map(|(wdl, origin)| (negated(wdl), origin)),
        };
        Ok(KnownMove { mv, position: played.position, value })
    }
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

/// What the value of a position says about moves that no table holds: if it is lost, all of them
/// lose.
fn follow(value: Value, origin: &Origin, known: &mut [KnownMove]) {
    for k in known.iter_mut().filter(|k| value == Value::Loss && k.value.is_err()) {
        k.value = Ok((Value::Loss, origin.clone()));
    }
}

/// An answer that nobody was asked for.
fn assemble(value: Value, origin: Origin, moves: Vec<MoveEval>, full: Estimate) -> Answer {
    let complete = value != Value::Unknown && moves.iter().all(|m| m.value != Value::Unknown);
    let mut answer = Answer {
        value,
        origin,
        distance: None,
        best: 0,
        plies: if moves.is_empty() { 0 } else { full.plies },
        ruled_out: RuledOut::default(),
        complete,
        boards: 0,
        line: Vec::new(),
        full,
        moves,
    };
    answer.order();
    answer
}
