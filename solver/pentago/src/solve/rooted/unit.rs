//! One unit of a slice, array by array: finds what each array needs (children, five-in-a-row masks, threats) and runs the
//! kernel over it.

#![allow(unsafe_code)]

use super::chain::Chains;
use super::plan::counts;
use super::slice::{Exchange, Kind, SlicePass};
use super::win_tables::WinUnit;
use crate::index::rooted::layout::{CycleState, NO_ARRAY, Orbits, Unit, UnitShape, free, placed, shifted};
use crate::index::rooted::low::{Class, MAX_CLASS, MAX_LOW, MAX_SUBSETS};
use crate::kernel::{Arrays, Kernel, Pack, Shifted, Step, Turns};
use crate::rules::Dir;
use crate::solve::Stopped;

/// Slices with fewer lines stay in the caches until they are read: 16 MB.
const CACHED_LINES: u64 = 1 << 18;

/// A thread's buffers.
pub(super) struct UnitBuffers {
    /// By d, the other player's marbles on low sockets: the threats of the boards of class (c, d) on low sockets.
    threats: Vec<[Pack; MAX_CLASS]>,
    has_threats: [bool; MAX_LOW + 1],
    /// By low subset of the mover: threats on the high sockets and the outer cycle, then those on the inner one too.
    outer_threats: [Pack; MAX_SUBSETS],
    mover_threats: [Pack; MAX_SUBSETS],
    /// By low subset of the mover, and of the other player: fives that had to be shifted into place.
    mover_fives: [Pack; MAX_SUBSETS],
    mover_fives_at: *const Pack,
    other_fives: [Pack; MAX_SUBSETS],
    /// Lists that are filled anew for every unit or array.
    grown: ArrayList,
    tasks: Vec<ArrayTask>,
    /// The children of the array at hand and of the next one, but for those by low sockets.
    children: ArrayList,
    next_children: ArrayList,
    /// The units with the children by top sockets, one after the other.
    fetched: Vec<Pack>,
    fetched_units: usize,
}

/// One array to be computed: c and d marbles of the mover and of the other player on low sockets.
#[derive(Clone, Copy)]
struct ArrayTask {
    state: CycleState,
    of_mover: u8,
    of_other: u8,
    c: usize,
    d: usize,
}

/// A list of arrays to be united.
#[derive(Default)]
struct ArrayList {
    straight: Vec<*const Pack>,
    shifted: Vec<Shifted>,
}

impl ArrayList {
    fn clear(&mut self) {
        self.straight.clear();
        self.shifted.clear();
    }

    fn push(&mut self, (array, by): Shifted) {
        if by == 0 {
            self.straight.push(array);
        } else {
            self.shifted.push((array, by));
        }
    }

    /// The list; each array has `len` lines.
    fn arrays(&self, len: usize) -> Arrays<'_> {
        Arrays { straight: &self.straight, shifted: &self.shifted, len }
    }
}

/// The array where it stands in place, or else a copy of it in the buffer.
///
/// # Safety
/// The array has `len` lines, at most those of the buffer.
unsafe fn in_place(
    kernel: Kernel,
    (array, by): Shifted,
    len: usize,
    buffer: &mut [Pack; MAX_SUBSETS],
) -> *const Pack {
    if by == 0 {
        return array;
    }
    unsafe { kernel.unite(buffer.as_mut_ptr(), Arrays { straight: &[], shifted: &[(array, by)], len }) };
    buffer.as_ptr()
}

impl UnitBuffers {
    /// Finds what the arrays of a unit share.
    pub fn new() -> UnitBuffers {
        let subsets = [Pack::default(); MAX_SUBSETS];
        UnitBuffers {
            threats: vec![[Pack::default(); MAX_CLASS]; MAX_LOW + 1],
            has_threats: [false; MAX_LOW + 1],
            outer_threats: subsets,
            mover_threats: subsets,
            mover_fives: subsets,
            mover_fives_at: std::ptr::null(),
            other_fives: subsets,
            grown: ArrayList::default(),
            tasks: Vec::new(),
            children: ArrayList::default(),
            next_children: ArrayList::default(),
            fetched: Vec::new(),
            fetched_units: 0,
        }
    }

    /// Gets the children of unit `index`, of `lines` lines, that are in other groups.
    pub fn fetch(&mut self, exchange: &Exchange, index: u64, lines: usize) -> Result<(), Stopped> {
        self.fetched_units = exchange.children.len();
        self.fetched.resize(lines * self.fetched_units, Pack::default());
        if let Some(spill) = exchange.spill {
            for (&child, into) in exchange.children.iter().zip(self.fetched.chunks_exact_mut(lines)) {
                spill.get(child, index, into)?;
            }
        }
        Ok(())
    }
}

/// A unit of the next slice that holds children of the unit at hand.
struct Children<'a> {
    start: *const Pack,
    shape: &'a UnitShape,
    /// How far its least state is shifted against the child's.
    by: u8,
}

impl Children<'_> {
    /// The array of the children with this state of the inner cycle.
    #[inline]
    fn array(&self, inner: CycleState) -> Shifted {
        let (at, by) = self.shape.arrays[usize::from(shifted(inner, 4 - self.by))];
        // SAFETY: a child's array is there, and lies in its unit.
        (unsafe { self.start.add(at as usize) }, (self.by + by) % 4)
    }
}

/// The computation of one unit: what its arrays share.
pub(super) struct UnitPass<'a> {
    pass: &'a SlicePass<'a>,
    unit: Unit,
    shape: &'a UnitShape,
    /// Where it begins in the arena.
    start: u64,
    /// Marbles of both players on the inner cycle and low sockets.
    counts: [usize; 2],
    /// The mover's fives, those with one marble more on the inner cycle or low sockets, and those with one more on any
    /// other free socket; the other player's fives.
    mover_fives: Option<WinUnit<'a>>,
    grown_inside: Option<WinUnit<'a>>,
    grown_outside: Vec<WinUnit<'a>>,
    other_fives: Option<WinUnit<'a>>,
    /// Children by high sockets: units just like this one. By sockets of the outer cycle. By all others.
    high: Vec<*const Pack>,
    outer: Vec<Children<'a>>,
    inside: Option<Children<'a>>,
}

impl<'a> UnitPass<'a> {
    /// `scratch` holds the children of the unit that are in other groups.
    pub fn new(
        pass: &'a SlicePass<'a>,
        unit: Unit,
        shape: &'a UnitShape,
        start: u64,
        scratch: &UnitBuffers,
    ) -> UnitPass<'a> {
        let Chains { frame, tables, .. } = *pass.chains;
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let sizes = counts(pass.slice.plies);
        let state = unit.outer();
        let of = |player: usize, state: CycleState| state >> (4 * player) & 15;
        let free_high = !(unit.high[0] | unit.high[1]) & ((1u64 << frame.split.high) - 1) as u32;
        let free_outer = free(state, frame.split.outer);
        let mut this = UnitPass {
            pass,
            unit,
            shape,
            start,
            counts: pass.slice.layout.inner_counts(unit).expect("the slice has this unit"),
            mover_fives: tables.unit(mover, sizes[mover], pass.parity, unit.high[mover], of(mover, state)),
            other_fives: tables.unit(other, sizes[other], pass.parity, unit.high[other], of(other, state)),
            grown_inside: None,
            grown_outside: Vec::new(),
            high: Vec::new(),
            outer: Vec::new(),
            inside: None,
        };
        if pass.needs_threats() {
            let grown = |high: u32, outer: u8| {
                tables.unit(
                    mover,
                    sizes[mover] + 1,
                    pass.parity,
                    unit.high[mover] | high,
                    of(mover, state) | outer,
                )
            };
            this.grown_inside = grown(0, 0);
            this.grown_outside.extend(bits(free_high).filter_map(|bit| grown(bit, 0)));
            this.grown_outside.extend(bits(u32::from(free_outer)).filter_map(|bit| grown(0, bit as u8)));
        }
        if let Some(next) = pass.next {
            let start = |unit: Unit| {
                // SAFETY: units of the next slice lie in the arena.
                unsafe { pass.arena.0.add((next.base + next.layout.offset(unit)) as usize).cast_const() }
            };
            for bit in bits(free_high & ((1 << (frame.split.high - pass.chains.plan.group.top)) - 1)) {
                let mut child = unit;
                child.high[mover] |= bit;
                this.high.push(start(child));
            }
            for bit in bits(u32::from(free_outer)) {
                let (orbit, by) = Orbits::get(1).of[usize::from(placed(state, mover, bit as u8))];
                let child = Unit { orbit, ..unit };
                if let Some(shape) = next.layout.shape(child) {
                    this.outer.push(Children { start: start(child), shape, by });
                }
            }
            this.inside = next.layout.shape(unit).map(|shape| Children { start: start(unit), shape, by: 0 });
        }
        let fetched = scratch.fetched.chunks_exact(shape.lines as usize).take(scratch.fetched_units);
        this.high.extend(fetched.map(<[Pack]>::as_ptr));
        this
    }

    /// Computes all arrays of the unit.
    pub fn run(&self, scratch: &mut UnitBuffers) {
        self.list_tasks(&mut scratch.tasks);
        let tasks = std::mem::take(&mut scratch.tasks);
        if let Some(first) = tasks.first() {
            self.find_children(*first, &mut scratch.next_children);
        }
        let mut of_mover = u8::MAX;
        for (i, &task) in tasks.iter().enumerate() {
            if task.of_mover != of_mover {
                of_mover = task.of_mover;
                self.begin_mover(task, scratch);
            }
            std::mem::swap(&mut scratch.children, &mut scratch.next_children);
            let next = tasks.get(i + 1);
            if let Some(&next) = next {
                self.find_children(next, &mut scratch.next_children);
            }
            self.array(task, next.map_or(0, |next| self.class(*next).len), scratch);
        }
        scratch.tasks = tasks;
    }

    /// Finds what is the same for all arrays with this subset of the mover on the inner cycle.
    fn begin_mover(&self, task: ArrayTask, scratch: &mut UnitBuffers) {
        let Chains { frame, kernel, .. } = *self.pass.chains;
        let subsets = frame.low.class(task.c, 0).len;
        if self.pass.needs_fives() {
            let fives = self.mover_fives.and_then(|unit| unit.array(task.of_mover));
            let fives = fives.expect("the subsets of a board are in the tables");
            // SAFETY: the array holds the mover's low subsets of size c.
            scratch.mover_fives_at = unsafe { in_place(kernel, fives, subsets, &mut scratch.mover_fives) };
        }
        if self.pass.needs_threats() {
            scratch.has_threats = [false; MAX_LOW + 1];
            scratch.grown.clear();
            for array in self.grown_outside.iter().filter_map(|unit| unit.array(task.of_mover)) {
                scratch.grown.push(array);
            }
            // SAFETY: the arrays hold the mover's low subsets of size c, and so does the buffer.
            unsafe { kernel.unite(scratch.outer_threats.as_mut_ptr(), scratch.grown.arrays(subsets)) };
        }
    }

    /// The arrays of the unit, those with the same subset of the mover one after the other.
    fn list_tasks(&self, tasks: &mut Vec<ArrayTask>) {
        let split = self.pass.chains.frame.split;
        let mover = self.pass.mover;
        let all = ((1u32 << split.inner) - 1) as u8;
        let orbits = Orbits::get(self.unit.period());
        tasks.clear();
        for of_mover in 0..=all {
            let Some(c) = self.counts[mover].checked_sub(of_mover.count_ones() as usize) else { continue };
            if c > split.low {
                continue;
            }
            for of_other in (0..=all).filter(|o| o & of_mover == 0) {
                let state = of_mover << (4 * mover) | of_other << (4 * (1 - mover));
                let least = orbits.least[usize::from(orbits.of[usize::from(state)].0)] == state;
                if least && self.shape.arrays[usize::from(state)].0 != NO_ARRAY {
                    let d = self.counts[1 - mover] - of_other.count_ones() as usize;
                    tasks.push(ArrayTask { state, of_mover, of_other, c, d });
                }
            }
        }
    }

    fn class(&self, task: ArrayTask) -> &Class {
        let low = &self.pass.chains.frame.low;
        if self.pass.mover == 0 { low.class(task.c, task.d) } else { low.class(task.d, task.c) }
    }

    /// Finds the children of an array, but for those by low sockets.
    fn find_children(&self, task: ArrayTask, list: &mut ArrayList) {
        list.clear();
        let at = self.shape.arrays[usize::from(task.state)].0 as usize;
        // SAFETY: units by high sockets have the same arrays at the same places as this one.
        list.straight.extend(self.high.iter().map(|unit| unsafe { unit.add(at) }));
        for children in &self.outer {
            list.push(children.array(task.state));
        }
        if let Some(children) = &self.inside {
            for bit in bits(u32::from(free(task.state, self.pass.chains.frame.split.inner))) {
                list.push(children.array(placed(task.state, self.pass.mover, bit as u8)));
            }
        }
    }

    /// Computes one array; the next one has `next_len` lines.
    fn array(&self, task: ArrayTask, next_len: usize, scratch: &mut UnitBuffers) {
        let pass = self.pass;
        let Chains { frame, kernel, .. } = *pass.chains;
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let ArrayTask { state, of_mover, of_other, c, d } = task;
        let at = self.shape.arrays[usize::from(state)].0 as usize;
        let class = self.class(task);
        let free_low = frame.split.low - c - d;
        let free_inner = u32::from(free(state, frame.split.inner));
        let mut low: *const Pack = std::ptr::null();
        if pass.next.is_some() && free_low > 0 {
            low = self.inside.as_ref().expect("a free low socket has children").array(state).0;
        }

        let threats = scratch.threats[d].as_mut_ptr();
        let mut mover_threats = scratch.outer_threats.as_ptr();
        let subsets = frame.low.class(c, 0).len;
        if pass.needs_threats() {
            if !scratch.has_threats[d] {
                scratch.has_threats[d] = true;
                let grown = self.grown_inside.and_then(|unit| unit.array(of_mover)).filter(|_| free_low > 0);
                let (n, base) = grown.map_or((0, (std::ptr::null(), 0)), |array| (free_low, array));
                // SAFETY: the offsets are those of subsets with one low marble more, whose array is `grown`.
                unsafe { kernel.unite_gathered(n, threats, class.len, base, class.grown[mover].as_ptr()) };
            }
            if free_inner != 0 {
                scratch.grown.clear();
                scratch.grown.straight.push(scratch.outer_threats.as_ptr());
                if let Some(unit) = self.grown_inside {
                    let arrays = bits(free_inner).filter_map(|bit| unit.array(of_mover | bit as u8));
                    arrays.for_each(|array| scratch.grown.push(array));
                }
                // SAFETY: the arrays hold the mover's low subsets of size c, and so does the buffer.
                unsafe { kernel.unite(scratch.mover_threats.as_mut_ptr(), scratch.grown.arrays(subsets)) };
                mover_threats = scratch.mover_threats.as_ptr();
            }
        }
        let other_fives = self.other_fives.and_then(|unit| unit.array(of_other));
        let other_fives = other_fives.expect("the subsets of a board are in the tables");
        let others = frame.low.class(d, 0).len;
        // SAFETY: the array holds the other player's low subsets of size d.
        let other_fives = unsafe { in_place(kernel, other_fives, others, &mut scratch.other_fives) };
        let step = Step {
            // SAFETY: the array lies in this slice, and so in the arena.
            out: unsafe { pass.arena.0.add(self.start as usize + at) },
            len: class.len,
            children: scratch.children.arrays(class.len),
            none: if let Kind::Back { seed } = pass.kind { seed } else { 0 },
            next: scratch.next_children.arrays(next_len),
            low,
            low_offsets: class.children[mover].as_ptr(),
            threats,
            mover_threats,
            mover_fives: scratch.mover_fives_at,
            mover_offsets: class.subset[mover].as_ptr(),
            other_fives,
            other_offsets: class.subset[other].as_ptr(),
            streaming: pass.slice.layout.lines() >= CACHED_LINES && pass.exchange.result.is_none(),
        };
        // SAFETY: every pointer is valid for the lines of the class; only this thread has this unit, and nobody reads what
        // lies under it (`SlicePass::wait`).
        unsafe {
            match pass.kind {
                Kind::Leaves(leaf) => kernel.leaves(leaf, &step),
                Kind::Back { .. } => {
                    let turns = match pass.chains.rules.dir {
                        Dir::Both => Turns::Both,
                        Dir::Cw => Turns::Clockwise(pass.parity),
                    };
                    kernel.step(turns, pass.combine, if low.is_null() { 0 } else { free_low }, &step);
                }
            }
        }
    }
}

/// The bits of a set, lowest first, each as a set of one.
fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}
