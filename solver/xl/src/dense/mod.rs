//! The rooted dense solution: the values of all boards below a root, at all their rotations at
//! once, slice by slice from the last one back.
//!
//! A *chain* is a question with one truth value for each board and rotation: does the own side win
//! (it alone has five), or at least not lose? The own side's seats want yes, all others no. A
//! board's values are the union over the mover's placements of what its successors say for him,
//! spread over one turn, and of the fives that placements make (`kernel::Step`). What is stored for
//! a board is the value after the fives in it, for the seat that moved there: ready to be united.
//!
//! Two slices are in memory at a time, for as many chains as fit; their size is known before
//! anything is computed.

mod fives;
mod index;
mod slab;
mod sliced;

pub(crate) use sliced::SliceBits;

use rayon::prelude::*;

use crate::control::{Cancelled, Control};
use crate::geometry::{Set, TURNABLE};
use crate::kernel::{Half, Kernel, Kind, Step};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::{Seat, Seats};
use index::{Index, Part, Slice};
pub(crate) use index::{MOST_EMPTY, board_count};
use slab::Slab;

/// What a dense solution of a position takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DenseEstimate {
    /// Boards below the root and the root itself, without the last slice.
    pub boards: u64,
    /// Chains, each of them computed for all boards.
    pub chains: u64,
    /// Bytes of one chain: the greatest two neighbouring slices that are in memory at a time.
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
    let last = last_slice(rules, p, plies);
    let counts = |depth: usize| {
        let mut counts = [0; 4];
        (0..depth).for_each(|ply| counts[(p.to_move.index() + ply) % rules.seats()] += 1);
        counts
    };
    let boards: Vec<u64> = (0..=last).map(|depth| board_count(empty, &counts(depth))).collect();
    let most = |parity: usize| boards.iter().skip(parity).step_by(2).max().copied().unwrap_or(0);
    // The fives of each seat and one more marble of the mover.
    let masks = |depth: usize| -> u64 {
        let choose = |n: usize| board_count(empty, &[n, 0, 0, 0]);
        let counts = counts(depth);
        let mover = counts[(p.to_move.index() + depth) % rules.seats()];
        counts.iter().map(|&n| choose(n)).sum::<u64>() + choose(mover + 1)
    };
    let half = size_of::<Half>() as u64;
    let index = (0..2).map(|_| (rules.seats() as u64 + 1).saturating_pow(empty as u32)).sum::<u64>() / 64;
    let shared = (0..=last).map(masks).max().unwrap_or(0).saturating_mul(half);
    let sides = rules.sides().len() as u64;
    Some(DenseEstimate {
        boards: boards[..last].iter().fold(0, |sum, &n| sum.saturating_add(n)),
        chains: if sides == 2 { 2 } else { 2 * sides },
        chain_bytes: most(0).saturating_add(most(1)).saturating_mul(half),
        shared_bytes: shared.saturating_add(4 << empty).saturating_add(index).saturating_add(1 << 20),
    })
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
    /// For each set of the free sockets its rank among those as large.
    ranks: Vec<u32>,
    estimate: DenseEstimate,
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
        let mut next = vec![0u32; index.sockets.len() + 1];
        let ranks = (0..1u32 << index.sockets.len())
            .map(|set| {
                let rank = &mut next[set.count_ones() as usize];
                *rank += 1;
                *rank - 1
            })
            .collect();
        Ok(Dense {
            root: *root,
            last: last_slice(rules, root, plies),
            phase: 0,
            seats: rules.everyone(),
            index,
            kernel,
            control,
            ranks,
            estimate,
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
        let boards = |depth: usize| board_count(self.index.sockets.len(), &self.index.counts(depth)) as usize;
        let most = |parity: usize| (parity..=self.last).step_by(2).map(boards).max().unwrap_or(0);
        let slabs = |parity: usize| -> Result<Vec<Slab>, DenseError> {
            (0..at_once).map(|_| Ok(Slab::new(most(parity))?)).collect()
        };
        // Of slices an even and an odd number of plies below the root.
        let mut slabs = [slabs(0)?, slabs(1)?];
        let mut all = Vec::with_capacity(chains.len());
        for part in chains.chunks(at_once) {
            all.extend(self.solve_together(part, &mut slabs)?);
        }
        Ok(all)
    }

    fn solve_together(&self, chains: &[Chain], slabs: &mut [Vec<Slab>; 2]) -> Result<Vec<Bits>, DenseError> {
        let mut next_slice = None;
        let mut bits: Vec<Bits> =
            chains.iter().map(|_| Bits { root: false, after: Vec::new(), free: self.root.free() }).collect();
        for depth in (0..=self.last).rev() {
            let slice = self.index.slice(depth);
            let [even, odd] = slabs;
            let (these, next) = if depth % 2 == 0 { (even, odd) } else { (odd, even) };
            self.slice(&slice, next_slice.as_ref(), chains, these, next)?;
            if depth == 1 {
                for (bits, slab) in bits.iter_mut().zip(these) {
                    bits.after = self.after_moves(&slice, slab);
                }
            }
            next_slice = Some(slice);
        }
        for ((bits, slab), chain) in bits.iter_mut().zip(&slabs[0]).zip(chains) {
            bits.root = slab.halves()[0].get(0);
            // What was stored in slice 1 is for its mover.
            let own = chain.own.has(self.index.mover(0));
            bits.after.iter_mut().flatten().for_each(|bit| *bit = *bit == own);
        }
        Ok(bits)
    }

    /// The stored values after each placement and turn of the root.
    fn after_moves(&self, slice: &Slice, slab: &Slab) -> Vec<[bool; 16]> {
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
            let half = &slab.halves()[board];
            std::array::from_fn(|turn| half.get(1 << turn & 0x7fff))
        };
        (0..self.index.sockets.len()).map(|socket| at(place(socket))).collect()
    }

    /// Computes one slice.
    fn slice(
        &self,
        slice: &Slice,
        next_slice: Option<&Slice>,
        chains: &[Chain],
        these: &mut [Slab],
        next: &[Slab],
    ) -> Result<(), DenseError> {
        let masks = Masks::new(self, slice)?;
        let next: Vec<&[Half]> = next[..chains.len()].iter().map(Slab::halves).collect();
        let work = Work { dense: self, slice, next_slice, chains, next, masks };
        let mut rest: Vec<&mut [Half]> = these[..chains.len()].iter_mut().map(Slab::halves_mut).collect();
        let mut items = Vec::new();
        let mut from = 0;
        for top in 0..self.index.tops() {
            let start = slice.starts[from as usize];
            let boards = slice.starts[top as usize + 1] - start;
            if boards >= BOARDS_AT_ONCE || top + 1 == self.index.tops() {
                let outs: Vec<&mut [Half]> = rest
                    .iter_mut()
                    .map(|rest| {
                        let (out, behind) = std::mem::take(rest).split_at_mut(boards as usize);
                        *rest = behind;
                        out
                    })
                    .collect();
                items.push((from..top + 1, outs));
                from = top + 1;
            }
        }
        items.into_par_iter().try_for_each(|(tops, mut outs)| {
            if self.control.is_cancelled() {
                return Err(Cancelled);
            }
            let boards = outs.first().map_or(0, |out| out.len());
            work.run(tops, &mut outs);
            self.control.add((boards * chains.len()) as u64);
            Ok(())
        })?;
        Ok(())
    }
}

/// Up to so many bytes, chains are computed together.
const SMALL_BYTES: u64 = 256 << 20;

/// So many boards are computed by one thread at a time, at least.
const BOARDS_AT_ONCE: u32 = 64;

/// Where each set of marbles of each seat has five, in one slice.
struct Masks {
    /// For each seat, by the rank of its marbles.
    have: [Vec<Half>; 4],
    /// For the mover with one marble more.
    placed: Vec<Half>,
}

impl Masks {
    fn new(dense: &Dense, slice: &Slice) -> Result<Masks, Cancelled> {
        let parity = (slice.depth + dense.phase) % 2;
        let sockets = &dense.index.sockets;
        let sets = |seat: Seat, count: usize| -> Result<Vec<Half>, Cancelled> {
            let root = dense.root.of(seat);
            let subsets: Vec<u32> =
                (0..1u32 << sockets.len()).filter(|set| set.count_ones() as usize == count).collect();
            subsets
                .into_par_iter()
                .map(|set| {
                    if dense.control.is_cancelled() {
                        return Err(Cancelled);
                    }
                    let added = sockets.iter().enumerate().filter(|(i, _)| set >> i & 1 != 0);
                    let marbles = added.fold(root, |marbles, (_, socket)| marbles | socket.bit());
                    let mut half = Half::NONE;
                    fives::fives(&mut half, marbles, parity, dense.kernel);
                    Ok(half)
                })
                .collect()
        };
        let mut have = [const { Vec::new() }; 4];
        for seat in dense.seats.iter() {
            have[seat.index()] = sets(seat, slice.counts[seat.index()])?;
        }
        let placed = if slice.depth < dense.last {
            let mover = dense.index.mover(slice.depth);
            sets(mover, slice.counts[mover.index()] + 1)?
        } else {
            Vec::new()
        };
        Ok(Masks { have, placed })
    }
}

/// The work on one slice.
struct Work<'a> {
    dense: &'a Dense<'a>,
    slice: &'a Slice,
    next_slice: Option<&'a Slice>,
    chains: &'a [Chain],
    next: Vec<&'a [Half]>,
    masks: Masks,
}

static NONE: Half = Half::NONE;

impl Work<'_> {
    /// The boards of a range of top parts; `outs` are those of each chain.
    fn run(&self, tops: std::ops::Range<u32>, outs: &mut [&mut [Half]]) {
        let index = &self.dense.index;
        let mut at = 0;
        for top in tops {
            let part = index.part(top, index.sockets.len() - index.low());
            for (rank, &low) in index.lows(self.slice, &part).iter().enumerate() {
                self.board(top, &part, low, rank, at, outs);
                at += 1;
            }
        }
    }

    fn board(&self, top: u32, part: &Part, low: u32, rank: usize, at: usize, outs: &mut [&mut [Half]]) {
        let dense = self.dense;
        let index = &dense.index;
        let low_part = index.part(low, index.low());
        let of: [u32; 4] = std::array::from_fn(|seat| low_part.of[seat] | part.of[seat] << index.low());
        let taken = of.iter().fold(0, |taken, set| taken | set);
        let mover = index.mover(self.slice.depth);

        let mut fives = [&NONE; 4];
        for seat in dense.seats.iter() {
            fives[seat.index()] =
                &self.masks.have[seat.index()][dense.ranks[of[seat.index()] as usize] as usize];
        }
        // The successors, and the fives that placements make.
        let mut next = [0; MOST_EMPTY];
        let mut placed = [&NONE; MOST_EMPTY];
        let mut len = 0;
        if let Some(next_slice) = self.next_slice {
            let digit = mover.index() as u32 + 1;
            let start = |top: u32| next_slice.starts[top as usize] as usize;
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
                placed[len] =
                    &self.masks.placed[dense.ranks[(of[mover.index()] | 1 << socket) as usize] as usize];
                len += 1;
            }
        }
        let mut any_placed = Half::NONE;
        if len > 0 {
            dense.kernel.union(&mut any_placed, &placed[..len]);
        }
        // Who moved to this board.
        let before = if self.slice.depth > 0 { Some(index.mover(self.slice.depth - 1)) } else { None };
        for (i, (chain, out)) in self.chains.iter().zip(outs.iter_mut()).enumerate() {
            let mut successors = [&NONE; MOST_EMPTY];
            for (half, &board) in successors.iter_mut().zip(&next[..len]) {
                *half = &self.next[i][board];
            }
            let (own, owns) = some(&fives, dense.seats.and(chain.own));
            let (others, other_count) = some(&fives, dense.seats.without(chain.own));
            let step = Step {
                kind: chain.kind,
                own_moves: chain.own.has(mover),
                store_inverted: before.is_some_and(|seat| !chain.own.has(seat)),
                next: &successors[..len],
                placed: &any_placed,
                own: &own[..owns],
                others: &others[..other_count],
            };
            if len > 0 {
                dense.kernel.step(&mut out[at], &step);
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
