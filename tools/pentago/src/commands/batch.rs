//! `pentago solve --batch` and `pentago query --batch`: positions from standard input, one JSON
//! object a line.
//!
//! One thread reads; others solve small positions, each with a solver of its own in a single
//! thread; the main thread writes the answers in the order of the lines. It solves the large ones
//! itself when their turn has come, with all threads, so that two of them never take memory at the
//! same time. How far reading runs ahead of writing is bounded.
//!
//! The other threads aren't joined: when the main thread has written the last answer, or can't
//! write any more, they end with the process, even while they wait for input.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use pentago::answer::{Answer, Request};
use pentago::ask::{Question, Stored};
use pentago::kernel::Kernel;
use pentago::probe::Tables;
use pentago::rules::{Position, Rules};
use pentago::solve::RootedSolver;
use pentago::{Error, ErrorKind};
use pentago_report::Report;

use crate::args::SolverArgs;
use crate::engine::Engine;
use crate::interrupt;
use crate::lines::{Line, lines, refusal};

/// Positions with more boards than this below them are solved with all threads.
const MOST_BOARDS: u128 = 1_000_000;
/// Lines that are read ahead for each thread.
const AHEAD: usize = 64;

/// What is the same for all lines.
#[derive(Clone)]
struct Job {
    rules: Rules,
    kernel: Kernel,
    request: Request,
    look: Look,
    /// Bytes for the solver of one thread.
    memory: u64,
}

/// Tables to look in first.
#[derive(Clone)]
pub struct Look {
    /// The tables.
    pub tables: Arc<Tables>,
    /// They are asked about every position, and each value comes with its source; otherwise only
    /// about positions that the openings may hold.
    pub always: bool,
}

impl Look {
    fn stored(&self) -> Stored<'_> {
        if self.always { Stored::Tables(&self.tables) } else { Stored::Openings(&self.tables) }
    }
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
pub fn run(rules: Rules, request: &Request, args: &SolverArgs, look: Look) -> anyhow::Result<()> {
    let threads = args.threads().get();
    let mut engine = Engine::new(rules, args)?;
    // One share more than threads: large positions need some, too.
    let memory = engine.solver().memory() / (threads as u64 + 1);
    let job = Job { rules, kernel: args.kernel(), request: *request, look, memory };
    let (to_solve, lines) = sync_channel(threads * AHEAD);
    let (to_write, replies) = sync_channel(threads * AHEAD);
    let lines = Arc::new(Mutex::new(lines));
    for _ in 0..threads {
        let lines = Arc::clone(&lines);
        let job = job.clone();
        std::thread::spawn(move || job.answer_lines(&lines));
    }
    std::thread::spawn(move || read(&to_solve, &to_write));
    write(&job, &mut engine, replies)
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
fn write(job: &Job, engine: &mut Engine, replies: Receiver<Receiver<Reply>>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for reply in replies {
        let text = match reply.recv().context("a worker thread has failed")? {
            Reply::Text(text) => text,
            Reply::Large { number, position } => job.answer_large(engine, number, &position)?,
            Reply::Stopped(error) => return Err(error.into()),
            Reply::Unread(error) => return Err(error).context("reading standard input"),
        };
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}

impl Job {
    /// Answers lines until there are no more.
    fn answer_lines(self, tasks: &Mutex<Receiver<Task>>) {
        let mut solver = RootedSolver::new(self.rules, self.kernel, NonZeroUsize::MIN, self.memory);
        loop {
            let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Task { line, reply: to }) = task else { return };
            let number = line.number;
            let reply = self.answer_line(&mut solver, &line);
            let reply = reply.unwrap_or_else(|error| Reply::Text(refusal(number, &error)));
            // The writer may have gone.
            let _ = to.send(reply);
        }
    }

    fn answer_line(&self, solver: &mut RootedSolver, line: &Line) -> anyhow::Result<Reply> {
        let (number, position) = (line.number, self.rules.parse_position(line.text()?)?);
        let began = Instant::now();
        let question = Question::new(&position, &self.request).with(self.look.stored());
        let answer = question.quick_answer(solver, interrupt::control(), MOST_BOARDS);
        match answer.map_err(Error::from) {
            Ok(Some(answer)) => Ok(Reply::Text(self.json(&position, &answer, began))),
            Ok(None) => Ok(Reply::Large { number, position }),
            Err(error) if error.kind() == ErrorKind::Cancelled => Ok(Reply::Stopped(error)),
            Err(error) => Err(error.into()),
        }
    }

    fn json(&self, position: &Position, answer: &Answer, began: Instant) -> String {
        let (time, origins) = (began.elapsed(), self.look.always);
        let report = Report::new(&self.rules, position, &self.request, answer, time, self.kernel, origins);
        serde_json::to_string(&report).expect("plain data becomes JSON")
    }

    /// Answers with all threads.
    fn answer_large(
        &self,
        engine: &mut Engine,
        number: usize,
        position: &Position,
    ) -> anyhow::Result<String> {
        let began = Instant::now();
        let question = Question::new(position, &self.request).with(self.look.stored());
        let answer = match self.look.always {
            true => engine.known_answer(&self.look.tables, &question),
            false => engine.answer(&question),
        };
        match answer {
            Ok(answer) => Ok(self.json(position, &answer, began)),
            Err(error) if error.chain().find_map(ErrorKind::of) == Some(ErrorKind::Cancelled) => Err(error),
            Err(error) => Ok(refusal(number, &error)),
        }
    }
}
