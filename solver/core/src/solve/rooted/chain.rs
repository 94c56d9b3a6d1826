//! One chain of a rooted solution: the wins of one player, from the last slice back to the root.
//!
//! Let W_c(b) be the rotations at which colour c has five in a row on board b. Let m be the player
//! to move, and n the other player:
//!
//! ```text
//! m wins at b:          not W_n and (P_m or rmax(OR of "n doesn't avoid it" over the children))
//! m doesn't lose at b:  the same, but a board where both have five is a draw
//! ```
//!
//! Here `P_m(b)` is the union of W_m(b + e) over all placements e. With `place=turn` a five counts
//! only after the turn, so `P_m(b)` is just W_m(b). The questions "does player 0 win" and "does
//! player 1 win" are thus two independent chains of single bits. A board stores "doesn't win" if
//! the chain's player moves, and "wins" if the opponent moves. In both cases the stored bit is the
//! failure of the mover, so the parents of the board compute a union of stored bits. Rule options
//! change only the terminal masks and the set of turns ([`Combine`], [`leaf`]).

use super::context::{Chains, GroupExchange, SlicePass, SliceRule};
use super::plan::PlannedSlice;
use crate::index::rooted::cycles::{Orbits, shifted};
use crate::index::rooted::layout::Unit;
use crate::index::rooted::low::Player;
use crate::index::{Frame, Layout};
use crate::kernel::{Arena, Combine, Leaf};
use crate::rules::{Both, Last, Reply, Rules};
use crate::solve::SolveError;
use crate::supers::Half;

/// The result of one chain at its upper end: the rotations at which the chain's player wins, for
/// the root and for every board of slice 1.
#[derive(Clone, Debug)]
pub(crate) struct ChainTop {
    pub root: Half,
    /// The wins of the boards of slice 1, indexed by the empty socket that holds the new marble, in
    /// the order of [`ChainRoot::empty`](super::win_tables::ChainRoot::empty).
    pub children: Vec<Half>,
}

/// The upper ends of both chains, and the number of boards that each chain computes.
pub(crate) type ChainTops = ([ChainTop; 2], u64);

/// Converts the stored bits of a board to the wins of the chain's player, or the wins to stored
/// bits. The board is `plies` plies below the root. If the chain's player moves, the stored bits
/// mean "doesn't win", otherwise "wins".
pub(super) fn wins(stored: Half, plies: usize, chain: Player) -> Half {
    if plies % 2 == chain { !stored } else { stored }
}

/// Returns the rule that evaluates the boards of the last slice. `own` is `true` if the chain's
/// player moves in this slice. `full` is `true` if the boards have no free socket.
fn leaf(rules: Rules, own: bool, full: bool) -> Leaf {
    match (own, rules.both, rules.reply == Reply::Place && !full) {
        (true, _, _) => Leaf::Won,
        (false, Both::Draw, false) => Leaf::NotLost,
        (false, Both::Mover, false) => Leaf::NotBehind,
        (false, Both::Draw, true) => Leaf::NotUnanswered,
        (false, Both::Mover, true) => Leaf::NotUnansweredNorBoth,
    }
}

/// Returns `true` if the boards of the last slice are evaluated one placement ahead, because the
/// rules allow a reply to a line.
pub(super) fn leaves_answer(rules: Rules, last: usize, empty: usize) -> bool {
    rules.reply == Reply::Place && last < empty
}

/// Returns the number of plies of the slice that is computed first. This is the last slice, except
/// if `last=stop` ends the game with the placement on the last socket. In this case, the first
/// slice consists of the boards with one free socket.
pub(super) fn first_slice(rules: Rules, plies: usize, empty: usize) -> usize {
    if stops(rules, plies, empty) { empty - 1 } else { plies }
}

fn stops(rules: Rules, plies: usize, empty: usize) -> bool {
    rules.last == Last::Stop && plies == empty && empty > 0
}

impl Chains<'_> {
    /// Computes the chain of player `chain` in `arena`, up to `plies` plies below the root. The
    /// plan must cover all boards of the solution.
    pub fn run(&self, chain: Player, plies: usize, arena: &mut Arena) -> Result<ChainTop, SolveError> {
        let empty = self.root.empty.len();
        let mut top = ChainTop { root: Half::NONE, children: Vec::new() };
        let mut next = None;
        for slice in self.plan.slices.iter().rev() {
            self.pass(chain, plies, slice, next, GroupExchange::default()).run(arena)?;
            next = Some(slice);
            let wins = |(line, place): (u64, u8)| {
                wins(arena.line(slice.base + line).0[usize::from(place)], slice.plies, chain)
            };
            match slice.plies {
                0 => top.root = wins((0, 0)),
                1 => {
                    let places = (0..empty).map(|i| child_place(self.frame, &slice.layout, i));
                    top.children = places.map(wins).collect();
                }
                _ => {}
            }
        }
        Ok(top)
    }

    /// Returns the inputs for computing `slice` from the slice `next`, in the chain of player
    /// `chain`.
    pub fn pass<'a>(
        &'a self,
        chain: Player,
        plies: usize,
        slice: &'a PlannedSlice<'a>,
        next: Option<&'a PlannedSlice<'a>>,
        exchange: GroupExchange<'a>,
    ) -> SlicePass<'a> {
        let empty = self.root.empty.len();
        let k = slice.plies;
        let mover = k % 2;
        let own = mover == chain;
        let kind = if k < first_slice(self.rules, plies, empty) {
            SliceRule::Back { seed: 0 }
        } else if stops(self.rules, plies, empty) {
            // The last placement is not followed by a turn, so no turn can win.
            SliceRule::Back { seed: if own { 0 } else { !0 } }
        } else {
            SliceRule::Leaves(leaf(self.rules, own, k == empty))
        };
        SlicePass {
            chains: self,
            slice,
            next,
            mover,
            parity: self.root.parity ^ (k % 2) as u8,
            combine: Combine::of(self.rules, own),
            kind,
            exchange,
        }
    }
}

/// Returns the location of the board of slice 1 whose new marble is on empty socket `i`: the line,
/// and the index in the line.
pub(super) fn child_place(frame: &Frame, layout: &Layout, i: usize) -> (u64, u8) {
    let split = frame.split;
    let inner_from = split.low;
    let outer_from = inner_from + split.inner;
    let high_from = outer_from + split.outer;
    // Returns socket i as a bit mask of the sockets `from..to`, or 0 if socket i is not in this
    // range.
    let part = |from: usize, to: usize| if (from..to).contains(&i) { 1u32 << (i - from) } else { 0 };
    let (orbit, outer_by) = Orbits::get(1).of[part(outer_from, high_from) as usize];
    let unit = Unit { high: [part(high_from, usize::MAX), 0], orbit };
    let shape = layout.shape(unit).expect("the slice has this unit");
    let inner = shifted(part(inner_from, outer_from) as u8, 4 - outer_by);
    let (array, inner_by) = shape.arrays[usize::from(inner)];
    let line = if i < inner_from {
        let class = frame.low().class(1, 0);
        class.boards.iter().position(|b| b[0] == 1 << i).expect("the class has this board")
    } else {
        0
    };
    (layout.offset(unit) + u64::from(array) + line as u64, (outer_by + inner_by) % 4)
}
