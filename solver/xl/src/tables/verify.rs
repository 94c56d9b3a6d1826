//! Verification of stored values: compares all values, or random samples, with their definition.

use std::collections::HashMap;

use pentago_base::{Control, Kernel, Stopped};
use pentago_store::{BlockId, Definition, FullReport, Reason, StoreError, VerifyError};
use rayon::prelude::*;

use super::below::BoardAddress;
use super::plain;
use super::schema::{Table, Tablebase, XlSchema, values};
use super::target::{ArrayKey, ENTRY_WORDS, Header};
use crate::options::Rules;
use crate::outcome::{Outcome, Value};
use crate::position::Position;
use crate::seat::Seat;
use crate::solver::{Limits, Request, Solver};

/// The maximum number of moves that the forward search makes for one position.
const SOLVER_NODES: u64 = 20_000;

/// Creates a solver with little memory, for comparing random positions. Returns `None` if even this
/// memory can't be allocated.
pub fn solver(rules: Rules) -> Option<Solver> {
    let limits = Limits { nodes: SOLVER_NODES, table_bytes: 1 << 20, memory: 0, engine: None };
    Solver::new(rules, limits, Kernel::best()).ok()
}

impl Definition for XlSchema {
    type Position = Position;
    type Solver<'a> = Option<Solver>;
    /// The value for each seat, indexed by seat. An element is `None` if the seat is not in the
    /// game or its value is unknown.
    type PositionValue = [Option<Value>; 4];
    const SOLVER: &'static str = "the forward search";

    fn entries(header: &Header) -> u64 {
        header.boards
    }

    fn stored(
        set: &Tablebase,
        table: &Table,
        rank: u64,
        rotation: u32,
    ) -> Result<Option<(Position, Self::PositionValue)>, StoreError> {
        let depth = table.header().marbles - set.target().root.count();
        let place = BoardAddress { depth, rank, code: rotation as u16 };
        let Some(p) = set.index().position(&place) else { return Ok(None) };
        Ok(Some((p, values(table, &place)?)))
    }

    fn text(set: &Tablebase, p: &Position) -> String {
        set.target().rules.format_position(p)
    }

    fn by_rules(set: &Tablebase, p: &Position, _stored: &Self::PositionValue) -> Option<Self::PositionValue> {
        let rules = &set.target().rules;
        Some(values_of(rules, &rules.outcome(p)?))
    }

    fn by_moves(set: &Tablebase, p: &Position) -> Result<Option<Self::PositionValue>, StoreError> {
        let rules = set.target().rules;
        let mut best: [Option<Value>; 4] = [None; 4];
        let own = rules.side_of(p.to_move);
        for m in rules.moves(p) {
            let Ok(played) = rules.play(p, m) else { continue };
            let values = match played.outcome {
                Some(outcome) => values_of(&rules, &outcome),
                None => match set.look_up(&played.position)? {
                    Some(values) => values,
                    None => return Ok(None),
                },
            };
            for seat in rules.everyone().iter() {
                let at = seat.index();
                best[at] = match (best[at], values[at]) {
                    (None, value) => value,
                    (Some(a), Some(b)) => Some(if own.has(seat) { a.max(b) } else { a.min(b) }),
                    (a, None) => a,
                };
            }
        }
        Ok(Some(best))
    }

    fn by_solver(
        set: &Tablebase,
        solver: &mut Option<Solver>,
        p: &Position,
        _alone: bool,
        control: &Control,
    ) -> Result<Option<Self::PositionValue>, VerifyError> {
        let answer = solver.as_mut().and_then(|s| s.solve(p, &Request::default(), control).ok());
        let plays = set.target().rules.everyone();
        let value = |seat| answer.as_ref().filter(|_| plays.has(seat))?.of(seat).value();
        let known = Some(Seat::ALL.map(value));
        Ok(known.filter(|known| known.iter().any(Option::is_some)))
    }

    fn difference(stored: &Self::PositionValue, right: &Self::PositionValue) -> Option<[String; 2]> {
        let seat = Seat::ALL.into_iter().find(|seat| {
            let expected = right[seat.index()];
            expected.is_some() && expected != stored[seat.index()]
        })?;
        let word = |known: &Self::PositionValue| match known[seat.index()] {
            Some(value) => format!("a {value} for {seat}"),
            None => format!("nothing for {seat}"),
        };
        Some([word(stored), word(right)])
    }

    /// Compares every value of the slice with the values after all moves, and every counter with
    /// the values that it counts. Uses the plain implementation of the format. Each block of the
    /// next slice is read many times, so these blocks should fit in the cache.
    fn full(set: &Tablebase, table: &Table, control: &Control) -> Result<FullReport, VerifyError> {
        let Header { marbles, boards, .. } = *table.header();
        let depth = marbles - set.target().root.count();
        let last = depth == set.index().last();
        let next = if last { None } else { set.table(marbles + 1)? };
        if !last && next.is_none() {
            return Ok(FullReport { entries: 0, without_moves: boards });
        }
        let lines = lines(set, depth, control)?;
        let work =
            SliceComparison { set, table, keys: ArrayKey::all(&set.target().rules), next, depth, lines };
        for chain in 0..work.keys.len() / 2 {
            let blocks = table.grid(0).map_or(0, |grid| grid.blocks());
            let counts = (0..blocks).into_par_iter().map(|block| {
                control.check()?;
                let (boards, counts) = work.block(chain, block)?;
                control.add(boards);
                Ok::<[u64; 2], VerifyError>(counts)
            });
            let counts = counts.try_reduce(|| [0; 2], |[a, b], [c, d]| Ok([a + c, b + d]))?;
            for (phase, count) in counts.into_iter().enumerate() {
                if count != table.arrays()[2 * chain + phase].counts[0] {
                    let what = "a counter differs from the number of its values";
                    return Err(table.error(Reason::Inconsistent(what)).into());
                }
            }
        }
        Ok(FullReport { entries: boards, without_moves: 0 })
    }
}

/// Returns the value of an outcome for each seat, indexed by seat.
fn values_of(rules: &Rules, outcome: &Outcome) -> [Option<Value>; 4] {
    Seat::ALL.map(|seat| rules.everyone().has(seat).then(|| outcome.value(rules, seat)))
}

/// Returns the rotations at which a set of marbles has five in a line, keyed by the set. Includes
/// every set that a seat can have on a board of the slice, or on such a board with one more marble
/// of the mover.
fn lines(set: &Tablebase, depth: usize, control: &Control) -> Result<HashMap<u128, Vec<u64>>, Stopped> {
    let root = &set.target().root;
    let sockets: Vec<u128> = set.index().sockets.iter().map(|s| s.bit()).collect();
    let rules = &set.target().rules;
    // The number of marbles that each seat has placed in this slice and in the next slice.
    let counts = [depth, depth + 1].map(|plies| rules.marbles_placed(root.to_move, plies));
    let mut sets = Vec::new();
    for seat in rules.everyone().iter() {
        for subset in 0..1u32 << sockets.len() {
            if counts.iter().any(|counts| counts[seat.index()] == subset.count_ones() as usize) {
                let added = sockets.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
                sets.push(added.fold(root.of(seat), |set, (_, bit)| set | bit));
            }
        }
    }
    sets.sort_unstable();
    sets.dedup();
    sets.into_par_iter().map(|set| control.check().map(|()| (set, plain::fives(set)))).collect()
}

/// The data for comparing the blocks of a slice with the next slice.
struct SliceComparison<'a> {
    set: &'a Tablebase,
    table: &'a Table,
    keys: Vec<ArrayKey>,
    next: Option<&'a Table>,
    depth: usize,
    lines: HashMap<u128, Vec<u64>>,
}

impl SliceComparison<'_> {
    /// Returns the stored answers to the question `chain` for a board at all rotations. Combines
    /// the arrays of both phases. `table` holds the slice `depth` plies below the root, and `rank`
    /// is the rank of the board.
    fn stored(&self, table: &Table, chain: usize, depth: usize, rank: u64) -> Result<Vec<u64>, StoreError> {
        // The phase of an array is the parity of the number of turns plus the number of plies.
        let array = |parity: usize| (2 * chain + (parity + depth) % 2) as u32;
        let [even, odd] = [table.entry_of_list(array(0), rank)?, table.entry_of_list(array(1), rank)?];
        Ok(plain::full(even.words(), odd.words()))
    }

    /// Compares a block of the question `chain` in both phases. Returns the number of boards in the
    /// block, and the number of yes answers in each phase.
    fn block(&self, chain: usize, block: u64) -> Result<(u64, [u64; 2]), VerifyError> {
        let block_of = |phase| self.table.block(BlockId { array: (2 * chain + phase) as u32, block });
        let (a, b) = (block_of(0)?, block_of(1)?);
        let count = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let first = self.table.grid(0).map_or(0, |grid| grid.entries_before(block));
        let boards = (a.len() / ENTRY_WORDS) as u64;
        (first..first + boards).try_for_each(|rank| self.board(chain, rank))?;
        Ok((boards, [count(&a), count(&b)]))
    }

    /// Compares the stored answers to the question `chain` for one board, at all rotations.
    fn board(&self, chain: usize, rank: u64) -> Result<(), VerifyError> {
        let rules = &self.set.target().rules;
        let key = self.keys[2 * chain];
        let own = rules.sides()[usize::from(key.side)];
        let Some(board) = self.set.index().board(self.depth, rank) else { return Ok(()) };
        let mover = rules.seat_after(self.set.target().root.to_move, self.depth);
        let none = plain::all(false);
        let fives = |set: u128| self.lines.get(&set).unwrap_or(&none);
        // The mover's side plays for the answer yes if it is the chain's side, otherwise for the
        // answer no. Inverting the bits with `invert` makes 1 the answer for which the mover's side
        // plays.
        let invert = if own.has(mover) { 0 } else { !0 };
        let expected = match self.next {
            // The marbles are used up: without a five, the chain's side does not win and does not
            // lose.
            None => plain::all(key.not_loses),
            Some(next) => {
                let (mut at_once, mut after) = (plain::all(false), plain::all(false));
                let taken = board.iter().fold(0, |taken, set| taken | set);
                for socket in &self.set.index().sockets {
                    if taken & socket.bit() != 0 {
                        continue;
                    }
                    let mut later = board;
                    later[mover.index()] |= socket.bit();
                    plain::or(&mut at_once, fives(later[mover.index()]));
                    let Some((depth, rank)) = self.set.index().rank(&later) else { continue };
                    let mut values = self.stored(next, chain, depth, rank)?;
                    values.iter_mut().for_each(|word| *word ^= invert);
                    plain::or(&mut after, &values);
                }
                let mut can = plain::some_turn(&after);
                plain::or(&mut can, &at_once);
                can.iter_mut().for_each(|word| *word ^= invert);
                can
            }
        };
        let (mut ours, mut theirs) = (plain::all(false), plain::all(false));
        for seat in rules.everyone().iter() {
            plain::or(if own.has(seat) { &mut ours } else { &mut theirs }, fives(board[seat.index()]));
        }
        let found = self.stored(self.table, chain, self.depth, rank)?;
        for (w, &found) in found.iter().enumerate() {
            // A five in a line on the board ends the game. A side with five wins if no other side
            // has five, and does not lose in any case.
            let expected = if key.not_loses {
                ours[w] | expected[w] & !theirs[w]
            } else {
                (ours[w] | expected[w]) & !theirs[w]
            };
            if found != expected {
                let code = (64 * w) as u16 | (found ^ expected).trailing_zeros() as u16;
                return Err(self.wrong(key.side, rank, code, found, key.not_loses));
            }
        }
        Ok(())
    }

    /// Returns the error for a wrong value at the rotation `code`. `found` is the stored 64-bit
    /// word that contains the value.
    fn wrong(&self, side: u8, rank: u64, code: u16, found: u64, not_loses: bool) -> VerifyError {
        let place = BoardAddress { depth: self.depth, rank, code };
        let rules = &self.set.target().rules;
        let p = self.set.index().position(&place);
        let yes = found >> (code % 64) & 1 == 1;
        let seat = Seat::ALL[usize::from(side)];
        let text = |yes: bool| match (not_loses, yes) {
            (true, true) => format!("no loss for {seat}"),
            (true, false) => format!("a loss for {seat}"),
            (false, true) => format!("a win for {seat}"),
            (false, false) => format!("no win for {seat}"),
        };
        let position = p.map_or_else(String::new, |p| rules.format_position(&p));
        self.table.wrong(position, [text(yes), text(!yes)], "its moves")
    }
}
