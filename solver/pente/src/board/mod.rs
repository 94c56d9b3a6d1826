//! [`SearchBoard`]: the position that the searches work on. A new or removed stone changes a few
//! counters, and the searches read threats and captures from the counters.
//!
//! - A *window* is `k` points in line. The board counts the stones of both sides in each window. If
//!   one side has no stone in a window, the other side can still fill the window. Such a window is
//!   *full* if it has `k` stones, a *four* if it has `k - 1`, and a *three* if it has `k - 2`. The
//!   names come from the game with `k = 5`.
//! - A *capture line* is a row of points whose stones can be captured together, and the two points
//!   at the ends of the row.
//!
//! Lists hold the fours, the threes, the full windows, the capture lines where a side can capture
//! with one move, and the capture lines with two empty ends. Callers must take moves back in
//! reverse order. Making or taking back a move allocates no memory.

mod geometry;
mod keys;
mod lists;

#[cfg(test)]
mod tests;

use crate::rules::{Color, Overline, Point, PointSet, Position, Rules};
use geometry::{BoardGeometry, NOWHERE, line_class, line_length};
use keys::PositionKeys;
use lists::IndexLists;

/// The classes of windows. List number `2 * class + side` contains the windows of one class with
/// stones of `side`.
const FOUR: usize = 0;
const THREE: usize = 1;
const FULL: usize = 2;
/// The list number of a window that is in no list.
const NO_LIST: u8 = u8::MAX;

/// A position on which moves can be made and taken back. Counters are updated at each move.
pub(crate) struct SearchBoard {
    geometry: BoardGeometry,
    keys: PositionKeys,
    /// The contents of each point: 0 empty, 1 X, 2 O.
    cells: Vec<u8>,
    stones: usize,
    captured: [u16; 2],
    to_move: Color,
    /// The numbers of stones in each window: X in the low byte, O in the high byte.
    windows: Vec<u16>,
    /// The lists of windows: one list for each class and side.
    window_lists: IndexLists,
    /// The list numbers of windows. Index `x * (k + 1) + o` is for windows with `x` stones of X and
    /// `o` stones of O.
    window_class: Vec<u8>,
    /// The code of each capture line.
    lines: Vec<u16>,
    /// The lists of capture lines: one list for each class.
    line_lists: IndexLists,
    /// The sums from which [`PositionKeys`] computes the key, one for each symmetry.
    sums: Vec<u128>,
}

/// The points of the stones that a move captured, for taking the move back. Opaque to other crates.
#[derive(Debug, Clone, Copy)]
pub struct TakenStones {
    points: [u16; 24],
    count: u8,
}

impl TakenStones {
    const NONE: TakenStones = TakenStones { points: [0; 24], count: 0 };

    fn points(&self) -> &[u16] {
        &self.points[..self.count as usize]
    }
}

impl SearchBoard {
    /// Makes the board of a position.
    pub fn new(rules: &Rules, position: &Position) -> SearchBoard {
        let geometry = BoardGeometry::new(*rules);
        let keys = PositionKeys::new(rules);
        let k = geometry.k;
        let mut window_class = vec![NO_LIST; (k + 1) * (k + 1)];
        for (missing, class) in [FULL, FOUR, THREE].into_iter().enumerate().take(k) {
            let own = k - missing;
            window_class[own * (k + 1)] = (2 * class) as u8;
            window_class[own] = (2 * class + 1) as u8;
        }
        let lines: Vec<u16> = (0..geometry.line_points.len()).map(|id| geometry.empty_code(id)).collect();
        let mut board = SearchBoard {
            cells: vec![0; geometry.points],
            stones: 0,
            captured: [0; 2],
            to_move: Color::X,
            windows: vec![0; geometry.window_ends.len()],
            window_lists: IndexLists::new(6, geometry.window_ends.len()),
            window_class,
            line_lists: IndexLists::new(5, lines.len()),
            lines,
            sums: keys.empty(),
            geometry,
            keys,
        };
        board.set(position);
        board
    }

    /// Replaces the position by another one under the same rules. Adds and removes only the stones
    /// that differ.
    pub fn set(&mut self, position: &Position) {
        for p in 0..self.geometry.points {
            let wanted = position.at(Point(p as u16));
            let there = self.cells[p];
            if there != 0 && wanted.map(|color| color.index() as u8 + 1) != Some(there) {
                self.lift(p, there as usize - 1);
            }
            if let Some(color) = wanted
                && self.cells[p] == 0
            {
                self.put(p, color.index());
            }
        }
        self.captured = position.captured;
        self.to_move = position.to_move();
    }

    pub fn position(&self) -> Position {
        let of = |color: u8| -> PointSet {
            let points = self.cells.iter().enumerate().filter(|(_, cell)| **cell == color);
            points.map(|(p, _)| Point(p as u16)).collect()
        };
        Position { stones: [of(1), of(2)], captured: self.captured, to_move: self.to_move }
    }

    pub fn rules(&self) -> &Rules {
        &self.geometry.rules
    }

    pub fn points(&self) -> usize {
        self.geometry.points
    }

    pub fn to_move(&self) -> Color {
        self.to_move
    }

    pub fn captured(&self, by: Color) -> u16 {
        self.captured[by.index()]
    }

    pub fn empty_points(&self) -> usize {
        self.geometry.points - self.stones
    }

    pub fn is_empty(&self, p: u16) -> bool {
        self.cells[p as usize] == 0
    }

    /// Returns the number of plies played.
    pub fn plies(&self) -> usize {
        self.stones + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// Returns the hash key of the position: see [`PositionKeys`].
    pub fn key(&self) -> u128 {
        self.keys.key(&self.sums, self.captured, self.to_move.index())
    }

    /// Returns a hash key for tables that store points. Different images of a position have
    /// different keys, because a stored point is valid for one image only.
    pub fn key_here(&self) -> u128 {
        self.keys.key(&self.sums[..1], self.captured, self.to_move.index())
    }

    #[inline]
    fn put(&mut self, p: usize, color: usize) {
        self.cells[p] = color as u8 + 1;
        self.stones += 1;
        self.change(p, color, true);
    }

    #[inline]
    fn lift(&mut self, p: usize, color: usize) {
        self.cells[p] = 0;
        self.stones -= 1;
        self.change(p, color, false);
    }

    /// Updates the key, the windows and the capture lines of the point `p`. With `come`, a stone of
    /// `color` was placed on `p`; otherwise the stone was removed.
    #[inline]
    fn change(&mut self, p: usize, color: usize, come: bool) {
        self.keys.change(&mut self.sums, p, color, come);
        let geometry = &self.geometry;
        let side = geometry.k + 1;
        let one = 1u16 << (8 * color);
        for &id in &geometry.windows_of[p] {
            let window = &mut self.windows[id as usize];
            let old = *window;
            let new = if come { old + one } else { old - one };
            *window = new;
            let class = |w: u16| self.window_class[(w & 255) as usize * side + (w >> 8) as usize];
            let (before, after) = (class(old), class(new));
            if before != after {
                if before != NO_LIST {
                    self.window_lists.remove(before as usize, id);
                }
                if after != NO_LIST {
                    self.window_lists.add(after as usize, id);
                }
            }
        }
        let bits = color as u16 + 1;
        for &(id, shift) in &geometry.lines_of[p] {
            let line = &mut self.lines[id as usize];
            let old = *line;
            let new = old ^ bits << shift;
            *line = new;
            let (before, after) = (geometry.line_class[old as usize], geometry.line_class[new as usize]);
            if before != after {
                if before != line_class::NONE {
                    self.line_lists.remove(before as usize, id);
                }
                if after != line_class::NONE {
                    self.line_lists.add(after as usize, id);
                }
            }
        }
    }

    /// Places a stone on an empty point, removes the stones that it captures, and passes the turn.
    /// The function does not check whether the opening rule allows the move. Returns the captured
    /// stones.
    pub fn make(&mut self, p: u16) -> TakenStones {
        let own = self.to_move.index();
        let mut taken = TakenStones::NONE;
        if !self.line_lists.get(line_class::CAPTURES as usize + own).is_empty() {
            self.collect_taken(p, own, &mut taken);
        }
        self.put(p as usize, own);
        for &point in taken.points() {
            self.lift(point as usize, 1 - own);
        }
        self.captured[own] += u16::from(taken.count);
        self.to_move = self.to_move.other();
        taken
    }

    /// Takes back the latest move, a stone on `p` that captured the stones `taken`.
    pub fn unmake(&mut self, p: u16, taken: TakenStones) {
        self.to_move = self.to_move.other();
        let own = self.to_move.index();
        self.captured[own] -= u16::from(taken.count);
        for &point in taken.points().iter().rev() {
            self.put(point as usize, 1 - own);
        }
        self.lift(p as usize, own);
    }

    /// Passes the turn to the other side without placing a stone. A second call restores the
    /// position.
    pub fn pass(&mut self) {
        self.to_move = self.to_move.other();
    }

    /// Appends the stones that `own` captures by playing on the empty point `p`.
    ///
    /// No stone is appended twice. Captured rows in different directions share no stone. In one
    /// direction, two rows that start next to `p` cannot both end at a stone of `own`.
    fn collect_taken(&self, p: u16, own: usize, taken: &mut TakenStones) {
        for &(id, _) in &self.geometry.lines_of[p as usize] {
            let code = self.lines[id as usize];
            // A line of this class has exactly one empty point, which is one of its ends. Since `p`
            // is empty, `p` is that end.
            if self.geometry.line_class[code as usize] == line_class::CAPTURES + own as u8 {
                for &point in &self.geometry.line_points[id as usize][1..line_length(code) - 1] {
                    taken.points[taken.count as usize] = point;
                    taken.count += 1;
                }
            }
        }
    }

    /// Returns the number of stones that `by` captures by playing on `p`.
    pub fn gain(&self, p: u16, by: Color) -> u16 {
        let mut taken = TakenStones::NONE;
        self.collect_taken(p, by.index(), &mut taken);
        u16::from(taken.count)
    }

    /// Returns the empty end of a capture line that has exactly one empty end.
    #[inline]
    fn end_of(&self, id: u16) -> u16 {
        let points = &self.geometry.line_points[id as usize];
        let code = self.lines[id as usize];
        if code & 3 == 0 { points[0] } else { points[line_length(code) - 1] }
    }

    /// Iterates over the points where `by` can capture. A point occurs once for each row that a
    /// stone on the point would capture.
    pub fn captures(&self, by: Color) -> impl Iterator<Item = u16> {
        let list = self.line_lists.get(line_class::CAPTURES as usize + by.index());
        list.iter().map(|&id| self.end_of(id))
    }

    /// Iterates over the rows that `by` could capture after occupying one end: rows of the other
    /// side with two empty ends. Yields the two ends of each row.
    pub fn open(&self, by: Color) -> impl Iterator<Item = [u16; 2]> {
        let list = self.line_lists.get(line_class::OPEN as usize + by.index());
        list.iter().map(|&id| {
            let code = self.lines[id as usize];
            let points = &self.geometry.line_points[id as usize];
            [points[0], points[line_length(code) - 1]]
        })
    }

    /// Iterates over the empty points of a window.
    fn empties(&self, id: u16) -> impl Iterator<Item = u16> {
        self.geometry.window(id).iter().copied().filter(|&p| self.cells[p as usize] == 0)
    }

    /// Returns `true` if `side` wins by filling the window. With `over=no`, a stone of `side` at an
    /// end of the window makes the line too long.
    #[inline]
    fn may_win(&self, id: u16, side: usize) -> bool {
        self.geometry.rules.options().over == Overline::Wins
            || self.geometry.window_ends[id as usize]
                .iter()
                .all(|&end| end == NOWHERE || self.cells[end as usize] != side as u8 + 1)
    }

    /// Iterates over the empty points of the threes of `by`. A point can occur several times.
    pub fn threes(&self, by: Color) -> impl Iterator<Item = u16> {
        self.window_lists.get(2 * THREE + by.index()).iter().flat_map(|&id| self.empties(id))
    }

    /// Returns `true` if `side` has a winning line.
    pub fn has_line(&self, side: Color) -> bool {
        let full = self.window_lists.get(2 * FULL + side.index());
        full.iter().any(|&id| self.may_win(id, side.index()))
    }

    /// Returns `true` if the player who moved last has won.
    pub fn won(&self) -> bool {
        let last = self.to_move.other();
        self.captured[last.index()] >= self.geometry.rules.options().win || self.has_line(last)
    }

    /// Returns `true` if no point is empty.
    pub fn full(&self) -> bool {
        self.stones == self.geometry.points
    }

    /// Returns `true` during the first three plies, when the opening rule can forbid points.
    pub fn is_opening(&self) -> bool {
        self.plies() < 3
    }

    /// Returns `true` if the side to move may play on an empty point.
    pub fn legal(&self, p: u16) -> bool {
        !self.is_opening()
            || self.geometry.rules.opening_forbids(self.to_move, self.plies(), Point(p)).is_none()
    }

    /// Calls `found` with each point where `by` would win immediately if `by` were to move. A point
    /// can occur several times. Stops at the first `true` from `found`, and returns whether there
    /// was one.
    pub fn each_win(&self, by: Color, mut found: impl FnMut(u16) -> bool) -> bool {
        let side = by.index();
        let options = self.geometry.rules.options();
        for &id in self.window_lists.get(2 * FOUR + side) {
            if self.may_win(id, side)
                && let Some(p) = self.empties(id).next()
                && found(p)
            {
                return true;
            }
        }
        // `need` is at least 1, because a side with enough captured stones has already won.
        let need = options.win.saturating_sub(self.captured[side]);
        let captures = self.line_lists.get(line_class::CAPTURES as usize + side);
        // The list has one entry for each row that can be captured, so the length of the list
        // bounds the number of stones that one move captures.
        if captures.len() as u16 * options.capture.longest_row() >= need {
            for &id in captures {
                let p = self.end_of(id);
                if self.gain(p, by) >= need && found(p) {
                    return true;
                }
            }
        }
        if options.over == Overline::Nothing {
            return self.each_win_by_waiting_line(side, &mut found);
        }
        false
    }

    /// Returns `true` if `by` would win immediately if `by` were to move.
    pub fn has_win(&self, by: Color) -> bool {
        self.each_win(by, |_| true)
    }

    /// Returns `true` if a stone of the side to move on `p` can parry an immediate win of the other
    /// side: the stone occupies a winning point or captures something.
    pub fn parries(&self, p: u16) -> bool {
        let own = self.to_move;
        self.each_win(own.other(), |q| q == p) || self.captures(own).any(|q| q == p)
    }

    /// Calls `found` with each empty point where `side` wins because of a waiting line. Stops at
    /// the first `true` from `found`, and returns whether there was one.
    ///
    /// With `over=no`, a capture can shorten an overline to `k` stones. The line then waits for the
    /// next move of its owner, and wins unless that move makes the line longer.
    #[cold]
    fn each_win_by_waiting_line(&self, side: usize, found: &mut dyn FnMut(u16) -> bool) -> bool {
        for &id in self.window_lists.get(2 * FULL + side) {
            let ends = self.geometry.window_ends[id as usize];
            for p in 0..self.geometry.points as u16 {
                if self.may_win(id, side) && self.is_empty(p) && !ends.contains(&p) && found(p) {
                    return true;
                }
            }
        }
        false
    }

    /// Returns a legal point where the side to move wins immediately, or `None` if there is no such
    /// point.
    pub fn winning_move(&self) -> Option<u16> {
        let mut win = None;
        self.each_win(self.to_move, |p| {
            if self.legal(p) {
                win = Some(p);
            }
            win.is_some()
        });
        win
    }

    /// Returns a score for sorting moves. The score is higher if the windows and capture lines
    /// through the point are more useful to either side.
    pub fn promise(&self, p: u16) -> u32 {
        let own = 8 * self.to_move.index();
        let mut sum = 0;
        for &id in &self.geometry.windows_of[p as usize] {
            let window = self.windows[id as usize];
            let (mine, other) = (u32::from(window >> own & 255), u32::from(window >> (8 - own) & 255));
            sum += match (mine, other) {
                (0, 0) => 1,
                (n, 0) => 4 << (2 * n.min(10)),
                (0, n) => 3 << (2 * n.min(10)),
                _ => 0,
            };
        }
        for &(id, shift) in &self.geometry.lines_of[p as usize] {
            let code = self.lines[id as usize];
            let end = shift == 0 || usize::from(shift) == 2 * (line_length(code) - 1);
            let class = self.geometry.line_class[code as usize];
            if end && class != line_class::NONE {
                sum += if class < line_class::OPEN { 300 } else { 60 };
            }
        }
        sum
    }

    /// Returns the largest number of stones of `side` in a window through a point, among the
    /// windows without stones of the other side.
    pub fn best_window(&self, p: u16, side: Color) -> usize {
        let own = 8 * side.index();
        let windows = self.geometry.windows_of[p as usize].iter().map(|&id| self.windows[id as usize]);
        windows.filter(|w| w >> (8 - own) & 255 == 0).map(|w| usize::from(w >> own & 255)).max().unwrap_or(0)
    }

    /// Returns `true` if a capture line through this empty point contains a stone of `side`. A
    /// stone on the point could then take part in a capture with that stone.
    pub fn touches(&self, p: u16, side: Color) -> bool {
        let cell = side.index() as u16 + 1;
        self.geometry.lines_of[p as usize].iter().any(|&(id, _)| {
            let code = self.lines[id as usize];
            (0..line_length(code)).any(|i| code >> (2 * i) & 3 == cell)
        })
    }
}
