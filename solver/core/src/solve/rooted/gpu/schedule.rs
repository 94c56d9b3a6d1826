//! What a graphics processor does for one chain: passes, each over units of one slice, in batches.
//!
//! A pass computes many units at the same time, so none of them may be written where another one
//! reads. Where two slices fit side by side, each slice is one pass; where memory is short they
//! overlap as on the processor (see [`Plan`]), and a pass ends before the lines that it still reads.

use super::super::chain::child_place;
use super::super::context::{Chains, Exchange, Kind, SlicePass};
use super::super::plan::{Plan, PlannedSlice, counts};
use super::super::win_tables::WinTables;
use super::tables::ShaderTables;
use crate::index::rooted::cycles::{Orbits, free, placed};
use crate::index::rooted::layout::{Unit, UnitShape};
use crate::index::rooted::low::Player;
use crate::index::{Frame, Layout};
use crate::kernel::{Leaf, Pack};
use crate::rules::Place;
use crate::threads;
use pentago_base::lock;
use pentago_gpu::{Batch, LINE_BYTES, Limits, PARAMETERS, Step};
use std::ops::Range;
use std::sync::Mutex;

/// Lines of a group of invocations, as in the shader.
const GROUP_LINES: u64 = 32;
/// A group is a unit's number and, in this many bits, which of its lines.
const GROUP_BITS: u32 = 9;
/// Groups along one axis of a dispatch.
const MOST_GROUPS: u32 = 65_535;

/// What P is: see the shader.
const BY_PLACEMENT: u32 = 1;
const BEFORE: u32 = 2;

/// Words before the references of a unit: see the shader.
const UNIT_HIGH: usize = 12;

/// Passes of a batch.
pub(super) const MOST_PASSES: usize = 512;
/// Words of a batch, 16 MB: a part for the units of a pass and their groups, and as much again is left
/// when the last pass of a batch begins.
pub(super) const MOST_WORDS: usize = 1 << 22;
const PASS_WORDS: usize = MOST_WORDS / 4;

/// Units that a thread writes at a time.
const UNITS_AT_ONCE: usize = 64;

/// Boards from which on a graphics processor is worth the transfer, where it isn't asked for: fewer take
/// the processor a second (`bench/README.md#work-for-graphics-processors`).
const WORTH_BOARDS: u64 = 200_000_000;

/// How the work is cut, and when it is done there. Smaller than a processor needs only for tests, which
/// see every border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// Bytes of a piece of memory at most.
    pub piece: u64,
    /// Lines of two slices that are kept side by side at most.
    pub beside: u64,
    /// Lines that a batch computes before the next one begins, and progress is told.
    pub batch: u64,
    /// Bytes of lines at most; more is refused.
    pub memory: u64,
    /// Boards of the smallest solution that is made there without being asked for.
    pub worth: u64,
    /// Whether a program that plays a graphics processor is as good as one.
    pub software: bool,
}

impl Default for Cuts {
    fn default() -> Cuts {
        // `bench/README.md#work-for-graphics-processors`
        let (piece, memory) = (u64::MAX, u64::MAX);
        Cuts { piece, beside: 1 << 24, batch: 1 << 24, memory, worth: WORTH_BOARDS, software: false }
    }
}

impl Cuts {
    /// What a device with these limits can hold where the work is cut like this.
    pub(super) fn bound(self, limits: Limits) -> Limits {
        Limits { binding: limits.binding.min(self.piece.max(LINE_BYTES)), ..limits }
    }

    /// Where the slices 0 to `last` lie on the device.
    pub fn plan<'f>(self, frame: &'f Frame, last: usize) -> Plan<'f> {
        let beside = Plan::side_by_side(frame, last);
        if beside.arena <= self.beside { beside } else { Plan::new(frame, last, usize::MAX) }
    }
}

/// Where each of the [`WinTables`] begins, in lines, where they lie one after the other.
pub(super) struct FivesAt {
    starts: [Vec<[u64; 2]>; 2],
    /// All lines.
    pub lines: u64,
}

impl FivesAt {
    pub fn new(tables: &WinTables) -> FivesAt {
        let mut at = FivesAt { starts: Default::default(), lines: 0 };
        for player in 0..2 {
            for of_size in tables.of_player(player) {
                let starts = of_size.each_ref().map(|lines| {
                    at.lines += lines.len() as u64;
                    at.lines - lines.len() as u64
                });
                at.starts[player].push(starts);
            }
        }
        at
    }

    /// All tables in their order.
    pub fn each<'t>(tables: &'t WinTables) -> impl Iterator<Item = &'t [Pack]> {
        (0..2).flat_map(|player| tables.of_player(player)).flatten().map(Vec::as_slice)
    }
}

/// What a pass computes.
#[derive(Default)]
struct Drawn {
    lines: u64,
    boards: u64,
}

/// The batches of one chain, each with the number of its boards.
pub(super) struct Schedule<'a> {
    pub chains: &'a Chains<'a>,
    pub chain: Player,
    /// The depth of the solution.
    pub plies: usize,
    pub tables: &'a ShaderTables,
    pub fives: &'a FivesAt,
    pub cuts: Cuts,
    /// Slices that are done, from the last one, and units of the next.
    pub slices: usize,
    pub units: u64,
}

impl<'a> Schedule<'a> {
    /// Makes the next batch: its boards, or none if all is done.
    pub fn next(&mut self, batch: &mut Batch) -> Option<u64> {
        batch.words.clear();
        batch.steps.clear();
        let (chains, plan) = (self.chains, self.chains.plan);
        let (mut lines, mut boards) = (0, 0);
        let mut slices = plan.slices.iter().rev().skip(self.slices.saturating_sub(1));
        let mut next = if self.slices > 0 { slices.next() } else { None };
        for slice in slices {
            let pass = chains.pass(self.chain, self.plies, slice, next, Exchange::default());
            while self.units < slice.layout.units() {
                if lines >= self.cuts.batch
                    || batch.words.len() > MOST_WORDS - PASS_WORDS
                    || batch.steps.len() >= MOST_PASSES
                {
                    return Some(boards);
                }
                let drawn = self.draw(&pass, batch);
                lines += drawn.lines;
                boards += drawn.boards;
            }
            batch.steps.extend(self.reads(slice).map(|line| Step::Read { line: slice.base + line }));
            self.slices += 1;
            self.units = 0;
            next = Some(slice);
        }
        (!batch.steps.is_empty()).then_some(boards)
    }

    /// The lines of a slice that are read back: the root, and where its children stand.
    fn reads(&self, slice: &PlannedSlice) -> impl Iterator<Item = u64> {
        let (frame, layout) = (self.chains.frame, &slice.layout);
        let of_children = if slice.plies == 1 { self.chains.root.empty.len() } else { 0 };
        let of_root = usize::from(slice.plies == 0);
        let children = (0..of_children).map(move |i| child_place(frame, layout, i).0);
        children.chain(std::iter::repeat_n(0, of_root))
    }

    /// Adds a pass: as many of the next units as one can compute.
    fn draw(&mut self, pass: &SlicePass, batch: &mut Batch) -> Drawn {
        let (slice, layout) = (pass.slice, &pass.slice.layout);
        let mut drawn = Drawn::default();
        let mut groups = Vec::new();
        let first = layout.unrank(self.units);
        // The lines of the next slice that this pass reads.
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
            let enough = words > PASS_WORDS / 2 || drawn.lines >= self.cuts.batch;
            if !units.is_empty() && (enough || overlap(&(start..at + shape.lines), &live)) {
                break;
            }
            debug_assert!(!overlap(&(start..at + shape.lines), &live), "the plan leaves room for a unit");
            assert!(shape.lines <= GROUP_LINES << GROUP_BITS);
            let number = (units.len() as u32) << GROUP_BITS;
            groups.extend((0..shape.lines.div_ceil(GROUP_LINES)).map(|i| number | i as u32));
            units.push((unit, shape, at));
            drawn.lines += shape.lines;
            drawn.boards += shape.boards;
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
        drawn
    }

    /// Words of a unit: those before the references, the high children, the outer ones, and the grown
    /// sets by either.
    fn unit_words(&self) -> usize {
        let high = self.chains.frame.split.high;
        UNIT_HIGH + high + 8 + 2 * (high + 4)
    }

    /// Writes what the shader has to know of a unit.
    fn unit(&self, pass: &SlicePass, unit: Unit, shape: &UnitShape, at: u64, words: &mut [u32]) {
        let Chains { frame, .. } = *self.chains;
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let layout = &pass.slice.layout;
        let counts_of = |layout: &Layout, unit| layout.inner_counts(unit).expect("the slice has this unit");
        let number = self.tables.shape_of(unit, counts_of(layout, unit));
        words[0] = word(at);
        words[1] = shape.lines as u32;
        words[2] = self.tables.boards_of(number);

        let state = unit.outer();
        let of = |player: usize| state >> (4 * player) & 15;
        let free_high = bits(!(unit.high[0] | unit.high[1]) & ((1u64 << frame.split.high) - 1) as u32);
        let free_outer = bits(u32::from(free(state, frame.split.outer)));
        let [mut high, mut outer, mut grown] = [0; 3];
        if let Some(next) = pass.next {
            let reference = |child: Unit, by: u8| {
                let number = self.tables.shape_of(child, counts_of(&next.layout, child));
                [word(next.base + next.layout.offset(child)), number << 2 | u32::from(by)]
            };
            for bit in free_high.clone() {
                let mut child = unit;
                child.high[mover] |= bit;
                words[UNIT_HIGH + high] = reference(child, 0)[0];
                high += 1;
            }
            for bit in free_outer.clone() {
                let (orbit, by) = Orbits::get(1).of[usize::from(placed(state, mover, bit as u8))];
                let child = Unit { orbit, ..unit };
                if next.layout.shape(child).is_some() {
                    let at = UNIT_HIGH + frame.split.high + 2 * outer;
                    words[at..at + 2].copy_from_slice(&reference(child, by));
                    outer += 1;
                }
            }
            if next.layout.shape(unit).is_some() {
                words[4..6].copy_from_slice(&reference(unit, 0));
            }
        }
        let sizes = counts(pass.slice.plies);
        let fives = |player: usize, size, high: u32, outer: u8| {
            let (unit, by, at) = self.chains.tables.place(size, high, outer)?;
            let start = self.fives.starts[player][size][usize::from(pass.parity)];
            let counts = [size - (high.count_ones() + outer.count_ones()) as usize, 0];
            Some([word(start + at), self.tables.shape_of(unit, counts) << 2 | u32::from(by)])
        };
        let mut put = |at: usize, reference: Option<[u32; 2]>| {
            words[at..at + 2].copy_from_slice(&reference.unwrap_or_default());
        };
        put(6, fives(mover, sizes[mover], unit.high[mover], of(mover)));
        put(8, fives(other, sizes[other], unit.high[other], of(other)));
        if pass.needs_threats() {
            put(10, fives(mover, sizes[mover] + 1, unit.high[mover], of(mover)));
            let by_high = free_high.map(|bit| (unit.high[mover] | bit, of(mover)));
            let by_outer = free_outer.map(|bit| (unit.high[mover], of(mover) | bit as u8));
            for (set, of_outer) in by_high.chain(by_outer) {
                if let Some(reference) = fives(mover, sizes[mover] + 1, set, of_outer) {
                    put(UNIT_HIGH + frame.split.high + 8 + 2 * grown, Some(reference));
                    grown += 1;
                }
            }
        }
        words[3] = (high | outer << 8 | grown << 16) as u32;
    }

    /// Adds the groups of a pass, whose units are at the end of the words, and the step.
    fn finish(&self, pass: &SlicePass, units_at: usize, groups: &[u32], batch: &mut Batch) {
        let split = self.chains.frame.split;
        let tables = self.tables.words.len();
        let (units_at, groups_at) = (tables + units_at, tables + batch.words.len());
        let count = groups.len() as u32;
        batch.words.extend_from_slice(groups);
        let (rule, seed) = match pass.kind {
            Kind::Back { seed } => (pass.combine as u32, seed as u32),
            Kind::Leaves(leaf) => (4 + leaf_number(leaf), 0),
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

/// The number of a leaf, as the shader counts them.
fn leaf_number(leaf: Leaf) -> u32 {
    match leaf {
        Leaf::Won => 0,
        Leaf::NotLost => 1,
        Leaf::NotBehind => 2,
        Leaf::NotUnanswered => 3,
        Leaf::NotUnansweredNorBoth => 4,
    }
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

/// A line's number in a word: a device holds fewer than 2^32 lines, 256 GB.
fn word(line: u64) -> u32 {
    u32::try_from(line).expect("a device has fewer lines")
}

/// The bits of a set, lowest first, each as a set of one.
fn bits(set: u32) -> impl Iterator<Item = u32> + Clone {
    (0..32).map(move |i| set & 1 << i).filter(|&bit| bit != 0)
}
