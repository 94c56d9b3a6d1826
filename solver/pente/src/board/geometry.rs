//! The windows and capture lines of a board, and lists of the windows and lines of each point.

use crate::rules::lines::DIRECTIONS;
use crate::rules::{Point, Rules};

/// The index that stands for a point outside the board.
pub(super) const NOWHERE: u16 = u16::MAX;

/// The classes of capture lines. The class of a line states the effect of a new stone on one of the
/// line's two end points.
pub(super) mod line_class {
    /// A new stone on an end point captures nothing and threatens no capture.
    pub const NONE: u8 = 0;
    /// `CAPTURES + side`: a new stone of `side` on the only empty end captures the row between the
    /// ends.
    pub const CAPTURES: u8 = 1;
    /// `OPEN + side`: both ends are empty. A new stone of `side` on one end threatens to capture
    /// the row from the other end.
    pub const OPEN: u8 = 3;
}

/// The tables that depend only on the rules, not on the position.
pub(super) struct BoardGeometry {
    pub rules: Rules,
    pub points: usize,
    pub k: usize,
    /// The points of all windows, `k` points per window.
    pub window_points: Vec<u16>,
    /// The two points that extend each window in its direction, indexed by window. [`NOWHERE`]
    /// stands for a point outside the board.
    pub window_ends: Vec<[u16; 2]>,
    /// The windows that contain each point, indexed by point.
    pub windows_of: Vec<Box<[u16]>>,
    /// The points of each capture line, from end to end. If a line has only four points, the fifth
    /// entry is [`NOWHERE`].
    pub line_points: Vec<[u16; 5]>,
    /// For each point, the capture lines that contain the point. Each line is paired with the bit
    /// offset of the point in the line's code.
    pub lines_of: Vec<Box<[(u16, u8)]>>,
    /// The class of a line, indexed by the line's code. A code has two bits per point: 0 for an
    /// empty point, 1 for X, 2 for O. The code of a line of five points also has the bit [`LONG`].
    pub line_class: Vec<u8>,
}

/// The bit of a code that marks a line of five points. A line without this bit has four points.
pub(super) const LONG: u16 = 1 << 10;

impl BoardGeometry {
    pub fn new(rules: Rules) -> BoardGeometry {
        let k = rules.k();
        let points = rules.points();
        let number = |p: Point, i: isize, (df, dr): (isize, isize)| {
            rules.step(p, i * df, i * dr).map_or(NOWHERE, |p| p.0)
        };
        let fits = |p, length: usize, direction| number(p, length as isize - 1, direction) != NOWHERE;
        let mut window_points = Vec::new();
        let mut window_ends = Vec::new();
        let mut windows: Vec<Vec<u16>> = vec![Vec::new(); points];
        let mut lines: Vec<Vec<(u16, u8)>> = vec![Vec::new(); points];
        let mut line_points = Vec::new();
        for p in rules.all_points() {
            for &direction in &DIRECTIONS[..4] {
                if fits(p, k, direction) {
                    for i in 0..k as isize {
                        let q = number(p, i, direction);
                        window_points.push(q);
                        windows[q as usize].push(window_ends.len() as u16);
                    }
                    window_ends.push([number(p, -1, direction), number(p, k as isize, direction)]);
                }
                for length in rules.options().capture.lengths().iter().map(|length| length + 2) {
                    if !fits(p, length, direction) {
                        continue;
                    }
                    let mut all = [NOWHERE; 5];
                    for (i, slot) in all.iter_mut().enumerate().take(length) {
                        *slot = number(p, i as isize, direction);
                        lines[*slot as usize].push((line_points.len() as u16, 2 * i as u8));
                    }
                    line_points.push(all);
                }
            }
        }
        BoardGeometry {
            rules,
            points,
            k,
            window_points,
            window_ends,
            windows_of: windows.into_iter().map(Vec::into).collect(),
            line_points,
            lines_of: lines.into_iter().map(Vec::into).collect(),
            line_class: (0..2 * LONG).map(class_of_line).collect(),
        }
    }

    /// Returns the points of a window.
    pub fn window(&self, id: u16) -> &[u16] {
        &self.window_points[id as usize * self.k..(id as usize + 1) * self.k]
    }

    /// Returns the code that a capture line has when all its points are empty.
    pub fn empty_code(&self, id: usize) -> u16 {
        if self.line_points[id][4] == NOWHERE { 0 } else { LONG }
    }
}

/// Returns the number of points of a line, 4 or 5, from the line's code.
#[inline]
pub(super) fn line_length(code: u16) -> usize {
    if code & LONG == 0 { 4 } else { 5 }
}

/// Returns the class of a line from the line's code.
fn class_of_line(code: u16) -> u8 {
    let length = line_length(code);
    let cell = |i: usize| code >> (2 * i) & 3;
    let prey = cell(1);
    if !matches!(prey, 1 | 2) || (1..length - 1).any(|i| cell(i) != prey) {
        return line_class::NONE;
    }
    let hunter = 3 - prey;
    match (cell(0), cell(length - 1)) {
        (0, 0) => line_class::OPEN + hunter as u8 - 1,
        (0, flank) | (flank, 0) if flank == hunter => line_class::CAPTURES + hunter as u8 - 1,
        _ => line_class::NONE,
    }
}
