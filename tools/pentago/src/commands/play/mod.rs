//! `pentago play`: a person against the solver, in the terminal or through a pipe.

mod game;
mod opponent;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use pentago::answer::{Answer, Value};
use pentago::probe::Tables;
use pentago::rules::{Color, MAX_TEXT};

use self::game::Game;
use self::opponent::{Thought, think};
use crate::args::{RulesArg, SolverArgs, seconds};
use crate::engine::Engine;
use crate::output::note;
use crate::picture::Look;
use crate::{folder, input, text};

/// Play against the solver in the terminal
///
/// Type a move such as c4/2+ (a marble on c4, then quadrant 2 turns clockwise), or a command: help,
/// undo, hint, moves, board, save FILE, load FILE, quit. The solver plays perfectly with up to 5
/// marbles (by the published values), where tables hold the position, and where it can solve it
/// within its time; otherwise it searches a few plies deep.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago play --side o --time 2")]
pub struct Play {
    /// Your side; x moves first
    #[arg(long, value_enum, default_value = "x")]
    side: Side,

    /// Position to start from: rows from the top, quoted [default: the empty board]
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,

    /// Approximate time for each move of the solver
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    time: Duration,

    /// Folder of the tables [default: $PENTAGO_TABLES, or the user's data folder if it has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    #[command(flatten)]
    rules: RulesArg,

    #[command(flatten)]
    solver: SolverArgs,
}

/// The values of `--side`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Side {
    X,
    O,
}

const HELP: &str =
    "  c4/2+      a marble on c4, then quadrant 2 (of 1 2 above 3 4) clockwise; - is counterclockwise
  c4         a placement that ends the game
  hint       the move that the solver would play for you
  moves      all moves with their values, as far as the solver can tell
  undo       take back your last move
  board      show the board
  save FILE  save the game
  load FILE  continue a saved game
  quit       leave";

impl Play {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = self.rules.rules;
        let start = match &self.position {
            Some(text) => rules.parse_position(text)?,
            None => rules.start(),
        };
        // Each move takes many small solutions, which aren't worth a note each.
        let args = SolverArgs { quiet: true, ..self.solver.clone() };
        let session = Session {
            game: Game::new(rules, start),
            side: match self.side {
                Side::X => Color::X,
                Side::O => Color::O,
            },
            engine: Engine::new(rules, &args)?,
            tables: folder::with_openings(self.tables.as_deref(), self.solver.quiet)?,
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

/// A session, in which several games may be loaded one after the other.
struct Session<W: Write> {
    game: Game,
    side: Color,
    engine: Engine,
    tables: Tables,
    args: SolverArgs,
    time: Duration,
    say_thinking: bool,
    /// The input isn't visible on the screen, so it is printed.
    echo: bool,
    look: Look,
    out: W,
}

/// What happens after a line of input.
#[derive(PartialEq, Eq)]
enum Next {
    Continue,
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
                0 => writeln!(self.out, "You have no move to take back.")?,
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
                writeln!(self.out, "A file name is missing: {word} FILE")?;
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
        Ok(Next::Continue)
    }

    /// Plays the person's move.
    fn play(&mut self, line: &str) -> anyhow::Result<()> {
        // No move is a word of three or more letters: this was meant as a command.
        if line.len() > 2 && line.chars().all(|c| c.is_ascii_alphabetic()) {
            writeln!(self.out, "Unknown command {line}: try help.")?;
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
            Err(error) => Ok(writeln!(self.out, "Illegal move: {error}.")?),
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
        think(&mut self.engine, &self.tables, &self.game.position(), self.time)
    }

    /// Continues another game.
    fn take(&mut self, game: Game) -> anyhow::Result<()> {
        if game.rules() != self.engine.solver().rules() {
            self.engine = Engine::new(game.rules(), &self.args)?;
        }
        self.game = game;
        let (moves, rules) = (self.game.len(), self.game.rules());
        writeln!(self.out, "Loaded {moves} moves, rules {rules}.")?;
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

/// What the side to move knows of its position.
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
