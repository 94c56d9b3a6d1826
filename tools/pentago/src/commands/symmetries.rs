//! `pentago symmetries`: canonical forms, orbits and stabilisers.

use std::io::Write;

use clap::Args;
use pentago::rules::{Position, Rules};
use pentago::symmetry::Group;
use serde::Serialize;

use crate::games::{GameArg, GameRules};
use crate::input;
use crate::output::thousands;

/// Print the canonical forms and orbits of a position
///
/// Two groups act on boards. The 8 symmetries of the board (with dir=cw, its 4 rotations) preserve
/// the value of a position. Together with all rotations of single quadrants they form a group of
/// 2,048 elements (with dir=cw, 1,024); these preserve the set of boards that can be reached by
/// turning quadrants, but not the value. The canonical form is the least board of the orbit, and
/// the stabiliser consists of the elements that leave the board unchanged.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago symmetries 'X5/6/6/6/6/6'")]
pub struct Symmetries {
    /// The position: rows from the top, quoted, or - to read it from standard input
    position: String,

    #[command(flatten)]
    rules: GameArg,

    /// Write the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// The JSON object for one position.
#[derive(Serialize)]
struct Report {
    position: String,
    rules: String,
    whole_board: UnderGroup,
    with_blocks: UnderGroup,
}

/// A board under a group.
#[derive(Serialize)]
struct UnderGroup {
    /// Elements of the group.
    order: u32,
    canonical: String,
    orbit: u32,
    stabiliser: u32,
}

impl Symmetries {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let rules = match self.rules.rules {
            GameRules::Pentago(rules) => rules,
            GameRules::Other(other) => return other.symmetries(&self.position, self.json),
        };
        let position = input::position(&rules, &self.position)?;
        let report = Report {
            position: rules.format_position(&position),
            rules: rules.to_string(),
            whole_board: under(Group::whole_board(rules.dir), &rules, &position),
            with_blocks: under(Group::with_quadrants(rules.dir), &rules, &position),
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(());
        }
        writeln!(out, "position {}", report.position)?;
        for (name, under) in [
            ("symmetries of the board", &report.whole_board),
            ("symmetries with rotations of quadrants", &report.with_blocks),
        ] {
            writeln!(out, "\n{} {name}", thousands(under.order.into()))?;
            writeln!(out, "  canonical  {}", under.canonical)?;
            writeln!(out, "  orbit      {}", thousands(under.orbit.into()))?;
            writeln!(out, "  stabiliser {}", thousands(under.stabiliser.into()))?;
        }
        Ok(())
    }
}

fn under(group: Group, rules: &Rules, position: &Position) -> UnderGroup {
    let (shape, board) = (rules.shape, position.board());
    let canonical = group.canonical(shape, board).by().image(position);
    UnderGroup {
        order: group.order(),
        canonical: rules.format_position(&canonical),
        orbit: group.orbit_size(shape, board),
        stabiliser: group.stabiliser_size(shape, board),
    }
}
