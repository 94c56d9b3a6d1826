//! Answers to questions about positions, from rules, tables, proofs and solutions.
//!
//! A [`Search`] first looks up the position in tables, if there are any. Then `policy` chooses the
//! engine that computes the missing values. The choice depends only on the question and the size of
//! the problem, so every front end gets the same answer. If no best move is found, a guess orders
//! the moves.
//!
//! | file | content |
//! |---|---|
//! | `search` | the state of a search |
//! | `policy` | the choice of the engine |
//! | `stored` | the values in tables, and their combination with a solution |
//! | `engines` | the engines that compute: proofs, the full solution, deepening |
//! | `parents` | bounds on a value, from stored positions that lead to the position |
//! | `distances` | distances to the end of the game, and a line of best moves |

mod distances;
mod engines;
#[cfg(feature = "tables")]
mod parents;
mod policy;
mod search;
#[cfg(feature = "tables")]
mod stored;

pub use search::Search;
#[cfg(feature = "tables")]
pub use search::Stored;

use crate::error::{Error, NotEnoughMemory};
use pentago_core::answer::{Answer, Estimate, MoveEval, Origin, Unsolved, Value};
use pentago_core::guess::{Evaluation, Guess, STAGES, guess};
use pentago_core::rules::{Move, Position, Rules, Shape};
use pentago_core::solve::{RootedSolver, SolveError, board_count};
#[cfg(feature = "tables")]
use pentago_tables::probe::Tables;
use policy::Engine;
use std::cmp::Reverse;

impl Search<'_> {
    /// Finds the value of the position and of every move.
    ///
    /// # Errors
    /// If the search was cancelled, if the required solution exceeds the memory limit, or if a
    /// table is damaged or wrong.
    pub fn answer(mut self) -> Result<Answer, Error> {
        let answer = self.find(u128::MAX)?.expect("without a limit there is an answer or an error");
        self.completed(answer)
    }

    /// Returns the same answer as [`Search::answer`] if it takes no more than about `boards` boards
    /// and fits in memory. Otherwise returns `None`.
    ///
    /// # Errors
    /// If the search was cancelled, or if a table is damaged or wrong.
    pub fn quick_answer(mut self, boards: u128) -> Result<Option<Answer>, Error> {
        match self.find(boards) {
            Err(error) if error.lacks_memory() => Ok(None),
            found => found?.map(|answer| self.completed(answer)).transpose(),
        }
    }

    /// Answers by proofs alone. A full solution may take too long, even if it fits in memory.
    ///
    /// # Errors
    /// As for [`Search::answer`].
    pub fn prove(mut self) -> Result<Answer, Error> {
        let (full, finished) = self.begin()?;
        if let Some(answer) = finished {
            return Ok(answer);
        }
        let boards = policy::proof_boards(self.question, self.solver.threads.get());
        self.run(full, Engine::Proofs(boards))
    }

    /// Estimates the full solution. Also returns the answer if the game is over, and `None`
    /// otherwise.
    fn begin(&mut self) -> Result<(Estimate, Option<Answer>), Error> {
        self.solver.begin();
        let rules = self.solver.rules;
        if self.position.shape() != rules.shape {
            return Err(SolveError::Shape.into());
        }
        let full = self.solver.estimate(self.position, usize::MAX);
        Ok((full, finished(&rules, self.position, self.question.distance, full)))
    }

    /// Looks up the position and computes the missing values. Returns `None` if the computation may
    /// take more than `boards` boards.
    fn find(&mut self, boards: u128) -> Result<Option<Answer>, Error> {
        let (full, finished) = self.begin()?;
        if finished.is_some() {
            return Ok(finished);
        }
        let (memory, threads) = (self.solver.memory, self.solver.threads.get());
        #[cfg(feature = "tables")]
        let stored = self.look_up()?;
        #[cfg(feature = "tables")]
        let coverage = stored.as_ref().map(stored::coverage);
        #[cfg(not(feature = "tables"))]
        let coverage = None;
        // Without a clock, time limits have no effect.
        let seconds = self.solver.clock.now().map_or(0.0, |_| self.solver.seconds(full.boards));
        let engine = policy::engine(self.question, (full, seconds), memory, threads, coverage);
        // A question that needs proofs or deepening is never quick, because more memory could
        // improve its answer.
        let is_large = || match engine {
            Engine::Proofs(_) | Engine::Deepening { .. } => boards < u128::MAX,
            _ => self.boards_at_most(engine) > boards,
        };
        let (solved, unsolved) = match engine {
            Engine::Stored(unsolved) => (None, unsolved),
            _ if is_large() => return Ok(None),
            _ => match self.run(full, engine) {
                Ok(answer) => {
                    let unsolved = Unsolved::Open { ruled_out: answer.ruled_out };
                    (Some(answer), unsolved)
                }
                // If not even a solution of one ply fits in memory, return the values that the
                // tables contain.
                Err(error)
                    if error.downcast_ref::<NotEnoughMemory>().is_some()
                        && coverage.is_some()
                        && !self.question.exact =>
                {
                    (None, Unsolved::Memory { need: full.bytes, limit: memory })
                }
                Err(error) => return Err(error),
            },
        };
        #[cfg(feature = "tables")]
        if let Some(stored) = stored {
            let rules = self.solver.rules;
            return stored::completed(stored, &rules, self.position, full, solved, unsolved).map(Some);
        }
        let _ = unsolved;
        Ok(solved)
    }

    /// Returns the stored values, or `None` if no tables apply to this question.
    #[cfg(feature = "tables")]
    fn look_up(&self) -> Result<Option<Answer>, Error> {
        let rules = self.solver.rules;
        let tables = self.tables(policy::openings_answer(&rules, self.position, self.question));
        tables.map(|tables| stored::look_up(tables, &rules, self.position)).transpose()
    }

    /// Returns the tables to consult, or `None` if there are none. The openings are used only if
    /// `openings` is set.
    #[cfg(feature = "tables")]
    fn tables(&self, openings: bool) -> Option<&Tables> {
        match self.stored {
            Stored::Nothing => None,
            Stored::Openings(tables) => openings.then_some(tables),
            Stored::Tables(tables) => Some(tables),
        }
    }

    /// Returns the number of boards within the greatest depth that an engine may reach.
    fn boards_at_most(&self, engine: Engine) -> u128 {
        let all = self.solver.all_plies(self.position);
        let plies = match engine {
            Engine::Truncated(plies) => plies.min(all),
            _ => all,
        };
        board_count(self.position.free().count_ones() as usize, plies)
    }

    /// Completes an answer that has no best move. Adds bounds from parent positions, results of
    /// kept proofs, and a guess. If the question asks for distances and every move loses at an
    /// unknown distance, guesses order the moves.
    fn completed(&self, mut answer: Answer) -> Result<Answer, Error> {
        if answer.best > 0 {
            let far = answer.value == Value::Loss && answer.moves.iter().all(|m| m.distance.is_none());
            let boards = if far && self.question.distance { self.guess_boards(&answer) } else { 0 };
            if boards > 0 {
                let all: Vec<Move> = answer.moves.iter().map(|m| m.mv).collect();
                let guess = guesses(&all, self.position, self.solver, boards);
                answer.moves.iter_mut().zip(guess.scores).for_each(|(m, score)| m.guess = score);
                answer.moves.sort_by_key(|m| Reverse(m.guess));
            }
            return Ok(answer);
        }
        #[cfg(feature = "tables")]
        self.add_bounds(&mut answer)?;
        let (rules, position) = (self.solver.rules, self.position);
        let kept = self.solver.kept.as_deref().filter(|_| answer.value == Value::Unknown);
        if let Some(origin) = kept.and_then(|kept| kept.win(&rules, position)) {
            (answer.value, answer.origin) = (Value::Win, origin);
        }
        // A guess evaluates boards that are at least two plies ahead. The evaluation wasn't trained
        // with fewer marbles than `STAGES`, so such a guess would mislead.
        let is_trained = position.board().marbles() + 2 >= *STAGES.start();
        let boards = if is_trained { self.guess_boards(&answer) } else { 0 };
        if boards > 0 && !self.control.is_cancelled() {
            add_guess(&mut answer, position, self.solver, boards);
        }
        Ok(answer)
    }

    /// Returns the number of boards to evaluate for a guess. If there is a time limit, first
    /// measures the speed of a small guess, because other programs may use the cores.
    fn guess_boards(&self, answer: &Answer) -> u64 {
        let (question, clock) = (self.question, &self.solver.clock);
        let boards = policy::guess_boards(question, self.solver.threads.get());
        let Some((began, time)) = clock.now().zip(question.time).filter(|_| question.guess_boards.is_none())
        else {
            return boards;
        };
        if boards <= policy::LEAST_GUESS_BOARDS || self.control.is_cancelled() {
            return boards;
        }
        let moves: Vec<Move> = answer.moves.iter().map(|m| m.mv).collect();
        let few = guesses(&moves, self.position, self.solver, policy::LEAST_GUESS_BOARDS).boards;
        let took = clock.since(Some(began)).as_secs_f64().max(1e-6);
        let in_time = few as f64 / took * time.as_secs_f64() / policy::GUESS_PART;
        boards.min(in_time as u64).max(policy::LEAST_GUESS_BOARDS)
    }

    /// Adds the bounds from parent positions to the position, and to the positions after moves from
    /// the last slice of the openings.
    #[cfg(feature = "tables")]
    fn add_bounds(&self, answer: &mut Answer) -> Result<(), Error> {
        let (rules, position) = (self.solver.rules, self.position);
        if answer.value == Value::Unknown
            && let Some(tables) = self.tables(policy::openings_bound(&rules, position, self.question))
            && let Some((least, origin)) = parents::least(tables, &rules, position)?
        {
            match least {
                Value::Win => (answer.value, answer.origin) = (Value::Win, origin),
                _ => answer.at_least = Some(least),
            }
        }
        for m in answer.moves.iter_mut().filter(|m| m.value == Value::Unknown) {
            if policy::openings_bound(&rules, &m.position, self.question)
                && let Some(tables) = self.tables(true)
                && let Some((Value::Win, origin)) = parents::least(tables, &rules, &m.position)?
            {
                (m.value, m.origin) = (Value::Loss, origin);
            }
        }
        answer.order();
        Ok(())
    }
}

/// Adds a guess to each move of unknown value, evaluating at most `boards` boards, and sorts the
/// moves. Returns the number of boards evaluated. Games on boards smaller than 6x6 get no guess.
pub fn add_guess(answer: &mut Answer, position: &Position, solver: &RootedSolver, boards: u64) -> u64 {
    let unknown = |m: &&MoveEval| m.value == Value::Unknown;
    let moves: Vec<Move> = answer.moves.iter().filter(unknown).map(|m| m.mv).collect();
    let guess = guesses(&moves, position, solver, boards);
    answer.add_guesses(guess.scores);
    guess.boards
}

/// Guesses the score of each of `moves`, evaluating at most `boards` boards. Games on boards
/// smaller than 6x6 get no guess.
pub fn guesses(moves: &[Move], position: &Position, solver: &RootedSolver, boards: u64) -> Guess {
    if position.shape() != Shape::Pentago || moves.is_empty() {
        return Guess { scores: vec![None; moves.len()], boards: 0 };
    }
    let (rules, evaluation) = (solver.rules, Evaluation::learned());
    guess(evaluation, &rules, position, moves, solver.kernel, boards, solver.memory)
}

/// Returns the stored values of a position and of its moves, without computing anything.
///
/// # Errors
/// If the shapes of the position and of the rules differ, or if a table is damaged.
#[cfg(feature = "tables")]
pub fn look_up(tables: &Tables, rules: &Rules, position: &Position) -> Result<Answer, Error> {
    if position.shape() != rules.shape {
        return Err(SolveError::Shape.into());
    }
    let full = Estimate::default();
    if let Some(answer) = finished(rules, position, false, full) {
        return Ok(answer);
    }
    let stored = stored::look_up(tables, rules, position)?;
    stored::completed(stored, rules, position, full, None, Unsolved::NotAsked)
}

/// Returns the answer if the game is over, and `None` otherwise.
fn finished(rules: &Rules, position: &Position, distance: bool, full: Estimate) -> Option<Answer> {
    let value = Value::of(rules.outcome(position)?, position.to_move());
    let distance = (distance && value != Value::Draw).then_some(0);
    Some(Answer { value, origin: Origin::Rules, distance, complete: true, full, ..Answer::default() })
}
