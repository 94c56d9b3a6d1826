//! The solution of everything downstream of one root, for all 256 rotations, within any memory
//! limit.
//!
//! A solution consists of four computations: one for each of the two chains and each parity of the
//! rotations. A computation that exceeds the memory is divided into *groups*. A group consists of
//! all boards with the same marbles on the last few empty sockets, the *top* sockets. Each group is
//! computed in memory from its last slice to its first, as if it had its own root. A placement on a
//! top socket leads to a group with one more marble on top sockets. That group is computed earlier,
//! and its values are read from a [`SpillStore`]. The spill store holds only the units that another
//! group needs. The marbles on the top sockets form a base-3 number, and groups are computed in
//! descending order of this number.
//!
//! For example, two top sockets among 24 empty sockets reduce the memory to one ninth. In this case
//! 5 of 9 half supers are compressed once, and 6 of 9 half supers are decompressed once.

use super::chain::{first_slice, leaves_answer};
use super::context::{Chains, GroupExchange};
use super::error::SolveError;
use super::plan::{Plan, counts};
use super::win_tables::{ChainRoot, SolutionSettings, WinTables};
use super::{HalfSlice, SpillStore};
use crate::index::rooted::layout::BoardGroup;
use crate::index::{Frame, Layout};
use crate::kernel::{Arena, Kernel, Pack};
use crate::rules::{Position, Rules};
use crate::values::ENTRY_BYTES;
use pentago_base::Control;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// One computation: one group of boards, for one chain and one parity of the rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTask {
    /// The parity that the rotations have at the root.
    pub parity: u8,
    /// The player whose wins are computed. Player 0 is the player to move at the root.
    pub chain: u8,
    /// The group of boards that is computed.
    pub group: BoardGroup,
}

impl GroupTask {
    pub(super) fn half_slice(self, plies: usize) -> HalfSlice {
        HalfSlice { parity: self.parity, chain: self.chain, group: self.group, plies: plies as u8 }
    }
}

/// The estimated cost of all computations of a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownstreamEstimate {
    /// The number of top sockets.
    pub top: usize,
    /// The number of boards to compute. Each board covers 256 rotations.
    pub boards: u64,
    /// The required memory in bytes.
    pub memory: u64,
    /// The number of bytes that each slice writes to the spill store, before compression. Indexed
    /// by the plies of the slice.
    pub put: Vec<u64>,
    /// The number of bytes read from the spill store, before compression.
    pub got: u64,
    /// The number of bytes of each slice in the spill store after each group of a chain and parity,
    /// before compression and without the data of other chains and parities. Indexed by the group
    /// and by the plies of the slice.
    pub passed: Vec<Vec<u64>>,
}

/// The solution of everything downstream of one root.
pub struct Downstream {
    pub(super) settings: SolutionSettings,
    root: ChainRoot,
    pub(super) frame: Frame,
}

/// The maximum number of top sockets. Six top sockets make 729 groups, each of which takes about
/// 1/300 of the memory.
const MOST_TOP: usize = 6;

/// The size in bytes of the memory that every build takes: stacks, tables of low sockets, and the
/// buffers of files.
const OVERHEAD_BYTES: u64 = 4 << 20;

/// The size in bytes of the codec of temporary files for one unit of at most this size, as a
/// multiple of the unit.
const CODEC_UNITS: u64 = 8;
/// The maximum size of a list that the codec of temporary files encodes at once, in bytes.
const CODEC_LIST_BYTES: u64 = 1 << 20;
/// The size in bytes of the codec of tables, for one thread.
const TABLE_CODEC_BYTES: u64 = 4 << 20;
/// The number of blocks of a table that are compressed together.
pub(super) const BATCH: usize = 64;
/// The size in bytes of the entries that wait for the codec of tables: a batch of blocks of 1,024
/// entries.
const BATCH_BYTES: u64 = BATCH as u64 * 1024 * ENTRY_BYTES as u64;
/// The size in bytes of the indexes of temporary files in memory, for each unit of the largest
/// file: eight open files and two copies of the index that is being written.
const INDEX_BYTES: u64 = 10 * 24;

impl Downstream {
    /// Creates the solution downstream of `position`, which must have no pending turn. `threads`
    /// has the same meaning as in [`super::RootedSolver::new`].
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, position: &Position) -> Downstream {
        let root = ChainRoot::of(position);
        let frame = Frame::new(root.empty.len());
        Downstream { settings: SolutionSettings { rules, kernel, threads: threads.get() }, root, frame }
    }

    /// Returns the number of high sockets. Top sockets are chosen among the high sockets.
    pub fn high(&self) -> usize {
        self.frame.split.high
    }

    /// Returns the maximum number of top sockets for this root.
    pub fn most_top(&self) -> usize {
        self.high().min(MOST_TOP)
    }

    /// Returns the number of empty sockets of the root.
    pub fn empty(&self) -> usize {
        self.root.empty.len()
    }

    fn last(&self) -> usize {
        first_slice(self.settings.rules, self.empty(), self.empty())
    }

    /// Returns the groups for `top` top sockets, in the order of computation.
    pub(super) fn groups(&self, top: usize) -> Vec<BoardGroup> {
        let from = self.frame.split.high - top;
        let group = |code: u32| {
            let mut state = [0; 2];
            for i in 0..top {
                let digit = code / 3u32.pow(i as u32) % 3;
                if digit > 0 {
                    state[digit as usize - 1] |= 1 << (from + i);
                }
            }
            BoardGroup { top, state }
        };
        (0..3u32.pow(top as u32)).rev().map(group).collect()
    }

    /// Returns all computations for `top` top sockets, in the order in which they must run.
    pub fn tasks(&self, top: usize) -> Vec<GroupTask> {
        let groups = self.groups(top);
        let of = |parity, chain| groups.iter().map(move |&group| GroupTask { parity, chain, group });
        (0..4).flat_map(|i| of(i / 2, i % 2)).collect()
    }

    /// Returns the free top sockets of a group, each as a set of one socket.
    fn free_top(&self, group: BoardGroup) -> impl Iterator<Item = u32> + use<> {
        let high = self.frame.split.high;
        (high - group.top..high)
            .map(|i| 1 << i)
            .filter(move |bit| (group.state[0] | group.state[1]) & bit == 0)
    }

    /// Returns `true` if another group reads the slice with `plies` plies of this group.
    fn is_asked_for(&self, group: BoardGroup, plies: usize) -> bool {
        plies > 0 && group.state[(plies - 1) % 2] != 0
    }

    /// Returns `true` if the slice with `plies` plies of this group is written to the spill store.
    /// The slices 0 to `keep` are always written.
    fn is_put(&self, group: BoardGroup, plies: usize, keep: usize) -> bool {
        plies <= keep || self.is_asked_for(group, plies)
    }

    /// Returns the half slices that can be deleted after task `last`: no later task reads them, and
    /// their slice is after slice `keep`. `tasks` is the result of [`Downstream::tasks`].
    pub fn dead(&self, tasks: &[GroupTask], last: usize, keep: usize) -> Vec<HalfSlice> {
        let now = tasks[last];
        let same = |task: &&GroupTask| (task.parity, task.chain) == (now.parity, now.chain);
        let done: Vec<&GroupTask> = tasks[..=last].iter().filter(same).collect();
        let mut dead = Vec::new();
        for task in &done {
            let state = task.group.state;
            let is_parent = |other: &GroupTask| {
                let [a, b] = other.group.state;
                let more = [state[0] & !a, state[1] & !b];
                a & !state[0] == 0
                    && b & !state[1] == 0
                    && (more[0] | more[1]).is_power_of_two()
                    && (more[0] == 0 || more[1] == 0)
            };
            let parents = (state[0].count_ones() + state[1].count_ones()) as usize;
            if done.iter().filter(|other| is_parent(other)).count() == parents {
                let asked = (keep + 1..=self.last()).filter(|&k| self.is_asked_for(task.group, k));
                dead.extend(asked.map(|k| task.half_slice(k)));
            }
        }
        dead
    }

    /// Returns the half slices that a task writes to the spill store, if the slices 0 to `keep` are
    /// kept.
    pub fn results(&self, task: GroupTask, keep: usize) -> Vec<HalfSlice> {
        let put = (0..=self.last()).filter(|&plies| self.is_put(task.group, plies, keep));
        put.map(|plies| task.half_slice(plies)).collect()
    }

    /// Returns the number of boards that a task computes.
    pub fn boards_of(&self, task: GroupTask) -> u64 {
        (0..=self.last()).map(|k| Layout::of_group(&self.frame, counts(k), task.group).boards()).sum()
    }

    /// Returns the estimated cost with `top` top sockets, if the slices 0 to `keep` are kept.
    pub fn needs(&self, top: usize, keep: usize) -> DownstreamEstimate {
        let (last, line) = (self.last(), size_of::<Pack>() as u64);
        let tables = WinTables::bytes(
            &self.frame,
            last,
            leaves_answer(self.settings.rules, last, self.empty()),
            self.empty(),
        );
        let put = vec![0; self.empty() + 1];
        let mut needs = DownstreamEstimate { top, boards: 0, memory: 0, put, got: 0, passed: Vec::new() };
        let (mut unit, mut span, mut units) = (0, 0, 0);
        let groups = self.groups(top);
        let tasks = self.tasks(top);
        let (mut on_shelf, mut shelves) = (HashMap::new(), vec![0; self.empty() + 1]);
        for (i, &group) in groups.iter().enumerate() {
            let plan = Plan::of_group(&self.frame, last, self.settings.threads, group);
            needs.boards += plan.boards();
            needs.memory = needs.memory.max(plan.arena_bytes());
            for slice in &plan.slices {
                let bytes = slice.layout.lines() * line;
                unit = unit.max(slice.layout.largest_unit() * line);
                if slice.plies <= keep {
                    span = span.max(slice.layout.largest_span() * line);
                }
                if self.is_put(group, slice.plies, keep) {
                    units = units.max(slice.layout.units());
                    needs.put[slice.plies] += 4 * bytes;
                    on_shelf.insert(tasks[i].half_slice(slice.plies), bytes);
                    shelves[slice.plies] += bytes;
                }
                if slice.plies < last {
                    let parts = self.free_top(group).count() as u64;
                    needs.got += 4 * parts * bytes;
                }
            }
            needs.passed.push(shelves.clone());
            for half_slice in self.dead(&tasks, i, keep) {
                shelves[usize::from(half_slice.plies)] -= on_shelf.remove(&half_slice).unwrap_or(0);
            }
        }
        let threads = self.settings.threads as u64;
        // Each thread holds the children of its current unit in other groups, the code of a unit,
        // and the codec.
        let codec = CODEC_UNITS * unit.min(CODEC_LIST_BYTES);
        needs.memory += tables + threads * ((top as u64 + 1) * unit + codec);
        // The kept slices are assembled afterwards, from one span of each chain and parity.
        needs.memory = needs.memory.max(4 * span + 2 * BATCH_BYTES + threads * (TABLE_CODEC_BYTES + codec));
        needs.memory += units * INDEX_BYTES + OVERHEAD_BYTES;
        needs
    }

    /// Returns the estimate with the fewest top sockets whose memory is at most `memory` bytes. If
    /// no number of top sockets suffices, returns the estimate with the least memory.
    pub fn needs_within(&self, memory: u64, keep: usize) -> DownstreamEstimate {
        let mut least = self.needs(0, keep);
        for top in 1..=self.most_top() {
            if least.memory <= memory {
                break;
            }
            let needs = self.needs(top, keep);
            if needs.memory < least.memory {
                least = needs;
            }
        }
        least
    }

    /// Returns the estimate with the fewest top sockets whose memory is at most `memory` bytes.
    ///
    /// # Errors
    /// [`SolveError::Memory`], with the least possible memory, if no number of top sockets
    /// suffices.
    pub fn fit(&self, memory: u64, keep: usize) -> Result<DownstreamEstimate, SolveError> {
        let needs = self.needs_within(memory, keep);
        let (need, limit) = (needs.memory, memory);
        if need <= limit { Ok(needs) } else { Err(SolveError::Memory { need, limit }) }
    }

    /// Computes the tables of fives, which are the same for all tasks.
    pub fn tables(&self) -> WinTables<'_> {
        let empty = self.empty();
        let answer = leaves_answer(self.settings.rules, empty, empty);
        WinTables::new(&self.frame, self.settings, &self.root, empty, answer)
    }

    /// Allocates the working memory for the tasks with `top` top sockets. Sequential tasks can
    /// reuse the memory.
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn workspace(&self, top: usize) -> Result<Arena, SolveError> {
        let last = self.last();
        let plans =
            self.groups(top).into_iter().map(|g| Plan::of_group(&self.frame, last, self.settings.threads, g));
        let lines = plans.map(|plan| plan.arena).max().unwrap_or(0);
        let mut arena = Arena::default();
        let bytes = lines * size_of::<Pack>() as u64;
        arena.reserve(lines).map_err(|source| SolveError::Allocation { bytes, source })?;
        Ok(arena)
    }

    /// Computes one task. All earlier tasks of the same chain and parity must have been computed
    /// with the same spill store.
    ///
    /// # Errors
    /// If `control` is cancelled, or if the spill store fails.
    ///
    /// # Panics
    /// If `workspace` is smaller than the result of `Downstream::workspace` for the group's number
    /// of top sockets.
    pub fn run(
        &self,
        task: GroupTask,
        keep: usize,
        tables: &WinTables,
        workspace: &mut Arena,
        spill: &dyn SpillStore,
        control: &Control,
    ) -> Result<(), SolveError> {
        let plan = Plan::of_group(&self.frame, self.last(), self.settings.threads, task.group);
        assert!(plan.arena <= workspace.lines() as u64, "the workspace is that of these top sockets");
        let root = ChainRoot { parity: task.parity, ..self.root.clone() };
        let chains = Chains::new(self.settings, &self.frame, &plan, tables, &root, control);
        let exchange = |plies: usize| {
            let mover = plies % 2;
            let child = |bit: u32| {
                let mut state = task.group.state;
                state[mover] |= bit;
                GroupTask { group: BoardGroup { state, ..task.group }, ..task }.half_slice(plies + 1)
            };
            let has_children = plies < self.last();
            let put = self.is_put(task.group, plies, keep);
            GroupExchange {
                spill: Some(spill),
                children: self.free_top(task.group).filter(|_| has_children).map(child).collect(),
                result: put.then(|| task.half_slice(plies)),
            }
        };
        let mut next = None;
        for slice in plan.slices.iter().rev() {
            let exchange = exchange(slice.plies);
            let pass = chains.pass(usize::from(task.chain), self.empty(), slice, next, exchange);
            pass.run(workspace)?;
            if let Some(result) = pass.exchange.result {
                spill.finish(result)?;
            }
            next = Some(slice);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Value;
    use crate::rules::random::positions;
    use crate::rules::{Board, Color};
    use crate::solve::RootedSolver;
    use crate::supers::half::half_rotation;
    use crate::symmetry::Element;
    use crate::values::{BlockId, BoxError, Entry, Memory, Wdl};
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// A spill store in memory. Panics if a half slice is read before it is finished or after it is
    /// deleted.
    #[derive(Default)]
    struct PlainStore(Mutex<HashMap<HalfSlice, Units>>);

    /// The units of a half slice, keyed by the index of the unit, and `true` if the half slice is
    /// finished.
    type Units = (HashMap<u64, Vec<Pack>>, bool);

    impl SpillStore for PlainStore {
        fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
            let before = self.0.lock().unwrap().entry(of).or_default().0.insert(unit, lines.to_vec());
            assert!(before.is_none(), "{of:?} {unit}");
            Ok(())
        }
        fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
            let all = self.0.lock().unwrap();
            let (units, finished) = all.get(&of).unwrap_or_else(|| panic!("{of:?} isn't there"));
            assert!(finished);
            into.copy_from_slice(&units[&unit]);
            Ok(())
        }
        fn finish(&self, of: HalfSlice) -> Result<(), BoxError> {
            self.0.lock().unwrap().entry(of).or_default().1 = true;
            Ok(())
        }
    }

    /// Computes the solution, divided into groups by the marbles on the last `top` empty sockets.
    /// Returns the entries of each slice from 0 to `keep`.
    fn solve(of: &Downstream, top: usize, keep: usize) -> Vec<Vec<Entry>> {
        let spill = PlainStore::default();
        let tables = of.tables();
        let mut workspace = of.workspace(top).unwrap();
        let tasks = of.tasks(top);
        let needs = of.needs(top, keep);
        let control = Control::new();
        let mut most = 0;
        for (i, &task) in tasks.iter().enumerate() {
            of.run(task, keep, &tables, &mut workspace, &spill, &control).unwrap();
            let mut all = spill.0.lock().unwrap();
            most = most.max(all.values().flat_map(|(units, _)| units.values().map(Vec::len)).sum::<usize>());
            for half_slice in of.dead(&tasks, i, keep) {
                all.remove(&half_slice);
            }
        }
        assert_eq!(control.done(), 4 * needs.boards);
        let passed = needs.passed.iter().map(|passed| passed.iter().sum::<u64>()).max().unwrap();
        // The kept slices of the other chains and parities are in the spill store, too.
        let promised = passed + needs.put[..=keep].iter().sum::<u64>() * 3 / 4;
        assert!(most as u64 * 64 <= promised, "{most} {needs:?}");
        // Only the units of the kept slices remain in the spill store.
        assert!(spill.0.lock().unwrap().keys().all(|of| usize::from(of.plies) <= keep));
        let slice = |plies: usize| {
            let grid = of.grid(plies, 100).unwrap();
            let entries = Memory::new(&[grid]);
            of.collect(plies, top, 100, &spill, &entries).unwrap();
            (0..grid.blocks())
                .flat_map(|block| entries.block(BlockId { array: 0, block }).unwrap().to_vec())
                .collect()
        };
        (0..=keep).map(slice).collect()
    }

    /// Every number of top sockets leads to the same values, which agree with the rooted solver.
    #[test]
    fn groups_and_rotations_agree_with_the_solver() {
        agree_with_the_solver(&["", "reply=place,both=mover,last=stop"]);
    }

    #[test]
    #[ignore = "long: finds what goes wrong under one option alone"]
    fn long_groups_and_rotations_agree_with_the_solver() {
        agree_with_the_solver(&["dir=cw", "both=mover", "last=stop", "reply=place", "place=turn"]);
    }

    fn agree_with_the_solver(variants: &[&str]) {
        for (i, options) in variants.iter().enumerate() {
            let rules: Rules = format!("pentago:{options}").trim_end_matches(':').parse().unwrap();
            let position = positions(&rules, 20, 1, i as u64, true).unwrap()[0];
            let of = Downstream::new(rules, Kernel::best(), NonZeroUsize::MIN, &position);
            let empty = of.empty();
            let keep = 4;
            let plain = solve(&of, 0, keep);
            for top in [1, of.frame.split.high] {
                assert!(solve(&of, top, keep) == plain, "{options} {top}");
            }
            let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 30);
            for (plies, entries) in plain.iter().enumerate() {
                let boards = crate::index::Ternary::new(empty, counts(plies));
                assert_eq!(boards.len(), entries.len() as u64);
                for j in 0..[1, 1, 2, 4, 8][plies] {
                    let rank = j * 7919 % boards.len();
                    let sets = boards.unrank(rank).map(|set| {
                        (0..empty).filter(|i| set >> i & 1 != 0).fold(0, |all, i| all | of.root.empty[i])
                    });
                    let r = half_rotation((j % 2) as u8, (j * 31 % 128) as usize);
                    let turned =
                        |p: usize| Element::new(0, r).apply_set(rules.shape, of.root.sets[p] | sets[p]);
                    let (mover, other) = (position.to_move(), position.to_move().other());
                    let [x, o] = if mover == Color::X { [0, 1] } else { [1, 0] }.map(turned);
                    let board = Board { x, o };
                    let to_move = if plies % 2 == 0 { mover } else { other };
                    let at = Position::new(rules.shape, board, to_move, false).unwrap();
                    let value = solver.solve(&at, usize::MAX, &Control::new()).unwrap().value;
                    let expected = match value {
                        Value::Win => Wdl::Win,
                        Value::Draw => Wdl::Draw,
                        Value::Loss => Wdl::Loss,
                        Value::Unknown => unreachable!(),
                    };
                    let entry = entries[rank as usize];
                    assert!(entry.is_consistent());
                    assert_eq!(entry.get(r), expected, "{options} {plies} {rank} {r:?}");
                }
            }
        }
    }
}
