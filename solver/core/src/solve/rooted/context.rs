//! The data that the units, slices and chains of a solution share: the inputs, the rules, and the
//! exchange with other groups of boards.

use super::plan::{Plan, PlannedSlice};
use super::win_tables::{ChainRoot, SolutionSettings, WinTables};
use super::{HalfSlice, SpillStore};
use crate::index::Frame;
use crate::index::rooted::cycles::{Orbits, free, placed};
use crate::index::rooted::layout::{Unit, UnitShape};
use crate::index::rooted::low::Player;
use crate::kernel::{Combine, Leaf, Passes, Turns};
use crate::rules::{Place, Rules};
use pentago_base::Control;

/// The common data of both chains of a solution.
pub(super) struct Chains<'a> {
    pub frame: &'a Frame,
    pub plan: &'a Plan<'a>,
    pub tables: &'a WinTables<'a>,
    pub rules: Rules,
    pub passes: Passes,
    pub root: &'a ChainRoot,
    pub control: &'a Control,
    pub threads: usize,
}

impl<'a> Chains<'a> {
    pub fn new(
        settings: SolutionSettings,
        frame: &'a Frame,
        plan: &'a Plan<'a>,
        tables: &'a WinTables<'a>,
        root: &'a ChainRoot,
        control: &'a Control,
    ) -> Chains<'a> {
        let SolutionSettings { rules, kernel, threads } = settings;
        let passes = Passes::of(kernel);
        Chains { frame, plan, tables, rules, passes, root, control, threads }
    }
}

/// The rule by which the values of a slice's boards are computed.
#[derive(Clone, Copy)]
pub(super) enum SliceRule {
    /// The values follow from the fives on the boards themselves, as in the last slice.
    Leaves(Leaf),
    /// The values follow from the children in the next slice. If there is no next slice, every
    /// child has the stored value `seed`.
    Back { seed: u64 },
}

/// The exchange of one group's slice with other groups: the children to be read, and the result to
/// be stored.
#[derive(Clone, Default)]
pub(super) struct GroupExchange<'a> {
    /// The spill store, or `None` if the group is the whole slice.
    pub spill: Option<&'a dyn SpillStore>,
    /// The half slices with the children whose new marble is on a top socket, one for each free top
    /// socket. Their units have the same shapes as the units of this slice.
    pub children: Vec<HalfSlice>,
    /// The key under which this slice's units are stored in the spill store, or `None` if the slice
    /// isn't stored.
    pub result: Option<HalfSlice>,
}

/// The inputs for the computation of one slice.
pub(super) struct SlicePass<'a> {
    pub chains: &'a Chains<'a>,
    pub slice: &'a PlannedSlice<'a>,
    /// The slice with one more marble, which has been computed already. `None` for the slice that
    /// is computed first.
    pub next: Option<&'a PlannedSlice<'a>>,
    /// The player who moves in this slice.
    pub mover: Player,
    /// The parity of the rotations at which this slice is computed.
    pub parity: u8,
    pub combine: Combine,
    pub kind: SliceRule,
    pub exchange: GroupExchange<'a>,
}

impl SlicePass<'_> {
    /// Returns the turns that lead from a board of this slice to a board of the next slice.
    pub fn turns(&self) -> Turns {
        Turns::of(self.chains.rules, self.parity)
    }

    /// Returns `true` if the values of this slice depend on placements that make five.
    pub fn needs_threats(&self) -> bool {
        self.chains.rules.place == Place::Wins
            && !matches!(self.kind, SliceRule::Leaves(Leaf::Won | Leaf::NotLost | Leaf::NotBehind))
    }

    /// Returns `true` if the values of this slice depend on fives that the mover has already.
    pub fn needs_fives(&self) -> bool {
        match self.kind {
            SliceRule::Leaves(_) => true,
            SliceRule::Back { .. } => {
                self.chains.rules.place == Place::Turn
                    || matches!(self.combine, Combine::Mixed | Combine::AnswerAlone)
            }
        }
    }
}

impl<'a> SlicePass<'a> {
    /// Returns the units of the next slice that have one more marble of the mover on a high socket.
    /// Top sockets are excluded.
    pub fn high_children(&self, unit: Unit) -> impl Iterator<Item = Unit> {
        let Chains { frame, plan, .. } = *self.chains;
        let ours = ((1u64 << (frame.split.high - plan.group.top)) - 1) as u32;
        let (mover, free) = (self.mover, !(unit.high[0] | unit.high[1]) & ours);
        bits(if self.next.is_some() { free } else { 0 }).map(move |bit| {
            let mut child = unit;
            child.high[mover] |= bit;
            child
        })
    }

    /// Returns the units of the next slice that have one more marble of the mover on the outer
    /// cycle. Each item is the unit that represents all shifts of the cycle, its shape, and the
    /// shift of the child relative to this unit.
    pub fn outer_children(&self, unit: Unit) -> impl Iterator<Item = (Unit, &'a UnitShape, u8)> {
        let (mover, next, state) = (self.mover, self.next, unit.outer());
        bits(u32::from(free(state, self.chains.frame.split.outer))).filter_map(move |bit| {
            let (orbit, by) = Orbits::get(1).of[usize::from(placed(state, mover, bit as u8))];
            let child = Unit { orbit, ..unit };
            next?.layout.shape(child).map(|shape| (child, shape, by))
        })
    }

    /// Returns the sockets of a player in a unit: the set of high sockets, and the set of sockets
    /// of the outer cycle.
    pub fn sets(&self, unit: Unit, player: Player) -> (u32, u8) {
        (unit.high[player], unit.outer() >> (4 * player) & 15)
    }

    /// Returns the mover's [sets](SlicePass::sets) after one more placement, on each free high
    /// socket and on each free socket of the outer cycle.
    pub fn grown_sets(&self, unit: Unit) -> impl Iterator<Item = (u32, u8)> {
        let split = self.chains.frame.split;
        let (high, outer) = self.sets(unit, self.mover);
        let free_high = !(unit.high[0] | unit.high[1]) & ((1u64 << split.high) - 1) as u32;
        let free_outer = u32::from(free(unit.outer(), split.outer));
        let by_high = bits(free_high).map(move |bit| (high | bit, outer));
        by_high.chain(bits(free_outer).map(move |bit| (high, outer | bit as u8)))
    }
}

/// Returns the elements of a set in ascending order, each as a set of one element.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}
