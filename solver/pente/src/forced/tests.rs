//! Tests of forced wins: comparisons of the search with the slow reference, and comparisons of
//! proofs with the plain rules.

use pentago_reference::pente as slow;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pentago_base::{Budget, Clock, Control, Stopped};

use super::lists::list_threats;
use super::proof::walk;
use super::{AttackWidth, ForcedWinSearch};
use crate::rules::random::{self, PlayStyle};
use crate::rules::{Point, Position, Rules};

const WIDTHS: [AttackWidth; 4] =
    [AttackWidth::Threats, AttackWidth::Quiet(1), AttackWidth::Quiet(2), AttackWidth::Full];

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn unlimited() -> Budget {
    Budget::nodes(u64::MAX)
}

/// Compares all attack widths with the reference on random positions with `empty` empty points.
/// Returns the number of wins found by each width.
fn compare(text: &str, empty: usize, count: usize, plies: u32) -> [usize; 4] {
    let rules = rules(text);
    let reference = slow::Rules::parse(text).unwrap();
    let stones = rules.points() - empty;
    let Ok(positions) = random::positions(&rules, PlayStyle::Purposeful, stones, count, 7, true) else {
        panic!("{text}: no positions with {stones} stones");
    };
    let mut search = ForcedWinSearch::new(&rules, 1 << 20);
    let mut found = [0; 4];
    for p in positions {
        let line = rules.format_position(&p);
        let state = reference.read(&line).unwrap();
        for plies in (1..=plies).step_by(2) {
            let truth = reference.wins_within(&state, plies);
            for (width, found) in WIDTHS.into_iter().zip(&mut found) {
                let m = search.win_within(&p, plies, width, &mut unlimited()).unwrap();
                assert!(truth || m.is_none(), "{text} {line} {width:?} {plies} {m:?}");
                *found += usize::from(m.is_some());
                if width == AttackWidth::Full {
                    assert_eq!(m.is_some(), truth, "{text} {line} {plies}");
                }
                if m.is_some() {
                    let within = search.prove(&p, plies, width, &mut unlimited()).unwrap().unwrap();
                    assert!(within <= plies, "{line} {width:?} {plies} {within}");
                }
            }
        }
    }
    assert!(found[0] <= found[1] && found[1] <= found[2] && found[2] <= found[3], "{found:?}");
    found
}

#[test]
fn small_boards_with_the_reference() {
    let mut all = [0; 4];
    for (text, empty, count, plies) in [
        ("pente:n=5,k=4,opening=free", 8, 60, 5),
        ("pente:n=5,k=4,opening=free,win=4", 9, 30, 5),
        ("pente:n=5,k=4,opening=free,win=2", 15, 20, 3),
        ("pente:n=4,k=3,opening=free,win=4", 8, 60, 5),
        ("pente:n=5,k=4,opening=free,cap=2+3,win=5", 8, 60, 5),
        ("pente:n=5,k=3,opening=free,cap=2+3,over=no,win=6", 7, 60, 5),
        ("pente:n=5,k=4,opening=free,cap=0", 9, 30, 5),
        ("pente:w=7,h=3,k=3,win=6", 9, 30, 3),
        ("pente:n=7,k=4,cap=2+3,win=6", 30, 12, 3),
        ("pente:n=4,k=2,opening=free,win=2", 15, 30, 3),
        ("pente:n=4,opening=free,win=4", 7, 60, 7),
        ("pente:w=5,h=4,opening=free,win=6", 8, 60, 5),
    ] {
        let found = compare(text, empty, count, plies);
        all.iter_mut().zip(found).for_each(|(sum, n)| *sum += n);
    }
    assert!(all[0] >= 80 && all[0] < all[3], "{all:?}");
}

#[test]
#[ignore = "minutes: thousands of small positions"]
fn many_small_boards_with_the_reference() {
    for win in [2, 4, 6, 10] {
        for (k, cap, over) in
            [(4, "2", "yes"), (3, "2+3", "yes"), (4, "2+3", "no"), (3, "0", "no"), (5, "2", "yes")]
        {
            let text = format!("pente:n=5,k={k},opening=free,cap={cap},win={win},over={over}");
            // If three stones in line or two captured stones win, only positions with many empty
            // points have no immediate win.
            let empty = if k == 3 || win == 2 { 15 } else { 8 };
            let (count, plies) = if empty > 8 { (40, 3) } else { (300, 5) };
            println!("{text}: {:?}", compare(&text, empty, count, plies));
        }
    }
}

#[test]
fn wins_on_the_large_board_are_proved() {
    let rules = Rules::default();
    let mut search = ForcedWinSearch::new(&rules, 1 << 24);
    let mut proved = 0;
    for p in random::positions(&rules, PlayStyle::Purposeful, 24, 40, 3, true).unwrap() {
        for (width, plies) in [(AttackWidth::Threats, 25), (AttackWidth::Full, 3)] {
            let found = search.shortest_win(&p, plies, width, &mut unlimited()).unwrap();
            if let Some((_, plies)) = found {
                let within = search.prove(&p, plies, width, &mut unlimited()).unwrap().unwrap();
                assert!(within <= plies);
                proved += 1;
                check_that_holes_are_found(&mut search, &p, within, |search, p| {
                    search.strategy(p, plies, width, &mut unlimited()).unwrap()
                });
            }
        }
    }
    assert!(proved >= 10, "{proved}");
}

/// Checks that `walk` refuses a proof if any one move is missing, or if the first move is wrong.
fn check_that_holes_are_found(
    search: &mut ForcedWinSearch,
    start: &Position,
    within: u32,
    choose: impl Fn(&mut ForcedWinSearch, &Position) -> Option<Point>,
) {
    let rules = *search.rules();
    let mut moves = HashMap::new();
    let mut record = |p: &Position| {
        let m = choose(search, p)?;
        moves.insert(*p, m);
        Some(m)
    };
    assert_eq!(walk(&rules, start, &mut record, &mut HashMap::new()), Some(within));
    let plies = |moves: &HashMap<Position, Point>| {
        walk(&rules, start, &mut |p| moves.get(p).copied(), &mut HashMap::new())
    };
    assert_eq!(plies(&moves), Some(within));
    for p in moves.keys() {
        let mut less = moves.clone();
        less.remove(p);
        assert_eq!(plies(&less), None);
    }
    let wrong = rules.moves(start).into_iter().find(|&m| {
        moves.insert(*start, m);
        plies(&moves).is_none()
    });
    assert!(wrong.is_some(), "some first move does not win");
}

#[test]
fn a_capture_opens_a_four() {
    // The window from B5 to F5 holds four X stones and the O on D5. The move D7 captures D6 and D5,
    // and so threatens to complete the line on D5.
    let rules = rules("pente:n=9,opening=free");
    let p = rules.parse_study("9/9/9/3O5/1XXOXX3/3X5/9/9/9 x").unwrap();
    let d7 = rules.parse_move("D7").unwrap();
    assert_eq!(rules.play(&p, d7).unwrap().taken.len(), 2);
    let mut search = ForcedWinSearch::new(&rules, 1 << 20);
    search.board.set(&p);
    let mut threats = Vec::new();
    list_threats(&search.board, d7.0, &mut threats);
    assert_eq!(threats[0], d7.0, "the capture is a threat");
    let two = rules.parse_study("9/9/3O2O2/3O2X2/1XXOXX3/3X2X2/6X2/9/9 x").unwrap();
    for p in [p, two] {
        let full = search.shortest_win(&p, 5, AttackWidth::Full, &mut unlimited()).unwrap();
        let threats = search.shortest_win(&p, 5, AttackWidth::Threats, &mut unlimited()).unwrap();
        assert_eq!(full.map(|(_, plies)| plies), threats.map(|(_, plies)| plies));
    }
}

#[test]
fn the_defender_wins_first() {
    // O has four stones in a row and wins on D9 or on J9. X can occupy only one of the two points.
    let rules = rules("pente:n=9,opening=free");
    let p = rules.parse_position("4OOOO1/9/9/2XXX4/9/9/9/X8/9 x").unwrap();
    let mut search = ForcedWinSearch::new(&rules, 1 << 20);
    for width in WIDTHS {
        assert_eq!(search.shortest_win(&p, 5, width, &mut unlimited()), Ok(None));
    }
}

#[test]
fn searches_stop_and_go_on() {
    let rules = rules("pente:n=9,opening=free");
    let p = rules.parse_position("9/9/9/3O5/3XXO3/9/9/9/9 x").unwrap();
    let mut search = ForcedWinSearch::new(&rules, 1 << 20);
    assert_eq!(search.win_within(&p, 7, AttackWidth::Full, &mut Budget::nodes(5000)), Err(Stopped));
    // Each reading of this clock adds one second.
    let seconds = AtomicU64::new(0);
    let clock = Clock::new(move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed)));
    let control = Control::new().until(&clock, Some(Duration::from_secs(1)));
    let mut work = Budget::watched(u64::MAX, &control);
    assert_eq!(search.win_within(&p, 7, AttackWidth::Full, &mut work), Err(Stopped));
    assert_eq!(work.spent(), 3 * 1024);
    let again = search.win_within(&p, 3, AttackWidth::Full, &mut unlimited());
    assert_eq!(
        again,
        ForcedWinSearch::new(&rules, 1 << 16).win_within(&p, 3, AttackWidth::Full, &mut unlimited())
    );
    assert_eq!(search.win_within(&p, 0, AttackWidth::Full, &mut unlimited()), Ok(None));
}
