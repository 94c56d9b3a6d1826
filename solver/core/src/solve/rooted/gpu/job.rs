//! One solution on a GPU, described as plain data: the required memory, the tables, and the
//! batches. The result is computed from the lines that the device returns.

use super::super::chain::{ChainTop, ChainTops, child_place, first_slice, leaves_answer, wins};
use super::super::context::Chains;
use super::super::plan::Plan;
use super::super::win_tables::{ChainRoot, SolutionSettings, WinTables};
use super::schedule::{Cuts, FiveStarts, MOST_PASSES, MOST_WORDS, Schedule, five_starts};
use super::tables::ShaderTables;
use crate::index::Frame;
use crate::index::rooted::low::MAX_LOW;
use crate::kernel::Pack;
use crate::rules::Rules;
use pentago_base::Control;
use pentago_gpu::{Batch, LINE_BYTES, Limits, Pieces, Room};
use std::sync::OnceLock;
use zerocopy::{FromBytes, IntoBytes};

/// The shader source, to which the text of [`Pieces::shader`] must be added.
pub(super) const SHADER: &str = include_str!("chain.wgsl");

/// The maximum number of empty sockets of a root.
const MOST_EMPTY: usize = 36;

/// Returns the frame for `empty` empty sockets. Frames are cached for the life of the process.
fn frame_of(empty: usize) -> &'static Frame {
    static ALL: [OnceLock<Frame>; MOST_EMPTY + 1] = [const { OnceLock::new() }; MOST_EMPTY + 1];
    ALL[empty].get_or_init(|| Frame::new(empty))
}

/// Returns the tables of the shader for a frame. Frames that differ only in the number of high
/// sockets share the tables.
fn tables_of(frame: &Frame) -> &'static ShaderTables {
    const FRAMES: usize = MAX_LOW + 8 + 1;
    static ALL: [OnceLock<ShaderTables>; FRAMES] = [const { OnceLock::new() }; FRAMES];
    let split = frame.split;
    ALL[split.low + split.inner + split.outer].get_or_init(|| ShaderTables::new(frame))
}

/// Returns the constant words of the shader, for a root with `empty` empty sockets.
pub(super) fn tables(empty: usize) -> &'static [u32] {
    &tables_of(frame_of(empty)).words
}

/// The memory that a solution needs on the device and on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceNeeds {
    /// The sizes of the buffers on the device.
    pub room: Room,
    /// The host memory in bytes.
    pub host: u64,
    /// `true` if the undivided solution fits on the device.
    pub fits: bool,
}

impl DeviceNeeds {
    /// Returns the memory that an undivided solution needs. The solution is `plies` plies deep, and
    /// its root has `empty` empty sockets.
    pub fn of(cuts: Cuts, limits: Limits, rules: Rules, empty: usize, plies: usize) -> DeviceNeeds {
        let frame = frame_of(empty);
        let plan = cuts.plan(frame, first_slice(rules, plies, empty));
        let fives = WinTables::bytes(frame, plies, leaves_answer(rules, plies, empty), empty);
        let room = room(cuts, limits, empty, &plan, fives);
        let bound = cuts.bound(limits);
        DeviceNeeds {
            room,
            // An upload holds copies of the words of two batches.
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

/// Returns the memory in bytes that the full solution of a root with `empty` empty sockets takes on
/// a GPU.
pub fn device_bytes(rules: Rules, empty: usize) -> u64 {
    let limits = Limits { binding: u64::MAX, bindings: u32::MAX };
    DeviceNeeds::of(Cuts::default(), limits, rules, empty, empty).room.bytes()
}

/// A solution on a GPU. The caller requests one batch after the other and runs each on the device.
pub struct DeviceSolution {
    settings: SolutionSettings,
    root: ChainRoot,
    /// The depth of the solution in plies.
    plies: usize,
    cuts: Cuts,
    frame: &'static Frame,
    plan: Plan<'static>,
    tables: WinTables<'static>,
    five_starts: FiveStarts,
    room: Room,
    /// The progress: the number of finished chains, the number of finished slices of the current
    /// chain, and the number of finished units of the current slice.
    done: (usize, usize, u64),
}

impl DeviceSolution {
    /// Prepares the solution of `root` to a depth of `plies` plies.
    pub(crate) fn new(
        settings: SolutionSettings,
        cuts: Cuts,
        limits: Limits,
        root: &ChainRoot,
        plies: usize,
    ) -> DeviceSolution {
        let (rules, empty) = (settings.rules, root.empty.len());
        let frame = frame_of(empty);
        let plan = cuts.plan(frame, first_slice(rules, plies, empty));
        let answer = leaves_answer(rules, plies, empty);
        let tables = WinTables::new(frame, settings, root, plies, answer);
        let (five_starts, lines) = five_starts(&tables);
        let room = room(cuts, limits, empty, &plan, lines * LINE_BYTES);
        let root = root.clone();
        DeviceSolution {
            settings,
            root,
            plies,
            cuts,
            frame,
            plan,
            tables,
            five_starts,
            room,
            done: (0, 0, 0),
        }
    }

    /// Returns the sizes of the buffers that the solution needs on the device.
    pub fn room(&self) -> Room {
        self.room
    }

    /// Returns the shader source, to which the text of [`Pieces::shader`] must be added.
    pub fn shader(&self) -> &'static str {
        SHADER
    }

    /// Returns the number of boards to compute, added over both chains.
    pub fn boards(&self) -> u64 {
        2 * self.plan.boards()
    }

    /// Returns the constant words that the shader reads.
    pub fn tables(&self) -> &'static [u32] {
        tables(self.root.empty.len())
    }

    /// Returns the tables of fives as consecutive parts of one buffer.
    pub fn fives(&self) -> impl Iterator<Item = &[u8]> {
        (0..2).flat_map(|player| self.tables.of_player(player)).flatten().map(|lines| lines.as_bytes())
    }

    /// Prepares the next batch. Returns the batch and the number of its boards, or `None` once all
    /// batches have been returned. `spent` is an earlier batch, whose memory is reused.
    pub fn next_batch(&mut self, spent: Batch) -> Option<(Batch, u64)> {
        let control = Control::new();
        let (frame, plan, tables) = (self.frame, &self.plan, &self.tables);
        let chains = Chains::new(self.settings, frame, plan, tables, &self.root, &control);
        let mut batch = spent;
        while self.done.0 < 2 {
            let (chain, slices, units) = self.done;
            let mut schedule = Schedule {
                chains: &chains,
                chain,
                plies: self.plies,
                tables: tables_of(self.frame),
                five_starts: &self.five_starts,
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

    /// Computes the result from `lines`, the lines that the device returned. Returns the upper ends
    /// of both chains and the number of boards of each chain, or `None` if there are too few lines.
    pub(crate) fn tops(&self, lines: &[[u8; LINE_BYTES as usize]]) -> Option<ChainTops> {
        let mut lines = lines.iter().filter_map(|line| Pack::read_from_bytes(line).ok());
        // `lines` is in computation order: for each chain, the children, then the root.
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
