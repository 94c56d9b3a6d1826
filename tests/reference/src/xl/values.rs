//! Computes values of positions of Pentago XL by trying every move and memoising the results.

use std::collections::HashMap;

use crate::{XlAfter, XlOptions, XlState};

/// The points of each player, in twelfths of a point. In a game of p players, place r is worth p -
/// r points. Players who share places each have the mean of the points of these places. In a team
/// game, a win is worth one point for each member of the winning team, and a draw is worth half a
/// point for every player.
pub type Points = [i32; 4];

/// A memoising solver for positions under one set of options.
pub struct XlSolver {
    options: XlOptions,
    guarantees: HashMap<XlState, Points>,
    wins: HashMap<(XlState, u8, u32), bool>,
}

impl XlSolver {
    /// Creates a solver with an empty memo.
    pub fn new(options: XlOptions) -> XlSolver {
        XlSolver { options, guarantees: HashMap::new(), wins: HashMap::new() }
    }

    /// Returns the points of each player in a finished game.
    pub fn points(&self, places: &[u8; 4]) -> Points {
        let mut points = [0; 4];
        let players = if self.options.teams { 4 } else { self.options.seats };
        for player in 0..players {
            let place = places[player];
            if self.options.teams {
                let draw = places.iter().all(|&place| place == 1);
                points[player] = if draw { 6 } else { 12 * i32::from(place == 1) };
                continue;
            }
            let sharing = places[..players].iter().filter(|&&other| other == place).count() as i32;
            let sum: i32 = (0..sharing).map(|i| players as i32 - (i32::from(place) + i)).sum();
            points[player] = 12 * sum / sharing;
        }
        points
    }

    /// Returns `true` if `player` is player `owner` or a partner of `owner`. Players are numbered
    /// from 1.
    fn same_side(&self, player: u8, owner: usize) -> bool {
        if self.options.teams { player as usize % 2 == owner % 2 } else { player as usize == owner }
    }

    /// For each player, returns the points that the player can guarantee while all other players,
    /// except for the partner, play against this player.
    pub fn guarantees(&mut self, state: &XlState) -> Points {
        if let Some(&known) = self.guarantees.get(state) {
            return known;
        }
        let all: Vec<Points> =
            self.options.moves(state).into_iter().map(|(_, after)| self.guarantees_after(&after)).collect();
        let mut best = [0; 4];
        for owner in 1..=self.options.seats {
            let points = all.iter().map(|points| points[owner - 1]);
            let point = if self.same_side(state.to_move, owner) { points.max() } else { points.min() };
            best[owner - 1] = point.unwrap_or(0);
        }
        self.guarantees.insert(*state, best);
        best
    }

    /// Returns the points that each player can guarantee after a move.
    pub fn guarantees_after(&mut self, after: &XlAfter) -> Points {
        match after {
            XlAfter::Over(places) => self.points(places),
            XlAfter::Goes(next) => self.guarantees(next),
        }
    }

    /// Returns `true` if the side of player `owner` can force, within `plies` moves, an end of the
    /// game in which `owner` has the maximum points. Players are numbered from 1.
    pub fn wins_within(&mut self, state: &XlState, owner: u8, plies: u32) -> bool {
        if plies == 0 {
            return false;
        }
        if let Some(&known) = self.wins.get(&(*state, owner, plies)) {
            return known;
        }
        let most = if self.options.teams { 12 } else { 12 * (self.options.seats as i32 - 1) };
        let own = self.same_side(state.to_move, owner as usize);
        let mut reached = !own;
        for (_, after) in self.options.moves(state) {
            let won = match after {
                XlAfter::Over(places) => self.points(&places)[owner as usize - 1] == most,
                XlAfter::Goes(next) => self.wins_within(&next, owner, plies - 1),
            };
            if won == own {
                reached = own;
                break;
            }
        }
        self.wins.insert((*state, owner, plies), reached);
        reached
    }
}
