//! `pentago perft`: the number of games of each length, the usual test of a move generator.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use pentago_base::counted;
use pentago_games::{Game, Position};
use serde::Serialize;

use crate::engine::pool;
use crate::input;
use crate::options::{GameArg, Threads, number};
use crate::output::{note, plain_stdout, rate};

/// Count the games of each length from a position (perft)
///
/// Prints a line for each depth: the depth and the number of leaves of the game tree. A placement
/// with its turn counts as one move. A game that ends earlier is a leaf where it ends. Different
/// moves that lead to the same board are counted separately.
///
/// With --json, `depths` is a list of `depth` and `nodes`; with --divide, `moves` is a list of `move`
/// and `nodes`, and `total` their sum.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago perft 6/6/6/6/6/6 2")]
pub struct Perft {
    /// The position: rows from the top, quoted, or - to read it from standard input
    position: String,

    /// Depth in moves
    #[arg(value_parser = number(0..=36u32))]
    depth: u32,

    /// Print the count of each first move, then the total
    #[arg(long)]
    divide: bool,

    /// Write the counts as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: GameArg,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N")]
    threads: Option<Threads>,

    /// Write no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

/// The JSON object.
#[derive(Serialize)]
struct Report<'p> {
    position: &'p str,
    rules: String,
    /// The leaves of each depth, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    depths: Option<Vec<OfDepth>>,
    /// With --divide, the leaves below each first move.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<OfMove>>,
    /// With --divide, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    seconds: f64,
}

#[derive(Serialize)]
struct OfDepth {
    depth: u32,
    nodes: u64,
}

#[derive(Serialize)]
struct OfMove {
    #[serde(rename = "move")]
    name: String,
    nodes: u64,
}

impl Perft {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let game = &*self.rules.rules;
        let position = input::position(game, &self.position)?;
        let began = Instant::now();
        let mut report = Report {
            position: &position.text,
            rules: game.rules(),
            depths: None,
            moves: None,
            total: None,
            seconds: 0.0,
        };
        let nodes = pool(Threads::or_all(self.threads))?.install(|| -> anyhow::Result<u64> {
            if self.divide {
                let moves = self.below_each(game, &position)?;
                let nodes = if moves.is_empty() { 1 } else { moves.iter().map(|m| m.nodes).sum() };
                (report.moves, report.total) = (Some(moves), Some(nodes));
                Ok(nodes)
            } else {
                let depths = self.each(game, &position)?;
                let nodes = depths.iter().map(|of| of.nodes).sum();
                report.depths = Some(depths);
                Ok(nodes)
            }
        })?;
        let mut out = plain_stdout();
        if self.json {
            report.seconds = began.elapsed().as_secs_f64();
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else if let Some(total) = report.total {
            writeln!(out, "total {total}")?;
        }
        out.flush()?;
        if !self.quiet {
            let seconds = began.elapsed().as_secs_f64();
            let rate = rate(nodes as f64 / seconds.max(1e-9));
            note(format_args!("{} in {seconds:.3} s, {rate} nodes/s", counted(nodes, "node")));
        }
        Ok(())
    }

    /// Counts the leaves of each depth, and writes each as soon as it is known.
    fn each(&self, game: &dyn Game, position: &Position) -> anyhow::Result<Vec<OfDepth>> {
        let count = |depth| {
            let nodes = game.perft(position, depth);
            if !self.json {
                writeln!(plain_stdout(), "{depth} {nodes}")?;
            }
            Ok(OfDepth { depth, nodes })
        };
        (0..=self.depth).map(count).collect()
    }

    /// Counts the leaves below each first move, and writes them.
    fn below_each(&self, game: &dyn Game, position: &Position) -> anyhow::Result<Vec<OfMove>> {
        let moves = game.divide(position, self.depth).into_iter();
        let moves: Vec<OfMove> = moves.map(|(name, nodes)| OfMove { name, nodes }).collect();
        if !self.json {
            let mut out = plain_stdout();
            moves.iter().try_for_each(|m| writeln!(out, "{} {}", m.name, m.nodes))?;
        }
        Ok(moves)
    }
}
