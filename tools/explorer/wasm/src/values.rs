//! The value of a position and of each of its moves: from tables, from the openings, or solved here.

use crate::exports::clock;
use pentago::{Control, Kernel, OpeningsFile, Rules, Solver, SolverBuilder, Value, Wdl};
use pentago_games::{Answer, Game, Kept, MoveAnswer, Outside, Position, Question, Source, Tables};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// Bytes that a solution may take: enough for 18 marbles.
const MEMORY: u64 = 380_000_000;

/// What is wanted besides values.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Plies to the end of the game.
    pub distance: bool,
    /// Time for what isn't solved to the end, in seconds.
    pub seconds: u64,
}

/// What values are looked up in.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The published values of the first moves.
    pub openings: Option<&'a OpeningsFile>,
    /// Tables.
    pub tables: Option<&'a Tables>,
    /// What proofs have shown.
    pub proofs: &'a Arc<Kept>,
}

impl<'a> Known<'a> {
    /// What is known without a solution: the answer if there is no more to say, or else the tables if they
    /// say something.
    fn look_up(
        self,
        game: &dyn Game,
        position: &Position,
        question: &Question,
    ) -> Result<Result<Answer, Option<&'a Tables>>, pentago::Error> {
        let published = match published(game, position, self.openings)? {
            // Nothing is fetched for what the page has already.
            Some(answer) if answer.is_complete() => return Ok(Ok(answer)),
            published => published,
        };
        let look =
            |tables| game.answer(position, &Question { tables: Some(tables), solve: false, ..*question });
        let stored = self.tables.map(look).transpose()?;
        let stored = stored.filter(|answer| !answer.is_empty() || answer.at_least.is_some());
        Ok(match (stored, published) {
            (None, Some(answer)) => Ok(answer),
            (Some(answer), _) if answer.is_complete() && !question.distance => Ok(answer),
            (stored, _) => Err(self.tables.filter(|_| stored.is_some())),
        })
    }
}

/// The values of a position and all its moves, in the form of `pentago query --json`.
///
/// # Errors
/// What is wrong with the position or the tables, or that a device outside is to compute something first.
pub fn values(
    game: &dyn Game,
    text: &str,
    wanted: Wanted,
    known: Known,
    outside: Option<&Arc<Outside>>,
) -> Result<Answer, pentago::Error> {
    let position = game.read(text)?;
    let (control, clock) = (Control::new(), clock());
    let question = Question {
        distance: wanted.distance,
        clock: &clock,
        outside,
        kept: Some(known.proofs),
        ..Question::new(Duration::from_secs(wanted.seconds), MEMORY, &control)
    };
    let tables = match known.look_up(game, &position, &question)? {
        Ok(answer) => return Ok(answer),
        Err(tables) => tables,
    };
    let question = Question { tables, ..question };
    game.answer(&position, &question)
}

/// What an answer takes.
#[derive(Serialize)]
pub struct Effort {
    boards: u64,
}

/// The boards below a position, which the whole solution computes: none if its values are known, or the
/// game isn't solved by boards.
///
/// # Errors
/// What is wrong with the position or the tables.
pub fn effort(game: &dyn Game, text: &str, distance: bool, known: Known) -> Result<Effort, pentago::Error> {
    let position = game.read(text)?;
    let (control, clock) = (Control::new(), clock());
    let question = Question { distance, clock: &clock, ..Question::new(Duration::ZERO, MEMORY, &control) };
    let is_known = known.look_up(game, &position, &question)?.is_ok();
    let rules = game.rules().parse::<Rules>().ok().filter(|_| !is_known);
    let Some(rules) = rules else { return Ok(Effort { boards: 0 }) };
    let estimate = solver(rules).estimate(&rules.parse_position(&position.text)?, usize::MAX);
    Ok(Effort { boards: estimate.boards })
}

/// What estimates are asked of.
fn solver(rules: Rules) -> SolverBuilder {
    Solver::builder().rules(rules).threads(NonZeroUsize::MIN)
}

/// The answer from the openings: none if they don't hold the position.
fn published(
    game: &dyn Game,
    position: &Position,
    openings: Option<&OpeningsFile>,
) -> Result<Option<Answer>, pentago::Error> {
    let rules = Rules::default();
    let Some(openings) = openings.filter(|_| game.rules() == rules.to_string()) else { return Ok(None) };
    let value_of = |text: &str| Ok::<_, pentago::Error>(openings.value(&rules.parse_position(text)?));
    let Some(value) = value_of(&position.text)?.map(Value::from) else { return Ok(None) };
    let source = |value: Value| if value == Value::Unknown { "unknown" } else { "published" };
    let mut answer = Answer::unknown(game.rules(), position);
    answer.value = value;
    answer.source = Source::of(source(value));
    for text in game.moves(position) {
        let after = game.play(position, &text)?.text;
        let value = match value_of(&after)? {
            Some(Wdl::Win) => Value::Loss,
            Some(Wdl::Draw) => Value::Draw,
            Some(Wdl::Loss) => Value::Win,
            None => Value::Unknown,
        };
        let source = Source::of(source(value));
        answer.moves.push(MoveAnswer::new(text, value, source, after));
    }
    answer.moves.sort_by_key(|m| m.value.rank());
    answer.choose_best();
    (answer.plies, answer.boards, answer.kernel) = (Some(0), Some(0), Some(Kernel::best().name()));
    Ok(Some(answer))
}

/// What [`digest`] gives.
#[derive(Serialize)]
pub struct Digests {
    kernel: &'static str,
    passes: String,
    solved: String,
    proved: String,
}

/// [`pentago::digest`] of the kernel that runs here.
pub fn digest(kernel: Kernel, seed: u64) -> Digests {
    let [passes, solved, proved] =
        pentago::digest(kernel, NonZeroUsize::MIN, seed).map(|number| format!("{number:016x}"));
    Digests { kernel: kernel.name(), passes, solved, proved }
}
