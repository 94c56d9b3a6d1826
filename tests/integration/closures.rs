//! Solves random sections with small closures. Compares the counts of Pentago's sections with the
//! published counts. Compares boards under all rules with the reference, both from memory and from
//! tables. The closure of a section is the set of sections that its values depend on.

use crate::common::{self, Dice, answer, kernel, options, rules, solver, state_of, worth};
use crate::counts::{published, write_closure};
use crate::probing::{ask, open, same};
use crate::sections::{each_of_closure, value_of};
use pentago::rules::{Board, Position, Rules};
use pentago_core::answer::Question;
use pentago_core::index::Section;
use pentago_core::solve::SectionSolver;
use pentago_core::symmetry::Element;
use pentago_core::values::Wdl;
use pentago_tables::probe::{Lookup, Tables};
use pentago_tables::tables::{Domain, Target};
use pentago_tables::verify::counts::Results;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

/// Returns the number of entries in the closure of a section, or `None` if the number exceeds
/// `most`.
fn closure_entries(solver: &SectionSolver, section: Section, most: u64) -> Option<u64> {
    let mut slice = BTreeSet::from([section]);
    let mut entries = 0;
    while !slice.is_empty() && entries <= most {
        entries += slice.iter().map(|&s| solver.grid(s).entries()).sum::<u64>();
        slice = slice.into_iter().flat_map(|s| solver.sections.children(s)).collect();
    }
    (entries <= most).then_some(entries)
}

/// Draws `count` different sections of `marbles` marbles whose closures have at most `most`
/// entries. If fewer such sections exist, returns all of them.
fn draw(solver: &SectionSolver, marbles: usize, count: usize, most: u64, dice: &mut Dice) -> Vec<Section> {
    let mut left = solver.sections.standard(marbles);
    let mut drawn = Vec::new();
    while drawn.len() < count && !left.is_empty() {
        let section = left.swap_remove(dice.below(left.len()));
        if closure_entries(solver, section, most).is_some() {
            drawn.push(section);
        }
    }
    drawn
}

/// Draws `each` random sections in each slice and compares their counts with the published counts.
/// Returns the number of compared sections, or `usize::MAX` if the published counts are missing.
fn compare_with_published(slices: RangeInclusive<usize>, each: usize, seed: u64) -> usize {
    // Some tens of sections of 24 marbles have a closure with at most this number of entries. The
    // two largest slices of such a closure take a third of a gigabyte of memory.
    const MOST: u64 = 10_000_000;
    let threads = common::threads(rayon::current_num_threads());
    let solver = SectionSolver::new(Rules::default(), kernel(), threads, 1 << 28);
    let Some(published) = published() else { return usize::MAX };
    let mut dice = Dice(seed);
    let mut compared = 0;
    for marbles in slices {
        for section in draw(&solver, marbles, each, MOST, &mut dice) {
            let (_, counts) = each_of_closure(&solver, section, |_, _| {});
            assert_eq!(Results::of(counts, marbles as u8), published[&section], "{section}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn published_counts_of_random_sections() {
    assert!(compare_with_published(27..=32, 2, 1) >= 12);
}

#[test]
#[ignore = "long: finds errors in the children of large and early sections"]
fn long_published_counts_of_random_sections() {
    assert!(compare_with_published(24..=32, 3, 1) >= 27);
}

/// Run this test with:
/// `cargo test --release -p pentago-tests two_hundred_random_sections -- --ignored --nocapture`
#[test]
#[ignore = "a minute"]
fn published_counts_of_two_hundred_random_sections() {
    assert!(compare_with_published(20..=32, 18, 2) >= 200);
}

/// The rules under test: each option alone, some combinations, and all options together.
const RULES: [&str; 10] = [
    "pentago",
    "pentago:dir=cw",
    "pentago:both=mover",
    "pentago:reply=place",
    "pentago:last=stop",
    "pentago:skip=neutral",
    "pentago-fi",
    "pentago:dir=cw,both=mover,last=stop",
    "pentago:both=mover,reply=place",
    "pentago:dir=cw,both=mover,reply=place,skip=empty,last=stop",
];

/// Draws a board from one of these sections, and returns a random image of the board.
fn board_of_sections(solver: &SectionSolver, sections: &[Section], dice: &mut Dice) -> Board {
    let shape = solver.sections.shape();
    let section = sections[dice.below(sections.len())];
    let board = dice.board_in(shape, section);
    let symmetries: Vec<Element> = solver.sections.symmetries().collect();
    symmetries[dice.below(symmetries.len())].apply(shape, board)
}

/// Under all rules, boards of 34 to 36 marbles have the values that the reference computes. Some of
/// the boards are finished.
#[test]
fn late_boards_of_sections_agree_with_the_reference() {
    for (seed, text) in (0..).zip(RULES) {
        let rules = rules(text);
        let solver = SectionSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 28);
        let mut reference = pentago_reference::Solver::new(options(rules));
        let mut dice = Dice(seed);
        let mut seen = [0; 3];
        for marbles in [34, 35, 34, 35, 34] {
            let section = draw(&solver, marbles, 1, 1_000_000, &mut dice)[0];
            each_of_closure(&solver, section, |sections, values| {
                for _ in 0..300 {
                    let board = board_of_sections(&solver, sections, &mut dice);
                    let value = value_of(&solver, sections, values, board);
                    let state = state_of(rules.shape, board);
                    assert_eq!(worth(value.into()), reference.value(&state), "{text} {state:?}");
                    seen[value as usize] += 1;
                }
            });
        }
        println!("{text}: {seen:?} lost, drawn, won");
        assert!(seen.iter().all(|&n| n > 0), "{text}: {seen:?} lost, drawn, won");
    }
}

/// Compares values in tables of the whole game with the values that the solver below a root
/// computes, for boards and for all their moves. Also compares every tenth board with the
/// reference. Boards may be finished.
fn compare_boards(tables: &Tables, rules: Rules, boards: impl Iterator<Item = Board>) {
    let mut solver = solver(rules);
    let mut reference = pentago_reference::Solver::new(options(rules));
    for (n, board) in boards.enumerate() {
        let position = Position::of(rules.shape, board).expect("the counts fit");
        let text = rules.format_position(&position);
        let value: Wdl = match tables.look_up(&rules, &position).expect("looked up") {
            Lookup::Value(value) => value,
            Lookup::Missing(missing) => panic!("{rules} {text}: {missing}"),
        };
        let expected = answer(&mut solver, &position, &Question::default()).value;
        assert_eq!(worth(value.into()), worth(expected), "{rules} {text}");
        let (found, expected) = ask(tables, &mut solver, &position, None);
        same(&found, &expected);
        if n % 10 == 0 {
            let (_, state) = common::reference(&rules, &position);
            assert_eq!(worth(value.into()), reference.value(&state), "{rules} {text}");
        }
    }
}

/// Tables with the closures of sections of 34 marbles contain the values that the solver below a
/// root computes.
#[test]
fn late_boards_from_tables_agree_with_the_solver() {
    for (seed, text) in (20..).zip(RULES) {
        let rules = rules(text);
        let solver = SectionSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 28);
        let mut dice = Dice(seed);
        let section = draw(&solver, 34, 1, 200_000, &mut dice)[0];
        let folder = tempfile::tempdir().expect("a folder");
        let target = Target { rules, domain: Domain::Game };
        std::fs::create_dir_all(target.path(folder.path(), 0).parent().expect("a folder")).expect("created");
        let slices = write_closure(rules, &solver, section, |slice| target.path(folder.path(), slice));
        let tables = open(folder.path());
        for sections in slices {
            let boards = (0..100).map(|_| board_of_sections(&solver, &sections, &mut dice));
            compare_boards(&tables, rules, boards);
        }
    }
}
