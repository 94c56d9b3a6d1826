//! Answers with the threads that compute them and their progress on standard error.

use anyhow::Context;
use pentago::{Error, ErrorKind};
use pentago_base::counted;
use pentago_games::NotEnoughMemory;
use pentago_games::{Game, Position, Question};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::output::{bytes, counted_plies, thousands};
use crate::progress::Progress;
use std::num::NonZeroUsize;

/// Answers a question about a position in as many threads as it says, with progress on standard
/// error; Ctrl-C stops it.
///
/// # Errors
/// If it was stopped; if a table is damaged or wrong; or if it takes more memory than it may: then
/// with what would fit.
pub fn answer(
    game: &dyn Game,
    position: &Position,
    question: &Question,
    quiet: bool,
) -> anyhow::Result<pentago_games::Answer> {
    let answer = during(question, quiet, |question| game.answer(position, question))?;
    answer.map_err(with_advice)
}

/// An error, for lack of memory with what would fit.
pub fn with_advice(error: Error) -> anyhow::Error {
    match error.downcast_ref::<NotEnoughMemory>() {
        Some(lack) => Error::new(ErrorKind::Environment, Advice(*lack)).into(),
        None => error.into(),
    }
}

/// Does work in as many threads as a question says, with progress on standard error.
///
/// # Errors
/// If the system gives no threads.
pub fn during<T: Send>(
    question: &Question,
    quiet: bool,
    work: impl FnOnce(&Question) -> T + Send,
) -> anyhow::Result<T> {
    let pool = pool(NonZeroUsize::new(question.threads).unwrap_or(NonZeroUsize::MIN))?;
    let (control, time) = (question.control, Some(question.time));
    Ok(Progress::within(control, question.threads, quiet, time, |_| pool.install(|| work(question))))
}

/// What is too much about a question, and the options that would help.
#[derive(Debug)]
struct Advice(NotEnoughMemory);

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NotEnoughMemory { asked, full, limit, fits } = &self.0;
        let what = match full {
            true => "the full solution".to_owned(),
            false => format!("searching {}", counted_plies(asked.plies)),
        };
        let (need, limit, boards) = (bytes(asked.bytes), bytes(*limit), thousands(asked.boards));
        writeln!(f, "{what} takes {need} of memory ({boards} boards), but the limit is {limit}")?;
        let more = match size_option(asked.bytes) {
            Some(size) => format!("raise the limit with --memory {size}"),
            None => "no machine has that much".to_owned(),
        };
        match fits {
            Some(fits) => {
                let (plies, takes) = (fits.plies, bytes(fits.bytes));
                let within = counted_plies(plies);
                write!(
                    f,
                    "  --depth {plies} would fit ({takes}) and finds wins and losses within \
                     {within};\n  otherwise, {more}"
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
    pool.with_context(|| {
        format!("starting {}: try fewer with --threads", counted(threads.get() as u64, "thread"))
    })
}
