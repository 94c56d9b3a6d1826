//! `pentago symmetries`: prints canonical forms, orbits and stabilisers.

use std::io::Write;

use clap::Args;
use serde_json::json;

use crate::exit::missing_data;
use crate::input;
use crate::options::GameArg;
use crate::output::{plain_stdout, thousands};

/// Print the canonical forms and orbits of a position
///
/// Two groups act on boards. The first group has the 8 symmetries of the board (with dir=cw, its 4
/// rotations), which preserve the value of a position. The second group also has all rotations of
/// single quadrants: 2,048 elements (with dir=cw, 1,024). The elements of this group preserve the
/// set of boards that turning quadrants can reach, but not the value. The canonical form is the
/// least board of the orbit, and the stabiliser consists of the elements that leave the board
/// unchanged.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago symmetries 'X5/6/6/6/6/6'")]
pub struct Symmetries {
    /// Position: rows from the top, quoted, or - for standard input
    position: String,

    #[command(flatten)]
    rules: GameArg,

    /// Write the result as one JSON object
    #[arg(long)]
    json: bool,
}

impl Symmetries {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let game = &*self.rules.rules;
        let position = input::position(game, &self.position)?;
        let orbits = game.symmetries(&position);
        if orbits.is_empty() {
            return Err(missing_data(format!("no symmetries of {} are known", game.rules())));
        }
        let mut out = plain_stdout();
        if self.json {
            let mut object = json!({ "position": position.text, "rules": game.rules() });
            for orbit in &orbits {
                object[orbit.key] = json!({
                    "order": orbit.order, "canonical": orbit.canonical, "orbit": orbit.orbit,
                    "stabiliser": orbit.stabiliser,
                });
            }
            return Ok(writeln!(out, "{object}")?);
        }
        writeln!(out, "position {}", position.text)?;
        for orbit in &orbits {
            writeln!(out, "\n{} {}", thousands(orbit.order), orbit.name)?;
            writeln!(out, "  canonical  {}", orbit.canonical)?;
            writeln!(out, "  orbit      {}", thousands(orbit.orbit))?;
            writeln!(out, "  stabiliser {}", thousands(orbit.stabiliser))?;
        }
        Ok(())
    }
}
