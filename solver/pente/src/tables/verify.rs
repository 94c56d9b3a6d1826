//! Verification of stored values against their definition, for all positions or for random
//! positions.

use std::collections::HashMap;

use pentago_base::{Control, Wdl};
use pentago_store::{Definition, FullReport, Reason, StoreError, VerifyError};
use rayon::prelude::*;

use super::plain::{PlainBoard, PlainPosition};
use super::schema::{PenteSchema, Table, Tablebase, array_of, codes, slices};
use super::target::{LayerHeader, slices_of};
use crate::rules::{Outcome, Position, Rules};
use crate::solve::{Limits, Solver};
use crate::table::{SliceId, code_at};

/// The node limit of the forward search for one position.
const SOLVER_NODES: u64 = 20_000;

/// The names of the codes, indexed by code.
const WORDS: [&str; 4] = ["a position of no game", "a loss", "a draw", "a win"];

/// Makes a solver for random positions. Its memory limit of 1 MiB is too small for a table of the
/// board. Returns `None` if even this memory cannot be allocated.
pub fn solver(rules: &Rules) -> Option<Solver> {
    Solver::new(rules, 1 << 20).ok()
}

impl Definition for PenteSchema {
    type Position = Position;
    type Solver<'a> = Option<Solver>;
    /// The stored 2-bit code.
    type PositionValue = u8;
    const SOLVER: &'static str = "the forward search";
    const ROTATIONS: bool = false;

    fn entries(header: &LayerHeader) -> u64 {
        header.positions
    }

    fn stored(
        set: &Tablebase,
        table: &Table,
        number: u64,
        _rotation: u32,
    ) -> Result<Option<(Position, u8)>, StoreError> {
        let Some((array, offset)) = table.locate(number) else { return Ok(None) };
        let id = slices(table)[array as usize];
        let Some(p) = set.index().board.position(id, offset) else { return Ok(None) };
        Ok(Some((p, table.entry_of_list(array, offset)?)))
    }

    fn text(set: &Tablebase, p: &Position) -> String {
        set.target().format_position(p)
    }

    /// Returns the code of a finished game or of an unreachable position, and `None` for every
    /// other position.
    fn by_rules(set: &Tablebase, p: &Position, &stored: &u8) -> Option<u8> {
        let other = Position { to_move: p.to_move().other(), ..*p };
        let won = |p: &Position| matches!(set.target().outcome(p), Some(Outcome::Win(_)));
        if stored == 0 && won(&other) {
            return Some(0);
        }
        won(p).then_some(1)
    }

    fn by_moves(set: &Tablebase, p: &Position) -> Result<Option<u8>, StoreError> {
        let mut best = None;
        for m in set.target().moves(p) {
            let Ok(played) = set.target().play(p, m) else { continue };
            let Some(value) = set.look_up(&played.position)? else { return Ok(None) };
            best = best.max(Some(value.negate()));
        }
        // A position without a legal move is a draw.
        Ok(Some(best.unwrap_or(Wdl::Draw) as u8 + 1))
    }

    fn by_solver(
        set: &Tablebase,
        solver: &mut Option<Solver>,
        p: &Position,
        _alone: bool,
        _control: &Control,
    ) -> Result<Option<u8>, VerifyError> {
        let limits = Limits { nodes: SOLVER_NODES, every_move: false, ..Limits::default() };
        // The stored value of a position that violates the opening rule comes from its moves. The
        // search assumes that no game violates the rule and may disagree, so skip such positions.
        let possible = Position::new(set.target(), p.stones, p.captured, p.to_move).is_ok();
        let answer = solver.as_mut().filter(|_| possible).map(|s| s.solve(p, limits).value);
        Ok(answer.and_then(pentago_base::Value::known).map(|value| value as u8 + 1))
    }

    fn difference(&stored: &u8, &right: &u8) -> Option<[String; 2]> {
        (stored != right).then(|| [stored, right].map(|code| WORDS[usize::from(code)].to_owned()))
    }

    /// Compares every value of a layer with the values after its moves, by the plain implementation
    /// of the format. Also compares the counters with the values. The slices that moves lead to are
    /// held in memory.
    fn full(set: &Tablebase, table: &Table, control: &Control) -> Result<FullReport, VerifyError> {
        let mut report = FullReport::default();
        let board = set.index().plain_board();
        let mut loaded = HashMap::new();
        for ((array, id), record) in (0..).zip(slices(table)).zip(table.arrays()) {
            let grid = record.array.grid;
            if !load(set, id, &mut loaded)? {
                report.without_moves += grid.entries();
                continue;
            }
            let codes = codes(table, array)?;
            let x = id.x().unwrap_or(0);
            let counts = (0..grid.blocks()).into_par_iter().map(|block| {
                control.check()?;
                let mut counts = [0u64; 4];
                for offset in grid.entries_before(block)..grid.entries_before(block + 1) {
                    let p = board.position(id.captured, id.stones.into(), x, offset);
                    let (found, right) = (code_at(&codes, offset), defined_code(board, &loaded, &p));
                    if let Some(values) = PenteSchema::difference(&found, &right) {
                        let position = set.index().board.position(id, offset);
                        let text = position.map(|p| PenteSchema::text(set, &p)).unwrap_or_default();
                        return Err(table.wrong(text, values, "its moves"));
                    }
                    counts[usize::from(found)] += 1;
                }
                control.add(counts.iter().sum());
                Ok(counts)
            });
            let add = |a: [u64; 4], b: [u64; 4]| Ok(std::array::from_fn(|i| a[i] + b[i]));
            let counts = counts.try_reduce(|| [0; 4], add)?;
            if record.counts[..] != [counts[3], counts[2], counts[1]] {
                let what = "a counter differs from the number of its values";
                return Err(table.error(Reason::Inconsistent(what)).into());
            }
            report.entries += grid.entries();
        }
        Ok(report)
    }
}

/// Loads the codes of the slices that moves of a slice lead to, and drops the codes of all other
/// slices. Returns `false` if a slice is not stored.
fn load(set: &Tablebase, id: SliceId, loaded: &mut HashMap<SliceId, Vec<u8>>) -> Result<bool, StoreError> {
    let mover = id.to_move().index();
    let mut needed = Vec::new();
    for taken in 0..=set.target().options().capture.most() {
        let Some(stones) = (u16::from(id.stones) + 1).checked_sub(taken) else { continue };
        let mut captured = id.captured;
        captured[mover] += taken;
        let to = SliceId { captured, stones: stones as u8 };
        if slices_of(set.target(), captured).contains(&to) {
            needed.push(to);
        }
    }
    loaded.retain(|id, _| needed.contains(id));
    for to in needed {
        if loaded.contains_key(&to) {
            continue;
        }
        let Some(table) = set.table(to.captured)? else { return Ok(false) };
        let Some(array) = array_of(table, to) else { return Ok(false) };
        loaded.insert(to, codes(table, array)?);
    }
    Ok(true)
}

/// Computes the code of a position from the codes of the positions after each move. `loaded` holds
/// the slices that the moves lead to.
fn defined_code(board: &PlainBoard, loaded: &HashMap<SliceId, Vec<u8>>, p: &PlainPosition) -> u8 {
    if let Some(code) = board.ended(p) {
        return code;
    }
    let mut best = 0;
    board.moves(p, |next, end| {
        let id = SliceId { captured: next.captured, stones: next.on_board() as u8 };
        let stored = || loaded.get(&id).map(|codes| code_at(codes, board.offset(next)));
        // A stored code is the value for the opponent. No move leads to an unreachable position,
        // because there the opponent would have won before the move.
        best = best.max(end.unwrap_or_else(|| stored().map_or(0, |code| 4 - code.max(1))));
    });
    // A position without a legal move is a draw.
    if best == 0 { 2 } else { best }
}
