//! A position as SVG, for notebooks.

use pentago::{Color, Position};
use std::fmt::Write;

/// Units along the side of a socket's square.
const UNIT: usize = 40;
/// The room for coordinates at the left and below.
const EDGE: usize = 22;

/// The board with its quadrants, marbles and coordinates, and the side to move.
pub fn svg(position: &Position) -> String {
    let shape = position.shape();
    let (size, side) = (shape.size(), shape.quadrant_side());
    let board = size * UNIT;
    let (width, height) = (board + EDGE, board + EDGE);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{position}</title>\
         <g font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\" fill=\"#888\">"
    );
    for i in 0..size {
        let at = i * UNIT + UNIT / 2;
        let file = char::from(b'a' + i as u8);
        let _ = write!(text, "<text x=\"{}\" y=\"{}\">{file}</text>", at + EDGE, height - 6);
        let _ = write!(text, "<text x=\"{}\" y=\"{}\">{}</text>", EDGE / 2, at + 5, size - i);
    }
    text.push_str("</g>");
    for quadrant in 0..4 {
        let (x, y) = (quadrant % 2 * side * UNIT + EDGE + 2, quadrant / 2 * side * UNIT + 2);
        let edge = side * UNIT - 4;
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{edge}\" height=\"{edge}\" rx=\"8\" fill=\"#b5443c\"/>"
        );
    }
    for (cell, marble) in position.cells().enumerate() {
        let (x, y) = (cell % size * UNIT + UNIT / 2 + EDGE, cell / size * UNIT + UNIT / 2);
        let fill = match marble {
            0 => "#8e332c",
            marble if marble == Color::X.cell() => "#f5efe0",
            _ => "#222",
        };
        let radius = if marble == 0 { 8 } else { 15 };
        let _ = write!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>");
    }
    text.push_str("</svg>");
    text
}
