//! Tables of Pente: complete games on small boards.

use std::io::Write;

use ::pentago::{Error, ErrorKind, Value};
use pentago_base::Control;
use pentago_pente::table;
use pentago_pente::tables::{PenteSchema, Table, TableSet, solver};
use pentago_pente::{Outcome, Position as Now, Rules};
use pentago_store::{Awaited, Listed, SampleReport, StoreError};

use super::{Pente, captures};
use crate::tables::{Described, KnownCounts, Sample, Sets, TableInfo, Verified, not_compared};
use crate::{Answer, MoveAnswer, Position, Result, Source, Tables};

impl Described for PenteSchema {
    const ENTRY: [&'static str; 2] = ["position", "positions"];

    fn target(rules: &Rules) -> [String; 2] {
        [rules.to_string(), rules.to_string()]
    }

    fn info(_set: &TableSet, listed: &Listed<PenteSchema>) -> Result<TableInfo> {
        let header = &listed.header;
        let [x, o] = header.layer.0;
        let [wins, draws, losses] = header.wdl;
        Ok(TableInfo {
            slice: 0,
            marbles: None,
            captures: Some([("o", o), ("x", x)].into()),
            file: listed.path.clone(),
            sections: listed.arrays as u32,
            entries: header.positions,
            bytes: header.file_bytes,
            ratio: header.file_bytes as f64 / (header.positions as f64 / 4.0),
            wins,
            draws,
            losses,
            program: header.program.clone(),
        })
    }

    fn values(_set: &TableSet) -> u64 {
        1
    }

    fn sample(tables: &[(&TableSet, &Table)], draw: Sample, control: &Control) -> Verified<SampleReport> {
        let Some((set, _)) = tables.first() else { return Ok(SampleReport::default()) };
        let mut solver = solver(set.target());
        pentago_store::sample(tables, draw.count, draw.seed, &mut solver, control)
    }

    fn counts(sets: &[TableSet], known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        let mut compared = 0;
        // A layer of Pente has positions with any number of stones.
        for set in sets.iter().filter(|_| known.marbles.is_none()) {
            compared += usize::from(compare(set, out)?);
        }
        Ok(compared)
    }
}

/// Known values of the empty board with a free opening: files, ranks, stones in line, captured
/// stones that win, value for the first player.
const KNOWN: &[(u8, u8, u8, &[u16], &str)] = &[
    (3, 3, 3, &[2, 4, 6, 10], "draw"),
    (3, 4, 3, &[10], "win"),
    (3, 5, 3, &[10], "win"),
    (3, 6, 3, &[10], "win"),
    (4, 4, 3, &[2, 4, 6, 10], "win"),
    (4, 5, 3, &[10], "win"),
    (5, 5, 3, &[10], "win"),
    (3, 4, 4, &[10], "draw"),
    (3, 5, 4, &[10], "draw"),
    (4, 4, 4, &[2, 4, 6, 10], "draw"),
    (4, 5, 4, &[2, 4, 10], "draw"),
    (5, 5, 4, &[2, 4, 6, 10], "win"),
];

/// Compares the value of the empty board with what is known about it; whether that could be done.
fn compare(set: &TableSet, out: &mut dyn Write) -> Result<bool> {
    let rules = set.target();
    let is_it = |w: u8, h: u8, k: u8, win: u16| {
        let text = format!("pente:w={w},h={h},k={k},opening=free,win={win}");
        text.parse::<Rules>().ok().as_ref() == Some(rules)
    };
    let known = KNOWN
        .iter()
        .find(|&&(w, h, k, wins, _)| wins.iter().any(|&win| is_it(w, h, k, win) || is_it(h, w, k, win)));
    let Some((.., expected)) = known else {
        return not_compared(out, &rules.to_string(), "no value of its empty board is known");
    };
    let Some(value) = set.look_up(&Now::EMPTY)? else {
        return not_compared(out, &rules.to_string(), "its empty board isn't stored");
    };
    let found = value_of(value).name();
    if found != *expected {
        let text = format!("{rules}: the empty board is a {found}, known as a {expected}");
        return Err(Error::new(ErrorKind::Contradiction, text));
    }
    writeln!(out, "counts: {rules}: the empty board is a {found}, as is known").map_err(Error::from)?;
    Ok(true)
}

fn value_of(value: table::Value) -> Value {
    match value {
        table::Value::Win => Value::Win,
        table::Value::Draw => Value::Draw,
        table::Value::Loss => Value::Loss,
    }
}

/// What tables and rules say about a position: each value with its source, unknown where there is
/// none.
pub fn look_up(game: &Pente, tables: &Tables, position: &Position) -> Result<Answer> {
    let (rules, now) = (&game.rules, game.parse(position)?);
    let find = |p: &Now| -> std::result::Result<_, StoreError> {
        let over = rules.outcome(p).is_some();
        for set in Sets::<PenteSchema>::of(tables).iter().filter(|set| set.target() == rules) {
            if let Some(value) = set.look_up(p)? {
                return Ok((Some(value), if over { "rules" } else { "table" }));
            }
        }
        let value = rules.outcome(p).map(|outcome| match outcome {
            Outcome::Draw => table::Value::Draw,
            Outcome::Win(color) if color == p.to_move() => table::Value::Win,
            Outcome::Win(_) => table::Value::Loss,
        });
        Ok((value, if value.is_some() { "rules" } else { "unknown" }))
    };
    let mut awaited = Awaited::default();
    let found = awaited.take(find(&now))?;
    let mut moves = Vec::new();
    for m in rules.moves(&now) {
        let Ok(played) = rules.play(&now, m) else { continue };
        let Some((value, source)) = awaited.take(find(&played.position))? else { continue };
        let value = value.map_or(Value::Unknown, |value| value_of(value.negate()));
        let position = rules.format_position(&played.position);
        moves.push(MoveAnswer::new(rules.format_move(m), value, Source::of(source), position));
    }
    awaited.end()?;
    let (value, source) = found.expect("no look-up waits");
    let mut answer = Answer {
        value: value.map_or(Value::Unknown, value_of),
        source: Source::of(source),
        captures: captures(&now),
        moves,
        engine: Some(source.to_owned()),
        nodes: Some(0),
        ..Answer::unknown(rules.to_string(), position)
    };
    answer.choose_best();
    Ok(answer)
}
