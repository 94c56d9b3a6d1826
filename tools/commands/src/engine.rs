//! Runs the solver on several threads, and shows its progress on standard error.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread::Builder;
use std::time::Duration;

use anyhow::Context;
use pentago::{Error, ErrorKind, Estimate};
use pentago_base::{counted, lock};
use pentago_games::{Game, NotEnoughMemory, Position, Question, SearchContext};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::output::{bytes, counted_plies, thousands};
use crate::progress::Progress;
use crate::verdict::option;

/// Answers a question about a position with `context.threads` threads, and shows the progress on
/// standard error if `shown`. Ctrl-C stops the answer.
///
/// # Errors
/// If the computation was stopped, if a table is damaged or wrong, or if the memory limit doesn't
/// suffice. An error about the memory limit suggests options that would help.
pub fn answer(
    game: &dyn Game,
    position: &Position,
    question: &Question,
    context: &SearchContext,
    shown: bool,
) -> anyhow::Result<pentago_games::Answer> {
    let answer = during(question, context, shown, || game.answer(position, question, context))?;
    answer.map_err(|error| with_advice(error, |_| None))
}

/// Converts an error. If a question needs too much memory, the text also suggests an option. `less`
/// returns another suggestion. Its argument is the cost of the deepest search that fits in memory,
/// if any.
pub fn with_advice(error: Error, less: impl FnOnce(Option<Estimate>) -> Option<String>) -> anyhow::Error {
    let Some(&NotEnoughMemory { asked, full, limit, fits }) = error.downcast_ref() else {
        return error.into();
    };
    let what = match full {
        true => "the full solution".to_owned(),
        false => format!("searching {}", counted_plies(asked.plies)),
    };
    let (need, limit, boards) = (bytes(asked.bytes), bytes(limit), thousands(asked.boards));
    let more = match size_option(asked.bytes) {
        Some(size) => format!("raise the limit with --memory {size}"),
        None => "no machine has that much".to_owned(),
    };
    let advice = match less(fits) {
        Some(less) => format!("{less};\n  otherwise, {more}"),
        None => more,
    };
    let text =
        format!("{what} takes {need} of memory ({boards} boards), but the limit is {limit}\n  {advice}");
    Error::new(ErrorKind::Environment, text).into()
}

/// Returns the value of `--memory` for `bytes` bytes, or `None` if no machine has that much memory.
pub fn size_option(bytes: u64) -> Option<String> {
    (bytes < 20_000_000_000_000).then(|| option(bytes))
}

/// Runs `work` with `context.threads` threads, and shows the progress on standard error if
/// `shown`.
///
/// # Errors
/// If the threads can't be started.
pub fn during<T: Send>(
    question: &Question,
    context: &SearchContext,
    shown: bool,
    work: impl FnOnce() -> T + Send,
) -> anyhow::Result<T> {
    let pool = pool(context.threads)?;
    let threads = context.threads.get();
    if !shown {
        return Ok(pool.install(work));
    }
    Ok(Progress::with(context.control, threads, question.time, None, |_| pool.install(work)))
}

/// Starts a pool of `threads` threads.
///
/// # Errors
/// If the threads can't be started.
pub fn pool(threads: NonZeroUsize) -> anyhow::Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    pool.with_context(|| {
        format!("starting {}: try fewer with --threads", counted(threads.get() as u64, "thread"))
    })
}

/// Checks that `count` more threads can run at the same time.
///
/// # Errors
/// If the system refuses one of the threads.
pub fn check_threads(count: NonZeroUsize) -> io::Result<()> {
    let gate = &Mutex::new(());
    std::thread::scope(|scope| {
        let _closed = lock(gate);
        (0..count.get()).try_for_each(|_| Builder::new().spawn_scoped(scope, || drop(lock(gate))).map(drop))
    })?;
    // The system counts a thread for a moment after its end.
    std::thread::sleep(Duration::from_millis(5));
    Ok(())
}
