//! Tables of Pente: complete games on small boards.

use std::path::Path;

use ::pentago::Value;
use pentago_pente::table;
use pentago_pente::tables::TableSet;
use pentago_pente::{Outcome, Position as Now};

use super::{Pente, captures};
use crate::tables::Opened;
use crate::{Answer, MoveAnswer, Position, Result, Source, Tables};

/// Opens the tables of a folder.
pub fn open(path: Option<&Path>, cache: usize) -> Result<Opened> {
    let (sets, damaged) = match path {
        Some(path) => TableSet::find(path, cache)?,
        None => (Vec::new(), Vec::new()),
    };
    let damaged = damaged.iter().map(ToString::to_string).collect();
    Ok(Opened { sets: sets.len(), tables: Box::new(sets), damaged, unfinished: Vec::new() })
}

fn sets(tables: &Tables) -> &[TableSet] {
    tables.of::<Vec<TableSet>>().map_or(&[], Vec::as_slice)
}

/// The rules of the tables that there are.
pub fn stored_rules(tables: &Tables) -> Vec<String> {
    sets(tables).iter().map(|set| set.target().to_string()).collect()
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
    let find = |p: &Now| {
        let over = rules.outcome(p).is_some();
        for set in sets(tables).iter().filter(|set| set.target() == rules) {
            if let Some(value) = set.look_up(p)? {
                return Ok((Some(value), if over { "rules" } else { "table" }));
            }
        }
        let value = rules.outcome(p).map(|outcome| match outcome {
            Outcome::Draw => table::Value::Draw,
            Outcome::Win(color) if color == p.to_move() => table::Value::Win,
            Outcome::Win(_) => table::Value::Loss,
        });
        Ok::<_, ::pentago::Error>((value, if value.is_some() { "rules" } else { "unknown" }))
    };
    let (value, source) = find(&now)?;
    let mut moves = Vec::new();
    for m in rules.moves(&now) {
        let Ok(played) = rules.play(&now, m) else { continue };
        let (value, source) = find(&played.position)?;
        moves.push(MoveAnswer {
            text: rules.format_move(m),
            value: value.map_or(Value::Unknown, |value| value_of(value.negate())),
            source: Source::of(source),
            found: None,
            distance: None,
            position: rules.format_position(&played.position),
            proved: None,
        });
    }
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
