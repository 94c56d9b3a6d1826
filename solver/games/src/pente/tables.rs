//! Tables of Pente: complete games on small boards.

use std::collections::BTreeMap;
use std::io::Write;

use ::pentago::{Error, ErrorKind, Value, Wdl};
use pentago_base::Control;
use pentago_pente::tables::{Layer, PenteSchema, Table, Tablebase, solver};
use pentago_pente::{Position as Now, Rules};
use pentago_store::{Awaited, SampleReport, Schema, StoreError};

use super::{Pente, captures};
use crate::tables::{Described, KnownCounts, Sample, Sets, Verified, not_compared};
use crate::{Answer, MoveAnswer, Position, Result, Source, Tables};

impl Described for PenteSchema {
    const ENTRY: [&'static str; 2] = ["position", "positions"];

    fn target(rules: &Rules) -> [String; 2] {
        [rules.to_string(), rules.to_string()]
    }

    fn common(Layer([x, o]): Layer) -> (Option<u8>, Option<BTreeMap<&'static str, u16>>) {
        (None, Some([("o", o), ("x", x)].into()))
    }

    fn entry_bytes(_arrays: usize) -> f64 {
        0.25
    }

    fn counted(_set: &Tablebase, header: &<PenteSchema as Schema>::Header) -> Result<[u64; 3]> {
        Ok(header.wdl)
    }

    fn values(_set: &Tablebase) -> u64 {
        1
    }

    fn sample(tables: &[(&Tablebase, &Table)], draw: Sample, control: &Control) -> Verified<SampleReport> {
        let Some((set, _)) = tables.first() else { return Ok(SampleReport::default()) };
        let mut solver = solver(set.target());
        pentago_store::sample(tables, draw.count, draw.seed, &mut solver, control)
    }

    fn counts(sets: &[Tablebase], known: &KnownCounts, out: &mut dyn Write) -> Result<usize> {
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
        let value = rules.outcome(p).map(|outcome| Wdl::of(outcome, p.to_move()));
        Ok((value, if value.is_some() { "rules" } else { "unknown" }))
    };
    let mut awaited = Awaited::default();
    let found = awaited.take(find(&now))?;
    let mut moves = Vec::new();
    for m in rules.moves(&now) {
        let Ok(played) = rules.play(&now, m) else { continue };
        let Some((value, source)) = awaited.take(find(&played.position))? else { continue };
        let value = value.map_or(Value::Unknown, |value| value.negate().into());
        let position = rules.format_position(&played.position);
        moves.push(MoveAnswer::new(rules.format_move(m), value, Source::of(source), position));
    }
    awaited.end()?;
    let (value, source) = found.expect("no look-up waits");
    let mut answer = Answer {
        value: value.map_or(Value::Unknown, Value::from),
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
