//! Published and independently computed results.

use crate::common::{answer, kernel, shared, solver};
use pentago::rules::{Board, Color, Outcome, Position, Rules, random};
use pentago_core::answer::{Request, Value};
use pentago_core::solve::RootedSolver;
use rayon::prelude::*;
use std::num::NonZeroUsize;

/// All patterns of one block with so many marbles of both colours, as lanes of nine bits.
fn patterns(x: u32, o: u32) -> Vec<(u64, u64)> {
    let of = |count: u32| (0..512u64).filter(move |s| s.count_ones() == count);
    of(x).flat_map(|a| of(o).filter(move |b| a & b == 0).map(move |b| (a, b))).collect()
}

/// How many boards of a section (counts of the blocks in reading order) each colour wins: X, O.
fn section_wins(rules: Rules, counts: [(u32, u32); 4]) -> (u64, u64) {
    let blocks = counts.map(|(x, o)| patterns(x, o));
    let [first, second, third, fourth] = &blocks;
    let marbles: u32 = counts.iter().map(|(x, o)| x + o).sum();
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
                            None => answer(&mut solver, &position, &Request::default()).value,
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

/// Irving's count for one section of 35 marbles, and what the rule variants make of it.
#[test]
fn section_of_35_marbles_under_all_variants() {
    let section = [(4, 4), (0, 9), (5, 4), (9, 0)];
    for (text, white) in [
        ("pentago", 15_075),
        ("pentago:last=stop", 13_400),
        ("pentago:dir=cw", 14_270),
        ("pentago:both=mover", 15_335),
        ("pentago:reply=place", 15_075),
    ] {
        let rules: Rules = text.parse().expect("these are rules");
        assert_eq!(section_wins(rules, section).1, white, "{text}");
    }
}

/// Small sections of the published counts, of 30 to 35 marbles: both colours' wins.
#[test]
fn sections_of_the_published_counts() {
    let Some(path) = shared("facts/section-counts.tsv") else { return };
    let text = std::fs::read_to_string(path).expect("the file is readable");
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| fields[i].parse::<u64>().expect("a number");
        let (marbles, total) = (number(0), number(4));
        // As many boards as are counted in about a second.
        let most = match marbles {
            35 => 40_000,
            33..=34 => 2_000,
            30..=32 => 200,
            _ => continue,
        };
        if total > most {
            continue;
        }
        let counts: Vec<(u32, u32)> = fields[2]
            .split(' ')
            .map(|pair| {
                let digit = |i: usize| u32::from(pair.as_bytes()[i] - b'0');
                (digit(0), digit(1))
            })
            .collect();
        let counts = counts.try_into().expect("four blocks");
        let wins = section_wins(Rules::default(), counts);
        assert_eq!(wins, (number(5), number(7)), "{line}");
        checked += 1;
    }
    assert!(checked > 20, "only {checked} sections were small enough");
    println!("{checked} sections");
}

/// Mini-Pentago: what the first player gets from the empty board, under all variants.
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
        let rules: Rules = text.parse().expect("these are rules");
        let start = rules.parse_position("4/4/4/4").expect("the empty board");
        let got = answer(&mut solver(rules), &start, &Request::default());
        assert_eq!(got.value, value, "{text}");
        assert!(got.complete);
        if text == "mini" {
            // With any first placement, whatever is turned.
            assert!(got.moves.iter().all(|m| m.value == Value::Win));
            assert_eq!(got.moves.len(), 16 * 8);
        }
    }
}

/// The number of boards downstream of a root, as published.
#[test]
fn boards_below_a_root() {
    let rules = Rules::default();
    for (marbles, boards) in [(24, 143_365), (18, 86_574_831)] {
        let position = random::positions(&rules, marbles, 1, 31, true).expect("there is such a position")[0];
        let solver = solver(rules);
        assert_eq!(solver.estimate(&position, 36).boards, boards);
    }
}
