//! Tables of Pentago XL: everything below a position.

use std::collections::BTreeMap;
use std::io::Write;

use ::pentago::Value;
use pentago_base::Control;
use pentago_store::{Awaited, SampleReport, Schema, StoreError};
use pentago_xl::tables::{ArrayKey, Table, Tablebase, Target, XlSchema, solver};
use pentago_xl::{Moment, Outcome, Played, Rules, Seat, Turn};

use super::{Xl, known};
use crate::tables::{Described, KnownCounts, Sample, Sets, Verified, not_compared};
use crate::{Answer, MoveAnswer, Position, Result, Source, Tables};

impl Described for XlSchema {
    const ENTRY: [&'static str; 2] = ["board", "boards"];

    fn target(target: &Target) -> [String; 2] {
        [target.to_string(), target.rules.to_string()]
    }

    fn common(marbles: usize) -> (Option<u8>, Option<BTreeMap<&'static str, u16>>) {
        (Some(marbles as u8), None)
    }

    fn entry_bytes(arrays: usize) -> f64 {
        arrays as f64 * 4096.0
    }

    fn counted(set: &Tablebase, header: &<XlSchema as Schema>::Header) -> Result<[u64; 3]> {
        Ok(set.table(header.marbles)?.map_or([0; 3], |table| table.wdl()))
    }

    fn values(set: &Tablebase) -> u64 {
        chains(&set.target().rules) * 65_536
    }

    fn sample(tables: &[(&Tablebase, &Table)], draw: Sample, control: &Control) -> Verified<SampleReport> {
        let Some((set, _)) = tables.first() else { return Ok(SampleReport::default()) };
        let mut solver = solver(set.target().rules);
        pentago_store::sample(tables, draw.count, draw.seed, &mut solver, control)
    }

    fn counts(sets: &[Tablebase], _known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        for set in sets {
            not_compared(out, &set.target().to_string(), "no counts of Pentago XL are known")?;
        }
        Ok(0)
    }
}

/// Questions that are answered for each rotation of a board.
fn chains(rules: &Rules) -> u64 {
    ArrayKey::all(rules).len() as u64 / 2
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
) -> std::result::Result<(SeatValues, &'static str), StoreError> {
    if let Some(outcome) = outcome {
        let of = |seat| rules.everyone().has(seat).then(|| outcome.value(rules, seat));
        return Ok((Some(Seat::ALL.map(of)), "rules"));
    }
    for set in Sets::<XlSchema>::of(tables).iter().filter(|set| set.target().rules == *rules) {
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
    let mut awaited = Awaited::default();
    let mut found = Vec::new();
    let mut moves = Vec::new();
    let mut add = |text: String, played: Played| -> Result<()> {
        let value = awaited.take(find(rules, tables, &played.position, played.outcome))?;
        let Some((values, source)) = value else { return Ok(()) };
        found.push(values);
        let position = rules.format_position(&played.position);
        moves.push(MoveAnswer::new(text, value_of(&values, mover), Source::of(source), position));
        Ok(())
    };
    let own = match &moment {
        Moment::Move(now) => {
            for m in rules.moves(now) {
                if let Ok(played) = rules.play(now, m) {
                    add(rules.format_move(m), played)?;
                }
            }
            awaited.take(find(rules, tables, now, rules.outcome(now)))?
        }
        Moment::Turn(pending) => {
            for turn in Turn::all() {
                add(rules.format_turn(turn), rules.turn(pending, turn))?;
            }
            let values = before_turn(rules, mover, &found);
            Some((values, if values.is_some() { "table" } else { "unknown" }))
        }
    };
    awaited.end()?;
    let (values, source) = own.expect("no look-up waits");
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
