//! The rooted dense solution: the values of all boards below a root, at all their rotations at
//! once, slice by slice from the last one back.
//!
//! A *chain* is a question with one truth value for each board and rotation: does the own side win
//! (it alone has five), or at least not lose? The own side's seats want yes, all others no. A
//! board's values are the union over the mover's placements of what its successors say for him,
//! spread over one turn, and of the fives that placements make (`kernel::StepInputs`). What is stored for
//! a board is the value after the fives in it, for the seat that moved there: ready to be united.
//!
//! What a board is made of belongs to boards with the same sets of all seats but the mover's:
//! slices are computed in such groups (`numbers`), and a slice takes the places of the next one in
//! memory as that is used up (`boards`). How much memory that takes is known before anything is
//! computed.

mod boards;
mod error;
mod estimate;
mod fives;
mod numbers;
mod slab;
#[cfg(feature = "tables")]
mod sliced;

pub use error::DenseError;
#[cfg(feature = "tables")]
pub(crate) use estimate::estimate_below;
pub use estimate::{DenseEstimate, dense_estimate};
pub(crate) use numbers::{MOST_EMPTY, board_count};

use std::sync::Mutex;

use pentago_base::{Control, Kernel, Stopped, lock};
use rayon::prelude::*;

use boards::{GroupBatch, MOST_THREADS, SliceBoards};
use fives::FiveTables;
use numbers::{BoardNumbering, SliceOrder, spread_out};
use slab::Slab;

use crate::geometry::{SocketSet, TURNABLE};
use crate::kernel::{ChainKind, HalfSuper, Passes, StepInputs};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::{Seat, Seats};

/// A question about all boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The side that wants it to be true.
    pub own: Seats,
    pub kind: ChainKind,
}

/// The answers of a chain at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RootValues {
    /// In the root.
    pub root: bool,
    /// After each placement and turn: by the order of the free sockets and of [`crate::Turn::all`].
    after: Vec<[bool; 16]>,
    free: SocketSet,
}

impl RootValues {
    /// After a legal move with a turn.
    pub fn after(&self, m: Move) -> Option<bool> {
        let socket = (self.free & (m.place.bit() - 1)).count_ones() as usize;
        let turn = m.turn?;
        let block = TURNABLE.iter().position(|&block| block == turn.block())?;
        self.after.get(socket).map(|turns| turns[2 * block + usize::from(!turn.clockwise())])
    }
}

/// Everything that all slices below one root share.
pub(crate) struct Dense<'a> {
    root: Position,
    numbers: BoardNumbering,
    last: usize,
    /// The parity of the rotations of the root that are looked at: 0 but for tables.
    phase: usize,
    seats: Seats,
    passes: &'static Passes,
    control: &'a Control,
    estimate: DenseEstimate,
    /// The number of boards that a chain needs memory for.
    room: usize,
}

impl<'a> Dense<'a> {
    /// Prepares a solution of all plies, or of the first `plies` plies, at the rotations of the root
    /// whose number of turns has the parity `phase`.
    pub fn new(
        rules: &Rules,
        root: &Position,
        plies: Option<usize>,
        phase: usize,
        kernel: Kernel,
        control: &'a Control,
    ) -> Result<Dense<'a>, DenseError> {
        let estimate = estimate::estimate_below(rules, root, plies).ok_or(DenseError::Unfit)?;
        Ok(Dense {
            root: *root,
            last: estimate::last_slice(rules, root, plies),
            phase,
            seats: rules.everyone(),
            numbers: BoardNumbering::new(rules, root),
            passes: Passes::of(kernel),
            control,
            estimate,
            room: estimate::board_room(rules, root, plies) as usize,
        })
    }

    /// The answers of the chains; at most `memory` bytes are used.
    ///
    /// Small solutions compute all chains together, which saves some work. Large ones go chain by
    /// chain in the same memory: pages that nobody has used yet cost the system more time than the
    /// values in them (measured below a root of 14 free sockets: twice as much).
    pub fn solve(&self, chains: &[Chain], memory: u64) -> Result<Vec<RootValues>, DenseError> {
        let estimate = &self.estimate;
        let Some(left) = memory.checked_sub(estimate.least_bytes()) else {
            return Err(DenseError::Memory { needed: estimate.least_bytes(), limit: memory });
        };
        let fit = left.min(SMALL_BYTES) / estimate.chain_bytes.max(1);
        let at_once = (1 + fit as usize).min(chains.len()).max(1);
        let mut slab = Slab::new(at_once * self.room)?;
        let fives = self.fives()?;
        let mut all = Vec::with_capacity(chains.len());
        for part in chains.chunks(at_once) {
            all.extend(self.solve_together(part, &fives, &mut slab)?);
        }
        Ok(all)
    }

    /// Returns where the seats have five in the boards to come.
    fn fives(&self) -> Result<FiveTables, DenseError> {
        let seats: Vec<Seat> = self.seats.iter().collect();
        let roots: Vec<SocketSet> = seats.iter().map(|&seat| self.root.of(seat)).collect();
        let most = &self.numbers.counts(self.last)[..seats.len()];
        FiveTables::new(&roots, &self.numbers.sockets, most, self.passes, self.control)
    }

    /// Takes memory for the boards of `chains` chains.
    fn boards<'m>(&self, slab: &'m mut Slab, chains: usize) -> SliceBoards<'m> {
        SliceBoards::new(slab.halves_mut().chunks_exact_mut(chains).take(self.room).collect())
    }

    fn solve_together(
        &self,
        chains: &[Chain],
        fives: &FiveTables,
        slab: &mut Slab,
    ) -> Result<Vec<RootValues>, DenseError> {
        let mut boards = self.boards(slab, chains.len());
        let mut bits: Vec<RootValues> = chains
            .iter()
            .map(|_| RootValues { root: false, after: Vec::new(), free: self.root.free() })
            .collect();
        for depth in (0..=self.last).rev() {
            self.slice(depth, chains, fives, &mut boards)?;
            for (i, (bits, chain)) in bits.iter_mut().zip(chains).enumerate() {
                // What is stored in slice 1 is for its mover.
                let own = chain.own.has(self.numbers.mover(0));
                match depth {
                    0 => bits.root = boards.half(0, i).is_some_and(|half| half.get(0)),
                    1 => bits.after = self.after_moves(&boards, i, own),
                    _ => {}
                }
            }
        }
        Ok(bits)
    }

    /// The values after each placement and turn of the root; `own` is what is stored for yes.
    fn after_moves(&self, boards: &SliceBoards, chain: usize, own: bool) -> Vec<[bool; 16]> {
        let mover = self.numbers.mover(0);
        let order = self.numbers.order(1, mover);
        let after = |socket: usize| {
            let mut of = [0; 4];
            of[mover.index()] = 1 << socket;
            let half = boards.half(self.numbers.number(&order, &of), chain);
            // A turn of block i sets bit 2i or 2i + 1; bit 15 is left out.
            std::array::from_fn(|turn| half.is_some_and(|half| half.get(1 << turn & 0x7fff)) == own)
        };
        (0..self.numbers.sockets.len()).map(after).collect()
    }

    /// The order in which the slice is made, and that in which it is kept for the mover before.
    fn orders(&self, depth: usize) -> [SliceOrder; 2] {
        let movers = [self.numbers.mover(depth), self.numbers.mover(depth.saturating_sub(1))];
        movers.map(|mover| self.numbers.order(depth, mover))
    }

    /// Computes one slice from the next one, which is used up.
    fn slice(
        &self,
        depth: usize,
        chains: &[Chain],
        fives: &FiveTables,
        boards: &mut SliceBoards,
    ) -> Result<(), Stopped> {
        let [order, kept] = self.orders(depth);
        let read = if depth < self.last { self.numbers.order(depth + 1, order.mover).members } else { 0 };
        boards.begin(order.groups, order.members);
        let shared = Mutex::new(&mut *boards);
        let work = SliceComputation { dense: self, depth, order, kept, read, chains, fives };
        let threads = rayon::current_num_threads().min(MOST_THREADS);
        (0..threads).into_par_iter().with_max_len(1).try_for_each(|_| work.run(&shared))?;
        boards.end();
        Ok(())
    }
}

/// Up to this number of bytes, chains are computed together.
const SMALL_BYTES: u64 = 256 << 20;

/// The boards of a chain, 4 KiB each, that are taken to stay in a cache.
const CACHED_BOARDS: usize = 1 << 12;

/// The work on one slice.
struct SliceComputation<'a> {
    dense: &'a Dense<'a>,
    depth: usize,
    order: SliceOrder,
    kept: SliceOrder,
    /// The number of boards of a group in the later slice. 0 in the last slice.
    read: usize,
    chains: &'a [Chain],
    fives: &'a FiveTables,
}

/// A group of boards.
struct BoardGroup<'a> {
    /// The sets of all seats but the mover.
    of: [u32; 4],
    /// The sockets that they leave.
    left: [u8; MOST_EMPTY],
    /// Where they have five.
    fives: [&'a HalfSuper; 4],
}

static NONE: HalfSuper = HalfSuper::NONE;

impl<'a> SliceComputation<'a> {
    /// Computes batches of groups until every group is taken.
    fn run(&self, boards: &Mutex<&mut SliceBoards>) -> Result<(), Stopped> {
        let mut room = [HalfSuper::NONE, HalfSuper::NONE];
        // A closure, so that the lock is released before the batch is computed.
        let take = || lock(boards).take(self.read, self.order.members);
        while let Some(mut batch) = take() {
            self.dense.control.check()?;
            self.groups(&mut batch, &mut room);
            self.dense.control.add((batch.made.len() * self.chains.len()) as u64);
            lock(boards).put(batch);
        }
        Ok(())
    }

    /// Computes the groups of a batch. `room` is scratch memory for unions.
    fn groups(&self, batch: &mut GroupBatch, room: &mut [HalfSuper; 2]) {
        let numbers = &self.dense.numbers;
        let mover = self.order.mover;
        let mut made = batch.made.iter_mut();
        for (i, number) in batch.groups.clone().enumerate() {
            let read = &batch.read[i * self.read..(i + 1) * self.read];
            let mut group = self.group(number);
            let members = numbers.of_size(self.order.left, self.order.counts[mover.index()]);
            for (&set, out) in members.iter().zip(&mut made) {
                group.of[mover.index()] = spread_out(set, &group.left);
                group.fives[mover.index()] = self.five(mover, group.of[mover.index()]);
                self.board(&group, set, read, out, room);
                batch.numbers.push(numbers.number(&self.kept, &group.of));
            }
        }
    }

    /// A group of this number.
    fn group(&self, number: usize) -> BoardGroup<'a> {
        let of = self.dense.numbers.group(&self.order, number);
        let left = self.dense.numbers.left(of.iter().fold(0, |taken, set| taken | set));
        let mut fives = [&NONE; 4];
        for seat in self.dense.seats.without(Seats::only(self.order.mover)).iter() {
            fives[seat.index()] = self.five(seat, of[seat.index()]);
        }
        BoardGroup { of, left, fives }
    }

    /// Returns where a seat with these of the free sockets has five.
    #[inline]
    fn five(&self, seat: Seat, set: u32) -> &'a HalfSuper {
        self.fives.of(seat, (self.depth + self.dense.phase) % 2, set)
    }

    /// The board of a group in which the mover has this set of the sockets that are left, from the
    /// boards of the same group with one marble more.
    fn board(
        &self,
        group: &BoardGroup,
        set: u32,
        read: &[Option<&mut [HalfSuper]>],
        out: &mut [HalfSuper],
        room: &mut [HalfSuper; 2],
    ) {
        let [any_placed, all] = room;
        let dense = self.dense;
        let mover = self.order.mover;
        // The successors, and the fives that placements make.
        let mut next = [0; MOST_EMPTY];
        let mut len = 0;
        if !read.is_empty() {
            let mut free = !set & ((1u32 << self.order.left) - 1);
            while free != 0 {
                next[len] = free.trailing_zeros() as usize;
                free &= free - 1;
                len += 1;
            }
        }
        let sockets = &mut next[..len];
        if len > 0 && self.chains.iter().any(|chain| needs_placed(chain, mover)) {
            let mut placed = [&NONE; MOST_EMPTY];
            for (half, &socket) in placed.iter_mut().zip(&*sockets) {
                *half = self.five(mover, group.of[mover.index()] | 1 << group.left[socket]);
            }
            dense.passes.union(any_placed, &placed[..len]);
        }
        sockets.iter_mut().for_each(|socket| *socket = dense.numbers.rank(set | 1 << *socket));
        // Who moved to this board.
        let before = self.depth.checked_sub(1).map(|depth| dense.numbers.mover(depth));
        for (i, (chain, out)) in self.chains.iter().zip(out.iter_mut()).enumerate() {
            let mut successors = [&NONE; MOST_EMPTY];
            for (half, &board) in successors.iter_mut().zip(&next[..len]) {
                *half = read[board].as_deref().map_or(&NONE, |chains| &chains[i]);
            }
            let (own, owns) = some(&group.fives, dense.seats.and(chain.own));
            let (others, other_count) = some(&group.fives, dense.seats.without(chain.own));
            let step = StepInputs {
                kind: chain.kind,
                own_moves: chain.own.has(mover),
                store_inverted: before.is_some_and(|seat| !chain.own.has(seat)),
                far: dense.room > CACHED_BOARDS,
                next: &successors[..len],
                placed: if needs_placed(chain, mover) { any_placed } else { &NONE },
                own: &own[..owns],
                others: &others[..other_count],
            };
            if len > 0 {
                dense.passes.step(out, &step, all);
            } else {
                dense.passes.leaf(out, chain.kind == ChainKind::NotLoses, &step);
            }
        }
    }
}

/// Returns whether fives that a placement makes can say more than the boards after a turn. A line
/// crosses at most three of the blocks that turn, so that some turn leaves a five as it is. If the
/// mover then has what it wants whoever else has five, too, it is found there.
fn needs_placed(chain: &Chain, mover: Seat) -> bool {
    match chain.kind {
        ChainKind::Wins => chain.own.has(mover),
        ChainKind::NotLoses => !chain.own.has(mover),
    }
}

/// The fives of some seats.
fn some<'a>(fives: &[&'a HalfSuper; 4], seats: Seats) -> ([&'a HalfSuper; 4], usize) {
    let mut all = [&NONE; 4];
    let mut len = 0;
    for seat in seats.iter() {
        all[len] = fives[seat.index()];
        len += 1;
    }
    (all, len)
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::Value;
    use crate::fives::has_five;
    use crate::geometry::{Turn, rotated};

    /// Returns whether the answer is yes, by playing all moves to the end of the game.
    fn plainly(rules: &Rules, p: &Position, chain: Chain) -> bool {
        if let Some(outcome) = rules.outcome(p) {
            let value = chain.own.iter().next().map(|seat| outcome.value(rules, seat));
            return match chain.kind {
                ChainKind::Wins => value == Some(Value::Win),
                ChainKind::NotLoses => value != Some(Value::Loss),
            };
        }
        let own = chain.own.has(p.to_move);
        let mut moves = rules.moves(p).into_iter().map(|m| {
            let played = rules.play(p, m).unwrap();
            plainly(rules, &played.position, chain)
        });
        if own { moves.any(|yes| yes) } else { moves.all(|yes| yes) }
    }

    /// Returns the position whose value is bit `index` of a half super.
    fn turned(p: &Position, index: usize, phase: usize) -> Position {
        let code = index | ((index.count_ones() as usize + phase) % 2) << 15;
        Position { marbles: p.marbles.map(|set| rotated(set, code)), ..*p }
    }

    /// Boards on which one side can make five with the last marble, and every turn that leaves it
    /// gives the other side five, too. (Random boards are never like that: these were found by
    /// climbing. They don't come about in a game, but that makes no difference below them.)
    const ONLY_PLACED: [&str; 4] = [
        "BBABABABB/BAABAABBB/AABBBBAAA/ABBAABABB/BBBAABBBB/AAABBAAAB/ABBBAABBA/BBAABBBBA/B.AAAABBA",
        "BABABBBAB/ABAAABAAB/ABBBABAAB/BABBABBBA/BBAAAABBB/ABAABBBAB/AABB.BBBB/BBBABBAAB/BAAABBAAA",
        "BABBBAABA/AAAABBABA/ABBBBABBA/BAABABAA./BBBBABBBA/BABBAAAAB/BBBABBBAB/AABABBABB/BBABAAAAB",
        "AABABABAA/ABBBBABBB/BBAABBAAA/ABBBAABBB/BBBAABBBA/AAABBABAA/BBBBABBBA/ABAAA.ABB/BBABBBBAB",
    ];

    #[test]
    fn fives_by_the_last_placement_at_all_rotations() {
        for text in ["xl:supply=81", "xl:seats=3,supply=81", "xl:seats=4,mode=2v2,supply=81"] {
            let rules: Rules = text.parse().unwrap();
            for board in ONLY_PLACED {
                // The side that can win is the mover: each seat in turn.
                for seat in rules.everyone().iter() {
                    let other = rules.next_seat(seat, rules.everyone());
                    let mut p = Position { to_move: seat, ..Position::EMPTY };
                    for (row, cells) in board.split('/').enumerate() {
                        for (file, cell) in cells.chars().enumerate() {
                            let bit = crate::Socket::on(file, 8 - row).unwrap().bit();
                            match cell {
                                'A' => p.marbles[seat.index()] |= bit,
                                'B' => p.marbles[other.index()] |= bit,
                                _ => {}
                            }
                        }
                    }
                    assert!(compare(&rules, &p, 0) >= 1);
                    compare(&rules, &p, 1);
                }
            }
        }
    }

    /// Compares all chains wherever the game is not over; the number of positions in which a
    /// placement wins and no turn does.
    fn compare(rules: &Rules, p: &Position, phase: usize) -> usize {
        let control = Control::new();
        let dense = Dense::new(rules, p, None, phase, Kernel::best(), &control).unwrap();
        let running: Vec<(usize, Position)> = (0..32_768)
            .map(|index| (index, turned(p, index, phase)))
            .filter(|(_, p)| rules.outcome(p).is_none())
            .collect();
        for own in rules.sides() {
            for kind in [ChainKind::Wins, ChainKind::NotLoses] {
                let chain = Chain { own, kind };
                dense
                    .each_slice::<DenseError>(chain, u64::MAX, &mut |depth, halves, _| {
                        for (index, p) in running.iter().filter(|_| depth == 0) {
                            let expected = plainly(rules, p, chain);
                            assert_eq!(halves[0].get(*index), expected, "{chain:?} {p:?}");
                        }
                        Ok(())
                    })
                    .unwrap();
            }
        }
        let only_placed = |p: &Position| {
            let mut placed = *p;
            placed.marbles[p.to_move.index()] |= p.free();
            let five = |p: &Position, seat: Seat| has_five(p.of(seat));
            let others = |p: &Position| Seat::ALL.into_iter().any(|seat| seat != p.to_move && five(p, seat));
            five(&placed, p.to_move)
                && Turn::all().all(|turn| {
                    let mut p = placed;
                    p.marbles = p.marbles.map(|set| turn.apply(set));
                    others(&p) || !five(&p, p.to_move)
                })
        };
        running.iter().filter(|(_, p)| only_placed(p)).count()
    }
}
