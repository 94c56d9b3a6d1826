//! Values and distances of the 6x6 game: known sections, and laws that hold in every position.

use std::path::Path;

use pentago_reference::{After, Group, Options, Solver, State};

use crate::{Random, rules};

const GAMES: [&str; 6] =
    ["pentago", "pentago-eu", "pentago-fi", "pentago-cs", "pentago-nl", "pentago:skip=neutral"];

/// The numbers of marbles of X and O in each block, in reading order.
type Section = [(usize, usize); 4];

/// Calls `visit` with every board of a section, with the side to move that the numbers imply.
fn for_each_board(section: Section, mut visit: impl FnMut(&State)) {
    /// Fills the sockets from `socket` on; `left` holds what is left of each kind (empty, X, O) in
    /// each block.
    fn fill(state: &mut State, left: &mut [[usize; 3]; 4], socket: usize, visit: &mut impl FnMut(&State)) {
        if socket == 36 {
            visit(state);
            return;
        }
        let block = socket / 18 * 2 + socket % 6 / 3;
        for kind in 0..3 {
            if left[block][kind] > 0 {
                left[block][kind] -= 1;
                state.cells[socket] = kind as u8;
                fill(state, left, socket + 1, visit);
                left[block][kind] += 1;
            }
        }
    }
    let marbles: usize = section.iter().map(|&(x, o)| x + o).sum();
    let mut state = Options::PENTAGO.start();
    state.to_move = 1 + (marbles % 2) as u8;
    let mut left = section.map(|(x, o)| [9 - x - o, x, o]);
    fill(&mut state, &mut left, 0, &mut visit);
}

/// How many boards of a section, lines or not, X wins, are drawn, O wins.
fn section_counts(options: Options, section: Section) -> [u64; 3] {
    let mut solver = Solver::new(options);
    let mut counts = [0; 3];
    for_each_board(section, |state| {
        let value_for_x = solver.value(state) * if state.to_move == 1 { 1 } else { -1 };
        counts[(1 - value_for_x) as usize] += 1;
    });
    counts
}

#[test]
fn sections_of_35_marbles_by_all_rules() {
    // Irving's data for the default rules; the variants were computed independently.
    let section = [(0, 9), (9, 0), (4, 4), (5, 4)];
    assert_eq!(section_counts(rules("pentago"), section), [26_198, 38_107, 15_075]);
    for (option, o_wins) in
        [("last=stop", 13_400), ("dir=cw", 14_270), ("both=mover", 15_335), ("reply=place", 15_075)]
    {
        let counts = section_counts(rules(&format!("pentago:{option}")), section);
        assert_eq!(counts[2], o_wins, "{option}");
    }
}

/// The sections of the published data that have at least 26 marbles and few boards.
#[test]
fn small_sections_of_the_published_counts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/facts/section-counts.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let mut checked = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [marbles, total] = [0, 4].map(|i| fields[i].parse::<u64>().unwrap());
        if marbles < 26 || total > 2000 {
            continue;
        }
        let blocks: Vec<(usize, usize)> = fields[2]
            .split(' ')
            .map(|block| {
                let digit = |i| (block.as_bytes()[i] - b'0') as usize;
                (digit(0), digit(1))
            })
            .collect();
        let expected = [5, 6, 7].map(|i| fields[i].parse::<u64>().unwrap());
        let counts = section_counts(Options::PENTAGO, blocks.try_into().unwrap());
        assert_eq!(counts, expected, "{line}");
        checked += 1;
    }
    println!("{checked} sections");
}

/// The value and distance of a position by the plain definition: all moves, nothing remembered,
/// nothing cut off.
fn by_definition(options: &Options, state: &State) -> (i8, u32) {
    // Good for the player to move first: near wins, far wins, draws, far losses, near losses.
    let rank = |&(value, distance): &(i8, u32)| i64::from(value) * (1000 - i64::from(distance));
    let results = options.moves(state).into_iter().map(|(_, after)| {
        let (value, distance) = match after {
            After::Over(0) => (0, 0),
            After::Over(winner) if winner == state.to_move => (1, 0),
            After::Over(_) => (-1, 0),
            After::Goes(next) => {
                let (value, distance) = by_definition(options, &next);
                (-value, distance)
            }
        };
        (value, if value == 0 { 0 } else { distance + 1 })
    });
    results.max_by_key(rank).unwrap()
}

#[test]
fn values_and_distances_are_those_of_the_definition() {
    for game in GAMES.into_iter().chain(["mini", "mini:reply=place"]) {
        let options = rules(game);
        let sockets = options.n * options.n;
        let mut solver = Solver::new(options);
        let mut random = Random::new(6);
        for marbles in (sockets - 3..sockets).rev() {
            for _ in 0..4 {
                for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                    let expected = by_definition(&options, &state);
                    assert_eq!(solver.distance(&state), expected, "{game} {}", options.write(&state));
                    assert_eq!(solver.value(&state), expected.0);
                }
            }
        }
    }
}

#[test]
fn the_moves_agree_with_the_position() {
    for game in GAMES {
        let options = rules(game);
        let mut solver = Solver::new(options);
        let mut random = Random::new(7);
        for marbles in (29..36).rev() {
            for _ in 0..2 {
                for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                    let (value, distance) = solver.distance(&state);
                    assert_eq!(solver.value(&state), value);
                    assert_eq!(distance == 0, value == 0);
                    // A pending position begins in the middle of a ply.
                    let empty = 36 - marbles as u32;
                    assert!(distance <= empty + u32::from(state.pending));
                    let moves = solver.moves(&state);
                    assert_eq!(moves.iter().map(|&(_, value)| value).max(), Some(value));
                    let with_distance = solver.moves_with_distance(&state);
                    let without: Vec<_> =
                        with_distance.iter().map(|(text, value, _)| (text.clone(), *value)).collect();
                    assert_eq!(moves, without);
                    let best = with_distance.iter().filter(|&&(_, v, _)| v == value);
                    let best = best.map(|&(_, _, distance)| distance);
                    let expected = if value > 0 { best.min() } else { best.max() };
                    assert_eq!(Some(distance), expected);
                }
            }
        }
    }
}

#[test]
fn declining_to_turn_changes_no_value() {
    declining(3);
}

#[test]
#[ignore = "long: finds what goes wrong in one position of some"]
fn long_declining_to_turn_changes_no_value() {
    declining(30);
}

/// Compares at least so many solutions with a choice to decline.
fn declining(least: u32) {
    let mut random = Random::new(8);
    let mut checked = 0;
    // In turn, the one with more free sockets first: it takes ten times as long.
    for centre in [0, 1].into_iter().cycle() {
        if checked >= least {
            break;
        }
        // The first block is empty, or holds a marble in its centre alone; the others are full but
        // for one socket, so that a placement there leaves the choice to decline.
        let mut state = Options::PENTAGO.start();
        let mut sockets: Vec<usize> = (0..36).filter(|&s| s / 6 >= 3 || s % 6 >= 3).collect();
        for marble in 0..26 + centre {
            let socket = if marble == 26 { 7 } else { sockets.swap_remove(random.below(sockets.len())) };
            state.cells[socket] = 1 + (marble % 2) as u8;
        }
        state.to_move = 1 + centre as u8;
        if Options::PENTAGO.outcome(&state).is_some() {
            continue;
        }
        let moves = Options::PENTAGO.moves(&state).len();
        let expected = Solver::new(Options::PENTAGO).distance(&state);
        for skip in ["empty", "neutral"] {
            let options = rules(&format!("pentago:skip={skip}"));
            checked += u32::from(options.moves(&state).len() > moves);
            let text = options.write(&state);
            assert_eq!(Solver::new(options).distance(&state), expected, "{text}");
        }
    }
}

#[test]
fn symmetries_of_the_whole_board_keep_values() {
    for game in GAMES {
        let options = rules(game);
        let group = if options.cw_only { Group::Quarter } else { Group::Whole };
        let mut solver = Solver::new(options);
        let mut random = Random::new(9);
        for marbles in 30..36 {
            for state in [random.position(&options, marbles), random.pending(&options, marbles)] {
                let expected = solver.distance(&state);
                for image in options.images(group, &state) {
                    assert_eq!(solver.distance(&image), expected);
                }
            }
        }
    }
}
