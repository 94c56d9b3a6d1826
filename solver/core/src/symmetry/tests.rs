//! Tests of the groups: the group laws, a comparison with coordinates, and the known numbers of
//! boards.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::rules::{Board, Color, Dir, Position, Rules, Shape, Turn};

const SHAPES: [Shape; 2] = [Shape::Pentago, Shape::Mini4];
const FULL: Group = Group::with_quadrants(Dir::Both);

/// The groups, each with the expected number of elements.
const GROUPS: [(Group, u32); 4] = [
    (Group::whole_board(Dir::Cw), 4),
    (Group::whole_board(Dir::Both), 8),
    (Group::with_quadrants(Dir::Cw), 1024),
    (FULL, 2048),
];

fn any_element() -> impl Strategy<Value = Element> {
    (0..8u8, any::<[u8; 4]>()).prop_map(|(global, local)| Element::new(global, local.map(|l| l % 4)))
}

/// Generates a shape and a board of this shape. Random bits decide for each socket whether it is
/// empty or holds X or O.
fn any_board() -> impl Strategy<Value = (Shape, Board)> {
    (prop::sample::select(&SHAPES[..]), any::<[u64; 4]>(), 0..3).prop_map(|(shape, [a, b, c, d], sparse)| {
        let marbles = shape.board_mask() & a & [!0, b, b & c][sparse as usize];
        (shape, Board { x: marbles & d, o: marbles & !d })
    })
}

/// Returns a board that no element except the identity leaves unchanged.
fn plain_board(shape: Shape) -> Board {
    let board = match shape {
        Shape::Pentago => Board { x: 0x0001_0021_0003_0089, o: 0x0042_0010_0100_0000 },
        Shape::Mini3 | Shape::Mini4 => Board { x: 0x0001_0003_0001_0001, o: 0x0000_0000_0002_0006 },
    };
    assert_eq!(board.x & board.o, 0);
    assert_eq!(board.occupied() & !shape.board_mask(), 0);
    board
}

#[test]
fn the_groups_have_their_orders() {
    for (group, order) in GROUPS {
        assert_eq!(group.order(), order);
        let elements: HashSet<Element> = group.elements().collect();
        assert_eq!(elements.len(), order as usize);
        assert_eq!(group.elements().next(), Some(Element::IDENTITY));
        // Different elements have different images of this board, for both shapes.
        for shape in SHAPES {
            let images: HashSet<Board> =
                group.elements().map(|g| g.apply(shape, plain_board(shape))).collect();
            assert_eq!(images.len(), order as usize);
        }
        // The set of elements is closed under products. A finite closed set also contains the
        // inverses.
        let some: Vec<Element> = group.elements().step_by(1 + order as usize / 64).collect();
        for &a in &some {
            for b in group.elements() {
                assert!(elements.contains(&a.after(b)) && elements.contains(&b.after(a)));
            }
            assert!(elements.contains(&a.inverse()));
        }
    }
}

/// For each pair of elements, the product acts like its factors applied in sequence. Different
/// elements have different images of the test boards, so the test also proves that `after` is
/// associative.
#[test]
fn products_act_one_after_the_other_for_all_pairs() {
    let all: Vec<Element> = FULL.elements().collect();
    for shape in SHAPES {
        let board = plain_board(shape);
        for &b in &all {
            let image = b.apply(shape, board);
            for &a in &all {
                assert_eq!(a.after(b).apply(shape, board), a.apply(shape, image));
            }
        }
    }
}

#[test]
fn the_identity_and_the_inverses() {
    for g in FULL.elements() {
        assert_eq!(g.after(Element::IDENTITY), g);
        assert_eq!(Element::IDENTITY.after(g), g);
        assert_eq!(g.after(g.inverse()), Element::IDENTITY);
        assert_eq!(g.inverse().after(g), Element::IDENTITY);
        assert_eq!(Element::new(g.global(), g.local()), g);
        assert_eq!(Element::quadrants(g.local()).after(Element::whole_board(g.global())), g);
    }
    assert_eq!(Element::new(9, [4, 5, 6, 7]), Element::new(1, [0, 1, 2, 3]));
}

#[test]
fn the_whole_board_turns_and_is_mirrored_as_coordinates_say() {
    for shape in SHAPES {
        let last = shape.size() - 1;
        for global in 0..8 {
            let g = Element::whole_board(global);
            assert_eq!(g.is_mirror(), global >= 4);
            for socket in shape.sockets_of(shape.board_mask()) {
                let (mut file, mut rank) = shape.file_rank(socket);
                for _ in 0..global % 4 {
                    (file, rank) = (rank, last - file);
                }
                if global >= 4 {
                    (file, rank) = (last - rank, last - file);
                }
                assert_eq!(g.apply_set(shape, socket.bit()), shape.socket(file, rank).bit());
            }
            let lines: HashSet<u64> = shape.lines().iter().copied().collect();
            assert!(lines.iter().all(|&line| lines.contains(&g.apply_set(shape, line))));
        }
    }
}

#[test]
fn the_quadrants_turn_as_in_the_game() {
    for shape in SHAPES {
        let board = plain_board(shape);
        for turn in Turn::ALL {
            let mut local = [0; 4];
            local[usize::from(turn.quadrant)] = turn.quarters();
            let turned = board.map(|set| shape.turn(set, turn));
            assert_eq!(Element::quadrants(local).apply(shape, board), turned);
        }
    }
}

proptest! {
    #[test]
    fn products_are_associative(a in any_element(), b in any_element(), c in any_element()) {
        prop_assert_eq!(a.after(b).after(c), a.after(b.after(c)));
    }

    #[test]
    fn elements_act_on_boards(
        a in any_element(),
        b in any_element(),
        (shape, board) in any_board(),
    ) {
        prop_assert_eq!(a.after(b).apply(shape, board), a.apply(shape, b.apply(shape, board)));
        prop_assert_eq!(a.inverse().apply(shape, a.apply(shape, board)), board);
        for color in Color::ALL {
            let counts = board.of(color).count_ones();
            prop_assert_eq!(a.apply(shape, board).of(color).count_ones(), counts);
        }
    }

    #[test]
    fn the_canonical_form_is_the_least_of_all_images((shape, board) in any_board()) {
        for (group, order) in GROUPS {
            let images: Vec<Board> = group.elements().map(|g| g.apply(shape, board)).collect();
            let (canonical, by) = group.canonical(shape, board);
            prop_assert_eq!(Some(&canonical), images.iter().min());
            prop_assert_eq!(by.apply(shape, board), canonical);
            prop_assert!(group.elements().any(|g| g == by));
            let stabiliser = images.iter().filter(|&&image| image == board).count();
            prop_assert_eq!(group.stabiliser_size(shape, board) as usize, stabiliser);
            let orbit: HashSet<Board> = images.into_iter().collect();
            prop_assert_eq!(group.orbit_size(shape, board) as usize, orbit.len());
            prop_assert_eq!(orbit.len() * stabiliser, order as usize);
        }
    }

    #[test]
    fn the_canonical_form_is_the_same_all_over_the_orbit(
        g in any_element(),
        (shape, board) in any_board(),
    ) {
        for (group, _) in GROUPS {
            let canonical = group.canonical(shape, board).0;
            prop_assert_eq!(group.canonical(shape, canonical).0, canonical);
            if group.elements().any(|element| element == g) {
                prop_assert_eq!(group.canonical(shape, g.apply(shape, board)).0, canonical);
            }
        }
    }

    /// The rotations of the board preserve outcomes and moves. With `dir=both`, reflections also
    /// preserve outcomes and moves.
    #[test]
    fn the_whole_board_groups_keep_the_game(
        seed in any::<u64>(),
        marbles in 8..30u32,
        cw in any::<bool>(),
    ) {
        let rules: Rules = if cw { "pentago-eu" } else { "pentago-cs" }.parse().unwrap();
        let p = crate::rules::random::positions(&rules, marbles, 1, seed, false).unwrap()[0];
        // Returns the finished games after one move: the image of the board under `g`, and the
        // outcome.
        let ends = |p: &Position, g: Element| -> HashSet<_> {
            let played = rules.moves(p).into_iter().map(|m| rules.play(p, m).unwrap());
            let over = played.filter(|played| played.outcome.is_some());
            over.map(|end| (g.apply(rules.shape, end.position.board()), end.outcome)).collect()
        };
        for g in Group::whole_board(rules.dir).elements() {
            let image = g.image(&p);
            prop_assert_eq!(rules.outcome(&image), None);
            prop_assert_eq!(ends(&image, Element::IDENTITY), ends(&p, g));
        }
    }
}

/// Calls `each` for every board with `marbles` marbles. X has half of the marbles, rounded up.
fn all_boards(shape: Shape, marbles: u32, mut each: impl FnMut(Board)) {
    fn extend(free: u64, board: Board, x: u32, o: u32, each: &mut impl FnMut(Board)) {
        if x + o == 0 {
            return each(board);
        }
        // Place the marbles of each colour in ascending order of sockets, so that each set arises
        // only once.
        let own = if x > 0 { board.x } else { board.o };
        let mut rest = free & !(own.checked_ilog2().map_or(0, |last| (2 << last) - 1));
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let (x_more, o_more) = if x > 0 { (bit, 0) } else { (0, bit) };
            let board = Board { x: board.x | x_more, o: board.o | o_more };
            extend(free ^ bit, board, x.saturating_sub(1), if x > 0 { o } else { o - 1 }, each);
        }
    }
    let (x, o) = (marbles.div_ceil(2), marbles / 2);
    extend(shape.board_mask(), Board::EMPTY, x, o, &mut each);
}

#[test]
fn boards_up_to_the_group_of_2048() {
    let counts = [1, 3, 30, 227, 2013, 13065].into_iter().zip(0..);
    for (count, marbles) in counts {
        let (mut canonical, mut boards, mut orbits) = (0u64, 0u64, 0u64);
        all_boards(Shape::Pentago, marbles, |board| {
            boards += 1;
            if FULL.canonical(Shape::Pentago, board).0 == board {
                canonical += 1;
                orbits += u64::from(FULL.orbit_size(Shape::Pentago, board));
            }
        });
        assert_eq!(canonical, count, "{marbles} marbles");
        // The orbits of the canonical boards together contain all boards.
        assert_eq!(orbits, boards);
    }
}

/// For all `x, o <= most`, returns the number of orbits of boards with `x` marbles of X and `o`
/// marbles of O. Uses Burnside's lemma: the number of orbits is the mean, over the elements of the
/// group, of the number of boards that the element leaves unchanged. Such a board has equal
/// contents on each cycle of sockets, so a cycle of length l contributes a factor `1 + x^l + o^l`.
fn orbits(group: Group, shape: Shape, most: usize) -> Vec<Vec<u128>> {
    let mut sum = vec![vec![0; most + 1]; most + 1];
    for g in group.elements() {
        let mut fixed = vec![vec![0u128; most + 1]; most + 1];
        fixed[0][0] = 1;
        let mut rest = shape.board_mask();
        while rest != 0 {
            let start = rest & rest.wrapping_neg();
            let (mut cycle, mut at) = (start, g.apply_set(shape, start));
            while at != start {
                cycle |= at;
                at = g.apply_set(shape, at);
            }
            rest &= !cycle;
            let length = cycle.count_ones() as usize;
            for x in (0..=most).rev() {
                for o in (0..=most).rev() {
                    if x >= length {
                        fixed[x][o] += fixed[x - length][o];
                    }
                    if o >= length {
                        fixed[x][o] += fixed[x][o - length];
                    }
                }
            }
        }
        for (sum, fixed) in sum.iter_mut().flatten().zip(fixed.into_iter().flatten()) {
            *sum += fixed;
        }
    }
    let order = u128::from(group.order());
    assert!(sum.iter().flatten().all(|sum| sum % order == 0));
    sum.into_iter().map(|row| row.into_iter().map(|sum| sum / order).collect()).collect()
}

#[test]
fn orbits_counted_without_boards() {
    let full = orbits(FULL, Shape::Pentago, 5);
    let counts: Vec<u128> = (0..=10usize).map(|n| full[n.div_ceil(2)][n / 2]).collect();
    let known = [1, 3, 30, 227, 2013, 13065, 90641, 493844, 2746022, 12420352, 56322888];
    assert_eq!(counts, known);
    let whole = orbits(Group::whole_board(Dir::Both), Shape::Pentago, 18);
    let all: u128 = (0..=36usize).map(|n| whole[n.div_ceil(2)][n / 2]).sum();
    assert_eq!(all, 3_009_081_623_421_558);
    assert_eq!([whole[1][0], whole[1][1], whole[2][1]], [6, 165, 2715]);
}
