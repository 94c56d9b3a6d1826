//! The data that all rows of a located proof share.

use super::super::counted::{Question, Workspace};
use super::sets::{LowSets, Runs, SocketSplit, choose, rank};
use crate::kernel::{Arena, Turns};
use crate::solve::proof::sets::subsets;
use crate::supers::Half;
use pentago_base::{Control, bits};

/// The rotations with five in a row. The indices are the number of marbles, the parity, and the
/// index of the set among the sets of its size.
type Fives = Vec<[Vec<Half>; 2]>;

/// The data that all rows of a proof share.
pub(super) struct LocatedProof<'a> {
    pub workspace: &'a Workspace,
    /// The turns that the attacker may make, and the turns that the defender may make.
    pub turns: [Turns; 2],
    /// The parity of the rotations with the attacker to move, and the parity with the defender to
    /// move.
    pub parities: [usize; 2],
    pub split: SocketSplit,
    /// The tables of sets of low sockets, indexed by the number of free low sockets.
    pub low_sets: Vec<LowSets>,
    /// The attacker's fives. The last index is the rank of the set.
    pub own: Fives,
    /// The defender's fives. The last index is [`SocketSplit::at`] of the set.
    pub other: Fives,
    pub q: &'a Question<'a>,
    pub control: &'a Control,
}

/// The rows of one level that the proof has not omitted.
#[derive(Default)]
pub(super) struct LocatedRows {
    /// The index of the row of each set, indexed by the rank of the set. [`NO_ROW`] stands for an
    /// omitted row.
    pub index: Vec<u32>,
    /// The index of the first line of each row in the arena.
    pub at: Vec<usize>,
    /// For each row, the rotations at which at least one board of the row is won.
    pub any: Vec<Half>,
    /// The number of lines of all rows together. `arena` is the memory of these lines.
    pub lines: usize,
    pub arena: Arena,
}

/// The value in `LocatedRows::index` that marks an omitted row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// One level: all boards on which the attacker has placed `a` marbles.
pub(super) struct LocatedLevel<'a> {
    pub a: usize,
    /// The number of marbles that the defender has placed on boards with the attacker to move.
    pub most: usize,
    /// `true` if the attacker's next placement is the last one that the proof allows.
    pub last: bool,
    /// The rows of the boards with one more marble of the attacker.
    pub above: &'a LocatedRows,
}

impl<'a> LocatedLevel<'a> {
    /// Returns the lines of `above` from the first line of the row of `set`. Returns `None` if the
    /// proof omits this row.
    pub fn child(&self, set: u64) -> Option<&'a [crate::kernel::Pack]> {
        match self.above.index[rank(set)] {
            NO_ROW => None,
            index => {
                let lines = self.above.arena.slice(self.above.lines);
                Some(&lines[self.above.at[index as usize]..])
            }
        }
    }
}

impl<'a> LocatedProof<'a> {
    /// Creates the tables of a proof in which the defender places at most `most` marbles.
    pub fn new(
        workspace: &'a Workspace,
        q: &'a Question,
        split: SocketSplit,
        most: usize,
        control: &'a Control,
    ) -> LocatedProof<'a> {
        let empty = |size| [0, 1].map(|_| vec![Half::NONE; choose(split.len(), size)]);
        let parities = q.parities();
        let mut proof = LocatedProof {
            workspace,
            turns: parities.map(|p| workspace.turns(p as u8)),
            parities,
            low_sets: LowSets::all(split.low, q.placements - 1, most),
            own: (0..=q.placements).map(empty).collect(),
            other: (0..=most).map(empty).collect(),
            split,
            q,
            control,
        };
        proof.fill();
        proof
    }

    /// Fills in the tables of fives from the winning lines.
    fn fill(&mut self) {
        let (split, q) = (&self.split, self.q);
        for line in &self.workspace.lines {
            let missing = line.set & q.free;
            let n = missing.count_ones() as usize;
            let set = split.indices(missing);
            if line.set & q.own == 0 && n < self.other.len() {
                line.add_to(&mut self.other[n], split.at(set));
            }
            if line.set & q.other == 0 && n < self.own.len() {
                line.add_to(&mut self.own[n], rank(set));
            }
        }
        // Add the fives of the subsets of each set to the fives of the set.
        let close = |tables: &mut Fives, n: usize, at: &dyn Fn(u64) -> usize| {
            for size in 1..tables.len() {
                let (fewer, these) = tables.split_at_mut(size);
                let fewer = &fewer[size - 1];
                for set in subsets(n, size) {
                    let to = at(set);
                    for socket in bits(set) {
                        let from = at(set & !(1 << socket));
                        for p in 0..2 {
                            these[0][p][to] = these[0][p][to] | fewer[p][from];
                        }
                    }
                }
            }
        };
        close(&mut self.own, split.len(), &rank);
        close(&mut self.other, split.len(), &|set| split.at(set));
    }

    /// Returns the free sockets of the row of `set`: first the high sockets, then the low sockets.
    pub fn free(&self, set: u64) -> (u64, u64) {
        let free = !set & ((1 << self.split.len()) - 1);
        (free >> self.split.low, free & ((1 << self.split.low) - 1))
    }

    /// Returns the layout of the row of `set`, for boards with `size` marbles of the defender.
    pub fn runs(&self, set: u64, size: usize) -> Runs {
        let (high, low) = self.free(set);
        Runs::new(high.count_ones() as usize, low.count_ones() as usize, size)
    }
}
