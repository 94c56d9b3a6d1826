//! The layout in memory of the boards of one slice below a root.
//!
//! The e empty sockets of the root are divided into `low` ones, two *cycles* of four sockets, and
//! `high` ones. Shifting both cycles by one place (socket 0 to 1, 1 to 2, 2 to 3, 3 to 0, in both
//! at once) partitions the states of the cycles into orbits, nearly all of size four. The four
//! boards of an orbit share a cache line: place j holds the state shifted j times. Their children
//! share a cache line too, so one vector instruction handles four boards. The boards of smaller
//! orbits (a few per cent) are stored more than once in their cache line.
//!
//! An *array* consists of all cache lines with the same state of the high sockets and the cycles
//! (see [`super::low`]), a *unit* of all arrays with the same state of the high sockets and the
//! outer cycle, and a *span* of all units with the same state of the high sockets. Spans are
//! ordered by the states of their high sockets, read as ternary numbers (0 free, 1 and 2 the
//! players); units and arrays by the least state of their orbits (player 0's set, then player 1's).
//! The least state of an orbit grows with every marble, so a unit comes after all its parents: if
//! slice n is computed in this order, a unit of slice n + 1 has been read for the last time when
//! its own place in slice n is done.

use super::cycles::{CYCLE, CycleState, Orbits, marbles};
use super::low::{Low, MAX_LOW};
use std::sync::OnceLock;

/// The division of the empty sockets of a root, in this order: low, inner cycle, outer cycle, high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Sockets that vary in an array.
    pub low: usize,
    /// Sockets of the inner cycle: four, or none if fewer than four are empty.
    pub inner: usize,
    /// Sockets of the outer cycle: four, or none if fewer than eight are empty.
    pub outer: usize,
    /// Sockets whose state is fixed in a span.
    pub high: usize,
}

impl Split {
    /// Returns the division of `sockets` empty sockets.
    pub fn new(sockets: usize) -> Split {
        let inner = if sockets >= CYCLE { CYCLE } else { 0 };
        let outer = if sockets >= 2 * CYCLE { CYCLE } else { 0 };
        let low = (sockets - inner - outer).min(MAX_LOW);
        Split { low, inner, outer, high: sockets - inner - outer - low }
    }

    /// Returns the sockets that vary in a span.
    fn in_span(self) -> usize {
        self.low + self.inner + self.outer
    }
}

/// Marks a state that has no array.
pub const NO_ARRAY: u32 = u32::MAX;

/// The inside of a unit with given numbers of marbles on its inner cycle and low sockets.
#[derive(Clone, Debug, Default)]
pub struct UnitShape {
    /// By state of the inner cycle: the offset of its array in the unit, in cache lines, or
    /// [`NO_ARRAY`]; and by how much the array's boards are shifted against it.
    pub arrays: Vec<(u32, u8)>,
    /// Cache lines in the unit.
    pub lines: u64,
    /// Boards in the unit, each counted once.
    pub boards: u64,
}

/// The inside of a span with given numbers of marbles on its cycles and low sockets.
#[derive(Clone, Debug, Default)]
struct SpanShape {
    /// By orbit of the outer cycle: cache lines, boards and units before it; at the end, the
    /// totals.
    before: Vec<Sum>,
}

/// The common part of the layouts of all slices below a root.
pub struct Frame {
    /// The division of the root's empty sockets.
    pub split: Split,
    shapes: &'static Shapes,
}

/// What is inside units and spans. It depends on the sockets that vary in a span only, and is
/// computed once for each number of them.
struct Shapes {
    split: Split,
    low: &'static Low,
    /// By period of the outer cycle's state (1, 2, 4) and marbles on the inner cycle and low
    /// sockets.
    units: [Vec<UnitShape>; 3],
    /// By marbles of both players on the cycles and low sockets.
    spans: Vec<SpanShape>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    units: u64,
    lines: u64,
    boards: u64,
}

impl Sum {
    // Counts saturate for roots that fit in no memory.
    fn plus(self, other: Sum) -> Sum {
        Sum {
            units: self.units.saturating_add(other.units),
            lines: self.lines.saturating_add(other.lines),
            boards: self.boards.saturating_add(other.boards),
        }
    }
}

impl Frame {
    /// Returns the frame of a root with `sockets` empty sockets.
    pub fn new(sockets: usize) -> Frame {
        static SHAPES: [OnceLock<Shapes>; MAX_LOW + 2 * CYCLE + 1] =
            [const { OnceLock::new() }; MAX_LOW + 2 * CYCLE + 1];
        let split = Split::new(sockets);
        let shapes = SHAPES[split.in_span()].get_or_init(|| Shapes::new(split));
        Frame { split, shapes }
    }

    /// Returns the tables of the low sockets.
    #[inline]
    pub fn low(&self) -> &'static Low {
        self.shapes.low
    }

    /// Returns the unit whose outer cycle has period `period`, with `counts` marbles of both players on its
    /// inner cycle and low sockets, if that many fit.
    #[inline]
    pub fn unit(&self, period: u8, counts: [usize; 2]) -> Option<&UnitShape> {
        self.shapes.unit(period, counts)
    }

    #[inline]
    fn span(&self, counts: [usize; 2]) -> Option<&SpanShape> {
        let in_span = self.split.in_span();
        (counts[0] + counts[1] <= in_span).then(|| &self.shapes.spans[counts[0] * (in_span + 1) + counts[1]])
    }
}

impl Shapes {
    fn new(split: Split) -> Shapes {
        let low = Low::get(split.low);
        let mut shapes = Shapes { split, low, units: Default::default(), spans: Vec::new() };
        let in_unit = split.low + split.inner;
        let pairs = |most: usize| (0..=most).flat_map(move |a| (0..=most).map(move |b| [a, b]));
        for (i, period) in [1, 2, 4].into_iter().enumerate() {
            shapes.units[i] = pairs(in_unit).map(|counts| shapes.unit_shape(period, counts)).collect();
        }
        shapes.spans = pairs(split.in_span()).map(|counts| shapes.span_shape(counts)).collect();
        shapes
    }

    #[inline]
    fn unit(&self, period: u8, counts: [usize; 2]) -> Option<&UnitShape> {
        let in_unit = self.split.low + self.split.inner;
        (counts[0] + counts[1] <= in_unit)
            .then(|| &self.units[usize::from(period) / 2][counts[0] * (in_unit + 1) + counts[1]])
    }

    fn unit_shape(&self, period: u8, counts: [usize; 2]) -> UnitShape {
        let mut unit = UnitShape { arrays: vec![(NO_ARRAY, 0); 256], lines: 0, boards: 0 };
        // The inner cycle's state counts up to the shifts that leave the outer one's as it is.
        let orbits = Orbits::get(period);
        let mut starts = vec![NO_ARRAY; orbits.least.len()];
        for (number, &state) in orbits.least.iter().enumerate() {
            let used = marbles(state);
            let [Some(c), Some(d)] = [0, 1].map(|p| counts[p].checked_sub(used[p])) else { continue };
            let there = c + d <= self.split.low && (self.split.inner > 0 || state == 0);
            if there {
                let len = self.low.class(c, d).len as u64;
                starts[number] = unit.lines as u32;
                unit.lines += len;
                unit.boards += len * u64::from(orbits.period[number]);
            }
        }
        for state in 0..=255u8 {
            let (number, by) = orbits.of[usize::from(state)];
            if number != u8::MAX {
                unit.arrays[usize::from(state)] = (starts[usize::from(number)], by);
            }
        }
        unit
    }

    fn span_shape(&self, counts: [usize; 2]) -> SpanShape {
        let mut sum = Sum::default();
        let mut before = vec![sum];
        let orbits = Orbits::get(1);
        for (&state, &period) in orbits.least.iter().zip(&orbits.period) {
            let used = marbles(state);
            if let [Some(a), Some(b)] = [0, 1].map(|p| counts[p].checked_sub(used[p]))
                && (self.split.outer > 0 || state == 0)
                && let Some(unit) = self.unit(period, [a, b])
                && unit.lines > 0
            {
                sum = sum.plus(Sum { units: 1, lines: unit.lines, boards: unit.boards });
            }
            before.push(sum);
        }
        SpanShape { before }
    }
}

/// The state of the high sockets: both players' subsets, bit i for high socket i.
pub type High = [u32; 2];

/// All boards of a slice with the same state of the last few high sockets: a consecutive part of
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardGroup {
    /// The number of *top* sockets: the last high sockets, on which the boards agree. With none,
    /// the group is the whole slice.
    pub top: usize,
    /// Their state; no marbles on other sockets.
    pub state: High,
}

impl BoardGroup {
    fn used(self) -> [usize; 2] {
        self.state.map(|set| set.count_ones() as usize)
    }
}

/// A unit: the state of the high sockets, and the orbit of the outer cycle's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The high sockets.
    pub high: High,
    /// The number of the outer cycle's orbit under all shifts.
    pub orbit: u8,
}

impl Unit {
    /// Returns the least state of the outer cycle's orbit: the state in place 0 of its lines.
    #[inline]
    pub fn outer(self) -> CycleState {
        Orbits::get(1).least[usize::from(self.orbit)]
    }

    /// Returns the number of shifts after which the outer cycle's state recurs.
    #[inline]
    pub fn period(self) -> u8 {
        Orbits::get(1).period[usize::from(self.orbit)]
    }

    fn used(self) -> [usize; 2] {
        let outer = marbles(self.outer());
        [0, 1].map(|p| outer[p] + self.high[p].count_ones() as usize)
    }
}

/// The layout of all boards of one group with given counts of both players on the empty sockets of
/// a root.
pub struct Layout<'f> {
    frame: &'f Frame,
    counts: [usize; 2],
    group: BoardGroup,
    /// By number of high sockets left to set and marbles of both players set so far: the sums over
    /// all completions; 0 if there are none.
    sums: Vec<Sum>,
}

impl<'f> Layout<'f> {
    /// Returns the layout of the boards with `counts` marbles of both players.
    pub fn new(frame: &'f Frame, counts: [usize; 2]) -> Layout<'f> {
        Layout::of_group(frame, counts, BoardGroup::default())
    }

    /// Returns the layout of the boards in `group`; offsets are relative to the start of the group.
    /// `counts` are those of whole boards. It is empty if there are no such boards.
    pub fn of_group(frame: &'f Frame, counts: [usize; 2], group: BoardGroup) -> Layout<'f> {
        let mut layout = Layout { frame, counts, group, sums: Vec::new() };
        let high = frame.split.high;
        layout.sums = vec![Sum::default(); (high + 1) * (high + 1) * (high + 1)];
        for left in 0..=high {
            for a in 0..=high - left {
                for b in 0..=high - left - a {
                    let at = layout.at(left, [a, b]);
                    layout.sums[at] = if left == 0 {
                        layout.span([a, b]).and_then(|span| span.before.last().copied()).unwrap_or_default()
                    } else {
                        let next = [[a, b], [a + 1, b], [a, b + 1]];
                        next.iter().fold(Sum::default(), |sum, &used| sum.plus(layout.sum(left - 1, used)))
                    };
                }
            }
        }
        layout
    }

    fn at(&self, left: usize, used: [usize; 2]) -> usize {
        let side = self.frame.split.high + 1;
        (left * side + used[0]) * side + used[1]
    }

    #[inline]
    fn sum(&self, left: usize, used: [usize; 2]) -> Sum {
        self.sums[self.at(left, used)]
    }

    fn all(&self) -> Sum {
        self.sum(self.below_top(), self.group.used())
    }

    /// High sockets that are not top sockets.
    fn below_top(&self) -> usize {
        self.frame.split.high - self.group.top
    }

    /// Returns the inside of spans with `used` marbles on their high sockets, if there are any.
    #[inline]
    fn span(&self, used: [usize; 2]) -> Option<&'f SpanShape> {
        self.frame.span(self.left_after(used)?)
    }

    #[inline]
    fn left_after(&self, used: [usize; 2]) -> Option<[usize; 2]> {
        Some([self.counts[0].checked_sub(used[0])?, self.counts[1].checked_sub(used[1])?])
    }

    /// Marbles of both players on the inner cycle and the low sockets of a unit, if none is
    /// negative.
    #[inline]
    pub fn inner_counts(&self, unit: Unit) -> Option<[usize; 2]> {
        self.left_after(unit.used())
    }

    /// Returns the shape of a unit, if the slice has it.
    #[inline]
    pub fn shape(&self, unit: Unit) -> Option<&'f UnitShape> {
        self.frame.unit(unit.period(), self.inner_counts(unit)?)
    }

    /// Returns the number of cache lines, each of four half supers.
    pub fn lines(&self) -> u64 {
        self.all().lines
    }

    /// Returns the number of boards, each counted once.
    pub fn boards(&self) -> u64 {
        self.all().boards
    }

    /// Units.
    pub fn units(&self) -> u64 {
        self.all().units
    }

    /// Returns the number of cache lines of the largest unit.
    pub fn largest_unit(&self) -> u64 {
        let (high, [a, b]) = (self.below_top(), self.group.used());
        let used = (0..=high).flat_map(|i| (0..=high - i).map(move |j| [a + i, b + j]));
        let spans = used.filter_map(|used| self.span(used));
        spans.flat_map(|b| b.before.windows(2).map(|w| w[1].lines - w[0].lines)).max().unwrap_or(0)
    }

    /// Returns the offset of a unit in cache lines; for a unit that the slice doesn't have, where it would
    /// be.
    #[inline]
    pub fn offset(&self, unit: Unit) -> u64 {
        debug_assert!(
            (0..2).all(|p| unit.high[p] >> self.below_top() == self.group.state[p] >> self.below_top())
        );
        let mut used = self.group.used();
        let mut offset = 0;
        let mut rest = (unit.high[0] | unit.high[1]) & ((1u64 << self.below_top()) - 1) as u32;
        while rest != 0 {
            let socket = 31 - rest.leading_zeros() as usize;
            rest ^= 1 << socket;
            offset += self.sum(socket, used).lines;
            if unit.high[0] >> socket & 1 != 0 {
                used[0] += 1;
            } else {
                offset += self.sum(socket, [used[0] + 1, used[1]]).lines;
                used[1] += 1;
            }
        }
        offset + self.span(used).map_or(0, |span| span.before[usize::from(unit.orbit)].lines)
    }

    /// Unit number `index`.
    pub fn unrank(&self, mut index: u64) -> Unit {
        let mut used = self.group.used();
        let mut high = self.group.state;
        for socket in (0..self.below_top()).rev() {
            for (digit, next) in
                [used, [used[0] + 1, used[1]], [used[0], used[1] + 1]].into_iter().enumerate()
            {
                let units = self.sum(socket, next).units;
                if index < units {
                    if digit > 0 {
                        high[digit - 1] |= 1 << socket;
                    }
                    used = next;
                    break;
                }
                index -= units;
            }
        }
        let before = self.span(used).map_or(&[][..], |span| &span.before);
        let orbit = before.partition_point(|sum| sum.units <= index) - 1;
        Unit { high, orbit: orbit as u8 }
    }

    /// Returns the least distance in cache lines by which this slice must start below the slice `next` in
    /// memory, so that no unit, in their order, overwrites a unit of `next` that is still to be
    /// read: the maximum over all units of the cache lines of this slice up to the end of the unit,
    /// minus those of `next` up to its start.
    pub fn lead(&self, next: &Layout) -> u64 {
        // The same for all completions of the sockets set so far, by marbles used: None if the
        // slice has no such unit.
        let high = self.frame.split.high;
        let side = high + 1;
        let none = [Sum::default(); 25];
        let mut leads: Vec<Option<i64>> = Vec::new();
        for left in 0..=self.below_top() {
            let mut of_left = vec![None; side * side];
            for a in 0..=high - left {
                for b in 0..=high - left - a {
                    let mut lead: Option<i64> = None;
                    if left == 0 {
                        let here = self.span([a, b]).map_or(&none[..], |span| &span.before);
                        let there = next.span([a, b]).map_or(&none[..], |span| &span.before);
                        for (here, there) in here.windows(2).zip(there) {
                            if here[1].units > here[0].units {
                                lead = lead.max(Some(here[1].lines as i64 - there.lines as i64));
                            }
                        }
                    } else {
                        let mut before = 0;
                        for used in [[a, b], [a + 1, b], [a, b + 1]] {
                            if let Some(inside) = leads[used[0] * side + used[1]] {
                                lead = lead.max(Some(before + inside));
                            }
                            before +=
                                self.sum(left - 1, used).lines as i64 - next.sum(left - 1, used).lines as i64;
                        }
                    }
                    of_left[a * side + b] = lead;
                }
            }
            leads = of_left;
        }
        let [a, b] = self.group.used();
        leads[a * side + b].unwrap_or(0).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_base::binomial;

    /// The units of a layout in order, by trying all states.
    fn all_units(layout: &Layout) -> Vec<(Unit, u64)> {
        let split = layout.frame.split;
        let highs = (0..3u32.pow(split.high as u32)).map(|code| {
            let mut high: High = [0; 2];
            for socket in 0..split.high {
                let digit = code / 3u32.pow(socket as u32) % 3;
                if digit > 0 {
                    high[digit as usize - 1] |= 1 << socket;
                }
            }
            high
        });
        let orbits = if split.outer > 0 { 24 } else { 1 };
        highs
            .flat_map(|high| (0..orbits).map(move |orbit| Unit { high, orbit }))
            .filter_map(|unit| Some((unit, layout.shape(unit)?.lines)))
            .filter(|(_, lines)| *lines > 0)
            .collect()
    }

    #[test]
    fn groups_are_parts_of_their_slice() {
        for (sockets, top) in [(16, 1), (18, 2), (19, 4)] {
            let frame = Frame::new(sockets);
            let from = frame.split.high - top;
            let states = (0..3u32.pow(top as u32)).map(|code| {
                let mut state: High = [0; 2];
                for i in 0..top {
                    let digit = code / 3u32.pow(i as u32) % 3;
                    if digit > 0 {
                        state[digit as usize - 1] |= 1 << (from + i);
                    }
                }
                BoardGroup { top, state }
            });
            let groups: Vec<BoardGroup> = states.collect();
            for k in (0..=sockets).rev() {
                let counts = |k: usize| [k.div_ceil(2), k / 2];
                let whole = Layout::new(&frame, counts(k));
                let (mut units, mut lines) = (0, 0);
                for &group in &groups {
                    let layout = Layout::of_group(&frame, counts(k), group);
                    for i in 0..layout.units() {
                        let unit = layout.unrank(i);
                        assert_eq!(unit, whole.unrank(units + i));
                        assert_eq!(layout.offset(unit) + lines, whole.offset(unit));
                        assert!(layout.shape(unit).unwrap().lines <= layout.largest_unit());
                    }
                    units += layout.units();
                    lines += layout.lines();
                    if k < sockets && layout.units() > 0 {
                        let next = Layout::of_group(&frame, counts(k + 1), group);
                        let ends = (0..layout.units()).map(|i| layout.unrank(i)).map(|unit| {
                            let end = layout.offset(unit) + layout.shape(unit).unwrap().lines;
                            end.saturating_sub(next.offset(unit))
                        });
                        assert_eq!(layout.lead(&next), ends.max().unwrap());
                    }
                }
                assert_eq!((units, lines), (whole.units(), whole.lines()));
            }
        }
    }

    #[test]
    fn ranks_offsets_and_leads_agree_with_enumeration() {
        for sockets in [0, 1, 3, 4, 7, 8, 11, 15, 16, 18, 19] {
            let frame = Frame::new(sockets);
            let mut next: Option<(Layout, Vec<(Unit, u64)>)> = None;
            for k in (0..=sockets).rev() {
                let layout = Layout::new(&frame, [k.div_ceil(2), k / 2]);
                let units = all_units(&layout);
                assert_eq!(layout.units(), units.len() as u64);
                assert_eq!(layout.largest_unit(), units.iter().map(|u| u.1).max().unwrap());
                assert_eq!(u128::from(layout.boards()), binomial(sockets, k) * binomial(k, k / 2));
                let mut offset = 0;
                let mut lead = 0;
                for (i, &(unit, lines)) in units.iter().enumerate() {
                    assert_eq!(layout.unrank(i as u64), unit);
                    assert_eq!(layout.offset(unit), offset);
                    offset += lines;
                    if let Some((next, _)) = &next {
                        lead = lead.max(offset.saturating_sub(next.offset(unit)));
                    }
                }
                assert_eq!(layout.lines(), offset);
                if let Some((next, next_units)) = &next {
                    assert_eq!(layout.lead(next), lead);
                    let code = |u: Unit| {
                        let high = (0..16).fold(0, |c, s| {
                            c + 3u64.pow(s as u32)
                                * u64::from((u.high[0] >> s & 1) + 2 * (u.high[1] >> s & 1))
                        });
                        (high, u.orbit)
                    };
                    // Offsets of units that don't exist: where they would be.
                    for &(unit, _) in &units {
                        let earlier = next_units.iter().filter(|(u, _)| code(*u) < code(unit));
                        assert_eq!(next.offset(unit), earlier.map(|(_, lines)| lines).sum::<u64>());
                    }
                }
                next = Some((layout, units));
            }
        }
    }
}
