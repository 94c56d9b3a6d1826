//! One slice of a chain: its units are handed out in order to all threads, and overwrite units of
//! the next slice that are no longer read.

use super::chain::Chains;
use super::plan::PlannedSlice;
use super::unit::{Fetched, UnitBuffers, UnitPass};
use super::{HalfSlice, SpillStore};
use crate::index::rooted::low::Player;
use crate::kernel::{Arena, ArenaWorker, Combine, Leaf, NOTHING, UnitLines};
use crate::solve::SolveError;
use crate::threads;
use pentago_base::Stopped;

/// Slices with fewer boards aren't worth waking other threads (`bench/README.md#threads`).
const SERIAL_BOARDS: u64 = 50_000;

/// Slices with fewer cache lines (16 MB) stay in the caches until they are read.
const CACHED_LINES: u64 = 1 << 18;

/// How the boards of a slice are computed.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// From themselves.
    Leaves(Leaf),
    /// From the next slice; if there is none, `seed` is used for every child.
    Back { seed: u64 },
}

/// The exchange of a slice of one group with other groups: what it reads of the next slice, and
/// stores for others.
#[derive(Clone, Default)]
pub(super) struct Exchange<'a> {
    /// The spill store; none if the group is the whole slice.
    pub spill: Option<&'a dyn SpillStore>,
    /// The children by the free top sockets. Their units have the same shapes as those of this
    /// slice.
    pub children: Vec<HalfSlice>,
    /// The name under which the units of this slice are stored.
    pub result: Option<HalfSlice>,
}

/// The computation of one slice.
pub(super) struct SlicePass<'a> {
    pub chains: &'a Chains<'a>,
    pub slice: &'a PlannedSlice<'a>,
    /// The slice with one marble more, which has been computed.
    pub next: Option<&'a PlannedSlice<'a>>,
    /// Who moves in this slice.
    pub mover: Player,
    /// The parity of the rotations at which it is met.
    pub parity: u8,
    pub combine: Combine,
    pub kind: Kind,
    /// What is exchanged with other groups.
    pub exchange: Exchange<'a>,
}

impl SlicePass<'_> {
    /// Computes the slice in `arena`, over the next one.
    pub fn run(&self, arena: &mut Arena) -> Result<(), SolveError> {
        let layout = &self.slice.layout;
        let serial = self.chains.threads == 1 || layout.boards() < SERIAL_BOARDS;
        let workers = if serial { 1 } else { threads::count().get() };
        let streaming = layout.lines() >= CACHED_LINES && self.exchange.result.is_none();
        let pass = arena.pass(self.slice.base, layout.units(), workers, streaming);
        if serial {
            pass.work(|worker| self.work(worker))
        } else {
            threads::broadcast(|| pass.work(|worker| self.work(worker))).into_iter().collect()
        }
    }

    /// Whether the values depend on the placements that make five.
    pub fn needs_threats(&self) -> bool {
        !matches!(self.kind, Kind::Leaves(Leaf::Won | Leaf::NotLost | Leaf::NotBehind))
    }

    /// Whether the values depend on the fives that the mover has already.
    pub fn needs_fives(&self) -> bool {
        match self.kind {
            Kind::Leaves(_) => true,
            Kind::Back { .. } => matches!(self.combine, Combine::Mixed | Combine::AnswerAlone),
        }
    }

    /// Takes units in order until there are none left.
    fn work(&self, worker: &mut ArenaWorker) -> Result<(), SolveError> {
        let (layout, control) = (&self.slice.layout, self.chains.control);
        let mut buffers = UnitBuffers::new();
        let mut fetched = Fetched::default();
        loop {
            let mut claimed = None;
            let claim = worker.claim(|index| {
                let unit = layout.unrank(index);
                let shape = layout.shape(unit).expect("the slice has this unit");
                claimed = Some((unit, shape));
                // Units by more marbles, and this one itself, come later in the next slice.
                let floor = self.next.map_or(NOTHING, |next| next.base + next.layout.offset(unit));
                UnitLines { lines: shape.lines, floor }
            });
            let (Some(claim), Some((unit, shape))) = (claim, claimed) else { return Ok(()) };
            debug_assert_eq!(claim.start(), self.slice.base + layout.offset(unit));
            control.check()?;
            let index = claim.unit();
            let Some((next, mut out)) = claim.wait(|| control.is_cancelled()) else {
                return Err(Stopped.into());
            };
            fetched.fetch(&self.exchange, index, shape.lines)?;
            UnitPass::new(self, unit, shape, next, &fetched).run(&mut out, &mut buffers);
            if let (Some(spill), Some(result)) = (self.exchange.spill, self.exchange.result) {
                spill.put(result, index, out.into_lines())?;
            }
            control.add(shape.boards);
        }
    }
}
