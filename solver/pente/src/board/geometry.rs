//! The windows and capture lines of a board, and which of them each point belongs to.

use crate::rules::lines::DIRECTIONS;
use crate::rules::{Capture, Point, Rules};

/// No point: beyond the edge.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// What a line of capture is for.
pub(crate) mod line_class {
    /// Nothing.
    pub const NONE: u8 = 0;
    /// `captures + s`: side `s` captures what lies in the line by playing on its empty end.
    pub const CAPTURES: u8 = 1;
    /// `open + s`: both ends are empty; a stone of side `s` on one of them threatens to capture
    /// from the other.
    pub const OPEN: u8 = 3;
}

/// What never changes for the rules.
pub(crate) struct BoardGeometry {
    pub rules: Rules,
    pub points: usize,
    pub k: usize,
    /// The points of all windows, `k` each.
    pub window_points: Vec<u16>,
    /// The points before and behind each window, or [`NOWHERE`].
    pub window_ends: Vec<[u16; 2]>,
    /// The windows of point `p` are `windows_of[window_start[p]..window_start[p + 1]]`.
    pub window_start: Vec<u32>,
    pub windows_of: Vec<u16>,
    /// The points of each capture line, with [`NOWHERE`] at the end of a short one.
    pub line_points: Vec<[u16; 5]>,
    /// The lines of a point as for windows, with the shift of the point in the line's code.
    pub line_start: Vec<u32>,
    pub lines_of: Vec<(u16, u8)>,
    /// The class of a line with this code: two bits a point, 1 for X and 2 for O. A line of five
    /// has bit 10 set.
    pub line_class: Vec<u8>,
}

/// The mark of a line of five points in its code.
pub(crate) const LONG: u16 = 1 << 10;

impl BoardGeometry {
    pub fn new(rules: Rules) -> BoardGeometry {
        let k = rules.k();
        let points = rules.points();
        let walk = |p: Point, i: isize, (df, dr): (isize, isize)| rules.step(p, i * df, i * dr);
        let number = |p: Option<Point>| p.map_or(NOWHERE, |p| p.0);

        let mut window_points = Vec::new();
        let mut window_ends = Vec::new();
        let mut windows: Vec<Vec<u16>> = vec![Vec::new(); points];
        let mut lines: Vec<Vec<(u16, u8)>> = vec![Vec::new(); points];
        let mut line_points = Vec::new();
        let lengths: &[usize] = match rules.options().capture {
            Capture::Two => &[4],
            Capture::TwoOrThree => &[4, 5],
            Capture::Never => &[],
        };
        for p in rules.all_points() {
            for &direction in &DIRECTIONS[..4] {
                if walk(p, k as isize - 1, direction).is_some() {
                    let id = window_ends.len() as u16;
                    for i in 0..k as isize {
                        let q = number(walk(p, i, direction));
                        window_points.push(q);
                        windows[q as usize].push(id);
                    }
                    window_ends
                        .push([number(walk(p, -1, direction)), number(walk(p, k as isize, direction))]);
                }
                for &length in lengths {
                    if walk(p, length as isize - 1, direction).is_some() {
                        let id = line_points.len() as u16;
                        let mut all = [NOWHERE; 5];
                        for (i, slot) in all.iter_mut().enumerate().take(length) {
                            *slot = number(walk(p, i as isize, direction));
                            lines[*slot as usize].push((id, 2 * i as u8));
                        }
                        line_points.push(all);
                    }
                }
            }
        }
        let (window_start, windows_of) = flatten(&windows);
        let (line_start, lines_of) = flatten(&lines);
        let line_class = (0..2 * LONG).map(class_of_line).collect();
        BoardGeometry {
            rules,
            points,
            k,
            window_points,
            window_ends,
            window_start,
            windows_of,
            line_points,
            line_start,
            lines_of,
            line_class,
        }
    }

    pub fn windows(&self) -> usize {
        self.window_ends.len()
    }

    /// The windows that a point belongs to.
    pub fn windows_at(&self, p: usize) -> &[u16] {
        &self.windows_of[self.window_start[p] as usize..self.window_start[p + 1] as usize]
    }

    /// The capture lines that a point belongs to, with its shift in their codes.
    pub fn lines_at(&self, p: usize) -> &[(u16, u8)] {
        &self.lines_of[self.line_start[p] as usize..self.line_start[p + 1] as usize]
    }

    /// The points of a window.
    pub fn window(&self, id: u16) -> &[u16] {
        &self.window_points[id as usize * self.k..(id as usize + 1) * self.k]
    }

    /// The code of an empty line.
    pub fn empty_code(&self, id: usize) -> u16 {
        if self.line_points[id][4] == NOWHERE { 0 } else { LONG }
    }
}

/// Lists of lists as one list and the starts of the parts.
fn flatten<T: Copy>(lists: &[Vec<T>]) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0];
    let mut all = Vec::new();
    for list in lists {
        all.extend_from_slice(list);
        starts.push(all.len() as u32);
    }
    (starts, all)
}

/// What can be captured in a line with this code.
fn class_of_line(code: u16) -> u8 {
    let length = if code & LONG == 0 { 4 } else { 5 };
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
