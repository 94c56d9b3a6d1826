//! Tables of Pentago XL, each with all positions that can follow a root position.

use std::collections::HashMap;
use std::io::Write;

use ::pentago::Value;
use pentago_base::Control;
use pentago_store::{Awaited, Definition, Schema, StoreError};
use pentago_xl::tables::{ArrayKey, Tablebase, XlSchema, solver};
use pentago_xl::{Moment, Outcome, Played, Rules, Seat, Turn};

use super::answer::seat_names;
use super::certificate::{CertifiedWin, certified};
use crate::tables::{
    self, Compared, GameTables, KnownCounts, Sample, TableInfo, TargetTables, Verified, not_compared,
};
use crate::{Answer, Evidence, MoveAnswer, Position, Result};

impl GameTables for Vec<Tablebase> {
    fn targets(&self) -> Vec<&dyn TargetTables> {
        self.iter().map(|tables| tables as &dyn TargetTables).collect()
    }

    #[cfg(feature = "build")]
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

    fn ends(&self) -> [Option<u8>; 2] {
        [Some(self.target().root.count() as u8), None]
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

    #[cfg(feature = "build")]
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
    tables: Option<&tables::Tablebase>,
    position: &pentago_xl::Position,
    outcome: Option<Outcome>,
) -> std::result::Result<(SeatValues, &'static str), StoreError> {
    if let Some(outcome) = outcome {
        let of = |seat| rules.everyone().has(seat).then(|| outcome.value(rules, seat));
        return Ok((Some(Seat::ALL.map(of)), "rules"));
    }
    let of_game = tables.and_then(tables::Tablebase::of::<Vec<Tablebase>>).into_iter().flatten();
    for tables in of_game.filter(|tables| tables.target().rules == *rules) {
        if let Some(values) = tables.look_up(position)? {
            return Ok((Some(values), "table"));
        }
    }
    Ok((None, "unknown"))
}

/// Returns the values of a position, given the values after each move or turn. The mover's side
/// chooses its best move. Other seats get the least value over all moves. Returns `None` if the
/// values after a move are missing.
fn before_move(rules: &Rules, mover: Seat, after: &[SeatValues]) -> SeatValues {
    let own = rules.side_of(mover);
    let after = after.iter().copied().collect::<Option<Vec<_>>>()?;
    Some(Seat::ALL.map(|seat| {
        let values = after.iter().filter_map(|values| values[seat.index()]);
        if own.has(seat) { values.max() } else { values.min() }
    }))
}

/// Returns the values after a win of `winner` in a game of two seats.
fn won_by(rules: &Rules, winner: Seat) -> SeatValues {
    let value = |seat| if seat == winner { pentago_xl::Value::Win } else { pentago_xl::Value::Loss };
    Some(Seat::ALL.map(|seat| rules.everyone().has(seat).then(|| value(seat))))
}

/// Returns the source and the evidence of a value by a certificate. The game ends within `within`
/// plies.
fn by_certificate(within: usize) -> (&'static str, Option<Evidence>) {
    ("certificate", Some(Evidence::Certificate { within }))
}

/// Returns the number of plies within which the game ends after the moves of a value. `None` if
/// this number is unknown, or if the value is a draw.
fn length(value: Value, moves: &[MoveAnswer]) -> Option<usize> {
    let of_move = |m: &MoveAnswer| match m.evidence {
        Some(Evidence::Certificate { within }) => Some(within),
        _ => (m.source == "rules").then_some(1),
    };
    let lengths = moves.iter().filter(|m| m.value == value).map(of_move);
    match value {
        Value::Win => lengths.flatten().min(),
        Value::Loss => lengths.collect::<Option<Vec<_>>>()?.into_iter().max(),
        _ => None,
    }
}

/// Returns the values of a position that no table holds, their source and evidence. `values` are
/// the values that follow from the values of all moves. They are used only if the turn is pending,
/// or if a value comes from a certificate.
fn of_moves(
    position: &Position,
    mover: Seat,
    values: SeatValues,
    moves: &[MoveAnswer],
) -> (SeatValues, &'static str, Option<Evidence>) {
    let certified = moves.iter().any(|m| m.source == "certificate");
    match values {
        Some(_) if certified => {
            let within = length(value_of(&values, mover), moves);
            (values, "certificate", within.map(|within| Evidence::Certificate { within }))
        }
        Some(_) if position.pending => (values, "table", None),
        _ => (None, "unknown", None),
    }
}

/// Returns moves or turns with their values and sources, and the values of all seats after each.
/// Each of `plays` is the text of a move, and the position after it.
///
/// # Errors
/// If a table is damaged.
fn look_up_moves(
    rules: &Rules,
    tables: Option<&tables::Tablebase>,
    mover: Seat,
    plays: Vec<(String, Played)>,
    awaited: &mut Awaited,
) -> Result<(Vec<MoveAnswer>, Vec<SeatValues>)> {
    let (mut moves, mut found) = (Vec::new(), Vec::new());
    // Many moves lead to the same position, so look each position up only once.
    let mut wins: HashMap<_, CertifiedWin> = HashMap::new();
    for (text, Played { position: next, outcome }) in plays {
        let value = awaited.take(find(rules, tables, &next, outcome))?;
        let Some((mut values, mut source)) = value else { continue };
        let mut evidence = None;
        if values.is_none()
            && let Some((plies, _)) = *wins.entry(next).or_insert_with(|| certified(rules, tables, &next))
        {
            values = won_by(rules, next.to_move);
            (source, evidence) = by_certificate(plies + 1);
        }
        found.push(values);
        let answer = MoveAnswer::new(text, value_of(&values, mover), source, rules.format_position(&next));
        moves.push(MoveAnswer { evidence, ..answer });
    }
    Ok((moves, found))
}

/// Returns the values of a position and of its moves, each with its source: the rules, a table or
/// a certificate. If no source has a value, the value is unknown.
///
/// # Errors
/// If the position can't be parsed, or a table is damaged.
pub fn look_up(rules: &Rules, tables: Option<&tables::Tablebase>, position: &Position) -> Result<Answer> {
    let moment: &Moment = position.parsed()?;
    let mover = moment.board().to_move;
    let plays: Vec<(String, Played)> = match moment {
        Moment::Move(now) => {
            let play = |m| Some((rules.format_move(m), rules.play(now, m).ok()?));
            rules.moves(now).into_iter().filter_map(play).collect()
        }
        Moment::Turn(pending) => {
            Turn::all().map(|turn| (rules.format_turn(turn), rules.turn(pending, turn))).collect()
        }
    };
    let mut awaited = Awaited::default();
    let (mut moves, found) = look_up_moves(rules, tables, mover, plays, &mut awaited)?;
    let own = match moment {
        Moment::Move(now) => awaited.take(find(rules, tables, now, rules.outcome(now)))?,
        Moment::Turn(_) => Some((None, "unknown")),
    };
    awaited.end()?;
    let (values, source) = own.expect("no look-up waits");
    let win = match moment {
        // An immediate win is a value of the rules.
        Moment::Move(now) if values.is_none() => {
            certified(rules, tables, now).filter(|(plies, _)| *plies > 1)
        }
        _ => None,
    };
    let (values, source, evidence) = if values.is_some() {
        (values, source, None)
    } else if let Some((plies, m)) = win {
        let (source, evidence) = by_certificate(plies);
        let text = rules.format_move(m);
        // Other moves to the same position win, too.
        let next = moves.iter().find(|m| m.text == text).map(|m| m.position.clone());
        let wins = |m: &&mut MoveAnswer| m.value == Value::Unknown && Some(&m.position) == next.as_ref();
        for m in moves.iter_mut().filter(wins) {
            (m.value, m.source, m.evidence) = (Value::Win, source, evidence);
        }
        (won_by(rules, mover), source, evidence)
    } else {
        of_moves(position, mover, before_move(rules, mover, &found), &moves)
    };
    let mut answer = Answer {
        value: value_of(&values, mover),
        source,
        seats: seat_names(rules, |seat| value_of(&values, seat)),
        evidence,
        moves,
        engine: Some(if source == "rules" { "over" } else { source }.to_owned()),
        nodes: Some(0),
        ..Answer::unknown(rules.to_string(), position)
    };
    answer.choose_best();
    Ok(answer)
}
