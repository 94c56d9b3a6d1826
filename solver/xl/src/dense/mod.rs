//! The rooted dense solution: the values of all boards below a root, at all their rotations at
//! once, slice by slice from the last one back.
//!
//! A *chain* is a question with one truth value for each board and rotation: does the own side win
//! (it alone has five), or at least not lose? The own side's seats want yes, all others no. A
//! board's values are the union over the mover's placements of what its successors say for him,
//! spread over one turn, and of the fives that placements make (`kernel::Step`). What is stored for
//! a board is the value after the fives in it, for the seat that moved there: ready to be united.
//!
//! A slice is written over what is used up of the next one. How much memory that takes is known
//! before anything is computed.

mod fives;
mod index;
mod layout;
mod slab;
#[cfg(feature = "tables")]
mod sliced;

#[cfg(feature = "tables")]
pub(crate) use sliced::SliceBits;

use std::ops::Range;

use rayon::prelude::*;

use crate::control::{Cancelled, Control};
use crate::geometry::{Set, TURNABLE};
use crate::kernel::{Half, Kernel, Kind, Step};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::{Seat, Seats};
use fives::Fives;
use index::low_sockets;
use index::{Index, Part, Slice};
pub(crate) use index::{MOST_EMPTY, board_count};
use layout::Layout;
use slab::Slab;

/// What a dense solution of a position takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenseEstimate {
    /// Boards below the root and the root itself, without the last slice.
    pub boards: u64,
    /// Chains, each of them computed for all boards.
    pub chains: u64,
    /// Bytes of one chain: somewhat more than its greatest slice.
    pub chain_bytes: u64,
    /// Bytes of the tables of fives, which all chains share.
    pub shared_bytes: u64,
}

impl DenseEstimate {
    /// The least memory with which the solution can be computed, in bytes.
    #[must_use]
    pub fn least_bytes(&self) -> u64 {
        self.chain_bytes.saturating_add(self.shared_bytes)
    }

    /// Boards times chains: the work to do.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.boards.saturating_mul(self.chains)
    }
}

/// Why there is no dense solution.
#[derive(Debug, thiserror::Error)]
pub enum DenseError {
    /// Too many free sockets, or rules without chains.
    #[error("a dense solution needs at most {MOST_EMPTY} free sockets and continue=no")]
    Unfit,
    /// It needs more memory than there is.
    #[error("a dense solution needs {needed} bytes of memory, {limit} are allowed")]
    Memory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that it may take.
        limit: u64,
    },
    /// The system has no such memory.
    #[error("the memory for a dense solution could not be had: {0}")]
    System(#[from] std::io::Error),
    /// It was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A question about all boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The side that wants it to be true.
    pub own: Seats,
    pub kind: Kind,
}

/// The answers of a chain at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bits {
    /// In the root.
    pub root: bool,
    /// After each placement and turn: by the order of the free sockets and of [`crate::Turn::all`].
    after: Vec<[bool; 16]>,
    free: Set,
}

impl Bits {
    /// After a legal move with a turn.
    pub fn after(&self, m: Move) -> Option<bool> {
        let socket = (self.free & (m.place.bit() - 1)).count_ones() as usize;
        let turn = m.turn?;
        let block = TURNABLE.iter().position(|&block| block == turn.block())?;
        self.after.get(socket).map(|turns| turns[2 * block + usize::from(!turn.clockwise())])
    }
}

/// What a dense solution of a position would take, or nothing if there can be none. `plies` are
/// the most that are looked ahead, if not all.
#[must_use]
pub fn dense_estimate(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    if rules.outcome(p).is_some() { None } else { estimate_below(rules, p, plies) }
}

/// The same wherever the blocks of the position are turned: the game may be over as it lies.
pub(crate) fn estimate_below(rules: &Rules, p: &Position, plies: Option<usize>) -> Option<DenseEstimate> {
    let empty = p.empty();
    if rules.continues() || empty > MOST_EMPTY {
        return None;
    }
    let slices = slices(rules, p, plies);
    let boards = slices[..slices.len() - 1].iter().map(|counts| board_count(empty, counts));
    let sides = rules.sides().len() as u64;
    let layout = Layout::new(rules.seats(), empty, &slices);
    let last = slices.last().map_or([0; 4], |counts| *counts);
    let fives = Fives::bytes(empty, &last[..rules.seats()]);
    // The codes of top parts and where their boards start, of two slices; and what is small.
    let index =
        8 * (rules.seats() as u64 + 1).saturating_pow((empty - low_sockets(rules.seats(), empty)) as u32);
    Some(DenseEstimate {
        boards: boards.fold(0, |sum, n| sum.saturating_add(n)),
        chains: if sides == 2 { 2 } else { 2 * sides },
        chain_bytes: (layout.boards as u64).saturating_mul(size_of::<Half>() as u64),
        shared_bytes: fives.saturating_add(index).saturating_add(1 << 20),
    })
}

/// The marbles of each seat that are not in the root, for each ply below it, or so many.
fn slices(rules: &Rules, p: &Position, plies: Option<usize>) -> Vec<[usize; 4]> {
    let mut slices = vec![[0; 4]];
    for ply in 0..last_slice(rules, p, plies) {
        let mut counts = slices[ply];
        counts[(p.to_move.index() + ply) % rules.seats()] += 1;
        slices.push(counts);
    }
    slices
}

/// How many plies below the root the last slice is.
fn last_slice(rules: &Rules, p: &Position, plies: Option<usize>) -> usize {
    let all = rules.most_marbles() - p.count();
    plies.map_or(all, |plies| plies.min(all))
}

/// Everything that all slices below one root share.
pub(crate) struct Dense<'a> {
    root: Position,
    index: Index,
    last: usize,
    /// The parity of the rotations of the root that are looked at: 0 but for tables.
    phase: usize,
    seats: Seats,
    kernel: Kernel,
    control: &'a Control<'a>,
    estimate: DenseEstimate,
    layout: Layout,
}

impl<'a> Dense<'a> {
    /// A solution to come, of all plies or so many. The position's game must not be over.
    pub fn new(
        rules: &Rules,
        root: &Position,
        plies: Option<usize>,
        kernel: Kernel,
        control: &'a Control<'a>,
    ) -> Result<Dense<'a>, DenseError> {
        let estimate = dense_estimate(rules, root, plies).ok_or(DenseError::Unfit)?;
        Dense::with(rules, root, plies, kernel, control, estimate)
    }

    fn with(
        rules: &Rules,
        root: &Position,
        plies: Option<usize>,
        kernel: Kernel,
        control: &'a Control,
        estimate: DenseEstimate,
    ) -> Result<Dense<'a>, DenseError> {
        let index = Index::new(rules, root).ok_or(DenseError::Unfit)?;
        Ok(Dense {
            root: *root,
            last: last_slice(rules, root, plies),
            phase: 0,
            seats: rules.everyone(),
            index,
            kernel,
            control,
            estimate,
            layout: Layout::new(rules.seats(), root.empty(), &slices(rules, root, plies)),
        })
    }

    /// The answers of the chains; at most `memory` bytes are used.
    ///
    /// Small solutions compute all chains together, which saves some work. Large ones go chain by
    /// chain in the same memory: pages that nobody has used yet cost the system more time than the
    /// values in them (measured below a root of 14 free sockets: twice as much).
    pub fn solve(&self, chains: &[Chain], memory: u64) -> Result<Vec<Bits>, DenseError> {
        let estimate = &self.estimate;
        let Some(left) = memory.checked_sub(estimate.least_bytes()) else {
            return Err(DenseError::Memory { needed: estimate.least_bytes(), limit: memory });
        };
        let fit = left.min(SMALL_BYTES) / estimate.chain_bytes.max(1);
        let at_once = (1 + fit as usize).min(chains.len()).max(1);
        let mut slabs = Vec::with_capacity(at_once);
        for _ in 0..at_once {
            slabs.push(Slab::new(self.layout.boards)?);
        }
        let fives = self.fives()?;
        let mut all = Vec::with_capacity(chains.len());
        for part in chains.chunks(at_once) {
            all.extend(self.solve_together(part, &fives, &mut slabs[..part.len()])?);
        }
        Ok(all)
    }

    /// Where the seats have five in the boards to come.
    fn fives(&self) -> Result<Fives, DenseError> {
        let seats: Vec<Seat> = self.seats.iter().collect();
        let roots: Vec<Set> = seats.iter().map(|&seat| self.root.of(seat)).collect();
        let most = &self.index.counts(self.last)[..seats.len()];
        Fives::new(&roots, &self.index.sockets, most, self.kernel, self.control)
    }

    fn solve_together(
        &self,
        chains: &[Chain],
        fives: &Fives,
        slabs: &mut [Slab],
    ) -> Result<Vec<Bits>, DenseError> {
        let mut next = None;
        let mut bits: Vec<Bits> =
            chains.iter().map(|_| Bits { root: false, after: Vec::new(), free: self.root.free() }).collect();
        for depth in (0..=self.last).rev() {
            let slice = self.index.slice(depth);
            self.slice(&slice, next.as_ref(), chains, fives, slabs)?;
            if depth == 1 {
                for (bits, slab) in bits.iter_mut().zip(&*slabs) {
                    bits.after = self.after_moves(&slice, self.halves(&slice, slab));
                }
            }
            next = Some(slice);
        }
        for ((bits, slab), chain) in bits.iter_mut().zip(&*slabs).zip(chains) {
            bits.root = slab.halves()[self.layout.range(0, 0..1)][0].get(0);
            // What was stored in slice 1 is for its mover.
            let own = chain.own.has(self.index.mover(0));
            bits.after.iter_mut().flatten().for_each(|bit| *bit = *bit == own);
        }
        Ok(bits)
    }

    /// The values of a slice that was just computed.
    fn halves<'b>(&self, slice: &Slice, slab: &'b Slab) -> &'b [Half] {
        &slab.halves()[self.layout.range(slice.depth, 0..slice.boards())]
    }

    /// The stored values after each placement and turn of the root.
    fn after_moves(&self, slice: &Slice, halves: &[Half]) -> Vec<[bool; 16]> {
        let digit = self.index.mover(0).index() as u32 + 1;
        let low = self.index.low();
        let place = |socket: usize| {
            let code = digit * self.index.weights[socket];
            if socket < low {
                slice.starts[0] as usize + usize::from(self.index.low_ranks[code as usize])
            } else {
                slice.starts[code as usize] as usize
            }
        };
        // A turn of block i sets bit 2i or 2i + 1; bit 15 is left out.
        let at = |board: usize| {
            let half = &halves[board];
            std::array::from_fn(|turn| half.get(1 << turn & 0x7fff))
        };
        (0..self.index.sockets.len()).map(|socket| at(place(socket))).collect()
    }

    /// Computes one slice, wave by wave.
    fn slice(
        &self,
        slice: &Slice,
        next_slice: Option<&Slice>,
        chains: &[Chain],
        fives: &Fives,
        slabs: &mut [Slab],
    ) -> Result<(), DenseError> {
        let tops = self.index.tops() / self.layout.waves;
        for wave in 0..self.layout.waves {
            let tops = wave * tops..(wave + 1) * tops;
            let first = |slice: &Slice, top: u32| slice.starts[top as usize] as usize;
            let boards = first(slice, tops.start)..first(slice, tops.end);
            if boards.is_empty() {
                continue;
            }
            // Behind the boards of this wave is what they are made of.
            let out = self.layout.range(slice.depth, boards);
            let read = next_slice.map_or(out.end, |next| {
                let from = first(next, tops.start);
                self.layout.range(next.depth, from..from).start
            });
            let (mut outs, mut nexts) = (Vec::new(), Vec::new());
            for slab in &mut *slabs {
                let (left, right) = slab.halves_mut().split_at_mut(read);
                outs.push(&mut left[out.clone()]);
                nexts.push(&*right);
            }
            let before = next_slice.map_or(0, |next| first(next, tops.start));
            let work = Work { dense: self, slice, next_slice, chains, nexts, before, fives };
            self.wave(&work, tops, outs)?;
        }
        Ok(())
    }

    /// Computes the boards of a range of top parts; `outs` are those of each chain.
    fn wave(&self, work: &Work, tops: Range<u32>, mut outs: Vec<&mut [Half]>) -> Result<(), Cancelled> {
        let mut items = Vec::new();
        let mut from = tops.start;
        for top in tops.clone() {
            let start = work.slice.starts[from as usize];
            let boards = work.slice.starts[top as usize + 1] - start;
            if boards >= BOARDS_AT_ONCE || top + 1 == tops.end {
                let these: Vec<&mut [Half]> = outs
                    .iter_mut()
                    .map(|rest| {
                        let (these, behind) = std::mem::take(rest).split_at_mut(boards as usize);
                        *rest = behind;
                        these
                    })
                    .collect();
                items.push((from..top + 1, these));
                from = top + 1;
            }
        }
        items.into_par_iter().try_for_each(|(tops, mut outs)| {
            if self.control.is_cancelled() {
                return Err(Cancelled);
            }
            let boards = outs.first().map_or(0, |out| out.len());
            work.run(tops, &mut outs);
            self.control.add((boards * work.chains.len()) as u64);
            Ok(())
        })
    }
}

/// Up to so many bytes, chains are computed together.
const SMALL_BYTES: u64 = 256 << 20;

/// So many boards of a chain, 4 KiB each, are taken to stay in a cache.
const CACHED_BOARDS: usize = 1 << 12;

/// So many boards are computed by one thread at a time, at least.
const BOARDS_AT_ONCE: u32 = 64;

/// The work on one wave of a slice.
struct Work<'a> {
    dense: &'a Dense<'a>,
    slice: &'a Slice,
    next_slice: Option<&'a Slice>,
    chains: &'a [Chain],
    /// For each chain, the boards of the next slice but the first `before`.
    nexts: Vec<&'a [Half]>,
    before: usize,
    fives: &'a Fives,
}

/// One board of a slice.
struct Board {
    /// The code of its top part, and that part.
    top: u32,
    part: Part,
    /// The code of its low part, and the rank of that among those that fit.
    low: u32,
    rank: usize,
    /// Its place among the boards that are computed together.
    at: usize,
}

static NONE: Half = Half::NONE;

impl Work<'_> {
    /// The boards of a range of top parts; `outs` are those of each chain.
    fn run(&self, tops: Range<u32>, outs: &mut [&mut [Half]]) {
        let index = &self.dense.index;
        let (mut at, mut room) = (0, [Half::NONE, Half::NONE]);
        for top in tops {
            let part = index.part(top, index.sockets.len() - index.low());
            for (rank, &low) in index.lows(self.slice, &part).iter().enumerate() {
                self.board(&Board { top, part, low, rank, at }, outs, &mut room);
                at += 1;
            }
        }
    }

    /// One board; `room` is for what is united.
    fn board(&self, board: &Board, outs: &mut [&mut [Half]], room: &mut [Half; 2]) {
        let &Board { top, part, low, rank, at } = board;
        let [any_placed, all] = room;
        let dense = self.dense;
        let index = &dense.index;
        let low_part = index.low_parts[low as usize];
        let of: [u32; 4] = std::array::from_fn(|seat| low_part.of[seat] | part.of[seat] << index.low());
        let taken = of.iter().fold(0, |taken, set| taken | set);
        let mover = index.mover(self.slice.depth);
        let parity = (self.slice.depth + dense.phase) % 2;

        let mut fives = [&NONE; 4];
        for seat in dense.seats.iter() {
            fives[seat.index()] = self.fives.of(seat, parity, of[seat.index()]);
        }
        // The successors, and the fives that placements make.
        let mut next = [0; MOST_EMPTY];
        let mut placed = [&NONE; MOST_EMPTY];
        let mut len = 0;
        if let Some(next_slice) = self.next_slice {
            let digit = mover.index() as u32 + 1;
            let start = |top: u32| next_slice.starts[top as usize] as usize - self.before;
            let mut free = !taken & ((1u32 << index.sockets.len()) - 1);
            while free != 0 {
                let socket = free.trailing_zeros() as usize;
                free &= free - 1;
                let weight = digit * index.weights[socket];
                next[len] = if socket < index.low() {
                    start(top) + usize::from(index.low_ranks[(low + weight) as usize])
                } else {
                    start(top + weight) + rank
                };
                placed[len] = self.fives.of(mover, parity, of[mover.index()] | 1 << socket);
                len += 1;
            }
        }
        if len > 0 {
            dense.kernel.union(any_placed, &placed[..len]);
        }
        // Who moved to this board.
        let before = if self.slice.depth > 0 { Some(index.mover(self.slice.depth - 1)) } else { None };
        for (i, (chain, out)) in self.chains.iter().zip(outs.iter_mut()).enumerate() {
            let mut successors = [&NONE; MOST_EMPTY];
            for (half, &board) in successors.iter_mut().zip(&next[..len]) {
                *half = &self.nexts[i][board];
            }
            let (own, owns) = some(&fives, dense.seats.and(chain.own));
            let (others, other_count) = some(&fives, dense.seats.without(chain.own));
            let step = Step {
                kind: chain.kind,
                own_moves: chain.own.has(mover),
                store_inverted: before.is_some_and(|seat| !chain.own.has(seat)),
                far: dense.layout.boards > CACHED_BOARDS,
                next: &successors[..len],
                placed: any_placed,
                own: &own[..owns],
                others: &others[..other_count],
            };
            if len > 0 {
                dense.kernel.step(&mut out[at], &step, all);
            } else {
                dense.kernel.leaf(&mut out[at], chain.kind == Kind::NotLoses, &step);
            }
        }
    }
}

/// The fives of some seats.
fn some<'a>(fives: &[&'a Half; 4], seats: Seats) -> ([&'a Half; 4], usize) {
    let mut all = [&NONE; 4];
    let mut len = 0;
    for seat in seats.iter() {
        all[len] = fives[seat.index()];
        len += 1;
    }
    (all, len)
}
