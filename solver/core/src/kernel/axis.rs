//! The lines that are complete in one quadrant, for all minimal patterns with the same marble
//! counts.

use super::entries::{LineGroups, LinesAlong};
use crate::index::sections::patterns::Pattern;
use crate::index::sections::section::Sections;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The lines of all patterns along one axis of the array of a section.
pub struct AxisLines {
    /// A number that no other `AxisLines` has.
    number: u64,
    /// The turns at which a pattern has a line, bit r for r clockwise quarter turns. Indexed by the
    /// kind of [`LinesAlong`], the line and the pattern.
    turns: Vec<u8>,
    /// The number of patterns.
    patterns: usize,
    /// The number of free cells of each pattern.
    pub free: usize,
}

impl AxisLines {
    /// Returns the lines of the patterns of quadrant `q` with these marble counts. `mover` is the
    /// player to move, 0 or 1.
    pub fn new(
        sections: &Sections,
        groups: &LineGroups,
        q: usize,
        counts: [u8; 2],
        mover: usize,
    ) -> AxisLines {
        let (patterns, shape) = (sections.patterns(), sections.shape());
        let list = patterns.list(counts);
        let complete = |player: usize| list.iter().map(move |p| groups.complete(q, p.0[player]));
        let near = |p: &Pattern| {
            let own = p.0[mover];
            let grown = shape.sockets_of(u64::from(p.free(shape))).map(|socket| own | 1 << socket.cell());
            grown.fold(groups.complete(q, own), |lines, set| {
                let more = groups.complete(q, set);
                std::array::from_fn(|r| lines[r] | more[r])
            })
        };
        let kinds: [Vec<[u32; 4]>; 3] =
            [complete(1 - mover).collect(), complete(mover).collect(), list.iter().map(near).collect()];
        let mut turns = Vec::with_capacity(kinds.len() * groups.of_quadrant(q).len() * list.len());
        for of_kind in &kinds {
            for &line in groups.of_quadrant(q) {
                turns.extend(of_kind.iter().map(|at| {
                    let [a, b, c, d] = at.map(|lines| (lines >> line & 1) as u8);
                    a | b << 1 | c << 2 | d << 3
                }));
            }
        }
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        AxisLines { number, turns, patterns: list.len(), free: list[0].free(shape).count_ones() as usize }
    }

    /// Returns the lines of a range of the patterns.
    ///
    /// # Panics
    /// If the range is empty, or not within the patterns.
    pub fn along(&self, range: Range<usize>) -> LinesAlong<'_> {
        LinesAlong::new(self.number, &self.turns, self.patterns, range)
    }
}
