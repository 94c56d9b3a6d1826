//! Tests of the search board: the counters and keys agree with the plain rules on many boards.

use super::SearchBoard;
use crate::rules::random::{self, PlayStyle};
use crate::rules::{Color, Outcome, Position, Rules};

const RULES: [&str; 8] = [
    "pente:n=9",
    "pente:n=5,k=4,opening=free",
    "pente:n=6,k=4,opening=free,cap=2+3,win=6",
    "pente:n=6,k=4,opening=free,over=no",
    "pente:n=7,k=3,opening=free,cap=2+3,over=no,win=15",
    "pente:w=8,h=5,k=4,opening=free,cap=0",
    "pente:n=4,k=2,opening=free,win=2",
    "pente:w=9,h=1,opening=free,win=2",
];

/// Compares outcome, captures and winning moves of a search board with the plain rules.
fn check(rules: &Rules, state: &SearchBoard, p: &Position) {
    assert_eq!(state.position(), *p);
    let outcome = rules.outcome(p);
    let over = state.won() || state.full();
    assert_eq!(outcome.is_some(), over, "{}", rules.format_position(p));
    if over {
        let won = matches!(outcome, Some(Outcome::Win(_)));
        assert_eq!(won, state.won());
        return;
    }
    let win = Some(Outcome::Win(p.to_move()));
    for m in rules.all_points().filter(|&m| p.at(m).is_none()) {
        let played = rules.place(p, m);
        let text = || format!("{} {}", rules.format_position(p), rules.format_move(m));
        assert_eq!(usize::from(state.gain(m.0, p.to_move())), played.taken.len(), "{}", text());
        let wins = state.each_win(p.to_move(), |q| q == m.0);
        assert_eq!(wins, played.outcome == win, "{}", text());
        let captures = state.captures(p.to_move()).any(|q| q == m.0);
        assert_eq!(captures, !played.taken.is_empty(), "{}", text());
    }
    let wins = rules.moves(p).into_iter().any(|m| rules.place(p, m).outcome == win);
    assert_eq!(state.winning_move().is_some(), wins);
}

#[test]
fn random_games_forth_and_back() {
    for text in RULES {
        let rules: Rules = text.parse().unwrap();
        let mut captures = 0;
        for seed in 0..40 {
            let mut seed: u64 = seed * 2 + 1;
            let mut p = rules.start();
            let mut state = SearchBoard::new(&rules, &p);
            let mut done = Vec::new();
            loop {
                check(&rules, &state, &p);
                assert_eq!(state.key(), SearchBoard::new(&rules, &p).key());
                let moves = rules.moves(&p);
                if moves.is_empty() {
                    break;
                }
                seed = seed * 48_271 % 0x7fff_ffff;
                let taking: Vec<_> =
                    moves.iter().copied().filter(|&m| !rules.taken(&p, m).is_empty()).collect();
                let from = if taking.is_empty() || seed.is_multiple_of(3) { &moves } else { &taking };
                let m = from[(seed >> 8) as usize % from.len()];
                let undo = state.make(m.0);
                captures += usize::from(undo.count > 0);
                done.push((p, m, undo));
                p = rules.play(&p, m).unwrap().position;
            }
            for (p, m, undo) in done.into_iter().rev() {
                state.unmake(m.0, undo);
                check(&rules, &state, &p);
            }
        }
        let can_capture = !text.contains("cap=0") && !text.contains("h=1") && !text.contains("k=2");
        assert!(!can_capture || captures > 20, "{text}: {captures} captures");
    }
}

#[test]
fn eight_rows_at_once() {
    let rules: Rules = "pente:n=9,opening=free,cap=2+3,win=15".parse().unwrap();
    let star = "X3X3X/1O2O2O1/2O1O1O2/3OOO3/XOOO1OOOX/3OOO3/2O1O1O2/1O2O2O1/X3X3X x";
    let p = rules.parse_study(star).unwrap();
    let mut state = SearchBoard::new(&rules, &p);
    check(&rules, &state, &p);
    let centre = rules.parse_move("E5").unwrap();
    let undo = state.make(centre.0);
    assert_eq!((undo.count, state.captured(Color::X)), (24, 24));
    assert!(state.won());
    state.unmake(centre.0, undo);
    check(&rules, &state, &p);
}

#[test]
fn keys_are_those_of_canonical_positions() {
    keys_of("pente:n=5,k=4,opening=free", true);
    keys_of("pente:n=7", false);
    keys_of("pente:w=6,h=5,k=4,opening=free,win=2", true);
    // The key depends on the captured stones and on the side to move.
    let rules: Rules = "pente:n=5,k=4,opening=free".parse().unwrap();
    let key = |text: &str| SearchBoard::new(&rules, &rules.parse_study(text).unwrap()).key();
    let texts = ["5/5/5/5/XO3 x", "5/5/5/5/XO3 o", "5/5/5/5/XO3 x cap=2-0", "5/5/5/5/XO3 x cap=0-2"];
    let all: std::collections::HashSet<u128> = texts.into_iter().map(key).collect();
    assert_eq!(all.len(), 4);
}

fn keys_of(text: &str, exact: bool) {
    let rules: Rules = text.parse().unwrap();
    let mut keys = std::collections::HashMap::new();
    for stones in 0..14 {
        for p in random::positions(&rules, PlayStyle::Uniform, stones, 50, 2, false).unwrap() {
            let key = SearchBoard::new(&rules, &p).key();
            assert_eq!(key < 1 << 64, exact);
            let canonical = rules.canonical(&p).0;
            assert_eq!(*keys.entry(key).or_insert(canonical), canonical);
            for s in rules.symmetries() {
                assert_eq!(SearchBoard::new(&rules, &rules.image(&p, s)).key(), key);
            }
        }
    }
    assert!(keys.len() > 400, "{}", keys.len());
}

#[test]
fn a_state_takes_other_positions() {
    let rules: Rules = "pente:n=9".parse().unwrap();
    let mut state = SearchBoard::new(&rules, &rules.start());
    for p in random::positions(&rules, PlayStyle::Purposeful, 20, 50, 2, false).unwrap() {
        state.set(&p);
        check(&rules, &state, &p);
        assert_eq!(state.key(), SearchBoard::new(&rules, &p).key());
    }
}
