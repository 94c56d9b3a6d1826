//! Tests of boards as numbers: the numbers equal the digits of the text, and convert back to the
//! same positions.

use crate::rules::{Impossible, Position, Rules, random};
use proptest::prelude::*;

proptest! {
    #[test]
    fn cells_are_the_digits_of_the_text(preset in 0..Rules::presets().len(), marbles in 0..16u32, seed: u64) {
        let rules = Rules::presets()[preset].1;
        let Ok(found) = random::positions(&rules, marbles, 1, seed, false) else { return Ok(()) };
        let position = found[0];
        let digits: String = position.cells().map(|cell| cell.to_string()).collect();
        prop_assert_eq!(rules.parse_position(&digits), Ok(position));
        let cells: Vec<i8> = position.cells().collect();
        prop_assert_eq!(Position::from_cells(rules.shape, &cells, false), Ok(position));
        for socket in position.shape().sockets_of(position.shape().board_mask()) {
            let expected = position.board().at(socket).map_or(0, |color| color.index() as i8 + 1);
            prop_assert_eq!(cells[position.cell_of(socket)], expected);
        }
    }
}

#[test]
fn other_numbers_and_counts_are_refused() {
    let shape = Rules::default().shape;
    let with = |at: usize, value| {
        let mut cells = [0; 36];
        cells[at] = value;
        Position::from_cells(shape, &cells, false)
    };
    assert_eq!(with(7, 3), Err(Impossible::Cell { at: 7, value: 3 }));
    assert_eq!(with(0, -1), Err(Impossible::Cell { at: 0, value: -1 }));
    assert_eq!(with(5, 2), Err(Impossible::Counts { x: 0, o: 1 }));
    let short = Position::from_cells(shape, &[0; 16], false);
    assert_eq!(short, Err(Impossible::CellCount { count: 16, sockets: 36 }));
    assert_eq!(Position::from_cells(shape, &[0; 36], true), Err(Impossible::NothingPlaced));
    assert_eq!(Position::from_cells(shape, &[0; 36], false), Ok(Rules::default().start()));
}
