//! `pentago solve --batch` and `pentago query --batch`: positions from standard input, one JSON
//! object a line.
//!
//! One thread reads; others solve small positions, each with a solver of its own in a single
//! thread; the main thread writes the answers in the order of the lines. It solves the large ones
//! itself when their turn has come, with all threads and all memory: the others wait meanwhile. How far
//! reading runs ahead of writing is bounded.
//!
//! The other threads aren't joined: when the main thread has written the last answer, or can't
//! write any more, they end with the process, even while they wait for input.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anyhow::Context;
use pentago::{Error, ErrorKind};
use pentago_games::{Answer, Game, Position, Question};

use crate::lines::{Line, lines, refusal};
use crate::options::SolverArgs;
use crate::{engine, output};

/// Lines that are read ahead for each thread.
const AHEAD: usize = 64;

/// Boards of the largest position that one thread solves alone: those with 18 or more marbles, within a
/// second. Several at a time are faster than one after the other by all threads, which have to wait for each
/// other (`bench/README.md#threads`).
const MOST_BOARDS: u64 = 200_000_000;

/// What is the same for all lines.
#[derive(Clone)]
struct Job {
    game: Arc<dyn Game>,
    /// The question with all threads and all memory.
    question: Question<'static>,
    quiet: bool,
    /// The memory: small positions share it, a large one has it alone.
    memory: Arc<RwLock<()>>,
}

/// A line to be answered, and where the answer goes.
struct Task {
    line: Line,
    reply: Sender<Reply>,
}

/// What becomes of a line.
enum Reply {
    /// The JSON to write.
    Text(String),
    /// Too large for one thread.
    Large { number: usize, position: Position },
    /// The program is being stopped.
    Stopped(Error),
    /// Standard input can't be read any further.
    Unread(io::Error),
}

/// Answers all lines of standard input.
///
/// # Errors
/// If it was stopped, or standard input or output fail. A bad line is no error.
pub fn run(game: &Arc<dyn Game>, question: Question<'static>, args: &SolverArgs) -> anyhow::Result<()> {
    let threads = question.threads;
    let job = Job { game: game.clone(), question, quiet: args.quiet, memory: Arc::default() };
    let (to_solve, lines) = sync_channel(threads * AHEAD);
    let (to_write, replies) = sync_channel(threads * AHEAD);
    let lines = Arc::new(Mutex::new(lines));
    for _ in 0..threads {
        let lines = Arc::clone(&lines);
        let job = job.clone();
        std::thread::spawn(move || job.answer_lines(&lines));
    }
    std::thread::spawn(move || read(&to_solve, &to_write));
    write(&job, replies)
}

/// Hands the lines of standard input to the threads, and the places where their answers come to the
/// writer, as long as someone is there.
fn read(to_solve: &SyncSender<Task>, to_write: &SyncSender<Receiver<Reply>>) {
    for line in lines(io::stdin().lock()) {
        let (reply, place) = channel();
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let _ = reply.send(Reply::Unread(error));
                let _ = to_write.send(place);
                return;
            }
        };
        if to_write.send(place).is_err() || to_solve.send(Task { line, reply }).is_err() {
            return;
        }
    }
}

/// Writes the answers in order, each as soon as it is there.
fn write(job: &Job, replies: Receiver<Receiver<Reply>>) -> anyhow::Result<()> {
    let mut out = output::plain_stdout();
    for reply in replies {
        let text = match reply.recv().context("a worker thread has failed")? {
            Reply::Text(text) => text,
            Reply::Large { number, position } => job.answer_large(number, &position)?,
            Reply::Stopped(error) => return Err(error.into()),
            Reply::Unread(error) => return Err(error).context("reading standard input"),
        };
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}

fn json(answer: &Answer) -> String {
    serde_json::to_string(answer).expect("plain data becomes JSON")
}

impl Job {
    /// Answers lines until there are no more.
    fn answer_lines(self, tasks: &Mutex<Receiver<Task>>) {
        let memory = self.question.memory / self.question.threads.max(1) as u64;
        let question = Question { threads: 1, memory, ..self.question };
        loop {
            let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Task { line, reply: to }) = task else { return };
            let number = line.number;
            let reply = self.answer_line(&question, &line);
            let reply = reply.unwrap_or_else(|error| Reply::Text(refusal(number, &error)));
            // The writer may have gone.
            let _ = to.send(reply);
        }
    }

    fn answer_line(&self, question: &Question, line: &Line) -> anyhow::Result<Reply> {
        let (number, position) = (line.number, self.game.read(line.text()?)?);
        let _shared = self.memory.read().unwrap_or_else(PoisonError::into_inner);
        match self.game.quick_answer(&position, question, MOST_BOARDS) {
            Ok(Some(answer)) => Ok(Reply::Text(json(&answer))),
            Ok(None) => Ok(Reply::Large { number, position }),
            Err(error) if error.kind() == ErrorKind::Cancelled => Ok(Reply::Stopped(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Answers with all threads.
    fn answer_large(&self, number: usize, position: &Position) -> anyhow::Result<String> {
        let _alone = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        match engine::answer(&*self.game, position, &self.question, self.quiet) {
            Ok(answer) => Ok(json(&answer)),
            Err(error) if error.chain().find_map(ErrorKind::of) == Some(ErrorKind::Cancelled) => Err(error),
            Err(error) => Ok(refusal(number, &error)),
        }
    }
}
