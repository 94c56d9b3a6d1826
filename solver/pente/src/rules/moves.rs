//! Legal moves, captures, and the results of moves.

use pentago_base::ALONE;

use super::lines::DIRECTIONS;
use super::{Color, Opening, Outcome, Point, PointSet, Position, Refusal, Rules};

/// The result of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveResult {
    /// The position after the move.
    pub position: Position,
    /// The captured stones.
    pub taken: PointSet,
    /// The outcome of the game, or `None` if the move does not end the game.
    pub outcome: Option<Outcome>,
}

impl Rules {
    /// Returns the position at the start of a game: the empty board.
    pub const fn start(&self) -> Position {
        Position::EMPTY
    }

    /// Returns the legal moves in ascending order of their points, or nothing if the game is over.
    pub fn moves(&self, p: &Position) -> Vec<Point> {
        if self.outcome(p).is_some() { Vec::new() } else { self.placements(p).collect() }
    }

    /// Returns the legal moves of a game that is not over.
    pub(crate) fn placements(&self, p: &Position) -> impl Iterator<Item = Point> + use<> {
        let (rules, to_move, plies, occupied) = (*self, p.to_move, p.plies(), p.occupied());
        self.all_points().filter(move |&point| {
            !occupied.contains(point) && rules.opening_forbids(to_move, plies, point).is_none()
        })
    }

    /// Returns the reason why the pro opening forbids a stone of `player` on `p` as ply `ply`,
    /// counted from 0. Returns `None` if the stone is allowed.
    pub(crate) fn opening_forbids(&self, player: Color, ply: usize, p: Point) -> Option<&'static str> {
        let pro = self.options().opening == Opening::Pro && player == Color::X;
        let centre = self.centre().filter(|_| pro)?;
        match ply {
            0 if p != centre => Some("opening=pro: the first stone of the game belongs on the centre"),
            2 if self.distance(p, centre) < 3 => Some(
                "opening=pro: the second stone of X belongs three or more points away from the centre, \
                 in files or in ranks",
            ),
            _ => None,
        }
    }

    /// Returns the stones that a move captures.
    pub fn taken(&self, p: &Position, m: Point) -> PointSet {
        let mut taken = PointSet::EMPTY;
        let (own, enemy) = (p.stones(p.to_move), p.stones(p.to_move.other()));
        for (df, dr) in DIRECTIONS {
            let mut row = PointSet::EMPTY;
            let mut at = self.step(m, df, dr);
            while let Some(point) = at.filter(|&point| enemy.contains(point) && row.len() < 4) {
                row.insert(point);
                at = self.step(point, df, dr);
            }
            if at.is_some_and(|point| own.contains(point))
                && self.options().capture.lengths().contains(&row.len())
            {
                taken = taken.union(&row);
            }
        }
        taken
    }

    /// Plays a move: places the stone, removes the captured stones, and determines the outcome.
    ///
    /// # Errors
    /// If the move is illegal.
    pub fn play(&self, p: &Position, m: Point) -> Result<MoveResult, Refusal> {
        if m.index() >= self.points() {
            return Err(Refusal::new("this point is outside the board"));
        }
        if let Some(color) = p.at(m) {
            return Err(Refusal::new(format!("there is a stone of {color} on this point already")));
        }
        if self.outcome(p).is_some() {
            return Err(Refusal::new("the game is over"));
        }
        match self.opening_forbids(p.to_move, p.plies(), m) {
            Some(why) => Err(Refusal::new(why)),
            None => Ok(self.place(p, m)),
        }
    }

    /// Plays a legal move of a game that is not over.
    pub(crate) fn place(&self, p: &Position, m: Point) -> MoveResult {
        let taken = self.taken(p, m);
        let mut position = *p;
        let (own, enemy) = (p.to_move.index(), p.to_move.other().index());
        position.stones[own].insert(m);
        taken.iter().for_each(|point| position.stones[enemy].remove(point));
        position.captured[own] += taken.len() as u16;
        position.to_move = p.to_move.other();
        MoveResult { position, taken, outcome: self.outcome(&position) }
    }

    /// Returns the number of leaves of the game tree at `depth` plies. A game that ends earlier
    /// counts as one leaf.
    ///
    /// From the empty board on 19x19 with the pro opening: 1, 1, 360, 120,624 for depths 0 to 3.
    pub fn perft(&self, p: &Position, depth: u32) -> u64 {
        use rayon::prelude::*;
        if depth == 0 || self.outcome(p).is_some() {
            return 1;
        }
        if depth == 1 {
            return self.placements(p).count() as u64;
        }
        let below = |m| {
            let played = self.place(p, m);
            if played.outcome.is_some() { 1 } else { self.perft(&played.position, depth - 1) }
        };
        let moves: Vec<Point> = self.placements(p).collect();
        if depth == 2 || ALONE {
            moves.into_iter().map(below).sum()
        } else {
            moves.into_par_iter().map(below).sum()
        }
    }
}
