//! Masks of five in a row for each player. A mask belongs to a subset of the root's empty sockets,
//! which is added to the player's marbles at the root. Each mask is computed once, and serves all
//! boards on which the player has this subset.

use super::plan::counts;
use crate::index::rooted::cycles::{CYCLE, CycleState, Orbits, marbles, shifted};
use crate::index::rooted::layout::{NO_ARRAY, Unit, UnitShape};
use crate::index::{Frame, Layout};
use crate::kernel::{Kernel, Pack, Passes, Shifted};
use crate::rules::{Position, Rules};
use crate::supers::WinMasks;
use crate::threads;
use pentago_base::bits;

/// The root of both chains. Player 0 makes the next placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainRoot {
    /// The marble sets of player 0 and of player 1.
    pub sets: [u64; 2],
    /// The empty sockets, each as a set of one socket, in the order of
    /// [`crate::index::rooted::layout::Split`].
    pub empty: Vec<u64>,
    /// The parity of the rotations at the root: 1 if a turn is pending, otherwise 0.
    pub parity: u8,
}

impl ChainRoot {
    /// Returns the root for a position. If a turn is pending, the chains start after this turn: at
    /// odd rotations, with the placement of the other player.
    pub(super) fn of(position: &Position) -> ChainRoot {
        let placer = if position.pending() { position.to_move().other() } else { position.to_move() };
        ChainRoot {
            sets: [placer, placer.other()].map(|color| position.board().of(color)),
            empty: bits(position.free()).map(|socket| 1 << socket).collect(),
            parity: u8::from(position.pending()),
        }
    }
}

/// The settings of a solution that don't depend on its root.
#[derive(Clone, Copy)]
pub(crate) struct SolutionSettings {
    pub rules: Rules,
    pub kernel: Kernel,
    pub threads: usize,
}

/// The fives of all subsets of the empty sockets whose size occurs in a solution, for both players
/// and both parities.
pub struct WinTables<'f> {
    /// The layout of the subsets of each size, indexed by size. The layout equals that of the
    /// boards on which only player 0 has placed marbles.
    layouts: Vec<Layout<'f>>,
    /// The lines with the fives. The indices are the player, the size of the subset, and the
    /// parity.
    lines: [Vec<[Vec<Pack>; 2]>; 2],
}

/// Returns the maximum number of marbles that player `p` has placed below the root in the slices 0
/// to `last`. If `answer` is `true`, one more placement is counted for the player who moves in
/// slice `last`.
fn most(p: usize, last: usize, answer: bool, empty: usize) -> usize {
    let add = usize::from(answer && last % 2 == p);
    (counts(last)[p] + add).min(empty)
}

impl<'f> WinTables<'f> {
    /// Returns the size in bytes of the tables for the slices 0 to `last`. `answer` has the same
    /// meaning as in `WinTables::new`.
    pub(super) fn bytes(frame: &'f Frame, last: usize, answer: bool, empty: usize) -> u64 {
        let bytes = |size| 2 * Layout::new(frame, [size, 0]).lines() * size_of::<Pack>() as u64;
        (0..2).flat_map(|p| 0..=most(p, last, answer, empty)).map(bytes).sum()
    }

    /// Computes the tables for the slices 0 to `last`. If `answer` is `true`, the boards of slice
    /// `last` are evaluated one placement ahead. If the settings have one thread, the calling
    /// thread does all the work. Otherwise the threads of the rayon pool share the work.
    pub(super) fn new(
        frame: &'f Frame,
        settings: SolutionSettings,
        root: &ChainRoot,
        last: usize,
        answer: bool,
    ) -> WinTables<'f> {
        let empty = root.empty.len();
        let sizes = [0, 1].map(|p| most(p, last, answer, empty));
        let layouts: Vec<Layout> = (0..=sizes[0].max(sizes[1])).map(|s| Layout::new(frame, [s, 0])).collect();
        let filler = TableFiller::new(frame, settings, root);
        let of = |p: usize| {
            let of_size = |layout: &Layout| filler.tables(root.sets[p], layout);
            threads::map(filler.parallel, layouts[..=sizes[p]].iter().collect(), of_size)
        };
        let lines = threads::join(filler.parallel, || of(0), || of(1)).into();
        WinTables { layouts, lines }
    }

    /// Returns the tables of a player, indexed by size and parity.
    pub(super) fn of_player(&self, player: usize) -> &[[Vec<Pack>; 2]] {
        &self.lines[player]
    }

    /// Locates the arrays that [`WinTables::unit`] returns. Returns the unit that represents all
    /// shifts of the outer cycle, its shape, the shift relative to this unit, and the index of the
    /// first line in the table. Returns `None` if no subset of this size has these sockets.
    #[inline]
    pub(super) fn find(&self, size: usize, high: u32, outer: u8) -> Option<(Unit, &UnitShape, u8, u64)> {
        let layout = &self.layouts[size];
        let (orbit, by) = Orbits::get(1).of[usize::from(outer)];
        let unit = Unit { high: [high, 0], orbit };
        layout.shape(unit).map(|shape| (unit, shape, by, layout.offset(unit)))
    }

    /// Returns the arrays of the subsets of `player` that have `size` elements, including the high
    /// sockets `high` and the sockets `outer` of the outer cycle (four bits). Returns `None` if
    /// there is no such subset.
    #[inline]
    pub(super) fn unit(
        &self,
        player: usize,
        size: usize,
        parity: u8,
        high: u32,
        outer: u8,
    ) -> Option<UnitArrays<'_>> {
        let (_, shape, by, start) = self.find(size, high, outer)?;
        let lines = &self.lines[player][size][usize::from(parity)][start as usize..][..shape.lines as usize];
        Some(UnitArrays { lines, shape, by })
    }
}

/// The arrays of one unit. The unit contains either subsets of one player or boards of a slice.
#[derive(Clone, Copy)]
pub(super) struct UnitArrays<'t> {
    pub lines: &'t [Pack],
    pub shape: &'t UnitShape,
    /// The shift of the outer cycle relative to the least state of its orbit, in steps of one
    /// socket.
    pub by: u8,
}

impl<'t> UnitArrays<'t> {
    /// Returns the array for the state `inner` of the inner cycle, and the shift of the array.
    /// Returns `None` if the unit has no such array. The returned slice extends beyond the end of
    /// the array.
    #[inline]
    pub fn array(&self, inner: CycleState) -> Option<Shifted<'t>> {
        let (at, by) = self.shape.arrays[usize::from(shifted(inner, 4 - self.by))];
        (at != NO_ARRAY).then(|| (&self.lines[at as usize..], (self.by + by) % 4))
    }
}

fn unite(sockets: &[u64], subset: u32) -> u64 {
    sockets.iter().enumerate().filter(|(i, _)| subset >> i & 1 != 0).fold(0, |set, (_, s)| set | s)
}

/// The data for computing the tables of all sizes and of both players.
struct TableFiller<'a> {
    frame: &'a Frame,
    fives: &'static WinMasks,
    passes: Passes,
    parallel: bool,
    /// The set of sockets for each subset of the low sockets. `inner` and `outer` are the
    /// corresponding lists for the two cycles. All three are indexed by the bit mask of the subset.
    low: Vec<u64>,
    inner: Vec<u64>,
    outer: Vec<u64>,
    /// The high sockets, each as a set of one socket.
    high: &'a [u64],
}

impl<'a> TableFiller<'a> {
    fn new(frame: &'a Frame, settings: SolutionSettings, root: &'a ChainRoot) -> TableFiller<'a> {
        let split = frame.split;
        let (low, rest) = root.empty.split_at(split.low);
        let (inner, rest) = rest.split_at(split.inner);
        let (outer, high) = rest.split_at(split.outer);
        let [low, inner, outer] = [low, inner, outer]
            .map(|sockets| (0..1u32 << sockets.len()).map(|subset| unite(sockets, subset)).collect());
        let (fives, passes) = (WinMasks::get(settings.rules.shape), Passes::of(settings.kernel));
        TableFiller { frame, fives, passes, parallel: settings.threads > 1, low, inner, outer, high }
    }

    /// Computes the tables of both parities. Each subset in `layout` is added to the marbles
    /// `of_root`.
    fn tables(&self, of_root: u64, layout: &Layout) -> [Vec<Pack>; 2] {
        let size = layout.lines() as usize;
        let mut both = [vec![Pack::default(); size], vec![Pack::default(); size]];
        let [even, odd] = &mut both;
        let mut rest = [even.as_mut_slice(), odd.as_mut_slice()];
        let mut tasks = Vec::new();
        for index in 0..layout.units() {
            let unit = layout.unrank(index);
            let (Some(shape), Some([count, 0])) = (layout.shape(unit), layout.inner_counts(unit)) else {
                continue;
            };
            let [(even, more_even), (odd, more_odd)] = rest.map(|r| r.split_at_mut(shape.lines as usize));
            tasks.push((unit, shape, count, [even, odd]));
            rest = [more_even, more_odd];
        }
        let run = |(unit, shape, count, lines): (Unit, &UnitShape, usize, [&mut [Pack]; 2])| {
            self.unit(of_root, unit, shape, count, lines);
        };
        threads::map(self.parallel && tasks.len() > 8, tasks, run);
        both
    }

    /// Computes the lines of a unit, for both parities. The subsets have `count` marbles on the
    /// inner cycle and low sockets.
    fn unit(&self, of_root: u64, unit: Unit, shape: &UnitShape, count: usize, mut both: [&mut [Pack]; 2]) {
        let base = of_root | unite(self.high, unit.high[0]);
        let outer = unit.outer();
        for &inner in &Orbits::get(unit.period()).least {
            let (start, _) = shape.arrays[usize::from(inner)];
            if start == NO_ARRAY {
                continue;
            }
            let class = self.frame.low().class(count - marbles(inner)[0], 0);
            for place in 0..CYCLE {
                let of = |part: &[u64], state: CycleState| part[usize::from(shifted(state, place as u8))];
                let set = base | of(&self.outer, outer) | of(&self.inner, inner);
                for (i, board) in class.boards.iter().enumerate() {
                    let masks = self.passes.fives(&self.fives.lines(set | self.low[usize::from(board[0])]));
                    for (lines, mask) in both.iter_mut().zip(masks) {
                        lines[start as usize + i].0[place] = mask;
                    }
                }
            }
        }
    }
}
