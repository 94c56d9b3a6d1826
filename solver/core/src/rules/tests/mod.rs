//! Tests of the rules: comparisons with the slow reference, and tests of properties.

mod cells;
mod geometry;
mod notation;
mod play;
mod random;
mod refusals;

use pentago_reference::{Cells, Options, State};
use proptest::prelude::*;

use super::*;

/// Returns the rules for all compatible combinations of the options that can change values, for one
/// shape of board.
pub(crate) fn all_rules(shape: Shape) -> Vec<Rules> {
    let mut all = Vec::new();
    for dir in [Dir::Both, Dir::Cw] {
        for both in [Both::Draw, Both::Mover] {
            for reply in [Reply::None, Reply::Place] {
                for last in [Last::Turn, Last::Stop] {
                    for place in [Place::Wins, Place::Turn] {
                        all.push(Rules { shape, dir, both, reply, last, place, skip: Skip::Never });
                    }
                }
            }
        }
    }
    all.into_iter().filter(Rules::fit).collect()
}

/// Returns all combinations of the options, including `skip`, for each shape of board.
fn rules_of_all_boards() -> Vec<Rules> {
    let with_skips = |rules| [Skip::Never, Skip::Empty, Skip::Neutral].map(|skip| Rules { skip, ..rules });
    SHAPES.into_iter().flat_map(all_rules).flat_map(with_skips).collect()
}

const SHAPES: [Shape; 3] = [Shape::Pentago, Shape::Mini4, Shape::Mini3];

/// Generates the rules for any shape of board, with any compatible options.
fn any_rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(rules_of_all_boards())
}

/// Generates rules and a position. The position has any number of marbles, with counts that can
/// occur. Its turn may be pending.
fn any_position() -> impl Strategy<Value = (Rules, Position)> {
    any_rules().prop_flat_map(|rules| {
        let numbers: Vec<u8> = rules.shape.sockets_of(rules.shape.board_mask()).map(Socket::number).collect();
        (0..=numbers.len(), Just(numbers).prop_shuffle(), any::<bool>()).prop_map(
            move |(marbles, numbers, pending)| {
                let mut board = Board::EMPTY;
                for (i, &number) in numbers[..marbles].iter().enumerate() {
                    let color = Color::ALL[i % 2];
                    board = board.with(color, rules.shape.numbered(number).unwrap());
                }
                // If the game was over before the placement, or the placement ended the game as a
                // draw, no turn can be pending. The position is then used without a pending turn.
                let implied = |pending| Position::implied(rules.shape, board, pending);
                let placed = implied(pending && marbles > 0);
                let placed = placed.ok().filter(|p| rules.outcome(p) != Some(Outcome::Draw));
                (rules, placed.unwrap_or_else(|| implied(false).unwrap()))
            },
        )
    })
}

/// Parses the rules and the position. Panics if a text is invalid.
fn position(rules: &str, text: &str) -> (Rules, Position) {
    let rules: Rules = rules.parse().unwrap();
    (rules, rules.parse_position(text).unwrap_or_else(|e| panic!("{e}")))
}

/// Converts rules and a position to the options and the state of the slow reference.
fn reference(rules: &Rules, p: &Position) -> (Options, State) {
    let cells = cells(rules.shape, &p.board());
    let to_move = 1 + p.to_move().index() as u8;
    (Options::parse(&rules.to_string()).unwrap(), State { cells, to_move, pending: p.pending() })
}

/// Returns the contents of each socket, in reading order: 0 for an empty socket, 1 for X, 2 for O.
fn cells(shape: Shape, board: &Board) -> Cells {
    let (size, mut cells) = (shape.size(), [0; 36]);
    for (i, cell) in cells.iter_mut().enumerate().take(shape.sockets()) {
        let color = board.at(shape.socket(i % size, size - 1 - i / size));
        *cell = color.map_or(0, |color| 1 + color.index() as u8);
    }
    cells
}
