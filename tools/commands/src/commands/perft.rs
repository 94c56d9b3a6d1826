//! `pentago perft`: counts the games of each length, the usual test of a move generator.

use std::io::Write;
use std::num::NonZero;
use std::time::Instant;

use clap::Args;
use pentago::{Control, Stage};
use pentago_base::counted;
use pentago_games::{Game, Position};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::engine::pool;
use crate::input;
use crate::options::{GameArg, number, threads, threads_or_all};
use crate::output::{note, plain_stdout, rate};
use crate::progress::Progress;

/// Count the games of each length from a position (perft)
///
/// Prints a line for each depth: the depth and the number of leaves of the game tree. A placement
/// with its turn counts as one move. A game that ends before the depth counts as one leaf.
/// Different moves that lead to the same board count separately.
///
/// With --json, `depths` is a list of objects with `depth` and `nodes`. With --divide, `moves` is a
/// list of objects with `move` and `nodes`, and `total` is the sum of all `nodes`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago perft 6/6/6/6/6/6 2")]
pub struct Perft {
    /// Position: rows from the top, quoted, or - for standard input
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
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZero<usize>>,
}

impl Perft {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let game = &*self.rules.rules;
        let position = input::position(game, &self.position)?;
        let began = Instant::now();
        let mut report = json!({ "position": position.text, "rules": game.rules() });
        let nodes = self.count(game, &position, &mut report)?;
        let mut out = plain_stdout();
        if self.json {
            report["seconds"] = began.elapsed().as_secs_f64().into();
            writeln!(out, "{report}")?;
        }
        out.flush()?;
        let seconds = began.elapsed().as_secs_f64();
        let rate = rate(nodes as f64 / seconds.max(1e-9));
        note(format_args!("{} in {seconds:.3} s, {rate} nodes/s", counted(nodes, "node")));
        Ok(())
    }

    /// Counts the leaves of each depth, or with `--divide` the leaves below each first move. Writes
    /// the counts as text, or into `report`. Returns the sum of the counts. A finished game is one
    /// leaf.
    fn count(&self, game: &dyn Game, position: &Position, report: &mut Value) -> anyhow::Result<u64> {
        let (mut counts, mut total) = (Vec::new(), 0);
        let mut add = |name: &str, value: Value, nodes: u64| -> anyhow::Result<()> {
            if !self.json {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writeln!(plain_stdout(), "{text} {nodes}")?;
            }
            counts.push(json!({ name: value, "nodes": nodes }));
            total += nodes;
            Ok(())
        };
        if self.divide {
            for (mv, nodes) in self.divide(game, position, self.depth)? {
                add("move", mv.into(), nodes)?;
            }
        } else {
            // Write each count before computing the next one, which takes much longer.
            for depth in 0..=self.depth {
                let below = self.divide(game, position, depth)?;
                let nodes = if below.is_empty() { 1 } else { below.iter().map(|(_, nodes)| nodes).sum() };
                add("depth", depth.into(), nodes)?;
            }
            report["depths"] = counts.into();
            return Ok(total);
        }
        let total = if counts.is_empty() { 1 } else { total };
        if !self.json {
            writeln!(plain_stdout(), "total {total}")?;
        }
        report["moves"] = counts.into();
        report["total"] = total.into();
        Ok(total)
    }

    /// Counts the leaves below each move with all threads, and shows the number of counted moves as
    /// progress. Returns no moves at depth 0, or if the game is over.
    fn divide(&self, game: &dyn Game, position: &Position, depth: u32) -> anyhow::Result<Vec<(String, u64)>> {
        let Some(below) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let (control, moves, threads) = (Control::new(), game.moves(position), threads_or_all(self.threads));
        let count = |m: String| {
            let nodes = game.perft(&game.play(position, &m).ok()?, below);
            control.add(1);
            Some((m, nodes))
        };
        let mut stage = Stage::new(format!("depth {depth}"), moves.len() as u64, 1);
        stage.unit = "moves";
        let pool = pool(threads)?;
        Ok(Progress::during(&control, threads.get(), |_| {
            control.begin(stage);
            pool.install(|| moves.into_par_iter().filter_map(count).collect())
        }))
    }
}
