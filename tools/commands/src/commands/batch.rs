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

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use anyhow::Context;
use pentago::{Control, Error, ErrorKind, Stage};
use pentago_base::counted;
use pentago_games::{Answer, Game, Position, Question, SearchContext};

use crate::lines::{lines, refusal, text};
use crate::output::{note, rate};
use crate::progress::Progress;
use crate::{engine, input, output};

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
    /// `true` if the progress counts lines, so that the progress of a position isn't shown.
    shows_lines: bool,
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
    /// The line with this number can't be answered.
    Refused(usize, anyhow::Error),
    /// The position is too large for one thread, so the main thread solves it with all threads.
    Large { number: usize, position: Position },
    /// The program was stopped, or standard input can't be read.
    Failed(anyhow::Error),
}

/// Answers all lines of standard input.
///
/// # Errors
/// If the program was stopped, or standard input or output fails. If lines can't be answered, all
/// others are answered, and then the error of the first such line is returned.
pub fn run(game: &Arc<dyn Game>, question: Question, context: SearchContext<'static>) -> anyhow::Result<()> {
    let threads = context.threads.get();
    // A bar would be torn apart by answers on the same terminal.
    let total = if io::stdout().is_terminal() { None } else { positions_ahead() };
    // The bar of all lines replaces the bars of single positions.
    let shows_lines = total.is_some();
    let batch = Batch { game: game.clone(), question, context, shows_lines, memory: Arc::default() };
    let (to_solve, lines) = sync_channel(threads * AHEAD);
    let (to_write, replies) = sync_channel(threads * AHEAD);
    let lines = Arc::new(Mutex::new(lines));
    for _ in 0..threads {
        let lines = Arc::clone(&lines);
        let batch = batch.clone();
        std::thread::spawn(move || batch.answer_lines(&lines));
    }
    std::thread::spawn(move || read(&to_solve, &to_write));
    let (control, mut failures, began) = (Control::new(), Failures::default(), Instant::now());
    if let Some(total) = total {
        let mut stage = Stage::new("batch", total, 1);
        stage.unit = "positions";
        control.begin(stage);
    }
    let work = || write(&batch, replies, &control, &mut failures);
    let written = if total.is_some() { Progress::during(&control, threads, |_| work()) } else { work() };
    let per_second = match control.done() as f64 / began.elapsed().as_secs_f64().max(1e-6) {
        slow @ ..10.0 => format!("{slow:.1}"),
        fast => rate(fast),
    };
    let (positions, errors) = (counted(control.done(), "position"), counted(failures.count, "error"));
    failures.end(written, &format!("{positions}, {errors}, {per_second}/s"))
}

/// Counts the positions in the rest of standard input, and returns to the same place in it. Returns
/// `None` if standard input is not a regular file.
fn positions_ahead() -> Option<u64> {
    #[cfg(unix)]
    let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned();
    #[cfg(windows)]
    let input = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned();
    let mut input = File::from(input.ok()?);
    let begin = input.metadata().ok()?.is_file().then(|| input.stream_position())?.ok()?;
    let count = lines(BufReader::new(&input)).take_while(Result::is_ok).count();
    input.seek(SeekFrom::Start(begin)).ok()?;
    Some(count as u64)
}

/// The lines that can't be answered.
#[derive(Default)]
struct Failures {
    count: u64,
    /// The number and the error of the first of these lines.
    first: Option<(usize, anyhow::Error)>,
}

impl Failures {
    /// Counts a line, and returns its JSON object.
    fn refuse(&mut self, line: usize, error: anyhow::Error) -> String {
        let text = refusal(line, &error);
        self.count += 1;
        self.first.get_or_insert((line, error));
        text
    }

    /// Writes the last line, `summary`, and returns the result of the batch.
    fn end(self, written: anyhow::Result<()>, summary: &str) -> anyhow::Result<()> {
        match (written, self.first) {
            (Ok(()), Some((line, error))) => {
                let kind = error.chain().find_map(ErrorKind::of).unwrap_or(ErrorKind::Environment);
                let text = format!("{error:#}");
                let text = text.lines().next().unwrap_or_default();
                Err(Error::new(kind, format!("{summary}; line {line}: {text}")).into())
            }
            (written, _) => {
                let is_left = |error| output::has_kind(error, io::ErrorKind::BrokenPipe);
                if !written.as_ref().is_err_and(is_left) {
                    note(summary);
                }
                written
            }
        }
    }
}

/// Sends the lines of standard input to the workers, and the receivers of their replies to the
/// writer. Ends when the workers or the writer have ended.
fn read(to_solve: &SyncSender<Task>, to_write: &SyncSender<Receiver<Reply>>) {
    for line in lines(input::stdin()) {
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
fn write(
    batch: &Batch,
    replies: Receiver<Receiver<Reply>>,
    control: &Control,
    failures: &mut Failures,
) -> anyhow::Result<()> {
    let mut out = output::plain_stdout();
    for reply in replies {
        let text = match reply.recv().context("a worker thread has failed")? {
            Reply::Text(text) => text,
            Reply::Large { number, position } => match batch.answer_large(&position) {
                Err(error) if is_cancelled(&error) => return Err(error),
                answer => answer.unwrap_or_else(|error| failures.refuse(number, error)),
            },
            Reply::Refused(number, error) => failures.refuse(number, error),
            Reply::Failed(error) => return Err(error),
        };
        writeln!(out, "{text}")?;
        out.flush()?;
        control.add(1);
    }
    Ok(())
}

fn is_cancelled(error: &anyhow::Error) -> bool {
    error.chain().find_map(ErrorKind::of) == Some(ErrorKind::Cancelled)
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
            let reply = reply.unwrap_or_else(|error| Reply::Refused(number, error));
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
    fn answer_large(&self, position: &Position) -> anyhow::Result<String> {
        let _alone = self.memory.write().unwrap_or_else(PoisonError::into_inner);
        let answer = engine::answer(&*self.game, position, &self.question, &self.context, !self.shows_lines);
        answer.map(|answer| json(&answer))
    }
}
