//! Tables of Pentago XL for the commands.

use std::io::Write;
use std::path::Path;

use pentago_store::Definition;
use pentago_xl::tables::{RootBuild, TableSet, XlSchema, solver};
use pentago_xl::{Control, Kernel};
use rayon::ThreadPool;

use super::tables::{Done, Needs, SliceInfo, TargetInfo, Verification, build_error, verify_error};
use super::watched::watched;
use crate::args::SolverArgs;
use crate::exit::failed;
use crate::output::thousands;
use crate::rates::MachineRates;
use crate::{engine, interrupt};

/// The kernel of this game that is as good as the one that was asked for.
fn kernel(args: &SolverArgs) -> Kernel {
    args.kernel.and_then(|kernel| kernel.name().parse().ok()).unwrap_or_else(Kernel::best)
}

/// What building takes.
pub fn estimate(build: &RootBuild, cores: usize, rates: &MachineRates) -> Needs {
    let estimate = build.estimate(cores, &rates.xl);
    Needs {
        boards: (estimate.boards, "boards"),
        kept: estimate.kept_boards,
        memory: estimate.memory,
        raw_bytes: estimate.raw_bytes,
        bytes: estimate.bytes,
        seconds: estimate.seconds,
    }
}

/// Builds the tables.
pub fn build(build: &RootBuild, out: &Path, pool: &ThreadPool, args: &SolverArgs) -> anyhow::Result<Done> {
    let control = Control::new();
    let below = {
        let target = build.target();
        pentago_xl::tables::Below::new(target.rules, target.root)
    };
    let boards: u64 = (0..=below.last()).fold(0, |sum, depth| sum.saturating_add(below.boards(depth)));
    let times = pentago_xl::tables::ArrayKey::all(&build.target().rules).len() as u64;
    let total = boards.saturating_mul(times);
    let built = watched(
        "building",
        total,
        args.quiet,
        || control.done(),
        || control.cancel(),
        || pool.install(|| build.run(out, args.memory(), kernel(args), &control)),
    );
    let built = built.map_err(build_error)?;
    Ok(Done { paths: built.paths, bytes: built.bytes, already: built.already })
}

/// What `info` says.
pub fn info(set: &TableSet) -> anyhow::Result<TargetInfo> {
    let rules = set.target().rules;
    let mut slices = Vec::new();
    for listed in set.listed() {
        let header = &listed.header;
        let Some(table) = set.table(header.marbles)? else { continue };
        let [wins, draws, losses] = table.wdl();
        let arrays = table.arrays().len() as u32;
        slices.push(SliceInfo {
            marbles: Some(header.marbles as u8),
            captures: None,
            file: listed.path.clone(),
            sections: arrays,
            entries: header.boards,
            bytes: header.file_bytes,
            ratio: header.file_bytes as f64 / (header.boards as f64 * f64::from(arrays) * 4096.0),
            wins,
            draws,
            losses,
            program: header.program.clone(),
        });
    }
    let bytes = slices.iter().map(|slice| slice.bytes).sum();
    Ok(TargetInfo { target: set.target().to_string(), rules: rules.to_string(), bytes, slices })
}

/// Verifies the tables of a root.
pub fn verify(out: &mut impl Write, set: &TableSet, asked: &Verification) -> anyhow::Result<()> {
    let target = set.target();
    let wanted = |marbles: usize| asked.marbles.is_none_or(|n| usize::from(n) == marbles);
    let slices: Vec<usize> = set.listed().map(|l| l.header.marbles).filter(|&n| wanted(n)).collect();
    if slices.is_empty() {
        return Ok(());
    }
    let pool = engine::pool(asked.solver.threads())?;
    let quiet = asked.solver.quiet;
    if asked.hash {
        let mut all = 0;
        for &marbles in &slices {
            let Some(table) = set.table(marbles).map_err(failed)? else { continue };
            pentago_store::hash(table, interrupt::control()).map_err(verify_error)?;
            all += table.header().file_bytes;
        }
        let (files, all) = (slices.len(), thousands(all));
        writeln!(out, "hash: {target}: all {all} bytes of {files} tables are intact")?;
    }
    if let Some(count) = asked.sample {
        let control = Control::new();
        let report = watched(
            "sampling",
            0,
            quiet,
            || 0,
            || control.cancel(),
            || pool.install(|| set.sample(&slices, count, asked.seed, &mut solver(target.rules), &control)),
        );
        let report = report.map_err(verify_error)?;
        writeln!(out, "sample: {target}: {}", report.text(XlSchema::SOLVER))?;
    }
    if asked.full {
        for &marbles in &slices {
            let control = Control::new();
            let name = format!("{target}, {marbles} marbles");
            let boards = set.index().boards(marbles - target.root.count());
            let chains = pentago_xl::tables::ArrayKey::all(&target.rules).len() as u64 / 2;
            let done = || control.done();
            let report = watched(
                "comparing",
                boards * chains,
                quiet,
                done,
                || control.cancel(),
                || pool.install(|| set.full(marbles, &control)),
            );
            let report = report.map_err(verify_error)?;
            if report.entries > 0 {
                let (boards, values) =
                    (thousands(report.entries), thousands(report.entries * chains * 65_536));
                writeln!(out, "full: {name}: all {values} values of {boards} boards agree with their moves")?;
            }
            if report.without_moves > 0 {
                let boards = thousands(report.without_moves);
                writeln!(
                    out,
                    "full: {name}: NOT compared: {boards} boards, because their moves aren't stored; \
                     --sample compares some of them"
                )?;
            }
            out.flush()?;
        }
    }
    if asked.counts {
        writeln!(out, "counts: {target}: no counts of Pentago XL are known")?;
    }
    Ok(())
}
