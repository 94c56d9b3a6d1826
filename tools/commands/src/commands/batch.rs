//! `pentago solve --batch` and `pentago query --batch`: answers positions from standard input, one
//! JSON object per line.
//!
//! One thread reads lines. Worker threads solve small positions, each with a single-threaded
//! solver. The main thread writes the answers in the order of the lines. The main thread also
//! solves each large position when its line is next, with all threads and all memory, while the
//! workers wait. Reading runs ahead of writing by a bounded number of lines.
//!
//! The reader and the workers aren't joined: they end with the process once the main thread has
//! written the last answer or can't write, even while the reader waits for input.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anyhow::Context;
use pentago::ErrorKind;
use pentago_games::{Answer, Game, Position, Question, SearchContext};

use crate::lines::{lines, refusal, text};
use crate::{engine, output};

/// The number of lines, per thread, by which reading may be ahead of writing.
const AHEAD: usize = 64;

/// The largest number of boards of a position that a worker solves. Positions with 18 or more
/// marbles have fewer boards and take less than a second. Solving several positions at a time, each
/// with one thread, is faster than solving one after the other with all threads, because the
/// threads wait for each other (`bench/README.md#threads`).
const MOST_BOARDS: u64 = 200_000_000;

/// The data that all lines share.
#[derive(Clone)]
struct Batch {
    game: Arc<dyn Game>,
    question: Question,
    /// The context with all threads and all memory.
    context: SearchContext<'static>,
    quiet: bool,
    /// A lock for the memory: workers hold read locks while they solve small positions, and the
    /// main thread holds the write lock while it solves a large position.
    memory: Arc<RwLock<()>>,
}

/// The number and the text of a line to answer, and the channel for the reply.
type Task = ((usize, Vec<u8>), Sender<Reply>);

/// The result of answering one line.
enum Reply {
    /// The JSON object to write.
    Text(String),
    /// The position is too large for one thread, so the main thread solves it with all threads.
    Large { number: usize, position: Position },
    /// The program was stopped, or standard input can't be read.
    Failed(anyhow::Error),
}

/// Answers all lines of standard input.
///
/// # Errors
/// If the program was stopped, or standard input or output fails. An invalid line is not an error:
/// its answer reports what is wrong.
pub fn run(
    game: &Arc<dyn Game>,
    question: Question,
    context: SearchContext<'static>,
    quiet: bool,
) -> anyhow::Result<()> {
    let threads = context.threads.get();
    let batch = Batch { game: game.clone(), question, context, quiet, memory: Arc::default() };
    let (to_solve, lines) = sync_channel(threads * AHEAD);
    let (to_write, replies) = sync_channel(threads * AHEAD);
    let lines = Arc::new(Mutex::new(lines));
    for _ in 0..threads {
        let lines = Arc::clone(&lines);
        let batch = batch.clone();
        std::thread::spawn(move || batch.answer_lines(&lines));
    }
    std::thread::spawn(move || read(&to_solve, &to_write));
    write(&batch, replies)
}

/// Sends the lines of standard input to the workers, and the receivers of their replies to the
/// writer. Ends when the workers or the writer have ended.
fn read(to_solve: &SyncSender<Task>, to_write: &SyncSender<Receiver<Reply>>) {
    for line in lines(io::stdin().lock()) {
        let (reply, answer) = channel();
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let error = anyhow::Error::new(error).context("reading standard input");
                let _ = reply.send(Reply::Failed(error));
                let _ = to_write.send(answer);
                return;
            }
        };
        if to_write.send(answer).is_err() || to_solve.send((line, reply)).is_err() {
            return;
        }
    }
}

/// Writes the answers in the order of the lines, each as soon as possible.
fn write(batch: &Batch, replies: Receiver<Receiver<Reply>>) -> anyhow::Result<()> {
    let mut out = output::plain_stdout();
    for reply in replies {
        let text = match reply.recv().context("a worker thread has failed")? {
            Reply::Text(text) => text,
            Reply::Large { number, position } => batch.answer_large(number, &position)?,
            Reply::Failed(error) => return Err(error),
        };
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}

fn json(answer: &Answer) -> String {
    serde_json::to_string(answer).expect("plain data becomes JSON")
}

impl Batch {
    /// Answers lines until the reader has ended.
    fn answer_lines(self, tasks: &Mutex<Receiver<Task>>) {
        let memory = self.context.memory / self.context.threads.get() as u64;
        let context = SearchContext { threads: NonZeroUsize::MIN, memory, ..self.context };
        loop {
            let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(((number, line), to)) = task else { return };
            let reply = self.answer_line(&context, number, &line);
            let reply = reply.unwrap_or_else(|error| Reply::Text(refusal(number, &error)));
            // A send fails only once the writer has ended, so ignore the error.
            let _ = to.send(reply);
        }
    }

    fn answer_line(&self, context: &SearchContext, number: usize, line: &[u8]) -> anyhow::Result<Reply> {
        let position = self.game.read(text(line)?)?;
        let _shared = self.memory.read().unwrap_or_else(PoisonError::into_inner);
        match self.game.quick_answer(&position, &self.question, context, MOST_BOARDS) {
            Ok(Some(answer)) => Ok(Reply::Text(json(&answer))),
            Ok(None) => Ok(Reply::Large { number, position }),
            Err(error) if error.kind() == ErrorKind::Cancelled => Ok(Reply::Failed(error.into())),
            Err(error) => Err(error.into()),
        }
    }

    /// Answers a large position with all threads.
    fn answer_large(&self, number: usize, position: &Position) -> anyhow::Result<String> {
        let _alone = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        match engine::answer(&*self.game, position, &self.question, &self.context, self.quiet) {
            Ok(answer) => Ok(json(&answer)),
            Err(error) if error.chain().find_map(ErrorKind::of) == Some(ErrorKind::Cancelled) => Err(error),
            Err(error) => Ok(refusal(number, &error)),
        }
    }
}
