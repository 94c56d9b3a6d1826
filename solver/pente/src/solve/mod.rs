//! One question, `solve`, for boards of every size: the engine is chosen here.
//!
//! 1. The rules, if the game is over; one ply of look-ahead.
//! 2. A table of the whole board, if there is one, or if one is made quickly.
//! 3. To the end of the game by proof-number search, if the board or what is left of it is small.
//! 4. Forced wins by threats, with quiet moves, and by all moves, one ply deeper at a time. A value
//!    comes only from a proof; without one it is unknown, and the answer says what was searched in
//!    full.

mod answer;

#[cfg(test)]
mod tests;

use pentago_base::{Budget, Control, Stopped, Value};
use pentago_search as search;
use search::{Game as _, Goal, ProofNumbers};

pub use answer::{Answer, Engine, MoveAnswer, ProvedFact};

use crate::forced::{AttackWidth, ForcedWinSearch};
use crate::game::{PenteGame, side};
use crate::rules::{MoveResult, Point, Position, Rules};
use crate::table::{BoardTable, BoardTableSize};

/// How much a solution may take.
pub struct Limits {
    /// Moves that the searches make, all together. A table of a small board that is made on the
    /// way, in a second or two, does not count.
    pub nodes: u64,
    /// The most plies of a forced win that is looked for on large boards.
    pub plies: u32,
    /// Ends the search when it is cancelled, or its time is up.
    pub control: Control,
    /// Whether the distance to the end is wanted, of the position and of every move.
    pub distance: bool,
    /// Whether the value of every move is wanted, or that of the position alone.
    pub every_move: bool,
}

impl Default for Limits {
    /// Ten million nodes, everything but distances.
    fn default() -> Self {
        Limits { nodes: 10_000_000, plies: 25, control: Control::new(), distance: false, every_move: true }
    }
}

/// Solves positions of one game.
pub struct Solver {
    rules: Rules,
    table: Option<BoardTable>,
    /// Bytes for a table that is made on the way.
    memory: u64,
    game: PenteGame,
    seen: search::Table,
    forced: ForcedWinSearch,
}

/// Positions of a table that is made without being asked for: a second or two.
const QUICK_TABLE: u64 = 40_000_000;

/// The most points of a board on which every position is searched to the end.
const SMALL_BOARD: usize = 36;

/// The most plies that can be left where larger boards are searched to the end.
const LATE: u32 = 14;

/// Nodes of proof-number search before a table is made.
const FIRST_NODES: u64 = 200_000;

/// Every move is searched in full width to this number of plies of the opponent's; deeper, only
/// until one does not lose: with 340 moves it would take minutes.
const EVERY_MOVE_PLIES: u32 = 3;

/// Plies of the searches with one and with two quiet moves.
const QUIET_PLIES: [(u8, u32); 2] = [(1, 11), (2, 9)];

/// Why there is no solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoSolver {
    /// Not enough memory for what the searches remember.
    #[error("not enough memory: {0} bytes could not be had")]
    Memory(u64),
}

impl Solver {
    /// Makes a solver that uses about `memory` bytes: a quarter for each of its two search tables,
    /// the rest for a table of the whole board where one is made.
    ///
    /// # Errors
    /// If the memory is not available.
    pub fn new(rules: &Rules, memory: u64) -> Result<Solver, NoSolver> {
        let quarter = usize::try_from(memory / 4).map_err(|_| NoSolver::Memory(memory))?;
        let bytes = quarter.max(1 << 12);
        Ok(Solver {
            rules: *rules,
            table: None,
            memory: memory / 2,
            game: PenteGame::new(rules, &rules.start()),
            seen: search::Table::new(bytes).map_err(|_| NoSolver::Memory(memory))?,
            forced: ForcedWinSearch::new(rules, bytes),
        })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns what is known about a position, within the limits.
    pub fn solve(&mut self, position: &Position, limits: Limits) -> Answer {
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
        self.list_moves(position, &mut answer);
        if answer.moves.iter().any(|m| m.value == Value::Win) {
            answer.engine = Engine::Moves;
            answer.value = Value::Win;
            answer.wins_within = Some(1);
            answer.distance = limits.distance.then_some(1);
        }
        let wanted = answer.value == Value::Unknown || limits.every_move;
        if wanted && !self.by_table(&mut answer) {
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
        finish(&mut answer);
        answer
    }

    /// All moves, those with a value that end the game.
    fn list_moves(&self, position: &Position, answer: &mut Answer) {
        for m in self.rules.placements(position) {
            let MoveResult { position: next, taken, outcome } = self.rules.place(position, m);
            let value = outcome.map_or(Value::Unknown, |outcome| Value::of(outcome, next.to_move()).negate());
            let captures = taken.len() as u16;
            answer.moves.push(MoveAnswer { m, value, distance: None, captures, position: next });
        }
    }

    /// Takes all values from the table, if there is one and it holds them.
    fn by_table(&self, answer: &mut Answer) -> bool {
        let Some(table) = &self.table else { return false };
        let Some(value) = table.value(&answer.position) else { return false };
        for m in &mut answer.moves {
            match table.value(&m.position) {
                Some(value) => m.value = Value::from(value).negate(),
                None => return false,
            }
        }
        if answer.engine == Engine::None {
            answer.engine = Engine::Table;
        }
        answer.value = value.into();
        true
    }

    /// Exact values by proof-number search; with a table where that takes long and a table does
    /// not.
    fn search_to_the_end(&mut self, answer: &mut Answer, limits: &Limits) {
        let mut first = FIRST_NODES.min(limits.nodes);
        let started = answer.nodes;
        for pass in 0..2 {
            let before = answer.nodes;
            if answer.value == Value::Unknown {
                answer.value = self.proof_value(&answer.position, first, limits, &mut answer.nodes);
                if answer.value != Value::Unknown {
                    answer.engine = Engine::ProofSearch;
                    self.find_best(answer, limits);
                }
            }
            let mut open = answer.value == Value::Unknown;
            if limits.every_move && !open {
                for i in 0..answer.moves.len() {
                    if answer.moves[i].value == Value::Unknown {
                        let left = first.saturating_sub(answer.nodes - before);
                        let next = answer.moves[i].position;
                        let value = self.proof_value(&next, left, limits, &mut answer.nodes);
                        answer.moves[i].value = value.negate();
                        open |= value == Value::Unknown;
                    }
                }
            }
            if !open || limits.control.is_cancelled() {
                return;
            }
            if pass == 0 && self.quick_table(limits) && self.by_table(answer) {
                return;
            }
            first = limits.nodes.saturating_sub(answer.nodes - started);
        }
        let player = answer.position.to_move();
        if answer.value == Value::Unknown {
            self.note_full_width(answer, limits);
            let known = answer.proved.iter().any(|p| matches!(p, ProvedFact::NotWon { .. }));
            let left = limits.nodes.saturating_sub(answer.nodes - started);
            let lost = !known
                && self.goal(&answer.position, Goal::win(side(player)), left, limits, &mut answer.nodes)
                    == Some(false);
            if lost {
                answer.proved.push(ProvedFact::NotWon { player });
            }
        }
    }

    /// Looks for a move that keeps the value, which has just been proved: what it takes is mostly
    /// in the search's table. (All moves of a lost position do.)
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
        let left = limits.nodes.saturating_sub(answer.nodes);
        let mut budget = Budget::watched(left, &limits.control);
        let best = ProofNumbers::new(&mut self.seen, goal).winner(&mut self.game, &mut budget);
        answer.nodes += budget.spent();
        let Ok(Some(point)) = best else { return };
        if let Some(best) = answer.moves.iter_mut().find(|m| m.m.0 == point) {
            best.value = answer.value;
        }
    }

    /// Makes a table if it takes a second or two and fits in memory.
    fn quick_table(&mut self, limits: &Limits) -> bool {
        let fits = BoardTableSize::of(&self.rules)
            .is_ok_and(|size| size.positions <= QUICK_TABLE && size.memory <= self.memory);
        if self.table.is_none() && fits {
            let made = BoardTable::solved(&self.rules, self.memory, &limits.control);
            self.table = made.ok().flatten();
        }
        self.table.is_some()
    }

    /// The value of a position by proof-number search.
    fn proof_value(&mut self, position: &Position, nodes: u64, limits: &Limits, spent: &mut u64) -> Value {
        if let Some(outcome) = self.rules.outcome(position) {
            return Value::of(outcome, position.to_move());
        }
        let before = *spent;
        let own = side(position.to_move());
        match self.goal(position, Goal::win(own), nodes, limits, spent) {
            Some(true) => return Value::Win,
            Some(false) => {}
            None => return Value::Unknown,
        }
        let left = nodes.saturating_sub(*spent - before);
        match self.goal(position, Goal::not_lose(own), left, limits, spent) {
            Some(true) => Value::Draw,
            Some(false) => Value::Loss,
            None => Value::Unknown,
        }
    }

    /// Returns whether a goal is reached, if the nodes suffice.
    fn goal(
        &mut self,
        position: &Position,
        goal: Goal,
        nodes: u64,
        limits: &Limits,
        spent: &mut u64,
    ) -> Option<bool> {
        self.game.board.set(position);
        let mut budget = Budget::watched(nodes, &limits.control);
        let verdict = ProofNumbers::new(&mut self.seen, goal).solve(&mut self.game, &mut budget);
        *spent += budget.spent();
        verdict.ok().map(|verdict| verdict == search::Verdict::Proved)
    }

    /// Forced wins of the side to move, and of the opponent after each move.
    fn forced_wins(&mut self, answer: &mut Answer, limits: &Limits) {
        self.forced.clear();
        let Limits { nodes, plies, every_move, .. } = *limits;
        let mut work = Budget::watched(nodes, &limits.control);
        // What is found before the work is spent stays in the answer.
        let _ = Self::attack(&mut self.forced, answer, plies, &mut work);
        if every_move || answer.value == Value::Unknown {
            let _ = Self::defend(&mut self.forced, answer, plies, &mut work);
        }
        if answer.value == Value::Unknown {
            let _ = Self::deepen(&mut self.forced, answer, plies, &mut work);
        }
        answer.nodes += work.spent();
    }

    /// Looks for a win of the side to move, the cheap ways first.
    fn attack(
        forced: &mut ForcedWinSearch,
        answer: &mut Answer,
        plies: u32,
        work: &mut Budget,
    ) -> Result<(), Stopped> {
        if answer.value == Value::Win {
            return Ok(());
        }
        let position = answer.position;
        let threats = std::iter::once((AttackWidth::Threats, plies));
        let quiet = QUIET_PLIES.into_iter().map(|(n, most)| (AttackWidth::Quiet(n), plies.min(most)));
        for (width, plies) in threats.chain(quiet) {
            let Some((m, plies)) = forced.shortest_win(&position, plies, width, work)? else {
                answer.proved.push(match width {
                    AttackWidth::Quiet(quiet) => ProvedFact::NoQuietWinFound { quiet, plies },
                    _ => ProvedFact::NoThreatsWithin { plies },
                });
                continue;
            };
            // A claim counts when the plain rules confirm it.
            let Some(within) = forced.prove(&position, plies, width, work)? else { continue };
            answer.value = Value::Win;
            answer.engine = Engine::Threats;
            answer.wins_within = Some(within);
            if let Some(known) = answer.moves.iter_mut().find(|known| known.m == m) {
                known.value = Value::Win;
            }
            return Ok(());
        }
        Ok(())
    }

    /// Gives each move a value that has none: does it win too, or does the opponent win after it?
    /// If he wins after all moves, the position is lost.
    fn defend(
        forced: &mut ForcedWinSearch,
        answer: &mut Answer,
        plies: u32,
        work: &mut Budget,
    ) -> Result<(), Stopped> {
        let position = answer.position;
        for i in 0..answer.moves.len() {
            if answer.moves[i].value != Value::Unknown {
                continue;
            }
            let MoveAnswer { m, position: next, .. } = answer.moves[i];
            if forced.shortest_win(&next, plies, AttackWidth::Threats, work)?.is_some() {
                answer.moves[i].value = Value::Loss;
                continue;
            }
            let within = answer.wins_within.filter(|_| answer.value == Value::Win);
            if let Some(within) = within
                && forced.move_wins(&position, m, within.max(3), AttackWidth::Quiet(1), work)?
            {
                answer.moves[i].value = Value::Win;
            }
        }
        if answer.value == Value::Unknown && answer.moves.iter().all(|m| m.value == Value::Loss) {
            answer.value = Value::Loss;
            answer.engine = Engine::Threats;
        }
        Ok(())
    }

    /// Full width, two plies deeper each time, until the work is spent.
    fn deepen(
        forced: &mut ForcedWinSearch,
        answer: &mut Answer,
        most: u32,
        work: &mut Budget,
    ) -> Result<(), Stopped> {
        let position = answer.position;
        let player = position.to_move();
        let mut open: Vec<usize> = Vec::new();
        for plies in (1..=most).step_by(2) {
            if let Some(m) = forced.win_within(&position, plies, AttackWidth::Full, work)? {
                answer.value = Value::Win;
                answer.engine = Engine::FullWidth;
                answer.wins_within = Some(plies);
                if let Some(known) = answer.moves.iter_mut().find(|known| known.m == m) {
                    known.value = Value::Win;
                }
                return Ok(());
            }
            note(&mut answer.proved, player, plies);
            open.clear();
            open.extend((0..answer.moves.len()).filter(|&i| answer.moves[i].value == Value::Unknown));
            for &i in &open {
                let next = answer.moves[i].position;
                if forced.win_within(&next, plies, AttackWidth::Full, work)?.is_some() {
                    answer.moves[i].value = Value::Loss;
                } else if plies > EVERY_MOVE_PLIES {
                    // One move that does not lose is enough for what is said about the opponent.
                    break;
                }
            }
            if answer.moves.iter().all(|m| m.value == Value::Loss) {
                answer.value = Value::Loss;
                answer.engine = Engine::FullWidth;
                return Ok(());
            }
            note(&mut answer.proved, player.other(), plies + 1);
        }
        Ok(())
    }

    /// On a small board that is too hard: at least what the full width says.
    fn note_full_width(&mut self, answer: &mut Answer, limits: &Limits) {
        let (nodes, plies) = (FIRST_NODES.min(limits.nodes), limits.plies);
        let mut work = Budget::watched(nodes, &limits.control);
        self.forced.clear();
        let _ = Self::deepen(&mut self.forced, answer, plies, &mut work);
        answer.nodes += work.spent();
    }

    /// Distances by full-width search, one ply deeper at a time.
    fn distances(&mut self, answer: &mut Answer, limits: &Limits) {
        if answer.distance.is_none() {
            answer.distance = self.distance(&answer.position, answer.value, limits, &mut answer.nodes);
        }
        for i in 0..answer.moves.len() {
            let MoveAnswer { position, value, .. } = answer.moves[i];
            let rest = match self.rules.outcome(&position) {
                Some(_) => Some(0),
                None => self.distance(&position, value.negate(), limits, &mut answer.nodes),
            };
            answer.moves[i].distance = rest.map(|plies| plies + 1).filter(|_| is_decided(value));
        }
    }

    /// The plies to the end of a position that goes on and is decided.
    fn distance(
        &mut self,
        position: &Position,
        value: Value,
        limits: &Limits,
        spent: &mut u64,
    ) -> Option<u32> {
        let winner = match value {
            Value::Win => position.to_move(),
            Value::Loss => position.to_move().other(),
            Value::Draw | Value::Unknown => return None,
        };
        self.game.board.set(position);
        let nodes = limits.nodes.saturating_sub(*spent);
        let mut budget = Budget::watched(nodes, &limits.control);
        let plies = self.game.plies_left();
        let mut search = search::Deepening::new(&mut self.seen, Goal::win(side(winner)));
        let found = search.shortest(&mut self.game, plies, &mut budget);
        *spent += budget.spent();
        match found {
            search::Distance::Exactly(plies) => Some(plies),
            search::Distance::MoreThan(_) | search::Distance::Never => None,
        }
    }
}

fn is_decided(value: Value) -> bool {
    matches!(value, Value::Win | Value::Loss)
}

/// Keeps only the strongest statement for a player.
fn note(proved: &mut Vec<ProvedFact>, player: crate::Color, plies: u32) {
    proved.retain(|p| !matches!(p, ProvedFact::NoWinWithin { player: other, .. } if *other == player));
    proved.push(ProvedFact::NoWinWithin { player, plies });
}

/// Takes the value from the moves where that gives one, and sorts them.
fn finish(answer: &mut Answer) {
    let by_moves = Value::best_of(answer.moves.iter().map(|m| m.value));
    if answer.value == Value::Unknown {
        // A position without moves: nobody can place by the opening rule. No game leads there.
        let value = by_moves.unwrap_or(Value::Draw);
        if value != Value::Unknown {
            answer.value = value;
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
    // Those that keep the value come first, also where others are unknown.
    let value = answer.value;
    answer.moves.sort_by_key(|m| (m.value != value, m.value.best_case(), hurry(m)));
    answer.best = answer.moves.iter().take_while(|m| m.value == answer.value).count();
    if answer.value == Value::Unknown {
        answer.best = 0;
    }
}
