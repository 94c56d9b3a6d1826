//! The other games at the same commands: Pentago XL and Pente, chosen by `--rules`.
//!
//! | file | what it represents |
//! |---|---|
//! | `xl`, `pente` | a game's rules, its solver, its certificates, as the commands need them |
//! | `report` | an answer as JSON, and as lines for a person |
//! | `tree` | what `perft` counts, of Pentago too |
//! | `tables`, `xl_tables`, `pente_tables` | tables: building, probing, listing, verifying them |
//! | `watched` | progress of long work |

mod pente;
mod pente_tables;
mod report;
pub mod tables;
mod tree;
mod watched;
mod xl;
mod xl_tables;

use std::io::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use pentago::kernel::Kernel;
use pentago::rules::{Position, Rules};
use pentago::solve::{ForwardGame, side_of};
use pentago::{Clock, Control};
use pentago_search::{Budget, Certificate, Goal, Method, NoCertificate, Notation, Table};

use crate::args::SolverArgs;
use crate::exit::{bad_input, missing_data};
use crate::lines::{lines, refusal};
use crate::output::{note, stdout, thousands};
use crate::{engine, input, interrupt};
pub use report::Report;
pub use tree::Tree;

/// The rules of any of the games.
#[derive(Debug, Clone, Copy)]
pub enum GameRules {
    /// Pentago and Mini-Pentago.
    Pentago(Rules),
    /// Pentago XL or Pente.
    Other(Other),
}

/// The rules of a game other than Pentago.
#[derive(Debug, Clone, Copy)]
pub enum Other {
    /// Pentago XL.
    Xl(pentago_xl::Rules),
    /// Pente.
    Pente(pentago_pente::Rules),
}

impl FromStr for GameRules {
    type Err = String;

    fn from_str(text: &str) -> Result<GameRules, String> {
        let game = text.trim().split(':').next().unwrap_or_default().trim();
        match game {
            "xl" => text
                .parse()
                .map(|r| GameRules::Other(Other::Xl(r)))
                .map_err(|e: pentago_xl::ParseError| e.to_string()),
            "pente" => text
                .parse()
                .map(|r| GameRules::Other(Other::Pente(r)))
                .map_err(|e: pentago_pente::rules::ParseError| e.to_string()),
            _ => text.parse().map(GameRules::Pentago).map_err(|e: pentago::ParseError| {
                let others = if e.message().contains("expected one of") { ", xl, pente" } else { "" };
                pentago::ParseError::new(e.text(), e.span(), format!("{}{others}", e.message())).to_string()
            }),
        }
    }
}

/// The rules that a command plays by, of any game.
#[derive(Debug, Clone, Copy, Args)]
pub struct GameArg {
    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop, xl:seats=4 or
    /// pente:n=5,k=4 (see `pentago rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago")]
    pub rules: GameRules,
}

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Other::Xl(rules) => rules.fmt(f),
            Other::Pente(rules) => rules.fmt(f),
        }
    }
}

impl GameRules {
    /// The rules of Pentago, for a command that knows no other game.
    ///
    /// # Errors
    /// If they are those of another game.
    pub fn pentago(&self, command: &str) -> anyhow::Result<Rules> {
        match self {
            GameRules::Pentago(rules) => Ok(*rules),
            GameRules::Other(other) => {
                let text =
                    format!("`pentago {command}` knows Pentago and Mini-Pentago, not {}", other.name());
                Err(bad_input(text).into())
            }
        }
    }
}

impl GameRules {
    /// `pentago prove`.
    ///
    /// # Errors
    /// If the position can't be read, or no win was proved.
    pub fn prove(self, position: &str, question: &Question) -> anyhow::Result<Certificate> {
        match self {
            GameRules::Pentago(rules) => prove(rules, &input::position(&rules, position)?, question),
            GameRules::Other(other) => other.prove(position, question),
        }
    }
}

/// A certificate that the side to move wins, by forward search.
fn prove(rules: Rules, position: &Position, question: &Question) -> anyhow::Result<Certificate> {
    let game = ForwardGame::new(rules, *position);
    let mut game = game.ok_or_else(|| bad_input("the turn is pending: give a position between two moves"))?;
    let goal = Goal::win(side_of(position.to_move()));
    search(&mut game, goal, question)
}

/// A certificate for a goal, by forward search within the limits.
fn search<G: Notation>(game: &mut G, goal: Goal, question: &Question) -> anyhow::Result<Certificate> {
    let bytes = usize::try_from(question.memory / 2).unwrap_or(1 << 30);
    let mut table = Table::new(bytes).context("not enough memory")?;
    let mut budget = Budget::watched(u64::MAX, &question.in_time());
    let method = question.depth.map_or(Method::Any, Method::Shortest);
    pentago_search::prove(game, goal, method, &mut table, &mut budget).map_err(no_certificate)
}

/// There is nothing to prove any more.
fn game_over() -> anyhow::Error {
    missing_data("the game is over in this position: the side to move can't win any more").into()
}

/// Why there is no certificate, as an error of the command line.
fn no_certificate(error: NoCertificate) -> anyhow::Error {
    match error {
        NoCertificate::Stopped if interrupt::control().is_cancelled() => pentago::Stopped.into(),
        NoCertificate::Stopped => missing_data(
            "no win was proved in time: allow more with --time, or ask nearer to the end of the game",
        )
        .into(),
        NoCertificate::Refuted => missing_data("the side to move has no such win").into(),
        other => other.into(),
    }
}

/// What is asked of a position.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// With the distance to the end.
    pub distance: bool,
    /// No forced win longer than this is looked for.
    pub depth: Option<u32>,
    /// Whether an unknown value is an error.
    pub exact: bool,
    /// The time for it.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
    /// The kernel, if not the fastest.
    pub kernel: Option<Kernel>,
    /// What stops it.
    pub control: &'a Control,
}

/// What `random` draws.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// Marbles or stones on the board.
    pub marbles: usize,
    /// How many positions.
    pub count: usize,
    /// The seed.
    pub seed: u64,
    /// None in which a move wins immediately.
    pub quiet: bool,
}

/// A game as the commands need it: positions are texts here, read by the game itself.
pub trait Game {
    /// A position.
    type Position;

    /// Reads a position.
    fn read(&self, text: &str) -> anyhow::Result<Self::Position>;

    /// What is known about a position.
    fn solve(&mut self, position: &Self::Position, question: &Question) -> anyhow::Result<Report>;

    /// Games of this length, and those that end earlier.
    fn perft(&self, position: &Self::Position, depth: u32) -> u64;

    /// The number of such games for each first move.
    fn divide(&self, position: &Self::Position, depth: u32) -> Vec<(String, u64)>;

    /// Random positions.
    fn random(&self, draw: &Draw) -> anyhow::Result<Vec<String>>;

    /// Groups of symmetries: name, order, canonical form, orbit, stabiliser.
    fn symmetries(&self, position: &Self::Position) -> Vec<(&'static str, u64, String, u64, u64)>;

    /// A certificate that the side to move wins.
    fn prove(&self, position: &Self::Position, question: &Question) -> anyhow::Result<Certificate>;
}

impl Other {
    /// Reads a position: its canonical text.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(self, position: &str) -> anyhow::Result<String> {
        let question = Question::small();
        match self {
            Other::Xl(rules) => {
                let moment = xl::Xl::new(rules, &question).read(position)?;
                Ok(rules.format_moment(&moment))
            }
            Other::Pente(rules) => {
                let position = pente::Pente::new(rules, &question).read(position)?;
                Ok(rules.format_position(&position))
            }
        }
    }

    /// What is known about a position.
    ///
    /// # Errors
    /// If the position can't be read or asked about.
    pub fn answer(self, position: &str, question: &Question) -> anyhow::Result<Report> {
        match self {
            Other::Xl(rules) => answer(&mut xl::Xl::new(rules, question), position, question),
            Other::Pente(rules) => answer(&mut pente::Pente::new(rules, question), position, question),
        }
    }

    /// The name of the game.
    pub fn name(&self) -> &'static str {
        match self {
            Other::Xl(_) => "Pentago XL",
            Other::Pente(_) => "Pente",
        }
    }

    /// `pentago solve`.
    ///
    /// # Errors
    /// If the position can't be read or asked about.
    pub fn solve(
        self,
        position: Option<&str>,
        question: &Question,
        json: bool,
        args: &SolverArgs,
    ) -> anyhow::Result<()> {
        let solve = || match self {
            Other::Xl(rules) => solve(xl::Xl::new(rules, question), position, question, json, args),
            Other::Pente(rules) => solve(pente::Pente::new(rules, question), position, question, json, args),
        };
        engine::pool(args.threads())?.install(solve)
    }

    /// `pentago random`.
    ///
    /// # Errors
    /// If there are no such positions.
    pub fn random(self, draw: &Draw) -> anyhow::Result<Vec<String>> {
        let question = Question::small();
        match self {
            Other::Xl(rules) => xl::Xl::new(rules, &question).random(draw),
            Other::Pente(rules) => pente::Pente::new(rules, &question).random(draw),
        }
    }

    /// `pentago symmetries`.
    ///
    /// # Errors
    /// If the position can't be read.
    pub fn symmetries(self, position: &str, json: bool) -> anyhow::Result<()> {
        let question = Question::small();
        match self {
            Other::Xl(rules) => symmetries(&xl::Xl::new(rules, &question), position, json),
            Other::Pente(rules) => symmetries(&pente::Pente::new(rules, &question), position, json),
        }
    }

    /// `pentago prove`.
    ///
    /// # Errors
    /// If the position can't be read, or no win was proved.
    pub fn prove(self, position: &str, question: &Question) -> anyhow::Result<Certificate> {
        match self {
            Other::Xl(rules) => {
                let game = xl::Xl::new(rules, question);
                game.prove(&game.read(&input::text(position)?)?, question)
            }
            Other::Pente(rules) => {
                let game = pente::Pente::new(rules, question);
                game.prove(&game.read(&input::text(position)?)?, question)
            }
        }
    }
}

/// What is known about a position of Pentago XL.
///
/// # Errors
/// If it was stopped, or there isn't enough memory.
pub fn xl_report(
    rules: pentago_xl::Rules,
    position: &pentago_xl::Moment,
    question: &Question,
) -> anyhow::Result<Report> {
    xl::Xl::new(rules, question).solve(position, question)
}

/// What a solver's answer about a position of Pente says.
pub fn pente_report(rules: pentago_pente::Rules, answer: &pentago_pente::Answer) -> Report {
    pente::report(rules, answer)
}

impl<'a> Question<'a> {
    /// With this time and so many bytes of memory, and nothing else asked for.
    pub fn new(time: Duration, memory: u64, control: &'a Control) -> Question<'a> {
        Question { distance: false, depth: None, exact: false, time, memory, kernel: None, control }
    }

    /// What stops a solution that begins now: its time is up, or the program is to end.
    fn in_time(&self) -> Control {
        self.control.within(&Clock::default(), self.time)
    }

    /// For what needs no solver: next to no memory.
    fn small() -> Question<'a> {
        Question::new(Duration::ZERO, 1 << 20, interrupt::control())
    }
}

/// The answer for a position, with the time that it took.
fn answer<G: Game>(game: &mut G, position: &str, question: &Question) -> anyhow::Result<Report> {
    let position = game.read(position)?;
    let began = Instant::now();
    let report = game.solve(&position, question)?.after(began.elapsed());
    if question.exact && report.value == pentago::Value::Unknown {
        let proved = report.proved.first().map(|proved| format!(" ({proved})")).unwrap_or_default();
        return Err(missing_data(format!(
            "the value was not found{proved}: allow more with --time and --memory, or leave out --exact"
        ))
        .into());
    }
    Ok(report)
}

fn solve<G: Game>(
    mut game: G,
    position: Option<&str>,
    question: &Question,
    json: bool,
    args: &SolverArgs,
) -> anyhow::Result<()> {
    let mut out = stdout();
    let Some(position) = position else {
        return batch(&mut game, question, &mut out);
    };
    let report = answer(&mut game, &input::text(position)?, question)?;
    if json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        report.write(&mut out)?;
        if !args.quiet {
            note(report.work());
        }
    }
    Ok(out.flush()?)
}

/// One position a line, one JSON object a line.
fn batch<G: Game>(game: &mut G, question: &Question, out: &mut impl Write) -> anyhow::Result<()> {
    each_line(out, &mut |text| Ok(serde_json::to_string(&answer(game, text, question)?)?))
}

/// Answers each line of standard input with a line: what `answer` says, or its error.
fn each_line(
    out: &mut impl Write,
    answer: &mut dyn FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    for line in lines(std::io::stdin().lock()) {
        let line = line.context("reading standard input")?;
        let text = line.text().and_then(&mut *answer);
        writeln!(out, "{}", text.unwrap_or_else(|error| refusal(line.number, &error)))?;
        out.flush()?;
        if interrupt::control().is_cancelled() {
            return Err(pentago::Stopped.into());
        }
    }
    Ok(())
}

fn symmetries<G: Game>(game: &G, position: &str, json: bool) -> anyhow::Result<()> {
    let position = game.read(&input::text(position)?)?;
    let mut out = std::io::stdout().lock();
    let groups = game.symmetries(&position);
    if json {
        let group = |(name, order, canonical, orbit, stabiliser): &(&str, u64, String, u64, u64)| {
            let value = serde_json::json!({
                "order": order, "canonical": canonical, "orbit": orbit, "stabiliser": stabiliser
            });
            (name.replace(' ', "_"), value)
        };
        let all: serde_json::Map<_, _> = groups.iter().map(group).collect();
        writeln!(out, "{}", serde_json::Value::Object(all))?;
        return Ok(());
    }
    for (name, order, canonical, orbit, stabiliser) in groups {
        writeln!(out, "{} symmetries of the {name}", thousands(order))?;
        writeln!(out, "  canonical  {canonical}")?;
        writeln!(out, "  orbit      {}", thousands(orbit))?;
        writeln!(out, "  stabiliser {}", thousands(stabiliser))?;
    }
    Ok(())
}
