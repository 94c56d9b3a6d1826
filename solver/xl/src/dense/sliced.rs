//! All slices of one chain, handed out one after the other: what tables are made of.

use pentago_base::Kernel;
use rayon::prelude::*;

use super::boards::SliceBoards;
use super::numbers::spread_out;
use super::slab::Slab;
use super::{Chain, Dense, DenseError, estimate_below};
use crate::kernel::HalfSuper;
use crate::options::Rules;
use crate::position::Position;
use pentago_base::Control;

/// One slice of one chain.
pub(crate) struct SliceBits<'a> {
    /// Plies below the root.
    pub depth: usize,
    /// Its boards in the order of tables.
    pub halves: &'a [&'a HalfSuper],
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
        let mut slab = Slab::new(self.places).map_err(DenseError::from)?;
        let fives = self.fives()?;
        let mut boards = self.boards(&mut slab, 1);
        for depth in (0..=self.last).rev() {
            self.slice(depth, &[chain], &fives, &mut boards).map_err(DenseError::from)?;
            // What is stored is meant for the seat that moved there.
            let inverted = depth > 0 && !chain.own.has(self.numbers.mover(depth - 1));
            see(SliceBits { depth, halves: &self.sorted(depth, &boards), inverted })?;
        }
        Ok(())
    }

    /// The boards of a slice in the order of tables.
    fn sorted<'b>(&self, depth: usize, boards: &'b SliceBoards) -> Vec<&'b HalfSuper> {
        let numbers = &self.numbers;
        let [_, order] = self.orders(depth);
        let mover = order.mover.index();
        let groups = (0..order.groups).into_par_iter().flat_map_iter(|group| {
            let of = numbers.group(&order, group);
            let left = numbers.left(of.iter().fold(0, |taken, set| taken | set));
            let members = numbers.of_size(order.left, order.counts[mover]);
            (group * order.members..).zip(members).filter_map(move |(board, &set)| {
                let mut of = of;
                of[mover] = spread_out(set, &left);
                Some((numbers.code(&of), boards.half(board, 0)?))
            })
        });
        let mut all: Vec<(u64, &HalfSuper)> = groups.collect();
        all.par_sort_unstable_by_key(|&(code, _)| code);
        all.into_iter().map(|(_, half)| half).collect()
    }
}
