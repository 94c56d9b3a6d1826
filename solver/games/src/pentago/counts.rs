//! Counts of tables against known counts.

use std::io::Write;

use ::pentago::rules::{Rules, Shape};
use ::pentago::{Error, ErrorKind};
use ::pentago_core::index::Sections;
use ::pentago_core::values::Wdl;
use ::pentago_tables::probe::{TableSet, Tables};
use ::pentago_tables::tables::{Domain, Target};
use ::pentago_tables::verify::counts::mini::{KnownValues, ReachError};
use ::pentago_tables::verify::counts::{BySection, Compared, known, mini, recount, stored};
use pentago_base::thousands;

use crate::tables::{KnownCounts, not_compared};
use crate::{Result, missing};

/// A wrong count, or a damaged table.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Contradiction, error.to_string())
}

/// [`Opened::counts`](crate::Opened::counts).
pub fn compare(tables: &Tables, asked: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
    let (mut compared, mut sections) = (0, 0);
    for family in tables.stored().filter(|family| family.target().domain == Domain::Game) {
        let rules = family.target().rules;
        compared += if rules == Rules::default() {
            let [of_sections, whole] = pentago(out, tables, asked.published.as_ref(), asked.marbles)?;
            sections += of_sections;
            of_sections + whole
        } else if rules.shape == Shape::Pentago {
            usize::from(not_compared(out, &rules.to_string(), "no counts are known for these rules")?)
        } else {
            usize::from(mini_pentago(out, tables, family, asked.marbles)?)
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

/// The scoreboard of Pentago; how many sections and slices were compared.
fn pentago(
    out: &mut dyn Write,
    tables: &Tables,
    published: Option<&BySection>,
    marbles: Option<u8>,
) -> Result<[usize; 2]> {
    let rules = Rules::default();
    let wanted = |slice| slice < known::SLICES && marbles.is_none_or(|marbles| marbles == slice);
    let slices = stored(tables.folder(), rules, wanted).map_err(failed)?;
    if slices.is_empty() {
        return Ok([0, 0]);
    }
    writeln!(out, "counts: {rules}")?;
    row(out, "marbles", ["agree", "stored", "in the game"].map(str::to_owned), "whole slice")?;
    let (mut sections, mut whole, mut first) = (Compared::default(), 0, None);
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
        whole += usize::from(expected.is_some());
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
        None => Ok([sections.compared, whole]),
    }
}

/// The number of sections that agree, if any could be compared.
fn agreeing(sections: Compared) -> String {
    if sections.compared == 0 { "-".to_owned() } else { thousands(sections.agree as u64) }
}

fn row(
    out: &mut dyn Write,
    marbles: &str,
    [agreeing, attempted, in_game]: [String; 3],
    all: &str,
) -> std::io::Result<()> {
    let line = format!("{marbles:>7} {agreeing:>12} / {attempted:>9} / {in_game:>11}   {all}");
    writeln!(out, "{}", line.trim_end())
}

/// Compares the complete game of Mini-Pentago under some rules; whether it could be compared.
fn mini_pentago(
    out: &mut dyn Write,
    tables: &Tables,
    family: &TableSet,
    marbles: Option<u8>,
) -> Result<bool> {
    let rules = family.target().rules;
    if marbles.is_some() {
        return not_compared(
            out,
            &rules.to_string(),
            "counts are known for the complete game, not for single slices",
        );
    }
    let default = Target { rules: Rules::mini(), domain: Domain::Game };
    let by_default = || tables.families().iter().find(|family| *family.target() == default);
    let (known, other) = match mini::known(&rules) {
        None => return not_compared(out, &rules.to_string(), "no counts are known for these rules"),
        Some(known @ KnownValues::Variant { .. }) => match by_default() {
            None => {
                return not_compared(
                    out,
                    &rules.to_string(),
                    "this needs the tables of mini, which aren't in the folder",
                );
            }
            other => (known, other),
        },
        Some(known) => (known, None),
    };
    for slice in family.listed().map(|listed| listed.header.slice) {
        let table = family.table(slice).map_err(failed)?;
        if let Some(difference) = table.map(recount).transpose().map_err(failed)?.flatten() {
            return Err(failed(format_args!("{rules}: {difference} (counting its values again)")));
        }
    }
    let reached = match mini::reached(family, other) {
        Ok(reached) => reached,
        Err(ReachError::Missing(missing)) => {
            return not_compared(out, &rules.to_string(), &missing.to_string());
        }
        Err(ReachError::Table(error)) => return Err(failed(error)),
    };
    if let Some(contradicted) = known.contradicted(&reached) {
        return Err(failed(format_args!("{rules}: {contradicted}")));
    }
    let sum = reached.sum();
    let [all, wins, draws, losses, differing] =
        [sum.wins + sum.draws + sum.losses, sum.wins, sum.draws, sum.losses, reached.differing]
            .map(thousands);
    write!(out, "counts: {rules}: as expected: ")?;
    match known {
        KnownValues::Slices(_) | KnownValues::Sum(_) => writeln!(
            out,
            "{all} reachable positions, {wins} wins, {draws} draws, {losses} losses for the side to move"
        )?,
        KnownValues::Variant { .. } => {
            let first = match reached.first {
                Wdl::Win => "a win",
                Wdl::Draw => "a draw",
                Wdl::Loss => "a loss",
            };
            writeln!(
                out,
                "the empty board is {first}, {differing} of {all} values differ from those under mini"
            )?;
        }
    }
    Ok(true)
}
