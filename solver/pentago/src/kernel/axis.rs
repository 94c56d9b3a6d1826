//! The lines that are complete in one quadrant of the board, for all patterns with the same counts.

use super::{Places, pair};
use crate::index::sections::patterns::{Pattern, PatternPlace};
use crate::index::sections::section::Sections;
use crate::supers::WinMasks;

/// The lines of the patterns along one axis of a section's array. Player 0 is to move.
pub(crate) struct AxisLines {
    /// For both players, by pattern: the lines that are complete there, at each rotation.
    pub lines: [Vec<[u32; 4]>; 2],
    /// By pattern: those of the player to move with at most one marble more.
    pub near: Vec<[u32; 4]>,
    /// Free cells of each pattern.
    pub free: usize,
    /// For both players: the patterns of that player alone, up to turns.
    pub singles: [Vec<[u32; 4]>; 2],
    /// For both players, by pattern: which of these it has.
    pub places: [Places; 2],
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
        let single = |player: usize, set: u16| {
            let mut sets = [0; 2];
            sets[player] = set;
            Pattern(sets)
        };
        AxisLines {
            lines: players.map(|player| list.iter().map(|p| fives.of_quadrant(q, p.0[player])).collect()),
            near: list.iter().map(near).collect(),
            free: list[0].free(shape).count_ones() as usize,
            singles: players.map(|player| {
                let mut alone = [0; 2];
                alone[player] = counts[player];
                patterns.list(alone).iter().map(|p| fives.of_quadrant(q, p.0[player])).collect()
            }),
            places: players.map(|player| {
                let place = |p: &Pattern| patterns.place(single(player, p.0[player]));
                list.iter().map(place).collect::<Vec<PatternPlace>>().into()
            }),
        }
    }

    /// The lines that are complete in the quadrants of two axes, with pattern `a` of this one and
    /// `b` of the next: those of both players, and those of the player to move with at most one
    /// marble more.
    pub fn pairs(&self, a: usize, next: &AxisLines, b: usize) -> ([[u32; 16]; 2], [u32; 16]) {
        let one = pair(&self.near[a], &next.lines[0][b]);
        let other = pair(&self.lines[0][a], &next.near[b]);
        let near = std::array::from_fn(|k| one[k] | other[k]);
        ([0, 1].map(|p| pair(&self.lines[p][a], &next.lines[p][b])), near)
    }
}
