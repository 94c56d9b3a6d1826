//! The half supers of a slice, and how threads hand them to each other.
//!
//! A board's half supers, one for each chain, are a place in memory that its owner may write to.
//! What was read is used up, and the place is free for another board: so a slice is made in the
//! places of the next one. Which board lies where is different each time.

use pentago_base::lock;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use crate::kernel::HalfSuper;

/// The half supers of one board.
pub(super) type Place<'m> = &'m mut [HalfSuper];

/// The most threads that work on a slice, each with places of its own.
pub(super) const MOST_THREADS: usize = 64;

/// The least number of boards that one thread computes at a time.
const BOARDS_AT_ONCE: usize = 64;

/// So many groups, of so many boards each, are computed by one thread at a time.
pub(super) fn groups_at_once(members: usize) -> usize {
    BOARDS_AT_ONCE.div_ceil(members.max(1))
}

/// The boards of one slice, and the memory that no board has.
pub(super) struct SliceBoards<'m> {
    pub slice: Vec<Option<Place<'m>>>,
    spare: Vec<Place<'m>>,
}

impl<'m> SliceBoards<'m> {
    /// No boards.
    pub fn new(spare: Vec<Place<'m>>) -> SliceBoards<'m> {
        SliceBoards { slice: Vec::new(), spare }
    }

    /// The half super of a board for a chain.
    pub fn half(&self, board: usize, chain: usize) -> Option<&HalfSuper> {
        self.slice.get(board)?.as_deref()?.get(chain)
    }
}

/// A slice that becomes the one before it.
pub(super) struct Exchange<'b, 'm>(Mutex<State<'b, 'm>>);

struct State<'b, 'm> {
    /// The groups that nobody has taken, and the boards they are made of.
    groups: Range<usize>,
    unread: &'b mut [Option<Place<'m>>],
    spare: &'b mut Vec<Place<'m>>,
    made: &'b mut [Option<Place<'m>>],
}

/// The numbers of boards.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub groups: usize,
    /// Boards of a group that are read, and that are made of them.
    pub read: usize,
    pub made: usize,
}

/// Some groups to compute.
pub(super) struct GroupBatch<'b, 'm> {
    pub groups: Range<usize>,
    /// What is read, group by group.
    pub read: &'b mut [Option<Place<'m>>],
    /// Room for the boards that are made, and the numbers that they get.
    pub made: Vec<Place<'m>>,
    pub numbers: Vec<usize>,
}

impl<'b, 'm> Exchange<'b, 'm> {
    /// `read` and `made` are whole slices; nothing is in the second one yet.
    pub fn new(
        sizes: Sizes,
        read: &'b mut [Option<Place<'m>>],
        spare: &'b mut Vec<Place<'m>>,
        made: &'b mut [Option<Place<'m>>],
    ) -> Exchange<'b, 'm> {
        Exchange(Mutex::new(State { groups: 0..sizes.groups, unread: read, spare, made }))
    }

    fn lock(&self) -> MutexGuard<'_, State<'b, 'm>> {
        lock(&self.0)
    }

    /// The next groups, if there are any left.
    pub fn take(&self, sizes: Sizes) -> Option<GroupBatch<'b, 'm>> {
        let mut state = self.lock();
        let count = groups_at_once(sizes.made).min(state.groups.len());
        if count == 0 {
            return None;
        }
        let groups = state.groups.start..state.groups.start + count;
        state.groups.start = groups.end;
        let (read, rest) = std::mem::take(&mut state.unread).split_at_mut(count * sizes.read);
        state.unread = rest;
        // Places are counted before: for the greatest slice and what all threads have begun.
        let wanted = count * sizes.made;
        assert!(wanted <= state.spare.len(), "places for {wanted} boards");
        let left = state.spare.len() - wanted;
        let made = state.spare.split_off(left);
        Some(GroupBatch { groups, read, made, numbers: Vec::with_capacity(count * sizes.made) })
    }

    /// Puts the boards that were made where they belong; what they were made of is free.
    pub fn put(&self, job: GroupBatch<'b, 'm>) {
        let mut state = self.lock();
        state.spare.extend(job.read.iter_mut().filter_map(Option::take));
        for (number, place) in job.numbers.into_iter().zip(job.made) {
            state.made[number] = Some(place);
        }
    }
}

impl<'m> SliceBoards<'m> {
    /// Returns what becomes of the slice: `make` is given an exchange with a slice of so many
    /// boards.
    pub fn exchange<E>(
        &mut self,
        sizes: Sizes,
        make: impl FnOnce(&Exchange<'_, 'm>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut made = Vec::new();
        made.resize_with(sizes.groups * sizes.made, || None);
        make(&Exchange::new(sizes, &mut self.slice, &mut self.spare, &mut made))?;
        self.slice = made;
        Ok(())
    }
}
