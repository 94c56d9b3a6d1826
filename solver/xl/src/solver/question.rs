//! One position that is asked about, engine after engine.

use pentago_search::{Budget, Deepening, Distance, Goal, ProofNumbers, Side, Table as SearchTable, Verdict};

use super::{Request, Solver};
use crate::answer::{Answer, Bounds, Engine, MaxnVector, MoveValue};
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
use pentago_base::Control;

/// Boards times chains up to which a dense solution is tried first: some tenths of a second.
const SMALL_WORK: u64 = 100_000;

/// One position that is asked about.
pub(super) struct Question<'a> {
    solver: &'a mut Solver,
    p: &'a Position,
    request: &'a Request,
    control: &'a Control,
    answer: Answer,
    /// Moves that forward searches may still make.
    left: u64,
    /// Moves that are kept for the question whether a side wins within some plies.
    kept: u64,
}

impl<'a> Question<'a> {
    /// A question with the answer so far.
    pub fn new(
        solver: &'a mut Solver,
        p: &'a Position,
        request: &'a Request,
        control: &'a Control,
        answer: Answer,
    ) -> Question<'a> {
        // What the values don't use up would leave nothing for this question.
        let kept = if request.win_within.is_some() { solver.limits.nodes / 4 } else { 0 };
        let left = solver.limits.nodes - kept;
        Question { solver, p, request, control, answer, left, kept }
    }

    fn rules(&self) -> Rules {
        self.solver.rules
    }

    fn allowed(&self, engine: Engine) -> bool {
        self.solver.limits.engine.is_none_or(|only| only == engine)
    }

    /// Asks one engine after the other, as long as something is open.
    pub fn run(mut self) -> Answer {
        if self.rules().continues() {
            if self.allowed(Engine::Walk) {
                self.walk(true);
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
            self.left = self.left.saturating_add(self.kept);
            self.win_within(plies);
        }
        if self.request.vector || self.solver.limits.engine == Some(Engine::Walk) {
            let values = self.solver.limits.engine == Some(Engine::Walk);
            self.walk(values);
        }
        self.answer
    }

    /// Returns whether a dense solution is fast, and fits in memory.
    fn is_small(&self) -> bool {
        dense_estimate(&self.rules(), self.p, None)
            .is_some_and(|e| e.work() <= SMALL_WORK && e.least_bytes() <= self.solver.limits.memory)
    }

    /// Counts moves that a search has made.
    fn spend(&mut self, nodes: u64) {
        self.left = self.left.saturating_sub(nodes);
        self.answer.nodes += nodes;
    }

    fn values_open(&self) -> bool {
        self.rules().everyone().iter().any(|seat| self.answer.of(seat).value().is_none())
    }

    /// Returns whether a value that was asked for is not known.
    fn open(&self) -> bool {
        self.values_open() || self.answer.moves.iter().any(|m| m.bounds.value().is_none())
    }

    /// Sets the bounds of a side, and with two sides of the other one too.
    fn set(&mut self, side: Seats, bounds: Bounds, engine: Engine) {
        let two = self.rules().sides().len() == 2;
        for seat in self.rules().everyone().iter() {
            if side.has(seat) {
                self.answer.seats[seat.index()] = bounds;
            } else if two {
                self.answer.seats[seat.index()] = bounds.other_side();
            }
        }
        if bounds.value().is_some() {
            self.answer.engine = engine;
        }
    }

    /// A side wins: all others lose.
    fn won_by(&mut self, side: Seats, engine: Engine) {
        for seat in self.rules().everyone().iter() {
            let value = if side.has(seat) { Value::Win } else { Value::Loss };
            self.answer.seats[seat.index()] = Bounds::exactly(value);
        }
        self.answer.engine = engine;
    }

    fn look_ahead(&mut self) {
        let rules = self.rules();
        let Some(winning) = rules.winning_move(self.p, self.solver.kernel) else { return };
        // All others together can let the mover do it.
        self.won_by(rules.side_of(self.p.to_move), Engine::LookAhead);
        self.answer.plies = self.request.distance.then_some(1);
        self.keep(winning, Value::Win);
    }

    /// A move keeps the value of the side to move.
    fn keep(&mut self, best: Move, value: Value) {
        self.answer.best = Some(best);
        if let Some(known) = self.answer.moves.iter_mut().find(|known| known.m == best) {
            known.bounds = Bounds::exactly(value);
        }
    }

    /// The sides whose values are asked for: where there are two, that of the seat to move tells
    /// the other's.
    fn asked(&self) -> Vec<Seats> {
        let rules = self.rules();
        let sides = rules.sides();
        if sides.len() == 2 { vec![rules.side_of(self.p.to_move)] } else { sides }
    }

    /// A dense solution of everything that was asked, if it fits in memory.
    fn dense(&mut self) {
        let rules = self.rules();
        let memory = self.solver.limits.memory;
        let Ok(dense) = Dense::new(&rules, self.p, None, 0, self.solver.kernel, self.control) else { return };
        let sides = self.asked();
        let chains: Vec<Chain> = sides
            .iter()
            .flat_map(|&own| [ChainKind::Wins, ChainKind::NotLoses].map(|kind| Chain { own, kind }))
            .collect();
        let Ok(bits) = dense.solve(&chains, memory) else { return };
        for (side, pair) in sides.iter().zip(bits.chunks(2)) {
            let [wins, not_loses] = pair else { continue };
            self.set(*side, Bounds::of(Some(wins.root), Some(not_loses.root)), Engine::Dense);
            if !side.has(self.p.to_move) {
                continue;
            }
            let after = |m: Move| match (wins.after(m), not_loses.after(m)) {
                (Some(wins), Some(not_loses)) => Bounds::of(Some(wins), Some(not_loses)),
                // A placement that makes five.
                _ => Bounds::exactly(Value::Win),
            };
            self.answer.moves.iter_mut().for_each(|value| value.bounds = after(value.m));
            if self.answer.best.is_none() {
                let value = self.answer.of(self.p.to_move);
                self.answer.best = rules.moves(self.p).into_iter().find(|&m| after(m) == value);
            }
        }
    }

    fn forward(&mut self) {
        let rules = self.rules();
        let mut sides = self.asked();
        sides.retain(|side| side.iter().any(|seat| self.answer.of(seat).value().is_none()));
        let mut questions = sides.len() as u64;
        for side in sides {
            // Moves cost more than the value: they get half.
            let share = if self.answer.moves.is_empty() { self.left } else { self.left / 2 };
            let Some(duel) = Duel::new(rules, *self.p, side, self.solver.kernel) else { return };
            let bounds = self.prove(duel.clone(), share / questions.max(1), Bounds::UNKNOWN);
            questions -= 1;
            self.set(side, bounds, Engine::Forward);
            if side.has(self.p.to_move) && self.answer.best.is_none() {
                self.find_best(duel, bounds);
            }
        }
        let own = rules.side_of(self.p.to_move);
        let known = self.answer.of(self.p.to_move);
        for i in 0..self.answer.moves.len() {
            let left = (self.answer.moves.len() - i) as u64;
            let MoveValue { m, bounds, .. } = self.answer.moves[i];
            if bounds.value().is_some() {
                continue;
            }
            let Ok(played) = rules.play(self.p, m) else { continue };
            let bounds = match played.outcome {
                Some(outcome) => Bounds::exactly(outcome.value(&rules, self.p.to_move)),
                None => {
                    // No move is worth more than the position.
                    let known = Bounds { low: Value::Loss, high: known.high };
                    match Duel::new(rules, played.position, own, self.solver.kernel) {
                        Some(duel) => self.prove(duel, self.left / left, known),
                        None => known,
                    }
                }
            };
            self.answer.moves[i].bounds = bounds;
        }
    }

    /// Looks for a move that keeps the value, which has just been proved: what it takes is mostly
    /// in the table.
    fn find_best(&mut self, mut duel: Duel, bounds: Bounds) {
        let (goal, value) = match bounds.value() {
            Some(Value::Win) => (Goal::win(Side::First), Value::Win),
            Some(Value::Draw) => (Goal::not_lose(Side::First), Value::Draw),
            Some(Value::Loss) | None => return,
        };
        let mut budget = Budget::watched(self.left, self.control);
        let found = ProofNumbers::new(&mut self.solver.table, goal).winner(&mut duel, &mut budget);
        self.spend(budget.spent());
        if let Ok(Some(best)) = found {
            self.keep(best, value);
        }
    }

    /// The value for the first side of a duel, within a limit of moves.
    fn prove(&mut self, mut duel: Duel, nodes: u64, known: Bounds) -> Bounds {
        if let Some(value) = known.value() {
            return Bounds::exactly(value);
        }
        let mut budget = Budget::watched(nodes, self.control);
        let mut ask = |goal: Goal, table: &mut SearchTable| {
            let verdict = ProofNumbers::new(table, goal).solve(&mut duel, &mut budget).ok()?;
            Some(verdict == Verdict::Proved)
        };
        let table = &mut self.solver.table;
        let mut wins = (known.high < Value::Win).then_some(false);
        if wins.is_none() {
            wins = ask(Goal::win(Side::First), table);
        }
        let not_loses = match wins {
            Some(true) => Some(true),
            _ => ask(Goal::not_lose(Side::First), table),
        };
        if not_loses == Some(false) {
            wins = Some(false);
        }
        self.spend(budget.spent());
        Bounds::of(wins, not_loses)
    }

    /// The plies to forced wins: of the position, and of every move.
    fn distances(&mut self) {
        let rules = self.rules();
        let winners: Vec<Seats> = rules
            .sides()
            .into_iter()
            .filter(|side| side.iter().all(|seat| self.answer.of(seat).value() == Some(Value::Win)))
            .collect();
        let own = rules.side_of(self.p.to_move);
        for side in rules.sides() {
            let root = winners.contains(&side) && self.answer.plies.is_none();
            let wanted = match (side == own, rules.sides().len()) {
                (true, _) => Value::Win,
                (false, 2) => Value::Loss,
                _ => Value::Draw,
            };
            let of_moves =
                wanted != Value::Draw && self.answer.moves.iter().any(|m| m.bounds.value() == Some(wanted));
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

    /// By dense solutions of one ply, two plies and so on.
    fn dense_distances(&mut self, side: Seats, root: bool, wanted: Value) {
        let rules = self.rules();
        let all = rules.most_marbles() - self.p.count();
        for plies in 1..=all {
            let open = |m: &MoveValue| m.bounds.value() == Some(wanted) && m.plies.is_none();
            let root_open = root && self.answer.plies.is_none();
            if !root_open && !self.answer.moves.iter().any(open) {
                return;
            }
            let chain = Chain { own: side, kind: ChainKind::Wins };
            let dense = Dense::new(&rules, self.p, Some(plies), 0, self.solver.kernel, self.control);
            let Ok(bits) = dense.and_then(|dense| dense.solve(&[chain], self.solver.limits.memory)) else {
                return;
            };
            let Some(bits) = bits.first() else { return };
            if root_open && bits.root {
                self.answer.plies = Some(plies as u32);
            }
            for m in self.answer.moves.iter_mut().filter(|m| open(m)) {
                // A placement that makes five ends the game at once.
                if m.m.turn.is_none() || bits.after(m.m) == Some(true) {
                    m.plies = Some(if m.m.turn.is_none() { 1 } else { plies as u32 });
                }
            }
        }
    }

    fn forward_distances(&mut self, side: Seats, root: bool, wanted: Value) {
        let rules = self.rules();
        if root {
            self.answer.plies = self.shortest(*self.p, side);
        }
        for i in 0..self.answer.moves.len() {
            let MoveValue { m, bounds, plies } = self.answer.moves[i];
            if bounds.value() != Some(wanted) || plies.is_some() {
                continue;
            }
            let Ok(played) = rules.play(self.p, m) else { continue };
            self.answer.moves[i].plies = match played.outcome {
                Some(_) => Some(1),
                None => self.shortest(played.position, side).map(|plies| plies + 1),
            };
        }
    }

    /// The least number of plies within which a side forces a win that it has.
    fn shortest(&mut self, p: Position, side: Seats) -> Option<u32> {
        let mut duel = Duel::new(self.rules(), p, side, self.solver.kernel)?;
        let most = (self.rules().most_marbles() - p.count()) as u32;
        match self.deepen(&mut duel, most) {
            Distance::Exactly(plies) => Some(plies),
            Distance::MoreThan(_) | Distance::Never => None,
        }
    }

    fn deepen(&mut self, duel: &mut Duel, most: u32) -> Distance {
        let mut budget = Budget::watched(self.left, self.control);
        let mut search = Deepening::new(&mut self.solver.table, Goal::win(Side::First));
        let distance = search.shortest(duel, most, &mut budget);
        self.spend(budget.spent());
        distance
    }

    /// Looks for forced wins within `most` plies, where values are unknown.
    fn win_within(&mut self, most: u32) {
        let rules = self.rules();
        let mut proved = most;
        for side in rules.sides() {
            let budget = Budget::watched(self.left, self.control);
            let Ok(mut search) = WinSearch::new(rules, side, self.solver.kernel, budget) else { return };
            let found = search.shortest(self.p, most);
            let best = match found {
                Distance::Exactly(plies) => search.winner(self.p, plies),
                Distance::MoreThan(_) | Distance::Never => None,
            };
            self.spend(search.nodes());
            match found {
                Distance::Exactly(plies) => {
                    self.won_by(side, Engine::Forward);
                    self.answer.plies = Some(plies);
                    if let Some(best) = best {
                        self.keep(best, Value::Win);
                    }
                    return;
                }
                Distance::MoreThan(plies) => proved = proved.min(plies),
                Distance::Never => {}
            }
        }
        self.answer.no_win_within = Some(proved).filter(|&plies| plies > 0);
    }

    /// Walks through all play; takes the values from it if `values`.
    fn walk(&mut self, values: bool) {
        let rules = self.rules();
        let mut walk = Walk::new(&rules, Budget::watched(self.left, self.control));
        let Ok(found) = walk.position(self.p) else { return };
        self.answer.half_points = Some(found.sure);
        if self.request.vector {
            let depends_on_ties = found.vector != found.friendly;
            self.answer.vector = Some(MaxnVector { half_points: found.vector, depends_on_ties });
        }
        if !values {
            return;
        }
        let best = rules.best_half_points();
        let value = |points: [u8; 4], seat: Seat| of_points(points[seat.index()], best);
        for seat in rules.everyone().iter() {
            self.answer.seats[seat.index()] = Bounds::exactly(value(found.sure, seat));
        }
        self.answer.engine = Engine::Walk;
        for m in &mut self.answer.moves {
            if let Ok(found) = walk.after(self.p, m.m) {
                m.bounds = Bounds::exactly(value(found.sure, self.p.to_move));
            }
        }
    }
}
