//! A solver with the threads it runs in, the memory it may use, and its progress on standard error.

use anyhow::Context;
use pentago::answer::{Answer, MoveEval, Origin};
use pentago::ask::{AskError, NotEnoughMemory, Question};
use pentago::kernel::Kernel;
use pentago::probe::Tables;
use pentago::rules::Rules;
use pentago::solve::RootedSolver;
use pentago::{Error, ErrorKind};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::args::SolverArgs;
use crate::exit::missing_data;
use crate::output::{bytes, thousands};
use crate::progress::Progress;
use crate::{folder, interrupt};
use std::num::NonZeroUsize;

/// A solver ready to run.
pub struct Engine {
    solver: RootedSolver,
    pool: ThreadPool,
    quiet: bool,
}

impl Engine {
    /// A solver as the options say.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(rules: Rules, args: &SolverArgs) -> anyhow::Result<Engine> {
        Engine::with(rules, args, args.kernel(), args.threads())
    }

    /// A solver with another kernel and another number of threads than the options say.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn with(
        rules: Rules,
        args: &SolverArgs,
        kernel: Kernel,
        threads: NonZeroUsize,
    ) -> anyhow::Result<Engine> {
        let solver = RootedSolver::new(rules, kernel, threads, args.memory());
        Ok(Engine { solver, pool: pool(threads)?, quiet: args.quiet })
    }

    /// The solver itself.
    pub fn solver(&self) -> &RootedSolver {
        &self.solver
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Answers a question, with progress on standard error; Ctrl-C stops it.
    ///
    /// # Errors
    /// If it was stopped; if a table is damaged or wrong; or if it takes more memory than it may:
    /// then with what would fit.
    pub fn answer(&mut self, question: &Question) -> anyhow::Result<Answer> {
        let (solver, pool) = (&mut self.solver, &self.pool);
        let control = interrupt::control();
        let answer = Progress::during(control, pool.current_num_threads(), self.quiet, |_| {
            pool.install(|| question.answer(solver, control))
        });
        answer.map_err(|error| match error {
            AskError::Memory(lack) => Error::new(ErrorKind::Environment, Advice(lack)).into(),
            other => Error::from(other).into(),
        })
    }

    /// The same, if anything is known of the position.
    ///
    /// # Errors
    /// As for [`Engine::answer`], or if nothing is.
    pub fn known_answer(&mut self, tables: &Tables, question: &Question) -> anyhow::Result<Answer> {
        let answer = self.answer(question)?;
        let is_known = |m: &MoveEval| {
            matches!(m.origin, Origin::Table | Origin::Published | Origin::Solved | Origin::Proof { .. })
        };
        let known = answer.moves.iter().any(is_known);
        match &answer.origin {
            // What rules something out is an answer; what only the rules know is none.
            Origin::Unknown(unknown) if answer.ruled_out.is_nothing() && !known => {
                Err(missing_data(folder::nothing_known(tables, &self.solver.rules(), unknown)).into())
            }
            _ => Ok(answer),
        }
    }
}

/// What is too much about a question, and the options that would help.
#[derive(Debug)]
struct Advice(NotEnoughMemory);

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NotEnoughMemory { asked, full, limit, fits } = &self.0;
        let what =
            if *full { "the full solution".to_owned() } else { format!("searching {} plies", asked.plies) };
        let (need, limit, boards) = (bytes(asked.bytes), bytes(*limit), thousands(asked.boards));
        writeln!(f, "{what} takes {need} of memory ({boards} boards), but the limit is {limit}")?;
        let more = match size_option(asked.bytes) {
            Some(size) => format!("raise the limit with --memory {size}"),
            None => "no machine has that much".to_owned(),
        };
        match fits {
            Some(fits) => {
                let (plies, takes) = (fits.plies, bytes(fits.bytes));
                write!(
                    f,
                    "  --depth {plies} would fit ({takes}) and finds wins and losses within {plies} \
                     plies;\n  otherwise, {more}"
                )
            }
            None => write!(f, "  {more}"),
        }
    }
}

/// The size to write after `--memory` for `bytes` bytes; none if no machine has that much.
fn size_option(bytes: u64) -> Option<String> {
    const MEGA: u64 = 1_000_000;
    match bytes.div_ceil(MEGA) {
        mega @ ..10_000 => Some(format!("{mega}M")),
        mega @ ..20_000_000 => Some(format!("{}G", mega.div_ceil(1000))),
        _ => None,
    }
}

impl std::error::Error for Advice {}

/// A pool of `threads` threads.
///
/// # Errors
/// If the system gives no threads.
pub fn pool(threads: NonZeroUsize) -> anyhow::Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    pool.with_context(|| format!("starting {threads} threads: try fewer with --threads"))
}
