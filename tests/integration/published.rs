//! Results that were published or computed independently, reproduced by the solver below a root.

use crate::common::{answer, kernel, positions, rules, solver};
use crate::counts::published;
use pentago::rules::{Board, Color, Outcome, Position, Rules};
use pentago_core::answer::{Question, Value};
use pentago_core::solve::RootedSolver;
use rayon::prelude::*;
use std::num::NonZeroUsize;

/// Returns all patterns of a quadrant with `x` and `o` marbles, each as two sets of nine bits.
fn patterns(x: u32, o: u32) -> Vec<(u64, u64)> {
    let of = |count: u32| (0..512u64).filter(move |s| s.count_ones() == count);
    of(x).flat_map(|a| of(o).filter(move |b| a & b == 0).map(move |b| (a, b))).collect()
}

/// Returns the numbers of boards of a section that X and O win. `counts` has the marbles of X and O
/// in each quadrant, in reading order.
fn section_wins(rules: Rules, counts: [[u8; 2]; 4]) -> (u64, u64) {
    let quadrants = counts.map(|[x, o]| patterns(x.into(), o.into()));
    let [first, second, third, fourth] = &quadrants;
    let marbles: u32 = counts.as_flattened().iter().map(|&n| u32::from(n)).sum();
    let to_move = if marbles.is_multiple_of(2) { Color::X } else { Color::O };
    first
        .par_iter()
        .map(|a| {
            let mut solver = RootedSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 28);
            let mut wins = (0, 0);
            for b in second {
                for c in third {
                    for d in fourth {
                        let board = Board::new(
                            a.0 | b.0 << 16 | c.0 << 32 | d.0 << 48,
                            a.1 | b.1 << 16 | c.1 << 32 | d.1 << 48,
                        )
                        .expect("disjoint");
                        let position =
                            Position::new(rules.shape, board, to_move, false).expect("the counts fit");
                        let value = match rules.outcome(&position) {
                            Some(Outcome::Win(color)) if color == to_move => Value::Win,
                            Some(Outcome::Win(_)) => Value::Loss,
                            Some(Outcome::Draw) => Value::Draw,
                            None => answer(&mut solver, &position, &Question::default()).value,
                        };
                        match (value, to_move) {
                            (Value::Win, Color::X) | (Value::Loss, Color::O) => wins.0 += 1,
                            (Value::Win, Color::O) | (Value::Loss, Color::X) => wins.1 += 1,
                            _ => {}
                        }
                    }
                }
            }
            wins
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// A section of 35 marbles: Irving's count of O's wins, and the counts under other rules.
#[test]
fn section_of_35_marbles_under_all_variants() {
    let section = [[4, 4], [0, 9], [5, 4], [9, 0]];
    for (text, o_wins) in [
        ("pentago", 15_075),
        ("pentago:last=stop", 13_400),
        ("pentago:dir=cw", 14_270),
        ("pentago:both=mover", 15_335),
        ("pentago:reply=place", 15_075),
    ] {
        assert_eq!(section_wins(rules(text), section).1, o_wins, "{text}");
    }
}

/// The smallest sections of 30 to 35 marbles have the published counts of both players' wins.
#[test]
fn sections_of_the_published_counts() {
    let Some(published) = published() else { return };
    let mut checked = 0;
    for (section, results) in published {
        // Sections of at most this number of boards take about a second each.
        let most = match section.marbles() {
            35 => 40_000,
            33..=34 => 2_000,
            30..=32 => 200,
            _ => continue,
        };
        if results.total().is_some_and(|total| total <= most) {
            let wins = section_wins(Rules::default(), section.counts());
            assert_eq!(wins, (results.x_wins, results.o_wins), "{section}");
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} sections were small enough");
}

/// The value of the empty board of Mini-Pentago, under each option.
#[test]
fn the_first_move_of_mini_pentago() {
    for (text, value) in [
        ("mini", Value::Win),
        ("mini:dir=cw", Value::Win),
        ("mini:both=mover", Value::Win),
        ("mini:last=stop", Value::Win),
        ("mini:reply=place", Value::Draw),
        ("mini:k=3", Value::Win),
    ] {
        let rules = rules(text);
        let start = rules.parse_position("4/4/4/4").expect("the empty board");
        let got = answer(&mut solver(rules), &start, &Question::default());
        assert_eq!(got.value, value, "{text}");
        assert!(got.complete);
        if text == "mini" {
            // Every first placement wins, with every turn.
            assert!(got.moves.iter().all(|m| m.value == Value::Win));
            assert_eq!(got.moves.len(), 16 * 8);
        }
    }
}

/// The published number of boards below a root.
#[test]
fn boards_below_a_root() {
    let rules = Rules::default();
    for (marbles, boards) in [(24, 143_365), (18, 86_574_831)] {
        let position = positions(&rules, marbles, 1, 31, true)[0];
        assert_eq!(solver(rules).estimate(&position, 36).boards, boards);
    }
}
