//! `pentago solve`: computes the value of a position and of every move.

use clap::Args;
use pentago_games::Question;

use super::answer::AnswerArgs;
use crate::options::number;

/// Solve a position: its value and the value of every move
///
/// Late positions are solved to the end of the game. If the solution doesn't fit in memory
/// (typically below 15 marbles) or in --time, the program first tries proofs, in which the winner
/// uses only some of the moves. Then it searches the position 1, 2, 3... plies deep, until the
/// position is decided or the memory or the time is used up. If the value is still open then, the
/// answer is `unknown`, with the bounds that have been proved. Positions with up to 6 marbles have
/// published values, which are part of the program; they are not searched, unless --depth or
/// --exact is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pentago solve --distance '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o'
  pentago random --marbles 24 --count 100 --seed 1 | pentago solve --batch")]
pub struct Solve {
    /// Also compute the distance to the end in plies, and for Pentago a line of best moves
    #[arg(long)]
    distance: bool,

    /// Largest depth of the search in plies
    ///
    /// For Pentago XL and Pente, this is the largest length of forced wins that the search of all
    /// moves looks for. Wins by threats and exhaustive searches are not limited. `prove --depth`
    /// finds the shortest win.
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["exact", "proofs_only"],
          value_parser = number(1..=99u8))]
    depth: Option<u8>,

    /// Solve to the end of the game, or fail if the solution exceeds the memory or --time
    #[arg(long, conflicts_with = "proofs_only")]
    exact: bool,

    #[command(flatten)]
    answer: AnswerArgs,
}

impl Solve {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Solve { distance, depth, exact, answer } = self;
        let depth = depth.map(u32::from);
        let question = Question { distance, depth, exact, ..answer.question()? };
        answer.run(question, None)
    }
}
