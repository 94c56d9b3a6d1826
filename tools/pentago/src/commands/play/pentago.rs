//! Pentago at the board.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use pentago::answer::{Answer, Origin, Value};
use pentago::probe::Tables;
use pentago::rules::Rules;

use super::board::{Board, TURNS, Thought};
use super::opponent::think;
use super::record::Game;
use crate::args::SolverArgs;
use crate::engine::Engine;
use crate::picture::Look;
use crate::text;

/// A game of Pentago, with the tables and the solver that play it.
pub struct PentagoBoard {
    game: Game,
    engine: Engine,
    tables: Arc<Tables>,
}

impl PentagoBoard {
    /// A game from a position on, by default the empty board.
    ///
    /// # Errors
    /// If there is no such position, or the system gives no threads.
    pub fn new(
        rules: Rules,
        position: Option<&str>,
        args: &SolverArgs,
        tables: Arc<Tables>,
    ) -> anyhow::Result<PentagoBoard> {
        let start = match position {
            Some(text) => rules.parse_position(text)?,
            None => rules.start(),
        };
        Ok(PentagoBoard { game: Game::new(rules, start), engine: Engine::new(rules, args)?, tables })
    }

    /// A saved game.
    ///
    /// # Errors
    /// If the text is none, or the system gives no threads.
    pub fn load(text: &str, args: &SolverArgs, tables: Arc<Tables>) -> anyhow::Result<PentagoBoard> {
        let game = Game::parse(text)?;
        Ok(PentagoBoard { engine: Engine::new(game.rules(), args)?, game, tables })
    }
}

/// What the side to move knows of its position.
fn describe(answer: &Answer) -> String {
    match (answer.value, &answer.origin) {
        (Value::Win, Origin::Proof { within, .. }) => format!("this wins, within {within} plies"),
        (Value::Win, _) => "this wins".to_owned(),
        (Value::Draw, _) => "a draw".to_owned(),
        (Value::Loss, Origin::Proof { within, .. }) => {
            format!("lost against best play, within {within} plies")
        }
        (Value::Loss, _) => "lost against best play".to_owned(),
        (Value::Unknown, _) => answer.ruled_out.to_string(),
    }
}

impl Board for PentagoBoard {
    fn rules(&self) -> String {
        self.game.rules().to_string()
    }

    fn seats(&self) -> &'static str {
        "xo"
    }

    fn example(&self) -> &'static str {
        "c4/2+"
    }

    fn help(&self) -> &'static str {
        TURNS
    }

    fn to_move(&self) -> char {
        self.game.position().to_move().letter()
    }

    fn over(&self) -> Option<String> {
        let over = text::over(self.game.outcome()?);
        Some(over.strip_prefix("the game is over: ").unwrap_or(&over).to_owned())
    }

    fn movers(&self) -> Vec<char> {
        self.game.movers().map(|color| color.letter()).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let m = self.game.rules().parse_move(text).map_err(|error| error.to_string())?;
        self.game.play(m).map_err(|error| format!("Illegal move: {error}."))
    }

    fn resign(&mut self) -> bool {
        self.game.resign()
    }

    fn is_resigned(&self) -> bool {
        self.game.is_resigned()
    }

    fn take_back(&mut self) {
        self.game.take_back();
    }

    fn think(&mut self, time: Duration) -> anyhow::Result<Thought> {
        let thought = think(&mut self.engine, &self.tables, &self.game.position(), time)?;
        let mv = self.game.rules().format_move(thought.mv);
        Ok(Thought { mv, says: describe(&thought.answer) })
    }

    fn moves(&mut self, time: Duration, mut out: &mut dyn Write) -> anyhow::Result<()> {
        let answer = think(&mut self.engine, &self.tables, &self.game.position(), time)?.answer;
        text::moves(&mut out, &self.game.rules(), &answer.moves)?;
        if !answer.complete {
            writeln!(out, "unknown: {}", answer.ruled_out)?;
        }
        Ok(())
    }

    fn value(&mut self, time: Duration, out: &mut dyn Write) -> anyhow::Result<()> {
        let answer = think(&mut self.engine, &self.tables, &self.game.position(), time)?.answer;
        let says = describe(&answer);
        match answer.value {
            Value::Unknown => writeln!(out, "unknown: {says}")?,
            value => writeln!(out, "value: {} for {}", value.name(), self.to_move())?,
        }
        Ok(())
    }

    fn drawing(&self, look: Look) -> String {
        look.board(&self.game.rules(), &self.game.position(), self.game.last_marble())
    }

    fn record(&self) -> String {
        self.game.text()
    }
}
