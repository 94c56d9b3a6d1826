//! The layout in memory of the boards of one slice below a root.
//!
//! The empty sockets of the root are divided into *low* sockets, two *cycles* of four sockets, and
//! *high* sockets. A shift moves the marbles of both cycles by one socket (0 to 1, 1 to 2, 2 to 3,
//! and 3 to 0). Shifts partition the states of the cycles into orbits, nearly all of size four. The
//! four boards of an orbit share a cache line: lane j holds the state after j shifts. The children
//! of the four boards share a cache line, too, so one vector instruction handles four boards. The
//! boards of smaller orbits (a few per cent) are stored more than once in their cache line. A root
//! with few empty sockets has only the inner cycle, and more low sockets.
//!
//! | part of a slice | sockets on which all its boards agree |
//! |---|---|
//! | *array* | the high sockets and both cycles ([`super::low`] orders the boards of an array) |
//! | *unit* | the high sockets and the outer cycle |
//! | *span* | the high sockets |
//!
//! Spans are sorted by the state of the high sockets, read as a ternary number (0 for a free
//! socket, 1 and 2 for the players). Units and arrays are sorted by the least state of their orbit:
//! first by the set of player 0, then by the set of player 1. Every marble makes the least state of
//! an orbit larger, so a unit comes after all its parents. Therefore, if the units of slice n are
//! computed in this order, a unit of slice n + 1 is read for the last time when the unit in the
//! same position of slice n is computed.

use super::cycles::{CYCLE, CycleState, Orbits, marbles};
use super::low::{Low, MAX_LOW};
use std::sync::OnceLock;

/// The maximum number of empty sockets of a root without an outer cycle. A second cycle would leave
/// fewer low sockets, so the arrays would be shorter (`bench/README.md#cycles`).
const ONE_CYCLE: usize = 13;

/// The division of the empty sockets of a root. The fields are the numbers of sockets of each kind.
/// In ascending order, the empty sockets are the low sockets, the inner cycle, the outer cycle and
/// the high sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The number of low sockets, whose state varies within an array.
    pub low: usize,
    /// The number of sockets of the inner cycle: 4, or 0 if the root has fewer than 4 empty
    /// sockets.
    pub inner: usize,
    /// The number of sockets of the outer cycle: 4, or 0 if the root has at most `ONE_CYCLE` empty
    /// sockets.
    pub outer: usize,
    /// The number of high sockets, whose state is the same throughout a span.
    pub high: usize,
}

impl Split {
    /// Returns the division of `sockets` empty sockets into the four kinds.
    pub fn new(sockets: usize) -> Split {
        let inner = if sockets >= CYCLE { CYCLE } else { 0 };
        let outer = if sockets > ONE_CYCLE { CYCLE } else { 0 };
        let low = (sockets - inner - outer).min(MAX_LOW);
        Split { low, inner, outer, high: sockets - inner - outer - low }
    }

    /// Returns the number of sockets whose state varies within a span.
    fn in_span(self) -> usize {
        self.low + self.inner + self.outer
    }
}

/// Stands for the offset of an array if a unit has no array for a state of the inner cycle.
pub const NO_ARRAY: u32 = u32::MAX;

/// The sizes and offsets of the arrays of a unit. Units share a shape if they have the same period
/// and the same numbers of marbles on the inner cycle and the low sockets.
#[derive(Clone, Debug, Default)]
pub struct UnitShape {
    /// Indexed by the state of the inner cycle: the offset of the array in the unit in cache lines,
    /// and the number of shifts that lead from the state of the array to this state. The offset is
    /// [`NO_ARRAY`] if the unit has no array for this state.
    pub arrays: Vec<(u32, u8)>,
    /// The number of cache lines of the unit.
    pub lines: u64,
    /// The number of different boards of the unit. A board that is stored more than once counts
    /// once.
    pub boards: u64,
}

/// The data that the layouts of all slices below a root share.
pub struct Frame {
    /// The division of the empty sockets of the root.
    pub split: Split,
    shapes: &'static Shapes,
}

/// The sizes and offsets of the parts of units and spans. These sizes and offsets depend only on
/// the number of sockets that vary within a span, and are computed once for each such number.
struct Shapes {
    split: Split,
    low: &'static Low,
    /// The shapes of units. The first index stands for the period of the outer cycle's state (1, 2
    /// or 4). The second index stands for the numbers of marbles of both players on the inner cycle
    /// and the low sockets.
    units: [Vec<UnitShape>; 3],
    /// The running sums of spans. The first index stands for the numbers of marbles of both players
    /// on the cycles and the low sockets. The second index is an orbit of the outer cycle: the
    /// element is the sum of all units before this orbit. The last element is the sum of all units.
    spans: Vec<Vec<Sum>>,
}

/// The size of a part of a slice: the numbers of units, cache lines and boards.
#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    units: u64,
    lines: u64,
    boards: u64,
}

impl Sum {
    // Additions saturate, because a root with so many boards doesn't fit in any memory.
    fn plus(self, other: Sum) -> Sum {
        Sum {
            units: self.units.saturating_add(other.units),
            lines: self.lines.saturating_add(other.lines),
            boards: self.boards.saturating_add(other.boards),
        }
    }
}

impl Frame {
    /// Returns the data that the layouts of all slices share, for a root with `sockets` empty
    /// sockets.
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

    /// Returns the shape of a unit. `period` is the period of the state of its outer cycle.
    /// `counts` are the numbers of marbles of both players on its inner cycle and low sockets.
    /// Returns `None` if there are more marbles than sockets.
    #[inline]
    pub fn unit(&self, period: u8, counts: [usize; 2]) -> Option<&UnitShape> {
        self.shapes.unit(period, counts)
    }

    #[inline]
    fn span(&self, counts: [usize; 2]) -> Option<&'static [Sum]> {
        let in_span = self.split.in_span();
        (counts[0] + counts[1] <= in_span)
            .then(|| &self.shapes.spans[counts[0] * (in_span + 1) + counts[1]][..])
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
        shapes.spans = pairs(split.in_span()).map(|counts| shapes.span_sums(counts)).collect();
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
        // Only shifts by multiples of the period preserve the state of the outer cycle. So states
        // of the inner cycle are equivalent only under such shifts.
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

    fn span_sums(&self, counts: [usize; 2]) -> Vec<Sum> {
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
        before
    }
}

/// The state of the high sockets: for each player a bit set, where bit i is high socket i.
pub type High = [u32; 2];

/// All boards of a slice that have the same state on the last few high sockets. In memory, the
/// boards of a group are contiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardGroup {
    /// The number of *top* sockets: the last high sockets, on which all boards of the group agree.
    /// If `top` is 0, the group is the whole slice.
    pub top: usize,
    /// The state of the top sockets. This state has no marbles on the other high sockets.
    pub state: High,
}

impl BoardGroup {
    fn used(self) -> [usize; 2] {
        self.state.map(|set| set.count_ones() as usize)
    }
}

/// A unit, identified by the state of the high sockets and the orbit of the outer cycle's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The state of the high sockets.
    pub high: High,
    /// The index, in `Orbits`, of the orbit of the outer cycle's state under all shifts.
    pub orbit: u8,
}

impl Unit {
    /// Returns the least state of the orbit of the outer cycle: the state of the board in lane 0 of
    /// each cache line.
    #[inline]
    pub fn outer(self) -> CycleState {
        Orbits::get(1).least[usize::from(self.orbit)]
    }

    /// Returns the number of shifts after which the state of the outer cycle recurs.
    #[inline]
    pub fn period(self) -> u8 {
        Orbits::get(1).period[usize::from(self.orbit)]
    }

    fn used(self) -> [usize; 2] {
        let outer = marbles(self.outer());
        [0, 1].map(|p| outer[p] + self.high[p].count_ones() as usize)
    }
}

/// The layout of all boards of one group. All boards have the same number of marbles of each player
/// on the empty sockets of the root.
pub struct Layout<'f> {
    frame: &'f Frame,
    counts: [usize; 2],
    group: BoardGroup,
    /// The sums over all ways to place marbles on the remaining high sockets. The indices are the
    /// number of remaining high sockets, and the numbers of marbles of both players on the high
    /// sockets so far. The sum is 0 if no way exists.
    sums: Vec<Sum>,
}

impl<'f> Layout<'f> {
    /// Returns the layout of the boards with `counts` marbles of the two players on the empty
    /// sockets of the root.
    pub fn new(frame: &'f Frame, counts: [usize; 2]) -> Layout<'f> {
        Layout::of_group(frame, counts, BoardGroup::default())
    }

    /// Returns the layout of the boards in `group`. `counts` are the numbers of marbles of both
    /// players on all empty sockets of the root. Offsets are relative to the start of the group. If
    /// the group has no board with these counts, the layout is empty.
    pub fn of_group(frame: &'f Frame, counts: [usize; 2], group: BoardGroup) -> Layout<'f> {
        let mut layout = Layout { frame, counts, group, sums: Vec::new() };
        let high = frame.split.high;
        layout.sums = vec![Sum::default(); (high + 1) * (high + 1) * (high + 1)];
        for left in 0..=high {
            for a in 0..=high - left {
                for b in 0..=high - left - a {
                    let at = layout.at(left, [a, b]);
                    layout.sums[at] = if left == 0 {
                        layout.span([a, b]).and_then(|span| span.last().copied()).unwrap_or_default()
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

    /// Returns the number of high sockets that are not top sockets.
    fn below_top(&self) -> usize {
        self.frame.split.high - self.group.top
    }

    /// Returns the running sums of a span with `used` marbles of the two players on its high
    /// sockets. Returns `None` if the slice has no such span.
    #[inline]
    fn span(&self, used: [usize; 2]) -> Option<&'f [Sum]> {
        self.frame.span(self.left_after(used)?)
    }

    #[inline]
    fn left_after(&self, used: [usize; 2]) -> Option<[usize; 2]> {
        Some([self.counts[0].checked_sub(used[0])?, self.counts[1].checked_sub(used[1])?])
    }

    /// Returns the numbers of marbles of both players on the inner cycle and the low sockets of a
    /// unit. Returns `None` if a player has more marbles on the other sockets of the unit than in
    /// the whole slice.
    #[inline]
    pub fn inner_counts(&self, unit: Unit) -> Option<[usize; 2]> {
        self.left_after(unit.used())
    }

    /// Returns the shape of a unit, or `None` if the slice has no such unit.
    #[inline]
    pub fn shape(&self, unit: Unit) -> Option<&'f UnitShape> {
        self.frame.unit(unit.period(), self.inner_counts(unit)?)
    }

    /// Returns the number of cache lines. A cache line holds four half supers.
    pub fn lines(&self) -> u64 {
        self.all().lines
    }

    /// Returns the number of different boards. A board that is stored more than once counts once.
    pub fn boards(&self) -> u64 {
        self.all().boards
    }

    /// Returns the number of units in the layout.
    pub fn units(&self) -> u64 {
        self.all().units
    }

    /// Returns the number of cache lines of the largest unit.
    pub fn largest_unit(&self) -> u64 {
        self.spans().flat_map(|sums| sums.windows(2).map(|w| w[1].lines - w[0].lines)).max().unwrap_or(0)
    }

    /// Returns the number of cache lines of the largest span.
    pub fn largest_span(&self) -> u64 {
        self.spans().filter_map(|sums| sums.last()).map(|all| all.lines).max().unwrap_or(0)
    }

    /// Returns the running sums of the spans, one for each pair of numbers of marbles on the high
    /// sockets.
    fn spans(&self) -> impl Iterator<Item = &'f [Sum]> + '_ {
        let (high, [a, b]) = (self.below_top(), self.group.used());
        let used = (0..=high).flat_map(move |i| (0..=high - i).map(move |j| [a + i, b + j]));
        used.filter_map(|used| self.span(used))
    }

    /// Returns the offset of `unit` in cache lines. If the slice doesn't contain the unit, returns
    /// the offset of the next unit in the order of units.
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
        offset + self.span(used).map_or(0, |span| span[usize::from(unit.orbit)].lines)
    }

    /// Returns the unit with rank `index`.
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
        let before = self.span(used).unwrap_or(&[]);
        let orbit = before.partition_point(|sum| sum.units <= index) - 1;
        Unit { high, orbit: orbit as u8 }
    }

    /// Returns the distance in cache lines that this slice must start below the slice `next` in
    /// memory: the least distance at which no unit overwrites a unit of `next` that must still be
    /// read, if the units are computed in order. The distance is a maximum over all units: the
    /// number of cache lines of this slice up to the end of the unit, minus the number of cache
    /// lines of `next` up to the start of the unit.
    pub fn lead(&self, next: &Layout) -> u64 {
        // The distances, as a maximum over all ways to place marbles on the remaining high sockets.
        // The index stands for the numbers of marbles of both players on the high sockets so far.
        // An element is `None` if the slice has no such unit.
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
                        let here = self.span([a, b]).unwrap_or(&none);
                        let there = next.span([a, b]).unwrap_or(&none);
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

    /// Returns the units of a layout in order, and the number of cache lines of each unit. Finds
    /// the units by trying all states.
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
                    // If the slice doesn't contain a unit, the offset of the unit is the offset of
                    // the next unit.
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
