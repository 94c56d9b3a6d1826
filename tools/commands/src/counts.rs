//! Wins, draws and losses of complete games, as columns of text or as JSON.

use std::io::{self, Write};

use pentago::{BySection, GameCounts, Results};
use serde_json::json;

use crate::output::{columns, thousands};

/// Writes a line for each slice of a game: the sum over all stored sections.
///
/// # Errors
/// If `out` can't be written.
pub fn write_slices(out: &mut impl Write, game: &GameCounts, json: bool) -> io::Result<()> {
    let rows = game.slices.iter().map(|slice| {
        let (marbles, sections, in_game) = (slice.marbles, slice.sections.len() as u64, slice.in_game);
        let row = json!({
            "target": game.target, "marbles": marbles, "sections": sections, "sections_in_game": in_game,
        });
        let stored = format!("{} / {}", thousands(sections), thousands(in_game as u64));
        (row, vec![marbles.to_string(), stored], slice.results, "")
    });
    write_rows(out, game, json, &["marbles", "sections"], rows)
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
    let all = game.slices.iter().flat_map(|slice| slice.sections.iter().map(move |section| (slice, section)));
    let rows = all.map(|(slice, (section, &results))| {
        let (marbles, images) = (slice.marbles, section.images(&game.rules));
        let agrees = match published.map(|published| published.get(section)) {
            None => "",
            Some(None) => "-",
            Some(Some(expected)) if *expected == results => "agrees",
            Some(Some(_)) => "DIFFERS",
        };
        let section = section.to_string();
        let row = json!({ "target": game.target, "marbles": marbles, "section": section, "images": images });
        (row, vec![marbles.to_string(), section, images.to_string()], results, agrees)
    });
    write_rows(out, game, json, &["marbles", "section", "images"], rows)
}

/// Writes rows of counts. A row has the fields of its JSON object without the counts, the cells
/// before the counts, the counts, and the last cell. `names` are the headings of the first columns.
fn write_rows<'r>(
    out: &mut impl Write,
    game: &GameCounts,
    json: bool,
    names: &[&str],
    rows: impl Iterator<Item = (serde_json::Value, Vec<String>, Results, &'r str)>,
) -> io::Result<()> {
    let heading = [names, &["X wins", "draws", "O wins"]].concat();
    let mut lines = vec![heading.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()];
    for (mut row, mut cells, Results { x_wins, draws, o_wins }, last) in rows {
        if json {
            for (name, count) in [("x_wins", x_wins), ("draws", draws), ("o_wins", o_wins)] {
                row[name] = json!(count);
            }
            writeln!(out, "{row}")?;
            continue;
        }
        cells.extend([x_wins, draws, o_wins].map(thousands));
        cells.push(last.to_owned());
        lines.push(cells);
    }
    if json { Ok(()) } else { write!(out, "{}\n{}", game.target, columns(&lines)) }
}
