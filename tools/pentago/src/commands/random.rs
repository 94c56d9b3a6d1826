//! `pentago random`: random positions, or those of a table that meet conditions.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use pentago::answer::{Answer, Request, Value};
use pentago::ask::{Question, Stored};
use pentago::probe::{Lookup, TableSet, Tables, sample};
use pentago::rules::{Board, Position, Rules, random};
use pentago::tables::Table;
use pentago::{Error, ErrorKind};
use pentago_base::counted;

use crate::args::SolverArgs;
use crate::engine::Engine;
use crate::exit::{bad_input, missing_data};
use crate::folder;
use crate::games::{Draw, GameArg, GameRules};

/// Generate random positions
///
/// Positions are drawn uniformly from all boards with N marbles on which the game isn't over; not
/// all of them can be reached in play. The same seed gives the same positions on every machine.
///
/// With --where, positions are drawn from a table, and only those that meet all conditions are
/// written, each at most once: this finds puzzles, for example. The table is chosen by the rules
/// and the number of marbles; if there are several roots, the first one is used. With --solve no
/// table is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Random {
    /// Number of marbles on the board
    #[arg(long, value_name = "N")]
    marbles: u32,

    /// Number of positions
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 0)]
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

    /// Folder of the tables for --where [default: $PENTAGO_TABLES, or the user's data folder]
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

/// Most draws from a table for each position that is wanted.
const DRAWS: usize = 100_000;
/// Boards that proofs may compute for a position that is drawn with --solve: about a second.
const PROOF_BOARDS: u64 = 100_000_000;

impl Random {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let rules = match self.rules.rules {
            GameRules::Pentago(rules) => rules,
            GameRules::Other(other) if self.conditions.is_empty() => {
                let draw = Draw {
                    marbles: usize::try_from(self.marbles)?,
                    count: usize::try_from(self.count)?,
                    seed: self.seed,
                    quiet: self.quiet_positions,
                };
                for position in other.random(&draw)? {
                    writeln!(out, "{position}")?;
                }
                return Ok(out.flush()?);
            }
            rules @ GameRules::Other(_) => rules.pentago("random --where")?,
        };
        if self.solve {
            let drawn = random::stream(rules, self.marbles, self.seed, self.quiet_positions)?;
            self.find(&rules, drawn.map(|p| Ok(p?)), &mut out, |engine, position| {
                let request =
                    Request { proof_boards: Some(PROOF_BOARDS), proofs_only: true, ..Request::default() };
                let answer = engine.answer(&Question::new(position, &request))?;
                self.meets(engine, position, answer)
            })?;
        } else if !self.conditions.is_empty() {
            self.of_tables(&rules, &mut out).map_err(|error| match error.downcast_ref::<Error>() {
                Some(missing) if missing.kind() == ErrorKind::Missing => {
                    missing_data(format!("{missing}; --solve needs no table")).into()
                }
                _ => error,
            })?;
        } else {
            let count = usize::try_from(self.count)?;
            let positions = random::positions(&rules, self.marbles, count, self.seed, self.quiet_positions)?;
            for position in positions {
                writeln!(out, "{}", rules.format_position(&position))?;
            }
        }
        Ok(out.flush()?)
    }

    fn of_tables(&self, rules: &Rules, out: &mut impl Write) -> anyhow::Result<()> {
        let tables = &folder::open(&folder::tables(self.tables.as_deref())?, true)?;
        let table = self.table(rules, tables)?;
        let drawn = sample(std::slice::from_ref(&table), self.seed).map(|(_, stored)| Ok(stored.position));
        self.find(rules, drawn, out, |engine, position| {
            if let Lookup::Value(value) = tables.look_up(rules, position)?
                && !self.wants(value.into())
            {
                return Ok(false);
            }
            let request = Request::default();
            let question = Question::new(position, &request).with(Stored::Tables(tables));
            let answer = engine.known_answer(tables, &question)?;
            self.meets(engine, position, answer)
        })
    }

    /// Writes as many of the positions drawn as are wanted and meet the conditions.
    fn find(
        &self,
        rules: &Rules,
        mut drawn: impl Iterator<Item = anyhow::Result<Position>>,
        out: &mut impl Write,
        mut meets: impl FnMut(&mut Engine, &Position) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let mut engine = Engine::new(*rules, &SolverArgs { quiet: true, ..self.solver.clone() })?;
        let mut seen: HashSet<Board> = HashSet::new();
        for found in 0..self.count {
            let mut next = None;
            for position in drawn.by_ref().take(DRAWS) {
                let position = position?;
                if rules.outcome(&position).is_none()
                    && seen.insert(position.board())
                    && !(self.quiet_positions && wins_at_once(rules, &position))
                    && meets(&mut engine, &position)?
                {
                    next = Some(position);
                    break;
                }
            }
            let Some(position) = next else {
                out.flush()?;
                let text = format!(
                    "only {found} such positions were found: {DRAWS} draws in a row met no further one"
                );
                return Err(bad_input(text).into());
            };
            writeln!(out, "{}", rules.format_position(&position))?;
            out.flush()?;
        }
        Ok(())
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
    fn meets(&self, engine: &mut Engine, position: &Position, answer: Answer) -> anyhow::Result<bool> {
        if !self.wants(answer.value) {
            return Ok(false);
        }
        let best: HashSet<Board> = answer.moves[..answer.best].iter().map(|m| m.position.board()).collect();
        let single = |condition: &Condition| matches!(condition, Condition::OneWin | Condition::OneBest);
        if self.conditions.iter().any(single) && (best.len() != 1 || !answer.complete) {
            return Ok(false);
        }
        let plies = self.conditions.iter().filter_map(|condition| match condition {
            Condition::Distance(plies) => Some(*plies),
            _ => None,
        });
        let Some(plies) = plies.max() else { return Ok(true) };
        if plies > engine.solver().all_plies(position) {
            return Ok(false);
        }
        let request = Request { distance: true, ..Request::default() };
        let answer = engine.answer(&Question::new(position, &request))?;
        Ok(answer.distance.is_some_and(|distance| distance >= plies))
    }

    /// The first table of these rules with the wanted number of marbles.
    fn table<'t>(&self, rules: &Rules, tables: &'t Tables) -> anyhow::Result<(&'t TableSet, &'t Table)> {
        for family in tables.families().iter().filter(|f| f.target().rules == *rules) {
            if let Some(table) =
                u8::try_from(self.marbles).ok().map(|n| family.table(n)).transpose()?.flatten()
            {
                return Ok((family, table));
            }
        }
        let (folder, marbles) = (tables.path().display(), counted(self.marbles, "marble"));
        let text = format!(
            "no table of {rules} positions with {marbles} in {folder}: \
             `pentago info {folder}` lists the tables"
        );
        Err(missing_data(text).into())
    }
}

/// Whether some move wins immediately.
fn wins_at_once(rules: &Rules, position: &Position) -> bool {
    rules.moves(position).into_iter().any(|m| {
        let outcome = rules.play(position, m).ok().and_then(|played| played.outcome);
        outcome.is_some_and(|outcome| Value::of(outcome, position.to_move()) == Value::Win)
    })
}
