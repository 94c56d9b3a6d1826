//! Tables of Pentago XL: everything below a position.

use std::path::Path;

use ::pentago::Value;
use pentago_xl::tables::TableSet;
use pentago_xl::{Moment, Outcome, Played, Rules, Seat, Turn};

use super::{Xl, known};
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
    let mut all: Vec<String> = sets(tables).iter().map(|set| set.target().rules.to_string()).collect();
    all.dedup();
    all
}

/// The values of a position for the seats that play; none where they aren't known.
type SeatValues = Option<[Option<pentago_xl::Value>; 4]>;

fn value_of(values: &SeatValues, seat: Seat) -> Value {
    values.and_then(|values| values[seat.index()]).map_or(Value::Unknown, known)
}

/// What rules and tables say of a position between moves, and who says so.
fn find(
    rules: &Rules,
    tables: &Tables,
    position: &pentago_xl::Position,
    outcome: Option<Outcome>,
) -> Result<(SeatValues, &'static str)> {
    if let Some(outcome) = outcome {
        let of = |seat| rules.everyone().has(seat).then(|| outcome.value(rules, seat));
        return Ok((Some(Seat::ALL.map(of)), "rules"));
    }
    for set in sets(tables).iter().filter(|set| set.target().rules == *rules) {
        if let Some(values) = set.look_up(position)? {
            return Ok((Some(values), "table"));
        }
    }
    Ok((None, "unknown"))
}

/// The values of a position whose turn is pending, from those after each turn: the mover's side
/// takes its best turn, the guarantee of any other seat is against all of them. None if one is
/// missing.
fn before_turn(rules: &Rules, mover: Seat, after: &[SeatValues]) -> SeatValues {
    let own = rules.side_of(mover);
    let after = after.iter().copied().collect::<Option<Vec<_>>>()?;
    Some(Seat::ALL.map(|seat| {
        let values = after.iter().filter_map(|values| values[seat.index()]);
        if own.has(seat) { values.max() } else { values.min() }
    }))
}

/// What tables and rules say about a position: each value with its source, unknown where there is
/// none.
pub fn look_up(game: &Xl, tables: &Tables, position: &Position) -> Result<Answer> {
    let (rules, moment) = (&game.rules, game.parse(position)?);
    let mover = moment.board().to_move;
    let mut found = Vec::new();
    let mut moves = Vec::new();
    let mut add = |text: String, played: Played| -> Result<()> {
        let (values, source) = find(rules, tables, &played.position, played.outcome)?;
        found.push(values);
        moves.push(MoveAnswer {
            text,
            value: value_of(&values, mover),
            source: Source::of(source),
            found: None,
            distance: None,
            position: rules.format_position(&played.position),
            proved: None,
        });
        Ok(())
    };
    let (values, source) = match &moment {
        Moment::Move(now) => {
            for m in rules.moves(now) {
                if let Ok(played) = rules.play(now, m) {
                    add(rules.format_move(m), played)?;
                }
            }
            find(rules, tables, now, rules.outcome(now))?
        }
        Moment::Turn(pending) => {
            for turn in Turn::all() {
                add(rules.format_turn(turn), rules.turn(pending, turn))?;
            }
            let values = before_turn(rules, mover, &found);
            (values, if values.is_some() { "table" } else { "unknown" })
        }
    };
    let mut answer = Answer {
        value: value_of(&values, mover),
        source: Source::of(source),
        seats: game.seats(|seat| value_of(&values, seat)),
        moves,
        engine: Some(if source == "rules" { "over" } else { source }.to_owned()),
        nodes: Some(0),
        ..Answer::unknown(rules.to_string(), position)
    };
    answer.choose_best();
    Ok(answer)
}
