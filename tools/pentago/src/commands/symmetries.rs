//! `pentago symmetries`: what is the same as a position.

use std::io::Write;

use clap::Args;
use pentago::rules::{Position, Rules};
use pentago::symmetry::Group;
use serde::Serialize;

use crate::args::RulesArg;
use crate::input;
use crate::output::thousands;

/// The canonical forms of a position, and how many boards are the same
///
/// Two groups act on boards: the 8 symmetries of the whole board (with dir=cw the 4 quarter turns),
/// which keep the value of a position; and these together with all turns of single blocks, 2,048 in
/// all (1,024), which keep no value, but the set of boards that turns make of one board. The
/// canonical form is the least board of the orbit; the stabiliser are the elements that change
/// nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago symmetries 'X5/6/6/6/6/6'")]
pub struct Symmetries {
    /// The position: quoted rows from the top, or - to read it from standard input
    position: String,

    #[command(flatten)]
    rules: RulesArg,

    /// Write one JSON object
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
        let rules = self.rules.rules;
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
            ("symmetries of the whole board", &report.whole_board),
            ("symmetries with turns of blocks", &report.with_blocks),
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
