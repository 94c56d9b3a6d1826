//! The common part of `solve` and `query`: answers a position, or each line of a batch.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use pentago::{Estimate, Value};
use pentago_games::{Answer, Order, Position, Question, Scope, SearchContext, Tablebase};

use super::batch;
use crate::exit::bad_input;
use crate::options::{GameArg, SolverArgs, limited, number, rules_option, seconds};
use crate::output::{bytes, counted_plies, note, stdout};
use crate::picture::Symbols;
use crate::{engine, folder, input, interrupt, text};

/// The default time limit of a limited search.
const TIME: Duration = Duration::from_secs(60);

/// The number of boards that a guess evaluates without a time limit. The guess is then the same on
/// every machine.
const GUESS_BOARDS: u64 = 4_000_000;

/// The program suggests no tables below a position if its full solution has more boards than this
/// number. A build of so many boards takes two cores about a week.
const MOST_BOARDS: u64 = 6_000_000_000_000;

/// The options that `solve` and `query` share.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// Position: rows from the top, quoted, or - for standard input, which may also be a diagram
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub position: Option<String>,

    #[command(flatten)]
    pub rules: GameArg,

    /// Time limit [default: 60 for a limited search, none for a full solution]
    ///
    /// A full solution that fits in memory is started if it will probably end in time. Otherwise
    /// the position is searched 1, 2, 3... plies deep. Proofs, which come first, take at most nine
    /// tenths of the time. When the time is up, the answer has the values and bounds found so far.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,

    /// Largest number of boards that proofs may compute, 0 for none [default: limited by time only]
    ///
    /// The same number gives the same proofs, unless time runs out first. A core computes some 100
    /// million boards a second.
    #[arg(long, value_name = "BOARDS", value_parser = number(0..=u64::MAX))]
    pub proof_boards: Option<u64>,

    /// If the full solution doesn't fit in memory or in --time, use proofs only
    ///
    /// Proofs may then take all of --time. The same --proof-boards give the same answer.
    #[arg(long)]
    pub proofs_only: bool,

    /// Write the answer as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Read one position per line from standard input, and write one JSON object per line
    ///
    /// The objects have the order of the lines. A line that can't be answered gives
    /// {"error":...,"line":n}; an unknown value is an answer. Blank lines and lines that begin with
    /// # are skipped. At the end, standard error gets the number of positions, errors and positions
    /// per second. If lines can't be answered, the exit status is that of the first such line
    /// given alone.
    #[arg(long)]
    pub batch: bool,

    #[command(flatten)]
    pub solver: SolverArgs,
}

impl AnswerArgs {
    /// Returns the question that the shared options describe.
    ///
    /// # Errors
    /// If an option doesn't apply to the game.
    pub fn question(&self) -> anyhow::Result<Question> {
        let kind = self.rules.rules.kind();
        if (self.proof_boards.is_some() || self.proofs_only) && !kind.proofs {
            let text = format!("--proof-boards and --proofs-only don't apply to {}", kind.title);
            return Err(bad_input(text));
        }
        let AnswerArgs { proof_boards, proofs_only, .. } = *self;
        let guess_boards = self.time.is_none().then_some(GUESS_BOARDS);
        if proofs_only && proof_boards == Some(0) {
            return Err(bad_input("--proofs-only needs proofs: leave out --proof-boards 0"));
        }
        Ok(Question { proof_boards, proofs_only, guess_boards, ..limited(self.time, TIME) })
    }

    /// Answers a question about the position, or with `--batch` about each line of standard input.
    ///
    /// # Errors
    /// If the position can't be parsed, has no known value, or can't be solved.
    pub fn run(&self, question: Question, tables: Option<&'static Tablebase>) -> anyhow::Result<()> {
        let game = &self.rules.rules;
        let context = SearchContext { tables, ..self.solver.context(interrupt::control()) };
        let Some(argument) = &self.position else {
            return batch::run(game, question, context);
        };
        let position = input::position(&**game, argument)?;
        // Only `solve`, which has no tables, has the option --depth.
        let shallower = |fits: Estimate| {
            let instead = if question.exact { " instead of --exact" } else { "" };
            let (size, depth, plies) = (bytes(fits.bytes), fits.plies, counted_plies(fits.plies));
            format!("--depth {depth}{instead} would fit ({size}) and finds wins and losses within {plies}")
        };
        let answer =
            engine::during(&question, &context, true, || game.answer(&position, &question, &context))?;
        let less = |fits: Option<Estimate>| fits.filter(|_| tables.is_none()).map(shallower);
        let answer = answer.map_err(|error| engine::with_advice(error, less))?;
        if tables.is_some() && answer.is_empty() {
            return Err(folder::nothing_known(&question, &context, &answer));
        }
        let lasts = matches!(answer.value, Value::Win | Value::Loss) && position.over.is_none();
        if question.distance && lasts && answer.distance.is_none() {
            let is_searched = ["solved", "proof"].contains(&answer.source) && question.time.is_some();
            let why = format!("a value whose source is `{}` has none", answer.source);
            let why = if is_searched { "the time was too short for it; raise --time" } else { &why };
            note(format_args!("no distance: {why}"));
        }
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
            return Ok(out.flush()?);
        }
        text::answer(&mut out, &**game, &position, &answer, Symbols::of_stdout())?;
        if let Some(tables) = tables {
            writeln!(out, "{}", text::sources(&answer, &tables.path))?;
            return Ok(out.flush()?);
        }
        if answer.source == "published" {
            writeln!(out, "source: published")?;
        }
        text::work(&answer).into_iter().for_each(note);
        self.suggestion(&question, &position, &answer).into_iter().for_each(note);
        Ok(out.flush()?)
    }

    /// Suggests a command for a position whose value is unknown, or returns `None` if its value is
    /// known, or if tables can't be built or would probably take longer than a week.
    fn suggestion(&self, question: &Question, position: &Position, answer: &Answer) -> Option<String> {
        let full = answer.full.filter(|full| answer.value == Value::Unknown && full.boards <= MOST_BOARDS)?;
        if question.finish.is_some() && question.depth.is_some() && full.bytes <= self.solver.memory() {
            return Some(format!("leave out --depth: the full solution takes {}", bytes(full.bytes)));
        }
        let order = Order { scope: Scope::Root(position.clone()), ..Order::default() };
        self.rules.rules.build(&order).ok()?;
        let rules = rules_option(&self.rules.rules.rules());
        let text = &position.text;
        Some(format!("tables have exact values; to see their cost:\n  pentago plan 'root:{text}'{rules}"))
    }
}
