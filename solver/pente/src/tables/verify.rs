//! Stored values against their definition: every one, or random ones.

use std::collections::HashMap;

use pentago_store::{Reason, StoreError};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::plain::{PlainBoard, PlainMove, PlainPosition};
use super::set::TableSet;
use super::target::Layer;
use crate::rules::{Outcome, Position};
use crate::solve::{Limits, Solver, Verdict};
use crate::table::{SliceId, Value};
use pentago_base::{Control, Stopped};

/// What was found out about random positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleReport {
    /// Positions looked up.
    pub positions: u64,
    /// Of these, finished games and positions that no game leads to: compared with the rules.
    pub over: u64,
    /// Compared with all of their moves.
    pub by_moves: u64,
    /// Compared with the forward search.
    pub by_solver: u64,
    /// Compared with nothing.
    pub unchecked: u64,
}

/// What a comparison of all values of a layer has gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FullReport {
    /// Positions whose values agree with their moves.
    pub positions: u64,
    /// Positions that were not compared, because their moves aren't stored.
    pub without_moves: u64,
}

/// Why a table was not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It can't be read, or is damaged.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// A value isn't what it has to be.
    #[error("{path}: {position}: {found}, but by {by} {expected}")]
    Wrong {
        /// The file.
        path: String,
        /// The position.
        position: String,
        /// The stored value.
        found: &'static str,
        /// What it has to be.
        expected: &'static str,
        /// What says so.
        by: &'static str,
    },
    /// It was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Work of the forward search for one position.
const SOLVER_NODES: u64 = 20_000;

/// The words for the codes.
const WORDS: [&str; 4] = ["a position of no game", "loss", "draw", "win"];

/// Slices in memory: what the moves of one slice lead to.
type Loaded = HashMap<SliceId, Vec<u8>>;

fn code_at(bytes: &[u8], place: u64) -> u8 {
    bytes[(place / 4) as usize] >> (2 * (place % 4)) & 3
}

impl TableSet {
    /// The best value of the moves of a position; none if a move isn't stored.
    fn by_moves(&self, p: &Position) -> Result<Option<Value>, StoreError> {
        let mut best = None;
        for m in self.rules().moves(p) {
            let Ok(played) = self.rules().play(p, m) else { continue };
            let Some(value) = self.look_up(&played.position)? else { return Ok(None) };
            best = best.max(Some(value.negate()));
        }
        // Without a legal move nobody wins.
        Ok(best.or(Some(Value::Draw)))
    }

    /// Compares `count` random positions of some layers with the rules, their moves and the forward
    /// search.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    pub fn sample(
        &self,
        layers: &[Layer],
        count: u64,
        seed: u64,
        control: &Control,
    ) -> Result<SampleReport, VerifyError> {
        let rules = *self.rules();
        let mut report = SampleReport::default();
        let Some(places) = self.places() else { return Ok(report) };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // So little memory that the forward search makes no table itself.
        let mut solver = Solver::new(&rules, 1 << 20).ok();
        let slices: Vec<SliceId> = layers.iter().flat_map(|layer| layer.slices(&rules)).collect();
        let sizes: Vec<u64> = slices.iter().map(|&id| places.positions(id)).collect();
        let all: u64 = sizes.iter().sum();
        for _ in 0..if all > 0 { count } else { 0 } {
            control.check()?;
            let mut place = ((u128::from(random.next_u64()) * u128::from(all)) >> 64) as u64;
            let mut at = 0;
            while place >= sizes[at] {
                place -= sizes[at];
                at += 1;
            }
            let id = slices[at];
            let Some(table) = self.table(Layer(id.captured))? else { continue };
            let (Some(array), Some(p)) = (table.array(id), places.position(id, place)) else { continue };
            let code = table.code(array, place)?;
            let compare = |expected: u8, by| {
                let path = table.path().display().to_string();
                let position = rules.format_position(&p);
                let [found, right] = [WORDS[usize::from(code)], WORDS[usize::from(expected)]];
                let wrong = VerifyError::Wrong { path, position, found, expected: right, by };
                if code == expected { Ok(()) } else { Err(wrong) }
            };
            report.positions += 1;
            let other = Position { to_move: p.to_move().other(), ..p };
            let won_before = matches!(rules.outcome(&other), Some(Outcome::Win(_)));
            if code == 0 && won_before {
                report.over += 1;
                continue;
            }
            if let Some(Outcome::Win(_)) = rules.outcome(&p) {
                compare(1, "the rules")?;
                report.over += 1;
                continue;
            }
            let moves = self.by_moves(&p)?;
            if let Some(value) = moves {
                compare(value as u8 + 1, "its moves")?;
                report.by_moves += 1;
            }
            let limits = Limits { nodes: SOLVER_NODES, every_move: false, ..Limits::default() };
            // What breaks the opening rule is worth what its moves say; the search may see it
            // otherwise where there is none.
            let possible = Position::new(&rules, p.stones, p.captured, p.to_move).is_ok();
            let answer = solver.as_mut().filter(|_| possible).map(|s| s.solve(&p, limits).value);
            let expected = match answer {
                Some(Verdict::Win) => Some(3),
                Some(Verdict::Draw) => Some(2),
                Some(Verdict::Loss) => Some(1),
                _ => None,
            };
            if let Some(expected) = expected {
                compare(expected, "the forward search")?;
                report.by_solver += 1;
            }
            report.unchecked += u64::from(expected.is_none() && moves.is_none());
        }
        Ok(report)
    }

    /// Compares every value of a layer with those of its moves, and its counts with its values; by
    /// a plain reading of the format, with the threads of the current pool. The slices that moves
    /// lead to are held in memory.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    pub fn full(&self, layer: Layer, control: &Control) -> Result<FullReport, VerifyError> {
        let mut report = FullReport::default();
        let Some(table) = self.table(layer)? else { return Ok(report) };
        let board = self.plain_board();
        let mut loaded = Loaded::new();
        for (array, id) in (0..).zip(table.slices()) {
            let needed = self.load(id, &mut loaded)?;
            let positions = table.positions(array);
            if !needed {
                report.without_moves += positions;
                continue;
            }
            let codes = table.codes(array)?;
            let x = id.x().unwrap_or(0);
            let work = Comparison { board, loaded: &loaded };
            let counts = (0..table.blocks(array)).into_par_iter().map(|block| {
                control.check()?;
                let mut counts = [0u64; 4];
                let edge = positions.div_ceil(table.blocks(array));
                for place in block * edge..positions.min((block + 1) * edge) {
                    let p = board.position(id.captured, id.stones.into(), x, place);
                    let (found, expected) = (code_at(&codes, place), work.code(&p));
                    if found != expected {
                        let by = "its moves";
                        let [found, expected] = [found, expected].map(|code| WORDS[usize::from(code)]);
                        let path = table.path().display().to_string();
                        let position = self.places().and_then(|places| places.position(id, place));
                        let position = position.map(|p| self.rules().format_position(&p)).unwrap_or_default();
                        return Err(VerifyError::Wrong { path, position, found, expected, by });
                    }
                    counts[usize::from(found)] += 1;
                }
                control.add(positions.min((block + 1) * edge).saturating_sub(block * edge));
                Ok(counts)
            });
            let add = |a: [u64; 4], b: [u64; 4]| Ok(std::array::from_fn(|i| a[i] + b[i]));
            let counts = counts.try_reduce(|| [0; 4], add)?;
            if table.wdl(array) != [counts[3], counts[2], counts[1]] {
                let what = "a counter is not the number of its values";
                return Err(table.error(Reason::Inconsistent(what)).into());
            }
            report.positions += positions;
        }
        Ok(report)
    }

    /// Loads the slices that moves of a slice lead to, and drops others; false if one isn't stored.
    fn load(&self, id: SliceId, loaded: &mut Loaded) -> Result<bool, StoreError> {
        let mover = usize::from(id.plies() % 2 == 1);
        let mut needed = Vec::new();
        for taken in 0..=self.rules().options().capture.most() {
            let Some(stones) = (u16::from(id.stones) + 1).checked_sub(taken) else { continue };
            let mut captured = id.captured;
            captured[mover] += taken;
            let to = SliceId { captured, stones: stones as u8 };
            if Layer(captured).slices(self.rules()).contains(&to) {
                needed.push(to);
            }
        }
        loaded.retain(|id, _| needed.contains(id));
        for to in needed {
            if loaded.contains_key(&to) {
                continue;
            }
            let Some(table) = self.table(Layer(to.captured))? else { return Ok(false) };
            let Some(array) = table.array(to) else { return Ok(false) };
            loaded.insert(to, table.codes(array)?);
        }
        Ok(true)
    }
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
