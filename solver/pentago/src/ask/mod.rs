//! Which engine answers for a position: the rules, the published openings, tables, proofs, the full
//! solution, or solutions truncated at 1, 2, 3... plies.
//!
//! Where none of them shows a move that keeps the value, a guess orders the moves.
//!
//! A [`Question`] is first looked up, where there are tables; `policy` then chooses the engine for
//! what these leave open, from the sizes of the problem alone, so that every front end gets the
//! same answer.
//!
//! | file | what it represents |
//! |---|---|
//! | `policy` | the choice: a table from situations to engines |
//! | `stored` | what rules and tables say of a position and its moves, and how a solution completes it |
//! | `search` | the engines that compute: proofs, the full solution, deepening |
//! | `parents` | what tables say of a position by those before it |
//! | `distances` | plies to the end, and a line of best moves |
//! | `work` | the solutions that are made for one question, and their time |
//! | `memory` | what would fit where memory doesn't suffice |

mod distances;
mod memory;
#[cfg(feature = "tables")]
mod parents;
mod policy;
mod search;
#[cfg(feature = "tables")]
mod stored;
mod work;

pub use memory::NotEnoughMemory;
#[cfg(feature = "tables")]
pub use stored::Contradiction;

use pentago_base::Control;
use pentago_core::answer::{Answer, Estimate, MoveEval, Origin, Request, RuledOut, Unsolved, Value};
use pentago_core::guess::{Evaluation, Guess, guess};
use pentago_core::rules::{Move, Position, Rules, Shape};
use pentago_core::solve::{RootedSolver, SolveError};
#[cfg(feature = "tables")]
use pentago_tables::probe::Tables;
#[cfg(feature = "tables")]
use pentago_tables::tables::TableError;
use policy::{Engine, Situation};
#[cfg(feature = "tables")]
use stored::Known;

/// A position, and what is asked about it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position.
    pub position: &'a Position,
    /// The options.
    pub request: &'a Request,
    /// What is looked up before anything is computed.
    #[cfg(feature = "tables")]
    pub stored: Stored<'a>,
}

/// What is looked up before anything is computed.
#[cfg(feature = "tables")]
#[derive(Clone, Copy, Debug, Default)]
pub enum Stored<'a> {
    /// Nothing.
    #[default]
    Nothing,
    /// The published values of the first plies ([`Tables::with_openings`]), for questions that they
    /// can answer: about positions with at most 6 marbles, of values to the end of the game.
    Openings(&'a Tables),
    /// Tables, for every question. What they lack is said of each value that stays unknown.
    Tables(&'a Tables),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A table is damaged, or can't be read.
    #[cfg(feature = "tables")]
    #[error(transparent)]
    Table(#[from] TableError),
    /// A table is wrong.
    #[cfg(feature = "tables")]
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The engine that has to answer takes more memory than it may.
    #[error(transparent)]
    Memory(#[from] NotEnoughMemory),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl<'a> Question<'a> {
    /// A question that nothing is looked up for.
    #[must_use]
    pub fn new(position: &'a Position, request: &'a Request) -> Question<'a> {
        Question {
            position,
            request,
            #[cfg(feature = "tables")]
            stored: Stored::Nothing,
        }
    }

    /// The same question with what is looked up for it.
    #[cfg(feature = "tables")]
    #[must_use]
    pub fn with(self, stored: Stored<'a>) -> Question<'a> {
        Question { stored, ..self }
    }

    /// The value of the position and of every move. Each solution and each proof is a stage of
    /// `control`, which can cancel.
    ///
    /// # Errors
    /// If it was stopped; if an exact value takes more memory than there may be, or a depth does; if a table
    /// is damaged or wrong.
    pub fn answer(&self, solver: &mut RootedSolver, control: &Control) -> Result<Answer, AskError> {
        let mut asked = self.ask(solver, control, u128::MAX)?;
        self.complete(asked.as_mut(), solver, control)?;
        Ok(asked.expect("without a limit there is an answer or an error"))
    }

    /// What proofs show of the position, even where a solution is possible: that may take too long.
    ///
    /// # Errors
    /// As for [`Question::answer`].
    pub fn prove(&self, solver: &mut RootedSolver, control: &Control) -> Result<Answer, AskError> {
        let (full, finished) = self.begin(solver)?;
        if let Some(answer) = finished {
            return Ok(answer);
        }
        let boards = policy::proof_boards(self.request, solver.threads().get());
        search::run(solver, self, full, Engine::Proofs(boards), control)
    }

    /// The same answer, if no more than about `boards` boards are to be computed for it and the
    /// memory suffices; otherwise none.
    ///
    /// # Errors
    /// If it was stopped, or a table is damaged or wrong.
    pub fn quick_answer(
        &self,
        solver: &mut RootedSolver,
        control: &Control,
        boards: u128,
    ) -> Result<Option<Answer>, AskError> {
        match self.ask(solver, control, boards) {
            Err(AskError::Memory(_) | AskError::Solve(SolveError::Allocation { .. })) => Ok(None),
            Ok(mut asked) => {
                self.complete(asked.as_mut(), solver, control)?;
                Ok(asked)
            }
            failed => failed,
        }
    }

    /// Adds what is known of the position by those before it where its value is unknown, and a guess where
    /// no move is known to keep the value.
    fn complete(
        &self,
        answer: Option<&mut Answer>,
        solver: &RootedSolver,
        control: &Control,
    ) -> Result<(), AskError> {
        let Some(answer) = answer.filter(|answer| answer.best == 0) else { return Ok(()) };
        let rules = solver.rules();
        #[cfg(feature = "tables")]
        if answer.value == Value::Unknown
            && let Some(tables) = self.tables(policy::openings_bound(&rules, self.position, self.request))
            && let Some((least, origin)) = parents::least(tables, &rules, self.position)?
        {
            match least {
                Value::Win => (answer.value, answer.origin) = (Value::Win, origin),
                _ => answer.at_least = Some(least),
            }
        }
        let kept = solver.kept().filter(|_| answer.value == Value::Unknown);
        if let Some(origin) = kept.and_then(|kept| kept.win(&rules, self.position)) {
            (answer.value, answer.origin) = (Value::Win, origin);
        }
        self.add_guess(answer, solver, control);
        Ok(())
    }

    /// Adds a guess where no move is known to keep the value.
    fn add_guess(&self, answer: &mut Answer, solver: &RootedSolver, control: &Control) {
        let boards = policy::guess_boards(self.request, solver.threads().get());
        if boards > 0 && !control.is_cancelled() {
            add_guess(answer, self.position, solver, boards);
        }
    }

    /// The size of the full solution, and the answer if the game is over.
    fn begin(&self, solver: &mut RootedSolver) -> Result<(Estimate, Option<Answer>), AskError> {
        solver.begin();
        let (rules, position) = (solver.rules(), self.position);
        if position.shape() != rules.shape {
            return Err(SolveError::Shape.into());
        }
        let full = solver.estimate(position, usize::MAX);
        Ok((full, finished(&rules, position, self.request, full)))
    }

    fn ask(
        &self,
        solver: &mut RootedSolver,
        control: &Control,
        boards: u128,
    ) -> Result<Option<Answer>, AskError> {
        let (full, finished) = self.begin(solver)?;
        if finished.is_some() {
            return Ok(finished);
        }
        #[cfg(feature = "tables")]
        let rules = solver.rules();
        #[cfg(feature = "tables")]
        let known = {
            let look_up = |tables| Known::look_up(tables, &rules, self.position);
            let openings = policy::openings_answer(&rules, self.position, self.request);
            self.tables(openings).map(look_up).transpose()?
        };
        let situation = Situation {
            full,
            memory: solver.memory(),
            threads: solver.threads().get(),
            request: *self.request,
            #[cfg(feature = "tables")]
            known: known.as_ref().map(Known::summary),
            #[cfg(not(feature = "tables"))]
            known: None,
        };
        let engine = situation.engine();
        // What is answered for want of memory alone may have a better answer where there is more.
        let large = || match engine {
            Engine::Proofs(_) | Engine::Deepening { .. } => boards < u128::MAX,
            _ => self.boards_at_most(solver, engine) > boards,
        };
        let (solved, unsolved) = match engine {
            Engine::Stored(unsolved) => (None, unsolved),
            _ if large() => return Ok(None),
            _ => match search::run(solver, self, full, engine, control) {
                Ok(answer) => {
                    let unsolved = Unsolved::Open { ruled_out: answer.ruled_out };
                    (Some(answer), unsolved)
                }
                // Without memory for a single ply tables say what they know all the same.
                Err(AskError::Memory(_)) if situation.known.is_some() && !self.request.exact => {
                    (None, Unsolved::Memory { need: full.bytes, limit: situation.memory })
                }
                Err(error) => return Err(error),
            },
        };
        #[cfg(feature = "tables")]
        if let Some(known) = known {
            return Ok(Some(known.completed(&rules, full, solved, unsolved)?));
        }
        let _ = unsolved;
        Ok(solved)
    }

    /// The tables to look in; the openings if they are fit for it.
    #[cfg(feature = "tables")]
    fn tables(&self, openings: bool) -> Option<&'a Tables> {
        match self.stored {
            Stored::Nothing => None,
            Stored::Openings(tables) => openings.then_some(tables),
            Stored::Tables(tables) => Some(tables),
        }
    }

    /// Boards of a search as deep as this engine may look.
    fn boards_at_most(&self, solver: &RootedSolver, engine: Engine) -> u128 {
        let all = solver.all_plies(self.position);
        let plies = match engine {
            Engine::Truncated(plies) => plies.min(all),
            _ => all,
        };
        pentago_core::solve::board_count(self.position.free().len(), plies)
    }
}

/// Adds a guess of at most `boards` evaluations to the moves whose value is unknown, and orders them by
/// it: how many boards it took. There is none on small boards.
pub fn add_guess(answer: &mut Answer, position: &Position, solver: &RootedSolver, boards: u64) -> u64 {
    let unknown = |m: &&MoveEval| m.value == Value::Unknown;
    let moves: Vec<Move> = answer.moves.iter().filter(unknown).map(|m| m.mv).collect();
    let guess = guesses(&moves, position, solver, boards);
    answer.add_guesses(guess.scores);
    guess.boards
}

/// A guess of at most `boards` evaluations for each of these moves; none on small boards.
pub fn guesses(moves: &[Move], position: &Position, solver: &RootedSolver, boards: u64) -> Guess {
    if position.shape() != Shape::Pentago || moves.is_empty() {
        return Guess { scores: vec![None; moves.len()], boards: 0 };
    }
    let (rules, evaluation) = (solver.rules(), Evaluation::learned());
    guess(evaluation, &rules, position, moves, solver.kernel(), boards, solver.memory())
}

/// What the tables alone say of a position and of every move.
///
/// # Errors
/// If the position lies on another board than that of the rules, or a table is damaged or wrong.
#[cfg(feature = "tables")]
pub fn look_up(tables: &Tables, rules: &Rules, position: &Position) -> Result<Answer, AskError> {
    if position.shape() != rules.shape {
        return Err(SolveError::Shape.into());
    }
    let full = Estimate::default();
    if let Some(answer) = finished(rules, position, &Request::default(), full) {
        return Ok(answer);
    }
    let known = Known::look_up(tables, rules, position)?;
    Ok(known.completed(rules, full, None, Unsolved::NotAsked)?)
}

/// The answer for a position whose game is over.
fn finished(rules: &Rules, position: &Position, request: &Request, full: Estimate) -> Option<Answer> {
    let value = Value::of(rules.outcome(position)?, position.to_move());
    Some(Answer {
        value,
        origin: Origin::Rules,
        distance: (request.distance && value != Value::Draw).then_some(0),
        best: 0,
        moves: Vec::new(),
        plies: 0,
        ruled_out: RuledOut::default(),
        at_least: None,
        complete: true,
        boards: 0,
        line: Vec::new(),
        full,
    })
}
