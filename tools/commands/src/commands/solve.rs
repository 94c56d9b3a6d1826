//! `pentago solve`: the value of a position and of every move.

use clap::Args;
use pentago_games::Question;

use super::answer::AnswerArgs;
use crate::options::number;

/// Solve a position: its value and the value of every move
///
/// Late positions are solved to the end of the game. Where that doesn't fit in memory (typically
/// below 15 marbles), proofs are tried first, in which the winner uses only some of his moves. Then
/// the position is searched 1, 2, 3... plies deep until it is decided or the memory or time budget
/// is used up. If its value is still open then, the answer is `unknown`, together with what has
/// been proved. The published values of positions with up to 6 marbles are part of the program and
/// are used without search, unless a depth or an exact solution is asked for.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    /// Also compute the distance to the end in plies, and a line of best moves
    #[arg(long)]
    distance: bool,

    /// Limit the search to PLIES
    ///
    /// Of Pentago XL and Pente, this limits the forced wins that all moves are searched for where a
    /// position isn't solved otherwise: what threats or an exhaustive search decide is found all the
    /// same. `prove --depth` looks for the shortest win.
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["exact", "proofs_only"],
          value_parser = number(1..=99u8))]
    depth: Option<u8>,

    /// Solve to the end of the game, or fail if that doesn't fit in memory
    #[arg(long, conflicts_with = "proofs_only")]
    exact: bool,

    #[command(flatten)]
    answer: AnswerArgs,
}

const EXAMPLES: &str = "\
Examples:
  pentago solve --distance '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'
  pentago random --marbles 24 --count 100 --seed 1 | pentago solve --batch";

impl Solve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Solve { distance, depth, exact, answer } = self;
        let depth = depth.map(u32::from);
        let question = Question { distance, depth, exact, ..answer.question()? };
        answer.run(question)
    }
}
