//! `pentago play`: a game of people against the program, in a terminal or through a pipe.
//!
//! | file | purpose |
//! |---|---|
//! | this file | the session: the players, the commands, the display |
//! | `files` | saved games |

pub mod files;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::pentago::rules::MAX_TEXT;
use ::pentago::{ErrorKind, ParseError};
use anyhow::Context;
use clap::Args;
use pentago_base::{counted, visible};
use pentago_games::{
    Answer, Game, Position, ProofCache, Question, Record, SearchContext, Tablebase, Thought,
};

use crate::exit::bad_input;
use crate::options::{GameArg, SolverArgs, seconds};
use crate::output::{note, shown_message, shown_path, stdout};
use crate::picture::Symbols;
use crate::{engine, folder, input, interrupt, text};

/// Play against the program in the terminal
///
/// Type a move such as c4/2+ (a marble on c4, then quadrant 2 turns clockwise), or a command: help,
/// undo, hint, moves, value, board, save FILE, load FILE, resign, quit. The program plays perfectly
/// with up to 5 marbles (by the published values), if tables hold the position, or if it can solve
/// the position in time; otherwise it searches a few plies deep. The program plays all seats that
/// no person takes. The seats of Pentago XL are a, b, c and d.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago play --side o --time 2
  pentago play --rules xl:seats=4,mode=2v2 --side ac
  pentago play --rules pente")]
pub struct Play {
    /// Seats that people take: letters such as x or ac, all, or none [default: the first seat]
    #[arg(long, value_name = "SEATS")]
    side: Option<String>,

    /// Position to start from: rows from the top, quoted [default: the empty board]
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,

    /// Approximate time for each move of the program
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    time: Duration,

    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it
    /// has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    rules: GameArg,

    #[command(flatten)]
    solver: SolverArgs,
}

const HELP: &str = "  hint       the move that the program would play for you
  moves      all moves with their values, as far as the program can tell
  value      what the position is worth, as far as the program can tell
  undo       take back your last move
  board      show the board
  save FILE  save the game
  load FILE  continue a saved game
  resign     give up the game
  quit       leave";

impl Play {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let tables = folder::with_openings(self.tables.as_deref())?;
        let game = self.rules.rules.clone();
        let start = match self.position.as_deref() {
            Some(text) => game.read(text)?,
            None => game.start(),
        };
        let seats = game.board().seats();
        let session = Session {
            people: people(self.side.as_deref().unwrap_or(&seats[..1]), &seats)?,
            record: Record::new(game, start),
            tables,
            kept: Arc::default(),
            pool: engine::pool(self.solver.threads())?,
            time: self.time,
            resigned: String::new(),
            args: self.solver,
            echo: !io::stdin().is_terminal(),
            symbols: Symbols::of_stdout(),
            out: stdout(),
        };
        session.run(&mut io::stdin().lock())
    }
}

/// Parses the seats that people take. `seats` contains the letters of all seats of the game.
fn people(text: &str, seats: &str) -> anyhow::Result<String> {
    match text {
        "all" => return Ok(seats.to_owned()),
        "none" => return Ok(String::new()),
        _ => {}
    }
    let index = |letter: char| {
        // In every game of two seats, x and o are accepted too.
        seats.find(letter).or_else(|| "xo".find(letter).filter(|_| seats == "ab")).ok_or_else(|| {
            let letters = seats.chars().map(String::from).collect::<Vec<_>>().join(" ");
            bad_input(format!("--side {text}: the seats of this game are {letters}, or all, or none"))
        })
    };
    let letters = text.chars().filter(|&c| c != ',').map(|c| c.to_ascii_lowercase());
    let chosen = letters.map(index).collect::<anyhow::Result<Vec<usize>>>()?;
    if chosen.is_empty() {
        return Err(bad_input("--side: expected letters of seats, or all, or none"));
    }
    Ok(seats.char_indices().filter(|(i, _)| chosen.contains(i)).map(|(_, c)| c).collect())
}

/// A session, in which several games may be played one after the other.
struct Session<W: Write> {
    record: Record,
    /// The letters of the seats that people take.
    people: String,
    tables: Tablebase,
    /// The results of earlier proofs.
    kept: Arc<ProofCache>,
    pool: rayon::ThreadPool,
    args: SolverArgs,
    time: Duration,
    /// The letters of the people who resigned in a game that goes on without them.
    resigned: String,
    /// `true` if standard input is not a terminal. The session then prints its input.
    echo: bool,
    symbols: Symbols,
    out: W,
}

impl<W: Write> Session<W> {
    fn run(mut self, input: &mut impl BufRead) -> anyhow::Result<()> {
        self.greet()?;
        self.show()?;
        loop {
            let over = self.over().is_some();
            if over && self.people.is_empty() {
                // No person is left to type a command, so end the session.
                return Ok(());
            }
            if !over && !self.is_person(self.to_move()) {
                self.reply()?;
                continue;
            }
            let seat = Some(self.to_move()).filter(|&seat| self.is_person(seat));
            match seat.or_else(|| self.people.chars().find(|&seat| self.is_person(seat))) {
                Some(seat) => write!(self.out, "{seat}> ")?,
                None => write!(self.out, "> ")?,
            }
            self.out.flush()?;
            let line = input::line(input, MAX_TEXT).context("reading standard input")?;
            let Some(line) = line else {
                return Ok(writeln!(self.out, "\nBye.")?);
            };
            let line = String::from_utf8_lossy(&line);
            if self.echo {
                writeln!(self.out, "{}", line.trim().chars().map(visible).collect::<String>())?;
            }
            if !self.obey(line.trim()).or_else(|error| self.survive(error))? {
                return Ok(writeln!(self.out, "Bye.")?);
            }
        }
    }

    /// Writes which seats people take, and how to type a move.
    fn greet(&mut self) -> anyhow::Result<()> {
        if self.people.is_empty() {
            return Ok(writeln!(self.out, "The program plays all seats.")?);
        }
        let listed = |seats: String| seats.chars().map(String::from).collect::<Vec<_>>().join(" and ");
        write!(self.out, "You are {}", listed(self.people.clone()))?;
        let board = self.record.game().board();
        let with: String = self.people.chars().map(|seat| board.team(seat)).collect();
        let is_partner = |&seat: &char| with.contains(seat) && !self.people.contains(seat);
        let partners: String = board.seats().chars().filter(is_partner).collect();
        if !partners.is_empty() {
            write!(self.out, ", together with {}", listed(partners))?;
        }
        Ok(writeln!(self.out, ". Type a move such as {}, or help.", self.record.game().example())?)
    }

    /// Returns `true` if a person takes this seat and has not resigned.
    fn is_person(&self, seat: char) -> bool {
        self.people.contains(seat) && !self.resigned.contains(seat)
    }

    fn all_resigned(&self) -> bool {
        !self.resigned.is_empty() && !self.people.chars().any(|seat| self.is_person(seat))
    }

    /// Returns the outcome of the game in words, or `None` if the game is not over.
    fn over(&self) -> Option<String> {
        if self.all_resigned() {
            return Some("all people have resigned".to_owned());
        }
        self.record.over().map(|over| over.words.clone())
    }

    /// Runs a line of input: a command or a move. Returns `false` if the session ends.
    fn obey(&mut self, line: &str) -> anyhow::Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (rest, word) = (rest.trim(), word.to_ascii_lowercase());
        let file = Path::new(rest);
        match word.as_str() {
            "" => {}
            word if !rest.is_empty() && HELP.contains(&format!("  {word}  ")) => {
                writeln!(self.out, "{word} stands alone: leave out {rest}.")?;
            }
            "quit" | "exit" => return Ok(false),
            "help" | "?" => writeln!(self.out, "{}\n{HELP}", self.record.game().help())?,
            "board" => self.show()?,
            "undo" => self.undo()?,
            "hint" | "moves" | "value" | "resign" if self.over().is_some() => self.show_outcome()?,
            "hint" => {
                let Thought { mv, says } = self.think()?;
                writeln!(self.out, "Try {mv} ({says}).")?;
            }
            "moves" => {
                let answer = self.judge()?;
                text::moves(&mut self.out, &answer.moves)?;
                if let Some(open) = answer.open_moves() {
                    writeln!(self.out, "unknown: {open}")?;
                }
            }
            "value" => {
                // Omit the cost of the full solution, which does not help a player.
                let answer = Answer { full: None, ..self.judge()? };
                text::value(&mut self.out, &answer)?;
            }
            "resign" => self.resign()?,
            "save" | "load" if matches!(rest, "" | "-") => {
                writeln!(self.out, "The name of a file is missing: {word} FILE")?;
            }
            "save" => match files::save(file, &self.record) {
                Ok(()) => writeln!(self.out, "Saved {}.", shown_path(file))?,
                Err(error) => writeln!(self.out, "{}", shown_message(&format!("{error:#}")))?,
            },
            "load" => match files::load(None, file, false) {
                Ok(record) => self.take(record)?,
                Err(error) => writeln!(self.out, "{}", shown_message(&format!("{error:#}")))?,
            },
            _ => self.play(line)?,
        }
        Ok(true)
    }

    /// Writes an error, after which the session continues. Returns the error if the session can't
    /// continue, because Ctrl-C was pressed or the output failed.
    fn survive(&mut self, error: anyhow::Error) -> anyhow::Result<bool> {
        let failed = error.downcast_ref::<::pentago::Error>();
        if failed.is_none_or(|failed| failed.kind() == ErrorKind::Cancelled) {
            return Err(error);
        }
        writeln!(self.out, "{error}")?;
        Ok(true)
    }

    /// Plays a person's move.
    fn play(&mut self, line: &str) -> anyhow::Result<()> {
        // A word of three or more letters can't be a move, so it is a mistyped command.
        if line.len() > 2 && line.chars().all(|c| c.is_ascii_alphabetic()) {
            return Ok(writeln!(self.out, "Unknown command {line}: try help.")?);
        }
        if self.all_resigned() {
            return self.show_outcome();
        }
        match self.record.play(line) {
            Ok(()) => self.show(),
            Err(error) if error.downcast_ref::<ParseError>().is_some() => Ok(writeln!(self.out, "{error}")?),
            Err(error) => Ok(writeln!(self.out, "Illegal move: {error}.")?),
        }
    }

    /// Lets the person to move resign, which ends the game. In a game of more than two sides, the
    /// program takes over the seat instead.
    fn resign(&mut self) -> anyhow::Result<()> {
        let seat = self.to_move();
        if !self.record.resign() {
            self.resigned.push(seat);
            if !self.all_resigned() {
                return Ok(writeln!(self.out, "{seat} resigns: the program plays on for {seat}.")?);
            }
        }
        writeln!(self.out, "{seat} resigns.")?;
        self.show_outcome()
    }

    /// Takes back the last move of a person and all later moves.
    fn undo(&mut self) -> anyhow::Result<()> {
        if self.record.ended_early() {
            self.record.take_back();
            return self.show();
        }
        if self.all_resigned() {
            self.resigned.pop();
            return self.show();
        }
        let movers = self.record.movers();
        let Some(back_to) = movers.iter().rposition(|&seat| self.is_person(seat)) else {
            return Ok(writeln!(self.out, "You have no move to take back.")?);
        };
        (back_to..movers.len()).for_each(|_| self.record.take_back());
        self.show()
    }

    /// Makes the program's move.
    fn reply(&mut self) -> anyhow::Result<()> {
        let seat = self.to_move();
        let Thought { mv, says } = self.think().or_else(|error| {
            self.survive(error)?;
            let mv = self.record.game().moves(self.record.position()).swap_remove(0);
            anyhow::Ok(Thought { mv, says: "the first legal move".to_owned() })
        })?;
        writeln!(self.out, "{seat}> {mv}  ({says})")?;
        self.record.play(&mv)?;
        self.show()
    }

    fn think(&mut self) -> anyhow::Result<Thought> {
        self.out.flush()?;
        if io::stderr().is_terminal() {
            note("thinking...");
        }
        self.ask(|game, position, question, context| game.think(position, question, context))
    }

    /// Returns the value of the position and its moves, as far as the program finds them in time.
    fn judge(&mut self) -> anyhow::Result<Answer> {
        self.ask(|game, position, question, context| game.judge(position, question, context))
    }

    /// Asks the game a question about the current position, with all threads.
    fn ask<T: Send>(
        &self,
        ask: impl FnOnce(&dyn Game, &Position, &Question, &SearchContext) -> pentago_games::Result<T> + Send,
    ) -> anyhow::Result<T> {
        let question = Question { time: Some(self.time), ..Question::default() };
        let context = self.args.context(interrupt::control());
        let context = SearchContext { tables: Some(&self.tables), kept: Some(&self.kept), ..context };
        let (game, position) = (&**self.record.game(), self.record.position());
        let answer = self.pool.install(|| ask(game, position, &question, &context));
        answer.map_err(|error| engine::with_advice(error, |_| None))
    }

    /// Returns the letter of the seat to move.
    fn to_move(&self) -> char {
        self.record.position().to_move
    }

    /// Continues a loaded game. If the letters of the seats change, each person keeps the same
    /// index in the turn order.
    fn take(&mut self, record: Record) -> anyhow::Result<()> {
        let [before, now] = [&self.record, &record].map(|record| record.game().board().seats());
        if before != now && !self.people.is_empty() {
            let was_person = |i| before.chars().nth(i).is_some_and(|seat| self.people.contains(seat));
            let kept: String =
                now.char_indices().filter(|&(i, _)| was_person(i)).map(|(_, seat)| seat).collect();
            self.people = if kept.is_empty() { now[..1].to_owned() } else { kept };
        }
        (self.record, self.resigned) = (record, String::new());
        let (moves, rules) = (self.record.moves().len() as u64, self.record.game().rules());
        writeln!(self.out, "Loaded {}, rules {rules}.", counted(moves, "move"))?;
        self.show()
    }

    /// Shows the board, and the result if there is one.
    fn show(&mut self) -> anyhow::Result<()> {
        let board =
            self.symbols.board(&**self.record.game(), self.record.position(), self.record.last_marble());
        write!(self.out, "\n{board}\n")?;
        self.show_outcome()
    }

    fn show_outcome(&mut self) -> anyhow::Result<()> {
        if let Some(over) = self.over() {
            writeln!(self.out, "The game is over: {over}.")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::people;

    #[test]
    fn people_take_seats_of_the_game() {
        let of = |text: &str, seats: &str| people(text, seats).unwrap();
        assert_eq!(of("o", "xo"), "o");
        assert_eq!(of("O,x", "xo"), "xo");
        assert_eq!(of("x", "ab"), "a");
        assert_eq!(of("d,b", "abcd"), "bd");
        assert_eq!(of("all", "abc"), "abc");
        assert_eq!(of("none", "abc"), "");
        for (text, seats) in [("c", "ab"), ("x", "abc"), ("", "xo"), (",", "xo"), ("x o", "xo")] {
            assert!(people(text, seats).is_err(), "{text} {seats}");
        }
    }
}
