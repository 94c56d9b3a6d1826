//! Computes one unit of a slice, array by array. For each array, finds the inputs (children, masks
//! of five in a row, threats) and runs the kernel.

use super::context::{Chains, GroupExchange, SlicePass, SliceRule, bits};
use super::plan::counts;
use super::win_tables::UnitArrays;
use crate::index::rooted::cycles::{CycleState, Orbits, free, placed};
use crate::index::rooted::layout::{NO_ARRAY, Unit, UnitShape};
use crate::index::rooted::low::{Class, MAX_CLASS, MAX_LOW, MAX_SUBSETS};
use crate::kernel::{ArrayList, ArrayOut, NextSlice, Pack, Passes, Shifted, Step};
use crate::rules::Place;
use crate::solve::SolveError;

/// The panic message for a missing array of a child.
const CHILD: &str = "a free socket has a child in the next slice";

/// One line for each subset of the low sockets that one player's marbles can occupy.
type Subsets = [Pack; MAX_SUBSETS];

/// The buffers that one thread reuses for each unit.
pub(super) struct UnitBuffers {
    /// The threats on low sockets. Indexed by d, the number of the other player's marbles on low
    /// sockets, then by the line of the board. `has_threats` is `true` for each d whose threats
    /// have been computed.
    threats: Vec<[Pack; MAX_CLASS]>,
    has_threats: [bool; MAX_LOW + 1],
    /// Two tables, indexed by the mover's subset of the low sockets. `outer_threats` has the
    /// threats on high sockets and on the outer cycle. `mover_threats` has the union of these
    /// threats with the threats on the inner cycle.
    outer_threats: Subsets,
    mover_threats: Subsets,
    /// The fives of the mover, indexed by the mover's low subset, and the fives of the other
    /// player, indexed by that player's low subset. The buffers are used only if the lines must be
    /// shifted.
    mover_fives: Subsets,
    other_fives: Subsets,
    /// Lists whose memory is reused for each unit or array.
    tasks: Vec<ArrayTask>,
    lists: [ArrayList<'static>; 3],
}

impl UnitBuffers {
    /// Creates buffers of the maximum size, without contents.
    pub fn new() -> UnitBuffers {
        let subsets = [Pack::default(); MAX_SUBSETS];
        UnitBuffers {
            threats: vec![[Pack::default(); MAX_CLASS]; MAX_LOW + 1],
            has_threats: [false; MAX_LOW + 1],
            outer_threats: subsets,
            mover_threats: subsets,
            mover_fives: subsets,
            other_fives: subsets,
            tasks: Vec::new(),
            lists: Default::default(),
        }
    }
}

/// Reads the children of a unit that belong to other groups into `into`, one after the other. Each
/// child has `lines` lines.
pub(super) fn fetch(
    into: &mut Vec<Pack>,
    exchange: &GroupExchange,
    index: u64,
    lines: u64,
) -> Result<(), SolveError> {
    if let (Some(spill), units @ 1..) = (exchange.spill, exchange.children.len()) {
        // A unit fits in memory, so its number of lines fits in `usize`.
        let lines = lines as usize;
        into.reserve_exact((lines * units).saturating_sub(into.len()));
        into.resize(lines * units, Pack::default());
        for (&child, into) in exchange.children.iter().zip(into.chunks_exact_mut(lines)) {
            spill.get(child, index, into)?;
        }
    }
    Ok(())
}

/// An array to be computed. The mover has c marbles on low sockets, and the other player has d.
#[derive(Clone, Copy)]
struct ArrayTask {
    state: CycleState,
    of_mover: u8,
    of_other: u8,
    c: usize,
    d: usize,
}

/// Returns the array if it isn't shifted. Otherwise copies its first lines into `buffer` in shifted
/// order, and returns `None`.
fn in_place<'a>(
    passes: Passes,
    (array, by): Shifted<'a>,
    buffer: &mut [Pack],
    list: &mut ArrayList<'a>,
) -> Option<&'a [Pack]> {
    if by == 0 {
        return Some(array);
    }
    list.begin(buffer.len());
    list.push_shifted((array, by));
    passes.unite(buffer, list);
    None
}

/// The inputs that the arrays of one unit share.
pub(super) struct UnitPass<'a> {
    pass: &'a SlicePass<'a>,
    unit: Unit,
    shape: &'a UnitShape,
    /// Both players' numbers of marbles on the inner cycle and the low sockets.
    counts: [usize; 2],
    /// The tables of fives that the unit needs. `mover_fives` has the mover's present fives.
    /// `grown_inside` has the mover's fives after one more marble on the inner cycle or a low
    /// socket. `grown_outside` has the mover's fives after one more marble on any other free
    /// socket. `other_fives` has the other player's present fives.
    mover_fives: Option<UnitArrays<'a>>,
    grown_inside: Option<UnitArrays<'a>>,
    grown_outside: Vec<UnitArrays<'a>>,
    other_fives: Option<UnitArrays<'a>>,
    /// The children of the unit. In `high`, the new marble is on a high socket, and the children
    /// have the same shape as the unit. In `outer`, the new marble is on the outer cycle. In
    /// `inside`, the new marble is on any other socket.
    high: Vec<&'a [Pack]>,
    outer: Vec<UnitArrays<'a>>,
    inside: Option<UnitArrays<'a>>,
}

impl<'a> UnitPass<'a> {
    /// Finds the inputs that the arrays of a unit share. `lines` is the part of the next slice that
    /// the unit may read. `fetched` has the children that belong to other groups.
    pub fn new(
        pass: &'a SlicePass<'a>,
        unit: Unit,
        shape: &'a UnitShape,
        lines: NextSlice<'a>,
        fetched: &'a [Pack],
    ) -> UnitPass<'a> {
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let sizes = counts(pass.slice.plies);
        let fives = |player: usize, size, (high, outer): (u32, u8)| {
            pass.chains.tables.unit(player, size, pass.parity, high, outer)
        };
        let mut this = UnitPass {
            pass,
            unit,
            shape,
            counts: pass.slice.layout.inner_counts(unit).expect("the slice has this unit"),
            mover_fives: fives(mover, sizes[mover], pass.sets(unit, mover)),
            other_fives: fives(other, sizes[other], pass.sets(unit, other)),
            grown_inside: None,
            grown_outside: Vec::new(),
            high: Vec::new(),
            outer: Vec::new(),
            inside: None,
        };
        if pass.needs_threats() {
            let size = sizes[mover] + 1;
            this.grown_inside = fives(mover, size, pass.sets(unit, mover));
            let grown = pass.grown_sets(unit).filter_map(|sets| fives(mover, size, sets));
            this.grown_outside.extend(grown);
        }
        if let Some(next) = pass.next {
            let lines = |unit: Unit, shape: &UnitShape| {
                lines.lines(next.base + next.layout.offset(unit), shape.lines)
            };
            this.high.extend(pass.high_children(unit).map(|child| lines(child, shape)));
            let outer = |(child, shape, by)| UnitArrays { lines: lines(child, shape), shape, by };
            this.outer.extend(pass.outer_children(unit).map(outer));
            let inside = |shape| UnitArrays { lines: lines(unit, shape), shape, by: 0 };
            this.inside = next.layout.shape(unit).map(inside);
        }
        if !pass.exchange.children.is_empty() {
            this.high.extend(fetched.chunks_exact(shape.lines as usize));
        }
        this
    }

    /// Computes all arrays of the unit.
    pub fn run(&self, out: &mut ArrayOut, buffers: &mut UnitBuffers) {
        self.list_tasks(&mut buffers.tasks);
        let tasks = std::mem::take(&mut buffers.tasks);
        let [mut children, mut next_children, mut list] =
            std::mem::take(&mut buffers.lists).map(ArrayList::recycled);
        if let Some(&first) = tasks.first() {
            self.find_children(first, &mut next_children);
        }
        let mut of_mover = u8::MAX;
        let mut mover_fives = None;
        for (i, &task) in tasks.iter().enumerate() {
            if task.of_mover != of_mover {
                of_mover = task.of_mover;
                mover_fives = self.begin_mover(task, buffers, &mut list);
            }
            std::mem::swap(&mut children, &mut next_children);
            match tasks.get(i + 1) {
                Some(&next) => self.find_children(next, &mut next_children),
                None => next_children.begin(0),
            }
            list = self.array(task, [&children, &next_children], mover_fives, out, buffers, list);
        }
        buffers.tasks = tasks;
        buffers.lists = [children, next_children, list].map(ArrayList::recycled);
    }

    /// Computes the inputs that depend only on the mover's subset of the inner cycle. Returns the
    /// mover's fives, or `None` if the fives are not needed or were shifted into `buffers`.
    fn begin_mover(
        &self,
        task: ArrayTask,
        buffers: &mut UnitBuffers,
        list: &mut ArrayList<'a>,
    ) -> Option<&'a [Pack]> {
        let Chains { frame, passes, .. } = *self.pass.chains;
        let subsets = frame.low().class(task.c, 0).len;
        if self.pass.needs_threats() {
            buffers.has_threats = [false; MAX_LOW + 1];
            list.begin(subsets);
            for array in self.grown_outside.iter().filter_map(|unit| unit.array(task.of_mover)) {
                list.push_shifted(array);
            }
            passes.unite(&mut buffers.outer_threats[..subsets], list);
        }
        if !self.pass.needs_fives() {
            return None;
        }
        let fives = self.mover_fives.and_then(|unit| unit.array(task.of_mover));
        let fives = fives.expect("the subsets of a board are in the tables");
        in_place(passes, fives, &mut buffers.mover_fives[..subsets], list)
    }

    /// Lists the arrays of the unit. Arrays with the same marbles of the mover on the inner cycle
    /// are adjacent in the list.
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
        let low = self.pass.chains.frame.low();
        if self.pass.mover == 0 { low.class(task.c, task.d) } else { low.class(task.d, task.c) }
    }

    /// Lists the children of an array, except for those with the new marble on a low socket.
    fn find_children(&self, task: ArrayTask, list: &mut ArrayList<'a>) {
        list.begin(self.class(task).len);
        let at = self.shape.arrays[usize::from(task.state)].0 as usize;
        for unit in &self.high {
            list.push(&unit[at..]);
        }
        for children in &self.outer {
            list.push_shifted(children.array(task.state).expect(CHILD));
        }
        if let Some(children) = &self.inside {
            for bit in bits(u32::from(free(task.state, self.pass.chains.frame.split.inner))) {
                let state = placed(task.state, self.pass.mover, bit as u8);
                list.push_shifted(children.array(state).expect(CHILD));
            }
        }
    }

    /// Computes one array, and prefetches the children of the following array.
    fn array<'l>(
        &self,
        task: ArrayTask,
        [children, next]: [&ArrayList; 2],
        mover_fives: Option<&[Pack]>,
        out: &mut ArrayOut,
        buffers: &mut UnitBuffers,
        list: ArrayList<'l>,
    ) -> ArrayList<'l> {
        let pass = self.pass;
        let Chains { frame, passes, .. } = *pass.chains;
        let (mover, other) = (pass.mover, 1 - pass.mover);
        let ArrayTask { state, of_other, c, d, .. } = task;
        let at = self.shape.arrays[usize::from(state)].0 as usize;
        let class = self.class(task);
        let low = (pass.next.is_some() && frame.split.low > c + d).then(|| {
            let inside = self.inside.and_then(|inside| inside.array(state)).expect(CHILD);
            (inside.0, &class.children[mover])
        });

        let (in_mover_threats, list) = self.find_threats(task, class, buffers, list);
        let mut list = list.recycled();
        let threats = &mut buffers.threats[d][..class.len];
        let mut mover_threats: &[Pack] =
            if in_mover_threats { &buffers.mover_threats } else { &buffers.outer_threats };
        let mover_fives = mover_fives.unwrap_or(&buffers.mover_fives);
        if pass.chains.rules.place == Place::Turn {
            // With `place=turn`, a placement doesn't win before the turn, so only the present fives
            // count.
            threats.fill(Pack::default());
            mover_threats = mover_fives;
        }
        let other_fives = self.other_fives.and_then(|unit| unit.array(of_other));
        let other_fives = other_fives.expect("the subsets of a board are in the tables");
        let others = frame.low().class(d, 0).len;
        let other_fives = in_place(passes, other_fives, &mut buffers.other_fives[..others], &mut list);
        let step = Step {
            out: out.array(at, class.len),
            children,
            none: if let SliceRule::Back { seed } = pass.kind { seed } else { 0 },
            next,
            low,
            threats,
            mover_threats,
            mover_fives,
            mover_offsets: &class.subset[mover],
            other_fives: other_fives.unwrap_or(&buffers.other_fives),
            other_offsets: &class.subset[other],
        };
        match pass.kind {
            SliceRule::Leaves(leaf) => passes.leaves(leaf, &step),
            SliceRule::Back { .. } => passes.step(pass.turns(), pass.combine, &step),
        }
        list.recycled()
    }

    /// If the slice needs threats, computes the threats of an array on low sockets and on all other
    /// sockets. Returns `true` if the threats on other sockets are in `mover_threats`, and `false`
    /// if they are in `outer_threats`.
    fn find_threats<'l>(
        &self,
        task: ArrayTask,
        class: &Class,
        buffers: &mut UnitBuffers,
        list: ArrayList<'l>,
    ) -> (bool, ArrayList<'l>) {
        if !self.pass.needs_threats() {
            return (false, list);
        }
        let Chains { frame, passes, .. } = *self.pass.chains;
        let ArrayTask { state, of_mover, c, d, .. } = task;
        if !buffers.has_threats[d] {
            buffers.has_threats[d] = true;
            let threats = &mut buffers.threats[d][..class.len];
            let grown = self.grown_inside.and_then(|unit| unit.array(of_mover));
            match grown.filter(|_| frame.split.low > c + d) {
                Some(array) => passes.unite_gathered(threats, array, &class.grown[self.pass.mover]),
                None => threats.fill(Pack::default()),
            }
        }
        let free_inner = u32::from(free(state, frame.split.inner));
        if free_inner == 0 {
            return (false, list);
        }
        let subsets = frame.low().class(c, 0).len;
        let mut list = list.recycled();
        list.begin(subsets);
        list.push(&buffers.outer_threats);
        if let Some(unit) = self.grown_inside {
            let arrays = bits(free_inner).filter_map(|bit| unit.array(of_mover | bit as u8));
            arrays.for_each(|array| list.push_shifted(array));
        }
        passes.unite(&mut buffers.mover_threats[..subsets], &list);
        (true, list.recycled())
    }
}
