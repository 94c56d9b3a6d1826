//! Tests of small boards: properties of the index, and slices compared with the plain rules.

use std::collections::HashSet;

use super::index::{BoardIndex, bits_to_set, compress, expand, set_to_bits};
use super::{BoardTable, BoardTableSize, slices};
use crate::rules::{Outcome, Position, Rules};
use pentago_base::{Control, Wdl};

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn table(text: &str) -> BoardTable {
    BoardTable::solved(&rules(text), &Control::new()).unwrap()
}

#[test]
fn places_and_positions_are_inverse() {
    for text in ["pente:n=3,opening=free", "pente:w=4,h=3,opening=free", "pente:n=4,opening=free"] {
        let index = BoardIndex::new(&rules(text));
        for id in slices(&index.rules) {
            let positions = index.positions(id);
            let x = id.x().unwrap();
            let step = (positions / 500).max(1);
            for place in (0..positions).step_by(step as usize) {
                let (set, found) = index.at(id.stones.into(), x, place).unwrap();
                assert_eq!(found & !set, 0);
                assert_eq!((set.count_ones(), found.count_ones()), (id.stones.into(), x as u32));
                assert_eq!(index.offset(set, found), place);
            }
            assert_eq!(index.at(id.stones.into(), x, positions), None);
        }
    }
}

#[test]
fn images_share_a_place_up_to_the_symmetries_of_their_set() {
    let index = BoardIndex::new(&rules("pente:n=4,opening=free"));
    let mut random = 1u32;
    for _ in 0..2000 {
        random = random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let (set, x) = (random >> 16, random & 0xffff & (random >> 16));
        let mut places = HashSet::new();
        for map in &index.symmetries {
            places.insert(index.offset(map.apply(set), map.apply(x)));
        }
        let fixing = index.symmetries.iter().filter(|map| map.apply(set) == set).count();
        assert!(places.len() <= fixing, "{places:?} {fixing}");
        assert_eq!(expand(compress(x, set), set), x);
        assert_eq!(set_to_bits(&bits_to_set(set)), set);
    }
}

#[test]
fn estimates_are_exact() {
    for text in ["pente:n=3,opening=free", "pente:w=4,h=3,k=3,opening=free,cap=2+3,win=4"] {
        let rules = rules(text);
        let size = BoardTableSize::of(&rules).unwrap();
        let index = BoardIndex::new(&rules);
        let all = slices(&rules);
        assert_eq!(size.positions, all.iter().map(|&id| index.positions(id)).sum::<u64>());
        // A table that drops unneeded slices computes the same values.
        let mut dropping = BoardTable::new(&rules, false);
        let mut keeping = BoardTable::new(&rules, true);
        let mut most = 0;
        for id in all {
            assert_eq!(dropping.solve(id), keeping.solve(id));
            most = most.max(dropping.slices.values().map(|slice| slice.bytes.len() as u64).sum());
        }
        assert!(most <= size.peak && size.peak <= size.memory);
        assert_eq!(dropping.slices.len(), 0, "the last slice is needed by nothing");
    }
    // The design notes contain these numbers in rounded form, such as 2.0e7 for the first board.
    let million = |text: &str| BoardTableSize::of(&rules(text)).unwrap().positions / 1_000_000;
    assert_eq!(million("pente:n=4,k=4,opening=free"), 21);
    assert_eq!(million("pente:w=3,h=6,k=4,opening=free"), 363);
    assert_eq!(million("pente:w=4,h=5,k=4,opening=free,win=2"), 187);
    assert_eq!(million("pente:w=4,h=5,k=4,opening=free"), 3135);
}

#[test]
fn too_large_boards_are_refused() {
    assert_eq!(BoardTableSize::of(&rules("pente:n=6,opening=free")), None);
}

/// Checks every `one_in`-th position of a table: the value must be the value of the best move under
/// the plain rules.
fn check_every_position(text: &str, one_in: u64) {
    let table = table(text);
    let rules = *table.rules();
    let index = table.index();
    let mut seen = [0u64; 4];
    let mut i = 0;
    for id in slices(&rules) {
        for place in 0..table.slice(id).unwrap().positions {
            i += 1;
            if i % one_in != 0 {
                continue;
            }
            let p = index.position(id, place).unwrap();
            let code = table.slice(id).unwrap().code(place);
            seen[code as usize] += 1;
            let value = match rules.outcome(&p) {
                Some(Outcome::Win(_)) if code == 0 => continue,
                Some(Outcome::Win(_)) => Wdl::Loss,
                Some(Outcome::Draw) => Wdl::Draw,
                None if code == 0 => {
                    let other = Position { to_move: p.to_move().other(), ..p };
                    assert!(matches!(rules.outcome(&other), Some(Outcome::Win(_))));
                    continue;
                }
                None => {
                    let after = |m| rules.play(&p, m).unwrap().position;
                    let moves = rules.moves(&p).into_iter();
                    moves.filter_map(|m| table.value(&after(m))).map(Wdl::negate).max().unwrap_or(Wdl::Draw)
                }
            };
            assert_eq!(code, value as u8 + 1, "{} {}", rules.format_position(&p), text);
        }
    }
    assert!(seen[1] > 0 && seen[3] > 0, "{seen:?}");
}

#[test]
fn each_value_follows_from_the_moves() {
    check_every_position("pente:n=3,k=3,opening=free", 1);
    check_every_position("pente:w=4,h=3,k=3,opening=free,win=4", 7);
    check_every_position("pente:w=5,h=2,k=4,opening=free,cap=2+3,win=5", 3);
    check_every_position("pente:w=7,h=2,k=3,opening=free,cap=2+3,win=5,over=no", 211);
    check_every_position("pente:w=3,h=4,k=3,opening=free,cap=0,over=no", 7);
    check_every_position("pente:w=7,h=1,k=3,win=2", 1);
    check_every_position("pente:n=4,k=4,opening=free,win=6", 2003);
}
