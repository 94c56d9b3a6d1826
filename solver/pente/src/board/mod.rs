//! The position as the searches hold it: a stone more or less changes a few counters, and
//! everything that a search asks for is read off them.
//!
//! - A *window* is `k` points in line. It holds a number of stones of each side. If one side has
//!   none in it, the other can still fill it: with `k` stones it is *full*, with `k - 1` a *four*,
//!   with `k - 2` a *three* (the names of the game with `k = 5`).
//! - A *capture line* is a row that can be captured, with its two ends.
//!
//! Fours, threes, captures and open pairs are kept in lists. A move is taken back in the reverse
//! order; nothing is allocated on the way.

mod geometry;
mod keys;
mod lists;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::rules::{Capture, Color, Overline, Point, PointSet, Position, Rules};
use geometry::{BoardGeometry, LONG, NOWHERE, line_class};
use keys::PositionKeys;
use lists::IndexLists;

/// Lists of windows: `2 * class + side`.
const FOUR: usize = 0;
const THREE: usize = 1;
const FULL: usize = 2;
const NO_LIST: u8 = u8::MAX;

/// A position that changes move by move.
pub(crate) struct SearchBoard {
    geometry: Arc<BoardGeometry>,
    keys: Arc<PositionKeys>,
    /// 0 empty, 1 X, 2 O.
    cells: Vec<u8>,
    stones: usize,
    captured: [u16; 2],
    to_move: Color,
    /// Stones of X in the low nibble pair and of O above: `x | o << 8`.
    windows: Vec<u16>,
    window_lists: IndexLists,
    /// The list of a window with these contents, `x * (k + 1) + o`.
    window_class: Vec<u8>,
    lines: Vec<u16>,
    line_lists: IndexLists,
    sums: Vec<u128>,
}

/// The points of the stones that a move captured. [`SearchBoard::unmake`] needs the points to take
/// the move back.
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
    /// The state of a position.
    pub fn new(rules: &Rules, position: &Position) -> SearchBoard {
        let geometry = Arc::new(BoardGeometry::new(*rules));
        let keys = Arc::new(PositionKeys::new(rules));
        let k = geometry.k;
        let mut window_class = vec![NO_LIST; (k + 1) * (k + 1)];
        for own in 1..=k {
            let class = match k - own {
                0 => FULL,
                1 => FOUR,
                2 => THREE,
                _ => continue,
            };
            window_class[own * (k + 1)] = (2 * class) as u8;
            window_class[own] = (2 * class + 1) as u8;
        }
        let lines: Vec<u16> = (0..geometry.line_points.len()).map(|id| geometry.empty_code(id)).collect();
        let mut state = SearchBoard {
            cells: vec![0; geometry.points],
            stones: 0,
            captured: [0; 2],
            to_move: Color::X,
            windows: vec![0; geometry.windows()],
            window_lists: IndexLists::new(6, geometry.windows()),
            window_class,
            line_lists: IndexLists::new(5, lines.len()),
            lines,
            sums: keys.empty(),
            geometry,
            keys,
        };
        state.set(position);
        state
    }

    /// Takes another position of the same rules.
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

    /// The position.
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

    /// Plies played so far.
    pub fn plies(&self) -> usize {
        self.stones + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// The key of the position: see [`PositionKeys`].
    pub fn key(&self) -> u128 {
        self.keys.key(&self.sums, self.captured, self.to_move.index())
    }

    /// A key that images of the position do not share: for tables that hold points.
    pub fn key_here(&self) -> u128 {
        self.keys.key(&self.sums[..1], self.captured, self.to_move.index())
    }

    #[inline]
    fn put(&mut self, p: usize, color: usize) {
        self.cells[p] = color as u8 + 1;
        self.stones += 1;
        self.keys.add(&mut self.sums, p, color);
        self.change(p, color, true);
    }

    #[inline]
    fn lift(&mut self, p: usize, color: usize) {
        self.cells[p] = 0;
        self.stones -= 1;
        self.keys.remove(&mut self.sums, p, color);
        self.change(p, color, false);
    }

    /// Counts a stone that has come or gone in all windows and lines of its point.
    #[inline]
    fn change(&mut self, p: usize, color: usize, come: bool) {
        let geometry = &*self.geometry;
        let side = geometry.k + 1;
        let one = 1u16 << (8 * color);
        for &id in geometry.windows_at(p) {
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
        for &(id, shift) in geometry.lines_at(p) {
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

    /// Plays on an empty point, legal or not, and hands the move to the other side.
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

    /// Takes back a move.
    pub fn unmake(&mut self, p: u16, taken: TakenStones) {
        self.to_move = self.to_move.other();
        let own = self.to_move.index();
        self.captured[own] -= u16::from(taken.count);
        for &point in taken.points().iter().rev() {
            self.put(point as usize, 1 - own);
        }
        self.lift(p as usize, own);
    }

    /// Hands the move to the other side without a stone; done twice it is as before.
    pub fn pass(&mut self) {
        self.to_move = self.to_move.other();
    }

    /// The stones that `own` takes by playing on `p`. Rows of different directions share no stone,
    /// and in one direction at most one row lies between two flanks.
    fn collect_taken(&self, p: u16, own: usize, taken: &mut TakenStones) {
        for &(id, shift) in self.geometry.lines_at(p as usize) {
            let code = self.lines[id as usize];
            if self.geometry.line_class[code as usize] != line_class::CAPTURES + own as u8 {
                continue;
            }
            let length = line_length(code);
            // The point is the empty end, not the flank or a stone between.
            if shift == 0 || usize::from(shift) == 2 * (length - 1) {
                for &point in &self.geometry.line_points[id as usize][1..length - 1] {
                    taken.points[taken.count as usize] = point;
                    taken.count += 1;
                }
            }
        }
    }

    /// The number of stones that `by` takes by playing on `p`.
    pub fn gain(&self, p: u16, by: Color) -> u16 {
        let mut taken = TakenStones::NONE;
        self.collect_taken(p, by.index(), &mut taken);
        u16::from(taken.count)
    }

    /// The empty end of a line that can be captured.
    #[inline]
    fn end_of(&self, id: u16) -> u16 {
        let points = &self.geometry.line_points[id as usize];
        let code = self.lines[id as usize];
        if code & 3 == 0 { points[0] } else { points[line_length(code) - 1] }
    }

    /// The points where `by` captures something; a point comes once for each row that it captures.
    pub fn captures(&self, by: Color) -> impl Iterator<Item = u16> {
        let list = self.line_lists.get(line_class::CAPTURES as usize + by.index());
        list.iter().map(|&id| self.end_of(id))
    }

    /// The pairs of ends of rows that are open on both sides, for `by` to flank.
    pub fn open(&self, by: Color) -> impl Iterator<Item = [u16; 2]> {
        let list = self.line_lists.get(line_class::OPEN as usize + by.index());
        list.iter().map(|&id| {
            let code = self.lines[id as usize];
            let points = &self.geometry.line_points[id as usize];
            [points[0], points[line_length(code) - 1]]
        })
    }

    /// The empty points of a window.
    fn empties(&self, id: u16) -> impl Iterator<Item = u16> {
        self.geometry.window(id).iter().copied().filter(|&p| self.cells[p as usize] == 0)
    }

    /// Whether the ends of a window let it win when it is full: with `over=no` no own stone stands
    /// there.
    #[inline]
    fn may_win(&self, id: u16, side: usize) -> bool {
        self.geometry.rules.options().over == Overline::Wins
            || self.geometry.window_ends[id as usize]
                .iter()
                .all(|&end| end == NOWHERE || self.cells[end as usize] != side as u8 + 1)
    }

    /// The points where a window that lacks two stones of `by`, and has none of the other side, is
    /// empty.
    pub fn threes(&self, by: Color) -> impl Iterator<Item = u16> {
        self.window_lists.get(2 * THREE + by.index()).iter().flat_map(|&id| self.empties(id))
    }

    /// Whether `side` has a row that wins.
    pub fn has_row(&self, side: Color) -> bool {
        let full = self.window_lists.get(2 * FULL + side.index());
        full.iter().any(|&id| self.may_win(id, side.index()))
    }

    /// Whether a player has won: the one who moved last.
    pub fn won(&self) -> bool {
        let last = self.to_move.other();
        self.captured[last.index()] >= self.geometry.rules.options().win || self.has_row(last)
    }

    /// Whether no point is empty.
    pub fn full(&self) -> bool {
        self.stones == self.geometry.points
    }

    /// Whether the opening rule keeps the side to move from some points.
    pub fn is_opening(&self) -> bool {
        self.plies() < 3
    }

    /// Whether a stone of the side to move on an empty point is legal.
    pub fn legal(&self, p: u16) -> bool {
        !self.is_opening()
            || self.geometry.rules.opening_forbids(self.to_move, self.plies(), Point(p)).is_none()
    }

    /// Calls `found` with the points where `by` would win at once if it were to move; a point can
    /// come several times. Stops when `found` says so, and returns whether it did.
    pub fn each_win(&self, by: Color, mut found: impl FnMut(u16) -> bool) -> bool {
        let side = by.index();
        for &id in self.window_lists.get(2 * FOUR + side) {
            if self.may_win(id, side)
                && let Some(p) = self.empties(id).next()
                && found(p)
            {
                return true;
            }
        }
        // Needed is at least 1: who has captured enough has won already.
        let need = self.geometry.rules.options().win.saturating_sub(self.captured[side]);
        let captures = self.line_lists.get(line_class::CAPTURES as usize + side);
        // Each row that is captured at a point is one line here.
        if captures.len() * self.longest_row() >= usize::from(need) {
            for &id in captures {
                let p = self.end_of(id);
                if self.gain(p, by) >= need && found(p) {
                    return true;
                }
            }
        }
        if self.geometry.rules.options().over == Overline::Nothing {
            return self.each_win_by_waiting_row(side, &mut found);
        }
        false
    }

    /// Returns `true` if `by` would win immediately if it were to move.
    pub fn has_win(&self, by: Color) -> bool {
        self.each_win(by, |_| true)
    }

    /// Returns `true` if a stone of the side to move on `p` can parry an immediate win of the other
    /// side: the stone takes a winning point, or captures something.
    pub fn parries(&self, p: u16) -> bool {
        let own = self.to_move;
        self.each_win(own.other(), |q| q == p) || self.captures(own).any(|q| q == p)
    }

    /// The stones of the longest row that can be captured.
    fn longest_row(&self) -> usize {
        if self.geometry.rules.options().capture == Capture::TwoOrThree { 3 } else { 2 }
    }

    /// With `over=no` a row that a capture cut down to `k` wins with any move but one that makes it
    /// longer.
    #[cold]
    fn each_win_by_waiting_row(&self, side: usize, found: &mut dyn FnMut(u16) -> bool) -> bool {
        let waiting: Vec<u16> = self
            .window_lists
            .get(2 * FULL + side)
            .iter()
            .copied()
            .filter(|&id| self.may_win(id, side))
            .collect();
        waiting.iter().any(|&id| {
            let ends = self.geometry.window_ends[id as usize];
            (0..self.geometry.points as u16)
                .filter(|p| self.is_empty(*p) && !ends.contains(p))
                .any(&mut *found)
        })
    }

    /// A point where the side to move wins at once.
    pub fn winning_move(&self) -> Option<u16> {
        let mut win = None;
        self.each_win(self.to_move, |p| {
            let legal = self.legal(p);
            if legal {
                win = Some(p);
            }
            legal
        });
        win
    }

    /// How much a point promises to both sides: for the order of moves.
    pub fn promise(&self, p: u16) -> u32 {
        let own = 8 * self.to_move.index();
        let mut sum = 0;
        for &id in self.geometry.windows_at(p as usize) {
            let window = self.windows[id as usize];
            let (mine, other) = (u32::from(window >> own & 255), u32::from(window >> (8 - own) & 255));
            sum += match (mine, other) {
                (0, 0) => 1,
                (n, 0) => 4 << (2 * n.min(10)),
                (0, n) => 3 << (2 * n.min(10)),
                _ => 0,
            };
        }
        for &(id, shift) in self.geometry.lines_at(p as usize) {
            let code = self.lines[id as usize];
            let end = shift == 0 || usize::from(shift) == 2 * (line_length(code) - 1);
            let class = self.geometry.line_class[code as usize];
            if end && class != line_class::NONE {
                sum += if class < line_class::OPEN { 300 } else { 60 };
            }
        }
        sum
    }

    /// Stones of `side` in the fullest window through a point that the other side has no stone in.
    pub fn best_window(&self, p: u16, side: Color) -> usize {
        let own = 8 * side.index();
        let windows = self.geometry.windows_at(p as usize).iter().map(|&id| self.windows[id as usize]);
        windows.filter(|w| w >> (8 - own) & 255 == 0).map(|w| usize::from(w >> own & 255)).max().unwrap_or(0)
    }

    /// Whether a stone on this empty point lies in a row with a stone of `side` so near that it
    /// could be captured between them.
    pub fn touches(&self, p: u16, side: Color) -> bool {
        let cell = side.index() as u16 + 1;
        self.geometry.lines_at(p as usize).iter().any(|&(id, _)| {
            let code = self.lines[id as usize];
            (0..line_length(code)).any(|i| code >> (2 * i) & 3 == cell)
        })
    }
}

/// The points of a line with this code.
#[inline]
fn line_length(code: u16) -> usize {
    if code & LONG == 0 { 4 } else { 5 }
}
