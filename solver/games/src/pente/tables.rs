//! Tables of Pente: complete games on small boards.

use std::io::Write;

use ::pentago::{Error, ErrorKind, Value, Wdl};
use pentago_base::Control;
use pentago_pente::tables::{Layer, PenteSchema, Tablebase, layers, solver};
use pentago_pente::{Position as Now, Rules};
use pentago_store::{Awaited, Definition, Schema, StoreError};

use super::opponent::captures;
use crate::tables::{
    self, Compared, GameTables, KnownCounts, Sample, TableInfo, TargetTables, Verified, not_compared,
};
use crate::{Answer, MoveAnswer, Position, Result};

impl GameTables for Vec<Tablebase> {
    fn targets(&self) -> Vec<&dyn TargetTables> {
        self.iter().map(|tables| tables as &dyn TargetTables).collect()
    }

    #[cfg(feature = "build")]
    fn counts(&self, known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
        let mut compared = 0;
        // A slice of Pente has positions with any number of stones. So if the caller chose a slice
        // by its number of marbles, compare nothing.
        for tables in self.iter().filter(|_| known.marbles.is_none()) {
            compared += usize::from(compare(tables, out)?);
        }
        Ok(compared)
    }
}

impl TargetTables for Tablebase {
    fn target(&self) -> String {
        self.target().to_string()
    }

    fn rules(&self) -> String {
        self.target().to_string()
    }

    fn list(&self) -> Result<Vec<TableInfo>> {
        let describe = |header: &<PenteSchema as Schema>::Header, info| {
            let (_, [x, o]) = PenteSchema::place(header);
            let [wins, draws, losses] = header.wdl;
            Ok(TableInfo { captures: Some([("o", o), ("x", x)].into()), wins, draws, losses, ..info })
        };
        tables::list(self, |_| 0.25, describe)
    }

    fn gaps(&self, stored: &[TableInfo]) -> Vec<(Option<u8>, String)> {
        let there = |[x, o]: &Layer| {
            stored.iter().filter_map(|table| table.captures.as_ref()).any(|by| [by["x"], by["o"]] == [*x, *o])
        };
        let absent = layers(self.target()).into_iter().filter(|layer| !there(layer));
        absent.map(|[x, o]| (None, format!("{x} and {o} captured"))).collect()
    }

    fn hash(&self, slice: usize, control: &Control) -> Verified<u64> {
        tables::hash(self, slice, control)
    }

    fn sample(&self, slices: &[usize], draw: Sample, control: &Control) -> Verified<String> {
        let mut solver = solver(self.target());
        let opened = tables::opened(self, slices)?;
        let report = pentago_store::sample(&opened, draw.count, draw.seed, &mut solver, control)?;
        Ok(report.text(PenteSchema::SOLVER))
    }

    #[cfg(feature = "build")]
    fn full(&self, slice: usize, control: &Control) -> Verified<Compared> {
        tables::full(self, slice, 1, ["position", "positions"], control)
    }
}

/// Known values of the empty board with a free opening. Each element has the number of files, the
/// number of ranks, the length of a winning line, the numbers of captured stones that win, and the
/// value for the first player.
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

/// Compares the stored value of the empty board with the known value. Returns `false` if either
/// value is missing.
fn compare(set: &Tablebase, out: &mut dyn Write) -> Result<bool> {
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
    let found = Value::from(value).name();
    if found != *expected {
        let text = format!("{rules}: the empty board is a {found}, known as a {expected}");
        return Err(Error::new(ErrorKind::Contradiction, text));
    }
    writeln!(out, "counts: {rules}: the empty board is a {found}, as is known").map_err(Error::from)?;
    Ok(true)
}

/// Returns the values of a position and of its moves, each with its source: the rules or a table.
/// If neither source has a value, the value is unknown.
///
/// # Errors
/// If the position can't be parsed, or a table is damaged.
pub fn look_up(rules: &Rules, tablebase: &tables::Tablebase, position: &Position) -> Result<Answer> {
    let now: &Now = position.parsed()?;
    let find = |p: &Now| -> std::result::Result<_, StoreError> {
        let over = rules.outcome(p).is_some();
        let of_game = tablebase.of::<Vec<Tablebase>>().into_iter().flatten();
        for tables in of_game.filter(|tables| tables.target() == rules) {
            if let Some(value) = tables.look_up(p)? {
                return Ok((Some(value), if over { "rules" } else { "table" }));
            }
        }
        let value = rules.outcome(p).map(|outcome| Wdl::of(outcome, p.to_move()));
        Ok((value, if value.is_some() { "rules" } else { "unknown" }))
    };
    let mut awaited = Awaited::default();
    let found = awaited.take(find(now))?;
    let mut moves = Vec::new();
    for m in rules.moves(now) {
        let Ok(played) = rules.play(now, m) else { continue };
        let Some((value, source)) = awaited.take(find(&played.position))? else { continue };
        let value = value.map_or(Value::Unknown, |value| value.negate().into());
        let position = rules.format_position(&played.position);
        moves.push(MoveAnswer::new(rules.format_move(m), value, source, position));
    }
    awaited.end()?;
    let (value, source) = found.expect("no look-up waits");
    let mut answer = Answer {
        value: value.map_or(Value::Unknown, Value::from),
        source,
        captures: captures(now),
        moves,
        engine: Some(source.to_owned()),
        nodes: Some(0),
        ..Answer::unknown(rules.to_string(), position)
    };
    answer.choose_best();
    Ok(answer)
}
