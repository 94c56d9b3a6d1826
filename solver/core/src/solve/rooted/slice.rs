//! Computes one slice of a chain. The threads claim the units of the slice in order. The results
//! overwrite units of the next slice that no thread reads any more.

use super::context::SlicePass;
use super::unit::{UnitBuffers, UnitPass, fetch};
use crate::kernel::{Arena, ArenaWorker, NOTHING, UnitLines};
use crate::solve::SolveError;
use crate::threads;
use pentago_base::Stopped;

/// The minimum number of boards at which several threads compute a slice
/// (`bench/README.md#threads`).
const SERIAL_BOARDS: u64 = 50_000;

/// The maximum number of cache lines (16 MB in total) of a slice that stays in the caches until the
/// next step reads the slice.
const CACHED_LINES: u64 = 1 << 18;

impl SlicePass<'_> {
    /// Computes the slice in `arena`, where it overwrites the next slice.
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

    /// Claims and computes units in order until no unit is left.
    fn work(&self, worker: &mut ArenaWorker) -> Result<(), SolveError> {
        let (layout, control) = (&self.slice.layout, self.chains.control);
        let mut buffers = UnitBuffers::new();
        let mut fetched = Vec::new();
        loop {
            let mut claimed = None;
            let claim = worker.claim(|index| {
                let unit = layout.unrank(index);
                let shape = layout.shape(unit).expect("the slice has this unit");
                claimed = Some((unit, shape));
                // All children of a unit lie at or after `floor`, the offset at which the same unit
                // lies in the next slice.
                let floor = self.next.map_or(NOTHING, |next| next.base + next.layout.offset(unit));
                UnitLines { lines: shape.lines, floor }
            });
            let (Some(claim), Some((unit, shape))) = (claim, claimed) else { return Ok(()) };
            debug_assert_eq!(claim.lines.start, self.slice.base + layout.offset(unit));
            control.check()?;
            let index = claim.lines.unit;
            let Some((next, mut out)) = claim.wait(|| control.is_cancelled()) else {
                return Err(Stopped.into());
            };
            fetch(&mut fetched, &self.exchange, index, shape.lines)?;
            UnitPass::new(self, unit, shape, next, &fetched).run(&mut out, &mut buffers);
            if let (Some(spill), Some(result)) = (self.exchange.spill, self.exchange.result) {
                spill.put(result, index, out.into_lines())?;
            }
            control.add(shape.boards);
        }
    }
}
