//! The output of a dense solution for tables: the slices of one chain, with the boards in the order
//! of tables.

use rayon::prelude::*;

use super::boards::SliceBoards;
use super::numbers::spread_out;
use super::slab::{DenseError, Slab};
use super::{Chain, Dense};
use crate::kernel::HalfSuper;

impl Dense<'_> {
    /// Computes a chain and passes each slice to `see`, from the last slice to the root. The
    /// arguments of `see` are the number of plies from the root to the slice, the half super of
    /// each board in the order of tables, and a flag. The flag is `true` if the bits are inverted.
    pub fn each_slice<E: From<DenseError>>(
        &self,
        chain: Chain,
        mut see: impl FnMut(usize, &[&HalfSuper], bool) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut slab = Slab::new(self.room).map_err(DenseError::from)?;
        let fives = self.fives()?;
        let mut boards = self.boards(&mut slab, 1);
        for depth in (0..=self.last).rev() {
            self.slice(depth, &[chain], &fives, &mut boards).map_err(DenseError::from)?;
            // A stored bit is true if the answer favours the seat that moved to the board. If this
            // seat is not on the chain's side, the bit is therefore the inverse of the chain's
            // answer.
            let inverted = depth > 0 && !chain.own.has(self.numbers.mover(depth - 1));
            see(depth, &self.sorted(depth, &boards), inverted)?;
        }
        Ok(())
    }

    /// Returns the half super of each board of a slice, in the order of tables.
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
