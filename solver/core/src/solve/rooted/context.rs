//! The data that the units, slices and chains of a solution share: the inputs, the rules and the
//! exchange with other groups.

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

/// The rule by which the boards of a slice are computed.
#[derive(Clone, Copy)]
pub(super) enum SliceRule {
    /// From the boards themselves.
    Leaves(Leaf),
    /// From the next slice. If there is no next slice, every child has the value `seed`.
    Back { seed: u64 },
}

/// The exchange of a slice of one group with other groups: the children to be read, and the result
/// to be stored.
#[derive(Clone, Default)]
pub(super) struct GroupExchange<'a> {
    /// The spill store, or `None` if the group is the whole slice.
    pub spill: Option<&'a dyn SpillStore>,
    /// The children by the free top sockets. Their units have the same shapes as the units of this
    /// slice.
    pub children: Vec<HalfSlice>,
    /// The key of this slice's units in the spill store, or `None` if the slice isn't stored.
    pub result: Option<HalfSlice>,
}

/// The computation of one slice.
pub(super) struct SlicePass<'a> {
    pub chains: &'a Chains<'a>,
    pub slice: &'a PlannedSlice<'a>,
    /// The slice with one marble more, which must be computed already.
    pub next: Option<&'a PlannedSlice<'a>>,
    /// The player who moves in this slice.
    pub mover: Player,
    /// The parity of the slice's rotations.
    pub parity: u8,
    pub combine: Combine,
    pub kind: SliceRule,
    pub exchange: GroupExchange<'a>,
}

impl SlicePass<'_> {
    /// Returns the turns that lead from this slice to the next slice.
    pub fn turns(&self) -> Turns {
        Turns::of(self.chains.rules, self.parity)
    }

    /// Returns `true` if the values depend on the placements that make five.
    pub fn needs_threats(&self) -> bool {
        self.chains.rules.place == Place::Wins
            && !matches!(self.kind, SliceRule::Leaves(Leaf::Won | Leaf::NotLost | Leaf::NotBehind))
    }

    /// Returns `true` if the values depend on the mover's present fives.
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
    /// Returns the units of the next slice with one more marble of the mover on a high socket.
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

    /// Returns the units of the next slice with one more marble of the mover on the outer cycle:
    /// the unit with the least state, its shape, and the shift relative to that state.
    pub fn outer_children(&self, unit: Unit) -> impl Iterator<Item = (Unit, &'a UnitShape, u8)> {
        let (mover, next, state) = (self.mover, self.next, unit.outer());
        bits(u32::from(free(state, self.chains.frame.split.outer))).filter_map(move |bit| {
            let (orbit, by) = Orbits::get(1).of[usize::from(placed(state, mover, bit as u8))];
            let child = Unit { orbit, ..unit };
            next?.layout.shape(child).map(|shape| (child, shape, by))
        })
    }

    /// Returns the high sockets and the sockets of the outer cycle of a player in a unit.
    pub fn sets(&self, unit: Unit, player: Player) -> (u32, u8) {
        (unit.high[player], unit.outer() >> (4 * player) & 15)
    }

    /// Returns the [sets](SlicePass::sets) of the mover with one more high socket or one more
    /// socket of the outer cycle.
    pub fn grown_sets(&self, unit: Unit) -> impl Iterator<Item = (u32, u8)> {
        let split = self.chains.frame.split;
        let (high, outer) = self.sets(unit, self.mover);
        let free_high = !(unit.high[0] | unit.high[1]) & ((1u64 << split.high) - 1) as u32;
        let free_outer = u32::from(free(unit.outer(), split.outer));
        let by_high = bits(free_high).map(move |bit| (high | bit, outer));
        by_high.chain(bits(free_outer).map(move |bit| (high, outer | bit as u8)))
    }
}

/// Returns the elements of a set, from the lowest, each as a set of one element.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}
