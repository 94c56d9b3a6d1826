//! Stored values against their definition: every one, or random ones.

use std::collections::HashMap;

use pentago_base::Kernel;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use pentago_store::{Reason, StoreError};

use super::below::Place;
use super::plain::{self, Full};
use super::reader::Table;
use super::set::TableSet;
use super::target::ENTRY_WORDS;
use crate::outcome::Value;
use crate::position::Position;
use crate::solver::{Limits, Request, Solver};
use pentago_base::{Control, Stopped};

/// What was found out about random positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleReport {
    /// Positions looked up.
    pub positions: u64,
    /// Of these, finished games: compared with the rules.
    pub over: u64,
    /// Compared with all of their moves.
    pub by_moves: u64,
    /// Compared with the forward search.
    pub by_solver: u64,
    /// Compared with nothing.
    pub unchecked: u64,
}

/// What a comparison of all values of a table has gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FullReport {
    /// Boards whose values agree with their moves, each at 65,536 rotations.
    pub boards: u64,
    /// Boards that were not compared, because their moves aren't stored.
    pub without_moves: u64,
}

/// Why a table was not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It can't be read, or is damaged.
    #[error(transparent)]
    Table(#[from] StoreError),
    /// A value isn't what it has to be.
    #[error("{path}: {position}: {seat} {found}, but by {by} {expected}")]
    Wrong {
        /// The file.
        path: String,
        /// The position.
        position: String,
        /// The seat whose value it is.
        seat: crate::Seat,
        /// The stored value.
        found: String,
        /// What it has to be.
        expected: String,
        /// What says so.
        by: &'static str,
    },
    /// It was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Work of the forward search for one position.
const SOLVER_NODES: u64 = 20_000;

impl TableSet {
    /// The value of a position by its moves, for each seat; none if a move isn't stored.
    fn by_moves(&self, p: &Position) -> Result<Option<[Option<Value>; 4]>, StoreError> {
        let rules = self.target().rules;
        let mut best: [Option<Value>; 4] = [None; 4];
        let own = rules.side_of(p.to_move);
        for m in rules.moves(p) {
            let Ok(played) = rules.play(p, m) else { continue };
            let values = match played.outcome {
                Some(outcome) => crate::Seat::ALL
                    .map(|seat| rules.everyone().has(seat).then(|| outcome.value(&rules, seat))),
                None => match self.look_up(&played.position)? {
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

    /// Compares `count` random positions of some slices with the rules, their moves and the forward
    /// search.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    pub fn sample(
        &self,
        slices: &[usize],
        count: u64,
        seed: u64,
        control: &Control,
    ) -> Result<SampleReport, VerifyError> {
        let rules = self.target().rules;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut report = SampleReport::default();
        let limits = Limits { nodes: SOLVER_NODES, table_bytes: 1 << 20, memory: 0, engine: None };
        let mut solver = Solver::new(rules, limits, Kernel::best()).ok();
        let first = self.target().root.count();
        let boards: Vec<u64> = slices.iter().map(|&n| self.below().boards(n - first)).collect();
        let all: u64 = boards.iter().sum();
        for _ in 0..if all > 0 { count } else { 0 } {
            control.check()?;
            let mut rank = ((u128::from(random.next_u64()) * u128::from(all)) >> 64) as u64;
            let mut at = 0;
            while rank >= boards[at] {
                rank -= boards[at];
                at += 1;
            }
            let place = Place { depth: slices[at] - first, rank, code: random.next_u32() as u16 };
            let Some(table) = self.table(slices[at])? else { continue };
            let Some(p) = self.below().position(&place) else { continue };
            let found = self.of_seats(&table.values(&place)?);
            let wrong = |seat: crate::Seat, expected: Option<Value>, by| VerifyError::Wrong {
                path: table.path().display().to_string(),
                position: rules.format_position(&p),
                seat,
                found: word(found[seat.index()]),
                expected: word(expected),
                by,
            };
            report.positions += 1;
            if let Some(outcome) = rules.outcome(&p) {
                for seat in rules.everyone().iter() {
                    let expected = Some(outcome.value(&rules, seat));
                    if found[seat.index()] != expected {
                        return Err(wrong(seat, expected, "the rules"));
                    }
                }
                report.over += 1;
                continue;
            }
            let moves = self.by_moves(&p)?;
            if let Some(expected) = moves {
                if let Some(seat) = rules.everyone().iter().find(|s| found[s.index()] != expected[s.index()])
                {
                    return Err(wrong(seat, expected[seat.index()], "its moves"));
                }
                report.by_moves += 1;
            }
            let answer = solver.as_mut().and_then(|s| s.solve(&p, &Request::default(), control).ok());
            let mut solved = false;
            for seat in rules.everyone().iter() {
                let expected = answer.as_ref().and_then(|answer| answer.of(seat).value());
                solved |= expected.is_some();
                if expected.is_some() && found[seat.index()] != expected {
                    return Err(wrong(seat, expected, "the forward search"));
                }
            }
            report.by_solver += u64::from(solved);
            report.unchecked += u64::from(!solved && moves.is_none());
        }
        Ok(report)
    }

    /// Compares every value of the slice with these marbles with those of its moves, and its counts
    /// with its values; by a plain reading of the format, with the threads of the current pool.
    /// Blocks of the next slice are read again and again: they should fit in the cache.
    ///
    /// # Errors
    /// The first wrong value; a damaged table; or it was stopped.
    pub fn full(&self, marbles: usize, control: &Control) -> Result<FullReport, VerifyError> {
        let Some(table) = self.table(marbles)? else { return Ok(FullReport::default()) };
        let depth = marbles - self.target().root.count();
        let last = depth == self.below().last();
        let next = if last { None } else { self.table(marbles + 1)? };
        if !last && next.is_none() {
            return Ok(FullReport { boards: 0, without_moves: table.header().boards });
        }
        let lines = self.lines(depth, control)?;
        let work = Comparison { set: self, table, next, depth, lines };
        for chain in 0..table.keys().len() / 2 {
            let counts = (0..table.blocks()).into_par_iter().map(|block| {
                control.check()?;
                let counts = work.block(chain, block)?;
                control.add(table.block_len(0, block) as u64);
                Ok::<[u64; 2], VerifyError>(counts)
            });
            let counts = counts.try_reduce(|| [0; 2], |[a, b], [c, d]| Ok([a + c, b + d]))?;
            for (phase, count) in counts.into_iter().enumerate() {
                if count != table.count(2 * chain + phase) {
                    let what = "a counter is not the number of its values";
                    return Err(table.error(Reason::Inconsistent(what)).into());
                }
            }
        }
        Ok(FullReport { boards: table.header().boards, without_moves: 0 })
    }

    /// Where each set of marbles of a seat has five: of the slice's boards, and of those with one
    /// marble more of the mover.
    fn lines(&self, depth: usize, control: &Control) -> Result<HashMap<u128, Full>, Stopped> {
        let root = &self.target().root;
        let sockets: Vec<u128> = self.below().sockets().iter().map(|s| s.bit()).collect();
        let rules = &self.target().rules;
        let mut sets = Vec::new();
        for seat in rules.everyone().iter() {
            let turns =
                (0..=depth).filter(|ply| (root.to_move.index() + ply) % rules.seats() == seat.index());
            // The last of these plies is the one that is to come.
            let (with, without) = (turns.clone().count(), turns.filter(|&ply| ply < depth).count());
            for subset in 0..1u32 << sockets.len() {
                let count = subset.count_ones() as usize;
                if count == with || count == without {
                    let added = sockets.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
                    sets.push(added.fold(root.marbles[seat.index()], |set, (_, bit)| set | bit));
                }
            }
        }
        sets.sort_unstable();
        sets.dedup();
        sets.into_par_iter().map(|set| control.check().map(|()| (set, plain::fives(set)))).collect()
    }
}

/// The word for a value.
fn word(value: Option<Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.to_string())
}

/// What the blocks of a slice are compared with.
struct Comparison<'a> {
    set: &'a TableSet,
    table: &'a Table,
    next: Option<&'a Table>,
    depth: usize,
    lines: HashMap<u128, Full>,
}

impl Comparison<'_> {
    /// Both phases of a board in the table of its slice.
    fn stored(&self, table: &Table, chain: usize, depth: usize, rank: u64) -> Result<Full, StoreError> {
        // The phase is the parity of turns and plies together.
        let array = |parity: usize| (2 * chain + (parity + depth) % 2) as u32;
        let [even, odd] = [table.entry(array(0), rank)?, table.entry(array(1), rank)?];
        Ok(plain::full(even.words(), odd.words()))
    }

    /// Compares a block of one question, both phases; returns the counts of yes.
    fn block(&self, chain: usize, block: u64) -> Result<[u64; 2], VerifyError> {
        let arrays = [0, 1].map(|phase| self.table.block((2 * chain + phase) as u32, block));
        let [a, b] = arrays;
        let count = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let (a, b) = (a?, b?);
        let first = block * self.table.edge();
        for i in 0..a.len() / ENTRY_WORDS {
            self.board(chain, first + i as u64)?;
        }
        Ok([count(&a), count(&b)])
    }

    fn board(&self, chain: usize, rank: u64) -> Result<(), VerifyError> {
        let rules = &self.set.target().rules;
        let key = self.table.keys()[2 * chain];
        let own = rules.sides()[usize::from(key.side)];
        let Some(board) = self.set.below().board(self.depth, rank) else { return Ok(()) };
        let seat_at = (self.set.target().root.to_move.index() + self.depth) % rules.seats();
        let mover = crate::Seat::ALL[seat_at];
        let none = plain::all(false);
        let fives = |set: u128| self.lines.get(&set).unwrap_or(&none);
        // What the mover's side can do, at each rotation: the question if it is his, else its
        // opposite.
        let asks = own.has(mover);
        let expected = match self.next {
            // The marbles are used up.
            None => plain::all(key.not_loses),
            Some(next) => {
                let (mut at_once, mut after) = (plain::all(false), plain::all(false));
                let taken = board.iter().fold(0, |taken, set| taken | set);
                for socket in self.set.below().sockets() {
                    if taken & socket.bit() != 0 {
                        continue;
                    }
                    let mut later = board;
                    later[mover.index()] |= socket.bit();
                    plain::or(&mut at_once, fives(later[mover.index()]));
                    let Some((depth, rank)) = self.set.below().rank(&later) else { continue };
                    let mut values = self.stored(next, chain, depth, rank)?;
                    if !asks {
                        values.iter_mut().for_each(|word| *word = !*word);
                    }
                    plain::or(&mut after, &values);
                }
                let mut can = plain::some_turn(&after);
                plain::or(&mut can, &at_once);
                if !asks {
                    can.iter_mut().for_each(|word| *word = !*word);
                }
                can
            }
        };
        let (mut ours, mut theirs) = (plain::all(false), plain::all(false));
        for seat in rules.everyone().iter() {
            plain::or(if own.has(seat) { &mut ours } else { &mut theirs }, fives(board[seat.index()]));
        }
        let found = self.stored(self.table, chain, self.depth, rank)?;
        for (w, &found) in found.iter().enumerate() {
            // Five in a line ends the game: alone it wins, together with others it doesn't lose.
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

    fn wrong(&self, side: u8, rank: u64, code: u16, found: u64, not_loses: bool) -> VerifyError {
        let place = Place { depth: self.depth, rank, code };
        let rules = &self.set.target().rules;
        let p = self.set.below().position(&place);
        let yes = found >> (code % 64) & 1 == 1;
        let text = |yes: bool| match (not_loses, yes) {
            (true, true) => "doesn't lose",
            (true, false) => "loses",
            (false, true) => "wins",
            (false, false) => "doesn't win",
        };
        VerifyError::Wrong {
            path: self.table.path().display().to_string(),
            position: p.map_or_else(String::new, |p| rules.format_position(&p)),
            seat: crate::Seat::ALL[usize::from(side)],
            found: text(yes).to_owned(),
            expected: text(!yes).to_owned(),
            by: "its moves",
        }
    }
}
