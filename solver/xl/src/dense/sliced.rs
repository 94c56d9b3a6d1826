//! All slices of one chain, handed out one after the other: what tables are made of.

use super::index::Slice;
use super::slab::Slab;
use super::{Chain, Dense, DenseError, estimate_below};
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
        let mut slab = [Slab::new(self.layout.boards).map_err(DenseError::from)?];
        let fives = self.fives()?;
        let mut next: Option<Slice> = None;
        for depth in (0..=self.last).rev() {
            let slice = self.index.slice(depth);
            self.slice(&slice, next.as_ref(), &[chain], &fives, &mut slab)?;
            // What is stored is meant for the seat that moved there.
            let inverted = depth > 0 && !chain.own.has(self.index.mover(depth - 1));
            see(SliceBits { depth, halves: self.halves(&slice, &slab[0]), inverted })?;
            next = Some(slice);
        }
        Ok(())
    }
}
