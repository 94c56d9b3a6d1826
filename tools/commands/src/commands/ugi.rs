//! `pentago ugi`: runs the program as an engine for another program, by the Universal Game
//! Interface. UGI is UCI with the command `query`, so that the other program needn't know the
//! rules.
//!
//! The main thread reads commands from standard input, one per line, while another thread searches.
//! A wrong command gets an `info string` and changes nothing.

use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use pentago::{Control, ErrorKind};
use pentago_base::{lock, visible};
use pentago_games::{Game, ProofCache, Question, Record, SearchContext, Tablebase, Thought, think_by_answer};

use crate::exit::bad_input;
use crate::options::{GameArg, SolverArgs, game, threads};
use crate::output::plain_stdout;
use crate::{engine, folder, input, interrupt};

/// The longest line of input in bytes, longer than any game.
const MOST_BYTES: usize = 1 << 16;
/// The largest number of characters of an error message.
const MOST_SHOWN: usize = 200;
/// The duration of the first search. Each later search may take twice as long as the previous one.
const FIRST_SEARCH: Duration = Duration::from_millis(50);
/// The time limit of a search that has no time limit of its own: 34 years.
const UNLIMITED: Duration = Duration::from_secs(1 << 30);
/// The number of further moves among which the remaining time of a clock is divided.
const MOVES_LEFT: u32 = 15;
/// The part of each move's time that is reserved for communication with the other program.
const LAG: Duration = Duration::from_millis(20);

/// Run as an engine for another program, by the Universal Game Interface
///
/// UGI is UCI with the commands `query gameover`, `query p1turn` and `query result`. Through UGI, a
/// tournament manager can run every game of two sides without knowing the rules. Commands: ugi,
/// isready, setoption, uginewgame, position, go, stop, query, quit. The option hash, in MiB, is the
/// memory limit; its default is --memory, or 64 if --memory is not given.
#[derive(Debug, Args)]
#[command(mut_arg("memory", |arg| arg.help("Default of the option hash, such as 500M or 8G [default: 64MiB]")))]
#[command(after_help = "\
Examples:
  pentago ugi --rules pente
  printf 'ugi\\nposition startpos moves c4/2+\\ngo movetime 500\\n' | pentago ugi")]
pub struct Ugi {
    #[command(flatten)]
    rules: GameArg,

    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it
    /// has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    solver: SolverArgs,
}

impl Ugi {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let game = self.rules.rules.clone();
        of_two_sides(&*game)?;
        let tables = Arc::new(folder::with_openings(self.tables.as_deref())?);
        let record = first_position(game);
        // The default is small, because several engines may run on one machine.
        let args = SolverArgs { memory: self.solver.memory.or(Some(64 << 20)), ..self.solver };
        Engine { record, tables, kept: Arc::default(), args }.obey(&mut io::stdin().lock())
    }
}

/// Checks that a game has two sides.
fn of_two_sides(game: &dyn Game) -> anyhow::Result<()> {
    let board = game.board();
    let first = board.seats().chars().next().unwrap_or('x');
    let others = board.others(first);
    if others.chars().next().is_none_or(|other| board.team(other) != others) {
        let message = format!("{}: UGI supports games of two sides only", game.rules());
        return Err(bad_input(message));
    }
    Ok(())
}

/// The error of the first failed write to the other program.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes a line to the other program. Stores an error in [`FAILED`], because a search has no other
/// way to report it.
fn say(text: impl Display) {
    let mut out = plain_stdout();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
        lock(&FAILED).get_or_insert(error);
    }
}

/// Returns the error of the first failed write, if there was one.
fn failure() -> anyhow::Result<()> {
    lock(&FAILED).take().map_or(Ok(()), |error| Err(error.into()))
}

/// Writes an error as one line.
fn complain(error: impl Display) {
    // The alternate format includes the causes of an error.
    let text = format!("{error:#}");
    let short = text.lines().next().unwrap_or_default().chars().take(MOST_SHOWN).map(visible);
    say(format_args!("info string error: {}", short.collect::<String>()));
}

/// The state of the engine. Each search works on a copy.
#[derive(Clone)]
struct Engine {
    record: Record,
    tables: Arc<Tablebase>,
    /// The results of earlier proofs.
    kept: Arc<ProofCache>,
    args: SolverArgs,
}

/// A running search.
struct Search {
    control: Control,
    thread: JoinHandle<()>,
    /// Set to `true` just before the search writes its best move. From then on, a command may
    /// change the engine.
    answered: Arc<AtomicBool>,
    /// `true` if only `stop` ends the search.
    is_infinite: bool,
}

/// The limit of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchLimit {
    Time(Duration),
    Depth(u32),
    /// The largest number of boards or positions to compute. The limit is checked only between
    /// searches.
    Nodes(u64),
    Infinite,
}

impl Engine {
    /// Runs commands until `quit` or the end of the input. At the end of the input, a search with a
    /// limit is completed first.
    fn obey(mut self, input: &mut impl BufRead) -> anyhow::Result<()> {
        let mut search: Option<Search> = None;
        while let Some(line) = input::line(input, MOST_BYTES).context("reading standard input")? {
            let line = String::from_utf8_lossy(&line);
            let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
            match word {
                "" => {}
                "ugi" => self.introduce(),
                "isready" => say("readyok"),
                "quit" => {
                    stop(&mut search);
                    return failure();
                }
                "stop" => stop(&mut search),
                "query" => self.query(rest.trim()),
                "uginewgame" | "position" | "setoption" | "go"
                    if search.as_ref().is_some_and(|search| !search.answered.load(Ordering::Acquire)) =>
                {
                    complain(format_args!("{word}: a search is running: stop it first"));
                }
                "uginewgame" => {
                    self.record = first_position(self.record.game().clone());
                    self.kept = Arc::default();
                }
                "position" => match self.read_position(rest) {
                    Ok(record) => self.record = record,
                    Err(error) => complain(error),
                },
                "setoption" => self.set(rest).unwrap_or_else(complain),
                "go" => match limit(rest, self.is_first_to_move()) {
                    Ok(limit) => {
                        stop(&mut search);
                        search = self.go(limit);
                    }
                    Err(error) => complain(error),
                },
                _ => complain(format_args!("{word}: unknown command")),
            }
            if let Err(error) = failure() {
                stop(&mut search);
                return Err(error);
            }
        }
        match search.take_if(|search| !search.is_infinite) {
            Some(search) => drop(search.thread.join()),
            None => stop(&mut search),
        }
        failure()
    }

    fn introduce(&self) {
        say(concat!("id name pentago ", env!("CARGO_PKG_VERSION")));
        say("id author the authors of pentago");
        say(format_args!("option name rules type string default {}", self.record.game().rules()));
        say(format_args!("option name threads type spin default {} min 1 max 4096", self.args.threads()));
        let megabytes = self.args.memory() >> 20;
        say(format_args!("option name hash type spin default {megabytes} min 1 max 16777216"));
        say("ugiok");
    }

    /// Sets an option. `text` has the form `name NAME value VALUE`.
    fn set(&mut self, text: &str) -> anyhow::Result<()> {
        let words = text.trim().strip_prefix("name ").and_then(|rest| rest.split_once(" value "));
        let (name, value) = words.ok_or_else(|| bad_input("expected setoption name NAME value VALUE"))?;
        match name.trim().to_ascii_lowercase().as_str() {
            "rules" => {
                let game = game(value.trim()).map_err(bad_input)?;
                of_two_sides(&*game)?;
                self.record = first_position(game);
            }
            "threads" => self.args.threads = Some(threads(value.trim()).map_err(bad_input)?),
            "hash" => {
                let megabytes = value.trim().parse::<u64>().ok().filter(|n| (1..=1 << 24).contains(n));
                let memory = megabytes.ok_or_else(|| bad_input("hash: expected 1 to 16777216 megabytes"))?;
                self.args.memory = Some(memory << 20);
            }
            name => return Err(bad_input(format!("{name}: the options are rules, threads and hash"))),
        }
        Ok(())
    }

    /// Parses `startpos` or `fen POSITION`, followed by `moves MOVE...`.
    fn read_position(&self, text: &str) -> anyhow::Result<Record> {
        let (start, moves) = match text.split_once("moves") {
            Some((start, moves)) => (start.trim(), moves),
            None => (text.trim(), ""),
        };
        let game = self.record.game().clone();
        let start = match start.strip_prefix("fen ") {
            Some(position) => game.read(position.trim())?,
            None if start == "startpos" => game.start(),
            None => return Err(bad_input("expected position startpos, or position fen POSITION")),
        };
        let mut record = Record::new(game, start);
        for mv in moves.split_whitespace() {
            record.play(mv).with_context(|| mv.to_owned())?;
        }
        Ok(record)
    }

    /// Returns `true` if the side of the first seat is to move.
    fn is_first_to_move(&self) -> bool {
        let board = self.record.game().board();
        let seats = board.seats();
        seats.chars().next().is_some_and(|first| board.team(first).contains(self.record.position().to_move))
    }

    fn query(&self, question: &str) {
        let over = self.record.over();
        match question {
            "gameover" => say(format_args!("response {}", over.is_some())),
            "p1turn" => say(format_args!("response {}", self.is_first_to_move())),
            "result" => {
                let first = self.record.game().board().seats().chars().next().unwrap_or('x');
                say(match over {
                    None => "response none",
                    Some(over) if over.winners.is_empty() => "response draw",
                    Some(over) if over.winners.contains(first) => "response p1win",
                    Some(_) => "response p2win",
                });
            }
            _ => complain(format_args!("query {question}: expected gameover, p1turn or result")),
        }
    }

    /// Starts a search. Returns `None` if the game is over.
    fn go(&self, limit: SearchLimit) -> Option<Search> {
        if self.record.over().is_some() {
            complain("the game is over");
            say("bestmove none");
            return None;
        }
        let control = interrupt::control().until(&pentago::Clock::none(), None);
        let answered = Arc::new(AtomicBool::new(false));
        let (engine, stop, done) = (self.clone(), control.clone(), answered.clone());
        let thread = std::thread::spawn(move || engine.search(limit, &stop, &done));
        Some(Search { control, thread, answered, is_infinite: limit == SearchLimit::Infinite })
    }

    /// Searches until the limit or until `control` is cancelled, and writes the best move. Sets
    /// `answered` just before writing the best move.
    fn search(&self, limit: SearchLimit, control: &Control, answered: &AtomicBool) {
        // If even the first search fails, because memory does not suffice, answer with the first
        // legal move.
        let first = self.record.game().moves(self.record.position()).into_iter().next();
        let mut best = first.unwrap_or_default();
        let (began, first_control) = (Instant::now(), Control::new());
        let mut report = |found: pentago_games::Result<Thought>| match found {
            Ok(Thought { mv, says }) => {
                let (time, nodes) = (began.elapsed().as_millis(), first_control.done() + control.done());
                say(format_args!("info time {time} nodes {nodes} pv {mv} string {says}"));
                best = mv;
                true
            }
            Err(error) => {
                if error.kind() != ErrorKind::Cancelled {
                    complain(error);
                }
                false
            }
        };
        // `stop` doesn't end the short first search, so that there is always a best move.
        let (mut time, depth) = match limit {
            SearchLimit::Time(time) => (FIRST_SEARCH.min(time), None),
            // The deeper search must not contradict the first search.
            SearchLimit::Depth(depth) => (FIRST_SEARCH, Some(depth.min(1))),
            SearchLimit::Nodes(nodes) => {
                (FIRST_SEARCH.min(Duration::from_nanos(nodes.saturating_mul(50))), None)
            }
            SearchLimit::Infinite => (FIRST_SEARCH, None),
        };
        let mut goes_on = report(self.think(time, depth, &first_control));
        match limit {
            SearchLimit::Time(time) => {
                let left = time.saturating_sub(began.elapsed());
                if goes_on && !left.is_zero() {
                    report(self.think(left, None, control));
                }
            }
            SearchLimit::Depth(depth) => {
                report(self.think(UNLIMITED, Some(depth), control));
            }
            SearchLimit::Nodes(_) | SearchLimit::Infinite => {
                let most = if let SearchLimit::Nodes(nodes) = limit { nodes } else { u64::MAX };
                let counted = control.done();
                // A search that ends long before its time limit has decided the position, so stop
                // searching then.
                while goes_on && began.elapsed() >= time / 2 {
                    time = (2 * time).min(UNLIMITED);
                    goes_on = first_control.done() + control.done() - counted < most
                        && report(self.think(time, None, control));
                }
                while limit == SearchLimit::Infinite && !control.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        }
        answered.store(true, Ordering::Release);
        say(format_args!("bestmove {best}"));
    }

    /// Runs one search. If `depth` is given, searches all moves to that depth.
    fn think(&self, time: Duration, depth: Option<u32>, control: &Control) -> pentago_games::Result<Thought> {
        let question = Question { time: Some(time), depth, ..Question::default() };
        let context = self.args.context(control);
        let context = SearchContext { tables: Some(&self.tables), kept: Some(&self.kept), ..context };
        let pool = engine::pool(self.args.threads())
            .map_err(|error| pentago::Error::new(ErrorKind::Environment, format!("{error:#}")))?;
        let (game, position) = (&**self.record.game(), self.record.position());
        pool.install(|| match depth {
            None => game.think(position, &question, &context),
            Some(_) => think_by_answer(game, position, &question, &context),
        })
    }
}

/// Returns the record of a game without moves.
fn first_position(game: Arc<dyn Game>) -> Record {
    let start = game.start();
    Record::new(game, start)
}

/// Stops a search, which then writes its best move.
fn stop(search: &mut Option<Search>) {
    if let Some(search) = search.take() {
        search.control.cancel();
        // If the search panicked, the message is already on standard error, so ignore the panic
        // here.
        let _ = search.thread.join();
    }
}

/// Parses the limit of a search. `first` is `true` if the side of the first seat is to move.
fn limit(text: &str, first: bool) -> anyhow::Result<SearchLimit> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |name: &str| -> anyhow::Result<Option<u64>> {
        let Some(at) = words.iter().position(|word| *word == name) else { return Ok(None) };
        let value = words.get(at + 1).and_then(|word| word.parse().ok());
        Ok(Some(value.ok_or_else(|| bad_input(format!("go {name}: expected a number from 0")))?))
    };
    if let Some(time) = number("movetime")? {
        return Ok(SearchLimit::Time(Duration::from_millis(time).saturating_sub(LAG)));
    }
    if let Some(depth) = number("depth")? {
        return Ok(SearchLimit::Depth(u32::try_from(depth.max(1)).unwrap_or(u32::MAX)));
    }
    if let Some(nodes) = number("nodes")? {
        return Ok(SearchLimit::Nodes(nodes));
    }
    let (left, more) = if first { ("p1time", "p1inc") } else { ("p2time", "p2inc") };
    if let Some(left) = number(left)? {
        let (left, more) = (Duration::from_millis(left), Duration::from_millis(number(more)?.unwrap_or(0)));
        let time = (left / MOVES_LEFT + more).min(left / 2);
        return Ok(SearchLimit::Time(time.saturating_sub(LAG)));
    }
    match words.first() {
        None | Some(&"infinite") => Ok(SearchLimit::Infinite),
        _ => Err(bad_input("go: expected movetime, depth, nodes, p1time and p2time, or infinite")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let ms = |ms| SearchLimit::Time(Duration::from_millis(ms));
        for (text, first, expected) in [
            ("movetime 520", true, ms(500)),
            ("movetime 5", true, ms(0)),
            ("depth 4", true, SearchLimit::Depth(4)),
            ("nodes 1000", false, SearchLimit::Nodes(1000)),
            ("infinite", true, SearchLimit::Infinite),
            ("", true, SearchLimit::Infinite),
            ("p1time 15000 p2time 3000 p1inc 100 p2inc 0", true, ms(1080)),
            ("p1time 15000 p2time 3000 p1inc 100 p2inc 0", false, ms(180)),
            ("p1time 100 p2time 3000 p1inc 5000", true, ms(30)),
        ] {
            assert_eq!(limit(text, first).expect("a limit"), expected, "{text}");
        }
        for wrong in ["movetime", "movetime x", "depth -1", "forever", "p1time 99999999999999999999"] {
            assert!(limit(wrong, true).is_err(), "{wrong}");
        }
    }
}
