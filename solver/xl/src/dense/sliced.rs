//! All slices of one chain, handed out one after the other: what tables are made of.

use super::index::Slice;
use super::slab::Slab;
use super::{Chain, Dense, DenseError, board_count, estimate_below};
use crate::control::Control;
use crate::kernel::{Half, Kernel};
use crate::options::Rules;
use crate::position::Position;

/// One slice of one chain.
pub(crate) struct SliceBits<'a> {
    /// Plies below the root.
    pub depth: usize,
    /// Its boards, in ascending order of their numbers.
    pub halves: &'a [Half],
    /// Whether the bits say the opposite of what the chain asks.
    pub inverted: bool,
}

impl<'a> Dense<'a> {
    /// A solution to come of all plies below a position, however its blocks are turned: at the
    /// rotations of the root with this parity of turns, 0 or 1.
    pub fn below(
        rules: &Rules,
        root: &Position,
        phase: usize,
        kernel: Kernel,
        control: &'a Control,
    ) -> Result<Dense<'a>, DenseError> {
        let estimate = estimate_below(rules, root, None).ok_or(DenseError::Unfit)?;
        let dense = Dense::with(rules, root, None, kernel, control, estimate)?;
        Ok(Dense { phase: phase % 2, ..dense })
    }

    /// Computes a chain, and hands out its slices from the last one back; at most `memory` bytes
    /// are used.
    pub fn each_slice<E: From<DenseError>>(
        &self,
        chain: Chain,
        memory: u64,
        see: &mut dyn FnMut(SliceBits) -> Result<(), E>,
    ) -> Result<(), E> {
        let needed = self.estimate.least_bytes();
        if needed > memory {
            return Err(DenseError::Memory { needed, limit: memory }.into());
        }
        let boards = |depth: usize| board_count(self.index.sockets.len(), &self.index.counts(depth)) as usize;
        let most = |parity: usize| (parity..=self.last).step_by(2).map(boards).max().unwrap_or(0);
        let slab = |parity: usize| -> Result<[Slab; 1], DenseError> { Ok([Slab::new(most(parity))?]) };
        let [mut even, mut odd] = [slab(0)?, slab(1)?];
        let mut next_slice: Option<Slice> = None;
        for depth in (0..=self.last).rev() {
            let slice = self.index.slice(depth);
            let (these, next) = if depth % 2 == 0 { (&mut even, &odd) } else { (&mut odd, &even) };
            self.slice(&slice, next_slice.as_ref(), &[chain], these, next)?;
            // What is stored is meant for the seat that moved there.
            let inverted = depth > 0 && !chain.own.has(self.index.mover(depth - 1));
            see(SliceBits { depth, halves: &these[0].halves()[..boards(depth)], inverted })?;
            next_slice = Some(slice);
        }
        Ok(())
    }
}
