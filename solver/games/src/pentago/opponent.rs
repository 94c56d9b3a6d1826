//! The solver as a player: perfect where that is quick, sensible elsewhere.
//!
//! It searches 1, 2, 3... plies deep until the position is decided or its time is up, so that it
//! plays the fastest win and the slowest loss that it can see. Where the full solution is quick, it
//! comes first. What tables hold, or the openings, needs no search but for quick wins. Among moves of
//! the same known value it prefers the one after which the other player errs most easily: where tables
//! know all replies, fewest of them keep his value. Then the best guess decides, and then the lines.

use std::time::Duration;

use ::pentago::ask;
#[cfg(feature = "tables")]
use ::pentago::ask::{Stored, look_up};
use ::pentago::rules::{Move, Position, Rules};
use ::pentago_core::answer::{Answer, MoveEval, Origin, Request, Value};
use ::pentago_core::guess::prospects;
use ::pentago_core::kernel::Graphics;
use ::pentago_core::solve::RootedSolver;

use crate::{Question, Result};

/// What the player thinks of a position.
pub struct Thought {
    /// The chosen move.
    pub mv: Move,
    /// The deepest answer found.
    pub answer: Answer,
}

/// Assumed seconds per board and thread, until they have been measured.
const SECONDS_PER_BOARD: f64 = 20e-9;
/// The same on a graphics processor, of which the fastest need a tenth.
const SECONDS_PER_BOARD_ON_GPU: f64 = 1e-9;
/// The search is at least this deep, whatever time it takes: the move and the reply, so that it
/// never loses at once without need.
const LEAST_PLIES: usize = 2;

/// Boards of a first guess, which tells how long a better one takes.
const FEW_BOARDS: u64 = 20_000;
/// A guess evaluates no more, whatever time is left.
const MOST_BOARDS: u64 = 4_000_000;

/// With fewer marbles, proofs of seconds decide hardly anything: one of 24 positions of 7 marbles in a
/// minute.
const PROVED_MARBLES: u32 = 8;

/// Where tables know the best moves, the search is no deeper than this: it looks for a quick end.
const STORED_PLIES: usize = 3;

/// The solver as a player.
pub struct Opponent<'s, 'q> {
    solver: &'s mut RootedSolver,
    question: Question<'q>,
    rules: Rules,
    began: Option<Duration>,
}

impl<'s, 'q> Opponent<'s, 'q> {
    /// Begins to think about a question.
    pub fn new(solver: &'s mut RootedSolver, question: Question<'q>, rules: Rules) -> Opponent<'s, 'q> {
        Opponent { solver, question, rules, began: question.clock.now() }
    }

    /// Whether a solution of some plies fits in the memory and the time that is left.
    fn fits(&self, position: &Position, plies: usize) -> bool {
        let estimate = self.solver.estimate(position, plies);
        let time = self.question.time - self.question.time / 4;
        let left = time.saturating_sub(self.question.clock.since(self.began));
        let assumed = match self.solver.kernel().graphics() {
            Graphics::Always => SECONDS_PER_BOARD_ON_GPU,
            _ => SECONDS_PER_BOARD / self.question.threads as f64,
        };
        let seconds_per_board = self.solver.seconds_per_board().unwrap_or(assumed);
        estimate.bytes <= self.solver.memory()
            && estimate.boards as f64 * seconds_per_board <= left.as_secs_f64()
    }

    /// What the solver says.
    fn solve(&mut self, position: &Position, request: &Request) -> Result<Answer> {
        Ok(ask::Question::new(position, request).answer(self.solver, self.question.control)?)
    }

    /// The answer of a search of some plies.
    fn search(&mut self, position: &Position, plies: usize) -> Result<Answer> {
        let request = Request { depth: Some(plies), guess_boards: Some(0), ..Request::default() };
        self.solve(position, &request)
    }

    /// What tables say of a position, if they know a best move.
    #[cfg(feature = "tables")]
    fn stored(&self, position: &Position) -> Result<Option<Answer>> {
        let tables = match super::stored(&self.question)? {
            Stored::Tables(tables) | Stored::Openings(tables) => tables,
            Stored::Nothing => return Ok(None),
        };
        let answer = look_up(tables, &self.rules, position)?;
        Ok(Some(answer).filter(|answer| answer.best > 0))
    }

    /// There are no tables.
    #[cfg(not(feature = "tables"))]
    fn stored(&self, _: &Position) -> Result<Option<Answer>> {
        Ok(None)
    }

    /// Thinks about a position whose game is not over, for about `time`.
    ///
    /// # Errors
    /// If it was stopped, a table is damaged, or not even a short search fits in the memory.
    pub fn think(mut self, position: &Position) -> Result<Thought> {
        let (rules, time) = (self.rules, self.question.time);
        let all = self.solver.all_plies(position);
        let full = match self.fits(position, all) {
            true => Some(self.search(position, all)?),
            false => None,
        };
        if let Some(answer) = full.as_ref().filter(|answer| answer.value == Value::Draw) {
            let mv = self.choose(position, &answer.moves[..answer.best])?;
            return Ok(Thought { mv, answer: answer.clone() });
        }
        let stored = if full.is_none() { self.stored(position)? } else { None };
        if let Some(answer) = stored.as_ref().filter(|answer| answer.value == Value::Draw) {
            return Ok(Thought { mv: self.choose(position, answer.best_moves())?, answer: answer.clone() });
        }
        // Where the end is far away, proofs may see it.
        let proved = if full.is_none() && stored.is_none() && position.board().marbles() >= PROVED_MARBLES {
            let request = Request {
                time: Some(time * 3 / 8),
                proofs_only: true,
                guess_boards: Some(0),
                ..Request::default()
            };
            let answer = ask::Question::new(position, &request).prove(self.solver, self.question.control)?;
            if answer.value == Value::Win {
                let mv = pick(&rules, position, &nearest(answer.best_moves()));
                return Ok(Thought { mv, answer });
            }
            Some(answer)
        } else {
            None
        };
        let lost = |m: &MoveEval| {
            let by_proof = proved.iter().flat_map(|answer| &answer.moves).find(|other| other.mv == m.mv);
            m.value == Value::Loss || by_proof.is_some_and(|other| other.value == Value::Loss)
        };
        // The moves that the deepest answer so far doesn't lose.
        let mut open: Vec<MoveEval> = Vec::new();
        let mut deepest = full;
        for plies in 1..=all {
            let enough = stored.is_some() && plies > STORED_PLIES;
            if plies > LEAST_PLIES && (enough || !self.fits(position, plies)) {
                break;
            }
            let answer = self.search(position, plies)?;
            match answer.value {
                Value::Win => open = answer.moves[..answer.best].to_vec(),
                // The moves that were open one ply before hold out the longest.
                Value::Loss if !open.is_empty() => {}
                Value::Loss => open = answer.moves.clone(),
                Value::Draw | Value::Unknown => {
                    open = answer.moves.iter().filter(|m| m.value != Value::Loss).cloned().collect();
                    // Where proofs say that all of them lose, those hold out the longest.
                    if !open.iter().all(lost) {
                        open.retain(|m| !lost(m));
                    }
                }
            }
            let decided = answer.value != Value::Unknown;
            // A full answer knows more of the other moves.
            if deepest.as_ref().is_none_or(|deepest| !deepest.complete) {
                deepest = Some(answer);
            }
            if decided {
                break;
            }
        }
        let mut answer = deepest.expect("a position whose game is not over has a first ply");
        if let Some(stored) = stored.filter(|_| answer.value == Value::Unknown) {
            // Any move that keeps a win will do; of those that lose the open ones hold out the longest.
            if stored.value == Value::Win {
                open = stored.best_moves().to_vec();
            }
            return Ok(Thought { mv: self.choose(position, &open)?, answer: stored });
        }
        if let Some(proved) = &proved {
            answer.add_proofs(proved);
        }
        if answer.complete {
            // Where time ended before the fastest win was found, any win will do.
            let best = &answer.moves[..answer.best];
            let known: Vec<MoveEval> =
                open.iter().filter(|m| best.iter().any(|b| b.mv == m.mv)).cloned().collect();
            open = if known.is_empty() { best.to_vec() } else { known };
        }
        let mv = match answer.value {
            Value::Unknown => {
                self.in_time(|boards| ask::add_guess(&mut answer, position, self.solver, boards));
                for m in &mut open {
                    m.guess =
                        answer.moves.iter().find(|other| other.mv == m.mv).and_then(|other| other.guess);
                }
                pick(&rules, position, &open)
            }
            Value::Win => pick(&rules, position, &open),
            Value::Draw | Value::Loss => self.choose(position, &open)?,
        };
        Ok(Thought { mv, answer })
    }

    /// Of moves of the same value the one after which the other player errs most easily, as far as tables
    /// say so in time.
    fn choose(&self, position: &Position, moves: &[MoveEval]) -> Result<Move> {
        let mut hardest = Vec::new();
        let mut least = None;
        let late = || self.question.clock.since(self.began) > self.question.time / 2;
        for m in moves {
            let kept = if late() { None } else { self.replies_that_keep(&m.position)? };
            let Some(kept) = kept else {
                hardest = moves.to_vec();
                break;
            };
            if least.is_none_or(|least| kept < least) {
                (least, hardest) = (Some(kept), Vec::new());
            }
            if least == Some(kept) {
                hardest.push(m.clone());
            }
        }
        let open: Vec<Move> = hardest.iter().map(|m| m.mv).collect();
        self.in_time(|boards| {
            let guess = ask::guesses(&open, position, self.solver, boards);
            for (m, score) in hardest.iter_mut().zip(guess.scores) {
                m.guess = score;
            }
            guess.boards
        });
        Ok(pick(&self.rules, position, &hardest))
    }

    /// How many of a thousand replies keep the value of a position, if tables know all of them.
    fn replies_that_keep(&self, position: &Position) -> Result<Option<usize>> {
        let known = self.stored(position)?.filter(|answer| answer.complete);
        Ok(known.map(|answer| 1000 * answer.best / answer.moves.len()))
    }

    /// Guesses with as many boards as there is time for. `guess` says how many of those that it may
    /// evaluate it did.
    fn in_time(&self, mut guess: impl FnMut(u64) -> u64) {
        let (clock, time) = (self.question.clock, self.question.time);
        let began = clock.now();
        let few = guess(FEW_BOARDS);
        let took = clock.since(began).as_secs_f64();
        let left = time.saturating_sub(clock.since(self.began)).max(time / 4) * 7 / 8;
        let boards = few as f64 * left.as_secs_f64() / took.max(1e-6);
        // Without a clock nothing is known.
        if began.is_some() && boards > FEW_BOARDS as f64 {
            guess((boards as u64).min(MOST_BOARDS));
        }
    }
}

/// The moves after which the end is surely the nearest.
fn nearest(moves: &[MoveEval]) -> Vec<MoveEval> {
    let within = |m: &MoveEval| match m.origin {
        Origin::Proof { within, .. } => within,
        _ => 0,
    };
    let least = moves.iter().map(within).min();
    moves.iter().filter(|m| Some(within(m)) == least).cloned().collect()
}

/// Of the moves with the best guess the first that leaves the mover the best lines.
fn pick(rules: &Rules, position: &Position, moves: &[MoveEval]) -> Move {
    let mover = position.to_move();
    let promise = |m: &&MoveEval| {
        let board = m.position.board();
        (m.guess, prospects(rules, board.of(mover), board.of(mover.other())))
    };
    // Of equals the last is the greatest.
    moves.iter().rev().max_by_key(promise).expect("a position whose game is not over has moves").mv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_added() {
        let rules = Rules::default();
        // Twelve marbles: proofs say much more than two plies.
        let position = rules.parse_position("3X2/3X1X/1X3O/3O1O/1XO2O/4XO x").unwrap();
        let mut solver = RootedSolver::new(
            rules,
            ::pentago_core::kernel::Kernel::best(),
            std::num::NonZeroUsize::MIN,
            1 << 26,
        );
        let control = ::pentago::Control::new();
        let depth = Request { depth: Some(2), ..Request::default() };
        let mut shallow = ask::Question::new(&position, &depth).answer(&mut solver, &control).unwrap();
        let unknown = |answer: &Answer| answer.moves.iter().filter(|m| m.value == Value::Unknown).count();
        let mut proved = shallow.clone();
        let mv = shallow.moves.iter().find(|m| m.value == Value::Unknown).unwrap().mv;
        let origin = Origin::Proof { sockets: 8, depth: 1, within: 9 };
        for m in proved.moves.iter_mut().filter(|m| m.mv == mv) {
            (m.value, m.origin) = (Value::Win, origin.clone());
        }
        (proved.value, proved.origin) = (Value::Win, origin.clone());
        let before = unknown(&shallow);
        shallow.add_proofs(&proved);
        assert_eq!((shallow.value, &shallow.origin, unknown(&shallow)), (Value::Win, &origin, before - 1));
        assert_eq!(shallow.best_moves().iter().map(|m| m.mv).collect::<Vec<_>>(), [mv]);
    }

    #[test]
    fn open_lines_promise() {
        let rules = Rules::default();
        let of = |text: &str| {
            let board = rules.parse_position(text).unwrap().board();
            prospects(&rules, board.x(), board.o())
        };
        assert_eq!(of("6/6/6/6/6/6"), 0);
        assert_eq!(of("X5/6/6/6/6/O5"), 0);
        // A marble on c4 lies on more lines than one in a corner.
        assert!(of("6/6/2X3/6/6/O5") > 0);
        assert!(of("XXXX2/6/6/6/6/O1O1OO") > of("XXX1X1/6/6/6/6/OO1OO1"));
    }
}
