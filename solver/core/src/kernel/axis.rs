//! The lines of a board shape, by quadrant: the lines that touch each quadrant, and the patterns
//! whose marbles fill the part of a line in the quadrant.

use crate::index::sections::patterns::Pattern;
use crate::index::sections::section::Sections;
use crate::rules::Shape;
use crate::supers::WinMasks;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The lines of a board shape, grouped by the quadrants that they touch.
pub struct LineGroups {
    /// For each pair of [`PAIRS`], the lines that touch exactly these two quadrants. Each element
    /// has the indices of one line in the lists `of_quadrant` of both quadrants.
    pub(super) pairs: [Vec<[usize; 2]>; 6],
    /// For each triple of [`TRIPLES`], the line that touches exactly these three quadrants: the
    /// indices of the line in the lists `of_quadrant` of the three quadrants. `None` if no line
    /// touches exactly these quadrants.
    pub(super) triples: [Option<[usize; 3]>; 4],
    /// For each quadrant, the lines that touch the quadrant, as indices in [`Shape::lines`].
    pub of_quadrant: [Vec<u8>; 4],
    fives: &'static WinMasks,
}

/// All pairs of quadrants.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
/// All triples of quadrants. The element at index q is the triple without quadrant q.
pub(super) const TRIPLES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

impl LineGroups {
    /// Groups the lines of a board shape by the quadrants that they touch.
    ///
    /// # Panics
    /// If a line touches four quadrants, or two lines touch the same three quadrants. This can't
    /// happen with straight lines.
    pub fn new(shape: Shape) -> LineGroups {
        let fives = WinMasks::get(shape);
        let (pairs, triples, of_quadrant) = Default::default();
        let mut groups = LineGroups { pairs, triples, of_quadrant, fives };
        let full = (1 << shape.quadrant_sockets()) - 1;
        for line in 0..shape.lines().len() as u8 {
            let complete = |q: usize, pattern| fives.of_quadrant(q, pattern)[0] >> line & 1 != 0;
            debug_assert!((0..4).all(|q| complete(q, full)));
            let fits = |within: &[usize]| (0..4).all(|q| complete(q, 0) || within.contains(&q));
            let place = |q: usize| {
                groups.of_quadrant[q].push(line);
                groups.of_quadrant[q].len() - 1
            };
            if let Some(pair) = PAIRS.iter().position(|pair| fits(pair)) {
                groups.pairs[pair].push(PAIRS[pair].map(place));
            } else {
                let triple = TRIPLES.iter().position(|triple| fits(triple)).expect("a line is straight");
                let places = TRIPLES[triple].map(place);
                assert!(groups.triples[triple].replace(places).is_none(), "there is one of a kind");
            }
        }
        // If a triple has no line, `of_two` looks up index 0, so each list needs at least one
        // element.
        assert!(groups.of_quadrant.iter().all(|lines| !lines.is_empty()), "every quadrant has lines");
        groups
    }
}

/// The number of kinds of lines: `OTHER`, `MOVER` and `NEAR`.
pub(super) const KINDS: usize = 3;
/// The index of the kind of lines that the marbles of the mover's opponent fill. The opponent has
/// just turned a quadrant.
pub(super) const OTHER: usize = 0;
/// The index of the kind of lines that the marbles of the mover fill.
pub(super) const MOVER: usize = 1;
/// The index of the kind of lines that the marbles of the mover fill with at most one more marble.
pub(super) const NEAR: usize = 2;

/// The lines of all patterns along one axis of a section's array. A line belongs to a pattern if
/// the pattern's marbles fill all sockets of the line in the pattern's quadrant.
pub struct AxisLines {
    /// A number that identifies this `AxisLines`: no other value in the program has the same
    /// number.
    pub(super) number: u64,
    /// Indexed by the kind of lines ([`OTHER`], [`MOVER`], [`NEAR`]), then by line
    /// ([`of_quadrant`](LineGroups::of_quadrant)), then by pattern: the turns at which the pattern
    /// fills its part of the line. Bit r stands for r clockwise quarter turns.
    pub(super) turns: Vec<u8>,
    /// The number of patterns along the axis.
    pub(super) patterns: usize,
    /// The number of free cells, which is the same for all patterns.
    pub free: usize,
}

/// The lines of the patterns along an axis, with the range of patterns that are used.
pub type AxisRange<'a> = (&'a AxisLines, Range<usize>);

impl AxisLines {
    /// Computes the lines of the patterns of quadrant `q` that have the marble counts `counts`.
    /// `mover` is the player to move, 0 or 1.
    pub fn new(
        sections: &Sections,
        groups: &LineGroups,
        q: usize,
        counts: [u8; 2],
        mover: usize,
    ) -> AxisLines {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (list, shape) = (sections.patterns().list(counts), sections.shape());
        // Use the lines of `groups`, because the shape of `sections` may have lines of another
        // length.
        let complete = |set: u16| groups.fives.of_quadrant(q, set);
        let near = |p: &Pattern| {
            let own = p.0[mover];
            let grown = shape.sockets_of(u64::from(p.free(shape))).map(|socket| own | 1 << socket.cell());
            grown.fold(complete(own), |lines, set| {
                let more = complete(set);
                std::array::from_fn(|r| lines[r] | more[r])
            })
        };
        let of_player = |player: usize| list.iter().map(|p| complete(p.0[player])).collect();
        // The lines of all patterns for each kind, in the order `OTHER`, `MOVER`, `NEAR`.
        let kinds: [Vec<[u32; 4]>; KINDS] =
            [of_player(1 - mover), of_player(mover), list.iter().map(near).collect()];
        let mut turns = Vec::new();
        for of_kind in &kinds {
            for &line in &groups.of_quadrant[q] {
                turns.extend(of_kind.iter().map(|at| {
                    let [a, b, c, d] = at.map(|lines| (lines >> line & 1) as u8);
                    a | b << 1 | c << 2 | d << 3
                }));
            }
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        AxisLines { number, turns, patterns: list.len(), free: list[0].free(shape).count_ones() as usize }
    }
}
