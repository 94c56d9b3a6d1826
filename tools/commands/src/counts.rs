//! Wins, draws and losses of complete games, as columns of text or as JSON.

use std::io::{self, Write};

use pentago::{BySection, GameCounts, Results};
use serde_json::json;

use crate::output::thousands;

/// Writes a line for each slice of a game: the sum over all stored sections.
///
/// # Errors
/// If `out` can't be written.
pub fn write_slices(out: &mut impl Write, game: &GameCounts, json: bool) -> io::Result<()> {
    write_heading(out, game, json, &format!("{:>7} {:>17}", "marbles", "sections"))?;
    for slice in &game.slices {
        let (marbles, sections, in_game) = (slice.marbles, slice.sections.len() as u64, slice.in_game);
        let stored = format!("{} / {}", thousands(sections), thousands(in_game as u64));
        let row = json!({
            "target": game.target, "marbles": marbles, "sections": sections, "sections_in_game": in_game,
        });
        write_row(out, row, json, &format!("{marbles:>7} {stored:>17}"), slice.results, "")?;
    }
    Ok(())
}

/// Writes a line for each stored section of a game. With `published` counts, each line of text ends
/// with `agrees` or `DIFFERS`, or with `-` if `published` does not contain the section.
///
/// # Errors
/// If `out` can't be written.
pub fn write_sections(
    out: &mut impl Write,
    game: &GameCounts,
    json: bool,
    published: Option<&BySection>,
) -> io::Result<()> {
    write_heading(out, game, json, &format!("{:>7} {:>11} {:>6}", "marbles", "section", "images"))?;
    for slice in &game.slices {
        for (section, &results) in &slice.sections {
            let (marbles, images) = (slice.marbles, section.images(&game.rules));
            let agrees = match published.map(|published| published.get(section)) {
                None => "",
                Some(None) => " -",
                Some(Some(expected)) if *expected == results => " agrees",
                Some(Some(_)) => " DIFFERS",
            };
            let section = section.to_string();
            let first = format!("{marbles:>7} {section:>11} {images:>6}");
            let row = json!({
                "target": game.target, "marbles": marbles, "section": section, "images": images,
            });
            write_row(out, row, json, &first, results, agrees)?;
        }
    }
    Ok(())
}

/// Writes the target and the names of the columns, unless the output is JSON.
fn write_heading(out: &mut impl Write, game: &GameCounts, json: bool, first: &str) -> io::Result<()> {
    if json {
        return Ok(());
    }
    writeln!(out, "{}\n{first} {:>25} {:>25} {:>25}", game.target, "X wins", "draws", "O wins")
}

/// Writes one line with the results. As JSON, the results are added to `row`. As text, the results
/// are columns between `first` and `last`.
fn write_row(
    out: &mut impl Write,
    mut row: serde_json::Value,
    json: bool,
    first: &str,
    Results { x_wins, draws, o_wins }: Results,
    last: &str,
) -> io::Result<()> {
    for (name, count) in [("x_wins", x_wins), ("draws", draws), ("o_wins", o_wins)] {
        row[name] = json!(count);
    }
    let [x_wins, draws, o_wins] = [x_wins, draws, o_wins].map(thousands);
    if json {
        writeln!(out, "{row}")
    } else {
        writeln!(out, "{first} {x_wins:>25} {draws:>25} {o_wins:>25}{last}")
    }
}
