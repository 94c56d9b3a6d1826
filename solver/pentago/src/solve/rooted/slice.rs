//! One slice of a chain: its units, handed out in order to all threads, each written over what nobody reads any more.

#![allow(unsafe_code)]

use super::chain::Chains;
use super::plan::PlannedSlice;
use super::unit::{UnitBuffers, UnitPass};
use super::{HalfSlice, SpillStore};
use crate::index::rooted::low::Player;
use crate::kernel::{Combine, Leaf, Pack};
use crate::solve::{Cancelled, Stopped};
use std::sync::atomic::{AtomicU64, Ordering};

/// Slices with fewer boards are not worth waking other threads for.
const SERIAL_BOARDS: u64 = 50_000;

/// How the boards of a slice are computed.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// From themselves.
    Leaves(Leaf),
    /// From the next slice. Where there is none, `seed` stands for every child.
    Back { seed: u64 },
}

/// The memory that all slices lie in.
#[derive(Clone, Copy)]
pub(super) struct ArenaPtr(pub *mut Pack);
// SAFETY: threads write disjoint units, and read only what nobody writes (see `SlicePass::wait`).
unsafe impl Send for ArenaPtr {}
unsafe impl Sync for ArenaPtr {}

/// What a slice of one group gets from other groups of the next slice, and leaves for others.
#[derive(Clone, Default)]
pub(super) struct Exchange<'a> {
    /// Where it is exchanged; none where the group is everything.
    pub spill: Option<&'a dyn SpillStore>,
    /// The children by the free top sockets. Their units are just like those of this slice.
    pub children: Vec<HalfSlice>,
    /// What this slice's units are put by as.
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
    pub arena: ArenaPtr,
    /// What is exchanged with other groups.
    pub exchange: Exchange<'a>,
    /// Units handed out so far, in order.
    pub claimed: AtomicU64,
}

impl SlicePass<'_> {
    /// Computes the slice.
    pub fn run(&self) -> Result<(), Stopped> {
        let serial = self.chains.threads == 1 || self.slice.layout.boards() < SERIAL_BOARDS;
        if serial {
            self.work(0, &[AtomicU64::new(0)])
        } else {
            let threads = rayon::current_num_threads();
            let reading: Vec<AtomicU64> = (0..threads).map(|_| AtomicU64::new(0)).collect();
            rayon::broadcast(|context| self.work(context.index(), &reading)).into_iter().collect()
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

    /// Takes units in order until there are none left. `reading[t]`: thread t reads nothing of the next slice
    /// below this offset any more.
    fn work(&self, thread: usize, reading: &[AtomicU64]) -> Result<(), Stopped> {
        let _done = Done(&reading[thread]);
        let mut scratch = UnitBuffers::new();
        let units = self.slice.layout.units();
        loop {
            // The own entry in `reading` is that of an earlier unit until the new one is known: too careful, never too bold.
            let index = self.claimed.fetch_add(1, Ordering::Relaxed);
            if index >= units {
                break;
            }
            if self.chains.control.is_cancelled() {
                return Err(Cancelled.into());
            }
            let unit = self.slice.layout.unrank(index);
            if let Some(next) = self.next {
                reading[thread].store(next.base + next.layout.offset(unit), Ordering::Release);
            }
            let shape = self.slice.layout.shape(unit).expect("the slice has this unit");
            let start = self.slice.base + self.slice.layout.offset(unit);
            self.wait(start + shape.lines, thread, reading)?;
            scratch.fetch(&self.exchange, index, shape.lines as usize)?;
            UnitPass::new(self, unit, shape, start, &scratch).run(&mut scratch);
            if let (Some(spill), Some(result)) = (self.exchange.spill, self.exchange.result) {
                // SAFETY: this thread has just written the unit, and the next slice isn't computed before all have.
                let lines = unsafe {
                    std::slice::from_raw_parts(self.arena.0.add(start as usize), shape.lines as usize)
                };
                spill.put(result, index, lines)?;
            }
            self.chains.control.add(shape.boards);
        }
        self.chains.kernel.fence();
        Ok(())
    }

    /// Waits until nobody reads the part of the next slice below `end`.
    fn wait(&self, end: u64, thread: usize, reading: &[AtomicU64]) -> Result<(), Stopped> {
        if self.next.is_none() {
            return Ok(());
        }
        let mut rounds = 0u32;
        for (other, at) in reading.iter().enumerate() {
            while other != thread && at.load(Ordering::Acquire) < end {
                rounds += 1;
                if rounds.is_multiple_of(64) {
                    std::thread::yield_now();
                    if self.chains.control.is_cancelled() {
                        return Err(Cancelled.into());
                    }
                }
                std::hint::spin_loop();
            }
        }
        Ok(())
    }
}
/// Marks a thread's reading as over when it leaves, however it leaves, so that nobody waits for it.
struct Done<'a>(&'a AtomicU64);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(u64::MAX, Ordering::Release);
    }
}
