//! `pentago query`: looks up the value of a position and of every move in tables.

use std::path::PathBuf;

use clap::Args;
use pentago_games::Question;

use super::answer::AnswerArgs;
use crate::exit::bad_input;
use crate::folder;

/// Look up a position in tables: its value and the value of every move
///
/// The position and its moves are looked up in the tables, up to rotations of quadrants and
/// symmetries of the board. Values that no table holds are solved if time and memory allow. Each
/// value comes with its source: `rules` (the game is over), `table`, `published` (a position with
/// up to 6 marbles, whose values are part of the program), `solved`, `proof` or `unknown` (with the
/// reason).
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago query '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --tables tables")]
pub struct Query {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder if it
    /// has any]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Only look values up; solve nothing
    #[arg(long, conflicts_with_all = ["distance", "time", "proofs_only", "proof_boards"])]
    no_solve: bool,

    /// Also compute the distance to the end in plies, and for Pentago a line of best moves
    #[arg(long)]
    distance: bool,

    #[command(flatten)]
    answer: AnswerArgs,
}

impl Query {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Query { tables, no_solve, distance, answer } = self;
        if no_solve && answer.solver.names_kernel() {
            return Err(bad_input("--no-solve solves nothing: leave out --kernel"));
        }
        // Leak the tables, because the worker threads of a batch use them until the process ends.
        let tables = Box::leak(Box::new(folder::with_openings(tables.as_deref())?));
        let question = Question { distance, tables_only: no_solve, ..answer.question()? };
        answer.run(question, Some(tables))
    }
}
