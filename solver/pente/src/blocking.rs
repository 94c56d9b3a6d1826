//! [`WeakGame`]: proofs that a player can't complete a line, under rules without captures.
//!
//! In the *weak game*, only the lines of one player count, the attacker. The other player, the
//! blocker, tries to put a stone on every line. A blocker who succeeds in the weak game also
//! prevents the attacker from winning the real game, in which lines of the blocker end the game
//! too. The reverse doesn't hold.
//!
//! The blocker has succeeded if every open line contains two free points that are reserved for this
//! line: the blocker answers a stone on one of them by a stone on the other one (a *pairing
//! strategy*). Hsu, Ko, Chen, Wei, Hsueh and Wu ("On solving the 7,7,5-game and the 8,8,5-game",
//! Theoretical Computer Science 815, 2020) combine a search with pairing strategies in this way.

use pentago_base::mix;
use pentago_search::{Game, Goal, Outcome, Side};

use crate::rules::lines::DIRECTIONS;
use crate::rules::{Capture, Color, Opening, Position, Rules, Symmetry};

/// A set of points: bit `i` stands for the point with index `i`.
type Set = u128;

/// The largest number of points of a board.
const MOST_POINTS: usize = 128;
/// The largest number of groups of lines for which [`WeakGame::missing_pairs`] looks for pairs.
const MOST_GROUPS: usize = 128;
/// The mark of a point that is not reserved.
const NOBODY: u8 = u8::MAX;

/// A position of the weak game. The attacker is the first side.
pub struct WeakGame {
    lines: Vec<Line>,
    /// The image of each point under each symmetry of the board.
    images: Vec<Vec<u8>>,
    state: State,
}

/// The points of a possible line of the attacker.
struct Line {
    points: Set,
    /// The number of the row, column or diagonal along which the line runs.
    row: u16,
}

/// The part of a position that changes with each move.
#[derive(Clone, Copy)]
pub struct State {
    /// The attacker's stones on open lines.
    own: Set,
    /// The free points on open lines.
    free: Set,
    attackers_turn: bool,
    outcome: Option<Outcome>,
}

impl WeakGame {
    /// Creates the weak game for an attacker. Returns `None` if the rules have captures or restrict
    /// the first moves, if the board has more than 128 points, or if the game is over.
    pub fn new(rules: &Rules, position: &Position, attacker: Color) -> Option<WeakGame> {
        let options = rules.options();
        if options.capture != Capture::Never
            || options.opening != Opening::Free
            || rules.points() > MOST_POINTS
            || rules.outcome(position).is_some()
        {
            return None;
        }
        let set =
            |color: Color| position.stones[color as usize].iter().fold(0, |set: Set, p| set | 1 << p.index());
        let (own, other) = (set(attacker), set(attacker.other()));
        let all = Set::MAX >> (MOST_POINTS - rules.points());
        let attackers_turn = position.to_move() == attacker;
        let symmetries = rules.symmetries().into_iter();
        let image = |s: Symmetry| rules.all_points().map(|p| s.apply(rules, p).index() as u8).collect();
        let mut game = WeakGame {
            lines: lines(rules),
            images: symmetries.map(image).collect(),
            state: State { own, free: all & !own & !other, attackers_turn, outcome: None },
        };
        game.state = game.judged(game.state);
        Some(game)
    }

    /// Returns the lines without a stone of the blocker.
    fn open_lines(&self, state: State) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.points & !(state.own | state.free) == 0)
    }

    /// Drops the points that are on no open line, and computes the outcome.
    fn judged(&self, mut state: State) -> State {
        let union = self.open_lines(state).fold(0, |union, line| union | line.points);
        (state.own, state.free) = (state.own & union, state.free & union);
        state.outcome = if self.open_lines(state).any(|line| line.points & state.free == 0) {
            Some(Outcome::Win(Side::First))
        } else if state.attackers_turn && self.missing_pairs(state) == 0 || union == 0 {
            Some(Outcome::Win(Side::Second))
        } else {
            None
        };
        state
    }

    /// Returns the position after a stone on `point`.
    fn after(&self, point: u8) -> State {
        let State { mut own, free, attackers_turn, .. } = self.state;
        if attackers_turn {
            own |= 1 << point;
        }
        self.judged(State { own, free: free & !(1 << point), attackers_turn: !attackers_turn, outcome: None })
    }

    /// Returns the number of points that a pairing strategy lacks, or 0 if the blocker has a
    /// pairing strategy. Successive lines of a row that share two free points need only one pair.
    fn missing_pairs(&self, state: State) -> u32 {
        let mut groups = Groups { points: [0; MOST_GROUPS], count: 0, owner: [NOBODY; MOST_POINTS] };
        let (mut previous, mut row) = (0, 0);
        for line in self.open_lines(state) {
            if line.row != row {
                (previous, row) = (0, line.row);
            }
            let points = line.points & state.free;
            if (previous & points).count_ones() >= 2 {
                previous &= points;
                groups.points[groups.count - 1] = previous;
            } else if groups.count == MOST_GROUPS {
                return u32::MAX;
            } else {
                previous = points;
                groups.points[groups.count] = points;
                groups.count += 1;
            }
        }
        let all = 0..groups.count;
        all.map(|group| (0..2).map(|_| u32::from(!groups.reserve(group, &mut 0))).sum::<u32>()).sum()
    }

    /// Returns the points on which the attacker completes a line.
    fn completions(&self) -> Set {
        let missing = self.open_lines(self.state).map(|line| line.points & self.state.free);
        missing.filter(|set| set.count_ones() == 1).fold(0, |all, set| all | set)
    }
}

/// Groups of lines. The lines of a group share free points, of which two are reserved for the
/// group.
struct Groups {
    points: [Set; MOST_GROUPS],
    count: usize,
    /// The group for which each point is reserved.
    owner: [u8; MOST_POINTS],
}

impl Groups {
    /// Reserves one more point for a group, and moves reservations of other groups if necessary:
    /// an augmenting path of a matching. `tried` are the points that this call has tried. Returns
    /// `false` if this is impossible.
    fn reserve(&mut self, group: usize, tried: &mut Set) -> bool {
        let is_free = |p: &u8| self.owner[usize::from(*p)] == NOBODY;
        if let Some(p) = points(self.points[group] & !*tried).find(is_free) {
            self.owner[usize::from(p)] = group as u8;
            return true;
        }
        for p in points(self.points[group]) {
            let owner = self.owner[usize::from(p)];
            if *tried & 1 << p != 0 || usize::from(owner) == group {
                continue;
            }
            *tried |= 1 << p;
            if self.reserve(usize::from(owner), tried) {
                self.owner[usize::from(p)] = group as u8;
                return true;
            }
        }
        false
    }
}

/// Returns the points of a set in ascending order.
fn points(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(next)
    })
}

/// Returns all lines of `k` points of a board, row by row.
fn lines(rules: &Rules) -> Vec<Line> {
    let (mut lines, mut row) = (Vec::new(), 0);
    for &(df, dr) in &DIRECTIONS[..4] {
        for first in rules.all_points().filter(|&p| rules.step(p, -df, -dr).is_none()) {
            let along = std::iter::successors(Some(first), |&p| rules.step(p, df, dr));
            let along: Vec<Set> = along.map(|p| 1 << p.index()).collect();
            let sets = along.windows(rules.k()).map(|points| points.iter().sum());
            lines.extend(sets.map(|points| Line { points, row }));
            row += 1;
        }
    }
    lines
}

impl Game for WeakGame {
    type Move = u8;
    type Undo = State;

    fn side(&self) -> Side {
        if self.state.attackers_turn { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.state.outcome
    }

    fn plies_left(&self) -> u32 {
        if self.state.outcome.is_some() { 0 } else { self.state.free.count_ones() }
    }

    /// Lists the points that are on the most advanced lines first. If the attacker threatens to
    /// complete lines, lists only the blocker's replies on these lines.
    fn moves(&mut self, out: &mut Vec<u8>) {
        let threats = if self.state.attackers_turn { 0 } else { self.completions() };
        let mut scores = [0_u32; MOST_POINTS];
        for line in self.open_lines(self.state) {
            let own = (line.points & self.state.own).count_ones();
            points(line.points & self.state.free)
                .for_each(|p| scores[usize::from(p)] += 1 << (2 * own.min(12)));
        }
        let first = out.len();
        out.extend(points(if threats == 0 { self.state.free } else { threats }));
        out[first..].sort_by_key(|&p| std::cmp::Reverse(scores[usize::from(p)]));
    }

    fn all_moves(&mut self, out: &mut Vec<u8>) {
        out.extend(points(self.state.free));
    }

    fn make(&mut self, point: u8) -> State {
        let after = self.after(point);
        std::mem::replace(&mut self.state, after)
    }

    fn unmake(&mut self, _: u8, before: State) {
        self.state = before;
    }

    fn winning_move(&mut self) -> Option<u8> {
        let threats = self.completions();
        if self.state.attackers_turn {
            return points(threats).next();
        }
        if threats.count_ones() > 1 {
            return None;
        }
        let mut replies = Vec::new();
        self.moves(&mut replies);
        replies.into_iter().find(|&p| self.after(p).outcome == Some(Outcome::Win(Side::Second)))
    }

    fn key(&self) -> u128 {
        let State { own, free, attackers_turn, .. } = self.state;
        let image =
            |map: &Vec<u8>, set| points(set).fold(0, |image: Set, p| image | 1 << map[usize::from(p)]);
        let least = self.images.iter().map(|map| (image(map, own), image(map, free))).min();
        let (own, free) = least.unwrap_or((own, free));
        let words = [own as u64, (own >> 64) as u64, free as u64, (free >> 64) as u64];
        let half = |seed: u64| words.iter().fold(seed, |key, word| mix(key ^ word));
        u128::from(half(u64::from(attackers_turn))) << 64 | u128::from(half(2))
    }

    fn estimate(&mut self, _: Goal) -> (u32, u32) {
        (1, 1 + self.missing_pairs(self.state).min(1000))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pentago_base::Budget;
    use pentago_search::{ProofNumbers, Table, Verdict};

    use super::*;
    use crate::rules::PointSet;
    use crate::rules::lines::has_line;
    use crate::rules::random::{self, PlayStyle};

    /// Returns `true` if the attacker completes a line in the weak game, by trying all moves.
    fn completes(
        rules: &Rules,
        stones: [PointSet; 2],
        attackers_turn: bool,
        known: &mut HashMap<([PointSet; 2], bool), bool>,
    ) -> bool {
        let taken = stones[0].union(&stones[1]);
        if has_line(rules, &stones[0]) || taken.len() == rules.points() {
            return has_line(rules, &stones[0]);
        }
        if let Some(&known) = known.get(&(stones, attackers_turn)) {
            return known;
        }
        let mut free = rules.all_points().filter(|&p| !taken.contains(p));
        let found = free.any(|p| {
            let mut next = stones;
            next[usize::from(!attackers_turn)].insert(p);
            completes(rules, next, !attackers_turn, known) == attackers_turn
        });
        known.insert((stones, attackers_turn), found == attackers_turn);
        found == attackers_turn
    }

    #[test]
    fn the_weak_game_as_by_trying_all_moves() {
        let mut seen = [0; 2];
        for (size, k, stones) in
            [("n=3", 3, 0), ("n=4", 3, 2), ("n=4", 4, 4), ("w=5,h=4", 4, 8), ("w=3,h=5", 3, 1)]
        {
            let rules: Rules = format!("pente:{size},k={k},opening=free,cap=0").parse().unwrap();
            let (mut known, mut table) = (HashMap::new(), Table::new(1 << 20).unwrap());
            for p in random::positions(&rules, PlayStyle::Uniform, stones, 20, 5, false).unwrap() {
                for attacker in Color::ALL {
                    let mut game = WeakGame::new(&rules, &p, attacker).unwrap();
                    let mut search = ProofNumbers::new(&mut table, Goal::win(Side::First));
                    let found = search.solve(&mut game, &mut Budget::nodes(u64::MAX)).unwrap();
                    let both = [attacker, attacker.other()].map(|color| p.stones[color as usize]);
                    let expected = completes(&rules, both, p.to_move() == attacker, &mut known);
                    assert_eq!(found == Verdict::Proved, expected, "{rules} {}", rules.format_position(&p));
                    seen[usize::from(expected)] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }
}
