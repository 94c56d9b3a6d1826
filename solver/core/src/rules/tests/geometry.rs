//! Tests of sockets, lines and turns. Some tests compare with the slow reference.

use super::*;

#[test]
fn sockets_are_numbered_quadrant_by_quadrant_from_the_top_left() {
    let shape = Shape::Pentago;
    let number = |text: &str| {
        let text = text.as_bytes();
        shape.socket(usize::from(text[0] - b'a'), usize::from(text[1] - b'1')).number()
    };
    assert_eq!(
        ["a6", "c6", "a5", "d6", "f4", "a3", "c1", "d3", "f1"].map(number),
        [0, 2, 3, 16, 16 + 8, 32, 32 + 8, 48, 48 + 8]
    );
    assert_eq!(Shape::Mini4.socket(3, 0).number(), 48 + 3);
}

#[test]
fn every_socket_has_one_number_and_one_name() {
    for shape in SHAPES {
        let all: Vec<Socket> = shape.sockets_of(shape.board_mask()).collect();
        assert_eq!(all.len(), shape.sockets());
        for &socket in &all {
            let (file, rank) = shape.file_rank(socket);
            assert_eq!(shape.socket(file, rank), socket);
            assert_eq!(shape.numbered(socket.number()), Some(socket));
            assert_eq!(usize::from(socket.number()), 16 * socket.quadrant() + socket.cell());
        }
        let numbered = (0..=255).filter(|&n| shape.numbered(n).is_some()).count();
        assert_eq!(numbered, shape.sockets());
        assert_eq!(shape.try_socket(shape.size(), 0), None);
        assert_eq!(shape.try_socket(0, shape.size()), None);
    }
}

#[test]
fn there_are_as_many_lines_as_the_rules_say() {
    let touched = |line: &u64| (0..4).filter(|quadrant| line >> (16 * quadrant) & 0xffff != 0).count();
    let lines = Shape::Pentago.lines();
    assert_eq!(lines.len(), 32);
    assert_eq!(lines.iter().filter(|line| touched(line) == 2).count(), 28);
    assert_eq!(lines.iter().filter(|line| touched(line) == 3).count(), 4);
    assert_eq!(Shape::Mini4.lines().len(), 10);
    assert_eq!(Shape::Mini3.lines().len(), 24);
    for shape in SHAPES {
        let lines = shape.lines();
        assert!(lines.iter().all(|line| line.count_ones() as usize == shape.run()));
        assert!(lines.iter().all(|line| line & !shape.board_mask() == 0));
        assert!((0..lines.len()).all(|i| !lines[..i].contains(&lines[i])));
    }
}

#[test]
fn four_turns_of_a_quadrant_are_none_and_the_mirror_turns_them_round() {
    for shape in SHAPES {
        for pattern in 0..1 << shape.quadrant_sockets() {
            assert_eq!(shape.rotate_quadrant(pattern, 4), pattern);
            let mirror = shape.quadrant_image(pattern, 4);
            assert_eq!(shape.quadrant_image(mirror, 4), pattern);
            for quarters in 0..4 {
                let turned = shape.rotate_quadrant(pattern, quarters);
                assert_eq!(turned.count_ones(), pattern.count_ones());
                assert_eq!(shape.rotate_quadrant(turned, 1), shape.rotate_quadrant(pattern, quarters + 1));
                assert_eq!(shape.quadrant_image(turned, 4), shape.rotate_quadrant(mirror, 4 - quarters));
                assert_eq!(shape.quadrant_image(turned, 4), shape.quadrant_image(pattern, 4 + quarters));
            }
        }
    }
}

#[test]
fn turns_come_in_order_and_undo_each_other() {
    assert_eq!(Turn::ALL[3], Turn { quadrant: 1, clockwise: false });
    for shape in SHAPES {
        for turn in Turn::ALL {
            assert_eq!(turn.inverse().inverse(), turn);
            let set = 0x0123_0045_0167_0089 & shape.board_mask();
            assert_eq!(shape.turn(shape.turn(set, turn), turn.inverse()), set);
        }
    }
}

proptest! {
    #[test]
    fn sets_are_as_the_reference_says((rules, p) in any_position()) {
        let shape = rules.shape;
        let (options, state) = reference(&rules, &p);
        let free = p.board().free(shape);
        prop_assert_eq!(free.count_ones(), shape.sockets() as u32 - p.board().marbles());
        for color in Color::ALL {
            let set = p.board().of(color);
            prop_assert_eq!(shape.has_line(set), options.lines(&state.cells)[1 + color.index()]);
            if !shape.has_line(set) {
                let completing: u64 = shape
                    .sockets_of(free)
                    .map(Socket::bit)
                    .filter(|bit| shape.has_line(set | bit))
                    .sum();
                prop_assert_eq!(shape.completions(set, free), completing);
            }
        }
        for turn in Turn::ALL {
            let board = p.board().map(|set| shape.turn(set, turn));
            let turned = options.turn_quadrant(&state.cells, turn.quadrant.into(), turn.clockwise);
            prop_assert_eq!(cells(shape, &board), turned);
        }
    }
}
