//! Pentago XL at the board.
//!
//! The program wins at once where it can, then looks for a forced win of a few plies, then for the
//! exact value where few sockets are left. Elsewhere it takes the move that leaves it the best
//! lines among those after which nobody else has a forced win within sight.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context;
use pentago_search::Distance;
use pentago_xl::geometry::FIVES;
use pentago_xl::{
    Budget, Game, Kernel, Limits, Moment, Move, Outcome, Position, Request, Rules, Seat, Seats, Solver,
    Value, Within,
};

use super::board::{Board, Thought, XL_TURNS};
use crate::args::SolverArgs;
use crate::exit::bad_input;
use crate::games::{self, Question};
use crate::interrupt;
use crate::picture::Look;

/// Exact values are asked for only with so many sockets free.
const LATE: usize = 44;
/// Moves of the searches for each second that may be spent.
const NODES_PER_SECOND: f64 = 500_000.0;
/// The most bytes for searches, and for dense solutions.
const MOST_MEMORY: u64 = 1 << 30;
/// The most plies of a forced win that is looked for.
const WIN_PLIES: u32 = 5;
/// The most plies of the others' forced wins that are looked for.
const LOSS_PLIES: u32 = 3;
/// Moves made by the shortest searches, whatever time there is.
const LEAST_NODES: u64 = 20_000;

/// A game of Pentago XL, with the solver that plays it.
pub struct XlBoard {
    game: Game,
    memory: u64,
    solver: Option<Solver>,
}

impl XlBoard {
    /// A game from a position on, by default the empty board.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn new(rules: Rules, position: Option<&str>, args: &SolverArgs) -> anyhow::Result<XlBoard> {
        let start = match position {
            Some(text) => rules.parse_position(text).map_err(|error| bad_input(error.to_string()))?,
            None => Position::EMPTY,
        };
        Ok(XlBoard::of(Game::new(rules, start), args))
    }

    /// A saved game.
    ///
    /// # Errors
    /// If the text is none.
    pub fn load(text: &str, args: &SolverArgs) -> anyhow::Result<XlBoard> {
        Ok(XlBoard::of(Game::parse(text).map_err(|error| bad_input(error.to_string()))?, args))
    }

    fn of(game: Game, args: &SolverArgs) -> XlBoard {
        XlBoard { game, memory: args.memory().min(MOST_MEMORY), solver: None }
    }

    /// The solver, made when it is needed first.
    fn solver(&mut self, nodes: u64) -> anyhow::Result<&mut Solver> {
        let (rules, memory) = (self.game.rules(), self.memory);
        let solver = match self.solver.take() {
            Some(solver) => solver,
            None => {
                let table_bytes = usize::try_from(memory / 8).unwrap_or(1 << 24).max(1 << 12);
                let limits = Limits { table_bytes, memory, ..Limits::default() };
                Solver::new(rules, limits, Kernel::best()).context("not enough memory")?
            }
        };
        let solver = self.solver.insert(solver);
        solver.set_nodes(nodes);
        Ok(solver)
    }

    /// The exact value for the side to move with a move that keeps it, if both are found.
    fn exact(&mut self, time: Duration) -> anyhow::Result<Option<(Value, Move)>> {
        let (rules, p) = (self.game.rules(), self.game.position());
        if p.empty() > LATE && !rules.continues() {
            return Ok(None);
        }
        let nodes = (time.as_secs_f64() * NODES_PER_SECOND) as u64;
        let control = interrupt::within(time);
        let request = Request { moves: rules.continues(), ..Request::default() };
        let answer = self.solver(nodes.max(LEAST_NODES))?.solve(&p, &request, &control)?;
        not_cancelled()?;
        let value = answer.of(p.to_move).value().filter(|&value| value > Value::Loss);
        let best = answer.best.or_else(|| answer.best_moves().first().copied());
        Ok(value.zip(best))
    }

    fn question(&self, time: Duration) -> Question<'static> {
        Question::new(time, self.memory, interrupt::control())
    }
}

/// An error if the program is to end.
fn not_cancelled() -> anyhow::Result<()> {
    if interrupt::control().is_cancelled() { Err(pentago::Stopped.into()) } else { Ok(()) }
}

/// The worth of the lines that are open to only one seat: four times as much for each marble.
fn prospects(rules: &Rules, p: &Position, own: Seats) -> i64 {
    let worth = |line: &u128| {
        let mut worth = 0;
        for seat in rules.everyone().iter() {
            let marbles = (p.of(seat) & line).count_ones();
            let others = p.taken() & !p.of(seat) & line;
            if marbles > 0 && others == 0 {
                worth += if own.has(seat) { 1 << (2 * marbles) } else { -(1 << (2 * marbles)) };
            }
        }
        worth
    };
    FIVES.iter().map(worth).sum()
}

/// The moves that may be chosen, those with the best prospects first: none loses at once if there
/// is another.
fn candidates(rules: &Rules, p: &Position) -> Vec<(Move, Position)> {
    let own = rules.side_of(p.to_move);
    let kernel = Kernel::best();
    let mut moves: Vec<(i64, Move, Position)> = Vec::new();
    for m in rules.moves(p) {
        let Ok(played) = rules.play(p, m) else { continue };
        let next = played.position;
        let lost = match played.outcome {
            Some(outcome) => outcome.value(rules, p.to_move) == Value::Loss,
            None => !own.has(next.to_move) && rules.can_win_at_once(&next, kernel),
        };
        let penalty = if lost { i64::from(u32::MAX) } else { 0 };
        moves.push((prospects(rules, &next, own) - penalty, m, next));
    }
    // Of equals the first in the order of the moves.
    moves.sort_by_key(|&(worth, ..)| std::cmp::Reverse(worth));
    moves.into_iter().map(|(_, m, next)| (m, next)).collect()
}

/// The first of the candidates after which no other side is seen to win by force.
fn safest(rules: &Rules, p: &Position, end: Instant) -> anyhow::Result<Option<Move>> {
    let all = candidates(rules, p);
    let first = all.first().map(|&(m, _)| m);
    if rules.continues() {
        return Ok(first);
    }
    let own = rules.side_of(p.to_move);
    let control = interrupt::within(end.saturating_duration_since(Instant::now()));
    let others = rules.sides().into_iter().filter(|&side| side != own);
    let mut searches: Vec<Within> = others
        .map(|side| Within::new(*rules, side, Kernel::best(), Budget::watched(u64::MAX, &control)))
        .collect();
    for (m, next) in all {
        let over = rules.outcome(&next).is_some();
        let lost = |search: &mut Within| matches!(search.shortest(&next, LOSS_PLIES), Distance::Exactly(_));
        let refuted = !over && searches.iter_mut().any(lost);
        not_cancelled()?;
        if !refuted {
            return Ok(Some(m));
        }
    }
    Ok(first)
}

/// How a game has ended, in words.
fn ended(rules: &Rules, outcome: &Outcome) -> String {
    let names = |seats: Vec<Seat>| {
        let names: Vec<String> = seats.iter().map(|seat| seat.letter().to_string()).collect();
        names.join(" and ")
    };
    let first: Vec<Seat> = match outcome {
        Outcome::Teams(None) => return "a draw".to_owned(),
        Outcome::Teams(Some(winner)) => rules.side_of(*winner).iter().collect(),
        Outcome::Places(_) if rules.continues() => {
            return format!("the places are {outcome}");
        }
        Outcome::Places(places) => rules.everyone().iter().filter(|seat| places[seat.index()] == 1).collect(),
    };
    match first.len() {
        all if all == rules.seats() => "a draw".to_owned(),
        1 => format!("{} has won", names(first)),
        _ if matches!(outcome, Outcome::Teams(_)) => format!("{} have won", names(first)),
        _ => format!("{} share the first place", names(first)),
    }
}

impl Board for XlBoard {
    fn rules(&self) -> String {
        self.game.rules().to_string()
    }

    fn seats(&self) -> &'static str {
        &"abcd"[..self.game.rules().seats()]
    }

    fn side_of(&self, seat: char) -> String {
        let rules = self.game.rules();
        let side = Seat::ALL.into_iter().find(|s| s.letter() == seat).map(|seat| rules.side_of(seat));
        side.map_or_else(String::new, |side| side.iter().map(Seat::letter).collect())
    }

    fn example(&self) -> &'static str {
        "c4/2+"
    }

    fn help(&self) -> &'static str {
        XL_TURNS
    }

    fn to_move(&self) -> char {
        self.game.position().to_move.letter()
    }

    fn over(&self) -> Option<String> {
        Some(ended(&self.game.rules(), &self.game.outcome()?))
    }

    fn movers(&self) -> Vec<char> {
        let mut replayed = Game::new(self.game.rules(), self.game.start());
        let mut movers = Vec::new();
        for &m in self.game.moves() {
            movers.push(replayed.position().to_move.letter());
            // It was legal before.
            let _ = replayed.play(m);
        }
        movers
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let m = self.game.rules().parse_move(text).map_err(|error| error.to_string())?;
        self.game.play(m).map_err(|error| format!("Illegal move: {error}."))
    }

    fn resign(&mut self) -> bool {
        self.game.resign()
    }

    fn is_resigned(&self) -> bool {
        self.game.is_resigned()
    }

    fn take_back(&mut self) {
        self.game.undo();
    }

    fn think(&mut self, time: Duration) -> anyhow::Result<Thought> {
        let (rules, p) = (self.game.rules(), self.game.position());
        let end = Instant::now() + time;
        let thought = |m: Move, says: String| Thought { mv: rules.format_move(m), says };
        if let Some(m) = rules.winning_move(&p, Kernel::best()) {
            return Ok(thought(m, "this wins".to_owned()));
        }
        let mut seen = 1;
        if !rules.continues() {
            // The nearest win first, in a third of the time.
            let limit = if time.is_zero() { LEAST_NODES } else { u64::MAX };
            let budget = Budget::watched(limit, &interrupt::within(time / 3));
            let mut search = Within::new(rules, rules.side_of(p.to_move), Kernel::best(), budget);
            let found = search.shortest(&p, WIN_PLIES);
            not_cancelled()?;
            match found {
                Distance::Exactly(plies) => {
                    if let Some(m) = search.winner(&p, plies) {
                        return Ok(thought(m, format!("this wins within {plies} plies")));
                    }
                }
                Distance::MoreThan(plies) => seen = plies,
                Distance::Never => seen = WIN_PLIES,
            }
        }
        let known = self.exact(end.saturating_duration_since(Instant::now()) / 2)?;
        let alone = rules.sides().len() == 2;
        if let Some((value, m)) = known {
            let says = match (value, alone) {
                (Value::Win, _) => "this wins",
                (_, true) => "a draw",
                (_, false) => "half of the points are sure",
            };
            return Ok(thought(m, says.to_owned()));
        }
        let best = safest(&rules, &p, end)?.context("a position whose game goes on has moves")?;
        let says = match seen {
            1 => "not decided: no win at once".to_owned(),
            plies => format!("not decided: no forced win within {plies} plies"),
        };
        Ok(thought(best, says))
    }

    fn moves(&mut self, time: Duration, mut out: &mut dyn Write) -> anyhow::Result<()> {
        let position = Moment::Move(self.game.position());
        games::xl_report(self.game.rules(), &position, &self.question(time))?.write_moves(&mut out)?;
        Ok(())
    }

    fn value(&mut self, time: Duration, mut out: &mut dyn Write) -> anyhow::Result<()> {
        let position = Moment::Move(self.game.position());
        games::xl_report(self.game.rules(), &position, &self.question(time))?.write_value(&mut out)?;
        Ok(())
    }

    fn drawing(&self, _: Look) -> String {
        self.game.rules().diagram(&self.game.position()) + "\n"
    }

    fn record(&self) -> String {
        self.game.record()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_all_moves_and_those_that_lose_at_once_come_last() {
        for text in ["xl", "xl:seats=3", "xl:seats=4,mode=2v2", "xl:seats=4,continue=yes"] {
            let rules: Rules = text.parse().unwrap();
            for p in rules.random_positions(28, 4, 3, true).unwrap() {
                let all = candidates(&rules, &p);
                assert_eq!(all.len(), rules.moves(&p).len());
                let loses = |next: &Position| {
                    !rules.side_of(p.to_move).has(next.to_move)
                        && rules.outcome(next).is_none()
                        && rules.wins_at_once(next)
                };
                let first = all.iter().position(|(_, next)| loses(next)).unwrap_or(all.len());
                let over = |next: &Position| rules.outcome(next).is_some();
                assert!(all[first..].iter().all(|(_, next)| loses(next) || over(next)), "{text}");
            }
        }
    }

    #[test]
    fn results_in_words() {
        for (text, places, words) in [
            ("xl", [1, 2, 0, 0], "a has won"),
            ("xl", [1, 1, 0, 0], "a draw"),
            ("xl:seats=4", [1, 1, 3, 3], "a and b share the first place"),
            ("xl:seats=4", [1, 1, 1, 1], "a draw"),
            ("xl:seats=3,continue=yes", [1, 3, 2, 0], "the places are A1 B3 C2"),
        ] {
            let rules: Rules = text.parse().unwrap();
            assert_eq!(ended(&rules, &Outcome::Places(places)), words);
        }
        let teams: Rules = "xl:seats=4,mode=2v2".parse().unwrap();
        assert_eq!(ended(&teams, &Outcome::Teams(Some(Seat::B))), "b and d have won");
        assert_eq!(ended(&teams, &Outcome::Teams(None)), "a draw");
    }
}
