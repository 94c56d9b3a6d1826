//! One solution on a graphics processor, as plain data: what it has room for, what is written there,
//! the batches that are run, and what the lines that are read back say.

use super::super::chain::{ChainTop, ChainTops, child_place, first_slice, leaves_answer, wins};
use super::super::classes::ClassTables;
use super::super::context::Chains;
use super::super::plan::Plan;
use super::super::win_tables::{ChainRoot, WinTables};
use super::schedule::{Cuts, FiveOffsets, MOST_PASSES, MOST_WORDS, Schedule};
use super::tables::ShaderTables;
use crate::index::Frame;
use crate::index::rooted::low::MAX_LOW;
use crate::kernel::{Kernel, Pack, Passes};
use crate::rules::Rules;
use crate::supers::WinMasks;
use pentago_base::Control;
use pentago_gpu::{Batch, LINE_BYTES, Limits, Pieces, Room};
use std::sync::OnceLock;
use zerocopy::{FromBytes, IntoBytes};

/// The shader, but for [`Pieces::shader`].
pub(super) const SHADER: &str = include_str!("chain.wgsl");

/// Empty sockets of a root at most.
const MOST_EMPTY: usize = 36;

/// The frame for a number of empty sockets, to keep.
fn frame_of(empty: usize) -> &'static Frame {
    static ALL: [OnceLock<Frame>; MOST_EMPTY + 1] = [const { OnceLock::new() }; MOST_EMPTY + 1];
    ALL[empty].get_or_init(|| Frame::new(empty))
}

/// The shader's tables for a frame: they don't depend on the number of high sockets.
fn tables_of(frame: &Frame) -> &'static ShaderTables {
    const FRAMES: usize = MAX_LOW + 8 + 1;
    static ALL: [OnceLock<ShaderTables>; FRAMES] = [const { OnceLock::new() }; FRAMES];
    let split = frame.split;
    ALL[split.low + split.inner + split.outer].get_or_init(|| ShaderTables::new(frame))
}

/// The words that are always there, for a number of empty sockets.
pub(super) fn tables(empty: usize) -> &'static [u32] {
    &tables_of(frame_of(empty)).words
}

/// What a solution is made of, but for its root.
#[derive(Clone, Copy)]
pub(crate) struct SolutionSettings<'a> {
    pub rules: Rules,
    pub fives: &'a WinMasks,
    /// Makes the tables of five in a row.
    pub kernel: Kernel,
    pub threads: usize,
}

/// What a solution takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceNeeds {
    /// On the device.
    pub room: Room,
    /// Bytes of the processor's memory.
    pub host: u64,
    /// Whether the device can hold it.
    pub fits: bool,
}

impl DeviceNeeds {
    /// What the solution of a root with `empty` empty sockets takes in one piece, `plies` plies deep.
    pub fn of(cuts: Cuts, limits: Limits, rules: Rules, empty: usize, plies: usize) -> DeviceNeeds {
        let frame = frame_of(empty);
        let plan = cuts.plan(frame, first_slice(rules, plies, empty));
        let fives = WinTables::bytes(frame, plies, leaves_answer(rules, plies, empty), empty);
        let room = room(cuts, limits, empty, &plan, fives);
        let bound = cuts.bound(limits);
        DeviceNeeds {
            room,
            // The words of two batches are copied on their way.
            host: fives + 12 * MOST_WORDS as u64,
            fits: plan.arena <= bound.lines().min(cuts.memory / LINE_BYTES) && fives <= limits.binding,
        }
    }
}

fn room(cuts: Cuts, limits: Limits, empty: usize, plan: &Plan, fives: u64) -> Room {
    Room {
        pieces: Pieces::new(plan.arena, limits.binding.min(cuts.piece)),
        tables: tables_of(frame_of(empty)).words.len() as u64,
        words: MOST_WORDS as u64,
        passes: MOST_PASSES as u64,
        reads: 2 * (empty as u64 + 1),
        fives,
    }
}

/// Bytes that the full solution of a root with `empty` empty sockets takes on a graphics processor.
#[must_use]
pub fn device_bytes(rules: Rules, empty: usize) -> u64 {
    let limits = Limits { binding: u64::MAX, bindings: u32::MAX };
    DeviceNeeds::of(Cuts::default(), limits, rules, empty, empty).room.bytes()
}

/// A solution that a graphics processor computes, up to the next batch.
pub struct DeviceSolution {
    rules: Rules,
    kernel: Kernel,
    threads: usize,
    root: ChainRoot,
    /// The depth of the solution.
    plies: usize,
    cuts: Cuts,
    frame: &'static Frame,
    plan: Plan<'static>,
    tables: WinTables<'static>,
    fives: FiveOffsets,
    room: Room,
    /// Chains that are done; slices of the next one, and units of its next slice.
    done: (usize, usize, u64),
}

impl DeviceSolution {
    /// The solution of a root, `plies` plies deep.
    pub(crate) fn new(
        settings: SolutionSettings,
        cuts: Cuts,
        limits: Limits,
        root: &ChainRoot,
        plies: usize,
    ) -> DeviceSolution {
        let SolutionSettings { rules, fives, kernel, threads } = settings;
        let empty = root.empty.len();
        let frame = frame_of(empty);
        let plan = cuts.plan(frame, first_slice(rules, plies, empty));
        let answer = leaves_answer(rules, plies, empty);
        let tables = WinTables::new(frame, fives, kernel, root, plies, answer, threads);
        let fives = FiveOffsets::new(&tables);
        let room = room(cuts, limits, empty, &plan, fives.lines * LINE_BYTES);
        let root = root.clone();
        DeviceSolution {
            rules,
            kernel,
            threads,
            root,
            plies,
            cuts,
            frame,
            plan,
            tables,
            fives,
            room,
            done: (0, 0, 0),
        }
    }

    /// The memory that it needs.
    #[must_use]
    pub fn room(&self) -> Room {
        self.room
    }

    /// The shader, but for [`Pieces::shader`].
    #[must_use]
    pub fn shader(&self) -> &'static str {
        SHADER
    }

    /// Boards of both chains.
    #[must_use]
    pub fn boards(&self) -> u64 {
        2 * self.plan.boards()
    }

    /// The words that are always there.
    #[must_use]
    pub fn tables(&self) -> &'static [u32] {
        tables(self.root.empty.len())
    }

    /// The fives, in parts that lie one after the other.
    pub fn fives(&self) -> impl Iterator<Item = &[u8]> {
        FiveOffsets::each(&self.tables).map(IntoBytes::as_bytes)
    }

    /// The next batch, and how many boards it computes; none when all is done. It is made in the memory
    /// of one that is spent.
    pub fn next_batch(&mut self, spent: Batch) -> Option<(Batch, u64)> {
        let control = Control::new();
        let chains = Chains {
            frame: self.frame,
            classes: ClassTables::get(self.frame.split.low),
            plan: &self.plan,
            tables: &self.tables,
            rules: self.rules,
            passes: Passes::of(self.kernel),
            root: &self.root,
            control: &control,
            threads: self.threads,
        };
        let mut batch = spent;
        while self.done.0 < 2 {
            let (chain, slices, units) = self.done;
            let mut schedule = Schedule {
                chains: &chains,
                chain,
                plies: self.plies,
                tables: tables_of(self.frame),
                fives: &self.fives,
                cuts: self.cuts,
                slices,
                units,
            };
            let boards = schedule.next(&mut batch);
            let (slices, units) = (schedule.slices, schedule.units);
            if let Some(boards) = boards {
                self.done = (chain, slices, units);
                return Some((batch, boards));
            }
            self.done = (chain + 1, 0, 0);
        }
        None
    }

    /// The upper ends of both chains, from the lines that were read, and how many boards were computed
    /// for each; none if the lines are too few.
    pub(crate) fn tops(&self, lines: &[[u8; LINE_BYTES as usize]]) -> Option<ChainTops> {
        let mut lines = lines.iter().filter_map(|line| Pack::read_from_bytes(line).ok());
        // In the order in which they were computed: the first chain's children and its root.
        let slice = self.plan.slices.get(1).map(|slice| &slice.layout);
        let mut top = |chain| {
            let mut next = |place: u8, plies| Some(wins(lines.next()?.0[usize::from(place)], plies, chain));
            let children = slice.map_or(Some(Vec::new()), |layout| {
                let places = (0..self.root.empty.len()).map(|i| child_place(self.frame, layout, i).1);
                places.map(|place| next(place, 1)).collect()
            });
            Some(ChainTop { children: children?, root: next(0, 0)? })
        };
        Some(([top(0)?, top(1)?], self.plan.boards()))
    }
}
