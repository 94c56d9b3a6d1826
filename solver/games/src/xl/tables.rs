//! Tables of Pentago XL, each with all positions that can follow a root position.

use std::io::Write;

use ::pentago::Value;
use pentago_base::Control;
use pentago_store::{Awaited, Definition, Schema, StoreError};
use pentago_xl::tables::{ArrayKey, Tablebase, XlSchema, solver};
use pentago_xl::{Moment, Outcome, Played, Rules, Seat, Turn};

use super::answer::seat_names;
use crate::tables::{
    self, Compared, GameTables, KnownCounts, Sample, TableInfo, TargetTables, Verified, not_compared,
};
use crate::{Answer, MoveAnswer, Position, Result};

impl GameTables for Vec<Tablebase> {
    fn targets(&self) -> Vec<&dyn TargetTables> {
        self.iter().map(|tables| tables as &dyn TargetTables).collect()
    }

    fn counts(&self, _known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        for tables in self {
            not_compared(out, &tables.target().to_string(), "no counts of Pentago XL are known")?;
        }
        Ok(0)
    }
}

impl TargetTables for Tablebase {
    fn target(&self) -> String {
        self.target().to_string()
    }

    fn rules(&self) -> String {
        self.target().rules.to_string()
    }

    fn list(&self) -> Result<Vec<TableInfo>> {
        let describe = |header: &<XlSchema as Schema>::Header, info| {
            let marbles = header.marbles;
            let [wins, draws, losses] = self.table(marbles)?.map_or([0; 3], |table| table.wdl());
            Ok(TableInfo { marbles: Some(marbles as u8), wins, draws, losses, ..info })
        };
        tables::list(self, |arrays| f64::from(arrays) * 4096.0, describe)
    }

    fn hash(&self, slice: usize, control: &Control) -> Verified<u64> {
        tables::hash(self, slice, control)
    }

    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String> {
        let mut solver = solver(self.target().rules);
        let opened = tables::opened(self, slices)?;
        let report = pentago_store::sample(&opened, draw.count, draw.seed, &mut solver, control)?;
        Ok(report.text(XlSchema::SOLVER))
    }

    fn full(&self, slice: usize, control: &Control) -> Verified<Compared> {
        tables::full(self, slice, chains(&self.target().rules) * 65_536, ["board", "boards"], control)
    }
}

/// Returns the number of values that a table holds for each rotation of a board: one value per
/// chain.
fn chains(rules: &Rules) -> u64 {
    ArrayKey::all(rules).len() as u64 / 2
}

/// The values of a position, indexed by seat, or `None` if the values are unknown. A seat that
/// doesn't play has no value.
type SeatValues = Option<[Option<pentago_xl::Value>; 4]>;

fn value_of(values: &SeatValues, seat: Seat) -> Value {
    values.and_then(|values| values[seat.index()]).map_or(Value::Unknown, Value::from)
}

/// Returns the values of a position between moves, and their source: `rules`, `table` or `unknown`.
fn find(
    rules: &Rules,
    tablebase: &tables::Tablebase,
    position: &pentago_xl::Position,
    outcome: Option<Outcome>,
) -> std::result::Result<(SeatValues, &'static str), StoreError> {
    if let Some(outcome) = outcome {
        let of = |seat| rules.everyone().has(seat).then(|| outcome.value(rules, seat));
        return Ok((Some(Seat::ALL.map(of)), "rules"));
    }
    let of_game = tablebase.of::<Vec<Tablebase>>().into_iter().flatten();
    for tables in of_game.filter(|tables| tables.target().rules == *rules) {
        if let Some(values) = tables.look_up(position)? {
            return Ok((Some(values), "table"));
        }
    }
    Ok((None, "unknown"))
}

/// Returns the values of a position whose turn is pending, given the values after each turn. The
/// mover's side chooses its best turn. Other seats get the least value over all turns. Returns
/// `None` if the values after a turn are missing.
fn before_turn(rules: &Rules, mover: Seat, after: &[SeatValues]) -> SeatValues {
    let own = rules.side_of(mover);
    let after = after.iter().copied().collect::<Option<Vec<_>>>()?;
    Some(Seat::ALL.map(|seat| {
        let values = after.iter().filter_map(|values| values[seat.index()]);
        if own.has(seat) { values.max() } else { values.min() }
    }))
}

/// Returns the values of a position and of its moves, each with its source: the rules or a table.
/// If neither source has a value, the value is unknown.
///
/// # Errors
/// If the position can't be parsed, or a table is damaged.
pub fn look_up(rules: &Rules, tablebase: &tables::Tablebase, position: &Position) -> Result<Answer> {
    let moment: &Moment = position.parsed()?;
    let mover = moment.board().to_move;
    let mut awaited = Awaited::default();
    let mut found = Vec::new();
    let mut moves = Vec::new();
    let mut add = |text: String, played: Played| -> Result<()> {
        let value = awaited.take(find(rules, tablebase, &played.position, played.outcome))?;
        let Some((values, source)) = value else { return Ok(()) };
        found.push(values);
        let position = rules.format_position(&played.position);
        moves.push(MoveAnswer::new(text, value_of(&values, mover), source, position));
        Ok(())
    };
    let own = match moment {
        Moment::Move(now) => {
            for m in rules.moves(now) {
                if let Ok(played) = rules.play(now, m) {
                    add(rules.format_move(m), played)?;
                }
            }
            awaited.take(find(rules, tablebase, now, rules.outcome(now)))?
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
        source,
        seats: seat_names(rules, |seat| value_of(&values, seat)),
        moves,
        engine: Some(if source == "rules" { "over" } else { source }.to_owned()),
        nodes: Some(0),
        ..Answer::unknown(rules.to_string(), position)
    };
    answer.choose_best();
    Ok(answer)
}
