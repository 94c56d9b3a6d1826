//! `pentago random`: random positions.

use std::io::{BufWriter, Write};

use clap::Args;
use pentago_solver::rules::random;

use crate::args::RulesArg;

/// Write random positions, one a line
///
/// The same seed gives the same positions on every machine. Each is drawn from all positions with
/// so many marbles whose game is not over; play may not reach all of them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago random --marbles 26 --count 1000 --seed 7")]
pub struct Random {
    /// Marbles on the board
    #[arg(long, value_name = "N")]
    marbles: u32,

    /// Positions to write
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,

    /// Seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Only positions where the side to move has no move that wins at once
    #[arg(long)]
    quiet_positions: bool,

    #[command(flatten)]
    rules: RulesArg,
}

impl Random {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = self.rules.rules;
        let count = usize::try_from(self.count)?;
        let positions = random::positions(&rules, self.marbles, count, self.seed, self.quiet_positions)?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        for position in positions {
            writeln!(out, "{}", rules.format_position(&position))?;
        }
        out.flush()?;
        Ok(())
    }
}
