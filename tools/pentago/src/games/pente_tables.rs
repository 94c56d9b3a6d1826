//! Tables of Pente for the commands.

use std::io::Write;
use std::path::Path;

use pentago::Control;
use pentago::Value;
use pentago_pente::table;
use pentago_pente::tables::{GameBuild, Layer, PenteSchema, TableSet, solver};
use pentago_pente::{Position, Rules};
use pentago_store::{BuildError, Definition};
use rayon::ThreadPool;

use super::tables::{Done, Needs, SliceInfo, TargetInfo, Verification, build_error, verify_error};
use super::watched::watched;
use crate::args::SolverArgs;
use crate::exit::{bad_input, failed};
use crate::output::thousands;
use crate::rates::MachineRates;
use crate::{engine, interrupt};

/// The build of a game.
pub fn task(rules: Rules) -> anyhow::Result<GameBuild> {
    GameBuild::new(rules).map_err(|error| match error {
        BuildError::TooLarge(error) => {
            // Without symmetries: each point is free, X or O.
            let positions = 3f64.powi(rules.points() as i32);
            bad_input(format!(
                "{error}: for each pair of numbers of captured stones there would be up to {positions:.0e} positions"
            ))
            .into()
        }
        other => build_error(other),
    })
}

/// What building takes.
pub fn estimate(build: &GameBuild, cores: usize, rates: &MachineRates) -> Needs {
    let estimate = build.estimate(cores, &rates.pente);
    Needs {
        boards: (estimate.positions, "positions"),
        kept: estimate.positions,
        memory: estimate.memory,
        raw_bytes: estimate.raw_bytes,
        bytes: estimate.bytes,
        seconds: estimate.seconds,
    }
}

/// Builds the tables.
pub fn build(build: &GameBuild, out: &Path, pool: &ThreadPool, args: &SolverArgs) -> anyhow::Result<Done> {
    let control = Control::new();
    let total = build.positions();
    let built = watched(
        "building",
        total,
        args.quiet,
        || control.done(),
        || control.cancel(),
        || pool.install(|| build.run(out, args.memory(), &control)),
    );
    let built = built.map_err(build_error)?;
    Ok(Done { paths: built.paths, bytes: built.bytes, already: built.already })
}

/// What `info` says.
pub fn info(set: &TableSet) -> anyhow::Result<TargetInfo> {
    let mut slices = Vec::new();
    for listed in set.listed() {
        let header = &listed.header;
        let Some(table) = set.table(header.layer)? else { continue };
        let [x, o] = header.layer.0;
        let [wins, draws, losses] = header.wdl;
        slices.push(SliceInfo {
            marbles: None,
            captures: Some([("o", o), ("x", x)].into()),
            file: listed.path.clone(),
            sections: table.arrays().len() as u32,
            entries: header.positions,
            bytes: header.file_bytes,
            ratio: header.file_bytes as f64 / (header.positions as f64 / 4.0),
            wins,
            draws,
            losses,
            program: header.program.clone(),
        });
    }
    let bytes = slices.iter().map(|slice| slice.bytes).sum();
    let rules = set.target().to_string();
    Ok(TargetInfo { target: rules.clone(), rules, bytes, slices })
}

/// Verifies the tables of a game.
pub fn verify(out: &mut impl Write, set: &TableSet, asked: &Verification) -> anyhow::Result<()> {
    let rules = set.target();
    let layers: Vec<Layer> = set.listed().map(|l| l.header.layer).collect();
    let pool = engine::pool(asked.solver.threads())?;
    let quiet = asked.solver.quiet;
    if asked.hash {
        let mut all = 0;
        for &layer in &layers {
            let Some(table) = set.table(layer).map_err(failed)? else { continue };
            pentago_store::hash(table, interrupt::control()).map_err(verify_error)?;
            all += table.header().file_bytes;
        }
        let (files, all) = (layers.len(), thousands(all));
        writeln!(out, "hash: {rules}: all {all} bytes of {files} tables are intact")?;
    }
    let control = Control::new();
    if let Some(count) = asked.sample {
        let report = watched(
            "sampling",
            0,
            quiet,
            || 0,
            || control.cancel(),
            || pool.install(|| set.sample(&layers, count, asked.seed, &mut solver(rules), &control)),
        );
        let report = report.map_err(verify_error)?;
        writeln!(out, "sample: {rules}: {}", report.text(PenteSchema::SOLVER))?;
    }
    if asked.full {
        full(out, set, &layers, &pool, &control, quiet)?;
    }
    if asked.counts {
        known(out, set)?;
    }
    Ok(())
}

/// Compares every value with those of its moves.
fn full(
    out: &mut impl Write,
    set: &TableSet,
    layers: &[Layer],
    pool: &ThreadPool,
    control: &Control,
    quiet: bool,
) -> anyhow::Result<()> {
    let rules = set.target();
    let total = table::estimate(rules).map_or(0, |estimate| estimate.positions);
    let (mut positions, mut without_moves) = (0, 0);
    let compared = watched(
        "comparing",
        total,
        quiet,
        || control.done(),
        || control.cancel(),
        || {
            layers.iter().try_for_each(|&layer| {
                let report = pool.install(|| set.full(layer, control))?;
                positions += report.entries;
                without_moves += report.without_moves;
                Ok(())
            })
        },
    );
    compared.map_err(verify_error)?;
    if positions > 0 {
        let positions = thousands(positions);
        writeln!(out, "full: {rules}: all {positions} values agree with their moves")?;
    }
    if without_moves > 0 {
        let without_moves = thousands(without_moves);
        writeln!(
            out,
            "full: {rules}: NOT compared: {without_moves} positions, because their moves aren't stored; \
             --sample compares some of them"
        )?;
    }
    Ok(out.flush()?)
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

/// Compares the value of the empty board with what is known about it.
fn known(out: &mut impl Write, set: &TableSet) -> anyhow::Result<()> {
    let rules = set.target();
    let expected = KNOWN.iter().find(|(w, h, k, wins, _)| {
        wins.iter().any(|win| {
            [(w, h), (h, w)].iter().any(|(w, h)| {
                format!("pente:w={w},h={h},k={k},opening=free,win={win}").parse::<Rules>().ok()
                    == Some(*rules)
            })
        })
    });
    let Some((.., expected)) = expected else {
        return Ok(writeln!(out, "counts: {rules}: no known value to compare with")?);
    };
    match set.look_up(&Position::EMPTY).map_err(failed)? {
        Some(value) => {
            let found = value_of(value).name();
            if found != *expected {
                return Err(failed(format!("{rules}: the empty board is a {found}, known as a {expected}")));
            }
            Ok(writeln!(out, "counts: {rules}: the empty board is a {found}, as is known")?)
        }
        None => Ok(writeln!(out, "counts: {rules}: the empty board isn't stored")?),
    }
}

fn value_of(value: table::Value) -> Value {
    match value {
        table::Value::Win => Value::Win,
        table::Value::Draw => Value::Draw,
        table::Value::Loss => Value::Loss,
    }
}
