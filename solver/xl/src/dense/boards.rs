//! The memory of one slice, and the batches of it that threads take and return.
//!
//! The boards of a slice have half supers, one for each chain, in memory that one owner may write.
//! A thread that has read a board of the later slice returns that board's memory as spare memory.
//! The earlier slice is written to spare memory. So a slice replaces the later slice in nearly the
//! same memory, and the location of each board differs from run to run.

use std::ops::Range;

use crate::kernel::HalfSuper;

/// The largest number of threads that compute a slice. Each thread needs spare memory.
pub(super) const MOST_THREADS: usize = 64;

/// The least number of boards that one thread takes at a time.
const BOARDS_AT_ONCE: usize = 64;

/// Returns the number of groups of `members` boards that one thread takes at a time.
pub(super) fn groups_at_once(members: usize) -> usize {
    BOARDS_AT_ONCE.div_ceil(members.max(1))
}

/// The memory of the boards of one slice, and of the earlier slice while that is computed.
pub(super) struct SliceBoards<'m> {
    /// The memory of each board, by board number. `None` once a thread has taken the board.
    slice: Vec<Option<&'m mut [HalfSuper]>>,
    /// The memory of each board of the earlier slice, by board number. `None` until it is computed.
    made: Vec<Option<&'m mut [HalfSuper]>>,
    /// Memory that holds no board.
    spare: Vec<&'m mut [HalfSuper]>,
    /// The groups of the earlier slice that no thread has taken.
    groups: Range<usize>,
}

/// A batch of groups that one thread computes.
pub(super) struct GroupBatch<'m> {
    pub groups: Range<usize>,
    /// The boards of the later slice from which the groups are computed, group by group.
    pub read: Vec<Option<&'m mut [HalfSuper]>>,
    /// The memory for the computed boards.
    pub made: Vec<&'m mut [HalfSuper]>,
    /// The number of each computed board, in the order of `made`.
    pub numbers: Vec<usize>,
}

impl<'m> SliceBoards<'m> {
    /// Makes a slice without boards.
    pub fn new(spare: Vec<&'m mut [HalfSuper]>) -> SliceBoards<'m> {
        SliceBoards { slice: Vec::new(), made: Vec::new(), spare, groups: 0..0 }
    }

    /// Returns the half super of a board for a chain, or `None` if there is no such board.
    pub fn half(&self, board: usize, chain: usize) -> Option<&HalfSuper> {
        self.slice.get(board)?.as_deref()?.get(chain)
    }

    /// Starts the earlier slice, which has `groups` groups of `members` boards.
    pub fn begin(&mut self, groups: usize, members: usize) {
        self.groups = 0..groups;
        self.made.resize_with(groups * members, || None);
    }

    /// Takes the next batch: `read` boards of the later slice and memory for `made` boards per
    /// group. Returns `None` once every group is taken.
    pub fn take(&mut self, read: usize, made: usize) -> Option<GroupBatch<'m>> {
        let count = groups_at_once(made).min(self.groups.len());
        if count == 0 {
            return None;
        }
        let groups = self.groups.start..self.groups.start + count;
        self.groups.start = groups.end;
        let later = &mut self.slice[groups.start * read..groups.end * read];
        let read = later.iter_mut().map(Option::take).collect();
        // The estimate includes spare memory for the largest slice and a batch of each thread.
        let wanted = count * made;
        assert!(wanted <= self.spare.len(), "no memory for {wanted} boards");
        let made = self.spare.split_off(self.spare.len() - wanted);
        Some(GroupBatch { groups, read, made, numbers: Vec::with_capacity(wanted) })
    }

    /// Stores the computed boards of a batch. The memory of the boards that were read becomes
    /// spare.
    pub fn put(&mut self, batch: GroupBatch<'m>) {
        self.spare.extend(batch.read.into_iter().flatten());
        for (number, memory) in batch.numbers.into_iter().zip(batch.made) {
            self.made[number] = Some(memory);
        }
    }

    /// Replaces the slice with the earlier slice, which is complete.
    pub fn end(&mut self) {
        self.slice = std::mem::take(&mut self.made);
    }
}
