//! `pentago random`: generates random positions, with or without conditions.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pentago::{Control, Error, ErrorKind, Stage, Value};
use pentago_base::counted;
use pentago_games::{Draw, Game, Position, Question, SearchContext, TableInfo, Tablebase, wins_at_once};

use crate::exit::{bad_input, missing_data};
use crate::options::{GameArg, SolverArgs, number};
use crate::output::{counted_plies, plain_stdout, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt};

/// Generate random positions
///
/// Positions are drawn uniformly from all boards with N marbles on which the game isn't over. Some
/// of these boards can't be reached in play. The same seed gives the same positions on every
/// machine.
///
/// With --where, positions are drawn from a table, and only positions that meet all conditions are
/// written, each at most once. This finds puzzles, for example. The rules and the number of marbles
/// determine the table. If tables have several roots, the command uses the first root. With
/// --solve, no table is needed, but a position whose solution doesn't fit in memory counts as
/// undecided. To get the same positions again, use the same --memory. If fewer positions than
/// requested are found, the exit status is 3.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago random --marbles 26 --count 1000 --seed 7
  pentago random --tables tables --marbles 27 --where 'one-win,distance>=5' --count 3
  pentago random --marbles 12 --where loss --solve")]
pub struct Random {
    /// Number of marbles on the board
    #[arg(long, value_name = "N", value_parser = marbles)]
    marbles: usize,

    /// Number of positions
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = number(0..=u64::MAX))]
    count: u64,

    /// Seed for the random numbers
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = number(0..=u64::MAX))]
    seed: u64,

    /// Only generate positions in which no move wins immediately
    #[arg(long)]
    quiet_positions: bool,

    /// Conditions for the positions, separated by commas; needs a table or --solve
    ///
    /// win, draw, loss  the value for the side to move
    /// one-win          exactly one move wins
    /// one-best         exactly one move keeps the value of the position
    /// distance>=N      the game lasts N or more plies with best play
    ///
    /// Moves that lead to the same position count as one. A condition on the distance solves every
    /// candidate, which is slow with fewer than 20 marbles.
    #[arg(long = "where", value_name = "CONDITIONS", value_delimiter = ',', value_parser = condition,
          verbatim_doc_comment)]
    conditions: Vec<Condition>,

    /// Folder or address of the tables for --where [default: $PENTAGO_TABLES, or the user's data
    /// folder]
    #[arg(long, value_name = "DIR", requires = "conditions")]
    tables: Option<PathBuf>,

    /// For --where, draw from all positions instead of a table, and solve or prove each; skip
    /// undecided positions
    #[arg(long, requires = "conditions", conflicts_with = "tables")]
    solve: bool,

    #[command(flatten)]
    rules: GameArg,

    #[command(flatten)]
    solver: SolverArgs,
}

/// A condition on a position.
#[derive(Debug, Clone)]
struct Condition {
    /// The condition as the user wrote it.
    text: String,
    /// The value for the side to move, or `None` for any value.
    value: Option<Value>,
    /// `true` if all best moves must lead to the same position.
    single: bool,
    /// The least distance to the end in plies, or `None` for any distance.
    distance: Option<usize>,
}

/// Parses a condition.
fn condition(text: &str) -> Result<Condition, String> {
    let text = text.trim();
    let any = Condition { text: text.to_owned(), value: None, single: false, distance: None };
    Ok(match text {
        "win" => Condition { value: Some(Value::Win), ..any },
        "draw" => Condition { value: Some(Value::Draw), ..any },
        "loss" => Condition { value: Some(Value::Loss), ..any },
        "one-win" => Condition { value: Some(Value::Win), single: true, ..any },
        "one-best" => Condition { single: true, ..any },
        _ => {
            let plies = text.strip_prefix("distance>=").and_then(|n| n.trim().parse().ok());
            let wrong = "expected win, draw, loss, one-win, one-best or distance>=N";
            Condition { distance: Some(plies.ok_or(wrong)?), ..any }
        }
    })
}

/// The largest number of draws for each requested position.
const DRAWS: u64 = 100_000;
/// The number of additional draws per stored position, beyond the average number of draws that
/// covers all positions. With these draws, the probability that any position is missed is about one
/// in a million.
const FURTHER_DRAWS: f64 = 14.0;
/// The largest number of boards that proofs may compute for a position with `--solve`. Proofs
/// compute this number in about a second.
const PROOF_BOARDS: u64 = 100_000_000;

/// The time budget for a position with `--solve` in games without proofs.
const SOLVE_TIME: Duration = Duration::from_secs(1);
/// The time budget of proofs. `PROOF_BOARDS` ends the proofs long before this time.
const ENOUGH_TIME: Duration = Duration::from_secs(3600);

impl Random {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let mut out = BufWriter::new(plain_stdout());
        let game = &*self.rules.rules;
        let draw = Draw { marbles: self.marbles, seed: self.seed, quiet: self.quiet_positions };
        let drawn = game.random(&draw)?;
        if self.conditions.is_empty() {
            if self.solver.names_kernel() || self.solver.memory.is_some() {
                let text = "--kernel and --memory are for --where: without it, nothing is solved";
                return Err(bad_input(text));
            }
            for position in drawn.take(usize::try_from(self.count)?) {
                writeln!(out, "{}", position?.text)?;
            }
            return Ok(out.flush()?);
        }
        self.check_conditions(game)?;
        let question =
            Question { time: Some(ENOUGH_TIME), finish: Some(Duration::MAX), ..Question::default() };
        let context = self.solver.context(interrupt::control());
        if self.solve {
            let (proof_boards, proofs_only) = (Some(PROOF_BOARDS), true);
            let question = match game.kind().proofs {
                true => Question { proof_boards, proofs_only, ..question },
                false => Question { time: Some(SOLVE_TIME), ..question },
            };
            self.find(game, &question, &context, drawn, DRAWS, &mut out)?;
        } else {
            let tables = folder::tables(self.tables.as_deref())?;
            let tables = folder::with_openings(Some(&tables)).map_err(|error| {
                match error.downcast_ref::<Error>() {
                    Some(missing) if missing.kind() == ErrorKind::Missing => {
                        missing_data(format!("{missing}; --solve needs no table"))
                    }
                    _ => error,
                }
            })?;
            let context = SearchContext { tables: Some(&tables), ..context };
            // With this number of draws, almost all stored positions and their symmetric copies are
            // drawn.
            let all = 8.0 * stored(&tables, &game.rules(), self.marbles)?.max(1) as f64;
            let draws = DRAWS.min((all * (all.ln() + FURTHER_DRAWS)) as u64);
            let drawn = game.draw_stored(&tables, &draw)?;
            self.find(game, &question, &context, drawn, draws, &mut out)?;
        }
        Ok(out.flush()?)
    }

    /// Checks that the conditions don't contradict each other.
    fn check_conditions(&self, game: &dyn Game) -> anyhow::Result<()> {
        let most = (game.plies_left(&game.start()) as usize).saturating_sub(self.marbles);
        if let Some(plies) = self.distance().filter(|&plies| plies > most) {
            let (marbles, lasts) = (self.marbles, counted_plies(most));
            let text = format!(
                "--where distance>={plies}: with --marbles {marbles} a game lasts at most {lasts}: ask for \
                 distance>={most} or less"
            );
            return Err(bad_input(text));
        }
        if [Value::Win, Value::Draw, Value::Loss].into_iter().any(|value| self.wants(value)) {
            return Ok(());
        }
        let texts: Vec<&str> = self.conditions.iter().map(|condition| &*condition.text).collect();
        let text = format!("--where {}: no position meets all of these conditions", texts.join(","));
        Err(bad_input(text))
    }

    /// Writes the first `count` drawn positions that meet all conditions.
    ///
    /// # Errors
    /// If `draws` draws in a row contain no new position that meets all conditions.
    fn find(
        &self,
        game: &dyn Game,
        question: &Question,
        context: &SearchContext,
        mut drawn: impl Iterator<Item = pentago_games::Result<Position>>,
        draws: u64,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let mut seen: HashSet<String> = HashSet::new();
        for found in 0..self.count {
            // The solver has a control of its own, so that its stages don't replace the stage of
            // the draws.
            let control = Control::new();
            // The number of positions to draw is unknown, because any of them may be suitable.
            let mut stage = Stage::new("looking", u64::MAX, 1);
            stage.unit = "positions";
            let next = Progress::during(&control, 1, |_| -> anyhow::Result<_> {
                control.begin(stage);
                for position in drawn.by_ref().take(usize::try_from(draws)?) {
                    let position = position?;
                    control.add(1);
                    if position.over.is_none()
                        && seen.insert(position.text.clone())
                        && !(self.quiet_positions && wins_at_once(game, &position))
                        && self.meets(game, &position, question, context)?
                    {
                        return Ok(Some(position));
                    }
                }
                Ok(None)
            })?;
            let Some(position) = next else {
                out.flush()?;
                return Err(missing_data(match found {
                    0 => format!("no such position was found among {} random positions", thousands(draws)),
                    _ => format!(
                        "only {} of {} were found: {} further random positions hold no other",
                        thousands(found),
                        counted(self.count, "position"),
                        thousands(draws)
                    ),
                }));
            };
            writeln!(out, "{}", position.text)?;
            out.flush()?;
        }
        Ok(())
    }

    /// Returns the largest number of plies in a condition on the distance, or `None` if no
    /// condition concerns the distance.
    fn distance(&self) -> Option<usize> {
        self.conditions.iter().filter_map(|condition| condition.distance).max()
    }

    /// Returns `true` if a position with this value may meet all conditions.
    fn wants(&self, value: Value) -> bool {
        let by_distance = self.distance().is_none() || value != Value::Draw;
        let by_value = |condition: &Condition| condition.value.is_none_or(|wanted| wanted == value);
        value != Value::Unknown && by_distance && self.conditions.iter().all(by_value)
    }

    /// Solves a position or looks it up, and returns `true` if the position meets all conditions.
    fn meets(
        &self,
        game: &dyn Game,
        position: &Position,
        question: &Question,
        context: &SearchContext,
    ) -> anyhow::Result<bool> {
        let answer = |question: &_, context: &_| engine::answer(game, position, question, context, false);
        // If a table holds the value, most unsuitable positions can be rejected without the solver.
        if context.tables.is_some() {
            let looked_up = answer(&Question { tables_only: true, ..*question }, context)?;
            if looked_up.value != Value::Unknown && !self.wants(looked_up.value) {
                return Ok(false);
            }
        }
        let found = if context.tables.is_some() || game.kind().proofs {
            answer(question, context)?
        } else {
            // The computer player keeps its tables from position to position.
            engine::during(question, context, false, || game.judge(position, question, context))??
        };
        if !self.wants(found.value) {
            return Ok(false);
        }
        let is_best = |text: &String| found.best.contains(text);
        let best: HashSet<&String> =
            found.moves.iter().filter(|m| is_best(&m.text)).map(|m| &m.position).collect();
        if self.conditions.iter().any(|condition| condition.single)
            && (best.len() != 1 || !found.is_complete())
        {
            return Ok(false);
        }
        let Some(plies) = self.distance() else { return Ok(true) };
        if plies > game.plies_left(position) as usize {
            return Ok(false);
        }
        let exact = Question { distance: true, proofs_only: false, proof_boards: None, ..*question };
        let solved = answer(&exact, &SearchContext { tables: None, ..*context })?;
        Ok(solved.distance.is_some_and(|distance| distance >= plies))
    }
}

/// Parses a number of marbles. The game checks the upper limit.
fn marbles(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a number of marbles".to_owned())
}

/// Returns the number of stored positions with this number of marbles under these rules.
fn stored(tables: &Tablebase, rules: &str, marbles: usize) -> anyhow::Result<u64> {
    let mut stored = 0;
    for set in tables.targets().filter(|set| set.rules() == rules) {
        let of_marbles = |table: &TableInfo| table.marbles.is_none_or(|of| usize::from(of) == marbles);
        let list = set.list()?;
        let counts = list.iter().filter(|table| of_marbles(table)).map(|t| t.wins + t.draws + t.losses);
        stored += counts.sum::<u64>();
    }
    Ok(stored)
}
