//! `pentago random`: random positions, or those of a table that meet conditions.

use std::collections::HashSet;
use std::fmt;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use pentago::{Control, Error, ErrorKind, Stage, Value};
use pentago_base::counted;
use pentago_games::{Answer, Draw, Game, Position, Question, TableInfo, Tables};

use crate::exit::{bad_input, missing_data};
use crate::options::{GameArg, SolverArgs, whole};
use crate::output::{counted_plies, plain_stdout, thousands};
use crate::progress::Progress;
use crate::{engine, folder, interrupt};

/// Generate random positions
///
/// Positions are drawn uniformly from all boards with N marbles on which the game isn't over; not
/// all of them can be reached in play. The same seed gives the same positions on every machine.
///
/// With --where, positions are drawn from a table, and only those that meet all conditions are
/// written, each at most once: this finds puzzles, for example. The table is chosen by the rules
/// and the number of marbles; if there are several roots, the first one is used. With --solve no
/// table is needed, but what doesn't fit in memory counts as undecided: the same positions take the same
/// --memory. If fewer positions than wanted are found, the exit status is 3.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Random {
    /// Number of marbles on the board
    #[arg(long, value_name = "N", value_parser = marbles)]
    marbles: usize,

    /// Number of positions
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = whole)]
    count: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = whole)]
    seed: u64,

    /// Only positions in which no move wins immediately
    #[arg(long)]
    quiet_positions: bool,

    /// Only positions that meet these conditions, separated by commas: of a table, or with --solve
    ///
    /// win, draw, loss  the value for the side to move
    /// one-win          exactly one move wins
    /// one-best         exactly one move keeps the value of the position
    /// distance>=N      the game lasts N or more plies with best play
    ///
    /// Moves that lead to the same position count as one. For distances, every candidate is
    /// solved, which takes a while with fewer than 20 marbles.
    #[arg(long = "where", value_name = "CONDITIONS", value_delimiter = ',', verbatim_doc_comment)]
    conditions: Vec<Condition>,

    /// Folder or address of the tables for --where [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(long, value_name = "DIR", requires = "conditions")]
    tables: Option<PathBuf>,

    /// For --where, draw from all positions, as without it, and solve or prove each; what can't be
    /// decided doesn't count
    #[arg(long, requires = "conditions", conflicts_with = "tables")]
    solve: bool,

    #[command(flatten)]
    rules: GameArg,

    #[command(flatten)]
    solver: SolverArgs,
}

const EXAMPLES: &str = "\
Examples:
  pentago random --marbles 26 --count 1000 --seed 7
  pentago random --tables tables --marbles 27 --where 'one-win,distance>=5' --count 3
  pentago random --marbles 12 --where loss --solve";

/// A condition on a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// Its value for the side to move.
    Value(Value),
    /// All winning moves lead to the same position.
    OneWin,
    /// All best moves lead to the same position.
    OneBest,
    /// The least distance to the end in plies.
    Distance(usize),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let text = text.trim();
        Ok(match text {
            "win" => Condition::Value(Value::Win),
            "draw" => Condition::Value(Value::Draw),
            "loss" => Condition::Value(Value::Loss),
            "one-win" => Condition::OneWin,
            "one-best" => Condition::OneBest,
            _ => {
                let plies = text.strip_prefix("distance>=").and_then(|n| n.trim().parse().ok());
                let wrong = "expected win, draw, loss, one-win, one-best or distance>=N";
                Condition::Distance(plies.ok_or(wrong)?)
            }
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Value(value) => write!(f, "{value}"),
            Condition::OneWin => write!(f, "one-win"),
            Condition::OneBest => write!(f, "one-best"),
            Condition::Distance(plies) => write!(f, "distance>={plies}"),
        }
    }
}

/// Positions that are drawn at most for each one that is wanted.
const DRAWS: u64 = 100_000;
/// More draws for each position of a small table than it takes on average to see all: with them, one in a
/// million is missed.
const FURTHER_DRAWS: f64 = 14.0;
/// Boards that proofs may compute for a position that is drawn with --solve: about a second.
const PROOF_BOARDS: u64 = 100_000_000;

/// Time for a position that is drawn with --solve, where the number of boards doesn't limit it.
const SOLVE_TIME: Duration = Duration::from_secs(1);
/// No limit on the time of what a number of boards limits: an hour.
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
                return Err(bad_input(text).into());
            }
            for position in drawn.take(usize::try_from(self.count)?) {
                writeln!(out, "{}", position?.text)?;
            }
            return Ok(out.flush()?);
        }
        self.check_conditions(game)?;
        let question = self.solver.question(ENOUGH_TIME, interrupt::control());
        if self.solve {
            let (proof_boards, proofs_only) = (Some(PROOF_BOARDS), true);
            let question = match game.kind().proofs {
                true => Question { proof_boards, proofs_only, ..question },
                false => Question { time: SOLVE_TIME, ..question },
            };
            self.find(game, &question, drawn, DRAWS, &mut out)?;
        } else {
            let tables = folder::tables(self.tables.as_deref())?;
            let tables = folder::with_openings(Some(&tables), true).map_err(|error| {
                match error.downcast_ref::<Error>() {
                    Some(missing) if missing.kind() == ErrorKind::Missing => {
                        missing_data(format!("{missing}; --solve needs no table")).into()
                    }
                    _ => error,
                }
            })?;
            let question = Question { tables: Some(&tables), ..question };
            let draws = draws_of(stored(&tables, &game.rules(), self.marbles)?);
            self.find(game, &question, game.draw_stored(&tables, &draw)?, draws, &mut out)?;
        }
        Ok(out.flush()?)
    }

    /// Checks that some position may meet all conditions.
    fn check_conditions(&self, game: &dyn Game) -> anyhow::Result<()> {
        let most = (game.plies_left(&game.start()) as usize).saturating_sub(self.marbles);
        if let Some(plies) = self.distance().filter(|&plies| plies > most) {
            let (marbles, lasts) = (self.marbles, counted_plies(most));
            let text = format!(
                "--where distance>={plies}: with --marbles {marbles} a game lasts at most {lasts}: ask for \
                 distance>={most} or less"
            );
            return Err(bad_input(text).into());
        }
        let values = [Value::Win, Value::Draw, Value::Loss];
        if values.into_iter().any(|value| self.wants(value)) {
            return Ok(());
        }
        let texts: Vec<String> = self.conditions.iter().map(Condition::to_string).collect();
        let text = format!("--where {}: no position meets all of these conditions", texts.join(","));
        Err(bad_input(text).into())
    }

    /// Writes as many of the positions drawn as are wanted and meet the conditions. For each one, at
    /// most `draws` are looked at.
    fn find(
        &self,
        game: &dyn Game,
        question: &Question,
        mut drawn: impl Iterator<Item = pentago_games::Result<Position>>,
        draws: u64,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let mut seen: HashSet<String> = HashSet::new();
        for found in 0..self.count {
            // The solver has a control of its own, which says how far a position is solved.
            let control = Control::new();
            let mut stage = Stage::new("looking", draws, 1);
            stage.unit = "positions";
            let next = Progress::during(&control, 1, self.solver.quiet, |_| -> anyhow::Result<_> {
                control.begin(stage);
                for position in drawn.by_ref().take(usize::try_from(draws)?) {
                    let position = position?;
                    control.add(1);
                    if position.over.is_none()
                        && seen.insert(position.text.clone())
                        && !(self.quiet_positions && wins_at_once(game, &position))
                        && self.meets(game, &position, question)?
                    {
                        return Ok(Some(position));
                    }
                }
                Ok(None)
            })?;
            let Some(position) = next else {
                out.flush()?;
                return Err(missing_data(match found {
                    0 => format!("no such position was found among {} random ones", thousands(draws)),
                    _ => format!(
                        "only {} of {} were found: {} further random positions hold no other",
                        thousands(found),
                        counted(self.count, "position"),
                        thousands(draws)
                    ),
                })
                .into());
            };
            writeln!(out, "{}", position.text)?;
            out.flush()?;
        }
        Ok(())
    }

    /// The plies that the game has to last, if there is such a condition.
    fn distance(&self) -> Option<usize> {
        let plies = self.conditions.iter().filter_map(|condition| match condition {
            Condition::Distance(plies) => Some(*plies),
            _ => None,
        });
        plies.max()
    }

    /// Whether a position of this value may meet all conditions.
    fn wants(&self, value: Value) -> bool {
        self.conditions.iter().all(|condition| match *condition {
            Condition::Value(wanted) => value == wanted,
            Condition::OneWin => value == Value::Win,
            Condition::Distance(_) => !matches!(value, Value::Draw | Value::Unknown),
            Condition::OneBest => value != Value::Unknown,
        })
    }

    /// Whether a position meets all conditions by its answer.
    fn meets(&self, game: &dyn Game, position: &Position, question: &Question) -> anyhow::Result<bool> {
        let stored = question.tables.is_some();
        let answer = |question: &Question| -> anyhow::Result<Answer> {
            engine::answer(game, position, question, true)
        };
        // The value alone needs no solver where a table holds it.
        if stored {
            let looked_up = answer(&Question { solve: false, ..*question })?;
            if looked_up.value != Value::Unknown && !self.wants(looked_up.value) {
                return Ok(false);
            }
        }
        let found = answer(question)?;
        if !self.wants(found.value) {
            return Ok(false);
        }
        let is_best = |text: &String| found.best.contains(text);
        let best: HashSet<&String> =
            found.moves.iter().filter(|m| is_best(&m.text)).map(|m| &m.position).collect();
        let single = |condition: &Condition| matches!(condition, Condition::OneWin | Condition::OneBest);
        if self.conditions.iter().any(single) && (best.len() != 1 || !found.is_complete()) {
            return Ok(false);
        }
        let Some(plies) = self.distance() else { return Ok(true) };
        if plies > game.plies_left(position) as usize {
            return Ok(false);
        }
        let exact =
            Question { distance: true, tables: None, proofs_only: false, proof_boards: None, ..*question };
        Ok(answer(&exact)?.distance.is_some_and(|distance| distance >= plies))
    }
}

/// A number of marbles: how many there can be is up to the game.
fn marbles(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a number of marbles".to_owned())
}

/// The number of positions with so many marbles that tables of these rules store.
fn stored(tables: &Tables, rules: &str, marbles: usize) -> anyhow::Result<u64> {
    let mut stored = 0;
    for set in tables.sets().filter(|set| set.rules() == rules) {
        let of_marbles = |table: &TableInfo| table.marbles.is_none_or(|of| usize::from(of) == marbles);
        let list = set.list()?;
        let counts = list.iter().filter(|table| of_marbles(table)).map(|t| t.wins + t.draws + t.losses);
        stored += counts.sum::<u64>();
    }
    Ok(stored)
}

/// The draws after which all of so many stored positions have been seen, with their symmetric copies;
/// no more than [`DRAWS`].
fn draws_of(stored: u64) -> u64 {
    let all = 8.0 * stored.max(1) as f64;
    DRAWS.min((all * (all.ln() + FURTHER_DRAWS)) as u64)
}

/// Whether some move wins immediately.
fn wins_at_once(game: &dyn Game, position: &Position) -> bool {
    game.moves(position).iter().any(|m| {
        let over = game.play(position, m).ok().and_then(|next| next.over);
        over.is_some_and(|over| over.value_for(position.to_move) == Value::Win)
    })
}
