//! The lines that are complete in one quadrant of the board, for all patterns with the same counts.

use super::LinesAlong;
use crate::index::sections::patterns::Pattern;
use crate::index::sections::section::Sections;
use crate::supers::WinMasks;
use std::ops::Range;

/// The lines of the patterns along one axis of a section's array. Player 0 is to move.
pub(crate) struct AxisLines {
    /// For both players, by pattern: the lines that are complete there, at each rotation.
    pub lines: [Vec<[u32; 4]>; 2],
    /// By pattern: those of the player to move with at most one marble more.
    pub near: Vec<[u32; 4]>,
    /// Free cells of each pattern.
    pub free: usize,
}

impl AxisLines {
    /// Of quadrant `q` of the board with these counts; `mover` is the player to move.
    pub fn new(sections: &Sections, fives: &WinMasks, q: usize, counts: [u8; 2], mover: usize) -> AxisLines {
        let (patterns, shape) = (sections.patterns(), sections.shape());
        let list = patterns.list(counts);
        let players = [mover, 1 - mover];
        let near = |p: &Pattern| {
            let own = p.0[mover];
            let grown = shape.sockets_of(u64::from(p.free(shape))).map(|socket| own | 1 << socket.cell());
            grown.fold(fives.of_quadrant(q, own), |lines, set| {
                let more = fives.of_quadrant(q, set);
                std::array::from_fn(|r| lines[r] | more[r])
            })
        };
        AxisLines {
            lines: players.map(|player| list.iter().map(|p| fives.of_quadrant(q, p.0[player])).collect()),
            near: list.iter().map(near).collect(),
            free: list[0].free(shape).count_ones() as usize,
        }
    }

    /// The lines of some of the patterns.
    pub fn along(&self, range: Range<usize>) -> LinesAlong<'_> {
        [&self.lines[1][range.clone()], &self.lines[0][range.clone()], &self.near[range]]
    }
}
