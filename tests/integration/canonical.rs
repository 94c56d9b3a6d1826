//! Compares the addresses of boards in the tables of the whole game with the reference, which tries
//! all symmetries. Also checks the numbers of boards up to symmetry.

use crate::common::{Dice, board_of, state_of};
use pentago::rules::{Board, Dir, Rules, Shape};
use pentago_core::index::sections::section::EDGE;
use pentago_core::index::{Section, Sections};
use pentago_core::symmetry::Element;
use pentago_core::values::Grid;
use pentago_reference::{Group, Options};
use rayon::prelude::*;

/// Returns the shapes of Pentago and of Mini-Pentago, each with the reference's options for its
/// rules.
fn games() -> [(Shape, Options); 2] {
    [("pentago", Rules::default()), ("mini", Rules::mini())]
        .map(|(text, rules)| (rules.shape, Options::parse(text).expect("the reference reads rules")))
}

/// Returns the symmetries of the whole board that map a section to itself.
fn stabiliser(sections: &Sections, section: Section) -> Vec<Element> {
    sections.symmetries().filter(|&by| section.image(by) == section).collect()
}

/// Returns the canonical form of a board under all 2,048 symmetries, computed by the index under
/// test: the least address of an entry that contains an image of the board.
fn first_entry(sections: &Sections, board: Board) -> (Section, [u32; 4]) {
    let (section, by) = sections.standardise(Section::of(board));
    let image = by.apply(sections.shape(), board);
    let symmetries = stabiliser(sections, section).into_iter();
    let entries = symmetries.map(|by| sections.place(by.apply(sections.shape(), image)).0);
    (section, entries.min().expect("the identity is one of the symmetries"))
}

/// All 2,048 images of a board are stored in the same entries. The address of each image contains a
/// rotation, which leads back to a board with the same value.
#[test]
fn images_lie_in_the_same_entries() {
    for (shape, options) in games() {
        let sections = Sections::new(shape, Dir::Both);
        (0..=shape.sockets()).into_par_iter().for_each(|marbles| {
            let mut dice = Dice(marbles as u64);
            for _ in 0..3 {
                let board = dice.board(shape, marbles);
                let entry = first_entry(&sections, board);
                for image in options.images(Group::All, &state_of(shape, board)) {
                    let image_board = board_of(shape, &image);
                    assert_eq!(first_entry(&sections, image_board), entry, "{image:?}");
                    let address = sections.locate(image_board);
                    let found = sections.board(address.section, address.index, address.rotation);
                    assert_eq!(first_entry(&sections, found), entry, "{image:?}");
                    let same = options.images(Group::Whole, &image);
                    assert!(same.contains(&state_of(shape, found)), "{image:?} was found as {found:?}");
                }
            }
        });
    }
}

/// If only clockwise turns are allowed, mirror images have different values. In such a game, the
/// address of a board leads back to the board itself or to a quarter turn of the whole board.
#[test]
fn addresses_of_clockwise_games_lead_to_turns() {
    for (shape, options) in games() {
        let sections = Sections::new(shape, Dir::Cw);
        for marbles in 0..=shape.sockets() {
            let mut dice = Dice(100 + marbles as u64);
            for _ in 0..200 {
                let board = dice.board(shape, marbles);
                let address = sections.locate(board);
                let found = sections.board(address.section, address.index, address.rotation);
                let turns = options.images(Group::Quarter, &state_of(shape, board));
                assert!(turns.contains(&state_of(shape, found)), "{board:?} was found as {found:?}");
            }
        }
    }
}

/// Returns a slightly changed board that has, up to symmetry, the same numbers of marbles in its
/// quadrants. The change exchanges two cells of a quadrant, mirrors one quadrant, or exchanges two
/// quadrants.
fn changed(shape: Shape, board: Board, dice: &mut Dice) -> Board {
    let lanes = |board: Board| [0, 16, 32, 48].map(|at| [board.x >> at & 0xffff, board.o >> at & 0xffff]);
    let mut quadrants = lanes(board);
    match dice.below(3) {
        0 => {
            let q = dice.below(4);
            quadrants[q] = quadrants[q].map(|set| u64::from(shape.quadrant_image(set as u16, 4)));
        }
        1 => quadrants.swap(dice.below(4), dice.below(4)),
        _ => {
            let q = dice.below(4);
            let [a, b] = [0; 2].map(|_| dice.below(shape.quadrant_sockets()));
            let exchanged = |set: u64| {
                let differs = (set >> a ^ set >> b) & 1;
                set ^ (differs << a | differs << b)
            };
            quadrants[q] = quadrants[q].map(exchanged);
        }
    }
    let join = |player: usize| (0..4).map(|q| quadrants[q][player] << (16 * q)).sum();
    Board::new(join(0), join(1)).expect("disjoint")
}

/// Two boards are stored in the same entries if and only if the reference finds a symmetry between
/// them.
#[test]
fn different_boards_lie_in_different_entries() {
    for (shape, options) in games() {
        let sections = Sections::new(shape, Dir::Both);
        let counts = (0..=shape.sockets()).into_par_iter().map(|marbles| {
            let mut dice = Dice(200 + marbles as u64);
            let mut counts = [0; 2];
            for _ in 0..100 {
                let board = dice.board(shape, marbles);
                let other = changed(shape, board, &mut dice);
                let [one, two] = [board, other].map(|b| options.least_image(Group::All, &state_of(shape, b)));
                let same = first_entry(&sections, board) == first_entry(&sections, other);
                assert_eq!(same, one == two, "{board:?} {other:?}");
                counts[usize::from(same)] += 1;
            }
            counts
        });
        let [different, same] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        assert!(different > 500 && same > 500, "{different} different, {same} the same");
    }
}

/// Returns the number of boards of a slice up to all symmetries. Counts the entries whose index is
/// the least among the indices of their images. Only the symmetries that map a section to itself
/// matter, because other symmetries map its entries to other sections.
fn boards_up_to_symmetry(sections: &Sections, marbles: usize) -> u128 {
    let of_section = |section: Section| {
        let grid = Grid::new(sections.extents(section), EDGE);
        let symmetries = stabiliser(sections, section);
        if symmetries.len() == 1 {
            return u128::from(grid.entries());
        }
        let is_first = |index: [u32; 4]| {
            let board = sections.board(section, index, [0; 4]);
            symmetries.iter().all(|by| index <= sections.place(by.apply(sections.shape(), board)).0)
        };
        (0..grid.entries()).filter(|&n| is_first(grid.index(n))).count() as u128
    };
    sections.standard(marbles).into_par_iter().map(of_section).sum()
}

/// The numbers of boards equal the numbers published for Pentago (Irving 2014). For Mini-Pentago,
/// they equal the numbers that the reference computes with Burnside's lemma.
#[test]
fn numbers_of_boards_up_to_all_symmetries() {
    let sections = Sections::new(Shape::Pentago, Dir::Both);
    let published = [1, 3, 30, 227, 2013, 13_065, 90_641, 493_844, 2_746_022, 12_420_352];
    for (marbles, number) in published.into_iter().enumerate() {
        assert_eq!(boards_up_to_symmetry(&sections, marbles), number, "{marbles} marbles");
    }
    let [_, (shape, options)] = games();
    let sections = Sections::new(shape, Dir::Both);
    for marbles in 0..=shape.sockets() {
        let number = options.count_boards_by_lemma(Group::All, marbles);
        assert_eq!(boards_up_to_symmetry(&sections, marbles), number, "{marbles} marbles");
    }
}
