//! The symmetries of the board: eight rotations and reflections of a square board, and four of any
//! other board.

use super::{Point, PointSet, Position, Rules};

/// A rotation or reflection of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The symmetry that fixes every point.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// Returns the image of a point. If bit 0 of the symmetry is set, the files are mirrored. If
    /// bit 1 is set, the ranks are mirrored. If bit 2 is set, files and ranks are exchanged after
    /// that.
    pub fn apply(self, rules: &Rules, p: Point) -> Point {
        let (mut file, mut rank) = rules.file_rank(p);
        if self.0 & 1 != 0 {
            file = rules.width() - 1 - file;
        }
        if self.0 & 2 != 0 {
            rank = rules.height() - 1 - rank;
        }
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        rules.point(file, rank).unwrap_or(p)
    }

    /// Returns the image of a set of points.
    pub fn apply_all(self, rules: &Rules, points: &PointSet) -> PointSet {
        points.iter().map(|p| self.apply(rules, p)).collect()
    }
}

impl Rules {
    /// Returns the symmetries of the board, the identity first. Every symmetry preserves the rules,
    /// because the pro opening depends only on the distance from the centre.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        (0..if self.width() == self.height() { 8 } else { 4 }).map(Symmetry).collect()
    }

    /// Returns the image of a position.
    pub fn image(&self, p: &Position, symmetry: Symmetry) -> Position {
        Position { stones: p.stones.map(|points| symmetry.apply_all(self, &points)), ..*p }
    }

    /// Returns the least image of a position, and a symmetry that maps the position to that image.
    /// All images of a position share one least image.
    pub fn canonical(&self, p: &Position) -> (Position, Symmetry) {
        let images = self.symmetries().into_iter().map(|s| (self.image(p, s), s));
        images.min().unwrap_or((*p, Symmetry::IDENTITY))
    }
}
