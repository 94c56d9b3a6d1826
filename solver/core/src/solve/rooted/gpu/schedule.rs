//! The work of a GPU for one chain: batches of passes, where each pass computes units of one slice.
//!
//! A pass computes many units simultaneously, so it must not write to a line that one of its units
//! reads. If two slices fit side by side, each slice is one pass. If memory is short, slices
//! overlap as in host memory (see [`Plan`]). In this case a pass ends before it would write to
//! lines that it still reads.

use super::super::chain::child_place;
use super::super::context::{Chains, GroupExchange, SlicePass, SliceRule};
use super::super::plan::{Plan, PlannedSlice, counts};
use super::super::win_tables::WinTables;
use super::tables::ShaderTables;
use crate::index::rooted::layout::{Unit, UnitShape};
use crate::index::rooted::low::Player;
use crate::index::{Frame, Layout};
use crate::kernel::Pack;
use crate::rules::Place;
use crate::threads;
use pentago_base::lock;
use pentago_gpu::{Batch, LINE_BYTES, Limits, PARAMETERS, Step};
use std::ops::Range;
use std::sync::Mutex;

/// The number of lines that one workgroup computes. The shader uses the same number.
const GROUP_LINES: u64 = 32;
/// The number of low bits, in the word of a workgroup, that hold the index of the group within its
/// unit. The other bits hold the index of the unit.
const GROUP_BITS: u32 = 9;
/// The maximum number of workgroups along one axis of a dispatch.
const MOST_GROUPS: u32 = 65_535;

/// The values of the shader parameter that selects the term P of the recurrence. 0 means that P is
/// not needed.
const BY_PLACEMENT: u32 = 1;
const BEFORE: u32 = 2;

/// The number of words at the start of a unit's record, before its references to children. The
/// shader uses the same number.
const UNIT_HIGH: usize = 12;

/// The maximum number of passes of a batch.
pub(super) const MOST_PASSES: usize = 512;
/// The maximum number of words of a batch, 16 MB. The units and groups of a pass take at most a
/// quarter of these words. A batch ends when less than a quarter is free.
pub(super) const MOST_WORDS: usize = 1 << 22;
const PASS_WORDS: usize = MOST_WORDS / 4;

/// The number of units whose words a thread writes in one step.
const UNITS_AT_ONCE: usize = 64;

/// The minimum number of boards of a solution that uses the GPU without a request. The CPU computes
/// fewer boards in about a second (`bench/README.md#work-for-graphics-processors`).
const WORTH_BOARDS: u64 = 200_000_000;

/// The limits that divide the work of a GPU. Tests set lower limits than any GPU has, so that small
/// solutions reach each limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// The maximum size of a buffer in bytes.
    pub piece: u64,
    /// The maximum number of lines of an arena in which consecutive slices lie side by side. In
    /// larger solutions, slices overlap.
    pub beside: u64,
    /// The number of lines after which a batch ends. Progress is reported after each batch.
    pub batch: u64,
    /// The maximum size in bytes of all lines together. Larger solutions are refused.
    pub memory: u64,
    /// The minimum number of boards of a solution that uses the GPU without a request.
    pub worth: u64,
    /// `true` if a software renderer counts as a GPU.
    pub software: bool,
}

impl Default for Cuts {
    fn default() -> Cuts {
        // For measurements, see `bench/README.md#work-for-graphics-processors`.
        let (piece, memory) = (u64::MAX, u64::MAX);
        Cuts { piece, beside: 1 << 24, batch: 1 << 24, memory, worth: WORTH_BOARDS, software: false }
    }
}

impl Cuts {
    /// Returns the limits of a device, reduced to these cuts.
    pub(super) fn bound(self, limits: Limits) -> Limits {
        Limits { binding: limits.binding.min(self.piece.max(LINE_BYTES)), ..limits }
    }

    /// Plans the positions of the slices 0 to `last` in device memory.
    pub fn plan<'f>(self, frame: &'f Frame, last: usize) -> Plan<'f> {
        let beside = Plan::side_by_side(frame, last);
        if beside.arena <= self.beside { beside } else { Plan::new(frame, last, usize::MAX) }
    }
}

/// The index of the first line of each of the [`WinTables`]. The indices are the player, the number
/// of marbles, and the parity.
pub(super) type FiveStarts = [Vec<[u64; 2]>; 2];

/// Returns the index of the first line of each table, and the total number of lines. The tables are
/// assumed to be consecutive.
pub(super) fn five_starts(tables: &WinTables) -> (FiveStarts, u64) {
    let mut all = 0;
    let starts = [0, 1].map(|player| {
        let of_size = |lines: &[Vec<Pack>; 2]| {
            lines.each_ref().map(|lines| {
                all += lines.len() as u64;
                all - lines.len() as u64
            })
        };
        tables.of_player(player).iter().map(of_size).collect()
    });
    (starts, all)
}

/// The schedule that divides one chain into batches.
pub(super) struct Schedule<'a> {
    pub chains: &'a Chains<'a>,
    pub chain: Player,
    /// The depth of the solution in plies.
    pub plies: usize,
    pub tables: &'a ShaderTables,
    pub five_starts: &'a FiveStarts,
    pub cuts: Cuts,
    /// The number of finished slices, counted from the last slice. `units` is the number of
    /// finished units of the slice that is computed next.
    pub slices: usize,
    pub units: u64,
}

impl<'a> Schedule<'a> {
    /// Prepares the next batch in `batch`. Returns the number of its boards, or `None` if no work
    /// is left.
    pub fn next(&mut self, batch: &mut Batch) -> Option<u64> {
        batch.words.clear();
        batch.steps.clear();
        let (chains, plan) = (self.chains, self.chains.plan);
        let (mut lines, mut boards) = (0, 0);
        let mut slices = plan.slices.iter().rev().skip(self.slices.saturating_sub(1));
        let mut next = if self.slices > 0 { slices.next() } else { None };
        for slice in slices {
            let pass = chains.pass(self.chain, self.plies, slice, next, GroupExchange::default());
            while self.units < slice.layout.units() {
                if lines >= self.cuts.batch
                    || batch.words.len() > MOST_WORDS - PASS_WORDS
                    || batch.steps.len() >= MOST_PASSES
                {
                    return Some(boards);
                }
                let (more_lines, more_boards) = self.draw(&pass, batch);
                lines += more_lines;
                boards += more_boards;
            }
            batch.steps.extend(self.reads(slice).map(|line| Step::Read { line: slice.base + line }));
            self.slices += 1;
            self.units = 0;
            next = Some(slice);
        }
        (!batch.steps.is_empty()).then_some(boards)
    }

    /// Returns the lines of a slice that are read back from the device: the line of the root, or
    /// the line of each child of the root. Most slices have none.
    fn reads(&self, slice: &PlannedSlice) -> impl Iterator<Item = u64> {
        let (frame, layout) = (self.chains.frame, &slice.layout);
        let of_children = if slice.plies == 1 { self.chains.root.empty.len() } else { 0 };
        let of_root = usize::from(slice.plies == 0);
        let children = (0..of_children).map(move |i| child_place(frame, layout, i).0);
        children.chain(std::iter::repeat_n(0, of_root))
    }

    /// Adds a pass with as many units as possible, from unit `units` on. Returns the number of
    /// lines and the number of boards of the pass.
    fn draw(&mut self, pass: &SlicePass, batch: &mut Batch) -> (u64, u64) {
        let (slice, layout) = (pass.slice, &pass.slice.layout);
        let (mut lines, mut boards) = (0, 0);
        let mut groups = Vec::new();
        let first = layout.unrank(self.units);
        // The range of lines of the next slice that this pass may read.
        let live = pass
            .next
            .map_or(0..0, |next| next.base + next.layout.offset(first)..next.base + next.layout.lines());
        let start = slice.base + layout.offset(first);
        let mut units = Vec::new();
        while self.units < layout.units() {
            let unit = layout.unrank(self.units);
            let shape = layout.shape(unit).expect("the slice has this unit");
            let at = slice.base + layout.offset(unit);
            let words = units.len() * self.unit_words() + groups.len();
            let enough = words > PASS_WORDS / 2 || lines >= self.cuts.batch;
            if !units.is_empty() && (enough || overlap(&(start..at + shape.lines), &live)) {
                break;
            }
            debug_assert!(!overlap(&(start..at + shape.lines), &live), "the plan leaves room for a unit");
            assert!(shape.lines <= GROUP_LINES << GROUP_BITS);
            let number = (units.len() as u32) << GROUP_BITS;
            groups.extend((0..shape.lines.div_ceil(GROUP_LINES)).map(|i| number | i as u32));
            units.push((unit, shape, at));
            lines += shape.lines;
            boards += shape.boards;
            self.units += 1;
        }
        let units_at = batch.words.len();
        batch.words.resize(units_at + units.len() * self.unit_words(), 0);
        let words = batch.words[units_at..].chunks_mut(UNITS_AT_ONCE * self.unit_words());
        let parts = Mutex::new(words.zip(units.chunks(UNITS_AT_ONCE)));
        let write = || {
            loop {
                let Some((words, units)) = lock(&parts).next() else { return };
                for (words, &(unit, shape, at)) in words.chunks_mut(self.unit_words()).zip(units) {
                    self.unit(pass, unit, shape, at, words);
                }
            }
        };
        if self.chains.threads > 1 && units.len() > UNITS_AT_ONCE {
            threads::broadcast(write);
        } else {
            write();
        }
        self.finish(pass, units_at, &groups, batch);
        (lines, boards)
    }

    /// Returns the number of words of a unit's record: a fixed part, then the references to the
    /// high children, to the outer children, and to the sets after one more placement on a high
    /// socket or on the outer cycle.
    fn unit_words(&self) -> usize {
        let high = self.chains.frame.split.high;
        UNIT_HIGH + high + 8 + 2 * (high + 4)
    }

    /// Writes the record of a unit into `words`.
    fn unit(&self, pass: &SlicePass, unit: Unit, shape: &UnitShape, at: u64, words: &mut [u32]) {
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let split_high = self.chains.frame.split.high;
        let layout = &pass.slice.layout;
        let counts_of = |layout: &Layout, unit| layout.inner_counts(unit).expect("the slice has this unit");
        let number = self.tables.shape_of(unit, counts_of(layout, unit));
        words[0] = word(at);
        words[1] = shape.lines as u32;
        words[2] = self.tables.boards_of(number);

        let [mut high, mut outer, mut grown] = [0; 3];
        if let Some(next) = pass.next {
            let reference = |child: Unit, by: u8| {
                let number = self.tables.shape_of(child, counts_of(&next.layout, child));
                [word(next.base + next.layout.offset(child)), number << 2 | u32::from(by)]
            };
            for child in pass.high_children(unit) {
                words[UNIT_HIGH + high] = reference(child, 0)[0];
                high += 1;
            }
            for (child, _, by) in pass.outer_children(unit) {
                let at = UNIT_HIGH + split_high + 2 * outer;
                words[at..at + 2].copy_from_slice(&reference(child, by));
                outer += 1;
            }
            if next.layout.shape(unit).is_some() {
                words[4..6].copy_from_slice(&reference(unit, 0));
            }
        }
        let sizes = counts(pass.slice.plies);
        let fives = |player, size, sets| self.five_reference(pass.parity, player, size, sets);
        let mut put = |at: usize, reference: Option<[u32; 2]>| {
            words[at..at + 2].copy_from_slice(&reference.unwrap_or_default());
        };
        put(6, fives(mover, sizes[mover], pass.sets(unit, mover)));
        put(8, fives(other, sizes[other], pass.sets(unit, other)));
        if pass.needs_threats() {
            put(10, fives(mover, sizes[mover] + 1, pass.sets(unit, mover)));
            for sets in pass.grown_sets(unit) {
                if let Some(reference) = fives(mover, sizes[mover] + 1, sets) {
                    put(UNIT_HIGH + split_high + 8 + 2 * grown, Some(reference));
                    grown += 1;
                }
            }
        }
        words[3] = (high | outer << 8 | grown << 16) as u32;
    }

    /// Returns a reference to the fives of a player's sets of `size` elements. These sets contain
    /// the high sockets `high` and the sockets `outer` of the outer cycle. Returns `None` if no set
    /// of this size does.
    fn five_reference(
        &self,
        parity: u8,
        player: usize,
        size: usize,
        (high, outer): (u32, u8),
    ) -> Option<[u32; 2]> {
        let (unit, _, by, at) = self.chains.tables.find(size, high, outer)?;
        let start = self.five_starts[player][size][usize::from(parity)];
        let counts = [size - (high.count_ones() + outer.count_ones()) as usize, 0];
        Some([word(start + at), self.tables.shape_of(unit, counts) << 2 | u32::from(by)])
    }

    /// Adds the words of a pass's groups and the step of the pass to `batch`. The words of the
    /// units have already been added.
    fn finish(&self, pass: &SlicePass, units_at: usize, groups: &[u32], batch: &mut Batch) {
        let split = self.chains.frame.split;
        let tables = self.tables.words.len();
        let (units_at, groups_at) = (tables + units_at, tables + batch.words.len());
        let count = groups.len() as u32;
        batch.words.extend_from_slice(groups);
        let (rule, seed) = match pass.kind {
            SliceRule::Back { seed } => (pass.combine as u32, seed as u32),
            // The shader numbers its rules for leaves in the order of `Leaf`, starting with 4.
            SliceRule::Leaves(leaf) => (4 + leaf as u32, 0),
        };
        let before = if self.chains.rules.place == Place::Turn { BEFORE } else { 0 };
        let parameters: [u32; PARAMETERS] = [
            groups_at as u32,
            count,
            units_at as u32,
            self.unit_words() as u32,
            self.tables.shapes_at,
            self.tables.classes_at,
            split.low as u32,
            split.inner as u32,
            split.high as u32,
            pass.mover as u32,
            rule,
            pass.turns().index() as u32,
            u32::from(pass.next.is_some()),
            seed,
            u32::from(pass.needs_fives()),
            if pass.needs_threats() { BY_PLACEMENT } else { before },
        ];
        let groups = [count.min(MOST_GROUPS), count.div_ceil(MOST_GROUPS)];
        batch.steps.push(Step::Pass { parameters, groups });
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

/// Converts the index of a line to a word. The index always fits, because 2^32 lines would take 256
/// GB.
fn word(line: u64) -> u32 {
    u32::try_from(line).expect("a device has fewer lines")
}
