//! The 4x4 game, solved completely under all rules.

use pentago_reference::{Group, MiniTable, Solver};

use crate::{Random, rules};

/// The numbers of won, drawn and lost positions, by number of marbles.
const MINI: [[u64; 3]; 16] = [
    [1, 0, 0],
    [0, 0, 16],
    [240, 0, 0],
    [544, 0, 1136],
    [8904, 1024, 992],
    [21824, 2304, 19552],
    [142976, 1920, 15264],
    [236112, 12824, 149264],
    [778368, 14054, 98604],
    [899552, 71760, 422816],
    [1713952, 48592, 146048],
    [1402328, 70128, 328168],
    [1317196, 34384, 63820],
    [602352, 33656, 78200],
    [250704, 8352, 11248],
    [39552, 13888, 0],
];

fn total(counts: &[[u64; 3]]) -> [u64; 3] {
    let sum = |column: usize| counts.iter().map(|row| row[column]).sum();
    [sum(0), sum(1), sum(2)]
}

fn solve(game: &str) -> MiniTable {
    MiniTable::solve(rules(game))
}

#[test]
#[ignore = "some half a minute"]
fn all_positions_of_the_default_game() {
    let table = solve("mini");
    assert_eq!(table.counts(), MINI);
    assert_eq!(total(&MINI), [7_414_605, 312_886, 1_335_128]);
    assert_eq!(total(&MINI).iter().sum::<u64>(), 9_062_619);
    // The search and the table have the same values, also of pending positions.
    let options = rules("mini");
    let mut solver = Solver::new(options);
    let mut random = Random::new(3);
    for marbles in (8..16).rev() {
        for _ in 0..100 {
            for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                assert_eq!(solver.value(&state), table.value(&state));
                for image in options.images(Group::Whole, &state) {
                    assert_eq!(table.value(&image), table.value(&state));
                }
            }
        }
    }
}

/// The search, which doesn't use the table, finds that every first move wins.
#[test]
#[ignore = "long: finds an error of the search in early positions"]
fn long_the_search_from_the_empty_board() {
    let options = rules("mini");
    let mut solver = Solver::new(options);
    let moves = solver.moves(&options.start());
    assert_eq!(moves.len(), 16 * 8);
    assert!(moves.iter().all(|&(_, value)| value == 1));
}

#[test]
#[ignore = "long: finds an error in lines of three in one of millions of positions"]
fn long_three_in_a_row() {
    let counts = solve("pentago:n=4,bs=2,k=3").counts();
    assert_eq!(total(&counts), [3_440_453, 1_800, 7_178]);
    assert_eq!(total(&counts).iter().sum::<u64>(), 3_449_431);
    assert_eq!(counts[0], [1, 0, 0]);
}

#[test]
#[ignore = "solves the 4x4 game seven times: some three minutes"]
fn rule_variants() {
    let default = solve("mini");
    for (option, value, differing) in [
        ("skip=empty", 1, 0),
        ("skip=neutral", 1, 0),
        ("both=mover", 1, 59_648),
        ("last=stop", 1, 66_640),
        ("dir=cw", 1, 1_341_846),
        ("reply=place", 0, 1_911_697),
    ] {
        let options = rules(&format!("mini:{option}"));
        let table = MiniTable::solve(options);
        assert_eq!(table.value(&options.start()), value, "{option}");
        assert_eq!(default.differing(&table), differing, "{option}");
    }
}
