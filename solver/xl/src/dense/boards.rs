//! The memory of one slice, and the batches of boards that threads take from it and return to it.
//!
//! A board has one half super for each chain. The memory of a board has one owner at a time, and
//! only the owner may write to it. A thread reads a board of the later slice, then returns the
//! memory of this board as spare memory. The boards of the earlier slice are written to spare
//! memory. The earlier slice therefore needs little more memory than the later slice, and the
//! location of each board differs from run to run.

use std::ops::Range;

use crate::kernel::HalfSuper;

/// The largest number of threads that compute a slice. The limit bounds the spare memory, because
/// each thread needs spare memory.
pub(super) const MOST_THREADS: usize = 64;

/// The least number of boards in the batch that one thread takes at a time.
const BOARDS_AT_ONCE: usize = 64;

/// Returns the number of groups in the batch that one thread takes at a time. Each group has
/// `members` boards.
pub(super) fn groups_at_once(members: usize) -> usize {
    BOARDS_AT_ONCE.div_ceil(members.max(1))
}

/// The memory of all boards of one slice, and of the earlier slice while threads compute the
/// earlier slice.
pub(super) struct SliceBoards<'m> {
    /// The memory of each board of the slice, indexed by board number. `None` once a thread has
    /// taken the board.
    slice: Vec<Option<&'m mut [HalfSuper]>>,
    /// The memory of each board of the earlier slice, indexed by board number. `None` until the
    /// board is computed.
    made: Vec<Option<&'m mut [HalfSuper]>>,
    /// Memory for boards that currently holds no board.
    spare: Vec<&'m mut [HalfSuper]>,
    /// The indices of the groups of the earlier slice that no thread has taken yet.
    groups: Range<usize>,
}

/// A batch of groups that one thread computes at a time.
pub(super) struct GroupBatch<'m> {
    pub groups: Range<usize>,
    /// The boards of the later slice from which this batch is computed, sorted by group.
    pub read: Vec<Option<&'m mut [HalfSuper]>>,
    /// The memory to which the computed boards are written.
    pub made: Vec<&'m mut [HalfSuper]>,
    /// The board number of each computed board, in the order of `made`.
    pub numbers: Vec<usize>,
}

impl<'m> SliceBoards<'m> {
    /// Creates an empty slice, with `spare` as memory for the boards to compute.
    pub fn new(spare: Vec<&'m mut [HalfSuper]>) -> SliceBoards<'m> {
        SliceBoards { slice: Vec::new(), made: Vec::new(), spare, groups: 0..0 }
    }

    /// Returns the half super of a board for the chain with index `chain`. Returns `None` if the
    /// slice has no such board.
    pub fn half(&self, board: usize, chain: usize) -> Option<&HalfSuper> {
        self.slice.get(board)?.as_deref()?.get(chain)
    }

    /// Starts the computation of the earlier slice, which has `groups` groups of `members` boards.
    pub fn begin(&mut self, groups: usize, members: usize) {
        self.groups = 0..groups;
        self.made.resize_with(groups * members, || None);
    }

    /// Takes the next batch of groups. For each group, the batch has `read` boards of the later
    /// slice, and memory for `made` boards of the earlier slice. Returns `None` if all groups are
    /// taken.
    pub fn take(&mut self, read: usize, made: usize) -> Option<GroupBatch<'m>> {
        let count = groups_at_once(made).min(self.groups.len());
        if count == 0 {
            return None;
        }
        let groups = self.groups.start..self.groups.start + count;
        self.groups.start = groups.end;
        let later = &mut self.slice[groups.start * read..groups.end * read];
        let read = later.iter_mut().map(Option::take).collect();
        // The estimate of the memory includes spare memory for the largest slice, and for one batch
        // per thread.
        let wanted = count * made;
        assert!(wanted <= self.spare.len(), "no memory for {wanted} boards");
        let made = self.spare.split_off(self.spare.len() - wanted);
        Some(GroupBatch { groups, read, made, numbers: Vec::with_capacity(wanted) })
    }

    /// Stores the computed boards of a batch. The memory of the boards in `batch.read` becomes
    /// spare memory.
    pub fn put(&mut self, batch: GroupBatch<'m>) {
        self.spare.extend(batch.read.into_iter().flatten());
        for (number, memory) in batch.numbers.into_iter().zip(batch.made) {
            self.made[number] = Some(memory);
        }
    }

    /// Replaces the slice with the earlier slice. All boards of the earlier slice must be computed.
    pub fn end(&mut self) {
        self.slice = std::mem::take(&mut self.made);
    }
}
