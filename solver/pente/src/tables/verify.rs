//! Stored values against their definition: every one, or random ones.

use std::collections::HashMap;

use pentago_base::Control;
use pentago_store::{Definition, FullReport, Reason, StoreError, VerifyError, WrongValue};
use rayon::prelude::*;

use super::plain::{PlainBoard, PlainMove, PlainPosition};
use super::schema::{PenteSchema, array_of, codes, slices};
use super::target::{Header, Layer};
use super::{Table, Tablebase};
use crate::rules::{Outcome, Position, Rules};
use crate::solve::{Limits, Solver};
use crate::table::{SliceId, Value};

/// Work of the forward search for one position.
const SOLVER_NODES: u64 = 20_000;

/// The words for the codes.
const WORDS: [&str; 4] = ["a position of no game", "a loss", "a draw", "a win"];

/// Slices in memory: what the moves of one slice lead to.
type Loaded = HashMap<SliceId, Vec<u8>>;

fn code_at(bytes: &[u8], place: u64) -> u8 {
    bytes[(place / 4) as usize] >> (2 * (place % 4)) & 3
}

/// A solver for random positions, so small that it makes no table itself; none if there is no memory
/// for it.
#[must_use]
pub fn solver(rules: &Rules) -> Option<Solver> {
    Solver::new(rules, 1 << 20).ok()
}

impl Definition for PenteSchema {
    type Position = Position;
    type Solver<'a> = Option<Solver>;
    /// The code.
    type PositionValue = u8;
    const SOLVER: &'static str = "the forward search";
    const ROTATIONS: bool = false;

    fn entries(header: &Header) -> u64 {
        header.positions
    }

    fn stored(
        set: &Tablebase,
        table: &Table,
        number: u64,
        _rotation: u32,
    ) -> Result<Option<(Position, u8)>, StoreError> {
        let (Some((array, place)), Some(places)) = (table.locate(number), set.index().places()) else {
            return Ok(None);
        };
        let Some(p) = places.position(slices(table)[array as usize], place) else { return Ok(None) };
        Ok(Some((p, table.entry_of_list(array, place)?)))
    }

    fn text(set: &Tablebase, p: &Position) -> String {
        set.target().format_position(p)
    }

    /// Finished games, and positions that no game leads to.
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
        // Without a legal move nobody wins.
        Ok(Some(best.unwrap_or(Value::Draw) as u8 + 1))
    }

    fn by_solver(
        set: &Tablebase,
        solver: &mut Option<Solver>,
        p: &Position,
        _alone: bool,
        _control: &Control,
    ) -> Result<Option<u8>, VerifyError> {
        let limits = Limits { nodes: SOLVER_NODES, every_move: false, ..Limits::default() };
        // What breaks the opening rule is worth what its moves say; the search may see it otherwise
        // where there is none.
        let possible = Position::new(set.target(), p.stones, p.captured, p.to_move).is_ok();
        let answer = solver.as_mut().filter(|_| possible).map(|s| s.solve(p, limits).value);
        Ok(answer.and_then(pentago_base::Value::known).map(|value| value as u8 + 1))
    }

    fn difference(&stored: &u8, &right: &u8) -> Option<[String; 2]> {
        (stored != right).then(|| [stored, right].map(|code| WORDS[usize::from(code)].to_owned()))
    }

    /// Compares every value of a layer with those of its moves, and its counts with its values; by a
    /// plain reading of the format. The slices that moves lead to are held in memory.
    fn full(set: &Tablebase, table: &Table, control: &Control) -> Result<FullReport, VerifyError> {
        let mut report = FullReport::default();
        let board = set.index().plain_board();
        let mut loaded = Loaded::new();
        for ((array, id), record) in (0..).zip(slices(table)).zip(table.arrays()) {
            let grid = record.array.grid;
            if !load(set, id, &mut loaded)? {
                report.without_moves += grid.entries();
                continue;
            }
            let codes = codes(table, array)?;
            let x = id.x().unwrap_or(0);
            let work = Comparison { board, loaded: &loaded };
            let counts = (0..grid.blocks()).into_par_iter().map(|block| {
                control.check()?;
                let mut counts = [0u64; 4];
                for place in grid.entries_before(block)..grid.entries_before(block + 1) {
                    let p = board.position(id.captured, id.stones.into(), x, place);
                    let (found, right) = (code_at(&codes, place), work.code(&p));
                    if let Some([found, expected]) = PenteSchema::difference(&found, &right) {
                        let position = set.index().places().and_then(|places| places.position(id, place));
                        return Err(VerifyError::Wrong(Box::new(WrongValue {
                            path: table.path().to_owned(),
                            position: position.map(|p| PenteSchema::text(set, &p)).unwrap_or_default(),
                            found,
                            expected,
                            by: "its moves",
                        })));
                    }
                    counts[usize::from(found)] += 1;
                }
                control.add(counts.iter().sum());
                Ok(counts)
            });
            let add = |a: [u64; 4], b: [u64; 4]| Ok(std::array::from_fn(|i| a[i] + b[i]));
            let counts = counts.try_reduce(|| [0; 4], add)?;
            if record.counts[..] != [counts[3], counts[2], counts[1]] {
                let what = "a counter is not the number of its values";
                return Err(table.error(Reason::Inconsistent(what)).into());
            }
            report.entries += grid.entries();
        }
        Ok(report)
    }
}

/// Loads the slices that moves of a slice lead to, and drops others; false if one isn't stored.
fn load(set: &Tablebase, id: SliceId, loaded: &mut Loaded) -> Result<bool, StoreError> {
    let mover = usize::from(id.plies() % 2 == 1);
    let mut needed = Vec::new();
    for taken in 0..=set.target().options().capture.most() {
        let Some(stones) = (u16::from(id.stones) + 1).checked_sub(taken) else { continue };
        let mut captured = id.captured;
        captured[mover] += taken;
        let to = SliceId { captured, stones: stones as u8 };
        if Layer(captured).slices(set.target()).contains(&to) {
            needed.push(to);
        }
    }
    loaded.retain(|id, _| needed.contains(id));
    for to in needed {
        if loaded.contains_key(&to) {
            continue;
        }
        let Some(table) = set.table(Layer(to.captured))? else { return Ok(false) };
        let Some(array) = array_of(table, to) else { return Ok(false) };
        loaded.insert(to, codes(table, array)?);
    }
    Ok(true)
}

/// What the positions of a slice are compared with.
struct Comparison<'a> {
    board: &'a PlainBoard,
    loaded: &'a Loaded,
}

impl Comparison<'_> {
    /// The code that a position has to have.
    fn code(&self, p: &PlainPosition) -> u8 {
        if let Some(code) = self.board.ended(p) {
            return code;
        }
        let mut best = 0;
        self.board.moves(p, |m| {
            let code = match m {
                PlainMove::Won => 3,
                PlainMove::Full => 2,
                PlainMove::Goes(next) => {
                    let stones = (next.stones[0] | next.stones[1]).count_ones() as u8;
                    let id = SliceId { captured: next.captured, stones };
                    let stored = self.loaded.get(&id).map(|codes| code_at(codes, self.board.place(&next)));
                    // What comes from no game can't follow: then the opponent has won.
                    stored.map_or(0, |code| 4 - code.max(1))
                }
            };
            best = best.max(code);
        });
        // Without a legal move nobody wins.
        if best == 0 { 2 } else { best }
    }
}
