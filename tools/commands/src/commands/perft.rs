//! `pentago perft`: the number of games of each length, the usual test of a move generator.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use pentago_games::{Game, Position};

use crate::args::{GameArg, Threads};
use crate::engine::pool;
use crate::input;
use crate::output::{note, rate, thousands};

/// Count the games of each length from a position (perft)
///
/// Prints a line for each depth: the depth and the number of leaves of the game tree. A placement
/// with its turn counts as one move. A game that ends earlier is a leaf where it ends. Different
/// moves that lead to the same board are counted separately.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago perft 6/6/6/6/6/6 2")]
pub struct Perft {
    /// The position: rows from the top, quoted, or - to read it from standard input
    position: String,

    /// Depth in moves
    #[arg(value_parser = clap::value_parser!(u32).range(0..=36))]
    depth: u32,

    /// Print the count of each first move, then the total
    #[arg(long)]
    divide: bool,

    #[command(flatten)]
    rules: GameArg,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N")]
    threads: Option<Threads>,

    /// Write no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

impl Perft {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let game = &*self.rules.rules;
        let position = input::position(game, &self.position)?;
        let began = Instant::now();
        let nodes = pool(Threads::or_all(self.threads))?.install(|| {
            if self.divide { self.below_each(game, &position) } else { self.each(game, &position) }
        })?;
        if !self.quiet {
            let seconds = began.elapsed().as_secs_f64();
            let rate = rate(nodes as f64 / seconds.max(1e-9));
            note(format_args!("{} nodes in {seconds:.3} s, {rate} nodes/s", thousands(nodes)));
        }
        Ok(())
    }

    /// Writes the count of each depth; returns their sum.
    fn each(&self, game: &dyn Game, position: &Position) -> anyhow::Result<u64> {
        let mut out = std::io::stdout().lock();
        let mut nodes = 0;
        for depth in 0..=self.depth {
            let count = game.perft(position, depth);
            nodes += count;
            writeln!(out, "{depth} {count}")?;
        }
        Ok(nodes)
    }

    /// Writes the count of each first move, then their sum, which it returns.
    fn below_each(&self, game: &dyn Game, position: &Position) -> anyhow::Result<u64> {
        let mut out = std::io::stdout().lock();
        let moves = game.divide(position, self.depth);
        for (name, count) in &moves {
            writeln!(out, "{name} {count}")?;
        }
        let nodes = if moves.is_empty() { 1 } else { moves.iter().map(|(_, count)| count).sum() };
        writeln!(out, "total {nodes}")?;
        Ok(nodes)
    }
}
