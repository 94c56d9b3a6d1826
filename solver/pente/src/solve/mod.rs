//! [`Solver`]: one entry point for boards of every size. The solver chooses the engine.
//!
//! 1. The rules decide finished games. A look-ahead of one ply finds immediate wins.
//! 2. A table of the whole board answers if such a table exists or can be made quickly.
//! 3. If the board or the rest of the game is small, proof-number search looks ahead to the end of
//!    the game.
//! 4. Without captures, the solver tries to prove a draw: each player can block all lines of the
//!    other player.
//! 5. On larger boards, the solver looks for forced wins: by threats, with quiet moves, and by all
//!    moves, with a rising limit of plies. Only a proof gives a value. Without a proof the value is
//!    unknown, and the answer lists the searches that were complete.

mod answer;

#[cfg(test)]
mod tests;

use pentago_base::{Budget, Control, Stopped, Value};
use pentago_search as search;
use search::{Game as _, Goal, ProofNumbers, TableTooLarge};

pub use answer::{Answer, Engine, MoveAnswer, ProvedFact};

use crate::blocking::WeakGame;
use crate::forced::{AttackWidth, ForcedWinSearch};
use crate::game::{PenteGame, side};
use crate::rules::{Color, MoveResult, Point, Position, Rules};
use crate::table::{BoardTable, BoardTableSize};

/// The limits of one call of [`Solver::solve`], and the results to compute.
pub struct Limits {
    /// The number of moves that all searches together may make. The limit does not include the
    /// moves of a table that the solver makes in a second or two.
    pub nodes: u64,
    /// The largest number of plies that searches for forced wins look ahead on a large board.
    pub plies: u32,
    /// The control that stops the searches when it is cancelled or its time is up.
    pub control: Control,
    /// `true` to compute the distance to the end, for the position and for every move.
    pub distance: bool,
    /// `true` to compute the value of every move, `false` for the position alone.
    pub every_move: bool,
}

impl Default for Limits {
    /// Returns limits of ten million nodes and 25 plies, with move values and without distances.
    fn default() -> Self {
        Limits { nodes: 10_000_000, plies: 25, control: Control::new(), distance: false, every_move: true }
    }
}

/// A solver for all positions under one set of rules.
pub struct Solver {
    rules: Rules,
    table: Option<BoardTable>,
    /// The memory limit in bytes for a table that the solver makes.
    memory: u64,
    game: PenteGame,
    seen: search::Table,
    forced: ForcedWinSearch,
    /// The number of moves that the searches of the current call have made.
    nodes: u64,
}

/// The largest number of positions of a table that the solver makes by itself, which takes a second
/// or two.
const QUICK_TABLE: u64 = 40_000_000;

/// The largest number of points of a board on which every position is searched to the end.
const SMALL_BOARD: usize = 36;

/// On a larger board, a position is searched to the end if at most this number of plies is left.
const LATE: u32 = 14;

/// The node limit of proof-number search before the solver considers a table.
const FIRST_NODES: u64 = 200_000;

/// The number of nodes of other searches that take as much time as one node of the weak game.
const BLOCKING_COST: u64 = 64;

/// The largest number of nodes of the weak game for the value of one move.
const BLOCKING_MOVE: u64 = 10_000;

/// The largest depth in plies, after a move, at which full-width search examines every move. At a
/// larger depth, the search stops at the first move that does not lose, because 340 moves would
/// take minutes.
const EVERY_MOVE_PLIES: u32 = 3;

/// The attacks on a large board, the cheapest first. Each attack is paired with the largest number
/// of plies that its search looks ahead.
const ATTACKS: [(AttackWidth, u32); 3] =
    [(AttackWidth::Threats, u32::MAX), (AttackWidth::Quiet(1), 11), (AttackWidth::Quiet(2), 9)];

impl Solver {
    /// Makes a solver that uses about `memory` bytes. Each of the two search tables uses a quarter
    /// of the memory; a table of the whole board may use the rest.
    ///
    /// # Errors
    /// If the memory is not available.
    pub fn new(rules: &Rules, memory: u64) -> Result<Solver, TableTooLarge> {
        let bytes = usize::try_from(memory / 4).unwrap_or(usize::MAX).max(1 << 12);
        Ok(Solver {
            rules: *rules,
            table: None,
            memory: memory / 2,
            game: PenteGame::new(rules, &rules.start()),
            seen: search::Table::new(bytes)?,
            forced: ForcedWinSearch::new(rules, bytes),
            nodes: 0,
        })
    }

    /// Solves a position within the limits. Values that cannot be proved within the limits stay
    /// unknown.
    pub fn solve(&mut self, position: &Position, limits: Limits) -> Answer {
        self.nodes = 0;
        let mut answer = Answer {
            position: *position,
            value: Value::Unknown,
            distance: None,
            wins_within: None,
            moves: Vec::new(),
            best: 0,
            engine: Engine::None,
            proved: Vec::new(),
            nodes: 0,
        };
        if let Some(outcome) = self.rules.outcome(position) {
            answer.value = Value::of(outcome, position.to_move());
            answer.engine = Engine::Rules;
            answer.distance = limits.distance.then_some(0);
            return answer;
        }
        for m in self.rules.placements(position) {
            let MoveResult { position, taken, outcome } = self.rules.place(position, m);
            let value =
                outcome.map_or(Value::Unknown, |outcome| Value::of(outcome, position.to_move()).negate());
            answer.moves.push(MoveAnswer {
                m,
                value,
                distance: None,
                captures: taken.len() as u16,
                position,
            });
        }
        if answer.moves.iter().any(|m| m.value == Value::Win) {
            answer.engine = Engine::Moves;
            answer.value = Value::Win;
            answer.wins_within = Some(1);
            answer.distance = limits.distance.then_some(1);
        }
        if (answer.value == Value::Unknown || limits.every_move) && !self.by_table(&mut answer) {
            self.game.board.set(position);
            if self.rules.points() <= SMALL_BOARD || self.game.plies_left() <= LATE {
                self.search_to_the_end(&mut answer, &limits);
            } else {
                self.forced_wins(&mut answer, &limits);
            }
        }
        if limits.distance {
            self.distances(&mut answer, &limits);
        }
        answer.nodes = self.nodes;
        finish(&mut answer);
        answer
    }

    /// Fills in the answer with values from the table. Returns `false` if there is no table or a
    /// value is missing.
    fn by_table(&self, answer: &mut Answer) -> bool {
        let Some(table) = &self.table else { return false };
        let Some(value) = table.value(&answer.position) else { return false };
        for m in &mut answer.moves {
            let Some(value) = table.value(&m.position) else { return false };
            m.value = Value::from(value).negate();
        }
        if answer.engine == Engine::None {
            answer.engine = Engine::Table;
        }
        answer.value = value.into();
        true
    }

    /// Finds exact values by proof-number search. If [`FIRST_NODES`] nodes do not suffice and a
    /// table can be made quickly, the solver makes a table instead.
    fn search_to_the_end(&mut self, answer: &mut Answer, limits: &Limits) {
        let mut quota = FIRST_NODES.min(limits.nodes);
        for pass in 0..2 {
            let before = self.nodes;
            if answer.value == Value::Unknown {
                answer.value = self.proof_value(&answer.position, quota, limits);
                if answer.value != Value::Unknown {
                    answer.engine = Engine::ProofSearch;
                    self.find_best(answer, limits);
                }
            }
            let mut open = answer.value == Value::Unknown;
            if limits.every_move && !open {
                for m in answer.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
                    let left = quota.saturating_sub(self.nodes - before);
                    m.value = self.proof_value(&m.position, left, limits).negate();
                    open |= m.value == Value::Unknown;
                }
            }
            if !open || limits.control.is_cancelled() {
                return;
            }
            if pass == 0 && (self.quick_table(limits) && self.by_table(answer) || self.block(answer, limits))
            {
                return;
            }
            quota = limits.nodes.saturating_sub(self.nodes);
        }
        if answer.value == Value::Unknown {
            // The searches found no exact value, so report at least the results of full-width
            // search.
            self.forced.clear();
            let mut budget = Budget::watched(FIRST_NODES.min(limits.nodes), &limits.control);
            let _ = self.deepen(answer, limits.plies, &mut budget);
            self.nodes += budget.spent();
            let player = answer.position.to_move();
            let left = limits.nodes.saturating_sub(self.nodes);
            let fact = ProvedFact::NotWon { player };
            if !answer.proved.contains(&fact)
                && self.goal(&answer.position, Goal::win(side(player)), left, limits) == Some(false)
            {
                answer.proved.push(fact);
            }
        }
    }

    /// Looks for a move that keeps the value of a position. Proof-number search has just proved the
    /// value, so the search table still contains most of the proof. In a lost position, every move
    /// loses and no search is needed.
    fn find_best(&mut self, answer: &mut Answer, limits: &Limits) {
        let own = side(answer.position.to_move());
        let goal = match answer.value {
            Value::Win => Goal::win(own),
            Value::Draw => Goal::not_lose(own),
            Value::Loss => {
                answer.moves.iter_mut().for_each(|m| m.value = Value::Loss);
                return;
            }
            Value::Unknown => return,
        };
        if answer.moves.iter().any(|m| m.value == answer.value) {
            return;
        }
        self.game.board.set(&answer.position);
        let mut budget = Budget::watched(limits.nodes.saturating_sub(self.nodes), &limits.control);
        let best = ProofNumbers::new(&mut self.seen, goal).winner(&mut self.game, &mut budget);
        self.nodes += budget.spent();
        if let Ok(Some(point)) = best {
            set_move_value(answer, Point(point), answer.value);
        }
    }

    /// Makes a table if the table takes a second or two and fits in memory. Returns `true` if the
    /// solver has a table.
    fn quick_table(&mut self, limits: &Limits) -> bool {
        let fits = BoardTableSize::of(&self.rules)
            .is_some_and(|size| size.positions <= QUICK_TABLE && size.memory <= self.memory);
        if self.table.is_none() && fits {
            self.table = BoardTable::solved(&self.rules, &limits.control).ok();
        }
        self.table.is_some()
    }

    /// Returns the value of a position by proof-number search, or `Value::Unknown` if `nodes` nodes
    /// do not suffice.
    fn proof_value(&mut self, position: &Position, nodes: u64, limits: &Limits) -> Value {
        if let Some(outcome) = self.rules.outcome(position) {
            return Value::of(outcome, position.to_move());
        }
        let before = self.nodes;
        let own = side(position.to_move());
        match self.goal(position, Goal::win(own), nodes, limits) {
            Some(true) => return Value::Win,
            Some(false) => {}
            None => return Value::Unknown,
        }
        let left = nodes.saturating_sub(self.nodes - before);
        match self.goal(position, Goal::not_lose(own), left, limits) {
            Some(true) => Value::Draw,
            Some(false) => Value::Loss,
            None => Value::Unknown,
        }
    }

    /// Returns `true` if a goal can be forced, `false` if not, and `None` if `nodes` nodes do not
    /// suffice.
    fn goal(&mut self, position: &Position, goal: Goal, nodes: u64, limits: &Limits) -> Option<bool> {
        self.game.board.set(position);
        let mut budget = Budget::watched(nodes, &limits.control);
        let verdict = ProofNumbers::new(&mut self.seen, goal).solve(&mut self.game, &mut budget);
        self.nodes += budget.spent();
        verdict.ok().map(|verdict| verdict == search::Verdict::Proved)
    }

    /// Tries to prove that neither player can complete a line. Returns `true` if the value becomes
    /// known, which is then a draw. In this case, also decides the moves that keep the draw.
    fn block(&mut self, answer: &mut Answer, limits: &Limits) -> bool {
        if answer.value != Value::Unknown {
            return false;
        }
        for player in Color::ALL {
            if self.is_blocked(&answer.position, player, u64::MAX, limits) {
                answer.proved.push(ProvedFact::NotWon { player });
            }
        }
        if !Color::ALL.iter().all(|&player| answer.proved.contains(&ProvedFact::NotWon { player })) {
            return false;
        }
        (answer.value, answer.engine) = (Value::Draw, Engine::Blocking);
        for m in answer.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            if self.is_blocked(&m.position, m.position.to_move(), BLOCKING_MOVE, limits) {
                m.value = Value::Draw;
                if !limits.every_move {
                    break;
                }
            }
        }
        true
    }

    /// Returns `true` if a search proves that a player can't complete a line. The search visits at
    /// most `most` nodes, and uses at most half of the remaining nodes and of the remaining time.
    fn is_blocked(&mut self, position: &Position, player: Color, most: u64, limits: &Limits) -> bool {
        let Some(mut game) = WeakGame::new(&self.rules, position, player) else { return false };
        let nodes = limits.nodes.saturating_sub(self.nodes) / (2 * BLOCKING_COST);
        let mut budget = Budget::watched(nodes.min(most), &limits.control.half());
        let goal = Goal::win(search::Side::First);
        let verdict = ProofNumbers::new(&mut self.seen, goal).solve(&mut game, &mut budget);
        self.nodes += budget.spent() * BLOCKING_COST;
        verdict == Ok(search::Verdict::Refuted)
    }

    /// Searches for forced wins of the side to move, and of the opponent after each move.
    fn forced_wins(&mut self, answer: &mut Answer, limits: &Limits) {
        self.forced.clear();
        let mut budget = Budget::watched(limits.nodes, &limits.control);
        // An exhausted budget is not an error: earlier results stay in the answer.
        let _ = self.attack(answer, limits.plies, &mut budget);
        if limits.every_move || answer.value == Value::Unknown {
            let _ = self.defend(answer, limits.plies, &mut budget);
        }
        if answer.value == Value::Unknown && !self.block(answer, limits) {
            let _ = self.deepen(answer, limits.plies, &mut budget);
        }
        self.nodes += budget.spent();
    }

    /// Looks for a win of the side to move. Tries the attacks of [`ATTACKS`] in order.
    fn attack(&mut self, answer: &mut Answer, plies: u32, budget: &mut Budget) -> Result<(), Stopped> {
        if answer.value == Value::Win {
            return Ok(());
        }
        let position = answer.position;
        for (width, most) in ATTACKS {
            let plies = plies.min(most);
            let Some((m, plies)) = self.forced.shortest_win(&position, plies, width, budget)? else {
                answer.proved.push(match width {
                    AttackWidth::Quiet(quiet) => ProvedFact::NoQuietWinFound { quiet, plies },
                    _ => ProvedFact::NoThreatsWithin { plies },
                });
                continue;
            };
            // A win counts only if the plain rules confirm it.
            let Some(within) = self.forced.prove(&position, plies, width, budget)? else { continue };
            answer.value = Value::Win;
            answer.engine = Engine::Threats;
            answer.wins_within = Some(within);
            set_move_value(answer, m, Value::Win);
            break;
        }
        Ok(())
    }

    /// Decides moves of unknown value. A move loses if the opponent then has a win by threats. In a
    /// won position, a move wins if it wins about as fast as the known win. If all moves lose, the
    /// position is lost.
    fn defend(&mut self, answer: &mut Answer, plies: u32, budget: &mut Budget) -> Result<(), Stopped> {
        let position = answer.position;
        let within = answer.wins_within.filter(|_| answer.value == Value::Win);
        for known in answer.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            if self.forced.shortest_win(&known.position, plies, AttackWidth::Threats, budget)?.is_some() {
                known.value = Value::Loss;
            } else if let Some(within) = within
                && self.forced.move_wins(&position, known.m, within.max(3), AttackWidth::Quiet(1), budget)?
            {
                known.value = Value::Win;
            }
        }
        if answer.value == Value::Unknown && answer.moves.iter().all(|m| m.value == Value::Loss) {
            answer.value = Value::Loss;
            answer.engine = Engine::Threats;
        }
        Ok(())
    }

    /// Searches in full width, with a limit that rises by two plies, until the budget is used up.
    fn deepen(&mut self, answer: &mut Answer, most: u32, budget: &mut Budget) -> Result<(), Stopped> {
        let position = answer.position;
        let player = position.to_move();
        for plies in (1..=most).step_by(2) {
            if let Some(m) = self.forced.win_within(&position, plies, AttackWidth::Full, budget)? {
                answer.value = Value::Win;
                answer.engine = Engine::FullWidth;
                answer.wins_within = Some(plies);
                set_move_value(answer, m, Value::Win);
                return Ok(());
            }
            note_no_win(&mut answer.proved, player, plies);
            for known in answer.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
                if self.forced.win_within(&known.position, plies, AttackWidth::Full, budget)?.is_some() {
                    known.value = Value::Loss;
                } else if plies > EVERY_MOVE_PLIES {
                    // One move that does not lose suffices to prove that the opponent has no win
                    // within this number of plies.
                    break;
                }
            }
            if answer.moves.iter().all(|m| m.value == Value::Loss) {
                answer.value = Value::Loss;
                answer.engine = Engine::FullWidth;
                return Ok(());
            }
            note_no_win(&mut answer.proved, player.other(), plies + 1);
        }
        Ok(())
    }

    /// Computes distances by full-width search with a rising limit of plies.
    fn distances(&mut self, answer: &mut Answer, limits: &Limits) {
        if answer.distance.is_none() {
            answer.distance = self.distance(&answer.position, answer.value, limits);
        }
        for m in answer.moves.iter_mut().filter(|m| matches!(m.value, Value::Win | Value::Loss)) {
            m.distance = match self.rules.outcome(&m.position) {
                Some(_) => Some(1),
                None => self.distance(&m.position, m.value.negate(), limits).map(|plies| plies + 1),
            };
        }
    }

    /// Returns the number of plies to the end of the game from a won or lost position, or `None` if
    /// the value is not decided or the budget does not suffice.
    fn distance(&mut self, position: &Position, value: Value, limits: &Limits) -> Option<u32> {
        let winner = match value {
            Value::Win => position.to_move(),
            Value::Loss => position.to_move().other(),
            Value::Draw | Value::Unknown => return None,
        };
        self.game.board.set(position);
        let mut budget = Budget::watched(limits.nodes.saturating_sub(self.nodes), &limits.control);
        let plies = self.game.plies_left();
        let mut search = search::Deepening::new(&mut self.seen, Goal::win(side(winner)));
        let found = search.shortest(&mut self.game, plies, &mut budget);
        self.nodes += budget.spent();
        if let search::Distance::Exactly(plies) = found { Some(plies) } else { None }
    }
}

fn set_move_value(answer: &mut Answer, m: Point, value: Value) {
    if let Some(known) = answer.moves.iter_mut().find(|known| known.m == m) {
        known.value = value;
    }
}

/// Records that `player` has no win within `plies` plies. The new fact replaces the weaker fact
/// about the same player.
fn note_no_win(proved: &mut Vec<ProvedFact>, player: Color, plies: u32) {
    proved.retain(|p| !matches!(p, ProvedFact::NoWinWithin { player: other, .. } if *other == player));
    proved.push(ProvedFact::NoWinWithin { player, plies });
}

/// Derives an unknown value from the values of the moves, and sorts the moves.
fn finish(answer: &mut Answer) {
    if answer.value == Value::Unknown {
        // If there are no moves, the opening rule forbids every point. No game leads to such a
        // position, so the draw is arbitrary.
        answer.value = Value::best_of(answer.moves.iter().map(|m| m.value)).unwrap_or(Value::Draw);
        if answer.value != Value::Unknown {
            answer.engine = Engine::Moves;
        }
    }
    if answer.value != Value::Unknown {
        answer.proved.clear();
    }
    let hurry = |m: &MoveAnswer| -> (u32, Point) {
        let plies = m.distance.unwrap_or(u32::MAX);
        (if m.value == Value::Win { plies } else { u32::MAX - plies }, m.m)
    };
    // Sort the moves that keep the value first, even before moves of unknown value.
    let value = answer.value;
    answer.moves.sort_by_key(|m| (m.value != value, m.value.best_case(), hurry(m)));
    if value != Value::Unknown {
        answer.best = answer.moves.iter().take_while(|m| m.value == value).count();
    }
}
