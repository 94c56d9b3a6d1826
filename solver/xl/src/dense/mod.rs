//! The rooted dense solution: computes the values of all boards below a root, at all their
//! rotations. The slices are computed from the last slice to the root.
//!
//! A *chain* is a question about one side, with one truth value for each board and rotation. The
//! question is either whether the side wins, or whether the side does not lose. A side wins if only
//! this side has five in a line. The seats of the side play for the answer yes, and all other seats
//! for the answer no.
//!
//! The values of a board are computed from its successors: the boards after each placement of the
//! mover. First, the union of the successors' values is spread over one turn. Then the fives of the
//! placements and of the board itself are applied (`kernel::StepInputs`). A stored bit is true if
//! the answer favours the seat that moved to the board. A union of successors therefore needs no
//! conversion.
//!
//! In all successors of a board, every seat but the mover has the same set of marbles as on the
//! board. Boards are therefore numbered in groups in which the sets of the other seats are equal
//! (`numbers`). A group depends on a single group of the later slice. An earlier slice reuses the
//! memory of the later slice as the later slice is read (`boards`). The required memory is known in
//! advance (`estimate`).

mod boards;
mod estimate;
mod fives;
mod numbers;
mod slab;
#[cfg(feature = "tables")]
mod sliced;

#[cfg(feature = "tables")]
pub(crate) use estimate::estimate_below;
pub use estimate::{DenseEstimate, dense_estimate};
pub(crate) use numbers::MOST_EMPTY;
#[cfg(feature = "tables")]
pub(crate) use numbers::board_count;

use std::sync::Mutex;

use pentago_base::{Control, Kernel, Stopped, lock};
use rayon::prelude::*;

use boards::{GroupBatch, MOST_THREADS, SliceBoards};
use fives::FiveTables;
use numbers::{BoardNumbering, SliceOrder, spread_out};
pub(crate) use slab::DenseError;
use slab::Slab;

use crate::geometry::SocketSet;
use crate::kernel::{ChainKind, HalfSuper, Passes, StepInputs};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::{Seat, Seats};

/// A question about one side, with one truth value for each board and rotation. The question is
/// either whether the side wins, or whether the side does not lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The side whose seats play for the answer yes.
    pub own: Seats,
    pub kind: ChainKind,
}

/// The truth values of a chain at the root, and after each move from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RootValues {
    /// The answer of the chain at the root.
    pub root: bool,
    /// The answer of the chain after each placement and turn. The first index is the index of the
    /// socket among the root's free sockets. The second index is that of the turn in
    /// [`crate::Turn::all`].
    after: Vec<[bool; 16]>,
    free: SocketSet,
}

impl RootValues {
    /// Returns the answer of the chain after a legal move. Returns `None` if the move has no turn,
    /// or if the solution has no plies below the root.
    pub fn after(&self, m: Move) -> Option<bool> {
        let socket = (self.free & (m.place.bit() - 1)).count_ones() as usize;
        let turn = m.turn?.number();
        self.after.get(socket).map(|turns| turns[turn])
    }
}

/// A dense solution below one root: the data that all its slices share.
pub(crate) struct Dense<'a> {
    root: Position,
    numbers: BoardNumbering,
    last: usize,
    /// The parity of the root's rotations: 1 if the number of turns is odd. Only tables use parity
    /// 1.
    phase: usize,
    seats: Seats,
    passes: &'static Passes,
    control: &'a Control,
    estimate: DenseEstimate,
    /// The number of boards for which a chain needs memory.
    room: usize,
}

impl<'a> Dense<'a> {
    /// Prepares a solution of the first `plies` plies, or of all plies if `plies` is `None`. The
    /// solution covers the rotations of the root whose number of turns has the parity `phase`.
    /// Returns `None` if the root has more than [`MOST_EMPTY`] free sockets, or if the rules have
    /// `continue=yes`.
    pub fn new(
        rules: &Rules,
        root: &Position,
        plies: Option<usize>,
        phase: usize,
        kernel: Kernel,
        control: &'a Control,
    ) -> Option<Dense<'a>> {
        let estimate = estimate::estimate_below(rules, root, plies)?;
        Some(Dense {
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

    /// Computes the chains with at most `memory` bytes. Returns the values of each chain at the
    /// root, or `None` if the memory does not suffice or the caller cancelled.
    ///
    /// A small solution computes all chains together, which saves some work. A large solution
    /// computes the chains one after another in the same memory, because the system takes longer to
    /// provide new pages than the solver takes to fill them (twice as long, measured below a root
    /// of 14 free sockets).
    pub fn solve(&self, chains: &[Chain], memory: u64) -> Option<Vec<RootValues>> {
        let estimate = &self.estimate;
        let left = memory.checked_sub(estimate.least_bytes())?;
        let fit = left.min(SMALL_BYTES) / estimate.chain_bytes.max(1);
        let at_once = (1 + fit as usize).min(chains.len()).max(1);
        let mut slab = Slab::new(at_once * self.room).ok()?;
        let fives = self.fives().ok()?;
        let mut all = Vec::with_capacity(chains.len());
        for part in chains.chunks(at_once) {
            all.extend(self.solve_together(part, &fives, &mut slab).ok()?);
        }
        Some(all)
    }

    /// Computes the tables of fives of all seats, for every set of marbles that a seat can have
    /// below the root.
    fn fives(&self) -> Result<FiveTables, DenseError> {
        let seats: Vec<Seat> = self.seats.iter().collect();
        let roots: Vec<SocketSet> = seats.iter().map(|&seat| self.root.of(seat)).collect();
        let most = &self.numbers.counts(self.last)[..seats.len()];
        FiveTables::new(&roots, &self.numbers.sockets, most, self.passes, self.control)
    }

    /// Divides the slab into pieces of memory for single boards. A board has one half super for
    /// each of `chains` chains.
    fn boards<'m>(&self, slab: &'m mut Slab, chains: usize) -> SliceBoards<'m> {
        SliceBoards::new(slab.halves_mut().chunks_exact_mut(chains).take(self.room).collect())
    }

    fn solve_together(
        &self,
        chains: &[Chain],
        fives: &FiveTables,
        slab: &mut Slab,
    ) -> Result<Vec<RootValues>, Stopped> {
        let mut boards = self.boards(slab, chains.len());
        let mut bits: Vec<RootValues> = chains
            .iter()
            .map(|_| RootValues { root: false, after: Vec::new(), free: self.root.free() })
            .collect();
        for depth in (0..=self.last).rev() {
            self.slice(depth, chains, fives, &mut boards)?;
            for (i, (bits, chain)) in bits.iter_mut().zip(chains).enumerate() {
                // A bit in slice 1 is true if the answer favours the mover of the root. So `true`
                // means yes only if this mover is on the chain's side.
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

    /// Returns the answers of a chain (yes is `true`) after each placement and turn of the root.
    /// `own` is the stored bit that stands for yes.
    fn after_moves(&self, boards: &SliceBoards, chain: usize, own: bool) -> Vec<[bool; 16]> {
        let mover = self.numbers.mover(0);
        let order = self.numbers.order(1, mover);
        let after = |socket: usize| {
            let mut of = [0; 4];
            of[mover.index()] = 1 << socket;
            let half = boards.half(self.numbers.number(&order, &of), chain);
            // A turn of block `i` changes bit 2i or bit 2i + 1 of the rotation. Bit 15 is not part
            // of the index.
            std::array::from_fn(|turn| half.is_some_and(|half| half.get(1 << turn & 0x7fff)) == own)
        };
        (0..self.numbers.sockets.len()).map(after).collect()
    }

    /// Returns two orders of a slice: first the order in which its boards are computed, then the
    /// order in which they are stored for the mover of the earlier slice.
    fn orders(&self, depth: usize) -> [SliceOrder; 2] {
        let movers = [self.numbers.mover(depth), self.numbers.mover(depth.saturating_sub(1))];
        movers.map(|mover| self.numbers.order(depth, mover))
    }

    /// Computes one slice from the later slice. `boards` holds the later slice before the call, and
    /// the computed slice after the call.
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

/// The maximum size, in bytes, of a slab in which several chains are computed together.
const SMALL_BYTES: u64 = 256 << 20;

/// The largest number of boards of a chain for which a slice is expected to stay in the cache. A
/// board has 4 KiB.
const CACHED_BOARDS: usize = 1 << 12;

/// The inputs for computing one slice, which all threads share.
struct SliceComputation<'a> {
    dense: &'a Dense<'a>,
    depth: usize,
    order: SliceOrder,
    kept: SliceOrder,
    /// The number of boards in each group of the later slice. 0 if the slice to compute is the last
    /// one.
    read: usize,
    chains: &'a [Chain],
    fives: &'a FiveTables,
}

/// A group of boards. On all boards of the group, each seat but the mover has the same set of
/// marbles.
struct BoardGroup<'a> {
    /// The set of marbles of each seat, indexed by seat, as bits of the root's free sockets. The
    /// mover's set changes from board to board.
    of: [u32; 4],
    /// The free sockets of the root that the other seats do not occupy, in ascending order.
    left: [u8; MOST_EMPTY],
    /// The rotations at which each seat has five in a line, indexed by seat.
    fives: [&'a HalfSuper; 4],
}

static NONE: HalfSuper = HalfSuper::NONE;

impl<'a> SliceComputation<'a> {
    /// Computes batches of groups until no group is left.
    fn run(&self, boards: &Mutex<&mut SliceBoards>) -> Result<(), Stopped> {
        let mut room = [HalfSuper::NONE, HalfSuper::NONE];
        // Take each batch in a closure, so that the lock is released before the batch is computed.
        let take = || lock(boards).take(self.read, self.order.members);
        while let Some(mut batch) = take() {
            self.dense.control.check()?;
            self.groups(&mut batch, &mut room);
            self.dense.control.add((batch.made.len() * self.chains.len()) as u64);
            lock(boards).put(batch);
        }
        Ok(())
    }

    /// Computes all groups of a batch. `room` is scratch memory for unions.
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

    /// Returns the group with index `number`.
    fn group(&self, number: usize) -> BoardGroup<'a> {
        let of = self.dense.numbers.group(&self.order, number);
        let left = self.dense.numbers.left(of.iter().fold(0, |taken, set| taken | set));
        let mut fives = [&NONE; 4];
        for seat in self.dense.seats.without(Seats::only(self.order.mover)).iter() {
            fives[seat.index()] = self.five(seat, of[seat.index()]);
        }
        BoardGroup { of, left, fives }
    }

    /// Returns the rotations at which a seat has five in a line. `set` is the subset of the root's
    /// free sockets that the seat occupies.
    #[inline]
    fn five(&self, seat: Seat, set: u32) -> &'a HalfSuper {
        self.fives.of(seat, (self.depth + self.dense.phase) % 2, set)
    }

    /// Computes one board of a group. `set` is the mover's set, numbered among the sockets that the
    /// other seats leave to the mover. `read` holds the boards after each placement: the same group
    /// with one more marble of the mover.
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
        // First collect the sockets of all placements in `next`. Later, replace each socket by the
        // number of the board after the placement.
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
        // The seat that made the last move before this board, or `None` at the root.
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

/// Returns `true` if fives of placements must be applied, because the values after the turns do not
/// cover them.
///
/// A line crosses at most three of the eight blocks that turn, so some turn leaves a new five
/// intact. If the chain's answer favours the mover even where another seat also has five, then the
/// value after that turn already covers the five of the placement.
fn needs_placed(chain: &Chain, mover: Seat) -> bool {
    match chain.kind {
        ChainKind::Wins => chain.own.has(mover),
        ChainKind::NotLoses => !chain.own.has(mover),
    }
}

/// Returns the fives of the seats in `seats`, and the number of these seats.
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
    use crate::geometry::{Turn, rotated};

    /// Returns the answer of a chain for a position. Plays all moves to the end of the game.
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

    /// Returns the position whose value is bit `index` of the half super of `p`. `phase` is the
    /// parity of the half super.
    fn turned(p: &Position, index: usize, phase: usize) -> Position {
        let code = index | ((index.count_ones() as usize + phase) % 2) << 15;
        Position { marbles: p.marbles.map(|set| rotated(set, code)), ..*p }
    }

    /// Boards on which a side can make five with the last marble, but every turn that leaves this
    /// five also gives the other side five. Random boards never have this property, so these boards
    /// were found by hill climbing. No game leads to these boards, but their values are defined
    /// like those of any other board.
    const ONLY_PLACED: [&str; 4] = [
        "BBABABABB/BAABAABBB/AABBBBAAA/ABBAABABB/BBBAABBBB/AAABBAAAB/ABBBAABBA/BBAABBBBA/B1AAAABBA",
        "BABABBBAB/ABAAABAAB/ABBBABAAB/BABBABBBA/BBAAAABBB/ABAABBBAB/AABB1BBBB/BBBABBAAB/BAAABBAAA",
        "BABBBAABA/AAAABBABA/ABBBBABBA/BAABABAA1/BBBBABBBA/BABBAAAAB/BBBABBBAB/AABABBABB/BBABAAAAB",
        "AABABABAA/ABBBBABBB/BBAABBAAA/ABBBAABBB/BBBAABBBA/AAABBABAA/BBBBABBBA/ABAAA1ABB/BBABBBBAB",
    ];

    #[test]
    fn fives_by_the_last_placement_at_all_rotations() {
        for text in ["xl:supply=81", "xl:seats=3,supply=81", "xl:seats=4,mode=2v2,supply=81"] {
            let rules: Rules = text.parse().unwrap();
            for board in ONLY_PLACED {
                // The side that can win must be the mover. The text does not say which side that
                // is, so try each seat.
                for seat in rules.everyone().iter() {
                    let other = rules.next_seat(seat, rules.everyone());
                    let drawn = rules.parse_any_position(board).unwrap();
                    let mut p = Position { to_move: seat, ..Position::EMPTY };
                    p.marbles[seat.index()] = drawn.of(Seat::A);
                    p.marbles[other.index()] = drawn.of(Seat::B);
                    assert!(compare(&rules, &p, 0) >= 1);
                    compare(&rules, &p, 1);
                }
            }
        }
    }

    /// Compares the dense solution of each chain with `plainly`, at every rotation at which the
    /// game is not over. Returns the number of rotations at which a placement wins and no turn
    /// wins.
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
                    .each_slice::<DenseError>(chain, |depth, halves, _| {
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
            let mover = Seats::only(p.to_move);
            let five_alone = |turn: Turn| placed.turned(turn).fives(rules.everyone()) == mover;
            !placed.fives(mover).is_empty() && !Turn::all().any(five_alone)
        };
        running.iter().filter(|(_, p)| only_placed(p)).count()
    }
}
