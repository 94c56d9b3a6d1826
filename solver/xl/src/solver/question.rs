//! One question to the solver: a position that the engines examine one after another.

use pentago_base::{Control, Kernel};
use pentago_search::{Budget, Deepening, Distance, Goal, ProofNumbers, Side, Table as SearchTable, Verdict};

use super::request::{Limits, Request};
use crate::answer::{Answer, Bounds, Engine, MoveValue};
use crate::dense::{Chain, Dense, dense_estimate};
use crate::forward::Duel;
use crate::kernel::ChainKind;
use crate::moves::Move;
use crate::options::Rules;
use crate::outcome::{Value, of_points};
use crate::position::Position;
use crate::seat::{Seat, Seats};
use crate::walk::Walk;
use crate::within::WinSearch;

/// The largest work, as boards times chains, for which the dense solution runs before the forward
/// proofs. Such a solution takes some tenths of a second.
const SMALL_WORK: u64 = 100_000;

/// A position that the engines examine, and the answer so far.
pub(super) struct Question<'a> {
    pub rules: Rules,
    pub kernel: Kernel,
    pub limits: Limits,
    pub table: &'a mut SearchTable,
    pub p: &'a Position,
    pub request: &'a Request,
    pub control: &'a Control,
    pub answer: Answer,
    /// The number of moves that forward searches and walks may still make.
    pub left: u64,
}

impl Question<'_> {
    fn allowed(&self, engine: Engine) -> bool {
        self.limits.engine.is_none_or(|only| only == engine)
    }

    /// Runs the engines one after another until all values are known. Returns the answer.
    pub fn run(mut self) -> Answer {
        // The search for wins within a number of plies runs last, so reserve a quarter of the moves
        // for this search.
        let reserved = if self.request.win_within.is_some() { self.limits.nodes / 4 } else { 0 };
        self.left -= reserved;
        if self.rules.continues() {
            if self.allowed(Engine::LookAhead) {
                self.take_places();
            }
            if self.allowed(Engine::Walk) {
                self.walk();
            }
            return self.answer;
        }
        if self.allowed(Engine::LookAhead) {
            self.look_ahead();
        }
        if self.open() && self.is_small() && self.allowed(Engine::Dense) {
            self.dense();
        }
        if self.open() && self.allowed(Engine::Forward) {
            self.forward();
        }
        if self.open() && self.allowed(Engine::Dense) {
            self.dense();
        }
        if self.request.distance {
            self.distances();
        }
        if let Some(plies) = self.request.win_within.filter(|_| self.values_open()) {
            self.left = self.left.saturating_add(reserved);
            self.win_within(plies);
        }
        if self.limits.engine == Some(Engine::Walk) {
            self.walk();
        }
        self.answer
    }

    /// Returns `true` if the dense solution of the position is fast and fits in memory.
    fn is_small(&self) -> bool {
        dense_estimate(&self.rules, self.p, None)
            .is_some_and(|e| e.work() <= SMALL_WORK && e.least_bytes() <= self.limits.memory)
    }

    /// Subtracts the moves that a search has made from the limit, and adds them to the answer.
    fn spend(&mut self, nodes: u64) {
        self.left = self.left.saturating_sub(nodes);
        self.answer.nodes += nodes;
    }

    /// Returns `true` if the value of any seat is unknown.
    fn values_open(&self) -> bool {
        self.rules.everyone().iter().any(|seat| self.answer.of(seat).value().is_none())
    }

    /// Returns `true` if the value of any seat or of any requested move is unknown.
    fn open(&self) -> bool {
        self.values_open() || self.answer.moves.iter().any(|m| m.bounds.value().is_none())
    }

    /// Sets the bounds of one side in the answer. If there are two sides, or this side wins, also
    /// sets the bounds of all other seats.
    fn set(&mut self, side: Seats, bounds: Bounds, engine: Engine) {
        let decides = self.rules.sides().len() == 2 || bounds.value() == Some(Value::Win);
        for seat in self.rules.everyone().iter() {
            if side.has(seat) {
                self.answer.seats[seat.index()] = bounds;
            } else if decides {
                self.answer.seats[seat.index()] = bounds.other_side();
            }
        }
        if bounds.value().is_some() {
            self.answer.engine = engine;
        }
    }

    fn look_ahead(&mut self) {
        let Some(winning) = self.rules.winning_move(self.p, self.kernel) else { return };
        // The mover wins, so each other seat loses if all others play against it.
        let own = self.rules.side_of(self.p.to_move);
        self.set(own, Bounds::exactly(Value::Win), Engine::LookAhead);
        self.answer.plies = self.request.distance.then_some(1);
        self.keep(winning, Value::Win);
    }

    /// Records `best` as a move that preserves the value of the seat to move, and sets the value of
    /// this move.
    fn keep(&mut self, best: Move, value: Value) {
        self.answer.best = Some(best);
        if let Some(known) = self.answer.moves.iter_mut().find(|known| known.m == best) {
            known.bounds = Bounds::exactly(value);
        }
    }

    /// Returns the sides whose values must be computed. With two sides, only the mover's side is
    /// needed.
    fn asked(&self) -> Vec<Seats> {
        let sides = self.rules.sides();
        if sides.len() == 2 { vec![self.rules.side_of(self.p.to_move)] } else { sides }
    }

    /// Computes all requested values with a dense solution. Does nothing if the solution does not
    /// fit in memory.
    fn dense(&mut self) {
        let Some(dense) = Dense::new(&self.rules, self.p, None, 0, self.kernel, self.control) else { return };
        let sides = self.asked();
        let kinds = [ChainKind::Wins, ChainKind::NotLoses];
        let chains: Vec<Chain> =
            sides.iter().flat_map(|&own| kinds.map(|kind| Chain { own, kind })).collect();
        let Some(bits) = dense.solve(&chains, self.limits.memory) else { return };
        for (side, pair) in sides.iter().zip(bits.chunks(2)) {
            let [wins, not_loses] = pair else { continue };
            self.set(*side, Bounds::of(Some(wins.root), Some(not_loses.root)), Engine::Dense);
            if !side.has(self.p.to_move) {
                continue;
            }
            let after = |m: Move| match (wins.after(m), not_loses.after(m)) {
                (Some(wins), Some(not_loses)) => Bounds::of(Some(wins), Some(not_loses)),
                // `None` means that the move has no turn: its placement makes five in a line and
                // wins.
                _ => Bounds::exactly(Value::Win),
            };
            self.answer.moves.iter_mut().for_each(|value| value.bounds = after(value.m));
            if self.answer.best.is_none() {
                let value = self.answer.of(self.p.to_move);
                self.answer.best = self.rules.moves(self.p).into_iter().find(|&m| after(m) == value);
            }
        }
    }

    /// Proves the unknown values of the sides, then of the moves, by forward searches.
    fn forward(&mut self) {
        let rules = self.rules;
        let mut sides = self.asked();
        sides.retain(|side| side.iter().any(|seat| self.answer.of(seat).value().is_none()));
        for (i, &side) in sides.iter().enumerate() {
            // Evaluating the moves costs more than evaluating the position, so reserve half of the
            // remaining search moves for them.
            let share = if self.answer.moves.is_empty() { self.left } else { self.left / 2 };
            let Some(duel) = Duel::new(rules, *self.p, side, self.kernel) else { return };
            let bounds = self.prove(duel.clone(), share / (sides.len() - i) as u64, Bounds::UNKNOWN);
            self.set(side, bounds, Engine::Forward);
            if side.has(self.p.to_move) && self.answer.best.is_none() {
                self.find_best(duel, bounds);
            }
        }
        let own = rules.side_of(self.p.to_move);
        // No move has a higher value than the position itself.
        let most = Bounds { low: Value::Loss, high: self.answer.of(self.p.to_move).high };
        for i in 0..self.answer.moves.len() {
            let share = self.left / (self.answer.moves.len() - i) as u64;
            let MoveValue { m, bounds, .. } = self.answer.moves[i];
            if bounds.value().is_some() {
                continue;
            }
            let Ok(played) = rules.play(self.p, m) else { continue };
            self.answer.moves[i].bounds = match played.outcome {
                Some(outcome) => Bounds::exactly(outcome.value(&rules, self.p.to_move)),
                None => match Duel::new(rules, played.position, own, self.kernel) {
                    Some(duel) => self.prove(duel, share, most),
                    None => most,
                },
            };
        }
        self.take_best_move(own);
    }

    /// Narrows the bounds of the side to move by those of its moves. The search of the position may
    /// end before the searches of its moves do.
    fn take_best_move(&mut self, own: Seats) {
        let known = self.answer.of(self.p.to_move);
        let moves = || self.answer.moves.iter();
        let low = moves().map(|m| m.bounds.low).max().unwrap_or(known.low).max(known.low);
        let high = moves().map(|m| m.bounds.high).max().unwrap_or(known.high).min(known.high);
        let bounds = Bounds { low, high };
        let keeps = moves().find(|m| bounds.value() > Some(Value::Loss) && m.bounds == bounds).map(|m| m.m);
        if bounds != known {
            self.set(own, bounds, Engine::Forward);
            self.answer.best = self.answer.best.or(keeps);
        }
    }

    /// Records what is certain with `continue=yes`, because later moves don't change a place: the
    /// values of the seats that have a place, and of the moves that give the mover a place. Also
    /// narrows the bounds of the mover's value.
    fn take_places(&mut self) {
        let mover = self.p.to_move;
        let value = |p: &Position, seat| self.rules.places_so_far(p).value(&self.rules, seat);
        for seat in self.p.placed().iter() {
            self.answer.seats[seat.index()] = Bounds::exactly(value(self.p, seat));
        }
        let half_points = 2 * (self.rules.seats() - self.p.placed().len() - 1) as u8;
        let best_free = of_points(half_points, self.rules.best_half_points());
        if best_free == Value::Loss {
            // All moves have this value, but some give more points.
            return;
        }
        self.answer.seats[mover.index()].high = best_free;
        for m in self.rules.moves(self.p) {
            let Ok(played) = self.rules.play(self.p, m) else { continue };
            if played.position.places[mover.index()] == 0 {
                continue;
            }
            let value = value(&played.position, mover);
            let known = &mut self.answer.seats[mover.index()];
            known.low = known.low.max(value);
            if value == best_free {
                (self.answer.engine, self.answer.best) = (Engine::LookAhead, Some(m));
            }
            if let Some(known) = self.answer.moves.iter_mut().find(|known| known.m == m) {
                known.bounds = Bounds::exactly(value);
            }
        }
        if self.rules.sides().len() == 2 {
            self.set(self.rules.side_of(mover), self.answer.of(mover), Engine::LookAhead);
        }
    }

    /// Finds and records a move that preserves the value of the duel. The table already contains
    /// most of the proof.
    fn find_best(&mut self, mut duel: Duel, bounds: Bounds) {
        let (goal, value) = match bounds.value() {
            Some(Value::Win) => (Goal::win(Side::First), Value::Win),
            Some(Value::Draw) => (Goal::not_lose(Side::First), Value::Draw),
            Some(Value::Loss) | None => return,
        };
        let mut budget = Budget::watched(self.left, self.control);
        let found = ProofNumbers::new(self.table, goal).winner(&mut duel, &mut budget);
        self.spend(budget.spent());
        if let Ok(Some(best)) = found {
            self.keep(best, value);
        }
    }

    /// Proves the value of a duel for its first side, starting from the bounds `known`. Returns the
    /// new bounds. Searches at most `nodes` moves.
    fn prove(&mut self, mut duel: Duel, nodes: u64, known: Bounds) -> Bounds {
        // Each search lists the moves of its position before it checks its limits.
        if known.value().is_some() || nodes == 0 || self.control.is_cancelled() {
            return known;
        }
        let mut budget = Budget::watched(nodes, self.control);
        let mut ask = |goal: Goal| {
            let verdict = ProofNumbers::new(self.table, goal).solve(&mut duel, &mut budget).ok()?;
            Some(verdict == Verdict::Proved)
        };
        let wins = if known.high < Value::Win { Some(false) } else { ask(Goal::win(Side::First)) };
        let not_loses = if wins == Some(true) { wins } else { ask(Goal::not_lose(Side::First)) };
        self.spend(budget.spent());
        Bounds::of(wins, not_loses)
    }

    /// Finds the number of plies to each forced win, for the position and for every requested move.
    fn distances(&mut self) {
        let sides = self.rules.sides();
        let own = self.rules.side_of(self.p.to_move);
        for &side in &sides {
            let wins = side.iter().all(|seat| self.answer.of(seat).value() == Some(Value::Win));
            let root = wins && self.answer.plies.is_none();
            // The value, for the mover, of the moves after which this side wins. With more than two
            // sides, a loss of the mover does not show which side wins, so other sides have no such
            // value.
            let wanted = match (side == own, sides.len()) {
                (true, _) => Some(Value::Win),
                (false, 2) => Some(Value::Loss),
                _ => None,
            };
            let of_moves = self.answer.moves.iter().any(|m| wanted.is_some() && m.bounds.value() == wanted);
            if !root && !of_moves {
                continue;
            }
            if self.is_small() && self.allowed(Engine::Dense) {
                self.dense_distances(side, root, wanted);
            } else {
                self.forward_distances(side, root, wanted);
            }
        }
    }

    /// Finds distances by dense solutions of one ply, then of two plies and so on. `root` is `true`
    /// if the position needs a distance. `wanted` is the value of the moves that need a distance,
    /// or `None` if no move does.
    fn dense_distances(&mut self, side: Seats, root: bool, wanted: Option<Value>) {
        let open = |m: &MoveValue| wanted.is_some() && m.bounds.value() == wanted && m.plies.is_none();
        for plies in 1..=self.rules.most_marbles() - self.p.count() {
            let root_open = root && self.answer.plies.is_none();
            if !root_open && !self.answer.moves.iter().any(open) {
                return;
            }
            let chain = Chain { own: side, kind: ChainKind::Wins };
            let dense = Dense::new(&self.rules, self.p, Some(plies), 0, self.kernel, self.control);
            let bits = dense.and_then(|dense| dense.solve(&[chain], self.limits.memory));
            let Some([bits]) = bits.as_deref() else { return };
            if root_open && bits.root {
                self.answer.plies = Some(plies as u32);
            }
            for m in self.answer.moves.iter_mut().filter(|m| open(m)) {
                // A move without a turn makes five in a line, which ends the game immediately.
                if m.m.turn.is_none() {
                    m.plies = Some(1);
                } else if bits.after(m.m) == Some(true) {
                    m.plies = Some(plies as u32);
                }
            }
        }
    }

    /// Finds the same distances as [`Question::dense_distances`], but by forward searches.
    fn forward_distances(&mut self, side: Seats, root: bool, wanted: Option<Value>) {
        if root {
            self.answer.plies = self.shortest(*self.p, side);
        }
        for i in 0..self.answer.moves.len() {
            let MoveValue { m, bounds, plies } = self.answer.moves[i];
            if wanted.is_none() || bounds.value() != wanted || plies.is_some() {
                continue;
            }
            let Ok(played) = self.rules.play(self.p, m) else { continue };
            self.answer.moves[i].plies = match played.outcome {
                Some(_) => Some(1),
                None => self.shortest(played.position, side).map(|plies| plies + 1),
            };
        }
    }

    /// Returns the least number of plies within which `side` forces a win from the position `p`.
    /// Returns `None` if the budget is exhausted first.
    fn shortest(&mut self, p: Position, side: Seats) -> Option<u32> {
        let mut duel = Duel::new(self.rules, p, side, self.kernel)?;
        let most = (self.rules.most_marbles() - p.count()) as u32;
        let mut budget = Budget::watched(self.left, self.control);
        let mut search = Deepening::new(self.table, Goal::win(Side::First));
        let distance = search.shortest(&mut duel, most, &mut budget);
        self.spend(budget.spent());
        if let Distance::Exactly(plies) = distance { Some(plies) } else { None }
    }

    /// Searches for a forced win of any side within `most` plies, and records the result in the
    /// answer.
    fn win_within(&mut self, most: u32) {
        let mut proved = most;
        for side in self.rules.sides() {
            let budget = Budget::watched(self.left, self.control);
            let Ok(mut search) = WinSearch::new(self.rules, side, self.kernel, budget) else { return };
            match search.shortest(self.p, most) {
                Distance::Exactly(plies) => {
                    let best = search.winner(self.p, plies);
                    self.spend(search.nodes());
                    self.set(side, Bounds::exactly(Value::Win), Engine::Forward);
                    self.answer.plies = Some(plies);
                    if let Some(best) = best {
                        self.keep(best, Value::Win);
                    }
                    return;
                }
                Distance::MoreThan(plies) => proved = proved.min(plies),
                Distance::Never => {}
            }
            self.spend(search.nodes());
        }
        self.answer.no_win_within = Some(proved).filter(|&plies| plies > 0);
    }

    /// Computes the values of the seats and of the requested moves by a walk through all play.
    fn walk(&mut self) {
        let mut walk = Walk::new(&self.rules, Budget::watched(self.left, self.control));
        let Ok(sure) = walk.position(self.p) else { return };
        let best = self.rules.best_half_points();
        let exactly = |points: [u8; 4], seat: Seat| Bounds::exactly(of_points(points[seat.index()], best));
        for seat in self.rules.everyone().iter() {
            self.answer.seats[seat.index()] = exactly(sure, seat);
        }
        self.answer.engine = Engine::Walk;
        for m in &mut self.answer.moves {
            if let Ok(sure) = walk.after(self.p, m.m) {
                m.bounds = exactly(sure, self.p.to_move);
            }
        }
    }
}
