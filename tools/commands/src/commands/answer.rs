//! What `solve` and `query` do alike: answer for a position, or for each line of a batch.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pentago_games::{Answer, Machine, Order, Position, Question, Resources, Wanted};

use super::batch;
use crate::exit::bad_input;
use crate::options::{GameArg, SolverArgs, seconds, whole};
use crate::output::{bytes, duration, note, stdout};
use crate::picture::Look;
use crate::{engine, folder, input, interrupt, rates, text};

/// Builds of tables that take longer are not suggested.
const LONGEST_BUILD: f64 = 7.0 * 24.0 * 3600.0;

/// What `solve` and `query` have in common: what is asked, by which rules, and how it is answered.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The position: rows from the top, quoted, or - to read it from standard input (diagrams too)
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub position: Option<String>,

    #[command(flatten)]
    pub rules: GameArg,

    /// Time budget for a limited search
    ///
    /// Where solving a position to the end doesn't fit in memory, it is searched 1, 2, 3... plies
    /// deep. A search that would exceed this budget isn't started. Proofs, which come first, take
    /// nine tenths of it at most.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub time: Duration,

    /// Boards that proofs may compute, 0 for none [default: as many as there is time for]
    ///
    /// The same number gives the same proofs, unless time runs out first: some 100 million boards
    /// a second on each core.
    #[arg(long, value_name = "BOARDS", value_parser = whole)]
    pub proof_boards: Option<u64>,

    /// Leave it at proofs where solving a position to the end doesn't fit in memory
    ///
    /// They take all of --time then, and the same --proof-boards give the same answer.
    #[arg(long)]
    pub proofs_only: bool,

    /// Write the answer as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Read one position per line from standard input, write one JSON object per line
    ///
    /// The objects come in the order of the lines. A line that can't be answered gives
    /// {"error":...,"line":n}. Blank lines and lines that begin with # are skipped.
    #[arg(long)]
    pub batch: bool,

    #[command(flatten)]
    pub solver: SolverArgs,
}

impl AnswerArgs {
    /// What is asked, but for the options of a single command.
    ///
    /// # Errors
    /// If an option isn't one for this game.
    pub fn question(&self) -> anyhow::Result<Question<'static>> {
        let kind = self.rules.rules.kind();
        if (self.proof_boards.is_some() || self.proofs_only) && !kind.proofs {
            let text = format!("--proof-boards and --proofs-only don't apply to {}", kind.title);
            return Err(bad_input(text).into());
        }
        let AnswerArgs { proof_boards, proofs_only, .. } = *self;
        let question = self.solver.question(self.time, interrupt::control());
        Ok(Question { proof_boards, proofs_only, ..question })
    }

    /// Answers a question for the position, or with `--batch` for each line.
    ///
    /// # Errors
    /// If a position can't be read, nothing is known about it, or it can't be answered for.
    pub fn run(&self, question: Question<'static>) -> anyhow::Result<()> {
        let game = &self.rules.rules;
        let Some(argument) = &self.position else {
            return batch::run(game, question, &self.solver);
        };
        let position = input::position(&**game, argument)?;
        let answer = engine::answer(&**game, &position, &question, self.solver.quiet)?;
        if question.tables.is_some() && answer.is_empty() {
            return Err(folder::nothing_known(&question, &answer).into());
        }
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
            return Ok(out.flush()?);
        }
        text::answer(&mut out, &**game, &position, &answer, Look::of_stdout())?;
        if let Some(tables) = question.tables {
            writeln!(out, "{}", text::sources(&answer, tables.path()))?;
        } else {
            if answer.source.source == "published" {
                writeln!(out, "source: published")?;
            }
            if !self.solver.quiet
                && let Some(work) = text::work(&answer)
            {
                note(work);
            }
            if !self.solver.quiet
                && let Some(way) = self.way_to_exact_values(&position, &answer)
            {
                note(way);
            }
        }
        Ok(out.flush()?)
    }

    /// How the values that are open can be had by tables below the position, if that takes days at
    /// most.
    fn way_to_exact_values(&self, position: &Position, answer: &Answer) -> Option<String> {
        answer.full.filter(|_| answer.value == pentago::Value::Unknown)?;
        let order = Order { what: Wanted::Root(position.clone()), ..Order::default() };
        let resources = Resources {
            kernel: self.solver.kernel(),
            threads: self.solver.threads(),
            memory: self.solver.memory(),
            scratch: PathBuf::new(),
            scratch_limit: u64::MAX,
        };
        let machine = Machine { resources, disk_speed: None };
        let build = self.rules.rules.build(&order).ok()?;
        let estimate = build.estimate(None, &machine, &rates::load(self.solver.quiet)).ok()??;
        let fits = estimate.memory_bytes <= machine.resources.memory && estimate.seconds <= LONGEST_BUILD;
        fits.then(|| {
            format!(
                "exact values in about {} and {} of disk: pentago build 'root:{text}', then pentago query '{text}'",
                duration(estimate.seconds),
                bytes(estimate.disk_bytes),
                text = position.text
            )
        })
    }
}
