//! Tests that tables don't depend on the division of memory.

use super::GameBuild;
use super::computation::Computation;
use crate::Kernel;
use crate::make::Resources;
use crate::make::share::{Memory, Stretches, few_waiting};
use pentago_base::Control;
use pentago_core::rules::Rules;
use pentago_core::solve::RowPlan;
use pentago_core::values::BlockId;
use pentago_tables::codec::Codec;
use pentago_tables::tables::Writer;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

fn resources(threads: usize, memory: u64) -> Resources {
    Resources {
        kernel: Kernel::best(),
        threads: NonZeroUsize::new(threads).expect("some"),
        memory,
        scratch: "scratch".into(),
        scratch_limit: u64::MAX,
    }
}

/// Returns a build of one section of 33 marbles and of all sections on which its values depend.
fn build() -> GameBuild {
    let section = "26,26,62,72".parse().expect("a section");
    let build = GameBuild::of_section(Rules::default(), section).expect("a section of the game");
    build.codec(Codec::QUICK).keep_slices(0..=36)
}

/// Plans the rows of the section, from the block `start` to the end of the section.
fn plan(build: &GameBuild, start: BlockId, resources: &Resources) -> RowPlan {
    let (sections, _) = build.sections(33);
    let stretches = Stretches::new(build.target().sections(), &sections);
    let [stretch] = &stretches.each[..] else { panic!("one section") };
    let rows = pentago_core::solve::rows_within(&(start..BlockId::END), 0, &stretch.grid);
    stretches.plan(stretch, &rows, Memory::of(resources.memory, resources.threads.get()))
}

/// Checks that the table of a section is the same if rows are computed in tiles. The table must
/// also be the same if a build is stopped within a tile and resumed with other memory and threads.
#[test]
fn tables_are_the_same_in_tiles() {
    let build = build();
    let table = |out: &Path| fs::read(build.path(out, 33)).expect("there is a table");
    let little = resources(2, 48 << 20);
    let folder = tempfile::tempdir().expect("a folder");
    build.run(folder.path(), &resources(1, 1 << 32), &Control::new()).expect("built");
    let expected = table(folder.path());

    let first = BlockId { array: 0, block: 0 };
    let begun = plan(&build, first, &little);
    assert!(begun.waiting > 0.0, "there are tiles: {begun:?}");
    let grid = build.manifest(33).arrays[0].grid;
    let (mut within, mut otherwise) = (0, 0);
    for (part, then) in [
        (0, resources(1, 1 << 32)),
        (3, resources(1, 40 << 20)),
        (5, resources(3, 72 << 20)),
        (7, resources(1, 30 << 20)),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path();
        let control = Control::new();
        let finished = thread::scope(|scope| {
            let built = scope.spawn(|| build.run(out, &little, &control));
            while part > 0 && !built.is_finished() {
                // The section is computed last, so its progress follows from the number of
                // remaining entries.
                let left = grid.entries() / 10 * (10 - part);
                if control.stage().is_some_and(|(_, stage)| stage.done > stage.total() - left) {
                    control.cancel();
                }
                thread::sleep(Duration::from_millis(1));
            }
            built.join().expect("no panic").is_ok()
        });
        if !finished {
            let path = build.path(out, 33);
            assert!(!path.is_file());
            let settings = build.settings(Codec::QUICK, &then, &Control::new());
            let writer = Writer::begin(&path, build.manifest(33), settings).expect("it was begun");
            let (start, done) = (writer.missing().start, writer.done());
            drop(writer);
            // Compare the index of the next row in the table with the position of this row in the
            // first builder's order. A later position means that the builder computed rows of the
            // same tile earlier.
            let row = start.block / u64::from(grid.counts()[3]);
            let [a, b, c, _] = grid.coordinates(start.block);
            within += u32::from(done > 0 && begun.order.place([a, b, c]) > row);
            otherwise += u32::from(plan(&build, start, &then).order != begun.order);
            build.run(out, &then, &Control::new()).expect("built");
        }
        assert!(table(out) == expected, "part {part}");
    }
    assert!(within > 1 && otherwise > 1, "{within} stopped within a tile, {otherwise} went on otherwise");
}

/// Checks that the cache fits in memory together with the pieces, rows and waiting blocks of a
/// section. The cache must also fit in memory together with rows of a neighbouring section that are
/// computed at the same time.
#[test]
fn memory_holds_where_sections_meet() {
    let build = GameBuild::new(Rules::default(), 28);
    let all = build.target().sections();
    let sections = &all.standard(28)[200..280];
    let stretches = Stretches::new(all, sections);
    let least: Vec<f64> = stretches.each.iter().map(|s| stretches.row_reads(s).least()).collect();
    let largest = least.iter().copied().fold(0.0, f64::max) as u64;
    let mut tiles = BTreeSet::new();
    for (threads, times) in [(1, 2), (4, 2), (16, 2), (16, 8)] {
        let given = resources(threads, times * threads as u64 * largest);
        let memory = Memory::of(given.memory, threads);
        let all = BlockId { array: 0, block: 0 }..BlockId { array: u32::MAX, block: 0 };
        let rooms = Computation::new(&build, sections.to_vec(), None, &given).rooms(&all);
        let mut borders = 0;
        for (at, stretch) in stretches.each.iter().enumerate() {
            let rows = stretches.row_reads(stretch).rows();
            let plan = stretches.plan(stretch, &(0..rows), memory);
            let (blocks, waiting) = (rooms.blocks[at] as f64, plan.waiting);
            // The limit for waiting blocks is the value of the plan plus the usual small limit.
            assert_eq!(rooms.waiting[at], waiting as usize + few_waiting(given.memory));
            assert!(plan.bytes() + blocks <= memory.bytes as f64);
            let neighbours = [at.checked_sub(1), Some(at + 1).filter(|&next| next < least.len())];
            for next in neighbours.into_iter().flatten() {
                let rows_of = |at: usize| stretches.row_reads(&stretches.each[at]).rows();
                if rows_of(next) >= threads as u64 && threads > 1 {
                    let in_work = threads as f64 * least[next].max(least[at]);
                    assert!(in_work + waiting + blocks <= memory.bytes as f64, "{}", stretch.section);
                    borders += u32::from(in_work > plan.pieces + plan.rows);
                }
            }
            tiles.insert(waiting as u64);
        }
        assert!(threads == 1 || borders > 0, "{threads} threads");
    }
    assert!(tiles.len() > 2, "{tiles:?}");
}
