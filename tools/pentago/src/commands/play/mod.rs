//! `pentago play`: a person against the solver, in the terminal or through a pipe.

mod game;
mod opponent;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use pentago::answer::{Answer, Value};
use pentago::rules::{Color, MAX_TEXT};

use self::game::Game;
use self::opponent::{Thought, think};
use super::solve::seconds;
use crate::args::{RulesArg, SolverArgs};
use crate::engine::Engine;
use crate::output::note;
use crate::picture::Look;
use crate::{input, text};

/// Play against the solver
///
/// Type a move such as c4/2+ (a marble on c4, then block 2 clockwise), or a command: help, undo,
/// hint, moves, board, save FILE, load FILE, quit. The solver plays exactly where it can find the
/// value in its time; elsewhere it looks a few plies ahead.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago play --side o --time 2")]
pub struct Play {
    /// Your side: x begins
    #[arg(long, value_enum, default_value = "x")]
    side: Side,

    /// Where the game starts: quoted rows from the top [default: the empty board]
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,

    /// Time for each move of the solver, about
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    time: Duration,

    #[command(flatten)]
    rules: RulesArg,

    #[command(flatten)]
    solver: SolverArgs,
}

/// A side as an option says it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Side {
    X,
    O,
}

const HELP: &str =
    "  c4/2+      a marble on c4, then block 2 (of 1 2 above 3 4) clockwise; - is counter-clockwise
  c4         a placement that ends the game
  hint       the move that the solver would make for you
  moves      every move, with its value as far as the solver sees
  undo       take back your last move
  board      show the board
  save FILE  save the game
  load FILE  go on with a saved game
  quit       leave";

impl Play {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = self.rules.rules;
        let start = match &self.position {
            Some(text) => rules.parse_position(text)?,
            None => rules.start(),
        };
        // Thinking takes seconds and many small solutions: nobody wants to read about each.
        let args = SolverArgs { quiet: true, ..self.solver.clone() };
        let session = Session {
            game: Game::new(rules, start),
            side: match self.side {
                Side::X => Color::X,
                Side::O => Color::O,
            },
            engine: Engine::new(rules, &args)?,
            args,
            time: self.time,
            say_thinking: !self.solver.quiet && io::stderr().is_terminal(),
            echo: !io::stdin().is_terminal(),
            look: Look::of_stdout(),
            out: anstream::stdout().lock(),
        };
        session.run(&mut io::stdin().lock())
    }
}

/// A session: one game after the other, as they are loaded.
struct Session<W: Write> {
    game: Game,
    side: Color,
    engine: Engine,
    args: SolverArgs,
    time: Duration,
    say_thinking: bool,
    /// The input isn't seen on the screen: show it.
    echo: bool,
    look: Look,
    out: W,
}

/// What comes after a line of input.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

impl<W: Write> Session<W> {
    fn run(mut self, input: &mut impl BufRead) -> anyhow::Result<()> {
        let side = self.side.letter();
        writeln!(self.out, "You are {side}. Type a move such as c4/2+, or help.")?;
        self.show()?;
        loop {
            let open = self.game.outcome().is_none();
            if open && self.game.position().to_move() != self.side {
                self.reply()?;
                continue;
            }
            write!(self.out, "{side}> ")?;
            self.out.flush()?;
            let line = input::line(input, MAX_TEXT).context("reading standard input")?;
            let Some(line) = line else {
                writeln!(self.out, "\nBye.")?;
                return Ok(());
            };
            let line = String::from_utf8_lossy(&line);
            if self.echo {
                writeln!(self.out, "{}", line.trim().escape_debug())?;
            }
            if self.obey(line.trim())? == Next::Leave {
                writeln!(self.out, "Bye.")?;
                return Ok(());
            }
        }
    }

    /// Does what a line of input says.
    fn obey(&mut self, line: &str) -> anyhow::Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let file = Path::new(rest.trim());
        match word.to_ascii_lowercase().as_str() {
            "" => {}
            "quit" | "exit" => return Ok(Next::Leave),
            "help" | "?" => writeln!(self.out, "{HELP}")?,
            "board" => self.show()?,
            "undo" => match self.game.undo(self.side) {
                0 => writeln!(self.out, "There is no move of yours to take back.")?,
                _ => self.show()?,
            },
            "hint" | "moves" if self.game.outcome().is_some() => self.show_outcome()?,
            "hint" => {
                let Thought { mv, answer } = self.think()?;
                let text = self.game.rules().format_move(mv);
                writeln!(self.out, "Try {text} ({}).", describe(&answer))?;
            }
            "moves" => {
                let Thought { answer, .. } = self.think()?;
                text::moves(&mut self.out, &self.game.rules(), &answer.moves)?;
                if !answer.complete {
                    let plies = answer.plies;
                    writeln!(self.out, "unknown: neither won nor lost within {plies} plies")?;
                }
            }
            "save" | "load" if rest.is_empty() => {
                writeln!(self.out, "Say which file: {word} FILE")?;
            }
            "save" => match self.game.save(file) {
                Ok(()) => writeln!(self.out, "Saved {}.", file.display())?,
                Err(error) => writeln!(self.out, "{error:#}")?,
            },
            "load" => match Game::load(file) {
                Ok(game) => self.take(game)?,
                Err(error) => writeln!(self.out, "{error:#}")?,
            },
            _ => self.play(line)?,
        }
        Ok(Next::GoOn)
    }

    /// Plays the person's move.
    fn play(&mut self, line: &str) -> anyhow::Result<()> {
        // No move has a word of three letters: it was meant as a command.
        if line.len() > 2 && line.chars().all(|c| c.is_ascii_alphabetic()) {
            writeln!(self.out, "There is no command {line}: try help.")?;
            return Ok(());
        }
        let m = match self.game.rules().parse_move(line) {
            Ok(m) => m,
            Err(error) => {
                writeln!(self.out, "{error}")?;
                return Ok(());
            }
        };
        match self.game.play(m) {
            Ok(()) => self.show(),
            Err(error) => Ok(writeln!(self.out, "Not legal: {error}.")?),
        }
    }

    /// Makes the solver's move.
    fn reply(&mut self) -> anyhow::Result<()> {
        let side = self.game.position().to_move().letter();
        let Thought { mv, answer } = self.think()?;
        let text = self.game.rules().format_move(mv);
        writeln!(self.out, "{side}> {text}  ({})", describe(&answer))?;
        self.game.play(mv)?;
        self.show()
    }

    fn think(&mut self) -> anyhow::Result<Thought> {
        self.out.flush()?;
        if self.say_thinking {
            note("thinking...");
        }
        think(&mut self.engine, &self.game.position(), self.time)
    }

    /// Goes on with another game.
    fn take(&mut self, game: Game) -> anyhow::Result<()> {
        if game.rules() != self.engine.solver().rules() {
            self.engine = Engine::new(game.rules(), &self.args)?;
        }
        self.game = game;
        let (moves, rules) = (self.game.len(), self.game.rules());
        writeln!(self.out, "Loaded: {moves} moves, rules {rules}.")?;
        self.show()
    }

    /// Shows the board, and the result if there is one.
    fn show(&mut self) -> anyhow::Result<()> {
        let board = self.look.board(&self.game.rules(), &self.game.position());
        write!(self.out, "\n{board}\n")?;
        self.show_outcome()
    }

    fn show_outcome(&mut self) -> anyhow::Result<()> {
        if let Some(outcome) = self.game.outcome() {
            writeln!(self.out, "{}.", capital(&text::over(outcome)))?;
        }
        Ok(())
    }
}

/// What the mover knows of his position.
fn describe(answer: &Answer) -> String {
    match answer.value {
        Value::Win => "this wins".to_owned(),
        Value::Draw => "a draw".to_owned(),
        Value::Loss => "lost against best play".to_owned(),
        Value::Unknown => format!("neither won nor lost within {} plies", answer.plies),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
