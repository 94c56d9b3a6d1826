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
    if !json {
        write_heading(out, &game.target, &format!("{:>7} {:>17}", "marbles", "sections"))?;
    }
    for slice in &game.slices {
        let (sections, in_game) = (slice.sections.len(), slice.in_game);
        let Results { x_wins, draws, o_wins } = slice.results;
        if json {
            let row = json!({
                "target": game.target, "marbles": slice.marbles, "sections": sections,
                "sections_in_game": in_game, "x_wins": x_wins, "draws": draws, "o_wins": o_wins,
            });
            writeln!(out, "{row}")?;
        } else {
            let sections = format!("{} / {}", thousands(sections as u64), thousands(in_game as u64));
            writeln!(out, "{:>7} {sections:>17} {}", slice.marbles, columns(slice.results))?;
        }
    }
    Ok(())
}

/// Writes a line for each stored section of a game. With `published` counts, each line of text ends
/// with `agrees`, `DIFFERS`, or `-` if the section isn't among them.
///
/// # Errors
/// If `out` can't be written.
pub fn write_sections(
    out: &mut impl Write,
    game: &GameCounts,
    json: bool,
    published: Option<&BySection>,
) -> io::Result<()> {
    if !json {
        write_heading(out, &game.target, &format!("{:>7} {:>11} {:>6}", "marbles", "section", "images"))?;
    }
    for slice in &game.slices {
        for (section, &results) in &slice.sections {
            let (marbles, images) = (slice.marbles, section.images(&game.rules));
            if json {
                let Results { x_wins, draws, o_wins } = results;
                let row = json!({
                    "target": game.target, "marbles": marbles, "section": section.to_string(),
                    "images": images, "x_wins": x_wins, "draws": draws, "o_wins": o_wins,
                });
                writeln!(out, "{row}")?;
                continue;
            }
            let agrees = match published.map(|published| published.get(section)) {
                None => "",
                Some(None) => " -",
                Some(Some(expected)) if *expected == results => " agrees",
                Some(Some(_)) => " DIFFERS",
            };
            let section = section.to_string();
            writeln!(out, "{marbles:>7} {section:>11} {images:>6} {}{agrees}", columns(results))?;
        }
    }
    Ok(())
}

fn write_heading(out: &mut impl Write, target: &str, first: &str) -> io::Result<()> {
    writeln!(out, "{target}\n{first} {:>25} {:>25} {:>25}", "X wins", "draws", "O wins")
}

fn columns(Results { x_wins, draws, o_wins }: Results) -> String {
    let [x_wins, draws, o_wins] = [x_wins, draws, o_wins].map(thousands);
    format!("{x_wins:>25} {draws:>25} {o_wins:>25}")
}
