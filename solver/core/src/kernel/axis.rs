//! The lines that are complete in one quadrant of the board, for all patterns with the same counts.

use super::entries::{LineGroups, LinesAlong};
use crate::index::sections::patterns::Pattern;
use crate::index::sections::section::Sections;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The lines of the patterns along one axis of a section's array. Player 0 is to move.
pub struct AxisLines {
    /// No other has the same.
    number: u64,
    /// At which turns each pattern has each line, as bits: in the order of the kinds of
    /// [`LinesAlong`], the lines and the patterns.
    turns: Vec<u8>,
    /// How many patterns there are.
    patterns: usize,
    /// Free cells of each pattern.
    pub free: usize,
}

impl AxisLines {
    /// Of quadrant `q` of the board with these counts; `mover` is the player to move.
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

    /// Returns the lines of some of the patterns.
    ///
    /// # Panics
    /// If there are not as many patterns.
    pub fn along(&self, range: Range<usize>) -> LinesAlong<'_> {
        LinesAlong::new(self.number, &self.turns, self.patterns, range)
    }
}
