//! Compares the counts of Pentago's tables with known counts.

use std::io::Write;

use ::pentago::rules::{Rules, Shape};
use ::pentago::{Error, ErrorKind};
use ::pentago_core::index::Sections;
use ::pentago_core::values::{Wdl, WdlCounts};
use ::pentago_tables::probe::{Tablebase, Tables};
use ::pentago_tables::tables::{Domain, Target};
use ::pentago_tables::verify::counts::mini::{KnownValues, ReachError, ReachableCounts};
use ::pentago_tables::verify::counts::{BySection, Compared, known, mini, recount, stored};
use pentago_base::thousands;

use crate::error::{Result, missing};
use crate::tables::{KnownCounts, not_compared};

/// Returns the error for a wrong count or a damaged table.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Contradiction, error.to_string())
}

/// Compares the counts of complete games with known counts. Implements
/// [`GameTables::counts`](crate::GameTables::counts).
pub fn compare(tables: &Tables, asked: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
    let (mut compared, mut sections) = (0, 0);
    for family in tables.stored() {
        let rules = family.target().rules;
        compared += if family.target().domain != Domain::Game {
            let why = "counts are known only for complete games";
            usize::from(not_compared(out, &family.target().to_string(), why)?)
        } else if rules == Rules::default() {
            let [of_sections, slices] = pentago(out, tables, asked.published.as_ref(), asked.marbles)?;
            if family.headers().any(|header| header.slice >= known::SLICES) && asked.marbles.is_none() {
                let full = format!("{rules}, {} marbles", known::SLICES);
                not_compared(out, &full, "no counts of full boards are known")?;
            }
            sections += of_sections;
            slices
        } else if rules.shape == Shape::Pentago {
            usize::from(not_compared(out, &rules.to_string(), "no counts are known for these rules")?)
        } else {
            let whole = mini_pentago(out, tables, family, asked.marbles)?;
            if whole { family.len() } else { 0 }
        };
        out.flush().map_err(Error::from)?;
    }
    if asked.published.is_some() && sections == 0 {
        return Err(missing(
            "nothing was compared with --against: the tables have none of the given sections",
        ));
    }
    Ok(compared)
}

/// Compares the counts of Pentago under the default rules with known counts, and writes a table of
/// the results. Returns the number of compared sections and the number of compared slices.
fn pentago(
    out: &mut dyn Write,
    tables: &Tables,
    published: Option<&BySection>,
    marbles: Option<u8>,
) -> Result<[usize; 2]> {
    let rules = Rules::default();
    let wanted = |slice| slice < known::SLICES && marbles.is_none_or(|marbles| marbles == slice);
    let slices = stored(tables, rules, wanted).map_err(failed)?;
    if slices.is_empty() {
        return Ok([0, 0]);
    }
    writeln!(out, "counts: {rules}")?;
    row(out, "marbles", ["agree", "stored", "in the game"].map(str::to_owned), "whole slice")?;
    let (mut sections, mut some, mut first) = (Compared::default(), 0, None);
    for slice in &slices {
        let compared = published.map(|published| slice.against(published)).unwrap_or_default();
        sections.compared += compared.compared;
        sections.agree += compared.agree;
        let expected = known::slice(&rules, slice.marbles).filter(|_| slice.is_whole());
        let difference = expected.and_then(|expected| slice.differs(expected));
        let all = match (expected, difference) {
            (None, _) => "-",
            (Some(_), None) => "agrees",
            (Some(_), Some(_)) => "DIFFERS",
        };
        some += usize::from(compared.compared > 0 || expected.is_some());
        first = first.or(compared.first).or(difference);
        let [attempted, in_game] = [slice.sections.len(), slice.in_game].map(|n| thousands(n as u64));
        row(out, &slice.marbles.to_string(), [agreeing(compared), attempted, in_game], all)?;
    }
    let game = Sections::of(rules.shape, rules.dir);
    let in_game = (0..known::SLICES).map(|n| game.standard(n.into()).len() as u64).sum();
    let attempted = slices.iter().map(|slice| slice.sections.len() as u64).sum();
    row(out, "all", [agreeing(sections), thousands(attempted), thousands(in_game)], "")?;
    match first {
        Some(difference) => Err(failed(format_args!("{rules}: {difference}"))),
        None => Ok([sections.compared, some]),
    }
}

/// Formats the number of sections that agree, or `-` if none could be compared.
fn agreeing(sections: Compared) -> String {
    if sections.compared == 0 { "-".to_owned() } else { thousands(sections.agree as u64) }
}

/// Writes one line of the table of results.
fn row(
    out: &mut dyn Write,
    marbles: &str,
    [agreeing, attempted, in_game]: [String; 3],
    all: &str,
) -> std::io::Result<()> {
    let line = format!("{marbles:>7} {agreeing:>12} / {attempted:>9} / {in_game:>11}   {all}");
    writeln!(out, "{}", line.trim_end())
}

/// Compares the complete game of Mini-Pentago under some rules. Returns `false` if the game can't
/// be compared.
fn mini_pentago(
    out: &mut dyn Write,
    tables: &Tables,
    family: &Tablebase,
    marbles: Option<u8>,
) -> Result<bool> {
    let rules = family.target().rules;
    let name = rules.to_string();
    if marbles.is_some() {
        let why = "counts are known for the complete game, not for single slices";
        return not_compared(out, &name, why);
    }
    let Some(known) = mini::known(&rules) else {
        return not_compared(out, &name, "no counts are known for these rules");
    };
    let default = Target { rules: Rules::mini(), domain: Domain::Game };
    let other = match known {
        KnownValues::Variant { .. } => tables.families.iter().find(|family| *family.target() == default),
        _ => None,
    };
    if matches!(known, KnownValues::Variant { .. }) && other.is_none() {
        let why = "this needs the tables of mini, which aren't in the folder";
        return not_compared(out, &name, why);
    }
    for slice in family.headers().map(|header| header.slice) {
        let table = family.table(slice).map_err(failed)?;
        if let Some(difference) = table.map(recount).transpose().map_err(failed)?.flatten() {
            return Err(failed(format_args!("{rules}: {difference} (counting its values again)")));
        }
    }
    let reached = match mini::reached(family, other) {
        Ok(reached) => reached,
        Err(ReachError::Missing(missing)) => return not_compared(out, &name, &missing.to_string()),
        Err(ReachError::Table(error)) => return Err(failed(error)),
    };
    if let Some(contradicted) = known.contradicted(&reached) {
        return Err(failed(format_args!("{rules}: {contradicted}")));
    }
    write_mini(out, &rules, known, &reached)?;
    Ok(true)
}

/// Writes a line about a complete game of Mini-Pentago that agrees with its known counts.
fn write_mini(
    out: &mut dyn Write,
    rules: &Rules,
    known: KnownValues,
    reached: &ReachableCounts,
) -> std::io::Result<()> {
    let WdlCounts { wins, draws, losses } = reached.sum();
    let all = thousands(wins + draws + losses);
    write!(out, "counts: {rules}: as expected: ")?;
    match known {
        KnownValues::Slices(_) | KnownValues::Sum(_) => {
            let [wins, draws, losses] = [wins, draws, losses].map(thousands);
            writeln!(
                out,
                "{all} reachable positions\n  {wins} wins, {draws} draws, {losses} losses for the side to move"
            )
        }
        KnownValues::Variant { .. } => {
            let first = match reached.first {
                Wdl::Win => "a win",
                Wdl::Draw => "a draw",
                Wdl::Loss => "a loss",
            };
            let differing = thousands(reached.differing);
            writeln!(
                out,
                "the empty board is {first}\n  {differing} of {all} values differ from those under mini"
            )
        }
    }
}
